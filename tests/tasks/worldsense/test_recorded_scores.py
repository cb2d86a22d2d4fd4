from __future__ import annotations

import shutil

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.interop.compare import read_sources
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.questions.results import write_results
from probsense.tasks.worldsense.questions.trials import read_trials
from probsense.tasks.worldsense.verbs import analyse, read_scores
from support.worldsense import overall


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_testset(folder, Design(5, (3, 4), ("Infer.normal", "Consist.trivial", "Compl.normal")))
    trials = read_trials(folder)
    answers = {
        "right": lambda row: row["gold"],
        "first": lambda row: row["expected"][0],
        "some": lambda row: row["gold"] if row["key"] % 3 else row["expected"][0],
    }
    for model, answer in answers.items():
        rows = [(row["key"], answer(row)) for row in trials.iter_rows(named=True)]
        write_results(folder / "results" / "deep", "basic", model, rows)
    return folder


@pytest.fixture
def testset(made, tmp_path):
    """A set with the results of three models, to be changed."""
    return shutil.copytree(made, tmp_path / "set")


def test_a_folder_has_all_models_and_a_file_one(testset):
    whole = read_scores(testset)
    assert [(one.name, one.detail) for one in whole] == [
        (name, "basic") for name in ("first", "right", "some")
    ]
    assert {one.references["accuracy"].chance for one in whole} == {0.5}
    (one,) = read_scores(testset / "results" / "deep" / "basic___first___results.jsonl")
    assert one.scores.equals(whole[0].scores)
    assert one.items.equals(whole[0].items)
    known, _ = read_sources([testset], [])
    assert [each.name for each in known] == ["first", "right", "some"]


def test_levels_are_those_of_the_analysis(testset):
    estimates, found = analyse(testset).results.estimates, ps.compare(testset, measure="bias")
    for level in found.levels:
        same = overall(e for e in estimates if e.by["model"] == level.by["model"])["bias", "over forms"]
        figures, same_figures = ((e.value, e.stderr, e.low, e.high) for e in (level, same))
        assert figures == pytest.approx(same_figures, abs=1e-12)
        assert (level.method, level.settings) == (same.method, same.settings) == ("over forms", 14)
    assert "bias: intervals and tests speak for other forms in other settings, too" in found.notes[0]
    assert found.ranking == []  # nobody is best by bias


def test_incomplete_tuples_are_left_out(testset):
    path = testset / "results" / "deep" / "basic___first___results.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    (one,) = read_scores(path)
    assert any("incomplete tuples" in note for note in one.notes)
    size = one.items.group_by("cluster").len()["len"].sum()
    assert len(lines) - size in (2, 3)
    with pytest.raises(InputError, match="unlike items"):
        ps.compare(testset)
    found = ps.compare(testset, intersection=True)
    assert found.models[0]["left_out"] == 0
    assert found.models[1]["left_out"] == len(lines) - size


def test_a_file_beside_no_test_set(tmp_path):
    for name, said in (
        ("basic___m___results.jsonl", "no trials found"),
        ("odd.jsonl", r"PROMPTING___MODEL___results\.jsonl"),
    ):
        (tmp_path / name).write_text('{"Key": 1, "resp": "TRUE"}\n')
        with pytest.raises(InputError, match=said):
            read_sources([tmp_path / name], [])
