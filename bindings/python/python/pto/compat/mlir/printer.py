"""Operations as text.

Modules, functions, loops, branches and scalar operations are written as MLIR prints them, everything else in the generic form:
it names no syntax, so it works for every instruction of the table. The text of a program depends on the program alone.
"""

from .attributes import entry
from .types import listed, result_text

#: Functions that write operations with a syntax of their own: `(printer, operation)` → text up to its location.
PRETTY = {}


def pretty(*names):
    def register(function):
        for name in names:
            PRETTY[name] = function
        return function

    return register


class Printer:
    """Writes operations; with `locations`, each says where it comes from."""

    def __init__(self, locations=False):
        self.locations = locations
        self.names = {}
        self.arguments = 0
        self.values = 0
        self.labels = {}

    @staticmethod
    def name_of(value):
        """The name of a value in the text of its function."""
        top = value.owner
        while getattr(top, "parent", None) is not None or not hasattr(top, "results"):
            top = top.parent if hasattr(top, "results") else top.owner
        printer = Printer()
        printer.operation_text(top)
        return printer.names.get(value, "%?")

    def operation_text(self, op):
        text = getattr(op, "text", None)
        return text if text is not None else "\n".join(self.lines(op, 0))

    def lines(self, op, depth):
        """The lines of an operation."""
        body = PRETTY.get(op.name, generic)(self, op, depth)
        if body is None:
            body = generic(self, op, depth)
        if self.locations and not op.location.is_unknown:
            body[-1] += f" {op.location}"
        return body

    def use(self, value):
        name = self.names.get(value)
        return name if name is not None else self.define(value)

    def define(self, value):
        if hasattr(value, "arg_number"):
            name, self.arguments = f"%arg{self.arguments}", self.arguments + 1
        else:
            name, self.values = f"%{self.values}", self.values + 1
        self.names[value] = name
        return name

    def uses(self, values):
        return ", ".join(self.use(v) for v in values)

    def results(self, op):
        """`%0, %1 = `, or nothing."""
        if not op.results:
            return ""
        return ", ".join(self.define(r) for r in op.results) + " = "

    def label(self, block):
        return self.labels.setdefault(block, f"^bb{len(self.labels)}")

    def block_lines(self, block, depth, labelled):
        lines = []
        if labelled:
            arguments = ", ".join(f"{self.define(a)}: {a.type}" for a in block.arguments)
            lines.append("  " * depth + self.label(block) + (f"({arguments})" if arguments else "") + ":")
        for op in block.operations:
            lines.extend(self.lines(op, depth + (1 if labelled else 0)))
        return lines

    def region_lines(self, region, depth, labelled):
        """The lines between the braces of a region."""
        lines = []
        for at, block in enumerate(region.blocks):
            lines.extend(self.block_lines(block, depth, labelled or at > 0))
        return lines


def indent(depth):
    return "  " * depth


def dictionary(attributes, left_out=()):
    """`{a = 1, b}`, or nothing."""
    entries = [entry(n, a) for n, a in attributes.items() if n not in left_out]
    return "{" + ", ".join(entries) + "}" if entries else ""


def generic(printer, op, depth):
    """`%r = "name"(%a) <{…}> ({…}) : (T) -> R`"""
    uses = printer.uses(op.operands)
    head = f'{indent(depth)}{printer.results(op)}"{op.name}"({uses})'
    if op.successors:
        head += f"[{', '.join(printer.label(b) for b in op.successors)}]"
    properties = dictionary(op.attributes)
    if properties:
        head += f" <{properties}>"
    tail = f" : ({listed([v.type for v in op.operands])}) -> {result_text([r.type for r in op.results])}"
    if not op.regions:
        return [head + tail]
    lines = [head + " ({"]
    for at, region in enumerate(op.regions):
        if at:
            lines.append(f"{indent(depth)}}}, {{")
        labelled = bool(region.blocks and region.blocks[0].arguments) or len(region.blocks) > 1
        lines.extend(printer.region_lines(region, depth + 1, labelled))
    lines.append(f"{indent(depth)}}}){tail}")
    return lines


