"""Scored options: their table and its figures, against one worked out by hand, and their words."""

from __future__ import annotations

import math

import pytest

from probsense.analysis.distributions.option_views import RULES, TEXT_RULES
from probsense.analysis.inference.bounded import wilson
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import Item, OptionScore, ScoreResponse
from probsense.tasks.shared.options import (
    COLUMNS,
    option_coverage,
    option_estimates,
    option_notes,
    option_table,
)
from support.scored import tokens

BY = {"model": "m", "prompting": "options"}


def score(*options: tuple[tuple[float, ...], tuple[float, ...]], straddles: bool = False) -> ScoreResponse:
    """Each option by the probabilities of its tokens and of its suffix's."""
    made = (OptionScore(tokens("four", own), tokens("four", rest), straddles) for own, rest in options)
    return ScoreResponse(tuple(made))


Answer = tuple[ScoreResponse, ScoreResponse | None]
ANSWERS = {
    # sum and partial disagree
    "a-1": ("a", "0", (score(((0.6,), (0.1,)), ((0.2,), (0.3,))), None)),
    "a-2": ("a", "1", (score(((0.6,), (0.1,)), ((0.2,), (0.1,))), None)),
    # three options, the right one nearly tied with the first
    "b-1": ("b", "2", (score(((0.3,), (0.2,)), ((0.1,), (0.2,)), ((0.3,), (0.2,))), None)),
    # no right one, tokens across a join
    "c-1": ("c", "", (score(((0.5,), (0.5,)), ((0.25,), (0.5,)), straddles=True), None)),
}
ITEMS = [Item(name, cluster, gold, {"options": []}) for name, (cluster, gold, _) in ANSWERS.items()]


def answers_of(item: Item) -> Answer:
    return ANSWERS[item.id][2]


@pytest.fixture
def table():
    return option_table(ITEMS, answers_of, "sum")


def figures(estimates: list[Estimate]) -> dict[tuple[object, ...], Estimate]:
    return {(e.measure, e.by["view"], e.by.get("confidence")): e for e in estimates}


def test_a_row_has_what_the_chosen_rule_says(table):
    assert table.columns[: len(COLUMNS)] == list(COLUMNS)
    expected = {
        "id": [*ANSWERS],
        "options": [2, 2, 3, 2],
        "gold": [0, 1, 2, None],
        "resp": [0, 0, 0, 0],
        "straddles": [0, 0, 0, 2],
        "p_gold": [0.75, 0.25, 3 / 7, None],
        "confidence": [0.75, 0.75, 3 / 7, 2 / 3],
        "margin": [math.log(3), math.log(3), 0, math.log(2)],
        "brier": [2 * 0.25**2, 2 * 0.75**2, (9 + 1 + 16) / 49, None],
        "log_score": [math.log(4 / 3), math.log(4), math.log(7 / 3), None],
    }
    for name, values in expected.items():
        assert table[name].to_list() == pytest.approx(values, abs=1e-12), name


def test_another_rule_changes_all_that_is_said_of_the_answer():
    rows = option_table(ITEMS, answers_of, "partial").head(1)
    expected = {"resp": 1, "p_gold": 0.25, "margin": math.log(3), "confidence": 0.75}
    expected |= {"brier": 1.125, "log_score": math.log(4)}
    assert rows.select(list(expected)).row(0, named=True) == pytest.approx(expected, abs=1e-12)


def test_other_views_have_columns_of_their_own(table):
    shared = [name.removeprefix("resp.") for name in table.columns if name.startswith("resp.")]
    assert shared == [*TEXT_RULES, "partial", "full"]
    assert table["resp.partial"].to_list() == [1, 0, 0, 0]
    assert table["p_gold.partial"].to_list() == pytest.approx([0.25, 0.5, 1 / 3, None], abs=1e-12)
    assert table["p_gold.full"].to_list() == pytest.approx([0.5, 0.25, 3 / 7, None], abs=1e-12)


