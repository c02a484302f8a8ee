"""Reports: text in a terminal, a page in a notebook or a file, JSON for programs."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Sequence

from . import _core

__all__ = ["Diagnostics", "PerfReport", "PlanReport", "RaceReport", "Report", "TraceReport"]


class Report:
    """What all reports have: `str`, `to_json`, `to_html`, `save_html`, and a page in notebooks."""

    _height = 480

    def to_json(self) -> Any:
        """The report as the JSON of the command line, parsed."""
        return json.loads(self._json())

    def to_html(self) -> str:
        """A page that needs no other file."""
        raise NotImplementedError

    def save_html(self, path: str | os.PathLike) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_html())

    def _json(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return _framed(self.to_html(), self._height)


class Diagnostics(list, Report):
    """The problems of a program, in source order."""

    def __init__(self, found: Sequence[_core.Diagnostic] = (), program=None, target: str | None = None) -> None:
        super().__init__(found)
        self._program, self._target = program, target

    def _json(self) -> str:
        return self._program._core.check_json(self._target) if self._program else "{}"

    def to_html(self) -> str:
        return _page("problems", _diagnostics_html(self))

    def _repr_html_(self) -> str:
        return _diagnostics_html(self)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) if self else "no problems"

    def __reduce__(self):
        return Diagnostics, (list(self), self._program, self._target)


class RaceReport(Report):
    """What a run showed about the order of accesses. True if something was found."""

    def __init__(self, core: _core.RaceResult) -> None:
        self._core = core

    @property
    def diagnostics(self) -> list[_core.Diagnostic]:
        """The findings, worst first."""
        return self._core.findings()

    @property
    def instructions(self) -> int:
        """Instructions that were executed."""
        return self._core.instructions()

    @property
    def stopped(self) -> int | None:
        """After how many instructions `limit` stopped the check, if it did."""
        return self._core.stopped()

    @property
    def sync(self) -> str:
        """`manual`: the program orders its pipes; `auto`: the toolchain will."""
        return self._core.sync()

    def _json(self) -> str:
        return self._core.json()

    def to_html(self) -> str:
        return self._core.page()

    def __bool__(self) -> bool:
        return bool(self._core.findings())

    def __len__(self) -> int:
        return len(self._core.findings())

    def __iter__(self):
        return iter(self._core.findings())

    def __str__(self) -> str:
        found = self._core.rendered()
        return found or f"no race found in {self.instructions} instructions for {self._core.target()}"

    def __repr__(self) -> str:
        return f"<race report: {len(self)} findings in {self.instructions} instructions>"


class PlanReport(Report):
    """The addresses and lifetimes of tiles."""

    def __init__(self, core: _core.PlanResult) -> None:
        self._core = core

    @property
    def memories(self) -> list[dict]:
        """Each memory: capacity, peak, and its tiles with their addresses."""
        return self.to_json()["memories"]

    def _json(self) -> str:
        return self._core.json()

    def to_html(self) -> str:
        return self._core.page()

    def __str__(self) -> str:
        return self._core.text().rstrip()

    __repr__ = __str__


class PerfReport(Report):
    """Predicted cycles, the bottleneck, and what would help."""

    _height = 640

    def __init__(self, core: _core.PerfResult) -> None:
        self._core = core

    @property
    def cycles(self) -> float:
        """Predicted cycles."""
        return self._core.cycles()

    @property
    def microseconds(self) -> float:
        """The same as time on the device."""
        return self._core.microseconds()

    @property
    def instructions(self) -> int:
        """Instructions over all blocks."""
        return self._core.instructions()

    @property
    def bottleneck(self) -> str:
        """The sentence about it."""
        return self.to_json().get("bottleneck", "")

    @property
    def suggestions(self) -> list[dict]:
        """Changes that were simulated, the best first: `change`, the `cycles` it would take, and its `gain`."""
        return self.to_json().get("advice", [])

    def timeline(self, width: int = 110) -> str:
        """The pipes over time, as text."""
        return self._core.timeline(width)

    def trace(self, path: str | os.PathLike | None = None) -> TraceReport:
        """The timeline; with a path, also written there as a trace that Perfetto and Chrome open."""
        report = TraceReport(self._core)
        if path is not None:
            report.save(path)
        return report

    def _json(self) -> str:
        return self._core.json()

    def to_html(self) -> str:
        return self._core.page()

    def __str__(self) -> str:
        return f"{self._core.entry()} on {self._core.target()}: {_plain(self._core.text())}".rstrip()

    def __repr__(self) -> str:
        return f"<{self._core.entry()} on {self._core.target()}: {self.cycles:.0f} cycles>"


class TraceReport(Report):
    """A predicted run over time."""

    _height = 640

    def __init__(self, core: _core.PerfResult) -> None:
        self._core = core

    def _json(self) -> str:
        return self._core.chrome_trace()

    def save(self, path: str | os.PathLike) -> None:
        """Writes a trace that Perfetto (ui.perfetto.dev) and Chrome open."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._core.chrome_trace())

    def to_html(self) -> str:
        return self._core.page()

    def __str__(self) -> str:
        return _plain(self._core.timeline(110)).rstrip()

    def __repr__(self) -> str:
        return f"<trace of {self._core.entry()} on {self._core.target()}>"


def _run_html(result: _core.RunResult) -> str:
    """A run in a notebook: what it did, and pictures of what it wrote."""
    from .pictures import heatmap

    parts = [f"<code>{html.escape(repr(result))}</code>"]
    for name, array in result.outputs.items():
        try:
            parts.append(heatmap(array, title=name)._repr_html_())
        except (TypeError, ValueError):
            parts.append(f"<div><b>{html.escape(name)}</b></div>")
    try:
        parts.append(result.tiles._repr_html_())
    except RuntimeError:  # They were not kept.
        pass
    return "\n".join(parts)


def _diagnostics_html(found: Sequence[_core.Diagnostic]) -> str:
    if not found:
        return "<p>no problems</p>"
    colours = {"error": "#c0392b", "warning": "#b9770e"}
    parts = []
    for d in found:
        first, _, rest = html.escape(str(d)).partition("\n")
        head = f'<b style="color:{colours.get(d.severity, "inherit")}">{first}</b>'
        parts.append(f'<pre style="margin:0 0 1em">{head}\n{rest}</pre>')
    return "".join(parts)


def _page(title: str, body: str) -> str:
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title>'
    return f"<!doctype html>\n<html><head>{head}</head><body>\n{body}\n</body></html>\n"


def _framed(page: str, height: int) -> str:
    """Pages have scripts and styles, so they get a frame of their own."""
    style = f"width:100%;height:{height}px;border:1px solid #ddd"
    return f'<iframe style="{style}" srcdoc="{html.escape(page, quote=True)}"></iframe>'


def _plain(text: str) -> str:
    """The text without colours."""
    import re

    return re.sub("\x1b\\[[0-9;]*m", "", text)
