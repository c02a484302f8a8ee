"""Programs: what is read from text, files or bytecode, and everything that can be done with it."""

from __future__ import annotations

import os
from typing import Any, Iterable

from . import _core
from .errors import CheckError, RaceError
from .settings import checks_of, settings

__all__ = ["Program", "Programs", "load_dir"]


class Program:
    """A PTO program: text, a path of a `.pto` or `.ptobc` file, or bytes (bytecode, or text in UTF-8).

    Reading never fails; `check` says what is wrong. A text is told from a path by its line breaks and brackets; `os.PathLike` is
    always a path. `name` is the file that diagnostics name.

    >>> import pto
    >>> pto.Program("func.func @f() { return }").check("a5")
    []
    """

    __slots__ = ("__weakref__", "_core")

    def __init__(self, source: str | os.PathLike | bytes | bytearray, *, name: str | None = None) -> None:
        if isinstance(source, os.PathLike) or (isinstance(source, str) and _is_path(source)):
            path = os.fspath(source)
            with open(path, "rb") as file:
                self._core = _read(file.read(), name or str(path))
        elif isinstance(source, str):
            self._core = _core.Program(source, name or "<text>")
        else:
            self._core = _read(bytes(source), name or "<bytes>")

    @classmethod
    def _of(cls, core: _core.Program) -> Program:
        """A program around what the native part has made."""
        self = cls.__new__(cls)
        self._core = core
        return self

    def check(self, target: str | None = None, *, strict: bool = False):
        """Every problem for a target, errors and warnings, in source order: a list that a notebook shows with its lines.

        With `strict`, errors raise `CheckError`. Default target: the one of the program, of `pto.config`, else `a2a3`.
        """
        from .reports import Diagnostics

        found = Diagnostics(self._core.check(target or settings.target), self, target or settings.target)
        if strict and any(d.is_error for d in found):
            raise CheckError(str(found), found)
        return found

    def run(
        self,
        *args: Any,
        target: str | None = None,
        entry: str | None = None,
        blocks: int = 1,
        threads: int = 0,
        seed: int = 0,
        copy: bool = False,
        check: str | Iterable[str] | None = None,
        numerics: str | None = None,
        uninitialised: str | None = None,
        strict: bool = False,
        open_windows: bool = False,
        tiles: bool | str | Iterable[str] = False,
        **named: Any,
    ) -> _core.RunResult:
        """Runs the entry function on arrays, in place, and returns a result: `result["y"]`, `result.seconds`.

        Arguments are given by position or by the names of the parameters: NumPy and ml_dtypes arrays, torch tensors on the CPU,
        objects with `__dlpack__`, buffers; numbers for scalars. `pto.rand()`, `pto.zeros()`, `pto.fill(x)` and `pto.arange()` make an
        array of the size that the program needs, and so does no argument at all: random where the program reads, zero where it
        only writes.

        entry: the function to run; default: the one marked `pto.entry`, or the only one.
        blocks, threads: how often it runs, each time with another block number, and on how many threads (0: one per core).
        seed: seed of random data.
        copy: arrays that are not contiguous are copied, and written ones copied back; otherwise they are an error.
        check: as `pto.config`: `"race"`, `"bounds"`, `"nan"`.
        numerics: whose arithmetic, `"reference"`, `"a2a3"` or `"a5"`.
        uninitialised: `"nan"` fills tiles with NaN before the run.
        strict: reads of uninitialised tiles stop the run.
        open_windows: windows may leave their tensor, as on a device; accesses must still lie in the arrays.
        tiles: also keep what tiles hold at the end: `True`, or names; see `result.tiles` and `result.tile("t")`. If the run fails, the
        exception has them as `tiles`.
        """
        if target is None:
            target = settings.target
        if uninitialised is None:
            uninitialised = settings.uninitialised
        checks = settings.check if check is None else checks_of(check)
        if checks:
            from .checking import run

            options = (target, entry, blocks, threads, seed, copy, numerics, uninitialised, strict, open_windows, tiles)
            return run(self, checks, args, named, *options)
        return self._core.run(
            args, named, target, entry, blocks, threads, seed, copy, numerics, uninitialised, strict, open_windows, tiles
        )

    def race(
        self,
        *args: Any,
        target: str | None = None,
        entry: str | None = None,
        blocks: int = 1,
        seed: int = 0,
        all_paths: bool = False,
        sync: str | None = None,
        limit: int | None = None,
        strict: bool = False,
        **named: Any,
    ):
        """Runs the program on copies of the arrays and reports unordered accesses, deadlocks and missing flags.

        The report is true if something was found; with `strict`, findings raise `RaceError`.

        all_paths: also branches and loops that this data does not take.
        sync: who orders the pipes of a core, `"manual"` (the program) or `"auto"` (the toolchain); default: inferred.
        limit: stop after this many instructions.
        """
        from .reports import RaceReport

        core = self._core.race(
            args, named, target or settings.target, entry, blocks, seed, all_paths, sync, limit
        )
        report = RaceReport(core)
        if strict and report:
            raise RaceError(str(report), report.diagnostics)
        return report

    def perf(
        self,
        *args: Any,
        target: str | None = None,
        entry: str | None = None,
        blocks: int = 1,
        seed: int = 0,
        cores: int | None = None,
        model: str | None = None,
        advice: bool = True,
        **named: Any,
    ):
        """Predicts the cycles of a run, its bottleneck, and what would help.

        Scalars must be given; arrays matter only if control flow depends on their numbers.

        cores: how many cores; default: as many as the target has.
        model: `"calibrated"` (laws fitted to measurements) or `"documented"` (the figures of the instruction pages).
        advice: also try changes.
        """
        from .reports import PerfReport

        core = self._core.perf(
            args, named, target or settings.target, entry, blocks, seed, cores, model, advice
        )
        return PerfReport(core)

    def trace(self, *args: Any, **named: Any):
        """The predicted run as a timeline: `perf(...).trace()`."""
        return self.perf(*args, advice=False, **named).trace()

    def plan(self, target: str | None = None, *, tight: bool = False):
        """The addresses and lifetimes of tiles. `tight` shares memory even where everything fits side by side."""
        from .reports import PlanReport

        return PlanReport(self._core.plan(target or settings.target, tight))

    def lower(
        self, target: str | None = None, *, to: str = "level3", mode: str = "minimal", tight: bool = False
    ) -> Program:
        """The program with an address for every tile and the flags it needs (`to="level2"`: only buffers).

        mode: `"minimal"` flags, `"barriers"`, or `"none"`.
        """
        return Program._of(self._core.lower(target or settings.target, to, mode, tight))

    def sync(self, target: str | None = None, *, mode: str = "minimal") -> Program:
        """The program with the flags and barriers it needs."""
        return Program._of(self._core.sync(target or settings.target, mode))

    def emit_cpp(self, target: str | None = None, *, sync: str = "unstated") -> str:
        """C++ against the public headers. `sync`: which kernels get flags, `"unstated"` (those without any), `"auto"`, `"none"`."""
        return self._core.emit_cpp(target or settings.target, sync)

    def emit_bytecode(self) -> bytes:
        """The program in the public bytecode container."""
        return self._core.emit_bytecode()

    def to_text(self, form: str | None = None) -> str:
        """The program as text, in a form (`"level1"`, `"level2"`, `"asm"`, `"generic"`) or as it is."""
        return self._core.to_text(form)

    def diff(self, other: Program, *, form: str | None = None) -> str:
        """A unified diff of two programs as they print; empty if they are the same."""
        import difflib

        before, after = self.to_text(form).splitlines(True), other.to_text(form).splitlines(True)
        return "".join(difflib.unified_diff(before, after, self.name, other.name))

    def params(self, target: str | None = None, entry: str | None = None) -> list[tuple[str, str, str, list]]:
        """The parameters of the entry function, each as `(name, kind, type, extents)`."""
        return self._core.params(target or settings.target, entry)

    @property
    def name(self) -> str:
        """The file that diagnostics name."""
        return self._core.state()[1]

    @property
    def target(self) -> str:
        """The target that runs and checks use by default."""
        return settings.target or self._core.stated_target or "a2a3"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and (self is other or self.to_text() == other.to_text())

    def __hash__(self) -> int:
        return hash(self.to_text())

    def __reduce__(self):
        text, name = self._core.state()
        return _unpickled, (text, name)

    def __repr__(self) -> str:
        return f"<pto.Program {self.name}>"

    def __str__(self) -> str:
        return self.to_text()


