"""Sorting, merging, gathering, scattering, histograms and random numbers."""

import math
import numpy as np
from . import values
from .cases import Case, DST_FILL, Tile, destination, filled, source
from .formats import ARITHMETIC, FLOATS, STORAGE, block
from .vector import EIGHT_BITS

ALL = ["a2a3", "a5", "cpu"]
COPIED = ARITHMETIC + EIGHT_BITS
PATTERNS = ["P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"]


def up(n, unit):
    return math.ceil(n / unit) * unit


# Records.

PER = {"f32": 2, "f16": 4}
"""Columns of a record."""
FILLER = {"f32": 0xFFC00000, "f16": 0xFE00}


def order(x):
    """Large values first, NaN last; Python's sort keeps equal ones in order."""
    return (1, 0.0) if math.isnan(x) else (0, -x)


def record(d, value, index):
    """Eight bytes as columns of the value's type."""
    bits = int.from_bytes(np.array([value], STORAGE[d]).tobytes(), "little") if not isinstance(value, int) else value
    raw = bits.to_bytes(4, "little") + int(index).to_bytes(4, "little")
    return np.frombuffer(raw, STORAGE[d])


def sorted_row(d, numbers, indices):
    """The records of a row: every 32 elements in order, the last ones completed."""
    out = []
    for start in range(0, len(numbers), 32):
        group = list(zip(numbers[start : start + 32], indices[start : start + 32]))
        group.sort(key=lambda p: order(float(p[0])))
        out += [record(d, v, i) for v, i in group]
        out += [record(d, FILLER[d], 0)] * (32 - len(group))
    return np.concatenate(out) if out else np.zeros(0, STORAGE[d])


def some_values(d, n, rng):
    """Many equal numbers, both zeros, infinities and NaN."""
    few = values.array(d, [1.5, -2.0, 0.0, -0.0, 3.0, math.inf, -math.inf, 7.25, -1e-7, 6e4])
    x = few[rng.integers(0, len(few), n)]
    return np.where(rng.random(n) < 0.5, values.array(d, rng.standard_normal(n) * 9), x).astype(STORAGE[d])


def tsort32(table, rng):
    op = "tsort32"
    plan = [
        # name, src, valid, rows of idx, valid columns of dst in records, tmp
        ("one group", (1, 32), (1, 32), 1, 32, False),
        ("full", (2, 64), (2, 64), 2, 64, False),
        ("shared indices", (3, 64), (3, 64), 1, 64, False),
        ("many groups", (3, 224), (3, 224), 3, 224, False),
        ("tail", (2, 64), (2, 45), 2, 64, True),
        ("short tail", (2, 32), (2, 13), 2, 13, True),
        ("room for less", (1, 64), (1, 64), 1, 39, False),
        ("one element", (1, 32), (1, 1), 1, 32, True),
        ("dynamic", (2, 64), (1, 64), 2, 64, False),
    ]
    for d in ("f32", "f16"):
        targets = table.targets(op, d)
        for name, shape, valid, index_rows, room, tmp in plan:
            x = some_values(d, valid[0] * valid[1], rng).reshape(valid)
            rows = 1 if index_rows == 1 else valid[0]
            idx = rng.integers(0, 2**32, (rows, valid[1]), np.uint32)
            result = np.stack([sorted_row(d, x[r], idx[r % rows]) for r in range(valid[0])])[:, : room * PER[d]]
            dst = destination(d, (shape[0], shape[1] * PER[d]), (valid[0], room * PER[d]), result)
            tiles = {"src": source(d, shape, valid, x), "idx": source("u32", (index_rows, shape[1]), (rows, valid[1]), idx)}
            if tmp:
                tiles["tmp"] = Tile(d, filled(d, (1, up(valid[1], 32)), 0x5A), (1, up(valid[1], 32)))
            tiles["dst"] = dst
            for tile in tiles.values():
                tile.dynamic = name == "dynamic"
            # The bits of what fills a last group are those of a NaN.
            yield Case(f"{d} {name}", targets, tiles, exact_nan=valid[1] % 32 == 0)
        x = values.array(d, [math.nan, 1.0, -math.nan, math.inf, -math.inf, 0.0, -0.0, math.nan] * 4).reshape(1, 32)
        idx = np.arange(100, 132, dtype=np.uint32).reshape(1, 32)
        dst = destination(d, (1, 32 * PER[d]), (1, 32 * PER[d]), sorted_row(d, x[0], idx[0]).reshape(1, -1))
        tiles = {"src": source(d, (1, 32), (1, 32), x), "idx": source("u32", (1, 32), (1, 32), idx), "dst": dst}
        yield Case(f"{d} specials", targets, tiles)


