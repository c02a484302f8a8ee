"""Loops and branches of the kernel.

A region is traced by running its Python code once. What the code assigns is compared with what was there before: names that
change are carried by the loop, or merged after the branch. Rewritten code (see `rewrite`) and the explicit forms
(`pto.for_`, `pto.if_`, `pto.while_`) use the same functions.
"""

from . import trace, values
from .errors import PTODSLAstRewriteError, PTODSLTracingMisuseError
from .tensors import Tile
from .values import I1, INDEX, Scalar, Value, as_index, as_scalar


class Undefined:
    """A name that has no value here."""

    def __repr__(self):
        return "<undefined>"


UNDEFINED = Undefined()


def probe(read):
    """The value of a name, if it has one."""
    try:
        return read()
    except NameError:
        return UNDEFINED


def is_dynamic(value):
    return isinstance(value, Scalar)


def _carriable(value):
    return isinstance(value, (Scalar, Tile, values.Pointer)) or (isinstance(value, (int, float)) and not isinstance(value, bool))


class Slots:
    """The values that a region may change: names, and elements of lists."""

    def __init__(self, current):
        self.places = []
        for at, value in enumerate(current):
            if isinstance(value, list):
                self.places += [(at, k) for k, v in enumerate(value) if _carriable(v)]
            elif _carriable(value):
                self.places.append((at, None))

    def read(self, current):
        return [_at(current, place) for place in self.places]


def _at(current, place):
    at, k = place
    value = current[at]
    if k is None:
        return value
    return value[k] if isinstance(value, list) and k < len(value) else UNDEFINED


def _write(current, place, value):
    at, k = place
    if k is None:
        current[at] = value
    elif isinstance(current[at], list):
        current[at][k] = value


def _typed(value, dtype=None):
    """A value of the kernel for what a region carries."""
    if isinstance(value, Value):
        return value if dtype is None or not isinstance(value, Scalar) else values.cast(value, dtype)
    return as_scalar(value, dtype or (values.F32 if isinstance(value, float) else INDEX))


def _named(like, name):
    """A value with the type of another."""
    return Scalar(name, like.dtype) if isinstance(like, Scalar) else like.renamed(name)


class Region:
    """The lines of a region, kept apart until its head can be written."""

    def __init__(self, function):
        self.function = function

    def __enter__(self):
        self.outer, self.function.lines = self.function.lines, []
        self.function.depth += 1
        return self

    def __exit__(self, *error):
        self.lines, self.function.lines = self.function.lines, self.outer
        self.function.depth -= 1


def _block(function, arguments):
    if arguments:
        params = ", ".join(f"{a.name}: {a.type_text}" for a in arguments)
        function.lines.append("  " * function.depth + f"^bb0({params}):")


def _yield(trace_, values_, name="scf.yield"):
    trace.put(trace_, name, values_, (), {})


def _close(trace_, name, operands, results, regions, where):
    """Writes an operation around regions that have been traced."""
    function = trace_.function
    indent = "  " * function.depth
    inner = f"\n{indent}}}, {{\n".join("\n".join(r.lines) for r in regions)
    return trace.put(trace_, name, operands, results, {}, f" ({{\n{inner}\n{indent}}})", where)


def _same(a, b):
    return a is b or (not isinstance(a, Value) and not isinstance(b, Value) and type(a) is type(b) and a == b)


class Loop:
    """`for i in range(a, b, c)`: iterating over it runs the body once; once more if another set of names turns out to be carried."""

    def __init__(self, bounds, current):
        self.trace = trace.current("a loop")
        self.where = trace.location()
        self.bounds = self._bounds(bounds)
        self.initial = list(current)
        self.current = list(current)
        self.slots = Slots(self.initial)
        self.initial_lists = [list(v) if isinstance(v, list) else None for v in self.initial]

    def _bounds(self, bounds):
        bounds = [getattr(b, "number", b) for b in bounds]
        if len(bounds) == 1:
            bounds = [0, bounds[0]]
        if len(bounds) == 2:
            bounds = [*bounds, 1]
        if isinstance(bounds[2], int) and bounds[2] <= 0:
            raise PTODSLAstRewriteError(f"the step of a loop of the kernel is positive, found {bounds[2]}")
        scalars = [b for b in bounds if isinstance(b, Scalar)]
        if any(b.dtype.is_float for b in scalars):
            raise TypeError("bounds of a loop are integers")
        if any(b.dtype is INDEX for b in scalars) or not scalars:
            self.dtype = INDEX
        else:
            self.dtype = max((b.dtype for b in scalars), key=lambda d: d.bits)
        return [as_scalar(b, INDEX) for b in bounds]

    def _reset(self):
        self.current = list(self.initial)
        for value, kept in zip(self.current, self.initial_lists):
            if kept is not None:
                value[:] = kept

    def __iter__(self):
        places = self.slots.places
        start = [_typed(v) for v in self.slots.read(self.initial)]
        for _ in range(4):
            arguments = [_named(v, self.trace.fresh()) for v in start]
            function = self.trace.function
            with Region(function) as region:
                index = Scalar(self.trace.fresh(), INDEX)
                _block(function, [index, *arguments])
                for place, argument in zip(places, arguments):
                    _write(self.current, place, argument)
                self.index = index if self.dtype is INDEX else values.cast(index, self.dtype)
                self.left = True
                yield self
                if self.left:
                    raise PTODSLAstRewriteError("a loop of the kernel is left in the middle")
                ends = [_at(self.current, place) for place in places]
                changed = [not _same(e, a) for e, a in zip(ends, arguments)]
                ends = [a if not c or e is UNDEFINED else e for e, a, c in zip(ends, arguments, changed)]
                fitting = [_end_type(e, s) for e, s in zip(ends, start)]
                done = all(changed) and all(f is None for f in fitting)
                if done:
                    _yield(self.trace, [_typed(e, _dtype(s)) for e, s in zip(ends, start)])
            if done:
                break
            # Only what changes is carried, with the type that it has at the end of the body.
            self._reset()
            kept = [at for at, c in enumerate(changed) if c]
            places = [places[at] for at in kept]
            start = [_typed(self.slots_value(places[k]), fitting[at]) if fitting[at] else start[at] for k, at in enumerate(kept)]
        else:
            raise PTODSLAstRewriteError("the types of what a loop carries do not settle")
        results = _close(self.trace, "scf.for", [*self.bounds, *start], [v.type_text for v in start], [region], self.where)
        for place, name, like in zip(places, results, start):
            _write(self.current, place, _named(like, name))

    def slots_value(self, place):
        at, k = place
        return self.initial[at] if k is None else self.initial_lists[at][k]

    def end(self, current):
        self.left = False
        self.current = list(current)


