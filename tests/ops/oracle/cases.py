"""Cases and how they are written."""

import dataclasses
import numpy as np
from .formats import STORAGE, bits_of

DST_FILL = 0xA5
"""What destinations hold before."""


@dataclasses.dataclass
class Tile:
    """A tile operand: `data` and `expect` are the whole physical rectangle, whatever the layout."""

    dtype: str
    data: np.ndarray
    valid: tuple
    expect: np.ndarray = None
    dynamic: bool = False
    order: str = "ND"
    loc: str = "vec"
    fractal: int = 512
    pad: str = ""

    def type(self):
        rows, cols = self.data.shape
        text = f"{self.loc} {rows}x{cols} {self.dtype}"
        if self.order != "ND":
            text += f" {self.order}"
        if self.fractal != 512:
            text += f" fractal={self.fractal}"
        if self.pad:
            text += f" pad {self.pad}"
        if self.dynamic or self.valid != (rows, cols):
            text += f" valid {self.valid[0]}x{self.valid[1]}"
        return text + (" dynamic" if self.dynamic else "")


def source(d, shape, valid, numbers, poison=0xFF, **more):
    """A tile with these numbers in its valid region, and elsewhere what would show if it were read."""
    data = filled(d, shape, poison)
    if packed(d, more.get("loc", "vec")):
        data &= 0xF
    data[: valid[0], : valid[1]] = np.asarray(numbers).reshape(valid)
    return Tile(d, data, valid, **more)


def packed(d, loc):
    """Cells are numbers of four bits, two to a byte."""
    return d == "i4" or d in ("f4e1m2", "f4e2m1") and loc != "vec"


def filled(d, shape, byte):
    size = shape[0] * shape[1] * np.dtype(STORAGE[d]).itemsize
    data = np.frombuffer(bytes([byte]) * size, STORAGE[d]).reshape(shape).copy()
    return data & 0xF if d == "i4" else data


def destination(d, shape, valid, numbers, **more):
    """A tile whose valid region gets these numbers, and the rest of which stays."""
    tile = Tile(d, filled(d, shape, DST_FILL), valid, **more)
    if packed(d, tile.loc):
        tile.data &= 0xF
    tile.expect = written(tile.data, np.asarray(numbers))
    return tile


def written(data, numbers):
    """The numbers over the top left corner of what was there."""
    out = data.copy()
    out[: numbers.shape[0], : numbers.shape[1]] = numbers
    return out


@dataclasses.dataclass
class View:
    """A window of a buffer in global memory: `data` and `expect` are the whole buffer."""

    dtype: str
    layout: str
    shape: tuple
    strides: tuple
    first: int
    data: np.ndarray
    expect: np.ndarray = None
    loc: str = "vec"
    """The memory of the tile: that decides what is counted."""


@dataclasses.dataclass
class Case:
    name: str
    targets: list
    tiles: dict
    scalars: dict = dataclasses.field(default_factory=dict)
    attrs: dict = dataclasses.field(default_factory=dict)
    same: dict = dataclasses.field(default_factory=dict)
    ulp: int = 0
    exact_nan: bool = False
    stops: str = ""
    vectors: dict = dataclasses.field(default_factory=dict)
    views: dict = dataclasses.field(default_factory=dict)
    before: list = dataclasses.field(default_factory=list)


def raw(tile, data):
    """Little-endian bytes in row-major order; two numbers of four bits in a byte."""
    flat = np.ascontiguousarray(data).reshape(-1)
    if packed(tile.dtype, tile.loc):
        flat = (flat[0::2] & 0xF) | (flat[1::2] & 0xF) << 4
    return flat.tobytes()


def runs(data, unit):
    """Bytes as hexadecimal words; `word*n` where a word repeats."""
    words, plain, at = [], bytearray(), 0
    while at < len(data):
        best, count = 0, 1
        for period in (1, unit, 7 * unit, 14 * unit):
            n, word = 1, data[at : at + period]
            while len(word) == period and data[at + n * period : at + (n + 1) * period] == word:
                n += 1
            if n > 1 and (n - 1) * period > max(3, (count - 1) * best):
                best, count = period, n
        if best:
            if plain:
                words.append(plain.hex())
                plain = bytearray()
            words.append(f"{data[at:at + best].hex()}*{count}")
            at += best * count
        else:
            plain += data[at : at + unit]
            at += unit
    return " ".join(words + ([plain.hex()] if plain else []))


def hexes(tile, data):
    return runs(raw(tile, data), max(1, bits_of(tile.dtype) // 8))


def scalar_bits(d, value):
    element = np.array([value]).astype(STORAGE[d]) if not isinstance(value, np.generic) else np.array([value], STORAGE[d])
    width = element.itemsize
    return f"0x{int.from_bytes(element.tobytes(), 'little'):0{2 * width}x}"


def literal(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def table(pairs):
    return "{ " + ", ".join(f"{k} = {v}" for k, v in pairs) + " }"


def write(path, op, cases):
    names = [c.name for c in cases]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
    lines = ["# Written by generate.py; README.md explains the format.", f'op = "{op}"']
    for c in cases:
        assert c.targets, (op, c.name)
        lines += ["", "[[case]]", f'name = "{c.name}"', "targets = [" + ", ".join(f'"{t}"' for t in c.targets) + "]"]
        if c.attrs:
            lines.append("attrs = " + table((k, literal(v)) for k, v in c.attrs.items()))
        if c.ulp:
            lines.append(f"ulp = {c.ulp}")
        if c.exact_nan:
            lines.append("exact_nan = true")
        if c.stops:
            lines.append(f'stops = "{c.stops}"')
        if c.same:
            lines.append("same = " + table((k, f'"{v}"') for k, v in c.same.items()))
        if c.vectors:
            lines.append("vectors = " + table((k, f'"{v}"') for k, v in c.vectors.items()))
        for name, tile in c.tiles.items():
            parts = [("type", f'"{tile.type()}"'), ("data", f'"{hexes(tile, tile.data)}"')]
            if tile.expect is not None:
                parts.append(("expect", f'"{hexes(tile, tile.expect)}"'))
            lines.append(f"tiles.{name} = {table(parts)}")
        for name, view in c.views.items():
            parts = [("type", f'"{view.dtype}"'), ("layout", f'"{view.layout}"'), ("shape", list(view.shape))]
            parts += [("strides", list(view.strides)), ("first", view.first), ("data", f'"{hexes(view, view.data)}"')]
            if view.expect is not None:
                parts.append(("expect", f'"{hexes(view, view.expect)}"'))
            lines.append(f"views.{name} = {table(parts)}")
        if c.before:
            lines.append("before = " + str(c.before).replace("'", '"'))
        for name, (d, value) in c.scalars.items():
            lines.append(f"scalars.{name} = {table([('type', chr(34) + d + chr(34)), ('bits', chr(34) + scalar_bits(d, value) + chr(34))])}")
    path.write_text("\n".join(lines) + "\n")
