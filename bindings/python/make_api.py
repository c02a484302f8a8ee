"""Writes `api.md` from the docstrings of the package: `python make_api.py` (a test compares)."""

from __future__ import annotations

import enum
import inspect
import re
from pathlib import Path

import pto
import pto.instructions
import pto.testing

PAGE = Path(__file__).with_name("api.md")


def page() -> str:
    """The whole page."""
    parts = [
        "# Names of the package `pto`\n",
        "Made from the docstrings by `make_api.py`. [python.md](../../docs/python.md) shows how they are used.\n",
    ]
    instructions = set(pto.instructions.__all__)
    names = [name for name in sorted(pto.__all__, key=str.lower) if name not in instructions]
    things = [(name, getattr(pto, name)) for name in names]
    groups = [
        ("Classes", [t for t in things if inspect.isclass(t[1]) and not issubclass(t[1], BaseException)]),
        ("Functions", [t for t in things if inspect.isroutine(t[1])]),
        ("Exceptions", [t for t in things if inspect.isclass(t[1]) and issubclass(t[1], BaseException)]),
    ]
    for title, found in groups:
        parts.append(f"## {title}\n")
        parts += [entry(f"pto.{name}", thing, "###") for name, thing in found]
    parts.append("## `pto.testing`\n")
    parts += [entry(f"pto.testing.{name}", getattr(pto.testing, name), "###") for name in pto.testing.__all__]
    parts.append("## Instructions\n")
    parts.append("One function for each instruction; `help(pto.tadd)` shows all of a docstring, `pto doc TADD` the whole page.\n")
    parts += [f"- `pto.{name}{signature(getattr(pto, name))}`: {sentence(getattr(pto, name))}" for name in sorted(instructions)]
    return "\n".join(parts).rstrip() + "\n"


def entry(title: str, thing: object, level: str) -> str:
    """A heading with the signature, the docstring, and the members of a class."""
    lines = [f"{level} `{title}{signature(thing)}`\n", text_of(thing) + "\n"]
    if inspect.isclass(thing) and not issubclass(thing, BaseException):
        for name, member in sorted(vars(thing).items()):
            if name.startswith("_") or isinstance(member, (int, str, bool, type(None))) or not inspect.getdoc(member):
                continue
            if isinstance(member, (classmethod, staticmethod)):
                member = member.__func__
            lines.append(f"- `{name}{signature(member)}`: {' '.join(text_of(member).split())}")
        lines.append("")
    return "\n".join(lines)


def text_of(thing: object) -> str:
    """The docstring without its examples."""
    text = inspect.getdoc(thing) or ""
    kept = []
    for line in text.splitlines():
        if line.startswith(">>>"):
            break
        kept.append(line)
    text = re.sub(r":(?:func|class|meth|data):", "", "\n".join(kept))
    return re.sub(r"``(.+?)``", r"`\1`", text).strip()


def sentence(thing: object) -> str:
    """The first sentence of a docstring."""
    text = " ".join(text_of(thing).split("\n\n")[0].split())
    return re.split(r"(?<=[.])\s", text)[0]


def signature(thing: object) -> str:
    """The parameters; nothing for what cannot be called."""
    # That of an enumeration depends on the version of Python.
    if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, enum.Enum)):
        return ""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
