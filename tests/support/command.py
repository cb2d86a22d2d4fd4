"""What the command ``probsense`` did, as a test in its own process sees it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


Probsense = Callable[..., Done]
"""Runs ``probsense`` with these words."""


def assert_refused(done, *facts):
    """Bad input ends with the exit code 2, nothing on stdout, and one line on stderr that has the facts.

    A line about what the command takes may follow.
    """
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("probsense: "), done.err
    first, *usage = done.err.splitlines()
    assert len(usage) <= 1, done.err
    assert all(line.startswith("usage: probsense ") for line in usage), done.err
    for fact in facts:
        assert fact in first, done.err
