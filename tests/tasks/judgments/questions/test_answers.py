"""Texts in rounds: how many there are, with which seeds, and why there are no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probsense.analysis.distributions.label_mass import dirichlet_interval
from probsense.core.errors import InputError
from probsense.core.records import Failure, SampleRequest, SampleResponse
from probsense.models.base import Batch
from probsense.tasks.base import Answered
from probsense.tasks.judgments.questions.answers import Sampling
from probsense.tasks.judgments.questions.wordings import PUBLISHED
from probsense.tasks.judgments.task import Judgments

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py
OPTIONS: Any = {"questions": ["q1"], "trials": 20, "precision": 0.2}


@dataclass
class Speaker:
    """Says yes with a probability that hangs on the statement; from some request on it says nothing any more."""

    shares: Mapping[str, float]
    silent_from: int = 10**9
    name: str = "speaker:"
    asked: list[SampleRequest] = field(default_factory=list)

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


def rows(answered: Answered) -> dict[int, dict[str, Any]]:
    assert answered.measured.table is not None
    return {row["statement_id"]: row for row in answered.measured.table.iter_rows(named=True)}


def test_sampling_ends_where_it_is_sure_and_the_notes_say_why(statements: Path, ask: Asked) -> None:
    speaker, task = Speaker(SHARES), Judgments(statements, **OPTIONS)
    answered = ask(task, speaker, "sample")
    found = rows(answered)
    assert found[0]["n"] == 20
    assert found[0]["note"] == "sampling ended when every interval was narrower than 0.2"
    assert found[1]["n"] == 80
    assert found[1]["note"] == "sampling ended at the most of 80 texts, with a wider interval"
    assert 20 < found[2]["n"] < 80
    for row in found.values():
        wide = row["high_yes"] - row["low_yes"] >= 0.2
        assert wide == ("wider" in row["note"])
    assert sum(request.n for request in speaker.asked) == sum(row["n"] for row in found.values())
    notes = " ".join(answered.measured.notes)
    assert "2 of 3 answers: sampling ended when every interval was narrower than 0.2" in notes
    assert "1 of 3 answers: sampling ended at the most of 80 texts" in notes
    again = Speaker(SHARES)
    assert rows(ask(task, again, "sample", answered.answers)) == found
    assert again.asked == []


def test_texts_count_though_a_later_round_fails(statements: Path, ask: Asked) -> None:
    """What is asked later ends as if nothing had failed."""
    task = Judgments(statements, **OPTIONS)
    broken = ask(task, Speaker(SHARES, silent_from=3), "sample")
    assert len(broken.items) == 3
    note = "sampling ended when a request failed, with a wider interval"
    assert [row["note"] for row in rows(broken).values()].count(note) == 2
    whole = ask(task, Speaker(SHARES), "sample")
    assert rows(ask(task, Speaker(SHARES), "sample", broken.answers)) == rows(whole)


def test_a_question_without_any_text_does_not_count(statements: Path, ask: Asked) -> None:
    answered = ask(Judgments(statements, **OPTIONS), Speaker(SHARES, silent_from=2), "sample")
    assert len(answered.items) == len(rows(answered)) == 2
    assert answered.measured.estimates


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
