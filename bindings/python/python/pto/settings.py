"""Settings of the process: the default target, and checks that every run makes."""

from __future__ import annotations

import os
from typing import Iterable

__all__ = ["CHECKS", "config"]

#: What `check` and the variable PTO_CHECK switch on.
CHECKS = frozenset({"race", "bounds", "nan"})


class _Settings:
    __slots__ = ("check", "target", "uninitialised")

    def __init__(self) -> None:
        self.target: str | None = os.environ.get("PTO_TARGET") or None
        self.check: frozenset[str] = checks_of(os.environ.get("PTO_CHECK", ""))
        self.uninitialised: str | None = os.environ.get("PTO_UNINITIALISED") or None


def checks_of(check: str | Iterable[str]) -> frozenset[str]:
    """The checks that a text (`"race,nan"`) or a set of words names."""
    words = check.split(",") if isinstance(check, str) else check
    found = frozenset(word.strip() for word in words) - {""}
    if not found <= CHECKS:
        unknown = ", ".join(sorted(found - CHECKS))
        raise ValueError(f"there is no check {unknown}; there are {', '.join(sorted(CHECKS))}")
    return found


settings = _Settings()
_KEEP = ...


def config(*, target=_KEEP, check=_KEEP, uninitialised=_KEEP) -> dict:
    """Changes settings of the process; returns all of them as they were.

    target: the target of programs that state none and of calls without one (variable PTO_TARGET).
    check: what every run checks (PTO_CHECK): `race`, unordered accesses; `bounds`, arrays that have another shape than the program
        sees, and reads of uninitialised tiles; `nan`, results that are not a number.
    uninitialised: `"nan"` fills memory that nothing has written with NaN (PTO_UNINITIALISED).
    """
    before = {"target": settings.target, "check": settings.check, "uninitialised": settings.uninitialised}
    if target is not _KEEP:
        settings.target = target
    if check is not _KEEP:
        settings.check = checks_of(check or ())
    if uninitialised is not _KEEP:
        settings.uninitialised = uninitialised
    return before
