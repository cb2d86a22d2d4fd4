"""Files without a model, on made data and against the figures of independent code; what is understood of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from docs.snippets import snippets
from probsense.analysis.human_choices.measures import (
    Distributions,
    distributions,
    majority_share,
    share_within,
    squared_corrected,
    squared_within,
)
from probsense.core.errors import InputError
from probsense.tasks.choices.questions.question import ReaderName
from probsense.tasks.choices.questions.read import read_questions
from probsense.tasks.choices.recorded import analyse, check_data

HEAD = "question,option,count\n"
DOCS = Path(__file__).parents[3] / "docs"


def values(data: Path, reader: ReaderName = "table", **options: Any) -> dict[tuple[str, str], float]:
    """Return the overall estimates by measure and model."""
    found = analyse(data, reader=reader, **options).to_json()["estimates"]
    return {
        (one["measure"], one["by"]["model"]): one["value"] for one in found if set(one["by"]) == {"model"}
    }


def write(folder: Path, rows: str) -> Path:
    path = folder / "data.csv"
    path.write_text(HEAD + rows)
    return path


def test_baselines_by_hand(tmp_path):
    found = values(write(tmp_path, "q,a,30\nq,b,10\nr,a,0\nr,b,20\n"))
    assert found["entropy", "people"] == pytest.approx(-(0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / 2)
    assert found["majority_share", "people"] == pytest.approx(0.875)
    assert found["total_variation", "uniform"] == pytest.approx((0.25 + 0.5) / 2)
    assert found["total_variation", "majority"] == pytest.approx(0.125)
    assert found["squared_distance", "uniform"] == pytest.approx((0.125 + 0.5) / 2)
    noise = 2 * 0.75 * 0.25 / 39
    assert found["squared_distance_corrected", "uniform"] == pytest.approx((0.125 + 0.5 - noise) / 2)
    assert found["squared_distance", "halves"] == pytest.approx(2 * noise)
    assert found["squared_distance_corrected", "halves"] == 0
    assert found["squared_distance", "people"] == pytest.approx(noise)


def test_people_who_agree_by_chance_do_not_choose_where_they_are_compared(tmp_path):
    rng = np.random.default_rng(1)
    counts = rng.multinomial(8, rng.dirichlet(np.ones(3), 300)).astype(float)
    rows = (f"q{i},{k},{n:g}\n" for i, own in enumerate(counts) for k, n in zip("abc", own, strict=True))
    found = analyse(write(tmp_path, "".join(rows))).results.estimates
    level = distributions(counts, np.full(counts.shape, 1 / 3))
    for value, agree in (("≥ 0.8", True), ("< 0.8", False)):

        def member(pair: Distributions, agree: bool = agree) -> NDArray[np.bool_]:
            return np.asarray((majority_share(pair) >= 0.8) == agree)

        expected = squared_within(level, member).sum() / share_within(level, member).sum()
        by = {"model": "uniform", "majority": value}
        (one,) = (e for e in found if e.measure == "squared_distance_corrected" and dict(e.by) == by)
        assert one.value == pytest.approx(expected)
        assert one.low < one.value < one.high
        assert abs(squared_corrected(level)[member(level)].mean() - expected) > 0.02


def test_few_people_are_warned_of_and_unknown_numbers_too(tmp_path):
    few = analyse(write(tmp_path, "q,a,3\nq,b,1\nr,a,30\nr,b,20\n")).results.warnings
    assert "1 of 2 questions have fewer than 20 people, as few as 4" in few[0]
    (tmp_path / "shares.csv").write_text("question,option,share\nq,a,.3\nq,b,.7\nr,a,.5\nr,b,.5\n")
    unknown = analyse(tmp_path / "shares.csv").results
    assert "not known how many people answered 2 of 2 questions" in unknown.warnings[0]
    told = {(e.measure, e.by["model"]) for e in unknown.estimates}
    assert ("total_variation", "uniform") in told
    assert ("total_variation", "people") not in told
    assert ("squared_distance_corrected", "uniform") not in told


def test_dropped_options_are_said(tmp_path):
    path = write(tmp_path, "q,a,30\nq,b,10\nq,Refused,5\nr,a,25\nr,b,20\n")
    notes = analyse(path, drop=["Refused"]).results.notes
    assert any("left out, with the people who chose it: Refused" in note for note in notes)


def test_recorded_answers_of_several_models_in_a_folder(tmp_path):
    for model, share in (("good", 0.5), ("bad", 1.0)):
        questions = {
            name: {"people": {"A": 0.5, "B": 0.5}, "model": {"A": share, "B": 1 - share}} for name in "QR"
        }
        block = {"dataset": "d", "output": "o", "group": "g", "demographic": "old", "questions": questions}
        (tmp_path / f"{model}.json").write_text(json.dumps([block]))
    found = {
        (str(e.by["model"]), e.by["data"], e.by["output"], e.by["group"]): e.value
        for e in analyse(tmp_path, reader="alignment").results.estimates
        if e.measure == "total_variation"
    }
    assert found == {("bad", "d", "o", "old"): 0.5, ("good", "d", "o", "old"): 0.0}
    with pytest.raises(InputError, match="no group 'young'"):
        analyse(tmp_path, reader="alignment", group=["young"])


EXPECTED = {
    "chaosnli-alphanli": "chaosnli/chaosNLI_alphanli.jsonl.gz",
    "chaosnli-snli": "chaosnli/chaosNLI_snli.jsonl.gz",
    "pap (1 2 4 5)": "pap/dataset.tsv",
}
CONVERSIONS = [one.text for one in snippets(DOCS / "choices.md") if one.language == "python"]
"""The examples of the docs: what makes a table of PAP, and of a set of Learning with Disagreements."""
MEASURES = {
    "tv": "total_variation",
    "js_nats": "jensen_shannon",
    "sqrt_js_nats": "root_jensen_shannon",
    "kl_people_uniform": "kl",
    "brier": "squared_distance",
    "brier_corrected": "squared_distance_corrected",
}


def converted(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Convert a published file as the docs say; a set of Learning with Disagreements is made from the same names."""
    monkeypatch.chdir(folder)
    names = {}
    (folder / "VariErrNLI_dev.json").write_bytes(path.read_bytes() if path.suffix == ".json" else b"{}")
    (folder / "dataset.tsv").write_bytes(path.read_bytes() if path.suffix == ".tsv" else b"event\trating\n")
    for number, text in enumerate(CONVERSIONS):
        exec(compile(text, f"conversion {number}", "exec"), names)


