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
    return mlir.main(name, arguments, _prepare)


def _prepare(call):
    install()
    if not call.is_module and _mentions_torch(call.script) and importlib.util.find_spec("torch"):
        from . import torch_npu

        torch_npu.install()


def _mentions_torch(path):
    try:
        with open(path, "rb") as file:
            return b"import torch" in file.read()
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
        built = module.to_ir_module(meta_data=self._meta_data)(self._fn)
        self.program, self._cores = built.program(), vector_cores(built.operation)
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
        arguments = [memory(a) if module._is_ptr_type(t) else a for a, t in zip(filled, self._arg_types)]
        # A device does not know the extents of tensors, and kernels rely on that.
        self.program.run(*arguments, blocks=self._block_dim * self._cores, target=target, open_windows=True)

    wrapper._build, wrapper.__call__ = build, call


def vector_cores(operation):
    """How many blocks stand for a block of a launch.

    Kernels are compiled for blocks of a cube core and two vector cores. A program without cube parts has one core in a block, so one
    that asks which vector core it is gets a block for each.
    """
    names = set()
    operation.walk(lambda op: names.add(op.name) or names.update(str(a) for a in op.attributes.values()))
    asks = names & {"pto.get_subblock_idx", "pto.get_subblock_num"}
    cube = names & {"pto.section.cube", "#pto.kernel_kind<cube>"}
    return 2 if asks and not cube else 1


def memory(value):
    """The array of an address; a null pointer is memory that nothing may be read from."""
    address = getattr(value, "value", value)
    if address is None or isinstance(address, int):
        import pto

        from .memory import ALLOCATIONS

        if not address:
            return pto.zeros()
        found = ALLOCATIONS.find(address)
        if found is None or found[1] != address:
            raise ValueError(f"nothing is known of the memory at {address:#x}; pass the array itself")
        return found[0]
    return value
