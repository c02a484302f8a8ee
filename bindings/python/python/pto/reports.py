"""Reports: text in a terminal, a page in a notebook or a file, JSON for programs."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Sequence

from . import _core

__all__ = ["Diagnostics", "PerfReport", "PlanReport", "RaceReport", "Report", "TraceReport", "heatmap"]


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


class heatmap(Report):  # noqa: N801
    """An array or a tile as a picture: `pto.heatmap(result["y"])`.

    Large arrays are shown as means of blocks of elements. NaN is red, infinities are black.
    """

    _most = 64

    def __init__(self, array, *, title: str | None = None) -> None:
        import numpy

        numbers = numpy.asarray(array.detach().float() if hasattr(array, "detach") else array)
        self.shape, self.dtype = numbers.shape, str(numbers.dtype)
        numbers = numbers.astype(numpy.float64)
        self.numbers = numbers.reshape(1, -1) if numbers.ndim < 2 else numbers.reshape(-1, numbers.shape[-1])
        self.title = title

    def _json(self) -> str:
        import numpy

        finite = self.numbers[numpy.isfinite(self.numbers)]
        ends = {} if finite.size == 0 else {"min": finite.min(), "max": finite.max(), "mean": finite.mean()}
        bad = {"nan": int(numpy.isnan(self.numbers).sum()), "inf": int(numpy.isinf(self.numbers).sum())}
        return json.dumps({"shape": list(self.shape), "dtype": self.dtype, **ends, **bad})

    def to_html(self) -> str:
        return _page(self.title or "array", self._repr_html_())

    def _repr_html_(self) -> str:
        facts = self.to_json()
        words = [f"{'x'.join(map(str, self.shape))} {self.dtype}"]
        words += [f"{key} {facts[key]:.6g}" for key in ("min", "max", "mean") if key in facts]
        words += [f"{facts[key]} {key}" for key in ("nan", "inf") if facts[key]]
        title = f"<b>{html.escape(self.title)}</b> " if self.title else ""
        return f"<div>{title}<code>{html.escape('  '.join(words))}</code><br>{self._svg(facts)}</div>"

    def _svg(self, facts: dict) -> str:
        import numpy

        cells = _means(self.numbers, self._most)
        rows, cols = cells.shape
        if not rows or not cols:
            return ""
        size = max(2, min(16, 480 // max(rows, cols)))
        low, high = facts.get("min", 0.0), facts.get("max", 0.0)
        parts = [f'<svg width="{cols * size}" height="{rows * size}" shape-rendering="crispEdges">']
        for r in range(rows):
            for c in range(cols):
                x = cells[r, c]
                colour = "#d00" if numpy.isnan(x) else "#000" if numpy.isinf(x) else _colour(x, low, high)
                parts.append(
                    f'<rect x="{c * size}" y="{r * size}" width="{size}" height="{size}" fill="{colour}">'
                    f"<title>{x:.6g}</title></rect>"
                )
        return "".join(parts) + "</svg>"


def _means(numbers, most: int):
    import numpy

    for axis in (0, 1):
        step = -(-numbers.shape[axis] // most)
        if step > 1:
            starts = numpy.arange(0, numbers.shape[axis], step)
            sizes = numpy.diff(numpy.append(starts, numbers.shape[axis]))
            with numpy.errstate(invalid="ignore", over="ignore"):
                sums = numpy.add.reduceat(numbers, starts, axis=axis)
                numbers = sums / (sizes[:, None] if axis == 0 else sizes[None, :])
    return numbers


def _colour(x: float, low: float, high: float) -> str:
    """Blue below zero, white at zero, orange above; grey to dark blue if all numbers have one sign."""
    if low < 0 < high:
        share = x / max(-low, high)
        ends = (33, 102, 172) if share < 0 else (230, 97, 1)
        share = abs(share)
    else:
        share = 0.0 if high == low else (x - low) / (high - low)
        ends = (8, 48, 107)
    return "#" + "".join(f"{round(255 + (end - 255) * share):02x}" for end in ends)


def _run_html(result: _core.RunResult) -> str:
    """A run in a notebook: what it did, and pictures of what it wrote."""
    parts = [f"<code>{html.escape(repr(result))}</code>"]
    for name, array in result.outputs.items():
        try:
            parts.append(heatmap(array, title=name)._repr_html_())
        except (TypeError, ValueError):
            parts.append(f"<div><b>{html.escape(name)}</b></div>")
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
