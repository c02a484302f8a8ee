"""`ptodsl.pto`: the names that scripts use. What is below tiles exists and raises when it is used."""

import re

from . import control, explicit, kernels, pipes, scalar, tensors, tiles, trace, types, values
from .control import KernelRange as range  # noqa: A004
from .control import static_range
from .errors import BelowTilesError, PTODSLAstRewriteError, PTODSLTracingMisuseError, below_tiles
from .kernels import func, jit, merge_jit_modules, simt, tileop
from .pipes import get_buf, import_reserved_buffer, pipe, pipe_barrier, reserve_buffer, rls_buf, set_flag, wait_flag
from .scalar import (
    add, addui_extended, bitcast, cast, ceildiv, cmp, div, exp, floordiv, load, load_scalar, log, maximum, minimum, mul,
    mul_extended, neg, rem, select, shl, shr, sqrt, store, store_scalar, sub,
)  # fmt: skip
from .scalar import abs, max, min  # noqa: A004
from .structs import declare_struct, struct_get, struct_set, struct_type
from .tensors import alloc_tile, make_tensor_view, partition_view
from .tiles import tile
from .types import (
    BLayout, CmpMode, MemorySpace, PadValue, Pipe, RoundMode, SaturationMode, SLayout, gm_ptr, ptr,
)  # fmt: skip
from .values import addptr, castptr

const_expr = types.ConstExpr("const_expr")
Tile, TensorView, PartitionTensorView = (types.Annotation(n) for n in ("Tile", "TensorView", "PartitionTensorView"))
KernelHandle, LoopHandle, BranchHandle = kernels.KernelHandle, explicit.For, explicit.If
for_, if_, while_, yield_ = explicit.For, explicit.If, explicit.While, explicit.yield_
section = explicit.Section

globals().update(types.DTYPES)
globals().update({long: types.DTYPES[short] for long, short in types.LONG_NAMES.items()})
globals().update(types.PRECISIONS)
bool = types.DTYPES["i1"]  # noqa: A001

_int, _isinstance = int, isinstance


class _Const(values.Scalar):
    """A constant that knows its number: it may be the extent of a type."""

    def __init__(self, like, number):
        super().__init__(like.name, like.dtype)
        self.number = number


def const(value, *, dtype=None):
    """A constant of the kernel, an `index` unless stated."""
    dtype = dtype or types.DTYPES["index"]
    made = values.constant(value, dtype)
    return _Const(made, _int(value)) if dtype.is_int else made


def _query(name):
    def query():
        return values.Scalar(trace.emit(f"pto.{name}", {}, ["i64"])[0], values.I64)

    query.__name__ = name
    return query


get_block_idx, get_block_num, get_subblock_idx, get_subblock_num = (
    _query(n) for n in ("get_block_idx", "get_block_num", "get_subblock_idx", "get_subblock_num")
)


def bytewidth(dtype):
    return dtype.bytes


def elements_per_vreg(dtype):
    return 256 // dtype.bytes


def print(fmt, value):  # noqa: A001
    """Prints a scalar."""
    trace.emit("pto.print", {"scalar": values.as_scalar(value, values.F32, exact=True)}, (), {"format": trace.quoted(fmt)})


def trap():
    trace.emit("pto.trap", {})


def _signal(name, pipe_, id):
    op = {"set_cross_block": "pto.sync.set", "wait_cross_block": "pto.sync.wait"}.get(name, f"pto.{name}")
    row = trace.row(op)
    attrs = {"pipe": pipes.pipe_attr(pipe_)}
    operands = {}
    if _isinstance(id, values.Scalar):
        operands[row["slots"][0]["name"]] = values.as_index(id)
    else:
        attrs["event_id"] = f"{_int(id)} : i32"
    trace.emit(op, operands, (), attrs)


def set_cross_block(pipe_, id):
    _signal("set_cross_block", pipe_, id)


def wait_cross_block(pipe_, id):
    _signal("wait_cross_block", pipe_, id)


def set_intra_block(pipe_, id):
    _signal("set_intra_block", pipe_, id)


def wait_intra_block(pipe_, id):
    _signal("wait_intra_block", pipe_, id)


def _plain(name):
    """An instruction without operands."""

    def function():
        trace.emit(f"pto.{name}", {})

    function.__name__ = name
    return function


for _name in ("add", "max", "min", "none", "f32", "f16", "bf16", "s32", "s16", "s8"):
    globals()[f"set_atomic_{_name}"] = _plain(f"set_atomic_{_name}")


