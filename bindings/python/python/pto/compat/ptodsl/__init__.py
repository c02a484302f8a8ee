"""The `ptodsl` of public scripts, at tile level, on this machine.

Scripts that import `ptodsl` run unchanged: `python -m pto.compat ptodsl script.py`, or `pto.compat.install("ptodsl")` in a
program. Both generations are here: `from ptodsl import pto, scalar`, and `from ptodsl import pto` alone.
"""

import importlib.util
import os
import runpy
import sys

from . import errors, pto, scalar
from .errors import PTODSLAstRewriteError, PTODSLDeprecationWarning, PTODSLTracingMisuseError

__all__ = ["pto", "scalar", "errors", "PTODSLAstRewriteError", "PTODSLDeprecationWarning", "PTODSLTracingMisuseError"]
__version__ = "0.62"


def install(name="ptodsl"):
    """Makes `import ptodsl` find this module."""
    module = sys.modules[__name__]
    sys.modules["ptodsl"] = module
    for part in ("pto", "scalar"):
        sys.modules[f"ptodsl.{part}"] = getattr(module, part)


def main(name, arguments):
    """Runs a script, with a stand-in for `torch_npu` if there is torch."""
    if not arguments:
        print("usage: python -m pto.compat ptodsl script.py [arguments]", file=sys.stderr)
        return 2
    install(name)
    if importlib.util.find_spec("torch") is not None:
        from .. import torch_npu

        torch_npu.install()
    script = arguments[0]
    sys.argv = list(arguments)
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    if script == "-m":
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(script, run_name="__main__")
    return 0
