"""What the documents show is true."""

import os
import re
import runpy
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def blocks(page: Path):
    """The blocks of Python of a page, with the line that each starts at."""
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        yield text.count("\n", 0, found.start(1)), found.group(1)


@pytest.mark.parametrize("page", ["README.md", "README.zh.md", "docs/python.md", "bindings/python/README.md"])
def test_blocks_run(page, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {"__name__": "page"}
    found = list(blocks(ROOT / page))
    assert found, f"{page} has no block of Python"
    for line, code in found:
        # As many empty lines before it as the page has: errors name the line of the page.
        exec(compile("\n" * line + code, str(ROOT / page), "exec"), names)


@pytest.mark.parametrize("name", ["softmax", "gemm", "flash_attention"])
def test_examples_run(name, capsys):
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out


def test_the_list_of_names_is_current():
    sys.path.insert(0, str(HERE.parent))
    try:
        import make_api
    finally:
        sys.path.pop(0)
    if os.environ.get("BLESS"):
        make_api.PAGE.write_text(make_api.page(), encoding="utf-8")
    assert make_api.PAGE.read_text(encoding="utf-8") == make_api.page(), "run: python bindings/python/make_api.py"
