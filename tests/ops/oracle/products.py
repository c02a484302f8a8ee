"""Matrix products: each sum starts from zero, an accumulator or a bias and takes in the products in the order of k, with
one rounding per step, or blocks of 32 of them in that order where bf16 holds both factors."""

import dataclasses
from fractions import Fraction
import math
import numpy as np
from . import values
from .cases import Case, destination, source, written
from .formats import FORMATS, STORAGE, nearest
from .formats import values as numbers_of

A2A3 = [("i32", "i8", "i8"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "f32", "f32")]
FP8 = [("f32", a, b) for a in ("f8e4m3", "f8e5m2") for b in ("f8e4m3", "f8e5m2")]
A5 = A2A3 + FP8 + [("f32", "hif8", "hif8")]
MX = FP8 + [("f32", a, b) for a in ("f4e1m2", "f4e2m1") for b in ("f4e1m2", "f4e2m1")]


def fma(a, b, c):
    """`a * b + c` of f32 arrays, rounded once. The product is exact in f64; the sum there is rounded to odd, so that the
    rounding to f32 decides as one would."""
    with np.errstate(all="ignore"):
        p, c = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
        s = p + c
        part = s - p
        error = (p - (s - part)) + (c - part)
        bits = s.view(np.int64)
        inexact = np.isfinite(s) & np.isfinite(error) & (error != 0) & (bits & 1 == 0)
        bits = np.where(inexact, np.where((error > 0) == (s > 0), bits + 1, bits - 1), bits)
        return bits.view(np.float64).astype(np.float32)


def self_check(rng):
    """The fused step agrees with rationals."""
    for scale in (1.0, 2.0**-70, 2.0**60):
        a, b = (rng.standard_normal((2, 300)) * scale).astype(np.float32)
        c = (-a * b * (1 + rng.integers(-3, 3, 300) * np.float32(2.0**-23))).astype(np.float32)
        for x, y, z, got in zip(a, b, c, fma(a, b, c)):
            exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
            want = nearest("f32", exact, 1.0)
            assert want == float(got), (x, y, z, got, want)


def as_f32(d, x):
    return np.array(numbers_of(d, x), np.float32).reshape(x.shape)


def in_blocks(*kinds):
    """Whether bf16 holds the factors of these types, scales among them."""
    return not {"f32", "f16", "i8"} & set(kinds)


def product(a, b, start, blocks):
    """The sums in f32 or, for integers, modulo 2^32."""
    if a.dtype == np.int64:
        return ((start.astype(np.int64) + a @ b + 2**31) % 2**32 - 2**31).astype(np.int32)
    shape = (a.shape[0], b.shape[1])
    step = lambda k, total: fma(np.repeat(a[:, k : k + 1], shape[1], 1), np.repeat(b[k : k + 1], shape[0], 0), total)
    total = np.broadcast_to(start, shape).astype(np.float32)
    if not blocks:
        for k in range(a.shape[1]):
            total = step(k, total)
        return total
    for first in range(0, a.shape[1], 32):
        parts = [np.zeros(shape, np.float32), np.zeros(shape, np.float32)]
        for k in range(first, min(first + 32, a.shape[1])):
            parts[k % 2] = step(k, parts[k % 2])
        with np.errstate(all="ignore"):
            total = total + (parts[0] + parts[1])
    return total


def factor(d, x):
    return x.astype(np.int64) if d == "i8" else as_f32(d, x)


def box(d):
    """Elements in 32 bytes; four-bit numbers count as the headers count them."""
    return 32 // np.dtype(STORAGE[d]).itemsize


