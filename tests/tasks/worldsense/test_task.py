"""The task: what is asked, in which shape, and which trials a limit leaves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import (
    Item,
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.tasks.base import Method
from probsense.tasks.results import Results
from probsense.tasks.worldsense.asking import (
    answer_in,
    balanced,
    generated_items,
)
from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.task import WorldSense
from probsense.tasks.worldsense.text.skin_files import load_skins
from support.scored import option
from support.worldsense import answers_of


def score(*probabilities: float) -> ScoreResponse:
    """A response with one token for each option."""
    return ScoreResponse(tuple(option(" x", [p]) for p in probabilities))


@pytest.fixture(scope="module")
def task():
    return WorldSense(sizes=(3,), seed=1)


def measured(
    task: WorldSense, items: Sequence[Item], method: Method, answers: Mapping[Request, Response]
) -> Results:
    """What the answers of one model amount to."""
    return task.measure(items, method, answers, {"model": "m", "prompting": "p"})


def rows(found: Results) -> list[dict[str, Any]]:
    """The rows of its table."""
    assert found.table is not None
    return found.table.rows(named=True)


def cell(item: Item) -> tuple[str, ...]:
    return tuple(str(item.data[key]) for key in ("problem", "size", "skin", "qskin", "complexity"))


def test_items_are_the_same_from_memory_and_from_a_folder(task, tmp_path):
    write_testset(tmp_path / "set", Design(seed=1, sizes=(3,)))
    assert list(WorldSense(tmp_path / "set").items()) == list(task.items())


def test_the_options_record_what_was_asked_for(tmp_path):
    task = WorldSense(sizes=(3, 4), seed=9, limit=50, rule="byte")
    assert WorldSense(**task.options).options == task.options
    assert "twins" not in task.options  # as in runs from before there were any
    assert list(WorldSense(**task.options).items()) == list(task.items())


def test_an_option_follows_white_space_as_it_is(task):
    """And siblings are never shown together."""
    for item in task.items():
        (request,) = task.requests(item, "options", {})
        assert isinstance(request, ScoreRequest)
        assert (request.prefix, request.item) == (item.data["text"], item.id)
        joined = [request.prefix + option for option in request.options]
        assert all("  " not in text[-20:] for text in joined)
        assert [text.split()[-1] for text in joined] == item.data["expected"]


def test_scores_are_read_by_the_rule(task):
    item = next(i for i in task.items() if i.gold == "FALSE")
    (request,) = task.requests(item, "options", {})
    answers = {request: score(0.4, 0.1)}
    found = measured(task, [item], "options", answers)
    (row,) = rows(found)
    assert row["resp"] == "TRUE"
    assert [row[key] for key in ("margin", "p_gold", "other")] == pytest.approx([math.log(4), 0.2, 0.5])
    assert not any("near-ties" in note for note in found.notes)
    tied = measured(task, [item], "options", {request: score(0.4, 0.4 - 1e-9)})
    assert [row["resp"] for row in rows(tied)] == ["TRUE"]
    assert "near-ties" in tied.notes[0]


def test_labels_are_read_with_what_goes_elsewhere(task):
    item = next(i for i in task.items() if i.gold == "2")
    (request,) = task.requests(item, "labels", {})
    assert isinstance(request, LabelRequest)
    given = {request: LabelResponse({"1": 0.1, "2": 0.2, "3": 0.1}, 0.6)}
    found = measured(task, [item], "labels", given)
    (row,) = rows(found)
    assert [row[key] for key in ("resp", "p_gold", "other")] == ["2", 0.5, 0.6]
    assert "compare with one another only" in found.warnings[0]
    given = {request: LabelResponse({"1": 0.0, "2": 0.0, "3": 0.0}, 1.0)}
    assert [row["resp"] for row in rows(measured(task, [item], "labels", given))] == [""]


def test_a_text_that_is_no_answer_is_asked_again_once(task):
    item = next(i for i in task.items() if i.gold == "POSSIBLE")
    (first,) = task.requests(item, "sample", {})
    assert isinstance(first, SampleRequest)
    assert task.requests(item, "sample", {first: SampleResponse(("possible",))}) == [first]
    answers = {first: SampleResponse(("Well, who knows",))}
    again = task.requests(item, "sample", answers)
    assert again[0] == first
    told = item.data["text"].rstrip()
    assert again[1].prompt == f"{told}\nYour answer must be exactly one of these: POSSIBLE, IMPOSSIBLE.\n"
    assert task.most_requests(item, "sample") == again
    for reply, resp in (("IMPOSSIBLE", "IMPOSSIBLE"), ("no idea", "")):
        answered = answers | {again[1]: SampleResponse((reply,))}
        assert task.requests(item, "sample", answered) == again
        found = measured(task, [item], "sample", answered)
        assert [row["resp"] for row in rows(found)] == [resp]
        assert any("none of the allowed answers" in said for said in found.warnings) == (resp == "")


@pytest.mark.parametrize("invalid", [1, 10])
def test_a_few_answers_that_are_not_allowed_are_a_note_and_many_a_warning(task, invalid):
    items = [item for item in task.items() if item.gold in ("TRUE", "FALSE")][:20]
    answers = {}
    for i, item in enumerate(items):
        for _ in range(2):
            for request in task.requests(item, "sample", answers):
                answers[request] = SampleResponse(("no idea" if i < invalid else item.gold,))
    found = measured(task, items, "sample", answers)
    said = f"{invalid} of 20 trials got none of the allowed answers"
    assert (said in found.notes, said in found.warnings) == (invalid == 1, invalid == 10)


@given(limit=st.integers(3, 1000), seed=st.integers(0, 9))
def test_a_limit_keeps_tuples_whole_and_problems_even(limit, seed):
    everything = ITEMS
    chosen = balanced(everything, limit, seed)
    assert len(chosen) <= limit
    assert len(everything) <= limit or len(chosen) > limit - 3
    assert chosen == balanced(everything, limit, seed) != balanced(everything, 60, seed + 1)
    ids = {item.id for item in chosen}
    assert [item for item in everything if item.id in ids] == chosen
    sizes = Counter(i.cluster for i in everything)
    assert all(sizes[cluster] == count for cluster, count in Counter(i.cluster for i in chosen).items())
    available = Counter({i.cluster: i.data["problem"] for i in everything}.values())
    taken = Counter({i.cluster: i.data["problem"] for i in chosen}.values())
    unfinished = [taken[p] for p in available if taken[p] < available[p]]
    assert max(unfinished, default=0) - min(unfinished, default=0) <= 1
    cells = {i.cluster: cell(i) for i in chosen}
    for problem in available:
        counts = Counter(c for c in cells.values() if c[0] == problem)
        possible = {cell(i) for i in everything if i.data["problem"] == problem}
        spread = [counts[c] for c in possible]
        assert max(spread) - min(spread) <= 1


ITEMS = list(generated_items(Design(sizes=(3, 4), tuples=2, skins=load_skins("train")[:6], regime=PUBLISHED)))
"""All cells hold two tuples."""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 1}, "a limit of 1 .*one whole tuple"),
        ({"rule": "best"}, "no rule 'best'"),
        ({"twins": True}, "twins without a set"),
        ({"data": "set", "depths": (3,)}, "depths describe fresh questions"),
    ],
)
def test_impossible_options_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        WorldSense(**options).items()


def test_trials_of_tuples_that_are_not_complete_count_in_no_figure(task):
    """As where a request failed."""
    items = list(task.items())
    given = answers_of(task, items, "options", lambda item, text: str(item.data["expected"][0]))
    size = Counter(item.cluster for item in items)[items[0].cluster]
    cut, torn = (measured(task, items[at:], "options", given) for at in (size, 1))
    (said,) = torn.warnings
    assert said.startswith(f"{size - 1} of {len(items) - 1:,} trials belong to tuples that are not complete")
    assert [one.to_json() for one in torn.estimates] == [one.to_json() for one in cut.estimates]
    assert cut.estimates
    assert measured(task, items[:1], "options", given).estimates == []


TRUTH = ("TRUE", "FALSE")
POSSIBILITY = ("POSSIBLE", "IMPOSSIBLE")
NUMBERS = ("1", "2", "3")


@pytest.mark.parametrize(
    ("reply", "allowed", "answer"),
    [
        ("TRUE", TRUTH, "TRUE"),
        (" false.\n", TRUTH, "FALSE"),
        ("The claim is 'TRUE'", TRUTH, "TRUE"),
        ("IMPOSSIBLE", POSSIBILITY, "IMPOSSIBLE"),
        ("(2)", NUMBERS, "2"),
        ("Answer: 3", NUMBERS, "3"),
        ("", TRUTH, ""),
        ("perhaps", TRUTH, ""),
        ("TRUE or FALSE", TRUTH, ""),
        ("It is not possible", POSSIBILITY, ""),
        ("12", NUMBERS, ""),
        ("3, because it cannot be decided", NUMBERS, "3"),
        ("1: Ann is older, not younger", NUMBERS, "1"),
        ("It is not 3", NUMBERS, ""),
        ("TRUE, not a guess", TRUTH, ""),
        ("untrue", TRUTH, ""),
    ],
)
def test_read_reply(reply, allowed, answer):
    assert answer_in(Item("7", "t", "", {"expected": allowed}), reply) == answer


def test_a_limit_spreads_over_sizes_whatever_complexities_they_have():
    """Of four things, stories of one complexity only have enough forms; they are asked as often as others."""
    items = list(generated_items(Design(problems=("Infer.normal",))))
    sizes = Counter(item.data["size"] for item in balanced(items, 240, 0))
    assert sizes.total() == 240
    assert max(sizes.values()) - min(sizes.values()) < 40
