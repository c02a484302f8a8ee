"""Views of global memory and tiles."""

from . import trace, types, values
from .types import DType
from .values import Pointer, Scalar, Value, as_index


class View(Value):
    """A tensor in global memory."""

    def __init__(self, name, dtype, shape, strides, type_text=None):
        dims = "x".join(str(n) if is_plain(n) else "?" for n in shape)
        super().__init__(name, type_text or f"!pto.tensor_view<{dims}x{dtype.text}>")
        self.dtype = dtype
        self.shape = tuple(shape)
        self.strides = tuple(strides)
        self.pointer = None

    @property
    def rank(self):
        return len(self.shape)

    def as_ptr(self):
        return self.pointer


class Partition(Value):
    """A window of a view."""

    def __init__(self, name, base, offsets, sizes):
        dims = "x".join(str(s) if isinstance(s, int) else "?" for s in sizes)
        super().__init__(name, f"!pto.partition_tensor_view<{dims}x{base.dtype.text}>")
        self.base = base
        self.dtype = base.dtype
        self.offsets = tuple(offsets)
        self.shape = tuple(sizes)

    @property
    def rank(self):
        return len(self.shape)


def _number(value):
    """A Python number stays one; anything else is an index of the kernel."""
    return plain(value) if is_plain(value) else as_index(value)


def is_plain(value):
    return isinstance(value, int) or (not isinstance(value, Value) and hasattr(value, "__index__"))


def plain(value):
    return int(value)


def make_tensor_view(ptr, *, shape=None, strides=None, layout=None):
    if shape is None or strides is None:
        raise TypeError("pto.make_tensor_view(...) needs shape= and strides=")
    if not isinstance(ptr, Pointer):
        raise TypeError(f"pto.make_tensor_view(...) takes a pointer, not {ptr!r}")
    if len(shape) != len(strides) or not 1 <= len(shape) <= 5:
        raise ValueError(f"shape and strides have one to five entries each, found {len(shape)} and {len(strides)}")
    extents, steps = [_number(n) for n in shape], [_number(n) for n in strides]
    attrs = {"layout": f"#pto.layout<{types.word(layout).lower()}>"} if layout is not None else {}
    operands = {"ptr": ptr, "shape": [as_index(n) for n in extents], "strides": [as_index(n) for n in steps]}
    view = View("", ptr.dtype, extents, steps)
    view.name = trace.emit("pto.make_tensor_view", operands, [view.type_text], attrs)[0]
    view.pointer = ptr
    return view


def partition_view(view, *, offsets, sizes):
    base, first = (view.base, view.offsets) if isinstance(view, Partition) else (view, None)
    if not isinstance(base, View):
        raise TypeError(f"pto.partition_view(...) takes a view, not {view!r}")
    if len(offsets) != base.rank or len(sizes) != base.rank:
        raise ValueError(f"the view has {base.rank} dimensions, found {len(offsets)} offsets and {len(sizes)} sizes")
    starts = [_number(n) for n in offsets]
    if first is not None:
        starts = [_sum(a, b) for a, b in zip(first, starts)]
    extents = [_number(_folded(n)) for n in sizes]
    operands = {
        "source": base,
        "offsets": [as_index(n) for n in starts],
        "sizes": [as_index(n) for n in extents],
    }
    part = Partition("", base, starts, extents)
    part.name = trace.emit("pto.partition_view", operands, [part.type_text])[0]
    return part


def _sum(a, b):
    if a == 0 and is_plain(a):
        return b
    if b == 0 and is_plain(b):
        return a
    return a + b


def _folded(value):
    """The number of a constant: sizes that are known belong to the type."""
    return getattr(value, "number", value)


class Tile(Value):
    """A tile."""

    def __init__(self, name, *, shape, dtype, space, valid, blayout, slayout, fractal, pad, rank=2):
        self.physical_shape = tuple(shape)
        self.dtype = dtype
        self.memory_space = space
        self.valid = list(valid)
        self.blayout, self.slayout, self.fractal, self.pad = blayout, slayout, fractal, pad
        self.rank = rank
        super().__init__(name, self._type())

    def _type(self):
        rows, cols = self.physical_shape
        v_row, v_col = (n if is_plain(n) else "?" for n in self.valid)
        return (
            f"!pto.tile_buf<loc={self.memory_space}, dtype={self.dtype.text}, rows={rows}, cols={cols}, "
            f"v_row={v_row}, v_col={v_col}, blayout={self.blayout}, slayout={self.slayout}, "
            f"fractal={self.fractal}, pad={self.pad}>"
        )

    def like(self, name, **changes):
        parts = dict(
            shape=self.physical_shape, dtype=self.dtype, space=self.memory_space, valid=self.valid, blayout=self.blayout,
            slayout=self.slayout, fractal=self.fractal, pad=self.pad, rank=self.rank,
        )  # fmt: skip
        return Tile(name, **{**parts, **changes})

    def renamed(self, name):
        return self.like(name)

    @property
    def shape(self):
        return self.physical_shape if self.rank == 2 else self.physical_shape[1:]

    @property
    def type(self):
        return self

    @property
    def valid_shape(self):
        valid = self._extents()
        return valid if self.rank == 2 else valid[1:]

    def _extents(self):
        found = []
        for at, extent in enumerate(self.valid):
            if not is_plain(extent):
                op = ("pto.tile_valid_rows", "pto.tile_valid_cols")[at]
                slot = trace.row(op)["slots"][0]["name"]
                extent = Scalar(trace.emit(op, {slot: self}, ["index"])[0], values.INDEX)
            found.append(extent)
        return tuple(found)

    @valid_shape.setter
    def valid_shape(self, extents):
        extents = [1, *extents] if self.rank == 1 else list(extents)
        rows, cols = (as_index(n) for n in extents)
        trace.emit("pto.set_validshape", {"source": self, "valid_row": rows, "valid_col": cols})

    def fill(self, value):
        from . import tiles

        tiles.tile.expands(value, self)

    def as_ptr(self):
        type_ = types.PtrType(self.dtype, self.memory_space)
        return Pointer(trace.emit("pto.tile_buf_addr", {"src": self}, [type_.text])[0], type_, (self, 0))

    def __getitem__(self, place):
        place = place if isinstance(place, tuple) else (place,)
        if any(isinstance(n, slice) for n in place):
            from .errors import below_tiles

            raise below_tiles("tile[row, col:]")
        if len(place) == 1:
            place = (0, *place)
        return Element(self, *place)


