"""What the peers share: the data of the engine, the ways to compute a program, and how a way is judged."""

import sys
import time
from dataclasses import dataclass
from typing import Callable

import numpy as np

f4, f2, i4, i1, u1, u2 = np.float32, np.float16, np.int32, np.int8, np.uint8, np.uint16

# The distance between one and the next number of a type.
BF16_STEP, F16_STEP = 2.0**-7, 2.0**-10

ROWS, COLS = 4096, 1024

# A turn takes so many runs and so many seconds, whichever is more.
RUNS, SECONDS = 6, 0.03


@dataclass
class Way:
    """One way to compute a program: `run` leaves nothing to be computed, and `slack` is what the types that it rounds to may change, as a
    part of the largest number."""

    name: str
    run: Callable
    slack: float = 0.0


def load(name, arg, dtype, *shape):
    """An argument of a program as the engine left it; those of ranks belong to NAME@RANK."""
    return np.fromfile(f"{sys.argv[2]}/{name}.{arg}.bin", dtype).reshape(shape)


def load_bf16(name, arg, *shape):
    """Numbers of bf16 as f32: their bits are the upper half."""
    return (load(name, arg, u2, *shape).astype(np.uint32) << 16).view(f4)


def e4m3():
    """The numbers that eight bits stand for."""
    code = np.arange(256)
    sign, exponent, fraction = np.where(code & 128, -1.0, 1.0), code >> 3 & 15, code & 7
    value = np.where(exponent == 0, fraction * 2.0**-9, (8 + fraction) * 2.0 ** (exponent - 10.0))
    return (sign * value).astype(f4)


def powers():
    """The numbers that the eight bits of a scale stand for."""
    return np.exp2(np.arange(256, dtype=f4) - 127)


def int8_scale():
    return load("int8_gemm", 2, np.int64, 1).astype(i4).view(f4)[0]


def best(run):
    """The shortest of several runs, in milliseconds."""
    run()
    shortest, started, runs = float("inf"), time.perf_counter(), 0
    while runs < RUNS or time.perf_counter() - started < SECONDS:
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
        runs += 1
    return shortest * 1e3


def distance(wanted, found):
    """The largest difference, and the largest number."""
    assert len(wanted) == len(found), "as many results as the engine has"
    wanted = [np.asarray(w).reshape(g.shape) for w, g in zip(wanted, found)]
    error = max(np.abs(np.subtract(w, g, dtype=np.float64)).max() for w, g in zip(wanted, found))
    return error, max(np.abs(w.astype(np.float64)).max() for w in wanted)
