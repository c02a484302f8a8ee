"""`pto.tile`: tile instructions, destination last.

A function is made from the row of its instruction: operands that are read, in the order of the row, then those that are
written; operands that may be left out, and attributes, are keywords. Exceptions are written below.
"""

from . import tensors, trace, types, values
from .errors import PTODSLTracingMisuseError
from .tensors import Partition, Tile, View, partition_view
from .types import word
from .values import Scalar, as_index, as_scalar

#: Names that are not `t` and the name of the instruction.
RENAMED = {
    "transpose": "ttrans", "bit_and": "tand", "bit_or": "tor", "bit_not": "tnot", "bit_xor": "txor", "bit_xors": "txors",
    "bit_ands": "tands", "bit_ors": "tors", "bit_shl": "tshl", "bit_shr": "tshr", "bit_shls": "tshls", "bit_shrs": "tshrs",
    "matmul_acc": "tmatmul.acc", "matmul_mx": "tmatmul.mx", "matmul_mx_acc": "tmatmul.mx.acc",
    "matmul_mx_bias": "tmatmul.mx.bias", "gemv_acc": "tgemv.acc", "gemv_bias": "tgemv.bias", "gemv_mx": "tgemv.mx",
    "gemv_mx_acc": "tgemv.mx.acc", "gemv_mx_bias": "tgemv.mx.bias",
}  # fmt: skip

#: Attributes that a keyword stands for, with the words of the enumeration.
_ROUND, _SATURATION = "round_mode", "saturation_mode"
_PRECISION_KEYWORDS = ("precision", "div_precision", "exp_precision", "log_precision", "sqrt_precision", "recip_precision",
                       "rsqrt_precision", "rem_precision", "fmod_precision")  # fmt: skip


def instruction(name):
    return f"pto.{RENAMED.get(name, 't' + name)}"


def call(op, operands, attrs=None):
    """An instruction on operands by slot; numbers become scalars of the element type of its tiles."""
    tile = next((v for v in operands.values() if isinstance(v, Tile)), None)
    found = {}
    for slot, value in operands.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple)):
            found[slot] = list(value)
        elif isinstance(value, values.Value):
            found[slot] = value
        else:
            found[slot] = as_scalar(value, tile.dtype if tile is not None else values.INDEX)
    trace.emit(op, found, (), attrs)


def _slots(op, direction):
    return [s for s in trace.row(op)["slots"] if s["dir"] == direction]


def _precision(op, keywords):
    """The attribute for the accuracy that a keyword asks for."""
    given = [keywords.pop(k) for k in _PRECISION_KEYWORDS if keywords.get(k) is not None]
    for keyword in _PRECISION_KEYWORDS:
        keywords.pop(keyword, None)
    if not given:
        return {}
    text = word(given[0]).replace("_", "").lower()
    chosen = {"default": "default", "highprecision": "high_precision"}.get(text)
    if chosen is None:
        raise ValueError(f"{given[0]!r} is not an accuracy; legal: Default, HighPrecision")
    attr = next((a for a in trace.row(op)["attrs"] if "precision" in a["name"].lower()), None)
    if attr is None:
        raise TypeError(f"`{op}` has no choice of accuracy")
    return {attr["name"]: f"#pto<{attr['enum']} {chosen}>"} if attr.get("enum") else {attr["name"]: f'"{chosen}"'}


def _plain(name):
    op = instruction(name)

    def function(*args, **keywords):
        row = trace.row(op)
        ins = [s["name"] for s in row["slots"] if s["dir"] == "in" and s["count"] == "one"]
        outs = [s["name"] for s in row["slots"] if s["dir"] != "in" and s["count"] == "one"]
        optional = [s["name"] for s in row["slots"] if s["count"] == "optional"]
        attrs = _precision(op, keywords)
        wanted = ins + outs
        operands = dict(zip(wanted, args))
        if len(args) > len(wanted):
            raise TypeError(f"pto.tile.{name}(...) takes {len(wanted)} operands, found {len(args)}")
        for key in list(keywords):
            if key in optional or key in wanted:
                operands[key] = keywords.pop(key)
        if keywords:
            raise TypeError(f"pto.tile.{name}(...) has no keyword `{next(iter(keywords))}`")
        missing = [s for s in wanted if operands.get(s) is None]
        if missing:
            raise TypeError(f"pto.tile.{name}(...) needs `{missing[0]}`: {', '.join(wanted)}")
        call(op, operands, attrs)

    function.__name__ = name
    function.__doc__ = f"`{op}`, destination last."
    return function


