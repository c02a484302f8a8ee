"""Programs that several tests run."""

import signal

import pytest

#: y = x + x over 16x16 numbers, in blocks of its own rows if there are several.
TWICE = """
func.func @twice(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
  %one = arith.constant 1 : index
  %n = arith.constant 16 : index
  %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
  %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
           outs(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
  return
}
"""

#: Writes n times, to be stopped.
LONG = """
func.func @long(%y: !pto.ptr<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 64 : index
  %ys = pto.make_tensor_view %y, shape = [%rows, %rows], strides = [%rows, %one] : !pto.tensor_view<64x64xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 64x64xf32>
  pto.tload ins(%ys : !pto.tensor_view<64x64xf32>) outs(%t : !pto.tile_buf<vec, 64x64xf32>)
  scf.for %i = %zero to %n step %one {
    pto.texp ins(%t : !pto.tile_buf<vec, 64x64xf32>) outs(%t : !pto.tile_buf<vec, 64x64xf32>)
  }
  pto.tstore ins(%t : !pto.tile_buf<vec, 64x64xf32>) outs(%ys : !pto.tensor_view<64x64xf32>)
  return
}
"""


def twice_of(dtype: str) -> str:
    """The same for another element type."""
    return TWICE.replace("f32", dtype)


@pytest.fixture
def twice():
    import pto

    return pto.Program(TWICE, name="twice.pto")


@pytest.fixture
def long():
    import pto

    return pto.Program(LONG, name="long.pto")


@pytest.fixture(autouse=True)
def python_handles_ctrl_c():
    """A shell that starts a job in the background lets it ignore Ctrl-C, and Python leaves it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
