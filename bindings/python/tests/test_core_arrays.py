"""Arrays are used in place: no copies, no references left, no surprises about types and shapes."""

import array
import sys

import numpy as np
import pytest

import pto
from pto import _core
from conftest import TWICE, twice_of


@pytest.fixture
def x():
    return np.arange(256, dtype=np.float32).reshape(16, 16)


def test_arrays_are_used_in_place(twice, x):
    y = np.zeros_like(x)
    address = y.ctypes.data
    result = twice.run(x, y)
    assert result["y"] is y and result["x"] is x
    assert y.ctypes.data == address == _core.address(y)
    assert (y == 2 * x).all()


def test_no_reference_is_left(twice, x):
    y = np.zeros_like(x)
    twice.run(x, y)
    before = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(100):
        twice.run(x, y)
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before
    result = twice.run(x, y)
    assert sys.getrefcount(y) == before[1] + 1
    del result
    assert sys.getrefcount(y) == before[1]


def test_names_and_positions(twice, x):
    y = np.zeros_like(x)
    twice.run(x, y=y)
    assert y[0, 1] == 2
    y[:] = 0
    twice.run(y=y, x=x)
    assert y[0, 1] == 2
    with pytest.raises(pto.ArgumentError, match="`x` is given twice"):
        twice.run(x, y, x=x)
    with pytest.raises(pto.ArgumentError, match="no parameter `z`; the parameters are x, y"):
        twice.run(x, z=y)
    with pytest.raises(pto.ArgumentError, match="3 arguments"):
        twice.run(x, y, 3)


def test_the_same_buffer_twice(twice, x):
    expected = 2 * x
    twice.run(x, x)
    assert (x == expected).all()


def test_overlapping_buffers_on_many_blocks(twice):
    whole = np.ones(16 * 17, dtype=np.float32)
    a, b = whole[:256].reshape(16, 16), whole[16:].reshape(16, 16)
    twice.run(a, b, blocks=8, threads=4)
    assert np.isfinite(whole).all() and (whole[-16:] >= 2).all()


def test_read_only_arrays_are_refused_as_outputs(twice, x):
    y = np.zeros_like(x)
    x.flags.writeable = False
    twice.run(x, y)
    assert y[0, 1] == 2
    y.flags.writeable = False
    with pytest.raises(pto.RunError, match="was given to be read only") as e:
        twice.run(x, y)
    assert e.value.diagnostics[0].line > 0
    with pytest.raises(pto.RunError, match="read only"):
        twice.run(x, memoryview(bytes(1024)).cast("f"))


def test_strided_arrays(twice, x):
    wide = np.zeros((16, 32), dtype=np.float32)
    part = wide[:, :16]
    with pytest.raises(pto.ArgumentError, match=r"`y`: the array is not contiguous \(shape \[16, 16\], strides \[128, 4\]"):
        twice.run(x, part)
    twice.run(x, part, copy=True)
    assert (part == 2 * x).all() and (wide[:, 16:] == 0).all()
    twice.run(x.T, part, copy=True)
    assert (part == 2 * x.T).all()
    with pytest.raises(pto.ArgumentError, match="not contiguous"):
        twice.run(x[::-1], part, copy=False)
    twice.run(x[::-1], part, copy=True)
    assert (part == 2 * x[::-1]).all()


def test_a_span_is_all_memory_between_its_ends(twice):
    program = pto.Program(TWICE.replace("strides = [%n, %one] : !pto.tensor_view<16x16xf32>\n  %ys", "strides = [%w, %one] : !pto.tensor_view<16x16xf32>\n  %ys").replace("  %n = ", "  %w = arith.constant 32 : index\n  %n = "))
    wide = np.arange(512, dtype=np.float32).reshape(16, 32)
    y = np.zeros((16, 16), dtype=np.float32)
    program.run(pto.span(wide[:, :16]), y)
    assert (y == 2 * wide[:, :16]).all()


