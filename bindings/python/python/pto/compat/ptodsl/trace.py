"""The program that a script describes, as text in the generic form, one operation a line, each with its Python line."""

import functools
import os
import sys
import threading

from .errors import PTODSLTracingMisuseError

HERE = os.path.dirname(os.path.abspath(__file__))
#: The name under which rewritten code finds `control`.
RUNTIME = "__pto_control__"

_active = threading.local()


@functools.cache
def _rows():
    from pto import _core

    found = {}
    for row in _core.instruction_table()["rows"]:
        for name in (row["name"], *row["aliases"]):
            full = f"{row['dialect']}.{name}" if row["dialect"] and "." not in name.split("pto.")[0] else name
            found.setdefault(full, row)
            found.setdefault(f"pto.{name}", row)
    return found


def row(name):
    """The row of an operation, by its full name."""
    try:
        return _rows()[name]
    except KeyError:
        raise NotImplementedError(f"there is no operation `{name}`") from None


def has_row(name):
    return name in _rows()


def here():
    """File and line of the script: the nearest frame outside of this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    if frame is None:
        return "<unknown>", 0
    return frame.f_code.co_filename, frame.f_lineno


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def location():
    file, line = here()
    return f" loc({quoted(file)}:{line}:1)"


class Function:
    """A function being written."""

    def __init__(self, trace, symbol, params, attributes, private):
        self.trace = trace
        self.symbol = symbol
        self.params = params
        self.attributes = attributes
        self.private = private
        #: Constants stand before everything else, once each.
        self.constants = {}
        self.constant_lines = []
        self.lines = []
        self.depth = 1
        self.kind = None
        #: Loops and branches of the explicit forms that are open, the innermost last.
        self.forms = []
        #: Buffers that another function names.
        self.reserved = {}

    def put(self, text):
        self.lines.append("  " * self.depth + text)

    def text(self):
        params = ", ".join(f"{p.name}: {p.type_text}" for p in self.params)
        attributes = f" attributes {{{', '.join(self.attributes)}}}" if self.attributes else ""
        private = "private " if self.private else ""
        body = [f"func.func {private}@{self.symbol}({params}){attributes} {{", *self.constant_lines, *self.lines, "  return", "}"]
        return "\n".join(body)


class Trace:
    """A module being written."""

    def __init__(self, target, backend="vpto", mode="auto"):
        self.target = target
        self.backend = backend
        self.mode = mode
        #: Functions by what they were made from.
        self.functions = {}
        self.stack = []
        self.counter = 0

    def fresh(self):
        self.counter += 1
        return f"%{self.counter}"

    @property
    def function(self):
        return self.stack[-1]

    def __enter__(self):
        self.outer = getattr(_active, "trace", None)
        _active.trace = self
        return self

    def __exit__(self, *error):
        _active.trace = self.outer

    def text(self):
        functions = "\n\n".join(f.text() for f in self.functions.values())
        return f'module attributes {{pto.target_arch = "{self.target}"}} {{\n{functions}\n}}\n'


def current(what="this call"):
    trace = getattr(_active, "trace", None)
    if trace is None or not trace.stack:
        raise PTODSLTracingMisuseError(f"{what} belongs into the body of a kernel (@pto.jit)")
    return trace


def is_tracing():
    trace = getattr(_active, "trace", None)
    return trace is not None and bool(trace.stack)


def emit(name, operands, results=(), attrs=None, regions="", where=None):
    """Writes an operation. Operands are given by the slots of its row; a slot may hold none, one or several.

    Returns the names of its results, which have the given types.
    """
    trace = current(name)
    slots = [slot["name"] for slot in row(name)["slots"]]
    unknown = [slot for slot in operands if slot not in slots]
    if unknown:
        raise NotImplementedError(f"`{name}` has no operand `{unknown[0]}`; it has {', '.join(slots)}")
    given = [listed(operands.get(slot)) for slot in slots]
    flat = [value for group in given for value in group]
    entries = dict(attrs or {})
    if any(len(group) != 1 for group in given):
        entries["operandSegmentSizes"] = f"array<i32: {', '.join(str(len(g)) for g in given)}>"
    return put(trace, name, flat, results, entries, regions, where)


def put(trace, name, flat, results, entries, regions="", where=None):
    dictionary = " {" + ", ".join(k if v is None else f"{k} = {v}" for k, v in entries.items()) + "}" if entries else ""
    names = [trace.fresh() for _ in results]
    left = ", ".join(names) + " = " if names else ""
    operands = ", ".join(v.name for v in flat)
    inputs = ", ".join(v.type_text for v in flat)
    outputs = ", ".join(results)
    text = f'{left}"{name}"({operands}){regions}{dictionary} : ({inputs}) -> ({outputs}){where or location()}'
    trace.function.put(text)
    return names


def listed(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def constant(text, type_text):
    """The name of a constant of the function."""
    function = current("a constant").function
    key = (text, type_text)
    if key not in function.constants:
        name = function.trace.fresh()
        function.constants[key] = name
        function.constant_lines.append(f"  {name} = arith.constant {text} : {type_text}")
    return function.constants[key]
