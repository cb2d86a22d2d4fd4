"""``probsense score`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.core.records import OptionScore, ScoreRequest, ScoreResponse
from probsense.models.small.random import RandomModel, one_token
from support.command import Probsense, assert_refused

SKY = ("The sky is", " blue", " yellow-pink")


def test_nothing_is_stripped_from_what_is_given(probsense: Probsense) -> None:
    words = ("--suffix", " \t", "--json", "--", " a\n", "-b ", "\\n")
    document = json.loads(probsense("score", "-m", "random", *words).out)
    assert (document["prefix"], document["suffix"]) == (" a\n", " \t")
    assert [option["option"] for option in document["options"]] == ["-b ", "\\n"]


def test_many_prefixes_in_one_go(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("prefix,option1,option2\nThe sky is, blue, green\nGrass is, blue, green\n")
    shown = probsense("score", "-m", "random", "--input", path)
    quiet = probsense("score", "-m", "random", "--input", path, "--out", tmp_path / "out.csv", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert (tmp_path / "out.csv").read_text() == shown.out
    document = json.loads(probsense("score", "-m", "random", "--input", path, "--json", "-q").out)
    assert [item["prefix"] for item in document["items"]] == ["The sky is", "Grass is"]


def test_near_ties_and_straddling_tokens_are_told(
    probsense: Probsense, monkeypatch: pytest.MonkeyPatch
) -> None:
    def even(model: RandomModel, request: ScoreRequest) -> ScoreResponse:
        nothing = one_token("", 0.0)
        return ScoreResponse(tuple(OptionScore(one_token(o, -1.0), nothing, True) for o in request.options))

    monkeypatch.setattr(RandomModel, "_score", even)
    done = probsense("score", "-m", "random", *SKY)
    tied, across = done.err.splitlines()
    assert tied.startswith("note: near-tie under sum")
    assert across.startswith("note: a token spans a join")
    assert json.loads(probsense("score", "-m", "random", *SKY, "--json").out)["near_ties"][0] == "sum"


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ((), "--input"),
        (("--input", "in.jsonl", "--suffix", "a"), "--suffix"),
        ((*SKY, "--out", "o.csv"), "--out"),
        (("a", " b", "--input", "in.jsonl"), "--input"),
    ],
)
def test_faulty_words(probsense: Probsense, words: tuple[object, ...], fact: str) -> None:
    assert_refused(probsense("score", "-m", "random", *words), fact)
