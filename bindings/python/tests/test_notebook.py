"""The notebook of the examples, executed as Jupyter does it."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[3] / "examples" / "tour.ipynb"


def test_every_cell_runs_and_shows_its_picture():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error", output
            if output.output_type == "execute_result":
                shown[cell.source.splitlines()[-1]] = output.data.get("text/html", "")
    assert "softmax" in shown["softmax(x, y)"]
    assert "<svg" in shown["pto.heatmap(y)"] or "<img" in shown["pto.heatmap(y)"] or "<table" in shown["pto.heatmap(y)"]
    assert shown['softmax(x, y, tiles=["t", "largest"]).tiles'].count("<svg") == 2
    assert 'class="valid"' in shown["pto.TileType(16, 64, f32, valid=(10, 48))"]
    assert "PTO-E" in shown['wrong.trace().check("a5")']
    for page in ('softmax.trace().plan("a2a3")', "unordered.race(pto.rand(), pto.zeros())", "softmax.trace().perf()"):
        assert "iframe" in shown[page], page
    assert shown["softmax.trace().trace()"]
