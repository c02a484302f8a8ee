"""Attention with an online softmax, the twin of ``flash_attention.rs`` and ``flash_attention.pto``: ``python examples/flash_attention.py``.

o = softmax(q·kᵀ / √64) · v     for heads of 64, bf16 in, f32 inside

A block takes 128 rows of q. Its cube core multiplies, its two vector cores (64 rows each) keep the running maximum, the
running sum and the output; three pipes connect them. Neither the scores nor the weights exist as a whole.
"""

import pto
from pto import AddressSpace, Gm, RoundMode, TileType, bf16, f32

#: Columns of q, k and v.
HEAD = 64
#: Rows of q, and of k and v, that are taken at a time.
TILE = 128
#: What a vector core has of them.
HALF = TILE // 2

#: From cube to vector: q·kᵀ for 128 rows of k.
SCORES = 0
#: From vector to cube: exp(scores - largest so far).
WEIGHTS = 1
#: From cube to vector: weights·v, to be added to the output.
PRODUCTS = 2

# Directions of a pipe.
TO_VECTOR = 1
TO_CUBE = 2
# Bytes of an entry of each pipe.
SCORES_SIZE = TILE * TILE * 4
WEIGHTS_SIZE = TILE * TILE * 2
PRODUCTS_SIZE = TILE * HEAD * 4
#: A tile is split by rows: each vector core has one half.
BY_ROWS = 1

Scores = TileType(HALF, TILE, f32)
Output = TileType(HALF, HEAD, f32)
Column = TileType(HALF, 1, f32, layout="col")
#: The same bytes as a column: what works on elements takes rows.
Row = TileType(1, HALF, f32)
Weights = TileType(TILE, TILE, bf16, memory="mat")


@pto.kernel
def flash_attention(
    q: Gm[bf16],
    k: Gm[bf16],
    v: Gm[bf16],
    o: Gm[f32],
    s_slots: Gm[f32],
    p_slots: Gm[bf16],
    o_slots: Gm[f32],
    *,
    n: int = 1024,
):
    """Attention of n rows. The last three say where the entries of each pipe lie in global memory."""
    slots = (s_slots, p_slots, o_slots)
    pto.function(multiply, q, k, v, slots, core="cube", name="cube", n=n)
    pto.function(soften, o, slots, core="vector", name="vector", n=n)


def multiply(q, k, v, slots, *, n):
    """The cube core: scores, and weights times v."""
    s_slots, p_slots, o_slots = slots
    s_ring = pto.import_reserved_buffer("scores", "vector")
    p_ring = pto.reserve_buffer("weights", 2 * WEIGHTS_SIZE, AddressSpace.MAT, True)
    o_ring = pto.import_reserved_buffer("products", "vector")
    pipe = pto.aic_initialize_pipe
    pipe(TO_VECTOR, SCORES_SIZE, id=SCORES, slot_num=2, local_slot_num=1, gm_slot_buffer=s_slots, c2v_consumer_buf=s_ring)
    pipe(TO_CUBE, WEIGHTS_SIZE, id=WEIGHTS, slot_num=2, local_slot_num=2, gm_slot_buffer=p_slots, v2c_consumer_buf=p_ring)
    pipe(TO_VECTOR, PRODUCTS_SIZE, id=PRODUCTS, slot_num=2, local_slot_num=1, gm_slot_buffer=o_slots, c2v_consumer_buf=o_ring)

    qs, vs = q.view(n, HEAD), v.view(n, HEAD)
    ks = k.strided([HEAD, n], [1, HEAD], layout="dn")
    for at in my_rows(n):
        q_l1 = pto.tile(TILE, HEAD, bf16, memory="mat")
        q_l0 = pto.tile(TILE, HEAD, bf16, memory="left")
        pto.tload(q_l1, qs[at : at + TILE, :])
        pto.tmov(q_l0, q_l1)
        for j in pto.range(0, n, TILE):
            k_l1 = pto.tile(HEAD, TILE, bf16, memory="mat", layout="row", box="col")
            k_l0 = pto.tile(HEAD, TILE, bf16, memory="right")
            s = pto.tile(TILE, TILE, f32, memory="acc")
            pto.tload(k_l1, ks[:, j : j + TILE])
            pto.tmov(k_l0, k_l1)
            pto.tmatmul(s, q_l0, k_l0)
            pto.tpush_to_aiv(s, BY_ROWS, id=SCORES)

            v_l1 = pto.tile(TILE, HEAD, bf16, memory="mat")
            v_l0 = pto.tile(TILE, HEAD, bf16, memory="right")
            p_l0 = pto.tile(TILE, TILE, bf16, memory="left")
            pv = pto.tile(TILE, HEAD, f32, memory="acc")
            pto.tload(v_l1, vs[j : j + TILE, :])
            pto.tmov(v_l0, v_l1)
            p = pto.tpop_from_aiv(BY_ROWS, Weights, id=WEIGHTS)
            pto.tmov(p_l0, p)
            pto.tfree_from_aiv(BY_ROWS, id=WEIGHTS)
            pto.tmatmul(pv, p_l0, v_l0)
            pto.tpush_to_aiv(pv, BY_ROWS, id=PRODUCTS)


