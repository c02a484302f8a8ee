"""Loops, branches, sections and functions of a kernel.

Python's own ``for`` and ``if`` work while a kernel is traced: loops unroll, branches choose what is recorded. What is here becomes
control flow of the program.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from . import _core
from .scalars import Bool, BoolLike, Index, IndexLike, Scalar

if TYPE_CHECKING:
    from .tiles import Gm, Tile, TileType

__all__ = ["Branch", "Loop", "PipeEnd", "cube", "function", "otherwise", "pipe", "range", "vector", "when", "while_loop"]

#: Values that a loop carries: one, or several in a tuple.
Carried = Any


def _several(values: Carried) -> list[Any]:
    return list(values) if isinstance(values, (tuple, list)) else [values]


class Loop:
    """A loop of the program; see :func:`range` and :func:`while_loop`. Its body is recorded once."""

    def __init__(self, carry: Carried) -> None:
        self._recorder = _core.current()
        self._carry = carry
        self._id: int | None = None
        self._next: list[Any] | None = None
        self._ended = False
        self._result: Carried = None

    def update(self, *values: Any) -> None:
        """What the next iteration is handed; once in the body, as many values as the loop carries."""
        if self._id is None or self._ended:
            raise RuntimeError("update() belongs into the body of its loop")
        if self._carry is None:
            raise RuntimeError("this loop carries nothing: give it carry=")
        if self._next is not None:
            raise RuntimeError("update() was called before in this loop: it is called once, with all values")
        self._next = _several(values[0]) if len(values) == 1 else list(values)

    @property
    def result(self) -> Carried:
        """What the last iteration handed on; after the loop."""
        if not self._ended:
            raise RuntimeError("the result of a loop is known after it")
        return self._result

    def __iter__(self) -> Iterator[Any]:
        if self._id is not None:
            raise RuntimeError("a loop of the kernel is iterated over once: make a new one")
        return self

    def __next__(self) -> Any:
        if self._id is None:
            return self._open()
        if not self._ended:
            self._close()
        raise StopIteration

    def _open(self) -> Any:
        raise NotImplementedError

    def _close(self) -> None:
        carried = [] if self._carry is None else _several(self._carry)
        if carried and self._next is None:
            raise RuntimeError("this loop carries values: say what the next iteration is handed with loop.update(...)")
        assert self._id is not None
        results = _core.close_loop(self._recorder, self._id, self._next or [])
        self._ended = True
        if self._carry is not None:
            self._result = self._shaped(results)

    def _shaped(self, values: list[Any]) -> Carried:
        return tuple(values) if isinstance(self._carry, (tuple, list)) else values[0]


class _Range(Loop):
    def __init__(self, bounds: tuple[IndexLike, IndexLike, IndexLike], carry: Carried) -> None:
        super().__init__(carry)
        self._bounds = bounds

    def _open(self) -> Any:
        carried = [] if self._carry is None else _several(self._carry)
        self._id, counter, args = _core.open_loop(self._recorder, self._bounds, carried)
        return counter if self._carry is None else (counter, self._shaped(args))


class _While(Loop):
    def __init__(self, condition: Callable[..., Bool], carry: Carried) -> None:
        super().__init__(carry)
        self._condition = condition

    def _open(self) -> Any:
        self._id, args = _core.open_while(self._recorder, _several(self._carry))
        go_on = self._condition(*args)
        return self._shaped(_core.open_while_body(self._recorder, self._id, go_on))


@overload
def range(start: IndexLike, stop: IndexLike | None = None, step: IndexLike = 1) -> Iterator[Index]: ...


@overload
def range(start: IndexLike, stop: IndexLike | None = None, step: IndexLike = 1, *, carry: Carried) -> Loop: ...


def range(start: IndexLike, stop: IndexLike | None = None, step: IndexLike = 1, *, carry: Carried = None) -> Any:
    """A loop of the program: ``for i in pto.range(0, n, 16)``. The body is recorded once.

    With ``carry``, the loop hands scalars from one iteration to the next::

        loop = pto.range(n, carry=pto.f32(0.0))
        for i, total in loop:
            loop.update(total + x[i])
        y[0] = loop.result
    """
    bounds = (0, start, step) if stop is None else (start, stop, step)
    return _Range(bounds, carry)


def while_loop(condition: Callable[..., Bool], *, carry: Carried) -> Loop:
    """A loop that goes on while the condition holds; it is evaluated before each iteration, with the carried values::

        loop = pto.while_loop(lambda n: n > 100, carry=x[0])
        for n in loop:
            loop.update(n // 2)
        x[1] = loop.result
    """
    if carry is None:
        raise TypeError("a loop with a condition carries what the condition is about: carry=")
    return _While(condition, carry)


class Branch:
    """A branch of the program; see :func:`when`."""

    def __init__(self, condition: BoolLike) -> None:
        self._recorder = _core.current()
        self._condition = condition
        self._given: list[Any] = []
        self._several = False
        self._made: _core.Branch | None = None
        self._result: list[Any] | None = None

    def give(self, *values: Scalar[Any]) -> None:
        """What this side of the branch gives; both sides give as many values of the same types."""
        self._given = list(values)
        self._several = len(values) != 1

    @property
    def result(self) -> Any:
        """What the side that ran gave; after both sides."""
        if self._result is None:
            raise RuntimeError("the result of a branch is known after its otherwise")
        return tuple(self._result) if self._several else self._result[0]

    def otherwise(self) -> _Otherwise:
        """What happens where the condition does not hold: ``with branch.otherwise():``."""
        return _Otherwise(self)

    def __enter__(self) -> Branch:
        self._id = _core.open_then(self._recorder, self._condition)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self._made = _core.close_then(self._recorder, self._id, self._given)
            self._given = []
            _LAST[id(self._recorder)] = self


#: The branch that `otherwise` continues, for each kernel that is traced.
_LAST: dict[int, Branch] = {}


class _Otherwise:
    def __init__(self, branch: Branch) -> None:
        self._branch = branch

    def __enter__(self) -> Branch:
        branch = self._branch
        if branch._made is None:
            raise RuntimeError("pto.otherwise follows the block of its pto.when")
        self._id = _core.open_otherwise(branch._recorder, branch._made)
        return branch

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            branch = self._branch
            branch._result = _core.close_otherwise(branch._recorder, self._id, branch._given)


def when(condition: BoolLike) -> Branch:
    """A branch of the program: ``with pto.when(row == 0):``, then, if needed, ``with pto.otherwise():``.

    A branch can give values::

        with pto.when(v < 0) as branch:
            branch.give(-v)
        with pto.otherwise():
            branch.give(v)
        x[0] = branch.result
    """
    return Branch(condition)


def otherwise() -> _Otherwise:
    """The other side of the :func:`when` just before."""
    last = _LAST.get(id(_core.current()))
    if last is None:
        raise RuntimeError("pto.otherwise follows the block of its pto.when")
    return _Otherwise(last)


class _Cores(threading.local):
    """The cores of the sections and functions that are open on this thread."""

    def __init__(self) -> None:
        self.open: list[str] = []

    def append(self, core: str) -> None:
        self.open.append(core)

    def pop(self) -> None:
        self.open.pop()


_CORES = _Cores()


class _Section:
    def __init__(self, core: str) -> None:
        self._core = core

    def __enter__(self) -> None:
        self._recorder = _core.current()
        self._id = _core.open_section(self._recorder, self._core)
        _CORES.append(self._core)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _CORES.pop()
        if kind is None:
            _core.close_section(self._recorder, self._id)


def cube() -> _Section:
    """Code for the cube core: ``with pto.cube():``."""
    return _Section("cube")


def vector() -> _Section:
    """Code for the vector cores: ``with pto.vector():``."""
    return _Section("vector")


def function(body: Callable[..., Any], *args: Any, core: str, name: str | None = None, **consts: Any) -> None:
    """A function of the program that runs on one kind of core, and a call of it.

    ``args`` are pointers and scalars of the kernel, also in tuples; the function's parameters stand for them in ``body``. ``consts`` are
    handed to ``body`` as they are. ``core`` is ``"cube"`` or ``"vector"``, ``name`` that of ``body`` if it is left out.
    """
    recorder = _core.current()
    name = name or body.__name__
    flat: list[Any] = []
    _flatten(args, flat)
    number, params = _core.open_function(recorder, flat)
    given = iter(params)
    _CORES.append(core)
    try:
        if body(*(_like(arg, given) for arg in args), **consts) is not None:
            raise TypeError(f"{name} returns something: functions of a kernel store their results")
    finally:
        _CORES.pop()
    _core.close_function(recorder, number, name, core)
    _core.call_function(recorder, name, flat)


def _flatten(args: Any, out: list[Any]) -> None:
    for one in args:
        if isinstance(one, (tuple, list)):
            _flatten(one, out)
        else:
            out.append(one)


def _like(arg: Any, params: Iterator[Any]) -> Any:
    if isinstance(arg, (tuple, list)):
        return builtins.tuple(_like(one, params) for one in arg)
    return next(params)


class PipeEnd:
    """One end of a pipe between the cube core and the vector cores; see :func:`pipe`."""

    def __init__(self, core: str, number: int) -> None:
        self._other = "aiv" if core == "cube" else "aic"
        self._id = number

    def push(self, tile: Tile, split: int = 0, *, after: Any = None) -> _core.Issued:
        """Hands a tile to the other core; ``split`` says how the two vector cores share it: 0 not, 1 by rows, 2 by columns."""
        return _instruction(f"tpush_to_{self._other}")(tile, split, id=self._id, after=after)

    def pop(self, ty: TileType, split: int = 0, *, after: Any = None) -> Tile:
        """The next tile of the other core; it stays until :meth:`free`."""
        return _instruction(f"tpop_from_{self._other}")(split, ty, id=self._id, after=after)

    def free(self, split: int = 0, *, after: Any = None) -> _core.Issued:
        """Gives the slot of the oldest tile back."""
        return _instruction(f"tfree_from_{self._other}")(split, id=self._id, after=after)


def pipe(
    direction: str,
    slot_size: int,
    *,
    buffer: IndexLike | Scalar[Any],
    id: int = 0,
    core: str | None = None,
    gm: Gm[Any] | None = None,
    **options: Any,
) -> PipeEnd:
    """This core's end of a pipe between the cube core and the vector cores.

    ``direction`` is ``"c2v"`` or ``"v2c"``. Both cores make their end, with the same numbers: bytes of a slot, ``id``, and the options of
    :func:`pto.aic_initialize_pipe` such as ``slot_num``. ``buffer`` is where the consumer keeps its slots (:func:`pto.reserve_buffer` there,
    :func:`pto.import_reserved_buffer` on the other core), ``gm`` where they lie in global memory. ``core`` is that of the section or function
    around the call, if it is left out::

        scores = pto.pipe("c2v", 65536, buffer=ring, gm=slots, slot_num=2)
        scores.push(tile, split=1)                # on the cube core
        t = scores.pop(Half, split=1)             # on a vector core
        scores.free(split=1)
    """
    core = core or (_CORES.open[-1] if _CORES.open else None)
    if core not in ("cube", "vector"):
        raise TypeError('a pipe is made on one core: in pto.cube(), pto.vector() or pto.function(...), or with core="cube"')
    if direction not in ("c2v", "v2c"):
        raise ValueError(f'direction is {direction!r}; it is "c2v" or "v2c"')
    start = _instruction("aic_initialize_pipe" if core == "cube" else "aiv_initialize_pipe")
    ring = {f"{direction}_consumer_buf": buffer}
    start(1 if direction == "c2v" else 2, slot_size, id=id, gm_slot_buffer=gm, **ring, **options)
    return PipeEnd(core, id)


def _instruction(name: str) -> Callable[..., Any]:
    # The instructions need the types of tiles, which are imported later than this module.
    from . import instructions

    function: Callable[..., Any] = getattr(instructions, name)
    return function
