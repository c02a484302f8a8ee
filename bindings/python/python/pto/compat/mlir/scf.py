"""`mlir.dialects.scf`: loops and branches."""

from .binding import dialect_getattr, results_of
from .core import InsertionPoint, OpView, as_value
from .types import IndexType, Type


def values(items):
    """Values of a list, a single value, or nothing."""
    if items is None:
        return []
    if not isinstance(items, (list, tuple)):
        items = [items]
    return [as_value(v) for v in items]


class ForOp(OpView):
    """A loop; `body` has the index and the carried values as arguments."""

    OPERATION_NAME = "scf.for"

    def __init__(self, lower_bound, upper_bound, step, iter_args=None, initArgs=None, *, loc=None, ip=None):
        inits = values(iter_args if iter_args is not None else initArgs)
        bounds = [as_value(v) for v in (lower_bound, upper_bound, step)]
        types = [v.type for v in inits]
        super().__init__(self.OPERATION_NAME, types, [*bounds, *inits], regions=1, loc=loc, ip=ip)
        self.regions[0].blocks.append(bounds[0].type, *types)

    @property
    def body(self):
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self):
        return self.body.arguments[0]

    @property
    def inner_iter_args(self):
        return self.body.arguments[1:]


class IfOp(OpView):
    """A branch: `IfOp(condition, results, hasElse=True)`."""

    OPERATION_NAME = "scf.if"

    def __init__(self, cond, results_=None, *args, hasElse=False, has_else=False, results=None, loc=None, ip=None):
        if isinstance(cond, (list, tuple)) and all(isinstance(t, Type) for t in cond):
            cond, results_ = results_, cond
        types = list(results_ if results_ is not None else results or [])
        has_else = hasElse or has_else or bool(types) or any(args)
        super().__init__(self.OPERATION_NAME, types, [as_value(cond)], regions=2, loc=loc, ip=ip)
        self.regions[0].blocks.append()
        if has_else:
            self.regions[1].blocks.append()

    @property
    def then_block(self):
        return self.regions[0].blocks[0]

    @property
    def else_block(self):
        return self.regions[1].blocks[0] if self.regions[1].blocks else None

    thenRegion = then_region = property(lambda self: self.regions[0])
    elseRegion = else_region = property(lambda self: self.regions[1])


class WhileOp(OpView):
    """A loop with a condition; `before` and `after` are its regions."""

    OPERATION_NAME = "scf.while"

    def __init__(self, results_, inits, *, loc=None, ip=None):
        super().__init__(self.OPERATION_NAME, list(results_), values(inits), regions=2, loc=loc, ip=ip)

    before = property(lambda self: self.regions[0])
    after = property(lambda self: self.regions[1])


class ConditionOp(OpView):
    """Ends the first region of `WhileOp`."""

    OPERATION_NAME = "scf.condition"

    def __init__(self, condition, args=None, *, loc=None, ip=None):
        super().__init__(self.OPERATION_NAME, (), [as_value(condition), *values(args)], loc=loc, ip=ip)


class YieldOp(OpView):
    """Ends a region with its results."""

    OPERATION_NAME = "scf.yield"

    def __init__(self, results_=None, *, loc=None, ip=None):
        super().__init__(self.OPERATION_NAME, (), values(results_), loc=loc, ip=ip)


def yield_(results_=None, *, loc=None, ip=None):
    return YieldOp(results_, loc=loc, ip=ip)


def for_(start, stop=None, step=None, iter_args=None, *, loc=None, ip=None):
    """A loop as a Python `for` statement; the body ends with `yield_`."""
    from .arith import ConstantOp

    def bound(value):
        return ConstantOp(IndexType.get(), value).result if isinstance(value, int) else as_value(value)

    if stop is None:
        start, stop = 0, start
    loop = ForOp(bound(start), bound(stop), bound(1 if step is None else step), iter_args, loc=loc, ip=ip)
    with InsertionPoint(loop.body):
        if loop.inner_iter_args:
            inner = tuple(loop.inner_iter_args)
            yield loop.induction_variable, inner[0] if len(inner) == 1 else inner, results_of(loop)
        else:
            yield loop.induction_variable


__getattr__ = dialect_getattr("scf", globals())
