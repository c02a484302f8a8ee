"""Types of the dialect `pto`: pointers, views, tiles, handles."""

import re

from . import table
from .attributes import Attribute
from .enums import EnumAttr
from .types import PARSERS, ShapedType, Type, dims, extent, parse


class PtrType(Type):
    """`!pto.ptr<f32>`."""

    @classmethod
    def get(cls, element_type, memory_space=None, context=None):
        space = getattr(memory_space, "name", None)
        text = f"!pto.ptr<{element_type}{', ' + space if space else ''}>"
        return cls._make(text, element_type=element_type, memory_space=memory_space if space else None)


class _View(ShapedType):
    _word = ""

    @classmethod
    def get(cls, shape, element_type, context=None):
        shape = [-1] * shape if isinstance(shape, int) else list(shape)
        return cls._make(f"!pto.{cls._word}<{dims(shape)}{element_type}>", shape=shape, element_type=element_type)


class TensorViewType(_View):
    """`!pto.tensor_view<?x?xf32>`; a number instead of a shape is a rank."""

    _word = "tensor_view"


class PartitionTensorViewType(_View):
    """`!pto.partition_tensor_view<16x16xf32>`."""

    _word = "partition_tensor_view"


#: What a type leaves out.
USUAL = {"blayout": "row_major", "slayout": "none_box", "fractal": 512, "pad": 0, "compact": 0}


class TileBufConfigAttr(Attribute):
    """The layout of a tile."""

    @classmethod
    def get(cls, blayout, slayout, s_fractal_size=512, pad=None, *rest, compact_mode=None, compact=None, context=None):
        values = [v for v in rest if isinstance(v, Attribute)]
        compact = compact_mode or compact or (values[0] if values else None)
        size = getattr(s_fractal_size, "value", s_fractal_size)
        config = {
            "blayout": word(blayout, "blayout"), "slayout": word(slayout, "slayout"),
            "fractal": int(size), "pad": number(pad, "padvalue"), "compact": number(compact, "compactmode"),
        }  # fmt: skip
        text = f"#pto.tile_buf_config<{', '.join(f'{k}={v}' for k, v in config.items())}>"
        return cls._make(text, config=config)

    @classmethod
    def get_default(cls, context=None):
        return cls._make("#pto.tile_buf_config<>", config=dict(USUAL))


def word(value, enumeration):
    """The name of a value of an enumeration."""
    name = getattr(value, "name", None)
    if name is None:
        names = {n: k for n, k in table.enumerations()[enumeration]["values"]}
        key = table.normal(str(value))
        name = next((n for n, k in names.items() if table.normal(n) == key or k == value), None)
    if name is None:
        raise ValueError(f"{value!r} is not a value of {enumeration}")
    return name


def number(value, enumeration):
    if value is None:
        return 0
    names = {n: k for n, k in table.enumerations()[enumeration]["values"]}
    return names[word(value, enumeration)]


class TileBufType(ShapedType):
    """`!pto.tile_buf<…>`."""

    @classmethod
    def get(cls, shape, element_type, memory_space, valid_shape=None, config=None, context=None):
        if valid_shape is not None and isinstance(valid_shape, TileBufConfigAttr):
            valid_shape, config = None, valid_shape
        if not isinstance(config, TileBufConfigAttr):
            config = TileBufConfigAttr.get_default()
        shape = list(shape)
        valid = shape if valid_shape is None else list(valid_shape)
        rows, cols = shape if len(shape) == 2 else (1, *shape)
        v_rows, v_cols = valid if len(valid) == 2 else (1, *valid)
        c = config.config
        parts = [word(memory_space, "addressspace"), f"{extent(rows)}x{extent(cols)}x{element_type}"]
        if (v_rows, v_cols) != (rows, cols):
            parts.append(f"valid={extent(v_rows)}x{extent(v_cols)}")
        parts += [f"{key}={c[key]}" for key, usual in USUAL.items() if c[key] != usual]
        text = f"!pto.tile_buf<{', '.join(parts)}>"
        fields = {"shape": [rows, cols], "valid_shape": [v_rows, v_cols], "element_type": element_type}
        return cls._make(text, memory_space=memory_space, config=config, **fields)

    def window(self, shape, valid):
        """The type of a part of such a tile."""
        return TileBufType.get(shape, self.element_type, self.memory_space, valid, self.config)


class TileType(TileBufType):
    """A tile value."""

    @classmethod
    def get(cls, shape, element_type, context=None):
        return cls._make(f"!pto.tile<{dims(shape)}{element_type}>", shape=list(shape), element_type=element_type)


def _handle(name, text):
    def get(cls, *args, **kwargs):
        return cls._make(text)

    return type(name, (Type,), {"get": classmethod(get), "__doc__": f"`{text}`."})


#: Types without parameters: the class, and how it is written.
HANDLES = {
    name: _handle(name, text)
    for name, text in {
        "AsyncSessionType": "!pto.async_session", "AsyncEventType": "!pto.async_event", "PipeType": "!pto.pipe",
        "PrefetchAsyncContextType": "!pto.prefetch_async_context", "EventType": "!pto.event",
        "HiF8Type": "!pto.hif8", "HiF8x2Type": "!pto.hif8x2", "F8E8M0Type": "!pto.f8E8M0", "BF16x2Type": "!pto.bf16x2",
        "F4E1M2x2Type": "!pto.f4E1M2x2", "F4E2M1x2Type": "!pto.f4E2M1x2",
    }.items()
}  # fmt: skip


def _parse(text):
    """A dialect type from its text, with the parts that scripts ask for."""
    for name, kind in HANDLES.items():
        if kind.get().text == text:
            return kind.get()
    if match := re.fullmatch(r"!pto\.ptr<(.*?)(?:,\s*(\w+))?>", text):
        space = EnumAttr._make(match[2], name=match[2]) if match[2] else None
        return PtrType._make(text, element_type=parse(match[1]), memory_space=space)
    if match := re.fullmatch(r"!pto\.(tensor_view|partition_tensor_view)<((?:[\d?]+x)*)(.*)>", text):
        kind = TensorViewType if match[1] == "tensor_view" else PartitionTensorViewType
        return kind.get([-1 if n == "?" else int(n) for n in match[2].split("x")[:-1]], parse(match[3]))
    return _tile(text) if text.startswith("!pto.tile_buf<") else None


def _tile(text):
    """A tile type in either spelling: `vec, 16x16xf32, valid=…` or `loc=vec, dtype=f32, rows=16, …`."""
    parts = [part.replace(" ", "") for part in text[len("!pto.tile_buf<") : -1].split(",")]
    keys = dict(part.split("=", 1) for part in parts if "=" in part)
    number = lambda n: -1 if n == "?" else int(n)  # noqa: E731
    if "dtype" in keys:
        shape, element = [number(keys["rows"]), number(keys["cols"])], keys["dtype"]
        valid = [number(keys.get("v_row", keys["rows"])), number(keys.get("v_col", keys["cols"]))]
    else:
        rows, cols, element = parts[1].split("x", 2)
        keys["loc"], shape = parts[0], [number(rows), number(cols)]
        valid = [number(n) for n in keys["valid"].split("x")] if "valid" in keys else shape
    config = {**USUAL, **{key: value for key, value in keys.items() if key in USUAL}}
    made = TileBufConfigAttr.get(
        config["blayout"], config["slayout"], int(config["fractal"]), int(config["pad"]), compact=int(config["compact"])
    )
    return TileBufType.get(shape, parse(element), keys["loc"], valid, made)


PARSERS["!pto."] = _parse
