"""Element types, pointer types and enumerations."""

import enum
import struct

from .errors import PTODSLTracingMisuseError

__all__ = ["DType", "PtrType", "MemorySpace", "SPACES"]


class DType:
    """An element type. Calling one makes a constant."""

    def __init__(self, name, bits, kind, packed=1):
        self.name = name
        self.bits = bits
        #: `int`, `uint`, `float`, `index` or `storage`.
        self.kind = kind
        #: Values in one stored element.
        self.packed = packed

    def __repr__(self):
        return f"pto.{self.name}"

    def __str__(self):
        return self.text

    @property
    def text(self):
        """The type in a program."""
        return _TEXT.get(self.name, self.name)

    @property
    def is_float(self):
        return self.kind == "float"

    @property
    def is_int(self):
        return self.kind in ("int", "uint", "index")

    @property
    def bytes(self):
        return max(1, self.bits * self.packed // 8)

    def __call__(self, value):
        from . import values

        if isinstance(value, values.Scalar):
            return values.cast(value, self)
        if isinstance(value, str):
            value = self.parse(value)
        return values.constant(value, self)

    def parse(self, text):
        """The number that a text states; hexadecimal digits of a float are its bits."""
        plain = text.strip().lower()
        if self.is_int:
            number = int(plain, 0)
            return number - (1 << self.bits) if self.kind == "int" and number >= 1 << (self.bits - 1) else number
        if plain.startswith("0x"):
            return FloatBits(int(plain, 16))
        return float(plain)


class FloatBits(int):
    """The bits of a float."""


#: Names that a program spells differently.
_TEXT = {
    "f8e4m3": "f8E4M3FN",
    "f8e5m2": "f8E5M2",
    "f8e8m0": "!pto.f8E8M0",
    "hif8": "!pto.hif8",
    "f4e1m2x2": "!pto.f4E1M2x2",
    "f4e2m1x2": "!pto.f4E2M1x2",
}

DTYPES = {"i1": DType("i1", 1, "int"), "index": DType("index", 64, "index")}
for _bits in (8, 16, 32, 64):
    DTYPES[f"i{_bits}"] = DType(f"i{_bits}", _bits, "int")
    DTYPES[f"si{_bits}"] = DType(f"si{_bits}", _bits, "int")
    DTYPES[f"ui{_bits}"] = DType(f"ui{_bits}", _bits, "uint")
for _name, _bits in (("f16", 16), ("bf16", 16), ("f32", 32)):
    DTYPES[_name] = DType(_name, _bits, "float")
for _name in ("f8e4m3", "f8e5m2", "f8e8m0", "hif8"):
    DTYPES[_name] = DType(_name, 8, "storage")
for _name in ("f4e1m2x2", "f4e2m1x2"):
    DTYPES[_name] = DType(_name, 4, "storage", packed=2)

#: Other names of the same types.
LONG_NAMES = {
    "int1": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "bool": "i1",
    "fp16": "f16", "fp32": "f32", "hif8x1": "hif8",
}  # fmt: skip


class MemorySpace(str, enum.Enum):
    """The memories."""

    GM = "gm"
    UB = "ub"
    VEC = "vec"
    MAT = "mat"
    LEFT = "left"
    RIGHT = "right"
    ACC = "acc"
    BIAS = "bias"
    SCALING = "scaling"


SPACES = {space.value for space in MemorySpace}


def space_of(value):
    """A memory by any of its spellings; `ub` is `vec`."""
    text = str(getattr(value, "value", value)).lower()
    if text not in SPACES:
        raise ValueError(f"{value!r} is not a memory space; legal: {', '.join(sorted(SPACES))}")
    return "vec" if text == "ub" else text


class PtrType:
    """The type of a pointer: `pto.ptr(pto.f32, "gm")`."""

    def __init__(self, elem, space="gm"):
        if not isinstance(elem, DType):
            raise TypeError(f"pto.ptr(...) takes an element type such as pto.f32, not {elem!r}")
        self.elem = elem
        self.space = space_of(space)

    @property
    def text(self):
        space = {"gm": "", "vec": ", ub"}.get(self.space, f", {self.space}")
        return f"!pto.ptr<{self.elem.text}{space}>"

    def __eq__(self, other):
        return isinstance(other, PtrType) and (self.elem, self.space) == (other.elem, other.space)

    def __hash__(self):
        return hash((self.elem, self.space))

    def __repr__(self):
        return f"pto.ptr({self.elem!r}, {self.space!r})"


def ptr(elem, space="gm"):
    return PtrType(elem, space)


def gm_ptr(elem):
    return PtrType(elem, "gm")


class Annotation:
    """A marker in the signature of a kernel: `pto.Tile`, `pto.const_expr`."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"pto.{self.name}"


class ConstExpr(Annotation):
    """`NAME: pto.const_expr = 7` in a signature, `pto.const_expr(e)` in a condition."""

    def __call__(self, value):
        from .values import Value

        if isinstance(value, Value):
            raise PTODSLTracingMisuseError("pto.const_expr(...) takes a Python value, not one of the kernel")
        return value


class _Words(type):
    """An enumeration whose members are their own names."""

    def __iter__(cls):
        return iter(cls._members)


def words(name, members):
    """An enumeration of words; a text is accepted wherever a member is."""
    return enum.Enum(name, {m: m for m in members}, type=str)


def word(value):
    """The text of a word, given as itself, as a member, or as an attribute of another enumeration."""
    return str(getattr(value, "value", value))


Pipe = words("Pipe", ["S", "V", "M", "MTE1", "MTE2", "MTE3", "MTE4", "MTE5", "V2", "FIX", "ALL"])
CmpMode = words("CmpMode", ["EQ", "NE", "LT", "LE", "GT", "GE"])
RoundMode = words("RoundMode", ["NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT"])
SaturationMode = words("SaturationMode", ["ON", "OFF"])
BLayout = words("BLayout", ["RowMajor", "ColMajor"])
SLayout = words("SLayout", ["NoneBox", "RowMajor", "ColMajor"])
PadValue = words("PadValue", ["Null", "Zero", "Max", "Min"])
PRECISIONS = {
    name: words(name, ["Default", "HighPrecision", "DEFAULT", "HIGH_PRECISION"])
    for name in (
        "Precision", "DivPrecision", "ExpPrecision", "LogPrecision", "RecipPrecision",
        "RsqrtPrecision", "SqrtPrecision", "RemPrecision", "FmodPrecision",
    )
}  # fmt: skip


def float_text(value, dtype):
    """A float constant in a program."""
    if isinstance(value, FloatBits):
        return f"0x{int(value):0{dtype.bits // 4}X}"
    value = float(value)
    if value == value and abs(value) != float("inf"):
        text = repr(value)
        mantissa, _, exponent = text.partition("e")
        mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
        return f"{mantissa}e{exponent}" if exponent else mantissa
    if dtype.name == "f16":
        bits = struct.unpack("<H", struct.pack("<e", value))[0]
    else:
        bits = struct.unpack("<I", struct.pack("<f", value))[0] >> (16 if dtype.name == "bf16" else 0)
    return f"0x{bits:0{dtype.bits // 4}X}"
