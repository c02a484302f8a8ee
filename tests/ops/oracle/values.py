"""Which numbers the cases are made of: the corners of every type, then random ones."""

import math
import numpy as np
from .formats import FLOATS, FORMATS, STORAGE, int_range, is_float


def small(d):
    """The smallest positive number, the largest subnormal, the smallest normal, and one unit behind 1."""
    fmt = FORMATS[d]
    least, normal = 2.0 ** (1 - fmt.bias - fmt.mbits), 2.0 ** (1 - fmt.bias)
    return least, normal - least, normal, 2.0**-fmt.mbits


def corners(d):
    """The numbers at which arithmetic goes wrong."""
    if not is_float(d):
        low, high = int_range(d)
        some = [0, 1, -1, 2, -2, 3, 7, -7, 10, 100, -100, high, high - 1, low, low + 1, high // 2, high // 2 + 1, low // 2]
        return [n for n in dict.fromkeys(some) if low <= n <= high]
    least, subnormal, normal, unit = small(d)
    top = FORMATS[d].largest
    return [
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 7.0, -7.0, 100.5, 1 + unit, 1 - unit / 2, -1 - unit,
        least, -least, 3 * least, subnormal, normal, -normal, top, -top, top / 2, math.inf, -math.inf, math.nan,
    ]


def array(d, numbers):
    return np.array(numbers, np.float64 if is_float(d) else object).astype(STORAGE[d])


def random(d, n, rng):
    """Half of moderate size, half of any bits (any size for floats)."""
    if not is_float(d):
        low, high = int_range(d)
        mild = rng.integers(max(low, -9), min(high, 60), n)
        wild = rng.integers(low, high, n, STORAGE[d], endpoint=True)
        return np.where(np.arange(n) % 2 == 0, mild.astype(STORAGE[d]), wild)
    emin, emax = math.log2(small(d)[0]), math.log2(FORMATS[d].largest)
    mild = rng.standard_normal(n) * 4
    wild = rng.choice([-1.0, 1.0], n) * 2.0 ** rng.uniform(emin, emax - 1, n)
    return array(d, np.where(np.arange(n) % 2 == 0, mild, wild))


def ties(d):
    """Pairs whose sum, difference or product lies half-way, or just leaves the range."""
    least, _, normal, unit = small(d)
    top, half = FORMATS[d].largest, unit / 2
    last = top * unit / (2 - unit)  # the distance of the two largest numbers
    return [
        (1.0, half), (1 + unit, half), (-1.0, -half), (-1 - unit, -half), (1.0, half * (1 + unit)), (top, last / 2),
        (top, last / 4), (-top, -last / 2), (math.inf, -math.inf), (math.inf, math.inf), (math.inf, 1.0), (0.0, -0.0),
        (-0.0, -0.0), (-0.0, 0.0), (math.nan, 1.0), (1.0, math.nan), (top, top), (least, -least), (least, 0.5),
        (3 * least, 0.5), (normal, 0.5), (0.0, math.inf), (top, 2.0), (1 + unit, 1 + unit), (1.0, 3.0), (1.0, 0.0),
        (-1.0, 0.0), (1.0, -0.0), (0.0, 0.0), (top, least), (least, 2.0), (math.inf, 0.0), (2.0, 3.0), (-7.0, 3.0),
        (7.0, -3.0), (-6.0, 3.0), (6.0, -3.0), (5.0, math.inf), (-5.0, math.inf), (math.inf, 5.0), (top, 3.0), (-least, 3.0),
        (1.0, 1 + unit), (5.5, -2.0),
    ]


def int_pairs(d):
    low, high = int_range(d)
    some = [
        (high, 1), (low, -1), (low, 1), (low, low), (high, high), (-7, 3), (7, -3), (-7, -3), (7, 3), (-6, 3), (6, -3), (1, 2),
        (-1, 2), (low, 2), (high, -1), (0, 5), (5, high), (5, low), (3, 25), (2, 7), (-2, 7), (100, 100),
    ]
    return [(x, y) for x, y in some if low <= min(x, y) and max(x, y) <= high]


def pairs(d, n, rng):
    """Two operands of n elements."""
    known = ties(d) if is_float(d) else int_pairs(d)
    return fill(d, n, rng, known, 2)


def fill(d, n, rng, known, count):
    """`count` operands of n elements: known combinations first (half of them where there is no room), then corners with
    corners, then random numbers."""
    if len(known) > n // 2 and n < 40:
        known = [known[i] for i in sorted(rng.permutation(len(known))[: n // 2])]
    known = [tuple(k) + (corners(d)[i % 7],) * (count - len(k)) for i, k in enumerate(known[:n])]
    mixed = max(0, (n - len(known)) * 2 // 3)
    some = corners(d)
    known += [tuple(some[i] for i in rng.integers(0, len(some), count)) for _ in range(mixed)]
    out = [array(d, [k[i] for k in known]) for i in range(count)]
    rest = n - len(known)
    return [np.concatenate([o, random(d, rest, rng)]) for o in out]


def without_zero(a):
    """Divisors of integers."""
    return np.where(a == 0, np.ones_like(a), a)


def shift_counts(d, n, rng):
    low, high = int_range(d)
    w = STORAGE[d](0).itemsize * 8
    some = [0, 1, 2, w // 2, w - 2, w - 1, w, w + 1, 2 * w, high, -1, -2, low]
    some = [c for c in some if low <= c <= high]
    first = array(d, some[:n])
    return np.concatenate([first, rng.integers(0, w, n - len(first)).astype(STORAGE[d])])


def exponents(d, n, rng):
    """Pairs of base and exponent."""
    if not is_float(d):
        a, b = fill(d, n, rng, [(3, 25), (-3, 3), (2, 6), (0, 0), (5, 0), (1, -3), (-1, -3), (-1, -4), (2, -1), (0, -3), (7, 100)]
                    if int_range(d)[0] else [(3, 25), (2, 6), (0, 0), (5, 0), (1, 200), (7, 100)], 2)
        return [a, b]
    inf, nan, top = math.inf, math.nan, FORMATS[d].largest
    known = [
        (2.0, 10.0), (2.0, -2.0), (3.0, 0.5), (10.0, -3.0), (0.5, 3.0), (1.5, 2.5), (-2.0, 3.0), (-2.0, 2.0), (-2.0, 0.5),
        (nan, 0.0), (1.0, nan), (nan, 1.0), (2.0, nan), (0.0, 0.0), (0.0, 2.0), (-0.0, 3.0), (-0.0, -3.0), (0.0, -2.0),
        (-1.0, inf), (-1.0, -inf), (0.5, inf), (0.5, -inf), (2.0, inf), (2.0, -inf), (inf, 0.5), (inf, -0.5), (-inf, 3.0),
        (-inf, 2.0), (-inf, -3.0), (top, 2.0), (top, -2.0), (-top, 3.0), (1.0, 1e4), (7.0, 1.0), (1.001, 30.0), (-0.0, -2.0),
        (0.9, 80.0), (4.0, 0.5), (2.0, -20.0),
    ]
    known = [known[i] for i in rng.permutation(len(known))[:n]] if n < len(known) else known
    rest = n - len(known)
    a = [k[0] for k in known] + list(np.exp(rng.uniform(-2, 2, rest)))
    b = [k[1] for k in known] + list(rng.uniform(-4, 4, rest))
    return [array(d, a), array(d, b)]


def arguments(d, n, rng, name):
    """The operand of a function of one number."""
    inf, nan, top = math.inf, math.nan, FORMATS[d].largest
    least, subnormal, normal, unit = small(d)
    limit = math.log(top)
    known = {
        "texp": [0.0, -0.0, 1.0, -1.0, inf, -inf, nan, limit * 0.9999, limit * 1.001, top, -top, least, math.log(2), 0.5, -0.5,
                 math.log(normal) * 0.99, math.log(normal) * 1.02, math.log(least) * 0.98, math.log(least) * 1.05, 1e-3, 10.0, -10.0],
        "tlog": [1.0, 0.0, -0.0, -1.0, inf, -inf, nan, top, least, subnormal, normal, 1 + unit, 1 - unit / 2, 2.0, 0.5, math.e,
                 10.0, -least, -inf, 3.0, 0.75, 1.25],
        "tsqrt": [0.0, -0.0, 1.0, 2.0, 4.0, 0.25, -1.0, inf, -inf, nan, top, least, 3 * least, subnormal, normal, 1 + unit,
                  1 - unit / 2, -least, 3.0, 10.0, 0.1, 16.0],
    }
    known["trsqrt"] = known["tsqrt"]
    chosen = known[name]
    if n < len(chosen):
        chosen = [chosen[i] for i in rng.permutation(len(chosen))[:n]]
    rest = n - len(chosen)
    spread = rng.uniform(-8, 8, rest) if name == "texp" else np.exp(rng.uniform(math.log(normal), limit, rest))
    return [array(d, list(chosen) + list(spread))]


def single(d, n, rng):
    """The operand of a simple function of one number."""
    some = corners(d)
    if n < len(some):
        return [array(d, [some[i] for i in rng.permutation(len(some))[:n]])]
    return [np.concatenate([array(d, some), random(d, n - len(some), rng)])]


def scalars(d, divisor=False):
    """Scalar operands, one for each case of a type in turn."""
    if not is_float(d):
        low, high = int_range(d)
        some = [3, high, low, -1 if low else high - 1, 7, 100, 1]
        return [s for s in some if s or not divisor]
    least, _, _, unit = small(d)
    top = FORMATS[d].largest
    return [0.3, math.nan, -0.0, math.inf, unit / 2, -top, -2.5] if not divisor else [3.0, 0.0, -0.0, math.inf, math.nan, least, -2.5]


def bits(d, n, rng):
    """Any bits at all, for instructions that copy."""
    raw = rng.integers(0, 256, n * np.dtype(STORAGE[d]).itemsize, np.uint8).tobytes()
    out = np.frombuffer(raw, STORAGE[d]).copy()
    if d in FLOATS:
        some = array(d, corners(d))
        out[: min(n, len(some)) : 3] = some[: min(n, len(some)) : 3]
    return out
