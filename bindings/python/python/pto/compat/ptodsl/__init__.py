"""The `ptodsl` of public scripts, at tile level, on this machine.

Scripts that import `ptodsl` run unchanged: `python -m pto.compat ptodsl script.py`, or `pto.compat.install("ptodsl")` in a
program. Both generations are here: `from ptodsl import pto, scalar`, and `from ptodsl import pto` alone.
"""

import importlib.util
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
    from .. import script

    call = script.parse(name, arguments)
    if call is None:
        return 0
    install(name)
    if importlib.util.find_spec("torch") is not None:
        from .. import torch_npu

        torch_npu.install()
    call.run()
    return 0
