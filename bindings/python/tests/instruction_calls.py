"""One kernel for each instruction: its most ordinary use.

This file is made from the instruction table (``BLESS=1 cargo test -p pto-isa --test suite python``). In ``CALLS``: the kernel, a target that
has the instruction, and whether the instruction is legal without others.
"""

import pto
from pto import Gm, Scalar, bf16, f4e1m2, f4e2m1, f8e4m3, f8e5m2, f8e8m0, f16, f32, hif8, i4, i8, i16, i32, i64, u8, u16, u32, u64

CALLS = {}


def call(name, target, alone):
    """Notes a kernel."""

    def note(body):
        CALLS[name] = (pto.kernel(body), target, alone)
        return body

    return note


@call("tadd", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tadd(dst, src0, src1)


@call("tsub", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsub(dst, src0, src1)


@call("tmul", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmul(dst, src0, src1)


@call("tdiv", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tdiv(dst, src0, src1)


@call("tmax", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmax(dst, src0, src1)


@call("tmin", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmin(dst, src0, src1)


@call("tabs", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tabs(dst, src)


@call("texp", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.texp(dst, src)


@call("tlog", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tlog(dst, src)


@call("tsqrt", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsqrt(dst, src)


@call("trsqrt", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trsqrt(dst, src)


@call("trecip", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trecip(dst, src)


@call("tneg", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tneg(dst, src)


@call("tnot", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tnot(dst, src)


@call("tand", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tand(dst, src0, src1)


@call("tor", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tor(dst, src0, src1)


@call("txor", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.txor(dst, src0, src1, tmp=tmp)


@call("tshl", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tshl(dst, src0, src1)


@call("tshr", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tshr(dst, src0, src1)


@call("trem", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trem(dst, src0, src1, tmp=tmp)


@call("tfmod", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tfmod(dst, src0, src1)


@call("tpow", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    base = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    exp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpow(dst, base, exp)


@call("trelu", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trelu(dst, src)


@call("tprelu", "a2a3", True)
def _():
    dst = pto.TileType(1, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, i8, memory="vec", layout="row", box="none", fractal=512)()
    pto.tprelu(dst, src0, src1, tmp=tmp)


@call("taddc", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src2 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.taddc(dst, src0, src1, src2)


@call("tsubc", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src2 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsubc(dst, src0, src1, src2)


@call("tmuladddst", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmuladddst(dst, src0, src1)


@call("tfusedmuladd", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tfusedmuladd(dst, src0, src1)


@call("tfusedmuladdrelu", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tfusedmuladdrelu(dst, src0, src1)


@call("taddrelu", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.taddrelu(dst, src0, src1)


@call("tsubrelu", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsubrelu(dst, src0, src1)


@call("taddreluconv", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f16, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.taddreluconv(dst, src0, src1)


@call("tsubreluconv", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f16, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsubreluconv(dst, src0, src1)


@call("tadddeqrelu", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f16, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tadddeqrelu(dst, src0, src1, 1.0, tmp=tmp)


@call("tcmp", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, i8, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcmp(dst, src0, src1, "eq")


@call("tsel", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    mask = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsel(dst, mask, src0, src1, tmp=tmp)


@call("tcvt", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcvt(dst, src, "CAST_RINT")


@call("tadds", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tadds(dst, src, 1.0)


@call("tsubs", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsubs(dst, src, 1.0)


@call("tmuls", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmuls(dst, src, 1.0)


@call("tdivs", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tdivs(dst, 1.0, src1)


@call("tmaxs", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmaxs(dst, src, 1.0)


@call("tmins", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmins(dst, src, 1.0)


@call("tands", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tands(dst, src, 0)


@call("tors", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tors(dst, src, 0)


@call("txors", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.txors(dst, src, 0, tmp=tmp)


@call("tshls", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tshls(dst, src, 0)


@call("tshrs", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tshrs(dst, src, 0)


@call("trems", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trems(dst, src, 1.0, tmp=tmp)


@call("tfmods", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tfmods(dst, src, 1.0)


@call("tpows", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpows(dst, src, 1.0)


@call("tlrelu", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tlrelu(dst, src, 1.0)


@call("taxpy", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.taxpy(dst, src, 1.0)


@call("taddsc", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.taddsc(dst, src0, 1.0, src1)


@call("tsubsc", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsubsc(dst, src0, 1.0, src1)


@call("texpands", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.texpands(dst, 1.0)


@call("tcmps", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, i8, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcmps(dst, src, 1.0, "eq")


@call("tsels", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    mask = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsels(dst, mask, src, 1.0, tmp=tmp)


@call("tpartadd", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpartadd(dst, src0, src1)


@call("tpartmul", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpartmul(dst, src0, src1)


@call("tpartmax", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpartmax(dst, src0, src1)


@call("tpartmin", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpartmin(dst, src0, src1)


@call("tpartargmax", "a2a3", True)
def _():
    dst_val = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0_val = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1_val = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    dst_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src0_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpartargmax(dst_val, src0_val, src1_val, dst_idx, src0_idx, src1_idx)


@call("tpartargmin", "a2a3", True)
def _():
    dst_val = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0_val = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1_val = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    dst_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src0_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpartargmin(dst_val, src0_val, src1_val, dst_idx, src0_idx, src1_idx)


@call("trowsum", "a2a3", False)
def _():
    dst = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trowsum(dst, src, tmp=tmp)


@call("trowprod", "a2a3", False)
def _():
    dst = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trowprod(dst, src, tmp=tmp)


@call("trowmax", "a2a3", False)
def _():
    dst = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trowmax(dst, src, tmp=tmp)


@call("trowmin", "a2a3", False)
def _():
    dst = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trowmin(dst, src, tmp=tmp)


@call("trowargmax", "a2a3", False)
def _():
    dst_idx = pto.TileType(32, 1, i32, memory="vec", layout="col", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trowargmax(dst_idx, src, tmp=tmp)


@call("trowargmin", "a2a3", False)
def _():
    dst_idx = pto.TileType(32, 1, i32, memory="vec", layout="col", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trowargmin(dst_idx, src, tmp=tmp)


@call("tcolsum", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolsum(dst, src)


@call("tcolprod", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolprod(dst, src)


@call("tcolmax", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolmax(dst, src)


@call("tcolmin", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolmin(dst, src)


# tcolargmax takes more than one instruction.


# tcolargmin takes more than one instruction.


@call("tpairreducesum", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpairreducesum(dst, src)


@call("trowexpand", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trowexpand(dst, src)


@call("trowexpandadd", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.trowexpandadd(dst, src0, src1)


@call("trowexpandsub", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.trowexpandsub(dst, src0, src1)


@call("trowexpandmul", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.trowexpandmul(dst, src0, src1)


@call("trowexpanddiv", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.trowexpanddiv(dst, src0, src1)


@call("trowexpandmax", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.trowexpandmax(dst, src0, src1)


@call("trowexpandmin", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.trowexpandmin(dst, src0, src1)


@call("trowexpandexpdif", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.trowexpandexpdif(dst, src0, src1)


@call("tcolexpand", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpand(dst, src)


@call("tcolexpandadd", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpandadd(dst, src0, src1)


@call("tcolexpandsub", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpandsub(dst, src0, src1)


@call("tcolexpandmul", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpandmul(dst, src0, src1)


@call("tcolexpanddiv", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpanddiv(dst, src0, src1)


@call("tcolexpandmax", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpandmax(dst, src0, src1)


@call("tcolexpandmin", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpandmin(dst, src0, src1)


@call("tcolexpandexpdif", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tcolexpandexpdif(dst, src0, src1)


@call("tload", "a2a3", False)
def _(src: Gm[f32]):
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tload(dst, src.view(32, 32))


@call("tstore", "a2a3", False)
def _(dst: Gm[f32]):
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tstore(dst.view(32, 32), src)


@call("tstore_fp", "a2a3", False)
def _(dst: Gm[f16]):
    src = pto.TileType(32, 32, f32, memory="acc", layout="col", box="row", fractal=1024)()
    fp = pto.TileType(1, 32, f32, memory="scaling", layout="row", box="none", fractal=512)()
    pto.tstore_fp(dst.view(32, 32), src, fp)


@call("tprefetch", "a2a3", False)
def _(src: Gm[f32]):
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tprefetch(dst, src.view(32, 32))


# tprefetch_async takes more than one instruction.


@call("mgather", "a2a3", False)
def _(mem: Gm[f32]):
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.mgather(dst, mem.view(32, 32), idx, "elem")


@call("mscatter", "a2a3", False)
def _(mem: Gm[f32]):
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.mscatter(mem.view(32, 32), src, idx)


@call("tmatmul", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="acc", layout="col", box="row", fractal=1024)()
    a = pto.TileType(32, 32, f32, memory="left", layout="row", box="row", fractal=512)()
    b = pto.TileType(32, 32, f32, memory="right", layout="row", box="col", fractal=512)()
    pto.tmatmul(dst, a, b)


@call("tmatmul_acc", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="acc", layout="col", box="row", fractal=1024)()
    acc_in = pto.TileType(32, 32, f32, memory="acc", layout="col", box="row", fractal=1024)()
    a = pto.TileType(32, 32, f32, memory="left", layout="row", box="row", fractal=512)()
    b = pto.TileType(32, 32, f32, memory="right", layout="row", box="col", fractal=512)()
    pto.tmatmul_acc(dst, acc_in, a, b)


@call("tmatmul_bias", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="acc", layout="col", box="row", fractal=1024)()
    a = pto.TileType(32, 32, f32, memory="left", layout="row", box="row", fractal=512)()
    b = pto.TileType(32, 32, f32, memory="right", layout="row", box="col", fractal=512)()
    bias = pto.TileType(1, 32, f32, memory="bias", layout="row", box="none", fractal=512)()
    pto.tmatmul_bias(dst, a, b, bias)


# tmatmul_mx takes more than one instruction.


# tmatmul_mx_acc takes more than one instruction.


# tmatmul_mx_bias takes more than one instruction.


# tmatmul_mx_hif4 takes more than one instruction.


# tgemv takes more than one instruction.


# tgemv_acc takes more than one instruction.


# tgemv_bias takes more than one instruction.


# tgemv_mx takes more than one instruction.


# tgemv_mx_acc takes more than one instruction.


# tgemv_mx_bias takes more than one instruction.


@call("tget_scale_addr", "a5", False)
def _():
    dst = pto.TileType(1, 32, f32, memory="scaling", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="right", layout="row", box="col", fractal=512)()
    pto.tget_scale_addr(dst, src)


@call("sethf32mode", "cpu", False)
def _():
    pto.sethf32mode(True)


@call("settf32mode", "cpu", False)
def _():
    pto.settf32mode(True)


@call("tmov", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tmov(dst, src)


@call("tmov_fp", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f16, memory="mat", layout="col", box="row", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="acc", layout="col", box="row", fractal=1024)()
    fp = pto.TileType(1, 32, f16, memory="scaling", layout="row", box="none", fractal=512)()
    pto.tmov_fp(dst, src, fp)


@call("textract", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.textract(dst, src, 0, 0)


@call("textract_fp", "a5", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="acc", layout="col", box="row", fractal=1024)()
    fp = pto.TileType(1, 32, f32, memory="scaling", layout="row", box="none", fractal=512)()
    pto.textract_fp(dst, src, fp, 0, 0)


@call("tinsert", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tinsert(dst, src, 0, 0)


@call("tinsert_fp", "a5", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="acc", layout="col", box="row", fractal=1024)()
    fp = pto.TileType(1, 32, f32, memory="scaling", layout="row", box="none", fractal=512)()
    pto.tinsert_fp(dst, src, fp, 0, 0)


@call("ttrans", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    tmp = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.ttrans(dst, src, tmp=tmp)


# tfillpad takes more than one instruction.


# tfillpad_inplace takes more than one instruction.


# tfillpad_expand takes more than one instruction.


@call("tconcat", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    src1 = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.tconcat(dst, src0, src1)


@call("tconcatidx", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    src1_idx = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tconcatidx(dst, src0, src1, src0_idx, src1_idx)


@call("tinterleave", "a5", True)
def _():
    dst1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    dst0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tinterleave(dst1, dst0, src1, src0)


@call("tdeinterleave", "a5", True)
def _():
    dst1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    dst0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src0 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src1 = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tdeinterleave(dst1, dst0, src0, src1=src1)


@call("tpack", "a5", False)
def _():
    dst = pto.TileType(32, 32, i16, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpack(dst, src)


@call("timg2col", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="left", layout="row", box="row", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="mat", layout="col", box="row", fractal=512)()
    pto.timg2col(dst, src)


@call("tquant", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, i8, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    fp = pto.TileType(32, 1, f32, memory="vec", layout="col", box="none", fractal=512)()
    pto.tquant(dst, src, fp, "INT8_SYM")


# tquant_mx takes more than one instruction.


# tquant_hif4 takes more than one instruction.


@call("tdequant", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, i16, memory="vec", layout="row", box="none", fractal=512)()
    scale = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    offset = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tdequant(dst, src, scale, offset)


@call("tsort32", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    idx = pto.TileType(32, 32, u32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsort32(dst, src, idx)


# tmrgsort takes more than one instruction.


@call("tgather", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    indices = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tgather(dst, src, indices=indices)


@call("tgatherb", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    offsets = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tgatherb(dst, src, offsets)


@call("tscatter", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    indexes = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tscatter(dst, src, indexes=indexes)


# thistogram takes more than one instruction.


@call("tci", "a2a3", False)
def _():
    dst = pto.TileType(1, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tci(dst, 1.0)


@call("ttri", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.ttri(dst, 0)


@call("trandom", "a5", False)
def _():
    dst = pto.TileType(32, 32, i32, memory="vec", layout="row", box="none", fractal=512)()
    pto.trandom(dst, 0, 0, 0, 0, 0, 0)


@call("tprint", "a2a3", False)
def _():
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tprint(src)


@call("tgetval", "a2a3", False)
def _():
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tgetval(src, 0)


@call("tsetval", "a2a3", False)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsetval(dst, 0, 1.0)


@call("print", "a2a3", False)
def _():
    pto.print("name", 1.0)


@call("trap", "a2a3", False)
def _():
    pto.trap()


@call("get_vms4_sr", "a2a3", False)
def _():
    pto.get_vms4_sr()


@call("set_flag", "a2a3", False)
def _():
    pto.set_flag("PIPE_S", "PIPE_V", "EVENT_ID0")


@call("wait_flag", "a2a3", False)
def _():
    pto.wait_flag("PIPE_S", "PIPE_V", "EVENT_ID0")


@call("set_flag_dyn", "a2a3", False)
def _():
    pto.set_flag_dyn("PIPE_S", "PIPE_V", 0)


@call("wait_flag_dyn", "a2a3", False)
def _():
    pto.wait_flag_dyn("PIPE_S", "PIPE_V", 0)


@call("record_event", "a2a3", False)
def _():
    pto.record_event("TLOAD", "TLOAD", "EVENT_ID0")


@call("wait_event", "a2a3", False)
def _():
    pto.wait_event("TLOAD", "TLOAD", "EVENT_ID0")


@call("barrier", "a2a3", False)
def _():
    pto.barrier("PIPE_S")


@call("barrier_sync", "a2a3", False)
def _():
    pto.barrier_sync("TLOAD")


# tsync takes more than one instruction.


@call("get_buf", "a2a3", False)
def _():
    pto.get_buf("TLOAD", 0)


@call("rls_buf", "a2a3", False)
def _():
    pto.rls_buf("TLOAD", 0)


@call("get_buf_dyn", "a2a3", False)
def _():
    pto.get_buf_dyn("TLOAD", 0)


@call("rls_buf_dyn", "a2a3", False)
def _():
    pto.rls_buf_dyn("TLOAD", 0)


@call("sync_set", "a2a3", False)
def _():
    pto.sync_set("PIPE_S", 0)


@call("sync_wait", "a2a3", False)
def _():
    pto.sync_wait("PIPE_S", 0)


@call("set_intra_block", "a2a3", False)
def _():
    pto.set_intra_block("PIPE_S", 0)


@call("wait_intra_block", "a2a3", False)
def _():
    pto.wait_intra_block("PIPE_S", 0)


@call("set_cross_block", "a2a3", False)
def _():
    pto.set_cross_block("PIPE_S", 0)


@call("wait_cross_block", "a2a3", False)
def _():
    pto.wait_cross_block("PIPE_S", 0)


@call("set_cross_core", "a2a3", False)
def _():
    pto.set_cross_core(0, 0)


@call("wait_flag_dev", "a2a3", False)
def _():
    pto.wait_flag_dev(0)


@call("syncall", "a2a3", False)
def _():
    pto.syncall()


@call("fence_barrier_all", "a2a3", False)
def _():
    pto.fence_barrier_all("local_memory")


# mem_bar takes more than one instruction.


# declare_eventid_array takes more than one instruction.


# eventid_array_get takes more than one instruction.


# eventid_array_set takes more than one instruction.


@call("aic_initialize_pipe", "a2a3", False)
def _(gm_slot_tensor: Gm[f32]):
    pto.aic_initialize_pipe(1, 1, gm_slot_tensor=gm_slot_tensor.view(32, 32))


@call("aiv_initialize_pipe", "a2a3", False)
def _(gm_slot_tensor: Gm[f32]):
    pto.aiv_initialize_pipe(1, 1, gm_slot_tensor=gm_slot_tensor.view(32, 32))


@call("initialize_l2g2l_pipe", "a2a3", False)
def _(gm_addr: Scalar[i32]):
    pto.initialize_l2g2l_pipe(gm_addr, 1, 1, 1)


@call("initialize_l2l_pipe", "a2a3", False)
def _(local_addr: Scalar[i32]):
    pto.initialize_l2l_pipe(local_addr, 1, 1, 1)


# tpush takes more than one instruction.


# tpop takes more than one instruction.


# tfree takes more than one instruction.


# talloc takes more than one instruction.


@call("tpush_to_aiv", "a2a3", False)
def _():
    tile = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpush_to_aiv(tile, 0)


@call("tpush_to_aic", "a2a3", False)
def _():
    tile = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tpush_to_aic(tile, 0)


@call("tpop_from_aic", "a2a3", False)
def _():
    pto.tpop_from_aic(0, pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512))


@call("tpop_from_aiv", "a2a3", False)
def _():
    pto.tpop_from_aiv(0, pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512))


@call("tfree_from_aic", "a2a3", False)
def _():
    pto.tfree_from_aic(0)


@call("tfree_from_aiv", "a2a3", False)
def _():
    pto.tfree_from_aiv(0)


@call("talloc_to_aiv", "a2a3", False)
def _():
    pto.talloc_to_aiv(0, [32, 32], f32)


@call("talloc_to_aic", "a2a3", False)
def _():
    pto.talloc_to_aic(0, [32, 32], f32)


@call("reserve_buffer", "a2a3", False)
def _():
    pto.reserve_buffer("name", 1, "mat", True)


# import_reserved_buffer takes more than one instruction.


@call("declare_tile", "a2a3", False)
def _():
    pto.declare_tile(pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512))


@call("declare_global", "a2a3", False)
def _():
    pto.declare_global([32, 32], f32)


@call("comm_tput", "a2a3", False)
def _(dst: Gm[f32], src: Gm[f32]):
    ping = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.comm_tput(dst.view(32, 32), src.view(32, 32), ping)


@call("comm_tget", "a2a3", False)
def _(dst: Gm[f32], src: Gm[f32]):
    ping = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.comm_tget(dst.view(32, 32), src.view(32, 32), ping)


@call("comm_tnotify", "a2a3", False)
def _(signal: Gm[i32]):
    pto.comm_tnotify(signal.view(32, 32), 0, "atomic_add")


@call("comm_twait", "a2a3", False)
def _(signal: Gm[i32]):
    pto.comm_twait(signal.view(32, 32), 0, "eq")


@call("comm_ttest", "a2a3", False)
def _(signal: Gm[i32]):
    pto.comm_ttest(signal.view(32, 32), 0, "eq")


# comm_tgather takes more than one instruction.


# comm_tscatter takes more than one instruction.


# comm_tbroadcast takes more than one instruction.


# comm_treduce takes more than one instruction.


@call("comm_build_async_session", "a2a3", False)
def _(workspace: Gm[i8]):
    scratch = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.comm_build_async_session(scratch, workspace)


# comm_tput_async takes more than one instruction.


# comm_tget_async takes more than one instruction.


# comm_wait_async_event takes more than one instruction.


# comm_test_async_event takes more than one instruction.


# make_prefetch_async_context takes more than one instruction.


@call("get_prefetch_async_session", "a2a3", False)
def _(ctx: Scalar[i32]):
    pto.get_prefetch_async_session(ctx)


@call("alloc_tile", "a2a3", False)
def _():
    pto.alloc_tile(pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512))


# alloc_multi_tile takes more than one instruction.


# multi_tile_get takes more than one instruction.


@call("tassign", "a2a3", False)
def _():
    tile = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tassign(tile, 0)


@call("treshape", "a2a3", False)
def _():
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.treshape(src, pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512))


@call("bitcast", "a2a3", False)
def _():
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.bitcast(src, pto.TileType(32, 32, f16, memory="vec", layout="row", box="none", fractal=512))


# subview takes more than one instruction.


# subset takes more than one instruction.


@call("tsubview", "a2a3", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tsubview(dst, src, 0, 0)


@call("talias", "cpu", True)
def _():
    dst = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.talias(dst, src)


# bind_tile takes more than one instruction.


# pointer_cast takes more than one instruction.


# declare_tile_memref takes more than one instruction.


# set_validshape takes more than one instruction.


@call("get_validshape", "a2a3", False)
def _():
    source = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.get_validshape(source)


# make_tensor_view takes more than one instruction.


@call("partition_view", "a2a3", False)
def _(source: Gm[f32]):
    pto.partition_view(source.view(32, 32), [0, 0], [32, 32])


@call("get_tensor_view_dim", "a2a3", False)
def _(tensor_view: Gm[f32]):
    pto.get_tensor_view_dim(tensor_view.view(32, 32), 0)


@call("get_tensor_view_stride", "a2a3", False)
def _(tensor_view: Gm[f32]):
    pto.get_tensor_view_stride(tensor_view.view(32, 32), 0)


@call("tensor_view_addr", "a2a3", False)
def _(src: Gm[f32]):
    pto.tensor_view_addr(src.view(32, 32), f32)


@call("tile_buf_addr", "a2a3", False)
def _():
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tile_buf_addr(src, f32)


@call("tile_valid_rows", "a2a3", False)
def _():
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tile_valid_rows(src)


@call("tile_valid_cols", "a2a3", False)
def _():
    src = pto.TileType(32, 32, f32, memory="vec", layout="row", box="none", fractal=512)()
    pto.tile_valid_cols(src)


@call("addptr", "a2a3", False)
def _(ptr: Gm[f32]):
    pto.addptr(ptr, 0)


# castptr takes more than one instruction.


@call("inttoptr", "a2a3", False)
def _():
    pto.inttoptr(0, f32)


@call("ptrtoint", "a2a3", False)
def _(ptr: Gm[f32]):
    pto.ptrtoint(ptr)


@call("load_scalar", "a2a3", False)
def _(ptr: Gm[f32]):
    pto.load_scalar(ptr, 0)


@call("store_scalar", "a2a3", False)
def _(ptr: Gm[f32]):
    pto.store_scalar(ptr, 1.0, 0)


@call("get_block_idx", "a2a3", False)
def _():
    pto.get_block_idx()


@call("get_block_num", "a2a3", False)
def _():
    pto.get_block_num()


@call("get_subblock_idx", "a2a3", False)
def _():
    pto.get_subblock_idx()


@call("get_subblock_num", "a2a3", False)
def _():
    pto.get_subblock_num()


# declare_local_array takes more than one instruction.


# local_array_get takes more than one instruction.


# local_array_set takes more than one instruction.


# declare_struct takes more than one instruction.


# struct_get takes more than one instruction.


# struct_set takes more than one instruction.


@call("sbitset0", "a2a3", False)
def _():
    pto.sbitset0(0, 0)


@call("sbitset1", "a2a3", False)
def _():
    pto.sbitset1(0, 0)


# setfmatrix takes more than one instruction.


# set_img2col_rpt takes more than one instruction.


# set_img2col_padding takes more than one instruction.


@call("set_quant_scalar", "a2a3", False)
def _():
    pto.set_quant_scalar(1.0)


@call("set_quant_vector", "a2a3", False)
def _():
    scaling_tile = pto.TileType(1, 32, i64, memory="scaling", layout="row", box="none", fractal=512)()
    pto.set_quant_vector(scaling_tile)


@call("set_ffts", "a2a3", False)
def _(ffts: Gm[i8]):
    pto.set_ffts(ffts)


@call("set_atomic_add", "a2a3", False)
def _():
    pto.set_atomic_add()


@call("set_atomic_max", "a2a3", False)
def _():
    pto.set_atomic_max()


@call("set_atomic_min", "a2a3", False)
def _():
    pto.set_atomic_min()


@call("set_atomic_none", "a2a3", False)
def _():
    pto.set_atomic_none()


@call("set_atomic_f32", "a2a3", False)
def _():
    pto.set_atomic_f32()


@call("set_atomic_f16", "a2a3", False)
def _():
    pto.set_atomic_f16()


@call("set_atomic_bf16", "a2a3", False)
def _():
    pto.set_atomic_bf16()


@call("set_atomic_s32", "a2a3", False)
def _():
    pto.set_atomic_s32()


@call("set_atomic_s16", "a2a3", False)
def _():
    pto.set_atomic_s16()


@call("set_atomic_s8", "a2a3", False)
def _():
    pto.set_atomic_s8()


@call("set_store_atomic_cfg", "a2a3", True)
def _():
    pto.set_store_atomic_cfg(0)


@call("set_fpc", "a2a3", True)
def _():
    pto.set_fpc(0)


@call("set_quant_pre", "a2a3", True)
def _():
    pto.set_quant_pre(0)


@call("set_relu_alpha", "a2a3", True)
def _():
    pto.set_relu_alpha(0)


@call("set_fix_clip_relu", "a2a3", True)
def _():
    pto.set_fix_clip_relu(0)


@call("cmo_cacheinvalid", "a2a3", False)
def _():
    pto.cmo_cacheinvalid(space="zero")


@call("set_loop1_stride_outtoub", "a2a3", True)
def _():
    pto.set_loop1_stride_outtoub(0, 0)


@call("set_loop2_stride_outtoub", "a2a3", True)
def _():
    pto.set_loop2_stride_outtoub(0, 0)


@call("set_loop_size_outtoub", "a2a3", True)
def _():
    pto.set_loop_size_outtoub(0, 0)


@call("set_loop1_stride_ubtoout", "a2a3", True)
def _():
    pto.set_loop1_stride_ubtoout(0, 0)


@call("set_loop2_stride_ubtoout", "a2a3", True)
def _():
    pto.set_loop2_stride_ubtoout(0, 0)


@call("set_loop_size_ubtoout", "a2a3", True)
def _():
    pto.set_loop_size_ubtoout(0, 0)


@call("set_loop1_stride_outtol1", "a2a3", True)
def _():
    pto.set_loop1_stride_outtol1(0)


@call("set_loop2_stride_outtol1", "a2a3", True)
def _():
    pto.set_loop2_stride_outtol1(0)


@call("set_loop_size_outtol1", "a2a3", True)
def _():
    pto.set_loop_size_outtol1(0)


@call("set_loop3_para", "a2a3", True)
def _():
    pto.set_loop3_para(0, 0)


@call("set_channel_para", "a2a3", True)
def _():
    pto.set_channel_para(0, 0)


@call("set_mte2_nz_para", "a2a3", True)
def _():
    pto.set_mte2_nz_para(0)


@call("set_pad_val_outtol1", "a2a3", True)
def _():
    pto.set_pad_val_outtol1(0)


@call("set_mov_pad_val", "a2a3", False)
def _():
    pto.set_mov_pad_val(1.0)
