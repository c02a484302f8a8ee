"""Types of results that follow from the operands, as the rows say."""

from .core import as_value
from .types import parse

#: Results whose type the text always states and the bindings never do.
KNOWN = {
    "make_prefetch_async_context": "!pto.prefetch_async_context",
    "tprefetch_async": "!pto.async_event",
}


def constant(value):
    """The number of a value, if it is a constant."""
    owner = getattr(value, "owner", None)
    if getattr(owner, "name", "") == "arith.constant":
        return getattr(owner.attributes["value"], "value", None)
    return None


def infer(binding, result):
    """The type of a result, or `None` where it has to be given."""
    how, of = result["infer"], result["infer_from"]
    if how == "fixed":
        return parse(of)
    if not how:
        return _scalar(binding, result)
    source = None
    if of:
        given = binding.slots[binding.row.slot_names[of.replace("_", "").lower()]]
        source = as_value(given).type if given is not None and not isinstance(given, (list, tuple)) else None
    if how == "like":
        return source
    if how == "element" and hasattr(source, "element_type"):
        return source.element_type
    if how == "partition" and hasattr(source, "shape"):
        return _partition(binding, source)
    if how in ("window", "subset") and hasattr(source, "window"):
        return _window(binding, source, how)
    return None


def _scalar(binding, result):
    """Scalar operations: comparisons give one bit, conversions state their type, others give the type of their operands."""
    if binding.row.name in KNOWN:
        return parse(KNOWN[binding.row.name])
    if result["kind"] == "bool":
        return parse("i1")
    names = binding.row.slot_names
    for name in ("lhs", "operand", "truevalue"):
        if name in names and binding.slots[names[name]] is not None:
            return as_value(binding.slots[names[name]]).type
    return None


def _partition(binding, source):
    from .dialect_types import PartitionTensorViewType

    sizes = binding.slots[binding.row.slot_names["sizes"]] or []
    shape = [constant(as_value(s)) for s in sizes]
    return PartitionTensorViewType.get([-1 if n is None else n for n in shape], source.element_type)


def _window(binding, source, how):
    sizes = binding.attributes.get("sizes")
    if sizes is None:
        return None
    rows, cols = (int(str(item).split(":")[0]) for item in sizes.items)
    valid = [rows, cols]
    if how == "window":
        for at, name in enumerate(("validrow", "validcol")):
            given = binding.slots[binding.row.slot_names[name]]
            if given is not None:
                known = constant(as_value(given))
                valid[at] = -1 if known is None else known
    else:
        # Offsets repeat with the valid region: the second half of a double buffer is as valid as the first.
        offsets = binding.slots[binding.row.slot_names["offsets"]] or []
        for at, (offset, own) in enumerate(zip(offsets, source.valid_shape)):
            known = constant(as_value(offset))
            valid[at] = 0 if own == 0 else -1 if own < 0 or known is None else min(valid[at], own - known % own)
    return source.window([rows, cols], valid)
