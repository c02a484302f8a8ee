"""Kernels in Python print bit for bit as their twins in Rust, and compute the same."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import pto

ROOT = Path(__file__).parents[3]


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["softmax", "gemm", "flash_attention"])
def test_twins_print_the_same(name):
    kernel = getattr(example(name), name)
    # The test `they_print_as_recorded` of the Rust suite compares the same files with the kernels in Rust.
    want = (Path(__file__).parent / "twins" / f"{name}.pto").read_text()
    assert kernel.trace().to_text("level2") == want


def test_softmax_is_its_twin_in_text():
    kernel = example("softmax").softmax
    text = pto.Program((ROOT / "examples/softmax.pto").read_text())
    x = np.random.default_rng(1).standard_normal((4096, 1024)).astype(np.float32)
    y, z = np.zeros_like(x), np.zeros_like(x)
    kernel[3](x, y)
    text.run(x, z)
    assert np.array_equal(y, z)


def test_examples_run(capsys):
    example("softmax").main()
    example("gemm").main()
    assert "largest error" in capsys.readouterr().out


def test_flash_attention_runs():
    pytest.importorskip("ml_dtypes")
    example("flash_attention").main()
