"""Judgments as a task: statements, the questions about each, and the mass of yes and no in the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.agreement.scores import match
from probsense.errors import InputError
from probsense.prob import labels
from probsense.records import (
    Item,
    Json,
    LabelRequest,
    LabelResponse,
    Request,
)
from probsense.stats.estimate import Estimate
from probsense.tasks.base import Answers, Method
from probsense.tasks.judgments.align import Judged, align, check_common
from probsense.tasks.judgments.analyse import (
    Against,
    check_against,
    coverage,
    figures,
    model_notes,
    notes,
    read_against,
    with_by,
)
from probsense.tasks.judgments.charts import tables
from probsense.tasks.judgments.measures import Settings
from probsense.tasks.judgments.questions import PUBLISHED, Wording, check_questions, read_wording
from probsense.tasks.judgments.sampling import FOLD, Sampling, texts_of
from probsense.tasks.judgments.statements import read_statements
from probsense.tasks.limit import check_limit, draw_clusters

PACKAGED: Final = Path(str(files(__package__) / "statements.csv"))
"""Forty-eight statements that come with the package."""

COLUMNS = {
    "id": pl.String,
    "statement_id": pl.Int64,
    "question": pl.String,
    "p_yes": pl.Float64,
    "p_no": pl.Float64,
    "p_other": pl.Float64,
    "n": pl.Int64,
    "low_yes": pl.Float64,
    "high_yes": pl.Float64,
    "source": pl.String,
    "note": pl.String,
}
"""Columns of a run's table: what was asked; the probability of yes, of no and of anything else; the number of texts
behind it (null where it is exact); between which values that of yes lies (null where it is exact); how it was got."""

_Row: TypeAlias = tuple[float, float, float, int | None, float | None, float | None, str, str]


class Judgments:
    """What a model says of statements of everyday common sense, and where that puts it among people.

    The questions and the measures are those of Nguyen, Watts & Whiting 2026 (PNAS Nexus 5(3) pgag029).

    Parameters
    ----------
    statements : Path or str, optional
        A table with a column ``statement``; without one, those of the package are asked.
    questions : sequence of str, optional
        Names of questions; all that the wording has, unless given.
    wording : Path or str, optional
        File with the questions; without one, the published wording.
    trials : int
        Texts for each question, where the model is asked for texts.
    precision : float, optional
        Ask for more texts, as many at a time, until the 95 % interval of the probability of every answer (yes, no,
        other) is narrower than this.
    max_samples : int, optional
        The most texts for a question with ``precision``; four times ``trials``, unless given.
    other : str
        What becomes of answers that are neither yes nor no: one of :data:`probsense.prob.labels.POLICIES`.
    humans : sequence of Path or str
        Files with people's ratings, against which the model is set.
    majority : Path or str, optional
        File with what most people say, where single people's ratings are not at hand.
    limit : int, optional
        At most so many questions; those about one statement stay together.
    seed : int
        Of the choice that ``limit`` makes, of the texts and of the intervals.
    """

    name: ClassVar[str] = "judgments"
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("labels", "sample")

    def __init__(
        self,
        statements: Path | str | None = None,
        *,
        questions: Sequence[str] | None = None,
        wording: Path | str | None = None,
        trials: int = 25,
        precision: float | None = None,
        max_samples: int | None = None,
        other: str = "split",
        humans: Sequence[Path | str] = (),
        majority: Path | str | None = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        self._wording: Wording = PUBLISHED if wording is None else read_wording(Path(wording))
        self._questions = tuple(self._wording.questions if questions is None else questions)
        check_questions(self._questions, self._wording)
        check_limit(limit)
        check_against(humans, majority)
        self._settings = Settings(policy=other, seed=seed)
        self._file = None if statements is None else Path(statements)
        self._humans = [Path(path) for path in humans]
        self._majority = None if majority is None else Path(majority)
        if max_samples is not None and precision is None:
            raise InputError(f"a most of {max_samples} texts without a precision", expected="both")
        most = trials if precision is None else trials * FOLD if max_samples is None else max_samples
        self._sampling = Sampling(self._wording.labels, trials, precision, most, seed)
        self._limit, self._seed = limit, seed
        self.options: Mapping[str, Json] = {
            "statements": None if statements is None else str(statements),
            "questions": list(self._questions),
            "wording": None if wording is None else str(wording),
            "trials": trials,
            "precision": precision,
            "max_samples": max_samples,
            "other": other,
            "humans": [str(path) for path in humans],
            "majority": None if majority is None else str(majority),
            "limit": limit,
            "seed": seed,
        }

    def items(self) -> Sequence[Item]:
        """A statement with a question each; the questions about one statement share a cluster."""
        return self._items

    @cached_property
    def _items(self) -> Sequence[Item]:
        items = [
            Item(
                id=f"{statement['statement_id']}-{question}",
                cluster=str(statement["statement_id"]),
                gold="",
                data={**statement, "question": question},
            )
            for statement in self._statements.select("statement_id", "statement").iter_rows(named=True)
            for question in self._questions
        ]
        drawn = draw_clusters(items, self._limit, self._seed)
        theirs = self._against.statements()
        check_common([item.data["statement_id"] for item in drawn], theirs)
        return drawn

    @cached_property
    def _against(self) -> Against:
        return read_against(self._humans, self._majority, self._statements)

    @cached_property
    def _statements(self) -> pl.DataFrame:
        return read_statements(self._file or PACKAGED)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """One request an item: the mass of both labels, or as many texts as there are trials; then more in rounds."""
        prompt = self._prompt(item)
        if method == "labels":
            return [LabelRequest(prompt, self._wording.labels, item=item.id)]
        return self._sampling.wanted(prompt, item.id, answers)

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """All rounds of texts that there may be."""
        if method == "labels":
            return self.requests(item, method, {})
        return self._sampling.requests(self._prompt(item), item.id)

    def suffices(self, item: Item, method: Method, answers: Answers) -> bool:
        """Whether there are texts, even if not as many as wished."""
        return self.requests(item, method, {})[0] in answers

    def _prompt(self, item: Item) -> str:
        return self._wording.prompt(item.data["question"], item.data["statement"])

    def table(self, items: Sequence[Item], method: Method, answers: Answers) -> pl.DataFrame:
        """One row per item, with :data:`COLUMNS`: with a column ``model`` it is a table of ratings to analyse."""
        read = self._read_mass if method == "labels" else self._read_texts
        rows = [
            (
                item.id,
                item.data["statement_id"],
                item.data["question"],
                *read(self.requests(item, method, answers), answers),
            )
            for item in items
        ]
        return pl.DataFrame(rows, schema=COLUMNS, orient="row")

    def _read_mass(self, requests: Sequence[Request], answers: Answers) -> _Row:
        response = answers[requests[0]]
        if not isinstance(response, LabelResponse):
            raise TypeError(f"a judgment cannot be read from {response!r}")
        yes, no, other = response.mass["yes"], response.mass["no"], response.other
        # What the most probable tokens leave out may be anything.
        bounds = response.bounds["yes"] if response.bounds else (None, None)
        return yes, no, other, None, *bounds, response.source, response.note

    def _read_texts(self, requests: Sequence[Request], answers: Answers) -> _Row:
        counts = self._sampling.count(texts_of(requests, answers))
        low, high = (float(end[0]) for end in labels.dirichlet_interval(counts))
        yes, no, other = labels.trial_mass(counts).tolist()
        return yes, no, other, int(counts.sum()), low, high, "sampled", self._sampling.ending(counts)

    def summary(self, table: pl.DataFrame, by: Mapping[str, Json]) -> list[Estimate]:
        """The model's own figures; with people's ratings, the model as an individual and as a population, too."""
        judged = self._judged(table, str(by["model"]))
        return with_by(figures(judged, self._statements, self._settings), by)

    def tables(
        self, table: pl.DataFrame, model: str, estimates: Sequence[Estimate]
    ) -> dict[str, pl.DataFrame]:
        """What the charts of a model among people are drawn from, with its figures; nothing without people."""
        judged = self._judged(table, model)
        return {} if judged.key is None else tables(judged, estimates)

    def coverage(self, table: pl.DataFrame) -> dict[str, Json]:
        """How many statements were asked about, and on how many the model refused."""
        judged = self._judged(table, "")
        return {"asked": table.height, "statements": len(judged.ids), **coverage(judged, "")}

    def notes(self, table: pl.DataFrame) -> list[str]:
        """What a reader should know about people, about refusals, and about how the answers were read."""
        judged = self._judged(table, "")
        own = ["the statements of the package were asked, no file was named"] if self._file is None else []
        read = [
            f"{count:,} of {table.height:,} answers: {note}"
            for note, count in Counter(table["note"]).items()
            if note
        ]
        return [*own, *read, *notes(judged), *model_notes(judged, "")]

    def agreement(self, table: pl.DataFrame) -> NDArray[np.float64]:
        """Whether each answer is that of most people, shape (rows,): 1 or 0, 0.5 for a tie, NaN where not known.

        The third question has no answer of people.
        """
        judged, found = self._judged(table, ""), np.full(table.height, np.nan)
        if judged.key is not None:
            place = np.searchsorted(judged.ids, table["statement_id"].to_numpy())
            for question, answers in (("q1", judged.answers.q1[0]), ("q2", judged.answers.q2[0])):
                asked = (table["question"] == question).to_numpy()
                found[asked] = match(answers, judged.key)[place[asked]]
        return found

    def _judged(self, table: pl.DataFrame, model: str) -> Judged:
        ratings = table.with_columns(model=pl.lit(model))
        asked = ratings["statement_id"].unique()
        # People's ratings of statements that were not asked about have no part in this.
        theirs = [
            frame if frame is None else frame.filter(pl.col("statement_id").is_in(asked.implode()))
            for frame in (self._against.people, self._against.majority)
        ]
        return align(ratings, *theirs, policy=self._settings.policy)
