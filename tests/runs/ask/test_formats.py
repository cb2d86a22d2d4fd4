"""A run asks for labels in the format that an examination chose, and keeps to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from probsense.models.base import FORMAT
from probsense.models.next_token.model import LanguageModel
from probsense.models.openai.load import load
from probsense.models.openai.model import OpenAIModel
from probsense.models.prompts.control import control_questions
from probsense.models.registry import fingerprint
from probsense.runs.ask.forecast import forecast
from probsense.runs.ask.plan import plan
from probsense.runs.evaluate import evaluate
from probsense.runs.find import names_apart, told_apart
from probsense.runs.run import Run
from support.models.speaking import speaking
from support.run_fakes import Quiz
from support.servers.endpoints import Habits, serving


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store.db"


def model(**wishes: Any) -> LanguageModel:
    """A model that says yes or no in plain text only."""
    return speaking(lambda text: "[answer]" not in text, **wishes)


def ask(store: Path | None, asked: Any = None, method: str = "labels", n: int = 6) -> Run:
    return evaluate(Quiz(n=n), asked or model(), method=method, store=store, quiet=True)


def format_of(run: Run) -> object:
    return run.details["prompt_format"]


def test_the_chosen_format_is_asked_said_and_recorded(store, capsys):
    run = evaluate(Quiz(n=6), model(), method="labels", store=store)
    line = "prompt format plain, chosen by 40 control questions: yes and no have at least 90.0 %"
    said = [one for one in capsys.readouterr().err.splitlines() if "control questions" in one]
    assert len(said) == 1
    assert said[0].startswith(f"quiz, made:: {line}")
    assert format_of(run) == "plain"
    assert run.details == model().in_prompt_format("plain").details
    assert [note for note in run.results.notes if line in note]
    assert line in str(run.facts()["examination"])
    (finding,) = (one for one in run.findings if one.name == FORMAT)
    assert finding.data["of"] == fingerprint(model())
    assert next(iter(run.outcome.answers.values())).mass == pytest.approx({"yes": 0.45, "no": 0.45})


def test_a_model_is_examined_once(store):
    first = ask(store)
    asked = model()
    again = ask(store, asked)
    assert again.id == first.id
    assert format_of(again) == "plain"
    assert again.findings == first.findings
    assert (again.asked, asked.usage.tokens) == (0, 0)
    longer = ask(store, asked, n=9)
    assert format_of(longer) == "plain"
    assert longer.asked == 3
    assert asked.usage == longer.record.usage


def test_answers_that_were_asked_as_usual_before_stay_so(store):
    # A run without any finding about formats.
    before = ask(store, model(prompt_format="chat"))
    assert format_of(before) == "chat"
    asked = model()
    again = ask(store, asked)
    assert (again.id, again.asked, asked.usage.tokens) == (before.id, 0, 0)
    longer = ask(store, asked, n=9)
    assert format_of(longer) == "chat"
    assert longer.asked == 3
    assert longer.reused == 6


def test_a_model_that_passes_is_asked_as_usual(store, capsys):
    passing = speaking(lambda text: text.endswith("[answer]"))
    run = evaluate(Quiz(n=6), passing, method="labels", store=store)
    assert (format_of(run), run.record.fingerprint) == ("chat", fingerprint(passing))
    assert "control" not in capsys.readouterr().err
    assert not [note for note in run.results.notes if "control questions" in note]
    (finding,) = (one for one in run.findings if one.name == FORMAT)
    assert (finding.ok, finding.data["moved"]) == (True, False)


@pytest.mark.parametrize(("wish", "asked"), [("published", "chat"), ("chat-answer", "chat-answer")])
def test_a_wish_overrides_it_and_both_ways_are_told_apart(store, wish, asked):
    examined = ask(store)
    wished = ask(store, model(prompt_format=wish))
    again = ask(store)
    assert (format_of(wished), again.id, again.asked) == (asked, examined.id, 0)
    assert [run.model for run in told_apart([examined, wished])] == ["made: [plain]", f"made: [{asked}]"]
    longer = ask(store, n=9)
    names = names_apart([examined.record, wished.record, longer.record])
    assert [name.partition("] [")[0] for name in names] == [
        "made: [plain",
        f"made: [{asked}]",
        "made: [plain",
    ]
    assert len({*names}) == 3


def test_a_forecast_asks_nothing_and_knows_what_is_kept(store):
    asked = model()

    def foreseen(n: int = 6) -> tuple[int, int, int]:
        found = forecast(plan(Quiz(n=n), asked, "labels"), store=store)
        assert ("control questions" in str(found)) == (found.control is not None)
        return found.wanted, found.stored, found.control.requests if found.control else 0

    assert (foreseen(), asked.usage.tokens) == ((6, 0, len(control_questions("words"))), 0)
    ask(store)
    assert (foreseen(), asked.usage.tokens) == ((0, 6, 0), 0)
    assert foreseen(7) == (1, 6, 0)


@dataclass
class Metered(Habits):
    """A server that counts its tokens, all for the prompts."""

    def reply(self, path: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
        status, answer = super().reply(path, body)
        return status, answer | {"usage": {"prompt_tokens": 10, "completion_tokens": 0}}


@pytest.fixture
def metered(tmp_path):
    """A server with prices, and what loads its model."""
    prices, habits = tmp_path / "prices.yaml", Metered()
    prices.write_text("toy: {input: 1.0, output: 2.0}\n")
    with serving(habits) as url:
        yield habits, lambda: load("toy", base_url=url, prices=prices)


def controls(habits: Habits) -> int:
    return sum("Answer the following with" in json.dumps(body) for _, body in habits.asked)


Server = tuple[Metered, Callable[[], OpenAIModel]]


@pytest.mark.parametrize("budget", [None, 1.0])
def test_an_endpoint_is_examined_within_its_price_limit(store, metered, budget):
    habits, load_endpoint = metered
    endpoint = load_endpoint()
    loaded = endpoint.usage.cost
    run = evaluate(Quiz(n=2), endpoint, method="labels", store=store, quiet=True, max_cost=budget)
    # It says yes to everything, whatever it is told, so every format is tried, and none can gain.
    assert controls(habits) == 4 * len(endpoint.prompt_formats()) == 16
    (finding,) = (one for one in run.findings if one.name == FORMAT)
    assert finding.data["chosen"] == format_of(run) == "chat"
    assert run.record.usage.cost == pytest.approx(endpoint.usage.cost - loaded)
    assert run.record.usage.cost == pytest.approx(34 * 10 / 1e6, abs=1e-4)  # and what completions can do
    ask(store, load_endpoint(), n=4)
    assert controls(habits) == 16
