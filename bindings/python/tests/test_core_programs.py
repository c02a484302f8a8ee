"""Programs are read, checked, changed and reported on, as the command line does it."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import pto
from conftest import TWICE

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_a_legal_program_has_no_problems():
    assert pto.Program("func.func @f() { return }").check("a5") == []


def test_a_problem_has_its_place():
    found = pto.Program("func.func @f() {\n  pto.tmux\n  return\n}", name="k.pto").check("a5")
    [d] = found
    assert (d.code, d.file, d.line, d.column, d.severity) == ("PTO-E0004", "k.pto", 2, 3, "error")
    assert "k.pto:2:3" in str(d) and "pto.tmux" in str(d) and d.is_error
    assert "tmax" in d.help
    assert "PTO-E0004" in found._repr_html_() and found.to_json()["diagnostics"][0]["id"] == "PTO-E0004"


def test_sources(tmp_path, twice):
    file = tmp_path / "twice.pto"
    file.write_text(TWICE)
    bytecode = twice.emit_bytecode()
    (tmp_path / "twice.ptobc").write_bytes(bytecode)
    for source in (file, str(file), TWICE.encode(), bytearray(TWICE.encode())):
        assert pto.Program(source) == twice
    for source in (bytecode, tmp_path / "twice.ptobc"):
        assert pto.Program(source).run()["y"].shape == (16, 16)
    with pytest.raises(FileNotFoundError):
        pto.Program("missing.pto")
    with pytest.raises(pto.CheckError, match="not UTF-8"):
        pto.Program(b"\xff\xfe")
    with pytest.raises(pto.CheckError):
        pto.Program(bytecode[:20])


def test_whole_directories(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.pto").write_text(TWICE)
    (tmp_path / "two.pto").write_text("func.func @f() { pto.tmux return }")
    programs = pto.load_dir(tmp_path)
    assert list(programs) == ["two.pto", "a/one.pto"]
    assert list(programs.check("a5")) == ["two.pto"]
    with pytest.raises(FileNotFoundError):
        pto.load_dir(tmp_path / "a" / "missing")


def test_strict_checks_raise():
    with pytest.raises(pto.CheckError, match="PTO-E0004") as e:
        pto.Program("func.func @f() {\n  pto.tmux\n  return\n}").check(strict=True)
    assert isinstance(e.value, pto.Error) and e.value.diagnostics[0].line == 2
    assert "<pre" in e.value._repr_html_()


def test_passes(twice):
    lowered = twice.lower("a2a3")
    assert "addr = " in lowered.to_text() and "set_flag" in lowered.to_text()
    assert not lowered.race(target="a2a3")
    assert "set_flag" in twice.sync("a2a3").to_text()
    assert "barrier" in twice.sync("a2a3", mode="barriers").to_text()
    assert "TADD(" in twice.emit_cpp("a5")
    assert twice.to_text("generic").count('"pto.') >= 5
    assert twice.diff(lowered).startswith("--- twice.pto") and twice.diff(twice) == ""
    with pytest.raises(ValueError, match='form is "level9"'):
        twice.to_text("level9")


def test_a_race_is_reported(tmp_path):
    program = pto.Program(ROOT / "docs/guide/scale.pto")
    report = program.race()
    assert report and len(report) >= 1 and report.sync == "manual"
    assert report.diagnostics[0].code == "PTO-E0802" and "set_flag" in report.diagnostics[0].help
    assert report.to_json()["findings"][0]["id"] == "PTO-E0802"
    assert "<iframe" in report._repr_html_() and "PTO-E0802" in report.to_html()
    report.save_html(tmp_path / "race.html")
    assert (tmp_path / "race.html").read_text() == report.to_html()
    with pytest.raises(pto.RaceError):
        program.race(strict=True)
    assert program.race(limit=3).stopped is not None


def test_races_leave_arrays_alone(twice):
    y = np.zeros((16, 16), dtype=np.float32)
    assert not twice.race(np.ones((16, 16), dtype=np.float32), y)
    assert (y == 0).all()


def test_predictions(twice, tmp_path):
    report = twice.perf(target="a2a3", blocks=2)
    assert report.cycles > 0 and report.microseconds > 0 and report.instructions == 6
    assert report.bottleneck and "twice on a2a3" in str(report)
    assert report.to_json()["cycles"] == pytest.approx(report.cycles, rel=1e-2)
    assert "<iframe" in report._repr_html_()
    trace = report.trace(tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text()) == trace.to_json()
    assert twice.trace(target="a5")._repr_html_().startswith("<iframe")
    with pytest.raises(pto.ArgumentError, match="`n` has no value"):
        pto.Program("func.func @f(%n: index) { return }").perf()


def test_memory_plans(twice):
    plan = twice.plan("a2a3")
    assert plan.memories[0]["tiles"][0]["name"] == "t" and "%t" in str(plan)
    assert "<iframe" in plan._repr_html_() and plan.to_html().startswith("<!doctype html>")


def test_heat_maps(twice):
    x = np.linspace(-1, 1, 256, dtype=np.float32).reshape(16, 16)
    x[2, 3] = np.nan
    picture = pto.heatmap(x, title="x")
    assert picture._repr_html_().count("<rect") == 256 and "#dd0000" in picture._repr_html_()
    assert picture.to_json()["nan"] == 1
    assert pto.heatmap(np.zeros((1000, 3000)))._repr_html_().count("<rect") <= 64 * 64
    assert "<svg" in twice.run()._repr_html_()
    assert pto.heatmap(np.zeros((0, 3)))._repr_html_()


def test_the_command_line(tmp_path):
    (tmp_path / "k.pto").write_text(TWICE)

    def command(*args):
        return subprocess.run([sys.executable, "-m", "pto", *args], capture_output=True, text=True, cwd=tmp_path)

    done = command("run", "k.pto", "x=ones", "--expect", "y=2")
    assert (done.returncode, "y matches 2" in done.stdout) == (0, True)
    (tmp_path / "bad.pto").write_text("func.func @f() { pto.tmux return }")
    assert command("check", "bad.pto").returncode == 1
    assert command("nonsense").returncode == 2
    assert "Usage" in command("--help").stdout


def test_import_is_quick_and_lazy():
    script = "import sys, pto; print([m for m in ('numpy', 'torch', 'ml_dtypes') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"


@pto.kernel
def unordered(x: pto.Gm[pto.f32], y: pto.Gm[pto.f32]):
    t = pto.tile(16, 16, pto.f32)
    pto.tload(t, x.view(16, 16))
    pto.tadd(t, t, t)
    pto.tstore(y.view(16, 16), t)


def test_reports_on_kernels_show_their_python_lines():
    program = unordered.trace()
    line = unordered.__wrapped__.__code__.co_firstlineno + 4
    report = program.race(sync="manual")
    assert {d.line for d in report if "PIPE_V may read" in d.message} == {line}
    assert line in [f["span"]["line"] for f in report.to_json()["findings"]]
    assert report.to_json()["file"].endswith("test_core_programs.py")
    assert "def unordered" in report.to_html()
    perf = program.perf()
    assert f"line {line}: pto.tadd(t, t, t)" in str(perf) and perf.to_json()["critical_path"][0]["line"] == line - 1
    plan = program.plan("a2a3").to_json()
    assert plan["file"].endswith("test_core_programs.py") and plan["memories"][0]["tiles"][0]["first_line"] == line - 1
    assert program.check("a5").to_json()["diagnostics"] == []


TWICE_LOADED = """
func.func @twice(%x: !pto.tensor_view<16x64xf32>, %y: !pto.tensor_view<16x64xf32>) {
  %a = arith.constant 0 : i64
  %b = arith.constant 4096 : i64
  %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x64xf32>
  %u = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 16x64xf32>
  pto.tload ins(%x) outs(%t)
  pto.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
  pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
  pto.tstore ins(%t) outs(%y)
  pto.tload ins(%x) outs(%u)
  return
}
"""


def test_race_knows_arrays_that_overlap():
    """The second load waits for no store: that matters only if it reads what was stored."""
    program = pto.Program(TWICE_LOADED)
    memory = np.zeros(3 * 1024, np.float32)
    part = lambda first: memory[first : first + 1024]  # noqa: E731
    assert not program.race(part(0), part(1024))
    assert not program.race(part(0), part(2048))
    assert not program.race(part(1024), part(0))
    for x, y in ((part(0), part(0)), (part(0), part(512)), (part(512), part(0))):
        report = program.race(x, y)
        assert [d.code for d in report] == ["PTO-E0801"], str(report)
    x = part(0).copy()
    x.flags.writeable = False
    assert not program.race(x, part(0)) and program.race(x, x)
    assert (memory == 0).all()
    # Predictions wait for what overlaps, too, and the statement that stored an element is found.
    result = pto.Program(TWICE_LOADED).run(part(0), part(512))
    assert "tstore" in result.stored_by("y", 0) and "tstore" in result.stored_by("x", 512 * 4)
    assert result.stored_by("x", 0) is None
