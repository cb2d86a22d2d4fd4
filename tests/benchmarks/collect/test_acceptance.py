"""The whole way of a study with a few people: served, killed twice, exported, and every answer accounted for."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import acceptance
from participants import Record

FEW = ["acceptance.py", "--people", "6", "--think", "0.05", "--away", "0.1"]


@pytest.mark.slow
def test_no_answer_is_lost_and_none_is_there_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    browsers = 2 if shutil.which("chromium") else 0
    monkeypatch.setattr(sys, "argv", [*FEW, "--browsers", str(browsers), "--out", str(tmp_path)])
    acceptance.main()
    out = capsys.readouterr().out
    assert "the server was killed 2 times; " in out
    assert ": none lost, none twice, none foreign" in out
    assert "statements have 2 to 2 people each" in out


def test_an_answer_that_is_lost_twice_or_foreign_is_seen(tmp_path: Path) -> None:
    def export(*answers: str) -> None:
        people = "person,participant,end,kept\n1,w1,completion,1\n"
        (tmp_path / "participants.csv").write_text(people)
        lines = "".join(
            f"1,statement,{page},q1,{value},1\n" for page, value in (one.split() for one in answers)
        )
        (tmp_path / "answers.csv").write_text(f"person,kind,page,field,value,versions\n{lines}")
        (tmp_path / "people.csv").write_text("statement_id\n0\n")

    record = Record({"1": {"q1": "yes"}, "2": {"q1": "no"}}, {"1"})
    # The second was sent, stored, and the server was killed before it said so.
    export("1 yes", "2 no")
    (said, *_) = acceptance.account(tmp_path, {"w1": record}, [])
    assert said.startswith("2 answers in the export, 1 confirmed to people")
    for answers, fault in (
        (("2 no",), "1 answers are lost"),
        (("1 no",), "1 answers are lost, 1 were never sent"),
        (("1 yes", "1 yes"), "twice"),
        (("1 yes", "3 no"), "0 answers are lost, 1 were never sent"),
    ):
        export(*answers)
        with pytest.raises(AssertionError, match=fault):
            [*acceptance.account(tmp_path, {"w1": record}, [])]