@pytest.mark.reference
@pytest.mark.parametrize(("name", "people"), [("VariErrNLI", {2.0, 3.0, 4.0}), ("Paraphrase", {4.0})])
def test_learning_with_disagreements(reference_data, name, people, tmp_path, monkeypatch):
    converted(reference_data / "choices" / "lewidi" / f"{name}_dev.json", tmp_path, monkeypatch)
    found = read_questions(tmp_path / "lewidi.csv").found
    assert len(found) == 50
    assert {one.people for one in found} == people
    for one in found:
        assert sum(one.counts) == pytest.approx(one.people)


@pytest.mark.reference
@pytest.mark.parametrize("name", EXPECTED)
def test_baselines_agree_with_independent_code(reference_data, name, tmp_path, monkeypatch):
    path = reference_data / "choices" / EXPECTED[name]
    reader = "chaosnli"
    if path.name == "dataset.tsv":
        converted(path, tmp_path, monkeypatch)
        path, reader = tmp_path / "pap.csv", "table"
    expected = json.loads((reference_data / "choices/expected/baselines.json").read_text())[name]
    found = values(path, reader)
    assert found["entropy", "people"] == pytest.approx(expected["entropy_nats"], abs=1e-12)
    assert found["majority_share", "people"] == pytest.approx(expected["majority_share"], abs=1e-12)
    for model in ("uniform", "majority"):
        for measure, value in expected[model].items():
            if measure in MEASURES:
                assert found[MEASURES[measure], model] == pytest.approx(value, abs=1e-12), (model, measure)
    if path.suffix == ".gz":  # as the paper's row of chance has it
        printed = {"chaosnli-alphanli": (0.3205, 0.406), "chaosnli-snli": (0.3829, 0.545)}[name]
        uniform = [found[measure, "uniform"] for measure in ("root_jensen_shannon", "kl")]
        assert uniform == pytest.approx(printed, abs=6e-4)
    else:  # Plug-in distances of few people rank equal shares above people; the corrected one does not.
        assert found["squared_distance", "uniform"] < found["squared_distance", "people"]
        assert found["squared_distance_corrected", "uniform"] > 0.06
    halves = expected["halves_monte_carlo_200"]
    assert found["squared_distance", "halves"] == pytest.approx(halves["brier_exact"], abs=1e-12)
    assert found["total_variation", "halves"] == pytest.approx(halves["tv"], rel=3e-3)
    assert found["jensen_shannon", "halves"] == pytest.approx(halves["js_nats"], rel=5e-3)


