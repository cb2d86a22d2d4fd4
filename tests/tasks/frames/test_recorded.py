"""Answers set against people's, recorded ones in both ways and probabilities exactly; what is understood of a file."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import InputError
from probsense.core.records import ScoreResponse
from probsense.tasks.base import Analysis
from probsense.tasks.frames.measures import exact
from probsense.tasks.frames.measures.comparison import Choice, figure
from probsense.tasks.frames.measures.published import Published
from probsense.tasks.frames.questions.read import PACKAGED
from probsense.tasks.frames.recorded import analyse, check_data, make_choice
from support.scored import option

TARGETS = {
    "soap": {"wash": {"to wash": 14, "washing": 6}, "bubbles": {"for bubbles": 8}, "smell": {"the smell": 4}},
    "sled": {"hill": {"a hill": 10, "on a hill": 9}, "street": {"the street": 6}, "yard": {"a yard": 3}},
    "lute": {"bard": {"a bard": 11, "bards": 3}, "king": {"a king": 8}, "fool": {"a fool": 6}},
}


@pytest.fixture
def targets(tmp_path):
    path = tmp_path / "targets.jsonl"
    lines = [
        {"id": name, "context": f"Something about a {name}.", "question": "What?", "clusters": clusters}
        for name, clusters in TARGETS.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def predictions(folder: Path, name: str, answers: dict[str, Any]) -> Path:
    path = folder / f"{name}_answers.jsonl"
    path.write_text("".join(json.dumps({"id": key, "answers": own}) + "\n" for key, own in answers.items()))
    return path


@pytest.fixture
def models(tmp_path):
    alike = {name: {a: n for own in c.values() for a, n in own.items()} for name, c in TARGETS.items()}
    apart = {name: {"qqq": 20, "zz z": 8} for name in TARGETS}
    return [predictions(tmp_path, "alike", alike), predictions(tmp_path, "apart", apart)]


def overall(analysis: Analysis) -> dict[tuple[str, str], Estimate]:
    return {(e.measure, str(e.by["model"])): e for e in analysis.results.estimates if "frame" not in e.by}


@pytest.mark.parametrize("clusters", ["people", "automatic", "none"])
def test_the_preferred_way(targets, models, clusters):
    analysis = analyse(targets, predictions=models, clusters=clusters, answers=10)
    found, results = overall(analysis), analysis.results
    for measure in ("kl", "js", "total_variation", "hellinger", "normalised"):
        assert found[measure, "alike"].value < found[measure, "apart"].value
        assert found[measure, "alike"].low <= found[measure, "alike"].value <= found[measure, "alike"].high
    assert found["normalised", "alike"].value < 0.3
    assert [found["max_answers@10", model].value for model in ("alike", "apart")] == [1, 0]
    single = [e.by["frame"] for e in results.estimates if e.measure == "kl" and "frame" in e.by]
    assert single == [*TARGETS] * 2
    counts = [(row["compared_with_people"], row["answered"], row["asked"]) for row in results.coverage]
    assert counts == [(3, 3, 3)] * 2
    assert set(results.tables) == {"distributions", "forest", "unmatched"}
    assert set(results.tables["unmatched"]["model"]) == {"apart"}
    assert any("like none of people's: “qqq” (20, soap)" in note for note in results.notes)


def test_several_similarities_compare_automatic_clusters_alone(targets, models):
    people, single, several, one = (
        analyse(targets, predictions=models, clusters=clusters, similarity=name, answers=10)
        for clusters in ("people", "automatic")
        for name in ("auto", "cosine")
    )
    assert people.results.estimates == single.results.estimates
    assert several.facts["similarity"] == "several"
    ways = [own.results.coverage[0]["compared_by"] for own in (people, several, one)]
    assert [way[0] for way in ways] == ["cosine", "several", "cosine"]
    assert overall(several)["kl", "alike"].value < 0.2
    assert overall(several)["kl", "apart"].value != overall(one)["kl", "apart"].value


def test_the_same_seed_gives_the_same_numbers(targets, models):
    first, second, other = (analyse(targets, predictions=models, seed=seed).to_json() for seed in (1, 1, 2))
    assert first == second
    assert first["estimates"] != other["estimates"]


def test_as_published(targets, models):
    analysis = analyse(targets, predictions=models, method="published", similarity="exact")
    found = overall(analysis)
    assert {e.method for e in analysis.results.estimates} == {"published"}
    # All clusters are hit as often as people hit them, and both sides are smoothed alike.
    assert found["kl", "alike"].value == pytest.approx(0, abs=1e-12)
    assert found["kl", "apart"].value > 1
    assert found["max_answers", "alike"].value == 1
    assert {"max_answers@10", "max_incorrect@5"} <= {measure for measure, _ in found}


def test_published_with_automatic_clusters_and_gaussian_regression(targets, models):
    found = overall(
        analyse(targets, predictions=models, method="published", similarity="gaussian", clusters="hac")
    )
    assert {measure for measure, _ in found} == {"kl"}
    assert 0 < found["kl", "alike"].value < found["kl", "apart"].value


def test_what_a_reader_is_told(targets, tmp_path):
    listed = predictions(tmp_path, "listed", {"soap": ["washing", "smell"], "nowhere": ["x"]})
    analysis = analyse(targets, predictions=[listed])
    notes = "\n".join(analysis.results.notes)
    assert "most likely a list" in notes
    assert "not among the targets (1)" in notes
    assert any("without answers of the model: sled, lute" in said for said in analysis.results.warnings)
    assert "all questions have too few answers and are compared at as many as they have" in notes


def test_strange_answers_are_answers(targets, tmp_path):
    strange = {"soap": {"": 3, "x" * 10_000: 1, "🧼": 2, "סבון": 2, "to wash": 4}}
    found = overall(analyse(targets, predictions=[predictions(tmp_path, "odd", strange)]))
    assert math.isfinite(found["kl", "odd"].value)


def test_files_that_do_not_go_together(targets, models, tmp_path):
    stranger = predictions(tmp_path, "stranger", {"elsewhere": ["x"]})
    asked = tmp_path / "asked.jsonl"
    asked.write_text('{"id": "a", "context": "b", "slot": "time"}')
    for data, own, message in (
        (targets, [], "at least one file"),
        (targets, [models[0], models[0]], "a second file of 'alike'"),
        (targets, [stranger], "0 of 1 answered questions"),
        (asked, models, "no answers of people"),
    ):
        with pytest.raises(InputError, match=message):
            analyse(data, predictions=own)


def test_published_needs_clusters_of_people_or_automatic_ones(tmp_path):
    path = tmp_path / "raw.jsonl"
    raw = {"id": "soap", "context": "Soap.", "question": "Why?", "answers": {"to wash": 5, "fun": 2}}
    path.write_text(json.dumps(raw) + "\n")
    own = [predictions(tmp_path, "m", {"soap": {"to wash": 3, "play": 1}})]
    with pytest.raises(InputError, match="no question has clusters made by people"):
        analyse(path, predictions=own, method="published", similarity="exact")
    automatic = analyse(path, predictions=own, method="published", similarity="exact", clusters="hac")
    assert overall(automatic)["kl", "m"].value >= 0
    assert ("max_answers@10", "m") not in overall(analyse(path, predictions=own))


def test_what_is_lost_without_a_sentence_embedding_is_the_first_warning(targets, models):
    def warnings(**options: Any) -> str:
        return "\n".join(analyse(targets, predictions=models[1], **options).results.warnings)

    lost = r"apart: answers are compared by their spelling.*\.81 and \.83 instead of \.85 and \.89.*extras hf and embed"
    assert re.match(lost, warnings(embeddings="chars"))
    assert "spelling" not in warnings() + warnings(similarity="exact")
    assert "spelling" not in warnings(method="published", similarity="exact")


def test_each_method_has_its_own_similarity():
    assert make_choice("default", "auto", "chars", "people", 0, {}) == Choice()
    published = Published(similarity="wordnet", embeddings="chars")
    assert make_choice("published", "auto", "auto", "people", 0, {}) == published


@pytest.mark.parametrize(
    ("method", "option", "value", "message"),
    [
        ("publisht", "seed", 1, "did you mean 'published'"),
        ("default", "similarity", "gaussian", "no such similarity"),
        ("default", "clusters", "hac", "clusters"),
        ("default", "divergence", "kll", "divergence"),
        ("default", "answers", 0, "answers"),
        ("published", "clusters", "automatic", "no such clusters by the method published"),
        ("published", "divergence", "js", "the option 'divergence' by the method published"),
        ("published", "seed", -1, "the seed -1"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_read(method, option, value, message):
    with pytest.raises(InputError, match=message):
        analyse("nowhere.jsonl", predictions=[], method=method, **{option: value})


def test_the_mass_of_a_cluster_is_that_of_its_strings():
    question = Question(
        "q",
        "q",
        {"a": 3, "b": 1, "c": 2},
        (Cluster("first", 4, ("a", "B ", "b")), Cluster("second", 3, ("c", "b"))),
    )
    assert exact.strings(question) == ("a", "b", "c")
    response = ScoreResponse((option(" a", [0.2], [0.5]), option(" b", [0.3], [1]), option(" c", [0.1], [1])))
    masses = exact.log_masses(question, response)
    assert np.exp(masses) == pytest.approx([0.1 + 0.15, 0.1 + 0.15], abs=1e-12)
    assert exact.model_shares(masses) == pytest.approx([0.5, 0.5], abs=1e-12)
    outcome = exact.scored_outcome([question] * 2, [masses] * 2, {"model": "m"}, draws=50, seed=0)
    found = {(e.measure, e.by.get("frame")): e for e in outcome.estimates}
    p = np.array([4, 3]) / 7
    assert found["kl", None].value == pytest.approx(float((p * np.log(p / 0.5)).sum()), abs=1e-12)
    assert found["listed_mass", "q"].value == pytest.approx(0.5, abs=1e-12)
    assert found["kl", "q"].low <= found["kl", "q"].value <= found["kl", "q"].high


def test_spellings_of_an_answer_are_one_where_people_made_no_clusters():
    question = Question("q", "q", {"Park": 9, "park": 1, "beach": 10})
    assert exact.clusters(question) == [Cluster("Park", 10, ("park",)), Cluster("beach", 10, ("beach",))]
    assert exact.strings(question) == ("park", "beach")
    perfect = [np.log([0.5, 0.5])]
    outcome = exact.scored_outcome([question], perfect, {"model": "m"}, draws=2, seed=0)
    kl = next(e for e in outcome.estimates if e.measure == "kl")
    assert kl.value == pytest.approx(0, abs=1e-12)


def test_replicates_are_moved_to_the_value():
    one, n = figure(2.0, np.array([5.0, 7.0, 9.0]), 4)
    assert (one.value, n, one.replicates.tolist()) == (2, 4, [0, 2, 4])


TOLD = """4 frames with 46 answers of people, 10 different; 0 frames without answers, 0 with clusters
read as a row for each answer with its count (CSV separated by commas)
left out: rows without an answer (1)

── Who? ──
Who?
cook 0 (9), cook 1 (8), cook 2 (7), …

── Where? ──
Where?
here (2)

── When? ──
When?
now (1)

go on with: probsense run frames --model builtin:tiny --data """


def test_a_file_is_told_with_its_first_frames(tmp_path):
    path = tmp_path / "frames.csv"
    answers = "".join(f"Who?,cook {n},{9 - n}\n" for n in range(7))
    path.write_text(f"question,answer,count\n{answers}Where?,here,2\nWhere?,,1\nWhen?,now,1\nWhy?,so,1\n")
    found = check_data(path)
    assert str(found) == f"{TOLD}{path}"
    assert found.to_json()["frames"] == 4
    path = tmp_path / "frames.jsonl"
    path.write_text('{"id": "kite", "context": "A kite is torn.", "question": "By what?"}\n')
    found = check_data(path)
    assert (found.read, found.counts["without_answers"]) == ("JSON lines", 1)
    assert found.shown == [("kite", "A kite is torn. By what?\nno answers of people")]
    assert check_data(PACKAGED).notes == ["nobody gave the answers to 36 frames, as the file says"]