def _dtype(value):
    return value.dtype if isinstance(value, Scalar) else None


def _end_type(end, start):
    """The type that a carried scalar should start with, if it is another one."""
    if isinstance(end, Scalar) and isinstance(start, Scalar) and end.dtype is not start.dtype:
        return end.dtype
    return None


class While:
    """`while c:`; on Python values it is Python's loop."""

    def __init__(self, current):
        self.trace = trace.current("a loop")
        self.where = trace.location()
        self.current = list(current)
        self.slots = Slots(self.current)
        self.static = False
        self.over = False

    def __iter__(self):
        places = self.slots.places
        initial = list(self.current)
        start = [_typed(v) for v in self.slots.read(initial)]
        function = self.trace.function
        before = [_named(v, self.trace.fresh()) for v in start]
        first, second = Region(function), Region(function)
        first.__enter__()
        _block(function, before)
        for place, argument in zip(places, before):
            _write(self.current, place, argument)
        self.open = (first, second, places, start, before)
        yield self
        while self.static and not self.over:
            yield self
        if self.static:
            return
        ends = [_typed(_at(self.current, p), _dtype(s)) for p, s in zip(places, start)]
        _yield(self.trace, ends)
        second.__exit__()
        results = _close(self.trace, "scf.while", start, [v.type_text for v in start], [first, second], self.where)
        for place, name, like in zip(places, results, start):
            _write(self.current, place, _named(like, name))

    def test(self, condition):
        if not is_dynamic(condition):
            if self.open is not None:
                # Nothing of the kernel decides: forget the region and go on as Python does.
                self.open[0].__exit__()
                self.open = None
                self.static = True
            self.over = not condition
            return bool(condition)
        first, second, places, start, before = self.open
        _yield(self.trace, [as_scalar(condition, I1), *before], "scf.condition")
        first.__exit__()
        second.__enter__()
        after = [_named(v, self.trace.fresh()) for v in start]
        _block(self.trace.function, after)
        for place, argument in zip(places, after):
            _write(self.current, place, argument)
        return True

    def end(self, current):
        self.current = list(current)


