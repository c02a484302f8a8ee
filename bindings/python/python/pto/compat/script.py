"""Scripts of `python -m pto.compat LAYER [options] script.py [arguments]`: which one, and running it.

What is wrong with the call or with the file is one line, and the exit code is that of the command line (2: wrong usage, or a file
that cannot be read or written). What is wrong *in* a script keeps its traceback.
"""

import importlib.util
import io
import os
import runpy
import sys
import tokenize

#: Wrong usage, or a file that cannot be read or written.
UNUSABLE = 2


class Unusable(Exception):
    """The call, or a file that it names, cannot be used."""


class Call:
    """What `python -m pto.compat LAYER` is asked for."""

    def __init__(self, script, arguments, is_module, options):
        self.script, self.arguments, self.is_module, self.options = script, arguments, is_module, options

    def run(self):
        """Runs the script as Python would, with its directory on the path."""
        sys.argv = [self.script, *self.arguments]
        if self.is_module:
            sys.path.insert(0, os.getcwd())
            runpy.run_module(self.script, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(self.script)))
            runpy.run_path(self.script, run_name="__main__")


def usage(layer, options=None):
    """The text of `--help`; `options` are the words and the meaning of each."""
    lines = [f"usage: python -m pto.compat {layer} {'[options] ' if options else ''}script.py [arguments]"]
    lines += [f"       python -m pto.compat {layer} {'[options] ' if options else ''}-m module [arguments]", ""]
    lines += [f"  {name} {word:<10} {meaning}" for name, (word, meaning, _) in (options or {}).items()]
    lines += ["  --help, -h        print this text", ""]
    lines.append("Exit codes: 0 success (else that of the script), 1 an error in the script, or `--check` found problems,")
    lines.append("2 wrong usage, or a file that cannot be read or written.")
    return "\n".join(lines)


def parse(layer, arguments, options=None):
    """The call; `None` if it was answered by its help. `options` maps each name to its word, its meaning and its legal values."""
    options = options or {}
    found, rest = {}, list(arguments)
    while rest and rest[0].startswith("-") and rest[0] not in ("-", "-m"):
        name, has_value, value = rest.pop(0).partition("=")
        if name in ("-h", "--help"):
            print(usage(layer, options))
            return None
        if name not in options:
            raise Unusable(f"there is no option {name}; legal: {', '.join([*options, '--help'])}")
        if not has_value:
            if not rest:
                raise Unusable(f"{name} needs a value: {name} {options[name][0]}")
            value = rest.pop(0)
        legal = options[name][2]
        if legal and value not in legal:
            raise Unusable(f"{name} is {value!r}; legal: {', '.join(legal)}")
        found[name] = value
    is_module = rest[:1] == ["-m"]
    rest = rest[is_module:]
    if not rest:
        wanted = "-m needs the name of a module" if is_module else "no script is given"
        raise Unusable(f"{wanted}; {usage(layer, options).splitlines()[is_module].strip()}")
    (readable_module if is_module else readable)(rest[0])
    return Call(rest[0], rest[1:], is_module, found)


def readable(path):
    """Raises `Unusable` unless Python can run the file: source, compiled, or a folder or archive with `__main__.py`."""
    if os.path.isdir(path):
        if not os.path.isfile(os.path.join(path, "__main__.py")):
            raise Unusable(f"cannot read {path}: it is a directory without a __main__.py")
        return
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as e:
        raise Unusable(f"cannot read {path}: {e.strerror} (os error {e.errno})") from None
    if data.startswith((importlib.util.MAGIC_NUMBER, b"PK\x03\x04")):
        return
    if not data.strip():
        raise Unusable(f"{path} is empty: there is no script to run")
    if b"\0" in data:
        raise Unusable(f"{path} is not a script: byte {data.index(0)} is zero")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        data.decode(encoding)
    except UnicodeDecodeError as e:
        raise Unusable(f"{path}: byte {e.start} is not {encoding.upper()}; save the file as UTF-8") from None
    except SyntaxError:
        # Either bytes that are not UTF-8, or a declared encoding that is unknown.
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as e:
            raise Unusable(f"{path}: byte {e.start} is not UTF-8; save the file as UTF-8") from None
        raise Unusable(f"{path}: its encoding is unknown; save the file as UTF-8") from None


def readable_module(name):
    """Raises `Unusable` unless there is such a module."""
    sys.path.insert(0, os.getcwd())
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    finally:
        sys.path.pop(0)
    if found is None:
        raise Unusable(f"there is no module {name!r}")
