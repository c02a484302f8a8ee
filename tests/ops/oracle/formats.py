"""Element types: storage, decoding, and exact rounding into them.

Elements are kept in NumPy arrays of the storage type: native integers, `float16`, `bfloat16` and `float32`; codes in
`uint8` for everything narrower. Every floating-point value of every format is exactly a Python float.
"""

from fractions import Fraction
import math
import ml_dtypes
import numpy as np

BF16 = ml_dtypes.bfloat16
STORAGE = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "bf16": BF16, "f32": np.float32,
    # Codes. A cell of a 4-bit float holds two numbers, the low nibble first; an i4 cell one.
    "f8e4m3": np.uint8, "f8e5m2": np.uint8, "f8e8m0": np.uint8, "hif8": np.uint8,
    "f4e1m2": np.uint8, "f4e2m1": np.uint8, "i4": np.uint8,
}
INTS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
FLOATS = ["f16", "bf16", "f32"]
"""Types that arithmetic is defined for."""
ARITHMETIC = INTS + FLOATS

FINEST = {"RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"}


def is_float(d):
    return d not in INTS and d != "i4"


def bits_of(d):
    return 4 if d in ("i4", "f4e1m2", "f4e2m1") else np.dtype(STORAGE[d]).itemsize * 8


def block(d):
    """Columns of 32 bytes."""
    return 32 // np.dtype(STORAGE[d]).itemsize


def int_range(d):
    w = bits_of(d)
    return (0, 2**w - 1) if d.startswith("u") else (-(2 ** (w - 1)), 2 ** (w - 1) - 1)


def wrap(d, n):
    """The integer of type `d` with the low bits of `n`."""
    low, high = int_range(d)
    return (n - low) % (high - low + 1) + low


def round_integral(q, mode):
    """A rational as an integer."""
    down = math.floor(q)
    rest = q - down
    if rest == 0 or mode == "FLOOR":
        return down
    if mode == "CEIL":
        return down + 1
    if mode == "TRUNC":
        return down if q > 0 else down + 1
    if mode == "ODD":
        return down if down % 2 else down + 1
    if rest != Fraction(1, 2):
        return down + (rest > Fraction(1, 2))
    if mode == "RINT":
        return down + down % 2
    assert mode == "ROUND"
    return down + (q > 0)


class Format:
    """A binary format: sign, exponent with a bias, mantissa; subnormals; perhaps infinities and NaN."""

    def __init__(self, ebits, mbits, bias, infinities=True, nan=True, largest=None):
        self.mbits, self.bias, self.infinities, self.nan = mbits, bias, infinities, nan
        self.ebits, self.width = ebits, 1 + ebits + mbits
        self.largest = largest or 2.0 ** (2**ebits - 2 - bias) * (2 - 2.0**-mbits)

    def decode(self, code):
        m, e = code & (2**self.mbits - 1), code >> self.mbits & (2**self.ebits - 1)
        sign = -1.0 if code >> (self.width - 1) else 1.0
        if self.infinities and e == 2**self.ebits - 1:
            return math.nan if m else sign * math.inf
        x = m * 2.0 ** (1 - self.bias - self.mbits) if e == 0 else (1 + m / 2**self.mbits) * 2.0 ** (e - self.bias)
        return math.nan if x > self.largest else sign * x

    def quantum(self, exponent):
        """The distance of neighbours among the numbers with this exponent."""
        return Fraction(2) ** (max(exponent, 1 - self.bias) - self.mbits)

    def negative_zero(self):
        return True


class HiF8(Format):
    """Mantissa bits shrink as the exponent grows; the smallest numbers are powers of two."""

    def __init__(self):
        self.width, self.largest, self.infinities, self.nan = 8, 32768.0, True, True

    def decode(self, code):
        sign, c = (-1.0 if code & 0x80 else 1.0), code & 0x7F
        if c == 0:
            return math.nan if code else 0.0
        if c == 0x6F:
            return sign * math.inf
        if c < 0x08:
            return sign * 2.0 ** (c - 23)
        if c < 0x10:  # 0001mmm
            e, m = 0, (c & 7) / 8
        elif c < 0x20:  # 001Smmm
            e, m = (-1 if c & 8 else 1), (c & 7) / 8
        elif c < 0x40:  # 01Sxmmm
            e, m = (2 + (c >> 3 & 1)) * (-1 if c & 0x10 else 1), (c & 7) / 8
        elif c < 0x60:  # 10Sxxmm
            e, m = (4 + (c >> 2 & 3)) * (-1 if c & 0x10 else 1), (c & 3) / 4
        else:  # 11Sxxxm
            e, m = (8 + (c >> 1 & 7)) * (-1 if c & 0x10 else 1), (c & 1) / 2
        return sign * (1 + m) * 2.0**e

    def quantum(self, exponent):
        size = abs(exponent)
        mbits = 3 if size < 4 else 2 if size < 8 else 1 if size < 16 else 0
        return Fraction(2) ** (max(exponent, -22) - mbits)

    def negative_zero(self):
        return False