class Branch:
    """`if c:`; on Python values it is Python's."""

    def __init__(self, condition, current):
        self.dynamic = is_dynamic(condition)
        self.condition = condition
        self.initial = list(current)
        self.lists = [list(v) if isinstance(v, list) else None for v in self.initial]
        self.current = list(current)
        self.sides = []
        if self.dynamic:
            self.trace = trace.current("a branch")
            self.where = trace.location()

    def side(self, wanted):
        if not self.dynamic:
            if bool(self.condition) == wanted:
                yield self
            return
        self.current = list(self.initial)
        for value, kept in zip(self.current, self.lists):
            if kept is not None:
                value[:] = kept
        region = Region(self.trace.function)
        self.ended = False
        with region:
            yield self
            if not self.ended:
                raise PTODSLAstRewriteError("`return`, `break` and `continue` cannot leave a branch that the kernel decides")
        lists = [list(v) if isinstance(v, list) else None for v in self.current]
        self.sides.append((region, list(self.current), lists))

    def then(self):
        return self.side(True)

    def otherwise(self):
        return self.side(False)

    def end(self, current):
        self.ended = True
        self.current = list(current)

    def merged(self):
        """The values of the names after the branch."""
        if not self.dynamic:
            return self.current
        (yes, a, a_lists), (no, b, b_lists) = self.sides
        places = []
        for at, (x, y) in enumerate(zip(a, b)):
            if isinstance(self.initial[at], list) and x is self.initial[at] and y is x:
                for k, (u, v) in enumerate(zip(a_lists[at], b_lists[at])):
                    if not _same(u, v):
                        places.append((at, k, u, v))
            elif not _same(x, y):
                places.append((at, None, x, y))
        merged = [p for p in places if _mergeable(p[2]) and _mergeable(p[3])]
        pairs = []
        for _, _, x, y in merged:
            pairs.append(_common(x, y))
        results = self._write(yes, no, pairs)
        out = [UNDEFINED if x is UNDEFINED or y is UNDEFINED else x for x, y in zip(a, b)]
        for at, (x, y) in enumerate(zip(a, b)):
            if x is not y and (at, None) not in [(p[0], p[1]) for p in merged]:
                out[at] = x if _same(x, y) else UNDEFINED
            if isinstance(out[at], list) and a_lists[at] is not None and out[at] is self.initial[at]:
                out[at][:] = a_lists[at]
        for (at, k, _, _), name, (like, _) in zip(merged, results, pairs):
            if k is None:
                out[at] = _named(like, name)
            else:
                out[at][k] = _named(like, name)
        return out

    def _write(self, yes, no, pairs):
        function = self.trace.function
        for region, side in ((yes, 0), (no, 1)):
            outer, function.lines = function.lines, region.lines
            function.depth += 1
            ends = []
            for like, other in pairs:
                value = (like, other)[side]
                ends.append(_typed(value, _dtype(_typed_like(like, other))))
            _yield(self.trace, ends)
            function.depth -= 1
            region.lines, function.lines = function.lines, outer
        types = [_typed_like(x, y).type_text for x, y in pairs]
        pairs[:] = [(_typed_like(x, y), y) for x, y in pairs]
        return _close(self.trace, "scf.if", [as_scalar(self.condition, I1)], types, [yes, no], self.where)


def _mergeable(value):
    return isinstance(value, (Scalar, Tile, values.Pointer, int, float))


def _common(x, y):
    if isinstance(x, Tile) != isinstance(y, Tile):
        raise PTODSLTracingMisuseError("the two sides of a branch leave a tile and something else under one name")
    return x, y


class _Like:
    def __init__(self, dtype):
        self.dtype, self.type_text = dtype, dtype.text


def _typed_like(x, y):
    """What the merged value is like: the side of the kernel says, else the wider number."""
    if isinstance(x, Scalar) and isinstance(y, Scalar):
        if x.dtype is y.dtype:
            return x
        return max(x, y, key=lambda v: (v.dtype is INDEX, v.dtype.bits))
    if isinstance(x, Value):
        return x
    if isinstance(y, Value):
        return y
    if isinstance(x, bool) and isinstance(y, bool):
        return Scalar("", I1)
    return Scalar("", values.F32 if isinstance(x, float) or isinstance(y, float) else INDEX)


def choose(condition, yes, no):
    """`a if c else b`."""
    if not is_dynamic(condition):
        return yes() if condition else no()
    branch = Branch(condition, [UNDEFINED])
    for _ in branch.then():
        branch.end([yes()])
    for _ in branch.otherwise():
        branch.end([no()])
    return branch.merged()[0]


def both(*parts):
    """`a and b`"""
    value = True
    for part in parts:
        value = _logic("and", value, part)
        if not is_dynamic(value) and not value:
            return value
    return value


def either(*parts):
    """`a or b`"""
    value = False
    for part in parts:
        value = _logic("or", value, part)
        if not is_dynamic(value) and value:
            return value
    return value


def _logic(op, value, part):
    if not is_dynamic(value):
        decided = not value if op == "and" else value
        return value if decided else part()
    other = part()
    if not is_dynamic(other):
        other = bool(other)
    return values.binary(op, as_scalar(value, I1), as_scalar(other, I1))


def negated(value):
    """`not a`"""
    return values.binary("xor", as_scalar(value, I1), True) if is_dynamic(value) else not value


class KernelRange:
    """`pto.range(...)`: a loop of the kernel with a hint."""

    def __init__(self, *bounds, unroll=None, unroll_factor=None):
        self.bounds = bounds


def bounds_of(function, args, keywords):
    """The bounds of `range(...)`; None if the name means something else here."""
    if function is range and not keywords:
        return args
    if function is KernelRange:
        return args
    return None


def static_range(*bounds):
    """Python's loop: the body is traced for every number."""
    if any(isinstance(b, Value) for b in bounds):
        raise PTODSLTracingMisuseError("pto.static_range(...) takes Python numbers")
    return range(*bounds)


def counter(start, stop):
    """The counter of a loop that is written as `while`: of the kernel, with the type of its bounds."""
    for bound in (start, stop):
        if isinstance(bound, Scalar):
            return as_scalar(start, bound.dtype)
    return as_index(start)


def flag(value):
    """A flag of the kernel."""
    return values.constant(value, I1)
