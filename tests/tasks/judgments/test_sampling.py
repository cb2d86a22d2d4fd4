"""Texts in rounds: how many there are, with which seeds, and why there are no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probsense.errors import InputError
from probsense.models.base import Batch, Capabilities, Usage
from probsense.prob.labels import dirichlet_interval
from probsense.records import Failure, SampleRequest, SampleResponse
from probsense.run.evaluate import evaluate, load_run
from probsense.tasks.judgments.questions import PUBLISHED
from probsense.tasks.judgments.sampling import Sampling
from probsense.tasks.judgments.task import Judgments


@dataclass
class Speaker:
    """Says yes with a probability that hangs on the statement; from some request on it says nothing any more."""

    shares: Mapping[str, float]
    silent_from: int = 10**9
    name: str = "speaker:"
    capabilities: Capabilities = field(default=Capabilities(sample=True))
    asked: list[SampleRequest] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @property
    def details(self) -> Mapping[str, Any]:
        return {"scheme": "speaker"}

    def score(self, requests: Sequence[Any]) -> Iterator[Batch[Any]]:
        raise NotImplementedError

    labels = score

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, request in enumerate(requests):
            self.asked.append(request)
            share = next(share for text, share in self.shares.items() if text in request.prompt)
            rng = np.random.default_rng([request.seed, len(request.prompt)])
            texts = tuple("Yes." if yes else "No." for yes in rng.random(request.n) < share)
            silent = len(self.asked) > self.silent_from
            yield [(i, Failure("HTTP 429", 6) if silent else SampleResponse(texts))]


SHARES = {"Water is wet": 1.0, "Blue is nicer": 0.5, "The moon": 0.1}


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    path = tmp_path / "statements.csv"
    path.write_text("statement\n" + "".join(f"{text}.\n" for text in SHARES))
    return path


def sampling(**given: Any) -> Sampling:
    return Sampling(PUBLISHED.labels, **({"trials": 10, "precision": 0.2, "most": 35, "seed": 0} | given))


def test_rounds_have_seeds_of_their_own_and_the_last_fills_up() -> None:
    rounds = sampling().requests("Well?", "a")
    assert [request.n for request in rounds] == [10, 10, 10, 5]
    assert [request.n for request in sampling(most=30).requests("Well?", "a")] == [10, 10, 10]
    seeds = [r.seed for seed in range(50) for r in sampling(seed=seed).requests("Well?", "a")]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert rounds[0] == SampleRequest("Well?", 10, 8, temperature=1.0, seed=0)


def test_without_a_precision_there_is_one_round() -> None:
    plain = sampling(precision=None, most=10)
    (request,) = plain.requests("Well?", "a")
    answered = {request: SampleResponse(("yes", "no") * 5)}
    assert plain.wanted("Well?", "a", {}) == plain.wanted("Well?", "a", answered) == [request]
    assert plain.ending(np.array([5, 5, 0])) == ""


def test_a_further_round_is_wanted_until_the_intervals_are_narrow() -> None:
    some = sampling()
    rounds = some.requests("Well?", "a")
    answers: dict[Any, Any] = {}
    assert some.wanted("Well?", "a", answers) == rounds[:1]
    answers[rounds[0]] = SampleResponse(("yes",) * 9 + ("no",))
    assert some.wanted("Well?", "a", answers) == rounds[:2]
    answers[rounds[1]] = SampleResponse(("yes",) * 10)
    low, high = dirichlet_interval(np.array([19, 1, 0]))
    assert (high - low).max() > 0.2
    assert some.wanted("Well?", "a", answers) == rounds[:3]
    answers[rounds[2]] = SampleResponse(("yes",) * 10)
    low, high = dirichlet_interval(np.array([29, 1, 0]))
    assert (high - low).max() < 0.2
    assert some.wanted("Well?", "a", answers) == rounds[:3]


def test_sampling_ends_where_it_is_sure_and_the_notes_say_why(statements: Path, tmp_path: Path) -> None:
    speaker, store = Speaker(SHARES), tmp_path / "s.db"
    options = {"statements": statements, "questions": ["q1"], "trials": 20, "precision": 0.2}
    run = evaluate("judgments", speaker, store=store, quiet=True, **options)
    rows = {row["statement_id"]: row for row in run.table().iter_rows(named=True)}
    assert rows[0]["n"] == 20
    assert rows[0]["note"] == "sampling ended when every interval was narrower than 0.2"
    assert rows[1]["n"] == 80
    assert rows[1]["note"] == "sampling ended at the most of 80 texts, with a wider interval"
    assert 20 < rows[2]["n"] < 80
    for row in rows.values():
        wide = row["high_yes"] - row["low_yes"] >= 0.2
        assert wide == ("wider" in row["note"])
    assert sum(request.n for request in speaker.asked) == sum(row["n"] for row in rows.values())
    notes = " ".join(run.notes())
    assert "2 of 3 answers: sampling ended when every interval was narrower than 0.2" in notes
    assert "1 of 3 answers: sampling ended at the most of 80 texts" in notes
    assert load_run(store, run.id).table().equals(run.table())
    again = Speaker(SHARES)
    assert evaluate("judgments", again, store=store, quiet=True, **options).table().equals(run.table())
    assert again.asked == []


def test_texts_count_though_a_later_round_fails(statements: Path, tmp_path: Path) -> None:
    """The run goes on where it ended, and ends as one that was not disturbed."""
    store = tmp_path / "s.db"
    options = {"statements": statements, "questions": ["q1"], "trials": 20, "precision": 0.2}
    run = evaluate("judgments", Speaker(SHARES, silent_from=3), store=store, quiet=True, **options)
    assert run.covered == {"asked": 3, "answered": 3, "failed": 0}
    assert run.coverage()["failed_requests"] == "HTTP 429 (2)"
    assert run.record.finished is None
    note = "sampling ended when a request failed, with a wider interval"
    assert run.table()["note"].to_list().count(note) == 2
    whole = evaluate("judgments", Speaker(SHARES), store=None, quiet=True, **options)
    assert (
        evaluate("judgments", Speaker(SHARES), store=store, quiet=True, **options)
        .table()
        .equals(whole.table())
    )


def test_a_question_without_any_text_does_not_count(statements: Path) -> None:
    options = {"statements": statements, "questions": ["q1"], "trials": 20, "precision": 0.2}
    run = evaluate("judgments", Speaker(SHARES, silent_from=2), store=None, quiet=True, **options)
    assert run.covered == {"asked": 3, "answered": 2, "failed": 1}
    assert run.table().height == 2
    assert run.summary()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"precision": 0.0}, "a precision of 0"),
        ({"precision": 1.0}, "a precision of 1"),
        ({"precision": float("nan")}, "a precision of nan"),
        ({"precision": 0.1, "max_samples": 24}, "at most 24 texts, and 25 in the first round"),
        ({"max_samples": 50}, "a most of 50 texts without a precision"),
    ],
)
def test_what_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Judgments(**given)


def test_the_options_make_the_same_task_again() -> None:
    task = Judgments(precision=0.1, max_samples=80)
    assert Judgments(**task.options).options == task.options  # type: ignore[arg-type]
