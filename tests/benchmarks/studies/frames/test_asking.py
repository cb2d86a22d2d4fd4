"""The benchmark of ways to ask about frames, on few questions."""

from __future__ import annotations

import json
import sys

import pytest

import asking
from probsense.tasks.frames.questions.frames import PACKAGED


@pytest.mark.slow
def test_both_ways_are_rows_of_one_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys,
        "argv",
        ["x", "builtin:tiny", "--questions", "2", "--answers", "3", "--ways", "published", "chat-2"],
    )
    asking.main()
    found = capsys.readouterr()
    rows = found.out.splitlines()[2:]
    assert [row.split("|")[2].strip() for row in rows] == [
        "published (published, 1 examples)",
        "chat-2 (chat, 2 examples)",
    ]
    assert all(len(row.split("|")) == 8 and "%" in row for row in rows)


def test_no_question_is_in_both_parts() -> None:
    parts = [
        {json.loads(line)["id"] for line in asking.drawn([PACKAGED], part, 5)}
        for part in ("choose", "report")
    ]
    assert [len(part) for part in parts] == [5, 5]
    assert not parts[0] & parts[1]