def test_a_view_that_one_item_lacks_is_left_out():
    def one_lacks(item: Item) -> Answer:
        response, _ = answers_of(item)
        neutral = None if item.id == "b-1" else response
        return (score(((0.6,), ()), ((0.2,), ())) if item.id == "a-1" else response), neutral

    columns = option_table(ITEMS, one_lacks, "sum").columns
    assert [name for name in columns if name.startswith("resp.")] == [f"resp.{view}" for view in TEXT_RULES]
    with pytest.raises(InputError, match="'b-1' has no view 'pmi'"):
        option_table(ITEMS, one_lacks, "pmi")
    assert len(option_table(ITEMS[:1], lambda item: answers_of(item)[:1] * 2, "pmi").columns) == len(
        COLUMNS
    ) + 2 * len(RULES)


def test_temperature_flattens_every_view_and_leaves_the_answers():
    hot = option_table(ITEMS, answers_of, "sum", temperature=2.0)
    assert hot["p_gold.sum"][0] == pytest.approx(math.sqrt(3) / (math.sqrt(3) + 1), abs=1e-12)
    assert hot["resp"].to_list() == [0, 0, 0, 0]
    with pytest.raises(InputError, match="above 0"):
        option_table(ITEMS, answers_of, "sum", temperature=0.0)


def test_accuracy_under_every_view_and_the_chosen_one_first(table):
    estimates = option_estimates(table, BY, "partial")
    assert (estimates[0].measure, dict(estimates[0].by)) == ("accuracy", {**BY, "view": "partial"})
    found = figures(option_estimates(table, BY, "sum"))
    views = [view for measure, view, _ in found if measure == "accuracy"]
    assert views == [*TEXT_RULES, "partial", "full"]
    accuracy = found["accuracy", "sum", None]
    assert accuracy.value == pytest.approx(1 / 3, abs=1e-12)
    assert (accuracy.n, accuracy.clusters) == (3, 2)
    # two clusters with residuals +1/3 and −1/3, which are no fewer than three items, and t with one degree of freedom
    assert accuracy.stderr == pytest.approx(2 / 9, abs=1e-12)
    assert (accuracy.low, accuracy.high) == pytest.approx(wilson(1 / 3, 3, z=12.706204736174694), abs=1e-10)
    assert accuracy.chance == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3, abs=1e-12)
    assert found["accuracy", "partial", None].value == 0
    assert found["accuracy", "full", None].value == pytest.approx(1 / 3, abs=1e-12)


def test_the_chosen_rule_has_scores_of_its_probabilities(table):
    found = figures(option_estimates(table, BY, "sum"))
    assert found["p_gold", "sum", None].value == pytest.approx((0.75 + 0.25 + 3 / 7) / 3, abs=1e-12)
    brier = (0.125 + 1.125 + 26 / 49) / 3
    assert found["brier", "sum", None].value == pytest.approx(brier, abs=1e-12)
    logs = (math.log(4 / 3) + math.log(4) + math.log(7 / 3)) / 3
    assert found["log_score", "sum", None].value == pytest.approx(logs, abs=1e-12)
    error = found["calibration_error", "sum", None]
    assert error.value == pytest.approx((2 * abs(0.5 - 0.75) + 3 / 7) / 3, abs=1e-12)
    assert 0 < error.low <= error.high
    gaps = {bin_: e.value for (measure, _, bin_), e in found.items() if measure == "calibration_gap"}
    assert gaps == {"40–50 %": pytest.approx(-3 / 7), "70–80 %": pytest.approx(-0.25)}


def test_coverage_and_notes_count_what_bears_on_the_figures(table):
    assert option_coverage(table) == {"asked": 4, "with_gold": 3, "near_ties": 1, "straddling_tokens": 2}
    without, tied, across = option_notes(table)
    assert without.startswith("1 of 4 items have no right option")
    assert tied.startswith("1 of 4 items are near-ties")
    assert across.startswith("on 1 of 4 items a token spans the join")
    assert option_notes(table.head(2)) == []


def test_without_right_options_there_are_no_figures(table):
    assert option_estimates(table.tail(1), BY, "sum") == []


def test_one_cluster_leaves_all_intervals_unknown(table):
    for estimate in option_estimates(table.head(2), BY, "sum"):
        assert math.isnan(estimate.low)
        assert math.isfinite(estimate.value)
