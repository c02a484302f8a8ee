"""PTO tile programs on any machine: check, run, race-check, plan, price and emit them.

>>> import pto
>>> program = pto.Program("softmax.pto")        # doctest: +SKIP
>>> result = program.run(x, y)                  # doctest: +SKIP
"""

from . import control, instructions, scalars, tiles
from ._core import Diagnostic, Handle, Issued, RunResult
from .arrays import arange, fill, ones, rand, span, zeros
from .control import *
from .errors import ArgumentError, CheckError, Error, RaceError, ResultError, RunError
from .instructions import *
from .kernel import Kernel, kernel
from .program import Program, Programs, load_dir
from .scalars import *
from .settings import config
from .tiles import *

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "CheckError",
    "Diagnostic",
    "Error",
    "Handle",
    "Issued",
    "Kernel",
    "PerfReport",
    "PlanReport",
    "Program",
    "Programs",
    "RaceError",
    "RaceReport",
    "ResultError",
    "RunError",
    "RunResult",
    "TileContents",
    "TileList",
    "arange",
    "config",
    "fill",
    "heatmap",
    "kernel",
    "load_dir",
    "ones",
    "rand",
    "span",
    "zeros",
]
# Not in `from pto import *`: names of Python's own functions.
__all__ += [name for name in control.__all__ + scalars.__all__ + tiles.__all__ + instructions.__all__ if name not in ("print", "range")]

# Modules that only some programs need are imported when one of their names is used.
_LATER = {
    "PerfReport": "reports",
    "PlanReport": "reports",
    "RaceReport": "reports",
    "TileContents": "pictures",
    "TileList": "pictures",
    "TraceReport": "reports",
    "heatmap": "pictures",
}


def __getattr__(name: str):
    from importlib import import_module

    if name in _LATER:
        value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'pto' has no attribute {name!r}")


def __dir__():
    return sorted(set(globals()) | set(_LATER))
