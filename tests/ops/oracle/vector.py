"""Elementwise instructions, with tiles and with scalars."""

import numpy as np
from . import rules, shapes, values
from .cases import Case, Tile, destination, filled, source, written
from .formats import FLOATS, INTS, STORAGE, block, is_float
from .rules import COMPARE

# On a2a3 the destination of these must be memory of its own.
DISTINCT = {
    "trecip", "txor", "trem", "tfmod", "tpow", "tprelu", "tands", "tors", "txors", "trems", "tfmods", "tpows",
}
BOUND = {"texp", "tlog", "trsqrt", "tpow", "tpows", "trowexpandexpdif", "tcolexpandexpdif"}


def ulp(op, d):
    """The stated bound: 2 for f32; narrower types round the f32 result, which moves them by at most 1."""
    if op not in BOUND or not is_float(d):
        return 0
    return 2 if d == "f32" else 1


def unary(f, numbers=values.single):
    return ["src"], f, numbers


def binary(f, numbers=values.pairs):
    return ["src0", "src1"], f, numbers


def divided(d, n, rng):
    a, b = values.pairs(d, n, rng)
    return [a, b if is_float(d) else values.without_zero(b)]


def shifted(d, n, rng):
    return [rng.permutation(values.pairs(d, n, rng)[0]), values.shift_counts(d, n, rng)]


def triple(d, n, rng):
    known = values.ties(d) if is_float(d) else values.int_pairs(d)
    return values.fill(d, n, rng, known, 3)


def cancel(d, a, b, c):
    """In every third place the sum cancels all but what rounding the product would lose."""
    if not is_float(d):
        return c
    product = rules.mul(d, a, b)
    at = np.arange(a.size).reshape(a.shape) % 3 == 2
    return np.where(at & np.isfinite(product.astype(np.float64)), rules.flip_sign(d, product), c)


def product_and_sum(d, n, rng):
    """Factors src0 and src1, and the destination."""
    a, b, c = mild(d, *triple(d, n, rng), rng)
    return [a, b, cancel(d, a, b, c)]


def product_with_destination(d, n, rng):
    """Factors src0 and the destination, and src1."""
    a, b, c = mild(d, *triple(d, n, rng), rng)
    return [a, cancel(d, a, b, c), b]


def mild(d, a, b, c, rng):
    """Factors of ordinary size where the sum will cancel."""
    if is_float(d):
        at = np.arange(len(a)) % 3 == 2
        a, b = (np.where(at, values.array(d, rng.standard_normal(len(x)) * 3), x) for x in (a, b))
    return a, b, c


def nonzero(d, n, rng):
    (a,) = values.single(d, n, rng)
    return [a if is_float(d) else values.without_zero(a)]


def of(name):
    return lambda d, n, rng: values.arguments(d, n, rng, name)


def then_relu(f):
    return lambda d, *a: rules.relu(d, f(d, *a))


ELEMENTWISE = {
    "tadd": binary(rules.add),
    "tsub": binary(rules.sub),
    "tmul": binary(rules.mul),
    "tdiv": binary(rules.div, divided),
    "tmax": binary(rules.maximum),
    "tmin": binary(rules.minimum),
    "trem": binary(rules.rem, divided),
    "tfmod": binary(rules.fmod, divided),
    "tand": binary(rules.bitwise(lambda x, y: x & y)),
    "tor": binary(rules.bitwise(lambda x, y: x | y)),
    "txor": binary(rules.bitwise(lambda x, y: x ^ y)),
    "tshl": binary(rules.shift_left, shifted),
    "tshr": binary(rules.shift_right, shifted),
    "tprelu": binary(rules.prelu),
    "tpow": (["base", "exp"], rules.power, values.exponents),
    "taddrelu": binary(then_relu(rules.add)),
    "tsubrelu": binary(then_relu(rules.sub)),
    "taddc": (["src0", "src1", "src2"], lambda d, a, b, c: rules.add(d, rules.add(d, a, b), c), triple),
    "tsubc": (["src0", "src1", "src2"], lambda d, a, b, c: rules.add(d, rules.sub(d, a, b), c), triple),
    "tabs": unary(rules.clear_sign),
    "tneg": unary(rules.flip_sign),
    "tnot": unary(rules.bitwise(lambda x: ~x)),
    "trelu": unary(rules.relu),
    "trecip": unary(rules.reciprocal, nonzero),
    "tsqrt": unary(rules.root, of("tsqrt")),
    "texp": unary(rules.exponential, of("texp")),
    "tlog": unary(rules.logarithm, of("tlog")),
    "trsqrt": unary(rules.reciprocal_root, of("trsqrt")),
    # The last operand is the destination before.
    "tmuladddst": (["src0", "src1", "dst"], lambda d, a, b, c: rules.fused(d, a, b, c), product_and_sum),
    "tfusedmuladd": (["src0", "src1", "dst"], lambda d, a, b, c: rules.fused(d, a, c, b), product_with_destination),
    "tfusedmuladdrelu": (["src0", "src1", "dst"], lambda d, a, b, c: rules.relu(d, rules.fused(d, a, c, b)), product_with_destination),
}
FLOAT_ONLY = {"texp", "tlog", "tsqrt", "trsqrt"}


