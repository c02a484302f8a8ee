"""Programs are read and checked."""

import pto


def test_a_legal_program_has_no_problems():
    assert pto.Program("func.func @f() { return }").check("a5") == []


def test_a_problem_has_its_place():
    [d] = pto.Program("func.func @f() {\n  pto.tmux\n  return\n}", name="k.pto").check("a5")
    assert (d.code, d.file, d.line, d.column) == ("PTO-E0004", "k.pto", 2, 3)
    assert "k.pto:2:3" in str(d)
