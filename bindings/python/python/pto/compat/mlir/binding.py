"""Arguments of a Python call, bound to the operands, attributes and results of a row.

The generated bindings of the assembler changed their keywords and orders between versions. What both have in common is the order of
the operands and their names up to case and underscores; the rest is in the small tables here.
"""

from . import enums, table
from .attributes import ArrayAttr, Attribute, BoolAttr, DenseI32ArrayAttr, FlatSymbolRefAttr, StringAttr, UnitAttr, plain
from .core import Operation, OpView, as_value, is_value
from .infer import infer
from .types import Type, parse as parse_type

#: Other keywords of operands, by row or for all rows.
KEYWORDS = {
    None: {
        "lhs": "a", "rhs": "b", "cin": "accin", "prequantscalar": "prequant", "s": "start", "excuted": "executed",
        "src": "src0", "src0": "src", "scalar": "src1", "dst": "dstval", "src1": "src1val",
        "pipe": "pipehandle", "cond": "condition", "trueval": "truevalue", "falseval": "falsevalue",
        "lowerbound": "lower", "upperbound": "upper",
    },
    "tpartargmax": {"src0": "src0val"},
    "tpartargmin": {"src0": "src0val"},
}  # fmt: skip

#: Orders of positional operands that are not those of the table.
ORDERS = {
    "store_scalar": ["ptr", "offset", "value"],
    "tsetval": ["dst", "offset", "val"],
}


def known_name(name):
    """Refuses operations that the table does not have, at the line that makes them."""
    from .check import below

    if name not in table.full_names() and name not in ("builtin.module", "func.func"):
        raise AttributeError(f"there is no operation `{name}`{below(name)}")