def poison(d):
    """Behind the valid region of a source: NaN, or a zero that no division may meet."""
    return 0xFF if is_float(d) else 0x00


def elementwise(op, table, rng):
    slots, f, numbers = ELEMENTWISE[op]
    for d in table.types(op):
        if op in FLOAT_ONLY and not is_float(d):
            continue
        targets = table.targets(op, d)
        for shape in shapes.elementwise(d, targets == ["cpu"]):
            operands = [shape.spread(x) for x in numbers(d, shape.count(), rng)]
            yield from one(op, d, f"{d} {shape.name}", shape, targets, slots, operands, f(d, *operands))


def scratch(op, table, rng):
    """With a scratch tile, whose contents mean nothing: it must not change the result."""
    for d in table.types(op):
        targets = table.targets(op, d)
        if targets == ["cpu"] or op in ("tpow", "tpows") and not is_float(d) or d == "bf16":
            continue
        made = list((elementwise if op in ELEMENTWISE else tile_scalar if op in TILE_SCALAR else selected)(op, table, rng))
        for case in made:
            if case.name == f"{d} tail":
                case.name = f"{d} scratch"
                case.tiles = {**case.tiles, "tmp": scratch_tile(op, case.tiles["dst"])}
                yield case
                return


def scratch_tile(op, dst):
    """As large as any target wants it."""
    rows, cols = dst.data.shape
    if op == "tprelu":
        return Tile("u8", filled("u8", (rows + 1, 32), 0x5A), (rows + 1, 32))
    if op == "tsel":
        return Tile("u32", filled("u32", (1, 8), 0x5A), (1, 8))
    if op in ("trem", "trems"):
        return Tile(dst.dtype, filled(dst.dtype, (2 * rows, cols), 0x5A), (2 * rows, cols))
    if op in ("trsqrt", "tsels"):
        return Tile(dst.dtype, filled(dst.dtype, (1, cols), 0x5A), (1, cols))
    return Tile(dst.dtype, filled(dst.dtype, (rows, cols), 0x5A), dst.valid)


def one(op, d, name, shape, targets, slots, operands, result, scalars=None, attrs=None):
    """A case of tiles of one type; in place the destination is each source in turn of the types."""
    attrs = dict(attrs or {})
    if op in ("tpow", "tpows") and d == "bf16":
        yield from pow_bf16(op, d, name, shape, targets, slots, operands, result, scalars)
        return
    make = lambda x: source(d, shape.shape, shape.valid, x, poison(d), dynamic=shape.dynamic)
    tiles = {slot: make(x) for slot, x in zip(slots, operands)}
    same = {}
    if "dst" in tiles:
        # Read and written.
        if shape.in_place:
            # One of the sources is the destination as well.
            operands = [operands[2], operands[1], operands[2]]
            result = ELEMENTWISE[op][1](d, *operands)
            tiles = {"src1": make(operands[1]), "dst": make(operands[2])}
            same = {"src0": "dst"}
        tiles["dst"].expect = written(tiles["dst"].data, result)
    elif shape.in_place:
        into = slots[len(d) % len(slots)]
        tiles[into].expect = written(tiles[into].data, result)
        same = {"dst": into}
        targets = [t for t in targets if op not in DISTINCT or t != "a2a3"]
        if (op, d) == ("trems", "u64"):
            # a5 writes the quotient to dst before it reads src again.
            targets = [t for t in targets if t != "a5"]
    else:
        tiles["dst"] = destination(d, shape.shape, shape.valid, result, dynamic=shape.dynamic)
    if targets:
        yield Case(name, targets, tiles, scalars or {}, attrs, same, ulp(op, d))


