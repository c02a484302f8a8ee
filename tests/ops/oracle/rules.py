"""The arithmetic of docs/numerics.md, one small function per rule.

A function takes the element type and arrays of elements, and gives an array of elements. Sources are never changed.
"""

from fractions import Fraction
import math
import numpy as np
from .formats import (
    FLOATS, FORMATS, STORAGE, encode, int_range, is_float, narrow, nearest, round_float, round_integral, wrap,
)


def wide(x):
    return x.astype(np.float64)


def each(d, f, *arrays):
    """A function of Python numbers at every element; its results are elements already."""
    out = np.empty(arrays[0].shape, STORAGE[d])
    for at in np.ndindex(out.shape):
        out[at] = f(*(a[at] for a in arrays))
    return out


def integers(d, f, *arrays):
    """An integer function, wrapped to the width."""
    return each(d, lambda *v: wrap(d, f(*map(int, v))), *arrays)


# Each of the next four is exact or correctly rounded in f64, and 53 bits are enough to round once more without harm.

def add(d, a, b):
    if not is_float(d):
        return integers(d, lambda x, y: x + y, a, b)
    return narrow(d, wide(a) + wide(b))


def sub(d, a, b):
    if not is_float(d):
        return integers(d, lambda x, y: x - y, a, b)
    return narrow(d, wide(a) - wide(b))


def mul(d, a, b):
    if not is_float(d):
        return integers(d, lambda x, y: x * y, a, b)
    return narrow(d, wide(a) * wide(b))


def div(d, a, b):
    """Integers truncate; a float divided by zero is a signed infinity, 0/0 NaN."""
    if not is_float(d):
        return integers(d, lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), a, b)
    return narrow(d, wide(a) / wide(b))


def truncated(x, y):
    return abs(x) % abs(y) * (-1 if x < 0 else 1)


def fmod(d, a, b):
    """The remainder with the sign of the dividend; exact."""
    if not is_float(d):
        return integers(d, truncated, a, b)
    return narrow(d, np.fmod(wide(a), wide(b)))


def rem(d, a, b):
    """The remainder with the sign of the divisor: that of `fmod`, plus the divisor where signs differ."""
    if not is_float(d):
        return integers(d, lambda x, y: x % y, a, b)
    r, y = np.fmod(wide(a), wide(b)), wide(b)
    return narrow(d, np.where((r != 0) & (np.signbit(r) != np.signbit(y)), r + y, r))


def larger(x, y):
    """NaN if either is; +0 above -0."""
    if x != x or y != y:
        return math.nan
    return x if (x, math.copysign(1, x)) > (y, math.copysign(1, y)) else y


def smaller(x, y):
    if x != x or y != y:
        return math.nan
    return x if (x, math.copysign(1, x)) < (y, math.copysign(1, y)) else y


def maximum(d, a, b):
    if not is_float(d):
        return integers(d, max, a, b)
    return each(d, lambda x, y: larger(float(x), float(y)), a, b)


def minimum(d, a, b):
    if not is_float(d):
        return integers(d, min, a, b)
    return each(d, lambda x, y: smaller(float(x), float(y)), a, b)


def relu(d, a):
    return maximum(d, a, np.zeros_like(a))


def prelu(d, a, slope):
    """The product with the slope unless positive."""
    return np.where(a > 0, a, mul(d, a, slope))


def flip_sign(d, a):
    """Negation changes the sign bit only, also of zeros."""
    return -a if is_float(d) else integers(d, lambda x: -x, a)


def clear_sign(d, a):
    return np.abs(a) if is_float(d) else integers(d, abs, a)


def bitwise(f):
    return lambda d, *arrays: integers(d, f, *arrays)


def shift_left(d, a, count):
    """Counts outside the width move every bit out."""
    w = STORAGE[d](0).itemsize * 8
    return integers(d, lambda x, n: x << n if 0 <= n < w else 0, a, count)


def shift_right(d, a, count):
    """Arithmetic for signed types: what remains of the sign is -1 or 0."""
    w = STORAGE[d](0).itemsize * 8
    return integers(d, lambda x, n: x >> n if 0 <= n < w else -(x < 0), a, count)


def fused(d, a, b, c):
    """`a * b + c`, rounded once; integers wrap."""
    if not is_float(d):
        return integers(d, lambda x, y, z: x * y + z, a, b, c)

    def one(x, y, z):
        x, y, z = float(x), float(y), float(z)
        rough = np.float64(x) * y + z
        if not all(map(math.isfinite, (x, y, z))) or x * y == 0 and (x == 0 or y == 0):
            return encode(d, float(rough))
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        # An exact zero is +0 unless both terms are -0, which only zero products reach.
        return encode(d, nearest(d, exact, 1.0 if exact == 0 else float(math.copysign(1, exact))))

    return each(d, one, a, b, c)


def int_power(x, n):
    """Zero power 1, also of 0; negative powers vanish except those of 1 and -1."""
    if n >= 0:
        return pow(x, n, 2**64)
    return {1: 1, -1: -1 if n % 2 else 1}.get(x, 0)


def power(d, a, b):
    """Integers wrap; floats have the special cases of C."""
    if not is_float(d):
        return integers(d, int_power, a, b)
    return narrow(d, np.power(wide(a), wide(b)))


def exponential(d, a):
    return narrow(d, np.exp(wide(a)))


def logarithm(d, a):
    return narrow(d, np.log(wide(a)))


def root(d, a):
    return narrow(d, np.sqrt(wide(a)))


