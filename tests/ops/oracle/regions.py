"""Partial, reducing and expanding instructions, and the fills tci and ttri."""

import math
import numpy as np
from . import rules, shapes, values
from .cases import Case, Tile, destination, filled, source, written
from .formats import FLOATS, FORMATS, INTS, STORAGE, block, is_float
from .vector import EIGHT_BITS, divided, poison, ulp

THOROUGH = ("f32", "f16", "i16")
"""Types that get every shape; the others get the first few, which differ most."""


def chosen(d, plan, few):
    return plan if d in THOROUGH else plan[:few]


# Partial.

PARTIAL = {"tpartadd": rules.add, "tpartmul": rules.mul, "tpartmax": rules.maximum, "tpartmin": rules.minimum}


def part_shapes(d):
    """Name, physical shape, valid regions of the sources and of the destination."""
    b = block(d)
    c = 2 * b if b < 32 else b
    return [
        ("both full", (2, c), (2, c), (2, c), (2, c)),
        ("fewer rows in src1", (3, b), (3, b - 1), (2, b - 1), (3, b - 1)),
        ("fewer columns in src0", (2, c), (2, c // 2 - 1), (2, c - 1), (2, c - 1)),
        ("in place", (2, b), (2, b - 1), (1, b // 2 + 1), (2, b - 1)),
        ("dynamic", (3, b), (2, b - 1), (1, b // 2), (2, b - 1)),
        ("corner in src1", (3, b), (3, b), (1, b // 2 + 1), (3, b)),
        ("empty src0", (2, b), (0, 0), (2, b - 1), (2, b - 1)),
        ("one column", (3, b), (3, 1), (2, 1), (3, 1)),
        ("nothing", (2, b), (0, 0), (0, 0), (0, 0)),
    ]


def part(valid, x, d):
    """The valid part of full-size numbers, and whether an element is valid."""
    here = np.zeros(x.shape, bool)
    here[: valid[0], : valid[1]] = True
    return source(d, x.shape, valid, x[: valid[0], : valid[1]], poison(d)), here


def partial(op, table, rng):
    f = PARTIAL[op]
    for d in table.types(op):
        for name, shape, va, vb, vd in chosen(d, part_shapes(d), 5):
            a, b = (x.reshape(shape) for x in values.pairs(d, shape[0] * shape[1], rng))
            (ta, ha), (tb, hb) = part(va, a, d), part(vb, b, d)
            result = np.where(ha & hb, f(d, a, b), np.where(ha, a, b))[: vd[0], : vd[1]]
            tiles = {"src0": ta, "src1": tb, "dst": destination(d, shape, vd, result)}
            yield finish(f"{d} {name}", table.targets(op, d), tiles, "src0")


def finish(name, targets, tiles, into, also=()):
    """Marks dynamic regions, and merges the destination into a source, as the name of the case says."""
    same = {}
    for dst, src in [("dst", into), *also]:
        if name.endswith("in place"):
            same[dst] = src
            tiles[src].expect = written(tiles[src].data, tiles.pop(dst).expect[: tiles[src].valid[0], : tiles[src].valid[1]])
    if name.endswith("dynamic"):
        for tile in tiles.values():
            tile.dynamic = True
    return Case(name, targets, tiles, same=same)


def partial_arg(op, table, rng):
    """Ties and NaN give src1."""
    indices = {"f16": ["i16", "u16"] + (["i32", "u32"] if op == "tpartargmin" else []), "f32": ["i32", "u32"]}
    for d in table.types(op):
        for i in indices[d]:
            common = max(block(d), block(i))
            plan = part_shapes(d) if common == block(d) else part_shapes(i)
            plan = plan + [("larger src1", (3, common), (2, 5), (3, 6), (2, 5))]
            for name, shape, va, vb, vd in plan:
                n = shape[0] * shape[1]
                a, b = values.pairs(d, n, rng)
                b = np.where(np.arange(n) % 4 == 3, a, b)
                a, b = a.reshape(shape), b.reshape(shape)
                ia, ib = (values.bits(i, n, rng).reshape(shape) for _ in range(2))
                (ta, ha), (tb, hb) = part(va, a, d), part(vb, b, d)
                better = a > b if op == "tpartargmax" else a < b
                first = (ha & ~hb | ha & hb & better)[: vd[0], : vd[1]]
                cut = lambda x: x[: vd[0], : vd[1]]
                tiles = {
                    "src0_val": ta, "src1_val": tb, "src0_idx": part(va, ia, i)[0], "src1_idx": part(vb, ib, i)[0],
                    "dst": destination(d, shape, vd, np.where(first, cut(a), cut(b))),
                    "dst_idx": destination(i, shape, vd, np.where(first, cut(ia), cut(ib))),
                }
                case = finish(f"{d} {i} {name}", table.targets(op, d), tiles, "src0_val", [("dst_idx", "src0_idx")])
                yield rename(case, "dst", "dst_val")


def rename(case, old, new):
    case.tiles = {new if k == old else k: v for k, v in case.tiles.items()}
    case.same = {new if k == old else k: v for k, v in case.same.items()}
    return case


# Reductions.

ROW_REDUCE = {
    "trowsum": lambda d, a: rules.row_fold(d, a),
    "trowprod": lambda d, a: rules.row_fold(d, a, product=True),
    "trowmax": lambda d, a: rules.fold_extreme(d, a, 1, True),
    "trowmin": lambda d, a: rules.fold_extreme(d, a, 1, False),
}
COL_REDUCE = {
    "tcolsum": lambda d, a: rules.col_fold(d, a),
    "tcolprod": lambda d, a: rules.col_fold(d, a, product=True),
    "tcolmax": lambda d, a: rules.fold_extreme(d, a, 0, True),
    "tcolmin": lambda d, a: rules.fold_extreme(d, a, 0, False),
}


def telling(op, d, shape, rng):
    """Numbers whose sum or product depends on the order; for integers, and for maxima, any numbers, which repeat in long rows."""
    if shape[1] > 100 and not (is_float(d) and op.endswith(("sum", "prod"))):
        return np.tile(telling(op, d, (shape[0], 7), rng), 29)[:, : shape[1]]
    n = shape[0] * shape[1]
    if op.endswith("prod"):
        if is_float(d):
            return values.array(d, rng.choice([-1, 1], n) * rng.uniform(0.7, 1.4, n)).reshape(shape)
        return values.array(d, list(map(int, rng.choice([1, 3, 5, 7, 11, 13], n)))).reshape(shape)
    if op.endswith("sum") and is_float(d):
        return values.array(d, rng.standard_normal(n) * 2.0 ** rng.uniform(-8, 8, n)).reshape(shape)
    x = values.random(d, n, rng)
    return (values.array(d, np.round(x.astype(float))) if d == "f16" else x).reshape(shape)


def special_lines(d, n):
    """Lines of n floats on which a wrong rule shows."""
    inf, nan, top = math.inf, math.nan, FORMATS[d].largest
    least, _, _, unit = values.small(d)
    line = lambda *head, rest=0.0: (list(head) + [rest] * n)[:n]
    return [
        line(rest=-0.0), line(0.0, rest=-0.0), line(-0.0, 0.0, -0.0), line(1.0, inf, 2.0), line(inf, -inf, 1.0), line(1.0, nan, 2.0),
        line(top, top, -top, -top), line(-top, -top), line(least, least, -least), line(1.0, unit / 2, unit / 2, unit / 2, unit / 2),
        line(3.0, 3.0, -3.0, 3.0), line(*[0.0] * (n - 1), nan), line(-inf, rest=-inf), line(inf, rest=inf), line(nan, inf, rest=nan),
        line(1.0, 0.0, -5.0, inf),
    ]


def reduce_shapes(d, host_only):
    b = block(d)
    long = math.ceil(197 / b) * b
    some = [
        ("full", (3, b), (3, b)),
        ("long", (2, long), (2, 197)),
        ("tail", (2, 2 * b), (2, b + 3)),
    ]
    if host_only:
        return some
    return some + [
        ("one row", (1, b), (1, b)),
        ("one column", (3, b), (3, 1)),
        ("70 columns", (1, math.ceil(70 / b) * b), (1, 70)),
        ("dynamic", (3, b), (2, b - 1)),
    ]


def row_vector(d, rows, numbers, at):
    """One result per row, in column 0 of a row-major tile or in a column; by turns."""
    numbers = np.asarray(numbers, STORAGE[d]).reshape(-1, 1)
    if at % 2:
        extent = -(-rows // block(d)) * block(d)
        return destination(d, (extent, 1), (len(numbers), 1), numbers, order="DN")
    return destination(d, (rows, block(d)), (len(numbers), 1), numbers)


def row_reduce(op, table, rng):
    f = ROW_REDUCE[op]
    for d in table.types(op):
        targets = table.targets(op, d)
        for at, (name, shape, valid) in enumerate(reduce_shapes(d, targets == ["cpu"])):
            x = telling(op, d, valid, rng)
            src = source(d, shape, valid, x)
            yield finish(f"{d} {name}", targets, {"src": src, "dst": row_vector(d, shape[0], f(d, x), at)}, None)
        if d == "f32":
            nothing = destination(d, (3, block(d)), (0, 0), np.zeros((0, 0)))
            yield Case(f"{d} nothing", targets, {"src": source(d, (3, 8), (3, 8), telling(op, d, (3, 8), rng)), "dst": nothing})
        if is_float(d):
            x = values.array(d, special_lines(d, block(d))).reshape(-1, block(d))
            yield Case(f"{d} specials", targets, {"src": source(d, x.shape, x.shape, x), "dst": row_vector(d, len(x), f(d, x), 0)})


def col_reduce(op, table, rng):
    f = COL_REDUCE[op]
    for d in table.types(op):
        targets, b = table.targets(op, d), block(d)
        plan = [
            ("full", (5, b), (5, b)), ("tail", (3, 2 * b), (3, b + 3)), ("wide", (4, math.ceil(133 / b) * b), (4, 133)),
            ("one row", (1, b), (1, b)), ("one column", (3, b), (3, 1)), ("dynamic", (3, b), (2, b - 1)), ("70 rows", (70, b), (70, 3)),
        ]
        for name, shape, valid in plan[:3] if targets == ["cpu"] else plan:
            n = 7 if name == "wide" else valid[1]
            x = telling(op, d, (valid[0], n), rng)
            result = f(d, x).reshape(1, n)
            spread = lambda m: np.tile(m, (1, valid[1] // n))
            dst = destination(d, (2 if name == "full" else 1, shape[1]), (1, valid[1]), spread(result))
            yield finish(f"{d} {name}", targets, {"src": source(d, shape, valid, spread(x)), "dst": dst}, None)
        if is_float(d):
            x = values.array(d, np.array(special_lines(d, 6)).T).reshape(6, -1)
            dst = destination(d, (1, x.shape[1]), (1, x.shape[1]), f(d, x).reshape(1, -1))
            yield Case(f"{d} specials", targets, {"src": source(d, x.shape, x.shape, x), "dst": dst})
        if op == "tcolsum":
            for binary in (True, False):
                x = telling(op, d, (5, b), rng)
                dst = destination(d, (1, b), (1, b), f(d, x).reshape(1, b))
                tiles = {"src": source(d, (5, b), (5, b), x), "tmp": Tile(d, filled(d, (3, b), 0x5A), (3, b)), "dst": dst}
                yield Case(f"{d} isBinary {str(binary).lower()}", targets, tiles, attrs={"isBinary": binary})


def with_ties(d, valid, rng):
    """Few different numbers, so that the extreme occurs more than once."""
    if valid[1] > 100:
        return np.tile(with_ties(d, (valid[0], 7), rng), 29)[:, : valid[1]]
    some = values.array(d, [3, 7, 1, 5, 7, 0] if not is_float(d) else [3.0, -0.0, 0.0, 7.5, -2.0, 7.5])
    return some[rng.integers(0, len(some), valid)]


def arg_reduce(op, table, rng):
    """Index alone, and with the value."""
    axis, largest = (1 if op.startswith("trow") else 0), op.endswith("max")
    for d in table.types(op):
        targets, size = table.targets(op, d), np.dtype(STORAGE[d]).itemsize
        if axis == 1:
            with_value = ["i16", "u16", "i32", "u32"] if size == 2 else ["i32", "u32"]
        else:
            with_value = {2: ["i16", "u16"], 1: []}.get(size, ["i32", "u32"])
        kinds = [("i32", False), ("u32", False)] + [(i, True) for i in with_value]
        for k, (i, value) in enumerate(kinds):
            plan = reduce_shapes(d, targets == ["cpu"])
            plan = chosen(d, plan, 4) if k == 0 else plan[: 3 if k == len(kinds) - 1 else 1]
            for at, (name, shape, valid) in enumerate(plan):
                if axis == 0 and name in ("long", "70 columns"):
                    shape, valid = (70, block(d)), (70, 3)
                x = with_ties(d, valid, rng) if at % 2 == 0 else telling(op, d, valid, rng)
                yield arg_case(op, d, i, value, f"{d} {i} {'value ' if value else ''}{name}", targets, shape, x, axis, largest, at)
            if is_float(d) and k in (0, len(kinds) - 1):
                x = values.array(d, special_lines(d, block(d) if axis else 6)).reshape(16, -1)
                x = x if axis else x.T
                name = f"{d} {i} {'value ' if value else ''}specials"
                yield arg_case(op, d, i, value, name, targets, x.shape, x, axis, largest, 0)


def arg_case(op, d, i, value, name, targets, shape, x, axis, largest, at):
    index = rules.arg_extreme(d, x, axis, largest)
    extreme = [x[r, c] if axis else x[c, r] for r, c in enumerate(index)]
    extreme, index = np.array(extreme, STORAGE[d]), np.array(index).astype(STORAGE[i])
    if axis:
        dst_idx, dst_val = row_vector(i, shape[0], index, at), row_vector(d, shape[0], extreme, at)
    else:
        width = math.ceil(shape[1] / max(block(i), block(d))) * max(block(i), block(d))
        dst_idx = destination(i, (1, width), (1, len(index)), index.reshape(1, -1))
        dst_val = destination(d, (1, width), (1, len(index)), extreme.reshape(1, -1))
    tiles = {"src": source(d, shape, x.shape, x)} | ({"dst_val": dst_val} if value else {}) | {"dst_idx": dst_idx}
    return finish(name, targets, tiles, None)


def tpairreducesum(table, rng):
    op = "tpairreducesum"
    for d in table.types(op):
        targets = table.targets(op, d)
        for name, shape, valid in reduce_shapes(d, targets == ["cpu"]):
            n = 14 if valid[1] > 100 else valid[1]
            x = values.pairs(d, valid[0] * n, rng)[0].reshape(valid[0], n)
            x = np.tile(x, -(-valid[1] // n))[:, : valid[1]]
            dst = destination(d, shape, valid, rules.pair_sums(d, x))
            yield finish(f"{d} {name}", targets, {"src": source(d, shape, valid, x), "dst": dst}, None)


# Expansion.

EXPAND = {
    "add": rules.add, "sub": rules.sub, "mul": rules.mul, "div": rules.div, "max": rules.maximum, "min": rules.minimum,
    "expdif": rules.exp_of_difference,
}


def operands(kind, d, full, other, rng):
    """The full operand and the other, of these shapes."""
    n, m = full[0] * full[1], other[0] * other[1]
    if kind == "expdif":
        a, b = rng.uniform(-6, 6, n), rng.uniform(-6, 6, m)
        a, b = values.array(d, a), values.array(d, b)
        a[: min(n, 5)] = values.array(d, [math.inf, -math.inf, math.nan, 0.0, 1 + values.small(d)[3]])[: min(n, 5)]
    else:
        a, b = values.pairs(d, n, rng)[0], rng.permutation(values.pairs(d, max(m, 8), rng)[1])[:m]
    if kind == "div" and not is_float(d):
        a, b = values.without_zero(a), values.without_zero(b)
    return a.reshape(full), b.reshape(other)


def row_expand(op, table, rng):
    """One value per row (a column), or 32 bytes per row; either source may be the one per row."""
    kind = op[len("trowexpand") :]
    f = EXPAND[kind]
    for d in table.types(op):
        targets, b = table.targets(op, d), block(d)
        c = 2 * b
        plan = [
            ("value", (3, c), (3, c), "DN", False), ("block", (2, c), (2, b + 3), "ND", False), ("value first", (2, b), (2, b), "DN", True),
            ("dynamic", (3, b), (2, b - 1), "DN", False), ("wide", (1, math.ceil(133 / b) * b), (1, 133), "DN", False),
            ("block first", (2, c), (2, b + 3), "ND", True), ("tail", (2, c), (2, b + 3), "DN", False),
            ("block full", (2, c), (2, c), "ND", False), ("one row", (1, b), (1, b), "DN", False),
            ("one column", (3, b), (3, 1), "DN", False), ("in place", (2, b), (2, b - 1), "DN", False),
        ]
        for name, shape, valid, order, first in chosen(d, plan, 5):
            per = (valid[0], 1 if order == "DN" else b)
            n = (valid[0], 7 if name == "wide" else valid[1])
            x, s = operands(kind, d, n, per, rng)
            x = np.tile(x, (1, valid[1] // n[1]))
            spread = s[:, np.arange(valid[1]) % per[1]]
            result = f(d, spread, x) if first else f(d, x, spread)
            extent = (math.ceil(shape[0] / b) * b, 1) if order == "DN" else (shape[0], b)
            full, other = source(d, shape, valid, x, poison(d)), source(d, extent, per, s, poison(d), order=order)
            sources = {"src0": other, "src1": full} if first else {"src0": full, "src1": other}
            case = finish(f"{d} {name}", targets, {**sources, "dst": destination(d, shape, valid, result)}, "src0")
            case.ulp = ulp(op, d)
            yield case


def col_expand(op, table, rng):
    """Row 0 of the other source."""
    kind = op[len("tcolexpand") :]
    f = EXPAND[kind]
    for d in table.types(op):
        targets, b = table.targets(op, d), block(d)
        c = 2 * b if b < 32 else b
        plan = [
            ("full", (3, c), (3, c), 1), ("tail", (2, c), (2, c - b // 2), 1), ("row first", (3, b), (3, b - 1), 1),
            ("dynamic", (3, b), (2, b - 1), 1), ("wide", (2, math.ceil(133 / b) * b), (2, 133), 1), ("two rows", (3, b), (3, b), 2),
            ("one row", (1, b), (1, b), 1), ("one column", (3, b), (3, 1), 1), ("in place", (2, b), (2, b - 1), 1),
        ]
        for name, shape, valid, rows in chosen(d, plan, 5):
            n = 7 if name == "wide" else valid[1]
            x, s = operands(kind, d, (valid[0], n), (rows, n), rng)
            x, s = (np.tile(m, (1, valid[1] // n)) for m in (x, s))
            over = np.broadcast_to(s[:1], x.shape)
            first = name == "row first"
            result = f(d, over, x) if first else f(d, x, over)
            full = source(d, shape, valid, x, poison(d))
            other = source(d, (rows, shape[1]), (rows, valid[1]), s, poison(d))
            sources = {"src0": other, "src1": full} if first else {"src0": full, "src1": other}
            where = [t for t in targets if not first or t != "cpu"]
            case = finish(f"{d} {name}", where, {**sources, "dst": destination(d, shape, valid, result)}, "src0")
            case.ulp = ulp(op, d)
            yield case


def copy_expand(op, table, rng):
    """trowexpand, tcolexpand: copies of bits."""
    by_row = op == "trowexpand"
    for d in table.types(op, INTS + FLOATS + EIGHT_BITS):
        targets, b = table.targets(op, d), block(d)
        plan = [
            ("full", (3, b), (3, b)), ("tail", (2, 2 * b), (2, b + 3)), ("one row", (1, b), (1, b - 1)), ("one column", (3, b), (3, 1)),
            ("wide", (2, math.ceil(133 / b) * b), (2, 133)), ("dynamic", (3, b), (2, b - 1)), ("column", (3, 2 * b), (3, b + 1)),
        ]
        for name, shape, valid in plan:
            if not by_row and name == "column":
                continue
            if by_row:
                order = "DN" if name in ("column", "dynamic") else "ND"
                size = (math.ceil(shape[0] / b) * b, 1) if order == "DN" else (shape[0], b)
                region = (valid[0], 1 if name in ("tail", "column", "dynamic") else min(b, valid[1]))
            else:
                order, size = "ND", (shape[0] if name == "tail" else 1, shape[1])
                region = (size[0], valid[1])
            n = region[0] * region[1]
            x = values.bits(d, n if n < 100 else 7, rng)
            x = np.tile(x, -(-n // len(x)))[:n].reshape(region)
            result = np.broadcast_to(x[:, :1] if by_row else x[:1], valid)
            tiles = {"src": source(d, size, region, x, order=order), "dst": destination(d, shape, valid, result)}
            case = finish(f"{d} {name}", targets, tiles, None)
            case.exact_nan = True
            yield case


# Fills.

def tci(table, rng):
    op = "tci"
    for d in table.types(op):
        targets, b = table.targets(op, d), block(d)
        starts = [0.0, 1.5, -3.25, 100.0, 5.0] if is_float(d) else values.scalars(d)
        plan = [
            ("full", b, b), ("wide", math.ceil(133 / b) * b, 133), ("tail", 2 * b, b + 3), ("one column", b, 1), ("dynamic", b, b - 1),
        ]
        for at, (name, cols, n) in enumerate(chosen(d, plan, 3)):
            for down in (False, True):
                s = starts[at % len(starts)]
                start = values.array(d, [s])[0]
                dst = destination(d, (1, cols), (1, n), rules.sequence(d, start, n, down).reshape(1, n), dynamic=name == "dynamic")
                attrs = {} if at == 0 and not down else {"descending": down}
                yield Case(f"{d} {name} {'down' if down else 'up'}", targets, {"dst": dst}, {"start": (d, start)}, attrs)


def ttri(table, rng):
    op = "ttri"
    for d in table.types(op):
        targets, b = table.targets(op, d), block(d)
        plan = [
            ("full", (5, b), (5, b), 0), ("below", (5, b), (5, b), -2), ("tail", (4, 2 * b), (3, b + 3), b), ("above", (5, b), (5, b), 2),
            ("one row", (1, b), (1, b), 1), ("one column", (6, b), (6, 1), -3), ("dynamic", (4, b), (3, b - 1), 1),
            ("all", (2, b), (2, b), 2**31 - 1), ("none", (2, b), (2, b), -(2**31)),
        ]
        for name, shape, valid, diagonal in chosen(d, plan, 3):
            for upper in (0, 1):
                result = rules.triangle(d, *valid, diagonal, upper)
                dst = destination(d, shape, valid, result, dynamic=name == "dynamic")
                attrs = {"upperOrLower": upper} if upper or name != "full" else {}
                yield Case(f"{d} {name} {'upper' if upper else 'lower'}", targets, {"dst": dst}, {"diagonal": ("i32", diagonal)}, attrs)
