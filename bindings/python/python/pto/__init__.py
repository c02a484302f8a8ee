"""PTO tile programs on any machine: check, run, race-check, plan, price and emit them.

>>> import pto
>>> program = pto.Program("softmax.pto")        # doctest: +SKIP
>>> result = program.run(x, y)                  # doctest: +SKIP
"""

from ._core import Diagnostic, RunResult
from .arrays import arange, fill, ones, rand, span, zeros
from .errors import ArgumentError, CheckError, Error, RaceError, ResultError, RunError
from .program import Program, Programs, load_dir
from .settings import config

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "CheckError",
    "Diagnostic",
    "Error",
    "PerfReport",
    "PlanReport",
    "Program",
    "Programs",
    "RaceError",
    "RaceReport",
    "ResultError",
    "RunError",
    "RunResult",
    "arange",
    "config",
    "fill",
    "heatmap",
    "load_dir",
    "ones",
    "rand",
    "span",
    "zeros",
]

# Modules that only some programs need are imported when one of their names is used.
_LATER = {
    "PerfReport": "reports",
    "PlanReport": "reports",
    "RaceReport": "reports",
    "TraceReport": "reports",
    "heatmap": "reports",
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
