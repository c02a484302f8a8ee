"""PTO tile programs on any machine: check, run, race-check, plan, price and emit them."""

from ._core import Diagnostic
from .program import Program

__all__ = ["Diagnostic", "Program"]
