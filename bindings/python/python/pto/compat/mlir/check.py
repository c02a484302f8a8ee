"""Modules as programs: what a script made and printed, and whether it is legal."""

from .state import MLIRError

#: Every module that was made, and those whose text a script asked for, in order.
CREATED, PRINTED = [], []


def note_created(operation):
    CREATED.append(operation)


def note_printed(operation):
    if operation.name == "builtin.module" and operation.parent is None and operation not in PRINTED:
        PRINTED.append(operation)


def text_of(operation):
    """The text of an operation, with the lines of the script."""
    from .printer import Printer

    return Printer(locations=True).operation_text(operation)


def program(operation):
    """A module as a `pto.Program`."""
    import pto

    return pto.Program(text_of(operation))


def collected():
    """The modules of a script: those it printed, or else all it made."""
    return list(PRINTED) or [op for op in CREATED if getattr(op, "text", None) or op.regions[0].blocks[0].operations]


def targets_of(operation):
    """The device that a module names, else every device."""
    stated = operation.attributes.get("pto.target_arch")
    name = str(getattr(stated, "value", stated)).strip('"').lower() if stated is not None else ""
    if name in ("a2", "a3", "a2a3"):
        return ["a2a3"]
    if name == "a5":
        return ["a5"]
    return ["a2a3", "a5"]


def problems_of(operation, target):
    """Every problem of a module on a target."""
    return program(operation).check(target)


def best(operation, targets):
    """The first target that accepts a module with its problems, else the first target with its own."""
    found = []
    for target in targets:
        found.append((target, problems_of(operation, target)))
        if not any(p.is_error for p in found[-1][1]):
            return found[-1]
    return found[0]


def verify(operation):
    """True when a module is legal on its device, or on any device if it names none."""
    if operation.name != "builtin.module":
        return True
    _, problems = best(operation, targets_of(operation))
    errors = [p for p in problems if p.is_error]
    if errors:
        raise MLIRError("Verification failed:\n" + "\n".join(str(p) for p in errors), errors)
    return True


def parse_errors(text):
    """The errors of a text that is not a program."""
    import pto

    # Whether it is legal is a question for `verify`; here it only has to be readable.
    return [p for p in pto.Program(text).check("cpu") if p.is_error and p.code < "PTO-E0100"]


def below(name):
    """A remark on names that are known to be below the tile level."""
    key = name.removeprefix("pto.").lower()
    if key.startswith(("v", "mte_", "uv", "simt", "vmi")) or key in ("vecscope", "strict_vecscope", "vkernel"):
        return ": operations on vector registers are below the tile level and not part of this package"
    return ""
