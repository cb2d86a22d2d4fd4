"""``probsense run judgments`` and ``probsense analyse judgments``, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.models.small import builtin
from support.command import Probsense, assert_refused


@pytest.mark.usefixtures("undrawn")
def test_two_people_are_too_few_for_a_score_and_are_said_to_be(probsense: Probsense, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("statement,person,q1,q2\nA.,P1,1,1\nB.,P1,0,0\nA.,P2,1,1\n")
    (tmp_path / "statements.csv").write_text("statement\nA.\nB.\n")
    words = ("--data", "statements.csv", "--humans", "people.csv")
    ratings = ("--write-results", "ratings", "--quiet")
    assert probsense("run", "judgments", "--model", "random:1", *words, *ratings).code == 0
    done = probsense(
        *("analyse", "judgments", "--ratings", "ratings/random-1_ratings.csv", *words),
        *("--report", "page.html", "--figures", "figures", "--full"),
    )
    assert done.code == 0, done.err
    assert done.out.startswith("Warning: 2 people and 2 statements: with so few, all estimates are rough\n")


def test_a_prompt_format_is_recorded_in_the_run(probsense: Probsense) -> None:
    words = ("run", "judgments", "-m", f"hf:{builtin.HERE / 'tiny'}", "--limit", "3", "-q", "--json")
    done = probsense(*words, "-M", "prompt_format=falcon")
    assert json.loads(done.out)["run"]["details"]["prompt_format"] == "falcon"
    assert_refused(probsense(*words, "-M", "prompt_format=falcn"), "did you mean 'falcon'?")


def test_a_dry_run_is_told_as_json_too(probsense: Probsense, tmp_path: Path) -> None:
    words = ("run", "judgments", "--model", "random:1", "--limit", 30, "--dry-run", "--json")
    document = json.loads(probsense(*words).out)
    assert document["dry_run"][0]["used"]["requests"] == 30
    assert not (tmp_path / "probsense.db").exists()
