"""Quantisation and its inverse, in exact rationals."""

from fractions import Fraction
import math
import numpy as np
from . import values
from .cases import Case, Tile, destination, filled, source
from .formats import BF16, CODES, FORMATS, STORAGE, block, floor_log2, nearest, round_integral

F32 = np.float32


def near32(q, sign=1.0):
    return F32(nearest("f32", q, sign))


# Integers with a scale for each row.

def rounded_code(x, low, high):
    """To nearest even; out of range to the ends, NaN to 0."""
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return high if x > 0 else low
    return max(low, min(high, round_integral(Fraction(float(x)), "RINT")))


def telling(shape, rng):
    """Numbers around the ends of the range, ties, and specials."""
    some = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, -128.5, 127.4999, 254.5, 255.5, 300.0, -300.0, 1e20, -1e20, math.inf, -math.inf, math.nan, 3e38, 1e-45]
    x = rng.standard_normal(shape).astype(F32) * 90
    flat = x.reshape(-1)
    n = min(len(flat), len(some))
    flat[:n] = some[:n]
    return x


def parameters(rows, numbers):
    """A column: one number for each row."""
    height = -(-rows // 8) * 8
    return source("f32", (height, 1), (rows, 1), np.array(numbers, F32).reshape(rows, 1), order="DN")


def tquant(table, rng):
    plan = [("full", (2, 32), (2, 32)), ("tail", (3, 64), (3, 37)), ("one row", (1, 32), (1, 32)), ("one column", (3, 32), (3, 1)), ("wide", (1, 160), (1, 133)), ("dynamic", (2, 32), (1, 31))]
    for kind, codes in (("INT8_SYM", ("i8", -128, 127)), ("INT8_ASYM", ("u8", 0, 255))):
        d, low, high = codes
        for name, shape, valid in plan:
            x = telling(valid, rng)
            scale = [F32(s) for s in ([1.0, 0.37, -2.5] * 2)[: valid[0]]]
            offset = [F32(o) for o in ([0.0, 128.0, 3.5])[: valid[0]]]
            out = np.zeros(valid, STORAGE[d])
            for r, c in np.ndindex(*valid):
                y = F32(x[r, c] * scale[r])
                if kind == "INT8_ASYM":
                    y = F32(y + offset[r])
                out[r, c] = rounded_code(y, low, high)
            more = {"dynamic": name == "dynamic"}
            tiles = {"src": source("f32", shape, valid, x, **more), "fp": parameters(valid[0], scale)}
            if kind == "INT8_ASYM":
                tiles["offset"] = parameters(valid[0], offset)
            tiles["dst"] = destination(d, shape, valid, out, **more)
            if name == "tail":
                tiles["tmp"] = Tile("f32", filled("f32", shape, 0x5A), valid)
            yield Case(f"{kind} {name}", table.on("tquant"), tiles, attrs={"quant_type": kind})


def tdequant(table, rng):
    for d in ("i8", "i16"):
        for name, shape, valid in [("full", (2, 32), (2, 32)), ("tail", (3, 64), (3, 37)), ("one row", (1, 32), (1, 32)), ("one column", (3, 32), (3, 1)), ("dynamic", (2, 32), (1, 31))]:
            x = values.random(d, valid[0] * valid[1], rng).reshape(valid)
            scale, offset = [F32(0.1), F32(-3.0), F32(1e30)][: valid[0]], [F32(0.3), F32(-7.0), F32(math.inf)][: valid[0]]
            out = np.zeros(valid, F32)
            for r, c in np.ndindex(*valid):
                out[r, c] = F32(F32(F32(x[r, c]) - offset[r]) * scale[r])
            more = {"dynamic": name == "dynamic"}
            tiles = {"src": source(d, shape, valid, x, **more), "scale": parameters(valid[0], scale), "offset": parameters(valid[0], offset)}
            tiles["dst"] = destination("f32", shape, valid, out, **more)
            yield Case(f"{d} {name}", table.on("tdequant"), tiles)


# MX.

def saturated(d, q, sign):
    """The code of a number: nearest even, at most the largest."""
    x = nearest(d, q, sign)
    x = max(-FORMATS[d].largest, min(FORMATS[d].largest, x))
    return CODES[d][(x, math.copysign(1, x if x else sign))]


def exponent_field(x):
    """The biased exponent of a positive finite f32; 0 for subnormal numbers."""
    return 0 if x == 0 else max(0, floor_log2(Fraction(float(x))) + 127)


def shared_exponent(group, fp4, nv):
    if any(math.isnan(v) for v in group):
        return 255
    m = max(abs(v) for v in group)
    if m == math.inf:
        return 254 if nv else 255 - (2 if fp4 else 8)
    if not nv:
        return max(0, exponent_field(m) - (2 if fp4 else 8))
    d = near32(Fraction(m) * Fraction(float(F32(1) / F32(6 if fp4 else 448))))
    field = exponent_field(d)
    if field == 0:
        return int(Fraction(float(d)) > Fraction(2) ** -127)
    return field + (Fraction(float(d)) != Fraction(2) ** (field - 127))


def mx_code(x, exponent, fp4):
    d = "f4e2m1" if fp4 else "f8e4m3"
    if exponent == 255:
        return 7 if fp4 else 0x7F
    if math.isinf(x):
        return saturated(d, Fraction(10) ** 9 * (1 if x > 0 else -1), x)
    return saturated(d, Fraction(x) * Fraction(2) ** (127 - exponent), x)


def multiplier(d, exponent):
    """What the numbers of a group are multiplied with. f16 holds the bits of the bf16 number."""
    x = math.nan if exponent == 255 else 2.0 ** (127 - exponent)
    return BF16(F32(x)).view(np.float16) if d == "f16" else F32(x)


def mx_numbers(d, shape, rng):
    """Groups of different sizes; infinities and NaN in a few."""
    top = {"f16": 60000.0, "bf16": 3e38, "f32": 3e38}[d]
    scales = 2.0 ** rng.integers(-12, 12, shape)
    x = values.array(d, rng.standard_normal(shape) * scales)
    x[0, :6] = values.array(d, [448.0, 449.0, 6.0, 6.5, 0.0, -0.0])
    flat = x.reshape(-1)
    flat[-32:] = values.array(d, [0.0])[0]
    flat[-1] = values.array(d, [-values.small(d)[0]])[0]
    if len(flat) > 200:
        x[1, -1], x[1, 1], x[2, 5] = math.inf, math.nan, top
    return x


def spot(choice, grid, exp_shape):
    """Where the exponent of a group is in its tile."""
    if choice == "interleave":
        return lambda r, c: (r // 2, 2 * c + r % 2)
    if choice == "grid":
        return lambda r, c: (r, c)
    return lambda r, c: (0, r * grid[1] + c)


def mx_case(name, targets, d, shape, cols, fp4, nv, down, how, zz, rng):
    """`cols` are valid; `how` says where exponents go."""
    rows = shape[0]
    x = mx_numbers(d, (rows, cols), rng)
    grid = (rows // 32, cols) if down else (rows, cols // 32)
    numbers = [[float(v) for v in row] for row in x]
    of = lambda r, c: [numbers[32 * r + k][c] for k in range(32)] if down else numbers[r][32 * c : 32 * c + 32]
    shared = np.array([[shared_exponent(of(r, c), fp4, nv) for c in range(grid[1])] for r in range(grid[0])], np.uint8)
    codes = np.array([[mx_code(numbers[r][c], int(shared[r // 32, c] if down else shared[r, c // 32]), fp4) for c in range(cols)] for r in range(rows)], np.uint8)
    n = grid[0] * grid[1]
    if how == "interleave":
        valid, physical = (rows // 64, 2 * cols), (rows // 64, 2 * shape[1])
    elif how == "grid":
        valid, physical = grid, (grid[0], shape[1] if down else 32)
    else:
        valid, physical = (1, n), (1, -(-n // 32) * 32)
    exp = filled("u8", physical, 0xA5)
    place = spot(how, grid, physical)
    for r, c in np.ndindex(*grid):
        exp[place(r, c)] = shared[r, c]
    # As large as devices want.
    unit = 64 if d == "f32" else 128
    scratch = (grid[0], shape[1]) if down else (1, max(-(-n // unit) * unit * (2 if d == "f32" else 1), unit))
    region = grid if down else (1, n)
    kept = spot("grid" if down else "flat", grid, scratch)
    maxima, multipliers = filled(d, scratch, 0x5A), filled(d, scratch, 0x5A)
    for r, c in np.ndindex(*grid):
        group = of(r, c)
        maxima[kept(r, c)] = math.nan if any(math.isnan(v) for v in group) else max(abs(v) for v in group)
        multipliers[kept(r, c)] = multiplier(d, int(shared[r, c]))
    tiles = {"src": source(d, shape, (rows, cols), x)}
    if fp4:
        packed = codes[:, 0::2] | codes[:, 1::2] << 4
        tiles["dst"] = destination("f4e2m1", (rows, shape[1] // 2), packed.shape, packed)
    else:
        tiles["dst"] = destination("u8", shape, (rows, cols), codes)
    tiles["exp"] = Tile("u8", filled("u8", physical, 0xA5), valid, expect=exp)
    tiles["max"] = Tile(d, filled(d, scratch, 0x5A), region, expect=maxima)
    tiles["scaling"] = Tile(d, filled(d, scratch, 0x5A), region, expect=multipliers)
    attrs = {"quant_type": "MXFP4_E2M1" if fp4 else "MXFP8"}
    if nv or zz or name.startswith("f16"):
        attrs["quantScaleAlg"] = "nv" if nv else "ocp"
    if down:
        attrs["grpAxis"] = "axis0"
    if how == "interleave":
        attrs["interleave"] = True
    if zz:
        attrs["storeMode"] = zz
        boxes = [(r, c) for top in range(0, grid[0], 16) for left in range(0, grid[1], 2) for r in range(top, min(top + 16, grid[0])) for c in range(left, min(left + 2, grid[1]))]
        order = boxes if zz == "nz" else list(np.ndindex(*grid))
        out = np.array([shared[p] for p in order], np.uint8).reshape(1, -1)
        tiles["exp_zz"] = destination("u8", (1, -(-n // 32) * 32), (1, n), out)
    return Case(name, targets, tiles, attrs=attrs)


def tquant_mx(table, rng):
    a5, host = ["a5", "cpu"], ["cpu"]
    yield mx_case("f32 MXFP8", a5, "f32", (4, 64), 64, False, False, False, "flat", None, rng)
    yield mx_case("f32 MXFP8 nv", a5, "f32", (4, 64), 64, False, True, False, "flat", None, rng)
    yield mx_case("f32 MXFP8 grid", a5, "f32", (4, 96), 64, False, False, False, "grid", None, rng)
    yield mx_case("f32 MXFP8 one row", a5, "f32", (1, 64), 64, False, True, False, "flat", None, rng)
    yield mx_case("f16 MXFP8", a5, "f16", (4, 64), 64, False, False, False, "flat", None, rng)
    yield mx_case("bf16 MXFP8", a5, "bf16", (4, 64), 64, False, False, False, "flat", None, rng)
    yield mx_case("bf16 MXFP8 nv", host, "bf16", (4, 64), 64, False, True, False, "flat", None, rng)
    yield mx_case("f16 MXFP4", a5, "f16", (4, 64), 64, True, False, False, "flat", None, rng)
    yield mx_case("bf16 MXFP4", a5, "bf16", (4, 64), 64, True, False, False, "flat", None, rng)
    yield mx_case("bf16 MXFP4 nv", host, "bf16", (4, 64), 64, True, True, False, "flat", None, rng)
    yield mx_case("f32 MXFP8 along rows", a5, "f32", (32, 32), 32, False, False, True, "grid", None, rng)
    yield mx_case("bf16 MXFP8 along rows nv", a5, "bf16", (32, 64), 48, False, True, True, "grid", None, rng)
    yield mx_case("f16 MXFP4 along rows", a5, "f16", (32, 64), 64, True, False, True, "grid", None, rng)
    yield mx_case("f16 MXFP8 along rows interleaved", a5, "f16", (64, 32), 32, False, False, True, "interleave", None, rng)
    yield mx_case("f32 MXFP8 in boxes", host, "f32", (16, 128), 128, False, False, False, "grid", "nz", rng)
    yield mx_case("f32 MXFP8 twice", host, "f32", (4, 64), 64, False, False, False, "flat", "nd", rng)


# HiFloat4.

def bf(x):
    """Every step rounds to bf16."""
    return F32(BF16(F32(x)))


def e6m2(x):
    """The nearest of (1 + m/4) * 2^(e - 48), ties to even codes; below all of them the smallest."""
    if math.isnan(x):
        return 0xFF
    if math.isinf(x):
        return 0xFE
    q = Fraction(float(x))
    value = lambda code: (1 + Fraction(code & 3, 4)) * Fraction(2) ** ((code >> 2) - 48)
    return min(range(0xFF), key=lambda code: (abs(value(code) - q), code & 1))


def reciprocal(code):
    if code in (0, 0xFF):
        return F32(0) if code == 0 else F32(math.nan)
    return bf(1.0 / ((1 + (code & 3) / 4) * 2.0 ** ((code >> 2) - 48)))


def biggest(numbers):
    return F32(math.nan) if any(math.isnan(v) for v in numbers) else F32(max(abs(v) for v in numbers))


def hif4_group(x):
    """Codes, and the bytes Ea, Eb, Ec low, Ec high."""
    ea = e6m2(bf(biggest(x) * bf(1.0 / 7)))
    inverse = reciprocal(ea)
    eb = ec = 0
    codes = []
    for i in range(8):
        b = bool(bf(biggest(x[8 * i : 8 * i + 8]) * inverse) >= 4)
        eb |= b << i
        for j in range(2):
            four = x[8 * i + 4 * j : 8 * i + 4 * j + 4]
            c = bool(bf(bf(biggest(four) * inverse) * F32(0.5 if b else 1)) >= 2)
            ec |= c << (2 * i + j)
            scale = bf(inverse * F32(0.5 ** (b + c)))
            for v in four:
                y = float(bf(v * scale))
                if math.isnan(y):
                    codes.append(0 if not np.signbit(F32(y)) else 8)
                elif math.isinf(y):
                    codes.append(7 if y > 0 else 15)
                else:
                    codes.append(saturated("f4e1m2", Fraction(y), y))
    return codes, [ea, eb, ec & 0xFF, ec >> 8]


def tquant_hif4(table, rng):
    for name, rows, groups in [("one group", 1, 1), ("full", 3, 2), ("more than a cell", 18, 1)]:
        cols = 64 * groups
        x = values.array("bf16", rng.standard_normal((rows, cols)) * 2.0 ** rng.integers(-6, 6, (rows, cols)))
        if rows == 3:
            x[0, :64] = 0
            x[1, :3] = values.array("bf16", [math.inf, -math.inf, 1.0])
            x[2, 64:68] = values.array("bf16", [3e38, -1e-40, 2.0, -3.0])
        out = np.zeros((rows, cols // 2), np.uint8)
        cells = -(-rows // 16)
        size = cells * groups * 64
        flat = filled("u8", (1, size), 0xA5).reshape(-1)
        for r in range(rows):
            for g in range(groups):
                codes, scales = hif4_group([F32(v) for v in x[r, 64 * g : 64 * g + 64]])
                out[r, 32 * g : 32 * g + 32] = [a | b << 4 for a, b in zip(codes[0::2], codes[1::2])]
                at = (r // 16 * groups + g) * 64 + r % 16 * 2
                flat[at : at + 2], flat[at + 32 : at + 34] = scales[:2], scales[2:]
        shape = (size // 32, 32)
        spare = lambda: Tile("bf16", filled("bf16", (1, 16), 0x5A), (1, 16))
        tiles = {
            "src": Tile("bf16", x, (rows, cols)), "dst": destination("f4e1m2", (rows, cols // 2), (rows, cols // 2), out),
            "exp": Tile("u8", filled("u8", shape, 0xA5), shape, expect=flat.reshape(shape)), "max": spare(), "scaling": spare(),
        }
        yield Case(name, ["cpu"], tiles)


CASES = {"tquant": tquant, "tdequant": tdequant, "tquant.mx": tquant_mx, "tquant.hif4": tquant_hif4}
