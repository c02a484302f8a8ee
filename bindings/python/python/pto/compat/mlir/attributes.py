"""Attributes: their text is their identity."""

import struct

from .identity import Identity
from .state import quoted
from .types import FloatType, IndexType, IntegerType, Type, parse as parse_type


class Attribute(Identity):
    """An attribute."""

    @staticmethod
    def parse(text, context=None):
        text = text.strip()
        if not text:
            raise ValueError("an attribute has no text")
        if text in ("true", "false"):
            return BoolAttr.get(text == "true")
        if text == "unit":
            return UnitAttr.get()
        return Attribute._make(text)


Attribute._family = Attribute


class UnitAttr(Attribute):
    """Present or absent."""

    @classmethod
    def get(cls, context=None):
        return cls._make("unit")


class BoolAttr(Attribute):
    """`true`, `false`."""

    @classmethod
    def get(cls, value, context=None):
        return cls._make("true" if value else "false", value=bool(value))


class IntegerAttr(Attribute):
    """A number with its type."""

    @classmethod
    def get(cls, type, value):
        if isinstance(type, IntegerType) and type.width == 1:
            return cls._make("true" if value else "false", value=int(value), type=type)
        return cls._make(f"{int(value)} : {type}", value=int(value), type=type)


_BITS = {"f16": ("<e", "<H"), "f32": ("<f", "<I"), "f64": ("<d", "<Q")}


def float_text(value, type):
    """A floating-point literal that reads back as the same number."""
    value = float(value)
    if value != value or value in (float("inf"), float("-inf")):
        if type.text == "bf16":
            bits = struct.unpack("<I", struct.pack("<f", value))[0] >> 16
            return f"0x{bits:04X}"
        into, out = _BITS.get(type.text, _BITS["f64"])
        raw = struct.pack(into, value)
        return f"0x{struct.unpack(out, raw)[0]:0{2 * len(raw)}X}"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


class FloatAttr(Attribute):
    """A floating-point number with its type."""

    @classmethod
    def get(cls, type, value, loc=None):
        return cls._make(f"{float_text(value, type)} : {type}", value=float(value), type=type)

    @classmethod
    def get_f32(cls, value, context=None):
        return cls.get(parse_type("f32"), value)

    @classmethod
    def get_f64(cls, value, context=None):
        return cls.get(parse_type("f64"), value)


class StringAttr(Attribute):
    """A text."""

    @classmethod
    def get(cls, value, context=None):
        return cls._make(quoted(value), value=str(value))


class SymbolRefAttr(Attribute):
    """`@a::@b`."""

    @classmethod
    def get(cls, symbols, context=None):
        parts = [symbols] if isinstance(symbols, str) else list(symbols)
        return cls._make("::".join(symbol(p) for p in parts), value=parts)


class FlatSymbolRefAttr(Attribute):
    """`@name`."""

    @classmethod
    def get(cls, value, context=None):
        return cls._make(symbol(value), value=str(value))


def symbol(name):
    plain = name.replace("_", "a").replace("$", "a").replace(".", "a").isalnum() and not name[:1].isdigit()
    return f"@{name}" if plain else f"@{quoted(name)}"


class TypeAttr(Attribute):
    """A type."""

    @classmethod
    def get(cls, value, context=None):
        return cls._make(value.text, value=value)


class ArrayAttr(Attribute):
    """A list."""

    @classmethod
    def get(cls, attributes, context=None):
        items = list(attributes)
        return cls._make(f"[{', '.join(a.text for a in items)}]", items=items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, at):
        return self.items[at]

    def __iter__(self):
        return iter(self.items)


class DictAttr(Attribute):
    """Names and attributes."""

    @classmethod
    def get(cls, value=None, context=None):
        entries = dict(value or {})
        return cls._make(f"{{{', '.join(entry(n, a) for n, a in entries.items())}}}", entries=entries)

    def __getitem__(self, name):
        return self.entries[name]


def entry(name, attribute):
    """An entry of an attribute dictionary."""
    plain = name.replace("_", "a").replace(".", "a").replace("$", "a").isalnum() and not name[:1].isdigit()
    key = name if plain else quoted(name)
    return key if isinstance(attribute, UnitAttr) else f"{key} = {attribute.text}"


def _dense(name, element):
    def get(cls, values, context=None):
        values = list(values)
        body = ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in values)
        return cls._make(f"array<{element}{': ' if values else ''}{body}>", values=values)

    return type(name, (Attribute,), {"get": classmethod(get), "__doc__": f"A list of `{element}`."})


DenseBoolArrayAttr = _dense("DenseBoolArrayAttr", "i1")
DenseI8ArrayAttr = _dense("DenseI8ArrayAttr", "i8")
DenseI16ArrayAttr = _dense("DenseI16ArrayAttr", "i16")
DenseI32ArrayAttr = _dense("DenseI32ArrayAttr", "i32")
DenseI64ArrayAttr = _dense("DenseI64ArrayAttr", "i64")


def number(value, type):
    """A Python number as an attribute of a type."""
    if isinstance(value, Attribute):
        return value
    if isinstance(type, FloatType):
        return FloatAttr.get(type, value)
    if isinstance(type, (IntegerType, IndexType)):
        if isinstance(value, float) and not value.is_integer():
            raise TypeError(f"{value!r} is not a number of type {type}")
        return IntegerAttr.get(type, int(value))
    raise TypeError(f"{value!r} cannot become a constant of type {type}")


def plain(value):
    """What a Python value is as an attribute, where nothing says more."""
    if isinstance(value, Attribute):
        return value
    if isinstance(value, bool):
        return BoolAttr.get(value)
    if isinstance(value, int):
        return Attribute._make(str(value), value=value)
    if isinstance(value, float):
        return FloatAttr.get_f32(value)
    if isinstance(value, str):
        return StringAttr.get(value)
    if isinstance(value, Type):
        return TypeAttr.get(value)
    if hasattr(value, "attribute"):
        return value.attribute()
    if isinstance(value, dict):
        return DictAttr.get({n: plain(v) for n, v in value.items()})
    if isinstance(value, (list, tuple)):
        return ArrayAttr.get([plain(v) for v in value])
    raise TypeError(f"{value!r} cannot be an attribute")
