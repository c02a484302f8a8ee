"""How fast kernels are traced: ``python bindings/python/benches/tracing.py``. Build the package in the profile that is measured."""

import time

import pto
from pto import Gm, Index, f32


def unrolled(count: int) -> None:
    """A loop of Python's: every iteration is recorded."""
    total, part = pto.tile(16, 16, f32), pto.tile(16, 16, f32)
    tadd = pto.tadd
    for _ in range(count):
        tadd(total, total, part)


def mixed(x: pto.Gm, n: pto.Scalar, count: int) -> None:
    """Windows, loads, sums of scalars, branches: nine operations in a round."""
    view = x.view(1024, 16)
    t = pto.tile(16, 16, f32)
    for _ in range(count // 9):
        at = n * 16
        loaded = pto.tload(t, view[at : at + 16, :])
        pto.tadds(t, t, 1.0, after=loaded)
        with pto.when(at < 512):
            pto.tstore(view[at : at + 16, :], t)


def measure(name: str, body, count: int) -> None:
    best = 0.0
    for _ in range(5):
        kernel = pto.kernel(body)
        start = time.perf_counter()
        kernel.trace(count=count)
        best = max(best, count / (time.perf_counter() - start))
    print(f"{name:<12}{count:>10}{best:>14,.0f} operations/s")


def main() -> None:
    """Prints operations recorded in a second."""

    def one(*, count: int):
        unrolled(count)

    def several(x: Gm[f32], n: Index, *, count: int):
        mixed(x, n, count)

    for count in (1_000, 10_000, 100_000):
        measure("unrolled", one, count)
        measure("mixed", several, count)


if __name__ == "__main__":
    main()