def pow_bf16(op, d, name, shape, targets, slots, operands, result, scalars):
    """a5 takes bf16 only with high precision."""
    for case in one(f"{op} ", d, name, shape, ["cpu"], slots, operands, result, scalars):
        case.ulp = ulp(op, d)
        yield case
    if shape.name in ("full", "tail"):
        attrs = {"precisionType": "high_precision"}
        for case in one(f"{op} ", d, f"{name} precise", shape, targets, slots, operands, result, scalars, attrs):
            case.ulp = ulp(op, d)
            case.targets = [t for t in case.targets if t != "a2a3"]
            yield case


TILE_SCALAR = {
    "tadds": (rules.add, values.scalars),
    "tsubs": (rules.sub, values.scalars),
    "tmuls": (rules.mul, values.scalars),
    "tmaxs": (rules.maximum, values.scalars),
    "tmins": (rules.minimum, values.scalars),
    "tands": (rules.bitwise(lambda x, y: x & y), values.scalars),
    "tors": (rules.bitwise(lambda x, y: x | y), values.scalars),
    "txors": (rules.bitwise(lambda x, y: x ^ y), values.scalars),
    "tshls": (rules.shift_left, None),
    "tshrs": (rules.shift_right, None),
    "trems": (rules.rem, lambda d: values.scalars(d, True)),
    "tfmods": (rules.fmod, lambda d: values.scalars(d, True)),
    "tpows": (rules.power, None),
    "tlrelu": (rules.prelu, lambda d: [-2.5, 0.25, -0.0, float("inf"), float("nan"), 0.1, 3.0] if is_float(d) else values.scalars(d)),
}