FORMATS = {
    "f32": Format(8, 23, 127), "bf16": Format(8, 7, 127), "f16": Format(5, 10, 15), "f8e5m2": Format(5, 2, 15),
    "f8e4m3": Format(4, 3, 7, infinities=False, largest=448.0), "hif8": HiF8(),
    "f4e2m1": Format(2, 1, 1, infinities=False, nan=False, largest=6.0),
    "f4e1m2": Format(1, 2, 1, infinities=False, nan=False, largest=1.75),
}


def _encodings(name):
    """Value to code, for the formats with a table. Zeros are told apart by their sign."""
    fmt, codes = FORMATS[name], {}
    for code in range(2**fmt.width):
        x = fmt.decode(code)
        codes.setdefault("nan" if math.isnan(x) else (x, math.copysign(1, x)), code)
    return codes


CODES = {name: _encodings(name) for name in ("f8e5m2", "f8e4m3", "hif8", "f4e2m1", "f4e1m2")}


def floor_log2(q):
    """The exponent of a positive rational."""
    e = q.numerator.bit_length() - q.denominator.bit_length()
    return e if Fraction(2) ** e <= q else e - 1


def round_float(d, q, mode):
    """A rational as a number of a format whose exponents do not end above: the caller judges overflow."""
    if q == 0:
        return Fraction(0)
    step = FORMATS[d].quantum(floor_log2(abs(q)))
    return round_integral(q / step, mode) * step


def encode(d, x):
    """A float that the format has, as an element of the storage type."""
    if d in FLOATS:
        got = STORAGE[d](x)
        assert math.isnan(x) or float(got) == x, (d, x)
        return got
    if math.isnan(x):
        return np.uint8(CODES[d]["nan"]) if FORMATS[d].nan else np.uint8(0)
    if x == 0 and not FORMATS[d].negative_zero():
        x = 0.0
    return np.uint8(CODES[d][(x, math.copysign(1, x))])


def nearest(d, q, sign=1.0):
    """A rational as the nearest number of the format, ties to even, overflow to infinity; zeros get the sign."""
    got = round_float(d, Fraction(q), "RINT")
    if got == 0:
        return math.copysign(0.0, sign)
    return math.copysign(math.inf, got) if abs(got) > FORMATS[d].largest else float(got)


def values(d, array):
    """The numbers of an array of elements: Python integers or floats."""
    if d == "i4":
        return [(int(c) ^ 8) - 8 for c in array.flat]
    if not is_float(d):
        return [int(v) for v in array.flat]
    if d in FLOATS:
        return [float(v) for v in array.flat]
    return [FORMATS[d].decode(int(c)) for c in array.flat]


def narrow(d, wide):
    """f64 results rounded once to f16, bf16 or f32, to nearest even."""
    if d != "bf16":
        return wide.astype(STORAGE[d])
    # Through f32 rounded to odd, so that the second rounding decides as one would.
    near = wide.astype(np.float32)
    bits = near.view(np.uint32)
    low = np.where(np.abs(near.astype(np.float64)) > np.abs(wide), bits - 1, bits)
    inexact = (near.astype(np.float64) != wide) & ~np.isnan(wide)
    odd = np.where(inexact, low | 1, bits).astype(np.uint32)
    return odd.view(np.float32).astype(BF16)


def self_check(rng):
    """The exact rounding agrees with NumPy and ml_dtypes where those have the format."""
    peers = {
        "f16": np.float16, "bf16": BF16, "f8e5m2": ml_dtypes.float8_e5m2,
        "f8e4m3": ml_dtypes.float8_e4m3fn, "f4e2m1": ml_dtypes.float4_e2m1fn,
    }
    for d, peer in peers.items():
        top = min(FORMATS[d].largest, 3e38)
        for scale in (1, 2.0**-9, 2.0**-14, 2.0**-130, top / 4):
            for x in (rng.standard_normal(200) * scale).astype(np.float32):
                if x == 0 or abs(x) > top:
                    continue
                got, want = nearest(d, Fraction(float(x)), float(x)), float(peer(x))
                assert got == want and math.copysign(1, got) == math.copysign(1, want), (d, x, got, want)
    for d in FLOATS:
        for scale in (1, 2.0**-14, 2.0**-130, FORMATS[d].largest / 4):
            wide = rng.standard_normal(300) * scale
            for x, got in zip(wide, narrow(d, wide)):
                assert nearest(d, Fraction(x), x) == float(got), (d, x)
    assert sorted(x for x in map(FORMATS["hif8"].decode, range(128)) if x == x)[-2:] == [32768.0, math.inf]