def sorted_list(d, n, rng, nan=False):
    """A sorted list of n records: values with ties, and indices."""
    x = some_values(d, n, rng)
    if nan and n > 2:
        x[:2] = math.nan
    x = sorted(x, key=lambda v: order(float(v)))
    return list(zip(x, rng.integers(0, 2**32, n, np.uint32)))


def merged(lists, exhausted=False):
    """The first of all heads again and again, of equal ones that of the lower list."""
    at, out = [0] * len(lists), []
    while not (exhausted and any(a == len(l) for a, l in zip(at, lists))):
        heads = [i for i, l in enumerate(lists) if at[i] < len(l)]
        if not heads:
            break
        best = min(heads, key=lambda i: order(float(lists[i][at[i]][0])))
        out.append(lists[best][at[best]])
        at[best] += 1
    return out


def row_of(d, records):
    return np.concatenate([record(d, v, i) for v, i in records]).reshape(1, -1)


def tmrgsort(table, rng):
    op = "tmrgsort"
    for d in ("f32", "f16"):
        targets, per = table.targets(op, d), PER[d]
        for name, length, groups, room in [
            ("one group of blocks", 64, 1, None), ("three groups of blocks", 64, 3, None), ("long blocks", 192, 1, None),
            ("room for less", 64, 1, 101), ("dynamic", 64, 2, None),
        ]:
            n = length // per
            lists = [[sorted_list(d, n, rng, nan=i == 1) for i in range(4)] for _ in range(groups)]
            src = row_of(d, [r for group in lists for one in group for r in one])
            out = row_of(d, [r for group in lists for r in merged(group)])
            cols = src.shape[1]
            room = room or cols
            dst = destination(d, (1, cols), (1, room), out[:, :room])
            tiles = {"src0": source(d, (1, cols), (1, cols), src), "dst": dst}
            for tile in tiles.values():
                tile.dynamic = name == "dynamic"
            yield Case(f"{d} {name}", targets, tiles, {"block_len": ("i32", length)}, exact_nan=True)
        for name, counts, exhausted, room in [
            ("two lists", (32, 32), False, None), ("three lists", (32, 16, 48), False, None), ("four lists", (16, 32, 40, 8), False, None),
            ("two lists until one is empty", (32, 16), True, None), ("four lists until one is empty", (32, 24, 16, 40), True, None),
            ("few of four lists", (16, 16, 16, 16), False, 20), ("a list with one record", (1, 24, 24, 24), True, None),
        ]:
            lists = [sorted_list(d, n, rng, nan=i == 1) for i, n in enumerate(counts)]
            out = merged(lists, exhausted)
            total = up(sum(up(n * per, 16) for n in counts), 16)
            room = (room or sum(counts)) * per
            result = row_of(d, out)[:, :room] if out else np.zeros((1, 0), STORAGE[d])
            dst = destination(d, (1, total), (1, room), result)
            tiles = {f"src{i}": source(d, (1, up(len(l) * per, 16)), (1, len(l) * per), row_of(d, l)) for i, l in enumerate(lists)}
            tiles["tmp"] = Tile(d, filled(d, (1, total), 0x5A), (1, total))
            tiles["dst"] = dst
            case = Case(f"{d} {name}", targets, tiles, attrs={"exhausted": exhausted}, exact_nan=True)
            case.vectors = {"executed": "vector<4xi16>"}
            yield case


