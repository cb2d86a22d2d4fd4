"""Runs in which requests fail or thoughts have no end: what is counted, what is kept, what is asked again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.records import Failure, SampleRequest, SampleResponse
from probsense.models.base import Batch, Finding
from probsense.models.prompts.thoughts import UNFINISHED
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.store.store import Store
from support.run_fakes import REASONS, Clerk, Flaky, Quiz

pytestmark = pytest.mark.usefixtures("installed")


def test_of_three_hundred_requests_every_one_is_answered_or_failed(tmp_path):
    store, quiz, clerk = tmp_path / "store.db", Quiz(n=300), Flaky()
    whole = evaluate(quiz, Clerk(), method="options", store=None, quiet=True)
    run = evaluate(quiz, clerk, method="options", store=store, quiet=True)
    assert len(clerk.asked) == len(set(clerk.asked)) == run.asked == 300
    failed = sum(run.outcome.failures.values())
    assert set(run.outcome.failures) == set(REASONS)
    assert 60 < failed < 120
    assert run.covered == {"asked": 300, "answered": 300 - failed, "failed": failed}
    assert run.table().height == run.summary()[0].n == 300 - failed
    assert run.table()["id"].n_unique() == 300 - failed
    assert run.record.finished is None

    again = load_run(run.id, store=store)
    assert again.table().equals(run.table())
    assert again.results.coverage == run.results.coverage

    asked, left = set(clerk.asked), failed
    while left:
        clerk.asked.clear()
        run = evaluate(quiz, clerk, method="options", store=store, quiet=True)
        assert len(clerk.asked) == left  # those that failed, and no others
        assert set(clerk.asked) <= asked
        left = sum(run.outcome.failures.values())
    assert run.table().equals(whole.table())
    assert run.record.finished is not None
    assert "failed_requests" not in run.results.coverage[0]


def test_an_item_of_which_a_later_request_fails_does_not_count():
    """The quiz asks again where the first answer is neither yes nor no; nothing more is asked after a failure."""

    class Second(Clerk):
        def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
            for batch in super().sample(requests):
                yield [
                    (i, Failure("HTTP 500", 2) if "Say yes" in requests[i].prompt else answer)
                    for i, answer in batch
                ]

    run = evaluate(Quiz(n=60), Second(), method="sample", store=None, quiet=True)
    assert 5 < run.covered["failed"] < 40
    assert set(run.table()["answer"]) == {"yes", "no"}
    assert run.outcome.failures == {"HTTP 500": run.covered["failed"]}


def test_a_run_without_any_answer_says_why(tmp_path):
    store = tmp_path / "store.db"
    with pytest.raises(ProbSenseError, match=r"clerk: answered nothing: .*HTTP 503 \(\d+\)"):
        evaluate(Quiz(), Flaky(share=1.1), store=store, quiet=True)
    with Store.open(store) as opened:
        (record,) = opened.runs()
    with pytest.raises(ProbSenseError, match="answered nothing"):
        load_run(record.id, store=store)


class Server(Clerk):
    """Says of itself what it is, and is another one after a while; it was examined."""

    findings = (Finding("same twice", False, "two answers differ", {"largest": 0.1}),)

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for count, batch in enumerate(super().sample(requests)):
            said = {"model": "large-2", "system_fingerprint": "fp_a" if count < 5 else "fp_b", "seed": 1}
            yield [(i, SampleResponse(a.texts, said)) for i, a in batch if isinstance(a, SampleResponse)]


def test_a_server_that_changes_in_mid_run_is_told(tmp_path):
    store = tmp_path / "store.db"
    run = evaluate(Quiz(n=20), Server(batch=2), method="sample", store=store, quiet=True)
    for found in (run, load_run(run.id, store=store)):
        (note,) = found.results.notes
        assert note.startswith("clerk:: the server's system_fingerprint changed in mid-run: fp_")
        facts, document = found.facts(), json.loads(json.dumps(found.to_json()))
        assert facts["served model"] == "large-2"
        assert set(str(facts["served system fingerprint"]).split(", ")) == {"fp_a", "fp_b"}
        assert facts["examination"] == {"same twice": "two answers differ"}
        assert document["run"]["findings"][0]["data"] == {"largest": 0.1}
        assert document["run"]["served"]["model"] == {"large-2": len(found.outcome.answers)}
    assert evaluate(Quiz(n=4), Server(batch=9), method="sample", store=None, quiet=True).results.notes == []


@pytest.mark.parametrize(("budget", "asked"), [(0.05, 5), (0.4, 40), (1.0, 100), (9.0, 200)])
def test_a_budget_is_kept_and_what_was_paid_for_is_not_lost(budget, asked):
    clerk = Flaky(share=0.0, price=0.01)
    run = evaluate(Quiz(n=200), clerk, method="options", store=None, quiet=True, max_cost=budget)
    assert len(clerk.asked) == len(run.outcome.answers) == asked
    left = (
        {f"the budget of {budget:g} was spent; --max-cost sets a higher one": 200 - asked}
        if asked < 200
        else {}
    )
    assert run.outcome.failures == left
    assert run.record.usage.cost == pytest.approx(0.01 * asked, abs=1e-12)


def test_a_budget_counts_what_other_processes_spent(tmp_path, monkeypatch):
    asking = {"method": "options", "store": tmp_path / "a.db", "quiet": True, "max_cost": 0.6}
    evaluate(Quiz(n=90), Flaky(share=0.0, price=0.01), **asking)
    monkeypatch.setattr("probsense.runs.store.store.PROCESS", "another process")
    again = Flaky(share=0.0, price=0.01)
    run = evaluate(Quiz(n=90), again, **{**asking, "max_cost": 0.7})
    assert (len(again.asked), run.record.usage.cost) == (10, pytest.approx(0.7))


@pytest.mark.parametrize("budget", [0.0, float("nan"), 1.0])
@pytest.mark.parametrize("model", [Flaky(priced=False), Clerk()])
def test_a_budget_that_cannot_be_kept(model, budget):
    said = "a budget, but no prices of clerk:" if budget == 1 else f"a budget of {budget:g}"
    with pytest.raises(InputError, match=said):
        evaluate(Quiz(), model, store=None, quiet=True, max_cost=budget)
    assert not model.asked


class Thinker(Clerk):
    """It says yes to everything, after a thought of no; every fourth thought has no end."""

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, request in enumerate(requests):
            number = int(request.prompt.split()[2])
            end = "" if number % 4 == 0 else "</think>\n\nyes"
            yield [(i, SampleResponse((f"<think>no, or{end}",) * request.n))]


def test_thoughts_are_no_answers(tmp_path):
    store = tmp_path / "runs.db"
    run = evaluate(Quiz(20), Thinker(), method="sample", store=store, quiet=True)
    assert run.covered == {"asked": 20, "answered": 15, "failed": 5}
    assert run.outcome.failures == {UNFINISHED: 5}
    assert {answer.texts for answer in run.outcome.answers.values()} == {("yes",)}
    (accuracy,) = [one for one in run.summary() if one.measure == "accuracy"]
    assert accuracy.value == pytest.approx(5 / 15)
    assert "5 texts ended within a thought and gave no answer" in str(run.results.warnings)
    assert "thoughts before 15 answers are no part of them" in str(run.results.notes)
    # The store has the texts as they were written, and asks nobody twice.
    again = evaluate(Quiz(20), Thinker(), method="sample", store=store, quiet=True)
    assert (again.asked, again.covered) == (0, run.covered)
