"""A world whose chains of thought can be enumerated: the mean over chains is exact, and better than counting."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.records import (
    Item,
    LabelRequest,
    Request,
    SampleRequest,
    SampleResponse,
    Thought,
)
from probsense.models.base import REASONING, Finding
from probsense.models.prompts.thinking import Sampling
from probsense.models.registry import fingerprint
from probsense.runs.ask.plan import plan
from probsense.runs.ask.thinking import Wish, let_think, wished
from probsense.runs.evaluate import Terms, ask_plan
from probsense.runs.run import Run
from probsense.runs.thoughts import variance_of_chains
from probsense.tasks.base import Answers, Method
from support.run_fakes import Quiz
from support.thinker import MANNER, WORLD, Thinker


def think(model: Thinker, task: Quiz, chains: int = 3, budgets: tuple[int, ...] = (64,), **more: Any) -> Run:
    planned = plan(task, model, more.pop("method", "labels"), Wish("on", chains, budgets))
    return ask_plan(planned, Terms(store=more.pop("store", None), quiet=True), **more)


def masses(run: Run) -> list[float]:
    return [
        run.outcome.answers[run.task.requests(item, "labels", {})[0]].mass["yes"] / 0.9
        for item in run.outcome.items
    ]


def test_the_mean_over_chains_is_exact_and_better_than_counting():
    """Every way in which two chains can come, with its probability: the estimator has the mean and variance derived."""
    k, truth = 2, math.fsum(p * yes for p, yes in WORLD.values())
    between = math.fsum(p * (yes - truth) ** 2 for p, yes in WORLD.values())
    mean = square = within = 0.0
    for chains in itertools.product(WORLD, repeat=k):
        chance = math.prod(WORLD[chain][0] for chain in chains)
        run = think(Thinker(chains), Quiz(1), chains=k)
        (found,) = masses(run)
        mean += chance * found
        square += chance * found**2
        (request,) = run.task.requests(run.items[0], "labels", run.outcome.answers)
        apart, _ = variance_of_chains(run.outcome.answers[request].chains)
        within += chance * apart / k / (2 * 0.81)  # of "yes" and "no" alike, with .9 of the probability
    assert mean == pytest.approx(truth, abs=1e-12)
    assert square - mean**2 == pytest.approx(between / k, abs=1e-12)
    assert within == pytest.approx(between / k, abs=1e-12)  # the reported variance is unbiased
    assert between / k < truth * (1 - truth) / k  # the variance of counting the answers


def test_a_chain_is_asked_once_and_belongs_to_the_key_of_what_follows():
    model = Thinker()
    think(model, Quiz(1), chains=3)
    first, *after = model.asked[:3], *model.asked[3:]
    assert [request.thought for request in first] == [Thought("<think>\n")] * 3
    assert [request.seed for request in first] == [0, 1, 2]
    assert [str(request.thought) for request in after] == [f"<think>\n{c}</think>\n\n" for c in WORLD]
    assert len(model.asked) == 6


def test_chains_that_are_cut_are_closed_and_counted():
    model = Thinker(unclosed=frozenset({"hm"}))
    run = think(model, Quiz(2), chains=3, budgets=(3,))
    texts = {request.thought.text for request in model.asked if request.thought and request.thought.end}
    assert texts == {"four has a\n", "odd things are\n", "hm\n"}
    cut, ended = run.results.warnings
    assert "4 of 6 thoughts were cut: the model was interrupted (--thinking-budget" in cut
    assert "2 of 6 thoughts ended without '</think>': does the model think" in ended
    coverage = run.results.coverage[0]
    assert [coverage[f"thoughts_{how}"] for how in ("closed", "cut", "ended")] == [0, 4, 2]
    assert (coverage["thoughts"], coverage["tokens_of_a_thought"]) == (6, 3)
    # They stand before everything else, unless cuts are the purpose.
    assert [getattr(warning, "voids", False) for warning in (cut, ended)] == [True, True]
    points = think(Thinker(unclosed=frozenset({"hm"})), Quiz(2), chains=3, budgets=(0, 3))
    assert [getattr(warning, "voids", True) for warning in points.results.warnings] == [False, False]


def test_budgets_cut_the_same_chains():
    """The chains of a longer budget begin with those of a shorter one, and are asked on from there."""
    model, task = Thinker(), Quiz(1)
    store = Path("curve.db")
    short = think(model, task, budgets=(0, 2), store=store)
    before = len(model.asked)
    long = think(model, task, budgets=(0, 2, 64), store=store)
    new = model.asked[before:]
    # "hm" was over; the two others go on, and are answered anew.
    assert [request.thought.text for request in new if request.thought and not request.thought.end] == [
        "four has ",
        "odd things ",
    ]
    assert masses(short) == [pytest.approx((0.5 + 0.5 + 0.05) / 3)]
    assert masses(long) == [pytest.approx((0.9 + 0.6 + 0.05) / 3)]
    none = think(model, task, budgets=(0,), store=store)
    assert masses(none) == [0.5]
    assert len({short.id, long.id, none.id}) == 3


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_items_tell_their_chains():
    run = think(Thinker(unclosed=frozenset({"hm"})), Quiz(1))
    (one,) = run.transcripts()
    assert one.reply is not None
    assert one.reply.texts == (
        "four has a half → yes 81 %, no 9 %, anything else 10 %",
        "odd things are rare → yes 54 %, no 36 %, anything else 10 %",
        "hm … → yes 5 %, no 86 %, anything else 10 %",
    )


def test_a_text_that_ends_within_another_thought_is_missing_alone():
    """The texts after the chains of a question are one answer; only without any, the question has none."""

    @dataclass
    class Distracted(Thinker):
        lost: int = 1

        def _said(self, request: SampleRequest) -> SampleResponse:
            lost = not request.thinks and request.seed < self.lost
            return SampleResponse(("yes <think> Hm",), cut=(True,)) if lost else super()._said(request)

    @dataclass(frozen=True)
    class Thrice(Quiz):
        def requests(self, item: Item, method: Method, answers: Answers) -> list[Request]:
            return [SampleRequest(f"{item.id}?", n=3, item=item.id)]

    run = think(Distracted(), Thrice(2), method="sample", store=Path("a.db"))
    answer = run.outcome.answers[run.task.requests(run.items[0], "sample", {})[0]]
    assert isinstance(answer, SampleResponse)
    assert (answer.texts, answer.unfinished) == (("yes", "no"), 1)
    assert answer.thoughts == ("odd things are rare", "hm")
    assert run.covered["answered"] == 2
    assert run.outcome.failures == {}
    assert run.outcome.thinking.unfinished == 2
    assert next(run.transcripts()).reply.texts[0] == "four has a half → …"
    with pytest.raises(ProbSenseError, match="answered nothing: the text ends within its thought"):
        think(Distracted(lost=3), Thrice(2), method="sample")


def test_who_thinks():
    always = replace(MANNER, verdict="always")
    cases = (
        (always, Wish(), True),
        (MANNER, Wish(), False),
        (always, Wish("off"), False),
        (None, Wish(), False),
    )
    for manner, wish, thinks in cases:
        assert (let_think(Thinker(manner=manner), wish)[1] is not None) is thinks
    _, chains = let_think(Thinker(manner=None), Wish("on", start="Thought:", end="Answer:"))
    assert chains is not None
    found = chains.manner
    assert (found.start, found.end, found.mark) == ("Thought:\n", "Answer:\n\n", "Answer:")


def test_chains_are_drawn_as_the_user_wishes():
    """The model's own settings count but for those that are named; they are part of the fingerprint."""
    own = Thinker(manner=replace(MANNER, sampling=Sampling(0.6, 0.95, 20)))
    thinker, chains = let_think(own, Wish("on", 2, sampling="temperature=1.5,min_p=.1"))
    assert chains is not None
    drawn = chains.beginning(LabelRequest("a?", (("yes", ("yes",)),)), 0)
    assert (drawn.temperature, drawn.top_p, drawn.top_k, drawn.min_p) == (1.5, 0.95, 20, 0.1)
    other = let_think(own, Wish("on"))[0]
    assert fingerprint(other) != fingerprint(thinker)


