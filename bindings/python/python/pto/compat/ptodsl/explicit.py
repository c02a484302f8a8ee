"""The explicit forms of control flow: `with pto.for_(...)`, `with pto.if_(...)`, `with pto.while_(...)`."""

from . import control, trace, values
from .control import Region, _block, _close, _dtype, _named, _typed, _yield
from .values import I1, INDEX, Scalar, as_scalar


class For:
    """`with pto.for_(a, b, step=s) as i:`; with `.carry(x=v)` it yields the loop: `loop.x`, `loop.iv`, `loop.update(x=…)`."""

    def __init__(self, start, stop, *, step=1):
        self._bounds = [as_scalar(n, INDEX) for n in (start, stop, step)]
        self._names, self._start = [], []
        self._ends = None

    def carry(self, **initial):
        self._names = list(initial)
        self._start = [_typed(v) for v in initial.values()]
        return self

    def __enter__(self):
        self._trace = trace.current("pto.for_")
        self._where = trace.location()
        self._region = Region(self._trace.function).__enter__()
        self.iv = Scalar(self._trace.fresh(), INDEX)
        arguments = [_named(v, self._trace.fresh()) for v in self._start]
        _block(self._trace.function, [self.iv, *arguments])
        for name, argument in zip(self._names, arguments):
            setattr(self, name, argument)
        return self if self._names else self.iv

    def update(self, **ends):
        if self._ends is not None:
            raise TypeError("loop.update(...) is called once")
        if set(ends) != set(self._names):
            raise TypeError(f"loop.update(...) takes {', '.join(self._names)}")
        self._ends = [_typed(ends[n], _dtype(s)) for n, s in zip(self._names, self._start)]

    def __exit__(self, kind, error, where):
        if kind is None:
            if self._names and self._ends is None:
                raise TypeError("loop.update(...) is missing")
            _yield(self._trace, self._ends or [])
        self._region.__exit__()
        if kind is None:
            types = [v.type_text for v in self._start]
            names = _close(self._trace, "scf.for", [*self._bounds, *self._start], types, [self._region], self._where)
            self._results = {n: _named(s, r) for n, s, r in zip(self._names, self._start, names)}

    def final(self, name):
        return self._results[name]


class _Side:
    def __init__(self, branch):
        self._branch = branch
        self.values = {}

    def __enter__(self):
        self._branch._open = self
        self._region = Region(trace.current().function).__enter__()

    def __exit__(self, *error):
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


__all__ = ["For", "If", "Section", "values"]
