"""Options and fixtures for pytest.

`--pto-target a5` (or several) says for which targets tests with the fixture `pto_target` run; without it they run for all.
`--pto-check race,nan` checks every run of the tests, as the variable `PTO_CHECK` does.
"""

from __future__ import annotations

import pytest

from ._core import targets
from .settings import checks_of
from .settings import config as configure

TARGETS = targets(devices=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pto", "PTO programs")
    group.addoption(
        "--pto-target",
        action="append",
        choices=TARGETS,
        metavar="TARGET",
        help=f"run tests with the fixture pto_target for this target only ({', '.join(TARGETS)}; may be repeated)",
    )
    group.addoption(
        "--pto-check",
        metavar="CHECKS",
        help="check every run: race, bounds, nan, separated by commas (default: the variable PTO_CHECK)",
    )


def pytest_configure(config: pytest.Config) -> None:
    checks = config.getoption("--pto-check")
    if checks is None:
        return
    try:
        checks = checks_of(checks)
    except ValueError as wrong:
        raise pytest.UsageError(f"--pto-check: {wrong}") from None
    before = configure(check=checks)
    config.add_cleanup(lambda: configure(**before))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "pto_target" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--pto-target") or TARGETS
        metafunc.parametrize("pto_target", list(dict.fromkeys(chosen)), indirect=True)


@pytest.fixture
def pto_target(request: pytest.FixtureRequest):
    """The target of the test, which is the default target while it runs."""
    before = configure(target=request.param)
    yield request.param
    configure(target=before["target"])


@pytest.fixture
def pto_config():
    """`pto.config`, undone at the end of the test."""
    before = configure()
    yield configure
    configure(**before)
