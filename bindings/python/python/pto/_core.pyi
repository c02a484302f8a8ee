"""The native part of the package; not an interface for others."""

import os
from typing import Any, Iterator, Sequence

class Diagnostic:
    """A problem of a program: an error or a warning, with its place. `str` renders it with the lines it is about."""

    @property
    def code(self) -> str:
        """The stable id, such as `PTO-E0802`."""
    @property
    def severity(self) -> str:
        """`error` or `warning`."""
    @property
    def message(self) -> str:
        """What was found, in one sentence."""
    @property
    def file(self) -> str:
        """The file, or an empty text."""
    @property
    def line(self) -> int:
        """The line from 1, or 0 if there is no place."""
    @property
    def column(self) -> int:
        """The column from 1, or 0."""
    @property
    def origin(self) -> tuple[str, int, int] | None:
        """Where the statement was made, `(file, line, column)`, if its text says so: `loc("kernel.py":12:3)`."""
    @property
    def places(self) -> list[tuple[str, int, int, str]]:
        """Other places that matter, each as `(file, line, column, remark)`."""
    @property
    def legal(self) -> list[str]:
        """What is legal, one text each."""
    @property
    def help(self) -> str | None:
        """How to fix it."""
    @property
    def is_error(self) -> bool:
        """True for an error, false for a warning."""

class RunResult:
    """What a run did: `result["y"]` is the array of a parameter after it."""

    @property
    def seconds(self) -> float:
        """How long the run itself took."""
    @property
    def instructions(self) -> int:
        """Instructions that were executed, over all blocks."""
    @property
    def target(self) -> str:
        """The target it ran for."""
    @property
    def entry(self) -> str:
        """The function that was run."""
    @property
    def outputs(self) -> dict[str, Any]:
        """The arrays that the program wrote, by parameter."""
    @property
    def printed(self) -> list[tuple[int, str]]:
        """What each block printed, as `(block, text)`."""
    @property
    def warnings(self) -> list[Diagnostic]:
        """Warnings of the checks and of the run."""
    def keys(self) -> list[str]:
        """The names of the parameters that are memory."""
    def __getitem__(self, name: str) -> Any: ...
    def __contains__(self, name: str) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def _repr_html_(self) -> str: ...

class PlanResult:
    def text(self) -> str: ...
    def json(self) -> str: ...
    def page(self) -> str: ...

class RaceResult:
    def findings(self) -> list[Diagnostic]: ...
    def rendered(self) -> str: ...
    def instructions(self) -> int: ...
    def stopped(self) -> int | None: ...
    def sync(self) -> str: ...
    def target(self) -> str: ...
    def json(self) -> str: ...
    def page(self) -> str: ...

class PerfResult:
    def cycles(self) -> float: ...
    def microseconds(self) -> float: ...
    def instructions(self) -> int: ...
    def entry(self) -> str: ...
    def target(self) -> str: ...
    def text(self) -> str: ...
    def timeline(self, width: int) -> str: ...
    def json(self) -> str: ...
    def page(self) -> str: ...
    def chrome_trace(self) -> str: ...

class Program:
    def __init__(self, text: str, name: str) -> None: ...
    @staticmethod
    def from_bytecode(data: bytes, name: str) -> Program: ...
    @property
    def stated_target(self) -> str | None: ...
    def state(self) -> tuple[str, str]: ...
    def check(self, target: str | None = None) -> list[Diagnostic]: ...
    def check_json(self, target: str | None) -> str: ...
    def params(
        self, target: str | None = None, entry: str | None = None
    ) -> list[tuple[str, str, str, list[int | None]]]: ...
    def extents(
        self, scalars: Sequence[float | None], target: str | None, entry: str | None, blocks: int
    ) -> list[tuple[int, list[int], bool] | None]: ...
    def run(
        self,
        args: tuple,
        named: dict[str, Any] | None,
        target: str | None,
        entry: str | None,
        blocks: int,
        threads: int,
        seed: int,
        copy: bool,
        numerics: str | None,
        uninitialised: str | None,
        strict: bool,
    ) -> RunResult: ...
    def race(
        self,
        args: tuple,
        named: dict[str, Any] | None,
        target: str | None,
        entry: str | None,
        blocks: int,
        seed: int,
        all_paths: bool,
        sync: str | None,
        limit: int | None,
    ) -> RaceResult: ...
    def perf(
        self,
        args: tuple,
        named: dict[str, Any] | None,
        target: str | None,
        entry: str | None,
        blocks: int,
        seed: int,
        cores: int | None,
        model: str | None,
        advice: bool,
    ) -> PerfResult: ...
    def plan(self, target: str | None, tight: bool) -> PlanResult: ...
    def lower(self, target: str | None, to: str, mode: str, tight: bool) -> Program: ...
    def sync(self, target: str | None, mode: str) -> Program: ...
    def emit_cpp(self, target: str | None, sync: str) -> str: ...
    def emit_bytecode(self) -> bytes: ...
    def to_text(self, form: str | None = None) -> str: ...

def command(args: list[str | os.PathLike]) -> int: ...
def address(obj: Any) -> int | None: ...
def is_bytecode(data: bytes) -> bool: ...
def instruction_table() -> Any: ...
