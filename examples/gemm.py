"""c = a·b for f32 matrices, placed and synchronised by hand; the twin of ``gemm.rs`` and ``gemm.pto``: ``python examples/gemm.py``.

A block takes 128x256 parts of c; the left and the right half of a part have an accumulator each. Pieces of 128 columns of a
and 128 rows of b go through L1, slices of 64 through L0, where a slice of a serves both halves. Every buffer exists twice, so
that the next piece is loaded while this one is multiplied, and one half is stored while the other is finished. "Full"
goes forward, "free" goes back, and all are free at the start. Buffer n of a pair has event n; slices of a have 2 and 3.
"""

import pto
from pto import Event, Gm, Pipe, f32

#: Rows and columns of half a part of c, and the depth of a piece in L1.
SIDE = 128
#: Columns of a part of c.
WIDE = 2 * SIDE
#: Depth of a slice in L0.
SHORT = 64

# Bytes of a buffer in L1, in L0 and of an accumulator.
A_SIZE = SIDE * SIDE * 4
B_SIZE = SIDE * WIDE * 4
L0_SIZE = SIDE * SHORT * 4
ACC_SIZE = SIDE * SIDE * 4

#: What becomes free: the pipe that is done with two buffers, the one that may fill them again, and an event for each.
FREE = [
    (Pipe.MTE1, Pipe.MTE2, (Event.ID0, Event.ID1)),
    (Pipe.M, Pipe.MTE1, (Event.ID0, Event.ID1)),
    (Pipe.M, Pipe.MTE1, (Event.ID2, Event.ID3)),
    (Pipe.FIX, Pipe.M, (Event.ID0, Event.ID1)),
]


@pto.kernel
def gemm(a: Gm[f32], b: Gm[f32], c: Gm[f32], *, n: int = 1024):
    """The product of two matrices of n rows and n columns."""
    all_a, all_b, all_c = (matrix.view(n, n) for matrix in (a, b, c))
    for done, following, events in FREE:
        for event in events:
            pto.set_flag(done, following, event)

    block, blocks = pto.get_block_idx().index(), pto.get_block_num().index()
    down, across = n // SIDE, n // WIDE
    for part in pto.range(block, down * across, blocks):
        row, col = part // across * SIDE, part % across * WIDE

        for k in pto.range(0, n, SIDE):
            l1 = k // SIDE % 2
            a_l1, b_l1 = pto.tile(SIDE, SIDE, f32, memory="mat"), pto.tile(SIDE, WIDE, f32, memory="mat")
            pto.tassign(a_l1, l1 * A_SIZE)
            pto.tassign(b_l1, l1 * B_SIZE + 2 * A_SIZE)
            pto.wait_flag_dyn(Pipe.MTE1, Pipe.MTE2, l1)
            pto.tload(a_l1, all_a[row : row + SIDE, k : k + SIDE])
            pto.tload(b_l1, all_b[k : k + SIDE, col : col + WIDE])
            pto.set_flag_dyn(Pipe.MTE2, Pipe.MTE1, l1)
            pto.wait_flag_dyn(Pipe.MTE2, Pipe.MTE1, l1)

            for inner in pto.range(0, SIDE, SHORT):
                part_of_l0 = inner // SHORT
                a_l0 = pto.tile(SIDE, SHORT, f32, memory="left")
                pto.tassign(a_l0, part_of_l0 * L0_SIZE)
                pto.wait_flag_dyn(Pipe.M, Pipe.MTE1, part_of_l0 + 2)
                pto.textract(a_l0, a_l1, 0, inner)
                depth = k + inner

                for half in pto.range(0, 2, 1):
                    b_l0, sum = pto.tile(SHORT, SIDE, f32, memory="right"), pto.tile(SIDE, SIDE, f32, memory="acc")
                    pto.tassign(b_l0, half * L0_SIZE)
                    pto.tassign(sum, half * ACC_SIZE)
                    pto.wait_flag_dyn(Pipe.M, Pipe.MTE1, half)
                    pto.textract(b_l0, b_l1, inner, half * SIDE)
                    pto.set_flag_dyn(Pipe.MTE1, Pipe.M, half)
                    pto.wait_flag_dyn(Pipe.MTE1, Pipe.M, half)
                    with pto.when(depth == 0):
                        pto.wait_flag_dyn(Pipe.FIX, Pipe.M, half)
                        pto.tmatmul(sum, a_l0, b_l0)
                    with pto.otherwise():
                        pto.tmatmul_acc(sum, sum, a_l0, b_l0)
                    pto.set_flag_dyn(Pipe.M, Pipe.MTE1, half)
                    with pto.when(depth == n - SHORT):
                        pto.set_flag_dyn(Pipe.M, Pipe.FIX, half)
                        pto.wait_flag_dyn(Pipe.M, Pipe.FIX, half)
                        at = col + half * SIDE
                        pto.tstore(all_c[row : row + SIDE, at : at + SIDE], sum)
                        pto.set_flag_dyn(Pipe.FIX, Pipe.M, half)
                pto.set_flag_dyn(Pipe.M, Pipe.MTE1, part_of_l0 + 2)
            pto.set_flag_dyn(Pipe.MTE1, Pipe.MTE2, l1)

    for done, following, events in FREE:
        for event in events:
            pto.wait_flag(done, following, event)


def main() -> None:
    """Traces the kernel, checks it, runs it and compares."""
    import numpy as np

    n = 512
    program = gemm.trace(n=n)
    for target in ("a2a3", "a5"):
        assert not [d for d in program.check(target) if d.is_error], "legal on both devices"
    print(f"gemm {n}x{n}x{n}: {len(program.to_text('level2').splitlines())} lines of PTO text")

    a, b = ((np.arange(n * n) * step % 1009 / 504 - 1).astype(np.float32).reshape(n, n) for step in (7919, 6577))
    c = np.zeros_like(a)
    assert not program.race(a, b, c), "flags order every two instructions that meet"
    gemm(a, b, c, n=n)
    want = a.astype(np.float64) @ b
    print(f"largest error against NumPy: {np.max(np.abs(c - want)):.1e}")
    assert np.allclose(c, want, atol=1e-3)


if __name__ == "__main__":
    main()
