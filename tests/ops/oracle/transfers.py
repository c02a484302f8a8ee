"""Cases of the transfers between global memory and tiles.

A window is a five-dimensional array with strides; its layout says which dimensions make up the rows of the matrix, and
which the columns.
"""

import numpy as np
from . import values
from .cases import DST_FILL, Case, Tile, View, filled
from .formats import BF16, FLOATS, STORAGE, block, int_range, is_float, wrap

AXES = {
    "nd": ((0, 1, 2, 3), (4,)),
    "dn": ((3,), (0, 1, 2, 4)),
    "nz": ((2, 3), (0, 1, 4)),
    "mx_a_zz": ((0, 1, 3), (2, 4)),
    "mx_a_nd": ((0, 1, 2), (3, 4)),
    "mx_a_dn": ((0, 1, 3), (2, 4)),
    "mx_b_nn": ((0, 2, 4), (1, 3)),
    "mx_b_nd": ((0, 1, 2, 4), (3,)),
    "mx_b_dn": ((0, 1, 3, 4), (2,)),
    "nc1hwc0": ((0, 2, 3), (1, 4)),
}
"""Dimensions that make up rows, and columns, outermost first."""

SMALL = ["f8e4m3", "f8e5m2", "f8e8m0", "hif8", "f4e1m2", "f4e2m1"]
TYPES = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"] + FLOATS + SMALL
FOUR_BITS = ["f4e1m2", "f4e2m1"]
BY_SIZE = ["u8", "f16", "f32", "i64"]
"""One type of each size: bits are copied, so the others can go wrong only together with these."""


def anything(d, n, rng):
    """Elements of any bits, the corners of the type among them."""
    if d == "i4":
        return rng.integers(0, 16, n, np.uint8)
    if d in SMALL:
        return rng.integers(0, 256, n, np.uint8)
    numbers = np.concatenate([values.array(d, values.corners(d)), values.random(d, n, rng)])
    return numbers[rng.permutation(len(numbers))[:n]] if n < len(numbers) else numbers[:n]


def positions(layout, shape, strides, first):
    """For every element of the matrix, its place in the buffer."""
    grid = np.indices(shape)
    flat = first + sum(grid[k] * strides[k] for k in range(5))
    rows, cols = AXES[layout]
    count = int(np.prod([shape[k] for k in rows]))
    return flat.transpose(*rows, *cols).reshape(count, -1)


def packed(shape, gaps=(0, 0, 0, 0, 0)):
    """Strides without holes, but for the gaps behind the extents."""
    strides, size = [0] * 5, 1
    for k in (4, 3, 2, 1, 0):
        strides[k] = size
        size = size * shape[k] + gaps[k]
    return strides


