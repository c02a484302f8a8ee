"""Exceptions. All of them are `Error`, carry diagnostics, and render like the terminal."""

from __future__ import annotations

from typing import Sequence

from ._core import Diagnostic

__all__ = ["ArgumentError", "CheckError", "Error", "RaceError", "ResultError", "RunError"]


class Error(Exception):
    """What is wrong: `diagnostics` has every problem; `str` renders them with the lines they are about."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message, list(diagnostics))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every problem, in source order."""
        return self.args[1]

    def __str__(self) -> str:
        return self.args[0]

    def _repr_html_(self) -> str:
        from .reports import _diagnostics_html

        return _diagnostics_html(self.diagnostics) if self.diagnostics else f"<pre>{self}</pre>"


class CheckError(Error):
    """The program is not legal for the target, or cannot be lowered or emitted."""


class RunError(Error):
    """An instruction stopped a run."""

    #: What tiles held when the run stopped, if it was asked to keep them: `run(..., tiles=True)`.
    tiles = None


class ArgumentError(RunError, TypeError):
    """An argument does not fit its parameter."""


class ResultError(RunError):
    """A result that a check forbids, such as NaN (`PTO_CHECK=nan`)."""


class RaceError(Error):
    """Unordered accesses, with the flags that would order them."""
