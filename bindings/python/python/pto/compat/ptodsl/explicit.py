"""The explicit forms of control flow: `with pto.for_(...)`, `with pto.if_(...)`, `with pto.while_(...)`."""

import types
import warnings

from . import control, trace, values
from .control import Region, _block, _close, _dtype, _named, _typed, _yield
from .errors import PTODSLTracingMisuseError
from .values import I1, INDEX, Scalar, as_scalar


def yield_(*values_):
    """`pto.yield_(a, b)`: what the loop around carries, in the order in which it names it. Without values it says nothing."""
    function = trace.current("pto.yield_").function
    if not function.forms:
        raise PTODSLTracingMisuseError("pto.yield_(...) belongs into pto.for_(...).carry(...) or pto.while_(...)")
    if isinstance(function.forms[-1], _Side):
        if values_:
            raise PTODSLTracingMisuseError("values of a branch have names: br.assign(x=...), not pto.yield_(...)")
        return
    function.forms[-1]._yield(values_)


class _Loop:
    """What a loop carries, by name."""

    def _carry(self, names, start):
        self._names, self._start, self._ends = names, start, None

    def _open(self, region):
        """Enters the body."""
        self._region = region.__enter__()
        self._trace.function.forms.append(self)

    def _leave(self):
        self._trace.function.forms.pop()
        self._region.__exit__()

    def _shown(self, owner, arguments):
        for name, argument in zip(self._names, arguments):
            setattr(owner, name, argument)

    def _yield(self, given):
        if len(given) != len(self._names):
            raise TypeError(f"pto.yield_(...) takes {len(self._names)} values here: {', '.join(self._names) or 'none'}")
        if given:
            self.update(**dict(zip(self._names, given)))

    def update(self, **ends):
        if self._ends is not None:
            raise TypeError("loop.update(...) is called once")
        if set(ends) != set(self._names):
            raise TypeError(f"loop.update(...) takes {', '.join(self._names)}")
        self._ends = [_typed(ends[n], _dtype(s)) for n, s in zip(self._names, self._start)]

    def _finish(self, name, operands, regions):
        types_ = [v.type_text for v in self._start]
        names = _close(self._trace, name, [*operands, *self._start], types_, regions, self._where)
        self._results = {n: _named(s, r) for n, s, r in zip(self._names, self._start, names)}

    def final(self, name):
        if name not in self._names:
            raise TypeError(f"the loop carries no {name!r}; it carries {', '.join(self._names)}")
        return self._results[name]


class For(_Loop):
    """`with pto.for_(a, b, step=s) as i:`; with `.carry(x=v)` it yields the loop: `loop.x`, `loop.iv`, `loop.update(x=…)`."""

    def __init__(self, start, stop, *, step=1):
        self._bounds = [as_scalar(n, INDEX) for n in (start, stop, step)]
        self._carry([], [])

    def carry(self, **initial):
        self._carry(list(initial), [_typed(v) for v in initial.values()])
        return self

    def __enter__(self):
        self._trace = trace.current("pto.for_")
        self._where = trace.location()
        self._open(Region(self._trace.function))
        self.iv = Scalar(self._trace.fresh(), INDEX)
        arguments = [_named(v, self._trace.fresh()) for v in self._start]
        _block(self._trace.function, [self.iv, *arguments])
        self._shown(self, arguments)
        return self if self._names else self.iv

    def __exit__(self, kind, error, where):
        if kind is None:
            if self._names and self._ends is None:
                raise TypeError("loop.update(...) is missing")
            _yield(self._trace, self._ends or [])
        self._leave()
        if kind is None:
            self._finish("scf.for", self._bounds, [self._region])


