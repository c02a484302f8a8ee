"""Kernels: Python functions that are traced once and become programs."""

from __future__ import annotations

import functools
import linecache
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args, get_origin, overload

from . import _core, control
from .program import Program
from .scalars import DType, Scalar
from .tiles import Gm

if TYPE_CHECKING:
    import inspect

__all__ = ["Kernel", "kernel"]


@overload
def kernel(body: Callable[..., None], /) -> Kernel: ...


@overload
def kernel(*, name: str | None = None) -> Callable[[Callable[..., None]], Kernel]: ...


def kernel(body: Callable[..., None] | None = None, /, *, name: str | None = None) -> Any:
    """Makes a function that describes a kernel into one that runs it.

    Positional parameters are what the program is given: ``Gm[f32]`` for an array, ``Index`` or ``Scalar[i32]`` for a number.
    Keyword-only parameters are known while the kernel is traced, such as sizes of tiles; the kernel is traced once for each of
    their values.

    >>> import pto
    >>> from pto import f32, Gm
    >>> @pto.kernel
    ... def twice(x: Gm[f32], y: Gm[f32], *, n: int = 16):
    ...     t = pto.tile(n, 16, f32)
    ...     pto.tload(t, x.view(n, 16))
    ...     pto.tadd(t, t, t)
    ...     pto.tstore(y.view(n, 16), t)
    >>> twice.trace(n=32).check("a5")
    []
    """
    if body is None:
        return functools.partial(Kernel, name=name)
    return Kernel(body, name=name)


class Kernel:
    """A function that describes a kernel; see :func:`kernel`.

    Calling it runs the kernel on arrays, in place: ``softmax(x, y, 256)``. ``softmax[8](x, y, 256)`` runs 8 blocks. :meth:`trace` gives the
    program, with everything that can be done with one.
    """

    def __init__(self, body: Callable[..., None], *, name: str | None = None) -> None:
        import inspect

        functools.update_wrapper(self, body)
        if inspect.iscoroutinefunction(body) or inspect.isgeneratorfunction(body):
            raise TypeError(f"{body.__qualname__}: a kernel is traced once and cannot be async or a generator")
        self._body = body
        self.name: str = name or body.__name__
        self._params, self._consts = _signature(body)
        self._count = len(self._params)
        self._traced: dict[Any, Program] = {}
        self._default: Program | None = None
        self._lock = threading.RLock()

    def trace(self, **consts: Any) -> Program:
        """The program for these values of the keyword-only parameters. It is traced once for each of them."""
        key = self._key(consts)
        found = self._traced.get(key)
        if found is None:
            with self._lock:
                made = self._record({**self._consts, **consts})
                found = self._traced.setdefault(key, made)
        if not consts:
            self._default = found
        return found

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Runs the kernel. Keywords are keyword-only parameters of the kernel, or options of :meth:`pto.Program.run`."""
        program = self._default
        if program is None or options or len(args) != self._count:
            return self._run(args, options)
        return program.run(*args)

    def __getitem__(self, blocks: int) -> Callable[..., Any]:
        """The kernel on this number of blocks: ``softmax[8](x, y, 256)``."""
        return functools.partial(self._run_blocks, blocks)

    def _run_blocks(self, blocks: int, *args: Any, **options: Any) -> Any:
        return self._run(args, {**options, "blocks": blocks})

    def _run(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        consts = {name: options.pop(name) for name in self._consts if name in options}
        if any(isinstance(arg, _core.Handle) for arg in args):
            raise TypeError(f"{self.name} is a kernel: another kernel cannot call it; make the shared part a plain function")
        if len(args) > self._count:
            raise TypeError(f"{self.name} takes {self._count} arguments, not {len(args)}: {', '.join(self._params)}")
        return self.trace(**consts).run(*args, **options)

    def _key(self, consts: dict[str, Any]) -> Any:
        unknown = [name for name in consts if name not in self._consts]
        if unknown:
            known = ", ".join(self._consts) or "none"
            raise TypeError(f"{self.name} has no keyword-only parameter {unknown[0]!r}; it has {known}")
        values = {**self._consts, **consts}
        missing = [name for name, value in values.items() if value is _NEEDED]
        if missing:
            raise TypeError(f"{self.name} needs {missing[0]}=: it has no default")
        try:
            # Numbers that are equal are not the same: 1, 1.0 and True make different programs.
            key = tuple((value, type(value)) for value in values.values())
            hash(key)
        except TypeError:
            raise TypeError(f"{self.name}: keyword-only parameters must be hashable") from None
        return key

    def _record(self, consts: dict[str, Any]) -> Program:
        code = self._body.__code__
        recorder = _core.Recorder()
        text = "".join(linecache.getlines(code.co_filename, self._body.__globals__)) or None
        recorder.begin(code.co_filename, text, code.co_firstlineno)
        try:
            with recorder:
                args = [recorder.param(name, dtype._core, pointer) for name, (dtype, pointer) in self._params.items()]
                if self._body(*args, **consts) is not None:
                    raise TypeError(f"{self.name} returns something: a kernel stores its results to global memory")
                return Program._of(recorder.finish(self.name))
        finally:
            control._LAST.pop(id(recorder), None)

    def __reduce__(self) -> str:
        # As functions are pickled: by name.
        return self._body.__qualname__

    def __repr__(self) -> str:
        return f"<pto.kernel {self.name}({', '.join(self._params)})>"


#: A keyword-only parameter without a default.
_NEEDED = object()

#: For each parameter: its type, and whether it is a pointer.
_Params = dict[str, tuple[type[DType], bool]]


def _signature(body: Callable[..., None]) -> tuple[_Params, dict[str, Any]]:
    """The parameters of the program, and the keyword-only parameters with their defaults."""
    import inspect

    try:
        signature = inspect.signature(body, eval_str=True)
    except NameError as error:
        raise TypeError(f"{body.__qualname__}: {error.name} in its signature is not known where it is defined") from error
    params: _Params = {}
    consts: dict[str, Any] = {}
    for param in signature.parameters.values():
        if param.kind is param.KEYWORD_ONLY:
            consts[param.name] = _NEEDED if param.default is param.empty else param.default
        elif param.kind in (param.VAR_POSITIONAL, param.VAR_KEYWORD):
            raise TypeError(f"{body.__qualname__}: a kernel has a fixed number of parameters, not *{param.name}")
        else:
            params[param.name] = _param(body, param)
    return params, consts


def _param(body: Callable[..., None], param: inspect.Parameter) -> tuple[type[DType], bool]:
    given = param.annotation
    origin, args = get_origin(given), get_args(given)
    if origin in (Gm, Scalar) and len(args) == 1 and isinstance(args[0], type) and issubclass(args[0], DType):
        return args[0], origin is Gm
    if isinstance(given, type) and issubclass(given, DType):
        return given, False
    raise TypeError(
        f"{body.__qualname__}: the parameter {param.name} needs a type: Gm[f32] for an array, Index or Scalar[i32] for a number; "
        "what is known while the kernel is traced is a keyword-only parameter"
    )
