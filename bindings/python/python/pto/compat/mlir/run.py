"""`python -m pto.compat mlir script.py`: runs a script, and checks what it built."""

import argparse
import os
import runpy
import sys

from . import check


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m pto.compat mlir", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--check", metavar="TARGET", help="report the problems for a2a3, a5, cpu, or `auto`: the device that a module names, else any")
    parser.add_argument("--save", metavar="DIR", help="write the modules with the lines of the script as .pto files")
    parser.add_argument("script", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the script")
    options = parser.parse_args(arguments)
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    runpy.run_path(options.script, run_name="__main__")
    modules = check.collected()
    if options.save:
        save(options, modules)
    return report(options, modules) if options.check else 0


def save(options, modules):
    os.makedirs(options.save, exist_ok=True)
    stem = os.path.splitext(os.path.basename(options.script))[0]
    for at, module in enumerate(modules):
        name = f"{stem}.pto" if len(modules) == 1 else f"{stem}_{at}.pto"
        with open(os.path.join(options.save, name), "w", encoding="utf-8") as file:
            file.write(check.text_of(module) + "\n")


def report(options, modules):
    """Prints the problems of modules; 1 if one is not legal."""
    failed = 0
    for module in modules:
        targets = check.targets_of(module) if options.check == "auto" else [options.check]
        target, problems = check.best(module, targets)
        for problem in problems:
            print(problem, file=sys.stderr)
        legal = not any(p.is_error for p in problems)
        failed += not legal
        print(f"{options.script}: {'legal' if legal else 'not legal'} on {target}", file=sys.stderr)
    if not modules:
        print(f"{options.script}: it makes no module", file=sys.stderr)
    return 1 if failed or not modules else 0
