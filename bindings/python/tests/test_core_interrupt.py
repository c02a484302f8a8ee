"""Ctrl-C ends every long call, from the main thread, within about a second."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import pto

LOOP = """
func.func @loop(%x: !pto.tensor_view<16x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    pto.tload ins(%x) outs(%t)
    pto.tadd ins(%t, %t) outs(%t)
    pto.tstore ins(%t) outs(%x)
  }
  return
}
"""


def wide(count):
    """A program with many tiles that live at the same time, and an instruction for each."""
    lines = ["func.func @wide(%x: !pto.tensor_view<1x8xf32>) {"]
    lines += [f"  %t{n} = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>" for n in range(count)]
    lines += [f"  pto.tload ins(%x) outs(%t{n})" for n in range(count)]
    lines += [f"  pto.tadd ins(%t{n}, %t{(7 * n + 1) % count}) outs(%t{n})" for n in range(count)]
    return "\n".join([*lines, "  return", "}"])


@pytest.fixture(scope="module")
def program():
    return pto.Program(LOOP)


@pytest.fixture(scope="module")
def many():
    return pto.Program(wide(2900))


@pytest.fixture(autouse=True)
def handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(call, after=0.3):
    """Seconds from Ctrl-C to the exception; `None` if the call was over before."""
    sent, over = [], []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        call()
        over.append(True)
        time.sleep(after + 5)
    return None if over else time.perf_counter() - sent[0]


X = np.zeros((16, 64), np.float32)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.run(X, 10**9),
        lambda p: p.race(X, 10**9),
        lambda p: p.perf(X, 3 * 10**6),
        lambda p: p.perf(X, 3 * 10**6, advice=False),
        lambda p: p.trace(X, 3 * 10**6),
        lambda p: p.perf(n=5 * 10**6),
        lambda p: p.run(n=5 * 10**6),
    ],
)
def test_runs_and_predictions(program, call):
    assert interrupted(lambda: call(program)) < 1.5
    program.run(X, 1)


def test_reading_and_printing():
    text = wide(60_000)
    seconds = interrupted(lambda: pto.Program(text), after=0.1)
    assert seconds is None or seconds < 1.5
    program = pto.Program(text)
    seconds = interrupted(program.to_text, after=0.02)
    assert seconds is None or seconds < 1.5


@pytest.mark.parametrize("verb", ["plan", "lower", "sync", "emit_cpp", "check", "diff"])
def test_analyses(many, verb):
    calls = {
        "plan": lambda: many.plan("a2a3", tight=True),
        "lower": lambda: many.lower("a2a3", tight=True),
        "sync": lambda: many.sync("a2a3"),
        "emit_cpp": lambda: many.emit_cpp("a2a3"),
        "check": lambda: many.check("a2a3"),
        "diff": lambda: many.diff(pto.Program("func.func @f() { return }")),
    }
    seconds = interrupted(calls[verb], after=0.05)
    assert seconds is None or seconds < 1.5
