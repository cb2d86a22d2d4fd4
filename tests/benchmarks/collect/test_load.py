"""The load test of a served study, with a few people."""

from __future__ import annotations

import re
import sys

import pytest

import load


@pytest.mark.slow
def test_a_few_people_at_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["load.py", "--people", "6", "--items", "3", "--think", "0.01"])
    load.main()
    out = capsys.readouterr().out
    assert out.startswith("78 requests in ")  # two pages before, eleven on the way, for six people
    assert re.search(r"p50 \d+ ms, p95 \d+ ms", out)
    assert out.endswith("no answer is lost: 18 of 6 people\n")


def test_a_lost_answer_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["load.py", "--people", "2", "--items", "2", "--think", "0.01"])
    confirmed = load.take_part

    async def more(*words: object) -> tuple[str, dict[str, str]]:
        token, answers = await confirmed(*words)
        return token, {**answers, "3": "yes"}

    monkeypatch.setattr(load, "take_part", more)
    with pytest.raises(AssertionError, match="what is stored differs from what was confirmed"):
        load.main()
