"""Values of a kernel: scalars, pointers, views, tiles, and what Python operators do with them."""

from . import trace, types
from .errors import PTODSLTracingMisuseError
from .types import DTYPES, DType, FloatBits, PtrType

INDEX, I1, I32, I64, F32 = (DTYPES[n] for n in ("index", "i1", "i32", "i64", "f32"))


class Value:
    """A value of the kernel."""

    def __init__(self, name, type_text):
        self.name = name
        self.type_text = type_text

    def __bool__(self):
        raise PTODSLTracingMisuseError(
            "a value of the kernel has no truth while it is traced; use `if` in a function that is rewritten, or pto.if_(...)"
        )

    def __iter__(self):
        raise PTODSLTracingMisuseError("a value of the kernel cannot be iterated")

    def __int__(self):
        raise PTODSLTracingMisuseError("a value of the kernel has no number while it is traced")

    __float__ = __index__ = __int__
    __hash__ = object.__hash__


def _operator(function, swapped=False):
    def method(self, other):
        if not isinstance(other, (Scalar, int, float)):
            return NotImplemented
        return function(other, self) if swapped else function(self, other)

    return method


class Scalar(Value):
    """A number of the kernel."""

    def __init__(self, name, dtype):
        super().__init__(name, dtype.text)
        self.dtype = dtype

    @property
    def type(self):
        return self.dtype

    def __neg__(self):
        return neg(self)

    def __invert__(self):
        return binary("xor", self, 1 if self.dtype is I1 else -1)

    def __repr__(self):
        return f"<{self.dtype.name} {self.name}>"


#: Python's operator, and the operation for signed integers, unsigned integers and floats.
ARITHMETIC = {
    "add": ("arith.addi", "arith.addi", "arith.addf"),
    "sub": ("arith.subi", "arith.subi", "arith.subf"),
    "mul": ("arith.muli", "arith.muli", "arith.mulf"),
    "div": ("arith.divsi", "arith.divui", "arith.divf"),
    "floordiv": ("arith.floordivsi", "arith.divui", None),
    "ceildiv": ("arith.ceildivsi", "arith.ceildivui", None),
    "rem": ("arith.remsi", "arith.remui", "arith.remf"),
    "and": ("arith.andi", "arith.andi", None),
    "or": ("arith.ori", "arith.ori", None),
    "xor": ("arith.xori", "arith.xori", None),
    "shl": ("arith.shli", "arith.shli", None),
    "shr": ("arith.shrsi", "arith.shrui", None),
    "max": ("arith.maxsi", "arith.maxui", "arith.maxnumf"),
    "min": ("arith.minsi", "arith.minui", "arith.minnumf"),
    "maximum": ("arith.maxsi", "arith.maxui", "arith.maximumf"),
    "minimum": ("arith.minsi", "arith.minui", "arith.minimumf"),
}
_INT_PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
_FLOAT_PREDICATES = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
]  # fmt: skip


def constant(value, dtype):
    if isinstance(value, Value):
        raise PTODSLTracingMisuseError("a constant is a Python number")
    if dtype is I1:
        return Scalar(trace.constant("true" if value else "false", "i1"), I1)
    if dtype.is_int:
        if isinstance(value, float) and not isinstance(value, FloatBits):
            raise TypeError(f"{value!r} is a float, and {dtype!r} is an integer type")
        return Scalar(trace.constant(str(int(value)), dtype.text), dtype)
    return Scalar(trace.constant(types.float_text(value, dtype), dtype.text), dtype)


def cast(value, dtype):
    """A scalar as another type, by value."""
    source = value.dtype
    if source is dtype:
        return value
    if not isinstance(dtype, DType):
        raise TypeError(f"{dtype!r} is not a type such as pto.i32")
    unsigned = source.kind == "uint" or source is I1
    if source.is_int and dtype.is_int:
        if INDEX in (source, dtype):
            name = "arith.index_castui" if unsigned else "arith.index_cast"
        elif source.bits > dtype.bits:
            name = "arith.trunci"
        elif source.bits == dtype.bits:
            name = "arith.bitcast"
        else:
            name = "arith.extui" if unsigned else "arith.extsi"
    elif source.is_int:
        if source is INDEX:
            return cast(cast(value, I64), dtype)
        name = "arith.uitofp" if unsigned else "arith.sitofp"
    elif dtype.is_int:
        if dtype is INDEX:
            return cast(cast(value, I64), dtype)
        name = "arith.fptoui" if dtype.kind == "uint" else "arith.fptosi"
    elif source.bits == dtype.bits:
        return cast(cast(value, F32), dtype)
    else:
        name = "arith.extf" if source.bits < dtype.bits else "arith.truncf"
    return _unary(name, value, dtype)


def _unary(name, value, dtype):
    slot = trace.row(name)["slots"][0]["name"]
    return Scalar(trace.emit(name, {slot: value}, [dtype.text])[0], dtype)


def as_scalar(value, dtype=INDEX, *, exact=False):
    """A Python number or a scalar as a scalar of a type."""
    if isinstance(value, Scalar):
        return value if exact else cast(value, dtype)
    if hasattr(value, "item") and not isinstance(value, (int, float)):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return constant(value, dtype)
    raise TypeError(f"expected a number or a scalar of the kernel, found {value!r}")


