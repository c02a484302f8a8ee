"""The instructions, one function each: what is written comes first, then what is read.

This file is made from the instruction table (``BLESS=1 cargo test -p pto-isa --test suite python``). Every call is recorded; it
returns what the instruction gives, or else something that later instructions can wait for (``after=``).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Union

from ._core import Handle, Issued
from ._core import Instruction as _op
from ._core import issue as _issue
from .scalars import Bool, BoolLike, DType, Index, IndexLike, Scalar, ScalarLike
from .tiles import Gm, Tile, TileType, Token, View

#: What an instruction can wait for: what others returned.
After = Union[Issued, Handle, Sequence[Union[Issued, Handle]], None]

__all__ = [
    "AddressSpace",
    "Pipe",
    "PipeEventType",
    "Event",
    "Layout",
    "Padmode",
    "AccToVecMode",
    "MaskPattern",
    "PadValue",
    "SyncAllMode",
    "SyncCoreType",
    "FenceScope",
    "TInsertMode",
    "CmpMode",
    "RoundMode",
    "SaturationMode",
    "STPhase",
    "AccPhase",
    "AtomicType",
    "ReluPreMode",
    "GatherOOB",
    "ScatterAtomicOp",
    "ScatterOOB",
    "ScatterConflict",
    "Coalesce",
    "QuantType",
    "QuantScaleAlg",
    "MxGroupAxis",
    "VecStoreMode",
    "NotifyOp",
    "WaitCmp",
    "ReduceOp",
    "PrintFormat",
    "DivAlgorithm",
    "ExpAlgorithm",
    "LogAlgorithm",
    "RecipAlgorithm",
    "RemAlgorithm",
    "RsqrtAlgorithm",
    "SqrtAlgorithm",
    "FmodAlgorithm",
    "LoadCachePolicy",
    "PowAlgorithm",
    "tadd",
    "tsub",
    "tmul",
    "tdiv",
    "tmax",
    "tmin",
    "tabs",
    "texp",
    "tlog",
    "tsqrt",
    "trsqrt",
    "trecip",
    "tneg",
    "tnot",
    "tand",
    "tor",
    "txor",
    "tshl",
    "tshr",
    "trem",
    "tfmod",
    "tpow",
    "trelu",
    "tprelu",
    "taddc",
    "tsubc",
    "tmuladddst",
    "tfusedmuladd",
    "tfusedmuladdrelu",
    "taddrelu",
    "tsubrelu",
    "taddreluconv",
    "tsubreluconv",
    "tadddeqrelu",
    "tcmp",
    "tsel",
    "tcvt",
    "tadds",
    "tsubs",
    "tmuls",
    "tdivs",
    "tmaxs",
    "tmins",
    "tands",
    "tors",
    "txors",
    "tshls",
    "tshrs",
    "trems",
    "tfmods",
    "tpows",
    "tlrelu",
    "taxpy",
    "taddsc",
    "tsubsc",
    "texpands",
    "tcmps",
    "tsels",
    "tpartadd",
    "tpartmul",
    "tpartmax",
    "tpartmin",
    "tpartargmax",
    "tpartargmin",
    "trowsum",
    "trowprod",
    "trowmax",
    "trowmin",
    "trowargmax",
    "trowargmin",
    "tcolsum",
    "tcolprod",
    "tcolmax",
    "tcolmin",
    "tcolargmax",
    "tcolargmin",
    "tpairreducesum",
    "trowexpand",
    "trowexpandadd",
    "trowexpandsub",
    "trowexpandmul",
    "trowexpanddiv",
    "trowexpandmax",
    "trowexpandmin",
    "trowexpandexpdif",
    "tcolexpand",
    "tcolexpandadd",
    "tcolexpandsub",
    "tcolexpandmul",
    "tcolexpanddiv",
    "tcolexpandmax",
    "tcolexpandmin",
    "tcolexpandexpdif",
    "tload",
    "tstore",
    "tstore_fp",
    "tprefetch",
    "tprefetch_async",
    "mgather",
    "mscatter",
    "tmatmul",
    "tmatmul_acc",
    "tmatmul_bias",
    "tmatmul_mx",
    "tmatmul_mx_acc",
    "tmatmul_mx_bias",
    "tmatmul_mx_hif4",
    "tgemv",
    "tgemv_acc",
    "tgemv_bias",
    "tgemv_mx",
    "tgemv_mx_acc",
    "tgemv_mx_bias",
    "tget_scale_addr",
    "sethf32mode",
    "settf32mode",
    "tmov",
    "tmov_fp",
    "textract",
    "textract_fp",
    "tinsert",
    "tinsert_fp",
    "ttrans",
    "tfillpad",
    "tfillpad_inplace",
    "tfillpad_expand",
    "tconcat",
    "tconcatidx",
    "tinterleave",
    "tdeinterleave",
    "tpack",
    "timg2col",
    "tquant",
    "tquant_mx",
    "tquant_hif4",
    "tdequant",
    "tsort32",
    "tmrgsort",
    "tgather",
    "tgatherb",
    "tscatter",
    "thistogram",
    "tci",
    "ttri",
    "trandom",
    "tprint",
    "tgetval",
    "tsetval",
    "print",
    "trap",
    "get_vms4_sr",
    "set_flag",
    "wait_flag",
    "set_flag_dyn",
    "wait_flag_dyn",
    "record_event",
    "wait_event",
    "barrier",
    "barrier_sync",
    "tsync",
    "get_buf",
    "rls_buf",
    "get_buf_dyn",
    "rls_buf_dyn",
    "sync_set",
    "sync_wait",
    "set_intra_block",
    "wait_intra_block",
    "set_cross_block",
    "wait_cross_block",
    "set_cross_core",
    "wait_flag_dev",
    "syncall",
    "fence_barrier_all",
    "mem_bar",
    "declare_eventid_array",
    "eventid_array_get",
    "eventid_array_set",
    "aic_initialize_pipe",
    "aiv_initialize_pipe",
    "initialize_l2g2l_pipe",
    "initialize_l2l_pipe",
    "tpush",
    "tpop",
    "tfree",
    "talloc",
    "tpush_to_aiv",
    "tpush_to_aic",
    "tpop_from_aic",
    "tpop_from_aiv",
    "tfree_from_aic",
    "tfree_from_aiv",
    "talloc_to_aiv",
    "talloc_to_aic",
    "reserve_buffer",
    "import_reserved_buffer",
    "declare_tile",
    "declare_global",
    "comm_tput",
    "comm_tget",
    "comm_tnotify",
    "comm_twait",
    "comm_ttest",
    "comm_tgather",
    "comm_tscatter",
    "comm_tbroadcast",
    "comm_treduce",
    "comm_build_async_session",
    "comm_tput_async",
    "comm_tget_async",
    "comm_wait_async_event",
    "comm_test_async_event",
    "make_prefetch_async_context",
    "get_prefetch_async_session",
    "alloc_tile",
    "alloc_multi_tile",
    "multi_tile_get",
    "tassign",
    "treshape",
    "bitcast",
    "subview",
    "subset",
    "tsubview",
    "talias",
    "bind_tile",
    "pointer_cast",
    "declare_tile_memref",
    "set_validshape",
    "get_validshape",
    "make_tensor_view",
    "partition_view",
    "get_tensor_view_dim",
    "get_tensor_view_stride",
    "tensor_view_addr",
    "tile_buf_addr",
    "tile_valid_rows",
    "tile_valid_cols",
    "addptr",
    "castptr",
    "inttoptr",
    "ptrtoint",
    "load_scalar",
    "store_scalar",
    "get_block_idx",
    "get_block_num",
    "get_subblock_idx",
    "get_subblock_num",
    "declare_local_array",
    "local_array_get",
    "local_array_set",
    "declare_struct",
    "struct_get",
    "struct_set",
    "sbitset0",
    "sbitset1",
    "setfmatrix",
    "set_img2col_rpt",
    "set_img2col_padding",
    "set_quant_scalar",
    "set_quant_vector",
    "set_ffts",
    "set_atomic_add",
    "set_atomic_max",
    "set_atomic_min",
    "set_atomic_none",
    "set_atomic_f32",
    "set_atomic_f16",
    "set_atomic_bf16",
    "set_atomic_s32",
    "set_atomic_s16",
    "set_atomic_s8",
    "set_store_atomic_cfg",
    "set_fpc",
    "set_quant_pre",
    "set_relu_alpha",
    "set_fix_clip_relu",
    "cmo_cacheinvalid",
    "set_loop1_stride_outtoub",
    "set_loop2_stride_outtoub",
    "set_loop_size_outtoub",
    "set_loop1_stride_ubtoout",
    "set_loop2_stride_ubtoout",
    "set_loop_size_ubtoout",
    "set_loop1_stride_outtol1",
    "set_loop2_stride_outtol1",
    "set_loop_size_outtol1",
    "set_loop3_para",
    "set_channel_para",
    "set_mte2_nz_para",
    "set_pad_val_outtol1",
    "set_mov_pad_val",
]


class AddressSpace(str, Enum):
    """Values of the attribute ``address_space`` of the dialect."""

    ZERO = "zero"
    GM = "gm"
    MAT = "mat"
    LEFT = "left"
    RIGHT = "right"
    ACC = "acc"
    VEC = "vec"
    BIAS = "bias"
    SCALING = "scaling"


class Pipe(str, Enum):
    """Values of the attribute ``pipe`` of the dialect."""

    S = "PIPE_S"
    V = "PIPE_V"
    M = "PIPE_M"
    MTE1 = "PIPE_MTE1"
    MTE2 = "PIPE_MTE2"
    MTE3 = "PIPE_MTE3"
    ALL = "PIPE_ALL"
    MTE4 = "PIPE_MTE4"
    MTE5 = "PIPE_MTE5"
    V2 = "PIPE_V2"
    FIX = "PIPE_FIX"
    VIRTUAL_PIPE_MTE2_L1A = "VIRTUAL_PIPE_MTE2_L1A"
    VIRTUAL_PIPE_MTE2_L1B = "VIRTUAL_PIPE_MTE2_L1B"
    NUM = "PIPE_NUM"
    UNASSIGNED = "PIPE_UNASSIGNED"


class PipeEventType(str, Enum):
    """Values of the attribute ``pipe_event_type`` of the dialect."""

    TLOAD = "TLOAD"
    TSTORE_ACC = "TSTORE_ACC"
    TSTORE_VEC = "TSTORE_VEC"
    TMOV_M2L = "TMOV_M2L"
    TMOV_M2S = "TMOV_M2S"
    TMOV_M2B = "TMOV_M2B"
    TMOV_M2V = "TMOV_M2V"
    TMOV_V2M = "TMOV_V2M"
    TMATMUL = "TMATMUL"
    TVEC = "TVEC"
    TVECWAIT_EVENT = "TVECWAIT_EVENT"


class Event(str, Enum):
    """Values of the attribute ``event`` of the dialect."""

    ID0 = "EVENT_ID0"
    ID1 = "EVENT_ID1"
    ID2 = "EVENT_ID2"
    ID3 = "EVENT_ID3"
    ID4 = "EVENT_ID4"
    ID5 = "EVENT_ID5"
    ID6 = "EVENT_ID6"
    ID7 = "EVENT_ID7"


class Layout(str, Enum):
    """Values of the attribute ``layout`` of the dialect."""

    ND = "nd"
    DN = "dn"
    NZ = "nz"
    MX_A_ZZ = "mx_a_zz"
    MX_B_NN = "mx_b_nn"
    MX_A_ND = "mx_a_nd"
    MX_A_DN = "mx_a_dn"
    MX_B_ND = "mx_b_nd"
    MX_B_DN = "mx_b_dn"
    NC1HWC0 = "nc1hwc0"


class Padmode(str, Enum):
    """Values of the attribute ``padmode`` of the dialect."""

    PADNULL = "PadNull"
    PADFIRSTELEM = "PadFirstElem"
    PADVALUE = "PadValue"


class AccToVecMode(str, Enum):
    """Values of the attribute ``acc_to_vec_mode`` of the dialect."""

    SINGLE_MODE_VEC0 = "single_mode_vec0"
    SINGLE_MODE_VEC1 = "single_mode_vec1"
    DUAL_MODE_SPLIT_M = "dual_mode_split_m"
    DUAL_MODE_SPLIT_N = "dual_mode_split_n"


class MaskPattern(str, Enum):
    """Values of the attribute ``mask_pattern`` of the dialect."""

    P0101 = "P0101"
    P1010 = "P1010"
    P0001 = "P0001"
    P0010 = "P0010"
    P0100 = "P0100"
    P1000 = "P1000"
    P1111 = "P1111"


class PadValue(str, Enum):
    """Values of the attribute ``pad_value`` of the dialect."""

    NULL = "null"
    ZERO = "zero"
    MAX = "max"
    MIN = "min"


class SyncAllMode(str, Enum):
    """Values of the attribute ``sync_all_mode`` of the dialect."""

    HARD = "hard"
    SOFT = "soft"


class SyncCoreType(str, Enum):
    """Values of the attribute ``sync_core_type`` of the dialect."""

    AIV_ONLY = "aiv_only"
    AIC_ONLY = "aic_only"
    MIX = "mix"


class FenceScope(str, Enum):
    """Values of the attribute ``fence_scope`` of the dialect."""

    LOCAL_MEMORY = "local_memory"
    GM = "gm"
    ALL = "all"


class TInsertMode(str, Enum):
    """Values of the attribute ``tinsert_mode`` of the dialect."""

    SPLIT2 = "split2"
    SPLIT4 = "split4"


class CmpMode(str, Enum):
    """Values of the attribute ``cmp`` of the dialect."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"


class RoundMode(str, Enum):
    """Values of the attribute ``round_mode`` of the dialect."""

    NONE = "NONE"
    RINT = "RINT"
    ROUND = "ROUND"
    FLOOR = "FLOOR"
    CEIL = "CEIL"
    TRUNC = "TRUNC"
    ODD = "ODD"
    CAST_RINT = "CAST_RINT"


class SaturationMode(str, Enum):
    """Values of the attribute ``saturation_mode`` of the dialect."""

    ON = "ON"
    OFF = "OFF"


class STPhase(str, Enum):
    """Values of the attribute ``st_phase`` of the dialect."""

    UNSPECIFIED = "unspecified"
    PARTIAL = "partial"
    FINAL = "final"


class AccPhase(str, Enum):
    """Values of the attribute ``acc_phase`` of the dialect."""

    UNSPECIFIED = "unspecified"
    PARTIAL = "partial"
    FINAL = "final"


class AtomicType(str, Enum):
    """Values of the attribute ``atomic_type`` of the dialect."""

    ATOMIC_NONE = "atomic_none"
    ATOMIC_ADD = "atomic_add"


class ReluPreMode(str, Enum):
    """Values of the attribute ``relu_pre_mode`` of the dialect."""

    NO_RELU = "no_relu"
    NORMAL_RELU = "normal_relu"
    SCALAR_RELU = "scalar_relu"
    VECTOR_RELU = "vector_relu"
    PWL = "pwl"


class GatherOOB(str, Enum):
    """Values of the attribute ``gather_oob`` of the dialect."""

    UNDEFINED = "undefined"
    CLAMP = "clamp"
    WRAP = "wrap"
    ZERO = "zero"


class ScatterAtomicOp(str, Enum):
    """Values of the attribute ``scatter_atomic_op`` of the dialect."""

    NONE = "none"
    ADD = "add"
    MAX = "max"
    MIN = "min"


class ScatterOOB(str, Enum):
    """Values of the attribute ``scatter_oob`` of the dialect."""

    UNDEFINED = "undefined"
    SKIP = "skip"
    CLAMP = "clamp"
    WRAP = "wrap"


class ScatterConflict(str, Enum):
    """Values of the attribute ``scatter_conflict`` of the dialect."""

    DEFAULT = "default"
    LAST = "last"


class Coalesce(str, Enum):
    """Values of the attribute ``coalesce`` of the dialect."""

    ROW = "row"
    ELEM = "elem"


class QuantType(str, Enum):
    """Values of the attribute ``quant_type`` of the dialect."""

    INT8_SYM = "INT8_SYM"
    INT8_ASYM = "INT8_ASYM"
    MXFP8 = "MXFP8"
    MXFP4_E2M1 = "MXFP4_E2M1"


class QuantScaleAlg(str, Enum):
    """Values of the attribute ``quant_scale_alg`` of the dialect."""

    OCP = "ocp"
    NV = "nv"


class MxGroupAxis(str, Enum):
    """Values of the attribute ``mx_group_axis`` of the dialect."""

    AXIS0 = "axis0"
    AXIS1 = "axis1"


class VecStoreMode(str, Enum):
    """Values of the attribute ``vec_store_mode`` of the dialect."""

    ND = "nd"
    NZ = "nz"


class NotifyOp(str, Enum):
    """Values of the attribute ``notify_op`` of the dialect."""

    ATOMIC_ADD = "atomic_add"
    SET = "set"


class WaitCmp(str, Enum):
    """Values of the attribute ``wait_cmp`` of the dialect."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GE = "ge"
    LT = "lt"
    LE = "le"


class ReduceOp(str, Enum):
    """Values of the attribute ``reduce_op`` of the dialect."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"


class PrintFormat(str, Enum):
    """Values of the attribute ``print_format`` of the dialect."""

    WIDTH8_PRECISION4 = "width8_precision4"
    WIDTH8_PRECISION2 = "width8_precision2"
    WIDTH10_PRECISION6 = "width10_precision6"


class DivAlgorithm(str, Enum):
    """Values of the attribute ``div_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class ExpAlgorithm(str, Enum):
    """Values of the attribute ``exp_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class LogAlgorithm(str, Enum):
    """Values of the attribute ``log_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class RecipAlgorithm(str, Enum):
    """Values of the attribute ``recip_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class RemAlgorithm(str, Enum):
    """Values of the attribute ``rem_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class RsqrtAlgorithm(str, Enum):
    """Values of the attribute ``rsqrt_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class SqrtAlgorithm(str, Enum):
    """Values of the attribute ``sqrt_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class FmodAlgorithm(str, Enum):
    """Values of the attribute ``fmod_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


class LoadCachePolicy(str, Enum):
    """Values of the attribute ``load_cache_policy`` of the dialect."""

    DEFAULT = "default"
    L2_BYPASS = "l2_bypass"


class PowAlgorithm(str, Enum):
    """Values of the attribute ``pow_precision`` of the dialect."""

    DEFAULT = "default"
    HIGH_PRECISION = "high_precision"


_tadd = _op("tadd")


