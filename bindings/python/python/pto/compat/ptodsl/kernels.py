"""`@pto.jit`, `@pto.func`, kernel handles, compiled kernels and launches."""

import inspect

from . import launch, trace, types, values
from .errors import PTODSLTracingMisuseError, below_tiles
from .rewrite import rewritten
from .tensors import Tile
from .trace import Function, Trace
from .types import ConstExpr, DType, PtrType
from .values import Pointer, Scalar

#: Targets of scripts and ours.
TARGETS = {"a2": "a2a3", "a3": "a2a3", "a2a3": "a2a3", "a5": "a5", "910b": "a2a3", "950": "a5"}


def target_of(name):
    found = TARGETS.get(str(name).lower())
    if found is None:
        raise ValueError(f"{name!r} is not a target; legal: {', '.join(TARGETS)}")
    return found


def jit(function=None, **options):
    if function is not None:
        raise TypeError("@pto.jit is called: write @pto.jit(...)")

    def decorate(fn):
        return KernelHandle(fn, **options)

    return decorate


class KernelHandle:
    """A kernel, or with `entry=False` a function of one."""

    def __init__(
        self, fn, *, name=None, target="a5", kernel_kind=None, backend="vpto", entry=True, mode="auto", insert_sync=None,
        ast_rewrite=None, frontend_options=None, source=None, native_options=None,
    ):  # fmt: skip
        if mode not in ("auto", "explicit"):
            raise ValueError(f"{mode!r} is not a mode; legal: auto, explicit")
        if backend not in ("vpto", "emitc"):
            raise ValueError(f"{backend!r} is not a back end; legal: vpto, emitc")
        if kernel_kind not in (None, "cube", "vector"):
            raise ValueError(f"{kernel_kind!r} is not a kind of kernel; legal: cube, vector")
        self.fn = fn
        self.symbol = name or fn.__name__
        self.target = target_of(target)
        self.kernel_kind, self.backend, self.entry, self.mode = kernel_kind, backend, entry, mode
        self.rewrite = ast_rewrite if ast_rewrite is not None else (frontend_options or {}).get("ast_rewrite", True)
        self.source = source
        self.params, self.constants = _signature(fn)
        self._compiled = {}
        self.__name__, self.__doc__ = fn.__name__, fn.__doc__
        self.__wrapped__ = fn

    @property
    def ir_function_name(self):
        return self.symbol

    def compile(self, **constants):
        if not self.entry:
            raise TypeError(f"{self.symbol} is a function of a kernel (entry=False), not a kernel")
        unknown = [n for n in constants if n not in self.constants]
        if unknown:
            raise TypeError(f"{self.symbol} has no constant `{unknown[0]}`")
        bound = {**self.constants, **constants}
        missing = [n for n, v in bound.items() if v is inspect.Parameter.empty]
        if missing:
            raise TypeError(f"{self.symbol} needs the constant `{missing[0]}`")
        key = (tuple(sorted(bound.items(), key=lambda i: i[0])), _captured(self.fn))
        try:
            known = self._compiled.get(key)
        except TypeError:  # a constant that cannot be compared
            return CompiledKernel(self, bound)
        if known is None:
            known = self._compiled[key] = CompiledKernel(self, bound)
        return known

    def __getitem__(self, launch_):
        return self.compile()[launch_]

    def __call__(self, *args):
        if self.entry:
            raise TypeError(f"{self.symbol} is a kernel: compile it, and launch it with [grid, stream](...)")
        call(self, args)

    def mlir_text(self):
        return self.compile().mlir_text()

    def mlir_module(self):
        return self.compile().mlir_module()

    build = mlir_module

    def verify(self):
        return self.compile().verify()

    def emit(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.mlir_text())

    def build_metadata(self):
        return {"symbol": self.symbol, "target": self.target, "backend": self.backend, "mode": self.mode}

    def cached_specializations(self):
        return tuple(self._compiled.values())

    def __str__(self):
        return self.mlir_text()


def _signature(fn):
    params, constants = [], {}
    for name, parameter in inspect.signature(fn).parameters.items():
        annotation = parameter.annotation
        if isinstance(annotation, ConstExpr):
            constants[name] = parameter.default
        elif isinstance(annotation, (DType, PtrType)):
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                raise TypeError(f"`{name}` of {fn.__name__} is an argument of a launch and cannot be keyword-only")
            params.append((name, annotation))
        else:
            raise TypeError(
                f"`{name}` of {fn.__name__} is annotated with {annotation!r}; legal: pto.ptr(...), scalar types, pto.const_expr"
            )
    return params, constants


def _captured(fn):
    """What a function takes from outside, as far as it can be compared."""
    cells = [c.cell_contents for c in fn.__closure__ or () if _filled(c)]
    return tuple(v if isinstance(v, (int, float, str, bool, DType, type(None))) else id(v) for v in cells)


