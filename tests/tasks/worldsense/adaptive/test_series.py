"""Tests of adaptive series: what is asked follows from the answers, and the threshold from both."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probsense.core.errors import InputError
from probsense.core.records import Failure, SampleResponse, ScoreRequest
from probsense.models.registry import load_model
from probsense.results.page.report import report
from probsense.runs.ask.execute import Interrupted
from probsense.runs.ask.forecast import forecast
from probsense.runs.ask.plan import plan
from probsense.runs.ask.rounds import Book
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.run import Run
from probsense.tasks.registry import load_task
from probsense.tasks.worldsense.adaptive.series import AT_ONCE, Adaptive, Course, Series, Trial, all_series
from probsense.tasks.worldsense.adaptive.thresholds import estimates, find, notes, side, table
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.questions.asking import requests_of
from probsense.tasks.worldsense.text.form import question_form
from probsense.tasks.worldsense.text.parse import parse_text

SIZES = range(4, 9)


def by_size(problem: str = "Infer.normal", tuples: int = 20) -> Series:
    design = Design(problems=(problem,), tuples=tuples, sizes=tuple(SIZES), complexities=(0,))
    return next(series for series in all_series(design) if series.dial == "size")


def answer_all(task: Adaptive, right: dict[int, float], seed: int = 0) -> tuple[Book, int]:
    """Answer rightly with a probability that depends on the size, until nothing is open; return the rounds, too."""
    rng, book, rounds = np.random.default_rng(seed), Book(), 0
    known: dict[str, Trial] = {}
    while True:
        courses = task.courses("sample", book)
        known |= {trial.asked.item: trial for course in courses for trial in course.chosen}
        wanted = {r for item in task.items() for r in task.requests(item, "sample", book) if r not in book}
        if not wanted:
            return book, rounds
        for request in sorted(wanted, key=lambda request: request.item):
            trial = known[request.item]
            # Not the second answer of Compl, which counts as the first.
            wrong = trial.asked.allowed[0 if trial.gold == trial.asked.allowed[-1] else -1]
            text = trial.gold if rng.random() < right[trial.cell.size] else wrong
            book.add(request, SampleResponse((text,)))
        rounds += 1


def only(task: Adaptive, book: Book) -> Course:
    (course,) = task.courses("sample", book)
    return course


def test_a_round_asks_some_tuples_at_one_level_each_of_another_skin() -> None:
    task = Adaptive([by_size()], 1, "sum")
    course = only(task, Book())
    assert len({trial.tuple_id for trial in course.chosen}) == AT_ONCE
    assert len({trial.level for trial in course.chosen}) == 1
    assert len({(trial.cell.skin.name, trial.cell.qskin) for trial in course.chosen}) == AT_ONCE


def test_every_place_gets_one_question_and_none_comes_twice() -> None:
    task = Adaptive([by_size(), by_size("Compl.normal", 10)], 1, "sum")
    book, rounds = answer_all(task, dict.fromkeys(SIZES, 0.75))
    assert rounds == 20 / AT_ONCE
    asked = [request for item in task.items() for request in task.requests(item, "sample", book)]
    assert len(asked) == len(set(asked)) == 20 * 2 + 10 * 3
    assert [request.item for request in asked] == [item.id for item in task.items()]


def test_what_is_asked_follows_from_the_answers_alone() -> None:
    """Another process that has the answers chooses the same questions, and goes on where this one stopped."""
    task = Adaptive([by_size()], 1, "sum")
    book, _ = answer_all(task, dict(zip(SIZES, (1, 1, 0.7, 0.5, 0.5), strict=True)))
    again = Adaptive([by_size()], 1, "sum")
    assert only(again, Book()).chosen == only(task, book).chosen[: 2 * AT_ONCE]
    assert only(again, book).chosen == only(task, book).chosen
    assert only(Adaptive([by_size()], 2, "sum"), Book()).chosen != only(again, Book()).chosen


def test_nothing_more_is_chosen_while_an_answer_is_missing() -> None:
    task = Adaptive([by_size()], 1, "sum")
    book = Book()
    trials = only(task, book).chosen
    first = [request for trial in trials for request in requests_of(trial.asked, "sample", book)]
    for request in first[1:]:
        book.add(request, SampleResponse(("TRUE",)))
    book.add(first[0], Failure("no answer", 1))
    assert len(only(task, book).chosen) == len(first)
    assert only(task, book).closed == 0
    assert first[0] in task.requests(task.items()[-1], "sample", book)


def test_easier_questions_follow_wrong_answers() -> None:
    mean = []
    for right in (0.5, 1.0):
        task = Adaptive([by_size()], 1, "sum")
        book, _ = answer_all(task, dict.fromkeys(SIZES, right))
        mean.append(np.mean([trial.level for trial in only(task, book).chosen]))
    assert mean[0] < 5
    assert mean[1] > 7


@pytest.mark.parametrize("problem", ["Infer.normal", "Consist.normal", "Compl.normal"])
def test_the_threshold_is_found(problem: str) -> None:
    right = {n: 0.5 + 0.48 / (1 + math.exp((n - 6.1) / 0.4)) for n in SIZES}
    task = Adaptive([by_size(problem, 80)], 1, "sum")
    book, _ = answer_all(task, right)
    found = find(only(task, book))
    assert found is not None
    assert found.threshold.low <= 6 <= found.threshold.high
    assert found.threshold.high - found.threshold.low < 2
    (estimate,) = estimates([found], {"model": "m"})
    assert (estimate.measure, estimate.by["problem"], estimate.clusters) == ("size_at_75", problem, 80)
    drawn = table([found], "m")
    assert drawn["level"].to_list() == [*SIZES]
    assert drawn["tuples"].sum() == 80
    for row in drawn.iter_rows(named=True):
        assert row["low"] - 0.05 <= right[row["level"]] <= row["high"] + 0.05


@pytest.mark.parametrize(("right", "where"), [(0.5, "below"), (1.0, "above")])
def test_no_threshold_is_given_outside_of_the_levels(right: float, where: str) -> None:
    task = Adaptive([by_size()], 1, "sum")
    book, _ = answer_all(task, dict.fromkeys(SIZES, right))
    found = find(only(task, book))
    assert found is not None
    assert side(found) == where
    (estimate,) = estimates([found], {})
    assert math.isnan(estimate.value)
    assert math.isnan(estimate.low) == (where == "below")
    assert math.isnan(estimate.high) == (where == "above")
    (note,) = notes([found])
    assert note.startswith("Infer.normal: " + ("less" if where == "below" else "more"))


def test_a_constant_answer_is_at_chance() -> None:
    task = Adaptive([by_size("Compl.normal", 10)], 1, "sum")
    book = Book()
    while wanted := [r for i in task.items() for r in task.requests(i, "sample", book) if r not in book]:
        for request in wanted:
            book.add(request, SampleResponse(("3",)))
    assert {(right, wrong) for _, right, wrong in only(task, book).entered} == {(1.0, 1.0)}


def test_one_and_two_are_one_answer() -> None:
    task = Adaptive([by_size("Compl.normal", 4)], 1, "sum")
    book = Book()
    for trial in only(task, book).chosen:
        swapped = {"1": "2", "2": "1", "3": "3"}[trial.gold]
        book.add(requests_of(trial.asked, "sample", book)[0], SampleResponse((swapped,)))
    assert {(right, wrong) for _, right, wrong in only(task, book).entered} == {(2.0, 0.0)}


def test_there_is_a_series_for_each_dial() -> None:
    series = all_series(Design(problems=("Infer.normal",), sizes=(5, 8, 6), complexities=(0,), tuples=9))
    assert [(one.name, one.levels, one.tuples) for one in series] == [
        ("Infer.normal by size", [5, 6, 8], 9),
        ("Infer.normal by depth", [2, 3, 4, 5, 6], 9),
    ]
    assert {(cell.size, cell.depth) for cell in series[0].cells[6]} == {(6, 2)}
    assert {(cell.size, cell.depth) for cell in series[1].cells[4]} == {(8, 4)}
    chosen = all_series(Design(problems=("Infer.normal",), sizes=(8,), tuples=9), (3, 6, 2))
    assert [one.levels for one in chosen] == [[2, 3, 6]]


def test_a_limit_is_spread_over_the_series() -> None:
    design = Design(problems=("Infer.normal", "Compl.normal"), sizes=(5, 8), complexities=(0,), tuples=60)
    assert {one.tuples for one in all_series(design, limit=100)} == {10}
    with pytest.raises(InputError, match=r"a limit of 9 .expected room for a tuple of each series \(10\)"):
        all_series(design, limit=9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problems": ("standard",)}, "no adaptive series of Infer.trivial"),
        ({"sizes": (4,), "complexities": (0,)}, "nothing to choose"),
        ({"limit": 3}, "a limit of 3"),
    ],
)
def test_what_has_no_series_is_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_task("worldsense", adaptive=True, **options)


def test_a_forecast_counts_every_question_at_its_longest() -> None:
    task = load_task("worldsense", adaptive=True, tuples=8)
    found = forecast(plan(task, load_model("random")))
    assert found.most is not None
    assert found.used.requests == 2 * AT_ONCE * 2
    assert found.most.requests == 2 * 8 * 2
    assert found.most.tokens > found.most.requests / found.used.requests * found.used.tokens


SMALL: dict[str, Any] = {"adaptive": True, "tuples": 4, "sizes": (4, 5, 6), "store": None, "quiet": True}


@pytest.fixture(scope="module")
def of_oracle() -> Run:
    """A small adaptive run with right answers."""
    return evaluate("worldsense", "oracle:", **SMALL)


def asked(run: Run) -> list[str]:
    return [request.prefix for request in run.outcome.answers if isinstance(request, ScoreRequest)]


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted run has asked a part of the questions of a whole one, and then asks the others."""
    options = SMALL | {"tuples": 12, "store": tmp_path / "runs.db"}
    whole = evaluate("worldsense", "random", **options | {"store": None})
    model = load_model("random")
    calls = 0

    def stops(self: object, requests: Sequence[ScoreRequest]) -> Iterator[Any]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return score(model, requests)

    score = type(model).score
    with monkeypatch.context() as patch:
        patch.setattr(type(model), "score", stops)
        with pytest.raises(Interrupted):
            evaluate("worldsense", model, **options)
    again = evaluate("worldsense", "random", **options)
    assert again.reused > 0
    assert again.asked > 0
    assert again.reused + again.asked == len(asked(whole)) == 48
    assert asked(again) == asked(whole)
    assert again.to_json()["estimates"] == whole.to_json()["estimates"]
    kept = load_run(again.id, store=options["store"])
    assert kept.to_json()["estimates"] == whole.to_json()["estimates"]
    assert kept.table().equals(whole.table())