# By number.

def bits(d, n, rng):
    return values.bits(d, n, rng)


def numbered(d, shape, rng):
    """A whole physical rectangle of bits."""
    return bits(d, shape[0] * shape[1], rng).reshape(shape)


def tgather(table, rng):
    yield from gather_by_index(table, rng)
    yield from gather_by_pattern(table, rng)
    yield from gather_by_comparison(table, rng)


def gather_by_index(table, rng):
    op = "tgather"
    for d in table.types(op, COPIED):
        b, size = block(d), np.dtype(STORAGE[d]).itemsize
        plan = [("i32", "full", (2, b), (2, b)), ("u32", "tail", (2, 2 * b), (2, b + 3)), ("i32", "dynamic", (3, b), (2, b - 1))]
        if size < 8:
            plan += [("i16", "one row", (1, b), (1, b)), ("u16", "one column", (3, b), (3, 1))]
        for i, name, shape, valid in plan:
            targets = [t for t in table.targets(op, d) if t != "a2a3" or i in ("i32", "u32")]
            if not targets:
                continue
            data = numbered(d, (3, 2 * b), rng)
            idx = rng.integers(0, data.size, valid).astype(STORAGE[i])
            idx[0, 0] = data.size - 1
            src = Tile(d, data, (2, b + 1), dynamic=name == "dynamic")
            cols = up(shape[1], block(i))
            tiles = {"src": src, "indices": source(i, (shape[0], cols), valid, idx, dynamic=name == "dynamic")}
            if name == "full" and d != "u8":
                tiles["tmp"] = Tile(i, filled(i, (shape[0], cols), 0x5A), valid)
            tiles["dst"] = destination(d, shape, valid, data.reshape(-1)[idx.astype(np.int64)], dynamic=name == "dynamic")
            yield Case(f"{d} {i} {name}", targets, tiles, exact_nan=True)
        for wrong in (-1, 6 * b):
            idx = np.zeros((1, 8), np.int32)
            idx[0, 5] = wrong
            tiles = {"src": Tile(d, filled(d, (3, 2 * b), 0), (3, 2 * b)), "indices": Tile("i32", idx, (1, 8))}
            tiles["dst"] = destination(d, (1, b), (1, min(8, b)), np.zeros((1, min(8, b)), STORAGE[d]))
            if b >= 8 and d in ("f32", "i16"):
                yield Case(f"{d} index {wrong}", table.targets(op, d), tiles, stops=f"the index at [0, 5] is {wrong}")


def marked(pattern, n):
    """The last digit is the first element."""
    digits = pattern[:0:-1]
    return [k for k in range(n) if digits[k % 4] == "1"]


def gather_by_pattern(table, rng):
    op = "tgather"
    for at, d in enumerate(table.types(op, COPIED)):
        b, size = block(d), np.dtype(STORAGE[d]).itemsize
        every = d in ("f32", "i16")
        for k, pattern in enumerate(PATTERNS):
            if not every and k not in (at % 7, (at + 3) % 7):
                continue
            targets = table.targets(op, d)
            rows, cols = 3, 4 * b
            x = numbered(d, (rows, cols), rng)
            kept = x[:, marked(pattern, cols)]
            axis = ["", "row"][k % 2]
            dst = destination(d, kept.shape, kept.shape, kept)
            tiles = {"src": source(d, (rows, cols + b), (rows, cols), x), "dst": dst}
            yield Case(f"{d} {pattern} {axis or 'no axis'}", targets, tiles, attrs={"maskPattern": pattern} | ({"axis": axis} if axis else {}), exact_nan=True)
            if size == 8:
                continue
            x = numbered(d, (8, b), rng)[:, : b - 1]
            kept = x[marked(pattern, 8)]
            tiles = {"src": source(d, (9, b), (8, b - 1), x), "dst": destination(d, (kept.shape[0], b), kept.shape, kept)}
            yield Case(f"{d} {pattern} col", targets, tiles, attrs={"maskPattern": pattern, "axis": "col"}, exact_nan=True)
    # Rows of any length: the pattern starts again in each, and the kept elements have no gaps.
    x = numbered("f32", (3, 7), rng)
    kept = x[:, marked("P0101", 7)].reshape(-1)
    result = filled("f32", (2, 8), DST_FILL)
    result.reshape(-1)[:12] = kept
    dst = Tile("f32", filled("f32", (2, 8), DST_FILL), (2, 8), expect=result)
    yield Case("f32 odd rows", table.targets(op, "f32"), {"src": source("f32", (3, 8), (3, 7), x), "dst": dst}, attrs={"maskPattern": "P0101"}, exact_nan=True)


