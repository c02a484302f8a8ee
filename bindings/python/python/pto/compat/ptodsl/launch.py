"""Launches: bare addresses, tensors and numbers become arguments of a run."""

import ctypes

from ..memory import ALLOCATIONS
from .types import DType, PtrType

#: The arrays that hold an element type; of types that NumPy does not have, the bits.
_NUMPY = {
    "f16": "float16", "f32": "float32", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "si8": "int8", "si16": "int16", "si32": "int32", "si64": "int64",
    "ui8": "uint8", "ui16": "uint16", "ui32": "uint32", "ui64": "uint64", "bf16": "uint16",
}  # fmt: skip


def array_dtype(dtype):
    """The type of arrays that hold an element type."""
    import numpy

    return numpy.dtype(_NUMPY.get(dtype.name, "uint8"))


def array_at(address, size, dtype):
    """Memory as an array, without a copy."""
    import numpy

    kind = array_dtype(dtype)
    buffer = (ctypes.c_uint8 * (size // kind.itemsize * kind.itemsize)).from_address(address)
    return numpy.frombuffer(buffer, dtype=numpy.uint8).view(kind)


def argument(value, type_, name):
    """The argument of a run for one of a launch."""
    if isinstance(type_, PtrType):
        return pointer(value, type_, name)
    return number(value, type_, name)


def pointer(value, type_, name):
    if isinstance(value, ctypes.c_void_p):
        value = value.value
    if hasattr(value, "data_ptr"):
        if hasattr(value, "is_contiguous") and not value.is_contiguous():
            raise TypeError(f"`{name}`: a tensor that is not contiguous")
        storage = value.untyped_storage()
        start, size = storage.data_ptr(), storage.nbytes()
        address = value.data_ptr()
        return array_at(address, start + size - address, type_.elem)
    if hasattr(value, "__array_interface__"):
        raise TypeError(f"`{name}`: a launch takes addresses; pass the array's .ctypes.data, or a tensor")
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"`{name}`: expected an address, found {value!r}")
    found = ALLOCATIONS.find(value)
    if found is None:
        raise ValueError(
            f"`{name}`: nothing is known at address {value:#x}; tensors of torch are known while `torch_npu` is installed "
            "(pto.compat.install), arrays after pto.compat.register(array)"
        )
    _, start, size = found
    return array_at(value, start + size - value, type_.elem)


def number(value, type_, name):
    if not isinstance(type_, DType):
        raise TypeError(f"`{name}`: {type_!r} cannot be passed")
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, ctypes._SimpleCData):
        value = value.value
    if type_.is_float:
        if type_.name != "f32":
            raise TypeError(f"`{name}`: a launch passes f32, not {type_!r}")
        return float(value)
    if isinstance(value, float):
        raise TypeError(f"`{name}`: {value!r} is a float, and the parameter is {type_!r}")
    return bool(value) if type_.name == "i1" else int(value)
