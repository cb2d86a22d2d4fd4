"""The task: what is asked, in which shape, and which trials a limit leaves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import (
    Item,
    LabelRequest,
    LabelResponse,
    OptionScore,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
)
from probsense.tasks.base import Method
from probsense.tasks.results import Results
from probsense.tasks.worldsense.asking import (
    answer_in,
    balanced,
    generated_items,
    most_requests_of,
)
from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.task import WorldSense
from probsense.tasks.worldsense.text.skin_files import load_skins

NOTHING = TokenLogprobs((), (), 0, 0)


def score(*logprobs: float) -> ScoreResponse:
    """A response with one token for each option."""
    return ScoreResponse(tuple(OptionScore(TokenLogprobs((x,), ("t",), 1, 1), NOTHING) for x in logprobs))


@pytest.fixture(scope="module")
def task() -> WorldSense:
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


def test_items_are_the_same_from_memory_and_from_a_folder(task: WorldSense, tmp_path: Path) -> None:
    write_testset(tmp_path / "set", Design(seed=1, sizes=(3,)))
    assert list(WorldSense(tmp_path / "set").items()) == list(task.items())


def test_the_options_record_what_was_asked_for(tmp_path: Path) -> None:
    task = WorldSense(sizes=(3, 4), seed=9, limit=50, rule="byte")
    assert WorldSense(**task.options).options == task.options
    assert list(WorldSense(**task.options).items()) == list(task.items())


def test_an_option_follows_white_space_as_it_is(task: WorldSense) -> None:
    for item in task.items():
        (request,) = task.requests(item, "options", {})
        assert isinstance(request, ScoreRequest)
        assert request.prefix == item.data["text"]
        joined = [request.prefix + option for option in request.options]
        assert all("  " not in text[-20:] for text in joined)
        assert all(
            text[-len(answer) - 1].isspace()
            for text, answer in zip(joined, item.data["expected"], strict=True)
        )


def test_siblings_are_never_shown_together(task: WorldSense) -> None:
    for method in task.methods:
        requests = [r for item in task.items() for r in task.requests(item, method, {})]
        assert len(requests) == len(task.items())
        assert all(r.item == item.id for r, item in zip(requests, task.items(), strict=True))


def test_scores_are_read_by_the_rule(task: WorldSense) -> None:
    item = next(i for i in task.items() if i.gold == "FALSE")
    (request,) = task.requests(item, "options", {})
    answers: dict[Request, Response] = {request: score(-1.0, -3.0)}
    found = measured(task, [item], "options", answers)
    (row,) = rows(found)
    assert row["resp"] == "TRUE"
    assert row["margin"] == 2.0
    assert row["p_gold"] == pytest.approx(math.exp(-3) / (math.exp(-1) + math.exp(-3)))
    assert row["other"] == pytest.approx(1 - math.exp(-1) - math.exp(-3))
    said = "1 of 1 trials more than half of the probability goes to none of the allowed answers"
    assert said in found.warnings[0]
    assert not any("near-ties" in note for note in found.notes)
    tied = measured(task, [item], "options", {request: score(-1.0, -1.0 - 1e-9)})
    assert [row["resp"] for row in rows(tied)] == ["TRUE"]
    assert "near-ties" in tied.notes[0]
    assert not any("goes to none" in said for said in tied.warnings)


def test_labels_are_read_with_what_goes_elsewhere(task: WorldSense) -> None:
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


def test_a_text_that_is_no_answer_is_asked_again_once(task: WorldSense) -> None:
    item = next(i for i in task.items() if i.gold == "POSSIBLE")
    (first,) = task.requests(item, "sample", {})
    assert isinstance(first, SampleRequest)
    assert task.requests(item, "sample", {first: SampleResponse(("possible",))}) == [first]
    answers: dict[Request, Response] = {first: SampleResponse(("Well, who knows",))}
    again = task.requests(item, "sample", answers)
    assert again[0] == first
    assert "POSSIBLE, IMPOSSIBLE" in again[1].prompt
    for reply, resp in (("IMPOSSIBLE", "IMPOSSIBLE"), ("no idea", "")):
        answered = answers | {again[1]: SampleResponse((reply,))}
        assert task.requests(item, "sample", answered) == again
        found = measured(task, [item], "sample", answered)
        assert [row["resp"] for row in rows(found)] == [resp]
        assert any("none of the allowed answers" in said for said in found.warnings) == (resp == "")


@pytest.mark.parametrize("invalid", [1, 10])
def test_a_few_answers_that_are_not_allowed_are_a_note_and_many_a_warning(
    task: WorldSense, invalid: int
) -> None:
    items = [item for item in task.items() if item.gold in ("TRUE", "FALSE")][:20]
    answers: dict[Request, Response] = {}
    for i, item in enumerate(items):
        for _ in range(2):
            for request in task.requests(item, "sample", answers):
                answers[request] = SampleResponse(("no idea" if i < invalid else item.gold,))
    found = measured(task, items, "sample", answers)
    said = f"{invalid} of 20 trials got none of the allowed answers"
    assert (said in found.notes, said in found.warnings) == (invalid == 1, invalid == 10)


@given(limit=st.integers(3, 1000), seed=st.integers(0, 9))
def test_a_limit_keeps_tuples_whole_and_problems_even(limit: int, seed: int) -> None:
    everything = ITEMS
    chosen = balanced(everything, limit, seed)
    assert len(chosen) <= limit
    assert len(everything) <= limit or len(chosen) > limit - 3
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


def test_a_limit_is_drawn_by_the_seed() -> None:
    chosen = [[i.id for i in balanced(ITEMS, 60, seed)] for seed in (1, 1, 2)]
    assert chosen[0] == chosen[1] != chosen[2]


@pytest.mark.parametrize("options", [{"limit": 0}, {"rule": "best"}, {"sizes": (1,)}])
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        WorldSense(**options)


def test_a_limit_below_one_tuple_is_refused() -> None:
    with pytest.raises(InputError, match="whole tuple"):
        WorldSense(sizes=(3,), limit=1).items()


def test_trials_of_tuples_that_are_not_complete_count_in_no_figure(task: WorldSense) -> None:
    """As where a request failed."""
    items = list(task.items())
    given = {
        request: score(*map(float, range(len(request.options))))
        for item in items
        for request in task.requests(item, "options", {})
        if isinstance(request, ScoreRequest)
    }
    (note,) = measured(task, items, "options", given).notes
    assert "accuracy of 50 %, so the published interval has no width" in note
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
def test_read_reply(reply: str, allowed: tuple[str, ...], answer: str) -> None:
    assert answer_in(Item("7", "t", "", {"expected": allowed}), reply) == answer


def test_the_second_question_lists_the_answers() -> None:
    _, again = most_requests_of(
        Item("7", "t", "TRUE", {"text": "Is it so?\n", "expected": [*TRUTH]}), "sample"
    )
    assert again.prompt == "Is it so?\nYour answer must be exactly one of these: TRUE, FALSE.\n"


def test_a_limit_spreads_over_sizes_whatever_complexities_they_have() -> None:
    """Of four things, stories of one complexity only have enough forms; they are asked as often as others."""
    items = list(generated_items(Design(problems=("Infer.normal",))))
    sizes = Counter(item.data["size"] for item in balanced(items, 240, 0))
    assert sizes.total() == 240
    assert max(sizes.values()) - min(sizes.values()) < 40
