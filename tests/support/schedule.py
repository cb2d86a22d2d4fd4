"""Plugin of pytest: runs long files first, and says what was left out and which command runs it.

``pytest --write-seconds`` measures the files anew, for ``tests/seconds.json``.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

TESTS = Path(__file__).parents[1]
SECONDS = TESTS / "seconds.json"
LEAST = 0.5
"""Files that take less are not kept."""
LEFT_OUT = pytest.StashKey[int]()
TAKEN: Counter[str] = Counter()
"""Seconds by file, as the reports of tests come in."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that measures the files."""
    parser.addoption("--write-seconds", action="store_true", help=f"measure the files for {SECONDS.name}")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count."""
    config.stash[LEFT_OUT] = 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first: a worker that has nothing left takes over short ones."""
    known: dict[str, float] = json.loads(SECONDS.read_text())
    items.sort(key=lambda item: -known.get(name_of(item.path), 0.0))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count the slow tests that are left out."""
    for item in items:
        item.config.stash[LEFT_OUT] += item.get_closest_marker("slow") is not None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what a worker knows to the process that started it, and keep the seconds there."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["left out"] = config.stash[LEFT_OUT]
        # A worker that takes long to end is killed.
        if measured := Coverage.current():
            measured.save()
    elif config.option.write_seconds:
        taken = {name: round(spent, 1) for name, spent in TAKEN.most_common() if spent > LEAST}
        SECONDS.write_text(f"{json.dumps(taken, indent=0)}\n")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the count of a worker; every worker collects all tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left out", 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add what a test took to the seconds of its file."""
    TAKEN[report.nodeid.partition("::")[0].removeprefix(f"{TESTS.name}/")] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was left out."""
    if count := config.stash[LEFT_OUT]:
        terminalreporter.write_line(
            f"left out: {count:,} slow tests (make test-all), and those of engines (make test-engines)"
        )


def name_of(path: Path) -> str:
    """Return the name of a file among the tests."""
    return path.relative_to(TESTS).as_posix()
