"""The lines of Python that call the package, and the variables that they assign to."""

from __future__ import annotations

import functools
import os
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import dis

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def user_frame() -> FrameType | None:
    """The innermost frame outside of the package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def user_line() -> str:
    """File and line that call the package."""
    frame = user_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "<python>"


def assigned_name() -> str | None:
    """The variable that the result of the call in the innermost frame outside of the package is assigned to."""
    frame = user_frame()
    return _target(frame.f_code, frame.f_lasti) if frame else None


@functools.lru_cache(maxsize=4096)
def _target(code: CodeType, at: int) -> str | None:
    """Follows the result of the call at a position of the bytecode to the variable that gets it: ``a = f()``, ``a, b = f(), g()``."""
    import dis

    place = 0  # of the result, from the top of the stack
    following = iter([i for i in dis.get_instructions(code) if i.offset > at])
    for step in following:
        name, arg = step.opname, step.arg or 0
        if name in ("CACHE", "NOP", "EXTENDED_ARG", "RESUME"):
            continue
        if name.startswith("STORE_") and name not in ("STORE_SUBSCR", "STORE_ATTR", "STORE_SLICE", "STORE_MAP"):
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            if name in ("STORE_FAST_LOAD_FAST", "STORE_FAST_MAYBE_NULL"):
                names = names[:1]
            if place < len(names):
                return str(names[place])
            place -= len(names)
            if name == "STORE_FAST_LOAD_FAST":
                place += 1
        elif name in ("SWAP", "ROT_TWO", "ROT_THREE", "ROT_FOUR", "ROT_N"):
            place = _rotated(name, arg, place)
        elif name == "BUILD_TUPLE" and place < arg:
            # Only the tuple of an assignment is taken apart at once, which reverses its order on the stack.
            if next(following).opname != "UNPACK_SEQUENCE":
                return None
            place = arg - 1 - place
        else:
            effect = _effect(step)
            if effect is None:
                return None
            consumed, pushed = effect
            if consumed > place:
                return None
            place += pushed - consumed
    return None


def _rotated(name: str, arg: int, place: int) -> int:
    if name == "SWAP":
        return {0: arg - 1, arg - 1: 0}.get(place, place)
    count = {"ROT_TWO": 2, "ROT_THREE": 3, "ROT_FOUR": 4}.get(name, arg)
    if place >= count:
        return place
    # The top goes below the others.
    return count - 1 if place == 0 else place - 1


def _effect(step: dis.Instruction) -> tuple[int, int] | None:
    """How many values an instruction takes and leaves; None where control leaves the line."""
    import dis

    name = step.opname
    if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs or name.startswith(("RETURN", "RAISE", "YIELD", "POP_TOP")):
        return None
    net = dis.stack_effect(step.opcode, step.arg if step.opcode >= dis.HAVE_ARGUMENT else None)
    if name.startswith(("LOAD_FAST", "LOAD_CONST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_SMALL_INT", "PUSH_NULL")):
        return 0, net
    if name.startswith("LOAD_ATTR") or name == "LOAD_METHOD":
        return 1, net + 1
    if name.startswith(("PRECALL", "KW_NAMES", "CALL_INTRINSIC")):
        return 0, net
    if name.startswith("CALL") or name.startswith("BUILD_") or name in ("FORMAT_VALUE",):
        # It leaves one value.
        return 1 - net, 1
    if name.startswith(("BINARY_", "COMPARE_OP")):
        return 1 - net, 1
    if name.startswith("UNARY_"):
        return 1, 1
    return None
