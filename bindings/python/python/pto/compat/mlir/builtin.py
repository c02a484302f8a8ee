"""`mlir.dialects.builtin`: modules, and the types of `mlir.ir` again."""

from .attributes import StringAttr
from .core import OpView
from .types import *  # noqa: F403
from .types import BF16Type, F16Type, F32Type, F64Type, FunctionType, IndexType, IntegerType, MemRefType  # noqa: F401


class ModuleOp(OpView):
    """A module as an operation; modules may be nested."""

    OPERATION_NAME = "builtin.module"

    def __init__(self, *, loc=None, ip=None, name=None):
        super().__init__(self.OPERATION_NAME, regions=1, loc=loc, ip=ip)
        if name is not None:
            self.attributes["sym_name"] = StringAttr.get(name)
        self.regions[0].blocks.append()
        if self.block is None:
            from .check import note_created

            note_created(self)

    @property
    def body(self):
        return self.regions[0].blocks[0]
