"""Loops, branches, sections, functions, events and slices of a kernel in Python."""

import numpy as np
import pytest

import pto
from pto import Gm, Index, Scalar, f32, i32


def level2(kernel, **consts):
    return kernel.trace(**consts).to_text("level2")


def test_a_loop_of_the_program_and_one_of_python():
    @pto.kernel
    def loops(x: Gm[f32], n: Index):
        for i in pto.range(n):
            x[i] = x[i] + 1
        for i in range(3):
            x[i] = x[i] * 2

    text = level2(loops)
    assert text.count("scf.for") == 1 and text.count("arith.mulf") == 3
    x = np.zeros(8, np.float32)
    loops(x, 5)
    assert x.tolist() == [2, 2, 2, 1, 1, 0, 0, 0]


def test_loops_carry_values():
    @pto.kernel
    def carried(x: Gm[f32], y: Gm[i32], n: Index):
        loop = pto.range(0, n, carry=f32(0.0))
        for i, total in loop:
            loop.update(total + x[i])
        x[0] = loop.result

        loop = pto.range(1, n, carry=(i32(1), i32(1)))
        for _, (a, b) in loop:
            loop.update(b, a + b)
        last, following = loop.result
        y[0] = last
        y[1] = following

    x, y = np.arange(10, dtype=np.float32), np.zeros(2, np.int32)
    carried(x, y, 10)
    assert x[0] == 45 and y.tolist() == [55, 89]


