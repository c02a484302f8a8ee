"""Numbers of a kernel that are known when it runs, and their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar, Union

from . import _core

__all__ = [
    "Bool", "DType", "Index", "Scalar", "bf16", "f16", "f32", "f4e1m2", "f4e2m1", "f64", "f8e4m3", "f8e5m2", "f8e8m0", "hif8",
    "i1", "i16", "i32", "i4", "i64", "i8", "index", "maximum", "minimum", "select", "u16", "u32", "u64", "u8",
]  # fmt: skip


class _DTypeClass(type):
    """Makes the types callable: ``f32(0.5)`` is a constant of the kernel."""

    def __call__(cls, value: ScalarLike) -> Any:
        """A scalar of this type: a constant, or another scalar converted."""
        return _core.current().constant(cls._core, value)  # type: ignore[attr-defined]

    def __repr__(cls) -> str:
        return f"pto.{cls.__name__}"


class DType(metaclass=_DTypeClass):
    """The type of a scalar, or of the elements of a tile or of global memory."""

    #: The name in the text of programs.
    name: ClassVar[str]
    #: Bits of one number.
    bits: ClassVar[int]
    #: True for numbers with a point.
    is_float: ClassVar[bool]
    _core: ClassVar[_core.DType]

    def __init_subclass__(cls, name: str) -> None:
        core = _core.DType(name)
        cls._core, cls.name, cls.bits, cls.is_float = core, core.name, core.bits, core.is_float
        _BY_NAME[core.name] = cls


_BY_NAME: dict[str, type[DType]] = {}

T = TypeVar("T", bound=DType)


class i1(DType, name="i1"):
    """True or false."""


class i4(DType, name="i4"):
    """Signed integers of 4 bits."""


class i8(DType, name="i8"):
    """Signed integers of 8 bits."""


class i16(DType, name="i16"):
    """Signed integers of 16 bits."""


class i32(DType, name="i32"):
    """Signed integers of 32 bits."""


class i64(DType, name="i64"):
    """Signed integers of 64 bits."""


class u8(DType, name="ui8"):
    """Unsigned integers of 8 bits."""


class u16(DType, name="ui16"):
    """Unsigned integers of 16 bits."""


class u32(DType, name="ui32"):
    """Unsigned integers of 32 bits."""


class u64(DType, name="ui64"):
    """Unsigned integers of 64 bits."""


class f16(DType, name="f16"):
    """Half precision."""


class bf16(DType, name="bf16"):
    """Brain floats: 8 bits of exponent, 7 of fraction."""


class f32(DType, name="f32"):
    """Single precision."""


class f64(DType, name="f64"):
    """Double precision; no tile holds it."""


class f8e4m3(DType, name="f8e4m3"):
    """8 bits: 4 of exponent, 3 of fraction."""


class f8e5m2(DType, name="f8e5m2"):
    """8 bits: 5 of exponent, 2 of fraction."""


class f8e8m0(DType, name="f8e8m0"):
    """Powers of two: block scales."""


class hif8(DType, name="hif8"):
    """8 bits with a variable exponent."""


class f4e1m2(DType, name="f4e1m2"):
    """4 bits: 1 of exponent, 2 of fraction; in pairs."""


class f4e2m1(DType, name="f4e2m1"):
    """4 bits: 2 of exponent, 1 of fraction; in pairs."""


class index(DType, name="index"):
    """Sizes, offsets and loop counters."""


class Scalar(_core.Handle, Generic[T]):
    """A number that the kernel computes, or that it is given.

    Arithmetic becomes operations of the program. ``//`` and ``%`` of integers round towards zero, as on the device. A Python
    number takes the type of the scalar beside it. ``if`` and ``while`` cannot test a scalar: its value is not known while
    the kernel is traced; :func:`pto.when` and :func:`pto.select` can.
    """

    __slots__ = ()

    @property
    def dtype(self) -> type[DType]:
        """The type."""
        return _BY_NAME[_core.current().element(self)]

    @property
    def known(self) -> int | None:
        """The number, if it is an integer that is known while the kernel is traced."""
        return _core.current().number(self)

    def named(self, name: str) -> Scalar[T]:
        """The same scalar under another name in the program's text."""
        _core.current().rename(self, name)
        return self

    def cast(self, dtype: type[U]) -> Scalar[U]:
        """The number as another type: integers are cut or extended by their sign, floats are rounded."""
        return _core.cast(self, dtype._core)

    def index(self) -> Index:
        """The integer as an index."""
        return _core.cast(self, index._core)

    def min(self, other: ScalarLike) -> Scalar[T]:
        """The smaller of two; NaN if one of them is."""
        return _core.binary("min", self, other, False)

    def max(self, other: ScalarLike) -> Scalar[T]:
        """The larger of two; NaN if one of them is."""
        return _core.binary("max", self, other, False)

    def select(self, yes: ScalarLike, no: ScalarLike) -> Scalar[Any]:
        """The first where this is true, else the second."""
        return _core.select(self, yes, no)

    # Comparisons make scalars, so objects are told apart by identity only.
    __hash__ = object.__hash__

    def __eq__(self, other: ScalarLike) -> Bool:  # type: ignore[override]
        return _core.compare("eq", self, other)

    def __ne__(self, other: ScalarLike) -> Bool:  # type: ignore[override]
        return _core.compare("ne", self, other)

    def __lt__(self, other: ScalarLike) -> Bool:
        return _core.compare("lt", self, other)

    def __le__(self, other: ScalarLike) -> Bool:
        return _core.compare("le", self, other)

    def __gt__(self, other: ScalarLike) -> Bool:
        return _core.compare("gt", self, other)

    def __ge__(self, other: ScalarLike) -> Bool:
        return _core.compare("ge", self, other)

    def __add__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("add", self, other, False)

    def __radd__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("add", self, other, True)

    def __sub__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("sub", self, other, False)

    def __rsub__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("sub", self, other, True)

    def __mul__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("mul", self, other, False)

    def __rmul__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("mul", self, other, True)

    def __floordiv__(self, other: ScalarLike) -> Scalar[T]:
        return _divide(self, other, False, whole=True)

    def __rfloordiv__(self, other: ScalarLike) -> Scalar[T]:
        return _divide(self, other, True, whole=True)

    def __truediv__(self, other: ScalarLike) -> Scalar[T]:
        return _divide(self, other, False, whole=False)

    def __rtruediv__(self, other: ScalarLike) -> Scalar[T]:
        return _divide(self, other, True, whole=False)

    def __mod__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("rem", self, other, False)

    def __rmod__(self, other: ScalarLike) -> Scalar[T]:
        return _core.binary("rem", self, other, True)

    def __and__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("and", self, other, False)

    def __rand__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("and", self, other, True)

    def __or__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("or", self, other, False)

    def __ror__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("or", self, other, True)

    def __xor__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("xor", self, other, False)

    def __rxor__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("xor", self, other, True)

    def __lshift__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("shl", self, other, False)

    def __rlshift__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("shl", self, other, True)

    def __rshift__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("shr", self, other, False)

    def __rrshift__(self, other: ScalarLike) -> Scalar[T]:
        return _bits("shr", self, other, True)

    def __neg__(self) -> Scalar[T]:
        return _core.unary("neg", self)

    def __pos__(self) -> Scalar[T]:
        return self

    def __invert__(self) -> Scalar[T]:
        if self.dtype.is_float:
            raise TypeError(f"~ is for integers and truth values, and this is {self.dtype.name}")
        return _core.unary("not", self)

    def __bool__(self) -> NoReturn:
        _not_now(
            "a Python `if`, `while`, `and`, `or` or `not` needs to know this value now",
            "use `with pto.when(condition):`, pto.select(condition, a, b), or `&`, `|` and `~` between conditions",
        )

    def __index__(self) -> NoReturn:
        _not_now(
            "a Python number is needed here",
            "use pto.range for a loop of the kernel, or make the number a keyword-only parameter of the kernel",
        )

    def __int__(self) -> NoReturn:
        _not_now("int() needs to know this value now", "use .cast(pto.i32) to change its type in the kernel")

    def __float__(self) -> NoReturn:
        _not_now("float() needs to know this value now", "use .cast(pto.f32) to change its type in the kernel")

    def __iter__(self) -> NoReturn:
        _not_now("a scalar cannot be iterated over", "use `for i in pto.range(n):` for a loop of the kernel")

    def __repr__(self) -> str:
        return "<scalar of a kernel>"


