#!/usr/bin/env python3
"""Writes the test vectors `<mnemonic>.toml` next to this file.

Needs NumPy, ml_dtypes and a built `pto` (for the table of legal element types):

    python tests/ops/generate.py [path of pto [instructions]]

The expected values follow docs/numerics.md and the pages of the instructions, never the engine. The output depends on
nothing else: running it again gives the same files.
"""

import pathlib
import sys
import zlib
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from oracle import cases, conversion, formats, indexed, irregular, legal, moves, products, quantised  # noqa: E402
from oracle import rearranged, regions, transfers, vector  # noqa: E402


def plan(table):
    """Mnemonic to a list of functions that make its cases."""
    ops = {}
    for op in vector.ELEMENTWISE:
        ops[op] = [lambda t, r, op=op: vector.elementwise(op, t, r)]
    for op in ("tadd", "tmax", "tneg"):
        ops[op].append(lambda t, r, op=op: vector.boxed(op, t, r))
    for op in vector.TILE_SCALAR:
        ops[op] = [lambda t, r, op=op: vector.tile_scalar(op, t, r)]
    ops["tadds"].append(vector.tadds_other_scalar)
    ops["tdivs"] = [vector.tdivs]
    for op in ("taddsc", "tsubsc"):
        ops[op] = [lambda t, r, op=op: vector.tile_scalar_tile(op, t, r)]
    ops["taxpy"] = [vector.taxpy]
    for op in ("taxpy", "tmuladddst", "tfusedmuladd", "tfusedmuladdrelu"):
        ops[op].append(lambda t, r, op=op: vector.one_rounding(op, t, r))
    for op in ("taddreluconv", "tsubreluconv"):
        ops[op] = [lambda t, r, op=op: vector.narrowing(op, t, r)]
    ops["tadddeqrelu"] = [vector.tadddeqrelu]
    for op in ("tcmp", "tcmps"):
        ops[op] = [lambda t, r, op=op: vector.compared(op, t, r)]
    for op in ("tsel", "tsels"):
        ops[op] = [lambda t, r, op=op: vector.selected(op, t, r)]
    for op in ("txor", "trem", "tpow", "tprelu", "trsqrt", "txors", "trems", "tpows", "tsel", "tsels"):
        ops[op].append(lambda t, r, op=op: vector.scratch(op, t, r))
    ops["texpands"] = [vector.texpands]
    ops["tcvt"] = [conversion.tcvt]
    families = [
        (regions.PARTIAL, regions.partial),
        (["tpartargmax", "tpartargmin"], regions.partial_arg),
        (regions.ROW_REDUCE, regions.row_reduce),
        (regions.COL_REDUCE, regions.col_reduce),
        (["trowargmax", "trowargmin", "tcolargmax", "tcolargmin"], regions.arg_reduce),
        (["trowexpand", "tcolexpand"], regions.copy_expand),
        ([f"trowexpand{kind}" for kind in regions.EXPAND], regions.row_expand),
        ([f"tcolexpand{kind}" for kind in regions.EXPAND], regions.col_expand),
    ]
    for names, make in families:
        for op in names:
            ops[op] = [lambda t, r, op=op, make=make: make(op, t, r)]
    for op in ("tdiv", "trem", "tfmod", "trecip", "tdivs", "trems", "tfmods", "trowexpanddiv", "tcolexpanddiv"):
        ops[op].append(lambda t, r, op=op: vector.zero_divisor(op, t, r))
    for op in ("tmatmul", "tmatmul.acc", "tmatmul.bias", "tgemv", "tgemv.acc", "tgemv.bias"):
        ops[op] = [lambda t, r, op=op: products.plain(op, t, r)]
    for op in ("tmatmul.mx", "tmatmul.mx.acc", "tmatmul.mx.bias", "tgemv.mx", "tgemv.mx.acc", "tgemv.mx.bias"):
        ops[op] = [lambda t, r, op=op: products.scaled(op, t, r)]
    ops["tmatmul.mx.hif4"] = [products.hif4]
    ops["tmov"], ops["textract"], ops["tinsert"] = [moves.tmov], [moves.textract], [moves.tinsert]
    for op in ("tmov.fp", "textract_fp", "tinsert_fp"):
        ops[op] = [lambda t, r, op=op: moves.by_words(op, t, r)]
    ops["tpairreducesum"] = [regions.tpairreducesum]
    ops["tci"], ops["ttri"] = [regions.tci], [regions.ttri]
    for op, make in (irregular.CASES | quantised.CASES).items():
        ops[op] = [make]
    ops |= transfers.CASES | indexed.CASES | rearranged.CASES
    return ops


def main():
    pto = sys.argv[1] if len(sys.argv) > 1 else str(HERE / "../../target/release/pto")
    table = legal.Table(pto)
    formats.self_check(np.random.default_rng(0))
    products.self_check(np.random.default_rng(0))
    count = size = 0
    only = sys.argv[2:]
    for op, makers in plan(table).items():
        if only and op not in only:
            continue
        # A seed of its own for each instruction, so that a new one does not change the others.
        rng = np.random.default_rng(zlib.crc32(op.encode()))
        made = [case for make in makers for case in make(table, rng)]
        path = HERE / f"{op}.toml"
        cases.write(path, op, made)
        count += len(made)
        size += path.stat().st_size
    print(f"{count} cases, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
