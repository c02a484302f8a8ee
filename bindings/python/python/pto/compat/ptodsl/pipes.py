"""`pto.pipe`: FIFO pipes between cube and vector cores; flags, barriers and signals."""

from . import tensors, trace, types, values
from .tensors import Tile, View
from .types import word
from .values import Scalar, as_index, as_scalar

_SIDES = {"cube": "aic", "simd": "aiv"}
_BITS = {"c2v": 1, "v2c": 2, "both": 3}


class Pipe:
    """A pipe, or one direction of it."""

    def __init__(self, direction, id, slot_size, *, consumers, gm_slot_buffer=None, gm_slot_tensor=None, options=()):
        self.direction = direction
        self.id = int(id)
        self.slot_size = int(slot_size)
        self.consumers = consumers
        self.gm_slot_buffer = gm_slot_buffer
        self.gm_slot_tensor = gm_slot_tensor
        self.options = dict(options)

    @property
    def entry_type(self):
        return self.gm_slot_tensor

    def _end(self, direction):
        if self.direction != "both":
            raise TypeError(f"the pipe is {self.direction}; only a bidirectional one has ends")
        return Pipe(
            direction, self.id, self.slot_size, consumers=self.consumers, gm_slot_buffer=self.gm_slot_buffer, options=self.options
        )

    @property
    def c2v(self):
        return self._end("c2v")

    @property
    def v2c(self):
        return self._end("v2c")

    def init_cube(self):
        self._init("cube")

    def init_simd(self):
        self._init("simd")

    def _init(self, side):
        attrs = {"id": f"{self.id} : i32", "dir_mask": f"{_BITS[self.direction]} : i8", "slot_size": f"{self.slot_size} : i32"}
        for name, value in self.options.items():
            if value is not None:
                attrs[name] = str(value).lower() if isinstance(value, bool) else f"{int(value)} : i32"
        operands = {"gm_slot_buffer": self.gm_slot_buffer, "gm_slot_tensor": self.gm_slot_tensor}
        for direction, buffer in self.consumers.items():
            if self.direction in (direction, "both"):
                operands[f"{direction}_consumer_buf"] = None if buffer is None else as_scalar(buffer, values.I32)
        trace.emit(f"pto.{_SIDES[side]}_initialize_pipe", {k: v for k, v in operands.items() if v is not None}, (), attrs)

    def _attrs(self, split):
        return {"id": f"{self.id} : i32", "split": f"{int(split)} : i8"}

    def _directed(self, what):
        if self.direction == "both":
            raise TypeError(f"{what}() of a bidirectional pipe: use its .c2v or .v2c")

    def alloc(self, split=0):
        self._directed("alloc")
        if self.gm_slot_tensor is None:
            raise TypeError("alloc() is for pipes with slots in global memory (gm_slot_tensor)")
        op = "pto.talloc_to_aiv" if self.direction == "c2v" else "pto.talloc_to_aic"
        return self._entry(op, split)

    def _entry(self, op, split, like=None):
        like = self.gm_slot_tensor if like is None else like
        # A part of a slot has the type of the slot.
        entry = View("", like.dtype, like.shape, like.strides, self.gm_slot_tensor.type_text)
        entry.name = trace.emit(op, {}, [entry.type_text], self._attrs(split))[0]
        return entry

    def push(self, entry, split=0, *, sub_block_id=None):
        self._directed("push")
        op = "pto.tpush_to_aiv" if self.direction == "c2v" else "pto.tpush_to_aic"
        trace.emit(op, {"tile": entry, **_subblock(op, split, sub_block_id)}, (), self._attrs(split))

    def pop(self, split=0, result_type=None, *, valid_shape=None, valid_row=None, valid_col=None, sub_block_id=None):
        self._directed("pop")
        op = "pto.tpop_from_aic" if self.direction == "c2v" else "pto.tpop_from_aiv"
        like = result_type if result_type is not None else self.entry_type
        if like is None:
            raise TypeError("pop() of a pipe with local slots needs result_type=")
        if isinstance(like, View):
            return self._entry(op, split, like)
        if valid_shape is not None:
            valid_row, valid_col = ([1, *valid_shape] if len(valid_shape) == 1 else valid_shape)
        operands = {}
        tile = like.like("")
        if valid_row is not None:
            tile = like.like("", valid=[_extent(valid_row), _extent(valid_col)])
            dynamic = [not tensors.is_plain(n) for n in tile.valid]
            if any(dynamic):
                tile = like.like("", valid=[as_index(n) for n in tile.valid])
                operands = {"valid_row": tile.valid[0], "valid_col": tile.valid[1]}
        operands |= _subblock(op, split, sub_block_id)
        tile.name = trace.emit(op, operands, [tile.type_text], self._attrs(split))[0]
        return tile

    def free(self, entry=None, split=0):
        self._directed("free")
        op = "pto.tfree_from_aic" if self.direction == "c2v" else "pto.tfree_from_aiv"
        if self.gm_slot_tensor is not None and entry is None:
            raise TypeError("free() of a pipe with slots in global memory needs the entry")
        slots = trace.row(op)["slots"]
        operands = {slots[0]["name"]: entry} if entry is not None and slots else {}
        trace.emit(op, operands, (), self._attrs(split))


def _extent(value):
    return int(value) if tensors.is_plain(value) else as_index(value)