U = TypeVar("U", bound=DType)

if TYPE_CHECKING:
    #: A size, an offset or a loop counter.
    Index = Scalar[index]
    #: A condition.
    Bool = Scalar[i1]
else:
    Index, Bool = Scalar[index], Scalar[i1]

#: What can stand where a scalar is wanted.
ScalarLike = Union[Scalar[Any], int, float, bool]
#: What can stand where an index is wanted.
IndexLike = Union[Scalar[index], int]
#: What can stand where a condition is wanted.
BoolLike = Union[Scalar[i1], bool]


def select(condition: BoolLike, yes: ScalarLike, no: ScalarLike) -> Scalar[Any]:
    """The first where the condition holds, else the second. Both are computed."""
    return _core.select(condition, yes, no)


def minimum(a: Scalar[T], b: ScalarLike) -> Scalar[T]:
    """The smaller of two scalars; NaN if one of them is."""
    return a.min(b)


def maximum(a: Scalar[T], b: ScalarLike) -> Scalar[T]:
    """The larger of two scalars; NaN if one of them is."""
    return a.max(b)


def _divide(a: Scalar[T], b: ScalarLike, swapped: bool, *, whole: bool) -> Scalar[T]:
    if a.dtype.is_float == whole:
        right, wrong = ("/", "//") if whole else ("//", "/")
        raise TypeError(f"`{wrong}` is not for {a.dtype.name}: use `{right}`")
    return _core.binary("div", a, b, swapped)


def _bits(op: str, a: Scalar[T], b: ScalarLike, swapped: bool) -> Scalar[T]:
    if a.dtype.is_float:
        raise TypeError(f"bits are those of integers and truth values, and this is {a.dtype.name}")
    return _core.binary(op, a, b, swapped)


def _not_now(what: str, advice: str) -> NoReturn:
    from ._frames import user_line

    raise TypeError(f"{user_line()}: {what}, but it is known only when the kernel runs; {advice}")