class Programs(dict):
    """Programs by path, as `load_dir` finds them. Verbs work on all of them."""

    def check(self, target: str | None = None) -> dict:
        """The problems of each program that has some."""
        found = {path: program.check(target) for path, program in self.items()}
        return {path: problems for path, problems in found.items() if problems}

    def race(self, **options: Any) -> dict:
        """The race report of each program."""
        return {path: program.race(**options) for path, program in self.items()}

    def perf(self, **options: Any) -> dict:
        """The prediction for each program."""
        return {path: program.perf(**options) for path, program in self.items()}

    def run(self, **options: Any) -> dict:
        """The result of each program."""
        return {path: program.run(**options) for path, program in self.items()}


def load_dir(path: str | os.PathLike) -> Programs:
    """Every `.pto` and `.ptobc` file below a directory, in order of their paths."""
    found = Programs()
    for folder, folders, files in os.walk(path):
        folders.sort()
        for file in sorted(files):
            if file.endswith((".pto", ".ptobc")):
                whole = os.path.join(folder, file)
                found[os.path.relpath(whole, path)] = Program(_Path(whole))
    if not found:
        raise FileNotFoundError(f"no .pto or .ptobc file below {os.fspath(path)}")
    return found


class _Path(os.PathLike):
    """A path, whatever its characters are."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


def _is_path(text: str) -> bool:
    return "\n" not in text and "(" not in text and "{" not in text and text.endswith((".pto", ".ptobc", ".mlir"))


def _read(data: bytes, name: str) -> _core.Program:
    if _core.is_bytecode(data):
        return _core.Program.from_bytecode(data, name)
    try:
        return _core.Program(data.decode("utf-8"), name)
    except UnicodeDecodeError as e:
        raise CheckError(f"{name}: byte {e.start} is not UTF-8; save the file as UTF-8") from None


def _unpickled(text: str, name: str) -> Program:
    return Program._of(_core.Program(text, name))
