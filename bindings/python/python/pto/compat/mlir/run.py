"""`python -m pto.compat mlir script.py`: runs a script, and checks what it built."""

import os
import sys

from ..._core import targets
from .. import script
from . import check

OPTIONS = {
    "--check": ("TARGET", f"report the problems for a target ({', '.join(targets())}); auto: the device that a module names, else any", ["auto", *targets()]),
    "--save": ("DIR", "write the modules with the lines of the script as .pto files", None),
}


def parse(name, arguments):
    """The call; `None` if it only asks for help."""
    return script.parse(name, arguments, OPTIONS)


def run(call):
    """Runs the script; 1 if a module that it builds is not legal, and that was asked."""
    call.run()
    modules = check.collected()
    if "--save" in call.options:
        try:
            save(call, modules)
        except OSError as e:
            raise script.Unusable(f"cannot write {e.filename}: {e.strerror} (os error {e.errno})") from None
    return report(call, modules) if "--check" in call.options else 0


def save(call, modules):
    folder = call.options["--save"]
    os.makedirs(folder, exist_ok=True)
    stem = os.path.splitext(os.path.basename(call.script))[0]
    for at, module in enumerate(modules):
        name = f"{stem}.pto" if len(modules) == 1 else f"{stem}_{at}.pto"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(check.text_of(module) + "\n")


def report(call, modules):
    """Prints the problems of modules; 1 if one is not legal."""
    failed, wanted = 0, call.options["--check"]
    for module in modules:
        targets = check.targets_of(module) if wanted == "auto" else [wanted]
        target, problems = check.best(module, targets)
        for problem in problems:
            print(problem, file=sys.stderr)
        legal = not any(p.is_error for p in problems)
        failed += not legal
        print(f"{call.script}: {'legal' if legal else 'not legal'} on {target}", file=sys.stderr)
    if not modules:
        print(f"{call.script}: it makes no module", file=sys.stderr)
    return 1 if failed or not modules else 0
