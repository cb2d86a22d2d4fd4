"""Texts in rounds: how many there are, with which seeds, and why there are no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probsense.core.errors import InputError
from probsense.core.records import Failure, SampleRequest, SampleResponse
from probsense.models.base import Batch
from probsense.tasks.base import Answered
from probsense.tasks.judgments.task import Judgments

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py
OPTIONS: Any = {"questions": ["q1"], "trials": 20}


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


def rows(answered: Answered) -> dict[int, dict[str, Any]]:
    assert answered.results.table is not None
    return {row["statement_id"]: row for row in answered.results.table.iter_rows(named=True)}


def test_texts_are_counted(statements: Path, ask: Asked) -> None:
    speaker, task = Speaker(SHARES), Judgments(statements, **OPTIONS)
    answered = ask(task, speaker, "sample")
    found = rows(answered)
    assert [found[i]["n"] for i in range(3)] == [20, 20, 20]
    assert found[0]["p_yes"] == 1.0
    assert [(request.n, request.seed, request.temperature) for request in speaker.asked] == [(20, 0, 1.0)] * 3
    again = Speaker(SHARES)
    assert rows(ask(task, again, "sample", answered.answers)) == found
    assert again.asked == []


def test_a_question_without_any_text_does_not_count(statements: Path, ask: Asked) -> None:
    answered = ask(Judgments(statements, **OPTIONS), Speaker(SHARES, silent_from=2), "sample")
    assert len(answered.items) == len(rows(answered)) == 2
    assert answered.results.estimates


def test_what_cannot_be() -> None:
    with pytest.raises(InputError, match="0 trials"):
        Judgments(trials=0)
