"""Tests of adaptive series: what is asked follows from the answers, and the threshold from both."""

import math

import numpy as np
import pytest

from probsense.records import Failure, SampleResponse
from probsense.run.rounds import Book
from probsense.tasks.worldsense.adaptive import AT_ONCE, Adaptive, Course, Series, Trial
from probsense.tasks.worldsense.asking import requests_of
from probsense.tasks.worldsense.generate import Design, cells
from probsense.tasks.worldsense.thresholds import estimates, find, notes, side, table

SIZES = range(4, 9)


def by_size(problem: str = "Infer.normal", tuples: int = 20) -> Series:
    return Series(
        problem,
        "size",
        {n: [c for c in cells(Design(sizes=(n,), problems=(problem,))) if c.complexity == 0] for n in SIZES},
        tuples,
    )


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
    first = [
        request for trial in only(task, book).chosen for request in requests_of(trial.asked, "sample", book)
    ]
    for request in first[1:]:
        book.add(request, SampleResponse(("TRUE",)))
    book.add(first[0], Failure("no answer", 1))
    assert len(only(task, book).chosen) == len(first)
    assert only(task, book).closed == 0
    assert first[0] in task.requests(task.items()[-1], "sample", book)


def test_easier_questions_follow_wrong_answers() -> None:
    mean = [
        np.mean([trial.level for trial in only(task, book).chosen])
        for right in (0.5, 1.0)
        for task in [Adaptive([by_size()], 1, "sum")]
        for book, _ in [answer_all(task, dict.fromkeys(SIZES, right))]
    ]
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
    assert {(right, wrong) for _, right, wrong in only(task, book).groups} == {(1.0, 1.0)}


def test_one_and_two_are_one_answer() -> None:
    task = Adaptive([by_size("Compl.normal", 4)], 1, "sum")
    book = Book()
    for trial in only(task, book).chosen:
        swapped = {"1": "2", "2": "1", "3": "3"}[trial.gold]
        book.add(requests_of(trial.asked, "sample", book)[0], SampleResponse((swapped,)))
    assert {(right, wrong) for _, right, wrong in only(task, book).groups} == {(2.0, 0.0)}
