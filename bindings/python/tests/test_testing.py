"""`pto.testing` and the pytest plugin."""

import numpy as np
import pytest

import pto
from pto.testing import assert_close, compare, ulp_distance

pytest_plugins = ["pytester"]

ADD = """func.func @add(%x: !pto.tensor_view<16x64xf32>, %y: !pto.tensor_view<16x64xf32>) {
  %one = arith.constant 1.0 : f32
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
  pto.tload ins(%x) outs(%t)
  pto.tadds ins(%t, %one) outs(%t)
  pto.tstore ins(%t) outs(%y)
  return
}
"""


def test_equal_arrays_are_close():
    assert_close(np.float32([1, np.inf, np.nan, -0.0]), np.float32([1, np.inf, np.nan, 0.0]))
    assert_close(np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32))
    assert_close(np.int32([1, -2]), [1, -2])


def test_the_first_wrong_element_is_named():
    found = np.ones((3, 4), np.float32)
    found[1, 2] = 2.0
    found[2, 3] = 9.0
    with pytest.raises(AssertionError) as wrong:
        assert_close(found, np.ones((3, 4)))
    text = str(wrong.value)
    assert "2 of 12 elements differ" in text
    assert "first at [1, 2]: 2.0, expected 1.0, 8388608 ulp apart" in text
    assert "largest difference: 8 absolute, 8 relative" in text


def test_tolerances():
    a = np.float32([1.0])
    near = np.nextafter(a, np.float32(2))
    assert_close(near, a, ulp=1)
    assert not compare(near, a, ulp=0)
    assert not compare(np.float32([1.1]), a)
    assert compare(np.float32([1.1]), a, rtol=0.2)
    assert compare(np.float32([1.1]), a, atol=0.2)
    assert not compare(np.int32([5]), np.int32([4]))
    assert compare(np.int32([5]), np.int32([4]), atol=1)


def test_what_is_no_number_is_close_to_nothing_else():
    assert not compare(np.float32([np.nan]), np.float32([0]), atol=1e9)
    assert not compare(np.float32([np.nan]), np.float32([np.nan]), equal_nan=False)
    assert not compare(np.float32([np.inf]), np.float32([-np.inf]), atol=1e9)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_units_in_the_last_place(kind):
    one = kind(1)
    assert list(ulp_distance(np.array([one, kind(-0.0)]), np.array([np.nextafter(one, kind(2)), kind(0)]))) == [1, 0]
    tiny = np.nextafter(kind(0), kind(1))
    assert list(ulp_distance(np.array([tiny]), np.array([-tiny]))) == [2]


def test_small_floats():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = np.array([1.0, 2.0], ml_dtypes.bfloat16)
    assert_close(a, [1.0, 2.0])
    found = compare(a, np.array([1.0, 2.5], ml_dtypes.bfloat16))
    assert found.index == (1,) and found.ulp == 32


def test_another_shape_is_an_error():
    with pytest.raises(AssertionError, match="shape 3, expected 4"):
        assert_close(np.zeros(3), np.zeros(4))


def test_the_statement_that_stored_it_is_named():
    program = pto.Program(ADD, name="add.pto")
    x, y = np.zeros((16, 64), np.float32), np.zeros((16, 64), np.float32)
    result = program.run(x, y)
    expected = np.ones((16, 64), np.float32)
    assert_close(y, expected, run=result)
    expected[3, 5] = 4.0
    with pytest.raises(AssertionError) as wrong:
        assert_close(y, expected, run=result)
    assert "y: 1 of 1024 elements differ" in str(wrong.value)
    assert "stored by add.pto:6: pto.tstore ins(%t) outs(%y)" in str(wrong.value)


def test_plugin_runs_a_test_for_each_target(pytester):
    pytester.makepyfile("""
        import pto
        def test_target(pto_target):
            assert pto.Program("func.func @f() { return }").target == pto_target
    """)
    pytester.runpytest_subprocess().assert_outcomes(passed=2)
    pytester.runpytest_subprocess("--pto-target", "a5").assert_outcomes(passed=1)


def test_plugin_switches_checks_on(pytester):
    pytester.makepyfile("""
        import pto
        def test_checks(pto_config):
            assert pto_config()["check"] == {"nan"}
            pto_config(check="race")
        def test_restored(pto_config):
            assert pto_config()["check"] == {"nan"}
    """)
    pytester.runpytest_subprocess("--pto-check", "nan").assert_outcomes(passed=2)
    assert pytester.runpytest_subprocess("--pto-check", "none").ret == pytest.ExitCode.USAGE_ERROR