class Binding:
    """The arguments of one call."""

    def __init__(self, row, args, kwargs):
        self.row = row
        self.results = []
        self.slots = [None] * len(row.slots)
        self.attributes = {}
        self.loc, self.ip = kwargs.pop("loc", None), kwargs.pop("ip", None)
        for name, value in kwargs.items():
            self.keyword(name, value)
        self.positional(list(args))

    def fail(self, message):
        raise TypeError(f"`{self.row.full_name}`: {message}")

    def keyword(self, name, value):
        row, key = self.row, table.normal(name.rstrip("_"))
        other = KEYWORDS.get(row.name, {}).get(key) or KEYWORDS[None].get(key)
        for candidate in (key, other):
            if candidate in row.slot_names and (value is None or holds_values(value)):
                self.slots[row.slot_names[candidate]] = value
                return
            if candidate in row.attr_names:
                self.attribute(row.attr_names[candidate], value)
                return
        if key in ("result", "results", "res", *(table.normal(r["name"]) for r in row.results)):
            self.result(value)
        elif key in ("srcs", "dsts"):
            self.spread(key, value)
        elif value is not None:
            self.fail(f"there is no operand or attribute `{name}`")

    def spread(self, key, values):
        """A list of operands that the table has one by one: `srcs` are `src0`, `src1`, …; `dsts` the destination and its status."""
        names = [f"src{i}" for i in range(4)] if key == "srcs" else ["dst", "executed", "tmp"]
        for name, value in zip(names, values):
            self.slots[self.row.slot_names[name]] = value

    def result(self, value):
        if value is not None:
            self.results.extend(value if isinstance(value, (list, tuple)) else [value])

    def attribute(self, spec, value):
        if value is not None:
            self.attributes[spec["name"]] = attribute_of(spec, value)

    def positional(self, args):
        operands = []
        for value in args:
            if isinstance(value, Type):
                self.results.append(value)
            elif isinstance(value, (list, tuple)) and value and all(isinstance(v, Type) for v in value):
                self.results.extend(value)
            elif value is None:
                continue
            elif holds_values(value) and not (isinstance(value, (list, tuple)) and not value and not self.takes_lists()):
                operands.append(value)
            else:
                self.next_attribute(value)
        self.assign(operands)

    def takes_lists(self):
        return any(s["count"] == "many" for s in self.row.slots)

    def next_attribute(self, value):
        free = [a for a in self.row.attrs if a["name"] not in self.attributes]
        free.sort(key=lambda a: not a["required"])
        for spec in free:
            if takes(spec, value):
                self.attribute(spec, value)
                return
        self.fail(f"there is no attribute for {value!r}")

    def assign(self, operands):
        """Gives positional operands to slots: the required ones if there are just as many, else in order."""
        row = self.row
        order = [row.slot_names[n] for n in ORDERS.get(row.name, ())] or list(range(len(row.slots)))
        free = [at for at in order if self.slots[at] is None]
        needed = [at for at in free if row.slots[at]["count"] != "optional"]
        if row.name == "tmrgsort" and operands and isinstance(operands[0], (list, tuple)):
            self.spread("srcs", operands[0])
            self.spread("dsts", operands[1])
            operands, needed = operands[2:], []
            free = [at for at in free if self.slots[at] is None]
        if row.name == "tscatter" and len(operands) == 3 and as_value(operands[1]).type != as_value(operands[0]).type:
            operands = [operands[0], operands[2], operands[1]]
        if len(operands) == len(needed):
            for at, value in zip(needed, operands):
                self.slots[at] = value
            return
        if len(operands) < len(needed):
            missing = ", ".join(f"`{row.slots[at]['name']}`" for at in needed[len(operands) :])
            self.fail(f"missing operands: {missing}")
        self.in_order(free, operands)

    def in_order(self, free, operands):
        left = list(operands)
        for i, at in enumerate(free):
            slot = self.row.slots[at]
            needed = sum(self.row.slots[f]["count"] != "optional" for f in free[i + 1 :])
            if slot["count"] == "optional" and not (len(left) > needed and fits(slot, left[0])):
                continue
            if left:
                self.slots[at] = left.pop(0)
        if left:
            self.fail(f"takes at most {len(free)} operands, {len(operands)} are given")

    def complete(self):
        """Adds what older bindings did not ask for: whether indices name elements or rows."""
        spec = self.row.attr_names.get("coalesce")
        if spec is None or spec["name"] in self.attributes:
            return
        names = self.row.slot_names
        data = self.slots[names["dst" if "dst" in names and self.row.name == "mgather" else "src"]]
        indices = self.slots[names["idx"]]
        if data is None or indices is None:
            return
        same = getattr(as_value(data).type, "shape", 0) == getattr(as_value(indices).type, "shape", 1)
        self.attribute(spec, "elem" if same else "row")

    def operands(self):
        """All operands, and how many each slot has."""
        flat, sizes = [], []
        for value in self.slots:
            values = [] if value is None else value if isinstance(value, (list, tuple)) else [value]
            flat.extend(as_value(v) for v in values)
            sizes.append(len(values))
        return flat, sizes

    def result_types(self):
        if self.results or not self.row.results:
            return self.results
        found = [infer(self, slot) for slot in self.row.results]
        if any(t is None for t in found):
            self.fail("the type of the result is missing; give it as the first argument")
        return found


def holds_values(value):
    if isinstance(value, (list, tuple)):
        return all(is_value(v) for v in value)
    return is_value(value)


_KINDS = {
    "tile": ("!pto.tile_buf", "!pto.tile<", "memref"),
    "view": ("!pto.tensor_view", "!pto.partition", "memref"),
    "ptr": ("!pto.ptr", "memref"),
}


def fits(slot, value):
    """True when an optional slot may take a value."""
    if isinstance(value, (list, tuple)):
        return slot["count"] == "many"
    text, kind = as_value(value).type.text, slot["kind"]
    words = [w for word, starts in _KINDS.items() if word in kind for w in starts]
    if words:
        return text.startswith(tuple(words)) or "scalar" in kind and not text.startswith("!")
    return kind == "any" or not text.startswith(("!pto.tile", "!pto.tensor", "!pto.partition", "!pto.ptr", "memref"))


def takes(spec, value):
    """True when an attribute may have a Python value."""
    kind = spec["kind"]
    if isinstance(value, enums.Member):
        return kind == "enum" and same_enum(spec, value._definition["name"])
    if isinstance(value, enums.EnumAttr):
        return kind == "enum" and same_enum(spec, value.enumeration) or kind == "any"
    if isinstance(value, Attribute) or kind == "any":
        return True
    if isinstance(value, bool):
        return kind in ("bool", "unit", "int")
    if isinstance(value, int):
        return kind in ("int", "enum")
    if isinstance(value, str):
        return kind in ("str", "enum", "symbol")
    return kind == "ints" and isinstance(value, (list, tuple))