def empty_like(tensor):
    import torch

    return torch.empty_like(tensor)


cube, simd = kernels.removed("cube"), kernels.removed("simd")

#: Also at the top, under the names of the instructions.
_TOP = "sort32 mrgsort gather scatter print rem rems fmod fmods prelu random gemv gemv_acc gemv_bias load store mov cvt".split()
for _name in _TOP:
    globals()[f"t{_name}"] = getattr(tile, _name) if _name not in ("print",) else tiles.print_

#: Names below tiles: vector registers, predicates, data movers, the matrix unit, threads.
_BELOW = re.compile(
    r"^(v[a-z]\w*|p(lt|set|ge|and|or|xor|not|sel|pack|unpack|intlv|dintlv|lds|sts|stu|bitcast)\w*|mte_\w+|mad\w*|make_mask|mask_type"
    r"|vreg_type|AlignType|Vec|get_tid\w*|ld\w+|st[gs]\w*|st_dev|atomic_\w+|shuffle_\w+|redux_\w+|vote_\w+|syncthreads|init_align|mem_bar"
    r"|sdma_\w+|init_core|alloc_buffer|raw_fill_l1|set_store_atomic_cfg|f16x2|bf16x2|f32x2"
    r"|chistv2|vmi|keep|resume|init_\w+|get_lane\w*|get_\w+dim\w*|get_ctrl|set_ctrl|simt\w*"
    # Words that those take, and numbers of threads.
    r"|AccStoreUnitFlagCtrl|BarrierType|DeinterleaveDist|InterleaveDist|FractalMode|MadUnitFlagMode|Mask\w*|PAT|PartMode|PositionMode|PostUpdate"
    r"|Predicate\w+|SatMode|SplitMode|Tf32Mode|V[A-Za-z]\w*|mask_b\d+|\w+x[248]|absf|ceil|convert|cos|floor|fma|fmax|fmin|get_block_idx_[xyz]"
    r"|get_clock\d+|get_op_attr|get_veccoreid|mul_i32toi64|mulhi|pow|prmt|rint|round|sin|store_vfsimt_info|threadfence\w*)$"
)

#: Names that are gone upstream, too.
_GONE = {"constexpr": "const_expr", "tensor_spec": "ptr", "tile_buf_type": "alloc_tile", "as_ptr": "tile.as_ptr()", "ukernel": "func"}


class _Below:
    """A name below tiles: it raises where it is used."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *_, **__):
        raise below_tiles(self._name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Below(f"{self._name}.{name}")

    def __getitem__(self, _):
        raise below_tiles(self._name)


def __getattr__(name):
    if name in _GONE:
        raise AttributeError(f"pto.{name} is gone; use pto.{_GONE[name]}")
    if _BELOW.match(name):
        return _Below(f"pto.{name}")
    raise AttributeError(f"pto has no `{name}`")


__all__ = [
    "BLayout", "BelowTilesError", "BranchHandle", "CmpMode", "KernelHandle", "LoopHandle", "MemorySpace", "PTODSLAstRewriteError",
    "PTODSLTracingMisuseError", "PadValue", "PartitionTensorView",
    "Pipe", "RoundMode", "SLayout", "SaturationMode", "TensorView", "Tile", "abs", "add", "addptr", "addui_extended", "alloc_tile", "bitcast",
    "bytewidth", "cast", "castptr", "ceildiv", "cmp", "const", "const_expr", "control", "cube", "declare_struct", "div", "elements_per_vreg",
    "empty_like", "exp", "floordiv", "for_", "func", "get_block_idx", "get_block_num", "get_buf", "get_subblock_idx",
    "get_subblock_num", "gm_ptr", "if_", "import_reserved_buffer", "jit", "load", "load_scalar", "log", "make_tensor_view", "max",
    "maximum", "merge_jit_modules", "min", "minimum", "mul", "mul_extended", "neg", "partition_view", "pipe", "pipe_barrier",
    "print", "ptr", "range", "rem", "reserve_buffer", "rls_buf", "scalar", "section", "select", "set_cross_block", "set_flag",
    "set_intra_block", "shl", "shr", "simd", "simt", "sqrt", "static_range", "store", "store_scalar", "struct_get", "struct_set", "struct_type", "sub",
    "tensors", "tile", "tileop", "trap", "wait_cross_block", "wait_flag", "wait_intra_block", "while_", "yield_",
]  # fmt: skip
