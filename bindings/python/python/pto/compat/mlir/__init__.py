"""Stands in for the assembler's MLIR bindings: `mlir.ir`, `mlir.dialects.pto`, and the same below `ptoas.mlir`.

Scripts that build programs with those bindings run unchanged; what they build is text that `pto.Program` reads. The operation
classes are made from the instruction table when they are first used. There is no MLIR here: passes, rewriting and parsing into
operations are missing, and what is missing raises by its name.

Use `pto.compat.install("mlir")`, or run a script with `python -m pto.compat mlir script.py`.
"""

import importlib
import sys
from types import ModuleType

#: Modules of the bindings, and ours.
MODULES = {
    "ir": "ir",
    "dialects.pto": "pto_dialect",
    "dialects.arith": "arith",
    "dialects.scf": "scf",
    "dialects.func": "func",
    "dialects.builtin": "builtin",
}

#: Dialects whose classes come from the table alone.
PLAIN = ("math", "memref", "cf")


def install(prefix="mlir"):
    """Makes `import mlir` (or `ptoas.mlir`) find the modules of this package."""
    parts = prefix.split(".")
    for n in range(1, len(parts) + 1):
        _package(".".join(parts[:n]))
    _package(f"{prefix}.dialects")
    for name, ours in MODULES.items():
        _register(f"{prefix}.{name}", importlib.import_module(f"{__name__}.{ours}"))
    for name in PLAIN:
        _register(f"{prefix}.dialects.{name}", _plain(name))


def main(name, arguments, prepare=None):
    """Runs a script with the bindings of both generations; `prepare` is called with it before."""
    from . import run

    call = run.parse(name, arguments)
    if call is None:
        return 0
    install("mlir")
    install("ptoas.mlir")
    if prepare is not None:
        prepare(call)
    return run.run(call)


def _package(name):
    if name not in sys.modules:
        module = ModuleType(name, f"`{name}` of pto.compat.")
        module.__path__ = []
        module.__package__ = name
        _register(name, module)


def _register(name, module):
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)


def _plain(dialect):
    from .binding import dialect_getattr

    full = f"{__name__}.{dialect}"
    if full not in sys.modules:
        module = ModuleType(full, f"The dialect `{dialect}`.")
        module.__getattr__ = dialect_getattr(dialect, module.__dict__)
        sys.modules[full] = module
    return sys.modules[full]
