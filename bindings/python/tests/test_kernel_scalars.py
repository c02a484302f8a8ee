"""Scalars of a kernel: operators, types, and what Python cannot do with them."""

import inspect

import numpy as np
import pytest

import pto
from pto import Gm, Index, Scalar, bf16, f16, f32, i8, i32, i64, index, u8, u32


def level2(kernel, **consts):
    return kernel.trace(**consts).to_text("level2")


def test_arithmetic_is_that_of_the_program():
    @pto.kernel
    def sums(x: Gm[i32], a: Scalar[i32], b: Scalar[i32]):
        values = [a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, a << 2, a >> 1, -a, ~a, a.min(b), a.max(b)]
        values += [7 + a, 7 - a, 2 * a, 100 // b, 100 % b, 6 & a, 6 | a, 6 ^ a, 1 << b, 1024 >> b, pto.minimum(a, 3), pto.maximum(a, 50)]
        for at, value in enumerate(values):
            x[at] = value

    a, b = 41, 3
    want = [a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, a << 2, a >> 1, -a, ~a, min(a, b), max(a, b)]
    want += [7 + a, 7 - a, 2 * a, 100 // b, 100 % b, 6 & a, 6 | a, 6 ^ a, 1 << b, 1024 >> b, 3, 50]
    x = np.zeros(len(want), np.int32)
    sums(x, a, b)
    assert x.tolist() == want


def test_floats_and_conversions():
    @pto.kernel
    def floats(x: Gm[f32], n: Index):
        v = x[0]
        x[1] = v / 4.0 + 1
        x[2] = n.cast(f32)
        x[3] = (v * 3.7).cast(i32).cast(f32)
        x[4] = -v
        x[5] = f32(2.5)
        x[6] = f32(n)

    x = np.array([10, 0, 0, 0, 0, 0, 0], np.float32)
    floats(x, 12)
    assert x.tolist() == [10, 3.5, 12, 37, -10, 2.5, 12]


def test_comparisons_and_selection():
    @pto.kernel
    def compare(x: Gm[i32], a: Scalar[i32]):
        conditions = [a == 5, a != 5, a < 6, a <= 5, a > 5, a >= 6, (a > 1) & (a < 9), ~(a == 5), 5 == a]
        for at, condition in enumerate(conditions):
            x[at] = condition.select(pto.i32(1), 0)
        x[9] = pto.select(a > 3, a, 3)

    x = np.zeros(10, np.int32)
    compare(x, 5)
    assert x.tolist() == [1, 0, 1, 1, 0, 0, 1, 0, 1, 5]


def test_rounding_is_towards_zero():
    @pto.kernel
    def divide(x: Gm[i32], a: Scalar[i32]):
        x[0] = a // 2
        x[1] = a % 2

    x = np.zeros(2, np.int32)
    divide(x, -7)
    assert x.tolist() == [-3, -1]


def test_known_indices_are_numbers():
    @pto.kernel
    def known(x: Gm[f32], n: Index):
        a = pto.index(12)
        assert a.known == 12 and (a * 2 + 1).known == 25
        assert n.known is None and (n + 1).known is None
        assert a.dtype is index

    assert "arith" not in level2(known).replace("arith.addi", "").replace("arith.constant", "")


def test_types():
    assert (f32.name, f32.bits, f32.is_float) == ("f32", 32, True)
    assert (u8.name, u8.bits, u8.is_float) == ("ui8", 8, False)
    assert repr(bf16) == "pto.bf16"
    assert issubclass(f16, pto.DType)
    with pytest.raises(RuntimeError, match="@pto.kernel"):
        f32(1.0)


@pytest.mark.parametrize(
    ("what", "advice"),
    [
        (lambda n: bool(n == 1), "pto.when"),
        (lambda n: 1 if n > 1 else 2, "pto.select"),
        (lambda n: (n > 1) and (n < 5), "&"),
        (lambda n: int(n), "cast"),
        (lambda n: float(n), "cast"),
        (lambda n: list(range(n)), "pto.range"),
        (lambda n: [1, 2, 3][n], "keyword-only"),
        (lambda n: list(n), "pto.range"),
        (lambda n: n in [1, 2], "pto.when"),
    ],
)
def test_python_cannot_know_a_value(what, advice):
    @pto.kernel
    def wrong(n: Index):
        what(n)

    line = inspect.getsourcelines(what)[1]
    with pytest.raises(TypeError) as error:
        wrong.trace()
    assert advice in str(error.value) and f"test_kernel_scalars.py:{line}:" in str(error.value)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda a, n, v: a + n, r"i32 is needed here, and this is index; .cast\(...\)"),
        (lambda a, n, v: a + 0.5, "i32 is needed here"),
        (lambda a, n, v: a / 2, "use `//`"),
        (lambda a, n, v: v // 2, "use `/`"),
        (lambda a, n, v: v & 1, "bits are those of integers"),
        (lambda a, n, v: a + "x", "a number or a scalar of i32"),
        (lambda a, n, v: a + True, "a number or a scalar of i32"),
        (lambda a, n, v: pto.select(True, 1, 2), "must be a scalar of the kernel"),
    ],
)
def test_operands_must_fit(what, message):
    @pto.kernel
    def wrong(a: Scalar[i32], n: Index, v: Scalar[f32]):
        what(a, n, v)

    with pytest.raises(TypeError, match=message):
        wrong.trace()


def test_numbers_of_numpy_are_numbers():
    @pto.kernel
    def numbers(x: Gm[f32], n: Index):
        x[np.int64(3)] = np.float32(1.5)
        x[n + np.int32(1)] = np.float64(2.5)

    x = np.zeros(8, np.float32)
    numbers(x, 4)
    assert x[3] == 1.5 and x[5] == 2.5


def test_casts_between_all_types():
    kinds = [i8, i32, i64, u8, u32, f16, bf16, f32, index]

    @pto.kernel
    def casts(n: Index):
        for a in kinds:
            for b in kinds:
                assert n.cast(a).cast(b).dtype is b

    casts.trace()
