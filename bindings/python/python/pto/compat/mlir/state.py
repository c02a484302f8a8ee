"""What a script has entered with `with`: contexts, locations, insertion points. Each thread has its own."""

import os
import sys
import threading

#: Modules whose frames are not the user's: this package, front ends that run on top of it, and what they are called through.
LIBRARIES = ["pto.compat", "contextlib", "functools"]


#: Where Python's own modules are.
_STANDARD = (os.path.dirname(os.path.abspath(os.__file__)) + os.sep, "<frozen ")


class _Stacks(threading.local):
    def __init__(self):
        self.entered = []
        self.contexts = []
        self.locations = []
        self.points = []


STACKS = _Stacks()


class Current(type):
    """Gives a class the attribute `current`: the innermost object that was entered, or `None`."""

    @property
    def current(cls):
        stack = getattr(STACKS, cls._stack)
        return stack[-1] if stack else None


class Entered(metaclass=Current):
    """An object that `with` makes current."""

    _stack = "entered"

    def __enter__(self):
        getattr(STACKS, self._stack).append(self)
        return self

    def __exit__(self, *exc):
        getattr(STACKS, self._stack).pop()
        return False


class MLIRError(Exception):
    """A module is not legal. `diagnostics` says why."""

    def __init__(self, message, diagnostics=()):
        super().__init__(message)
        self.message = message
        self.error_diagnostics = list(diagnostics)
        self.diagnostics = self.error_diagnostics


class Context(Entered):
    """Types and attributes need no context here; the class exists for scripts that enter one."""

    _stack = "contexts"

    def __init__(self, *args, **kwargs):
        self.allow_unregistered_dialects = False

    @property
    def dialects(self):
        return self

    d = dialects

    def load_all_available_dialects(self):
        """All dialects are loaded."""

    def append_dialect_registry(self, registry):
        """All dialects are registered."""


#: Columns of code, by its address; the code is kept so that the address stays its own.
_COLUMNS = {}


def column(frame):
    """The column of the call that a frame executes, from 0, where Python knows it (3.11 and later)."""
    code = frame.f_code
    known = _COLUMNS.get(id(code))
    if known is None:
        positions = getattr(code, "co_positions", tuple)
        known = _COLUMNS[id(code)] = (code, [where[2] for where in positions()])
    at = frame.f_lasti // 2
    return (known[1][at] or 0) if at < len(known[1]) else 0


def user_frame():
    """The innermost frame outside of the libraries."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not any(name == own or name.startswith(own + ".") for own in LIBRARIES):
            return frame
        frame = frame.f_back
    return None


class Location(Entered):
    """Where an operation comes from."""

    _stack = "locations"

    def __init__(self, text, place=None):
        self._text = text
        self._place = place

    @staticmethod
    def unknown(context=None):
        return Location("loc(unknown)")

    @staticmethod
    def file(filename, line, col=0, context=None):
        return Location(f"loc({quoted(filename)}:{line}:{col or 0})", (str(filename), line, col or 0))

    @staticmethod
    def name(name, childLoc=None, context=None):
        child = "" if childLoc is None else f"({childLoc.inner})"
        return Location(f"loc({quoted(name)}{child})")

    @staticmethod
    def fused(sources, metadata=None, context=None):
        return Location(f"loc(fused[{', '.join(s.inner for s in sources)}])")

    @staticmethod
    def callsite(callee, frames, context=None):
        outer = frames[0] if len(frames) == 1 else Location.callsite(frames[0], frames[1:])
        return Location(f"loc(callsite({callee.inner} at {outer.inner}))")

    @property
    def inner(self):
        return self._text[4:-1]

    @property
    def context(self):
        return Context.current

    @property
    def is_unknown(self):
        return self._text == "loc(unknown)"

    def __str__(self):
        return self._text

    def __eq__(self, other):
        return isinstance(other, Location) and self._text == other._text

    def __hash__(self):
        return hash(self._text)


def here(stated=None):
    """The location of a new operation.

    What the script states holds, with two exceptions: `unknown` and none at all become the line that runs, and a line of a function
    that is running, as front ends state it for everything inside, becomes the line that runs in it.
    """
    location = stated or Location.current
    if location is None or location.is_unknown or _is_library(location):
        frame = user_frame()
        return Location.unknown() if frame is None else _at(frame)
    return _refined(location) if location._place else location


def _is_library(location):
    """Front ends that look for their caller may find `contextlib`."""
    return bool(location._place) and location._place[0].startswith(_STANDARD)


def _at(frame):
    return Location.file(frame.f_code.co_filename, frame.f_lineno, column(frame))


def _refined(location):
    file, line, col = location._place
    user = user_frame()
    frame = user
    while frame is not None:
        code = frame.f_code
        if code.co_filename == file:
            if col == 0 and code.co_firstlineno == line:
                return _at(user if user is not None else frame)
            if col != 0 and code.co_firstlineno <= line <= frame.f_lineno:
                return location if (user.f_code.co_filename, user.f_lineno) == (file, line) else _at(user)
        frame = frame.f_back
    return location


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def quoted(text):
    """A text in quotes, as MLIR writes it."""
    out = []
    for char in str(text):
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif ord(char) < 32:
            out.append(f"\\{ord(char):02X}")
        else:
            out.append(char)
    return '"' + "".join(out) + '"'