class TileNamespace:
    """The functions of `pto.tile`."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        op = instruction(name)
        if not trace.has_row(op):
            raise AttributeError(f"pto.tile has no `{name}`: there is no instruction `{op}`")
        function = _plain(name)
        setattr(self, name, function)
        return function


def function(target):
    setattr(TileNamespace, target.__name__.rstrip("_"), staticmethod(target))
    return target


def _window(view, tile, offsets, sizes, what):
    """The part of a view that a transfer moves."""
    if isinstance(view, Partition) and offsets is None and sizes is None:
        return view
    if not isinstance(view, (View, Partition)):
        raise TypeError(f"pto.tile.{what}(...) takes a view or a part of one, not {view!r}")
    if sizes is None:
        sizes = tile.valid_shape
        if len(sizes) != view.rank:
            raise ValueError(f"the tile has {len(sizes)} dimensions and the view {view.rank}; give sizes=")
    return partition_view(view, offsets=[0] * view.rank if offsets is None else offsets, sizes=sizes)


@function
def load(src, tile, *, offsets=None, sizes=None, cache_policy=None):
    attrs = {"cache_policy": f"#pto.load_cache_policy<{word(cache_policy)}>"} if cache_policy is not None else None
    call("pto.tload", {"src": _window(src, tile, offsets, sizes, "load"), "dst": tile}, attrs)


@function
def store(tile, dst, *, offsets=None, sizes=None, fp=None):
    call("pto.tstore", {"src": tile, "fp": fp, "dst": _window(dst, tile, offsets, sizes, "store")})


def _scratch(src, dtype=None):
    """A row-major tile with the shape of another."""
    return tensors.alloc_tile(
        shape=list(src.physical_shape), dtype=dtype or src.dtype, memory_space=src.memory_space,
        valid_shape=list(src.valid) if all(tensors.is_plain(n) for n in src.valid) else None,
    )  # fmt: skip


def _row_reduction(name):
    def reduce(src, dst, *, tmp=None):
        call(f"pto.t{name}", {"src": src, "tmp": _scratch(src) if tmp is None else tmp, "dst": dst})

    reduce.__name__ = name
    function(reduce)


for _name in ("rowsum", "rowmax", "rowmin", "rowprod", "rowargmax", "rowargmin"):
    _row_reduction(_name)


@function
def colsum(src, dst, *, tmp=None, is_binary=None):
    attrs = {"isBinary": "true" if is_binary else "false"} if is_binary is not None else None
    call("pto.tcolsum", {"src": src, "tmp": tmp, "dst": dst}, attrs)


def _compared(mode):
    return {"cmpMode": f"#pto<cmp {word('eq' if mode is None else mode).split('.')[-1].lower()}>"}


@function
def cmp(src0, src1, dst, *, cmp_mode=None):
    call("pto.tcmp", {"src0": src0, "src1": src1, "dst": dst}, _compared(cmp_mode))


@function
def cmps(src, scalar, dst, *, cmp_mode=None):
    _with_scalar("pto.tcmps", src, scalar, dst, _compared(cmp_mode))


def _with_scalar(op, src, scalar, dst, attrs=None, extra=None):
    """An instruction on a tile and a number: the slots are found by their kind."""
    ins = [s for s in trace.row(op)["slots"] if s["dir"] == "in" and s["count"] == "one"]
    tile = next(s["name"] for s in ins if s["kind"] == "tile")
    number = next(s["name"] for s in ins if s["kind"] != "tile")
    out = next(s["name"] for s in trace.row(op)["slots"] if s["dir"] != "in")
    operands = {tile: src, number: as_scalar(scalar, src.dtype), out: dst, **(extra or {})}
    call(op, operands, attrs)


def _tile_scalar(name):
    op = instruction(name)

    def compute(src, scalar, dst, **keywords):
        attrs = _precision(op, keywords)
        _with_scalar(op, src, scalar, dst, attrs, keywords)

    compute.__name__ = name
    function(compute)


for _name in ("adds", "subs", "muls", "maxs", "mins", "bit_ands", "bit_ors", "bit_shls", "bit_shrs", "lrelu", "fmods"):
    _tile_scalar(_name)


@function
def rems(src, scalar, dst, *, tmp=None, **keywords):
    attrs = _precision("pto.trems", keywords)
    _with_scalar("pto.trems", src, scalar, dst, attrs, {"tmp": tmp})


@function
def bit_xors(src, scalar, tmp, dst):
    _with_scalar("pto.txors", src, scalar, dst, None, {"tmp": tmp})


@function
def bit_xor(src0, src1, tmp, dst):
    call("pto.txor", {"src0": src0, "src1": src1, "tmp": tmp, "dst": dst})


@function
def divs(a, b, dst, **keywords):
    """A tile by a number, or a number by a tile."""
    attrs = _precision("pto.tdivs", keywords)
    src = a if isinstance(a, Tile) else b
    first, second = (v if isinstance(v, Tile) else as_scalar(v, src.dtype) for v in (a, b))
    call("pto.tdivs", {"src0": first, "src1": second, "dst": dst}, attrs)


@function
def transpose(src, tmp, dst):
    call("pto.ttrans", {"src": src, "tmp": tmp, "dst": dst})


@function
def colargmax(src, tmp, dst):
    call("pto.tcolargmax", {"src": src, "tmp": tmp, "dst": dst})


@function
def colargmin(src, tmp, dst):
    call("pto.tcolargmin", {"src": src, "tmp": tmp, "dst": dst})


@function
def expands(scalar, dst):
    call("pto.texpands", {"scalar": as_scalar(scalar, dst.dtype), "dst": dst})


@function
def sel(mask, src0, src1, dst, *, tmp=None):
    call("pto.tsel", {"mask": mask, "src0": src0, "src1": src1, "tmp": _selection_scratch(dst, tmp), "dst": dst})


@function
def sels(mask, src, scalar, dst, *, tmp=None):
    operands = {"mask": mask, "src": src, "tmp": _selection_scratch(dst, tmp), "scalar": as_scalar(scalar, src.dtype), "dst": dst}
    call("pto.tsels", operands)


def _selection_scratch(dst, tmp):
    if tmp is not None:
        return tmp
    return dst if trace.current().target == "a5" else _scratch(dst)


@function
def cvt(src, dst, *, tmp=None, rmode=None, sat_mode=None):
    if tmp is not None:
        raise TypeError("pto.tile.cvt(...) takes no tmp")
    attrs = {}
    if rmode is not None:
        attrs["rmode"] = f"#pto<round_mode {word(rmode).upper().removeprefix('CAST_')}>"
    if sat_mode is not None:
        attrs["satMode"] = f"#pto<saturation_mode {word(sat_mode).upper()}>"
    call("pto.tcvt", {"src": src, "dst": dst}, attrs)


_MODES = {"vec0": "single_mode_vec0", "vec1": "single_mode_vec1", "split_m": "dual_mode_split_m", "split_n": "dual_mode_split_n"}


def _acc_mode(mode):
    if mode is None:
        return None
    text = word(mode).lower()
    return {"accToVecMode": f"#pto.acc_to_vec_mode<{_MODES.get(text, text)}>"}


@function
def mov(src, dst, *, fp=None, mode=None):
    call("pto.tmov", {"src": src, "fp": fp, "dst": dst}, _acc_mode(mode))


@function
def extract(src, dst, row, col, *, fp=None, mode=None):
    operands = {"src": src, "index_row": as_index(row), "index_col": as_index(col), "fp": fp, "dst": dst}
    call("pto.textract", operands, _acc_mode(mode))


@function
def insert(src, dst, row, col, *, fp=None, mode=None):
    operands = {"src": src, "index_row": as_index(row), "index_col": as_index(col), "fp": fp, "dst": dst}
    call("pto.tinsert", operands, _acc_mode(mode))


@function
def ci(start, dst, *, tmp=None, descending=False):
    attrs = {"descending": "true" if descending else "false"}
    call("pto.tci", {"start": as_scalar(start, dst.dtype), "tmp": tmp, "dst": dst}, attrs)


@function
def tri(diagonal, dst, *, upper_or_lower="lower"):
    if isinstance(diagonal, bool) or not isinstance(diagonal, int):
        raise TypeError(f"pto.tile.tri(...) takes a Python number as diagonal, not {diagonal!r}")
    upper = {"lower": 0, "upper": 1}.get(upper_or_lower, upper_or_lower)
    if upper not in (0, 1):
        raise ValueError(f"{upper_or_lower!r} is neither 'lower' nor 'upper'")
    call("pto.ttri", {"diagonal": as_scalar(diagonal, values.I32), "dst": dst}, {"upperOrLower": f"{upper} : i32"})


@function
def reshape(src, *, shape, dtype=None, blayout=None):
    physical = [1, *shape] if len(shape) == 1 else list(shape)
    dtype = dtype or src.dtype
    block = tensors._choice(blayout or "RowMajor", tensors._BLAYOUTS, "box layout")
    if physical[0] * physical[1] * dtype.bytes != src.physical_shape[0] * src.physical_shape[1] * src.dtype.bytes:
        raise ValueError(f"{shape} of {dtype!r} has not as many bytes as {src.physical_shape} of {src.dtype!r}")
    result = src.like("", shape=physical, dtype=dtype, valid=physical, blayout=block, slayout="none_box", rank=len(shape))
    result.name = trace.emit("pto.treshape", {"src": src}, [result.type_text])[0]
    return result


@function
def sort32(src, idx, dst, *, tmp=None):
    call("pto.tsort32", {"src": src, "idx": idx, "tmp": tmp, "dst": dst})


@function
def mrgsort(src, dst, block_len=None, *, tmp=None, excuted=None, exhausted=None):
    listed = list(src) if isinstance(src, (list, tuple)) else [src]
    outs = list(dst) if isinstance(dst, (list, tuple)) else [dst]
    attrs = {"exhausted": "true" if exhausted else "false"} if exhausted is not None else None
    operands = {f"src{at}": value for at, value in enumerate(listed)}
    operands |= {"dst": outs[0], "tmp": outs[1] if tmp is None and len(outs) > 1 else tmp, "executed": excuted}
    if block_len is not None:
        operands["block_len"] = as_scalar(block_len, values.I32)
    call("pto.tmrgsort", operands, attrs)


def _masked(mask_pattern, axis):
    if axis is not None and axis not in ("row", "col"):
        raise ValueError(f"axis is 'row' or 'col', not {axis!r}")
    attrs = {}
    if mask_pattern is not None:
        attrs["maskPattern"] = f"#pto.mask_pattern<{word(mask_pattern)}>"
    if axis is not None:
        attrs["axis"] = f'"{axis}"'
    return attrs


@function
def gather(src, dst, *, cdst=None, indices=None, tmp=None, k_value=None, mask_pattern=None, axis=None, cmp_mode=None, offset=None):
    if indices is not None and (axis is not None or mask_pattern is not None):
        raise ValueError("pto.tile.gather(...) takes indices, or mask_pattern and axis")
    if mask_pattern is not None and axis is None:
        raise ValueError("mask_pattern needs axis")
    attrs = _masked(mask_pattern, axis)
    if cmp_mode is not None:
        attrs |= _compared(cmp_mode)
    if offset is not None:
        attrs["offset"] = f"{int(offset)} : i32"
    operands = {"src": src, "indices": indices, "tmp": tmp, "k_value": k_value, "cdst": cdst, "dst": dst}
    call("pto.tgather", operands, attrs)


@function
def scatter(src, dst, *, indexes=None, axis=None, mask_pattern=None):
    if (indexes is None) == (mask_pattern is None):
        raise ValueError("pto.tile.scatter(...) takes indexes, or mask_pattern and axis")
    call("pto.tscatter", {"src": src, "indexes": indexes, "dst": dst}, _masked(mask_pattern, axis))


@function
def histogram(src, idx, dst, *, byte=None):
    call("pto.thistogram", {"src": src, "idx": idx, "dst": dst}, {"byte": f"{int(byte)} : i32"} if byte is not None else None)


@function
def matmul_mx(lhs, lhs_scale, rhs, rhs_scale, dst, *, acc_phase=None):
    _product("pto.tmatmul.mx", (lhs, lhs_scale, rhs, rhs_scale, dst), acc_phase)


@function
def gemv_mx(lhs, lhs_scale, rhs, rhs_scale, dst, *, acc_phase=None):
    _product("pto.tgemv.mx", (lhs, lhs_scale, rhs, rhs_scale, dst), acc_phase)


@function
def matmul_mx_acc(acc, lhs, lhs_scale, rhs, rhs_scale, dst, *, acc_phase=None):
    _product("pto.tmatmul.mx.acc", (acc, lhs, lhs_scale, rhs, rhs_scale, dst), acc_phase)


@function
def gemv_mx_acc(acc, lhs, lhs_scale, rhs, rhs_scale, dst, *, acc_phase=None):
    _product("pto.tgemv.mx.acc", (acc, lhs, lhs_scale, rhs, rhs_scale, dst), acc_phase)


def _product(op, operands, acc_phase):
    names = [s["name"] for s in trace.row(op)["slots"] if s["count"] == "one"]
    attrs = {"accPhase": f"#pto<acc_phase {word(acc_phase).lower()}>"} if acc_phase is not None else None
    call(op, dict(zip(names, operands)), attrs)


@function
def random(k0, k1, c0, c1, c2, c3, dst, *, rounds=10):
    slots = [s["name"] for s in trace.row("pto.trandom")["slots"]]
    numbers = [as_scalar(v, values.DTYPES["ui32"]) if not isinstance(v, Scalar) else v for v in (k0, k1, c0, c1, c2, c3)]
    call("pto.trandom", dict(zip(slots, [*numbers, dst])), {"rounds": f"{int(rounds)} : i32"})


@function
def print_(src, tmp=None, *, print_format=None):
    attrs = {"printFormat": f"#pto<print_format {word(print_format).lower()}>"} if print_format is not None else None
    call("pto.tprint", {"src": src, "tmp": tmp}, attrs)


@function
def mscatter(src, idx, mem, *, coalesce=None, atomic=None, oob=None):
    """To a table in global memory."""
    attrs = {}
    for name, enum, value in (
        ("coalesce", "coalesce", coalesce), ("scatterAtomicOp", "scatter_atomic_op", atomic), ("scatterOob", "scatter_oob", oob)
    ):  # fmt: skip
        if value is not None:
            attrs[name] = f"#pto<{enum} {word(value).lower()}>"
    call("pto.mscatter", {"src": src, "idx": idx, "mem": _whole(mem)}, attrs)


def _whole(view):
    """All of a view, as a part of it."""
    return view if isinstance(view, Partition) else partition_view(view, offsets=[0] * view.rank, sizes=list(view.shape))


class _Quant:
    """`quant(src, fp, dst, offset=…)` to 8-bit integers, `quant.mx(…)` to block formats."""

    def __call__(self, src, fp, dst, *, offset=None, tmp=None, quant_type=None):
        chosen = word(quant_type) if quant_type is not None else "INT8_SYM" if offset is None else "INT8_ASYM"
        operands = {"src": src, "fp": fp, "offset": offset, "dst": dst, "tmp": tmp}
        call("pto.tquant", operands, {"quant_type": f"#pto<quant_type {chosen}>"})

    def mx(
        self, src, dst, exp, max, scaling, *, quant_type, quant_scale_alg=None, exp_zz=None, store_mode=None, grp_axis=None,
        interleave=None,
    ):  # fmt: skip
        attrs = {"quant_type": f"#pto<quant_type {word(quant_type)}>"}
        chosen = (
            ("quantScaleAlg", "quant_scale_alg", quant_scale_alg),
            ("storeMode", "vec_store_mode", store_mode),
            ("grpAxis", "mx_group_axis", grp_axis),
        )
        for name, enum, value in chosen:
            if value is not None:
                text = f"axis{value}" if isinstance(value, int) else word(value).lower()
                attrs[name] = f"#pto<{enum} {text}>"
        if interleave is not None:
            attrs["interleave"] = "true" if interleave else "false"
        operands = {"src": src, "dst": dst, "exp": exp, "max": max, "scaling": scaling, "exp_zz": exp_zz}
        call("pto.tquant.mx", operands, attrs)


TileNamespace.quant = _Quant()


@function
def prelu(src0, src1, dst, *, tmp=None):
    call("pto.tprelu", {"src0": src0, "src1": src1, "tmp": tmp, "dst": dst})


tile = TileNamespace()
__all__ = ["tile", "PTODSLTracingMisuseError"]
