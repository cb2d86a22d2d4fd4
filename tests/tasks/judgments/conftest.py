"""People and models with known habits, as the tables that users bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from probsense.core.records import (
    Failure,
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
)
from probsense.models.base import Batch
from probsense.tasks.base import Analysis, Answered
from probsense.tasks.judgments.measures.estimates import Settings
from probsense.tasks.judgments.recorded import analyse
from probsense.tasks.judgments.task import Judgments


class Files(NamedTuple):
    """A study of 30 statements, 12 people and three models."""

    statements: Path
    people: Path
    majority: Path
    ratings: Path
    truth: pl.DataFrame


SPOKEN = np.arange(30) % 8 == 0
"""The four statements that "refuser" answers: with fewer, its results would be left out."""


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Two thirds of the statements are agreed upon; "good" answers as most do, "refuser" mostly something else."""
    folder, rng = tmp_path_factory.mktemp("study"), np.random.default_rng(5)
    share = np.tile([0.95, 0.05, 0.5], 10)
    statements = pl.DataFrame(
        {
            "statement": [f"Statement number {i}." for i in range(30)],
            "opinion": np.tile([0, 0, 1], 10),
            "topic": np.repeat(["food", "weather"], 15),
        }
    )
    rows = [
        (f"Statement number {i}.", f"P{p:02d}", int(rng.random() < share[i]), int(rng.random() < share[i]))
        for p in range(12)
        for i in range(30)
    ]
    people = pl.DataFrame(rows, schema=["statement", "person", "q1", "q2"], orient="row")
    truth = people.group_by("statement", maintain_order=True).agg(pl.col("q1").mean())
    most = (truth["q1"] >= 0.5).cast(pl.Int64)
    known = np.full(30, 0.0)
    said = {
        "good": (0.1 + 0.8 * most.to_numpy(), known),
        "always no": (np.full(30, 0.2), known),
        "refuser": (np.where(SPOKEN, 0.6, 0.1), np.where(SPOKEN, 0.3, 0.85)),
    }
    ratings = [
        (name, i, question, yes[i], 1 - yes[i] - other[i], other[i])
        for name, (yes, other) in said.items()
        for question in ("q1", "q2")
        for i in range(30)
    ]
    columns = ["model", "statement_id", "question", "p_yes", "p_no", "p_other"]
    files = Files(
        *(folder / f"{name}.csv" for name in ("statements", "people", "majority", "ratings")), truth
    )
    statements.write_csv(files.statements)
    people.write_csv(files.people)
    pl.DataFrame({"statement_id": np.arange(30), "majority": most}).write_csv(files.majority)
    pl.DataFrame(ratings, schema=columns, orient="row").write_csv(files.ratings)
    return files


@pytest.fixture
def analysed(study: Files, tmp_path: Path) -> Callable[..., Analysis]:
    """Analyse the study with few draws; a function changes its table, and a text stands for a file."""

    def analysis(**given: Any) -> Analysis:
        humans = () if given.get("majority") else study.people
        known: dict[str, Any] = {
            "ratings": study.ratings,
            "humans": humans,
            "data": study.statements,
            "draws": 2,
        }
        for name, value in given.items():
            path = tmp_path / f"{name}.csv"
            if callable(value):
                value(pl.read_csv(known.get(name) or study.majority)).write_csv(path)
            elif isinstance(value, str) and "\n" in value:
                path.write_text(value)
            else:
                path = value
            known[name] = path
        several = {name: [known[name]] for name in ("ratings", "humans") if isinstance(known[name], Path)}
        return analyse(**known | several)

    return analysis


class Mumbler:
    """Begins answers with "I" and "The", hardly ever with yes or no."""

    name = "mumbler:"

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        others = (("I", 0.5), (" The", 0.2), (" I", 0.1), ("\n", 0.05), ("As", 0.001))
        for i, _ in enumerate(requests):
            yield [(i, LabelResponse({"yes": 0.006, "no": 0.002}, 0.992, others=others))]


@pytest.fixture
def mumbler() -> Mumbler:
    """A model that says next to nothing."""
    return Mumbler()


class Actor:
    """Agrees with a statement by what it is told of itself: chances of yes by words for a persona and a statement."""

    name = "actor:"

    def __init__(self, chances: Mapping[str, Mapping[str, float]], otherwise: float = 0.5) -> None:
        self.chances, self.otherwise = chances, otherwise

    def _yes(self, request: LabelRequest | SampleRequest) -> float:
        own = next((own for persona, own in self.chances.items() if persona in request.system), {})
        return next((yes for words, yes in own.items() if words in request.prompt), self.otherwise)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        for i, request in enumerate(requests):
            yes = self._yes(request)
            yield [(i, LabelResponse({"yes": yes, "no": 1 - yes}, 0.0))]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, request in enumerate(requests):
            yes = round(self._yes(request) * request.n)
            yield [(i, SampleResponse(("Yes.",) * yes + ("No.",) * (request.n - yes)))]


@pytest.fixture
def short_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give runs few draws: for tests that look at no interval of people's or models' scores."""
    monkeypatch.setattr("probsense.tasks.judgments.measures.estimates.Settings", partial(Settings, draws=10))


@pytest.fixture
def acting() -> type[Actor]:
    """Models that answer as whoever they are told they are."""
    return Actor


Asked = Callable[..., Answered]


@pytest.fixture
def ask() -> Asked:
    """Ask a model all that a task wants, round by round, and measure the items that got enough answers."""
    return _ask


def _ask(
    task: Judgments, model: Any, method: Any = "labels", answers: dict[Request, Response] | None = None
) -> Answered:
    answers, failed = dict(answers or {}), set()
    while wanted := [
        request
        for item in task.questions
        for request in task.requests(item, method, answers)
        if request not in answers and request not in failed
    ]:
        for batch in getattr(model, method)(wanted):
            for i, response in batch:
                if isinstance(response, Failure):
                    failed.add(wanted[i])
                else:
                    answers[wanted[i]] = response
    items = [
        item for item in task.questions if all(one in answers for one in task.requests(item, method, answers))
    ]
    measured = task.measure(items, method, answers, {"model": model.name, "prompting": method})
    return Answered(model.name, method, items, answers, measured)
