"""`pto.compat.ptodsl`: kernels as public scripts write them."""

import ctypes
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pto
import pto.compat
from pto.compat.ptodsl import errors
from pto.compat.ptodsl import pto as dsl
from pto.compat.ptodsl import scalar

runs = pytest.mark.skipif(not hasattr(pto.Program, "run"), reason="programs cannot be run")
GM_F32 = dsl.ptr(dsl.f32, "gm")


def launch(handle, *args, grid=1, **constants):
    """Launches with the addresses of arrays."""
    given = [pto.compat.register(a).ctypes.data if isinstance(a, np.ndarray) else a for a in args]
    handle.compile(**constants)[grid, None](*given)


def legal(handle, **constants):
    """The text of a kernel that has no problems."""
    compiled = handle.compile(**constants)
    found = [d for d in compiled.program.check(handle.target) if d.severity == "error"]
    assert not found, (found, compiled.mlir_text())
    return compiled.mlir_text()


def views(rows, cols, *pointers):
    return [dsl.make_tensor_view(p, shape=[rows, cols], strides=[cols, 1]) for p in pointers]


def kernel_of(body, rows=8, cols=16, dtype=dsl.f32, out=None, target="a5"):
    """A kernel that loads two tiles, computes a third and stores it."""
    out = out or dtype

    @dsl.jit(name="computed", target=target)
    def computed(a: dsl.ptr(dtype, "gm"), b: dsl.ptr(dtype, "gm"), c: dsl.ptr(out, "gm")):
        va, vb, vc = views(rows, cols, a, b, c)
        ta = dsl.alloc_tile(shape=[rows, cols], dtype=dtype)
        tb = dsl.alloc_tile(shape=[rows, cols], dtype=dtype)
        tc = dsl.alloc_tile(shape=[rows, cols], dtype=out)
        dsl.tile.load(va, ta)
        dsl.tile.load(vb, tb)
        body(ta, tb, tc)
        dsl.tile.store(tc, vc)

    return computed


def results(body, x, y, **keywords):
    out = np.zeros_like(x)
    launch(kernel_of(body, *x.shape, **keywords), x, y, out)
    return out


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    return rng.uniform(1, 2, (8, 16)).astype(np.float32), rng.uniform(1, 2, (8, 16)).astype(np.float32)


BODIES = {
    "add": (lambda a, b, c: dsl.tile.add(a, b, c), lambda x, y: x + y),
    "div": (lambda a, b, c: dsl.tile.div(a, b, c, div_precision="HighPrecision"), lambda x, y: x / y),
    "max": (lambda a, b, c: dsl.tile.max(a, b, c), np.maximum),
    "adds": (lambda a, b, c: dsl.tile.adds(a, 1.5, c), lambda x, y: x + np.float32(1.5)),
    "divs": (lambda a, b, c: dsl.tile.divs(2.0, a, c), lambda x, y: np.float32(2) / x),
    "exp": (lambda a, b, c: dsl.tile.exp(a, c), lambda x, y: np.exp(x)),
    "neg": (lambda a, b, c: dsl.tile.neg(a, c), lambda x, y: -x),
    "expands": (lambda a, b, c: dsl.tile.expands(3, c), lambda x, y: np.full_like(x, 3)),
    "fill": (lambda a, b, c: c.fill(7.0), lambda x, y: np.full_like(x, 7)),
    "lrelu": (lambda a, b, c: dsl.tile.lrelu(a, 0.5, c), lambda x, y: x),
    "mov": (lambda a, b, c: dsl.tile.mov(a, c), lambda x, y: x),
    "fmod": (lambda a, b, c: dsl.tile.fmod(a, b, c, precision="default"), np.fmod),
    "partadd": (lambda a, b, c: dsl.tile.partadd(a, b, c), lambda x, y: x + y),
}


@runs
@pytest.mark.parametrize("name", BODIES)
def test_tile_functions(name, pair):
    body, expected = BODIES[name]
    np.testing.assert_allclose(results(body, *pair), expected(*pair), rtol=1e-5)


@runs
def test_reductions_and_broadcasts(pair):
    def body(a, b, c):
        column = dsl.alloc_tile(shape=[8, 1], dtype=dsl.f32, blayout="ColMajor")
        dsl.tile.rowmax(a, column)
        dsl.tile.rowexpandsub(a, column, c)

    x, y = pair
    np.testing.assert_array_equal(results(body, x, y), x - x.max(axis=1, keepdims=True))


