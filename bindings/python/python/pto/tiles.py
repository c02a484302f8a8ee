"""Tiles, pointers to global memory, and views of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

from . import _core
from ._frames import assigned_name
from .scalars import _BY_NAME, DType, Index, IndexLike, Scalar, ScalarLike, T

__all__ = ["DYN", "Gm", "Tile", "TileType", "Token", "View", "name", "tile"]

#: A number of valid rows or columns that is known only when the program runs.
DYN = -1

#: Layout, order inside boxes and bytes of a box that a memory wants.
_LAYOUTS = {
    "left": ("row", "row", 512),
    "right": ("row", "col", 512),
    "acc": ("col", "row", 1024),
    "mat": ("col", "row", 512),
}


class TileType(_core.TileType):
    """The type of a tile: ``rows`` times ``cols`` elements in a memory of the core.

    ``memory`` is ``vec``, ``mat``, ``left``, ``right``, ``acc``, ``bias``, ``scaling``, …; ``layout`` is ``row`` or ``col``, ``box`` is ``none``,
    ``row`` or ``col``. What is left out is what products and vector instructions want. ``valid`` are the valid rows and columns;
    :data:`pto.DYN` is one that is known only when the program runs.

    Calling the type makes a tile:

    >>> import pto
    >>> Row = pto.TileType(1, 64, pto.f32)
    >>> Row
    !pto.tile_buf<vec, 1x64xf32>
    """

    __slots__ = ()

    def __new__(
        cls,
        rows: int,
        cols: int,
        dtype: type[DType],
        *,
        memory: str = "vec",
        valid: tuple[int, int] | None = None,
        layout: str | None = None,
        box: str | None = None,
        fractal: int | None = None,
        pad: str = "null",
        compact: str = "null",
    ) -> TileType:
        usual = _LAYOUTS.get(memory, ("row", "none", 512))
        valid_rows, valid_cols = valid or (rows, cols)
        return super().__new__(
            cls, rows, cols, dtype._core, memory, valid_rows, valid_cols,
            layout or usual[0], box or usual[1], fractal or usual[2], pad, compact,
        )  # fmt: skip

    def __call__(self, *valid: IndexLike, name: str | None = None) -> Tile:
        """A new tile. ``valid`` are the valid rows and columns, if the type leaves them open."""
        made = self._new(valid)
        chosen = name or assigned_name()
        if chosen:
            _core.current().rename(made, chosen)
        return made

    def _new(self, valid: Sequence[IndexLike]) -> Tile:
        from .instructions import alloc_tile

        rows, cols = self.open
        if (rows or cols) and len(valid) != 2:
            raise TypeError("a tile whose valid region is open needs its valid rows and columns: Type(rows, cols)")
        if valid and not (rows or cols):
            raise TypeError("the valid region of this tile is part of its type: leave it open with valid=(pto.DYN, pto.DYN)")
        return alloc_tile(self, valid_row=valid[0] if rows else None, valid_col=valid[1] if cols else None)

    @property
    def dtype(self) -> type[DType]:
        """The type of the elements."""
        return _BY_NAME[self.element]

    def _repr_html_(self) -> str:
        from .pictures import _type_html

        return _type_html(self)


def tile(
    rows: int,
    cols: int,
    dtype: type[DType],
    *,
    memory: str = "vec",
    valid: tuple[IndexLike, IndexLike] | None = None,
    layout: str | None = None,
    box: str | None = None,
    fractal: int | None = None,
    pad: str = "null",
    compact: str = "null",
    name: str | None = None,
) -> Tile:
    """A new tile, without an address; see :class:`TileType`.

    ``valid`` are its valid rows and columns: numbers, or scalars of the kernel. In the program's text the tile has the name of the
    variable that it is assigned to, or ``name``.
    """
    fixed = (_fixed(valid[0]), _fixed(valid[1])) if valid else (rows, cols)
    ty = TileType(
        rows, cols, dtype, memory=memory, valid=fixed, layout=layout, box=box, fractal=fractal, pad=pad, compact=compact
    )  # fmt: skip
    made = ty._new(valid if valid and DYN in fixed else ())
    chosen = name or assigned_name()
    if chosen:
        _core.current().rename(made, chosen)
    return made


def _fixed(extent: IndexLike) -> int:
    return extent if isinstance(extent, int) else DYN


class Tile(_core.Handle):
    """A two-dimensional array in a memory of a core. Instructions change it in place."""

    __slots__ = ()

    @property
    def tile_type(self) -> _core.TileType:
        """The type of the tile."""
        return _core.current().tile_type(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ty = self.tile_type
        return ty.rows, ty.cols

    @property
    def dtype(self) -> type[DType]:
        """The type of the elements."""
        return _BY_NAME[self.tile_type.element]

    @property
    def memory(self) -> str:
        """The memory it lies in."""
        return self.tile_type.memory

    def valid_rows(self) -> Index:
        """The valid rows, as they are now."""
        from .instructions import tile_valid_rows

        return tile_valid_rows(self)

    def valid_cols(self) -> Index:
        """The valid columns, as they are now."""
        from .instructions import tile_valid_cols

        return tile_valid_cols(self)

    def named(self, name: str) -> Tile:
        """The same tile under another name in the program's text."""
        _core.current().rename(self, name)
        return self

    def _in_kernel(self) -> tuple[str | None, _core.TileType] | None:
        """The name and the type, while the kernel is traced."""
        try:
            recorder = _core.current()
            return recorder.name_of(self), recorder.tile_type(self)
        except RuntimeError:
            return None

    def __repr__(self) -> str:
        found = self._in_kernel()
        if found is None:
            return "<tile of a kernel that was traced>"
        from .pictures import _sizes

        name, ty = found
        return f"<tile {name or 'without a name'}: {ty.memory} {_sizes((ty.rows, ty.cols), ty.valid, ty.element)}>"

    def _repr_html_(self) -> str:
        from .pictures import _type_html

        found = self._in_kernel()
        return "<code>a tile of a kernel that was traced</code>" if found is None else _type_html(found[1], found[0] or "tile")


