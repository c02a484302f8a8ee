"""Runs: several at once, Ctrl-C, printing, forks, pickles, targets and checks."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pto
from conftest import LONG, TWICE

PRINTS = """
func.func @prints() {
  %block = pto.get_block_idx
  pto.print ins("block %d\\n", %block : i64)
  return
}
"""


def test_threads_run_at_once(twice, long):
    outcomes = []

    def work(seed):
        x = np.full((16, 16), seed, dtype=np.float32)
        for _ in range(50):
            y = np.zeros_like(x)
            twice.run(x, y, blocks=2)
            outcomes.append((y == 2 * seed).all())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 200 and all(outcomes)


def test_the_gil_is_released(long):
    y = np.zeros((64, 64), dtype=np.float32)
    ticks, done = [], threading.Event()

    def run():
        long.run(y, 3000)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    assert len(ticks) > 3


def interrupt_soon(after=0.3):
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_stops_a_run(long):
    y = np.zeros((64, 64), dtype=np.float32)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        long.run(y, 100_000_000)
    long.run(y, 1)


def test_ctrl_c_stops_blocks_and_races(long, twice):
    x = np.zeros((16, 16), dtype=np.float32)
    for blocks, threads in ((1_000_000_000, 1), (1_000_000_000, 2)):
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            twice.run(x, x.copy(), blocks=blocks, threads=threads)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        long.race(np.zeros((64, 64), dtype=np.float32), 100_000_000)


def test_other_handlers_may_raise(long):
    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Alarm):
            long.run(np.zeros((64, 64), dtype=np.float32), 100_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_printing_goes_to_python(capsys):
    result = pto.Program(PRINTS).run(blocks=3, threads=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ", 1)[1] for line in lines] == [f"block {n}  block {n}" for n in range(3)]
    assert [(p.block, p.text, p.iteration, p.core, p.rank) for p in result.printed] == [
        (n, f"block {n}\n", [], None, 0) for n in range(3)
    ]
    assert {p.line for p in result.printed} == {1 + PRINTS[: PRINTS.index("pto.print")].count("\n")}


def test_programs_are_pickled(twice):
    again = pickle.loads(pickle.dumps(twice))
    assert again == twice and again.name == "twice.pto"
    lowered = twice.lower("a5")
    assert pickle.loads(pickle.dumps(lowered)) == lowered != twice
    problems = pto.Program("func.func @f() { pto.tmux return }").check()
    assert pickle.loads(pickle.dumps(problems)) == problems
    with pytest.raises(pto.CheckError) as e:
        pto.Program("func.func @f() { pto.tmux return }").run()
    copied = pickle.loads(pickle.dumps(e.value))
    assert type(copied) is pto.CheckError and copied.diagnostics == e.value.diagnostics and str(copied) == str(e.value)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_can_run(twice):
    x, y = np.ones((16, 16), dtype=np.float32), np.zeros((16, 16), dtype=np.float32)
    twice.run(x, y, blocks=4)
    child = os.fork()
    if child == 0:
        twice.run(x, y, blocks=4)
        other = pto.Program(LONG).run(n=2)
        os._exit(0 if (y == 2).all() and other["y"].shape == (64, 64) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_targets(twice, monkeypatch):
    assert twice.run().target == "a2a3" == twice.target
    before = pto.config(target="a5")
    try:
        assert twice.run().target == "a5" == twice.target
        assert twice.run(target="cpu").target == "cpu"
        assert pto.config(target=None)["target"] == "a5"
    finally:
        pto.config(**before)
    stated = pto.Program('module attributes {pto.target_arch = "a5"} { func.func @f() { return } }')
    assert stated.run().target == "a5"
    with pytest.raises(ValueError, match='target is "a9"; legal: "a2a3", "a5", "cpu"'):
        twice.run(target="a9")
    env = dict(os.environ, PTO_TARGET="a5", PTO_CHECK="race,nan")
    script = "import pto; from pto.settings import settings as s; print(s.target, sorted(s.check))"
    out = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True).stdout
    assert out == "a5 ['nan', 'race']\n"


def test_entries():
    two = pto.Program("func.func @good() { return }\nfunc.func @bad() { pto.tmux return }")
    assert two.run(entry="good").entry == "good"
    with pytest.raises(pto.CheckError):
        two.run(entry="bad")
    with pytest.raises(pto.CheckError):
        two.run()


def test_checks_without_edits(twice):
    x, y = np.ones((16, 16), dtype=np.float32), np.zeros((16, 16), dtype=np.float32)
    twice.run(x, y, check="race,bounds,nan")
    twice.run(x, y, check={"race", "nan"})
    x[3, 4] = np.nan
    with pytest.raises(pto.ResultError, match=r"`y` has 1 elements that are not a number; the first is at \(3, 4\)"):
        twice.run(x, y, check="nan")
    with pytest.raises(pto.ArgumentError, match="sees `x` as 16x16, and the array is 8x32"):
        twice.run(x.reshape(8, 32), y, check="bounds")
    with pytest.raises(ValueError, match="no check speed"):
        twice.run(x, y, check="speed")
    placed = pto.Program(TWICE.replace("pto.alloc_tile :", "pto.alloc_tile addr = %at :").replace("  %n = ", "  %at = arith.constant 0 : i64\n  %n = "))
    with pytest.raises(pto.RaceError, match="PIPE_V may read `%t` before PIPE_MTE2 has written it") as e:
        placed.run(np.ones((16, 16), dtype=np.float32), y, check="race")
    assert e.value.diagnostics[0].help


def test_uninitialised_memory_as_nan():
    text = TWICE.replace("pto.tload ins(%xs", "// pto.tload ins(%xs")
    program = pto.Program(text)
    assert (program.run()["y"] == 0).all()
    assert np.isnan(program.run(uninitialised="nan")["y"]).all()
    with pytest.raises(pto.ResultError):
        program.run(check="nan")
    with pytest.raises(pto.RunError):
        program.run(strict=True)
    assert any("written" in d.message or "initial" in d.message for d in program.run().warnings)
