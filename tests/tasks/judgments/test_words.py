"""The words of judgments: every measure is explained, measures stand side by side, and a page has opening words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from probsense import load_model
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.measures.estimates import BASELINE, PEOPLE
from probsense.tasks.judgments.measures.individuals import COMPARED
from probsense.tasks.judgments.task import Judgments
from probsense.tasks.judgments.words import SHOWN, WORDS, key_results

GUIDE = Path(__file__).parents[3] / "docs" / "judgments.md"
MEASURES = WORDS.measures


def estimate(measure: str, value: float, method: str = "two-way bootstrap", **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, method)


def test_the_guide_lists_measures_that_exist():
    section = GUIDE.read_text(encoding="utf-8").split("## What is measured")[1].split("### The majority")[0]
    cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    listed = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert len(listed) > 5
    assert {*listed} <= {*MEASURES}


@pytest.mark.usefixtures("short_bootstrap")
def test_every_measure_has_words_and_all_words_are_of_a_measure(analysed, tmp_path, ask, mumbler):
    """A study of 104 statements, 14 people and six models, of which everything is measured that can be."""
    rng = np.random.default_rng(3)
    share, names = np.tile([0.9, 0.1, 0.6, 0.3], 26), [f"P{i}" for i in range(14)]
    said = {q: (rng.random(104 * 14) < np.repeat(share, 14)).astype(int) for q in ("q1", "q2")}
    yes = (share + rng.random((12, 104))).ravel() / 2
    about = {
        "statement_id": np.tile(np.arange(104), 12),
        "question": np.tile(np.repeat(["q1", "q2"], 104), 6),
    }
    masses = {"p_yes": yes, "p_no": 1 - yes, "p_other": np.zeros(1248)}
    tables = {
        "data": {"statement": [f"Statement {i}." for i in range(104)], "opinion": [0, 1] * 52},
        "humans": {"statement_id": np.repeat(np.arange(104), 14), "person": names * 104, **said},
        "demographics": {"person": names, "gender": ["f", "m"] * 7},
        "sizes": {"model": [*"abcdef"], "parameters": [2**i for i in range(6)], "family": [*"xyzxyz"]},
        "ratings": {"model": np.repeat([*"abcdef"], 208), **about, **masses},
    }
    recorded = analysed(**{name: pl.DataFrame(columns).write_csv() for name, columns in tables.items()})
    people = {"humans": [tmp_path / "humans.csv"], "demographics": tmp_path / "demographics.csv"}
    run = ask(Judgments(tmp_path / "data.csv", **people), load_model("random:1"))
    every = (recorded, run, ask(Judgments(), mumbler))
    found = [estimate for one in every for estimate in one.results.estimates]
    assert {e.measure for e in found} == {*MEASURES, *(f"{measure}_difference" for measure in COMPARED)}
    assert {e.method for e in found} == {*WORDS.methods, "clustered", "clustered Wilson"}


def test_measures_are_grouped_once_and_simple_rules_are_no_models():
    names = [name for group in WORDS.groups for name in group.measures]
    assert len(set(names)) == len(names)
    assert [WORDS.is_model(name) for name in ("m", PEOPLE, f"{BASELINE}always yes")] == [True, True, False]
    for part in ("feature", "question", "people", "of", "versus"):
        assert not WORDS.is_overall(estimate("win_rate", 0.5, model="m", **{part: "x"}))


def test_the_page_says_how_many_models_beat_people():
    found = [estimate("commonsensicality", 0.5 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 0.35 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 1.0, model="baseline: majority")]
    said = key_results(found, WORDS)
    assert said.headline.startswith("Of 7 models, 3 beat more than half of the people")
    assert [result.model for result in said.models] == ["m6", "m5", "m4", "m3", "m2"][:SHOWN]
    assert key_results(found[:1], WORDS).headline == ""
    assert key_results(found[7:10], WORDS).headline.startswith("None of 3 models")


def test_a_model_is_told_of_by_score_wins_and_correlation():
    score, agrees = estimate("commonsensicality", 0.7, model="m"), estimate("consensus", 0.58, model="m")
    always = estimate("consensus", 0.5, model="baseline: always yes")
    anybody = estimate("consensus", 0.79, model="baseline: random person")
    wins, r = estimate("win_rate", 0.4, model="m"), estimate("group_r", 0.25, model="m")
    (whole,) = key_results([score, wins, r], WORDS).models
    assert whole.said == "scores 70 % in common sense [68, 72]."
    assert whole.rest == (
        "It beats 40 % of the people in common sense [38, 42], fewer than half of them."
        " As a population it correlates with people by 0.250 (95 % interval 0.230 to 0.270)."
    )
    told = "judges 58 % of statements as most people do [56, 60]"
    for beside, said in (
        ([anybody, always], "; a random person, 79 %."),
        ([always], ", more than always saying yes (50 %)."),
    ):
        assert key_results([score, agrees, *beside], WORDS).models[0].said == told + said
