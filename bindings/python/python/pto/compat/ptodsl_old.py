"""Carries pto-dsl 0.1.2 and its scripts: the package `ptodsl` itself is the user's, unchanged; it runs over `pto.compat.mlir`.

Kernels with `@jit` run here instead of being compiled for a device.
"""

import importlib.abc
import importlib.util
import sys

from . import mlir

_JIT = "ptodsl.compiler.jit"


def install(name="ptodsl-old"):
    """Makes the MLIR bindings of pto-dsl found, and its kernels run."""
    from .mlir import state

    mlir.install("mlir")
    if "ptodsl" not in state.LIBRARIES:
        state.LIBRARIES.append("ptodsl")
    if _JIT in sys.modules:
        patch(sys.modules[_JIT])
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def main(name, arguments):
    """Runs a script, with a stand-in for `torch_npu` if it uses torch."""
    install(name)
    if any(_mentions_torch(a) for a in arguments if a.endswith(".py")) and importlib.util.find_spec("torch"):
        from . import torch_npu

        torch_npu.install()
    return mlir.main("mlir", arguments)


def _mentions_torch(path):
    try:
        with open(path, encoding="utf-8") as file:
            return "import torch" in file.read()
    except OSError:
        return False


class _Finder(importlib.abc.MetaPathFinder):
    """Changes the module of `@jit` when it is imported."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != _JIT:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_patch(module):
                load(module)
                patch(module)

            spec.loader.exec_module = load_and_patch
        return spec


def patch(module):
    """Makes `JitWrapper` build a `pto.Program` and run it on the arguments."""
    wrapper = module.JitWrapper

    def build(self):
        self._arg_types = self._resolve_runtime_arg_types()
        self.program = module.to_ir_module(meta_data=self._meta_data)(self._fn).program()
        self._compiled = True

    def call(self, *args, stream_ptr=None):
        if not self._compiled:
            self._build()
        parameters = list(self._sig.parameters.values())
        if len(args) > len(parameters):
            raise TypeError(f"Expected at most {len(parameters)} arguments, got {len(args)}.")
        filled = [*args]
        for parameter in parameters[len(args) :]:
            if parameter.default is parameter.empty:
                raise TypeError(f"Missing required argument '{parameter.name}'.")
            filled.append(parameter.default)
        target = "a5" if self._npu_arch.startswith(("dav-3", "dav-c310")) else "a2a3"
        self.program.run(*filled, blocks=self._block_dim, target=target)

    wrapper._build, wrapper.__call__ = build, call