def window(layout, rows, cols, d, gap=0):
    """Shape and strides of a matrix in a layout."""
    c0 = block(d)
    if layout == "nd":
        return (1, 1, 1, rows, cols), [rows * (cols + gap)] * 3 + [cols + gap, 1]
    if layout == "dn":
        return (1, 1, 1, rows, cols), [cols * (rows + gap)] * 3 + [1, rows + gap]
    shape = {
        "nz": (1, cols // c0, rows // 16, 16, c0),
        "mx_a_zz": (1, rows // 16, cols // 2, 16, 2),
        "mx_a_nd": (1, 1, rows, cols // 2, 2),
        "mx_a_dn": (1, 1, cols // 2, rows, 2),
        "mx_b_nn": (1, cols // 16, rows // 2, 16, 2),
        "mx_b_nd": (1, 1, rows // 2, cols, 2),
        "mx_b_dn": (1, 1, cols, rows // 2, 2),
        "nc1hwc0": (1, cols // c0, 2, rows // 2, c0),
    }[layout]
    return shape, packed(shape, (0, gap, gap, 0, 0))


def pad_value(d, pad):
    if pad in ("", "zero", "null") or d in SMALL or d in ("i64", "u64"):
        return np.zeros(1, STORAGE[d])[0]
    if is_float(d):
        return np.array([np.inf if pad == "max" else -np.inf]).astype(STORAGE[d])[0]
    low, high = int_range(d)
    return STORAGE[d](high if pad == "max" else low)


def block_end(d, n):
    return -(-n // block(d)) * block(d)


def loaded(d, shape, valid, order, loc, pad, numbers, layout):
    """A tile after a load: the numbers, and what fills the last block of every row or column."""
    before = filled(d, shape, DST_FILL)
    after = before.copy()
    rows, cols = valid
    by_rows = order in ("ND", "NZ", "ZZ")
    boxes = loc == "mat" and order in ("NZ", "ZN") and layout in ("nd", "dn")
    if boxes or (loc == "vec" and pad and order in ("ND", "DN")):
        value = pad_value(d, "zero" if boxes else pad)
        if by_rows:
            after[:rows, cols : block_end(d, cols)] = value
        else:
            after[rows : block_end(d, rows), :cols] = value
    after[:rows, :cols] = numbers
    return before, after


def moved(table, rng, op, name, d, layout, tile, targets, **more):
    """A load or a store of a whole window. `tile` is (memory, physical shape, valid region, order)."""
    loc, shape, valid, order = tile
    view_shape, strides = more.pop("window", None) or window(layout, *valid, d, more.pop("gap", 0))
    more.pop("gap", None)
    first, pad, fractal = more.pop("first", 4 if d == "i4" else 3), more.pop("pad", ""), more.pop("fractal", 512)
    dynamic = more.pop("dynamic", False)
    numbers = d in FOUR_BITS and loc != "vec"
    # Addresses count bytes where elements are numbers of four bits.
    at = positions(layout, view_shape, strides, 2 * first if numbers else first)
    # Whole bytes, where two elements share one.
    buffer = anything(d, (int(at.max()) + 6) // 2 * 2, rng)
    buffer = buffer & 0xF if numbers else buffer
    at = at[: valid[0], : valid[1]]
    extra = {"order": order, "loc": loc, "pad": pad, "fractal": fractal, "dynamic": dynamic}
    view = View(d, layout, view_shape, tuple(strides), first, buffer, loc=loc)
    if op == "tload":
        before, after = loaded(d, shape, valid, order, loc, pad, buffer[at], layout)
        before, after = (before & 0xF, after & 0xF) if numbers else (before, after)
        return Case(name, targets, {"dst": Tile(d, before, valid, after, **extra)}, views={"src": view}, exact_nan=True, **more)
    data = filled(d, shape, 0xFF)
    data[: valid[0], : valid[1]] = anything(d, valid[0] * valid[1], rng).reshape(valid)
    data = data & 0xF if numbers else data
    view.expect = buffer.copy()
    view.expect[at] = data[: valid[0], : valid[1]]
    return Case(name, targets, {"src": Tile(d, data, valid, **extra)}, views={"dst": view}, exact_nan=True, **more)


def targets_of(table, op, d, wanted):
    return [t for t in table.targets(op, d) if t in wanted]


ALL = ("a2a3", "a5", "cpu")


def layouts(op):
    """Name, layout of the window, memory and order of the tile, and where that is legal."""
    store = ("a2a3", "cpu") if op == "tstore" else ALL
    changes = ("cpu",) if op == "tstore" else ALL
    return [
        ("ND to mat ND", "nd", "mat", "ND", store),
        ("DN to mat DN", "dn", "mat", "DN", store),
        ("NZ to vec NZ", "nz", "vec", "NZ", ALL),
        ("NZ to mat NZ", "nz", "mat", "NZ", store),
        ("ND to mat NZ", "nd", "mat", "NZ", changes),
        ("DN to mat ZN", "dn", "mat", "ZN", changes),
        ("DN to mat NZ", "dn", "mat", "NZ", ("a5", "cpu") if op == "tload" else ("cpu",)),
        ("ND to mat ZN", "nd", "mat", "ZN", ("cpu",)),
        ("DN to vec ND", "dn", "vec", "ND", ("cpu",)),
        ("ND to vec DN", "nd", "vec", "DN", ("cpu",)),
    ]


def transfers(op):
    """The cases of `tload` or `tstore` that both have."""

    def make(table, rng):
        out = []
        case = lambda *args, **more: out.append(moved(table, rng, op, *args, **more))
        for d in table.types(op, TYPES + ["i4"]):
            on, b = table.targets(op, d), block(d)
            case(f"{d} ND", d, "nd", ("vec", (2, b), (2, b), "ND"), on, gap=3)
            case(f"{d} tail", d, "nd", ("vec", (3, b), (3, b - 1), "ND"), on)
        for d in BY_SIZE:
            on, b = table.targets(op, d), block(d)
            case(f"{d} dynamic", d, "nd", ("vec", (3, b), (2, b // 2 + 1), "ND"), on, dynamic=True)
            case(f"{d} DN", d, "dn", ("vec", (b, 3), (b - 1, 3), "DN"), on, gap=2)
            shape = (2, 1, 2, 3, b - 1)
            dims = (shape, packed(shape, (0, 0, 5, 2, 1)))
            case(f"{d} five dimensions", d, "nd", ("vec", (12, b), (12, b - 1), "ND"), on, window=dims)
            dims = ((2, 1, 3, b, 2), (7 * b, 7 * b, 2 * b, 1, b))
            case(f"{d} five dimensions DN", d, "dn", ("vec", (b, 12), (b, 12), "DN"), on, window=dims)
            for name, layout, loc, order, where in layouts(op):
                # Boxes are long to write: most are tried with one type, the others with one row of boxes.
                rare = where == ("cpu",) and name not in ("ND to mat NZ", "DN to mat ZN")
                if (b == 4 and order in ("NZ", "ZN")) or (d != "f16" and rare):
                    continue
                on = targets_of(table, op, d, where)
                rows = 32 if d == "f16" or order == "DN" else 16
                whole = (rows, 2 * b) if order != "ZN" else (2 * b, rows)
                case(f"{d} {name}", d, layout, (loc, whole, whole, order), on, gap=3 if layout != "nz" else 0)
                if d == "f16" and layout != "nz" and order in ("NZ", "ZN"):
                    valid = (whole[0] - 3, whole[1] - 3)
                    case(f"{d} {name} tail", d, layout, (loc, whole, valid, order), on)
        for d in FOUR_BITS:
            # Single numbers in the memories of the cube, in the window too; boxes have 32 columns.
            for name, layout, loc, order, where in layouts(op):
                on = targets_of(table, op, d, where)
                if loc != "mat" or layout == "nz" or not on:
                    continue
                whole = (16, 64) if order in ("ND", "NZ") else (64, 16)
                case(f"{d} {name}", d, layout, (loc, whole, whole, order), on, gap=2)
                if order in ("NZ", "ZN"):
                    valid = (whole[0] - 3, whole[1] - 3)
                    case(f"{d} {name} tail", d, layout, (loc, whole, valid, order), on)
        return out

    return make


def pads(table, rng):
    """Loads fill the last block of a row or column with the pad value."""
    out = []
    for d in table.types("tload", TYPES):
        b, on = block(d), table.targets("tload", d)
        for pad in ("zero", "max", "min"):
            if b == 4 and pad != "zero":
                continue
            tile = ("vec", (2, 2 * b), (2, b // 2 + 1), "ND")
            out.append(moved(table, rng, "tload", f"{d} pad {pad}", d, "nd", tile, on, pad=pad))
        if d in BY_SIZE:
            tile = ("vec", (2 * b, 2), (b + 1, 2), "DN")
            out.append(moved(table, rng, "tload", f"{d} pad zero DN", d, "dn", tile, on, pad="zero"))
    return out


def scales(table, rng):
    """Block scales of matrix products, and the layout of convolutions."""
    out, on = [], targets_of(table, "tload", "f8e8m0", ("a5", "cpu"))
    for layout in ("mx_a_zz", "mx_a_nd", "mx_a_dn"):
        tile = ("mat", (32, 8), (32, 8), "ZZ")
        out.append(moved(table, rng, "tload", f"f8e8m0 {layout}", "f8e8m0", layout, tile, on, fractal=32))
    for rows in (8, 20):
        tile = ("mat", (rows, 8), (rows, 8), "ZZ")
        out.append(moved(table, rng, "tload", f"f8e8m0 {rows} rows", "f8e8m0", "mx_a_nd", tile, on, fractal=32))
    for layout in ("mx_b_nn", "mx_b_nd", "mx_b_dn"):
        tile = ("mat", (8, 32), (8, 32), "NN")
        out.append(moved(table, rng, "tload", f"f8e8m0 {layout}", "f8e8m0", layout, tile, on, fractal=32))
    for d in ("u8", "f16", "f32"):
        b = block(d)
        tile = ("mat", (32, 2 * b), (32, 2 * b), "NZ")
        out.append(moved(table, rng, "tload", f"{d} NC1HWC0", d, "nc1hwc0", tile, ["cpu"], gap=8))
    return out


def faults(op):
    """Windows that are too small, or leave their buffer."""

    def make(table, rng):
        out = []
        for name, change, stops in (
            ("too small a window", "window", "the window has 2x7"),
            ("outside the buffer", "buffer", "bytes"),
        ):
            case = moved(table, rng, op, f"f32 {name}", "f32", "nd", ("vec", (2, 8), (2, 8), "ND"), table.on(op))
            view = next(iter(case.views.values()))
            if change == "window":
                view.shape, tile = (1, 1, 1, 2, 7), next(iter(case.tiles.values()))
                tile.dynamic = True
            else:
                view.data, view.expect = view.data[:15], None
            case.stops = stops
            if op == "tload" or change == "buffer":
                out.append(case)
        return out

    return make


def combined(d, how, old, new):
    """What a store that combines leaves in memory."""
    if not is_float(d):
        join = {"add": lambda a, b: wrap(d, a + b), "max": max, "min": min}[how]
        return np.array([join(int(a), int(b)) for a, b in zip(old.flat, new.flat)], object).astype(STORAGE[d]).reshape(old.shape)
    a, b = old.astype(np.float32), new.astype(np.float32)
    with np.errstate(all="ignore"):
        if how == "add":
            return (a + b).astype(STORAGE[d])
        out = np.maximum(a, b) if how == "max" else np.minimum(a, b)
    # Of two zeros the positive one is larger.
    zeros = (a == 0) & (b == 0)
    negative = np.signbit(a) & np.signbit(b) if how == "max" else np.signbit(a) | np.signbit(b)
    out = np.where(zeros, np.where(negative, np.float32(-0.0), np.float32(0.0)), out)
    return out.astype(STORAGE[d])


ATOMIC = ["f16", "bf16", "f32", "i8", "i16", "i32"]


def numbers(d, n, rng):
    """Numbers, with NaN, infinities and zeros of both signs among the floats."""
    if not is_float(d):
        return anything(d, n, rng)
    special = values.array(d, [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -0.0])
    return np.where(np.arange(n) % 3 == 0, special[rng.integers(0, len(special), n)], anything(d, n, rng)).astype(STORAGE[d])


def atomics(table, rng):
    out = []
    for d in ATOMIC:
        b, on = block(d), table.targets("tstore", d)
        for name, more, how in (
            ("atomic add", {"attrs": {"atomicType": "atomic_add"}}, "add"),
            ("set_atomic_add", {"before": ["set_atomic_add"]}, "add"),
            ("set_atomic_max", {"before": ["set_atomic_max"]}, "max"),
            ("set_atomic_min", {"before": ["set_atomic_min"]}, "min"),
            ("set_atomic_none", {"before": ["set_atomic_max", "set_atomic_none"]}, None),
        ):
            if d != "f32" and name in ("set_atomic_add", "set_atomic_none"):
                continue
            shape, strides = window("nd", 3, b - 1, d, 2)
            at = positions("nd", shape, strides, 1)
            buffer = numbers(d, int(at.max()) + 3, rng)
            data = filled(d, (3, b), 0xFF)
            data[:, : b - 1] = numbers(d, 3 * (b - 1), rng).reshape(3, b - 1)
            expect = buffer.copy()
            new = data[:, : b - 1]
            expect[at] = combined(d, how, buffer[at], new) if how else new
            view = View(d, "nd", shape, tuple(strides), 1, buffer, expect)
            out.append(Case(f"{d} {name}", on, {"src": Tile(d, data, (3, b - 1))}, views={"dst": view}, **more))
    return out


def prefetches(table, rng):
    """Nothing changes."""
    out = []
    for d in table.types("tprefetch", TYPES + ["i4"]):
        b = block(d)
        buffer = anything(d, 4 * b, rng)
        view = View(d, "nd", (1, 1, 1, 2, b), (2 * b, 2 * b, 2 * b, b, 1), 2, buffer)
        tile = Tile(d, filled(d, (2, b), DST_FILL), (2, b))
        out.append(Case(f"{d} unchanged", table.targets("tprefetch", d), {"dst": tile}, views={"src": view}))
        if d == "f32":
            short = View(d, "nd", (1, 1, 1, 2, b), (2 * b, 2 * b, 2 * b, b, 1), 1, buffer[: 2 * b])
            out.append(Case("f32 outside the buffer", table.on("tprefetch"), {"dst": tile}, views={"src": short}, stops="bytes"))
    return out


CASES = {
    "tload": [transfers("tload"), pads, scales, faults("tload")],
    "tstore": [transfers("tstore"), atomics, faults("tstore")],
    "tprefetch": [prefetches],
}