def _filled(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _parameter(name, type_):
    return Pointer(name, type_) if isinstance(type_, PtrType) else Scalar(name, type_)


def _trace_function(current, handle, constants, private):
    """Writes the function of a handle, once."""
    key = (id(handle), tuple(sorted(constants)))
    if key in current.functions:
        return current.functions[key]
    params = [_parameter(current.fresh(), t) for _, t in handle.params]
    attributes = [f"pto.kernel_kind = #pto.kernel_kind<{handle.kernel_kind}>"] if handle.kernel_kind else []
    if not private:
        attributes.insert(0, "pto.entry")
    function = Function(current, handle.symbol, params, attributes, private)
    current.functions[key] = function
    current.stack.append(function)
    try:
        fn = rewritten(handle.fn) if handle.rewrite else handle.fn
        result = fn(*params, **constants)
    finally:
        current.stack.pop()
    if result is not None:
        raise PTODSLTracingMisuseError(f"{handle.symbol} returns {result!r}; a kernel returns nothing")
    return function


def call(handle, args):
    """A call of a function of the kernel."""
    current = trace.current(handle.symbol)
    if len(args) != len(handle.params):
        raise TypeError(f"{handle.symbol} takes {len(handle.params)} arguments, found {len(args)}")
    function = _trace_function(current, handle, {}, private=True)
    given = [_passed(v, t, n) for v, (n, t) in zip(args, handle.params)]
    _put_call(current, function.symbol, given, ())


def _passed(value, type_, name):
    if isinstance(type_, PtrType):
        if not isinstance(value, Pointer):
            raise TypeError(f"`{name}` is a pointer, found {value!r}")
        return value
    return values.as_scalar(value, type_)


def _put_call(current, symbol, given, results):
    operands = ", ".join(v.name for v in given)
    inputs = ", ".join(v.type_text for v in given)
    names = [current.fresh() for _ in results]
    left = ", ".join(names) + " = " if names else ""
    outputs = ", ".join(r.text for r in results)
    current.function.put(f"{left}func.call @{symbol}({operands}) : ({inputs}) -> ({outputs}){trace.location()}")
    return names


class CompiledKernel:
    """A kernel with its constants bound: a program."""

    def __init__(self, handle, constants):
        self.handle = handle
        self.constexpr_bindings = dict(constants)
        self.specialization_key = tuple(sorted((n, repr(v)) for n, v in constants.items()))
        self.ir_function_name = handle.symbol
        self.text = _source_text(handle) if handle.source is not None else self._traced(constants)
        self._program = None

    def _traced(self, constants):
        with Trace(self.handle.target, self.handle.backend, self.handle.mode) as current:
            _trace_function(current, self.handle, constants, private=False)
            return current.text()

    @property
    def program(self):
        """The program, as `pto` has it: check, race, price and emit it."""
        if self._program is None:
            import pto

            self._program = pto.Program(self.text, name=f"{self.handle.symbol}.pto")
        return self._program

    def mlir_text(self):
        return self.text

    def mlir_module(self):
        return Module(self.text, self.program)

    def verify(self):
        self.program.check(self.handle.target, strict=True)
        return True

    @property
    def kernel_module_graph(self):
        return [self.ir_function_name]

    def __str__(self):
        return self.text

    def __getitem__(self, where):
        if not isinstance(where, tuple) or len(where) != 2:
            raise TypeError("a launch is compiled[grid, stream](...)")
        grid, _ = where
        if isinstance(grid, bool) or not isinstance(grid, int) or grid < 1:
            raise TypeError(f"the grid of a launch is a positive number, found {grid!r}")
        return lambda *args: self._launch(grid, args)

    def _launch(self, grid, args):
        params = self.handle.params
        if len(args) != len(params):
            raise TypeError(f"{self.ir_function_name} takes {len(params)} arguments, found {len(args)}")
        given = [launch.argument(v, t, n) for v, (n, t) in zip(args, params)]
        from pto.settings import settings

        # A launch says where memory starts, not what shape it has.
        checks, strict = settings.check - {"bounds"}, "bounds" in settings.check
        # A device does not know the extents of tensors either, and kernels rely on that.
        options = {"check": checks, "strict": strict, "open_windows": not strict}
        self.program.run(*given, target=self.handle.target, blocks=grid, **options)


class Module:
    """A printable module."""

    def __init__(self, text, program=None):
        self.text = text
        self.program = program
        self.operation = self

    def verify(self):
        return True

    def get_asm(self, **_):
        return self.text

    def __str__(self):
        return self.text


def merge_jit_modules(*handles):
    if not handles:
        raise ValueError("pto.merge_jit_modules(...) takes kernels")
    first = handles[0]
    if any((h.target, h.backend) != (first.target, first.backend) for h in handles):
        raise ValueError("the kernels of a module have one target and one back end")
    texts = [h.compile().mlir_text() for h in handles]
    bodies = [t.split("{\n", 1)[1].rsplit("\n}", 1)[0] for t in texts]
    inner = "\n\n".join(bodies)
    return Module(f'module attributes {{pto.target_arch = "{first.target}"}} {{\n{inner}\n}}\n')


def _source_text(handle):
    import os

    source = str(handle.source)
    if "\n" in source or source.lstrip().startswith(("module", "func")):
        return source
    path = os.path.join(os.path.dirname(inspect.getsourcefile(handle.fn) or "."), source)
    with open(path, encoding="utf-8") as file:
        return file.read()


class DeviceFunction:
    """`@pto.func`: a function of the kernel that may return values."""

    def __init__(self, fn, name=None, ast_rewrite=True, returns=inspect.Parameter.empty):
        self.fn, self.symbol, self.rewrite = fn, name or fn.__name__, ast_rewrite
        annotated = inspect.signature(fn).return_annotation
        chosen = returns if returns is not inspect.Parameter.empty else annotated
        if chosen is inspect.Parameter.empty:
            raise TypeError(f"@pto.func {self.symbol} needs the type of its result: returns=..., or an annotation")
        self.returns = [] if chosen is None else list(chosen) if isinstance(chosen, (tuple, list)) else [chosen]
        self.kernel_kind = None
        self.params = [(n, p.annotation) for n, p in inspect.signature(fn).parameters.items()]
        self.__name__, self.__doc__ = fn.__name__, fn.__doc__

    def __call__(self, *args):
        current = trace.current(self.symbol)
        given = [self._given(v, t, n) for v, (n, t) in zip(args, self.params)]
        if len(args) != len(self.params):
            raise TypeError(f"{self.symbol} takes {len(self.params)} arguments, found {len(args)}")
        tiles = tuple(v.type_text for v in given if isinstance(v, Tile))
        symbol = self._function(current, given, tiles)
        names = _put_call(current, symbol, given, self.returns)
        results = [_parameter(n, t) for n, t in zip(names, self.returns)]
        return None if not results else results[0] if len(results) == 1 else tuple(results)

    def _given(self, value, type_, name):
        if isinstance(value, Tile):
            return value
        return _passed(value, type_, name) if isinstance(type_, (DType, PtrType)) else value

    def _function(self, current, given, tiles):
        key = (id(self), tiles)
        if key in current.functions:
            return current.functions[key].symbol
        params = []
        for value, (_, type_) in zip(given, self.params):
            name = current.fresh()
            params.append(value.like(name) if isinstance(value, Tile) else _parameter(name, type_))
        number = sum(1 for k in current.functions if k[0] == id(self))
        symbol = self.symbol if number == 0 else f"{self.symbol}_{number}"
        function = FunctionWithResults(current, symbol, params, [], True)
        function.results = [r.text for r in self.returns]
        current.functions[key] = function
        current.stack.append(function)
        try:
            fn = rewritten(self.fn) if self.rewrite else self.fn
            result = fn(*params)
            ends = [] if result is None else list(result) if isinstance(result, tuple) else [result]
            if len(ends) != len(self.returns):
                raise TypeError(f"{self.symbol} returns {len(ends)} values, {len(self.returns)} are stated")
            function.ends = [_passed(v, t, "result") for v, t in zip(ends, self.returns)]
        finally:
            current.stack.pop()
        return symbol


class FunctionWithResults(Function):
    """A function that returns values."""

    results, ends = (), ()

    def text(self):
        text = super().text()
        if not self.results:
            return text
        head, rest = text.split("\n", 1)
        head = head.replace(") {", f") -> ({', '.join(self.results)}) {{", 1)
        names, kinds = ", ".join(v.name for v in self.ends), ", ".join(self.results)
        body = rest.rsplit("  return\n", 1)[0]
        return f"{head}\n{body}  return {names} : {kinds}\n}}"


def func(fn=None, *, name=None, ast_rewrite=True, returns=inspect.Parameter.empty):
    def decorate(fn):
        return DeviceFunction(fn, name, ast_rewrite, returns)

    return decorate if fn is None else decorate(fn)


def tileop(*_, **__):
    raise below_tiles("pto.tileop")


def simt(*_, **__):
    raise below_tiles("pto.simt")


def removed(name):
    def decorator(*_, **__):
        raise AttributeError(f"pto.{name} is gone; upstream names pto.tileop, which is below tiles")

    return decorator


__all__ = ["jit", "func", "merge_jit_modules", "types"]