class Element:
    """An element of a tile: what `scalar.load` and `scalar.store` take."""

    def __init__(self, tile, row, col):
        self.tile, self.row, self.col = tile, row, col

    def offset(self):
        rows, cols = self.tile.physical_shape
        if self.tile.slayout != "none_box":
            raise NotImplementedError("elements of boxed tiles have no place that a scalar access can name")
        if self.tile.blayout == "row_major":
            return as_index(self.row * cols + self.col)
        return as_index(self.col * rows + self.row)


_BLAYOUTS = {"rowmajor": "row_major", "colmajor": "col_major"}
_SLAYOUTS = {**_BLAYOUTS, "nonebox": "none_box"}
_PADS = {"null": 0, "zero": 1, "max": 2, "min": 3}


def _choice(value, choices, what):
    key = types.word(value).replace("_", "").lower()
    if key not in choices:
        raise ValueError(f"{value!r} is not a {what}; legal: {', '.join(choices)}")
    return choices[key]


def alloc_tile(
    tile_type=None, *, shape=None, dtype=None, memory_space="ub", valid_shape=None, blayout="RowMajor", slayout="NoneBox",
    fractal_size=512, pad="Null", addr=None, valid_row=None, valid_col=None,
):  # fmt: skip
    if isinstance(tile_type, Tile):
        tile = tile_type.like("")
        given = (valid_row, valid_col)
    else:
        if shape is None or not isinstance(dtype, DType):
            raise TypeError("pto.alloc_tile(...) needs shape= and dtype=")
        if not all(is_plain(_folded(n)) for n in shape) or len(shape) not in (1, 2):
            raise TypeError(f"the shape of a tile is one or two Python numbers, found {shape!r}")
        rank = len(shape)
        physical = [1, *shape] if rank == 1 else list(shape)
        physical = [plain(_folded(n)) for n in physical]
        valid = list(physical) if valid_shape is None else ([1, *valid_shape] if rank == 1 else list(valid_shape))
        valid = [_number(_folded(n)) for n in valid]
        space = types.space_of(memory_space)
        block, small = _choice(blayout, _BLAYOUTS, "box layout"), _choice(slayout, _SLAYOUTS, "element layout")
        _check_rows(physical, dtype, block, small)
        fractal = 1024 if space == "acc" and fractal_size == 512 else fractal_size
        tile = Tile(
            "", shape=physical, dtype=dtype, space=space, valid=valid, blayout=block, slayout=small, fractal=fractal,
            pad=_choice(pad, _PADS, "pad value"), rank=rank,
        )  # fmt: skip
        given = valid
    if isinstance(addr, Pointer):
        return _window_at(addr, tile)
    operands = {}
    for name, extent, typed in zip(("valid_row", "valid_col"), given, tile.valid):
        if not is_plain(typed):
            operands[name] = as_index(extent)
    if addr is not None:
        operands["addr"] = values.as_scalar(addr, values.I64)
    tile.name = trace.emit("pto.alloc_tile", operands, [tile.type_text])[0]
    return tile


def _window_at(pointer, tile):
    """A tile at an address inside another one: the window of its valid rows."""
    whole, offset = pointer.origin or (None, None)
    same = ("dtype", "memory_space", "blayout", "slayout", "fractal")
    if whole is None or any(getattr(whole, n) != getattr(tile, n) for n in same) or not all(is_plain(n) for n in tile.valid):
        raise NotImplementedError("a tile at a pointer: only with fixed extents, inside a tile of the same type")
    if tile.slayout == "none_box" and tile.blayout == "row_major":
        across = whole.physical_shape[1]
    elif tile.slayout == "row_major" and tile.blayout == "col_major":
        # Boxes of 16 rows lie below each other.
        across = tile.fractal // 16 // tile.dtype.bytes
    else:
        raise NotImplementedError("a tile at a pointer: only in row-major tiles, and in boxes that lie below each other")
    rows, cols = (plain(n) for n in tile.valid)
    window = tile.like("", shape=(rows, cols))
    operands = {"source": whole, "offsets": [as_index(offset // across), as_index(0)]}
    attrs = {"sizes": f"array<i64: {rows}, {cols}>"}
    window.name = trace.emit("pto.subview", operands, [window.type_text], attrs)[0]
    return window


def _check_rows(shape, dtype, block, small):
    if block == "row_major" and small == "none_box" and shape[1] * dtype.bytes % 32:
        raise ValueError(
            f"rows of a row-major tile are multiples of 32 bytes; {shape[1]} elements of {dtype!r} are {shape[1] * dtype.bytes}"
        )
