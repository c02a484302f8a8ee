"""Scripts written for other packages, unchanged: `install` makes their imports find stand-ins of this package.

`python -m pto.compat LAYER script.py` installs a layer and runs a script. Nothing is replaced unless it is asked for, because the
names belong to other packages.
"""

import importlib

from .memory import register

__all__ = ["LAYERS", "install", "layer", "register"]

#: What can be installed, and the module that does it: it has `install(name)` and `main(name, arguments)`.
LAYERS = {
    "mlir": "pto.compat.mlir",
    "ptoas.mlir": "pto.compat.mlir",
    "ptodsl-old": "pto.compat.ptodsl_old",
    "ptodsl": "pto.compat.ptodsl",
    "torch_npu": "pto.compat.torch_npu",
}


def layer(name):
    """The module of a layer."""
    if name not in LAYERS:
        raise ValueError(f"there is no layer {name!r}; there are {', '.join(LAYERS)}")
    return importlib.import_module(LAYERS[name])


def install(*names):
    """Makes the imports of these packages find the stand-ins."""
    for name in names:
        layer(name).install(name)
