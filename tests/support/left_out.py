"""Plugin of pytest: says how many tests were left out, and which command runs them."""

from __future__ import annotations

from typing import Any

import pytest
from coverage import Coverage

LEFT_OUT = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count."""
    config.stash[LEFT_OUT] = 0


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count the slow tests that are left out."""
    for item in items:
        item.config.stash[LEFT_OUT] += item.get_closest_marker("slow") is not None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what a worker knows to the process that started it."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["left out"] = config.stash[LEFT_OUT]
        # A worker that takes long to end is killed.
        if measured := Coverage.current():
            measured.save()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the count of a worker; every worker collects all tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was left out."""
    if count := config.stash[LEFT_OUT]:
        terminalreporter.write_line(
            f"left out: {count:,} slow tests (make test-all), and those of engines (make test-engines)"
        )
