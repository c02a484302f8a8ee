"""Types: their text is their identity."""

from .identity import Identity

DYNAMIC = -(2**63)


class Type(Identity):
    """A type."""

    _is_strict = True

    @staticmethod
    def parse(text, context=None):
        return parse(text)


Type._family = Type


class IntegerType(Type):
    """`i32`, `si32`, `ui32`."""

    SIGNLESS, SIGNED, UNSIGNED = "i", "si", "ui"

    @classmethod
    def _of(cls, prefix, width):
        return cls._make(f"{prefix}{width}", prefix=prefix, width=width)

    @classmethod
    def get_signless(cls, width, context=None):
        return cls._of("i", width)

    @classmethod
    def get_signed(cls, width, context=None):
        return cls._of("si", width)

    @classmethod
    def get_unsigned(cls, width, context=None):
        return cls._of("ui", width)

    @property
    def is_signless(self):
        return self.prefix == "i"

    @property
    def is_signed(self):
        return self.prefix == "si"

    @property
    def is_unsigned(self):
        return self.prefix == "ui"


class IndexType(Type):
    """`index`."""

    @classmethod
    def get(cls, context=None):
        return cls._make("index")


class FloatType(Type):
    """A floating-point type."""


def _float(name, text, width):
    def get(cls, context=None):
        return cls._make(text)

    return type(name, (FloatType,), {"get": classmethod(get), "width": width, "__doc__": f"`{text}`."})


F16Type = _float("F16Type", "f16", 16)
BF16Type = _float("BF16Type", "bf16", 16)
F32Type = _float("F32Type", "f32", 32)
F64Type = _float("F64Type", "f64", 64)
FloatTF32Type = _float("FloatTF32Type", "tf32", 19)
Float8E4M3FNType = _float("Float8E4M3FNType", "f8E4M3FN", 8)
Float8E5M2Type = _float("Float8E5M2Type", "f8E5M2", 8)
Float8E4M3Type = _float("Float8E4M3Type", "f8E4M3", 8)
Float8E8M0FNUType = _float("Float8E8M0FNUType", "f8E8M0FNU", 8)
Float4E2M1FNType = _float("Float4E2M1FNType", "f4E2M1FN", 4)

FLOATS = {
    kind.get().text: kind
    for kind in (
        F16Type, BF16Type, F32Type, F64Type, FloatTF32Type, Float8E4M3FNType, Float8E5M2Type, Float8E4M3Type,
        Float8E8M0FNUType, Float4E2M1FNType,
    )
}  # fmt: skip


class NoneType(Type):
    """`none`."""

    @classmethod
    def get(cls, context=None):
        return cls._make("none")


class FunctionType(Type):
    """`(inputs) -> results`."""

    @classmethod
    def get(cls, inputs=(), results=(), context=None):
        inputs, results = list(inputs), list(results)
        text = f"({listed(inputs)}) -> {result_text(results)}"
        return cls._make(text, inputs=inputs, results=results)


def listed(types):
    return ", ".join(t.text for t in types)


def result_text(types):
    """Types after an arrow."""
    if len(types) == 1 and not isinstance(types[0], FunctionType):
        return types[0].text
    return f"({listed(types)})"


def extent(n):
    """`?` for what is known only at run time."""
    return "?" if n is None or n < 0 else str(n)


def dims(shape):
    return "".join(extent(n) + "x" for n in shape)


class ShapedType(Type):
    """A type with extents."""

    @staticmethod
    def get_dynamic_size():
        return DYNAMIC

    @staticmethod
    def get_dynamic_stride_or_offset():
        return DYNAMIC

    @property
    def rank(self):
        return len(self.shape)

    @property
    def has_static_shape(self):
        return all(n >= 0 for n in self.shape)

    def get_dim_size(self, at):
        return self.shape[at]

    def is_dynamic_dim(self, at):
        return self.shape[at] < 0


class _Shaped(ShapedType):
    _word = ""

    @classmethod
    def get(cls, shape, element_type, *rest, layout=None, memory_space=None, loc=None, **unused):
        extra = [f", {a}" for a in (*rest, layout, memory_space) if a is not None and hasattr(a, "text")]
        text = f"{cls._word}<{dims(shape)}{element_type}{''.join(extra)}>"
        return cls._make(text, shape=list(shape), element_type=element_type)


class MemRefType(_Shaped):
    """`memref<…>`."""

    _word = "memref"


class VectorType(_Shaped):
    """`vector<…>`."""

    _word = "vector"


class RankedTensorType(_Shaped):
    """`tensor<…>`."""

    _word = "tensor"


class OpaqueType(Type):
    """A type that is only known by its text."""


#: Makes types of a dialect from their text: `!pto.` → function.
PARSERS = {}


def parse(text):
    """The type that a text names."""
    text = text.strip()
    if text == "index":
        return IndexType.get()
    if text == "none":
        return NoneType.get()
    if text in FLOATS:
        return FLOATS[text].get()
    for prefix in ("si", "ui", "i"):
        if text.startswith(prefix) and text[len(prefix) :].isdigit():
            return IntegerType._of(prefix, int(text[len(prefix) :]))
    for prefix, make in PARSERS.items():
        if text.startswith(prefix) and (made := make(text)) is not None:
            return made
    if not text:
        raise ValueError("a type has no text")
    return OpaqueType._make(text)