def gather_by_comparison(table, rng):
    op = "tgather"
    for d in ("f32", "f16", "i32", "u32", "i16", "u16", "i8", "u8"):
        b = block(d)
        for mode in ("gt", "eq"):
            targets = [t for t in table.targets(op, d) if t != "a2a3" or d in ("f16", "f32") or (d, mode) == ("i32", "eq")]
            some = [2, 5, 7, 5, 9, 0] if d not in FLOATS else [5.0, -0.0, math.nan, 5.0, math.inf, 7.5, -math.inf]
            x = values.array(d, some)[rng.integers(0, len(some), (3, b + 2))]
            k, offset, cols = values.array(d, [5])[0], 1000, 2 * b
            dst, counts = filled("i32", (3, up(b + 2, 8)), DST_FILL), filled("i32", (1, 8), DST_FILL)
            for r in range(3):
                hits = [c for c in range(b + 2) if (x[r, c] > k if mode == "gt" else x[r, c] == k)]
                dst[r, : len(hits)] = [offset + r * cols + c for c in hits]
                counts[0, r] = len(hits)
            width = dst.shape[1]
            tiles = {
                "src": source(d, (3, cols), (3, b + 2), x), "tmp": Tile("u8", filled("u8", (3, 32), 0x5A), (3, 32)),
                "dst": Tile("i32", filled("i32", (3, width), DST_FILL), (3, width), expect=dst),
                "cdst": Tile("i32", filled("i32", (1, 8), DST_FILL), (1, 3), expect=counts),
            }
            yield Case(f"{d} {mode}", targets, tiles, {"k_value": (d, k)}, {"cmpMode": mode, "offset": offset})