def test_extents_of_one_do_not_matter(twice, x):
    y = np.zeros((1, 16, 1, 16), dtype=np.float32)
    twice.run(x[None, :, :], y[:, :, ::1])
    assert (y[0, :, 0] == 2 * x).all()


@pytest.mark.parametrize("dtype", ["float64", "int32", "uint32", "float16", "int8", "bool", "complex64", "datetime64[s]"])
def test_wrong_dtypes(twice, x, dtype):
    with pytest.raises(pto.ArgumentError, match="argument `y`: an array of .* for f32; it takes float32"):
        twice.run(x, np.zeros((16, 16), dtype=dtype))


def test_the_other_byte_order(twice, x):
    with pytest.raises(pto.ArgumentError, match="other byte order"):
        twice.run(x.astype(">f4"), x)


@pytest.mark.parametrize("wrong", [None, [1.0], "x", 3, object(), {"a": 1}])
def test_what_is_no_array(twice, x, wrong):
    with pytest.raises(pto.ArgumentError, match="argument `x`: a .* for memory of f32"):
        twice.run(wrong, x)


def test_too_small_and_empty_arrays(twice, x):
    with pytest.raises(pto.RunError) as e:
        twice.run(x, np.zeros(255, dtype=np.float32))
    assert e.value.diagnostics[0].code.startswith("PTO-E07")
    with pytest.raises(pto.RunError):
        twice.run(x, np.zeros((0, 16), dtype=np.float32))
    nothing = pto.Program("func.func @f(%x: !pto.ptr<f32>) { return }")
    nothing.run(np.zeros((0, 4), dtype=np.float32))
    nothing.run(np.zeros((0, 4), dtype=np.float32)[:, ::2])