def _subblock(op, split, sub_block_id):
    """The vector core that an instruction stands for; without a split, and on the cube core, it does not matter."""
    slot = "aiv_subblockid"
    if sub_block_id is None or split == 0 or slot not in [s["name"] for s in trace.row(op)["slots"]]:
        return {}
    return {slot: as_scalar(sub_block_id, values.I64)}


class PipeNamespace:
    """`pto.pipe`."""

    def _one(self, direction, *, id=None, slot_size=None, consumer_buf=None, gm_slot_buffer=None, gm_slot_tensor=None,
             local_slot_num=None, nosplit=None, slot_num=None):  # fmt: skip
        if id is None:
            raise TypeError(f"pto.pipe.{direction}(...) needs id=")
        if gm_slot_tensor is not None:
            if any(v is not None for v in (consumer_buf, gm_slot_buffer, local_slot_num)):
                raise TypeError("gm_slot_tensor excludes consumer_buf, gm_slot_buffer and local_slot_num")
            if slot_size is None:
                if nosplit is not True:
                    raise TypeError(f"pto.pipe.{direction}(...) needs slot_size= unless nosplit=True")
                slot_size = gm_slot_tensor.dtype.bytes
                for extent in gm_slot_tensor.shape:
                    slot_size *= int(extent)
        elif consumer_buf is None or slot_size is None:
            raise TypeError(f"pto.pipe.{direction}(...) needs slot_size= and consumer_buf=")
        options = {"local_slot_num": local_slot_num, "nosplit": nosplit, "slot_num": slot_num}
        return Pipe(
            direction, id, slot_size, consumers={direction: consumer_buf}, gm_slot_buffer=gm_slot_buffer,
            gm_slot_tensor=gm_slot_tensor, options=options,
        )  # fmt: skip

    def c2v(self, **keywords):
        return self._one("c2v", **keywords)

    def v2c(self, **keywords):
        return self._one("v2c", **keywords)

    def bidirectional(self, *, slot_size, c2v_consumer_buf, v2c_consumer_buf, id=None, gm_slot_buffer=None,
                      local_slot_num=None, nosplit=None, slot_num=None):  # fmt: skip
        if id is None:
            raise TypeError("pto.pipe.bidirectional(...) needs id=")
        options = {"local_slot_num": local_slot_num, "nosplit": nosplit, "slot_num": slot_num}
        consumers = {"c2v": c2v_consumer_buf, "v2c": v2c_consumer_buf}
        return Pipe("both", id, slot_size, consumers=consumers, gm_slot_buffer=gm_slot_buffer, options=options)


pipe = PipeNamespace()


def reserve_buffer(name, *, size, location, auto=True, base=None):
    function = trace.current("pto.reserve_buffer").function
    attrs = {
        "name": trace.quoted(name),
        "size": f"{int(size)} : i32",
        "location": f"#pto.address_space<{types.space_of(location)}>",
        "auto": "true" if auto else "false",
    }
    if base is not None:
        attrs["base"] = f"{int(base)} : i32"
    function.reserved[name] = size
    return Scalar(trace.emit("pto.reserve_buffer", {}, ["i32"], attrs)[0], values.I32)


def import_reserved_buffer(name, *, peer_func):
    symbol = getattr(peer_func, "ir_function_name", None) or getattr(peer_func, "symbol", None) or str(peer_func).lstrip("@")
    attrs = {"name": trace.quoted(name), "peer_func": f"@{symbol}"}
    return Scalar(trace.emit("pto.import_reserved_buffer", {}, ["i32"], attrs)[0], values.I32)


def pipe_attr(pipe_):
    name = word(pipe_).upper().removeprefix("PIPE_")
    return f"#pto.pipe<PIPE_{name}>"


def _flag(op, src, dst, event_id):
    attrs = {"src_pipe": pipe_attr(src), "dst_pipe": pipe_attr(dst)}
    if isinstance(event_id, Scalar):
        slot = trace.row(f"{op}_dyn")["slots"][0]["name"]
        trace.emit(f"{op}_dyn", {slot: as_index(event_id)}, (), attrs)
        return
    if not 0 <= int(event_id) <= 7:
        raise ValueError(f"event ids are 0 to 7, found {event_id}")
    trace.emit(op, {}, (), {**attrs, "event_id": f"#pto.event<EVENT_ID{int(event_id)}>"})


def set_flag(src, dst, *, event_id=0):
    _flag("pto.set_flag", src, dst, event_id)


def wait_flag(src, dst, *, event_id=0):
    _flag("pto.wait_flag", src, dst, event_id)


def pipe_barrier(pipe_):
    trace.emit("pto.barrier", {}, (), {"pipe": pipe_attr(pipe_)})


def _token(op, pipe_, id, mode):
    row = trace.row(op)
    names = {a["name"] for a in row["attrs"]}
    attrs = {next(n for n in names if "pipe" in n): pipe_attr(pipe_)}
    operands = {}
    if isinstance(id, Scalar) and row["slots"]:
        operands[row["slots"][0]["name"]] = as_index(id)
    else:
        attrs[next(n for n in names if "id" in n)] = f"{int(id)} : i32"
    if "mode" in names:
        attrs["mode"] = f"{int(mode)} : i32"
    trace.emit(op, operands, (), attrs)


def get_buf(pipe_, id, mode=0):
    _token("pto.get_buf", pipe_, id, mode)


def rls_buf(pipe_, id, mode=0):
    _token("pto.rls_buf", pipe_, id, mode)


__all__ = ["pipe", "Tile"]
