"""Which items tell models apart: the table, the short form, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from items import draw
from probsense.analysis.comparison import short_form
from probsense.analysis.comparison.items import Items, item_analysis
from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError


def sources(right: np.ndarray, people: bool = False) -> list[Scores]:
    """Make scores of models, in pairs of items, without the items that a model did not answer."""
    items = pl.DataFrame(
        {
            "item": [f"q{i}" for i in range(right.shape[1])],
            "cluster": [f"c{i // 2}" for i in range(right.shape[1])],
            "text": [f"Question {i}?" for i in range(right.shape[1])],
        }
    )
    found = []
    for j, row in enumerate(right):
        known = pl.Series(~np.isnan(row))
        scores = pl.DataFrame({"p_gold": 0.3 + row / 3, "accuracy": row}).filter(known)
        found.append(Scores(f"model-{j}", "", "made", "quiz", items.filter(known), scores))
    if people:
        share = np.nanmean(right, axis=0)
        ratings = pl.DataFrame({"item": items["item"], "rater": "a", "accuracy": share})
        found.append(
            Scores("people", "", "made", "quiz", items, pl.DataFrame({"accuracy": share}), ratings=ratings)
        )
    return found


def analysed(models: int = 6, items: int = 80, **more: object) -> Items:
    right, *_ = draw(np.random.default_rng(2), models, items, turned=0.05)
    return item_analysis(sources(right), **more)  # type: ignore[arg-type]


def test_candidates_for_wrong_labels_come_first_then_the_most_informative() -> None:
    found = analysed(8, 120)
    negative = found.table()["negative"].to_numpy()
    assert 0 < found.suspects < 20
    assert (negative[: found.suspects] > 0.5).all()
    assert (np.diff(negative[: found.suspects]) <= 0).all()
    assert (negative[found.suspects :] <= 0.5).all()
    assert (np.diff(found.table()["information"].to_numpy()[found.suspects :]) <= 0).all()
    row = found.table().row(0, named=True)
    assert row["text"] == f"Question {row['item'][1:]}?"
    assert row["discrimination_low"] < row["discrimination"] < row["discrimination_high"]


def test_the_same_seed_gives_the_same_document_without_nan() -> None:
    first, second = (json.dumps(analysed().to_json(), allow_nan=False) for _ in range(2))
    assert first == second


def test_a_short_form_keeps_pairs_together_and_has_no_candidates_for_wrong_labels() -> None:
    found = analysed(8, 120, limit=20)
    assert found.short is not None
    assert len(found.short.ids) == 20
    pairs = [int(one[1:]) // 2 for one in found.short.ids]
    assert len(set(pairs)) == 10
    assert found.table().filter("short_form")["item"].sort().to_list() == sorted(found.short.ids)
    assert found.table().filter("short_form")["negative"].mean() < found.table()["negative"].mean()  # type: ignore[operator]
    assert "A short form of 20 items" in found.findings()[1]


def test_a_short_form_by_information_is_better_than_one_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_form, "SPLITS", 3)
    found = analysed(8, 240)
    assert found.short is not None
    smallest = found.short.tried[0]
    assert smallest.rank_correlation > smallest.by_chance
    assert found.short.loss.rank_correlation >= found.short.whole.rank_correlation - 0.02


def test_models_that_guess_have_no_short_form_and_a_note() -> None:
    right = (np.random.default_rng(4).random((6, 60)) < 0.5).astype(float)
    found = item_analysis(sources(right))
    assert found.short is None
    assert any("no short form" in note for note in found.notes)
    assert any("reliability" in note for note in found.notes)
    assert found.turned is None


def test_fewer_than_four_models_get_classical_statistics_and_the_reason() -> None:
    right = np.array([[1, 1, 1, 0, 0], [1, 1, 0, 0, 1], [1, 0, 0, 0, 1.0]])
    found = item_analysis(sources(right))
    assert not found.fitted
    table = {row["item"]: row for row in found.table().iter_rows(named=True)}
    rest = right.sum(axis=1) - right[:, 4]
    assert table["q4"]["rest_correlation"] == pytest.approx(np.corrcoef(right[:, 4], rest)[0, 1])
    assert table["q0"]["rest_correlation"] is None
    assert table["q1"]["right"] == pytest.approx(2 / 3)
    assert found.table()["item"][0] == "q4"
    assert any("3 of the 4 models" in note for note in found.notes)
    json.dumps(found.to_json(), allow_nan=False)


def test_answers_may_be_missing_and_ties_count_as_missing() -> None:
    right, *_ = draw(np.random.default_rng(5), 5, 40)
    right[0, 3], right[1, 3], right[2, :10] = 0.5, np.nan, np.nan
    table = item_analysis(sources(right)).table()
    row = table.row(by_predicate=pl.col("item") == "q3", named=True)
    assert row["models"] == 2
    assert row["right"] == pytest.approx(right[3:, 3].mean())


def test_a_model_that_answers_alike_in_two_runs_counts_once() -> None:
    right, *_ = draw(np.random.default_rng(2), 5, 60)
    right[1, 4] = np.nan
    once = sources(right)
    again = replace(once[1], source="other")
    alike = replace(once[2], name="another model")
    differs = replace(
        once[3], source="other", scores=once[3].scores.with_columns(accuracy=1 - pl.col("accuracy"))
    )
    found = item_analysis([*once, again, alike, differs])
    assert [one["name"] for one in found.models if "(" not in str(one["name"])] == [
        *("model-0", "model-2", "model-4", "another model"),
    ]
    assert len(found.models) == 7
    (note,) = (note for note in found.notes if "once" in note)
    assert "model-1" in note
    expected = item_analysis([*once, alike, differs])
    assert found.table().equals(expected.table())


def test_people_are_anchors_and_no_model() -> None:
    right, *_ = draw(np.random.default_rng(6), 5, 40)
    found = item_analysis(sources(right, people=True))
    assert len(found.models) == 5
    assert any("people: over 40 items" in note and "is -0.9" in note for note in found.notes)
    row = found.table().row(0, named=True)
    assert (row["people"], row["people_n"]) == (pytest.approx(row["right"]), 1)


@pytest.mark.parametrize("models", [3, 5])
def test_people_whom_a_task_knows_are_anchors_unless_others_are_given(models: int) -> None:
    right, *_ = draw(np.random.default_rng(6), models, 40)
    *given, people = sources(right, people=True)
    theirs = pl.DataFrame({"item": ["q3", "q5", "q7"], "n": [8, 9, 7], "accuracy": [0.25, 0.5, 0.75]})
    knowing = [given[0], replace(given[1], people=theirs), *given[2:]]
    found = item_analysis(knowing)
    known = found.table().drop_nulls("people").sort("item")
    assert known.select("item", "people_n", "people").rows() == theirs.rows()
    assert found.table().height == 40
    assert any("people: over 3 items" in note for note in found.notes) == found.fitted
    assert found.table()["people"].null_count() == 37
    assert item_analysis([*knowing, people]).table()["people_n"].to_list() == [1] * 40
    assert "people" not in item_analysis(given).table().columns


def test_groups_of_models() -> None:
    groups = {"a": ["model-[0-3]"], "b": ["model-4", "model-5", "model-6", "model-7"]}
    found = analysed(8, 30, groups=groups)
    assert "Between a and b" in found.findings()[-1]
    document = found.to_json()
    assert document["groups"]["splits"] == 70  # type: ignore[index,call-overload]
    json.dumps(document, allow_nan=False)
    first = found.table().sort("difference_p").row(0, named=True)
    assert first["difference_p"] <= first["difference_p_bh"] <= 1
    assert abs(first["difference"]) > 0
    without = analysed(8, 30)
    assert without.table().equals(found.table().select(without.table().columns))
    few = analysed(4, 20, groups={"a": ["model-0", "model-1"], "b": ["model-2", "model-3"]})
    assert any("6 splits of so few models" in note for note in few.notes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda given: given[4:], "no results of models"),
        (
            lambda given: [*given[:3], Scores("x", "", "", "other", given[0].items, given[0].scores)],
            "different tasks",
        ),
        (
            lambda given: [
                *given[:3],
                Scores("x", "", "", "quiz", given[0].items.with_columns(text=pl.lit("?")), given[0].scores),
            ],
            "different texts",
        ),
        (
            lambda given: [
                Scores(one.name, "", "", "quiz", one.items, one.scores.select("p_gold")) for one in given[:4]
            ],
            "no measure that all results have",
        ),
    ],
)
def test_what_is_refused(change: object, words: str) -> None:
    given = sources(made := np.tile([1.0, 0.0, 0.0], (4, 4)), people=True)
    assert made.shape == (4, 12)
    with pytest.raises(InputError, match=words):
        item_analysis(change(given))  # type: ignore[operator]


def test_a_measure_that_is_not_right_or_wrong_is_refused() -> None:
    with pytest.raises(InputError, match="'p_gold' says of each item"):
        analysed(measure="p_gold")
    with pytest.raises(InputError, match="a short form of 0 items"):
        analysed(limit=0)