def as_index(value):
    return as_scalar(value, INDEX)


def pair(a, b):
    """Two operands with one type: a Python number takes that of the other, index wins over integers, wider over narrower."""
    if not isinstance(a, Scalar) and not isinstance(b, Scalar):
        dtype = F32 if isinstance(a, float) or isinstance(b, float) else INDEX
        return constant(a, dtype), constant(b, dtype)
    if not isinstance(a, Scalar):
        return as_scalar(a, _literal(a, b.dtype)), b
    if not isinstance(b, Scalar):
        return a, as_scalar(b, _literal(b, a.dtype))
    if a.dtype is b.dtype:
        return a, b
    if a.dtype.is_int and b.dtype.is_int:
        wide = INDEX if INDEX in (a.dtype, b.dtype) else max(a.dtype, b.dtype, key=lambda d: d.bits)
        return cast(a, wide), cast(b, wide)
    raise TypeError(f"{a.dtype!r} and {b.dtype!r} do not mix; use a cast")


def _literal(number, dtype):
    if isinstance(number, float) and dtype.is_int:
        raise TypeError(f"{number!r} is a float, and the other operand is {dtype!r}; use a cast")
    return dtype


def binary(op, a, b, dtype=None):
    a, b = pair(a, b)
    names = ARITHMETIC[op]
    if op == "shr" and a.dtype is INDEX:
        a, b = cast(a, I64), cast(b, I64)
    name = names[2] if a.dtype.is_float else names[1] if a.dtype.kind == "uint" or a.dtype is I1 else names[0]
    if name is None:
        if op == "floordiv":
            raise TypeError("`//` takes integers")
        raise TypeError(f"`{op}` takes integers, not {a.dtype!r}")
    slots = [s["name"] for s in trace.row(name)["slots"]]
    return Scalar(trace.emit(name, dict(zip(slots, (a, b))), [a.dtype.text])[0], a.dtype)


def compare(a, b, predicate):
    a, b = pair(a, b)
    word = types.word(predicate).lower()
    if a.dtype.is_float:
        word = {"eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}.get(word, word)
        name, words = "arith.cmpf", _FLOAT_PREDICATES
    else:
        prefix = "u" if a.dtype.kind == "uint" or a.dtype is I1 else "s"
        word = word if word in _INT_PREDICATES else prefix + word
        name, words = "arith.cmpi", _INT_PREDICATES
    if word not in words:
        raise TypeError(f"{predicate!r} is not a comparison of {a.dtype!r}")
    attrs = {"predicate": f"{words.index(word)} : i64"}
    return Scalar(trace.emit(name, {"lhs": a, "rhs": b}, ["i1"], attrs)[0], I1)


def neg(value):
    if value.dtype.is_float:
        return _unary("arith.negf", value, value.dtype)
    return binary("sub", constant(0, value.dtype), value)


def function(name, value, dtype=F32):
    """A function of one float."""
    value = value if isinstance(value, Scalar) else constant(float(value), dtype)
    return _unary(name, value, value.dtype)


def select(condition, a, b):
    if not isinstance(condition, Scalar):
        return a if condition else b
    a, b = pair(a, b) if isinstance(a, (Scalar, int, float)) else (a, b)
    operands = {"condition": as_scalar(condition, I1), "true_value": a, "false_value": b}
    name = trace.emit("arith.select", operands, [a.type_text])[0]
    return a.renamed(name) if hasattr(a, "renamed") else Scalar(name, a.dtype)


for _method, _op in (
    ("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("floordiv", "floordiv"), ("mod", "rem"),
    ("and", "and"), ("or", "or"), ("xor", "xor"), ("lshift", "shl"), ("rshift", "shr"),
):  # fmt: skip
    setattr(Scalar, f"__{_method}__", _operator(lambda a, b, op=_op: binary(op, a, b)))
    setattr(Scalar, f"__r{_method}__", _operator(lambda a, b, op=_op: binary(op, a, b), swapped=True))
for _word in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Scalar, f"__{_word}__", _operator(lambda a, b, word=_word: compare(a, b, word)))


class Pointer(Value):
    """A pointer."""

    def __init__(self, name, type_, origin=None):
        super().__init__(name, type_.text)
        self.type = type_
        #: The tile that it points into, and how many elements from its start.
        self.origin = origin

    @property
    def dtype(self):
        return self.type.elem

    def __add__(self, elements):
        return addptr(self, elements)

    def renamed(self, name):
        return Pointer(name, self.type)


def addptr(pointer, elements):
    operands = {"ptr": pointer, "offset": as_index(elements)}
    origin = pointer.origin and (pointer.origin[0], pointer.origin[1] + elements)
    return Pointer(trace.emit("pto.addptr", operands, [pointer.type_text])[0], pointer.type, origin)


def castptr(value, type_):
    if not isinstance(type_, PtrType):
        raise TypeError(f"pto.castptr(...) takes a type such as pto.ptr(pto.f32, 'gm'), not {type_!r}")
    value = value if isinstance(value, Pointer) else as_scalar(value, I64)
    return Pointer(trace.emit("pto.castptr", {"input": value}, [type_.text])[0], type_)