def up(n, to):
    return -(-n // to) * to


def numbers(d, n, rng, kind):
    """Elements of a factor."""
    if d in ("f4e1m2", "f4e2m1"):
        return rng.integers(0, 16, n).astype(np.uint8)
    if d in FORMATS and STORAGE[d] == np.uint8:
        if kind == "specials":
            return rng.integers(0, 256, n).astype(np.uint8)
        codes = [c for c in range(256) if 0.05 < abs(FORMATS[d].decode(c)) < 40]
        return np.array(codes, np.uint8)[rng.integers(0, len(codes), n)]
    if d == "i8":
        return rng.integers(-128, 127, n, np.int8, endpoint=True)
    if kind == "specials":
        return values.random(d, n, rng) if rng.random() < 0.5 else np.resize(values.array(d, values.corners(d)), n)
    if kind == "order":
        # Sizes far apart: another order would round otherwise.
        return values.array(d, (rng.standard_normal(n) * 2.0 ** rng.integers(-6, 7, n)).astype(np.float32).astype(STORAGE[d]))
    return values.array(d, np.round(rng.standard_normal(n) * 4) / 4)


SHAPES = {"full": (16, 16, None), "tail": (5, 13, 19), "one row": (1, 9, 33), "one column": (7, 1, 5), "dynamic": (3, 2, 7), "deep": (2, 3, 70)}


def left(d, m, k, x, **more):
    return source(d, (up(m, 16), up(k, 64 if "mx" in more else box(d))), (m, k), x, order="NZ", loc="left", **{a: b for a, b in more.items() if a != "mx"})


def right(d, k, n, x, **more):
    return source(d, (up(k, 64 if "mx" in more else box(d)), up(n, 16)), (k, n), x, order="ZN", loc="right", **{a: b for a, b in more.items() if a != "mx"})


def result(d, m, n, x, **more):
    return destination(d, (up(m, 16), up(n, 16)), (m, n), x, order="NZ", fractal=1024, loc="acc", **more)


def starts(op, dst, m, n, rng, kind):
    """What the sums start from, and the tiles that say so."""
    if dst == "i32":
        acc = rng.integers(-(2**31), 2**31 - 1, m * n, np.int32, endpoint=True)
        bias = rng.integers(-(2**31), 2**31 - 1, n, np.int32, endpoint=True)
    else:
        acc, bias = numbers("f32", m * n, rng, kind), numbers("f32", n, rng, kind)
    if op.endswith(".acc"):
        tile = source(dst, (up(m, 16), up(n, 16)), (m, n), acc, order="NZ", fractal=1024, loc="acc")
        return acc.reshape(m, n), {"acc_in": tile}
    if op.endswith(".bias"):
        return bias.reshape(1, n), {"bias": source(dst, (1, up(n, 16)), (1, n), bias, loc="bias")}
    return np.zeros((m, n), STORAGE[dst]), {}


def plain(op, table, rng):
    """tmatmul, tgemv and their forms."""
    base = op in ("tmatmul", "tgemv")
    for triple in A5:
        dst, da, db = triple
        targets = ["a2a3", "a5", "cpu"] if triple in A2A3 else ["a5", "cpu"]
        names = ["full", "tail", "one row", "one column", "dynamic"] if base else ["tail", "full"]
        if da not in ("f32", "f16", "i8"):
            names = names[:2]
        extra = [("order", "deep"), ("specials", "tail")] if da in ("f32", "f16", "bf16", "i8") or base else []
        for kind, name in [("mild", n) for n in names] + extra:
            m, n, k = SHAPES[name]
            m = 1 if op.startswith("tgemv") else m
            k = k or box(da)
            a = numbers(da, m * k, rng, kind).reshape(m, k)
            b = numbers(db, k * n, rng, kind).reshape(k, n)
            start, more = starts(op, dst, m, n, rng, kind)
            got = product(factor(da, a), factor(db, b), start, in_blocks(da, db))
            dynamic = {"dynamic": True} if name == "dynamic" else {}
            tiles = {"a": left(da, m, k, a, **dynamic), "b": right(db, k, n, b, **dynamic), "dst": result(dst, m, n, got, **dynamic), **more}
            title = f"{da} {db} {name}" if kind == "mild" else f"{da} {db} {kind}"
            yield Case(title, targets, tiles)
            if op.endswith(".acc") and name == "tail" and kind == "mild":
                acc = tiles["acc_in"]
                both = dataclasses.replace(acc, expect=written(acc.data, got))
                yield Case(title + " in place", targets, {"a": tiles["a"], "b": tiles["b"], "dst": both}, same={"acc_in": "dst"})


def scaled(op, table, rng):
    """The MX forms: a scale for 32 elements along k on each side."""
    for dst, da, db in MX:
        for name, (m, n, k) in {"full": (16, 16, 64), "tail": (5, 3, 96), "specials": (3, 5, 64)}.items():
            m = 1 if op.startswith("tgemv") else m
            if name == "full" and op != "tmatmul.mx" or name == "specials" and da != "f8e4m3":
                continue
            kind = "specials" if name == "specials" else "mild"
            a = numbers(da, m * k, rng, kind).reshape(m, k)
            b = numbers(db, k * n, rng, kind).reshape(k, n)
            groups = k // 32
            low, high = (0, 256) if kind == "specials" else (120, 134)
            for scale in ["f8e8m0", "f16"] if name == "tail" and da == db else ["f8e8m0"]:
                if scale == "f16":
                    sa = values.array("f16", rng.integers(1, 40, (m, groups)) / 8)
                    sb = values.array("f16", rng.integers(1, 40, (groups, n)) / 8)
                    fa, fb = sa.astype(np.float32), sb.astype(np.float32)
                else:
                    sa = rng.integers(low, high, (m, groups)).astype(np.uint8)
                    sb = rng.integers(low, high, (groups, n)).astype(np.uint8)
                    fa, fb = power(sa), power(sb)
                with np.errstate(all="ignore"):
                    x = as_f32(da, a) * np.repeat(fa, 32, 1)
                    y = as_f32(db, b) * np.repeat(fb, 32, 0)
                start, more = starts(op, dst, m, n, rng, kind)
                got = product(x, y, start, in_blocks(da, db, scale))
                tiles = {
                    "a": left(da, m, k, a, mx=True), "b": right(db, k, n, b, mx=True), "dst": result(dst, m, n, got), **more,
                    "a_scale": source(scale, (up(m, 16), up(groups, 2)), (m, groups), sa, order="ZZ", fractal=32, loc="scaling"),
                    "b_scale": source(scale, (up(groups, 2), up(n, 16)), (groups, n), sb, order="NN", fractal=32, loc="scaling"),
                }
                yield Case(f"{da} {db} {name}" + (" f16 scales" if scale == "f16" else ""), ["a5", "cpu"], tiles)


def power(codes):
    return np.array([math.nan if c == 255 else 2.0 ** (int(c) - 127) for c in codes.flat], np.float32).reshape(codes.shape)


def cells(rows, k, rng):
    """Scale cells: the bytes, and the factor of every element."""
    blocks = k // 64
    data = np.zeros(up(rows, 16) // 16 * blocks * 64, np.uint8)
    factors = np.zeros((rows, k), np.float32)
    for r in range(rows):
        for g in range(blocks):
            first, eighths = int(rng.integers(40 << 2, 56 << 2)), int(rng.integers(256))
            quarters = int(rng.integers(1 << 16))
            at = (r // 16 * blocks + g) * 64 + 2 * (r % 16)
            data[at], data[at + 1] = first, eighths
            data[at + 32], data[at + 33] = quarters & 255, quarters >> 8
            for i in range(64):
                e = (first >> 2) - 48 + (eighths >> i // 8 & 1) + (quarters >> i // 4 & 1)
                factors[r, 64 * g + i] = (1 + (first & 3) / 4) * 2.0**e
    return data, factors


def hif4(table, rng):
    """Three levels of scales; on the host only."""
    for name, (m, n, k) in {"full": (16, 16, 64), "tail": (3, 18, 128)}.items():
        a = numbers("f4e1m2", m * k, rng, "mild").reshape(m, k)
        b = numbers("f4e1m2", k * n, rng, "mild").reshape(k, n)
        sa, fa = cells(m, k, rng)
        sb, fb = cells(n, k, rng)
        got = product(as_f32("f4e1m2", a) * fa, as_f32("f4e1m2", b) * fb.T, np.zeros((m, n), np.float32), True)
        flat = lambda s: source("u8", (1, len(s)), (1, len(s)), s, loc="mat")
        tiles = {"a": left("f4e1m2", m, k, a, mx=True), "a_scale": flat(sa), "b": right("f4e1m2", k, n, b, mx=True), "b_scale": flat(sb), "dst": result("f32", m, n, got)}
        yield Case(name, ["cpu"], tiles)
