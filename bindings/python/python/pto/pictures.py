"""Pictures of arrays and tiles for notebooks, and what tiles hold at the end of a run."""

from __future__ import annotations

import html
import json
from typing import Any, Iterable, NamedTuple

from . import _core
from .reports import Report, _page

__all__ = ["TileContents", "TileList", "heatmap"]

_NAN, _INF, _UNWRITTEN = (221, 0, 0), (0, 0, 0), (221, 221, 221)


class heatmap(Report):  # noqa: N801
    """An array or a tile as a picture: `pto.heatmap(result["y"])`, `pto.heatmap(result.tile("t"))`.

    Large arrays are shown as means of blocks of elements; a block with a NaN is red, one with an infinity is black. `valid` are the valid rows and columns:
    what lies outside of them is pale, and does not count in the figures. `written` tells which elements something wrote; others
    are grey. Tiles know both.
    """

    #: Cells in a direction; and cells that show their numbers, if there are no more.
    _most, _few = 128, 1024

    def __init__(self, array, *, title: str | None = None, valid: tuple[int, int] | None = None, written=None) -> None:
        import numpy

        if isinstance(array, TileContents):
            title = title or array.title
            valid = valid or array.valid
            written = array.written if written is None else written
            numbers, self.dtype = array.numbers, array.dtype
        else:
            numbers = numpy.asarray(array.detach().float() if hasattr(array, "detach") else array)
            self.dtype = str(numbers.dtype)
        self.shape, self.title = numbers.shape, title
        numbers = numbers.astype(numpy.float64)
        self.numbers = numbers.reshape(1, -1) if numbers.ndim < 2 else numbers.reshape(-1, numbers.shape[-1])
        rows, cols = self.numbers.shape
        #: Valid rows and columns; all, if nothing is said.
        self.valid = (rows, cols) if valid is None else (min(valid[0], rows), min(valid[1], cols))
        self.written = None if written is None else numpy.asarray(written, bool).reshape(rows, cols)

    def _json(self) -> str:
        import numpy

        numbers = self.numbers[: self.valid[0], : self.valid[1]]
        finite = numbers[numpy.isfinite(numbers)]
        ends = {} if finite.size == 0 else {"min": finite.min(), "max": finite.max(), "mean": finite.mean()}
        bad = {"nan": int(numpy.isnan(numbers).sum()), "inf": int(numpy.isinf(numbers).sum())}
        part = {} if self.valid == self.numbers.shape else {"valid": list(self.valid)}
        return json.dumps({"shape": list(self.shape), "dtype": self.dtype, **part, **ends, **bad})

    def to_html(self) -> str:
        return _page(self.title or "array", self._repr_html_())

    def _repr_html_(self) -> str:
        facts = self.to_json()
        words = [f"{'x'.join(map(str, self.shape))} {self.dtype}"]
        words += ["valid " + "x".join(map(str, facts["valid"]))] if "valid" in facts else []
        words += [f"{key} {facts[key]:.6g}" for key in ("min", "max", "mean") if key in facts]
        words += [f"{facts[key]} {key}" for key in ("nan", "inf") if facts[key]]
        title = f"<b>{html.escape(self.title)}</b> " if self.title else ""
        return f"<div>{title}<code>{html.escape('  '.join(words))}</code><br>{self._svg(facts)}</div>"

    def _svg(self, facts: dict) -> str:
        rows, cols = self.numbers.shape
        if not rows or not cols:
            return ""
        down, right = -(-rows // self._most), -(-cols // self._most)
        cells = self._cells(down, right)
        colours = _colours(cells, facts.get("min", 0.0), facts.get("max", 0.0))
        high, wide = cells.mean.shape
        size = max(2, min(16, 480 // max(high, wide)))
        parts = [f'<svg width="{wide * size}" height="{high * size}" shape-rendering="crispEdges">']
        parts.append((_rectangles if high * wide <= self._few else _image)(cells, colours, size, down, right))
        if self.valid != self.numbers.shape:
            box = self.valid[1] / right * size, self.valid[0] / down * size
            parts.append(
                f'<rect class="valid" x="0" y="0" width="{box[0]:g}" height="{box[1]:g}" fill="none" stroke="#080" stroke-width="2"/>'
            )
        return "".join(parts) + "</svg>"

    def _cells(self, down: int, right: int) -> _Cells:
        """Blocks of `down` times `right` elements. Of a block that is partly valid, its valid part counts."""
        import numpy

        rows, cols = self.numbers.shape
        starts = numpy.arange(0, rows, down), numpy.arange(0, cols, right)

        def total(elements):
            return numpy.add.reduceat(numpy.add.reduceat(elements, starts[0], axis=0), starts[1], axis=1)

        is_valid = numpy.zeros((rows, cols), bool)
        is_valid[: self.valid[0], : self.valid[1]] = True
        valid_blocks = (starts[0] < self.valid[0])[:, None] & (starts[1] < self.valid[1])
        counts = is_valid | ~valid_blocks.repeat(down, 0)[:rows].repeat(right, 1)[:, :cols]
        if self.written is not None:
            counts &= self.written
        finite = counts & numpy.isfinite(self.numbers)
        with numpy.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = total(numpy.where(finite, self.numbers, 0.0)) / total(finite.astype(float))
        nan, inf = (total((counts & f(self.numbers)).astype(int)) > 0 for f in (numpy.isnan, numpy.isinf))
        return _Cells(mean, nan, inf, total(counts.astype(int)) == 0, valid_blocks)

    def __repr__(self) -> str:
        return f"<heatmap of {self.title or 'an array'}: {'x'.join(map(str, self.shape))} {self.dtype}>"


class _Cells(NamedTuple):
    """What is shown of blocks of elements, an array each."""

    #: Of the finite numbers.
    mean: Any
    nan: Any
    inf: Any
    #: Nothing wrote them.
    unwritten: Any
    valid: Any


def _colours(cells: _Cells, low: float, high: float):
    """A colour for each cell: blue below zero, white at zero, orange above; white to dark blue if all numbers have one sign."""
    import numpy

    x = numpy.nan_to_num(cells.mean)
    if low < 0 < high:
        share = x / max(-low, high)
        ends = numpy.where((share < 0)[..., None], (33, 102, 172), (230, 97, 1))
    else:
        share = numpy.zeros_like(x) if high == low else (x - low) / (high - low)
        ends = numpy.array((8, 48, 107))
    # What is not valid may lie outside of the ends.
    share = numpy.clip(numpy.abs(share) if low < 0 < high else share, 0.0, 1.0)
    found = 255 + (ends - 255) * share[..., None]
    for where, colour in ((cells.inf, _INF), (cells.nan, _NAN), (cells.unwritten, _UNWRITTEN)):
        found[where] = colour
    pale = 255 - (255 - found) * 0.3
    return numpy.where(cells.valid[..., None], found, pale).round().astype(numpy.uint8)


def _rectangles(cells: _Cells, colours, size: int, down: int, right: int) -> str:
    """Cells with their numbers, which appear under the mouse."""
    parts = []
    for r, row in enumerate(colours):
        for c, colour in enumerate(row):
            what = "not written" if cells.unwritten[r, c] else "nan" if cells.nan[r, c] else "inf" if cells.inf[r, c] else f"{cells.mean[r, c]:.6g}"
            text = f"[{r * down}, {c * right}] {what}" + ("" if cells.valid[r, c] else ", not valid")
            parts.append(
                f'<rect x="{c * size}" y="{r * size}" width="{size}" height="{size}" fill="#{bytes(colour).hex()}">'
                f"<title>{text}</title></rect>"
            )
    return "".join(parts)


def _image(cells: _Cells, colours, size: int, down: int, right: int) -> str:
    """Many cells as an image, which is a hundredth of the size."""
    import base64

    high, wide, _ = colours.shape
    data = base64.b64encode(_png(colours)).decode()
    return (
        f'<image width="{wide * size}" height="{high * size}" preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{data}"/>'
    )


def _png(colours) -> bytes:
    """An image file of 8-bit colours."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    high, wide, _ = colours.shape
    lines = b"".join(b"\0" + bytes(line) for line in colours)
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


class TileContents(Report):
    """What a core holds in a tile at the end of a run: `result.tile("t")`. NumPy takes it as an array; a notebook shows a picture.

    `name`, `block`, `core`, `memory`, `address`, `dtype`, `shape` and `valid` say which tile it is, and of which core.
    If the program states addresses, tiles can share memory: this is what lies at the address of the tile.
    """

    def __init__(self, core: _core.TileContents) -> None:
        self._core = core
        #: The name in the program.
        self.name: str = core.name
        #: The block it is of.
        self.block: int = core.block
        #: The core of the block, `cube`, `vector 0` or `vector 1`; `None` if blocks have one core.
        self.core: str | None = core.core
        #: The memory it lies in.
        self.memory: str = core.memory
        #: The element type.
        self.dtype: str = core.element
        #: Rows and columns.
        self.shape: tuple[int, int] = core.shape
        #: Valid rows and columns at the end of the run.
        self.valid: tuple[int, int] = core.valid
        #: The address in its memory, if the program states one.
        self.address: int | None = core.address

    @property
    def array(self):
        """Every element, also those that are not valid, as a NumPy array; `tile.array[:tile.valid[0], :tile.valid[1]]` is the valid part."""
        from .arrays import _made

        data, name = self._core.elements()
        return _made(data, name, self.shape)

    @property
    def numbers(self):
        """The same as `float64`, whatever the element type is; packed numbers of four bits are two columns."""
        import numpy

        return numpy.frombuffer(self._core.numbers()).reshape(self.shape[0], -1)

    @property
    def written(self):
        """For each element of `numbers`, whether something wrote it."""
        import numpy

        written = numpy.frombuffer(self._core.written(), bool).reshape(self.shape)
        return written.repeat(self.numbers.shape[1] // self.shape[1], axis=1) if self.shape[1] else written

    @property
    def title(self) -> str:
        """The name and the core."""
        where = f" of {self.core}" if self.core else ""
        return f"{self.name}{where}, block {self.block}"

    def __array__(self, dtype=None, copy=None):
        array = self.array
        return array if dtype is None else array.astype(dtype)

    def _json(self) -> str:
        facts = {"name": self.name, "block": self.block, "core": self.core, "memory": self.memory, "address": self.address}
        return json.dumps({**facts, **heatmap(self).to_json()})

    def to_html(self) -> str:
        return _page(self.title, self._repr_html_())

    def _repr_html_(self) -> str:
        return heatmap(self)._repr_html_()

    def __repr__(self) -> str:
        at = "" if self.address is None else f" at {self.address}"
        return f"<tile {self.title}: {self.memory}{at} {_sizes(self.shape, self.valid, self.dtype)}>"


class TileList(list, Report):
    """What tiles hold at the end of a run: `result.tiles`, for each core that wrote them."""

    #: Tiles that a notebook shows.
    _most = 24

    def __init__(self, tiles: Iterable[TileContents] = (), left_out: int = 0) -> None:
        super().__init__(tiles)
        #: Tiles that were left out, because there were too many.
        self.left_out = left_out

    def find(self, name: str, block: int | None = None, core: str | None = None) -> TileContents:
        """A tile by name; the first one, or that of a block or core."""
        name = name.lstrip("%")
        fits = [t for t in self if t.name == name and block in (None, t.block) and core in (None, t.core)]
        if not fits:
            names = ", ".join(dict.fromkeys(t.name for t in self)) or "none"
            where = "".join([f" in block {block}" * (block is not None), f" on core {core!r}" * (core is not None)])
            raise KeyError(f"no core wrote a tile {name!r}{where}; kept are {names}")
        return fits[0]

    def _json(self) -> str:
        return json.dumps([tile.to_json() for tile in self])

    def to_html(self) -> str:
        return _page("tiles", self._repr_html_())

    def _repr_html_(self) -> str:
        shown = "\n".join(tile._repr_html_() for tile in self[: self._most])
        rest = len(self) - self._most + self.left_out
        return shown + (f"<p>and {rest} more</p>" if rest > 0 else "") if self or self.left_out else "<p>no tiles</p>"


def _kept(tiles: list[_core.TileContents], left_out: int) -> TileList:
    return TileList(map(TileContents, tiles), left_out)


def _sizes(shape: tuple[int, int], valid: tuple[int, int], dtype: str) -> str:
    part = "" if tuple(valid) == tuple(shape) else f", valid {'x'.join('?' if n < 0 else str(n) for n in valid)}"
    return f"{shape[0]}x{shape[1]} {dtype}{part}"


def _type_html(ty: _core.TileType, name: str | None = None) -> str:
    """A tile type as a picture: the rows and columns, with the valid region filled; open ends are dashed."""
    rows, cols = ty.rows, ty.cols
    scale = 160 / max(rows, cols, 1)
    wide, high = max(4.0, cols * scale), max(4.0, rows * scale)
    valid_rows, valid_cols = ty.valid
    box = wide if valid_cols < 0 else wide * valid_cols / max(cols, 1), high if valid_rows < 0 else high * valid_rows / max(rows, 1)
    dashed = ' stroke-dasharray="4 3"' if min(ty.valid) < 0 else ""
    words = f"{name + ': ' if name else ''}{ty.memory} {_sizes((rows, cols), ty.valid, ty.element)}"
    return (
        f"<div><code>{html.escape(words)}</code><br>"
        f'<svg width="{wide + 2:g}" height="{high + 2:g}"><rect x="1" y="1" width="{wide:g}" height="{high:g}" fill="#eee" stroke="#999"/>'
        f'<rect class="valid" x="1" y="1" width="{box[0]:g}" height="{box[1]:g}" fill="#9ecae1" stroke="#080"{dashed}/></svg></div>'
    )
