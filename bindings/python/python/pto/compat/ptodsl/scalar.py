"""`ptodsl.scalar`: scalar functions, as N60 has them."""

from . import tensors, trace, values
from .tensors import Element
from .values import INDEX, Scalar, as_index, as_scalar, compare, select

__all__ = [
    "abs", "add", "addf", "addi", "ceildiv", "cast", "cmp", "div", "divf", "eq", "exp", "floordiv", "ge", "gt", "index_cast",
    "le", "load", "log", "lt", "max", "maximum", "min", "minimum", "mul", "mulf", "muli", "ne", "neg", "rem", "select", "shl",
    "shr", "sqrt", "store", "sub", "subf", "subi",
]  # fmt: skip


def _binary(op):
    def function(a, b, *, overflow=None, fastmath=None):
        return values.binary(op, a, b)

    return function


def _compare(word):
    return lambda a, b: compare(a, b, word)


add, sub, mul, div = (_binary(op) for op in ("add", "sub", "mul", "div"))
addi, subi, muli, addf, subf, mulf, divf = add, sub, mul, add, sub, mul, div
floordiv, ceildiv, rem, shl, shr = (_binary(op) for op in ("floordiv", "ceildiv", "rem", "shl", "shr"))
max, min, maximum, minimum = (_binary(op) for op in ("max", "min", "maximum", "minimum"))
eq, ne, lt, le, gt, ge = (_compare(word) for word in ("eq", "ne", "lt", "le", "gt", "ge"))


def neg(value, **_):
    return values.neg(value)


def abs(value):
    if isinstance(value, Scalar) and value.dtype.kind == "uint":
        return value
    name = "math.absf" if value.dtype.is_float else "math.absi"
    return values._unary(name, value, value.dtype)


def exp(value):
    return values.function("math.exp", value)


def log(value):
    return values.function("math.log", value)


def sqrt(value):
    return values.function("math.sqrt", value)


def cmp(a, b, predicate):
    return compare(a, b, predicate)


def cast(value, dtype, *, rounding=None, saturation=None):
    return as_scalar(value, dtype)


def bitcast(value, dtype):
    return values._unary("arith.bitcast", value, dtype)


def index_cast(value, dtype=None):
    """To `index`; with a type first or second, to that type."""
    if not isinstance(value, (Scalar, int)):
        value, dtype = dtype, value
    return as_scalar(value, dtype or INDEX)


def _two(name, a, b, second, attrs=None):
    a, b = values.pair(a, b)
    low, high = trace.emit(name, {"lhs": a, "rhs": b}, [a.dtype.text, second or a.dtype.text])
    return Scalar(low, a.dtype), Scalar(high, values.I1 if second else a.dtype)


def addui_extended(a, b):
    return _two("arith.addui_extended", a, b, "i1")


def mul_extended(a, b):
    unsigned = any(isinstance(v, Scalar) and v.dtype.kind == "uint" for v in (a, b))
    return _two("arith.mului_extended" if unsigned else "arith.mulsi_extended", a, b, None)


def load(source, offset=None, *, contiguous=None, bypass_l1=False):
    """An element of a tile, or through a pointer; offsets count elements."""
    if contiguous not in (None, 1):
        from .errors import below_tiles

        raise below_tiles("load(contiguous=N)")
    if isinstance(source, Element):
        names = trace.emit("pto.tgetval", {"src": source.tile, "offset": source.offset()}, [source.tile.dtype.text])
        return Scalar(names[0], source.tile.dtype)
    pointer = _pointer(source)
    operands = {"ptr": pointer, "offset": as_index(0 if offset is None else offset)}
    return Scalar(trace.emit("pto.load_scalar", operands, [pointer.dtype.text])[0], pointer.dtype)


def store(value, target, offset=None, *, contiguous=None, bypass_l1=False):
    if isinstance(target, Element):
        tile = target.tile
        operands = {"offset": target.offset(), "val": as_scalar(value, tile.dtype), "dst": tile}
        trace.emit("pto.tsetval", operands)
        return
    pointer = _pointer(target)
    operands = {"value": as_scalar(value, pointer.dtype), "ptr": pointer, "offset": as_index(0 if offset is None else offset)}
    trace.emit("pto.store_scalar", operands)


def _pointer(value):
    if isinstance(value, tensors.Tile):
        return value.as_ptr()
    if not isinstance(value, values.Pointer):
        raise TypeError(f"expected a pointer or an element of a tile, found {value!r}")
    return value


def load_scalar(pointer, offset=0, *, bypass_l1=False):
    return load(pointer, offset)


def store_scalar(pointer, offset, value, *, bypass_l1=False):
    store(value, pointer, offset)
