"""What a call costs beyond the run, for a tiny prepared kernel on NumPy arrays; and what an import costs.

Both are measured in this process, in turns, so that the ratio does not depend on how busy the machine is.
"""

import statistics
import subprocess
import sys
import time

import numpy as np

import pto

TWICE = """
func.func @twice(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) {
  %one = arith.constant 1 : index
  %n16 = arith.constant 16 : index
  %xs = pto.make_tensor_view %x, shape = [%n16, %n16], strides = [%n16, %one] : !pto.tensor_view<16x16xf32>
  %ys = pto.make_tensor_view %y, shape = [%n16, %n16], strides = [%n16, %one] : !pto.tensor_view<16x16xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
           outs(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
  return
}
"""


def call_overhead(calls: int = 2000, rounds: int = 15) -> tuple[float, float, float]:
    """Microseconds of a call, of the run inside it, and of np.add on the same arrays: medians of rounds."""
    program = pto.Program(TWICE)
    x, y = np.ones((16, 16), dtype=np.float32), np.zeros((16, 16), dtype=np.float32)
    program.run(x, y, 3)
    whole, inside, numpy = [], [], []
    for _ in range(rounds):
        seconds = 0.0
        start = time.perf_counter()
        for _ in range(calls):
            seconds += program.run(x, y, 3).seconds
        whole.append((time.perf_counter() - start) / calls)
        inside.append(seconds / calls)
        start = time.perf_counter()
        for _ in range(calls):
            np.add(x, x, out=y)
        numpy.append((time.perf_counter() - start) / calls)
    return tuple(1e6 * statistics.median(times) for times in (whole, inside, numpy))


def import_time(rounds: int = 7) -> tuple[float, float]:
    """Milliseconds of `import pto`, and of the interpreter without it: processor time, the least of several processes."""
    import resource

    def once(script: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", script], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    with_pto = min(once("import pto") for _ in range(rounds))
    without = min(once("pass") for _ in range(rounds))
    return 1e3 * (with_pto - without), 1e3 * without


if __name__ == "__main__":
    whole, inside, numpy = call_overhead()
    print(f"call {whole:.2f} µs, run {inside:.2f} µs: {whole - inside:.2f} µs beyond the run ({whole / inside:.1f} times)")
    print(f"np.add on the same arrays: {numpy:.2f} µs")
    imported, python = import_time()
    print(f"import pto: {imported:.1f} ms beyond the interpreter's {python:.1f} ms")
