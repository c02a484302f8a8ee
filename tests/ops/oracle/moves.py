"""Moves between on-chip memories: copies of bits, and the conversions on the way out of the accumulator."""

from fractions import Fraction
import math
import numpy as np
from . import values
from .cases import DST_FILL, Case, Tile, destination, filled, source
from .formats import FORMATS, STORAGE, encode, round_float, round_integral

OPERANDS_A2A3 = ["i8", "f16", "bf16", "f32"]
OPERANDS_A5 = ["i8", "hif8", "f8e5m2", "f8e4m3", "f16", "bf16", "f32", "f4e2m1", "f4e1m2", "f8e8m0"]
ALL = ["a2a3", "a5", "cpu"]


def bits(d, shape, rng):
    """Any elements, four-bit ones one to a cell."""
    if d in ("f4e2m1", "f4e1m2"):
        return rng.integers(0, 16, shape).astype(np.uint8)
    size = int(np.prod(shape)) * np.dtype(STORAGE[d]).itemsize
    return np.frombuffer(rng.bytes(size), STORAGE[d]).reshape(shape).copy()


def copied(d, at, shape, valid, rng, order, to):
    """Two tiles of one shape; the second gets the valid region of the first."""
    x = bits(d, valid, rng)
    src = source(d, shape, valid, x, loc=at, order=order)
    return {"src": src, "dst": destination(d, shape, valid, x, loc=to[0], order=to[1])}


def tmov(table, rng):
    for d in OPERANDS_A5:
        targets = ALL if d in OPERANDS_A2A3 else ["a5", "cpu"]
        shape, valid = (32, 32), (13, 10)
        for to in (("left", "NZ"), ("right", "ZN")):
            for order in ("NZ", "ZN", "ND", "ZZ"):
                if order in ("ND", "ZZ") and d not in ("f16", "f32"):
                    continue
                yield Case(f"{d} mat {order} to {to[0]}", targets, copied(d, "mat", shape, valid, rng, order, to))
    for d in ("f32", "i32"):
        yield Case(f"{d} bias", ALL, copied(d, "mat", (1, 16), (1, 11), rng, "ND", ("bias", "ND")))
    for d in ("f16", "bf16"):
        x = values.array(d, np.resize(values.corners(d), 29)).reshape(1, 29)
        tiles = {"src": source(d, (1, 32), (1, 29), x, loc="mat"), "dst": destination("f32", (1, 32), (1, 29), x.astype(np.float32), loc="bias")}
        yield Case(f"{d} bias widened", ALL if d == "f16" else ["a5", "cpu"], tiles)
    for d in ("u64", "i64"):
        yield Case(f"{d} words", ALL, copied(d, "mat", (1, 16), (1, 16), rng, "ND", ("scaling", "ND")))
    for to, order in (("scale_left", "ZZ"), ("scale_right", "NN")):
        x = bits("f8e8m0", (16, 6), rng) if order == "ZZ" else bits("f8e8m0", (6, 16), rng)
        tiles = {"src": source("f8e8m0", x.shape, x.shape, x, loc="mat", order=order, fractal=32), "dst": destination("f8e8m0", x.shape, x.shape, x, loc=to, order=order, fractal=32)}
        yield Case(f"scales to {to}", ["a5", "cpu"], tiles)
    for d in ("i8", "u8", "i16", "u16", "i32", "u32", "f16", "bf16", "f32", "f8e4m3", "f4e2m1"):
        shape, valid = (32, 32), (9, 11)
        x = bits(d, valid, rng)
        x = x | x << 4 if d == "f4e2m1" else x
        tiles = {"src": source(d, shape, valid, x), "dst": destination(d, shape, valid, x)}
        yield Case(f"{d} in vec", ALL if d not in ("f8e4m3", "f4e2m1") else ["a5", "cpu"], tiles)
    for order in ("DN", "NZ"):
        yield Case(f"f16 in vec, {order}", ALL, copied("f16", "vec", (32, 32), (17, 5), rng, order, ("vec", "ND")))
    x = bits("f32", (2, 7), rng)
    smaller = {"src": source("f32", (4, 8), (2, 7), x), "dst": destination("f32", (4, 8), (4, 8), x, dynamic=True)}
    yield Case("the smaller region counts", ALL, smaller)
    # Tiles of several boxes either way, all of them valid: each size of element is turned in registers of its own kind.
    for d in ("i8", "f16", "f32"):
        shape = (64, {"i8": 96, "f16": 48, "f32": 32}[d])
        yield Case(f"{d} boxes to right", ALL, copied(d, "mat", shape, shape, rng, "NZ", ("right", "ZN")))
    for d in ("f16", "f32", "i8", "f8e8m0"):
        for order, to in (("ND", "NZ"), ("NZ", "NZ"), ("ND", "ZN")):
            yield Case(f"{d} vec {order} to mat {to}", ["a5", "cpu"], copied(d, "vec", (32, 32), (13, 10), rng, order, ("mat", to)))
    yield from exponents(rng)
    yield from from_accumulator(rng, "tmov")


