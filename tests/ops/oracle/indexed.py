"""Cases of the gathers from and scatters into a table in global memory."""

import numpy as np
from .cases import DST_FILL, Case, Tile, View, filled
from .formats import FLOATS, STORAGE, block, is_float
from .transfers import anything, combined, numbers, packed, positions, window

TYPES = ["i8", "u8", "i16", "u16", "i32", "u32"] + FLOATS + ["hif8", "f8e4m3", "f8e5m2"]


def table_of(d, rows, cols, rng, layout="nd", gap=0, first=2, make=anything):
    """A table, and for each of its elements the place in the buffer."""
    shape, strides = window(layout, rows, cols, d, gap)
    at = positions(layout, shape, strides, first)
    buffer = make(d, int(at.max()) + 3, rng)
    return View(d, layout, shape, tuple(strides), first, buffer), at


def index_tile(index, dtype, order="ND", shape=None):
    index = np.asarray(index, np.int64).astype(np.uint64) & 0xFFFFFFFF
    rows, cols = index.shape
    physical = shape or ((rows, -(-cols // 8) * 8) if order == "ND" else (-(-rows // 8) * 8, cols))
    data = filled(dtype, physical, 0x77)
    data[:rows, :cols] = index.astype(np.uint32).view(STORAGE[dtype]) if dtype == "i32" else index
    return Tile(dtype, data, (rows, cols), order=order)


def named(index, limit, mode):
    """What an index names: a number, or None. Indices are unsigned, so negative ones are large."""
    index = int(index) & 0xFFFFFFFF
    if index < limit:
        return index
    return {"clamp": limit - 1, "wrap": index % limit}.get(mode)


def indices(rng, shape, limit, wild):
    index = rng.integers(0, limit, shape)
    if wild:
        far = rng.choice([limit, limit + 1, 3 * limit + 2, 2**31 - 1, -1, -limit], shape)
        index = np.where(rng.random(shape) < 0.4, far, index)
    return index


def gather(at, buffer, index, mode, unit, cols):
    """The matrix that a gather reads."""
    zero = np.zeros(1, buffer.dtype)[0]
    if unit == "row":
        rows = [named(i, at.shape[0], mode) for i in index.flat]
        return np.array([buffer[at[r, :cols]] if r is not None else np.full(cols, zero, buffer.dtype) for r in rows])
    flat = at.reshape(-1)
    pick = lambda i: (lambda n: buffer[flat[n]] if n is not None else zero)(named(i, flat.size, mode))
    return np.array([[pick(i) for i in row] for row in index]).astype(buffer.dtype)


def one_gather(name, on, d, rng, unit, mode="undefined", shape=(3, 5), order="ND", index_order="ND", layout="nd", loc="vec", **more):
    rows, cols = shape
    b = block(d)
    boxed = order == "NZ"
    width = 2 * b if boxed else (-(-cols // b) * b if order == "ND" else cols)
    height = 16 if boxed else (rows if order == "ND" else -(-rows // b) * b)
    table_shape = (16, 2 * b) if layout == "nz" else (7, cols if unit == "row" else 4)
    view, at = table_of(d, *table_shape, rng, layout, more.get("gap", 0))
    limit = at.shape[0] if unit == "row" else at.size
    index_shape = ((1, rows) if index_order == "ND" else (rows, 1)) if unit == "row" else shape
    index = indices(rng, index_shape, limit, mode != "undefined" or more.get("wild"))
    dst = Tile(d, filled(d, (height, width), DST_FILL), shape, order=order, loc=loc)
    case = Case(name, on, {"dst": dst}, views={"mem": view}, attrs={"coalesce": unit}, exact_nan=True)
    if mode != "undefined":
        case.attrs["gatherOob"] = mode
    if more.get("stops"):
        index.flat[1] = limit
        case.stops = more["stops"]
    else:
        dst.expect = dst.data.copy()
        dst.expect[:rows, :cols] = gather(at, view.data, index, mode, unit, cols)
    if loc == "mat":
        stored = np.concatenate([index.astype(np.int64).reshape(-1), [0] * 3]).astype(np.uint32).view(np.int32)
        dims = (1, 1, 1) + index.shape
        case.views["idx"] = View("i32", "nd", dims, tuple([index.size] * 3 + [index.shape[1], 1]), 0, stored)
        if unit == "elem":
            case.views["scratch"] = View(d, "nd", (1, 1, 1, 1, rows * cols), (1, 1, 1, 1, 1), 0, anything(d, rows * cols, rng))
    else:
        case.tiles["idx"] = index_tile(index, more.get("index", "i32"), index_order)
    return case


def mgather(table, rng):
    out = []
    for d in table.types("mgather", TYPES):
        on = table.targets("mgather", d)
        for unit in ("row", "elem"):
            out.append(one_gather(f"{d} {unit}", on, d, rng, unit, gap=1, index="u32" if d == "f32" else "i32"))
    for unit in ("row", "elem"):
        for mode in ("clamp", "wrap", "zero"):
            for d in ("u8", "f16", "f32"):
                out.append(one_gather(f"{d} {unit} {mode}", table.targets("mgather", d), d, rng, unit, mode))
        for d in ("f16", "i32"):
            b = block(d)
            out.append(one_gather(f"{d} {unit} from NZ", ["a2a3", "cpu"], d, rng, unit, "wrap", (16, 2 * b), "NZ", layout="nz"))
            out.append(one_gather(f"{d} {unit} to L1", table.on("mgather"), d, rng, unit, "clamp", (16, 2 * b), "NZ", loc="mat"))
        out.append(one_gather(f"f32 {unit} DN", ["a5", "cpu"], "f32", rng, unit, "undefined", (8, 3), "DN", "DN"))
        out.append(one_gather(f"f32 {unit} out of range", table.on("mgather"), "f32", rng, unit, stops="the index at"))
    return out


def one_scatter(name, on, d, rng, unit, mode="undefined", how=None, shape=(3, 5), order="ND", index_order="ND", duplicates=False, **more):
    rows, cols = shape
    b = block(d)
    physical = (rows, -(-cols // b) * b) if order == "ND" else (-(-rows // b) * b, cols)
    view, at = table_of(d, 7, cols if unit == "row" else 6, rng, gap=2, make=numbers if how else anything)
    limit = at.shape[0] if unit == "row" else at.size
    index_shape = ((1, rows) if index_order == "ND" else (rows, 1)) if unit == "row" else shape
    index = rng.permutation(limit)[: int(np.prod(index_shape))].reshape(index_shape)
    if duplicates:
        index = rng.integers(0, 3, index_shape)
    if mode != "undefined":
        index = indices(rng, index_shape, limit, True)
    data = filled(d, physical, 0xFF)
    make = numbers if how else anything
    data[:rows, :cols] = make(d, rows * cols, rng).reshape(shape)
    expect = view.data.copy()
    for r in range(rows):
        for c in range(cols):
            i = named(index.flat[r] if unit == "row" else index[r, c], limit, mode)
            if i is None:
                continue
            place = at[i, c] if unit == "row" else at.reshape(-1)[i]
            new = data[r : r + 1, c]
            expect[place] = combined(d, how, expect[place : place + 1], new)[0] if how else new[0]
    view.expect = expect
    case = Case(name, on, {"src": Tile(d, data, shape, order=order)}, views={"mem": view}, attrs={}, exact_nan=not how)
    case.tiles["idx"] = index_tile(index, more.get("index", "i32"), index_order)
    if not more.get("by_shape"):
        case.attrs["coalesce"] = unit
    if mode != "undefined":
        case.attrs["scatterOob"] = mode
    if how:
        case.attrs["scatterAtomicOp"] = how
    if more.get("conflict"):
        case.attrs["scatterConflict"] = more["conflict"]
    if more.get("stops"):
        case.stops = more["stops"]
        case.tiles["idx"].data[0, 0] = limit
        view.expect = None
    return case


ATOMIC = {
    "add": {"a2a3": ["i8", "i16", "i32", "f16", "bf16", "f32"], "a5": ["i32", "u32", "f32", "f16", "bf16"]},
    "max": {"a2a3": [], "a5": ["i32", "u32", "f32"]},
    "min": {"a2a3": [], "a5": ["i32", "u32", "f32"]},
}


def mscatter(table, rng):
    out = []
    for d in table.types("mscatter", TYPES):
        on = table.targets("mscatter", d)
        for unit in ("row", "elem"):
            out.append(one_scatter(f"{d} {unit}", on, d, rng, unit, index="u32" if d == "f32" else "i32"))
    for unit in ("row", "elem"):
        for mode in ("skip", "clamp", "wrap"):
            for d in ("u8", "f16", "f32"):
                out.append(one_scatter(f"{d} {unit} {mode}", table.targets("mscatter", d), d, rng, unit, mode))
        out.append(one_scatter(f"f32 {unit} the last write stays", table.on("mscatter"), "f32", rng, unit, duplicates=True))
        out.append(one_scatter(f"f32 {unit} conflict last", ["a5", "cpu"], "f32", rng, unit, duplicates=True, conflict="last"))
        out.append(one_scatter(f"f32 {unit} by the shape of idx", table.on("mscatter"), "f32", rng, unit, by_shape=True))
        out.append(one_scatter(f"f32 {unit} DN", ["a5", "cpu"], "f32", rng, unit, shape=(8, 3) if unit == "elem" else (5, 3), order="DN", index_order="DN"))
        out.append(one_scatter(f"f32 {unit} out of range", table.on("mscatter"), "f32", rng, unit, stops="the index at"))
        for how, types in ATOMIC.items():
            for d in table.types("mscatter", TYPES):
                on = [t for t in ("a2a3", "a5") if d in types[t]]
                if on:
                    on.append("cpu")
                    out.append(one_scatter(f"{d} {unit} atomic {how}", on, d, rng, unit, how=how, duplicates=True))
    return out


CASES = {"mgather": [mgather], "mscatter": [mscatter]}