def scalar_list(op, d):
    f, listed = TILE_SCALAR[op]
    if listed:
        return listed(d)
    if op == "tpows":
        return [2.0, 0.5, 0.0, -1.0, float("nan"), float("inf"), -3.0] if is_float(d) else [2, 5, 0, 25, 3, 63, 1]
    w = STORAGE[d](0).itemsize * 8
    return [1, w - 1, w, w + 1, 0, w // 2, 3 if d.startswith("u") else -1]


def as_elements(d, value, like):
    return np.full(like.shape, values.array(d, [value])[0], STORAGE[d])


def tile_scalar(op, table, rng):
    f, _ = TILE_SCALAR[op]
    scalar = "slope" if op == "tlrelu" else "scalar"
    numbers = values.exponents if op == "tpows" else values.single
    for d in table.types(op):
        targets, listed = table.targets(op, d), scalar_list(op, d)
        for at, shape in enumerate(shapes.elementwise(d, targets == ["cpu"])):
            x, s = shape.spread(numbers(d, shape.count(), rng)[0]), listed[at % len(listed)]
            result = f(d, x, as_elements(d, s, x))
            yield from one(op, d, f"{d} {shape.name}", shape, targets, ["src"], [x], result, {scalar: (d, s)})
        # The other scalars, on one row.
        for s in listed[3:] if targets == ["cpu"] else []:
            shape = shapes.elementwise(d)[3]
            x = shape.spread(numbers(d, shape.count(), rng)[0])
            result = f(d, x, as_elements(d, s, x))
            yield from one(op, d, f"{d} scalar {s}", shape, targets, ["src"], [x], result, {scalar: (d, s)})


def tadds_other_scalar(table, rng):
    """A scalar of another width of the same class is converted; these convert exactly."""
    for d, other, s in [("f16", "f32", 0.25), ("bf16", "f32", -3.0), ("i16", "i32", 7), ("u16", "i16", 5), ("f32", "f16", 1.5)]:
        shape = shapes.elementwise(d)[3]
        x = shape.spread(values.single(d, shape.count(), rng)[0])
        result = rules.add(d, x, as_elements(d, s, x))
        yield from one("tadds", d, f"{d} with {other}", shape, table.targets("tadds", d), ["src"], [x], result, {"scalar": (other, s)})


def tdivs(table, rng):
    """The tile first, or the scalar first."""
    op = "tdivs"
    for d in table.types(op):
        targets = table.targets(op, d)
        for at, shape in enumerate(shapes.elementwise(d, targets == ["cpu"])):
            listed = values.scalars(d, True)
            x, s = shape.spread(values.single(d, shape.count(), rng)[0]), listed[at % len(listed)]
            result = rules.div(d, x, as_elements(d, s, x))
            yield from one(op, d, f"{d} {shape.name}", shape, targets, ["src0"], [x], result, {"src1": (d, s)})
            if shape.in_place:
                continue
            s = values.scalars(d)[at % 7 if at % 7 < len(values.scalars(d)) else 0]
            x = shape.spread(nonzero(d, shape.count(), rng)[0])
            result = rules.div(d, as_elements(d, s, x), x)
            yield from one(op, d, f"{d} {shape.name} scalar first", shape, targets, ["src1"], [x], result, {"src0": (d, s)})


def tile_scalar_tile(op, table, rng):
    """taddsc, tsubsc: rounded after each step."""
    first = rules.add if op == "taddsc" else rules.sub
    for d in table.types(op):
        targets, listed = table.targets(op, d), values.scalars(d)
        for at, shape in enumerate(shapes.elementwise(d, targets == ["cpu"])):
            a, b = (shape.spread(x) for x in values.pairs(d, shape.count(), rng))
            s = listed[at % len(listed)]
            result = rules.add(d, first(d, a, as_elements(d, s, a)), b)
            yield from one(op, d, f"{d} {shape.name}", shape, targets, ["src0", "src1"], [a, b], result, {"scalar": (d, s)})


def taxpy(table, rng):
    """Fused; an f16 source may accumulate into f32."""
    combinations = [("f16", "f16", None), ("f32", "f32", None), ("f16", "f32", None), ("bf16", "bf16", ["cpu"])]
    combinations += [("bf16", "f32", ["cpu"])] + [(d, d, ["cpu"]) for d in INTS]
    for src, dst, only in combinations:
        scalars = [0.3, float("nan"), -0.0, float("inf"), -2.5, 1e-3, 3.0] if is_float(src) else [3, 0, 1, 127, 2, 100, 5]
        # One geometry for both: the wider type needs the wider rows.
        narrow = max((src, dst), key=block)
        for at, shape in enumerate(shapes.elementwise(narrow, only == ["cpu"])):
            known = values.ties(src) if is_float(src) else values.int_pairs(src)
            x, _ = values.fill(src, shape.count(), rng, known, 2)
            y = rng.permutation(values.pairs(dst, shape.count(), rng)[0])
            x, y, s = shape.spread(x), shape.spread(y), scalars[at]
            scale = as_elements(src, s, x)
            if shape.in_place:
                if src != dst:
                    continue
                x = y
            else:
                y = cancel(dst, scale.astype(STORAGE[dst]), x.astype(STORAGE[dst]), y)
            result = rules.fused(dst, scale.astype(STORAGE[dst]), x.astype(STORAGE[dst]), y)
            d = destination(dst, shape.shape, shape.valid, result, dynamic=shape.dynamic)
            d.data[: shape.valid[0], : shape.valid[1]] = y
            tiles, same = {"dst": d}, {"src": "dst"}
            if not shape.in_place:
                tiles, same = {"src": source(src, shape.shape, shape.valid, x, dynamic=shape.dynamic), "dst": d}, {}
            yield Case(f"{src} to {dst} {shape.name}", only or table.on("taxpy"), tiles, {"scalar": (src, s)}, {}, same)


def one_rounding(op, table, rng):
    """f16 sums just beside a tie, nearer than f32 can tell: one rounding or two decides."""
    d, shape = "f16", shapes.Shape("one rounding", (1, 16), (1, 16))
    products = [(a, b) for a in range(1024, 2048) for b in range(a, 2048) if 0 < a * b - 2**21 < 200]
    pairs = [products[i * len(products) // 16] for i in range(16)]
    x = values.array(d, [a / 2048 for a, _ in pairs]).reshape(1, 16)
    y = values.array(d, [b / 2048 / 1024 for _, b in pairs]).reshape(1, 16)
    z = values.array(d, [1.0 + i * 2.0**-10 for i in range(16)]).reshape(1, 16)
    x[0, 8:], z[0, 8:] = -x[0, 8:], -z[0, 8:]
    if op == "taxpy":
        s = float(x[0, 0])
        x = np.full_like(x, y[0, 0])
        x[0, 8:] = -x[0, 8:]
        result = rules.fused(d, as_elements(d, s, x), x, z)
        tile = destination(d, shape.shape, shape.valid, result)
        tile.data[:] = z
        tiles = {"src": source(d, shape.shape, shape.valid, x), "dst": tile}
        yield Case("f16 one rounding", table.on(op), tiles, {"scalar": (d, s)})
        return
    operands = [x, y, z] if op == "tmuladddst" else [x, z, y]
    slots, f, _ = ELEMENTWISE[op]
    yield from one(op, d, "f16 one rounding", shape, table.targets(op, d), slots, operands, f(d, *operands))


def zero_divisor(op, table, rng):
    """A zero among integer divisors is an error that names the element."""
    for d in ("i32", "u16"):
        b = block(d)
        x = values.array(d, range(1, b + 1)).reshape(1, b)
        x = np.concatenate([x, x])
        zero = x.copy()
        zero[1, 2] = 0
        tile = lambda numbers: source(d, (2, b), (2, b), numbers)
        dst, scalars, stops = Tile(d, filled(d, (2, b), 0xA5), (2, b)), {}, "[1, 2]"
        if op == "trecip":
            tiles = {"src": tile(zero)}
        elif op == "tdivs":
            tiles, scalars = {"src1": tile(zero)}, {"src0": (d, 1)}
        elif op in ("trems", "tfmods"):
            tiles, scalars, stops = {"src": tile(x)}, {"scalar": (d, 0)}, "zero"
        elif op == "trowexpanddiv":
            column = np.array([[1], [0]])
            tiles, stops = {"src0": tile(x), "src1": source(d, (b, 1), (2, 1), column, order="DN")}, "zero"
        elif op == "tcolexpanddiv":
            tiles, stops = {"src0": tile(x), "src1": source(d, (1, b), (1, b), zero[1:])}, "zero"
        else:
            tiles = {"src0": tile(x), "src1": tile(zero)}
        yield Case(f"{d} zero divisor", table.targets(op, d), {**tiles, "dst": dst}, scalars, stops=stops)


def narrowing(op, table, rng):
    """taddreluconv, tsubreluconv: the sum in the source type, ReLU, then nearest even into the narrower type. Sums beyond the
    range of the destination are left out where no rule covers them; i16 clamps."""
    f = rules.add if op == "taddreluconv" else rules.sub
    for src, dst in [("f32", "f16"), ("f16", "i8"), ("i16", "i8")]:
        for shape in shapes.elementwise(dst)[:6]:
            n = shape.count()
            if src == "i16":
                a, b = values.pairs(src, n, rng)
            else:
                size = 120 if dst == "i8" else 6e4
                a, b = rng.uniform(-size / 2, size / 2, n), rng.uniform(-size / 2, size / 2, n)
                a, b = (np.round(x * 4) / 4 if dst == "i8" else x for x in (a, b))
                b = np.where(np.arange(n) % 5 == 4, 0.5 - a, b) if op == "taddreluconv" else b
                a, b = values.array(src, a), values.array(src, b)
                if n > 8:
                    a[0], a[1], b[2] = float("nan"), float("-inf"), -0.0
                    b[1] = 0.0
            a, b = shape.spread(a), shape.spread(b)
            total = rules.relu(src, f(src, a, b))
            result = np.array([[rules.convert(src, dst, x.item(), "RINT", True) for x in map(src_number, row)] for row in total])
            result = result.astype(STORAGE[dst])
            tile = lambda x: source(src, shape.shape, shape.valid, x, dynamic=shape.dynamic)
            tiles = {"src0": tile(a), "src1": tile(b), "dst": destination(dst, shape.shape, shape.valid, result, dynamic=shape.dynamic)}
            yield Case(f"{src} to {dst} {shape.name}", table.on(op), tiles)


def src_number(x):
    return np.float64(x) if x.dtype.kind != "i" else x


def tadddeqrelu(table, rng):
    """The sum wraps; it and the scale multiply in f32; results stay below the largest f16."""
    for shape, scale in zip(shapes.elementwise("f16")[:6], [0.5, 2.0**-16, -0.25, 0.3, float("nan"), 1e-3]):
        n = shape.count()
        a = rng.integers(-40000, 40000, n).astype(np.int32)
        b = rng.integers(-40000, 40000, n).astype(np.int32)
        if scale == 2.0**-16:
            a[:3], b[:3] = [2**31 - 1, -(2**31), 2**30], [1, -1, 2**30 - 1]
        a, b = shape.spread(a), shape.spread(b)
        total = rules.add("i32", a, b).astype(np.float32)
        product = rules.mul("f32", total, np.full_like(total, scale))
        result = rules.relu("f32", product).astype(np.float16)
        assert not np.isinf(result).any()
        tile = lambda x: source("i32", shape.shape, shape.valid, x, dynamic=shape.dynamic)
        tiles = {"src0": tile(a), "src1": tile(b), "dst": destination("f16", shape.shape, shape.valid, result, dynamic=shape.dynamic)}
        yield Case(f"i32 {shape.name}", table.on("tadddeqrelu"), tiles, {"deq_scale": ("f32", scale)})


# Masks.

def mask_tile(rows, cols, packed, truth=None, old=0xA5, **more):
    """A mask of bytes for `cols` columns, its valid region counted in bytes or in columns."""
    width = -(-cols // 8)
    width = -(-(width if packed else cols) // 32) * 32
    data = np.full((rows, width), old, np.uint8)
    tile = Tile("u8", data, (rows, -(-cols // 8) if packed else cols), **more)
    if truth is not None:
        tile.expect = rules.mask_bytes(truth, width, data)
    return tile


def as_words(mask, d):
    """The same mask as a tile of wider elements, all of them valid."""
    size = np.dtype(STORAGE[d]).itemsize
    again = lambda data: None if data is None else np.ascontiguousarray(data).view(STORAGE[d])
    rows, cols = mask.data.shape
    return Tile(d, again(mask.data), (mask.valid[0], cols // size), again(mask.expect), mask.dynamic)


def compare_shapes(d, host_only):
    """In place has no meaning here; a wide row covers whole steps of every vector length."""
    return [s for s in shapes.elementwise(d, host_only) if not s.in_place]


def compared(op, table, rng):
    """tcmp and tcmps, all modes."""
    for d in table.types(op):
        targets = table.targets(op, d)
        every = compare_shapes(d, targets == ["cpu"])
        plan = [(every[0], mode) for mode in COMPARE] + [(s, list(COMPARE)[(i + len(d)) % 6]) for i, s in enumerate(every[1:])]
        listed = [1.0, float("nan"), -0.0, float("inf"), 2.5, -7.0] if is_float(d) else values.scalars(d)
        for at, (shape, mode) in enumerate(plan):
            a, b = values.pairs(d, shape.count(), rng)
            b = np.where(np.arange(len(a)) % 3 == 1, a, b)
            a, b = shape.spread(a), shape.spread(b)
            s = listed[at % len(listed)]
            if op == "tcmps":
                b = as_elements(d, s, a)
            truth = COMPARE[mode](a, b)
            mask = mask_tile(shape.shape[0], shape.valid[1], at % 2 == 0, truth, dynamic=shape.dynamic)
            mask.valid = (shape.valid[0], mask.valid[1])
            make = lambda x: source(d, shape.shape, shape.valid, x, poison(d), dynamic=shape.dynamic)
            if op == "tcmp":
                tiles, scalars = {"src0": make(a), "src1": make(b), "dst": mask}, {}
            else:
                tiles, scalars = {"src": make(a), "dst": mask}, {"scalar": (d, s)}
            yield Case(f"{d} {shape.name} {mode}", targets, tiles, scalars, {"cmpMode": mode})
            if shape.name == "tail" and d in ("f32", "i16", "u8"):
                wide = dict(tiles, dst=as_words(mask, "u32"))
                where = [t for t in targets if t != "a2a3"]
                yield Case(f"{d} {shape.name} {mode} u32 mask", where, wide, scalars, {"cmpMode": mode})
        if op == "tcmp" or d == "f32":
            yield from default_mode(op, d, targets, rng)
        if op == "tcmps" and is_float(d):
            yield from against(d, targets)
    if op == "tcmps":
        for at, d in enumerate(table.types(op)):
            yield from against_first(d, at, table.targets(op, d), rng)


def against_first(d, turn, targets, rng):
    """A tile in place of the scalar stands for its element [0, 0], whatever else it holds and however it lies."""
    b = block(d)
    every = compare_shapes(d, targets == ["cpu"])
    plan = [((2, b), (2, b), "ND"), ((1, b), (1, 1), "ND"), ((b, 1), (b, 1), "DN"), ((16, b), (3, 2), "NZ"), ((1, 2 * b), (1, b + 1), "ND")]
    for at, shape in enumerate(every):
        size, valid, order = plan[(at + turn) % len(plan)]
        mode = list(COMPARE)[(at + turn) % 6]
        a = values.single(d, shape.count(), rng)[0]
        others = np.resize(a[1:], valid)
        others[0, 0] = a[at % len(a)]
        a = shape.spread(a)
        truth = COMPARE[mode](a, np.full_like(a, others[0, 0]))
        mask = mask_tile(shape.shape[0], shape.valid[1], at % 2 == 0, truth, dynamic=shape.dynamic)
        mask.valid = (shape.valid[0], mask.valid[1])
        one = source(d, size, valid, others, poison(d), dynamic=shape.dynamic, order=order)
        tiles = {"src": source(d, shape.shape, shape.valid, a, poison(d), dynamic=shape.dynamic), "scalar": one, "dst": mask}
        yield Case(f"{d} {shape.name} {mode} {order} tile", targets, tiles, {}, {"cmpMode": mode})


def against(d, targets):
    """Every mode against a NaN, a zero and an infinity."""
    x = values.array(d, [0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1.0, -1.0, values.small(d)[0]]).reshape(1, 8)
    for s in (float("nan"), -0.0, float("inf")):
        for mode, f in COMPARE.items():
            mask = mask_tile(1, 8, True, f(x, as_elements(d, s, x)))
            tiles = {"src": source(d, (1, block(d)), (1, 8), x), "dst": mask}
            yield Case(f"{d} against {s} {mode}", targets, tiles, {"scalar": (d, s)}, {"cmpMode": mode})


def default_mode(op, d, targets, rng):
    """Without an attribute the comparison is eq."""
    shape = shapes.elementwise(d)[3]
    a = shape.spread(values.single(d, shape.count(), rng)[0])
    b = np.roll(a, 1)
    b[0, ::2] = a[0, ::2]
    mask = mask_tile(1, shape.valid[1], True, a == (b if op == "tcmp" else as_elements(d, 1.0, a)))
    make = lambda x: source(d, shape.shape, shape.valid, x)
    if op == "tcmp":
        yield Case(f"{d} no mode", targets, {"src0": make(a), "src1": make(b), "dst": mask})
    else:
        yield Case(f"{d} no mode", targets, {"src": make(a), "dst": mask}, {"scalar": (d, 1.0)})


EIGHT_BITS = ["f8e4m3", "f8e5m2", "f8e8m0", "hif8"]


def selected(op, table, rng):
    """tsel and tsels copy bits; the mask is read row by row."""
    wanted = INTS + FLOATS + (EIGHT_BITS if op == "tsel" else [])
    for d in table.types(op, wanted):
        targets = table.targets(op, d)
        for at, shape in enumerate(shapes.elementwise(d, targets == ["cpu"])):
            rows, cols = shape.valid
            a, b = (shape.spread(values.bits(d, shape.count(), rng)) for _ in range(2))
            truth = shape.spread(rng.integers(0, 2, shape.count())).astype(bool)
            mask = mask_tile(shape.shape[0], cols, at % 2 == 0, dynamic=shape.dynamic)
            mask.valid = (rows, mask.valid[1])
            mask.data = rules.mask_bytes(truth, mask.data.shape[1], mask.data)
            # Bits behind the columns mean nothing.
            mask.data[:rows, (cols - 1) // 8] |= np.uint8(0xFF << ((cols - 1) % 8 + 1) & 0xFF)
            assert (rules.mask_truth(mask.data, rows, cols) == truth).all()
            s = [1.5, -0.0, float("inf"), float("nan"), 100.0, 0.25, -7.0][at] if is_float(d) else values.scalars(d)[at % len(values.scalars(d))]
            if op == "tsels":
                b = as_elements(d, s, a)
            result = np.where(truth, a, b)
            make = lambda x: source(d, shape.shape, shape.valid, x, dynamic=shape.dynamic)
            tiles = {"src0": make(a), "src1": make(b)} if op == "tsel" else {"src": make(a)}
            same, into = {}, list(tiles)[len(d) % len(tiles)]
            if shape.in_place:
                tiles[into].expect, same = written(tiles[into].data, result), {"dst": into}
            else:
                tiles["dst"] = destination(d, shape.shape, shape.valid, result, dynamic=shape.dynamic)
            scalars = {} if op == "tsel" else {"scalar": (d, s)}
            exact = s == s or op == "tsel"
            yield Case(f"{d} {shape.name}", targets, {"mask": mask, **tiles}, scalars, {}, same, exact_nan=exact)
            if shape.name == "tail" and d in ("f32", "i16"):
                words = {"mask": as_words(mask, "u32"), **tiles}
                yield Case(f"{d} {shape.name} u32 mask", targets, words, scalars, {}, same, exact_nan=exact)


def texpands(table, rng):
    """Vector tiles fill their valid region in any layout, mat tiles the whole rectangle."""
    op = "texpands"
    for d in table.types(op):
        targets, b = table.targets(op, d), block(d)
        listed = [1.5, float("inf"), -0.0, float("nan"), 0.1, -7.0, 2.5] if is_float(d) else values.scalars(d)
        plan = [(s, "ND") for s in shapes.elementwise(d) if not s.in_place]
        plan += [(shapes.Shape("column-major", (b, 3), (b // 2 + 1, 2)), "DN"), (shapes.Shape("boxed", (16, 2 * b), (5, b + 1)), "NZ")]
        for at, (shape, order) in enumerate(plan):
            s = listed[at % len(listed)]
            result = as_elements(d, s, np.empty(shape.valid))
            dst = destination(d, shape.shape, shape.valid, result, dynamic=shape.dynamic, order=order)
            where = [t for t in targets if t != "a5" or order == "ND" or b > 4]
            yield Case(f"{d} {shape.name}", where, {"dst": dst}, {"scalar": (d, s)})
        if b < 32:
            dst = destination(d, (16, 2 * b), (5, b), as_elements(d, listed[0], np.empty((16, 2 * b))), order="NZ", loc="mat")
            yield Case(f"{d} mat", targets, {"dst": dst}, {"scalar": (d, listed[0])})


def boxed(op, table, rng):
    """Results do not depend on the layout: rows of boxes."""
    slots, f, numbers = ELEMENTWISE[op]
    for d, order in (("f32", "ZN"), ("f16", "ZZ")):
        b = block(d)
        shape = shapes.Shape(f"boxes {order}", (32 if order == "ZN" and b > 16 else 16, 2 * b if order == "ZZ" else 32), (3, b + 3))
        operands = [shape.spread(x) for x in numbers(d, shape.count(), rng)]
        for case in one(op, d, f"{d} {shape.name}", shape, table.targets(op, d), slots, operands, f(d, *operands)):
            for tile in case.tiles.values():
                tile.order = order
            yield case
