"""What a model writes for itself is no answer, neither in a new run nor in one that a store has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from probsense.core.errors import ProbSenseError
from probsense.core.records import SampleRequest, SampleResponse
from probsense.models.base import Batch
from probsense.models.prompts.thoughts import UNFINISHED
from probsense.runs.ask import rounds
from probsense.runs.evaluate import evaluate
from support.run_fakes import Clerk, Quiz


@dataclass
class Thinker(Clerk):
    """It says yes to everything, after a thought of no; every fourth thought has no end."""

    unfinished: int = 4

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, request in enumerate(requests):
            number = int(request.prompt.split()[2])
            end = "" if number % self.unfinished == 0 else "</think>\n\nyes"
            yield [(i, SampleResponse((f"<think>no, or{end}",) * request.n))]


@pytest.mark.parametrize("window", [1000, 3])
def test_thoughts_are_no_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.setattr(rounds, "WINDOW", window)
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


def test_a_run_of_unfinished_thoughts_says_so(tmp_path: Path) -> None:
    with pytest.raises(
        ProbSenseError, match=rf"{UNFINISHED} \(20\); a higher --reasoning-effort leaves more room"
    ):
        evaluate(Quiz(20), Thinker(unfinished=1), method="sample", store=tmp_path / "runs.db", quiet=True)
