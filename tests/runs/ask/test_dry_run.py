"""Tests of saying beforehand what a run would ask."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.base import Model, Usage
from probsense.runs.ask.forecast import Forecast, forecast, guessed
from probsense.runs.ask.plan import plan
from probsense.runs.evaluate import evaluate
from probsense.tasks.base import Task
from probsense.tasks.judgments.task import Judgments
from probsense.tasks.worldsense.task import WorldSense
from support.run_fakes import Clerk, Flaky, Quiz


def foreseen(task: Task, model: Model, *, method: str | None = None, store: Path | None = None) -> Forecast:
    return forecast(plan(task, model, method), store=store)


def test_nothing_is_asked_and_nothing_written(tmp_path: Path) -> None:
    clerk = Clerk()
    found = foreseen(Quiz(n=20, twins=True), clerk, store=tmp_path / "store.db")
    assert (found.items, found.wanted, found.stored, found.method) == (20, 10, 0, "options")
    assert clerk.asked == []
    assert [*tmp_path.iterdir()] == []


def test_what_the_store_has_is_not_asked(tmp_path: Path) -> None:
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


def test_tokens_are_guessed_where_the_model_cannot_tell() -> None:
    requests = [
        ScoreRequest("abcd", ("efgh", "i"), "jk"),
        LabelRequest("äb", (("yes", ("yes",)),)),
        SampleRequest("abcde", n=3, max_tokens=8),
    ]
    assert guessed(requests) == Usage(tokens=3 + 2 + 1 + 2, requests=3, written=24)
    spoken = SampleRequest("abcde", max_tokens=8, turns=(("abc", "de"),))
    assert guessed([spoken]) == Usage(tokens=3, requests=1, written=8)
    found = foreseen(Quiz(), Clerk())
    assert not found.priced
    assert "input tokens are estimated" in str(found)
    assert "prices are not known" in str(found)


def test_the_most_of_a_task_that_asks_on() -> None:
    clerk = Flaky(price=0.25)
    assert foreseen(Judgments(limit=9), clerk, method="sample").most is None
    worlds = WorldSense(limit=30)
    again = foreseen(worlds, clerk, method="sample").most
    assert again is not None
    assert again.requests == 2 * len(worlds.items())
    assert again.cost == 0.25 * again.requests
    said = str(foreseen(worlds, clerk, method="sample"))
    assert f"at most, with all follow-up requests: {again.requests} requests" in said
    assert foreseen(worlds, clerk, method="options").most is None


def test_what_would_be_refused_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no method 'guess'"):
        foreseen(Quiz(), Clerk(), method="guess")
    (tmp_path / "junk").write_text("This is no store.")
    with pytest.raises(InputError, match="not an SQLite file"):
        foreseen(Quiz(), Clerk(), store=tmp_path / "junk")


def test_the_document() -> None:
    found = json.loads(json.dumps(foreseen(Quiz(n=3), Flaky(price=1.0)).to_json()))
    assert (found["wanted"], found["used"]["cost"], found["most"]) == (3, 3.0, None)