def test_a_page_shows_the_questions_and_the_chart(tmp_path: Path, of_oracle: Run) -> None:
    assert set(of_oracle.table()["gold"]) == {"TRUE", "FALSE"}
    dials = of_oracle.results.tables["accuracy_by_difficulty"]["dial"]
    assert dials.unique(maintain_order=True).to_list() == ["size", "depth"]
    report(tmp_path / "page.html", of_oracle)
    text = (tmp_path / "page.html").read_text()
    assert "Accuracy by difficulty" in text
    assert "is above 75\N{NO-BREAK SPACE}% even at the largest size in Infer.normal" in text
    assert of_oracle.table().height == 16


def test_adaptive_runs_are_not_compared_question_by_question(of_oracle: Run) -> None:
    with pytest.raises(InputError, match="the run of oracle: is adaptive"):
        of_oracle.task.item_scores(of_oracle.answered)  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="no test set"):
        of_oracle.task.write_results(Path("x"), of_oracle.answered)  # type: ignore[attr-defined]


def test_a_set_cannot_be_adaptive() -> None:
    with pytest.raises(InputError, match="adaptive describe fresh questions"):
        load_task("worldsense", data="x", adaptive=True)


def test_recorded_answers_cannot_be_followed(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "x", "response": "TRUE"}\n')
    with pytest.raises(InputError, match="recorded answers are found by their own item only"):
        evaluate("worldsense", f"recorded:{path}", store=None, adaptive=True, tuples=8, quiet=True)


def test_each_tuple_has_forms_that_the_series_has_not_had() -> None:
    (series, _) = all_series(Design(problems=("Infer.normal",), sizes=(5, 6), tuples=40, complexities=(2,)))
    course = Course(series, (1, 2))
    while len(course.chosen) < series.trials:
        course.choose(series.levels[0])
    forms = [question_form(parse_text(trial.asked.text)) for trial in course.chosen]
    assert len({*forms}) == len(forms) == series.trials
