"""A world whose chains of thought can be enumerated: the mean over chains is exact, and better than counting."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.records import (
    Failure,
    LabelRequest,
    LabelResponse,
    OptionScore,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    Thought,
)
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.prompts.thinking import Manner
from probsense.models.small.random import one_token
from probsense.runs.ask.chains import AfterChains, Chains
from probsense.runs.ask.plan import plan
from probsense.runs.ask.thinking import Wish, let_think, wished
from probsense.runs.evaluate import ask_plan, evaluate, load_run
from probsense.runs.run import Run
from probsense.runs.shards import Shard
from probsense.runs.store.maintenance import merge
from probsense.runs.thoughts import item_thoughts, thought_figures
from probsense.runs.transcripts import transcripts
from support.run_fakes import Quiz

WORLD = {"four has a half": (0.5, 0.9), "odd things are rare": (0.3, 0.6), "hm": (0.2, 0.05)}
"""The probability of each chain, and of "yes" after it."""
MANNER = Manner("<think>\n", "</think>\n\n", "</think>", "on unless told")


@dataclass
class Thinker:
    """Thinks what it is told to, by the number of the chain; after thoughts it does not know, "yes" has 0.5."""

    thinks: Sequence[str] = tuple(WORLD)
    name: str = "thinker:"
    manner: Manner | None = MANNER
    capabilities: Capabilities = field(
        default=Capabilities(score=True, labels="exact", sample=True, thought=True)
    )
    usage: Usage = field(default_factory=Usage)
    asked: list[Request] = field(default_factory=list)
    breaks_after: int = 10**9
    unclosed: frozenset[str] = frozenset()
    thinking: Mapping[str, Any] | None = None
    remembers: bool = False

    @property
    def details(self) -> Mapping[str, Any]:
        return {"scheme": "thinker"} | ({"thinking": self.thinking} if self.thinking else {})

    def in_thinking(self, manner: Manner) -> Thinker:
        return replace(self, name=f"{self.name} (thinking)", thinking=manner.to_json())

    def _batches(self, requests: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        for i, request in enumerate(requests):
            if len(self.asked) >= self.breaks_after:
                raise ProbSenseError("killed")
            self.asked.append(request)
            yield i, request

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, request in self._batches(requests):
            if not request.thinks:
                assert request.n == 1
                yield [(i, SampleResponse(("yes" if self._yes(request) > 0.5 else "no",), cut=(False,)))]
                continue
            whole = self.thinks[(request.seed & 0xFFFF) % len(self.thinks)]
            words = whole.split(" ")
            begun = request.thought.text.split(" ")[:-1] if request.thought else []
            part = words[len(begun) : len(begun) + request.max_tokens]
            ended = len(begun) + len(part) == len(words) and whole not in self.unclosed
            text = " ".join(part) + ("" if len(begun) + len(part) == len(words) else " ")
            yield [(i, SampleResponse((text,), cut=(not ended,), sizes=(len(part),)))]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        for i, request in self._batches(requests):
            p = self._yes(request)
            yield [(i, LabelResponse({"yes": p * 0.9, "no": (1 - p) * 0.9}, 0.1))]

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        for i, request in self._batches(requests):
            p = self._yes(request)
            odds = zip(request.options, (p, 1 - p), strict=True)
            yield [
                (
                    i,
                    ScoreResponse(
                        tuple(OptionScore(one_token(o, math.log(x)), one_token("", 0)) for o, x in odds)
                    ),
                )
            ]

    def _yes(self, request: Request) -> float:
        assert request.thought is not None
        assert request.thought.end == MANNER.end
        return WORLD.get(request.thought.text.strip(), (0.0, 0.5))[1]


def think(model: Thinker, task: Quiz, chains: int = 3, budgets: tuple[int, ...] = (64,), **more: Any) -> Run:
    planned = plan(task, model, more.pop("method", "labels"), Wish("on", chains, budgets))
    return ask_plan(planned, store=more.pop("store", None), quiet=True, **more)


def masses(run: Run) -> list[float]:
    return [
        run.outcome.answers[run.task.requests(item, "labels", {})[0]].mass["yes"] / 0.9  # type: ignore[union-attr]
        for item in run.outcome.items
    ]


def test_the_mean_over_chains_is_exact_and_better_than_counting() -> None:
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
        (one,) = item_thoughts(run.outcome.answers, run.task, run.items[0], "labels")  # type: ignore[arg-type]
        within += chance * one.stderr**2 / (2 * 0.81)  # of "yes" and "no" alike, with .9 of the probability
    assert mean == pytest.approx(truth, abs=1e-12)
    assert square - mean**2 == pytest.approx(between / k, abs=1e-12)
    assert within == pytest.approx(between / k, abs=1e-12)  # the reported variance is unbiased
    assert between / k < truth * (1 - truth) / k  # the variance of counting the answers


@pytest.mark.parametrize("method", ["options", "labels", "sample"])
def test_every_method_answers_after_chains(method: str) -> None:
    run = think(Thinker(), Quiz(2), method=method)
    kinds = [type(request).__name__ + ("+" if request.thought else "") for request in run_requests(run)]
    assert all(kind.endswith("+") for kind in kinds)
    assert run.model == "thinker: (thinking)"
    request = run.task.requests(run.items[0], method, {})[0]  # type: ignore[arg-type]
    match run.outcome.answers[request]:
        case SampleResponse() as answer:
            assert (answer.texts, answer.thoughts) == (("yes",), ("four has a half",))
        case LabelResponse() as answer:
            assert answer.mass["yes"] / 0.9 == pytest.approx((0.9 + 0.6 + 0.05) / 3, abs=1e-12)
        case ScoreResponse() as answer:
            assert math.exp(sum(answer.options[0].option.logprobs)) == pytest.approx((0.9 + 0.6 + 0.05) / 3)


def run_requests(run: Run) -> list[Request]:
    return [*run.outcome.answers]


def test_a_chain_is_asked_once_and_belongs_to_the_key_of_what_follows() -> None:
    model = Thinker()
    think(model, Quiz(1), chains=3)
    first, *after = model.asked[:3], *model.asked[3:]
    assert [request.thought for request in first] == [Thought("<think>\n")] * 3
    assert [request.seed for request in first] == [0, 1, 2]  # type: ignore[union-attr]
    assert [str(request.thought) for request in after] == [f"<think>\n{c}</think>\n\n" for c in WORLD]
    assert len(model.asked) == 6


@pytest.mark.parametrize("method", ["options", "labels", "sample"])
def test_answers_come_while_the_model_remembers_the_chains_before_them(method: str) -> None:
    model = Thinker(remembers=True)
    run = think(model, Quiz(2), chains=3, method=method)
    thinks = [isinstance(request, SampleRequest) and request.thinks for request in model.asked]
    number = 1 if method == "sample" else 3  # A text has a chain of its own.
    assert thinks == [True, False] * number * 2
    for chain, answer in zip(model.asked[::2], model.asked[1::2], strict=True):
        assert answer.thought is not None
        assert answer.item == chain.item
    plain = think(Thinker(), Quiz(2), chains=3, method=method)
    assert [*map(run.outcome.answers.get, run_requests(plain))] == [*plain.outcome.answers.values()]
    assert (run.asked, run.covered) == (plain.asked, plain.covered)


def test_a_failed_answer_is_not_asked_again_with_the_next_chain() -> None:
    class Failing(Thinker):
        def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Any]:
            for i, _ in self._batches(requests):
                yield [(i, Failure("no", 1))]

    model = Failing(remembers=True)
    with pytest.raises(ProbSenseError, match="no"):
        think(model, Quiz(1), chains=3)
    assert len(model.asked) == 6


def test_chains_that_are_cut_are_closed_and_counted() -> None:
    model = Thinker(unclosed=frozenset({"hm"}))
    run = think(model, Quiz(2), chains=3, budgets=(3,))
    texts = {request.thought.text for request in model.asked if request.thought and request.thought.end}
    assert texts == {"four has a\n", "odd things are\n", "hm\n"}
    figures = thought_figures(run.outcome, run.task, "labels")
    assert figures is not None
    assert (figures.chains, figures.closed, set(figures.tokens)) == (6, 0, {3, 1})
    assert "6 of 6 thoughts were cut" in run.results.warnings[0]
    assert run.results.coverage[0]["thoughts_cut"] == 6


def test_results_are_given_for_chains_that_closed_themselves_too() -> None:
    """After "four has a half" alone the answer is yes, which is right for two of three; with "hm" it is no."""
    run = think(Thinker(("four has a half", "hm"), unclosed=frozenset({"hm"})), Quiz(3), chains=2)
    said = (
        "where the model closed a thought itself (3 of 3 questions): accuracy 66.7 % (all thoughts: 33.3 %)"
    )
    assert f"thinker: (thinking): {said}" in run.results.notes
    run = think(Thinker(), Quiz(3))
    assert not any("closed a thought itself" in note for note in run.results.notes)


def test_budgets_cut_the_same_chains() -> None:
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
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("remembers", [False, True])
@pytest.mark.parametrize("at", [1, 5, 6, 8, 11])
def test_a_run_that_was_killed_asks_only_what_is_missing(at: int, remembers: bool) -> None:
    broken = Thinker(breaks_after=at, remembers=remembers)
    with pytest.raises(ProbSenseError, match="killed"):
        think(broken, Quiz(2), store=Path("a.db"))
    model = Thinker(remembers=remembers)
    run = think(model, Quiz(2), store=Path("a.db"))
    assert len(model.asked) == 12 - at
    whole = think(Thinker(), Quiz(2))
    assert masses(run) == masses(whole)
    again = Thinker()
    assert think(again, Quiz(2), store=Path("a.db")).id == run.id
    assert again.asked == []
    assert masses(load_run(run.id, store="a.db")) == masses(run)


def test_shards_together_are_the_whole() -> None:
    for i in (1, 2):
        think(Thinker(), Quiz(4), store=Path(f"{i}.db"), shard=Shard(i, 2))
    merge("both.db", "1.db", "2.db")
    model = Thinker()
    run = think(model, Quiz(4), store=Path("both.db"))
    assert model.asked == []
    assert masses(run) == masses(think(Thinker(), Quiz(4)))


def test_items_tell_their_chains() -> None:
    run = think(Thinker(unclosed=frozenset({"hm"})), Quiz(1))
    (one,) = transcripts(run)
    assert one.reply is not None
    assert one.reply.texts == (
        "four has a half → yes 81 %, no 9 %, anything else 10 %",
        "odd things are rare → yes 54 %, no 36 %, anything else 10 %",
        "hm … → yes 5 %, no 86 %, anything else 10 %",
    )


def test_a_question_without_its_chains_has_no_answer() -> None:
    chains = Chains(2, (8,), MANNER)
    with pytest.raises(KeyError):
        AfterChains(chains, {})[LabelRequest("a", (("yes", ("yes",)),))]


def test_who_thinks() -> None:
    always, can = replace(MANNER, verdict="always"), MANNER
    assert let_think(Thinker(manner=always), Wish())[1] is not None
    assert let_think(Thinker(manner=can), Wish())[1] is None
    assert let_think(Thinker(manner=always), Wish("off"))[1] is None
    assert let_think(Thinker(manner=None), Wish())[1] is None
    _, chains = let_think(Thinker(manner=None), Wish("on", start="Thought:", end="Answer:"))
    assert chains is not None
    assert (chains.manner.start, chains.manner.end, chains.manner.mark) == (
        "Thought:\n",
        "Answer:\n\n",
        "Answer:",
    )


@pytest.mark.parametrize(
    ("model", "wish", "said"),
    [
        (Thinker(manner=None), Wish("on"), "nothing in the template"),
        (Thinker(), Wish("on", start="Thought:"), "one marker"),
        (Thinker(), Wish("on", start=" ", end="x"), "one marker"),
        (Thinker(), Wish("maybe"), "thinking 'maybe'"),  # type: ignore[arg-type]
        (Thinker(), Wish("on", chains=0), "0 chains"),
        (Thinker(), Wish("on", budgets=(-1,)), "a thinking budget of -1"),
        (object(), Wish("on"), "cannot be asked after a thought"),
    ],
)
def test_what_cannot_be(model: Any, wish: Wish, said: str) -> None:
    if not isinstance(model, Thinker):
        model = type("Server", (), {"name": "server:"})()
    with pytest.raises(InputError, match=said):
        let_think(model, wish)


def test_curves_of_budgets() -> None:
    assert [wish.budgets for wish in wished("auto", 4, 9, "64, 0,256", None, None)] == [
        (0,),
        (0, 64),
        (0, 64, 256),
    ]
    for words in ("", "a", "1,,2", "-1", "1.5"):
        with pytest.raises(InputError, match="a curve of thinking budgets"):
            wished("on", 4, 9, words, None, None)
    with pytest.raises(InputError, match="--thinking off"):
        wished("off", 4, 9, "1", None, None)


def test_the_options_of_a_call() -> None:
    run = evaluate(
        Quiz(1),
        Thinker(),
        thinking="on",
        chains=2,
        thinking_budget=3,
        store=None,
        quiet=True,
        method="labels",
    )
    assert run.record.options["thinking"] == {"chains": 2, "budgets": [3]}
    assert run.record.task_options == Quiz(1).options