@runs
def test_comparison_and_selection(pair):
    def body(a, b, c):
        mask = dsl.alloc_tile(shape=[8, 32], dtype=dsl.ui8)
        dsl.tile.cmp(a, b, mask, cmp_mode=dsl.CmpMode.GT)
        dsl.tile.sel(mask, a, b, c)

    np.testing.assert_array_equal(results(body, *pair), np.maximum(*pair))


@runs
def test_bits_and_conversions():
    x = np.arange(128, dtype=np.int32).reshape(8, 16)
    y = np.full_like(x, 6)
    out = results(lambda a, b, c: dsl.tile.bit_and(a, b, c), x, y, dtype=dsl.i32)
    np.testing.assert_array_equal(out, x & 6)
    half = np.zeros((8, 16), np.float16)
    ones = np.full((8, 16), 1.5, np.float32)
    launch(kernel_of(lambda a, b, c: dsl.tile.cvt(a, c, rmode="RINT"), out=dsl.f16), ones, ones, half)
    assert (half == 1.5).all()


@runs
def test_loops_carry_what_changes():
    @dsl.jit(name="summed")
    def summed(x: GM_F32, out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
        total = 0
        kept = 5
        for i in range(0, n):
            kept = i
            total = total + i * 2
        scalar.store(total, out, 0)
        scalar.store(kept, out, 1)

    out = np.zeros(2, np.int32)
    launch(summed, np.zeros(8, np.float32), out, 7)
    assert list(out) == [42, 6]
    launch(summed, np.zeros(8, np.float32), out, 0)
    assert list(out) == [0, 5]


@runs
def test_branches_merge_names():
    @dsl.jit(name="branched")
    def branched(out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
        a = dsl.i32(1)
        if n > 3:
            a = a + 10
            b = n
        elif n == 3:
            b = n * 2
        else:
            b = dsl.i32(-1)
        c = 7 if n < 2 and not n == 0 else 8
        dsl.store(a, out, 0)
        dsl.store(b, out, 1)
        dsl.store(c, out, 2)

    for n, expected in ((5, [11, 5, 8]), (3, [1, 6, 8]), (1, [1, -1, 7]), (0, [1, -1, 8])):
        out = np.zeros(3, np.int32)
        launch(branched, out, n)
        assert list(out) == expected


@runs
def test_while_break_continue_and_lists():
    @dsl.jit(name="whiles")
    def whiles(out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
        steps = dsl.i32(0)
        left = n
        while left > 1:
            left = left // 2
            steps = steps + 1
        found = [dsl.i32(0), dsl.i32(0)]
        for i in range(0, n):
            if i == 2:
                continue
            if i > 5:
                break
            found[0] = found[0] + i
            found[1] = i
        dsl.store(steps, out, 0)
        dsl.store(found[0], out, 1)
        dsl.store(found[1], out, 2)

    out = np.zeros(3, np.int32)
    launch(whiles, out, 20)
    assert list(out) == [4, 0 + 1 + 3 + 4 + 5, 5]


@runs
def test_explicit_forms():
    @dsl.jit(name="explicit")
    def explicit(out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
        with dsl.for_(0, n, step=2).carry(total=dsl.i32(0)) as loop:
            loop.update(total=loop.total + scalar.cast(loop.iv, dsl.i32))
        with dsl.if_(n > 4) as br:
            with br.then_:
                br.assign(v=dsl.i32(1))
            with br.else_:
                br.assign(v=dsl.i32(2))
        scalar.store(loop.final("total"), out, 0)
        scalar.store(br.v, out, 1)

    out = np.zeros(2, np.int32)
    launch(explicit, out, 7)
    assert list(out) == [0 + 2 + 4 + 6, 1]


@runs
def test_explicit_while_and_yield():
    @dsl.jit(name="explicit_while")
    def explicit_while(out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
        with pytest.warns(DeprecationWarning):
            loop = dsl.while_(lambda state: state.left > 1, left=n, steps=0)
        with loop:
            loop.update(left=loop.left // 2, steps=loop.steps + 1)
        with dsl.for_(0, n, step=1).carry(total=dsl.i32(0), last=dsl.i32(-1)) as second:
            i = scalar.cast(second.iv, dsl.i32)
            with dsl.if_(i > 2) as br:
                with br.then_:
                    br.assign(v=i)
                    dsl.yield_()
                with br.else_:
                    br.assign(v=dsl.i32(0))
            dsl.yield_(second.total + br.v, i)
        with dsl.for_(0, n, step=1):
            dsl.yield_()
        scalar.store(loop.final("steps"), out, 0)
        scalar.store(loop.final("left"), out, 1)
        scalar.store(second.final("total"), out, 2)
        scalar.store(second.final("last"), out, 3)

    legal(explicit_while)
    out = np.zeros(4, np.int32)
    launch(explicit_while, out, 20)
    assert list(out) == [4, 1, sum(range(3, 20)), 19]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_explicit_forms_that_are_wrong():
    def kernel(body):
        @dsl.jit(name="wrong", ast_rewrite=False)
        def wrong(out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
            body(n)

        return wrong.compile()

    def twice(n):
        with dsl.while_(lambda s: s.i < n, i=0) as loop:
            dsl.yield_(loop.i + 1)
            loop.update(i=loop.i)

    def in_branch(n):
        with dsl.if_(n > 0) as br:
            with br.then_:
                dsl.yield_(n)

    wrong = [
        (lambda n: dsl.yield_(n), "belongs into pto.for_"),
        (lambda n: dsl.while_(n > 0, i=0), "takes a function"),
        (lambda n: dsl.while_(lambda s: s.i < n), "at least one value"),
        (lambda n: dsl.while_(lambda s: s.i, i=True), "no Python bool"),
        (lambda n: dsl.while_(lambda s: True, i=0).__enter__(), "does not depend on its state"),
        (twice, "is called once"),
        (in_branch, "br.assign"),
    ]
    for body, message in wrong:
        with pytest.raises((TypeError, ValueError), match=message):
            kernel(body)


@runs
def test_scalars_of_both_generations():
    @dsl.jit(name="scalars")
    def scalars(out: GM_F32, n: dsl.i32, x: dsl.f32):
        v = scalar.sqrt(x) + scalar.exp(dsl.f32(0.0)) - scalar.log(dsl.f32(1.0))
        scalar.store(v, out, 0)
        scalar.store(scalar.cast(dsl.ceildiv(n, 4) + n // 2 + n % 3 + (n << 1) + (n >> 1), dsl.f32), out, 1)
        scalar.store(scalar.select(n > 5, scalar.max(x, 1.0), scalar.min(x, 1.0)), out, 2)
        scalar.store(scalar.abs(dsl.neg(x)), out, 3)

    out = np.zeros(4, np.float32)
    launch(scalars, out, 7, 2.25)
    assert list(out) == [2.5, 2 + 3 + 1 + 14 + 3, 2.25, 2.25]


@runs
def test_elements_of_tiles(pair):
    def body(a, b, c):
        dsl.tile.mov(a, c)
        scalar.store(scalar.load(a[1, 2]) + scalar.load(b[3, 4]), c[0, 0])

    x, y = pair
    expected = x.copy()
    expected[0, 0] = x[1, 2] + y[3, 4]
    np.testing.assert_array_equal(results(body, x, y), expected)


@runs
def test_dynamic_valid_regions_and_constants():
    @dsl.jit(name="tails")
    def tails(x: GM_F32, out: GM_F32, n: dsl.i32, *, W: dsl.const_expr = 32):
        vx = dsl.make_tensor_view(x, shape=[1, n], strides=[n, 1])
        vo = dsl.make_tensor_view(out, shape=[1, n], strides=[n, 1])
        t = dsl.alloc_tile(shape=[1, W], dtype=dsl.f32, valid_shape=[1, n])
        dsl.tile.load(vx, t)
        dsl.tile.muls(t, 2.0, t)
        dsl.tile.store(t, vo)

    x, out = np.arange(13, dtype=np.float32), np.zeros(13, np.float32)
    launch(tails, x, out, 13)
    np.testing.assert_array_equal(out, x * 2)
    assert "cols=64" in tails.compile(W=64).mlir_text()
    assert tails.compile(W=64) is tails.compile(W=64)


@runs
def test_blocks_share_work():
    @dsl.jit(name="blocks")
    def blocks(out: dsl.ptr(dsl.i32, "gm")):
        at = dsl.get_block_idx()
        dsl.store(scalar.cast(at, dsl.i32) + 1, out, at)

    out = np.zeros(64, np.int32)
    launch(blocks, out, grid=4)
    assert list(out[:4]) == [1, 2, 3, 4]


@runs
def test_functions_of_the_kernel():
    @dsl.func(returns=dsl.i32)
    def twice(x: dsl.i32):
        return x + x

    @dsl.jit(entry=False)
    def store_it(out: dsl.ptr(dsl.i32, "gm"), x: dsl.i32):
        dsl.store(x, out, 0)

    @dsl.jit(name="calls")
    def calls(out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
        store_it(out, twice(twice(n)))

    out = np.zeros(1, np.int32)
    launch(calls, out, 5)
    assert out[0] == 20


@runs
@pytest.mark.parametrize("cores", [1, 2], ids=["slots of the entry", "slots of a core"])
def test_cube_and_vector_functions_joined_by_a_pipe(cores):
    m, k, n = 16, 32, 32
    slot = 4 * m * n // cores

    @dsl.jit(entry=False, kernel_kind="cube", name="on_cube")
    def on_cube(a: GM_F32, b: GM_F32):
        buffer = dsl.import_reserved_buffer("ring", peer_func="on_vector")
        pipe = dsl.pipe.c2v(id=0, slot_size=slot, consumer_buf=buffer)
        pipe.init_cube()
        boxed = {"blayout": "ColMajor", "slayout": "RowMajor"}
        a_mat = dsl.alloc_tile(shape=[m, k], dtype=dsl.f32, memory_space="mat", **boxed)
        b_mat = dsl.alloc_tile(shape=[k, n], dtype=dsl.f32, memory_space="MAT", **boxed)
        left = dsl.alloc_tile(shape=[m, k], dtype=dsl.f32, memory_space=dsl.MemorySpace.LEFT, **boxed)
        right = dsl.alloc_tile(shape=[k, n], dtype=dsl.f32, memory_space="right", slayout="ColMajor")
        acc = dsl.alloc_tile(shape=[m, n], dtype=dsl.f32, memory_space="acc", **boxed)
        dsl.tile.load(*views(m, k, a), a_mat)
        dsl.tile.load(*views(k, n, b), b_mat)
        dsl.tile.mov(a_mat, left)
        dsl.tile.mov(b_mat, right)
        dsl.tile.matmul(left, right, acc)
        pipe.push(acc, split=1)

    @dsl.jit(entry=False, kernel_kind="vector", name="on_vector")
    def on_vector(out: GM_F32):
        buffer = dsl.reserve_buffer("ring", size=slot * 8, location="vec")
        pipe = dsl.pipe.c2v(id=0, slot_size=slot, consumer_buf=buffer)
        pipe.init_simd()
        half = dsl.alloc_tile(shape=[m // 2, n], dtype=dsl.f32)
        entry = pipe.pop(split=1, result_type=half)
        dsl.tile.adds(entry, 1.0, half)
        pipe.free(entry, split=1)
        (view,) = views(m, n, out)
        dsl.tile.store(half, view, offsets=[dsl.get_subblock_idx() * (m // 2), 0], sizes=[m // 2, n])

    @dsl.jit(name="joined")
    def joined(a: GM_F32, b: GM_F32, out: GM_F32):
        on_cube(a, b)
        on_vector(out)

    rng = np.random.default_rng(1)
    a, b = rng.integers(-3, 3, (m, k)).astype(np.float32), rng.integers(-3, 3, (k, n)).astype(np.float32)
    out = np.zeros((m, n), np.float32)
    launch(joined, a, b, out)
    np.testing.assert_array_equal(out, a @ b + 1)


def test_explicit_mode_keeps_addresses_and_flags():
    @dsl.jit(mode="explicit", name="placed")
    def placed(x: GM_F32):
        t = dsl.alloc_tile(shape=[8, 16], dtype=dsl.f32, addr=0)
        (view,) = views(8, 16, x)
        dsl.tile.load(view, t)
        dsl.set_flag("MTE2", dsl.Pipe.MTE3, event_id=1)
        dsl.wait_flag("PIPE_MTE2", "MTE3", event_id=1)
        dsl.tile.store(t, view)
        dsl.pipe_barrier(dsl.Pipe.ALL)

    text = legal(placed)
    assert "EVENT_ID1" in text and "pto.barrier" in text


def test_text_has_the_lines_of_the_script():
    def body(a, b, c):
        dsl.tile.add(a, b, c)  # this line

    handle = kernel_of(body)
    line = body.__code__.co_firstlineno + 1
    assert '"pto.tadd"' in legal(handle)
    assert any('"pto.tadd"' in text and f"{__file__}\":{line}:" in text for text in handle.mlir_text().splitlines())
    assert str(dsl.merge_jit_modules(handle)).startswith("module")


@runs
def test_errors_show_the_lines_of_the_script():
    @dsl.jit(name="outside")
    def outside(x: GM_F32, n: dsl.i32):
        (view,) = views(8, 16, x)
        t = dsl.alloc_tile(shape=[8, 16], dtype=dsl.f32)
        part = dsl.partition_view(view, offsets=[n, 0], sizes=[8, 16])
        dsl.tile.load(part, t)

    @dsl.jit(name="illegal")
    def illegal(x: GM_F32):
        t = dsl.alloc_tile(shape=[8, 16], dtype=dsl.f32)
        dsl.tile.add(t, t, dsl.alloc_tile(shape=[16, 16], dtype=dsl.f32))

    x = np.zeros((8, 16), np.float32)
    with pytest.raises(pto.RunError, match="tload.*bytes") as found:
        launch(outside, x, 4)
    assert f"{__file__}:{outside.fn.__code__.co_firstlineno + 5}" in str(found.value)
    with pytest.raises(pto.CheckError) as found:
        launch(illegal, x)
    assert f"{__file__}:{illegal.fn.__code__.co_firstlineno + 3}" in str(found.value)


def test_install_makes_imports_find_the_layer():
    code = """
import pto.compat
pto.compat.install("ptodsl")
from ptodsl import pto, scalar
import ptodsl.pto
assert ptodsl.pto is pto and pto.tile.add and scalar.index_cast
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(ValueError, match="there is no layer"):
        pto.compat.install("other")


def test_misuse_is_an_error_with_a_reason():
    with pytest.raises(TypeError, match="const_expr"):
        dsl.jit()(lambda x: None)
    with pytest.raises(TypeError, match="compile it"):
        kernel_of(lambda a, b, c: None)()
    with pytest.raises(errors.PTODSLTracingMisuseError, match="body of a kernel"):
        dsl.const(1) + 1

    @dsl.jit(ast_rewrite=False)
    def truth(n: dsl.i32):
        if n > 1:
            dsl.trap()

    with pytest.raises(errors.PTODSLTracingMisuseError, match="no truth"):
        truth.compile()

    @dsl.jit()
    def mixed(n: dsl.i32):
        n + 1.5

    with pytest.raises(TypeError, match="float"):
        mixed.compile()
    compiled = kernel_of(lambda a, b, c: dsl.tile.add(a, b, c)).compile()
    with pytest.raises(TypeError, match="grid"):
        compiled[0, None]
    with pytest.raises(TypeError, match="takes 3 arguments"):
        compiled[1, None](1)
    with pytest.raises(TypeError, match="addresses"):
        compiled[1, None](np.zeros(4), 1, 1)
    with pytest.raises(ValueError, match="nothing is known at address"):
        compiled[1, None](8, 8, 8)


@pytest.mark.parametrize("name", ["vadd", "mte_gm_ub", "plt_b32", "mad", "vmi", "syncthreads", "threadfence", "fma", "f8e4m3x4"])
def test_names_below_tiles_raise_where_they_are_used(name):
    @dsl.jit()
    def below(x: GM_F32):
        getattr(dsl, name)(x)

    with pytest.raises(errors.BelowTilesError, match=f"pto.{name}"):
        below.compile()


def test_words_of_what_is_below_tiles_raise_where_they_are_used():
    for name in ("MaskPattern", "VcvtRoundMode", "SatMode", "DeinterleaveDist", "InterleaveDist", "PAT", "mask_b32"):
        with pytest.raises(errors.BelowTilesError, match=f"pto.{name}"):
            getattr(dsl, name).ALL()
    assert repr(dsl.TensorView) == "pto.TensorView" and isinstance(kernel_of(lambda *_: None), dsl.KernelHandle)


def test_names_that_do_not_exist():
    with pytest.raises(AttributeError, match="const_expr"):
        dsl.constexpr
    with pytest.raises(AttributeError, match="no instruction"):
        dsl.tile.not_there
    with pytest.raises(AttributeError):
        dsl.not_there


@runs
def test_windows_may_leave_their_tensor_as_on_a_device(pto_config):
    @dsl.jit(name="beyond")
    def beyond(x: GM_F32, y: GM_F32, n: dsl.i32):
        (view,), (out,) = views(8, 16, x), views(8, 16, y)
        t = dsl.alloc_tile(shape=[8, 16], dtype=dsl.f32)
        dsl.tile.load(dsl.partition_view(view, offsets=[n, 0], sizes=[8, 16]), t)
        dsl.tile.store(t, out)

    x, y = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((8, 16), np.float32)
    launch(beyond, x, y, 4)
    np.testing.assert_array_equal(y, x[4:12])
    pto_config(check="bounds")
    with pytest.raises(pto.RunError, match="partition_view") as found:
        launch(beyond, x, y, 4)
    assert f"{__file__}:{beyond.fn.__code__.co_firstlineno + 4}" in str(found.value)


@runs
def test_quantisation():
    @dsl.jit(name="quantised", kernel_kind="vector")
    def quantised(x: GM_F32, f: GM_F32, y: dsl.ptr(dsl.i8, "gm")):
        tx = dsl.alloc_tile(shape=[8, 32], dtype=dsl.f32)
        tf = dsl.alloc_tile(shape=[8, 1], dtype=dsl.f32, blayout="ColMajor")
        ty = dsl.alloc_tile(shape=[8, 32], dtype=dsl.i8)
        (vx,) = views(8, 32, x)
        dsl.tile.load(vx, tx)
        dsl.tile.load(dsl.make_tensor_view(f, shape=[8, 1], strides=[1, 1], layout="dn"), tf)
        dsl.tile.quant(tx, tf, ty)
        (vy,) = views(8, 32, y)
        dsl.tile.store(ty, vy)

    x = np.linspace(-60, 60, 256).astype(np.float32).reshape(8, 32)
    f, y = np.full(8, 2.0, np.float32), np.zeros((8, 32), np.int8)
    launch(quantised, x, f, y)
    np.testing.assert_array_equal(y, np.clip(np.round(x * 2), -128, 127).astype(np.int8))


@runs
def test_quantisation_of_blocks():
    ml_dtypes = pytest.importorskip("ml_dtypes")

    @dsl.jit(name="blocks", kernel_kind="vector")
    def blocks(x: GM_F32, y: dsl.ptr(dsl.ui8, "gm"), e: dsl.ptr(dsl.ui8, "gm"), m: GM_F32, s: GM_F32):
        tx, ty = dsl.alloc_tile(shape=[4, 64], dtype=dsl.f32), dsl.alloc_tile(shape=[4, 64], dtype=dsl.ui8)
        te = dsl.alloc_tile(shape=[1, 32], dtype=dsl.ui8, valid_shape=[1, 8])
        tm, ts = (dsl.alloc_tile(shape=[1, 128], dtype=dsl.f32, valid_shape=[1, 8]) for _ in range(2))
        dsl.tile.load(*views(4, 64, x), tx)
        dsl.tile.quant.mx(tx, ty, te, tm, ts, quant_type="MXFP8", quant_scale_alg="OCP")
        dsl.tile.store(ty, *views(4, 64, y))
        for tile, to in ((te, e), (tm, m), (ts, s)):
            dsl.tile.store(tile, *views(1, 8, to))

    text = legal(blocks)
    assert "pto.tquant.mx" in text and "quantScaleAlg" in text
    exponents = np.arange(-3, 5).reshape(4, 2).repeat(32, 1)
    x = (np.random.default_rng(0).uniform(-1, 1, (4, 64)) * 2.0**exponents).astype(np.float32)
    x[:, ::32] = 2.0 ** exponents[:, ::32]
    y = np.zeros((4, 64), np.uint8)
    e, m, s = np.zeros(8, np.uint8), np.zeros(8, np.float32), np.zeros(8, np.float32)
    launch(blocks, x, y, e, m, s)
    # The largest number of a block of 32 is a power of two; 2^8 is the largest of the format.
    largest = np.abs(x).reshape(8, 32).max(1)
    np.testing.assert_array_equal(m, largest)
    np.testing.assert_array_equal(e, np.log2(largest) - 8 + 127)
    np.testing.assert_array_equal(s, 2.0**8 / largest)
    wanted = (x.reshape(8, 32) * s[:, None]).astype(ml_dtypes.float8_e4m3fn)
    np.testing.assert_array_equal(y.reshape(8, 32), wanted.view(np.uint8))


@runs
@pytest.mark.parametrize("interleave", [False, True])
def test_quantisation_of_blocks_along_columns(interleave):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    rows, cols = (1, 256) if interleave else (2, 128)

    @dsl.jit(name="along_columns", kernel_kind="vector")
    def along_columns(x: dsl.ptr(dsl.bf16, "gm"), y: dsl.ptr(dsl.ui8, "gm"), e: dsl.ptr(dsl.ui8, "gm")):
        tx, ty = dsl.alloc_tile(shape=[64, 128], dtype=dsl.bf16), dsl.alloc_tile(shape=[64, 128], dtype=dsl.ui8)
        te = dsl.alloc_tile(shape=[rows, cols], dtype=dsl.ui8)
        tm, ts = (dsl.alloc_tile(shape=[2, 128], dtype=dsl.bf16) for _ in range(2))
        dsl.tile.load(*views(64, 128, x), tx)
        more = {"interleave": True} if interleave else {}
        dsl.tile.quant.mx(tx, ty, te, tm, ts, quant_type="MXFP8", grp_axis=0, **more)
        dsl.tile.store(ty, *views(64, 128, y))
        dsl.tile.store(te, *views(rows, cols, e))

    assert "axis0" in legal(along_columns)
    x = np.random.default_rng(0).lognormal(0, 2, (64, 128)).astype(ml_dtypes.bfloat16)
    y, e = np.zeros((64, 128), np.uint8), np.zeros((rows, cols), np.uint8)
    launch(along_columns, x, y, e)
    largest = x.astype(np.float32).reshape(2, 32, 128).max(1)
    wanted = (np.floor(np.log2(largest)) - 8 + 127).astype(np.uint8)
    np.testing.assert_array_equal(e, wanted.T.reshape(1, 256) if interleave else wanted)
    scales = 2.0 ** (127.0 - wanted)
    scaled = np.clip((x.astype(np.float32).reshape(2, 32, 128) * scales[:, None]), -448, 448).reshape(64, 128)
    np.testing.assert_array_equal(y, scaled.astype(ml_dtypes.float8_e4m3fn).view(np.uint8))


def test_every_family_of_calls_makes_a_legal_program():
    """Calls whose numbers other tests check: here only that names of operands and attributes are those of the table."""

    @dsl.jit(name="families")
    def families(x: GM_F32):
        f = [dsl.alloc_tile(shape=[16, 64], dtype=dsl.f32) for _ in range(4)]
        h = dsl.alloc_tile(shape=[16, 64], dtype=dsl.f16)
        i = [dsl.alloc_tile(shape=[16, 64], dtype=dsl.i32) for _ in range(3)]
        row, column = dsl.alloc_tile(shape=[1, 64], dtype=dsl.f32), dsl.alloc_tile(shape=[16, 1], dtype=dsl.f32, blayout="ColMajor")
        t = dsl.tile
        (view,) = views(16, 64, x)
        for tile in f:
            t.load(view, tile, cache_policy="l2_bypass")
        a, b, c, d = f
        t.rsqrt(a, c), t.recip(a, c), t.log(a, c, precision="Default"), t.sqrt(a, c, sqrt_precision="HighPrecision")
        t.colsum(a, row, tmp=b, is_binary=True), t.colmax(a, row), t.colexpand(row, c), t.colexpandadd(a, row, c)
        t.rowsum(a, column, tmp=b), t.rowexpanddiv(a, column, c), t.rowexpand(column, c), t.rowexpandmul(a, column, c, tmp=d)
        t.subs(a, 1.0, c), t.maxs(a, 1.0, c), t.mins(a, 1, c), t.rems(a, 3.0, c), t.fmods(a, 3.0, c)
        t.prelu(a, b, c), t.rem(a, b, c), t.relu(a, c), t.abs(a, c), t.partmax(a, b, c)
        t.transpose(a, b, dsl.alloc_tile(shape=[64, 16], dtype=dsl.f32))
        t.cvt(a, h, rmode=dsl.RoundMode.RINT, sat_mode="ON")
        t.bit_or(i[0], i[1], i[2]), t.bit_not(i[0], i[2]), t.bit_xor(i[0], i[1], i[1], i[2]), t.bit_shls(i[0], 2, i[2])
        t.bit_shl(i[0], i[1], i[2]), t.bit_ands(i[0], 7, i[2])
        mask = dsl.alloc_tile(shape=[16, 32], dtype=dsl.ui8)
        t.cmps(a, 1.0, mask, cmp_mode="lt"), t.sels(mask, a, 0.0, c)
        t.gather(a, c, indices=i[0]), t.scatter(a, c, indexes=i[0])
        t.extract(a, dsl.alloc_tile(shape=[8, 64], dtype=dsl.f32), 0, 0)
        t.insert(dsl.alloc_tile(shape=[8, 64], dtype=dsl.f32), a, 8, 0)
        t.concat(a, b, dsl.alloc_tile(shape=[16, 128], dtype=dsl.f32))
        t.fillpad(a, dsl.alloc_tile(shape=[16, 64], dtype=dsl.f32, pad="Zero"))
        t.ci(0, dsl.alloc_tile(shape=[1, 64], dtype=dsl.i32)), t.tri(1, c, upper_or_lower="upper")
        flat = t.reshape(a, shape=[1, 1024])
        t.adds(flat, 1.0, flat)
        t.store(c, view)

    legal(families)


@runs
def test_records():
    @dsl.jit(name="records")
    def records(out: dsl.ptr(dsl.i32, "gm"), n: dsl.i32):
        record = dsl.declare_struct(dsl.struct_type(dsl.i32, dsl.struct_type(dsl.f32, dsl.i32)))
        dsl.struct_set(record, 0, 1)
        dsl.struct_set(record, [1, 1], n)
        dsl.store(dsl.struct_get(record, [1, 1]) + dsl.struct_get(record, 0), out, 0)

    out = np.zeros(1, np.int32)
    launch(records, out, 41)
    assert out[0] == 42


def test_constants_take_texts():
    @dsl.jit(name="literals")
    def literals(out: GM_F32):
        dsl.store(dsl.f32("-inf"), out, 0)
        dsl.store(dsl.cast(dsl.f16("0xFC00"), dsl.f32), out, 1)
        dsl.store(dsl.cast(dsl.i32("0x80000000"), dsl.f32), out, 2)

    legal(literals)


@runs
def test_addresses_as_c_pointers():
    x = np.arange(128, dtype=np.float32)
    y, out = np.ones_like(x), np.zeros_like(x)
    for a in (x, y, out):
        pto.compat.register(a)
    compiled = kernel_of(lambda a, b, c: dsl.tile.add(a, b, c)).compile()
    compiled[1, ctypes.c_void_p(0)](*(ctypes.c_void_p(a.ctypes.data) for a in (x, y, out)))
    np.testing.assert_array_equal(out, x + 1)


SCRIPT = """
import sys
from ptodsl import pto, scalar
import torch, torch_npu

@pto.jit(name="twice", target="a3")
def twice(x: pto.ptr(pto.f32, "gm"), y: pto.ptr(pto.f32, "gm")):
    vx = pto.make_tensor_view(x, shape=[4, 16], strides=[16, 1])
    vy = pto.make_tensor_view(y, shape=[4, 16], strides=[16, 1])
    t = pto.alloc_tile(shape=[4, 16], dtype=pto.f32)
    pto.tile.load(vx, t)
    pto.tile.add(t, t, t)
    pto.tile.store(t, vy)

torch.npu.set_device("npu:0")
torch_npu.npu.set_compile_mode(jit_compile=False)
host = torch.arange(64, dtype=torch.float32).reshape(4, 16)
x = host.to("npu:0")
assert x.data_ptr() != host.data_ptr()
y = torch.empty((4, 16), dtype=torch.float32, device="npu:0")
twice.compile()[1, torch.npu.current_stream()._as_parameter_](x.data_ptr(), y.data_ptr())
torch.npu.synchronize()
assert torch.equal(y.cpu(), host * 2)
print("PASS", *sys.argv[1:])
"""


@runs
def test_a_script_with_torch_npu(tmp_path):
    pytest.importorskip("torch")
    script = tmp_path / "twice.py"
    script.write_text(textwrap.dedent(SCRIPT))
    done = subprocess.run(
        [sys.executable, "-m", "pto.compat", "ptodsl", str(script), "now"], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "PASS now", done.stderr