def test_loops_with_a_condition():
    @pto.kernel
    def halve(x: Gm[i32]):
        loop = pto.while_loop(lambda n: n > 100, carry=x[0])
        for n in loop:
            loop.update(n // 2)
        x[1] = loop.result

    x = np.array([900, 0], np.int32)
    halve(x)
    assert x[1] == 56


def test_branches():
    @pto.kernel
    def branches(x: Gm[f32]):
        v = x[0]
        with pto.when(v < 0):
            x[1] = -v
        with pto.otherwise():
            x[1] = v
        with pto.when(v > 100):
            x[2] = 1.0
        with pto.when(v < 0) as size:
            size.give(-v)
        with size.otherwise():
            size.give(v)
        x[3] = size.result

    for v in (-2.5, 200.0):
        x = np.array([v, 0, 0, 0], np.float32)
        branches(x)
        assert x.tolist() == [v, abs(v), float(v > 100), abs(v)]


def test_sections_and_functions():
    @pto.kernel
    def mixed(x: Gm[f32]):
        with pto.vector():
            t = pto.tile(16, 16, f32)
            pto.tload(t, x.view(16, 16))
        with pto.cube():
            a = pto.tile(16, 16, f32, memory="mat")
            pto.tload(a, x.view(16, 16))

    text = level2(mixed)
    assert "pto.section.vector {" in text and "pto.section.cube {" in text

    def left(x, pair, *, n):
        y, at = pair
        with pto.when(at == 0):
            pto.tload(pto.tile(n, 16, f32, memory="mat"), x.view(n, 16))
        assert isinstance(y, pto.Gm) and isinstance(at, pto.Scalar)

    @pto.kernel
    def functions(x: Gm[f32], y: Gm[f32], n: Index):
        pto.function(left, x, (y, n), core="cube", n=16)

    text = level2(functions)
    assert "func.func private @left(%p: !pto.ptr<f32>, %p_1: !pto.ptr<f32>, %p_2: index)" in text
    assert "call @left(%x, %y, %n)" in text and "cube" in text


def test_events_order_instructions():
    @pto.kernel
    def double(x: Gm[f32], y: Gm[f32]):
        t = pto.tile(16, 16, f32)
        pto.tassign(t, 0x1000)
        loaded = pto.tload(t, x.view(16, 16))
        added = pto.tadd(t, t, t, after=loaded)
        again = pto.tadd(t, t, t, after=[added])
        pto.tstore(y.view(16, 16), t, after=again)

    text = level2(double)
    assert text.count("pto.set_flag") == 2 and text.count("pto.wait_flag") == 2 and text.count("pto.barrier") == 1
    x, y = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    assert not double.trace().race(x, y)
    double(x, y)
    assert (y == 4).all()


def test_valid_regions_that_are_known_at_run_time():
    @pto.kernel
    def tail(x: Gm[f32], y: Gm[f32], n: Index):
        for row in pto.range(0, n, 16):
            rows = (n - row).min(16)
            t = pto.tile(16, 8, f32, valid=(rows, 8))
            pto.tload(t, x.view(n, 8)[row : row + rows, :])
            pto.tadds(t, t, 1.0)
            pto.tstore(y.view(n, 8)[row : row + rows, :], t)

    text = level2(tail)
    assert "valid=?x8" in text and "arith.addi" not in text
    x, y = np.zeros((37, 8), np.float32), np.zeros((40, 8), np.float32)
    tail(x, y, 37)
    assert (y[:37] == 1).all() and (y[37:] == 0).all()

    Open = pto.TileType(16, 16, f32, valid=(pto.DYN, pto.DYN))

    @pto.kernel
    def both(n: Index):
        t = Open(n, 3)
        assert t.shape == (16, 16) and t.dtype is f32 and t.memory == "vec"
        t.valid_rows()

    assert "valid_row = %n" in level2(both) and "valid_col = %c3" in level2(both)


def window(subscripts, shape=(64, 32)):
    @pto.kernel
    def part(x: Gm[f32], n: Index, m: Index):
        view = x.view(*shape)
        pto.tload(pto.tile(16, 16, f32), subscripts(view, n, m))

    line = next(line for line in level2(part).splitlines() if "partition_view" in line)
    inner = line.split("offsets = ")[1].split(" : ")[0]
    return inner.replace("%", ""), level2(part).count("arith.addi") + level2(part).count("arith.subi")


@pytest.mark.parametrize(
    ("subscripts", "want", "operations"),
    [
        (lambda v, n, m: v[n : n + 16, :], "[n, c0], sizes = [c16, c32]", 0),
        (lambda v, n, m: v[n : n + 16, m : m + 8], "[n, m], sizes = [c16, c8]", 0),
        (lambda v, n, m: v[n : n + m], "[n, c0], sizes = [m, c32]", 0),
        (lambda v, n, m: v[16:32, 8:], "[c16, c8], sizes = [c16, c24]", 0),
        (lambda v, n, m: v[:m, 3], "[c0, c3], sizes = [m, c1]", 0),
        (lambda v, n, m: v[n:m, ...], "[n, c0], sizes = [s, c32]", 1),
        (lambda v, n, m: v[..., n], "[c0, n], sizes = [c64, c1]", 0),
        (lambda v, n, m: v.part([n, 0], [16, m]), "[n, c0], sizes = [c16, m]", 0),
        (lambda v, n, m: v[n + 1 : n + 17, :], "[s, c0], sizes = [s_2, c32]", 3),
        (lambda v, n, m: v[16:32, :][4:8, :], "[c16, c0], sizes = [c16, c32]", 0),
    ],
)
def test_slices_are_windows(subscripts, want, operations):
    assert window(subscripts) == (want, operations)


def test_a_sum_that_is_used_is_recorded_where_it_stands():
    @pto.kernel
    def sums(x: Gm[f32], n: Index):
        end = n + 16
        pto.tload(pto.tile(16, 16, f32), x.view(64, 16)[n:end, :])
        x[n + 1] = 1.0
        x[end] = 1.0

    # A sum that has a name may be wanted later.
    assert "arith.addi %n, %c16" in level2(sums)


def test_names_are_those_of_variables():
    @pto.kernel
    def named():
        a = pto.tile(16, 16, f32)
        b, c = pto.tile(16, 16, f32), pto.tile(16, 16, f32)
        d, e, f, g, h = [pto.tile(16, 16, f32)] + [pto.tile(16, 16, f32, name="x") for _ in range(2)] + [a, b]
        i, j, k, l = pto.tile(16, 16, f32), pto.tile(16, 16, f32), pto.tile(16, 16, f32), pto.tile(16, 16, f32)
        pto.name(k, "renamed")
        m = o = pto.tile(16, 16, f32)
        p: pto.Tile = pto.tile(16, 16, f32).named("q")

    names = [line.split(" = ")[0].strip() for line in level2(named).splitlines() if "alloc_tile" in line]
    assert names[:6] == ["%a", "%b", "%c", "%t_3", "%x", "%x_1"]
    assert names[6:10] == ["%i", "%j", "%renamed", "%l"]
    assert names[11] == "%q"


def test_scalars_are_parameters_too():
    @pto.kernel(name="given")
    def scalars(x: Gm[f32], a: Scalar[f32], b: Scalar[i32], c: Index):
        x[c] = a + b.cast(f32)

    assert "func.func @given(%x: !pto.ptr<f32>, %a: f32, %b: i32, %c: index)" in level2(scalars)
    x = np.zeros(4, np.float32)
    scalars(x, 1.5, 2, 3)
    assert x[3] == 3.5


def test_constants_make_programs():
    traced = []

    @pto.kernel
    def fill(x: Gm[f32], *, n: int, value: float = 1.0):
        traced.append((n, value))
        for i in range(n):
            x[i] = value

    x = np.zeros(4, np.float32)
    fill(x, n=2)
    fill(x, n=2)
    fill[2](x, n=3, value=2.0)
    assert x.tolist() == [2, 2, 2, 0] and traced == [(2, 1.0), (3, 2.0)]
    assert fill.trace(n=2) is fill.trace(n=2, value=1.0)
    with pytest.raises(TypeError, match="needs n="):
        fill.trace()
    with pytest.raises(TypeError, match="no keyword-only parameter 'm'"):
        fill.trace(m=1)
    with pytest.raises(TypeError, match="hashable"):
        fill.trace(n=[1])


def test_pipes_between_cores():
    Half = pto.TileType(8, 16, f32)

    def produce(x, slots):
        ring = pto.import_reserved_buffer("ring", "consume")
        out = pto.pipe("c2v", 1024, buffer=ring, gm=slots, slot_num=2)
        a, b, c = pto.tile(16, 16, f32, memory="left"), pto.tile(16, 16, f32, memory="right"), pto.tile(16, 16, f32, memory="acc")
        one = pto.tile(16, 16, f32, memory="mat")
        pto.tload(one, x.view(16, 16))
        pto.tmov(a, one)
        pto.tmov(b, one)
        pto.tmatmul(c, a, b)
        out.push(c, split=1)

    def consume(y, slots):
        ring = pto.reserve_buffer("ring", 2048, pto.AddressSpace.VEC, True)
        come = pto.pipe("c2v", 1024, buffer=ring, gm=slots, slot_num=2)
        t = come.pop(Half, split=1)
        row = pto.get_subblock_idx().index() * 8
        pto.tstore(y.view(16, 16)[row : row + 8, :], t)
        come.free(split=1)

    @pto.kernel
    def squared(x: Gm[f32], y: Gm[f32], slots: Gm[f32]):
        pto.function(produce, x, slots, core="cube")
        pto.function(consume, y, slots, core="vector")

    assert not [d for d in squared.trace().check("a2a3") if d.is_error]
    x, y = np.random.default_rng(3).standard_normal((16, 16)).astype(np.float32), np.zeros((16, 16), np.float32)
    squared(x, y, np.zeros(0, np.float32))
    assert np.allclose(y, x @ x, atol=1e-5)

    def nowhere(x: Gm[f32]):
        pto.pipe("c2v", 1024, buffer=pto.i32(0))

    with pytest.raises(TypeError, match="made on one core"):
        pto.kernel(nowhere).trace()