def reciprocal_root(d, a):
    return narrow(d, 1 / np.sqrt(wide(a)))


def reciprocal(d, a):
    return div(d, np.ones_like(a), a)


def exp_of_difference(d, a, b):
    """The difference is rounded to the element type before the exponential."""
    return exponential(d, sub(d, a, b))


COMPARE = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}


def mask_bytes(truth, cols_of_mask, old):
    """Rows of truth values packed into the rows of a mask of bytes: least significant bit first. Bits past the last column,
    up to the end of its byte, are zero; bytes beyond keep what they held."""
    out = old.copy()
    packed = np.packbits(truth, axis=1, bitorder="little")
    assert packed.shape[1] <= cols_of_mask
    out[: packed.shape[0], : packed.shape[1]] = packed
    return out


def mask_truth(mask, rows, cols):
    """Truth values from the rows of a mask of bytes."""
    return np.unpackbits(mask, axis=1, bitorder="little")[:rows, :cols].astype(bool)


# Reductions.

def accumulator(d, a):
    """f16 and bf16 accumulate in f32."""
    return a.astype(np.float32) if d in FLOATS else a


def combine(d, x, y, product):
    """One step of a sum or product in the type of the accumulator."""
    acc = "f32" if d in FLOATS else d
    return (mul if product else add)(acc, x, y)


def row_fold(d, a, product=False):
    """Element j belongs to lane j mod 64; lanes run from left to right, then lane i takes in i+32, i+16, ... i+1."""
    a = accumulator(d, a)
    lanes = {}
    for j in range(a.shape[1]):
        x = a[:, j]
        lanes[j % 64] = combine(d, lanes[j % 64], x, product) if j % 64 in lanes else x
    for step in (32, 16, 8, 4, 2, 1):
        for i in range(step):
            if i + step in lanes:
                lanes[i] = combine(d, lanes[i], lanes.pop(i + step), product)
    assert list(lanes) == [0]
    return finish(d, lanes[0])


def col_fold(d, a, product=False):
    """From the first row to the last."""
    a = accumulator(d, a)
    total = a[0]
    for row in a[1:]:
        total = combine(d, total, row, product)
    return finish(d, total)


def finish(d, total):
    return total.astype(STORAGE[d])


def fold_extreme(d, a, axis, largest):
    """The order does not matter."""
    f = maximum if largest else minimum
    rows = a if axis == 0 else a.T
    total = rows[0]
    for row in rows[1:]:
        total = f(d, total, row)
    return total


def arg_extreme(d, a, axis, largest):
    """The first index of the extreme; zeros are equal; a NaN beats everything."""
    lines = a.T if axis == 0 else a
    return [first_extreme(list(map(float if is_float(d) else int, line)), largest) for line in lines]


def first_extreme(line, largest):
    for j, x in enumerate(line):
        if x != x:
            return j
    return line.index(max(line) if largest else min(line))


def pair_sums(d, a):
    """Sums of neighbours to the left, an odd last element as it is, zeros after them."""
    out = np.zeros_like(a)
    pairs = a.shape[1] // 2
    out[:, :pairs] = add(d, a[:, 0 : 2 * pairs : 2], a[:, 1 : 2 * pairs : 2])
    if a.shape[1] % 2:
        out[:, pairs] = a[:, -1]
    return out


def sequence(d, start, n, descending):
    """`start + k` or `start - k` for every column k."""
    sign = -1 if descending else 1
    if not is_float(d):
        return np.array([wrap(d, int(start) + sign * k) for k in range(n)], STORAGE[d])
    return narrow(d, np.float64(start) + sign * np.arange(n, dtype=np.float64))


def triangle(d, rows, cols, diagonal, upper):
    one = lambda i, j: j >= i + diagonal if upper else j <= i + diagonal
    return np.array([[1 if one(i, j) else 0 for j in range(cols)] for i in range(rows)]).astype(STORAGE[d])


# Conversion.

WRAPPING = {("f16", "u8"), ("f16", "i8"), ("f32", "i16"), ("f16", "i16"), ("i64", "i32"), ("i32", "i16")}
"""Pairs that do not saturate unless told to."""


def convert(src, dst, x, mode, saturate):
    """One number to another type: `mode` is a rounding mode without its prefix, `saturate` True, False or None for
    the default of the pair. Gives an integer for integers, else a float that the format has."""
    if saturate is None:
        saturate = (src, dst) not in WRAPPING
    to_int = not is_float(dst)
    from_float = is_float(src)
    if mode == "NONE" or mode == "ODD" and (src, dst) != ("f32", "f16"):
        mode = "TRUNC" if from_float and to_int else "RINT"
    if x != x:
        return 0 if to_int else math.nan
    if to_int:
        return to_integer(dst, x, mode, saturate)
    return to_float(src, dst, x, mode, saturate)


def to_integer(dst, x, mode, saturate):
    low, high = int_range(dst)
    if abs(x) == math.inf:
        return (high if x > 0 else low) if saturate else 0

    n = round_integral(Fraction(x), mode)
    return min(max(n, low), high) if saturate else wrap(dst, n)


def to_float(src, dst, x, mode, saturate):

    fmt, sign = FORMATS[dst], math.copysign(1, x)
    got = x
    if abs(x) != math.inf:
        exact = Fraction(x)
        got = Fraction(round_integral(exact, mode)) if src == dst == "f32" else round_float(dst, exact, mode)
    if abs(got) > fmt.largest:
        if saturate:
            return sign * fmt.largest
        return sign * math.inf if fmt.infinities else math.nan
    return math.copysign(float(got), sign)
