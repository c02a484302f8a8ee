"""tcvt: every pair of types, rounding mode and saturation."""

from fractions import Fraction
import math
import numpy as np
from . import rules, values
from .cases import Case, destination, source
from .formats import FLOATS, FORMATS, STORAGE, block, encode, floor_log2, int_range, is_float, nearest, round_float
from .formats import values as numbers_of

A2A3 = """f32 f32, f32 f16, f32 bf16, f32 i64, f32 i32, f32 i16, f16 f32, f16 i32, f16 i16, f16 i8, f16 u8, f16 i4, bf16 f32,
bf16 i32, i64 f32, i64 i32, i32 f32, i32 f16, i32 i64, i32 i16, i16 f32, i16 f16, i8 f16, u8 f16, i4 f16"""
A5 = """f32 f32, f32 f16, f32 bf16, f32 i64, f32 i32, f32 i16, f32 f8e4m3, f32 f8e5m2, f32 hif8, f16 f32, f16 i32, f16 i16,
f16 i8, f16 u8, f16 hif8, bf16 f32, bf16 f16, bf16 i32, bf16 f4e1m2, bf16 f4e2m1, i64 f32, i64 i32, i32 f32, i32 i64, i32 i16,
i32 u8, i32 u16, u32 i16, u32 u8, u32 u16, i16 f32, i16 f16, i16 i32, i16 u32, i16 u8, i8 f16, i8 i32, i8 i16, u8 f16, u8 u16,
f8e4m3 f32, f8e5m2 f32, hif8 f32, f4e1m2 bf16, f4e2m1 bf16"""
PAIRS = {t: [tuple(p.split()) for p in text.replace("\n", " ").split(", ")] for t, text in (("a2a3", A2A3), ("a5", A5))}
HOST = """f32 i8, f32 u8, f32 u16, f32 u32, f32 u64, f16 bf16, bf16 i16, u8 f32, i8 f32, u16 f32, u16 i32, u32 f32, u64 f32, i64 f16,
i32 bf16, u64 u32, i8 u8"""
"""The host converts any pair; these are some that no device has."""
PAIRS["cpu"] = [tuple(p.split()) for p in HOST.replace("\n", " ").split(", ")]
MODES = ["NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"]
FP4 = ("f4e1m2", "f4e2m1")


def exact_pair(src, dst):
    """Every number of `src` is one of `dst`."""
    if is_float(src) or is_float(dst):
        widening = {("f16", "f32"), ("bf16", "f32"), ("i16", "f32"), ("i8", "f16"), ("u8", "f16"), ("i4", "f16")}
        widening |= {("u8", "f32"), ("i8", "f32"), ("u16", "f32")}
        return (src, dst) in widening or src in ("f8e4m3", "f8e5m2", "hif8", *FP4)
    return int_range(dst)[0] <= int_range(src)[0] and int_range(src)[1] <= int_range(dst)[1]


def interesting(src, dst):
    """Rationals at which the conversion decides something, before they are rounded to the source type."""
    half = Fraction(1, 2)
    if is_float(dst):
        if src == dst:
            steps = [Fraction(n, 4) for n in range(-11, 12)] + [Fraction(2**23 - 1, 2), Fraction(2**23 + 1, 2), Fraction(2**24), Fraction(10**9)]
            return steps
        fmt = FORMATS[dst]
        top = Fraction(fmt.largest)
        last = fmt.quantum(floor_log2(top))
        least = fmt.quantum(-1000)
        some = [top, top + last / 4, top + last / 2, top + last / 2 + last / 1024, top + last, 2 * top, top - last / 2]
        some += [least, least / 2, least * 3 / 4, least / 4, least * 3 / 2, least * 5 / 2, least / 1024]
        for e in (0, 1, -3, 5):
            # Beside and on the half-way points behind 2^e.
            base, step = Fraction(2) ** e, fmt.quantum(e)
            if base < top:
                some += [base + step * q for q in (half, Fraction(1, 4), Fraction(3, 2), Fraction(5, 4), half + Fraction(1, 128))]
        some += [Fraction(1, 3), Fraction(7, 5), Fraction(100), Fraction(12345)]
    else:
        low, high = int_range(dst)
        some = [Fraction(n, 4) for n in (1, 2, 3, 5, 6, 7, 10, 14, 401)]
        some += [Fraction(high), high + half, high + Fraction(1, 4), Fraction(high + 1), high + Fraction(3, 2), Fraction(high - 1), 3 * Fraction(high)]
        some += [Fraction(2) ** 40 + 2**17, Fraction(2) ** 70 + 2**50, Fraction(70000), Fraction(300), Fraction(-low)]
        some += [low - half, low - Fraction(1, 4), Fraction(low - 1), low - Fraction(3, 2), 3 * Fraction(low)]
    return some + [-x for x in some]


