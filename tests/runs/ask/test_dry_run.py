"""What a run would ask is said beforehand; how long thoughts are is known from three questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from probsense.core.records import (
    LabelRequest,
    Request,
    SampleRequest,
    ScoreRequest,
    request_key,
)
from probsense.models.base import Model, Usage
from probsense.runs.ask.forecast import Forecast, Tried, forecast, guessed
from probsense.runs.ask.plan import Plan, plan
from probsense.runs.ask.thinking import Wish
from probsense.runs.evaluate import Terms, ask_plan, evaluate, foresee
from probsense.tasks.base import Task
from support.run_fakes import Clerk, Flaky, Quiz
from support.thinker import Thinker


def foreseen(task: Task, model: Model, *, method: str | None = None, store: Path | None = None) -> Forecast:
    return forecast(plan(task, model, method), store=store)


def test_nothing_is_asked_and_nothing_written(tmp_path):
    clerk = Clerk()
    found = foreseen(Quiz(n=20, twins=True), clerk, store=tmp_path / "store.db")
    assert found.items == 20
    assert found.wanted == 10
    assert found.stored == 0
    assert found.method == "options"
    assert clerk.asked == []
    assert [*tmp_path.iterdir()] == []


def test_what_the_store_has_is_not_asked(tmp_path):
    store = tmp_path / "store.db"
    evaluate(Quiz(n=20), Flaky(), method="options", store=store, quiet=True)
    found = foreseen(Quiz(n=30), flaky := Flaky(price=0.5), store=store)
    assert found.wanted + found.stored == 30
    assert 10 < found.wanted < 30
    again = evaluate(Quiz(n=30), flaky, method="options", store=store, quiet=True)
    assert (found.wanted, found.stored) == (again.asked, again.reused)
    assert found.used == Usage(requests=again.asked, tokens=10 * again.asked, cost=again.record.usage.cost)
    assert found.priced
    assert "prices" not in str(found)


def test_tokens_are_guessed_where_the_model_cannot_tell():
    requests = [
        ScoreRequest("abcd", ("efgh", "i"), "jk"),
        LabelRequest("äb", (("yes", ("yes",)),)),
        SampleRequest("abcde", n=3, max_tokens=8),
    ]
    assert guessed(requests) == Usage(tokens=3 + 2 + 1 + 2, requests=3, written=24)
    spoken = SampleRequest("abcde", max_tokens=8, turns=(("abc", "de"),))
    assert guessed([spoken]) == Usage(tokens=3, requests=1, written=8)
    assert guessed([replace(spoken, system="12345678")]).tokens >= 3 + 2
    found = foreseen(Quiz(), Clerk())
    assert not found.priced
    assert "input tokens are estimated" in str(found)
    assert "prices are not known" in str(found)


@dataclass
class Counted(Thinker):
    """A thinker that counts: a token for each request, and three for each chain."""

    @property
    def usage(self) -> Usage:
        chains = sum(isinstance(request, SampleRequest) for request in self.asked)
        return Usage(tokens=len(self.asked), written=3 * chains)

    @usage.setter
    def usage(self, used: Usage) -> None:
        """It counts itself."""


@dataclass
class Served(Counted):
    """Says beforehand what requests cost, as a model behind a server does."""

    priced: bool = True

    def forecast(self, requests: Sequence[Request]) -> Usage:
        return Usage(requests=len(requests))


def planned(model: Thinker, n: int) -> Plan:
    return plan(Quiz(n), model, "labels", Wish("on", 3, (64,)))


def test_thoughts_take_as_much_as_those_of_three_questions(tmp_path):
    store, model = tmp_path / "a.db", Counted()
    found = foresee(planned(model, 9), Terms(store=store, quiet=True))
    assert len(model.asked) == 3 * 6
    assert found.tried == Tried(3, Usage(tokens=18, written=27), 6, Usage(tokens=36, written=54))
    assert found.most is not None
    assert found.most.written == 18 * 64
    assert "3 questions took 18 tokens, 27 written; the other 6 are likely to take 36 tokens, 54" in str(
        found
    )
    assert foresee(planned(again := Counted(), 9), Terms(store=store, quiet=True)) == found
    assert again.asked == []
    run = ask_plan(planned(model, 9), Terms(store=store, quiet=True))
    assert len(model.asked) == len({request_key(request) for request in model.asked}) == 9 * 6
    assert run.record.finished
    assert foresee(planned(model, 9), Terms(store=store, quiet=True)).tried is None  # nothing is left to ask


def test_a_run_says_what_it_is_likely_to_cost_before_it_asks_on(tmp_path, capsys):
    run = ask_plan(planned(model := Served(), 12), Terms(store=tmp_path / "a.db"))
    assert "quiz, thinker: (thinking): 3 questions took 18 tokens, 27 written" in capsys.readouterr().err
    assert len(model.asked) == len({request_key(request) for request in model.asked}) == 12 * 6
    assert run.covered["answered"] == 12
    first = {request.item: None for request in model.asked}
    assert [*first][:3] == ["q0", "q4", "q8"]
    ask_plan(planned(quiet := Served(), 12), Terms(store=tmp_path / "b.db", quiet=True))
    assert [*{request.item: None for request in quiet.asked}] == [f"q{i}" for i in range(12)]