@pytest.mark.reference
def test_all_figures_of_alignment(reference_data):
    folder = reference_data / "choices"
    found = {
        (e.by["model"], e.by["data"], e.by["output"], e.by["group"]): e
        for e in analyse(folder / "alignment", reader="alignment").results.estimates
        if e.measure == "total_variation"
    }
    expected = json.loads((folder / "expected/alignment_tv.json").read_text())
    assert len(found) == len(expected) == 78
    for row in expected:
        one = found[row["model"], row["dataset"], row["output"], row["demographic"]]
        assert one.n == row["n"]
        assert one.value == pytest.approx(row["mean_tv"], abs=1e-12)


def test_a_file_is_told_with_three_questions_from_all_over_it(tmp_path):
    path = tmp_path / "data.csv"
    options = ("good,20,0", "bad,5,1")
    groups = [(n, group, option) for n in range(5) for group in ("old", "young") for option in options]
    rows = "".join(f"q{n},How is {n}?,good,{group},{option}\n" for n, group, option in groups)
    path.write_text(f"question,text,gold,group,option,count,order\n{rows}")
    found = check_data(path)
    told = found.to_json()
    assert (told["items"], told["questions"], told["groups"]) == (10, 5, ["old", "young"])
    assert [name for name, *_ in found.shown] == ["q0/old", "q2/young", "q4/young"]
    known = "groups of people: old, young\n10 with a right option, 10 with a scale\n\n── q0/old"
    assert known in str(found)
    old = str(check_data(path, group="old"))
    assert old.endswith(f"run choices --model builtin:tiny --data {path} --group old --method options")


def test_a_folder_and_a_published_format_are_told(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"{HEAD}q,yes,3\nq,no,2\n")
    assert check_data(tmp_path).read == "a row for each answer with its count (CSV separated by commas)"
    (tmp_path / "wide.tsv").write_text("question\tYes\tNo\nIs it?\t1\t2\n")
    assert " by commas) and a row for each question, a column for each option (" in check_data(tmp_path).read
    pair = {"obs1": "A.", "obs2": "B.", "hyp1": "C.", "hyp2": "D."}
    (tmp_path / "a.jsonl").write_text(json.dumps({"uid": "1", "example": pair, "label_count": [3, 1]}))
    assert check_data(tmp_path / "a.jsonl", reader="chaosnli").read == "the format chaosnli"
    # More options than letters are shown without.
    path = write(tmp_path, "".join(f"q,option {n},1\n" for n in range(30)))
    assert str(check_data(path)).split("\n\n")[-2].endswith("q\nAnswer:")