def exponents(rng):
    """The ZZ form: boxes of 16 rows and 2 columns, one after the other."""
    x = bits("u8", (16, 32), rng)
    out = filled("u8", (16, 32), DST_FILL).reshape(-1)
    for i, v in enumerate(x.flat):
        r, c = i // 32, i % 32
        out[r // 16 * 16 * 32 + c // 2 * 32 + r % 16 * 2 + c % 2] = v
    yield Case("exponents by rows", ["a5", "cpu"], zz_tiles(x, out), attrs={"grpAxis": "axis1"})
    out = filled("u8", (16, 32), DST_FILL).reshape(-1)
    for r in range(16):
        for c in range(32):
            out[(c // 16 * 8 + r // 2) * 32 + c % 16 * 2 + r % 2] = x[r, c]
    yield Case("exponents by columns", ["a5", "cpu"], zz_tiles(x, out), attrs={"grpAxis": "axis0"})


def zz_tiles(x, memory):
    """The destination is written in memory order: its boxes have 16 rows and 2 columns."""
    rows, cols = x.shape
    expect = np.zeros((rows, cols), np.uint8)
    for r in range(rows):
        for c in range(cols):
            expect[r, c] = memory[r // 16 * 16 * cols + c // 2 * 32 + r % 16 * 2 + c % 2]
    dst = Tile("u8", filled("u8", (rows, cols), DST_FILL), (rows, cols), expect, order="ZZ", fractal=32)
    return {"src": source("u8", (rows, cols), (rows, cols), x), "fp": source("u8", (8, 64), (8, 64), bits("u8", (8, 64), np.random.default_rng(1))), "dst": dst}


# ---- out of the accumulator ---------------------------------------------------------------------------------------

CASTS = {("f32", "f16"): ALL, ("f32", "bf16"): ALL, ("f32", "f32"): ["a5", "cpu"], ("i32", "i32"): ["a5", "cpu"]}
QUANT_A2A3 = {("f32", "i8"), ("i32", "i8"), ("i32", "u8"), ("i32", "f16"), ("i32", "i16")}
QUANT_A5 = {("f32", d) for d in ("i8", "u8", "f16", "bf16", "f32", "hif8", "f8e4m3", "f8e5m2")} | {("i32", d) for d in ("i8", "u8", "f16", "bf16")}


def bounded(dst, x):
    """Finite numbers go no further than the largest one; infinities stay where the format has them."""
    fmt = FORMATS[dst]
    if math.isnan(x):
        return encode(dst, math.nan)
    if math.isinf(x):
        return encode(dst, x if fmt.infinities else math.nan)
    got = round_float(dst, Fraction(x), "ROUND" if dst == "hif8" else "RINT")
    got = max(min(got, Fraction(fmt.largest)), -Fraction(fmt.largest))
    return encode(dst, math.copysign(float(got), x))


def positive(x):
    return x if x > 0 or x != x else 0.0


def cast(dst, x, relu):
    if dst == "i32":
        return np.int32(max(int(x), 0) if relu else int(x))
    x = np.float32(x)
    x = np.float32(positive(float(x))) if relu else x
    with np.errstate(all="ignore"):
        return x.astype(STORAGE[dst])


def quantised(dst, x, scale, word, relu):
    """One number of the accumulator, with the scale and the other fields of its word."""
    if dst == "i16":
        n = int(x) >> ((word >> 32 & 15) + 1)
        return np.int16(min(max(n, 0 if relu else -(2**15)), 2**15 - 1))
    with np.errstate(all="ignore"):
        t = np.float32(x) * np.float32(scale)
        if dst not in ("i8", "u8"):
            return bounded(dst, positive(float(t)) if relu else float(t))
        t = t + np.float32(word >> 37 & 0x1FF)
    low, high = (-128, 127) if word >> 46 & 1 else (0, 255)
    if np.isnan(t):
        n = 0
    else:
        n = (high if t > 0 else low) if np.isinf(t) else min(max(round_integral(Fraction(float(t)), "RINT"), low), high)
    n = max(n, 0) if relu else n
    return np.uint8(n % 256).astype(np.uint8).view(STORAGE[dst])


def accumulated(src, n, rng):
    if src == "i32":
        known = [0, 1, -1, 100, -100, 5, 7, 2**31 - 1, -(2**31), 65504, 70000, -70000, 2**24 + 1, 300, -300]
        return np.concatenate([np.array(known, np.int32), rng.integers(-1000, 1000, n - len(known), np.int32)])
    known = values.array("f32", values.corners("f32") + [65504.0, 65519.0, 65520.0, 1e30, 448.0, 464.0, 460.0, 0.25, 0.75, 250.5, 57344.0, 6e4, 4e4])
    return np.concatenate([known, values.array("f32", (rng.standard_normal(n - len(known)) * 60).astype(np.float32))])


def word(scale, offset, signed, shift=3):
    bits = int(np.float32(scale).view(np.uint32))
    return bits | (shift - 1) << 32 | offset << 37 | int(signed) << 46


def from_accumulator(rng, op):
    """All conversions, into mat and vec."""
    for (src, dst), targets in CASTS.items():
        for to, order in (("mat", "NZ"), ("vec", "ND"), ("vec", "NZ")):
            for relu in (False, True):
                if relu and to == "vec":
                    continue
                on = ["a5", "cpu"] if op != "tmov" and to == "vec" else targets if to == "mat" else ALL if targets == ALL else targets
                yield case(rng, op, src, dst, None, relu, (to, order), on)
    for src, dst in sorted(QUANT_A2A3 | QUANT_A5):
        on = ["a2a3"] * ((src, dst) in QUANT_A2A3) + ["a5"] * ((src, dst) in QUANT_A5) + ["cpu"]
        for relu in (False, True):
            yield case(rng, op, src, dst, "scalar", relu, ("mat", "NZ"), on)


def case(rng, op, src, dst, quant, relu, to, targets):
    shape, valid = (16, 64), (3, 21)
    x = accumulated(src, valid[0] * valid[1], rng).reshape(valid)
    words, tiles, scalars = [0] * valid[1], {}, {}
    if quant == "scalar":
        w = word(0.371, 9, dst != "u8")
        words, scalars = [w] * valid[1], {"pre_quant": ("u64", np.uint64(w))}
        scale = lambda w: np.uint32(w & 0xFFFFFFFF).view(np.float32)
    elif quant == "words":
        words = [word(s, int(o), bool(g), int(h)) for s, o, g, h in zip(np.resize([0.371, -2.5, 1.0, 3e30, 0.0078], valid[1]), rng.integers(0, 300, valid[1]), rng.integers(0, 2, valid[1]), rng.integers(1, 16, valid[1]))]
        tiles["fp"] = source("u64", (1, 64), (1, 64), np.array(words + [0] * (64 - valid[1]), np.uint64), loc="scaling")
        scale = lambda w: np.uint32(w & 0xFFFFE000).view(np.float32)
    get = (lambda v, w: quantised(dst, v, scale(w), w, relu)) if quant else (lambda v, w: cast(dst, v, relu))
    got = np.array([get(v, words[i % valid[1]]) for i, v in enumerate(x.flat)], STORAGE[dst]).reshape(valid)
    acc = lambda shape: source(src, shape, valid, x, loc="acc", order="NZ", fractal=1024)
    name = f"{src} to {dst} in {to[0]} {to[1]}" + (f" {quant}" if quant else "") + (" relu" if relu else "")
    attrs = {"reluPreMode": "normal_relu"} if relu else {}
    out = lambda shape, region, y: destination(dst, shape, region, y, loc=to[0], order=to[1])
    if op.startswith("tmov"):
        return Case(name, targets, {"src": acc(shape), "dst": out(shape, valid, got), **tiles}, scalars, attrs)
    row, col = 1, 5
    index = {"index_row": ("i64", row), "index_col": ("i64", col)}
    if op.startswith("textract"):
        region = (valid[0] - row, valid[1] - col)
        dst_shape = (16, 32)
        tiles = {"src": acc((32, 64)), "dst": out(dst_shape, region, got[row:, col:]), **tiles}
        return Case(name, targets, tiles, {**index, **scalars}, attrs)
    big = Tile(dst, filled(dst, (32, 64), DST_FILL), (32, 64), loc=to[0], order=to[1])
    big.expect = big.data.copy()
    big.expect[row : row + valid[0], col : col + valid[1]] = got
    return Case(name, targets, {"src": acc((16, 64)), "dst": big, **tiles}, {**index, **scalars}, attrs)


def by_words(op, table, rng):
    """One word for each column of the accumulator."""
    for src, dst in sorted(QUANT_A2A3 | QUANT_A5):
        on = ["a2a3"] * ((src, dst) in QUANT_A2A3) + ["a5"] * ((src, dst) in QUANT_A5) + ["cpu"]
        yield case(rng, op, src, dst, "words", False, ("mat", "NZ"), on)
    yield case(rng, op, "f32", "i8", "words", True, ("mat", "NZ"), ALL)
    yield case(rng, op, "f32", "i8", "words", False, ("vec", "ND"), ["a5", "cpu"])


WINDOW_A2A3 = ["i8", "u8", "i16", "u16", "i32", "u32", "f16", "bf16", "f32"]
WINDOW_A5 = ["f16", "bf16", "f32", "i32", "i8", "hif8", "f8e4m3", "f8e5m2", "f8e8m0"]


def textract(table, rng):
    def extracted(d, at, order, to, index, small, **more):
        valid = (small[0] - 3, small[1] - 1)
        got = bits(d, valid, rng)[: 64 - index[0]]
        x = filled(d, (64, 64), 0xFF)
        x[index[0] : index[0] + valid[0], index[1] : index[1] + valid[1]] = got
        src = source(d, (64, 64), (64, 64), x, loc=at, order=order)
        dst = destination(d, small, valid, got, loc=to[0], order=to[1], **more)
        return {"src": src, "dst": dst}, {"index_row": ("i64", index[0]), "index_col": ("i64", index[1])}

    for d in OPERANDS_A5[:7]:
        targets = ALL if d in OPERANDS_A2A3 else ["a5", "cpu"]
        for to in (("left", "NZ"), ("right", "ZN")):
            for order in ("NZ", "ZN"):
                tiles, scalars = extracted(d, "mat", order, to, (16, 32), (32, 32))
                yield Case(f"{d} mat {order} to {to[0]}", targets, tiles, scalars)
    for d in dict.fromkeys(WINDOW_A2A3 + WINDOW_A5):
        targets = ["a2a3"] * (d in WINDOW_A2A3) + ["a5"] * (d in WINDOW_A5) + ["cpu"]
        for order in ("ND", "NZ") if d in ("f16", "i8") else ("ND",):
            tiles, scalars = extracted(d, "vec", order, ("vec", order), (5, 32), (16, 32))
            yield Case(f"{d} in vec, {order}", targets, tiles, scalars)
    tiles, scalars = extracted("f16", "vec", "ND", ("vec", "ND"), (5, 32), (16, 32), dynamic=True)
    yield Case("dynamic", ALL, tiles, scalars)
    tiles, scalars = extracted("f16", "vec", "ND", ("vec", "ND"), (49, 32), (16, 32))
    yield Case("outside", ALL, tiles, scalars, stops="index_row")
    for d in ("f16", "i8"):
        tiles, scalars = extracted(d, "vec", "ND", ("mat", "NZ"), (16, 32), (16, 32))
        yield Case(f"{d} vec to mat", ["a5", "cpu"], tiles, scalars)
    yield from from_accumulator(rng, "textract")


def tinsert(table, rng):
    def inserted(d, at, order, to, index, small, **more):
        valid = (small[0] - 3, small[1] - 1)
        x = bits(d, valid, rng)
        src = source(d, small, valid, x, loc=at, order=order, **more)
        dst = Tile(d, filled(d, (64, 64), DST_FILL), (64, 64), loc=to[0], order=to[1])
        dst.expect = dst.data.copy()
        dst.expect[index[0] : index[0] + valid[0], index[1] : index[1] + valid[1]] = x[: 64 - index[0]]
        return {"src": src, "dst": dst}, {"index_row": ("i64", index[0]), "index_col": ("i64", index[1])}

    for d in dict.fromkeys(WINDOW_A2A3 + WINDOW_A5):
        targets = ["a2a3"] * (d in WINDOW_A2A3) + ["a5"] * (d in WINDOW_A5) + ["cpu"]
        for order in ("ND", "NZ") if d in ("f16", "i8") else ("ND",):
            tiles, scalars = inserted(d, "vec", order, ("vec", order), (5, 32), (16, 32))
            yield Case(f"{d} in vec, {order}", targets, tiles, scalars)
    tiles, scalars = inserted("f16", "vec", "ND", ("vec", "ND"), (5, 32), (16, 32), dynamic=True)
    yield Case("dynamic", ALL, tiles, scalars)
    tiles, scalars = inserted("f16", "vec", "ND", ("vec", "ND"), (52, 32), (16, 32))
    yield Case("outside", ALL, tiles, scalars, stops="index_row")
    for d in ("f16", "i8", "f32"):
        for to in ("NZ", "ZN"):
            tiles, scalars = inserted(d, "vec", "ND", ("mat", to), (16, 32), (16, 32))
            yield Case(f"{d} vec to mat {to}", ["a5", "cpu"], tiles, scalars)
    tiles, scalars = inserted("f16", "vec", "NZ", ("mat", "NZ"), (16, 32), (16, 32))
    yield Case("split", ["a5", "cpu"], tiles, scalars, attrs={"tinsertMode": "split2"})
    yield from from_accumulator(rng, "tinsert")
