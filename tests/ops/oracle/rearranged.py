"""Cases of the instructions that change the layout of tiles inside a memory."""

import numpy as np
from .cases import DST_FILL, Case, Tile, destination, filled, source
from .formats import INTS, STORAGE, bits_of, block
from .transfers import TYPES, anything, pad_value


def ttrans(table, rng):
    out = []
    for d in table.types("ttrans", TYPES):
        on, b = table.targets("ttrans", d), block(d)
        shapes = [("full", (b, b), (b, b), "ND", False)]
        if d in ("u8", "f16", "f32", "i64"):
            shapes += [
                ("tail", (b, b), (b - 3, b - 1), "ND", False),
                ("one row", (1, b), (1, b), "ND", False),
                ("one column", (b, b), (b, 1), "ND", False),
                ("dynamic", (b, b), (2, 3), "ND", True),
                ("wide", (3, 3 * b), (3, 2 * b + 1), "ND", False),
                ("to DN", (b, b), (b - 1, b), "DN", False),
            ]
        for name, shape, valid, order, dynamic in shapes:
            numbers = anything(d, valid[0] * valid[1], rng).reshape(valid)
            room = (shape[1], -(-shape[0] // b) * b) if order == "ND" else (-(-shape[1] // b) * b, shape[0])
            dst = destination(d, room, valid[::-1], numbers.T, order=order, dynamic=dynamic)
            tiles = {"src": source(d, shape, valid, numbers, dynamic=dynamic), "dst": dst}
            out.append(Case(f"{d} {name}", on, tiles, exact_nan=True))
    stops = Case("f32 no room", table.on("ttrans"), {}, stops="the tile is valid in 3x8")
    stops.tiles = {"src": source("f32", (3, 8), (3, 8), anything("f32", 24, rng)), "dst": destination("f32", (4, 8), (4, 3), filled("f32", (4, 3), DST_FILL))}
    return out + [stops]


FILLED = ["i8", "u8", "i16", "u16", "i32", "u32", "f16", "bf16", "f32"]


def filled_pad(d, shape, valid, numbers, pad):
    out = np.full(shape, pad_value(d, pad), STORAGE[d])
    out[: valid[0], : valid[1]] = numbers
    return out


def tfillpad(op):
    def make(table, rng):
        out, on = [], table.on(op)
        for d in FILLED:
            b = block(d)
            for pad in ("zero", "max", "min"):
                shape, valid = (3, 2 * b), (2, b + 3)
                numbers = anything(d, valid[0] * valid[1], rng).reshape(valid)
                if op == "tfillpad_inplace":
                    tile = source(d, shape, valid, numbers, pad=pad)
                    tile.expect = filled_pad(d, shape, valid, numbers, pad)
                    out.append(Case(f"{d} {pad}", on, {"src": tile}, same={"dst": "src"}, exact_nan=True))
                    continue
                room = (5, 3 * b) if op == "tfillpad_expand" else shape
                dst = Tile(d, filled(d, room, DST_FILL), room, filled_pad(d, room, valid, numbers, pad), pad=pad)
                out.append(Case(f"{d} {pad}", on, {"src": source(d, shape, valid, numbers), "dst": dst}, exact_nan=True))
        if op == "tfillpad":
            out += more_fills(rng, on)
        return out

    return make


def more_fills(rng, on):
    """A larger destination, a dynamic region, a region that is everything, one tile for both, and boxes in mat."""
    numbers = anything("f32", 15, rng).reshape(3, 5)
    larger = Tile("f32", filled("f32", (6, 16), DST_FILL), (6, 16), filled_pad("f32", (6, 16), (3, 5), numbers, "min"), pad="min")
    out = [Case("f32 larger", on, {"src": source("f32", (4, 8), (3, 5), numbers), "dst": larger}, exact_nan=True)]
    dst = Tile("f32", filled("f32", (4, 8), DST_FILL), (4, 8), filled_pad("f32", (4, 8), (3, 5), numbers, "max"), pad="max")
    out.append(Case("f32 dynamic", on, {"src": source("f32", (4, 8), (3, 5), numbers, dynamic=True), "dst": dst}, exact_nan=True))
    whole = anything("f16", 32, rng).reshape(2, 16)
    dst = Tile("f16", filled("f16", (2, 16), DST_FILL), (2, 16), whole, pad="zero")
    out.append(Case("f16 nothing to fill", on, {"src": source("f16", (2, 16), (2, 16), whole), "dst": dst}, exact_nan=True))
    for name, d, loc, order in (("one tile", "i16", "vec", "ND"), ("boxes in mat", "f16", "mat", "NZ")):
        numbers = anything(d, 13 * 11, rng).reshape(13, 11)
        tile = source(d, (16, 32), (13, 11), numbers, loc=loc, order=order, pad="zero")
        tile.expect = filled_pad(d, (16, 32), (13, 11), numbers, "zero")
        out.append(Case(f"{d} {name}", on, {"src": tile}, same={"dst": "src"}, exact_nan=True))
    numbers = anything("f4e2m1", 13 * 37, rng).reshape(13, 37) & 0xF
    tile = source("f4e2m1", (16, 64), (13, 37), numbers, loc="mat", order="NZ", pad="zero")
    tile.expect = filled_pad("f4e2m1", (16, 64), (13, 37), numbers, "zero")
    out.append(Case("f4e2m1 in mat", ["a5", "cpu"], {"src": tile}, same={"dst": "src"}, exact_nan=True))
    return out


PLAIN = ["i8", "u8", "i16", "u16", "i32", "u32", "f16", "bf16", "f32"]


def concatenated(table, rng, op, name, on, d, widths, room, rows=3, **more):
    """Two tiles side by side; `counts` are the elements of each row that are asked for."""
    b = block(d)
    a, c = (anything(d, rows * w, rng).reshape(rows, w) for w in widths)
    counts = more.pop("counts", None)
    cols = more.pop("cols", sum(widths))
    dst = Tile(d, filled(d, (rows, room), DST_FILL), (rows, cols), dynamic=more.get("dynamic", False))
    dst.expect = dst.data.copy()
    for r in range(rows):
        n = counts[r] if counts else widths
        row = np.concatenate([a[r, : n[0]], c[r, : n[1]]])
        if counts:
            row = row[:cols]
        dst.expect[r, : len(row)] = row
    width = lambda w: -(-w // b) * b
    tiles = {
        "src0": source(d, (rows, width(widths[0])), (rows, widths[0]), a, **more),
        "src1": source(d, (rows, width(widths[1])), (rows, widths[1]), c, **more),
    }
    if counts:
        kind = table
        size = np.dtype(STORAGE[kind]).itemsize
        for k, slot in enumerate(("src0_idx", "src1_idx")):
            bytes_ = np.array([[n[k] * size] for n in counts], STORAGE[kind])
            tiles[slot] = source(kind, (rows, 32 // size), (rows, 1), bytes_)
    tiles["dst"] = dst
    return Case(f"{d} {name}", on, tiles, exact_nan=True)


def tconcat(table, rng):
    out = []
    for d in table.types("tconcat", PLAIN):
        on, b = table.targets("tconcat", d), block(d)
        one = lambda name, widths, room, **more: out.append(concatenated(None, rng, "tconcat", name, on, d, widths, room, **more))
        one("full", (b, b), 2 * b)
        one("tail", (b - 3, b + 1), 3 * b)
        one("dynamic", (3, 2), b, dynamic=True)
    return out


def tconcatidx(table, rng):
    out = []
    for d in table.types("tconcatidx", PLAIN):
        on, b = table.targets("tconcatidx", d), block(d)
        for kind in ("i8", "u16", "i32", "u32") if d == "f32" else ("i32",):
            one = lambda name, counts, **more: out.append(concatenated(kind, rng, "tconcatidx", f"{name} {kind}", on, d, (b, b - 1), 2 * b, counts=counts, **more))
            one("counted", [(b, b - 1), (0, 3), (2, 0)])
            one("cut", [(b, b - 1), (1, b - 1), (4, 2)], cols=b + 2)
    far = concatenated("i32", rng, "tconcatidx", "too many", table.on("tconcatidx"), "f32", (8, 8), 16, counts=[(8, 8), (1, 1), (1, 1)])
    far.tiles["src0_idx"].data[1, 0] = 36
    far.stops = "the index at [1, 0] is 9"
    return out + [far]


SHAPES = [("full", 3, 1, 0, False), ("tail", 2, 2, 6, False), ("one row", 1, 1, 2, False), ("dynamic", 2, 1, 4, True)]
"""Rows, blocks of columns, columns that are not valid, and whether the region is open."""


def tinterleave(table, rng):
    out = []
    for d in table.types("tinterleave", TYPES):
        b = block(d)
        for name, rows, blocks, less, dynamic in SHAPES:
            cols = blocks * b - less
            if cols <= 0 or (d in ("i64", "u64") and name != "full"):
                continue
            a, c = (anything(d, rows * cols, rng).reshape(rows, cols) for _ in range(2))
            long = np.stack([a, c], 2).reshape(rows, 2 * cols)
            shape = (rows, blocks * b)
            tiles = {
                "src0": source(d, shape, (rows, cols), a, dynamic=dynamic),
                "src1": source(d, shape, (rows, cols), c, dynamic=dynamic),
                "dst0": destination(d, shape, (rows, cols), long[:, :cols], dynamic=dynamic),
                "dst1": destination(d, shape, (rows, cols), long[:, cols:], dynamic=dynamic),
            }
            out.append(Case(f"{d} {name}", table.targets("tinterleave", d), tiles, exact_nan=True))
    return out


def tdeinterleave(table, rng):
    out = []
    for d in table.types("tdeinterleave", TYPES):
        b = block(d)
        for name, rows, blocks, less, dynamic in SHAPES:
            cols = blocks * b - less
            if cols <= 0 or (d in ("i64", "u64") and name != "full"):
                continue
            for sources in (2, 1):
                shape = (rows, blocks * b)
                long = anything(d, rows * sources * cols, rng).reshape(rows, sources * cols)
                valid = (rows, sources * cols // 2)
                tiles = {"src0": source(d, shape, (rows, cols), long[:, :cols], dynamic=dynamic)}
                if sources == 2:
                    tiles["src1"] = source(d, shape, (rows, cols), long[:, cols:], dynamic=dynamic)
                for k, slot in enumerate(("dst0", "dst1")):
                    tiles[slot] = destination(d, shape, valid, long[:, k::2], dynamic=dynamic)
                number = {1: "one source", 2: "two sources"}[sources]
                out.append(Case(f"{d} {name}, {number}", table.targets("tdeinterleave", d), tiles, exact_nan=True))
    return out


def tpack(table, rng):
    out = []
    for s in ("i32", "u32", "i16", "u16"):
        for d in ("i16", "u16", "i8", "u8"):
            if bits_of(s) <= bits_of(d):
                continue
            b = block(d)
            for name, valid, dynamic in (("full", (2, b), False), ("tail", (2, b - 3), False), ("dynamic", (1, 5), True)):
                numbers = anything(s, valid[0] * valid[1], rng).reshape(valid)
                low = numbers.astype(np.int64).astype(STORAGE[d])
                tiles = {
                    "src": source(s, (2, b), valid, numbers, dynamic=dynamic),
                    "dst": destination(d, (2, b), valid, low, dynamic=dynamic),
                }
                out.append(Case(f"{s} {d} {name}", table.on("tpack"), tiles))
    return out


def columns(fmap, pads, filters, strides, dilations, value):
    """The matrix of a convolution: a row for each position of the filter, a column for each channel group, tap and lane."""
    n, c1, h, w, c0 = fmap.shape
    left, right, top, bottom = pads
    padded = np.pad(fmap, ((0, 0), (0, 0), (top, bottom), (left, right), (0, 0)), constant_values=value)
    out = [(size + a + b - d * (f - 1) - 1) // s + 1 for size, a, b, d, f, s in ((h, top, bottom, dilations[0], filters[0], strides[0]), (w, left, right, dilations[1], filters[1], strides[1]))]
    rows = []
    for image in range(n):
        for y in range(out[0]):
            for x in range(out[1]):
                ys = y * strides[0] + dilations[0] * np.arange(filters[0])
                xs = x * strides[1] + dilations[1] * np.arange(filters[1])
                rows.append(padded[image][:, ys][:, :, xs].reshape(-1))
    return np.array(rows)


def timg2col(table, rng):
    out = []
    convolutions = [
        ("plain", (1, 1, 4, 4), (0, 0, 0, 0), (2, 2), (1, 1), (1, 1), (0, 0)),
        ("padded", (1, 2, 3, 5), (1, 2, 1, 0), (3, 2), (1, 2), (1, 1), (1, 1)),
        ("dilated", (2, 1, 5, 4), (2, 2, 1, 1), (2, 2), (2, 1), (2, 3), (0, 0)),
    ]
    for d in table.types("timg2col", [d for d in TYPES if bits_of(d) >= 8]):
        c0, on = block(d), table.targets("timg2col", d)
        for name, shape, pads, filters, strides, dilations, at in convolutions if d in ("i8", "f16", "f32") else convolutions[:1]:
            fmap = anything(d, int(np.prod(shape)) * c0, rng).reshape(*shape, c0)
            bits = int(rng.integers(0, 100)) if name != "plain" else 0
            value = np.frombuffer(bits.to_bytes(8, "little")[: fmap.itemsize], fmap.dtype)[0]
            matrix = columns(fmap, pads, filters, strides, dilations, value)
            m, k = at[0] * 2, at[1] * c0
            part = matrix[m : m + 16, k : k + c0]
            source_rows = fmap.reshape(-1, c0)
            height = -(-len(source_rows) // 16) * 16
            src = source(d, (height, c0), source_rows.shape, source_rows, loc="mat")
            dst = destination(d, (16, c0), part.shape, part, loc="left", order="ZZ")
            setting = dict(zip(("padLeft", "padRight", "padTop", "padBottom"), pads), fmapH=shape[2], fmapW=shape[3])
            words = ", ".join(f"{key} = {n} : i32" for key, n in setting.items())
            attrs = {"filterH": filters[0], "filterW": filters[1], "strideH": strides[0], "strideW": strides[1]}
            attrs |= {"dilationH": dilations[0], "dilationW": dilations[1], "channels": shape[1] * c0}
            case = Case(f"{d} {name}", on, {"src": src, "dst": dst}, attrs=attrs, exact_nan=True)
            case.before = [f"setfmatrix ins($src) {{{words}}}", f"set_img2col_padding ins($src) {{padValue = {bits} : i64}}"]
            case.scalars = {"pos_m": ("i32", m), "pos_k": ("i32", k)}
            out.append(case)
    small = source("f16", (16, 16), (16, 16), anything("f16", 256, rng), loc="mat")
    left = destination("f16", (16, 16), (16, 16), filled("f16", (16, 16), DST_FILL), loc="left", order="ZZ")
    out.append(Case("f16 no map", table.on("timg2col"), {"src": small, "dst": left}, stops="the window has 0x0"))
    return out


CASES = {
    "timg2col": [timg2col],
    "ttrans": [ttrans],
    "tfillpad": [tfillpad("tfillpad")],
    "tfillpad_inplace": [tfillpad("tfillpad_inplace")],
    "tfillpad_expand": [tfillpad("tfillpad_expand")],
    "tconcat": [tconcat],
    "tconcatidx": [tconcatidx],
    "tinterleave": [tinterleave],
    "tdeinterleave": [tdeinterleave],
    "tpack": [tpack],
}
