"""`mlir.dialects.pto`: classes and functions of the table's rows, enumerations, types, and the helpers of the bindings."""

from . import enums, table
from .attributes import Attribute
from .binding import dialect_getattr
from .dialect_types import (  # noqa: F401
    HANDLES,
    PartitionTensorViewType,
    PtrType,
    TensorViewType,
    TileBufConfigAttr,
    TileBufType,
    TileType,
)
from .types import Type  # noqa: F401

globals().update(HANDLES)

#: Values of enumerations that are names of the module.
_SHORT = ("syncoptype", "event")


def register_dialect(context=None, load=True):
    """The dialect is always registered."""


class TileConfig:
    """Sizes of fractal boxes in bytes, as the assembler names them."""

    alignedSize = 32
    fixedRowSize = 16
    fixedColSize = 16
    fixedMxRowSize = 16
    fixedMxColSize = 2
    fractalABSize = 512
    fractalCSize = 1024
    fractalMxSize = 32


def get_op_result_or_value(value):
    from .core import as_value

    return as_value(value)


def barrier(op, *, loc=None, ip=None):
    """A barrier of one pipe, named by a pipe or by a class of operations."""
    syncs = isinstance(op, str) or isinstance(op, (enums.Member, enums.EnumAttr)) and "sync_op" in _enumeration(op)
    name = "BarrierSyncOp" if syncs else "BarrierOp"
    return _lazy(name)(op, loc=loc, ip=ip)


def _enumeration(value):
    return value.enumeration if isinstance(value, enums.EnumAttr) else value._definition["name"]


def _static(event):
    return isinstance(event, (int, str, Attribute, enums.Member))


def _flag(static, dynamic):
    def build(src_pipe, dst_pipe, event_id, *, loc=None, ip=None):
        name = static if _static(event_id) else dynamic
        if name == static and isinstance(event_id, int):
            event_id = f"EVENT_ID{event_id}"
        return _lazy(name)(src_pipe, dst_pipe, event_id, loc=loc, ip=ip)

    return build


set_flag = _flag("SetFlagOp", "SetFlagDynOp")
wait_flag = _flag("WaitFlagOp", "WaitFlagDynOp")
set_flag_dyn = _flag("SetFlagDynOp", "SetFlagDynOp")
wait_flag_dyn = _flag("WaitFlagDynOp", "WaitFlagDynOp")


def _event(name):
    def build(src_op, dst_op, event_id, *, loc=None, ip=None):
        if isinstance(event_id, int):
            event_id = f"EVENT_ID{event_id}"
        return _lazy(name)(src_op=src_op, dst_op=dst_op, event_id=event_id, loc=loc, ip=ip)

    return build


record_event = _event("RecordEventOp")
wait_event = _event("WaitEventOp")


def _find(name):
    """An enumeration, its attribute class, or a short name of one of its values."""
    if (definition := enums.find(name)) is not None:
        return enums.enum_class(name, definition)
    if name.endswith("Attr") and (definition := enums.find(name.removesuffix("Attr"))) is not None:
        values = _lazy(name.removesuffix("Attr")) if name != "PipeAttr" else enums.enum_class("PIPE", definition)
        return enums.attr_class(name, definition, values)
    for short in _SHORT:
        definition = table.enumerations()[short]
        if any(name == value for value, _ in definition["values"]):
            return enums.enum_class("EVENT" if short == "event" else "SyncOpType", definition)._find(name)
    return None


_row = dialect_getattr("pto", globals(), other_prefixes=("comm",))


def _lazy(name):
    return globals()[name] if name in globals() else __getattr__(name)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    made = _find(name)
    if made is None:
        return _row(name)
    globals()[name] = made
    return made