def soften(o, slots, *, n):
    """A vector core: weights, and the output so far."""
    s_slots, p_slots, o_slots = slots
    s_ring = pto.reserve_buffer("scores", SCORES_SIZE, AddressSpace.VEC, True)
    p_ring = pto.import_reserved_buffer("weights", "cube")
    o_ring = pto.reserve_buffer("products", PRODUCTS_SIZE, AddressSpace.VEC, True)
    pipe = pto.aiv_initialize_pipe
    pipe(TO_VECTOR, SCORES_SIZE, id=SCORES, slot_num=2, local_slot_num=1, gm_slot_buffer=s_slots, c2v_consumer_buf=s_ring)
    pipe(TO_CUBE, WEIGHTS_SIZE, id=WEIGHTS, slot_num=2, local_slot_num=2, gm_slot_buffer=p_slots, v2c_consumer_buf=p_ring)
    pipe(TO_VECTOR, PRODUCTS_SIZE, id=PRODUCTS, slot_num=2, local_slot_num=1, gm_slot_buffer=o_slots, c2v_consumer_buf=o_ring)

    os = o.view(n, HEAD)
    down = pto.get_subblock_idx().index() * HALF
    for at in my_rows(n):
        total, largest, sum = Output(), Column(), Column()
        largest_row, sum_row = pto.treshape(largest, Row), pto.treshape(sum, Row)
        pto.texpands(total, 0.0)
        pto.texpands(largest_row, -3.0e38)
        pto.texpands(sum_row, 0.0)
        for _ in pto.range(0, n, TILE):
            scratch, p = Scores(), pto.tile(HALF, TILE, bf16)
            found, added = Column(), Column()
            found_row, added_row = pto.treshape(found, Row), pto.treshape(added, Row)

            s = pto.tpop_from_aic(BY_ROWS, Scores, id=SCORES)
            pto.tmuls(s, s, 0.125)
            pto.trowmax(found, s, tmp=scratch)
            pto.tmax(found_row, found_row, largest_row)
            pto.trowexpandexpdif(s, s, found)
            pto.tcvt(p, s, RoundMode.CAST_RINT)
            pto.tpush_to_aic(p, BY_ROWS, id=WEIGHTS)
            pto.trowsum(added, s, tmp=scratch)
            pto.tfree_from_aic(BY_ROWS, id=SCORES)

            # What was there counts less by exp(old maximum - new maximum).
            pto.tsub(largest_row, largest_row, found_row)
            pto.texp(largest_row, largest_row)
            pto.tmul(sum_row, sum_row, largest_row)
            pto.tadd(sum_row, sum_row, added_row)
            pto.trowexpandmul(total, total, largest)
            pto.tadds(largest_row, found_row, 0.0)

            pv = pto.tpop_from_aic(BY_ROWS, Output, id=PRODUCTS)
            pto.tadd(total, total, pv)
            pto.tfree_from_aic(BY_ROWS, id=PRODUCTS)
        pto.trowexpanddiv(total, total, sum)
        row = at + down
        pto.tstore(os[row : row + HALF, :], total)


def my_rows(rows):
    """The rows of q that this block takes: every so many tiles."""
    block, blocks = pto.get_block_idx().index(), pto.get_block_num().index()
    return pto.range(block * TILE, rows, blocks * TILE)


def main() -> None:
    """Traces the kernel, checks it, runs it and compares."""
    import ml_dtypes
    import numpy as np

    n = 1024
    program = flash_attention.trace(n=n)
    assert not [d for d in program.check("a2a3") if d.is_error], "legal on A2/A3"
    print(f"attention {n}x{HEAD}: {len(program.to_text('level2').splitlines())} lines of PTO text")

    q, k, v = (
        (np.arange(n * HEAD) * step % 4093 / 1000 - 2).astype(ml_dtypes.bfloat16).reshape(n, HEAD) for step in (7919, 6577, 5281)
    )
    o = np.zeros((n, HEAD), np.float32)
    # On a device, entries of the pipes lie in global memory; here the pipes have their own.
    none, none16 = np.zeros(0, np.float32), np.zeros(0, ml_dtypes.bfloat16)
    flash_attention(q, k, v, o, none, none16, none)

    weights = np.exp(q.astype(np.float64) @ k.astype(np.float64).T / 8)
    want = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    print(f"largest error against NumPy: {np.max(np.abs(o - want)):.1e}")
    assert np.allclose(o, want, atol=5e-4)


if __name__ == "__main__":
    main()