class While(_Loop):
    """`with pto.while_(lambda state: state.i < n, i=0) as loop:`: `loop.i` in the body, `loop.update(i=…)`, then `loop.final("i")`.

    What is not updated stays as it is.
    """

    def __init__(self, condition, **initial):
        warnings.warn("pto.while_ is an older spelling; `while` in the body of a kernel does the same", DeprecationWarning, 2)
        if not callable(condition):
            raise TypeError("pto.while_ takes a function of its state first: pto.while_(lambda state: state.i < n, i=0)")
        if not initial:
            raise ValueError("pto.while_ carries at least one value: pto.while_(condition, i=0)")
        if any(isinstance(v, bool) for v in initial.values()):
            raise TypeError("pto.while_ carries no Python bool: pto.const(1, dtype=pto.i1)")
        self._condition = condition
        # Python's integers are i32 here, as upstream.
        start = [as_scalar(v, values.I32) if isinstance(v, int) else _typed(v) for v in initial.values()]
        self._carry(list(initial), start)

    def __enter__(self):
        self._trace = trace.current("pto.while_")
        self._where = trace.location()
        before = [_named(v, self._trace.fresh()) for v in self._start]
        with Region(self._trace.function) as self._test:
            _block(self._trace.function, before)
            state = types.SimpleNamespace()
            self._shown(state, before)
            condition = self._condition(state)
            if not control.is_dynamic(condition):
                raise PTODSLTracingMisuseError("the condition of pto.while_ does not depend on its state; `while` in Python would never end")
            _yield(self._trace, [as_scalar(condition, I1), *before], "scf.condition")
        self._open(Region(self._trace.function))
        after = [_named(v, self._trace.fresh()) for v in self._start]
        _block(self._trace.function, after)
        self._shown(self, after)
        self._kept = after
        return self

    def __exit__(self, kind, error, where):
        if kind is None:
            _yield(self._trace, self._ends or self._kept)
        self._leave()
        if kind is None:
            self._finish("scf.while", [], [self._test, self._region])


class _Side:
    def __init__(self, branch):
        self._branch = branch
        self.values = {}

    def __enter__(self):
        self._branch._open = self
        function = trace.current().function
        self._region = Region(function).__enter__()
        function.forms.append(self)

    def __exit__(self, *error):
        trace.current().function.forms.pop()
        self._region.__exit__()
        self._branch._open = None


class If:
    """`with pto.if_(c) as br: with br.then_: … with br.else_: …`; `br.assign(v=…)` in both, then `br.v`."""

    def __init__(self, condition):
        self._condition = as_scalar(condition, I1)
        self._open = None

    def __enter__(self):
        self._trace = trace.current("pto.if_")
        self._where = trace.location()
        self.then_, self.else_ = _Side(self), _Side(self)
        return self

    def assign(self, **given):
        if self._open is None:
            raise TypeError("br.assign(...) belongs into br.then_ or br.else_")
        self._open.values.update(given)

    def __exit__(self, kind, error, where):
        if kind is not None:
            return
        function = self._trace.function
        for side in (self.then_, self.else_):
            if not hasattr(side, "_region"):
                with side:
                    pass
        names = [n for n in self.then_.values if n in self.else_.values]
        likes = [control._typed_like(self.then_.values[n], self.else_.values[n]) for n in names]
        regions = []
        for side in (self.then_, self.else_):
            outer, function.lines = function.lines, side._region.lines
            function.depth += 1
            _yield(self._trace, [_typed(side.values[n], _dtype(s)) for n, s in zip(names, likes)])
            function.depth -= 1
            side._region.lines, function.lines = function.lines, outer
            regions.append(side._region)
        types = [v.type_text for v in likes]
        results = _close(self._trace, "scf.if", [self._condition], types, regions, self._where)
        for name, like, result in zip(names, likes, results):
            setattr(self, name, _named(like, result))


class Section:
    """`with pto.section("cube"):`"""

    def __init__(self, kind):
        if kind not in ("cube", "vector"):
            raise ValueError(f"{kind!r} is not a section; legal: cube, vector")
        self._kind = kind

    def __enter__(self):
        self._trace = trace.current("pto.section")
        self._where = trace.location()
        self._region = Region(self._trace.function).__enter__()
        return self

    def __exit__(self, kind, error, where):
        self._region.__exit__()
        if kind is None:
            _close(self._trace, f"pto.section.{self._kind}", [], [], [self._region], self._where)


__all__ = ["For", "If", "Section", "While", "values", "yield_"]
