"""Arrays that are made up, and arrays that are not contiguous."""

from __future__ import annotations

__all__ = ["arange", "fill", "ones", "rand", "span", "zeros"]


class Made:
    """Memory that a run makes up: see `rand`, `zeros`, `ones`, `fill`, `arange`."""

    __slots__ = ("integer", "kind", "number", "seed", "shape")
    _pto_made = True

    def __init__(self, kind, shape=None, *, value=None, seed=None) -> None:
        self.kind = kind
        self.shape = (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        self.integer = int(value) if isinstance(value, int) else None
        self.number = None if value is None else float(value)
        self.seed = seed

    def __repr__(self) -> str:
        shape = "" if self.shape is None else f" of {'x'.join(map(str, self.shape))}"
        return f"<{self.kind}{shape}>"


def rand(shape=None, *, seed: int | None = None) -> Made:
    """Random numbers, the same as `pto run` makes for this seed. Without a shape, as many as the program needs."""
    return Made("rand", shape, seed=seed)


def zeros(shape=None) -> Made:
    """Zeros. Without a shape, as many as the program needs."""
    return Made("zeros", shape)


def ones(shape=None) -> Made:
    """Ones. Without a shape, as many as the program needs."""
    return Made("fill", shape, value=1)


def fill(value, shape=None) -> Made:
    """The same number everywhere. Without a shape, as many as the program needs."""
    return Made("fill", shape, value=value)


def arange(shape=None) -> Made:
    """0, 1, 2, … in row-major order. Without a shape, as many as the program needs."""
    return Made("iota", shape)


class span:  # noqa: N801
    """An array that is not contiguous, given as all the memory from its first element to its last.

    The program must know the strides: `program.run(pto.span(a[:, :64]), stride=128)`.
    """

    __slots__ = ("array",)
    _pto_span = True

    def __init__(self, array) -> None:
        self.array = array

    @property
    def __array_struct__(self):
        return self.array.__array_struct__

    @property
    def dtype(self):
        """The element type of the array."""
        return self.array.dtype


def _view(obj):
    """An array on the memory of a buffer or of an object with `__array_interface__`; None for everything else."""
    if hasattr(type(obj), "_pto_made"):
        return None
    import numpy

    if hasattr(obj, "__array_interface__"):
        return numpy.asarray(obj)
    try:
        return numpy.asarray(memoryview(obj))
    except TypeError:
        return None


def _dtype(name: str):
    """The NumPy type of an element type; its bits where ml_dtypes has the type and is not there."""
    import numpy

    try:
        return numpy.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, name))
    except ImportError:
        return numpy.dtype("uint16" if name == "bfloat16" else "uint8")


def _made(data: bytearray, name: str, shape):
    """A writable array of these bytes."""
    import numpy

    return numpy.frombuffer(data, dtype=_dtype(name)).reshape(shape)


def _contiguous(array):
    """A contiguous copy of an array or tensor."""
    if hasattr(array, "data_ptr"):
        return array.contiguous()
    import numpy

    return numpy.array(array, order="C", copy=True)


def _copy_back(array, copied) -> None:
    """Writes a contiguous copy back."""
    if hasattr(array, "data_ptr"):
        array.copy_(copied)
    else:
        array[...] = copied
