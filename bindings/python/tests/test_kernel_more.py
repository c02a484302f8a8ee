"""Instructions that take more than one line: every function that ``instruction_calls.py`` does not show."""

import inspect

import pytest
from instruction_calls import CALLS

import pto
from pto import Gm, Index, Scalar, TileType, bf16, f32, i8, i32, instructions, u8

Vec = TileType(32, 32, f32)
Row = TileType(1, 32, f32)
Left, Right = TileType(32, 32, f32, memory="left"), TileType(32, 32, f32, memory="right")
Acc = TileType(32, 32, f32, memory="acc")
Scale = TileType(32, 32, pto.f8e8m0, memory="scale_left")
MORE = {}


def more(*names):
    """Notes a kernel that shows these instructions."""

    def note(body):
        for name in names:
            MORE[name] = body
        return body

    return note


@more("tprefetch_async", "make_prefetch_async_context", "get_prefetch_async_session")
def _(x: Gm[f32], w: Gm[i8]):
    ctx = pto.make_prefetch_async_context(w, "!pto.prefetch_async_context")
    pto.tprefetch_async(x.view(32, 32), ctx)
    pto.get_prefetch_async_session(ctx)


@more("tmatmul_mx", "tmatmul_mx_acc", "tmatmul_mx_bias", "tmatmul_mx_hif4", "tgemv_mx", "tgemv_mx_acc", "tgemv_mx_bias")
def _():
    a, b, d = TileType(32, 32, pto.f8e4m3, memory="left")(), TileType(32, 32, pto.f8e4m3, memory="right")(), Acc()
    s, r = Scale(), TileType(32, 32, pto.f8e8m0, memory="scale_right")()
    bias = TileType(1, 32, f32, memory="bias")()
    for one in (pto.tmatmul_mx, pto.tgemv_mx, pto.tmatmul_mx_hif4):
        one(d, a, s, b, r)
    for one in (pto.tmatmul_mx_acc, pto.tgemv_mx_acc):
        one(d, d, a, s, b, r)
    for one in (pto.tmatmul_mx_bias, pto.tgemv_mx_bias):
        one(d, a, s, b, r, bias)


@more("tgemv", "tgemv_acc", "tgemv_bias")
def _():
    a, b, d, bias = Left(), Right(), Acc(), TileType(1, 32, f32, memory="bias")()
    pto.tgemv(d, a, b)
    pto.tgemv_acc(d, d, a, b)
    pto.tgemv_bias(d, a, b, bias)


@more("tfillpad", "tfillpad_inplace", "tfillpad_expand")
def _(n: Index):
    t, d = pto.tile(32, 32, f32, valid=(n, 8)), pto.tile(32, 32, f32, pad="zero")
    pto.tfillpad(d, t)
    pto.tfillpad_expand(d, t)
    pto.tfillpad_inplace(t, t)


@more("tcolargmax", "tcolargmin", "thistogram", "tmrgsort")
def _():
    t, d, i = Vec(), Vec(), TileType(1, 32, i32)()
    pto.tcolargmax(i, t, tmp=d)
    pto.tcolargmin(i, t, tmp=d)
    pto.tmrgsort(Row(), Row(), block_len=64)
    pto.thistogram(TileType(1, 256, pto.u32)(), TileType(32, 32, u8)(), TileType(1, 32, u8)())


@more("tquant_mx", "tquant_hif4")
def _():
    codes, exponents = TileType(32, 32, pto.f8e4m3)(), TileType(32, 32, u8)()
    pto.tquant_mx(codes, Vec(), exponents, Vec(), Vec(), "MXFP8", grp_axis="axis1")
    b = TileType(32, 64, bf16)
    pto.tquant_hif4(TileType(32, 64, pto.f4e1m2)(), b(), exponents, b(), b())


@more("tsync", "mem_bar", "declare_eventid_array", "eventid_array_get", "eventid_array_set")
def _(n: Index):
    events = pto.declare_eventid_array("!pto.eventid_array<4>")
    pto.eventid_array_set(events, n, 1)
    pto.eventid_array_get(events, n)
    pto.mem_bar("VV_ALL")
    pto.tsync([Vec()])


@more("tpush", "tpop", "tfree", "talloc", "import_reserved_buffer")
def _(x: Gm[f32]):
    pipe = pto.initialize_l2g2l_pipe(x, 1, 4096, 2)
    entry = pto.declare_global([32, 32], f32)
    pto.talloc(pipe, entry, 0)
    pto.tpush(pipe, Vec(), 0)
    pto.tpop(pipe, Vec(), 0)
    pto.tfree(pipe, 0)
    pto.import_reserved_buffer("ring", "peer")


