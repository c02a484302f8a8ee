"""`mlir.dialects.arith`: the rows of the table, and what its bindings add."""

from . import enums, table
from .attributes import Attribute, number
from .binding import dialect_getattr, results_of
from .core import OpView
from .types import FloatType, IndexType, Type, parse

CmpIPredicate = enums.enum_class("CmpIPredicate", table.enumerations()["cmpipredicate"])
CmpFPredicate = enums.enum_class("CmpFPredicate", table.enumerations()["cmpfpredicate"])


class ConstantOp(OpView):
    """A constant: `ConstantOp(type, value)`, or `ConstantOp(attribute)`."""

    OPERATION_NAME = "arith.constant"

    def __init__(self, result, value=None, *, loc=None, ip=None):
        if isinstance(result, Attribute):
            result, value = result.type, result
        if not isinstance(result, Type):
            result, value = default_type(result), result
        attribute = number(value, result)
        super().__init__(self.OPERATION_NAME, [result], (), {"value": attribute}, loc=loc, ip=ip)

    @classmethod
    def create_index(cls, value, loc=None, ip=None):
        return cls(IndexType.get(), value, loc=loc, ip=ip)

    @property
    def type(self):
        return self.result.type

    @property
    def value(self):
        return self.attributes["value"]

    @property
    def literal_value(self):
        value = self.attributes["value"].value
        return float(value) if isinstance(self.type, FloatType) else int(value)


def default_type(value):
    if isinstance(value, bool):
        return parse("i1")
    return IndexType.get() if isinstance(value, int) else parse("f32")


def constant(result, value=None, *, loc=None, ip=None):
    """A constant's value."""
    return results_of(ConstantOp(result, value, loc=loc, ip=ip))


__getattr__ = dialect_getattr("arith", globals())
