"""``probsense score`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.core.records import OptionScore, ScoreRequest, ScoreResponse
from probsense.models.small.random import RandomModel, one_token
from support.command import Probsense, assert_refused

SKY = ("--prefix", "The sky is", "--option", " blue", "--option", " yellow-pink")


def test_a_distribution_is_printed_with_bars(probsense: Probsense) -> None:
    done = probsense("score", "--model", "random:3", *SKY)
    assert (done.code, done.err) == (0, "")
    assert '"The sky is" …: rule sum, temperature 1' in done.out
    assert '" yellow-pink"' in done.out
    assert "█" in done.out
    assert "\x1b" not in done.out


def test_all_views_of_the_built_in_model(probsense: Probsense) -> None:
    done = probsense("score", "--model", "builtin:tiny", *SKY, "--rule", "all")
    assert done.code == 0
    heading = next(line for line in done.out.splitlines() if line.startswith("Option"))
    assert heading.split() == ["Option", "sum", "token", "char", "byte", "mean_prob"]
    whole = probsense(
        "score", "-m", "builtin:tiny", *SKY, "--rule", "all", "--suffix", ".", "--neutral", "So"
    )
    for view in ("partial", "full", "pmi"):
        assert view in whole.out


def test_json_is_the_whole_of_stdout(probsense: Probsense) -> None:
    done = probsense("score", "-m", "builtin:tiny", *SKY, "--temperature", 2, "--rule", "token", "--json")
    document = json.loads(done.out)
    assert (document["schema"], document["model"], document["rule"]) == (1, "builtin:tiny", "token")
    assert document["temperature"] == 2.0
    assert [option["option"] for option in document["options"]] == [" blue", " yellow-pink"]
    assert sum(option["probability"] for option in document["options"]) == pytest.approx(1)
    assert set(document["views"]) == {"sum", "token", "char", "byte", "mean_prob"}
    assert document["best"] in (" blue", " yellow-pink")


def test_prefix_and_options_may_be_arguments(probsense: Probsense) -> None:
    flags = probsense("score", "-m", "random:3", *SKY)
    assert probsense("score", "-m", "random:3", *SKY[1::2]) == flags
    assert probsense("score", "-m", "random:3", SKY[1], *SKY[2:]) == flags


def test_nothing_is_stripped_from_what_is_given(probsense: Probsense) -> None:
    words = ("--prefix", " a\n", "--option", "-b ", "--option", "\\n", "--suffix", " \t")
    document = json.loads(probsense("score", "-m", "random", *words, "--json").out)
    assert (document["prefix"], document["suffix"]) == (" a\n", " \t")
    assert [option["option"] for option in document["options"]] == ["-b ", "\\n"]


def test_many_prefixes_in_one_go(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("prefix,option1,option2\nThe sky is, blue, green\nGrass is, blue, green\n")
    shown = probsense("score", "-m", "random", "--input", path)
    assert shown.out.splitlines()[0] == "id,option,logprob,tokens,p.sum"
    assert len(shown.out.splitlines()) == 5
    assert "2 of 2 items" in shown.err
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
        (("--prefix", "a", "--input", "in.jsonl"), "--input"),
        (("--input", "in.jsonl", "--option", "a"), "--option"),
        (("--input", "in.jsonl"), "in.jsonl"),
        (("--input", "in.jsonl", "--out", "o.txt"), ".csv or .jsonl"),
        ((*SKY, "--out", "o.csv"), "--out"),
        (("--prefix", "a"), "no options"),
        (("a", " b", "--prefix", "a"), "--prefix beside the argument 'a'"),
        (("a", " b", "--option", " c"), "--option beside the argument ' b'"),
        (("a", " b", "--input", "in.jsonl"), "--input"),
        ((*SKY, "--rule", "pmi"), "neutral"),
        ((*SKY, "--rule", "best"), "mean_prob"),
        ((*SKY, "--temperature", 0), "above 0"),
        ((*SKY, "--dtype", "float32"), "dtype"),
    ],
)
def test_faulty_words(probsense: Probsense, words: tuple[object, ...], fact: str) -> None:
    assert_refused(probsense("score", "-m", "random", *words), fact)


def test_a_model_of_texts_cannot_score(probsense: Probsense, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "1", "response": "x"}\n')
    assert_refused(probsense("score", "-m", "recorded:r.jsonl", *SKY), "cannot score")