@more("comm_tgather", "comm_tscatter", "comm_tbroadcast", "comm_treduce")
def _(x: Gm[f32], y: Gm[f32]):
    group, whole, t = [x.view(32, 32), y.view(32, 32)], x.view(64, 32), Vec()
    pto.comm_tgather(group, whole, t, 0)
    pto.comm_tscatter(group, whole, t, 0)
    pto.comm_tbroadcast(group, x.view(32, 32), t, 0)
    pto.comm_treduce(group, x.view(32, 32), t, Vec(), "sum", 0)


@more("comm_tput_async", "comm_tget_async", "comm_wait_async_event", "comm_test_async_event", "comm_build_async_session")
def _(x: Gm[f32], y: Gm[f32], w: Gm[i8]):
    session = pto.comm_build_async_session(TileType(1, 256, i8)(), w)
    event = pto.comm_tput_async(x.view(32, 32), y.view(32, 32), session)
    pto.comm_tget_async(x.view(32, 32), y.view(32, 32), session)
    pto.comm_wait_async_event(event, session)
    pto.comm_test_async_event(event, session)


@more("alloc_multi_tile", "multi_tile_get", "subview", "subset", "set_validshape", "make_tensor_view")
def _(x: Gm[f32], n: Index):
    tiles = pto.alloc_multi_tile("!pto.multi_tile_buf<vec, 32x32xf32, count=2>")
    pto.multi_tile_get(tiles, n, Vec)
    t = TileType(32, 32, f32, valid=(pto.DYN, pto.DYN))(n, n)
    pto.set_validshape(t, n, 3)
    pto.subview(Vec(), [0, 0], [16, 32], TileType(16, 32, f32))
    pto.subset(Vec(), [0, 0], [16, 32], TileType(16, 32, f32))
    pto.make_tensor_view(x, [32, n], [n, 1], layout="nd")


@more("bind_tile", "pointer_cast", "declare_tile_memref", "castptr")
def _(x: Gm[f32]):
    memory = "memref<32x32xf32, #pto.address_space<vec>>"
    tile = pto.declare_tile_memref(memory)
    pto.pointer_cast([pto.i64(0)], memory)
    pto.castptr(x, "!pto.ptr<i8>")
    config = "#pto.tile_buf_config<blayout=row_major, slayout=none_box, s_fractal_size=512, pad=null>"
    pto.bind_tile(tile, config, memory)


@more("declare_local_array", "local_array_get", "local_array_set", "declare_struct", "struct_get", "struct_set")
def _(v: Scalar[f32]):
    array = pto.declare_local_array("!pto.local_array<4xf32>")
    pto.local_array_set(array, [1], v)
    pto.local_array_get(array, [1], f32)
    record = pto.declare_struct("!pto.struct<f32, i32>")
    pto.struct_set(record, v, [0])
    pto.struct_get(record, [0], f32)


@more("setfmatrix", "set_img2col_rpt", "set_img2col_padding")
def _():
    t = TileType(32, 32, f32, memory="mat")()
    pto.setfmatrix(t, fmap_h=8, fmap_w=8)
    pto.set_img2col_rpt(t)
    pto.set_img2col_padding(t, pad_value=0)


def test_attributes_may_be_given_as_text():
    config = "#pto.tile_buf_config<blayout=col_major, slayout=none_box, s_fractal_size=512, pad=null>"

    @pto.kernel
    def bound(x: Gm[f32], y: Gm[f32]):
        memory = "memref<32x32xf32, #pto.address_space<vec>>"
        t = pto.bind_tile(pto.pointer_cast([pto.i64(0)], memory), config, memory)
        pto.tload(t, x.strided([32, 32], [1, 32], layout="dn"))
        pto.tstore(y.strided([32, 32], [1, 32], layout="dn"), t)

    program = bound.trace()
    assert f"config = {config}" in program.to_text()
    assert not [d for d in program.check("a2a3") if d.is_error]


@pytest.mark.parametrize("name", MORE)
def test_it_can_be_called(name):
    text = pto.kernel(MORE[name], name="k").trace().to_text("level2")
    assert pto.Program(text).to_text("level2") == text


def test_every_function_is_shown():
    functions = [name for name in instructions.__all__ if inspect.isfunction(getattr(instructions, name))]
    missing = [name for name in functions if name not in CALLS and name not in MORE]
    assert not missing
