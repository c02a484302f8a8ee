"""Records of scalars on the stack: `pto.struct_type`, `declare_struct`, `struct_get`, `struct_set`."""

from . import trace
from .types import DType
from .values import Scalar, Value, as_scalar


class StructType:
    """The type of a record: scalars and records."""

    def __init__(self, *fields):
        fields = fields[0] if len(fields) == 1 and isinstance(fields[0], (list, tuple)) else fields
        if not fields or not all(isinstance(f, (DType, StructType)) for f in fields):
            raise TypeError("pto.struct_type(...) takes scalar types and records")
        self.fields = tuple(fields)

    @property
    def text(self):
        return f"!pto.struct<{', '.join(f.text for f in self.fields)}>"

    def at(self, path):
        """The type at a path of field numbers."""
        found = self
        for number in path:
            if not isinstance(found, StructType) or not 0 <= number < len(found.fields):
                raise IndexError(f"{list(path)} is no field of {self.text}")
            found = found.fields[number]
        if not isinstance(found, DType):
            raise TypeError(f"{list(path)} is a record, not a scalar")
        return found


class Struct(Value):
    """A record."""

    def __init__(self, name, type_):
        super().__init__(name, type_.text)
        self.type = type_


def _path(path):
    return tuple(path) if isinstance(path, (list, tuple)) else (path,)


def struct_type(*fields):
    return StructType(*fields)


def declare_struct(type_):
    return Struct(trace.emit("pto.declare_struct", {}, [type_.text])[0], type_)


def struct_get(struct, path):
    path = _path(path)
    dtype = struct.type.at(path)
    return Scalar(trace.emit("pto.struct_get", {"s": struct}, [dtype.text], {"path": f"array<i64: {_numbers(path)}>"})[0], dtype)


def struct_set(struct, path, value):
    path = _path(path)
    operands = {"s": struct, "value": as_scalar(value, struct.type.at(path))}
    trace.emit("pto.struct_set", operands, (), {"path": f"array<i64: {_numbers(path)}>"})


def _numbers(path):
    return ", ".join(str(n) for n in path)
