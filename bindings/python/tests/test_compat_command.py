"""`python -m pto.compat LAYER script.py`: what is wrong with the call or the file is one line and exit code 2."""

import os
import subprocess
import sys

import pytest

LAYERS = ["ptodsl", "mlir", "ptodsl-old"]


def run(*arguments, cwd=None):
    command = [sys.executable, "-m", "pto.compat", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd)


def refused(done):
    """The message of a call that was refused."""
    assert done.returncode == 2, done
    assert done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("error: "), done.stderr
    return done.stderr.removeprefix("error: ").rstrip()


@pytest.fixture
def files(tmp_path):
    """Files that no layer can run, and what is said of each."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.py").write_bytes(b"x = '\xe4'\n")
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\0\0")
    (tmp_path / "coded.py").write_bytes(b"# coding: klingon\n")
    (tmp_path / "empty.py").write_bytes(b"\n")
    said = {
        "missing.py": "cannot read missing.py: No such file or directory (os error 2)",
        "folder": "cannot read folder: it is a directory without a __main__.py",
        "latin.py": "latin.py: byte 5 is not UTF-8; save the file as UTF-8",
        "binary.py": "binary.py is not a script: byte 4 is zero",
        "coded.py": "coded.py: its encoding is unknown; save the file as UTF-8",
        "empty.py": "empty.py is empty: there is no script to run",
    }
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        (tmp_path / "closed.py").write_text("print()")
        (tmp_path / "closed.py").chmod(0)
        said["closed.py"] = "cannot read closed.py: Permission denied (os error 13)"
    return tmp_path, said


@pytest.mark.parametrize("layer", LAYERS)
def test_files_that_cannot_be_run(layer, files):
    folder, said = files
    for name, message in said.items():
        assert refused(run(layer, name, cwd=folder)) == message


@pytest.mark.parametrize("layer", LAYERS)
def test_calls_that_are_wrong(layer):
    assert refused(run(layer)).startswith("no script is given; usage: python -m pto.compat")
    assert refused(run(layer, "-m")).startswith("-m needs the name of a module")
    assert refused(run(layer, "-m", "no_such.module")) == "there is no module 'no_such.module'"
    assert refused(run(layer, "--fast", "x.py")).startswith("there is no option --fast; legal: ")
    done = run(layer, "--help")
    assert done.returncode == 0 and done.stdout.startswith(f"usage: python -m pto.compat {layer}") and not done.stderr
    assert "Exit codes:" in done.stdout


def test_layers_and_values_that_do_not_exist(tmp_path):
    assert refused(run()).startswith("no layer is given; usage:")
    assert refused(run("rust", "x.py")).startswith("there is no layer 'rust'; there are mlir")
    assert run("--help").stdout.startswith("usage: python -m pto.compat {mlir")
    assert refused(run("mlir", "--check", "a9", "x.py")) == "--check is 'a9'; legal: auto, a2a3, a5, cpu"
    assert refused(run("mlir", "--save")) == "--save needs a value: --save DIR"
    script = tmp_path / "nothing.py"
    script.write_text("pass\n")
    assert refused(run("mlir", "--save", script, script)).startswith(f"cannot write {script}: ")


@pytest.mark.parametrize("layer", LAYERS)
def test_scripts_keep_their_tracebacks_arguments_and_exit_codes(layer, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit(7)\n")
    done = run(layer, script, "--help", "x")
    assert done.returncode == 7 and done.stdout == "['--help', 'x'] __main__\n"
    done = run(layer, "-m", "script", "y", cwd=tmp_path)
    assert done.returncode == 7 and done.stdout == "['y'] __main__\n"
    script.write_text("def f():\n    open('nowhere')\n\nf()\n")
    done = run(layer, script)
    assert done.returncode == 1 and f'File "{script}", line 2, in f' in done.stderr and "FileNotFoundError" in done.stderr
