"""Tests of progress: lines, pace, and quiet."""

from __future__ import annotations

import io
import sys
import threading
from types import SimpleNamespace

import IPython
import pytest

from probsense.models.base import Usage
from probsense.runs.ask import progress
from probsense.runs.ask.progress import describe_pace, describe_usage, lines, show_progress


def test_pace():
    known = {
        (0, 10, 5.0): "",
        (5, 5, 0.0): "",
        (1, 7322, 1.0): "1.0 items/s, 2:02:02 left",
        (2, 4, 61.0): "30.5 s for each item, 0:02:02 left",
        (3000, 0, 2.0): "1,500.0 items/s",
    }
    assert {numbers: describe_pace(*numbers) for numbers in known} == known


def at(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> None:
    """Tell these times one after the other."""
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=iter(seconds).__next__))


def test_lines_come_at_steps_of_share_or_time(monkeypatch):
    at(monkeypatch, 0.0, 1.0, 2.0, 3.0, 9.0, 9.5, 10.0, 11.0)
    written = []
    tell = lines("quiz", written.append)
    for done in (100, 105, 199, 200, 201, 201, 1000, 1000):
        tell(done, 1000)
    assert written == [
        "quiz: 100 of 1,000 items",
        "quiz: 200 of 1,000 items, 33.3 items/s, 0:00:24 left",
        "quiz: 201 of 1,000 items, 11.2 items/s, 0:01:11 left",
        "quiz: 1,000 of 1,000 items, 90.0 items/s",
    ]


@pytest.mark.parametrize("silent", [0.01, 60.0])
def test_a_long_wait_is_one_line(silent, capsys, monkeypatch):
    monkeypatch.setattr(progress, "SILENT_SECONDS", silent)
    before = {*threading.enumerate()}
    with progress.show_waiting("getting m ready", quiet=False):
        (alarm,) = {*threading.enumerate()} - before
        if silent < 1:
            alarm.join()
    alarm.join(10)  # one that is called off ends at once
    assert not alarm.is_alive()
    assert capsys.readouterr() == ("", "getting m ready …\n" if silent < 1 else "")


def test_tokens_are_told_where_a_network_is_asked(monkeypatch):
    usage = Usage(tokens=1000, naive=4000, seconds=0.5)
    served = Usage(tokens=1000, seconds=2.0, requests=40, written=80, cost=0.0123)
    assert [*map(describe_usage, (Usage(), Usage(tokens=1200, naive=1000), usage, served))] == [
        "",
        "1,200 tokens",
        "1,000 of 4,000 tokens (75 % saved), 2,000 tokens/s",
        "40 requests, 1,000 tokens, 80 written, cost 0.0123, 500 tokens/s",
    ]
    written = []
    at(monkeypatch, 0.0, 2.0)
    tell = lines("quiz", written.append, lambda: usage)
    tell(0, 10)
    tell(10, 10)
    assert written[1] == "quiz: 10 of 10 items, 5.0 items/s, " + describe_usage(usage)


def test_the_line_on_a_terminal_changes_in_place_and_the_last_one_stays(monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    used = Usage(tokens=123_456, naive=654_321, requests=300)
    with show_progress("quiz, hf:[model]", quiet=False, used=lambda: used) as tell:
        tell(100, 12_345)
        tell(12_345, 12_345)
    before, last = terminal.getvalue().rsplit("\x1b[2K", 1)
    assert "12,345" in before
    assert last.startswith("quiz, hf:[model]: 12,345 of 12,345 items, ")
    assert last.endswith(f", {describe_usage(used)}\n")


def test_a_notebook_has_one_line_that_changes(monkeypatch, capsys):
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=None))
    with show_progress("quiz", quiet=False) as tell:
        tell(10, 100)
        tell(100, 100)
    first, last = capsys.readouterr().err.split("\r")[1:]
    assert first.strip() == "quiz: 10 of 100 items"
    assert last.startswith("quiz: 100 of 100 items, ")
    assert last.endswith(" \n")
