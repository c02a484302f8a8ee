"""`mlir.ir`."""

from .attributes import (  # noqa: F401
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseBoolArrayAttr,
    DenseI8ArrayAttr,
    DenseI16ArrayAttr,
    DenseI32ArrayAttr,
    DenseI64ArrayAttr,
    DictAttr,
    FlatSymbolRefAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from .core import (  # noqa: F401
    Block,
    BlockArgument,
    InsertionPoint,
    Module,
    Operation,
    OpResult,
    OpView,
    Region,
    Value,
)
from .state import Context, Location, MLIRError  # noqa: F401
from .types import (  # noqa: F401
    BF16Type,
    F16Type,
    F32Type,
    F64Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E4M3Type,
    Float8E5M2Type,
    Float8E8M0FNUType,
    FloatTF32Type,
    FloatType,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneType,
    OpaqueType,
    RankedTensorType,
    ShapedType,
    Type,
    VectorType,
)


class DialectRegistry:
    """All dialects are registered."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"`mlir.ir` of pto.compat has no `{name}`")
