"""A stand-in for `torch_npu`: the device `npu` is this machine's memory.

A function mode of torch turns devices named `npu` into `cpu`, copies where a transfer would, and remembers the memory of
every tensor, so that a bare address finds its extent.
"""

import sys
import types

from .memory import ALLOCATIONS

_mode = None


def _is_npu(value):
    return isinstance(value, str) and (value == "npu" or value.startswith("npu:"))


def install(name="torch_npu"):
    """Puts the stand-in in place; needs torch."""
    global _mode
    if _mode is not None:
        return sys.modules["torch_npu"]
    import torch
    from torch.overrides import TorchFunctionMode

    class OnHost(TorchFunctionMode):
        """Every call of torch goes through here."""

        def __torch_function__(self, func, types_, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            moved = False
            if _is_npu(kwargs.get("device")):
                kwargs["device"], moved = "cpu", True
            args = list(args)
            for at, value in enumerate(args):
                if _is_npu(value):
                    args[at], moved = "cpu", True
            name = getattr(func, "__name__", "")
            result = func(*args, **kwargs)
            if isinstance(result, torch.Tensor):
                # A transfer copies, also from this memory to this memory.
                if name in ("to", "cpu") and args and result is args[0] and (moved or name == "cpu"):
                    result = result.clone()
                _remember(result)
            return result

    def _remember(tensor):
        try:
            storage = tensor.untyped_storage()
            ALLOCATIONS.add(tensor, storage.data_ptr(), storage.nbytes())
        except (RuntimeError, NotImplementedError):
            pass

    _mode = OnHost()
    _mode.__enter__()
    module = _module(torch)
    sys.modules["torch_npu"] = module
    sys.modules["torch_npu.npu"] = module.npu
    torch.npu = module.npu
    torch.Tensor.npu = lambda self, *_, **__: self.to("npu")
    torch.Tensor.is_npu = property(lambda self: True)
    return module


class _Stream:
    """The only stream: everything is done when a launch returns."""

    _as_parameter_ = 0
    npu_stream = 0

    def synchronize(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class _Event:
    """An event; time does not pass on this device."""

    def __init__(self, *_, **__):
        self.at = 0.0

    def record(self, *_):
        import time

        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return (other.at - self.at) * 1e3


def _module(torch):
    npu = types.ModuleType("torch_npu.npu")
    npu.config = types.SimpleNamespace(allow_internal_format=False)
    npu.set_device = npu.synchronize = npu.empty_cache = npu.set_compile_mode = lambda *_, **__: None
    npu.manual_seed = npu.manual_seed_all = lambda seed: torch.manual_seed(seed)
    npu.current_device = lambda: 0
    npu.device_count = lambda: 1
    npu.is_available = lambda: True
    npu.current_stream = npu.default_stream = lambda *_: _Stream()
    npu.Stream, npu.Event = _Stream, _Event
    npu.stream = lambda stream: stream
    npu.get_device_name = lambda *_: "pto"
    npu.get_device_properties = lambda *_: types.SimpleNamespace(cube_core_num=24, vector_core_num=48, name="pto")
    module = types.ModuleType("torch_npu")
    module.npu = npu
    module.__version__ = torch.__version__
    module.__doc__ = __doc__
    return module


def main(name, arguments):
    """Runs a script."""
    import importlib.util

    from . import script

    call = script.parse(name, arguments)
    if call is None:
        return 0
    if importlib.util.find_spec("torch") is None:
        raise script.Unusable("torch is not installed; the stand-in for torch_npu needs it: pip install torch")
    install(name)
    call.run()
    return 0
