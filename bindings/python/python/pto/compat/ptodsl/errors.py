"""What goes wrong while a script is traced. Names and bases are those that public scripts catch."""


class PTODSLTracingMisuseError(TypeError):
    """A value of the kernel is used where Python needs a number, or the other way round."""


class PTODSLAstRewriteError(SyntaxError):
    """A statement that cannot become control flow of the kernel."""


class PTODSLDeprecationWarning(UserWarning):
    """An older spelling."""


class BelowTilesError(NotImplementedError):
    """A call of vector registers, data movers or threads: `pto` works on tiles."""


def below_tiles(name):
    return BelowTilesError(
        f"`{name}` is below tiles (vector registers, data movers or threads); "
        "this layer runs tile instructions: the names of `pto.tile`, pipes, flags and scalars"
    )
