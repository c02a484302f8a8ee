"""Row softmax in Python, the twin of ``softmax.rs`` and ``softmax.pto``: ``python examples/softmax.py``.

y[i, j] = exp(x[i, j] - max_j x[i, j]) / sum_j exp(x[i, j] - max_j x[i, j])
"""

import pto
from pto import Gm, f32

#: Rows that are in a tile at a time. Each row of the matrix is one row of a tile.
ROWS = 16


@pto.kernel
def softmax(x: Gm[f32], y: Gm[f32], *, height: int = 4096, width: int = 1024):
    """Softmax of the rows of a matrix. Blocks take turns."""
    xs, ys = x.view(height, width), y.view(height, width)
    block, blocks = pto.get_block_idx().index(), pto.get_block_num().index()
    for row in pto.range(block * ROWS, height, blocks * ROWS):
        t, scratch = pto.tile(ROWS, width, f32), pto.tile(ROWS, width, f32)
        largest, total = pto.tile(ROWS, 1, f32, layout="col"), pto.tile(ROWS, 1, f32, layout="col")

        pto.tload(t, xs[row : row + ROWS, :])
        pto.trowmax(largest, t, tmp=scratch)
        pto.trowexpandexpdif(t, t, largest)
        pto.trowsum(total, t, tmp=scratch)
        pto.trowexpanddiv(t, t, total)
        pto.tstore(ys[row : row + ROWS, :], t)


def main() -> None:
    """Traces the kernel, checks it, runs it and compares."""
    import numpy as np

    program = softmax.trace()
    for target in ("a2a3", "a5"):
        assert not [d for d in program.check(target) if d.is_error], "legal on both devices"
    print(f"softmax 4096x1024: {len(program.to_text('level2').splitlines())} lines of PTO text")

    x = (np.arange(4096 * 1024) * 7919 % 2003 / 250).astype(np.float32).reshape(4096, 1024)
    y = np.zeros_like(x)
    softmax(x, y)
    want = np.exp(x - x.max(1, keepdims=True))
    want /= want.sum(1, keepdims=True)
    print(f"largest relative error against NumPy: {np.max(np.abs(y - want) / want):.1e}")
    assert np.allclose(y, want, rtol=1e-5)


if __name__ == "__main__":
    main()