def test_a_server_that_thinks_by_itself_draws_its_thoughts_itself():
    findings = [Finding(REASONING, None, "the model thinks first")]
    server = SimpleNamespace(name="server:", findings=findings)
    assert let_think(server, Wish("on")) == (server, None)
    with pytest.raises(InputError, match="as its server has it"):
        let_think(server, Wish("auto", sampling="temperature=1"))


BAD = {
    "8 chains at temperature 0": (Thinker(), Wish("on", sampling="temperature=0")),
    "nothing in the template": (Thinker(manner=None), Wish("on")),
    "one marker": (Thinker(), Wish("on", start="Thought:")),
    "no such mode of thinking: 'maybe'": (Thinker(), Wish("maybe")),
    "0 chains": (Thinker(), Wish("on", chains=0)),
    "a thinking budget of -1": (Thinker(), Wish("on", budgets=(-1,))),
    "cannot be asked after a thought": (SimpleNamespace(name="server:"), Wish("on")),
}


@pytest.mark.parametrize("said", BAD)
def test_what_cannot_be(said):
    with pytest.raises(InputError, match=said):
        let_think(*BAD[said])


def test_curves_of_budgets():
    assert [wish.budgets for wish in wished("auto", 4, "64, 0,256")] == [
        (0,),
        (0, 64),
        (0, 64, 256),
    ]
    for words in ("", "a", "1,,2", "-1", "1.5"):
        with pytest.raises(InputError, match="a thinking budget of"):
            wished("on", 4, words)
    with pytest.raises(InputError, match="--thinking off"):
        wished("off", 4, "1,2")
