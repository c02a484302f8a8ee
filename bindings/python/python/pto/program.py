"""Programs: what is read from text, files or bytecode, and everything that can be done with it."""

from __future__ import annotations

from . import _core

__all__ = ["Program"]


class Program:
    """A PTO program.

    >>> import pto
    >>> pto.Program("func.func @f() { return }").check("a5")
    []
    """

    __slots__ = ("_core",)

    def __init__(self, text: str, *, name: str = "<text>") -> None:
        self._core = _core.Program(text, name)

    def check(self, target: str = "a2a3") -> list[_core.Diagnostic]:
        """Every problem of the program for a target, errors and warnings, in source order."""
        return self._core.check(target)