class View(_core.Handle):
    """A tensor in global memory, or a window of one: ``xs[row:row + 16, :]``."""

    __slots__ = ("_extents",)
    _extents: list[IndexLike]

    @property
    def dtype(self) -> type[DType]:
        """The type of the elements."""
        return _BY_NAME[_core.current().element(self)]

    @property
    def shape(self) -> tuple[IndexLike, ...]:
        """The extents: numbers where they are known while the kernel is traced."""
        known = [extent if isinstance(extent, int) else extent.known for extent in self._sizes()]
        return tuple(e if k is None else k for e, k in zip(self._sizes(), known, strict=True))

    def _sizes(self) -> list[IndexLike]:
        try:
            return self._extents
        except AttributeError:
            raise TypeError("the extents of this view are not known here: use .part(offsets, sizes)") from None

    def part(self, offsets: Sequence[IndexLike], sizes: Sequence[IndexLike]) -> View:
        """A window: where it starts and how large it is, along each dimension."""
        from .instructions import partition_view

        made = partition_view(self, tuple(offsets), tuple(sizes))
        made._extents = list(sizes)
        return made

    def __getitem__(self, subscripts: Any) -> View:
        """A window: ``xs[row:row + 16, :]``. A single index is a window of one, so the number of dimensions stays."""
        extents = self._sizes()
        given = subscripts if isinstance(subscripts, tuple) else (subscripts,)
        if Ellipsis in [s for s in given if s is Ellipsis]:
            at = next(i for i, s in enumerate(given) if s is Ellipsis)
            given = given[:at] + (slice(None),) * (len(extents) - len(given) + 1) + given[at + 1 :]
        if len(given) > len(extents):
            raise IndexError(f"{len(given)} subscripts for a view of {len(extents)} dimensions")
        given += (slice(None),) * (len(extents) - len(given))
        offsets, sizes = _core.window(list(given), list(extents))
        return self.part(offsets, sizes)

    def __repr__(self) -> str:
        return "<view of global memory>"


class Gm(_core.Handle, Generic[T]):
    """A pointer to elements in global memory: what a kernel is given for an array. ``Gm[f32]`` is its type in a signature."""

    __slots__ = ()

    @property
    def dtype(self) -> type[DType]:
        """The type of the elements."""
        return _BY_NAME[_core.current().element(self)]

    def view(self, *shape: IndexLike | Sequence[IndexLike]) -> View:
        """The tensor of this shape that starts here, row after row: ``x.view(n, 64)``."""
        from .instructions import make_tensor_view

        extents, strides = _core.row_major(_flat(shape))
        made = make_tensor_view(self, extents, strides)
        made._extents = _flat(shape)
        return made

    def strided(self, shape: Sequence[IndexLike], strides: Sequence[IndexLike], *, layout: str | None = None) -> View:
        """The tensor of this shape with the distances between elements along each dimension; ``layout="dn"`` for matrices
        that lie column after column."""
        from .instructions import make_tensor_view

        made = make_tensor_view(self, list(shape), list(strides), layout=layout)
        made._extents = list(shape)
        return made

    def offset(self, by: IndexLike) -> Gm[T]:
        """A pointer to a later element."""
        from .instructions import addptr

        return addptr(self, by)

    def __add__(self, by: IndexLike) -> Gm[T]:
        return self.offset(by)

    def __getitem__(self, at: IndexLike) -> Scalar[T]:
        """One element, as a scalar."""
        from .instructions import load_scalar

        return load_scalar(self, at)

    def __setitem__(self, at: IndexLike, value: ScalarLike) -> None:
        """Changes one element."""
        from .instructions import store_scalar

        store_scalar(self, value, at)

    def __iter__(self) -> Any:
        raise TypeError("global memory has no end that a kernel knows: use `for i in pto.range(n):`")

    def __repr__(self) -> str:
        return "<pointer to global memory>"


class Token(_core.Handle):
    """Something else that an instruction gives: a pipe, an event, a session."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<token of a kernel>"


def name(value: _core.Handle, text: str) -> None:
    """Names a tile, a view or a scalar in the text of its kernel."""
    _core.current().rename(value, text)


def _flat(shape: tuple[Any, ...]) -> list[IndexLike]:
    if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
        return list(shape[0])
    return list(shape)


_core.set_handle_classes(Scalar, Tile, View, Gm, Token)