def tadd(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Elementwise sum of two tiles.

    `dst[i,j] = src0[i,j] + src1[i,j]` over the valid region of `dst`. Integers wrap modulo 2 to the
    width; floating point rounds to nearest even.

    Text: ``pto.tadd``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - The public assembler does not take 64-bit integers on A5, although the header does.
    """
    return _issue(_tadd, after, dst, src0, src1)


_tsub = _op("tsub")


def tsub(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Elementwise difference of two tiles.

    `dst[i,j] = src0[i,j] - src1[i,j]` over the valid region of `dst`. Integers wrap modulo 2 to the
    width; floating point rounds to nearest even.

    Text: ``pto.tsub``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - The public assembler takes neither bf16 nor 64-bit integers on A5, although the header does.
    """
    return _issue(_tsub, after, dst, src0, src1)


_tmul = _op("tmul")


def tmul(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Elementwise product of two tiles.

    `dst[i,j] = src0[i,j] * src1[i,j]` over the valid region of `dst`. Integers keep the low half of the
    product; floating point rounds to nearest even. There is no 8-bit product on a device.

    Text: ``pto.tmul``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - The public assembler takes neither bf16 nor 64-bit integers on A5, although the header does.
    """
    return _issue(_tmul, after, dst, src0, src1)


_tdiv = _op("tdiv")


def tdiv(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    precision_type: DivAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Elementwise quotient of two tiles.

    `dst[i,j] = src0[i,j] / src1[i,j]` over the valid region of `dst`. Floating point: `x/0` is an infinity
    with the sign of the quotient, `0/0` is NaN. Integers (A5 only) truncate towards zero.

    Text: ``pto.tdiv``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: f16, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - An integer divided by zero is not documented on A5; the 64-bit software division gives 0.
    - high_precision is ignored on A2/A3.
    """
    return _issue(_tdiv, after, dst, src0, src1, precision_type)


_tmax = _op("tmax")


def tmax(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Elementwise maximum of two tiles.

    `dst[i,j] = max(src0[i,j], src1[i,j])` over the valid region of `dst`.

    Text: ``pto.tmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - NaN: the vector unit's page says that a NaN operand gives NaN; the formal specification drops it; the public simulator keeps src0 unless src1 is larger.
    - The A5 header also compiles for bf16 and 64-bit integers, which the page does not list.
    """
    return _issue(_tmax, after, dst, src0, src1)


_tmin = _op("tmin")


def tmin(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Elementwise minimum of two tiles.

    `dst[i,j] = min(src0[i,j], src1[i,j])` over the valid region of `dst`.

    Text: ``pto.tmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - NaN: the vector unit's page says that a NaN operand gives NaN; the formal specification drops it; the public simulator keeps src0 unless src1 is smaller.
    - The A5 header also compiles for bf16 and 64-bit integers, which the page does not list.
    """
    return _issue(_tmin, after, dst, src0, src1)


_tabs = _op("tabs")


def tabs(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Absolute value of each element.

    `dst[i,j] = |src[i,j]|`. The most negative integer stays as it is. Signed zero and the sign of a NaN
    differ between sources.

    Text: ``pto.tabs``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: f16, f32
    - a5: i8, i16, i32, f16, f32
    - cpu: i8, i16, i32, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler takes only f16 and f32, also on A5.
    """
    return _issue(_tabs, after, dst, src)


_texp = _op("texp")


def texp(
    dst: Tile,
    src: Tile,
    *,
    precision_type: ExpAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Natural exponential of each element.

    `dst[i,j] = exp(src[i,j])`; overflow gives infinity. The accuracy of the device's default algorithm is
    not stated anywhere.

    Text: ``pto.texp``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The documented figures are those of f32; the page prints completion 28 and 4 cycles per repeat for f16.
    - high_precision is ignored on A2/A3.
    """
    return _issue(_texp, after, dst, src, precision_type)


_tlog = _op("tlog")


def tlog(
    dst: Tile,
    src: Tile,
    *,
    precision_type: LogAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Natural logarithm of each element.

    `dst[i,j] = ln(src[i,j])`. The documentation leaves zero and negative inputs to the target; the public
    simulator gives minus infinity and NaN.

    Text: ``pto.tlog``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - high_precision is ignored on A2/A3.
    """
    return _issue(_tlog, after, dst, src, precision_type)


_tsqrt = _op("tsqrt")


def tsqrt(
    dst: Tile,
    src: Tile,
    *,
    precision_type: SqrtAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Square root of each element.

    `dst[i,j] = sqrt(src[i,j])`. A negative input gives NaN in the public simulator; the documentation
    leaves it to the target.

    Text: ``pto.tsqrt``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - high_precision is ignored on A2/A3.
    """
    return _issue(_tsqrt, after, dst, src, precision_type)


_trsqrt = _op("trsqrt")


def trsqrt(
    dst: Tile,
    src: Tile,
    *,
    tmp: Tile | None = None,
    precision_type: RsqrtAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Reciprocal square root of each element.

    `dst[i,j] = 1 / sqrt(src[i,j])`. Positive zero gives infinity, a negative input NaN.

    On A2/A3 the form without `tmp` is the approximate instruction; with `tmp` it is a square root and a
    division. A5 always computes the latter and ignores `tmp`.

    Text: ``pto.trsqrt``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - tmp: scratch tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - src, dst: same valid rows and columns
    - high_precision: only with tmp (a2a3, a5)
    - scratch `tmp`: at least 32 bytes of the data's element type, apart from src and dst

    Notes:
    - The page describes the form without tmp as a root and a division; the A2/A3 header approximates.
    """
    return _issue(_trsqrt, after, dst, src, tmp, precision_type)


_trecip = _op("trecip")


def trecip(
    dst: Tile,
    src: Tile,
    *,
    precision_type: RecipAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Reciprocal of each element.

    `dst[i,j] = 1 / src[i,j]`, with the rules of `tdivs` for a scalar 1. Integers truncate: 1, -1, or 0.
    On A2/A3 `dst` is filled with ones first, so it must not be `src`.

    Text: ``pto.trecip``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler takes only f16 and f32; the headers also take integers, one at a time on A2/A3.
    - high_precision is ignored on A2/A3.
    """
    return _issue(_trecip, after, dst, src, precision_type)


_tneg = _op("tneg")


def tneg(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Negation of each element.

    `dst[i,j] = -src[i,j]`; integers wrap, so the most negative one stays. Devices multiply by -1, so the
    sign of a NaN is not defined.

    Text: ``pto.tneg``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler takes i8 on A5, which the header rejects.
    """
    return _issue(_tneg, after, dst, src)


_tnot = _op("tnot")


def tnot(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Bitwise complement of each element.

    `dst[i,j] = ~src[i,j]`.

    A2/A3 works on 16-bit lanes: with 8-bit elements and an odd number of valid columns it also inverts
    the byte behind each row.

    Text: ``pto.tnot``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, ui8, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler takes only 16-bit elements on A2/A3; the header takes 8, 16 and 32 bits.
    """
    return _issue(_tnot, after, dst, src)


_tand = _op("tand")


def tand(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Bitwise and of two tiles.

    `dst[i,j] = src0[i,j] & src1[i,j]`.

    A2/A3 works on 16-bit lanes: with 8-bit elements and an odd number of valid columns it also writes the
    byte behind each row.

    Text: ``pto.tand``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, ui8, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - Version 0.27 of the public assembler takes no 32-bit elements on A2/A3; 0.60 and the header do.
    """
    return _issue(_tand, after, dst, src0, src1)


_tor = _op("tor")


def tor(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Bitwise or of two tiles.

    `dst[i,j] = src0[i,j] | src1[i,j]`.

    A2/A3 works on 16-bit lanes: with 8-bit elements and an odd number of valid columns it also writes the
    byte behind each row.

    Text: ``pto.tor``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, ui8, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - Version 0.27 of the public assembler takes no 32-bit elements on A2/A3; 0.60 and the header do.
    """
    return _issue(_tor, after, dst, src0, src1)


_txor = _op("txor")


def txor(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Bitwise exclusive or of two tiles.

    `dst[i,j] = src0[i,j] ^ src1[i,j]`.

    A2/A3 has no such instruction and builds it from or, and, not with `tmp`; `dst`, the sources and `tmp`
    must be different memory there. A5 ignores `tmp`.

    Text: ``pto.txor``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, ui8, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src0, src1, dst: same valid rows and columns
    - tmp, dst: same element type (a2a3)
    - tmp: row-major layout (a2a3)
    - tmp, dst: same valid rows and columns (a2a3)
    - scratch `tmp`: element type and valid region of dst

    Notes:
    - The page writes the instruction without tmp; version 0.27 of the public assembler demands it.
    - Version 0.27 of the public assembler takes no 32-bit elements on A2/A3; 0.60 and the header do.
    """
    return _issue(_txor, after, dst, src0, src1, tmp)


_tshl = _op("tshl")


def tshl(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Shift left by a count per element.

    `dst[i,j] = src0[i,j] << src1[i,j]`; zeros come in from the right. A count that is negative or not
    below the width of the element has no defined result. A2/A3 computes one element at a time.

    Text: ``pto.tshl``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - The formal specification uses only the low bits of the count; the C++ rules apply elsewhere.
    """
    return _issue(_tshl, after, dst, src0, src1)


_tshr = _op("tshr")


def tshr(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Shift right by a count per element.

    `dst[i,j] = src0[i,j] >> src1[i,j]`: arithmetic for signed elements, logical for unsigned ones. A count
    that is negative or not below the width of the element has no defined result. A2/A3 computes one
    element at a time.

    Text: ``pto.tshr``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - The formal specification uses only the low bits of the count; the C++ rules apply elsewhere.
    """
    return _issue(_tshr, after, dst, src0, src1)


_trem = _op("trem")


def trem(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    precision_type: RemAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Remainder with the sign of the divisor.

    `dst[i,j] = src0[i,j] - floor(src0[i,j] / src1[i,j]) * src1[i,j]`: -7 rem 3 is 2, 7 rem -3 is -2.
    A zero divisor has no defined result.

    A2/A3 needs `tmp`, and `dst` must differ from both sources there; A5 ignores `tmp`.

    Text: ``pto.trem``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: i32, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns
    - tmp, dst: same element type (a2a3)
    - tmp: row-major layout (a2a3)
    - tmp: valid region not empty (a2a3)
    - tmp: at least the valid columns of dst (a2a3)
    - scratch `tmp`: element type of dst; cols(dst) + 2 * ceil(cols(dst) / 64) elements, which two rows of dst hold

    Notes:
    - Version 0.27 of the public assembler accepts a tmp of one row, too small for the header's mask.
    """
    return _issue(_trem, after, dst, src0, src1, tmp, precision_type)


_tfmod = _op("tfmod")


def tfmod(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    precision_type: FmodAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Remainder with the sign of the dividend, as C's `fmod`.

    `dst[i,j] = src0[i,j] - trunc(src0[i,j] / src1[i,j]) * src1[i,j]`. A2/A3 divides, truncates, multiplies
    and subtracts in f32, so large quotients lose precision, and `dst` must differ from both sources.

    Text: ``pto.tfmod``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: f32
    - a5: i16, i32, ui16, ui32, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - The introduction of the page says floor; its formula and the code truncate.
    - The public assembler takes i32, i16 and f16 on A2/A3, which the header rejects.
    """
    return _issue(_tfmod, after, dst, src0, src1, precision_type)


_tpow = _op("tpow")


def tpow(
    dst: Tile,
    base: Tile,
    exp: Tile,
    *,
    tmp: Tile | None = None,
    precision_type: PowAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Power with an exponent per element.

    `dst[i,j] = base[i,j] ^ exp[i,j]`, where anything to the power 0 is 1. A negative base needs an integral
    exponent, otherwise the result is NaN. Integers wrap; a negative exponent gives 0 unless the base is 1
    or -1.

    Floating point on A2/A3 needs `tmp`, and `dst` must be memory of its own. Integers take no `tmp`.

    Text: ``pto.tpow``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - base: tile
    - exp: tile
    - tmp: scratch tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - base, exp, dst: same valid rows and columns
    - tmp, dst: same element type (a2a3)
    - tmp: row-major layout (a2a3)
    - tmp, dst: same valid rows and columns (a2a3)
    - tmp: for floating point only (a2a3, a5)
    - precisionType: high_precision on A5 only, for f16, bf16, f32; bf16 needs it (a2a3, a5)
    - scratch `tmp`: floating point on A2/A3: element type and valid region of `dst`; integers: none

    Notes:
    - The C++ interface always takes tmp; the public assembler rejects it for integers.
    - The page lists bf16 for the default precision on A5; the header takes it only with high_precision.
    - In place on A2/A3 would be safe for integers; the table asks for distinct memory for all types.
    """
    return _issue(_tpow, after, dst, base, exp, tmp, precision_type)


_trelu = _op("trelu")


def trelu(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Rectified linear unit.

    `dst[i,j] = max(src[i,j], 0)`. NaN and the sign of a zero result differ between sources.

    Text: ``pto.trelu``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i32, f16, f32
    - a5: i32, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns
    """
    return _issue(_trelu, after, dst, src)


_tprelu = _op("tprelu")


def tprelu(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Rectified linear unit with a slope per element.

    `dst[i,j] = src0[i,j] > 0 ? src0[i,j] : src0[i,j] * src1[i,j]`. NaN stays NaN.

    A2/A3 compares into `tmp` and selects; `dst`, the sources and `tmp` must be different memory there.
    A5 ignores `tmp`.

    Text: ``pto.tprelu``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns
    - tmp: element type i8, ui8 (a2a3)
    - tmp: row-major layout (a2a3)
    - tmp: one row more than dst has valid rows, a bit per valid column (a2a3)
    - scratch `tmp`: ui8; one packed mask row per valid row of dst, and one row more

    Notes:
    - The page writes the instruction without tmp; version 0.27 of the public assembler demands it, and demands that it have the shape of dst.
    """
    return _issue(_tprelu, after, dst, src0, src1, tmp)


_taddc = _op("taddc")


def taddc(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    src2: Tile,
    *,
    after: After = None,
) -> Issued:
    """Sum of three tiles.

    `dst[i,j] = (src0[i,j] + src1[i,j]) + src2[i,j]`, rounded or wrapped after each step.

    Text: ``pto.taddc``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - src2: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, src2, dst: same valid rows and columns

    Notes:
    - No device header implements it; the public assembler emits two calls of TADD.
    """
    return _issue(_taddc, after, dst, src0, src1, src2)


_tsubc = _op("tsubc")


def tsubc(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    src2: Tile,
    *,
    after: After = None,
) -> Issued:
    """Difference of two tiles plus a third.

    `dst[i,j] = (src0[i,j] - src1[i,j]) + src2[i,j]`, rounded or wrapped after each step.

    Text: ``pto.tsubc``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - src2: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, src2, dst: same valid rows and columns

    Notes:
    - No device header implements it; the public assembler emits TSUB and TADD.
    """
    return _issue(_tsubc, after, dst, src0, src1, src2)


_tmuladddst = _op("tmuladddst")


def tmuladddst(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Product added to the destination.

    `dst[i,j] = src0[i,j] * src1[i,j] + dst[i,j]`. Devices round once; the public simulator rounds the
    product and the sum.

    Text: ``pto.tmuladddst``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - Not in the public assembler.
    """
    return _issue(_tmuladddst, after, dst, src0, src1)


_tfusedmuladd = _op("tfusedmuladd")


def tfusedmuladd(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Destination times one tile plus another.

    `dst[i,j] = src0[i,j] * dst[i,j] + src1[i,j]`. Whether the device rounds the product is not stated.

    Text: ``pto.tfusedmuladd``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - Not in the public assembler.
    """
    return _issue(_tfusedmuladd, after, dst, src0, src1)


_tfusedmuladdrelu = _op("tfusedmuladdrelu")


def tfusedmuladdrelu(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Destination times one tile plus another, then ReLU.

    `dst[i,j] = max(src0[i,j] * dst[i,j] + src1[i,j], 0)`. NaN gives 0 in the public simulator.

    Text: ``pto.tfusedmuladdrelu``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - Not in the public assembler.
    """
    return _issue(_tfusedmuladdrelu, after, dst, src0, src1)


_taddrelu = _op("taddrelu")


def taddrelu(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Sum of two tiles, then ReLU.

    `dst[i,j] = max(src0[i,j] + src1[i,j], 0)`. The instruction comes with version 0.60 of the public
    assembler, for A2/A3 only; no header has a C++ function for it.

    Text: ``pto.taddrelu``; targets: a2a3, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, f16, f32
    - a5: –
    - cpu: i16, f16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns
    """
    return _issue(_taddrelu, after, dst, src0, src1)


_tsubrelu = _op("tsubrelu")


def tsubrelu(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Difference of two tiles, then ReLU.

    `dst[i,j] = max(src0[i,j] - src1[i,j], 0)`. NaN gives 0 in the public simulator, unlike `trelu`.

    Text: ``pto.tsubrelu``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - Not in the public assembler.
    """
    return _issue(_tsubrelu, after, dst, src0, src1)


_taddreluconv = _op("taddreluconv")


def taddreluconv(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Sum of two tiles, ReLU, then conversion to a narrower type.

    `dst[i,j] = convert(max(src0[i,j] + src1[i,j], 0))`: f32 to f16, f16 to i8, or i16 to i8. The sum is
    not widened. A5 rounds to nearest even, and clamps i16 sums to 0 through 127; rounding and saturation of the
    A2/A3 instruction are not documented.

    Text: ``pto.taddreluconv``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Rules:
    - src0, src1, dst: same valid rows and columns
    - (src0, dst) element types: f32 f16; f16 i8; i16 i8

    Notes:
    - Not in the public assembler.
    """
    return _issue(_taddreluconv, after, dst, src0, src1)


_tsubreluconv = _op("tsubreluconv")


def tsubreluconv(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Difference of two tiles, ReLU, then conversion to a narrower type.

    `dst[i,j] = convert(max(src0[i,j] - src1[i,j], 0))`: f32 to f16, f16 to i8, or i16 to i8. Rounding and
    saturation as for `taddreluconv`.

    Text: ``pto.tsubreluconv``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Rules:
    - src0, src1, dst: same valid rows and columns
    - (src0, dst) element types: f32 f16; f16 i8; i16 i8

    Notes:
    - It has no page of its own and is not in the public assembler; the headers define it.
    """
    return _issue(_tsubreluconv, after, dst, src0, src1)


_tadddeqrelu = _op("tadddeqrelu")


def tadddeqrelu(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    deq_scale: ScalarLike,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Integer sum, scaled to floating point, then ReLU.

    `dst[i,j] = f16(max((src0[i,j] + src1[i,j]) * deq_scale, 0))` for i32 sources. The sum wraps; the
    product is computed in f32.

    On A2/A3 both sources serve as scratch memory: their contents are destroyed.

    Text: ``pto.tadddeqrelu``; targets: a2a3, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - deq_scale: scalar
    - tmp: scratch tile

    Rules:
    - src0, src1, dst: same valid rows and columns
    - tmp: row-major layout (a2a3)
    - valid region of dst inside that of tmp (a2a3)
    - scratch `tmp`: i32, at least the valid region of dst

    Notes:
    - Not in the public assembler. A5 has a header for it that nothing includes.
    - The page promises saturation; the public simulator gives infinity above 65504.
    """
    return _issue(_tadddeqrelu, after, dst, src0, src1, deq_scale, tmp)


_tcmp = _op("tcmp")


def tcmp(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    cmp_mode: CmpMode | str,
    *,
    after: After = None,
) -> Issued:
    """Comparison of two tiles into a packed mask.

    Bit `(i,j)` of `dst` is `src0[i,j] OP src1[i,j]` over the valid region of the sources. Element `(i,j)`
    is bit `j % 8`, least significant first, of byte `j / 8` of mask row `i`; 1 means true. A NaN compares
    false, except for `ne`.

    A2/A3 writes whole repeats, so bits behind the valid columns are arbitrary there; A5 clears them.

    Text: ``pto.tcmp``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - cmp_mode: which comparison (eq, ne, lt, le, gt, ge; else eq)

    Element types:
    - a2a3: i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - dst: element type i8, ui8 (a2a3)
    - dst: element type i8, i16, i32, i64, ui8, ui16, ui32, ui64 (a5, cpu)
    - src0, src1, dst: row-major layout (a5)
    - src0, src1: same valid rows and columns
    - src0, dst: same valid rows

    Notes:
    - The page says ui32 for the mask on A5 and equal valid columns; no header checks either.
    """
    return _issue(_tcmp, after, dst, src0, src1, cmp_mode)


_tsel = _op("tsel")


def tsel(
    dst: Tile,
    mask: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Selection between two tiles by a packed mask.

    `dst[i,j] = bit(mask,i,j) ? src0[i,j] : src1[i,j]`, a copy of bits. The mask is laid out as `tcmp`
    writes it, whatever its element type.

    A2/A3 keeps the mask of the current repeat in `tmp`; A5 ignores it.

    Text: ``pto.tsel``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - mask: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8

    Rules:
    - src0, src1, dst: same valid rows and columns
    - tmp: elements of 4 bytes (a2a3)
    - scratch `tmp`: ui32; 8 bytes for four-byte data, 16 for two-byte data

    Notes:
    - The page writes the instruction without tmp; version 0.27 of the public assembler demands it.
    - On A5 8-bit data wider than 256 columns uses a wrong mask stride.
    - The public assembler does not take 64-bit integers on A5, although the header does.
    """
    return _issue(_tsel, after, dst, mask, src0, src1, tmp)


_tcvt = _op("tcvt")


def tcvt(
    dst: Tile,
    src: Tile,
    rmode: RoundMode | str,
    *,
    tmp: Tile | None = None,
    sat_mode: SaturationMode | str | None = None,
    after: After = None,
) -> Issued:
    """Conversion to another element type.

    `dst[i,j] = convert(src[i,j])` with a rounding mode. A mode a pair of types does not have, or `NONE`,
    means truncation from floating point to integer and nearest even otherwise. `ODD` exists for f32 to
    f16 only. f32 to f32 rounds to an integral value.

    Out of range, the result saturates or wraps. Left out, `sat_mode` is that of the pair: off for f16 to
    ui8, i8 and i16, f32 to i16, i64 to i32 and i32 to i16; on for the others.

    A column of an fp4 tile is a pair of numbers, so it has half the valid columns of its bf16 partner. An
    i4 tile has one column per number.

    Text: ``pto.tcvt``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - rmode: how to round (NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD, CAST_RINT; else CAST_RINT)
    - tmp: scratch tile
    - sat_mode: saturate or wrap when out of range (ON, OFF)

    Rules:
    - (src, dst) element types: f32 f32; f32 f16; f32 bf16; f32 i64; f32 i32; f32 i16; f16 f32; f16 i32; f16 i16; f16 i8; f16 ui8; f16 i4; bf16 f32; bf16 i32; i64 f32; i64 i32; i32 f32; i32 f16; i32 i64; i32 i16; i16 f32; i16 f16; i8 f16; ui8 f16; i4 f16 (a2a3)
    - (src, dst) element types: f32 f32; f32 f16; f32 bf16; f32 i64; f32 i32; f32 i16; f32 f8e4m3; f32 f8e5m2; f32 hif8; f16 f32; f16 i32; f16 i16; f16 i8; f16 ui8; f16 hif8; bf16 f32; bf16 f16; bf16 i32; bf16 f4e1m2; bf16 f4e2m1; i64 f32; i64 i32; i32 f32; i32 i64; i32 i16; i32 ui8; i32 ui16; ui32 i16; ui32 ui8; ui32 ui16; i16 f32; i16 f16; i16 i32; i16 ui32; i16 ui8; i8 f16; i8 i32; i8 i16; ui8 f16; ui8 ui16; f8e4m3 f32; f8e5m2 f32; hif8 f32; f4e1m2 bf16; f4e2m1 bf16 (a5)
    - src, dst: same valid rows
    - src, dst: same valid columns; a column of an fp4 tile is a pair
    - f32 to i16, f16 to i16 or i8 with sat_mode OFF: tmp in manual mode (a2a3)
    - scratch `tmp`: A2/A3, sat_mode OFF, f32 to i16 and f16 to i16 or i8 only: room for a chunk of the source as i32

    Notes:
    - A pair A2/A3 does not have compiles against its header and does nothing.
    - Version 0.27 of the public assembler does not check element types; 0.60 checks those of 8 bits and fewer.
    - The C++ headers count the columns of an fp4 tile in numbers, the public assembler in pairs.
    - Public programs convert in place (src and dst at one address).
    """
    return _issue(_tcvt, after, dst, src, rmode, tmp, sat_mode)


_tadds = _op("tadds")


def tadds(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Sum of a tile and a scalar.

    `dst[i,j] = src[i,j] + scalar`. Integers wrap modulo 2 to the width; floating point rounds to nearest
    even.

    Text: ``pto.tadds``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler does not take 64-bit integers on A5, although the header does.
    """
    return _issue(_tadds, after, dst, src, scalar)


_tsubs = _op("tsubs")


def tsubs(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Difference of a tile and a scalar.

    `dst[i,j] = src[i,j] - scalar`. Integers wrap modulo 2 to the width. Devices add the negated scalar.

    Text: ``pto.tsubs``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler does not take 64-bit integers on A5, although the header does.
    """
    return _issue(_tsubs, after, dst, src, scalar)


_tmuls = _op("tmuls")


def tmuls(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Product of a tile and a scalar.

    `dst[i,j] = src[i,j] * scalar`. Integers keep the low half of the product; floating point rounds to
    nearest even. There is no 8-bit product on a device.

    Text: ``pto.tmuls``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler takes i8 on A5, which the header rejects.
    """
    return _issue(_tmuls, after, dst, src, scalar)


_tdivs = _op("tdivs")


def tdivs(
    dst: Tile,
    src0: Tile | ScalarLike,
    src1: Tile | ScalarLike,
    *,
    precision_type: DivAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Quotient of a tile and a scalar, or of a scalar and a tile.

    `dst[i,j] = src0[i,j] / src1` when the tile stands first, `dst[i,j] = src0 / src1[i,j]` when the scalar
    does. Integers truncate towards zero; a zero divisor has no defined integer result.

    In place is safe only with the tile first. On A2/A3 floating point then multiplies by the rounded
    reciprocal, so the last bit may differ from the result in other memory; with the scalar first the device
    fills `dst` before it reads the tile.

    Text: ``pto.tdivs``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile or scalar
    - src1: tile or scalar
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns
    - src0, src1: a tile and a scalar, in either order

    Notes:
    - The page says A5 multiplies by the reciprocal; its header divides. 64-bit division by zero gives 0.
    - The public assembler takes i8 on A5, which the header rejects.
    - high_precision is ignored on A2/A3.
    """
    return _issue(_tdivs, after, dst, src0, src1, precision_type)


_tmaxs = _op("tmaxs")


def tmaxs(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Maximum of a tile and a scalar.

    `dst[i,j] = max(src[i,j], scalar)`. NaN as for `tmax`.

    Text: ``pto.tmaxs``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - Version 0.27 of the public assembler takes no bf16 on A5; 0.60 and the header do.
    """
    return _issue(_tmaxs, after, dst, src, scalar)


_tmins = _op("tmins")


def tmins(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Minimum of a tile and a scalar.

    `dst[i,j] = min(src[i,j], scalar)`. NaN as for `tmin`.

    Text: ``pto.tmins``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler does not take 64-bit integers on A5, although the header does.
    """
    return _issue(_tmins, after, dst, src, scalar)


_tands = _op("tands")


def tands(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Bitwise and with a scalar.

    `dst[i,j] = src[i,j] & scalar`. A2/A3 fills `dst` with the scalar first, so it must not be `src` there.

    Text: ``pto.tands``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, ui8, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The page and the public assembler forbid in-place use on A5 too; its header does not need that.
    - The public assembler takes no 32-bit elements on A2/A3, although the header does.
    """
    return _issue(_tands, after, dst, src, scalar)


_tors = _op("tors")


def tors(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Bitwise or with a scalar.

    `dst[i,j] = src[i,j] | scalar`. A2/A3 fills `dst` with the scalar first, so it must not be `src` there.

    Text: ``pto.tors``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, ui8, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The page and the public assembler forbid in-place use on A5 too; its header does not need that.
    - The public assembler takes no 32-bit elements on A2/A3, although the header does.
    """
    return _issue(_tors, after, dst, src, scalar)


_txors = _op("txors")


def txors(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Bitwise exclusive or with a scalar.

    `dst[i,j] = src[i,j] ^ scalar`. A2/A3 needs `tmp`, and `dst`, `src` and `tmp` must be different memory
    there; A5 ignores `tmp`.

    Text: ``pto.txors``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar
    - tmp: scratch tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32
    - a5: i8, i16, i32, ui8, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src, dst: same valid rows and columns
    - tmp, dst: same element type (a2a3)
    - tmp: row-major layout (a2a3)
    - scratch `tmp`: element type and size of dst

    Notes:
    - The page writes the instruction without tmp; version 0.27 of the public assembler demands it.
    - The public assembler takes no 32-bit elements on A2/A3, although the header does.
    """
    return _issue(_txors, after, dst, src, scalar, tmp)


_tshls = _op("tshls")


def tshls(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Shift left by a scalar count.

    `dst[i,j] = src[i,j] << scalar`; zeros come in from the right. The count is at least 0; one that is not
    below the width of the element has no defined result.

    Text: ``pto.tshls``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i16, i32, ui16, ui32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src, dst: same valid rows and columns
    - scalar: at least 0

    Notes:
    - The public assembler takes 8-bit elements on A2/A3, which the header rejects.
    """
    return _issue(_tshls, after, dst, src, scalar)


_tshrs = _op("tshrs")


def tshrs(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Shift right by a scalar count.

    `dst[i,j] = src[i,j] >> scalar`: arithmetic for signed elements, logical for unsigned ones. The count is
    at least 0; one that is not below the width of the element has no defined result.

    Text: ``pto.tshrs``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: i16, i32, ui16, ui32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64

    Rules:
    - src, dst: same valid rows and columns
    """
    return _issue(_tshrs, after, dst, src, scalar)


_trems = _op("trems")


def trems(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Remainder by a scalar, with the sign of the divisor.

    `dst[i,j] = src[i,j] - floor(src[i,j] / scalar) * scalar`. A zero divisor has no defined result.

    A2/A3 needs `tmp`, and `dst` must differ from `src` there; A5 ignores `tmp`.

    Text: ``pto.trems``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar
    - tmp: scratch tile

    Element types:
    - a2a3: i32, f32
    - a5: i16, i32, i64, ui16, ui32, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns
    - tmp, dst: same element type (a2a3)
    - tmp: row-major layout (a2a3)
    - tmp: valid region not empty (a2a3)
    - tmp: at least the valid columns of dst (a2a3)
    - scratch `tmp`: element type of dst; one row of dst
    """
    return _issue(_trems, after, dst, src, scalar, tmp)


_tfmods = _op("tfmods")


def tfmods(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Remainder by a scalar, with the sign of the dividend, as C's `fmod`.

    `dst[i,j] = src[i,j] - trunc(src[i,j] / scalar) * scalar`. A2/A3 fills `dst` with the scalar first, so it
    must not be `src` there.

    Text: ``pto.tfmods``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Element types:
    - a2a3: f32
    - a5: i16, i32, ui16, ui32, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The introduction of the page says floor; the code truncates.
    - The public assembler takes i32, i16 and f16 on A2/A3, which the header rejects.
    """
    return _issue(_tfmods, after, dst, src, scalar)


_tpows = _op("tpows")


def tpows(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    tmp: Tile | None = None,
    precision_type: PowAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Power with a scalar exponent.

    `dst[i,j] = src[i,j] ^ scalar`, with the rules of `tpow`.

    Floating point on A2/A3 needs `tmp`, and `dst` must be memory of its own. Integers take no `tmp`.

    Text: ``pto.tpows``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar
    - tmp: scratch tile
    - precision_type: accuracy; only A5 has a second algorithm (default, high_precision; else default)

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns
    - tmp, dst: same element type (a2a3)
    - tmp: row-major layout (a2a3)
    - tmp, dst: same valid rows and columns (a2a3)
    - tmp: for floating point only (a2a3, a5)
    - precisionType: high_precision on A5 only, for f16, bf16, f32; bf16 needs it (a2a3, a5)
    - scratch `tmp`: floating point on A2/A3: element type and valid region of `dst`; integers: none

    Notes:
    - The C++ interface always takes tmp; the public assembler rejects it for integers.
    - The public simulator computes integer powers in double precision and saturates; tpow wraps.
    """
    return _issue(_tpows, after, dst, src, scalar, tmp, precision_type)


_tlrelu = _op("tlrelu")


def tlrelu(
    dst: Tile,
    src: Tile,
    slope: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Rectified linear unit with one slope.

    `dst[i,j] = src[i,j] > 0 ? src[i,j] : src[i,j] * slope`. NaN stays NaN.

    Text: ``pto.tlrelu``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - slope: scalar

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - The public assembler wants an f32 slope for f16 tiles too; C++ takes the type of the tile.
    """
    return _issue(_tlrelu, after, dst, src, slope)


_taxpy = _op("taxpy")


def taxpy(
    dst: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Scaled tile added to the destination.

    `dst[i,j] = scalar * src[i,j] + dst[i,j]`. `src` and `dst` have one type, or an f16 source accumulates
    into f32. Devices round once; the public simulator rounds the product and the sum.

    Text: ``pto.taxpy``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: scalar

    Rules:
    - src, dst: same valid rows and columns
    - (src, dst) element types: f16 f16; f32 f32; f16 f32 (a2a3, a5)
    - (src, dst) element types: f16 f16; bf16 bf16; f32 f32; f16 f32; bf16 f32; i8 i8; ui8 ui8; i16 i16; ui16 ui16; i32 i32; ui32 ui32; i64 i64; ui64 ui64 (cpu)

    Notes:
    - The public assembler takes bf16 on A5, which the header rejects.
    """
    return _issue(_taxpy, after, dst, src, scalar)


_taddsc = _op("taddsc")


def taddsc(
    dst: Tile,
    src0: Tile,
    scalar: ScalarLike,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Sum of a tile, a scalar, and another tile.

    `dst[i,j] = (src0[i,j] + scalar) + src1[i,j]`, rounded or wrapped after each step.

    Text: ``pto.taddsc``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - scalar: scalar
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - No device header implements it; the public assembler emits TADDS and TADD.
    - The page lists only i32, i16, f16 and f32 on A5.
    """
    return _issue(_taddsc, after, dst, src0, scalar, src1)


_tsubsc = _op("tsubsc")


def tsubsc(
    dst: Tile,
    src0: Tile,
    scalar: ScalarLike,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Difference of a tile and a scalar, plus another tile.

    `dst[i,j] = (src0[i,j] - scalar) + src1[i,j]`, rounded or wrapped after each step.

    Text: ``pto.tsubsc``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - scalar: scalar
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows and columns

    Notes:
    - No device header implements it; the public assembler emits TSUBS and TADD.
    - The page lists only i32, i16, f16 and f32 on A5.
    """
    return _issue(_tsubsc, after, dst, src0, scalar, src1)


_texpands = _op("texpands")


def texpands(
    dst: Tile,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Tile filled with a scalar.

    `dst[i,j] = scalar`, a copy of bits. In vector memory it fills the valid region, in any order of the
    elements; in cube memory (`mat`) it fills the whole physical tile, on the load pipe.

    Text: ``pto.texpands``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - scalar: scalar

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - dst: row-major for 64-bit elements in vec (a5)

    Notes:
    - The public assembler takes only row-major vector tiles on A2/A3, and fewer element types; the headers take what is listed here.
    - The public assembler puts it on the vector pipe also for mat; the headers use the load pipe.
    """
    return _issue(_texpands, after, dst, scalar)


_tcmps = _op("tcmps")


def tcmps(
    dst: Tile,
    src: Tile,
    scalar: Tile | ScalarLike,
    cmp_mode: CmpMode | str,
    *,
    after: After = None,
) -> Issued:
    """Comparison of a tile with a scalar into a packed mask.

    Bit `(i,j)` of `dst` is `src[i,j] OP scalar` over the valid region of `dst`, whose valid columns are bytes of
    the mask. Element `(i,j)` is bit `j % 8`, least significant first, of byte `j / 8` of mask row `i`; 1 means true.
    A NaN compares false, except for `ne`. Mask rows and bytes for which `src` has no valid element stay as they are.

    A tile in place of the scalar stands for its element `[0,0]`, whatever its size and layout.

    A mask for 16 columns has 2 valid columns of `u8`. A2/A3 writes whole repeats, so bits behind the valid
    columns are arbitrary there; A5 clears them.

    Text: ``pto.tcmps``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scalar: tile or scalar
    - cmp_mode: which comparison (eq, ne, lt, le, gt, ge; else eq)

    Element types:
    - a2a3: i16, i32, ui16, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - dst: element type i8, ui8 (a2a3)
    - dst: element type i8, i16, i32, i64, ui8, ui16, ui32, ui64 (a5, cpu)
    - src, dst: same valid rows (a2a3)
    - dst: valid columns of src, or one for each eight of them (a2a3)
    - scalar: a scalar, or a tile with a valid element [0, 0]

    Notes:
    - The page asks for equal valid columns on A2/A3, while its example has 2 for 16; both are taken.
    - The page says that A5 checks no shapes; its header asserts equal valid rows in debug builds.
    - The C++ function has no default for cmpMode; a text without it means eq, as in the public assembler.
    - The A5 header also compiles for 64-bit integers, which the page does not include.
    - The page has no form with a tile in place of the scalar; the headers do, and compare with element [0, 0].
    """
    return _issue(_tcmps, after, dst, src, scalar, cmp_mode)


_tsels = _op("tsels")


def tsels(
    dst: Tile,
    mask: Tile,
    src: Tile,
    scalar: ScalarLike,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Selection between a tile and a scalar by a packed mask.

    `dst[i,j] = bit(mask,i,j) ? src[i,j] : scalar`, a copy of bits. The mask is laid out as `tcmps` writes
    it, whatever its element type.

    A2/A3 keeps the scalar in `tmp`; A5 ignores it.

    Text: ``pto.tsels``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - mask: tile
    - src: tile
    - scalar: scalar
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns
    - tmp, src: same element type (a2a3)
    - tmp: row-major layout (a2a3)
    - mask: row-major layout (a5)
    - scratch `tmp`: element type of src; at least one element

    Notes:
    - The page writes the instruction without tmp; version 0.27 of the public assembler demands it.
    - Version 0.60 of the public assembler asks for a tmp as wide as a row of src; the header uses one element.
    - A5 takes bf16 in tsel but not here. The public assembler takes no bf16 on A2/A3 and no 64-bit integers.
    """
    return _issue(_tsels, after, dst, mask, src, scalar, tmp)


_tpartadd = _op("tpartadd")


def tpartadd(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Sum where both tiles are valid, else a copy of the valid one.

    `dst[i,j] = src0[i,j] + src1[i,j]` where both sources are valid at `(i,j)`; where only one is, its element is
    copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    it. Nothing happens when the valid region of `dst` is empty. Integers wrap.

    On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.

    Text: ``pto.tpartadd``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0: its valid region lies inside that of dst, unless dst is empty
    - src1: its valid region lies inside that of dst, unless dst is empty
    - dst: the valid region of src0 or of src1, or empty (a2a3)

    Notes:
    - Where neither source is valid, a5 leaves elements without a meaning and a run on the host leaves them as they were; on a2a3 the instruction then does nothing at all, so there dst must have the valid region of one source.
    """
    return _issue(_tpartadd, after, dst, src0, src1)


_tpartmul = _op("tpartmul")


def tpartmul(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Product where both tiles are valid, else a copy of the valid one.

    `dst[i,j] = src0[i,j] * src1[i,j]` where both sources are valid at `(i,j)`; where only one is, its element is
    copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    it. Nothing happens when the valid region of `dst` is empty. Integers wrap.

    On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.

    Text: ``pto.tpartmul``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - src0: its valid region lies inside that of dst, unless dst is empty
    - src1: its valid region lies inside that of dst, unless dst is empty
    - dst: the valid region of src0 or of src1, or empty (a2a3)

    Notes:
    - Where neither source is valid, a5 leaves elements without a meaning and a run on the host leaves them as they were; on a2a3 the instruction then does nothing at all, so there dst must have the valid region of one source.
    """
    return _issue(_tpartmul, after, dst, src0, src1)


_tpartmax = _op("tpartmax")


def tpartmax(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Maximum where both tiles are valid, else a copy of the valid one.

    `dst[i,j] = max(src0[i,j], src1[i,j])` where both sources are valid at `(i,j)`; where only one is, its element
    is copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    it. Nothing happens when the valid region of `dst` is empty. NaN and signed zero as in `tmax`.

    On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.

    Text: ``pto.tpartmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0: its valid region lies inside that of dst, unless dst is empty
    - src1: its valid region lies inside that of dst, unless dst is empty
    - dst: the valid region of src0 or of src1, or empty (a2a3)

    Notes:
    - Where neither source is valid, a5 leaves elements without a meaning and a run on the host leaves them as they were; on a2a3 the instruction then does nothing at all, so there dst must have the valid region of one source.
    - The public assembler also wants equal physical shapes; the device headers do not.
    """
    return _issue(_tpartmax, after, dst, src0, src1)


_tpartmin = _op("tpartmin")


def tpartmin(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Minimum where both tiles are valid, else a copy of the valid one.

    `dst[i,j] = min(src0[i,j], src1[i,j])` where both sources are valid at `(i,j)`; where only one is, its element
    is copied. Works over the valid region of `dst`, which is that of one source; the region of the other lies inside
    it. Nothing happens when the valid region of `dst` is empty. NaN and signed zero as in `tmin`.

    On a2a3 copies move whole 32-byte blocks, so elements of `dst` after its valid columns may change.

    Text: ``pto.tpartmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src0: its valid region lies inside that of dst, unless dst is empty
    - src1: its valid region lies inside that of dst, unless dst is empty
    - dst: the valid region of src0 or of src1, or empty (a2a3)

    Notes:
    - Where neither source is valid, a5 leaves elements without a meaning and a run on the host leaves them as they were; on a2a3 the instruction then does nothing at all, so there dst must have the valid region of one source.
    - The public assembler also wants equal physical shapes; the device headers do not.
    """
    return _issue(_tpartmin, after, dst, src0, src1)


_tpartargmax = _op("tpartargmax")


def tpartargmax(
    dst_val: Tile,
    src0_val: Tile,
    src1_val: Tile,
    dst_idx: Tile,
    src0_idx: Tile,
    src1_idx: Tile,
    *,
    after: After = None,
) -> Issued:
    """Elementwise maximum of two value tiles that takes the index of the larger value along.

    Over the valid region of `dst_val`: where both sources are valid, `(dst_val, dst_idx) = (src0_val, src0_idx)`
    if `src0_val > src1_val`, else `(src1_val, src1_idx)`; equal values therefore give `src1`. Where only one
    source is valid, its value and index are copied.

    Value and index of a pair have the same valid region; that of `dst_val` is the region of `src0_val` or of
    `src1_val`, and the other may be smaller or larger. With f16 values indices have 16 bits, with f32 values 32 bits.
    Nothing happens when the valid region of `dst_val` is empty. Indices are moved as bits, never computed with.

    Text: ``pto.tpartargmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst_val: tile
    - src0_val: tile
    - src1_val: tile
    - dst_idx: tile
    - src0_idx: tile
    - src1_idx: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - src0_val, src0_idx: same valid rows and columns
    - src1_val, src1_idx: same valid rows and columns
    - dst_val, dst_idx: same valid rows and columns
    - dst_val: the valid region of src0_val or of src1_val, or empty
    - (src0_val, src0_idx) element types: f16 i16; f16 ui16; f32 i32; f32 ui32

    Notes:
    - Equal values: the page says src1; the a2a3 and a5 headers take src0.
    - A NaN in either value selects src1 on a2a3 and src0 on a5.
    - Device headers also take 32-bit indices with f16 values; the page does not.
    - On a2a3 a combination of valid regions outside the rule makes the instruction do nothing; on a5 only a debug build notices.
    """
    return _issue(_tpartargmax, after, dst_val, src0_val, src1_val, dst_idx, src0_idx, src1_idx)


_tpartargmin = _op("tpartargmin")


def tpartargmin(
    dst_val: Tile,
    src0_val: Tile,
    src1_val: Tile,
    dst_idx: Tile,
    src0_idx: Tile,
    src1_idx: Tile,
    *,
    after: After = None,
) -> Issued:
    """Elementwise minimum of two value tiles that takes the index of the smaller value along.

    Over the valid region of `dst_val`: where both sources are valid, `(dst_val, dst_idx) = (src0_val, src0_idx)`
    if `src0_val < src1_val`, else `(src1_val, src1_idx)`; equal values therefore give `src1`. Where only one
    source is valid, its value and index are copied.

    Value and index of a pair have the same valid region; that of `dst_val` is the region of `src0_val` or of
    `src1_val`, and the other may be smaller or larger. With f16 values indices have 16 or 32 bits, with f32 values 32.
    Nothing happens when the valid region of `dst_val` is empty. Indices are moved as bits, never computed with.

    Text: ``pto.tpartargmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst_val: tile
    - src0_val: tile
    - src1_val: tile
    - dst_idx: tile
    - src0_idx: tile
    - src1_idx: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - src0_val, src0_idx: same valid rows and columns
    - src1_val, src1_idx: same valid rows and columns
    - dst_val, dst_idx: same valid rows and columns
    - dst_val: the valid region of src0_val or of src1_val, or empty
    - (src0_val, src0_idx) element types: f16 i16; f16 ui16; f16 i32; f16 ui32; f32 i32; f32 ui32

    Notes:
    - Equal values: the page says src1; the a2a3 and a5 headers take src0.
    - A NaN in either value selects src1 on a2a3 and src0 on a5.
    - On a2a3 a combination of valid regions outside the rule makes the instruction do nothing; on a5 only a debug build notices.
    """
    return _issue(_tpartargmin, after, dst_val, src0_val, src1_val, dst_idx, src0_idx, src1_idx)


_trowsum = _op("trowsum")


def trowsum(
    dst: Tile,
    src: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Sum of each row.

    `dst[i,0] = sum over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of `dst`.
    `dst` is row-major, or a col-major tile with one column.

    The order of the additions differs between targets, so floating-point results may differ in the last bits:
    a2a3 adds steps of 256 bytes pairwise in the element type, a5 adds one step after the other, the host goes from
    left to right and accumulates f16 in f32. Integers wrap.

    Text: ``pto.trowsum``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, i64, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - a col-major destination has one column
    - dst: valid rows of src, one valid column; src not empty (dst 0x0: does nothing)
    - scratch `tmp`: a2a3: floats in rows of more than 256 bytes need half of the row, in whole 256-byte steps, for every row; integers one block of 32 bytes

    Notes:
    - a2a3 writes nothing when a row is longer than 256 bytes and the scratch tile is narrower than that; the page only says that a tile like src is safe.
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_trowsum, after, dst, src, tmp)


_trowprod = _op("trowprod")


def trowprod(
    dst: Tile,
    src: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Product of each row.

    `dst[i,0] = product over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of
    `dst`. `dst` is row-major, or a col-major tile with one column. The order of the multiplications differs between
    targets. Integers wrap.

    Text: ``pto.trowprod``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - a col-major destination has one column
    - dst: valid rows of src, one valid column; src not empty (dst 0x0: does nothing)
    - scratch `tmp`: a2a3: one block of 32 bytes

    Notes:
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_trowprod, after, dst, src, tmp)


_trowmax = _op("trowmax")


def trowmax(
    dst: Tile,
    src: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Largest element of each row.

    `dst[i,0] = max over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of `dst`.
    `dst` is row-major, or a col-major tile with one column. What a NaN in the row gives is not documented for
    the devices.

    Text: ``pto.trowmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - a col-major destination has one column
    - dst: valid rows of src, one valid column; src not empty (dst 0x0: does nothing)
    - scratch `tmp`: a2a3: floats in rows of more than 256 bytes need 256 bytes for every row; integers one block of 32 bytes

    Notes:
    - a2a3 writes nothing when a row is longer than 256 bytes and the scratch tile is narrower than that.
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_trowmax, after, dst, src, tmp)


_trowmin = _op("trowmin")


def trowmin(
    dst: Tile,
    src: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Smallest element of each row.

    `dst[i,0] = min over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of `dst`.
    `dst` is row-major, or a col-major tile with one column. What a NaN in the row gives is not documented for
    the devices.

    Text: ``pto.trowmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui64, f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - a col-major destination has one column
    - dst: valid rows of src, one valid column; src not empty (dst 0x0: does nothing)
    - scratch `tmp`: a2a3: floats in rows of more than 256 bytes need 256 bytes for every row; integers one block of 32 bytes

    Notes:
    - a2a3 writes nothing when a row is longer than 256 bytes and the scratch tile is narrower than that.
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_trowmin, after, dst, src, tmp)


_trowargmax = _op("trowargmax")


def trowargmax(
    dst_idx: Tile,
    src: Tile,
    *,
    dst_val: Tile | None = None,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Column of the largest element of each row, and the element itself when `dst_val` is given.

    `dst_idx[i,0] = ` the smallest `j` with `src[i,j] = max over k of src[i,k]`, and `dst_val[i,0]` that element, over
    the valid region of `src`. Results are in column 0. Destinations are row-major, or col-major with one column.
    What a NaN in the row gives is not documented for the devices.

    Text: ``pto.trowargmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst_idx: tile
    - src: tile
    - dst_val: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - src: valid region not empty
    - src, dst_idx, dst_val: same valid rows
    - dst_idx: 1 valid column
    - dst_val: 1 valid column
    - a col-major destination has one column
    - dst_idx: i32 or ui32; with dst_val and 2-byte elements also i16 or ui16
    - scratch `tmp`: a2a3: per row, the values and indices of every 256-byte step; nothing is kept there when a row is one step

    Notes:
    - The public assembler has only the form without dst_val.
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_trowargmax, after, dst_idx, src, dst_val, tmp)


_trowargmin = _op("trowargmin")


def trowargmin(
    dst_idx: Tile,
    src: Tile,
    *,
    dst_val: Tile | None = None,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Column of the smallest element of each row, and the element itself when `dst_val` is given.

    `dst_idx[i,0] = ` the smallest `j` with `src[i,j] = min over k of src[i,k]`, and `dst_val[i,0]` that element, over
    the valid region of `src`. Results are in column 0. Destinations are row-major, or col-major with one column.
    What a NaN in the row gives is not documented for the devices.

    Text: ``pto.trowargmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst_idx: tile
    - src: tile
    - dst_val: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - src: valid region not empty
    - src, dst_idx, dst_val: same valid rows
    - dst_idx: 1 valid column
    - dst_val: 1 valid column
    - a col-major destination has one column
    - dst_idx: i32 or ui32; with dst_val and 2-byte elements also i16 or ui16
    - scratch `tmp`: a2a3: per row, the values and indices of every 256-byte step; nothing is kept there when a row is one step

    Notes:
    - The public assembler has only the form without dst_val.
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_trowargmin, after, dst_idx, src, dst_val, tmp)


_tcolsum = _op("tcolsum")


def tcolsum(
    dst: Tile,
    src: Tile,
    *,
    tmp: Tile | None = None,
    is_binary: bool | None = None,
    after: After = None,
) -> Issued:
    """Sum of each column.

    `dst[0,j] = sum over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. With
    `isBinary = true` rows are added as a tree in `tmp`, which is faster for many rows and rounds differently;
    without it rows are added one after the other (in pairs on a5). Integers wrap.

    On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    rows of `src`, and elements after the valid columns may change.

    Text: ``pto.tcolsum``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - tmp: scratch tile
    - is_binary: add the rows as a tree in `tmp` (true, false; else false)

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - dst: valid columns of src; on a5 src is not empty (dst 0x0: does nothing)
    - tmp comes with isBinary and is as wide as src
    - scratch `tmp`: with isBinary = true: half of the valid rows of src (rounded up), each at least as wide as its valid columns

    Notes:
    - The host ignores isBinary and adds the rows in order.
    """
    return _issue(_tcolsum, after, dst, src, tmp, is_binary)


_tcolprod = _op("tcolprod")


def tcolprod(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Product of each column.

    `dst[0,j] = product over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. Rows are
    multiplied in order (in pairs on a5). Integers wrap.

    On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    rows of `src`, and elements after the valid columns may change.

    Text: ``pto.tcolprod``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i16, i32, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - dst: valid columns of src; on a5 src is not empty (dst 0x0: does nothing)
    """
    return _issue(_tcolprod, after, dst, src)


_tcolmax = _op("tcolmax")


def tcolmax(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Largest element of each column.

    `dst[0,j] = max over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. What a NaN
    gives is not documented for the devices.

    On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    rows of `src`, and elements after the valid columns may change.

    Text: ``pto.tcolmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - dst: valid columns of src; on a5 src is not empty (dst 0x0: does nothing)
    """
    return _issue(_tcolmax, after, dst, src)


_tcolmin = _op("tcolmin")


def tcolmin(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Smallest element of each column.

    `dst[0,j] = min over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. What a NaN
    gives is not documented for the devices.

    On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    rows of `src`, and elements after the valid columns may change.

    Text: ``pto.tcolmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - dst: valid columns of src; on a5 src is not empty (dst 0x0: does nothing)
    """
    return _issue(_tcolmin, after, dst, src)


_tcolargmax = _op("tcolargmax")


def tcolargmax(
    dst_idx: Tile,
    src: Tile,
    *,
    dst_val: Tile | None = None,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Row of the largest element of each column, and the element itself when `dst_val` is given.

    `dst_idx[0,j] = ` the smallest `i` with `src[i,j] = max over k of src[k,j]`, and `dst_val[0,j]` that element, over
    the valid region of `src`. Results are in row 0. With a NaN in the column a2a3 takes the later row.

    Text: ``pto.tcolargmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst_idx: tile
    - src: tile
    - dst_val: tile
    - tmp: scratch tile

    Element types:
    - a2a3: ui16, ui32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - src: valid region not empty
    - src, dst_idx, dst_val: same valid columns
    - dst_idx: 1 valid row
    - dst_val: 1 valid row
    - dst_idx: i32 or ui32; with dst_val as wide as src, which then has 2 or 4 bytes
    - scratch `tmp`: a2a3: two parts (three for 2-byte elements without dst_val) of one 256-byte step, or of the valid columns rounded up to 32 bytes if that is less

    Notes:
    - a2a3 orders ui16 and ui32 by their bits read as f16 and f32.
    - a2a3 counts rows of f16 in f16 when only the index is asked for, which is exact up to 2048 rows.
    - The page asks for one part of scratch for 4-byte elements; the a2a3 header uses two.
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_tcolargmax, after, dst_idx, src, dst_val, tmp)


_tcolargmin = _op("tcolargmin")


def tcolargmin(
    dst_idx: Tile,
    src: Tile,
    *,
    dst_val: Tile | None = None,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Row of the smallest element of each column, and the element itself when `dst_val` is given.

    `dst_idx[0,j] = ` the smallest `i` with `src[i,j] = min over k of src[k,j]`, and `dst_val[0,j]` that element, over
    the valid region of `src`. Results are in row 0. With a NaN in the column a2a3 takes the later row.

    Text: ``pto.tcolargmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst_idx: tile
    - src: tile
    - dst_val: tile
    - tmp: scratch tile

    Element types:
    - a2a3: ui16, ui32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, tmp: same element type (a2a3)
    - src: valid region not empty
    - src, dst_idx, dst_val: same valid columns
    - dst_idx: 1 valid row
    - dst_val: 1 valid row
    - dst_idx: i32 or ui32; with dst_val as wide as src, which then has 2 or 4 bytes
    - scratch `tmp`: a2a3: two parts (three for 2-byte elements without dst_val) of one 256-byte step, or of the valid columns rounded up to 32 bytes if that is less

    Notes:
    - a2a3 orders ui16 and ui32 by their bits read as f16 and f32.
    - a2a3 counts rows of f16 in f16 when only the index is asked for, which is exact up to 2048 rows.
    - The page asks for one part of scratch for 4-byte elements; the a2a3 header uses two.
    - a5 takes a scratch tile and does not use it.
    """
    return _issue(_tcolargmin, after, dst_idx, src, dst_val, tmp)


_tpairreducesum = _op("tpairreducesum")


def tpairreducesum(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Sums of neighbouring columns, packed into the left half of each row.

    `dst[i,k] = src[i,2k] + src[i,2k+1]` for `k < ceil(C/2)`, where `C` is the number of valid columns; the last
    element of an odd row counts as its own pair, and the rest of the valid row becomes 0. `src` and `dst` have the
    same valid region.

    Text: ``pto.tpairreducesum``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - src, dst: same valid rows and columns

    Notes:
    - Both device headers drop the last element of an odd row and leave the right half of dst as it was.
    - On a5 a tile whose columns are all valid gets its sums packed without gaps between rows.
    - The public assembler does not have this instruction.
    """
    return _issue(_tpairreducesum, after, dst, src)


_trowexpand = _op("trowexpand")


def trowexpand(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Spreads the first element of each row over the row.

    `dst[i,j] = src[i,0]` over the valid region of `dst`; a copy of bits. `src` is row-major or a col-major column
    and has as many valid rows as `dst`; only its column 0 is read.

    Text: ``pto.trowexpand``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - src and dst: same valid rows, not empty (dst 0x0: does nothing)

    Notes:
    - The a5 header wants a src with one valid column, or with valid columns set at run time; public programs for a5 also use wider ones.
    - a2a3 reads a one-row src of M columns as a column when dst is M rows of 32 bytes.
    """
    return _issue(_trowexpand, after, dst, src)


_trowexpandadd = _op("trowexpandadd")


def trowexpandadd(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    src1_col: Any | None = None,
    src0eqdst: Any | None = None,
    high_precision: Any | None = None,
    after: After = None,
) -> Issued:
    """Adds a value per row to a tile.

    `dst[i,j] = src0[i,j] + s(i,j)` over the valid region of `dst`. Integers wrap.

    `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    The sources may change places; the order of the operation stays.

    Text: ``pto.trowexpandadd``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - src1_col: note of a program generator, without effect (any attribute)
    - src0eqdst: note of a program generator, without effect (any attribute)
    - high_precision: note of a program generator, without effect (any attribute)

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)
    - with tmp the per-row operand is col-major with one valid column (a2a3)
    - dst, tmp: same element type (a2a3)
    - scratch `tmp`: a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on

    Notes:
    - a5 takes tmp and does not use it.
    """
    return _issue(_trowexpandadd, after, dst, src0, src1, tmp, src1_col, src0eqdst, high_precision)


_trowexpandsub = _op("trowexpandsub")


def trowexpandsub(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    src1_col: Any | None = None,
    src0eqdst: Any | None = None,
    high_precision: Any | None = None,
    after: After = None,
) -> Issued:
    """Subtracts a value per row from a tile.

    `dst[i,j] = src0[i,j] - s(i,j)` over the valid region of `dst`. Integers wrap.

    `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    The sources may change places; the order of the operation stays.

    Text: ``pto.trowexpandsub``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - src1_col: note of a program generator, without effect (any attribute)
    - src0eqdst: note of a program generator, without effect (any attribute)
    - high_precision: note of a program generator, without effect (any attribute)

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)
    - with tmp the per-row operand is col-major with one valid column (a2a3)
    - dst, tmp: same element type (a2a3)
    - scratch `tmp`: a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on

    Notes:
    - a5 takes tmp and does not use it.
    """
    return _issue(_trowexpandsub, after, dst, src0, src1, tmp, src1_col, src0eqdst, high_precision)


_trowexpandmul = _op("trowexpandmul")


def trowexpandmul(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    src1_col: Any | None = None,
    src0eqdst: Any | None = None,
    high_precision: Any | None = None,
    after: After = None,
) -> Issued:
    """Multiplies a tile with a value per row.

    `dst[i,j] = src0[i,j] * s(i,j)` over the valid region of `dst`. Integers wrap.

    `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    The sources may change places; the order of the operation stays.

    Text: ``pto.trowexpandmul``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - src1_col: note of a program generator, without effect (any attribute)
    - src0eqdst: note of a program generator, without effect (any attribute)
    - high_precision: note of a program generator, without effect (any attribute)

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)
    - with tmp the per-row operand is col-major with one valid column (a2a3)
    - dst, tmp: same element type (a2a3)
    - scratch `tmp`: a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on

    Notes:
    - a5 takes tmp and does not use it.
    """
    return _issue(_trowexpandmul, after, dst, src0, src1, tmp, src1_col, src0eqdst, high_precision)


_trowexpanddiv = _op("trowexpanddiv")


def trowexpanddiv(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    precision_type: DivAlgorithm | str | None = None,
    src1_col: Any | None = None,
    src0eqdst: Any | None = None,
    high_precision: Any | None = None,
    after: After = None,
) -> Issued:
    """Divides a tile by a value per row.

    `dst[i,j] = src0[i,j] / s(i,j)` over the valid region of `dst`. Rounding and division by zero as in `tdiv`.

    `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    The sources may change places; the order of the operation stays.

    Text: ``pto.trowexpanddiv``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - precision_type: accuracy of the division; only a5 has the high one (default, high_precision; else default)
    - src1_col: note of a program generator, without effect (any attribute)
    - src0eqdst: note of a program generator, without effect (any attribute)
    - high_precision: note of a program generator, without effect (any attribute)

    Element types:
    - a2a3: f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)
    - with tmp the per-row operand is col-major with one valid column (a2a3)
    - dst, tmp: same element type (a2a3)
    - high_precision needs tmp
    - scratch `tmp`: a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on

    Notes:
    - a5 takes tmp and does not use it.
    - a5 takes integers and bf16 here although its tdiv does not take all of them.
    """
    return _issue(_trowexpanddiv, after, dst, src0, src1, tmp, precision_type, src1_col, src0eqdst, high_precision)


_trowexpandmax = _op("trowexpandmax")


def trowexpandmax(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    src1_col: Any | None = None,
    src0eqdst: Any | None = None,
    high_precision: Any | None = None,
    after: After = None,
) -> Issued:
    """Maximum of a tile and a value per row.

    `dst[i,j] = max(src0[i,j], s(i,j))` over the valid region of `dst`. NaN and signed zero as in `tmax`.

    `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    The sources may change places; the order of the operation stays.

    Text: ``pto.trowexpandmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - src1_col: note of a program generator, without effect (any attribute)
    - src0eqdst: note of a program generator, without effect (any attribute)
    - high_precision: note of a program generator, without effect (any attribute)

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)
    - with tmp the per-row operand is col-major with one valid column (a2a3)
    - dst, tmp: same element type (a2a3)
    - scratch `tmp`: a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on

    Notes:
    - The page takes f16 and f32 only; newer device headers also take integers.
    - a5 takes tmp and does not use it; version 0.27 of the public assembler refuses it there.
    """
    return _issue(_trowexpandmax, after, dst, src0, src1, tmp, src1_col, src0eqdst, high_precision)


_trowexpandmin = _op("trowexpandmin")


def trowexpandmin(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    src1_col: Any | None = None,
    src0eqdst: Any | None = None,
    high_precision: Any | None = None,
    after: After = None,
) -> Issued:
    """Minimum of a tile and a value per row.

    `dst[i,j] = min(src0[i,j], s(i,j))` over the valid region of `dst`. NaN and signed zero as in `tmin`.

    `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    The sources may change places; the order of the operation stays.

    Text: ``pto.trowexpandmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - src1_col: note of a program generator, without effect (any attribute)
    - src0eqdst: note of a program generator, without effect (any attribute)
    - high_precision: note of a program generator, without effect (any attribute)

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)
    - with tmp the per-row operand is col-major with one valid column (a2a3)
    - dst, tmp: same element type (a2a3)
    - scratch `tmp`: a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on

    Notes:
    - a5 takes tmp and does not use it; version 0.27 of the public assembler refuses it there.
    """
    return _issue(_trowexpandmin, after, dst, src0, src1, tmp, src1_col, src0eqdst, high_precision)


_trowexpandexpdif = _op("trowexpandexpdif")


def trowexpandexpdif(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    tmp: Tile | None = None,
    src1_col: Any | None = None,
    src0eqdst: Any | None = None,
    high_precision: Any | None = None,
    after: After = None,
) -> Issued:
    """Exponential of the difference of a tile and a value per row.

    `dst[i,j] = exp(src0[i,j] - s(i,j))` over the valid region of `dst`. The difference is rounded to the element type first.

    `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    The sources may change places; the order of the operation stays.

    Text: ``pto.trowexpandexpdif``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - tmp: scratch tile
    - src1_col: note of a program generator, without effect (any attribute)
    - src0eqdst: note of a program generator, without effect (any attribute)
    - high_precision: note of a program generator, without effect (any attribute)

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)
    - with tmp the per-row operand is col-major with one valid column (a2a3)
    - dst, tmp: same element type (a2a3)
    - scratch `tmp`: a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on

    Notes:
    - a5 takes tmp and does not use it; version 0.27 of the public assembler refuses it there.
    """
    return _issue(_trowexpandexpdif, after, dst, src0, src1, tmp, src1_col, src0eqdst, high_precision)


_tcolexpand = _op("tcolexpand")


def tcolexpand(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Repeats the first row of a tile in every row of another.

    `dst[i,j] = src[0,j]` over the valid region of `dst`; a copy of bits. `src` and `dst` have the same valid columns.
    On a2a3 whole 32-byte blocks are copied, so elements of `dst` after its valid columns may change.

    Text: ``pto.tcolexpand``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - src, dst: same valid columns
    """
    return _issue(_tcolexpand, after, dst, src)


_tcolexpandadd = _op("tcolexpandadd")


def tcolexpandadd(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Adds a row to every row of a tile.

    `dst[i,j] = src0[i,j] + src1[0,j]` over the valid region of `dst`. Integers wrap. Only row 0 of `src1` is read; it has the
    valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    with the valid region of `dst` is the full one, and the order of the operation stays.

    Text: ``pto.tcolexpandadd``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source has the valid region of dst, the other its valid columns

    Notes:
    - The public assembler and the host take only src1 as the row.
    """
    return _issue(_tcolexpandadd, after, dst, src0, src1)


_tcolexpandsub = _op("tcolexpandsub")


def tcolexpandsub(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Subtracts a row from every row of a tile.

    `dst[i,j] = src0[i,j] - src1[0,j]` over the valid region of `dst`. Integers wrap. Only row 0 of `src1` is read; it has the
    valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    with the valid region of `dst` is the full one, and the order of the operation stays.

    Text: ``pto.tcolexpandsub``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source has the valid region of dst, the other its valid columns

    Notes:
    - The public assembler and the host take only src1 as the row.
    """
    return _issue(_tcolexpandsub, after, dst, src0, src1)


_tcolexpandmul = _op("tcolexpandmul")


def tcolexpandmul(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Multiplies every row of a tile with a row.

    `dst[i,j] = src0[i,j] * src1[0,j]` over the valid region of `dst`. Integers wrap. Only row 0 of `src1` is read; it has the
    valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    with the valid region of `dst` is the full one, and the order of the operation stays.

    Text: ``pto.tcolexpandmul``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source has the valid region of dst, the other its valid columns

    Notes:
    - The public assembler and the host take only src1 as the row.
    """
    return _issue(_tcolexpandmul, after, dst, src0, src1)


_tcolexpanddiv = _op("tcolexpanddiv")


def tcolexpanddiv(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    precision_type: DivAlgorithm | str | None = None,
    after: After = None,
) -> Issued:
    """Divides every row of a tile by a row.

    `dst[i,j] = src0[i,j] / src1[0,j]` over the valid region of `dst`. Rounding and division by zero as in `tdiv`. Only row 0 of `src1` is read; it has the
    valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    with the valid region of `dst` is the full one, and the order of the operation stays.

    Text: ``pto.tcolexpanddiv``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - precision_type: accuracy of the division; only a5 has the high one (default, high_precision; else default)

    Element types:
    - a2a3: f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source has the valid region of dst, the other its valid columns

    Notes:
    - The public assembler and the host take only src1 as the row.
    """
    return _issue(_tcolexpanddiv, after, dst, src0, src1, precision_type)


_tcolexpandmax = _op("tcolexpandmax")


def tcolexpandmax(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Maximum of every row of a tile and a row.

    `dst[i,j] = max(src0[i,j], src1[0,j])` over the valid region of `dst`. NaN and signed zero as in `tmax`. Only row 0 of `src1` is read; it has the
    valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    with the valid region of `dst` is the full one, and the order of the operation stays.

    Text: ``pto.tcolexpandmax``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source has the valid region of dst, the other its valid columns

    Notes:
    - The public assembler and the host take only src1 as the row.
    """
    return _issue(_tcolexpandmax, after, dst, src0, src1)


_tcolexpandmin = _op("tcolexpandmin")


def tcolexpandmin(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Minimum of every row of a tile and a row.

    `dst[i,j] = min(src0[i,j], src1[0,j])` over the valid region of `dst`. NaN and signed zero as in `tmin`. Only row 0 of `src1` is read; it has the
    valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    with the valid region of `dst` is the full one, and the order of the operation stays.

    Text: ``pto.tcolexpandmin``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i16, i32, f16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - one source has the valid region of dst, the other its valid columns

    Notes:
    - The public assembler and the host take only src1 as the row.
    """
    return _issue(_tcolexpandmin, after, dst, src0, src1)


_tcolexpandexpdif = _op("tcolexpandexpdif")


def tcolexpandexpdif(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Exponential of the difference of every row of a tile and a row.

    `dst[i,j] = exp(src0[i,j] - src1[0,j])` over the valid region of `dst`. The difference is rounded to the element type first. Only row 0 of `src1` is read; it has the
    valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    with the valid region of `dst` is the full one, and the order of the operation stays.

    Text: ``pto.tcolexpandexpdif``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - one source has the valid region of dst, the other its valid columns

    Notes:
    - The public assembler and the host take only src1 as the row.
    """
    return _issue(_tcolexpandexpdif, after, dst, src0, src1)


_tload = _op("tload")


def tload(
    dst: Tile,
    src: View,
    *,
    pad_value: ScalarLike | None = None,
    left_padding_num: Scalar[Any] | int | None = None,
    right_padding_num: Scalar[Any] | int | None = None,
    init_condition: ScalarLike | None = None,
    pad_mode: Padmode | str | None = None,
    init_out_buffer: bool | None = None,
    layout: Layout | str | None = None,
    cache_policy: LoadCachePolicy | str | None = None,
    after: After = None,
) -> Issued:
    """Copies a window of global memory into a tile.

    `dst[r,c] = src[map(r,c)]` for every valid element of `dst`. The map follows from the layout of the tensor (ND, DN,
    NZ, …) and the place in the tile from the layout of the tile, so a load can change the layout: ND → NZ and
    DN → ZN into L1, the same layout everywhere else (A5 also DN → NZ, and block scales to ZZ and NN).
    Bits are copied; element types need only have the same size.

    The valid region must describe the window exactly: devices take the number of rows from the window and their
    length from the tile. Outside the valid region a device writes at most the rest of the last 32-byte block of
    each row (with the tile's pad value); everything beyond keeps its old contents. Do not rely on either.

    Text: ``pto.tload``; targets: a2a3, a5, cpu; pipe PIPE_MTE2.

    Arguments:
    - dst: tile
    - src: view of global memory
    - pad_value: scalar
    - left_padding_num: integer
    - right_padding_num: integer
    - init_condition: scalar
    - pad_mode: what a padded load writes around the data (PadNull, PadFirstElem, PadValue)
    - init_out_buffer: clear the destination first (true, false; else false)
    - layout: layout of the window in global memory (nd, dn, nz, mx_a_zz, mx_b_nn, mx_a_nd, mx_a_dn, mx_b_nd, mx_b_dn, nc1hwc0)
    - cache_policy: how the load uses the L2 cache; the data is the same (default, l2_bypass; else default)

    Element types:
    - a2a3: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - a5: any
    - cpu: any

    Rules:
    - dst in vec, mat (a2a3)
    - src: element type i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 (a2a3)
    - src, dst: element types of the same size
    - dst: ND, DN or NZ in vec; also ZN in mat, and ZZ or NN for block scales (a2a3, a5)
    - src has the layout of dst; in mat also ND for NZ, DN for ZN, and DN for NZ on A5 (a2a3, a5)
    - dst: 64-bit elements need pad null or zero (a2a3, a5)

    Notes:
    - The pad operands and attributes are accepted and have no effect: the device headers know only the pad value of the tile.
    - The assembler takes a destination in `scaling` on A5 (its examples use it); the headers load only into vec and mat.
    - The public simulator fills the whole tile with the pad value before it copies.
    """
    return _issue(_tload, after, dst, src, pad_value, left_padding_num, right_padding_num, init_condition, pad_mode, init_out_buffer, layout, cache_policy)


_tstore = _op("tstore")


def tstore(
    dst: View,
    src: Tile,
    *,
    fp: Tile | None = None,
    pre_quant: Scalar[Any] | int | None = None,
    st_phase: STPhase | str | None = None,
    atomic_type: AtomicType | str | None = None,
    relu_pre_mode: ReluPreMode | str | None = None,
    layout: Layout | str | None = None,
    after: After = None,
) -> Issued:
    """Copies the valid region of a tile to global memory.

    `dst[map(r,c)] = src[r,c]` over the valid region of `src`, with the maps of `tload`; nothing else is written.
    From vec and mat, bits are copied. An accumulator passes the fix pipe: f32 or i32 is cast, or with `pre_quant`
    multiplied by the scale in its low 32 bits (8-bit results add the offset in bits 45..37, round to nearest even
    and saturate; bit 46 selects a signed result), then clipped by the ReLU mode. With `fp` each column has its own
    word. `atomicType = atomic_add` adds to memory in the destination's element type.

    The window has exactly as many elements as the valid region. `stPhase` hands the accumulator over to the cube
    unit by unit flags and changes no value.

    Text: ``pto.tstore``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: view of global memory
    - src: tile
    - fp: tile
    - pre_quant: integer
    - st_phase: unit-flag phase of an accumulator store (unspecified, partial, final; else unspecified)
    - atomic_type: add to what global memory holds (atomic_none, atomic_add; else atomic_none)
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)
    - layout: layout of the window in global memory (nd, dn, nz, mx_a_zz, mx_b_nn, mx_a_nd, mx_a_dn, mx_b_nd, mx_b_dn, nc1hwc0)

    Element types:
    - a2a3: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - a5: any
    - cpu: any

    Rules:
    - src in vec, acc (a5)
    - dst: element type i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 (a2a3)
    - fp and pre_quant: not both
    - quantisation and ReLU only from an accumulator
    - fp: default store phase
    - fp: one word per column of src
    - vec, mat: elements of equal size; acc: a conversion of the fix pipe
    - dst has as many elements as the valid region of src
    - atomic add: f16, bf16, f32, i8, i16, i32 (a2a3, a5)
    - acc: at most 4095 columns (a2a3, a5)
    - src: ND, DN or NZ in vec and mat; any with one row or column (a2a3, a5)
    - dst has the layout of src, or any for one row or column; from acc ND or NZ, on A2/A3 also NC1HWC0 (a2a3, a5)

    Notes:
    - A5 cannot store from mat.
    - On A2/A3 f32 → f16 with `fp` is accepted by the assembler only; the headers quantise f32 to 8 bits there.
    - The C++ name is TSTORE_FP when `fp` is given.
    """
    return _issue(_tstore, after, dst, src, fp, pre_quant, st_phase, atomic_type, relu_pre_mode, layout)


_tstore_fp = _op("tstore_fp")


def tstore_fp(
    dst: View,
    src: Tile,
    fp: Tile,
    *,
    atomic_type: AtomicType | str | None = None,
    relu_pre_mode: ReluPreMode | str | None = None,
    layout: Layout | str | None = None,
    after: After = None,
) -> Issued:
    """Stores an accumulator with one quantisation word per column.

    `dst[map(r,c)] = relu(quant(src[r,c], fp[c]))` over the valid region of `src`. A word of `fp` holds the scale as a
    19-bit float (1 sign, 8 exponent, 10 mantissa bits) in bits 31..13, an offset in bits 45..37 and, in bit 46,
    whether the result is signed. 8-bit results round to nearest even and saturate.
    The address of `fp` is used in units of 128 bytes.

    Text: ``pto.tstore_fp``; targets: a2a3, a5, cpu; pipe PIPE_FIX.

    Arguments:
    - dst: view of global memory
    - src: tile
    - fp: tile
    - atomic_type: add to what global memory holds (atomic_none, atomic_add; else atomic_none)
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)
    - layout: layout of the window in global memory (nd, dn, nz, mx_a_zz, mx_b_nn, mx_a_nd, mx_a_dn, mx_b_nd, mx_b_dn, nc1hwc0)

    Rules:
    - a conversion of the fix pipe
    - fp: one word per column of src
    - atomic add: f16, bf16, f32, i8, i16, i32 (a2a3, a5)
    - at most 4095 columns (a2a3, a5)
    - dst is ND or NZ, on A2/A3 also NC1HWC0 (a2a3, a5)

    Notes:
    - Newer assemblers write this as `pto.tstore ins(%src : T fp %fp : T)`.
    - The headers take 64-bit words; the assembler also takes f32 and f16 tiles.
    - The public simulator picks the word by row instead of by column.
    """
    return _issue(_tstore_fp, after, dst, src, fp, atomic_type, relu_pre_mode, layout)


_tprefetch = _op("tprefetch")


def tprefetch(
    dst: Tile,
    src: View,
    *,
    after: After = None,
) -> Issued:
    """Brings a window of global memory near, as a hint.

    The window is copied through the tile in chunks, so that the cache holds it afterwards. The contents of `dst`
    after the instruction mean nothing; treat it as scratch. A program is correct without it.

    Text: ``pto.tprefetch``; targets: a2a3, a5, cpu; pipe PIPE_MTE2.

    Arguments:
    - dst: tile
    - src: view of global memory

    Element types:
    - a2a3: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - a5: any
    - cpu: any

    Rules:
    - src: element type i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 (a2a3)
    - src, dst: element types of the same size

    Notes:
    - Devices leave the last chunk in `dst`; the public simulator copies one tile from the start of the window, ignoring strides.
    """
    return _issue(_tprefetch, after, dst, src)


_tprefetch_async = _op("tprefetch_async")


def tprefetch_async(
    src: View,
    ctx: Handle,
    *,
    after: After = None,
) -> Token:
    """Asks the system DMA to bring a flat range of global memory into the L2 cache.

    The request is queued in the session of `ctx` and runs beside the core; the event says when it is done. No tile
    is written and no value changes, so a program is correct without it. The window must be contiguous: at most one
    of its dimensions is longer than 1.

    Text: ``pto.tprefetch_async``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - src: view of global memory
    - ctx: value

    Rules:
    - ctx is a prefetch context
    - src has one dimension longer than 1

    Notes:
    - A host run returns an event that is already complete.
    """
    return _issue(_tprefetch_async, after, src, ctx)


_mgather = _op("mgather")


def mgather(
    dst: Tile,
    mem: View,
    idx: Tile | View,
    coalesce: Coalesce | str,
    *,
    scratch: View | None = None,
    gather_oob: GatherOOB | str | None = None,
    after: After = None,
) -> Issued:
    """Gathers rows or elements of a table in global memory.

    `coalesce = row`: `dst[r,:] = mem[idx[r],:]`, one index per row. `coalesce = elem`: `dst[r,c] = mem[idx[r,c]]` with
    the table taken as one flat list. Indices count rows or elements, not bytes. `gatherOob` says what an index
    outside the table does: nothing is promised (`undefined`), the last one is taken (`clamp`), the index is taken
    modulo the size (`wrap`), or zeros are read (`zero`).

    Into L1 (`dst` in mat, NZ) the indices are a window of global memory, and `elem` needs a window `scratch` of at
    least as many elements as `dst`. Elements outside the valid region keep their contents.

    Text: ``pto.mgather``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - mem: view of global memory
    - idx: tile or view of global memory
    - coalesce: an index names a row or an element (row, elem)
    - scratch: view of global memory
    - gather_oob: what an index outside the table does (undefined, clamp, wrap, zero; else undefined)

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32, f8e4m3, f8e5m2, hif8
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32, f8e4m3, f8e5m2, hif8

    Rules:
    - indices: a tile for vec, global memory for mat (NZ, scratch for elem)
    - one index per row of dst, or one per element
    - row: no more columns than a row of mem has

    Notes:
    - `coalesce` must be given: without it the headers gather rows and the public simulator elements. Older assemblers did not have it.
    - A5 runs the vec form on its vector unit; A2/A3 elements are read one by one by the scalar unit.
    """
    return _issue(_mgather, after, dst, mem, idx, coalesce, scratch, gather_oob)


_mscatter = _op("mscatter")


def mscatter(
    mem: View,
    src: Tile,
    idx: Tile,
    *,
    coalesce: Coalesce | str | None = None,
    scatter_atomic_op: ScatterAtomicOp | str | None = None,
    scatter_oob: ScatterOOB | str | None = None,
    scatter_conflict: ScatterConflict | str | None = None,
    after: After = None,
) -> Issued:
    """Scatters rows or elements of a tile into a table in global memory.

    `coalesce = row`: `mem[idx[r],:] = src[r,:]`. `coalesce = elem`: `mem[idx[r,c]] = src[r,c]` with the table taken as
    one flat list. `scatterAtomicOp` combines with what memory holds. `scatterOob` treats an index outside the
    table: nothing is promised, the write is skipped, or the index is clamped or wrapped.

    Several writes to one place: the last in row-major order of `src` wins; on A5 only with
    `scatterConflict = last` or without the attribute, while `default` promises nothing.

    Text: ``pto.mscatter``; targets: a2a3, a5, cpu.

    Arguments:
    - mem: view of global memory
    - src: tile
    - idx: tile
    - coalesce: an index names a row or an element (row, elem)
    - scatter_atomic_op: how a write combines with memory (none, add, max, min; else none)
    - scatter_oob: what an index outside the table does (undefined, skip, clamp, wrap; else undefined)
    - scatter_conflict: which of several writes to one place stays (default, last)

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32, f8e4m3, f8e5m2, hif8
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32, f8e4m3, f8e5m2, hif8

    Rules:
    - src: ND; also NZ on A2/A3 and DN on A5
    - one index per row of src, or one per element
    - row: no more columns than a row of mem has
    - the scatter options need coalesce
    - atomics: add on A2/A3 (i8 i16 i32 f16 bf16 f32) and A5 (i32 ui32 f32 f16 bf16); max, min on A5 (i32 ui32 f32); on cpu all of these types, i64, ui64, ui8 and ui16

    Notes:
    - The assembler allows fewer atomic types than the headers (no bf16).
    - Without `coalesce` the shape of `idx` decides. Older assemblers have neither `coalesce` nor `scatterConflict`.
    - The public simulator's row form of atomic max and min is wrong.
    """
    return _issue(_mscatter, after, mem, src, idx, coalesce, scatter_atomic_op, scatter_oob, scatter_conflict)


_tmatmul = _op("tmatmul")


def tmatmul(
    dst: Tile,
    a: Tile,
    b: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Matrix product into an accumulator.

    `dst[m,n] = Σ_k a[m,k] · b[k,n]`, with M and K the valid extents of `a` and N the valid columns of `b`. The sum is
    kept in the type of `dst`: f32 for floating-point operands, i32 (wrapping) for 8-bit integers.
    The valid rows of `b` must be K and the valid region of `dst` M × N. Every extent is at most 4095.

    `accPhase` couples the cube with the fix pipe through unit flags (`partial`, then `final`) so that a store may
    start while the product runs; it changes no value. f32 operands are rounded first when a rounding mode is on.

    Text: ``pto.tmatmul``; targets: a2a3, a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - b: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32 (a2a3)
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32; f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 hif8 hif8 (a5, cpu)
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a2a3, a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)

    Notes:
    - The order of the sum on a device is not specified. Here k ascends, each step a fused multiply-add in the type of dst.
    - Older assemblers compare the physical shapes, newer ones the valid extents; the headers compare neither.
    - A2/A3 turns M = 1 into 16 rows so that the vector-matrix mode is not entered; the extra rows of dst are garbage.
    """
    return _issue(_tmatmul, after, dst, a, b, acc_phase)


_tmatmul_acc = _op("tmatmul.acc")


def tmatmul_acc(
    dst: Tile,
    acc_in: Tile,
    a: Tile,
    b: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Matrix product added to an accumulator.

    `dst[m,n] = acc_in[m,n] + Σ_k a[m,k] · b[k,n]`. Extents as in `tmatmul`; `acc_in` has the type of `dst`.
    Use it for every slice of K but the first.

    Text: ``pto.tmatmul.acc``; targets: a2a3, a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - acc_in: tile
    - a: tile
    - b: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32 (a2a3)
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32; f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 hif8 hif8 (a5, cpu)
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a2a3, a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - acc_in, dst: same rows and columns

    Notes:
    - The public simulator sums the products first and then adds `acc_in`; here the sum starts from `acc_in`.
    """
    return _issue(_tmatmul_acc, after, dst, acc_in, a, b, acc_phase)


_tmatmul_bias = _op("tmatmul.bias")


def tmatmul_bias(
    dst: Tile,
    a: Tile,
    b: Tile,
    bias: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Matrix product plus a row of biases.

    `dst[m,n] = bias[0,n] + Σ_k a[m,k] · b[k,n]`. `bias` is one row in the bias table with the element type of `dst`.

    Text: ``pto.tmatmul.bias``; targets: a2a3, a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - b: tile
    - bias: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32 (a2a3)
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32; f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 hif8 hif8 (a5, cpu)
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a2a3, a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - bias: one row of at least N columns
    - bias: row-major layout (a5)

    Notes:
    - Pages show an f16 bias with an f32 result; the headers do not take it. Widen it with tmov (mat to bias).
    """
    return _issue(_tmatmul_bias, after, dst, a, b, bias, acc_phase)


_tmatmul_mx = _op("tmatmul.mx")


def tmatmul_mx(
    dst: Tile,
    a: Tile,
    a_scale: Tile,
    b: Tile,
    b_scale: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Matrix product of block-scaled operands (MX formats).

    `dst[m,n] = Σ_k a[m,k]·2^(sa-127) · b[k,n]·2^(sb-127)` with `sa = a_scale[m, k/32]` and `sb = b_scale[k/32, n]`, the
    codes of the f8e8m0 scales. Operands are both 8-bit floats or both 4-bit floats; the result is f32.
    K is the valid columns of `a`; the columns of `a` are a multiple of 64. Columns of 4-bit tiles count elements.

    Text: ``pto.tmatmul.mx``; targets: a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - a_scale: tile
    - b: tile
    - b_scale: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 f4e1m2 f4e1m2; f32 f4e1m2 f4e2m1; f32 f4e2m1 f4e1m2; f32 f4e2m1 f4e2m1
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - a_scale: at least M × K/32
    - b_scale: at least K/32 × N
    - columns of a: a multiple of 64 (a5)

    Notes:
    - The headers keep scales in scale_left and scale_right as f8e8m0; the assembler writes `loc=scaling` and its examples use f16.
    - The public simulator forms each product in double precision; here a factor times its scale is an f32, then the sum is that of `tmatmul`.
    """
    return _issue(_tmatmul_mx, after, dst, a, a_scale, b, b_scale, acc_phase)


_tmatmul_mx_acc = _op("tmatmul.mx.acc")


def tmatmul_mx_acc(
    dst: Tile,
    acc_in: Tile,
    a: Tile,
    a_scale: Tile,
    b: Tile,
    b_scale: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Block-scaled matrix product added to an accumulator.

    As `tmatmul.mx`, starting from `acc_in[m,n]`.

    Text: ``pto.tmatmul.mx.acc``; targets: a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - acc_in: tile
    - a: tile
    - a_scale: tile
    - b: tile
    - b_scale: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 f4e1m2 f4e1m2; f32 f4e1m2 f4e2m1; f32 f4e2m1 f4e1m2; f32 f4e2m1 f4e2m1
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - a_scale: at least M × K/32
    - b_scale: at least K/32 × N
    - acc_in, dst: same rows and columns
    - columns of a: a multiple of 64 (a5)

    Notes:
    - The headers keep scales in scale_left and scale_right as f8e8m0; the assembler writes `loc=scaling` and its examples use f16.
    """
    return _issue(_tmatmul_mx_acc, after, dst, acc_in, a, a_scale, b, b_scale, acc_phase)


_tmatmul_mx_bias = _op("tmatmul.mx.bias")


def tmatmul_mx_bias(
    dst: Tile,
    a: Tile,
    a_scale: Tile,
    b: Tile,
    b_scale: Tile,
    bias: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Block-scaled matrix product plus a row of biases.

    As `tmatmul.mx`, starting from `bias[0,n]`, one row of f32.

    Text: ``pto.tmatmul.mx.bias``; targets: a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - a_scale: tile
    - b: tile
    - b_scale: tile
    - bias: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 f4e1m2 f4e1m2; f32 f4e1m2 f4e2m1; f32 f4e2m1 f4e1m2; f32 f4e2m1 f4e2m1
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - a_scale: at least M × K/32
    - b_scale: at least K/32 × N
    - bias: one row of at least N columns
    - bias: row-major layout (a5)
    - columns of a: a multiple of 64 (a5)

    Notes:
    - The headers keep scales in scale_left and scale_right as f8e8m0; the assembler writes `loc=scaling` and its examples use f16.
    """
    return _issue(_tmatmul_mx_bias, after, dst, a, a_scale, b, b_scale, bias, acc_phase)


_tmatmul_mx_hif4 = _op("tmatmul.mx.hif4")


def tmatmul_mx_hif4(
    dst: Tile,
    a: Tile,
    a_scale: Tile,
    b: Tile,
    b_scale: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Matrix product of HiFloat4 operands with three levels of scales.

    `dst[m,n] = Σ_k dec(a[m,k]) · dec(b[k,n])` with `dec(x) = x · Ea · 2^Eb · 2^Ec`: `x` is an e1m2 nibble, `Ea` an unsigned
    e6m2 number `(1 + m/4)·2^(e-48)` shared by 64 elements along k, `Eb` one bit per 8 and `Ec` one bit per 4 elements.

    A scale cell covers 16 rows (columns of `b`) and 64 elements along k in 64 bytes: 16 pairs `(Ea, Eb)`, then
    16 pairs `(Ec low, Ec high)`, bits from the least significant. The accumulator is f32.
    Only a later device has this instruction; here it runs on the host.

    Text: ``pto.tmatmul.mx.hif4``; targets: cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - a_scale: tile
    - b: tile
    - b_scale: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - columns of a: a multiple of 64
    - scales: 4 bytes per row (column of b) and 64 elements along k

    Notes:
    - No assembly form exists; the mnemonic is ours. In C++ it is the TMATMUL_MX overload for hifloat4x2_t.
    - The page gives no decoding; bias and bit order are those of the public tests.
    """
    return _issue(_tmatmul_mx_hif4, after, dst, a, a_scale, b, b_scale, acc_phase)


_tgemv = _op("tgemv")


def tgemv(
    dst: Tile,
    a: Tile,
    b: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Row vector times matrix.

    `dst[0,n] = Σ_k a[0,k] · b[k,n]`: `a` and `dst` have one valid row, K is the valid rows of `b`. The cube streams the
    vector without padding it to 16 rows.

    Text: ``pto.tgemv``; targets: a2a3, a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - b: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32 (a2a3)
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32; f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 hif8 hif8 (a5, cpu)
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a2a3, a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - a: 1 valid row
    - dst: 1 valid row

    Notes:
    - The assembler's manual describes matrix times column vector; everyone else, its own checks included, row vector times matrix.
    """
    return _issue(_tgemv, after, dst, a, b, acc_phase)


_tgemv_acc = _op("tgemv.acc")


def tgemv_acc(
    dst: Tile,
    acc_in: Tile,
    a: Tile,
    b: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Row vector times matrix, added to an accumulator.

    `dst[0,n] = acc_in[0,n] + Σ_k a[0,k] · b[k,n]`.

    Text: ``pto.tgemv.acc``; targets: a2a3, a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - acc_in: tile
    - a: tile
    - b: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32 (a2a3)
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32; f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 hif8 hif8 (a5, cpu)
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a2a3, a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - acc_in, dst: same rows and columns
    - a: 1 valid row
    - dst: 1 valid row
    """
    return _issue(_tgemv_acc, after, dst, acc_in, a, b, acc_phase)


_tgemv_bias = _op("tgemv.bias")


def tgemv_bias(
    dst: Tile,
    a: Tile,
    b: Tile,
    bias: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Row vector times matrix, plus a row of biases.

    `dst[0,n] = bias[0,n] + Σ_k a[0,k] · b[k,n]`; `bias` has the element type of `dst`.

    Text: ``pto.tgemv.bias``; targets: a2a3, a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - b: tile
    - bias: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32 (a2a3)
    - (dst, a, b) element types: i32 i8 i8; f32 f16 f16; f32 bf16 bf16; f32 f32 f32; f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 hif8 hif8 (a5, cpu)
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a2a3, a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - bias: one row of at least N columns
    - bias: row-major layout (a5)
    - a: 1 valid row
    - dst: 1 valid row
    """
    return _issue(_tgemv_bias, after, dst, a, b, bias, acc_phase)


_tgemv_mx = _op("tgemv.mx")


def tgemv_mx(
    dst: Tile,
    a: Tile,
    a_scale: Tile,
    b: Tile,
    b_scale: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Row vector times matrix with block scales (MX formats).

    As `tmatmul.mx` with one valid row in `a` and `dst`.

    Text: ``pto.tgemv.mx``; targets: a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - a_scale: tile
    - b: tile
    - b_scale: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 f4e1m2 f4e1m2; f32 f4e1m2 f4e2m1; f32 f4e2m1 f4e1m2; f32 f4e2m1 f4e2m1
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - a_scale: at least M × K/32
    - b_scale: at least K/32 × N
    - a: 1 valid row
    - dst: 1 valid row

    Notes:
    - The headers keep scales in scale_left and scale_right as f8e8m0; the assembler writes `loc=scaling` and its examples use f16.
    """
    return _issue(_tgemv_mx, after, dst, a, a_scale, b, b_scale, acc_phase)


_tgemv_mx_acc = _op("tgemv.mx.acc")


def tgemv_mx_acc(
    dst: Tile,
    acc_in: Tile,
    a: Tile,
    a_scale: Tile,
    b: Tile,
    b_scale: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Block-scaled row vector times matrix, added to an accumulator.

    As `tgemv.mx`, starting from `acc_in[0,n]`.

    Text: ``pto.tgemv.mx.acc``; targets: a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - acc_in: tile
    - a: tile
    - a_scale: tile
    - b: tile
    - b_scale: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 f4e1m2 f4e1m2; f32 f4e1m2 f4e2m1; f32 f4e2m1 f4e1m2; f32 f4e2m1 f4e2m1
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - a_scale: at least M × K/32
    - b_scale: at least K/32 × N
    - acc_in, dst: same rows and columns
    - a: 1 valid row
    - dst: 1 valid row

    Notes:
    - The headers keep scales in scale_left and scale_right as f8e8m0; the assembler writes `loc=scaling` and its examples use f16.
    """
    return _issue(_tgemv_mx_acc, after, dst, acc_in, a, a_scale, b, b_scale, acc_phase)


_tgemv_mx_bias = _op("tgemv.mx.bias")


def tgemv_mx_bias(
    dst: Tile,
    a: Tile,
    a_scale: Tile,
    b: Tile,
    b_scale: Tile,
    bias: Tile,
    *,
    acc_phase: AccPhase | str | None = None,
    after: After = None,
) -> Issued:
    """Block-scaled row vector times matrix, plus a row of biases.

    As `tgemv.mx`, starting from `bias[0,n]`, one row of f32.

    Text: ``pto.tgemv.mx.bias``; targets: a5, cpu; pipe PIPE_M.

    Arguments:
    - dst: tile
    - a: tile
    - a_scale: tile
    - b: tile
    - b_scale: tile
    - bias: tile
    - acc_phase: unit-flag hand-over of the accumulator to the fix pipe (unspecified, partial, final; else unspecified)

    Rules:
    - (dst, a, b) element types: f32 f8e4m3 f8e4m3; f32 f8e4m3 f8e5m2; f32 f8e5m2 f8e4m3; f32 f8e5m2 f8e5m2; f32 f4e1m2 f4e1m2; f32 f4e1m2 f4e2m1; f32 f4e2m1 f4e1m2; f32 f4e2m1 f4e2m1
    - a[M,K] b[K,N] by valid extents, and dst valid in M,N at least
    - M, K, N at most 4095 (a5)
    - a: NZ layout (a5)
    - b: ZN layout (a5)
    - dst: NZ layout (a5)
    - a_scale: at least M × K/32
    - b_scale: at least K/32 × N
    - bias: one row of at least N columns
    - bias: row-major layout (a5)
    - a: 1 valid row
    - dst: 1 valid row

    Notes:
    - The headers keep scales in scale_left and scale_right as f8e8m0; the assembler writes `loc=scaling` and its examples use f16.
    """
    return _issue(_tgemv_mx_bias, after, dst, a, a_scale, b, b_scale, bias, acc_phase)


_tget_scale_addr = _op("tget_scale_addr")


def tget_scale_addr(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Binds a scale tile to the scale memory that belongs to a left or right tile.

    The cube finds the block scales of an operand by the operand's own address: `address(dst) = address(src) >> 4`.
    No data moves. Load the scales into `dst` afterwards. `dst` has one entry per 32 elements along k.

    Text: ``pto.tget_scale_addr``; targets: a5, cpu; pipe PIPE_S.

    Arguments:
    - dst: tile
    - src: tile

    Rules:
    - dst: M × K/32 for a left tile, K/32 × N for a right one

    Notes:
    - One page says the address is shifted by 2; the headers shift by 4. The public simulator does not shift.
    - Older assemblers gave scale tiles the shape of their operand; newer ones and the headers do not.
    """
    return _issue(_tget_scale_addr, after, dst, src)


_sethf32mode = _op("sethf32mode")


def sethf32mode(
    enable: bool,
    *,
    mode: RoundMode | str | None = None,
    after: After = None,
) -> Issued:
    """Turns rounding of f32 operands to HF32 on or off for later products.

    HF32 keeps the sign, 8 exponent bits and 11 mantissa bits. The mode stays until it is changed.
    Documented only: no device header and no assembler has it, so it exists on the host alone.

    Text: ``pto.sethf32mode``; targets: cpu; pipe PIPE_S.

    Arguments:
    - enable: round f32 operands of later products (true, false)
    - mode: ROUND: ties away from zero; RINT, CAST_RINT: ties to even (NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD, CAST_RINT; else ROUND)

    Notes:
    - In the headers the mode is set with Tile::SetMadTF32Mode and reset with Tile::ResetMadMode.
    """
    return _issue(_sethf32mode, after, enable, mode)


_settf32mode = _op("settf32mode")


def settf32mode(
    enable: bool,
    *,
    mode: RoundMode | str | None = None,
    after: After = None,
) -> Issued:
    """Turns rounding of f32 operands to TF32 on or off for later products.

    TF32 keeps the sign, 8 exponent bits and 10 mantissa bits (A2/A3 would keep 11). The mode stays until it is changed.
    Documented only: no device header and no assembler has it, so it exists on the host alone.

    Text: ``pto.settf32mode``; targets: cpu; pipe PIPE_S.

    Arguments:
    - enable: round f32 operands of later products (true, false)
    - mode: ROUND: ties away from zero; RINT, CAST_RINT: ties to even (NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD, CAST_RINT; else ROUND)

    Notes:
    - The page speaks of a 7-bit mantissa on A5; the headers of 10 bits.
    """
    return _issue(_settf32mode, after, enable, mode)


_tmov = _op("tmov")


def tmov(
    dst: Tile,
    src: Tile,
    *,
    fp: Tile | None = None,
    pre_quant: Scalar[Any] | int | None = None,
    acc_to_vec_mode: AccToVecMode | str | None = None,
    relu_pre_mode: ReluPreMode | str | None = None,
    grp_axis: MxGroupAxis | str | None = None,
    after: After = None,
) -> Issued:
    """Moves a tile to another on-chip memory.

    `dst[r,c] = f(src[r,c])`. The two memories select the path: mat → left, right (a source in the opposite box order is
    transposed box by box), mat → bias, scaling (one row; half-width biases widen to f32), vec → vec,
    vec → mat (A5), acc → mat and acc → vec through the fix pipe. `f` is the identity except from acc, where it casts,
    or quantises by `pre_quant` or per column by `fp`, and applies ReLU. On A5 `accToVecMode` chooses the
    vector core, or splits rows (`dual_mode_split_m`) or columns (`dual_mode_split_n`) between the two.

    With a third tile in vec, the exponents of an MX quantisation are laid out in ZZ boxes of 16 × 2 for the cube:
    `grpAxis = axis1` reads them row by row, `axis0` as written by a quantisation along rows. The third tile is scratch.

    Text: ``pto.tmov``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - src: tile
    - fp: tile
    - pre_quant: integer
    - acc_to_vec_mode: which vector core receives an accumulator, or how the two share it (single_mode_vec0, single_mode_vec1, dual_mode_split_m, dual_mode_split_n)
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)
    - grp_axis: axis of the blocks whose exponents become ZZ (axis0, axis1)

    Rules:
    - src → dst: mat → left, mat → right, mat → bias, mat → scaling, vec → vec, acc → mat, acc → vec (a2a3)
    - src → dst: mat → left, mat → right, mat → bias, mat → scaling, mat → scale_left, mat → scale_right, vec → vec, vec → mat, acc → mat, acc → vec (a5, cpu)
    - fp and pre_quant: not both
    - quantisation and ReLU only from an accumulator
    - equal element types, or a conversion of the path
    - fp: one word per column of src
    - equal shapes from mat, and everywhere on A2/A3
    - bias, scaling: one row of whole 64-byte bursts (128 for scaling on A5) (a2a3, a5)
    - left: boxes of rows; right: ZN; from acc: NZ, to NZ with fractal=512 on A2/A3 (a2a3, a5)
    - accToVecMode from acc to vec only; dual modes without quantisation
    - ZZ form: vec tiles of ui8, hif8 or f8e8m0, src ND, dst ZZ, scratch of 64 + rows/16 · columns bytes

    Notes:
    - acc → vec on A2/A3 is accepted by the assembler; the A2/A3 headers do not have it.
    - vec → vec: devices copy the smaller of the two valid regions.
    - mat → scaling runs on the fix pipe; block scales (f8e8m0) run on MTE1.
    - With `fp` the C++ name is TMOV_FP unless `accToVecMode` is given.
    - The headers take 64-bit words in `fp`; the assembler also takes f32 and f16 tiles.
    """
    return _issue(_tmov, after, dst, src, fp, pre_quant, acc_to_vec_mode, relu_pre_mode, grp_axis)


_tmov_fp = _op("tmov.fp")


def tmov_fp(
    dst: Tile,
    src: Tile,
    fp: Tile,
    *,
    relu_pre_mode: ReluPreMode | str | None = None,
    after: After = None,
) -> Issued:
    """Moves an accumulator with one quantisation word per column.

    `dst[r,c] = relu(quant(src[r,c], fp[c]))`, with the words of `tstore_fp`: 8-bit results round to nearest even and
    saturate. `dst` is in mat; on A5 also in vec. The address of `fp` counts in units of 128 bytes.

    Text: ``pto.tmov.fp``; targets: a2a3, a5, cpu; pipe PIPE_FIX.

    Arguments:
    - dst: tile
    - src: tile
    - fp: tile
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)

    Rules:
    - src → dst: acc → mat (a2a3)
    - a conversion of the fix pipe
    - src NZ; dst NZ with fractal=512, or ND, DN in vec
    - fp: one word per column of src

    Notes:
    - The headers take 64-bit words in `fp`; the assembler also takes f32 and f16 tiles.
    - Newer assemblers write this as tmov with a second operand in scaling.
    """
    return _issue(_tmov_fp, after, dst, src, fp, relu_pre_mode)


_textract = _op("textract")


def textract(
    dst: Tile,
    src: Tile,
    index_row: Scalar[Any] | int,
    index_col: Scalar[Any] | int,
    *,
    fp: Tile | None = None,
    pre_quant: Scalar[Any] | int | None = None,
    acc_to_vec_mode: AccToVecMode | str | None = None,
    relu_pre_mode: ReluPreMode | str | None = None,
    after: After = None,
) -> Issued:
    """Copies a window of a tile into another tile.

    `dst[i,j] = f(src[index_row + i, index_col + j])` over the valid region of `dst`. The whole of `dst` must lie inside
    `src` at that place. Paths and `f` are those of `tmov`: mat → left, right and block scales (transposing a source in
    the opposite box order), acc → mat and, on A5, acc → vec, vec → vec, and vec → mat on A5.
    Into left and right, use indices that are multiples of the source's box: a device drops what is left over.

    Text: ``pto.textract``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - src: tile
    - index_row: integer
    - index_col: integer
    - fp: tile
    - pre_quant: integer
    - acc_to_vec_mode: which vector core receives an accumulator, or how the two share it (single_mode_vec0, single_mode_vec1, dual_mode_split_m, dual_mode_split_n)
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)

    Rules:
    - src → dst: mat → left, mat → right, acc → mat, vec → vec (a2a3)
    - src → dst: mat → left, mat → right, mat → scale_left, mat → scale_right, mat → scaling, acc → mat, acc → vec, vec → vec, vec → mat (a5, cpu)
    - fp and pre_quant: not both
    - quantisation and ReLU only from an accumulator
    - equal element types, or a conversion of the fix pipe
    - dst lies inside src at the indices
    - fp: one word per column of src
    - left: boxes of rows; right: ZN; vec: ND or NZ, the same in both; from acc: NZ (a2a3, a5)
    - accToVecMode from acc to vec only; dual modes without quantisation

    Notes:
    - The C++ form with two destinations (one ND source into two NZ tiles) has no assembly form.
    - With `fp` the C++ name is TEXTRACT_FP unless `accToVecMode` is given.
    - The assembler also takes f16 scales on A5 (mat to scaling); the headers take f8e8m0.
    """
    return _issue(_textract, after, dst, src, index_row, index_col, fp, pre_quant, acc_to_vec_mode, relu_pre_mode)


_textract_fp = _op("textract_fp")


def textract_fp(
    dst: Tile,
    src: Tile,
    fp: Tile,
    index_row: Scalar[Any] | int,
    index_col: Scalar[Any] | int,
    *,
    relu_pre_mode: ReluPreMode | str | None = None,
    after: After = None,
) -> Issued:
    """Copies a window of an accumulator with one quantisation word per column.

    `dst[i,j] = relu(quant(src[index_row + i, index_col + j], fp[index_col + j]))`: words belong to columns of `src`.

    Text: ``pto.textract_fp``; targets: a2a3, a5, cpu; pipe PIPE_FIX.

    Arguments:
    - dst: tile
    - src: tile
    - fp: tile
    - index_row: integer
    - index_col: integer
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)

    Rules:
    - src → dst: acc → mat (a2a3)
    - a conversion of the fix pipe
    - src NZ; dst NZ with fractal=512, or ND, DN in vec
    - dst lies inside src at the indices
    - fp: one word per column of src

    Notes:
    - The headers take 64-bit words in `fp`; the assembler also takes f32 and f16 tiles.
    - Newer assemblers write this as textract with `fp %fp : T`.
    """
    return _issue(_textract_fp, after, dst, src, fp, index_row, index_col, relu_pre_mode)


_tinsert = _op("tinsert")


def tinsert(
    dst: Tile,
    src: Tile,
    index_row: Scalar[Any] | int,
    index_col: Scalar[Any] | int,
    *,
    fp: Tile | None = None,
    pre_quant: Scalar[Any] | int | None = None,
    acc_to_vec_mode: AccToVecMode | str | None = None,
    relu_pre_mode: ReluPreMode | str | None = None,
    tinsert_mode: TInsertMode | str | None = None,
    after: After = None,
) -> Issued:
    """Writes a tile into a window of a larger tile.

    `dst[index_row + i, index_col + j] = f(src[i,j])` over the valid region of `src`; the rest of `dst` keeps its value. Paths:
    acc → mat and, on A5, acc → vec through the fix pipe (`f` as in `tmov`), vec → vec, and vec → mat on A5.
    `tinsertMode` splits an NZ source into 2 or 4 groups of columns on the way to mat.

    Text: ``pto.tinsert``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - src: tile
    - index_row: integer
    - index_col: integer
    - fp: tile
    - pre_quant: integer
    - acc_to_vec_mode: which vector core receives an accumulator, or how the two share it (single_mode_vec0, single_mode_vec1, dual_mode_split_m, dual_mode_split_n)
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)
    - tinsert_mode: split the source into 2 or 4 column groups (split2, split4)

    Rules:
    - src → dst: acc → mat, vec → vec (a2a3)
    - src → dst: acc → mat, acc → vec, vec → vec, vec → mat (a5, cpu)
    - fp and pre_quant: not both
    - quantisation and ReLU only from an accumulator
    - equal element types, or a conversion of the fix pipe
    - the valid region of src lies inside dst at the indices
    - fp: one word per column of src
    - vec: ND or NZ, the same in both; to mat: NZ or ZN; from acc: NZ (a2a3, a5)
    - accToVecMode from acc to vec only; dual modes without quantisation
    - tinsertMode from vec (NZ) to mat only

    Notes:
    - The value form names no old destination, so it cannot say what the rest of the result is; use the buffer form.
    - With `fp` the C++ name is TINSERT_FP unless `accToVecMode` is given.
    """
    return _issue(_tinsert, after, dst, src, index_row, index_col, fp, pre_quant, acc_to_vec_mode, relu_pre_mode, tinsert_mode)


_tinsert_fp = _op("tinsert_fp")


def tinsert_fp(
    dst: Tile,
    src: Tile,
    fp: Tile,
    index_row: Scalar[Any] | int,
    index_col: Scalar[Any] | int,
    *,
    relu_pre_mode: ReluPreMode | str | None = None,
    after: After = None,
) -> Issued:
    """Writes an accumulator into a window with one quantisation word per column.

    `dst[index_row + i, index_col + j] = relu(quant(src[i,j], fp[j]))` over the valid region of `src`: words belong to columns
    of `src`. The rest of `dst` keeps its value.

    Text: ``pto.tinsert_fp``; targets: a2a3, a5, cpu; pipe PIPE_FIX.

    Arguments:
    - dst: tile
    - src: tile
    - fp: tile
    - index_row: integer
    - index_col: integer
    - relu_pre_mode: ReLU applied to accumulator values (no_relu, normal_relu, scalar_relu, vector_relu, pwl; else no_relu)

    Rules:
    - src → dst: acc → mat (a2a3)
    - a conversion of the fix pipe
    - src NZ; dst NZ with fractal=512, or ND, DN in vec
    - the valid region of src lies inside dst at the indices
    - fp: one word per column of src

    Notes:
    - The headers take 64-bit words in `fp`; the assembler also takes f32 and f16 tiles.
    - Newer assemblers write this as tinsert with `fp %fp : T`.
    """
    return _issue(_tinsert_fp, after, dst, src, fp, index_row, index_col, relu_pre_mode)


_ttrans = _op("ttrans")


def ttrans(
    dst: Tile,
    src: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Transposes a tile.

    `dst[c,r] = src[r,c]` over the valid region of `src`. Bits are copied. Elements of `dst` outside the transposed
    region keep their contents or become garbage; do not read them.

    Text: ``pto.ttrans``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - tmp: scratch tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - the transposed valid region of src fits into dst
    - scratch `tmp`: as many bytes as src where its rows and the columns of dst are whole blocks, else 32 bytes

    Notes:
    - A5 ignores the scratch tile, but its C++ call still wants one.
    - The C++ call also converts between convolution layouts; those tiles have no assembly form.
    """
    return _issue(_ttrans, after, dst, src, tmp)


_tfillpad = _op("tfillpad")


def tfillpad(
    dst: Tile,
    src: Tile,
    *,
    pad_value: PadValue | str | None = None,
    after: After = None,
) -> Issued:
    """Copies a tile and fills the rest with its pad value.

    `dst[r,c] = src[r,c]` where both are inside the valid region of `src`, else the pad value of `dst`: zero, or the
    largest (`max`) or smallest (`min`) value of the element type, infinities for floats. `dst` may be larger than
    `src`, and may be `src` itself, of which then only the padding is written.

    In mat, `src` and `dst` have one type (NZ); only zeros can be filled in, in whole boxes.

    Text: ``pto.tfillpad``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - src: tile
    - pad_value: repeats the pad value of `dst` for a tile in mat (null, zero, max, min)

    Rules:
    - src, dst: element types of the same size
    - dst: elements of 1, 2, 4 bytes
    - dst has a pad value
    - src → dst: vec → vec, mat → mat
    - dst at least as large as src
    - mat: src and dst of one NZ type; padValue, if given, is the tile's

    Notes:
    - Devices fill all columns of the source's rows, then rows up to the valid rows of dst; the public simulator fills the whole tile, and so do we.
    - A larger dst is TFILLPAD_EXPAND in C++, a shared one TFILLPAD_INPLACE.
    - In mat the device fills on MTE2 by the headers, on MTE1 by the assembler.
    """
    return _issue(_tfillpad, after, dst, src, pad_value)


_tfillpad_inplace = _op("tfillpad_inplace")


def tfillpad_inplace(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Fills the padding of a tile in place.

    As `tfillpad` where `dst` is `src` under another type: the data stay, the rest becomes the pad value of `dst`.

    Text: ``pto.tfillpad_inplace``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Rules:
    - src, dst: element types of the same size
    - dst: elements of 1, 2, 4 bytes
    - dst has a pad value
    - src, dst: same rows and columns

    Notes:
    - Devices fill all columns of the source's rows, then rows up to the valid rows of dst; the public simulator fills the whole tile, and so do we.
    - Newer assemblers have only tfillpad and choose this form by the addresses.
    """
    return _issue(_tfillpad_inplace, after, dst, src)


_tfillpad_expand = _op("tfillpad_expand")


def tfillpad_expand(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Copies a tile into a larger one and fills the rest.

    As `tfillpad`, with a destination of at least the rows and columns of `src`.

    Text: ``pto.tfillpad_expand``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Rules:
    - src, dst: element types of the same size
    - dst: elements of 1, 2, 4 bytes
    - dst has a pad value
    - dst at least as large as src

    Notes:
    - Devices fill all columns of the source's rows, then rows up to the valid rows of dst; the public simulator fills the whole tile, and so do we.
    - Newer assemblers have only tfillpad and choose this form by the shapes.
    """
    return _issue(_tfillpad_expand, after, dst, src)


_tconcat = _op("tconcat")


def tconcat(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    *,
    after: After = None,
) -> Issued:
    """Puts two tiles side by side.

    Each row of `dst` is the row of `src0` followed by the row of `src1`, as far as their valid columns go.
    All three have the same valid rows, and the columns of `dst` hold both.

    Text: ``pto.tconcat``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - src0, src1, dst: same valid rows
    - dst has room for the columns of both
    - src0, src1, dst: row-major layout (a5)

    Notes:
    - A5 asserts that the valid columns of dst are exactly the sum; set them so.
    """
    return _issue(_tconcat, after, dst, src0, src1)


_tconcatidx = _op("tconcatidx")


def tconcatidx(
    dst: Tile,
    src0: Tile,
    src1: Tile,
    src0_idx: Tile,
    src1_idx: Tile,
    *,
    after: After = None,
) -> Issued:
    """Puts the first elements of each row of two tiles side by side.

    Row r of `dst` is the first n0 elements of `src0` followed by the first n1 of `src1`, with
    `n = idx[r,0] / sizeof(element of idx)`: the index tiles hold byte counts in units of their own element.
    What does not fit into the valid columns of `dst` is dropped; what is not reached keeps its contents.

    Text: ``pto.tconcatidx``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - src1: tile
    - src0_idx: tile
    - src1_idx: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32

    Rules:
    - src0, src1, src0_idx, src1_idx, dst: same valid rows
    - index tiles have a valid column
    - src0, src1, src0_idx, src1_idx, dst: row-major layout (a5)

    Notes:
    - The C++ form that also writes the resulting counts has no assembly form.
    - The public simulator does not drop what does not fit.
    """
    return _issue(_tconcatidx, after, dst, src0, src1, src0_idx, src1_idx)


_tinterleave = _op("tinterleave")


def tinterleave(
    dst1: Tile,
    dst0: Tile,
    src1: Tile,
    src0: Tile,
    *,
    after: After = None,
) -> Issued:
    """Interleaves two tiles.

    Each row becomes the sequence `src0[0], src1[0], src0[1], src1[1], …`; its first half goes to `dst0`, the second to
    `dst1`. All four tiles have the same valid region with an even number of columns.

    Text: ``pto.tinterleave``; targets: a5, cpu; pipe PIPE_V.

    Arguments:
    - dst1: tile
    - dst0: tile
    - src1: tile
    - src0: tile

    Element types:
    - a2a3: –
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - src0, src1, dst0, dst1: same valid rows and columns
    - an even number of valid columns

    Notes:
    - The page's first paragraph speaks of even and odd outputs; its formula and the code give halves.
    """
    return _issue(_tinterleave, after, dst1, dst0, src1, src0)


_tdeinterleave = _op("tdeinterleave")


def tdeinterleave(
    dst1: Tile,
    dst0: Tile,
    src0: Tile,
    *,
    src1: Tile | None = None,
    after: After = None,
) -> Issued:
    """Separates interleaved elements.

    With two sources, the rows of `src0` and `src1` one after the other form a sequence; `dst0` takes its even, `dst1` its
    odd positions, and all tiles have the same valid region. With one source, `dst0[r,j] = src0[r,2j]` and
    `dst1[r,j] = src0[r,2j+1]`, and the destinations have half of its valid columns.

    Text: ``pto.tdeinterleave``; targets: a5, cpu; pipe PIPE_V.

    Arguments:
    - dst1: tile
    - dst0: tile
    - src0: tile
    - src1: tile

    Element types:
    - a2a3: –
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - src0, src1: same valid rows and columns
    - dst0, dst1: same valid rows and columns
    - src0, dst0: same valid rows
    - an even number of valid columns
    - dst: the columns of src, half of them with one source

    Notes:
    - The public simulator's one-source form needs a multiple of four columns.
    """
    return _issue(_tdeinterleave, after, dst1, dst0, src0, src1)


_tpack = _op("tpack")


def tpack(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Narrows the elements of a tile.

    `dst[r,c]` is the integer `src[r,c]` in a type of fewer bytes, without its high bits. The device rule, and what it does to floats, is not
    published.
    The valid regions agree.

    Text: ``pto.tpack``; targets: a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile

    Rules:
    - src, dst: same valid rows and columns
    - integers, 4 → 2, 4 → 1 or 2 → 1 bytes

    Notes:
    - Documented and known to the assembler, but in no device header; whether hardware saturates is unknown.
    """
    return _issue(_tpack, after, dst, src)


_timg2col = _op("timg2col")


def timg2col(
    dst: Tile,
    src: Tile,
    *,
    pos_m: Scalar[Any] | int | None = None,
    pos_k: Scalar[Any] | int | None = None,
    filter_h: int | None = None,
    filter_w: int | None = None,
    stride_h: int | None = None,
    stride_w: int | None = None,
    dilation_h: int | None = None,
    dilation_w: int | None = None,
    channels: int | None = None,
    after: After = None,
) -> Issued:
    """Expands a window of the im2col matrix of a feature map.

    Row m = pos_m + r of the matrix is an output position `(n, d, oh, ow)` with `ow` fastest; column k = pos_k + c is
    `(c1, kh, kw, c0)` with `c0` fastest. `ih = oh·strideH + kh·dilationH − padTop`, `iw` likewise, and
    `dst[r,c] = src[n,d,c1,ih,iw,c0]`, or the pad value where `ih` or `iw` lies outside the map.

    `src` holds the map in L1 as NC1HWC0 (or NDC1HWC0): one row per `(n,c1,h,w)`, C0 elements of 32 bytes. The map and
    the convolution are described by `setfmatrix`, `set_img2col_rpt` and `set_img2col_padding`.

    Text: ``pto.timg2col``; targets: a2a3, a5, cpu; pipe PIPE_MTE1.

    Arguments:
    - dst: tile
    - src: tile
    - pos_m: integer
    - pos_k: integer
    - filter_h: rows of the filter (1 to 255; else 1)
    - filter_w: columns of the filter (1 to 255; else 1)
    - stride_h: rows from one position to the next (1 to 255; else 1)
    - stride_w: columns from one position to the next (1 to 255; else 1)
    - dilation_h: rows from one element of the filter to the next (1 to 255; else 1)
    - dilation_w: columns from one element of the filter to the next (1 to 255; else 1)
    - channels: channels of an image; without it there is one image (1 to 65535)

    Element types:
    - a2a3: i8, f16, bf16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8

    Notes:
    - The assembly on the page has no positions; they default to 0. No assembler knows the instruction.
    - In C++ the source is a ConvTile, which carries the description itself; here attributes of this instruction and of `setfmatrix` do.
    """
    return _issue(_timg2col, after, dst, src, pos_m, pos_k, filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w, channels)


_tquant = _op("tquant")


def tquant(
    dst: Tile,
    src: Tile,
    fp: Tile,
    quant_type: QuantType | str,
    *,
    tmp: Tile | None = None,
    offset: Tile | None = None,
    after: After = None,
) -> Issued:
    """Quantises f32 to 8-bit integers with one scale per row.

    INT8_SYM: `dst[r,c] = sat(rint(src[r,c] · fp[r]))` to i8. INT8_ASYM: `dst[r,c] = sat(rint(src[r,c] · fp[r] + offset[r]))`
    to ui8. Ties round to even; results saturate. `fp` holds multipliers (the reciprocals of the steps), one f32 per
    valid row. The domain is the valid region of `src`, which `dst` shares.

    A2/A3 works in `src` and in its scratch tile: do not read `src` afterwards.

    Text: ``pto.tquant``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - fp: tile
    - quant_type: INT8_SYM: signed, no offset; INT8_ASYM: with an offset (INT8_SYM, INT8_ASYM, MXFP8, MXFP4_E2M1)
    - tmp: scratch tile
    - offset: tile

    Rules:
    - src, dst: same valid rows and columns
    - src, dst, tmp: row-major layout (a2a3)
    - offset exactly for INT8_ASYM
    - fp, offset: one value per row of dst; a column (DN) on A2/A3
    - tmp: the rows and columns of src (a2a3)
    - scratch `tmp`: as large as src on A2/A3

    Notes:
    - The page divides by the scale and adds the offset after rounding; the device code multiplies and adds before.
    - The headers want i8 for INT8_SYM and ui8 for INT8_ASYM; the assembler takes either, and the bits are the same codes.
    - The scratch tile stands in outs(…), after dst. The number of a quant_type differs between C++ and the assembler.
    - Older assemblers take row-major parameters on A2/A3; newer ones reject them.
    """
    return _issue(_tquant, after, dst, src, fp, quant_type, tmp, offset)


_tquant_mx = _op("tquant.mx")


def tquant_mx(
    dst: Tile,
    src: Tile,
    exp: Tile,
    max: Tile,
    scaling: Tile,
    quant_type: QuantType | str,
    *,
    exp_zz: Tile | None = None,
    quant_scale_alg: QuantScaleAlg | str | None = None,
    store_mode: VecStoreMode | str | None = None,
    grp_axis: MxGroupAxis | str | None = None,
    interleave: bool | None = None,
    after: After = None,
) -> Issued:
    """Quantises to an MX format: groups of 32 share one exponent.

    Groups run along columns (`grpAxis = axis1`) or rows (`axis0`). With m the largest |x| of a group and e its biased f32
    exponent, `ocp` chooses `E = max(0, e − emax)` with emax 8 (MXFP8) or 2 (MXFP4); `nv` takes `d = m/448` (or m/6) and
    `E = exponent(d)`, one more when d has mantissa bits. `dst = cast(x · 2^(127−E))` to e4m3 or e2m1, to nearest even,
    saturating. `exp` receives E, `max` receives m and `scaling` `2^(127−E)` (as a bf16 number where `src` has 16 bits).

    A group with a NaN gets E = 255 and NaN codes (0x7f, or 7 in e2m1), an infinite one 255 − emax (`ocp`) or 254 (`nv`). Exponents form an M × N/32 grid (M/32 × N along
    rows), or one row of them; `interleave` writes pairs of exponent rows element by element. `exp_zz` with `storeMode`
    is an older form that also writes them in ZZ order; use `tmov` with a scratch tile instead.
    MXFP4 packs two codes to a byte, so `dst` has half the columns.

    Text: ``pto.tquant.mx``; targets: a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - exp: tile
    - max: tile
    - scaling: tile
    - quant_type: MXFP8: e4m3 codes; MXFP4_E2M1: packed e2m1 codes (INT8_SYM, INT8_ASYM, MXFP8, MXFP4_E2M1)
    - exp_zz: tile
    - quant_scale_alg: how the exponent of a group is chosen (ocp, nv; else ocp)
    - store_mode: order of the extra exponent tile (nd, nz)
    - grp_axis: groups run along columns (axis1) or rows (axis0) (axis0, axis1; else axis1)
    - interleave: pairs of exponent rows are interleaved (axis0) (true, false; else false)

    Rules:
    - exp_zz and storeMode: both or neither
    - MXFP8 or MXFP4_E2M1; interleave along rows only; exp_zz along columns only
    - MXFP8: f32, f16, bf16 → i8, ui8; MXFP4_E2M1: f16, bf16 → f4e2m1
    - fixed extents; whole groups of 32 (64 with interleave); one exponent, maximum and scale per group
    - combinations the device code carries out (a5)

    Notes:
    - The page gives emax = 1 for e2m1 and speaks of stochastic rounding; the device code uses 2 and rounds to nearest even.
    - The public simulator leaves NaN elements out of the maximum and codes them 0x7f.
    - C++ chooses by template: TQUANT<type, alg>, TQUANT<type, store mode> with exp_zz, or TQUANT<axis, alg, interleave>.
    """
    return _issue(_tquant_mx, after, dst, src, exp, max, scaling, quant_type, exp_zz, quant_scale_alg, store_mode, grp_axis, interleave)


_tquant_hif4 = _op("tquant.hif4")


def tquant_hif4(
    dst: Tile,
    src: Tile,
    exp: Tile,
    max: Tile,
    scaling: Tile,
    *,
    after: After = None,
) -> Issued:
    """Quantises bf16 to HiFloat4: groups of 64 along columns with three levels of scales.

    All in bf16. Ma, Mb, Mc are the largest |x| of 64, 8 and 4 elements. `Ea` is the e6m2 code of `Ma/7`, value
    `(1 + m/4)·2^(e−48)`, nearest even, at most 0xFE. `rA = bf16(1/Ea)`; `Eb = (Mb·rA ≥ 4)`; `Ec = (Mc·rA·2^−Eb ≥ 2)`;
    `dst = e1m2(x·rA·2^−Eb·2^−Ec)`, nearest, ties to even, at most 1.75. A group of zeros has code 0.

    `exp` receives the cells described at `tmatmul.mx.hif4`: 4 bytes per row and group. `max` and `scaling` are scratch.
    Only a later device has this instruction; here it runs on the host.

    Text: ``pto.tquant.hif4``; targets: cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - exp: tile
    - max: tile
    - scaling: tile

    Rules:
    - src, dst: same valid rows
    - whole groups of 64 columns

    Notes:
    - No assembly form exists; the mnemonic is ours. In C++ it is TQUANT<1, MxQuantAlg::Hif4>.
    - The page describes Ea as a power of two; the public tests and code use the e6m2 form given here.
    """
    return _issue(_tquant_hif4, after, dst, src, exp, max, scaling)


_tdequant = _op("tdequant")


def tdequant(
    dst: Tile,
    src: Tile,
    scale: Tile,
    offset: Tile,
    *,
    after: After = None,
) -> Issued:
    """Turns 8- or 16-bit integers back into f32 with one scale and offset per row.

    `dst[r,c] = (f32(src[r,c]) − offset[r]) · scale[r]`: a subtraction and a multiplication, each rounded to f32. `scale` and
    `offset` hold one value per valid row of `dst`, in their first column.

    Text: ``pto.tdequant``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - scale: tile
    - offset: tile

    Rules:
    - src, dst: same valid rows and columns
    - scale, offset, dst: same valid rows

    Notes:
    - Devices spread a parameter over a 32-byte block, so fill the first block of each row with it.
    """
    return _issue(_tdequant, after, dst, src, scale, offset)


_tsort32 = _op("tsort32")


def tsort32(
    dst: Tile,
    src: Tile,
    idx: Tile,
    *,
    tmp: Tile | None = None,
    after: After = None,
) -> Issued:
    """Sorts every 32 elements of a row, largest first, and keeps their indices.

    In every row, each block of 32 elements of `src` becomes 32 records of 8 bytes in `dst`, sorted by falling value;
    equal values keep their order. A record is `[value f32][index ui32]` or `[value f16][2 bytes of zero][index ui32]`,
    so `dst` needs 2 times (f32) or 4 times (f16) the columns of `src`, rounded up to whole blocks. The index of an
    element comes from `idx`; an `idx` with one valid row serves all rows.

    NaN comes after all numbers, and +0 equals -0. A last block of fewer than 32 elements is completed in `tmp` with
    NaN records of index 0. Records for which the valid region of `dst` has no room are not written.

    Text: ``pto.tsort32``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - idx: tile
    - tmp: scratch tile

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - tmp for a last block of fewer than 32 elements
    - idx has at least the valid columns of src
    - scratch `tmp`: one row of src, when its valid columns are not a multiple of 32

    Notes:
    - Nothing checks that dst is large enough for the records; public programs exist where it is not.
    - The page calls the filling of a last block -inf; the headers write the bits of a negative NaN.
    """
    return _issue(_tsort32, after, dst, src, idx, tmp)


_tmrgsort = _op("tmrgsort")


def tmrgsort(
    dst: Tile,
    src0: Tile,
    *,
    executed: Handle | None = None,
    tmp: Tile | None = None,
    src1: Tile | None = None,
    src2: Tile | None = None,
    src3: Tile | None = None,
    block_len: Scalar[Any] | int | None = None,
    exhausted: bool | None = None,
    after: After = None,
) -> Issued:
    """Merges sorted lists of records.

    Records are those of `tsort32`; all tiles have one row. Block form: `src0` holds sorted lists of `block_len`
    elements (values and indices counted alike, so 32 records of f32 are 64), and each group of four lists becomes
    one sorted list in `dst`; the valid columns are a multiple of `4 * block_len`, at most 255 times.

    List form: 2 to 4 sorted lists are merged into `dst` by way of `tmp`. With `exhausted = true` merging stops as
    soon as one list is empty, and `executed` receives how many records were taken from each list. Larger values
    come first; of equal values, that of the lower list. NaN comes last. Of the merged list, as much is written as the
    valid region of `dst` has room for.

    Text: ``pto.tmrgsort``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src0: tile
    - executed: vector
    - tmp: scratch tile
    - src1: tile
    - src2: tile
    - src3: tile
    - block_len: integer
    - exhausted: stop when a list is empty (true, false; else false)

    Element types:
    - a2a3: f16, f32
    - a5: f16, f32
    - cpu: f16, f32

    Rules:
    - one row each; src0 and block_len (a multiple of 64, dst as wide as src0), or 2 to 4 lists with executed and a tmp as wide as all of them
    - scratch `tmp`: list form: one row of all lists together, and at least of dst

    Notes:
    - Of three or more tiles in ins, the last is tmp, unless the word no_tmp follows them.
    - The devices write executed only when exhausted = true.
    - The C++ form takes exhausted only in the list form.
    """
    return _issue(_tmrgsort, after, dst, src0, executed, tmp, src1, src2, src3, block_len, exhausted)


_tgather = _op("tgather")


def tgather(
    dst: Tile,
    src: Tile,
    *,
    indices: Tile | None = None,
    k_value: ScalarLike | None = None,
    cdst: Tile | None = None,
    tmp: Tile | None = None,
    offset: int | None = None,
    mask_pattern: MaskPattern | str | None = None,
    axis: str | None = None,
    cmp_mode: CmpMode | str | None = None,
    after: After = None,
) -> Issued:
    """Collects elements by index, by pattern, or by comparison.

    Index form: `dst[i,j] = src[indices[i,j]]` over the valid region of `dst`, where an index counts the elements of
    the physical `src` row by row. An index outside `src` is undefined on the devices.

    Pattern form (`maskPattern`): of every 2 or 4 neighbouring elements the marked ones are kept. Along a row they are
    packed one after the other, over all rows, so all columns of `dst` are valid unless it has one row; along the rows
    (`axis = "col"`) whole rows are kept.

    Comparison form (`k_value`, `cdst`): for each row, the positions (plus `offset`) of the elements that are equal
    to (`cmpMode` eq, also when not given) or greater than (gt) `k_value` go to that row of `dst`, and their number to
    `cdst`, whose elements are counted row by row. A position counts the elements of the physical `src` row by row.

    Text: ``pto.tgather``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - indices: tile
    - k_value: scalar
    - cdst: tile
    - tmp: scratch tile
    - offset: comparison form: added to every position (an integer)
    - mask_pattern: which of 2 or 4 neighbouring elements are meant; the last digit is the first element (P0101, P1010, P0001, P0010, P0100, P1000, P1111)
    - axis: "row": the pattern runs along the columns of a row; "col": along the rows (a text in quotes)
    - cmp_mode: comparison form: eq (also when not given) or gt (eq, ne, lt, le, gt, ge)

    Element types:
    - a2a3: i16, i32, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, hif8
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - k_value and cdst: both or neither
    - src, k_value: same element type
    - indices, tmp: same element type (a2a3)
    - indices, tmp: same valid rows and columns (a2a3)
    - valid region of dst inside that of indices
    - exactly one of the three forms, with its element types and layouts
    - scratch `tmp`: index form on a2a3: a tile like indices; comparison form: any

    Notes:
    - In C++ the value of the comparison form is a tile.
    - Version 0.60 of the public assembler wants an axis with every maskPattern, written after the type: `ins(%src, {maskPattern = …} : T, "row")`; 0.27 has none and means "row".
    - a5 keeps one count over all rows in the comparison form, and compares floats as integers.
    - On a2a3 the pattern form along the rows writes more rows than dst has valid.
    """
    return _issue(_tgather, after, dst, src, indices, k_value, cdst, tmp, offset, mask_pattern, axis, cmp_mode)


_tgatherb = _op("tgatherb")


def tgatherb(
    dst: Tile,
    src: Tile,
    offsets: Tile,
    *,
    after: After = None,
) -> Issued:
    """Collects blocks of 32 bytes by byte offset.

    The valid row `i` of `dst` is cut into blocks of 32 bytes; block `b` is the 32 bytes of `src` that start at the
    byte offset `offsets[i,b]`. There is one offset per block, not per element.

    Text: ``pto.tgatherb``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - offsets: tile

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - dst: row-major layout (a2a3)
    - offsets: one for each block of 32 bytes of dst

    Notes:
    - The formula of the page has one offset per element; the headers and tests use one per block.
    """
    return _issue(_tgatherb, after, dst, src, offsets)


_tscatter = _op("tscatter")


def tscatter(
    dst: Tile,
    src: Tile,
    *,
    indexes: Tile | None = None,
    mask_pattern: MaskPattern | str | None = None,
    axis: str | None = None,
    after: After = None,
) -> Issued:
    """Distributes elements by index or by pattern.

    Index form: `dst[indexes[i,j]] = src[i,j]` over the valid region of `indexes`, where an index counts the elements
    of the physical `dst` row by row. The devices first set all of `dst` to zero; the host leaves the other elements
    alone. When two elements go to one place, the last wins on a2a3 and the host; a5 does not say. Indices have 2
    bytes for elements of 1 and 2 bytes, else 4.

    Pattern form (`maskPattern`), the inverse of that of `tgather`: the marked elements of every 2 or 4 of `dst` receive
    those of `src` in order, the others become 0. The valid region of `dst` is 2 or 4 times that of `src` along the
    columns, or along the rows with `axis = "col"`.

    Text: ``pto.tscatter``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - src: tile
    - indexes: tile
    - mask_pattern: which of 2 or 4 neighbouring elements are meant; the last digit is the first element (P0101, P1010, P0001, P0010, P0100, P1000, P1111)
    - axis: "row": the pattern runs along the columns of a row; "col": along the rows (a text in quotes)

    Element types:
    - a2a3: i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f8e4m3, f8e5m2, f8e8m0, hif8, f4e1m2, f4e2m1

    Rules:
    - src, indexes: same valid rows and columns
    - indexes of the right size, or a maskPattern with a dst of the right size

    Notes:
    - The formula of the page reads an index as a row; every implementation reads it as an element number.
    - On a2a3 the index form is a loop of the scalar unit; the pattern form runs on the vector pipe.
    - Version 0.27 of the public assembler has only the index form.
    """
    return _issue(_tscatter, after, dst, src, indexes, mask_pattern, axis)


_thistogram = _op("thistogram")


def thistogram(
    dst: Tile,
    src: Tile,
    idx: Tile,
    *,
    byte: int | None = None,
    is_msb: bool | None = None,
    after: After = None,
) -> Issued:
    """Cumulative histogram of one byte of each element, for every row.

    `dst[i,b]` is the number of elements in row `i` of `src` whose chosen byte is at most `b`, for `b` from 0 to 255.
    `byte` counts from the least significant one. ui16: byte 1 counts all elements; byte 0 counts those whose high
    byte is `idx[i,0]`. ui32: byte 3 counts all; byte `k` counts those whose more significant bytes are the first
    elements of the `3 - k` rows of `idx`, most significant first, the same for all rows of `src`.

    Text: ``pto.thistogram``; targets: a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - src: tile
    - idx: tile
    - byte: which byte is counted; 0 is the least significant (0 to 3; else 1)
    - is_msb: older spelling for ui16: true is byte 1, false is byte 0 (true, false)

    Rules:
    - dst: 256 columns and the valid rows of src; idx: a col-major column (ui16), or 3 - byte rows as wide as src (ui32)

    Notes:
    - The page describes plain counts and a filter per row for ui32; the headers count cumulatively and use one filter.
    - Version 0.27 of the public assembler takes only ui16, with isMSB.
    """
    return _issue(_thistogram, after, dst, src, idx, byte, is_msb)


_tci = _op("tci")


def tci(
    dst: Tile,
    start: ScalarLike,
    *,
    tmp: Tile | None = None,
    descending: bool | None = None,
    after: After = None,
) -> Issued:
    """Fills a row with consecutive numbers.

    `dst[0,k] = start + k`, or `start - k` with `descending`, for every valid column `k`; integers wrap. `dst` has one
    row, and `start` has exactly its element type.

    Text: ``pto.tci``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - dst: tile
    - start: scalar
    - tmp: scratch tile
    - descending: count downwards (true, false; else false)

    Element types:
    - a2a3: i16, i32, ui16, ui32, f16, bf16, f32
    - a5: i16, i32, ui16, ui32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Rules:
    - start, dst: same element type
    - dst has one row
    - tmp: elements of 4 bytes (a2a3)
    - scratch `tmp`: a2a3: 768 bytes for 4-byte elements, 1792 bytes for 2-byte elements

    Notes:
    - Without tmp, a2a3 writes the numbers one by one; with it, the vector pipe does.
    - The C++ template arguments start with the types of the tile, of tmp if given, and of start.
    - Version 0.60 of the public assembler wants tmp on a2a3 where it does not place tiles itself; its own samples leave it out.
    """
    return _issue(_tci, after, dst, start, tmp, descending)


_ttri = _op("ttri")


def ttri(
    dst: Tile,
    diagonal: Scalar[Any] | int,
    *,
    upper_or_lower: int | None = None,
    after: After = None,
) -> Issued:
    """Fills a tile with a triangle of ones.

    Over the valid region of `dst`: lower (`upperOrLower = 0`): `dst[i,j] = 1` where `j <= i + diagonal`, else 0;
    upper (`upperOrLower = 1`): `dst[i,j] = 1` where `j >= i + diagonal`, else 0.

    Text: ``pto.ttri``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - diagonal: integer
    - upper_or_lower: 0: lower triangle, 1: upper triangle (0, 1; else 0)

    Element types:
    - a2a3: i16, i32, ui16, ui32, f16, f32
    - a5: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32
    - cpu: i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32

    Notes:
    - The C++ template arguments start with the type of the tile.
    """
    return _issue(_ttri, after, dst, diagonal, upper_or_lower)


_trandom = _op("trandom")


def trandom(
    dst: Tile,
    key0: Scalar[Any] | int,
    key1: Scalar[Any] | int,
    counter0: Scalar[Any] | int,
    counter1: Scalar[Any] | int,
    counter2: Scalar[Any] | int,
    counter3: Scalar[Any] | int,
    *,
    rounds: int | None = None,
    after: After = None,
) -> Issued:
    """Fills a tile with random 32-bit integers that follow from a key and a counter.

    Philox4x32 with a key of 2 and a counter of 4 words, and `rounds` rounds. Lane `l` of 64 uses the counter plus `l`,
    its four words are four consecutive elements, and the counter advances by 64 for every 256 elements of a row, by
    `(columns - 1) mod 64 + 1` for the last ones. The same key and counter give the same numbers.

    Text: ``pto.trandom``; targets: a5, cpu; pipe PIPE_V.

    Arguments:
    - dst: tile
    - key0: integer
    - key1: integer
    - counter0: integer
    - counter1: integer
    - counter2: integer
    - counter3: integer
    - rounds: rounds of the generator (7, 10; else 10)

    Element types:
    - a2a3: –
    - a5: i32, ui32
    - cpu: i32, ui32

    Notes:
    - In C++ the key and the counter are arrays of 2 and 4 words; the page shows them as tiles.
    - The page names another generator; the code is Philox4x32.
    - The host puts the numbers in another order than a5.
    """
    return _issue(_trandom, after, dst, key0, key1, counter0, counter1, counter2, counter3, rounds)


_tprint = _op("tprint")


def tprint(
    src: Tile | View,
    *,
    tmp: View | None = None,
    print_format: PrintFormat | str | None = None,
    after: After = None,
) -> Issued:
    """Prints a tile or a window of global memory.

    For debugging: text output only. Floats are printed with the chosen decimals, integers as decimals; every column is as wide as its widest
    number, and at least as wide as `printFormat` says. A device prints the whole tile and marks the edge of the valid region; the host
    prints the valid region of a tile in any memory, row by row, with the line, the iteration and the core. A device copies tiles outside
    vector memory to `tmp`, a window of global memory, first.

    Text: ``pto.tprint``; targets: a2a3, a5, cpu; pipe PIPE_V.

    Arguments:
    - src: tile or view of global memory
    - tmp: view of global memory
    - print_format: width and digits of floats (width8_precision4, width8_precision2, width10_precision6; else width8_precision4)

    Rules:
    - no tmp with a view

    Notes:
    - The device waits for all pipes before it prints, and prints only in debug builds.
    """
    return _issue(_tprint, after, src, tmp, print_format)


_tgetval = _op("tgetval")


def tgetval(
    src: Tile,
    offset: IndexLike,
    *,
    after: After = None,
) -> Scalar[Any]:
    """Reads one element of a tile.

    `dst = src[offset]`, where `offset` counts the elements of the physical tile in the order in which they lie in
    memory; the valid region does not matter. Runs on the scalar unit, so everything that wrote the tile must have
    finished.

    Text: ``pto.tgetval``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - src: tile
    - offset: index

    Rules:
    - src, dst: same element type
    - offset inside the tile

    Notes:
    - In C++ a member of the tile: `src.GetValue(offset)`.
    """
    return _issue(_tgetval, after, src, offset)


_tsetval = _op("tsetval")


def tsetval(
    dst: Tile,
    offset: IndexLike,
    val: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Writes one element of a tile.

    `dst[offset] = val`, where `offset` counts the elements of the physical tile in the order in which they lie in
    memory; the valid region does not matter, and all other elements stay. Runs on the scalar unit.

    Text: ``pto.tsetval``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - dst: tile
    - offset: index
    - val: scalar

    Rules:
    - dst, val: same element type
    - offset inside the tile

    Notes:
    - In C++ a member of the tile: `dst.SetValue(offset, val)`.
    """
    return _issue(_tsetval, after, dst, offset, val)


_print = _op("print")


def print(
    format: str,
    scalar: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Prints a scalar.

    For debugging: `format` is a `printf` format with one conversion that fits the scalar.

    Text: ``pto.print``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - format: printf format with one conversion (a text in quotes)
    - scalar: scalar
    """
    return _issue(_print, after, format, scalar)


_trap = _op("trap")


def trap(
    *,
    after: After = None,
) -> Issued:
    """Stops the program.

    For debugging: execution ends here with an error.

    Text: ``pto.trap``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_trap, after)


_get_vms4_sr = _op("get_vms4_sr")


def get_vms4_sr(
    *,
    after: After = None,
) -> tuple[Scalar[Any], Scalar[Any], Scalar[Any], Scalar[Any]]:
    """Reads how many records the last merge took from each list.

    After a merge that stopped because a list was empty, `list0` to `list3` are the numbers of records taken from the
    four lists: the four 16-bit fields of a status register, lowest first.

    Text: ``pto.get_vms4_sr``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Notes:
    - Only in version 0.60 of the public assembler, next to its vector-register instructions.
    """
    return _issue(_get_vms4_sr, after)


_set_flag = _op("set_flag")


def set_flag(
    src_pipe: Pipe | str,
    dst_pipe: Pipe | str,
    event_id: Event | str,
    *,
    after: After = None,
) -> Issued:
    """Raise an event from one pipe to another.

    When everything issued earlier on `src_pipe` has finished, event `event_id` of the ordered pair
    (`src_pipe`, `dst_pipe`) becomes set. A `wait_flag` with the same three values consumes it.

    Every set needs exactly one wait: setting an event that is still set loses one of the two, and an event
    left over disturbs the next kernel. To protect a buffer that is reused in a loop, set the reverse
    direction once before the loop and wait for it once after.

    Text: ``pto.set_flag``; targets: a2a3, a5, cpu.

    Arguments:
    - src_pipe: the pipe whose work must be done (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - dst_pipe: the pipe that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which of the eight events of this pair (EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7)

    Rules:
    - src_pipe and dst_pipe are two different pipes, neither of them PIPE_ALL

    Notes:
    - One page speaks of 16 event ids; the devices have 8 per ordered pair of pipes.
    """
    return _issue(_set_flag, after, src_pipe, dst_pipe, event_id)


_wait_flag = _op("wait_flag")


def wait_flag(
    src_pipe: Pipe | str,
    dst_pipe: Pipe | str,
    event_id: Event | str,
    *,
    after: After = None,
) -> Issued:
    """Stop a pipe until an event of another pipe is raised, and consume the event.

    Later instructions of `dst_pipe` start only after the matching `set_flag`. Other pipes go on.
    A wait whose event is never raised stops the core for good.

    Text: ``pto.wait_flag``; targets: a2a3, a5, cpu.

    Arguments:
    - src_pipe: the pipe whose work must be done (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - dst_pipe: the pipe that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which of the eight events of this pair (EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7)

    Rules:
    - src_pipe and dst_pipe are two different pipes, neither of them PIPE_ALL
    """
    return _issue(_wait_flag, after, src_pipe, dst_pipe, event_id)


_set_flag_dyn = _op("set_flag_dyn")


def set_flag_dyn(
    src_pipe: Pipe | str,
    dst_pipe: Pipe | str,
    event_id: IndexLike,
    *,
    after: After = None,
) -> Issued:
    """Raise an event whose id is computed at run time.

    As `set_flag`, with the id in a value: 0 to 7. Loops that alternate between buffers keep the ids in an
    event-id array.

    Text: ``pto.set_flag_dyn``; targets: a2a3, a5, cpu.

    Arguments:
    - src_pipe: the pipe whose work must be done (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - dst_pipe: the pipe that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: index

    Rules:
    - src_pipe and dst_pipe are two different pipes, neither of them PIPE_ALL
    - event_id is one of the target's event ids
    """
    return _issue(_set_flag_dyn, after, src_pipe, dst_pipe, event_id)


_wait_flag_dyn = _op("wait_flag_dyn")


def wait_flag_dyn(
    src_pipe: Pipe | str,
    dst_pipe: Pipe | str,
    event_id: IndexLike,
    *,
    after: After = None,
) -> Issued:
    """Wait for an event whose id is computed at run time.

    As `wait_flag`, with the id in a value: 0 to 7.

    Text: ``pto.wait_flag_dyn``; targets: a2a3, a5, cpu.

    Arguments:
    - src_pipe: the pipe whose work must be done (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - dst_pipe: the pipe that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: index

    Rules:
    - src_pipe and dst_pipe are two different pipes, neither of them PIPE_ALL
    - event_id is one of the target's event ids
    """
    return _issue(_wait_flag_dyn, after, src_pipe, dst_pipe, event_id)


_record_event = _op("record_event")


def record_event(
    src_op: PipeEventType | str,
    dst_op: PipeEventType | str,
    event_id: Event | str,
    *,
    after: After = None,
) -> Issued:
    """Raise an event between two classes of operations.

    As `set_flag`, but the pipes are named by what runs on them: TLOAD is PIPE_MTE2, TSTORE_VEC PIPE_MTE3,
    TSTORE_ACC PIPE_FIX, TMOV_M2L and TMOV_M2B PIPE_MTE1, TMOV_M2S, TMOV_V2M PIPE_FIX, TMATMUL PIPE_M,
    TVEC, TMOV_M2V and TVECWAIT_EVENT PIPE_V.

    Text: ``pto.record_event``; targets: a2a3, a5, cpu.

    Arguments:
    - src_op: the operations whose work must be done (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - dst_op: the operations that wait (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - event_id: which of the eight events of this pair (EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7)

    Notes:
    - `sync_op_type` is the older name of `pipe_event_type`; both are read.
    """
    return _issue(_record_event, after, src_op, dst_op, event_id)


_wait_event = _op("wait_event")


def wait_event(
    src_op: PipeEventType | str,
    dst_op: PipeEventType | str,
    event_id: Event | str,
    *,
    after: After = None,
) -> Issued:
    """Wait for an event between two classes of operations, and consume it.

    As `wait_flag`, with the pipes named by what runs on them; see `record_event`.

    Text: ``pto.wait_event``; targets: a2a3, a5, cpu.

    Arguments:
    - src_op: the operations whose work must be done (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - dst_op: the operations that wait (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - event_id: which of the eight events of this pair (EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7)
    """
    return _issue(_wait_event, after, src_op, dst_op, event_id)


_barrier = _op("barrier")


def barrier(
    pipe: Pipe | str,
    *,
    after: After = None,
) -> Issued:
    """Let one pipe finish all it has been given before it takes more.

    Orders instructions of the same pipe that touch the same memory, which a flag cannot do. `PIPE_ALL` waits
    for every pipe of the core and is the simplest, and slowest, synchronisation there is.

    Text: ``pto.barrier``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe: which pipe (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)

    Rules:
    - pipe is one the target has a barrier for

    Notes:
    - The public assembler drops PIPE_V barriers on A5, where the vector unit orders its own memory accesses.
    - The C++ form `TSYNC<Op>()` takes fewer pipes on A5: MTE2, MTE3 and ALL.
    """
    return _issue(_barrier, after, pipe)


_barrier_sync = _op("barrier_sync")


def barrier_sync(
    op_type: PipeEventType | str,
    *,
    after: After = None,
) -> Issued:
    """Let the pipe of a class of operations finish before it takes more.

    As `barrier`, with the pipe named by what runs on it; the C++ form is `TSYNC<Op>()`.

    Text: ``pto.barrier_sync``; targets: a2a3, a5, cpu.

    Arguments:
    - op_type: which operations (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    """
    return _issue(_barrier_sync, after, op_type)


_tsync = _op("tsync")


def tsync(
    events: Sequence[Handle],
    *,
    after: After = None,
) -> Issued:
    """Wait until the named values are complete.

    Waits for each operand in turn: an event recorded earlier, or the last operation that writes the tile or
    view. Without operands it does nothing. Where the compiler inserts synchronisation it is not needed.

    Text: ``pto.tsync``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - events: value

    Notes:
    - Some pages use `TSYNC()` as a full barrier; in the headers the empty form does nothing.
    - The public assembler takes tiles and views as operands, the C++ function takes Event objects.
    """
    return _issue(_tsync, after, events)


_get_buf = _op("get_buf")


def get_buf(
    op_type: PipeEventType | str,
    buf_id: int,
    *,
    mode: int | None = None,
    after: After = None,
) -> Issued:
    """Acquire a buffer token for a pipe.

    Later instructions of the pipe wait until no other pipe holds token `buf_id`; then this pipe holds it.
    All 32 tokens start free. A pipe must not acquire a token it already holds. With `rls_buf` this replaces
    pairs of flags around a shared buffer.

    Text: ``pto.get_buf``; targets: a2a3, a5, cpu.

    Arguments:
    - op_type: the pipe, or the class of operations that runs on it (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - buf_id: which of the 32 tokens (0 to 31)
    - mode: how the hardware orders the holders (an integer, at least 0; else 0)

    Rules:
    - op_type names one pipe, not PIPE_ALL

    Notes:
    - The public assembler speaks of an A5 instruction; the pages list A2 and A3 too.
    """
    return _issue(_get_buf, after, op_type, buf_id, mode)


_rls_buf = _op("rls_buf")


def rls_buf(
    op_type: PipeEventType | str,
    buf_id: int,
    *,
    mode: int | None = None,
    after: After = None,
) -> Issued:
    """Release a buffer token.

    Once everything issued earlier on the pipe has finished, token `buf_id` becomes free. Never blocks; the
    same pipe must have acquired the token with `get_buf`.

    Text: ``pto.rls_buf``; targets: a2a3, a5, cpu.

    Arguments:
    - op_type: the pipe, or the class of operations that runs on it (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - buf_id: which of the 32 tokens (0 to 31)
    - mode: how the hardware orders the holders (an integer, at least 0; else 0)

    Rules:
    - op_type names one pipe, not PIPE_ALL
    """
    return _issue(_rls_buf, after, op_type, buf_id, mode)


_get_buf_dyn = _op("get_buf_dyn")


def get_buf_dyn(
    op_type: PipeEventType | str,
    buf_id: IndexLike,
    *,
    mode: int | None = None,
    after: After = None,
) -> Issued:
    """Acquire a buffer token whose id is computed at run time.

    As `get_buf`, with the id in a value: 0 to 31.

    Text: ``pto.get_buf_dyn``; targets: a2a3, a5, cpu.

    Arguments:
    - op_type: the pipe, or the class of operations that runs on it (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - buf_id: index
    - mode: how the hardware orders the holders (an integer, at least 0; else 0)

    Rules:
    - op_type names one pipe, not PIPE_ALL
    - buf_id is one of the target's buffer tokens
    """
    return _issue(_get_buf_dyn, after, op_type, buf_id, mode)


_rls_buf_dyn = _op("rls_buf_dyn")


def rls_buf_dyn(
    op_type: PipeEventType | str,
    buf_id: IndexLike,
    *,
    mode: int | None = None,
    after: After = None,
) -> Issued:
    """Release a buffer token whose id is computed at run time.

    As `rls_buf`, with the id in a value: 0 to 31.

    Text: ``pto.rls_buf_dyn``; targets: a2a3, a5, cpu.

    Arguments:
    - op_type: the pipe, or the class of operations that runs on it (TLOAD, TSTORE_ACC, TSTORE_VEC, TMOV_M2L, TMOV_M2S, TMOV_M2B, TMOV_M2V, TMOV_V2M, TMATMUL, TVEC, TVECWAIT_EVENT)
    - buf_id: index
    - mode: how the hardware orders the holders (an integer, at least 0; else 0)

    Rules:
    - op_type names one pipe, not PIPE_ALL
    - buf_id is one of the target's buffer tokens
    """
    return _issue(_rls_buf_dyn, after, op_type, buf_id, mode)


_sync_set = _op("sync.set")


def sync_set(
    pipe: Pipe | str,
    event_id: int,
    *,
    event_id_dyn: IndexLike | None = None,
    ffts_mode: int | None = None,
    after: After = None,
) -> Issued:
    """Send a signal to another core.

    When everything issued earlier on `pipe` has finished, signal `event_id` goes out. On A2/A3 it is an
    FFTS message with a mode: 0 reaches all cores of the kind, 1 the vector cores of the block, 2 the other
    kind of core in the block (the default); the signal counts up to 15. On A5 it reaches one core of the
    block, and the cube core adds 16 to the id to reach the second vector core. Answered by `sync.wait`.

    Text: ``pto.sync.set``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe: the pipe that sends, or that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which signal (0 to 31)
    - event_id_dyn: index
    - ffts_mode: who is reached: 0 all cores of the kind, 1 the vector cores of a block, 2 the other kind in the block (0 to 2)

    Rules:
    - one of event_id, event_id_dyn
    - event_id and event_id_dyn: not both
    - the signal id is one the target has
    - pipe is PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V (a5, cpu)

    Notes:
    - Ids 11 to 15 are used by `syncall` and must be left alone in programs that call it.
    - On A2/A3 `set_ffts` must have run first.
    - Assembler 0.27 takes only PIPE_FIX and PIPE_MTE3 on A5, and ids above 15; 0.60 takes five pipes and ids up to 15. Both are accepted.
    """
    return _issue(_sync_set, after, pipe, event_id, event_id_dyn, ffts_mode)


_sync_wait = _op("sync.wait")


def sync_wait(
    pipe: Pipe | str,
    event_id: int,
    *,
    event_id_dyn: IndexLike | None = None,
    ffts_mode: int | None = None,
    after: After = None,
) -> Issued:
    """Wait for a signal from another core, and consume it.

    On A2/A3 the whole core stops until the counter of signal `event_id` is not zero, and counts it down by
    one. On A5 only `pipe` stops.

    Text: ``pto.sync.wait``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe: the pipe that sends, or that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which signal (0 to 31)
    - event_id_dyn: index
    - ffts_mode: who is reached: 0 all cores of the kind, 1 the vector cores of a block, 2 the other kind in the block (0 to 2)

    Rules:
    - one of event_id, event_id_dyn
    - event_id and event_id_dyn: not both
    - the signal id is one the target has
    - pipe is PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V (a5, cpu)
    """
    return _issue(_sync_wait, after, pipe, event_id, event_id_dyn, ffts_mode)


_set_intra_block = _op("set_intra_block")


def set_intra_block(
    pipe: Pipe | str,
    event_id: int,
    *,
    event_id_dyn: IndexLike | None = None,
    after: After = None,
) -> Issued:
    """Send a signal to one other core of the block.

    The A5 instruction behind `sync.set`. Ids are 0 to 31; from the cube core, ids from 16 on reach the second
    vector core. On A2/A3 it is built from an FFTS message and ids end at 15.

    Text: ``pto.set_intra_block``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe: the pipe that sends, or that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which signal (0 to 31)
    - event_id_dyn: index

    Rules:
    - one of event_id, event_id_dyn
    - event_id and event_id_dyn: not both
    - the signal id is one the target has
    - pipe is PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V (a5, cpu)

    Notes:
    - A page writes the offset of the second vector core as 15; examples and headers use 16.
    """
    return _issue(_set_intra_block, after, pipe, event_id, event_id_dyn)


_wait_intra_block = _op("wait_intra_block")


def wait_intra_block(
    pipe: Pipe | str,
    event_id: int,
    *,
    event_id_dyn: IndexLike | None = None,
    after: After = None,
) -> Issued:
    """Stop one pipe until a signal from a core of the block arrives.

    The A5 instruction behind `sync.wait`: only the named pipe waits. On A2/A3 the core waits.

    Text: ``pto.wait_intra_block``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe: the pipe that sends, or that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which signal (0 to 31)
    - event_id_dyn: index

    Rules:
    - one of event_id, event_id_dyn
    - event_id and event_id_dyn: not both
    - the signal id is one the target has
    - pipe is PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V (a5, cpu)
    """
    return _issue(_wait_intra_block, after, pipe, event_id, event_id_dyn)


_set_cross_block = _op("set_cross_block")


def set_cross_block(
    pipe: Pipe | str,
    event_id: int,
    *,
    event_id_dyn: IndexLike | None = None,
    ffts_mode: int | None = None,
    after: After = None,
) -> Issued:
    """Send a signal to all cores of the same kind.

    FFTS mode 0: the signal counts as arrived when every core of the kind has sent it. Ids are 0 to 15.

    Text: ``pto.set_cross_block``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe: the pipe that sends, or that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which signal (0 to 15)
    - event_id_dyn: index
    - ffts_mode: always 0: all cores of the kind (0 to 0; else 0)

    Rules:
    - one of event_id, event_id_dyn
    - event_id and event_id_dyn: not both
    - the signal id is one the target has
    - pipe is PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V (a5, cpu)
    """
    return _issue(_set_cross_block, after, pipe, event_id, event_id_dyn, ffts_mode)


_wait_cross_block = _op("wait_cross_block")


def wait_cross_block(
    pipe: Pipe | str,
    event_id: int,
    *,
    event_id_dyn: IndexLike | None = None,
    after: After = None,
) -> Issued:
    """Wait until all cores of the same kind have sent a signal.

    The counterpart of `set_cross_block`. Ids are 0 to 15.

    Text: ``pto.wait_cross_block``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe: the pipe that sends, or that waits (PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX, VIRTUAL_PIPE_MTE2_L1A, VIRTUAL_PIPE_MTE2_L1B, PIPE_NUM, PIPE_UNASSIGNED)
    - event_id: which signal (0 to 15)
    - event_id_dyn: index

    Rules:
    - one of event_id, event_id_dyn
    - event_id and event_id_dyn: not both
    - the signal id is one the target has
    - pipe is PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V (a5, cpu)
    """
    return _issue(_wait_cross_block, after, pipe, event_id, event_id_dyn)


_set_cross_core = _op("set_cross_core")


def set_cross_core(
    core_id: Scalar[Any] | int,
    event_id: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Send a signal between the cube core and the vector cores, in the spelling of the specification.

    Broadcasts signal `event_id` to the other kind of core in the block: the cube core reaches both vector
    cores, and the cube core sees the vector cores' signal when both have sent it. Write `sync.set` in
    programs for the assembler, which has no operation of this name.

    Text: ``pto.set_cross_core``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - core_id: integer
    - event_id: integer

    Notes:
    - The page gives a core number as first operand although the signal is a broadcast; the C++ function takes a pipe.
    """
    return _issue(_set_cross_core, after, core_id, event_id)


_wait_flag_dev = _op("wait_flag_dev")


def wait_flag_dev(
    event_id: Scalar[Any] | int,
    *,
    core_id: Scalar[Any] | int | None = None,
    after: After = None,
) -> Issued:
    """Stop the core until a signal from another core arrives, in the spelling of the specification.

    Waits until the counter of signal `event_id` is not zero and counts it down by one. All pipes of the core
    wait. Write `sync.wait` in programs for the assembler, which has no operation of this name.

    Text: ``pto.wait_flag_dev``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - event_id: integer
    - core_id: integer

    Notes:
    - The page says the wait ends when the counter is zero; the cross-core page and the headers imply the opposite.
    """
    return _issue(_wait_flag_dev, after, event_id, core_id)


_syncall = _op("syncall")


def syncall(
    *,
    gm_workspace: Handle | None = None,
    used_cores: Scalar[Any] | int | None = None,
    mode: SyncAllMode | str | None = None,
    core_type: SyncCoreType | str | None = None,
    after: After = None,
) -> Issued:
    """Wait until all cores of a set have arrived.

    Hard mode uses the signal hardware; soft mode counts in global memory and needs a zeroed workspace of at
    least 16 `i32`, and, when not all cores take part, how many do. `core_type` says whether vector cores,
    cube cores or both take part. All of them must call it equally often and in the same order.

    It orders arrival only. Data for other cores must be written out and fenced before.

    Text: ``pto.syncall``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - gm_workspace: value
    - used_cores: integer
    - mode: how cores wait (hard, soft; else hard)
    - core_type: which cores take part (aiv_only, aic_only, mix; else aiv_only)

    Rules:
    - hard mode has no operands; soft mode has a workspace
    - gm_workspace is a pointer to or a view of at least 16 i32 in global memory
    - used_cores is an i32

    Notes:
    - On A2/A3 a binary with only cube code hangs in `aic_only`; build it as a mixed kernel.
    - Soft mode gives up after a million polls and continues.
    """
    return _issue(_syncall, after, gm_workspace, used_cores, mode, core_type)


_fence_barrier_all = _op("fence.barrier_all")


def fence_barrier_all(
    scope: FenceScope | str,
    *,
    after: After = None,
) -> Issued:
    """Make earlier memory accesses visible before later ones.

    `local_memory` orders accesses to on-chip memory, `gm` accesses to global memory, `all` both. Needed
    before another core is told that data is ready.

    Text: ``pto.fence.barrier_all``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - scope: which memory (local_memory, gm, all)
    """
    return _issue(_fence_barrier_all, after, scope)


_mem_bar = _op("mem_bar")


def mem_bar(
    kind: str,
    *,
    after: After = None,
) -> Issued:
    """Order vector accesses to the unified buffer that may touch the same bytes.

    The kind says what waits for what: V is the vector unit, S the scalar unit, LD a load, ST a store, so
    `VST_VLD` makes vector loads wait for earlier vector stores. Tile instructions order themselves; this is
    for code that mixes in lower-level accesses.

    Text: ``pto.mem_bar``; targets: a5, cpu; pipe PIPE_V.

    Arguments:
    - kind: what waits for what (a text in quotes)

    Rules:
    - kind is one of the memory barriers

    Notes:
    - The page lists VV_ALL, VST_VLD and VLD_VST only.
    """
    return _issue(_mem_bar, after, kind)


_declare_eventid_array = _op("declare_eventid_array")


def declare_eventid_array(
    ty: str,
    *,
    after: After = None,
) -> Any:
    """Make room for event ids that are chosen at run time.

    The type says how many: `!pto.eventid_array<4>`. The entries are undefined until they are set.

    Text: ``pto.declare_eventid_array``; targets: a2a3, a5, cpu.
    """
    return _issue(_declare_eventid_array, after, ty)


_eventid_array_get = _op("eventid_array_get")


def eventid_array_get(
    array: Handle,
    index: IndexLike,
    *,
    after: After = None,
) -> Index:
    """Read an entry of an event-id array.

    `result = array[index]`

    Text: ``pto.eventid_array_get``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - array: event-id array
    - index: index

    Rules:
    - index lies inside the array
    """
    return _issue(_eventid_array_get, after, array, index)


_eventid_array_set = _op("eventid_array_set")


def eventid_array_set(
    array: Handle,
    index: IndexLike,
    value: IndexLike,
    *,
    after: After = None,
) -> Issued:
    """Write an entry of an event-id array.

    `array[index] = value`; the value is an event id, 0 to 7.

    Text: ``pto.eventid_array_set``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - array: event-id array
    - index: index
    - value: index

    Rules:
    - index lies inside the array
    - value is one of the target's event ids
    """
    return _issue(_eventid_array_set, after, array, index, value)


_aic_initialize_pipe = _op("aic_initialize_pipe")


def aic_initialize_pipe(
    dir_mask: int,
    slot_size: int,
    *,
    gm_slot_buffer: Gm[Any] | None = None,
    gm_slot_tensor: View | None = None,
    c2v_consumer_buf: Scalar[Any] | int | None = None,
    v2c_consumer_buf: Scalar[Any] | int | None = None,
    id: int | None = None,
    slot_num: int | None = None,
    local_slot_num: int | None = None,
    nosplit: bool | None = None,
    acc_push_epilogue: Any | None = None,
    after: After = None,
) -> Issued:
    """Open the cube core's end of a pipe to the vector cores of its block.

    A pipe is a ring of slots. The producer waits for a free slot, fills it and signals; the consumer waits for
    a full slot, uses it and frees it. `dir_mask` says which way data flows, `slot_size` how large a slot is.
    The consumer's end lies in its local memory, at an address from `reserve_buffer` (own) or
    `import_reserved_buffer` (peer); on A2/A3 data also passes through `gm_slot_buffer`. With
    `gm_slot_tensor` the entries themselves are windows of global memory.

    Both ends must give the same direction, slot size and slot count, and each id once per function.

    Text: ``pto.aic_initialize_pipe``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - dir_mask: 1 cube to vector, 2 vector to cube, 3 both ways (1, 2, 3)
    - slot_size: bytes of a slot: those of the tile before it is split, or in local memory the part for one vector core (an integer, at least 1)
    - gm_slot_buffer: pointer
    - gm_slot_tensor: view of global memory
    - c2v_consumer_buf: integer
    - v2c_consumer_buf: integer
    - id: which pipe of the function (an integer, at least 0; else 0)
    - slot_num: slots of the ring; 8, or 4 each way when both directions are used (an integer, at least 1)
    - local_slot_num: slots of the consumer's local ring (an integer, at least 1)
    - nosplit: no user of the pipe splits tiles (true, false)
    - acc_push_epilogue: layout, quantisation and ReLU the fix pipe applies on the way (any attribute)

    Rules:
    - gm_slot_buffer and gm_slot_tensor: not both
    - each direction of dir_mask has its consumer buffer, unless gm_slot_tensor holds the slots
    - local_slot_num is at most slot_num
    - acc_push_epilogue needs dir_mask = 1 and nosplit = true

    Notes:
    - Assembler 0.27 needs both consumer buffers, and allows one pipe per function.
    """
    return _issue(_aic_initialize_pipe, after, dir_mask, slot_size, gm_slot_buffer, gm_slot_tensor, c2v_consumer_buf, v2c_consumer_buf, id, slot_num, local_slot_num, nosplit, acc_push_epilogue)


_aiv_initialize_pipe = _op("aiv_initialize_pipe")


def aiv_initialize_pipe(
    dir_mask: int,
    slot_size: int,
    *,
    gm_slot_buffer: Gm[Any] | None = None,
    gm_slot_tensor: View | None = None,
    c2v_consumer_buf: Scalar[Any] | int | None = None,
    v2c_consumer_buf: Scalar[Any] | int | None = None,
    id: int | None = None,
    slot_num: int | None = None,
    local_slot_num: int | None = None,
    nosplit: bool | None = None,
    acc_push_epilogue: Any | None = None,
    after: After = None,
) -> Issued:
    """Open a vector core's end of a pipe to the cube core of its block.

    The counterpart of `aic_initialize_pipe`, with the same meaning of all parts.

    Text: ``pto.aiv_initialize_pipe``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - dir_mask: 1 cube to vector, 2 vector to cube, 3 both ways (1, 2, 3)
    - slot_size: bytes of a slot: those of the tile before it is split, or in local memory the part for one vector core (an integer, at least 1)
    - gm_slot_buffer: pointer
    - gm_slot_tensor: view of global memory
    - c2v_consumer_buf: integer
    - v2c_consumer_buf: integer
    - id: which pipe of the function (an integer, at least 0; else 0)
    - slot_num: slots of the ring; 8, or 4 each way when both directions are used (an integer, at least 1)
    - local_slot_num: slots of the consumer's local ring (an integer, at least 1)
    - nosplit: no user of the pipe splits tiles (true, false)
    - acc_push_epilogue: layout, quantisation and ReLU the fix pipe applies on the way (any attribute)

    Rules:
    - gm_slot_buffer and gm_slot_tensor: not both
    - each direction of dir_mask has its consumer buffer, unless gm_slot_tensor holds the slots
    - local_slot_num is at most slot_num
    - acc_push_epilogue needs dir_mask = 1 and nosplit = true
    """
    return _issue(_aiv_initialize_pipe, after, dir_mask, slot_size, gm_slot_buffer, gm_slot_tensor, c2v_consumer_buf, v2c_consumer_buf, id, slot_num, local_slot_num, nosplit, acc_push_epilogue)


_initialize_l2g2l_pipe = _op("initialize_l2g2l_pipe")


def initialize_l2g2l_pipe(
    gm_addr: Handle,
    dir_mask: int,
    slot_size: int,
    slot_num: int,
    *,
    local_addr: Handle | None = None,
    peer_local_addr: Handle | None = None,
    local_slot_num: int | None = None,
    flag_base: int | None = None,
    nosplit: bool | None = None,
    acc_push_epilogue: Any | None = None,
    after: After = None,
) -> Token:
    """Open one end of a pipe whose slots lie in global memory.

    `gm_addr` is where the slots are; `local_addr` is the consumer's local ring and is left out when entries
    stay in global memory. `peer_local_addr` is the ring of the second direction. The pipe uses two signal ids
    per direction from `flag_base` on.

    Text: ``pto.initialize_l2g2l_pipe``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - gm_addr: value
    - dir_mask: 1 cube to vector, 2 vector to cube, 3 both ways (1, 2, 3)
    - slot_size: bytes of a slot: those of the tile before it is split, or in local memory the part for one vector core (an integer, at least 1)
    - slot_num: slots of the ring (an integer, at least 1)
    - local_addr: value
    - peer_local_addr: value
    - local_slot_num: slots of the consumer's local ring (an integer, at least 1)
    - flag_base: first of the pipe's signal ids; chosen by the compiler when left out (0 to 15)
    - nosplit: no user of the pipe splits tiles (true, false)
    - acc_push_epilogue: layout, quantisation and ReLU the fix pipe applies on the way (any attribute)

    Rules:
    - peer_local_addr is given exactly when dir_mask is 3
    - the flags from flag_base on fit into 16: two per direction
    - local_slot_num is at most slot_num
    - acc_push_epilogue needs dir_mask = 1 and nosplit = true
    """
    return _issue(_initialize_l2g2l_pipe, after, gm_addr, dir_mask, slot_size, slot_num, local_addr, peer_local_addr, local_slot_num, flag_base, nosplit, acc_push_epilogue)


_initialize_l2l_pipe = _op("initialize_l2l_pipe")


def initialize_l2l_pipe(
    local_addr: Handle,
    dir_mask: int,
    slot_size: int,
    slot_num: int,
    *,
    peer_local_addr: Handle | None = None,
    flag_base: int | None = None,
    nosplit: bool | None = None,
    acc_push_epilogue: Any | None = None,
    after: After = None,
) -> Token:
    """Open one end of a pipe whose slots lie in the consumer's local memory.

    The direct path of A5: no detour through global memory. `local_addr` is the ring of the first direction,
    `peer_local_addr` that of the second. The pipe uses two signal ids per direction from `flag_base` on.

    Text: ``pto.initialize_l2l_pipe``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - local_addr: value
    - dir_mask: 1 cube to vector, 2 vector to cube, 3 both ways (1, 2, 3)
    - slot_size: bytes of a slot: those of the tile before it is split, or in local memory the part for one vector core (an integer, at least 1)
    - slot_num: slots of the ring (an integer, at least 1)
    - peer_local_addr: value
    - flag_base: first of the pipe's signal ids; chosen by the compiler when left out (0 to 15)
    - nosplit: no user of the pipe splits tiles (true, false)
    - acc_push_epilogue: layout, quantisation and ReLU the fix pipe applies on the way (any attribute)

    Rules:
    - peer_local_addr is given exactly when dir_mask is 3
    - the flags from flag_base on fit into 16: two per direction
    - local_slot_num is at most slot_num
    - acc_push_epilogue needs dir_mask = 1 and nosplit = true
    """
    return _issue(_initialize_l2l_pipe, after, local_addr, dir_mask, slot_size, slot_num, peer_local_addr, flag_base, nosplit, acc_push_epilogue)


_tpush = _op("tpush")


def tpush(
    pipe_handle: Token,
    tile: Tile | View,
    split: int,
    *,
    aiv_subblockid: Scalar[Any] | int | None = None,
    after: After = None,
) -> Issued:
    """Put an entry into a pipe.

    Waits for a free slot, moves the tile into it, advances and signals the consumer. The cube core pushes an
    accumulator, a vector core a tile of vector memory. With `split` 1 or 2 the logical tile is shared between
    the two vector cores by rows or by columns. For an entry from `talloc` no data moves: it only signals.

    Text: ``pto.tpush``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe_handle: pipe handle
    - tile: tile or view of global memory
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - aiv_subblockid: integer

    Rules:
    - tile is an accumulator or in vector memory
    - the split extent of the pushed tile is even for split 1 and 2, odd for 3 and 4
    - split 3 and 4 are for tiles, not for global entries
    - aiv_subblockid is for split vector tiles only

    Notes:
    - Between neighbours of a core mesh the C++ headers have another form with a direction and a distance; no assembly spelling exists.
    - On A5, cube to vector: elements of 32 bits, and a column split needs columns that are a multiple of 32.
    """
    return _issue(_tpush, after, pipe_handle, tile, split, aiv_subblockid)


_tpop = _op("tpop")


def tpop(
    pipe_handle: Token,
    tile: Tile | View,
    split: int,
    *,
    aiv_subblockid: Scalar[Any] | int | None = None,
    after: After = None,
) -> Issued:
    """Take an entry out of a pipe.

    Waits for a full slot. On A2/A3 the slot is copied into the consumer's ring and freed at once, and the tile
    is overwritten after as many further pops as the ring has slots; on A5 the tile is bound to the slot until
    `tfree`. Portable programs free each entry exactly once and do not use it afterwards.

    Text: ``pto.tpop``; targets: a2a3, a5, cpu.

    Arguments:
    - pipe_handle: pipe handle
    - tile: tile or view of global memory
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - aiv_subblockid: integer

    Rules:
    - tile is in vector memory or in L1
    - split 3 and 4 are for tiles, not for global entries
    - aiv_subblockid is for split vector tiles only
    """
    return _issue(_tpop, after, pipe_handle, tile, split, aiv_subblockid)


_tfree = _op("tfree")


def tfree(
    pipe_handle: Token,
    split: int,
    *,
    entry: Tile | View | None = None,
    after: After = None,
) -> Issued:
    """Give a popped slot back to the producer.

    Releases the entry popped last. On A2/A3 a popped tile has already been released and this does nothing, but
    an entry in global memory has not.

    Text: ``pto.tfree``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - pipe_handle: pipe handle
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - entry: tile or view of global memory

    Rules:
    - split 3 and 4 are for tiles, not for global entries
    """
    return _issue(_tfree, after, pipe_handle, split, entry)


_talloc = _op("talloc")


def talloc(
    pipe_handle: Token,
    entry: View,
    split: int,
    *,
    after: After = None,
) -> Issued:
    """Reserve the next slot of a pipe in global memory.

    Waits for a free slot, makes `entry` a view of it and advances. No data moves and no core is signalled: write the
    slot with stores, then `tpush` the entry.

    Text: ``pto.talloc``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - pipe_handle: pipe handle
    - entry: view of global memory
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)

    Rules:
    - split 3 and 4 are for tiles, not for global entries

    Notes:
    - The public assembler schedules it on PIPE_MTE3, with the stores that follow.
    """
    return _issue(_talloc, after, pipe_handle, entry, split)


_tpush_to_aiv = _op("tpush_to_aiv")


def tpush_to_aiv(
    tile: Tile | View,
    split: int,
    *,
    id: int | None = None,
    after: After = None,
) -> Issued:
    """Send a tile from the cube core to the vector cores.

    The frontend form of `tpush`, cube side: the tile is an accumulator, or an entry from `talloc_to_aiv`. When
    the pipe has an `acc_push_epilogue` with a scale, `set_quant_scalar` or `set_quant_vector` comes first.

    Text: ``pto.tpush_to_aiv``; targets: a2a3, a5, cpu; pipe PIPE_FIX.

    Arguments:
    - tile: tile or view of global memory
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - the split extent of the pushed tile is even for split 1 and 2, odd for 3 and 4
    - split 3 and 4 are for tiles, not for global entries
    """
    return _issue(_tpush_to_aiv, after, tile, split, id)


_tpush_to_aic = _op("tpush_to_aic")


def tpush_to_aic(
    tile: Tile | View,
    split: int,
    *,
    aiv_subblockid: Scalar[Any] | int | None = None,
    id: int | None = None,
    after: After = None,
) -> Issued:
    """Send a tile from a vector core to the cube core.

    The frontend form of `tpush`, vector side. The cube core pops it as a tile in L1, so the tile usually has
    the boxed layout the cube needs.

    Text: ``pto.tpush_to_aic``; targets: a2a3, a5, cpu; pipe PIPE_MTE3.

    Arguments:
    - tile: tile or view of global memory
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - aiv_subblockid: integer
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - split is 0, 1 or 2
    - aiv_subblockid is for split vector tiles only
    """
    return _issue(_tpush_to_aic, after, tile, split, aiv_subblockid, id)


_tpop_from_aic = _op("tpop_from_aic")


def tpop_from_aic(
    split: int,
    ty: TileType,
    *,
    valid_row: IndexLike | None = None,
    valid_col: IndexLike | None = None,
    aiv_subblockid: Scalar[Any] | int | None = None,
    id: int | None = None,
    after: After = None,
) -> Tile:
    """Receive a tile of the cube core on a vector core.

    The frontend form of `tpop`, vector side; the result is the tile. `valid_row` and `valid_col` set its valid
    region when the type leaves both open; without them it is the whole tile.

    Text: ``pto.tpop_from_aic``; targets: a2a3, a5, cpu.

    Arguments:
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - valid_row: index
    - valid_col: index
    - aiv_subblockid: integer
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - valid_row and valid_col: both or neither
    - valid_row and valid_col are for a tile whose type leaves both extents open
    - split 3 and 4 are for tiles, not for global entries
    - aiv_subblockid is for split vector tiles only
    - split 3 and 4 need valid_row and valid_col
    """
    return _issue(_tpop_from_aic, after, split, valid_row, valid_col, aiv_subblockid, id, ty)


_tpop_from_aiv = _op("tpop_from_aiv")


def tpop_from_aiv(
    split: int,
    ty: TileType,
    *,
    valid_row: IndexLike | None = None,
    valid_col: IndexLike | None = None,
    id: int | None = None,
    after: After = None,
) -> Tile:
    """Receive a tile of a vector core on the cube core.

    The frontend form of `tpop`, cube side; the result is a tile in L1.

    Text: ``pto.tpop_from_aiv``; targets: a2a3, a5, cpu.

    Arguments:
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - valid_row: index
    - valid_col: index
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - valid_row and valid_col: both or neither
    - valid_row and valid_col are for a tile whose type leaves both extents open
    - split 3 and 4 are for tiles, not for global entries
    - aiv_subblockid is for split vector tiles only
    - split is 0, 1 or 2
    """
    return _issue(_tpop_from_aiv, after, split, valid_row, valid_col, id, ty)


_tfree_from_aic = _op("tfree_from_aic")


def tfree_from_aic(
    split: int,
    *,
    entry: Tile | View | None = None,
    id: int | None = None,
    after: After = None,
) -> Issued:
    """Give a slot popped with `tpop_from_aic` back to the cube core.

    The frontend form of `tfree`, vector side. Once per pop.

    Text: ``pto.tfree_from_aic``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - entry: tile or view of global memory
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - split 3 and 4 are for tiles, not for global entries
    """
    return _issue(_tfree_from_aic, after, split, entry, id)


_tfree_from_aiv = _op("tfree_from_aiv")


def tfree_from_aiv(
    split: int,
    *,
    entry: Tile | View | None = None,
    id: int | None = None,
    after: After = None,
) -> Issued:
    """Give a slot popped with `tpop_from_aiv` back to the vector cores.

    The frontend form of `tfree`, cube side. Once per pop.

    Text: ``pto.tfree_from_aiv``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - entry: tile or view of global memory
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - split 3 and 4 are for tiles, not for global entries
    - split is 0, 1 or 2
    """
    return _issue(_tfree_from_aiv, after, split, entry, id)


_talloc_to_aiv = _op("talloc_to_aiv")


def talloc_to_aiv(
    split: int,
    shape: Sequence[IndexLike],
    dtype: type[DType],
    *,
    id: int | None = None,
    after: After = None,
) -> View:
    """Reserve the next slot towards the vector cores.

    The frontend form of `talloc`, cube side; the result is a view of the slot in global memory.

    Text: ``pto.talloc_to_aiv``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - split 3 and 4 are for tiles, not for global entries
    """
    return _issue(_talloc_to_aiv, after, split, id, shape, dtype)


_talloc_to_aic = _op("talloc_to_aic")


def talloc_to_aic(
    split: int,
    shape: Sequence[IndexLike],
    dtype: type[DType],
    *,
    id: int | None = None,
    after: After = None,
) -> View:
    """Reserve the next slot towards the cube core.

    The frontend form of `talloc`, vector side; the result is a view of the slot in global memory.

    Text: ``pto.talloc_to_aic``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - split: how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents (0 to 4)
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - split 3 and 4 are for tiles, not for global entries
    - split is 0, 1 or 2
    """
    return _issue(_talloc_to_aic, after, split, id, shape, dtype)


_reserve_buffer = _op("reserve_buffer")


def reserve_buffer(
    name: str,
    size: int,
    location: AddressSpace | str,
    auto: bool,
    *,
    base: int | None = None,
    after: After = None,
) -> Scalar[Any]:
    """Reserve local memory for the slots of a pipe.

    The consumer reserves, under a name; the producer imports the address with `import_reserved_buffer`. With
    `auto = true` the planner chooses the place, otherwise `base` is the address. Reserve slot size times slot
    count bytes. A name may be used once per function.

    Text: ``pto.reserve_buffer``; targets: a2a3, a5, cpu.

    Arguments:
    - name: the name both sides use (a text in quotes)
    - size: bytes (an integer, at least 1)
    - location: vec or mat (zero, gm, mat, left, right, acc, vec, bias, scaling)
    - auto: the planner chooses the address (true, false)
    - base: the address, when auto is false (an integer, at least 0)

    Rules:
    - location is vec or mat
    - base is given when auto is false

    Notes:
    - Assembler 0.27 allows one reserved and one imported buffer per function.
    """
    return _issue(_reserve_buffer, after, name, size, location, auto, base)


_import_reserved_buffer = _op("import_reserved_buffer")


def import_reserved_buffer(
    name: str,
    peer_func: str,
    *,
    after: After = None,
) -> Scalar[Any]:
    """The address of a buffer another function reserves.

    Names a `reserve_buffer` of `peer_func`; the value is its address on the other core. Each pair of name and
    function once per function.

    Text: ``pto.import_reserved_buffer``; targets: a2a3, a5, cpu.

    Arguments:
    - name: the name both sides use (a text in quotes)
    - peer_func: the function that reserves it (`@name`)
    """
    return _issue(_import_reserved_buffer, after, name, peer_func)


_declare_tile = _op("declare_tile")


def declare_tile(
    ty: TileType,
    *,
    after: After = None,
) -> Tile:
    """A tile without memory of its own, to be bound by `tpop`.

    Gives a popped entry its type. Using the tile before a pop has bound it is an error.

    Text: ``pto.declare_tile``; targets: a2a3, a5, cpu.
    """
    return _issue(_declare_tile, after, ty)


_declare_global = _op("declare_global")


def declare_global(
    shape: Sequence[IndexLike],
    dtype: type[DType],
    *,
    after: After = None,
) -> View:
    """A view without memory of its own, to be bound by `talloc` or `tpop`.

    Gives a slot in global memory its shape and element type.

    Text: ``pto.declare_global``; targets: a2a3, a5, cpu.
    """
    return _issue(_declare_global, after, shape, dtype)


_comm_tput = _op("comm.tput")


def comm_tput(
    dst: View,
    src: View,
    ping: Tile,
    *,
    pong: Tile | None = None,
    atomic_type: AtomicType | str | None = None,
    after: After = None,
) -> Issued:
    """Copy local memory to memory of another rank.

    `dst[…] = src[…]`, or `dst[…] += src[…]` with `atomicType` add. The data passes through the staging tile in
    pieces of its valid rows and columns; with a second tile, loading and storing overlap. The instruction
    returns when the data is under way; tell the other rank with `comm.tnotify`.

    The valid rows and columns of the staging tile should divide the last two extents of the views.

    Text: ``pto.comm.tput``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - dst: view of global memory
    - src: view of global memory
    - ping: tile
    - pong: tile
    - atomic_type: store or add (atomic_none, atomic_add; else atomic_none)

    Rules:
    - dst, src, ping: same element type
    - dst and src have the same shape
    - extents are positive, and open ones stand in partition views only
    - ping and pong have the same type

    Notes:
    - The public CPU simulator copies by the shape of dst, the devices by the shape of src.
    """
    return _issue(_comm_tput, after, dst, src, ping, pong, atomic_type)


_comm_tget = _op("comm.tget")


def comm_tget(
    dst: View,
    src: View,
    ping: Tile,
    *,
    pong: Tile | None = None,
    after: After = None,
) -> Issued:
    """Copy memory of another rank to local memory.

    `dst[…] = src[…]`. The mirror image of `comm.tput`, without atomics.

    Text: ``pto.comm.tget``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - dst: view of global memory
    - src: view of global memory
    - ping: tile
    - pong: tile

    Rules:
    - dst, src, ping: same element type
    - dst and src have the same shape
    - extents are positive, and open ones stand in partition views only
    - ping and pong have the same type
    """
    return _issue(_comm_tget, after, dst, src, ping, pong)


_comm_tnotify = _op("comm.tnotify")


def comm_tnotify(
    signal: View,
    value: Scalar[Any] | int,
    notify_op: NotifyOp | str,
    *,
    after: After = None,
) -> Issued:
    """Change a signal word of another rank.

    Stores `value` into the first element of `signal`, or adds it atomically. Everything the core wrote before
    is visible to a rank that sees the change. The element should be aligned to 4 bytes.

    Text: ``pto.comm.tnotify``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - signal: view of global memory
    - value: integer
    - notify_op: add or store (atomic_add, set)

    Rules:
    - signal has fixed, positive extents
    """
    return _issue(_comm_tnotify, after, signal, value, notify_op)


_comm_twait = _op("comm.twait")


def comm_twait(
    signal: View,
    cmp_value: Scalar[Any] | int,
    cmp: WaitCmp | str,
    *,
    after: After = None,
) -> Issued:
    """Wait until local signal words compare as asked.

    Polls until `signal[k] cmp cmp_value` holds for every element of the view. The words are not changed. A
    comparison that never becomes true stops the core.

    Text: ``pto.comm.twait``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - signal: view of global memory
    - cmp_value: integer
    - cmp: how every element must compare with the value (eq, ne, gt, ge, lt, le)

    Rules:
    - signal has fixed, positive extents

    Notes:
    - The public CPU simulator gives up after about a second without an error.
    """
    return _issue(_comm_twait, after, signal, cmp_value, cmp)


_comm_ttest = _op("comm.ttest")


def comm_ttest(
    signal: View,
    cmp_value: Scalar[Any] | int,
    cmp: WaitCmp | str,
    *,
    after: After = None,
) -> Bool:
    """Look once whether local signal words compare as asked.

    `result` is true when `signal[k] cmp cmp_value` holds for every element now. Never waits.

    Text: ``pto.comm.ttest``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - signal: view of global memory
    - cmp_value: integer
    - cmp: how every element must compare with the value (eq, ne, gt, ge, lt, le)

    Rules:
    - signal has fixed, positive extents
    """
    return _issue(_comm_ttest, after, signal, cmp_value, cmp)


_comm_tgather = _op("comm.tgather")


def comm_tgather(
    group: Sequence[View],
    dst: View,
    ping: Tile,
    root: int,
    *,
    pong: Tile | None = None,
    after: After = None,
) -> Issued:
    """Collect the data of all ranks on one rank.

    Rank `r` of the group contributes rows `r·H` to `(r+1)·H` of `dst`, where `H` is the rows of one member.
    Only the root runs it; the members must already hold their data.

    Text: ``pto.comm.tgather``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - group: view of global memory
    - dst: view of global memory
    - ping: tile
    - root: which member of the group runs it (an integer, at least 0)
    - pong: tile

    Rules:
    - all members of the group have one type
    - root is a member of the group
    - every view has fixed, positive extents
    - ping and pong have the same type
    - dst, ping, group: same element type

    Notes:
    - Not `tgather`, which gathers elements of a tile.
    """
    return _issue(_comm_tgather, after, group, dst, ping, root, pong)


_comm_tscatter = _op("comm.tscatter")


def comm_tscatter(
    group: Sequence[View],
    src: View,
    ping: Tile,
    root: int,
    *,
    pong: Tile | None = None,
    after: After = None,
) -> Issued:
    """Hand each rank its part of the data of one rank.

    Rank `r` of the group receives rows `r·H` to `(r+1)·H` of `src`. Only the root runs it.

    Text: ``pto.comm.tscatter``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - group: view of global memory
    - src: view of global memory
    - ping: tile
    - root: which member of the group runs it (an integer, at least 0)
    - pong: tile

    Rules:
    - all members of the group have one type
    - root is a member of the group
    - every view has fixed, positive extents
    - ping and pong have the same type
    - src, ping, group: same element type

    Notes:
    - Not `tscatter`, which scatters elements of a tile.
    """
    return _issue(_comm_tscatter, after, group, src, ping, root, pong)


_comm_tbroadcast = _op("comm.tbroadcast")


def comm_tbroadcast(
    group: Sequence[View],
    src: View,
    ping: Tile,
    root: int,
    *,
    pong: Tile | None = None,
    after: After = None,
) -> Issued:
    """Copy the data of one rank to all ranks.

    Every member of the group becomes a copy of `src`. Only the root runs it.

    Text: ``pto.comm.tbroadcast``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - group: view of global memory
    - src: view of global memory
    - ping: tile
    - root: which member of the group runs it (an integer, at least 0)
    - pong: tile

    Rules:
    - all members of the group have one type
    - root is a member of the group
    - every view has fixed, positive extents
    - ping and pong have the same type
    - src, ping, group: same element type
    - src has the shape of a member
    """
    return _issue(_comm_tbroadcast, after, group, src, ping, root, pong)


_comm_treduce = _op("comm.treduce")


def comm_treduce(
    group: Sequence[View],
    dst: View,
    acc: Tile,
    recv_ping: Tile,
    reduce_op: ReduceOp | str,
    root: int,
    *,
    recv_pong: Tile | None = None,
    after: After = None,
) -> Issued:
    """Combine the data of all ranks elementwise on one rank.

    `acc` starts as the root's data; then, for the other ranks in ascending order, `acc = acc op rank`; then
    `dst = acc`. The order is fixed, so floating-point sums are reproducible. Only the root runs it and only
    the root has the result.

    Text: ``pto.comm.treduce``; targets: a2a3, a5, cpu; pipe PIPE_ALL.

    Arguments:
    - group: view of global memory
    - dst: view of global memory
    - acc: tile
    - recv_ping: tile
    - reduce_op: sum, maximum or minimum (sum, max, min)
    - root: which member of the group runs it (an integer, at least 0)
    - recv_pong: tile

    Rules:
    - all members of the group have one type
    - root is a member of the group
    - every view has fixed, positive extents
    - ping and pong have the same type
    - dst, acc, recv_ping, group: same element type
    - acc, recv_ping and recv_pong have the same type

    Notes:
    - A family page also lists a product and says all ranks have the result; the headers have neither.
    """
    return _issue(_comm_treduce, after, group, dst, acc, recv_ping, reduce_op, root, recv_pong)


_comm_build_async_session = _op("comm.build_async_session")


def comm_build_async_session(
    scratch: Tile,
    workspace: Gm[Any],
    *,
    sync_id: int | None = None,
    block_bytes: int | None = None,
    comm_block_offset: int | None = None,
    queue_num: int | None = None,
    channel_group_idx: int | None = None,
    after: After = None,
) -> Token:
    """Open a session for background transfers.

    `scratch` is a tile of vector memory of at least 8 bytes, `workspace` global memory the host prepared.
    A session belongs to one flow of execution and may be built again only when its transfers are complete.

    Text: ``pto.comm.build_async_session``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - scratch: tile
    - workspace: pointer
    - sync_id: event id the session uses (0 to 7)
    - block_bytes: bytes of one piece of a transfer (an integer, at least 1; else 32768)
    - comm_block_offset: where the session's part of the workspace starts (an integer, at least 0)
    - queue_num: queues to use (an integer, at least 1; else 1)
    - channel_group_idx: channel group; chosen automatically when left out (an integer, at least 0)

    Rules:
    - scratch has at least 8 bytes

    Notes:
    - Without block_bytes the header uses pieces of 1 MiB, the public assembler 32 KiB.
    """
    return _issue(_comm_build_async_session, after, scratch, workspace, sync_id, block_bytes, comm_block_offset, queue_num, channel_group_idx)


_comm_tput_async = _op("comm.tput_async")


def comm_tput_async(
    dst: View,
    src: View,
    session: Token,
    *,
    after: After = None,
) -> Token:
    """Start copying local memory to memory of another rank.

    Returns at once with an event; the data must not change before the event is complete. Source and
    destination are flat and contiguous. At most 64 transfers may be open.

    Text: ``pto.comm.tput_async``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - dst: view of global memory
    - src: view of global memory
    - session: async session

    Rules:
    - dst, src: same element type
    - dst and src are flat: fixed extents, all but the last 1
    - dst and src have the same shape

    Notes:
    - On A5 the default engine copies through the scratch tile before it returns.
    """
    return _issue(_comm_tput_async, after, dst, src, session)


_comm_tget_async = _op("comm.tget_async")


def comm_tget_async(
    dst: View,
    src: View,
    session: Token,
    *,
    after: After = None,
) -> Token:
    """Start copying memory of another rank to local memory.

    The mirror image of `comm.tput_async`: `dst` holds the data once the event is complete.

    Text: ``pto.comm.tget_async``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - dst: view of global memory
    - src: view of global memory
    - session: async session

    Rules:
    - dst, src: same element type
    - dst and src are flat: fixed extents, all but the last 1
    - dst and src have the same shape
    """
    return _issue(_comm_tget_async, after, dst, src, session)


_comm_wait_async_event = _op("comm.wait_async_event")


def comm_wait_async_event(
    event: Token,
    session: Token,
    *,
    after: After = None,
) -> Bool:
    """Wait for a background transfer.

    Returns when this transfer and all earlier ones of the session are complete; the result is true when they
    succeeded.

    Text: ``pto.comm.wait_async_event``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - event: async event
    - session: async session
    """
    return _issue(_comm_wait_async_event, after, event, session)


_comm_test_async_event = _op("comm.test_async_event")


def comm_test_async_event(
    event: Token,
    session: Token,
    *,
    after: After = None,
) -> Bool:
    """Look whether a background transfer is complete.

    True when this transfer and all earlier ones of the session are complete. Never waits.

    Text: ``pto.comm.test_async_event``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - event: async event
    - session: async session
    """
    return _issue(_comm_test_async_event, after, event, session)


_make_prefetch_async_context = _op("make_prefetch_async_context")


def make_prefetch_async_context(
    workspace: Gm[Any],
    ty: str,
    *,
    after: After = None,
) -> Any:
    """Prepare for prefetching into the L2 cache.

    Builds the session and scratch memory `tprefetch_async` uses from a workspace the host prepared.

    Text: ``pto.make_prefetch_async_context``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - workspace: pointer
    """
    return _issue(_make_prefetch_async_context, after, workspace, ty)


_get_prefetch_async_session = _op("get_prefetch_async_session")


def get_prefetch_async_session(
    ctx: Handle,
    *,
    after: After = None,
) -> Token:
    """The session of a prefetch context.

    For `comm.wait_async_event` and `comm.test_async_event` on the events of `tprefetch_async`.

    Text: ``pto.get_prefetch_async_session``; targets: a2a3, a5, cpu.

    Arguments:
    - ctx: value
    """
    return _issue(_get_prefetch_async_session, after, ctx)


_alloc_tile = _op("alloc_tile")


def alloc_tile(
    ty: TileType,
    *,
    addr: Scalar[Any] | int | None = None,
    valid_row: IndexLike | None = None,
    valid_col: IndexLike | None = None,
    after: After = None,
) -> Tile:
    """A new tile buffer.

    The type says in which memory it lies, its shape, layout and valid region. `valid_row` and `valid_col` give
    the extents of the valid region that the type leaves open. Programs that place their tiles themselves
    give every one an `addr`, in bytes from the start of its memory; in all others no tile has one and the
    planner chooses.

    The contents are undefined until something writes them.

    Text: ``pto.alloc_tile``; targets: a2a3, a5, cpu.

    Arguments:
    - addr: integer
    - valid_row: index
    - valid_col: index

    Rules:
    - valid_row and valid_col are given exactly for the extents the type leaves open
    """
    return _issue(_alloc_tile, after, addr, valid_row, valid_col, ty)


_alloc_multi_tile = _op("alloc_multi_tile")


def alloc_multi_tile(
    ty: str,
    *,
    addr: Scalar[Any] | int | None = None,
    valid_row: IndexLike | None = None,
    valid_col: IndexLike | None = None,
    after: After = None,
) -> Any:
    """Several equal tile buffers behind one name.

    For double buffering: `count` buffers of 2 to 16, one after the other in memory, of which `multi_tile_get`
    takes one. With `addr` the first one lies there.

    Text: ``pto.alloc_multi_tile``; targets: a2a3, a5, cpu.

    Arguments:
    - addr: integer
    - valid_row: index
    - valid_col: index

    Rules:
    - valid_row and valid_col are given exactly for the extents the type leaves open
    - count is 2 to 16
    """
    return _issue(_alloc_multi_tile, after, addr, valid_row, valid_col, ty)


_multi_tile_get = _op("multi_tile_get")


def multi_tile_get(
    source: Handle,
    slot: IndexLike,
    ty: TileType,
    *,
    after: After = None,
) -> Tile:
    """One buffer of a multi-buffered tile.

    Buffer `slot`, counted from 0; in a loop usually the trip number modulo the count.

    Text: ``pto.multi_tile_get``; targets: a2a3, a5, cpu.

    Arguments:
    - source: multi-buffered tile
    - slot: index

    Rules:
    - result is the tile type of source
    - slot is one of the buffers
    """
    return _issue(_multi_tile_get, after, source, slot, ty)


_tassign = _op("tassign")


def tassign(
    tile: Tile,
    address: Scalar[Any] | int,
    *,
    addr: int | None = None,
    after: After = None,
) -> Issued:
    """Bind a tile to an address.

    From here on the tile means the bytes at `address` of its memory. The address must be a multiple of 32 and
    the tile must fit into the memory. Nothing checks overlap with other tiles: two tiles at one address share
    their data, and the program must order their uses.

    The assembler returns the bound tile as a new value; the pages write the address as `@tile(0x1000)`.
    Programs that leave placement to the planner have no use for it.

    Text: ``pto.tassign``; targets: a2a3, a5, cpu.

    Arguments:
    - tile: tile
    - address: integer
    - addr: the address as part of the text (an integer, at least 0)

    Rules:
    - one of address, addr
    - address and addr: not both
    - result has the type of tile

    Notes:
    - In the C++ headers a 4-bit tile is charged twice its packed size.
    """
    return _issue(_tassign, after, tile, address, addr)


_treshape = _op("treshape")


def treshape(
    src: Tile,
    ty: TileType,
    *,
    after: After = None,
) -> Tile:
    """Look at the bytes of a tile with another shape, element type or layout.

    `result` starts where `src` starts and has as many bytes; element `k` of the one is not converted to element
    `k` of the other. Both are boxed or both are not. No data moves: writing one changes the other.

    Text: ``pto.treshape``; targets: a2a3, a5, cpu.

    Arguments:
    - src: tile

    Rules:
    - same memory, same bytes, and both boxed or both not
    """
    return _issue(_treshape, after, src, ty)


_bitcast = _op("bitcast")


def bitcast(
    src: Tile,
    ty: TileType,
    *,
    after: After = None,
) -> Tile:
    """Look at the bits of a tile as another element type.

    Shape, valid region and layout stay; only the element type changes, to one that is not larger. No data
    moves. Elements of another size read other bytes than the same coordinates of `src`.

    Of a scalar it is the same as `arith.bitcast`.

    Text: ``pto.bitcast``; targets: a2a3, a5, cpu.

    Arguments:
    - src: tile

    Rules:
    - same memory, shape, valid region and layout; another element type; result needs no more bytes
    """
    return _issue(_bitcast, after, src, ty)


_subview = _op("subview")


def subview(
    source: Tile,
    offsets: Sequence[IndexLike],
    sizes: Sequence[int],
    ty: TileType,
    *,
    valid_row: IndexLike | None = None,
    valid_col: IndexLike | None = None,
    after: After = None,
) -> Tile:
    """A window of a tile.

    `result[i,j]` is `source[offset₀ + i, offset₁ + j]`, for a window of `sizes` rows and columns. No data moves.
    The valid region is `valid_row` by `valid_col` where given, else what the result type says, else the whole
    window. In a boxed tile the window consists of whole boxes.

    Text: ``pto.subview``; targets: a2a3, a5, cpu.

    Arguments:
    - source: tile
    - offsets: index
    - sizes: rows and columns of the window (a list of integers)
    - valid_row: index
    - valid_col: index

    Rules:
    - result has the memory, element type and layout of source
    - sizes are the rows and columns of result
    - two offsets, and the window lies inside source
    - in a boxed tile offsets and sizes are multiples of a box
    - the valid region is that of the type, or the operands', and fits into the window
    - valid_row and valid_col: both or neither

    Notes:
    - The C++ function computes a wrong address for boxed tiles when the row offset is not zero.
    """
    return _issue(_subview, after, source, offsets, sizes, valid_row, valid_col, ty)


_subset = _op("subset")


def subset(
    source: Tile,
    offsets: Sequence[IndexLike],
    sizes: Sequence[int],
    ty: TileType,
    *,
    after: After = None,
) -> Tile:
    """A window of a tile, in the older spelling.

    As `subview`, without operands for the valid region: it is the part of the source's valid region that lies in
    the window. Assembler 0.27 knows only this name, 0.60 only `subview`.

    Text: ``pto.subset``; targets: a2a3, a5, cpu.

    Arguments:
    - source: tile
    - offsets: index
    - sizes: rows and columns of the window (a list of integers)

    Rules:
    - result has the memory, element type and layout of source
    - sizes are the rows and columns of result
    - two offsets, and the window lies inside source
    - in a boxed tile offsets and sizes are multiples of a box
    - the valid region is that of the type, or the operands', and fits into the window

    Notes:
    - In boxed tiles assembler 0.27 takes only windows of full rows of boxes (row-major) or full columns (column-major).
    """
    return _issue(_subset, after, source, offsets, sizes, ty)


_tsubview = _op("tsubview")


def tsubview(
    dst: Tile,
    src: Tile,
    row_idx: Scalar[Any] | int,
    col_idx: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Bind a tile to a window of another tile, in the spelling of the specification.

    `dst` from here on starts at element (`row_idx`, `col_idx`) of `src`. No data moves. Write `subview` in
    programs for the assembler.

    Text: ``pto.tsubview``; targets: a2a3, a5, cpu.

    Arguments:
    - dst: tile
    - src: tile
    - row_idx: integer
    - col_idx: integer

    Rules:
    - src, dst: same element type
    - valid region of dst inside that of src
    - src and dst are in the same memory

    Notes:
    - On a device `dst` keeps its own strides: give it the rows and columns of `src` and a smaller valid region.
    """
    return _issue(_tsubview, after, dst, src, row_idx, col_idx)


_talias = _op("talias")


def talias(
    dst: Tile,
    src: Tile,
    *,
    after: After = None,
) -> Issued:
    """Another name for a tile.

    `dst` shares the memory of `src`. Documented, but in no header and no assembler, so it exists only on the
    permissive host; use `treshape` or `subview`.

    Text: ``pto.talias``; targets: cpu.

    Arguments:
    - dst: tile
    - src: tile

    Rules:
    - src and dst are in the same memory
    """
    return _issue(_talias, after, dst, src)


_bind_tile = _op("bind_tile")


def bind_tile(
    source: Handle,
    config: Any,
    ty: str,
    *,
    valid_row: IndexLike | None = None,
    valid_col: IndexLike | None = None,
    after: After = None,
) -> Any:
    """Give a lowered buffer the properties of a tile.

    Appears in lowered programs of assembler 0.27: the memref gets a tile configuration and a valid region.

    Text: ``pto.bind_tile``; targets: a2a3, a5, cpu.

    Arguments:
    - source: value
    - config: layout, fractal and padding of the tile (any attribute)
    - valid_row: index
    - valid_col: index

    Rules:
    - valid_row and valid_col: both or neither
    """
    return _issue(_bind_tile, after, source, config, valid_row, valid_col, ty)


_pointer_cast = _op("pointer_cast")


def pointer_cast(
    addrs: Sequence[Scalar[Any] | int],
    ty: str,
    *,
    valid_row: IndexLike | None = None,
    valid_col: IndexLike | None = None,
    config: Any | None = None,
    after: After = None,
) -> Any:
    """A lowered buffer at one or more addresses.

    Appears in lowered programs of assembler 0.27, where the planner has chosen addresses.

    Text: ``pto.pointer_cast``; targets: a2a3, a5, cpu.

    Arguments:
    - addrs: integer
    - valid_row: index
    - valid_col: index
    - config: layout, fractal and padding of the tile (any attribute)

    Rules:
    - valid_row and valid_col: both or neither
    """
    return _issue(_pointer_cast, after, addrs, valid_row, valid_col, config, ty)


_declare_tile_memref = _op("declare_tile_memref")


def declare_tile_memref(
    ty: str,
    *,
    after: After = None,
) -> Any:
    """A lowered tile without memory of its own.

    What `declare_tile` becomes in lowered programs of assembler 0.27.

    Text: ``pto.declare_tile_memref``; targets: a2a3, a5, cpu.
    """
    return _issue(_declare_tile_memref, after, ty)


_set_validshape = _op("set_validshape")


def set_validshape(
    source: Tile,
    valid_row: IndexLike,
    valid_col: IndexLike,
    *,
    after: After = None,
) -> Issued:
    """Set the valid region of a tile.

    The tile's type leaves both extents open; from here on they are `valid_row` and `valid_col`, at most the
    rows and columns of the tile. Data does not change. The tile must have been allocated or popped in this
    function.

    Text: ``pto.set_validshape``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - source: tile
    - valid_row: index
    - valid_col: index

    Rules:
    - the type of source leaves both extents open
    - valid_row and valid_col lie between 0 and the extents of source
    """
    return _issue(_set_validshape, after, source, valid_row, valid_col)


_get_validshape = _op("get_validshape")


def get_validshape(
    source: Tile,
    *,
    after: After = None,
) -> tuple[Index, Index]:
    """The valid region of a tile.

    Both extents, whether they are part of the type or were set at run time.

    Text: ``pto.get_validshape``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - source: tile
    """
    return _issue(_get_validshape, after, source)


_make_tensor_view = _op("make_tensor_view")


def make_tensor_view(
    ptr: Gm[Any],
    shape: Sequence[IndexLike],
    strides: Sequence[IndexLike],
    *,
    layout: Layout | str | None = None,
    after: After = None,
) -> View:
    """A view of a tensor in global memory.

    Element `[i₀, i₁, …]` of the view is `ptr[Σ iₖ · strideₖ]`; strides count elements. There are up to five
    dimensions, outermost first. `layout` says how a matrix lies in them: row-major, column-major or in boxes;
    without it the compiler derives it from the strides where they are constant.

    Text: ``pto.make_tensor_view``; targets: a2a3, a5, cpu.

    Arguments:
    - ptr: pointer
    - shape: index
    - strides: index
    - layout: how a matrix lies in the tensor (nd, dn, nz, mx_a_zz, mx_b_nn, mx_a_nd, mx_a_dn, mx_b_nd, mx_b_dn, nc1hwc0)

    Rules:
    - ptr, result: same element type
    - one extent and one stride per dimension of result, constants equal to the type's
    """
    return _issue(_make_tensor_view, after, ptr, shape, strides, layout)


_partition_view = _op("partition_view")


def partition_view(
    source: View,
    offsets: Sequence[IndexLike],
    sizes: Sequence[IndexLike],
    *,
    after: After = None,
) -> View:
    """A window of a tensor.

    Element `[i₀, …]` of the window is element `[offset₀ + i₀, …]` of the tensor. Loads and stores take windows;
    extents known at compile time belong in the result type.

    Text: ``pto.partition_view``; targets: a2a3, a5, cpu.

    Arguments:
    - source: view of global memory
    - offsets: index
    - sizes: index

    Rules:
    - source, result: same element type
    - one offset and one size per dimension, and the window lies inside source
    """
    return _issue(_partition_view, after, source, offsets, sizes)


_get_tensor_view_dim = _op("get_tensor_view_dim")


def get_tensor_view_dim(
    tensor_view: View,
    dim_index: IndexLike,
    *,
    after: After = None,
) -> Index:
    """An extent of a view.

    `result = shape[dim_index]`, with dimension 0 the outermost.

    Text: ``pto.get_tensor_view_dim``; targets: a2a3, a5, cpu.

    Arguments:
    - tensor_view: view of global memory
    - dim_index: index

    Rules:
    - dim_index is a dimension of the view
    """
    return _issue(_get_tensor_view_dim, after, tensor_view, dim_index)


_get_tensor_view_stride = _op("get_tensor_view_stride")


def get_tensor_view_stride(
    tensor_view: View,
    dim_index: IndexLike,
    *,
    after: After = None,
) -> Index:
    """A stride of a view.

    `result = strides[dim_index]`, in elements, with dimension 0 the outermost.

    Text: ``pto.get_tensor_view_stride``; targets: a2a3, a5, cpu.

    Arguments:
    - tensor_view: view of global memory
    - dim_index: index

    Rules:
    - dim_index is a dimension of the view
    """
    return _issue(_get_tensor_view_stride, after, tensor_view, dim_index)


_tensor_view_addr = _op("tensor_view_addr")


def tensor_view_addr(
    src: View,
    dtype: type[DType],
    *,
    after: After = None,
) -> Gm[Any]:
    """The address of the first element of a view.

    A pointer into global memory, for scalar accesses.

    Text: ``pto.tensor_view_addr``; targets: a2a3, a5, cpu.

    Arguments:
    - src: view of global memory
    """
    return _issue(_tensor_view_addr, after, src, dtype)


_tile_buf_addr = _op("tile_buf_addr")


def tile_buf_addr(
    src: Tile,
    dtype: type[DType],
    *,
    after: After = None,
) -> Gm[Any]:
    """The address of a tile.

    A pointer into the tile's memory, for scalar accesses and lower-level code.

    Text: ``pto.tile_buf_addr``; targets: a2a3, a5, cpu.

    Arguments:
    - src: tile
    """
    return _issue(_tile_buf_addr, after, src, dtype)


_tile_valid_rows = _op("tile_valid_rows")


def tile_valid_rows(
    src: Tile,
    *,
    after: After = None,
) -> Index:
    """The valid rows of a tile.

    As the first result of `get_validshape`.

    Text: ``pto.tile_valid_rows``; targets: a2a3, a5, cpu.

    Arguments:
    - src: tile
    """
    return _issue(_tile_valid_rows, after, src)


_tile_valid_cols = _op("tile_valid_cols")


def tile_valid_cols(
    src: Tile,
    *,
    after: After = None,
) -> Index:
    """The valid columns of a tile.

    As the second result of `get_validshape`.

    Text: ``pto.tile_valid_cols``; targets: a2a3, a5, cpu.

    Arguments:
    - src: tile
    """
    return _issue(_tile_valid_cols, after, src)


_addptr = _op("addptr")


def addptr(
    ptr: Gm[Any],
    offset: IndexLike,
    *,
    after: After = None,
) -> Gm[Any]:
    """Move a pointer.

    `result = ptr + offset`, with the offset in elements.

    Text: ``pto.addptr``; targets: a2a3, a5, cpu.

    Arguments:
    - ptr: pointer
    - offset: index

    Rules:
    - result has the type of ptr
    """
    return _issue(_addptr, after, ptr, offset)


_castptr = _op("castptr")


def castptr(
    input: Handle,
    ty: str,
    *,
    after: After = None,
) -> Any:
    """Change the type of a pointer, or turn an integer into a pointer and back.

    The address stays; a pointer keeps its memory. From an integer, the result type says which memory is meant.

    Text: ``pto.castptr``; targets: a2a3, a5, cpu.

    Arguments:
    - input: value

    Rules:
    - pointer to pointer of the same memory, integer to pointer, or pointer to integer
    """
    return _issue(_castptr, after, input, ty)


_inttoptr = _op("inttoptr")


def inttoptr(
    addr: Scalar[Any] | int,
    dtype: type[DType],
    *,
    after: After = None,
) -> Gm[Any]:
    """A pointer from an address in global memory.

    The address is an `i64` in bytes. The result serves `load_scalar` and `store_scalar` only.

    Text: ``pto.inttoptr``; targets: a2a3, a5, cpu.

    Arguments:
    - addr: integer

    Rules:
    - result points to elements of a data type
    """
    return _issue(_inttoptr, after, addr, dtype)


_ptrtoint = _op("ptrtoint")


def ptrtoint(
    ptr: Gm[Any],
    *,
    after: After = None,
) -> Scalar[Any]:
    """The address a pointer holds.

    In bytes, as an `i64`.

    Text: ``pto.ptrtoint``; targets: a2a3, a5, cpu.

    Arguments:
    - ptr: pointer
    """
    return _issue(_ptrtoint, after, ptr)


_load_scalar = _op("load_scalar")


def load_scalar(
    ptr: Gm[Any],
    offset: IndexLike,
    *,
    after: After = None,
) -> Scalar[Any]:
    """Read one element through a pointer.

    `value = ptr[offset]`, with the offset in elements. Runs on the scalar unit, which has a cache of its own:
    after another core or a tile store has written the place, invalidate first (`cmo.cacheinvalid`).

    Text: ``pto.load_scalar``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - ptr: pointer
    - offset: index

    Rules:
    - ptr, value: same element type

    Notes:
    - Assembler 0.27 takes pointers into global memory only.
    """
    return _issue(_load_scalar, after, ptr, offset)


_store_scalar = _op("store_scalar")


def store_scalar(
    ptr: Gm[Any],
    value: ScalarLike,
    offset: IndexLike,
    *,
    after: After = None,
) -> Issued:
    """Write one element through a pointer.

    `ptr[offset] = value`, with the offset in elements. Runs on the scalar unit; the store may stay in its cache
    until it is cleaned.

    Text: ``pto.store_scalar``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - ptr: pointer
    - value: scalar
    - offset: index

    Rules:
    - ptr, value: same element type

    Notes:
    - Assembler 0.27 takes pointers into global memory only.
    """
    return _issue(_store_scalar, after, ptr, value, offset)


_get_block_idx = _op("get_block_idx")


def get_block_idx(
    *,
    after: After = None,
) -> Scalar[Any]:
    """The number of this block.

    A block is a cube core with its vector cores, or a single core in kernels that use one kind; all its cores
    read the same number, from 0 up to `get_block_num` − 1.

    Text: ``pto.get_block_idx``; targets: a2a3, a5, cpu.
    """
    return _issue(_get_block_idx, after)


_get_block_num = _op("get_block_num")


def get_block_num(
    *,
    after: After = None,
) -> Scalar[Any]:
    """How many blocks were launched.

    Use with `get_block_idx` to share work between blocks.

    Text: ``pto.get_block_num``; targets: a2a3, a5, cpu.

    Notes:
    - The public CPU simulator returns its number of cores instead.
    """
    return _issue(_get_block_num, after)


_get_subblock_idx = _op("get_subblock_idx")


def get_subblock_idx(
    *,
    after: After = None,
) -> Scalar[Any]:
    """The number of this vector core in its block.

    0 or 1 where a block has two vector cores.

    Text: ``pto.get_subblock_idx``; targets: a2a3, a5, cpu.
    """
    return _issue(_get_subblock_idx, after)


_get_subblock_num = _op("get_subblock_num")


def get_subblock_num(
    *,
    after: After = None,
) -> Scalar[Any]:
    """How many vector cores a block has.

    Use with `get_subblock_idx` to share work inside a block.

    Text: ``pto.get_subblock_num``; targets: a2a3, a5, cpu.
    """
    return _issue(_get_subblock_num, after)


_declare_local_array = _op("declare_local_array")


def declare_local_array(
    ty: str,
    *,
    after: After = None,
) -> Any:
    """An array of scalars in the core's own memory.

    The type gives extents and element type: `!pto.local_array<8x8xf32>`. The contents are undefined at first.

    Text: ``pto.declare_local_array``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_declare_local_array, after, ty)


_local_array_get = _op("local_array_get")


def local_array_get(
    array: Handle,
    indices: Sequence[IndexLike],
    dtype: type[DType],
    *,
    after: After = None,
) -> Scalar[Any]:
    """Read an element of a local array.

    `result = array[indices]`, one index per dimension.

    Text: ``pto.local_array_get``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - array: value
    - indices: index

    Rules:
    - one index per dimension, inside the array
    - result has the array's element type
    """
    return _issue(_local_array_get, after, array, indices, dtype)


_local_array_set = _op("local_array_set")


def local_array_set(
    array: Handle,
    indices: Sequence[IndexLike],
    value: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """Write an element of a local array.

    `array[indices] = value`, one index per dimension.

    Text: ``pto.local_array_set``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - array: value
    - indices: index
    - value: scalar

    Rules:
    - one index per dimension, inside the array
    - value has the array's element type
    """
    return _issue(_local_array_set, after, array, indices, value)


_declare_struct = _op("declare_struct")


def declare_struct(
    ty: str,
    *,
    after: After = None,
) -> Any:
    """A record of scalars in the core's own memory.

    The type lists the fields: `!pto.struct<f32, i8>`; fields may be records. It belongs to the function that
    declares it and cannot be passed on.

    Text: ``pto.declare_struct``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_declare_struct, after, ty)


_struct_get = _op("struct_get")


def struct_get(
    s: Handle,
    path: Sequence[int],
    dtype: type[DType],
    *,
    after: After = None,
) -> Scalar[Any]:
    """Read a field of a record.

    The path is a list of field numbers from the outside in; it must end at a scalar.

    Text: ``pto.struct_get``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - s: value
    - path: field numbers from the outside in (a list of integers)

    Rules:
    - s is a record
    """
    return _issue(_struct_get, after, s, path, dtype)


_struct_set = _op("struct_set")


def struct_set(
    s: Handle,
    value: ScalarLike,
    path: Sequence[int],
    *,
    after: After = None,
) -> Issued:
    """Write a field of a record.

    The path is a list of field numbers from the outside in; it must end at a scalar.

    Text: ``pto.struct_set``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - s: value
    - value: scalar
    - path: field numbers from the outside in (a list of integers)

    Rules:
    - s is a record
    """
    return _issue(_struct_set, after, s, value, path)


_sbitset0 = _op("sbitset0")


def sbitset0(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Scalar[Any]:
    """Clear one bit of a 64-bit number.

    `result = first & ~(1 << second)`

    Text: ``pto.sbitset0``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_sbitset0, after, first, second)


_sbitset1 = _op("sbitset1")


def sbitset1(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Scalar[Any]:
    """Set one bit of a 64-bit number.

    `result = first | (1 << second)`

    Text: ``pto.sbitset1``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_sbitset1, after, first, second)


_setfmatrix = _op("setfmatrix")


def setfmatrix(
    src: Handle,
    *,
    mode: str | None = None,
    fmap_h: int | None = None,
    fmap_w: int | None = None,
    pad_left: int | None = None,
    pad_right: int | None = None,
    pad_top: int | None = None,
    pad_bottom: int | None = None,
    after: After = None,
) -> Issued:
    """Describe the feature map of a convolution.

    Fills the register `timg2col` reads: width and height of the feature map and the padding on its four sides,
    taken from the convolution tile. There is one register for each matmul operand, A and B; in the automatic
    modes it is filled by `timg2col` itself and this does nothing.

    Text: ``pto.setfmatrix``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - src: value
    - mode: register A or B, set by hand or automatically (a text in quotes; else FMATRIX_A_MANUAL)
    - fmap_h: rows of the feature map (1 to 65535)
    - fmap_w: columns of the feature map (1 to 65535)
    - pad_left: columns in front of the map (0 to 255; else 0)
    - pad_right: columns after the map (0 to 255; else 0)
    - pad_top: rows above the map (0 to 255; else 0)
    - pad_bottom: rows below the map (0 to 255; else 0)

    Rules:
    - src is a convolution tile in L1 or a configuration value
    - mode is one of the four

    Notes:
    - One page takes a `!pto.fmatrix_config`, another a tile; the C++ function takes a ConvTile. No public assembler has it.
    - Neither a configuration value nor a tile says how large the map is, so the attributes do.
    """
    return _issue(_setfmatrix, after, src, mode, fmap_h, fmap_w, pad_left, pad_right, pad_top, pad_bottom)


_set_img2col_rpt = _op("set_img2col_rpt")


def set_img2col_rpt(
    src: Handle,
    *,
    mode: str | None = None,
    after: After = None,
) -> Issued:
    """Set how `timg2col` repeats.

    Repeat stride, count and mode from the convolution tile, and on A5 also the stride and position of the
    destination. Must come before the `timg2col` it is meant for.

    Text: ``pto.set_img2col_rpt``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - src: value
    - mode: register A or B, set by hand or automatically (a text in quotes; else FMATRIX_A_MANUAL)

    Rules:
    - src is a convolution tile in L1 or a configuration value
    - mode is one of the four
    """
    return _issue(_set_img2col_rpt, after, src, mode)


_set_img2col_padding = _op("set_img2col_padding")


def set_img2col_padding(
    src: Handle,
    *,
    mode: str | None = None,
    pad_value: int | None = None,
    after: After = None,
) -> Issued:
    """Set what `timg2col` writes outside the feature map.

    The pad value of the convolution tile; 8-bit values fill both bytes of the 16-bit register.

    Text: ``pto.set_img2col_padding``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - src: value
    - mode: register A or B, set by hand or automatically (a text in quotes; else FMATRIX_A_MANUAL)
    - pad_value: the bits of the pad value (an integer, at least 0; else 0)

    Rules:
    - src is a convolution tile in L1 or a configuration value
    - mode is one of the four
    """
    return _issue(_set_img2col_padding, after, src, mode, pad_value)


_set_quant_scalar = _op("set_quant_scalar")


def set_quant_scalar(
    scale: ScalarLike,
    *,
    id: int | None = None,
    after: After = None,
) -> Issued:
    """Set one scale for the next pushes of accumulators.

    For pipes whose `acc_push_epilogue` quantises with a scalar. Must come before the `tpush_to_aiv` of the
    same pipe, in the same block.

    Text: ``pto.set_quant_scalar``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - scale: scalar
    - id: which pipe of the function (an integer, at least 0; else 0)

    Notes:
    - On A5 a negative scale also sets the offset and sign fields of the register.
    """
    return _issue(_set_quant_scalar, after, scale, id)


_set_quant_vector = _op("set_quant_vector")


def set_quant_vector(
    scaling_tile: Tile,
    *,
    id: int | None = None,
    after: After = None,
) -> Issued:
    """Set a scale per column for the next pushes of accumulators.

    For pipes whose `acc_push_epilogue` quantises with a vector. The table is a tile in the fix-pipe buffer and
    must stay there until the push is done; its address counts in units of 128 bytes.

    Text: ``pto.set_quant_vector``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - scaling_tile: tile
    - id: which pipe of the function (an integer, at least 0; else 0)

    Rules:
    - scaling_tile: element type i64, ui64 (a2a3)
    - scaling_tile: element type f16, bf16, f32 (a5)

    Notes:
    - The header documents 64-bit words on all devices; assembler 0.60 wants floating-point scales on A5, and is followed.
    """
    return _issue(_set_quant_vector, after, scaling_tile, id)


_set_ffts = _op("set_ffts")


def set_ffts(
    ffts: Gm[Any],
    *,
    after: After = None,
) -> Issued:
    """Tell the core where the signal hardware keeps its counters.

    Needed once at the start of a kernel on A2/A3 before any signal between cores; the runtime passes the
    address to the kernel.

    Text: ``pto.set_ffts``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - ffts: pointer
    """
    return _issue(_set_ffts, after, ffts)


_set_atomic_add = _op("set_atomic_add")


def set_atomic_add(
    *,
    after: After = None,
) -> Issued:
    """Make later stores to global memory add to what is there.

    Stays in force until `set_atomic_none`; the element type is set by `set_atomic_f32` and its relatives.

    Text: ``pto.set_atomic_add``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_add, after)


_set_atomic_max = _op("set_atomic_max")


def set_atomic_max(
    *,
    after: After = None,
) -> Issued:
    """Make later stores to global memory keep the larger value.

    Stays in force until `set_atomic_none`.

    Text: ``pto.set_atomic_max``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_max, after)


_set_atomic_min = _op("set_atomic_min")


def set_atomic_min(
    *,
    after: After = None,
) -> Issued:
    """Make later stores to global memory keep the smaller value.

    Stays in force until `set_atomic_none`.

    Text: ``pto.set_atomic_min``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_min, after)


_set_atomic_none = _op("set_atomic_none")


def set_atomic_none(
    *,
    after: After = None,
) -> Issued:
    """Make later stores to global memory ordinary ones again.

    Ends `set_atomic_add`, `set_atomic_max` and `set_atomic_min`.

    Text: ``pto.set_atomic_none``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_none, after)


_set_atomic_f32 = _op("set_atomic_f32")


def set_atomic_f32(
    *,
    after: After = None,
) -> Issued:
    """Atomic stores work on `f32`.

    Chooses the element type; the kind of store is set by `set_atomic_add`, `set_atomic_max` or `set_atomic_min`.

    Text: ``pto.set_atomic_f32``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_f32, after)


_set_atomic_f16 = _op("set_atomic_f16")


def set_atomic_f16(
    *,
    after: After = None,
) -> Issued:
    """Atomic stores work on `f16`.

    See `set_atomic_f32`.

    Text: ``pto.set_atomic_f16``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_f16, after)


_set_atomic_bf16 = _op("set_atomic_bf16")


def set_atomic_bf16(
    *,
    after: After = None,
) -> Issued:
    """Atomic stores work on `bf16`.

    See `set_atomic_f32`.

    Text: ``pto.set_atomic_bf16``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_bf16, after)


_set_atomic_s32 = _op("set_atomic_s32")


def set_atomic_s32(
    *,
    after: After = None,
) -> Issued:
    """Atomic stores work on signed 32-bit integers.

    See `set_atomic_f32`.

    Text: ``pto.set_atomic_s32``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_s32, after)


_set_atomic_s16 = _op("set_atomic_s16")


def set_atomic_s16(
    *,
    after: After = None,
) -> Issued:
    """Atomic stores work on signed 16-bit integers.

    See `set_atomic_f32`.

    Text: ``pto.set_atomic_s16``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_s16, after)


_set_atomic_s8 = _op("set_atomic_s8")


def set_atomic_s8(
    *,
    after: After = None,
) -> Issued:
    """Atomic stores work on signed 8-bit integers.

    See `set_atomic_f32`.

    Text: ``pto.set_atomic_s8``; targets: a2a3, a5, cpu; pipe PIPE_S.
    """
    return _issue(_set_atomic_s8, after)


_set_store_atomic_cfg = _op("set_store_atomic_cfg")


def set_store_atomic_cfg(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Write the whole configuration word of atomic stores.

    Kind and element type in one word, as an earlier read of the register gave it.

    Text: ``pto.set_store_atomic_cfg``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_store_atomic_cfg, after, value)


_set_fpc = _op("set_fpc")


def set_fpc(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Write the fix-pipe parameter register.

    Address and options of the quantisation table in the fix-pipe buffer; what `set_quant_vector` writes.

    Text: ``pto.set_fpc``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_fpc, after, value)


_set_quant_pre = _op("set_quant_pre")


def set_quant_pre(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Write the scalar quantisation register.

    The low 32 bits are the scale as `f32`; bit 46 marks signed 8-bit output. What `set_quant_scalar` writes.

    Text: ``pto.set_quant_pre``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_quant_pre, after, value)


_set_relu_alpha = _op("set_relu_alpha")


def set_relu_alpha(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Write the slope of the fix pipe's leaky ReLU.

    Read by stores and moves of accumulators with a scalar ReLU.

    Text: ``pto.set_relu_alpha``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_relu_alpha, after, value)


_set_fix_clip_relu = _op("set_fix_clip_relu")


def set_fix_clip_relu(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Write the limit of the fix pipe's clipping ReLU.

    Read by stores and moves of accumulators that clip.

    Text: ``pto.set_fix_clip_relu``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_fix_clip_relu, after, value)


_cmo_cacheinvalid = _op("cmo.cacheinvalid")


def cmo_cacheinvalid(
    *,
    addr: Handle | None = None,
    space: AddressSpace | str | None = None,
    after: After = None,
) -> Issued:
    """Forget cached copies of global memory.

    With an address, the cache line that holds it; without, the whole scalar cache. Needed before
    `load_scalar` reads what another core or a tile store wrote.

    Text: ``pto.cmo.cacheinvalid``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - addr: value
    - space: which memory (zero, gm, mat, left, right, acc, vec, bias, scaling; else gm)

    Rules:
    - one of addr, space
    - global memory only
    """
    return _issue(_cmo_cacheinvalid, after, addr, space)


_set_loop1_stride_outtoub = _op("set_loop1_stride_outtoub")


def set_loop1_stride_outtoub(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Strides of the inner loop of copies from global memory to the unified buffer.

    After each round the source moves by the first number of bytes and the destination by the second.

    Text: ``pto.set_loop1_stride_outtoub``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_loop1_stride_outtoub, after, first, second)


_set_loop2_stride_outtoub = _op("set_loop2_stride_outtoub")


def set_loop2_stride_outtoub(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Strides of the outer loop of copies from global memory to the unified buffer.

    As `set_loop1_stride_outtoub`, for the loop around it.

    Text: ``pto.set_loop2_stride_outtoub``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_loop2_stride_outtoub, after, first, second)


_set_loop_size_outtoub = _op("set_loop_size_outtoub")


def set_loop_size_outtoub(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Loop counts of copies from global memory to the unified buffer.

    Rounds of the inner loop and of the outer loop; 1 and 1 for a plain copy.

    Text: ``pto.set_loop_size_outtoub``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_loop_size_outtoub, after, first, second)


_set_loop1_stride_ubtoout = _op("set_loop1_stride_ubtoout")


def set_loop1_stride_ubtoout(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Strides of the inner loop of copies from the unified buffer to global memory.

    After each round the source moves by the first number of bytes and the destination by the second.

    Text: ``pto.set_loop1_stride_ubtoout``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_loop1_stride_ubtoout, after, first, second)


_set_loop2_stride_ubtoout = _op("set_loop2_stride_ubtoout")


def set_loop2_stride_ubtoout(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Strides of the outer loop of copies from the unified buffer to global memory.

    As `set_loop1_stride_ubtoout`, for the loop around it.

    Text: ``pto.set_loop2_stride_ubtoout``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_loop2_stride_ubtoout, after, first, second)


_set_loop_size_ubtoout = _op("set_loop_size_ubtoout")


def set_loop_size_ubtoout(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Loop counts of copies from the unified buffer to global memory.

    Rounds of the inner loop and of the outer loop; 1 and 1 for a plain copy.

    Text: ``pto.set_loop_size_ubtoout``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_loop_size_ubtoout, after, first, second)


_set_loop1_stride_outtol1 = _op("set_loop1_stride_outtol1")


def set_loop1_stride_outtol1(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Strides of the inner loop of copies from global memory to L1, packed into one word.

    Source and destination stride of the loop in the fields of the register.

    Text: ``pto.set_loop1_stride_outtol1``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_loop1_stride_outtol1, after, value)


_set_loop2_stride_outtol1 = _op("set_loop2_stride_outtol1")


def set_loop2_stride_outtol1(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Strides of the outer loop of copies from global memory to L1, packed into one word.

    As `set_loop1_stride_outtol1`, for the loop around it.

    Text: ``pto.set_loop2_stride_outtol1``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_loop2_stride_outtol1, after, value)


_set_loop_size_outtol1 = _op("set_loop_size_outtol1")


def set_loop_size_outtol1(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Loop counts of copies from global memory to L1, packed into one word.

    Rounds of the inner and the outer loop in the fields of the register.

    Text: ``pto.set_loop_size_outtol1``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_loop_size_outtol1, after, value)


_set_loop3_para = _op("set_loop3_para")


def set_loop3_para(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Parameters of the third loop of copies out of the accumulator.

    Two words: the count of matrices and their strides on both sides.

    Text: ``pto.set_loop3_para``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_loop3_para, after, first, second)


_set_channel_para = _op("set_channel_para")


def set_channel_para(
    first: Scalar[Any] | int,
    second: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Channel parameters of copies out of the accumulator.

    Two words with the loop and stride fields of the channel dimension.

    Text: ``pto.set_channel_para``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - first: integer
    - second: integer
    """
    return _issue(_set_channel_para, after, first, second)


_set_mte2_nz_para = _op("set_mte2_nz_para")


def set_mte2_nz_para(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """Parameters of copies that turn rows into boxes on the way into L1.

    One word with matrix count and strides.

    Text: ``pto.set_mte2_nz_para``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_mte2_nz_para, after, value)


_set_pad_val_outtol1 = _op("set_pad_val_outtol1")


def set_pad_val_outtol1(
    value: Scalar[Any] | int,
    *,
    after: After = None,
) -> Issued:
    """What copies from global memory to L1 write where there is no source.

    The bit pattern of the element, in the low bits of the word.

    Text: ``pto.set_pad_val_outtol1``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: integer
    """
    return _issue(_set_pad_val_outtol1, after, value)


_set_mov_pad_val = _op("set_mov_pad_val")


def set_mov_pad_val(
    value: ScalarLike,
    *,
    after: After = None,
) -> Issued:
    """What padded copies into the unified buffer write where there is no source.

    An integer or floating-point value of the element's size; its bits are stored.

    Text: ``pto.set_mov_pad_val``; targets: a2a3, a5, cpu; pipe PIPE_S.

    Arguments:
    - value: scalar
    """
    return _issue(_set_mov_pad_val, after, value)