def test_huge_arrays_cost_nothing_until_they_are_touched(twice, x):
    try:
        y = np.zeros((1 << 32) // 4, dtype=np.float32)
    except MemoryError:
        pytest.skip("the system hands out no memory that it does not have")
    twice.run(x, y)
    assert y[1] == 2 and y[256] == 0


@pytest.mark.parametrize("dtype", ["f16", "i32", "i16"])
def test_element_types(dtype):
    name = {"f16": "float16", "i32": "int32", "i16": "int16"}[dtype]
    x = np.arange(256).astype(name)
    y = np.zeros_like(x)
    pto.Program(twice_of(dtype)).run(x, y)
    assert (y == 2 * x).all()


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    program = pto.Program(twice_of("bf16"))
    x = np.arange(256).astype(ml_dtypes.bfloat16)
    y = np.zeros_like(x)
    assert program.run(x, y, target="a5")["y"] is y
    assert (y == 2 * x).all()
    bits = np.zeros(256, dtype=np.uint16)
    program.run(x.view(np.uint16), bits, target="a5")
    assert (bits.view(ml_dtypes.bfloat16) == y).all()
    with pytest.raises(pto.ArgumentError, match="bfloat16 for f32"):
        pto.Program(TWICE).run(x, y)
    made = program.run(target="a5")["y"]
    assert made.dtype == ml_dtypes.bfloat16 and made.shape == (16, 16)


def test_buffers(twice):
    x = array.array("f", range(256))
    y = bytearray(1024)
    twice.run(x, memoryview(y).cast("f"))
    assert memoryview(y).cast("f")[3] == 6


class Tensor:
    """A tensor of another library, which only has DLPack."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __dlpack__(self, **options):
        return self.numbers.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.numbers.__dlpack_device__()


class OldTensor(Tensor):
    """Of a version of DLPack that cannot say whether it may be written."""

    def __dlpack__(self):
        return self.numbers.__dlpack__()


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="its DLPack cannot say what may be written")
def test_dlpack(twice, x):
    y = np.zeros_like(x)
    assert _core.address(Tensor(y)) == y.ctypes.data
    references = sys.getrefcount(y)
    twice.run(OldTensor(x), Tensor(y))
    assert (y == 2 * x).all()
    assert sys.getrefcount(y) == references
    with pytest.raises(pto.RunError, match="read only"):
        twice.run(x, OldTensor(y))
    with pytest.raises(pto.ArgumentError, match="not contiguous"):
        twice.run(Tensor(x.T), y)
    y.flags.writeable = False
    with pytest.raises(Exception, match="read"):
        twice.run(x, Tensor(y))


class FakeDevice:
    type = "cpu"


class FakeTorch:
    """As a torch tensor looks to us: torch itself is never imported."""

    def __init__(self, numbers, device="cpu"):
        self.numbers, self.shape, self.device = numbers, numbers.shape, FakeDevice()
        self.device.type = device
        self.dtype = f"torch.{numbers.dtype.name}"

    def data_ptr(self):
        return self.numbers.ctypes.data

    def element_size(self):
        return self.numbers.itemsize

    def is_contiguous(self):
        return self.numbers.flags.c_contiguous

    def stride(self):
        return tuple(n // self.numbers.itemsize for n in self.numbers.strides)


def test_tensors_by_their_attributes(twice, x):
    y = np.zeros_like(x)
    twice.run(FakeTorch(x), FakeTorch(y))
    assert (y == 2 * x).all()
    with pytest.raises(pto.ArgumentError, match=r"shape \[16, 16\], strides \[4, 64\] bytes"):
        twice.run(FakeTorch(x.T), y)
    with pytest.raises(pto.ArgumentError, match="a tensor on cuda"):
        twice.run(FakeTorch(x, "cuda"), y)
    assert "torch" not in sys.modules or pytest.importorskip("torch")


def test_torch(twice):
    torch = pytest.importorskip("torch")
    x = torch.arange(256, dtype=torch.float32).reshape(16, 16)
    y = torch.zeros(16, 16)
    assert twice.run(x, y)["y"] is y
    assert torch.equal(y, 2 * x)
    b = x.to(torch.bfloat16)
    out = torch.zeros_like(b)
    pto.Program(twice_of("bf16")).run(b, out, target="a5")
    assert torch.equal(out, b + b)
    twice.run(x.T, y, copy=True)
    assert torch.equal(y, 2 * x.T)


def test_made_up_arrays_are_those_of_the_command_line(twice):
    first, again = twice.run(), twice.run(x=pto.rand(seed=0), y=pto.zeros())
    assert first["y"].shape == (16, 16) and first["x"].any()
    assert (first["x"] == again["x"]).all() and (first["y"] == again["y"]).all()
    assert (twice.run(x=pto.rand(seed=1))["x"] != first["x"]).any()
    assert (twice.run(x=pto.arange())["y"].ravel() == 2 * np.arange(256)).all()
    assert (twice.run(x=pto.fill(-1.5))["y"] == -3).all()
    assert twice.run(x=pto.ones((32, 16)))["x"].shape == (32, 16)
    with pytest.raises(pto.ArgumentError):
        pto.Program(twice_of("i32")).run(x=pto.fill(1.5))


def test_scalars(long):
    y = np.zeros((64, 64), dtype=np.float32)
    for n in (1, np.int64(1), np.array(1), True):
        y[:] = 0
        long.run(y, n)
        assert (y == 1).all()
    with pytest.raises(pto.ArgumentError, match="`n` has no value"):
        long.run(y)
    for wrong in (1.5, "x", None, [1], 1 << 70):
        with pytest.raises(pto.ArgumentError):
            long.run(y, wrong)


def test_results(twice, x):
    result = twice.run(x, np.zeros_like(x), target="a5", blocks=2)
    assert (result.target, result.entry, result.instructions) == ("a5", "twice", 6)
    assert result.seconds > 0 and list(result) == ["x", "y"] and len(result) == 2
    assert list(result.outputs) == ["y"] and "x" in result and "z" not in result
    with pytest.raises(KeyError):
        result["z"]
    assert result.warnings == [] and "wrote y" in repr(result)