def tgatherb(table, rng):
    op = "tgatherb"
    for d in table.types(op, COPIED):
        b, size = block(d), np.dtype(STORAGE[d]).itemsize
        for i, name, shape, valid in [("u32", "full", (2, 2 * b), (2, 2 * b)), ("i32", "tail", (2, 2 * b), (2, b + 1)), ("u32", "dynamic", (3, b), (2, b))]:
            data = numbered(d, (3, 4 * b), rng)
            raw = data.tobytes()
            blocks = math.ceil(valid[1] / b)
            at = rng.integers(0, (len(raw) - 32) // 32, (valid[0], blocks)) * 32
            at[0, 0] = len(raw) - 32
            rows = [np.frombuffer(b"".join(raw[o : o + 32] for o in row), STORAGE[d])[: valid[1]] for row in at.tolist()]
            more = {"dynamic": name == "dynamic"}
            tiles = {
                "src": Tile(d, data, data.shape, **more), "offsets": source(i, (shape[0], 8), (valid[0], blocks), at.astype(STORAGE[i]), **more),
                "dst": destination(d, shape, valid, np.stack(rows), **more),
            }
            yield Case(f"{d} {i} {name}", table.targets(op, d), tiles, exact_nan=True)
    at = np.array([[0, 96, 97, 0, 0, 0, 0, 0]], np.int32)
    tiles = {"src": Tile("i8", filled("i8", (4, 32), 1), (4, 32)), "offsets": Tile("i32", at, (1, 8)), "dst": destination("i8", (1, 128), (1, 128), np.ones((1, 128), np.int8))}
    yield Case("i8 offset 97", table.targets(op, "i8"), tiles, stops="the index at [0, 2] is 97")


def tscatter(table, rng):
    op = "tscatter"
    for at, d in enumerate(table.types(op, COPIED)):
        b, size = block(d), np.dtype(STORAGE[d]).itemsize
        targets = table.targets(op, d)
        for k, i in enumerate(("i32", "u32") if size > 2 else ("i16", "u16")):
            for name, shape, valid in [("full", (2, b), (2, b)), ("tail", (2, 2 * b), (2, b + 3)), ("dynamic", (3, b), (2, b - 1))][: 3 - k]:
                more = {"dynamic": name == "dynamic"}
                x = numbered(d, valid, rng)
                # Places occur more than once: the last element wins.
                idx = rng.integers(0, 3 * b, valid).astype(STORAGE[i])
                out = filled(d, (3, b), DST_FILL)
                for r, c in np.ndindex(*valid):
                    out.reshape(-1)[int(idx[r, c])] = x[r, c]
                tiles = {
                    "src": source(d, shape, valid, x, **more), "indexes": source(i, (shape[0], up(shape[1], block(i))), valid, idx, **more),
                    "dst": Tile(d, filled(d, (3, b), DST_FILL), (3, b), expect=out, **more),
                }
                yield Case(f"{d} {i} {name}", targets, tiles, exact_nan=True)
        for k, pattern in enumerate(PATTERNS):
            if d not in ("f32", "i16") and k not in (at % 7, (at + 3) % 7):
                continue
            times = {"P1111": 1, "P0101": 2, "P1010": 2}.get(pattern, 4)
            for axis in ("row", "col"):
                rows, cols = (2, b) if axis == "row" else (2, b - 1)
                x = numbered(d, (rows, cols), rng)
                wide = (rows, cols * times) if axis == "row" else (rows * times, cols)
                out = np.zeros(wide, STORAGE[d])
                if axis == "row":
                    out[:, marked(pattern, wide[1])] = x
                else:
                    out[marked(pattern, wide[0])] = x
                tiles = {"src": source(d, (rows, b), (rows, cols), x), "dst": destination(d, (wide[0], up(wide[1], b)), wide, out)}
                yield Case(f"{d} {pattern} {axis}", targets, tiles, attrs={"maskPattern": pattern, "axis": axis}, exact_nan=True)
    idx = np.array([[0, 1, 2, 16, 3, 4, 5, 6]], np.int32)
    tiles = {"src": Tile("f32", filled("f32", (1, 8), 1), (1, 8)), "indexes": Tile("i32", idx, (1, 8)), "dst": destination("f32", (2, 8), (2, 8), np.ones((2, 8), np.float32))}
    yield Case("f32 index 16", table.targets(op, "f32"), tiles, stops="the index at [0, 3] is 16")


# Histograms and random numbers.

def cumulative(row, shift, want):
    """How many elements with these higher bytes have at most each value in the byte."""
    chosen = [int(v) >> shift for v in row]
    below = [v & 0xFF for v in chosen if v >> 8 == want]
    return [sum(v <= bin for v in below) for bin in range(256)]


def thistogram(table, rng):
    op = "thistogram"
    targets = table.on(op)
    for byte, name, shape, valid in [(1, "full", (2, 64), (2, 64)), (0, "full", (3, 64), (3, 64)), (1, "tail", (2, 32), (2, 21)), (0, "dynamic", (2, 32), (1, 30))]:
        x = rng.integers(0, 4, valid) << 8 | rng.integers(0, 256, valid) >> rng.integers(0, 8, valid)
        filters = rng.integers(0, 4, (valid[0], 1))
        out = np.array([cumulative(x[r], 8 * byte, 0 if byte else int(filters[r, 0])) for r in range(valid[0])], np.uint32)
        more = {"dynamic": name == "dynamic"}
        tiles = {
            "src": source("u16", shape, valid, x.astype(np.uint16), **more),
            "idx": source("u8", (32, 1), (valid[0], 1), filters.astype(np.uint8), order="DN", **more),
            "dst": destination("u32", (shape[0], 256), (valid[0], 256), out, **more),
        }
        yield Case(f"u16 byte {byte} {name}", targets, tiles, attrs={"byte": byte})
        if name == "full":
            yield Case(f"u16 isMSB {bool(byte)}", targets, tiles, attrs={"isMSB": bool(byte)})
    for byte in (3, 2, 1, 0):
        shape, valid = (2, 32), (2, 30)
        x = sum(rng.integers(0, 2, valid) << (8 * k) for k in range(byte + 1, 4)) | rng.integers(0, 2 ** (8 * (byte + 1)), valid)
        rows = max(3 - byte, 1)
        filters = np.full((rows, 32), 0xEE, np.uint8)
        filters[:, 0] = rng.integers(0, 2, rows)
        want = int.from_bytes(bytes(filters[: 3 - byte, 0]), "big")
        out = np.array([cumulative(x[r], 8 * byte, want) for r in range(2)], np.uint32)
        tiles = {
            "src": source("u32", shape, valid, x.astype(np.uint32)), "idx": Tile("u8", filters, (rows, 32)),
            "dst": destination("u32", (2, 256), (2, 256), out),
        }
        yield Case(f"u32 byte {byte}", targets, tiles, attrs={"byte": byte})


def philox(counter, key, rounds):
    """Four words for a counter of 128 bits: Salmon, Moraes, Dror and Shaw, 2011."""
    word = 0xFFFFFFFF
    x = [counter >> 32 * k & word for k in range(4)]
    k0, k1 = key
    for _ in range(rounds):
        a, b = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [b >> 32 ^ x[1] ^ k0, b & word, a >> 32 ^ x[3] ^ k1, a & word]
        k0, k1 = (k0 + 0x9E3779B9) & word, (k1 + 0xBB67AE85) & word
    return x


def random_rows(rows, cols, key, counter, rounds):
    """64 counters make 256 elements; what a row leaves unused of the last of them is passed over as devices do."""
    counter = sum(c << 32 * k for k, c in enumerate(counter))
    out = np.zeros((rows, cols), np.uint32)
    for r in range(rows):
        for start in range(0, cols, 256):
            words = [w for lane in range(64) for w in philox((counter + lane) % 2**128, key, rounds)]
            n = min(256, cols - start)
            out[r, start : start + n] = words[:n]
            counter += 64 if start + 256 < cols else (cols - 1) % 64 + 1
    return out


def known_answers():
    """The published answers of the generator with ten rounds."""
    ones = 0xFFFFFFFF
    assert philox(0, (0, 0), 10) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox(2**128 - 1, (ones, ones), 10) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def trandom(table, rng):
    op = "trandom"
    known_answers()
    for d in ("i32", "u32"):
        targets = table.targets(op, d)
        for name, shape, valid, rounds in [
            ("full", (2, 256), (2, 256), 10), ("tail", (3, 104), (3, 101), 7), ("wide", (1, 600), (1, 590), 10), ("one column", (3, 8), (3, 1), 10), ("dynamic", (2, 16), (1, 13), 7),
        ]:
            key = [int(v) for v in rng.integers(0, 2**32, 2)]
            counter = [2**32 - 3, 2**32 - 1, int(rng.integers(0, 2**32)), 5] if name == "tail" else [int(v) for v in rng.integers(0, 2**32, 4)]
            out = random_rows(*valid, key, counter, rounds).astype(np.uint32).view(STORAGE[d])
            dst = destination(d, shape, valid, out, dynamic=name == "dynamic")
            names = ["key0", "key1", "counter0", "counter1", "counter2", "counter3"]
            scalars = {n: ("i32", np.uint32(v).view(np.int32)) for n, v in zip(names, key + counter)}
            yield Case(f"{d} {name}", targets, {"dst": dst}, scalars, {} if rounds == 10 and d == "i32" else {"rounds": rounds})


CASES = {
    "tsort32": tsort32, "tmrgsort": tmrgsort, "tgather": tgather, "tgatherb": tgatherb, "tscatter": tscatter, "thistogram": thistogram,
    "trandom": trandom,
}
