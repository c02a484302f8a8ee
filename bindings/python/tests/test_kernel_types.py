"""Type checkers know kernels: signatures, results, and what does not fit."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")

KERNEL = '''
import pto
from pto import Gm, Index, f32


@pto.kernel
def kernel(x: Gm[f32], n: Index, *, w: int = 16) -> None:
    reveal_type(x[n] + 1.0)  # pto.scalars.Scalar[pto.scalars.f32]
    reveal_type(n * 2 == 4)  # pto.scalars.Scalar[pto.scalars.i1]
    reveal_type(n.cast(f32))  # pto.scalars.Scalar[pto.scalars.f32]
    reveal_type(x.view(n, w)[n : n + 16, :])  # pto.tiles.View
    t = pto.tile(16, w, f32)
    reveal_type(t)  # pto.tiles.Tile
    reveal_type(pto.tload(t, x.view(16, w)))  # pto._core.Issued
    reveal_type(pto.tile_valid_rows(t))  # pto.scalars.Scalar[pto.scalars.index]
    for i in pto.range(n):
        reveal_type(i)  # pto.scalars.Scalar[pto.scalars.index]


reveal_type(kernel)  # pto.kernel.Kernel
'''

WRONG = '''
import pto
from pto import Gm, f32


@pto.kernel
def kernel(x: Gm[f32]) -> None:
    t = pto.tile(16, 16, f32)
    pto.tadd(t, t)  # error
    pto.tload(t, x)  # error
    pto.tadd(t, t, t, tmp=t)  # error
    pto.tile(16, 16, "f32")  # error
'''


def mypy(path, text):
    path.write_text(text)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(path.parent / "cache"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def marked(text, word):
    return {n: line.split(f"# {word}")[1].strip() for n, line in enumerate(text.splitlines(), 1) if f"# {word}" in line}


def test_types_are_known(tmp_path):
    found = mypy(tmp_path / "kernel.py", KERNEL)
    for number, want in marked(KERNEL, "pto.").items():
        assert f'kernel.py:{number}: note: Revealed type is "pto.{want}"' in found, found
    assert "error" not in found, found


def test_what_does_not_fit_is_found(tmp_path):
    found = mypy(tmp_path / "kernel.py", WRONG)
    for number in marked(WRONG, "error"):
        assert f"kernel.py:{number}: error" in found, found
    assert found.count("error:") == 4, found