def sources(src, dst):
    """Elements of the source type."""
    if src == "i4" or bits_small(src):
        return np.arange(16 if src == "i4" or src in FP4 else 256, dtype=np.uint8)
    if not is_float(src):
        low, high = int_range(src)
        some = [0, 1, -1, 2, -2, 3, 127, 128, 129, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536, 65519, 65520, 65505,
                70000, -70000, 2049, 2050, 2051, -2049, 2**24 + 1, 2**24 + 3, -(2**24) - 1, 2**31, 2**31 - 1, -(2**31), -(2**31) - 1,
                2**31 + 65536 * 3 + 5, 2**40 + 2**16 + 1, -(2**55) - 2**31 - 1, high, high - 1, low, low + 1, high // 3, low // 3]
        return np.array([n for n in dict.fromkeys(some) if low <= n <= high], STORAGE[src])
    top, least = FORMATS[src].largest, values.small(src)[0]
    chosen = dict.fromkeys(x for q in interesting(src, dst) if abs(x := nearest(src, q, float(q))) != math.inf)
    chosen = [0.0, -0.0, math.nan, math.inf, -math.inf, top, -top, least, -least, *chosen]
    return np.array([encode(src, x) for x in chosen], STORAGE[src])


def undecided(src, dst, x, mode, saturate):
    """What docs/numerics.md does not settle: no vector may depend on it."""
    if not is_float(dst) or x != x:
        return False
    if abs(x) == math.inf:
        # Whether saturation concerns infinities that the destination has room for; overflow of formats without any.
        roomy = exact_pair(src, dst) or src == dst or (src, dst) == ("f16", "bf16")
        return saturate and roomy or not saturate and dst in FP4
    directed = mode in ("FLOOR", "CEIL", "TRUNC", "ODD")
    rounded = {m: round_float(dst, Fraction(x), m) for m in MODES if m != "NONE"}
    if not saturate and (dst in FP4 or directed) and max(map(abs, rounded.values())) > FORMATS[dst].largest:
        # Whether a rounding mode that points inwards overflows; overflow of formats without infinity and NaN.
        return True
    if dst == "hif8" and rounded[mode if directed else "RINT"] != rounded["ROUND"]:
        # Devices round hif8 to nearest with ties away, whatever the mode.
        return mode != "ROUND"
    # Devices have no modes for this pair.
    return (src, dst) == ("i32", "f16") and rounded.get(mode) != rounded["RINT"] and mode not in ("NONE", "ODD")


def bits_small(d):
    return d in ("f8e4m3", "f8e5m2", "hif8", *FP4)


def encoded(dst, x):
    """A converted number as an element."""
    if dst == "i4":
        return np.uint8(x & 0xF)
    return encode(dst, x) if is_float(dst) else STORAGE[dst](x)


def converted(src, dst, elements, mode, saturate):
    out = [encoded(dst, rules.convert(src, dst, x, mode, saturate)) for x in numbers_of(src, elements)]
    return np.array(out, STORAGE[dst]).reshape(elements.shape)


def paired(codes):
    """Numbers of 4 bits as the cells of an fp4 tile."""
    return codes[:, 0::2] | codes[:, 1::2] << 4


def tiles(src, dst, elements, result, shape, dynamic=False, orders=("ND", "ND")):
    """Source and destination with the same numbers in every row; an fp4 tile has half the columns."""
    rows, cols = shape
    both = []
    for d, x, order in ((src, elements, orders[0]), (dst, result, orders[1])):
        x = paired(x) if d in FP4 else x
        width = cols // 2 if d in FP4 else cols
        make = source if d == src and not both else destination
        more = {"poison": 0x77} if make is source and d == "i4" else {}
        both.append(make(d, (rows, width), x.shape, x, dynamic=dynamic, order=order, **more))
    return {"src": both[0], "dst": both[1]}


def columns(src, dst, n):
    """Physical columns, in numbers, for n valid ones in whole blocks of both types; those of 4-bit floats are pairs."""
    unit = max(block(d) * (2 if d in FP4 else 1) for d in (src, dst))
    return -(-n // unit) * unit


def tcvt(table, rng):
    for src, dst in dict.fromkeys(PAIRS["a2a3"] + PAIRS["a5"] + PAIRS["cpu"]):
        targets = [t for t in ("a2a3", "a5") if (src, dst) in PAIRS[t]] + ["cpu"]
        combinations = [(m, s) for m in MODES for s in (True, False)]
        if exact_pair(src, dst):
            combinations = [("RINT", True), ("TRUNC", False), ("NONE", True)]
        elif targets == ["cpu"]:
            combinations = [("ROUND", False), ("FLOOR", True), ("TRUNC", False)]
        for mode, saturate in [(None, None)] + combinations:
            on = (src, dst) not in rules.WRAPPING if saturate is None else saturate
            x = sources(src, dst)
            x = x[[not undecided(src, dst, n, mode or "RINT", on) for n in numbers_of(src, x)]]
            if len(x) == 0:
                continue
            x = np.concatenate([x, x[: len(x) % 2]])  # an even number, for pairs
            x = x.reshape(1, -1)
            result = converted(src, dst, x, mode or "RINT", saturate)
            attrs = {} if mode is None else {"rmode": mode, "sat_mode": "ON" if saturate else "OFF"}
            name = f"{src} to {dst} " + ("default" if mode is None else f"{mode} {attrs['sat_mode']}")
            yield Case(name, targets, tiles(src, dst, x, result, (1, columns(src, dst, x.shape[1]))), attrs=attrs)
        yield from shaped(src, dst, targets, rng)


def some_elements(src, n, rng):
    """Numbers every destination has room for, with fractions."""
    if is_float(src) and src in FLOATS:
        return np.array([encode(src, x) for x in np.round(rng.uniform(0, 1.75, n) * 8) / 8], STORAGE[src])
    small = {"i4": 8, "f4e1m2": 8, "f4e2m1": 8}.get(src, 0x30)
    return rng.integers(0, small, n).astype(STORAGE[src])


def shaped(src, dst, targets, rng):
    """The usual shapes, with the default mode."""
    width = columns(src, dst, 1)
    plan = [
        ("wide", (1, columns(src, dst, 140)), (1, 140), False), ("tail", (3, width), (2, width // 2 + 4), False), ("one column", (2, width), (2, 2), False),
        ("dynamic", (2, width), (1, width - 2), True),
    ]
    for name, shape, valid, dynamic in plan[:2] if targets == ["cpu"] else plan:
        n = 14 if name == "wide" else valid[0] * valid[1]
        x = some_elements(src, n, rng)
        x = np.tile(x, valid[0] * valid[1] // n).reshape(valid)
        result = converted(src, dst, x, "RINT", None)
        yield Case(f"{src} to {dst} {name}", targets, tiles(src, dst, x, result, shape, dynamic))
    if (src, dst) in (("f32", "f16"), ("i32", "f32"), ("f16", "i8")):
        for orders in (("DN", "ND"), ("ND", "NZ"), ("NZ", "DN")):
            shape, valid = (32, 32), (3, 5)
            x = some_elements(src, 15, rng).reshape(valid)
            yield Case(f"{src} to {dst} {' '.join(orders)}", targets, tiles(src, dst, x, converted(src, dst, x, "RINT", None), shape, orders=orders))
