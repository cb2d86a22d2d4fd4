"""What there is to tell of one task, and how coverage is put into words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.inference.estimate import Estimate
from probsense.models.base import Finding
from probsense.results.page.parts import page_part
from probsense.results.part import (
    Part,
    all_warnings,
    by_task,
    coverage_words,
    covered,
    incomplete,
    parts_of_runs,
    together,
)
from probsense.runs.run import Run
from probsense.show.words import Table, plain_words
from probsense.tasks.results import Note, Results

Guess = Callable[..., Run]


def estimate(model: str) -> Estimate:
    return Estimate("accuracy", {"model": model}, 0.5, 0.1, 0.4, 0.6, 0.95, 9, 9, "clustered")


def table(*rows: tuple[str, float | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"who": pl.String, "x": pl.Float64}, orient="row")


def joined(*tables: pl.DataFrame) -> list[tuple[str, float | None]]:
    """Join tables of one name, each measured by a run of its own."""
    return together([Results([], tables={"dots": each}) for each in tables]).tables["dots"].rows()


def test_estimates_coverage_and_notes_follow_one_another():
    first = Results([estimate("a")], [{"model": "a"}], [Note("one")], table(("t", 1.0)), illustrative=True)
    second = Results([estimate("b")], [{"model": "b"}], [Note("two")], warnings=[Note("beware", "b")])
    both = together([first, second])
    assert (both.warnings, both.illustrative) == (["b: beware"], False)
    assert [e.by["model"] for e in both.estimates] == ["a", "b"]
    assert both.coverage == [{"model": "a"}, {"model": "b"}]
    assert both.notes == ["one", "two"]
    assert both.table is None
    assert both.tables == {}


def test_tables_of_one_name_become_one_in_which_what_two_runs_tell_stands_once():
    people = ("people", 1.0), ("people", None), ("people", math.nan)
    found = joined(table(*people, ("a", 2.0)), table(*people, ("b", 3.0)))
    assert str(found) == str([*people, ("a", 2.0), ("b", 3.0)])


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0.0, 1.0, None])), max_size=6), min_size=1
    )
)
def test_of_each_row_there_are_as_many_as_in_the_table_that_has_most(
    rows,
):
    found = joined(*(table(*own) for own in rows))
    assert {row: found.count(row) for row in found} == {
        row: max(own.count(row) for own in rows) for own in rows for row in own
    }


def test_an_empty_table_may_lack_columns():
    assert joined(pl.DataFrame(), table(("a", 1.0))) == [("a", 1.0)]
    assert joined(pl.DataFrame(), pl.DataFrame()) == []
    assert joined(table(), table()) == []


@pytest.fixture(scope="module")
def runs(guess):
    return [
        guess(task, seed, limit=12) for task, seed in (("winogrande", ""), ("suite", ""), ("winogrande", 1))
    ]


def test_runs_of_one_task_are_one_part_in_the_order_in_which_tasks_come(runs):
    assert [(name, len(own)) for name, own in by_task(runs).items()] == [("winogrande", 2), ("suite", 1)]
    wino, suite = parts_of_runs(runs)
    assert (wino.name, suite.name) == ("winogrande", "suite")
    assert wino.words is runs[0].words
    assert [row["model"] for row in wino.results.coverage] == ["random", "random:1"]
    assert [facts["model"] for facts in wino.facts] == ["random", "random:1"]
    assert wino.warnings == []


@pytest.mark.usefixtures("undrawn")
def test_a_warning_says_that_other_questions_were_asked(guess, runs):
    few = guess("winogrande", 1, limit=10)
    others = replace(runs[2], items=[replace(item, id=f"other {item.id}") for item in runs[2].items])
    (part,) = parts_of_runs([runs[0], others])
    assert part.warnings == [
        "The runs of Winogrande were not asked the same questions: their results do not compare."
    ]
    assert parts_of_runs([few])[0].warnings == []
    assert not part.comparable
    assert parts_of_runs([few])[0].comparable
    shown = page_part(part)
    assert shown.headline == ""
    assert page_part(replace(part, comparable=True)).headline


def test_a_warning_says_what_the_examination_of_a_model_found_wrong(runs):
    found = [
        Finding("route", False, "it guesses"),
        Finding("name", None, "odd"),
        Finding("tokens", True, "fine"),
    ]
    run = runs[0]
    examined = Run(run.record, run.task, run.items, run.outcome, found)
    (part,) = parts_of_runs([examined])
    assert part.warnings == [
        "random: the examination found that the route is not as it should be: it guesses"
    ]


def test_what_is_said_of_several_models_is_said_once_with_their_names(guess):
    (part,) = parts_of_runs([guess("frames", seed, limit=2) for seed in (1, 2)])
    warned = all_warnings(part)
    assert sum("made up for illustration" in warning for warning in warned) == 1
    assert warned[0].startswith("random:1, random:2: the answers of people are made up")
    assert sum("example frames were asked" in note for note in part.results.notes) == 1
    assert not set(warned) & set(part.results.notes)


WHOLE = {"model": "a", "prompting": "labels", "asked": 1000, "answered": 1000, "failed": 0}
PART = {
    "model": "b",
    "prompting": "sample",
    "asked": 1000,
    "answered": 999,
    "failed": 1,
    "failed_requests": "HTTP 503 (1)",
}
NO_RUN = {"model": "c", "asked": 10, "answered": 10}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], ""),
        ([NO_RUN], ""),
        ([{"model": "people"}], ""),
        ([{**NO_RUN, "answered": 4}], "4 of 10 items answered (40.0 %)"),
        ([WHOLE, {**WHOLE, "model": "c"}], "all 1,000 items answered"),
        (
            [WHOLE, {**WHOLE, "asked": 60, "answered": 60}],
            "a, asked by labels: all 60 items answered, the least of 2",
        ),
        ([WHOLE, PART], "b, asked by sample: 999 of 1,000 items answered (99.9 %), the least of 2"),
        ([{**PART, "asked": 10**6, "answered": 10**6 - 1}], "999,999 of 1,000,000 items answered (99.9 %)"),
    ],
)
def test_coverage_is_one_phrase_and_what_is_not_whole_never_rounded_to_it(rows, said):
    assert coverage_words(rows) == said


def test_what_is_not_whole_is_said():
    assert incomplete([WHOLE, NO_RUN]) == []
    (said,) = incomplete([WHOLE, PART])
    assert said.startswith("Incomplete: b, asked by sample: 999 of 1,000 items answered (99.9 %). ")
    assert "HTTP 503 (1)" in said


def test_titles_tell_coverage():
    table = Table("Accuracy", ("Model",), (("a",),))
    part = Part("quiz", plain_words("quiz"), Results([], [PART]))
    assert [each.title for each in covered(part, [table])] == [
        "Accuracy; 999 of 1,000 items answered (99.9 %)"
    ]
    assert covered(replace(part, results=Results([])), [table]) == [table]