def same_enum(spec, name):
    old_and_new = {"sync_op_type", "pipe_event_type"}
    return spec["enum"] == name or {spec["enum"], name} == old_and_new


def attribute_of(spec, value):
    """A Python value as an attribute of a row."""
    kind = spec["kind"]
    if isinstance(value, Attribute):
        return value
    if kind == "enum":
        return enums.attribute(table.enumerations()[table.normal(spec["enum"])], value)
    if kind == "int":
        return Attribute._make(f"{int(value)} : {'i8' if spec['name'] in _BYTES else 'i32'}", value=int(value))
    if kind == "bool":
        return BoolAttr.get(value)
    if kind == "unit":
        return UnitAttr.get() if value else None
    if kind == "symbol":
        return FlatSymbolRefAttr.get(str(value).removeprefix("@"))
    if kind == "str":
        return StringAttr.get(value)
    if kind == "ints":
        return ArrayAttr.get([plain(v) for v in value])
    return plain(value)


_BYTES = ("split", "dir_mask")


class RowOp(OpView):
    """An operation of the table."""

    ROW = None

    def __init__(self, *args, **kwargs):
        row = self.ROW
        regions = kwargs.pop("regions", row.regions)
        bound = Binding(row, args, kwargs)
        bound.complete()
        operands, sizes = bound.operands()
        attributes = bound.attributes
        # Where just the required operands are given, their order says it all.
        if any(s["count"] == "many" or s["count"] == "optional" and n for s, n in zip(row.slots, sizes)):
            attributes = {**attributes, "operandSegmentSizes": DenseI32ArrayAttr.get(sizes)}
        super().__init__(row.full_name, bound.result_types(), operands, attributes, regions, (), bound.loc, bound.ip)
        self._sizes = sizes

    @property
    def body(self):
        return self.regions[0]

    def __getattr__(self, name):
        """Operands and attributes by their names."""
        if name.startswith("_"):
            raise AttributeError(name)
        row, key = self.ROW, table.normal(name)
        other = KEYWORDS.get(row.name, {}).get(key) or KEYWORDS[None].get(key)
        for candidate in (key, other):
            if candidate in row.slot_names:
                at = row.slot_names[candidate]
                start = sum(self._sizes[:at])
                many = self.operands[start : start + self._sizes[at]]
                return many if row.slots[at]["count"] == "many" else many[0] if many else None
            if candidate in row.attr_names:
                return self.attributes.get(row.attr_names[candidate]["name"])
        for at, result in enumerate(row.results):
            if table.normal(result["name"]) == key:
                return self.results[at]
        raise AttributeError(f"`{row.full_name}` has no `{name}`")


def op_class(name, row):
    """The class of an operation."""
    return type(name, (RowOp,), {"ROW": row, "OPERATION_NAME": row.full_name, "__doc__": f"`{row.full_name}`."})


def builder(name, cls):
    """A function that makes an operation and gives its results."""

    def build(*args, **kwargs):
        return results_of(cls(*args, **kwargs))

    build.__name__ = build.__qualname__ = name
    build.__doc__ = cls.__doc__
    return build


def results_of(op):
    """What a builder function returns: the value, all values, or the operation if it has none."""
    if not isinstance(op, Operation) or not op.results:
        return op
    return op.results[0] if len(op.results) == 1 else list(op.results)


def dialect_getattr(dialect, namespace, other_prefixes=()):
    """The lazy attributes of a dialect module: classes and functions of its rows."""

    def find(key):
        rows = table.rows(dialect)
        for prefix in ("", *other_prefixes):
            if prefix + key in rows:
                return rows[prefix + key]
        return None

    def get(name):
        from .check import below

        if name.startswith("__"):
            raise AttributeError(name)
        made = None
        if name[0].isupper():
            stem = name.removesuffix("Op")
            if (row := find(table.normal(stem))) is not None:
                made = op_class(name, row)
        elif (row := find(table.normal(name.rstrip("_")))) is not None:
            made = builder(name, op_class(name, row))
        if made is None:
            raise AttributeError(f"the dialect `{dialect}` has no `{name}`{below(name)}")
        namespace[name] = made
        return made

    return get


__all__ = ["RowOp", "dialect_getattr", "known_name", "parse_type", "results_of"]