@pretty("builtin.module")
def _module(printer, op, depth):
    attributes = dictionary(op.attributes, ("sym_name",))
    name = op.attributes.get("sym_name")
    head = "module" + (f" @{name.value}" if name is not None else "") + (f" attributes {attributes}" if attributes else "")
    return [f"{indent(depth)}{head} {{", *printer.region_lines(op.regions[0], depth + 1, False), f"{indent(depth)}}}"]


@pretty("func.func")
def _func(printer, op, depth):
    # A function sees no values of others: numbers start anew.
    inner = Printer(printer.locations)
    kind = op.attributes["function_type"].value
    private = "private " if "sym_visibility" in op.attributes else ""
    from .attributes import symbol

    head = f"{indent(depth)}func.func {private}{symbol(op.attributes['sym_name'].value)}"
    blocks = op.regions[0].blocks
    arguments = [f"{inner.define(a)}: {a.type}" for a in blocks[0].arguments] if blocks else [t.text for t in kind.inputs]
    head += f"({', '.join(arguments)})"
    if kind.results:
        head += f" -> {result_text(kind.results)}"
    attributes = dictionary(op.attributes, ("function_type", "sym_name", "sym_visibility"))
    if attributes:
        head += f" attributes {attributes}"
    if not blocks:
        return [head]
    body = inner.region_lines(op.regions[0], depth + 1, False)
    printer.names.update(inner.names)
    return [head + " {", *body, f"{indent(depth)}}}"]


@pretty("func.return")
def _return(printer, op, depth):
    return [f"{indent(depth)}return{_typed(printer, op.operands)}"]


@pretty("scf.yield")
def _yield(printer, op, depth):
    return [f"{indent(depth)}scf.yield{_typed(printer, op.operands)}"]


def _typed(printer, values):
    return f" {printer.uses(values)} : {listed([v.type for v in values])}" if values else ""


@pretty("func.call")
def _call(printer, op, depth):
    uses = printer.uses(op.operands)
    kinds = f"({listed([v.type for v in op.operands])}) -> {result_text([r.type for r in op.results])}"
    return [f"{indent(depth)}{printer.results(op)}func.call {op.attributes['callee']}({uses}) : {kinds}"]


@pretty("scf.for")
def _for(printer, op, depth):
    lower, upper, step, *inits = op.operands
    bounds = f"{printer.use(lower)} to {printer.use(upper)} step {printer.use(step)}"
    initial = [printer.use(v) for v in inits]
    results = printer.results(op)
    variable, *carried = op.regions[0].blocks[0].arguments
    head = f"{indent(depth)}{results}scf.for {printer.define(variable)} = {bounds}"
    if inits:
        pairs = ", ".join(f"{printer.define(a)} = {v}" for a, v in zip(carried, initial))
        head += f" iter_args({pairs}) -> ({listed([v.type for v in inits])})"
    if variable.type.text != "index":
        head += f" : {variable.type}"
    attributes = dictionary(op.attributes)
    body = printer.region_lines(op.regions[0], depth + 1, False)
    return [head + " {", *body, f"{indent(depth)}}}" + (f" {attributes}" if attributes else "")]


@pretty("scf.if")
def _if(printer, op, depth):
    results = printer.results(op)
    head = f"{indent(depth)}{results}scf.if {printer.use(op.operands[0])}"
    if op.results:
        head += f" -> ({listed([r.type for r in op.results])})"
    lines = [head + " {", *printer.region_lines(op.regions[0], depth + 1, False)]
    if len(op.regions) > 1 and op.regions[1].blocks:
        lines += [f"{indent(depth)}}} else {{", *printer.region_lines(op.regions[1], depth + 1, False)]
    return [*lines, f"{indent(depth)}}}"]


@pretty("arith.constant")
def _constant(printer, op, depth):
    return [f"{indent(depth)}{printer.results(op)}arith.constant {op.attributes['value']}"]


@pretty("arith.cmpi", "arith.cmpf")
def _compare(printer, op, depth):
    uses = printer.uses(op.operands)
    return [f"{indent(depth)}{printer.results(op)}{op.name} {op.attributes['predicate']}, {uses} : {op.operands[0].type}"]
