"""Frames as a task: events with an open slot, what a model puts there, and how that compares with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import polars as pl

from probsense.answers.questions import Counts, Floats, Question
from probsense.answers.settings import ComparisonSettings
from probsense.errors import InputError
from probsense.prob.options import check_temperature
from probsense.records import (
    Item,
    Json,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.stats.estimate import Estimate
from probsense.tasks.base import Answers, Method
from probsense.tasks.frames import charts, exact
from probsense.tasks.frames.compare import Choice, Compared, compare, notes
from probsense.tasks.frames.events import PACKAGED, Frame, read_frames
from probsense.tasks.frames.measures import figures, own_figures
from probsense.tasks.frames.names import check_name
from probsense.tasks.frames.normalise import normalise
from probsense.tasks.frames.prompts import STYLES, Shot
from probsense.tasks.frames.similarities import check_similarity
from probsense.tasks.limit import check_limit, draw_clusters

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

COLUMNS: Final[Mapping[str, PolarsDataType]] = {
    "id": pl.String,
    "slot": pl.String,
    "n": pl.Int64,
    "answers": pl.List(pl.Struct({"answer": pl.String, "count": pl.Int64})),
    "log_masses": pl.List(pl.Float64),
}
"""Columns of a run's table: the frame; the number of texts, and the answers they held (null where there are none); the
log-probability of each cluster of people's answers (null where it is not known)."""

MAX_TOKENS: Final = 16
"""Of a sampled answer."""


class Frames:
    """What fills the open slot of an everyday event, asked of a model as often as of people.

    Parameters
    ----------
    questions : Path or str, optional
        File of frames, in the package's layout or as published targets; without one, those of the package are asked.
    answers : int
        Texts for each frame, where the model is asked for texts.
    shots : int
        Examples before the question: frames of the package with their most frequent answer.
    style : str
        How a frame is put: one of :data:`~probsense.tasks.frames.prompts.STYLES`.
    temperature, top_p : float
        Of the texts.
    similarity, embeddings : str
        What says which answers mean the same: see :func:`~probsense.tasks.frames.similarities.load_similarity`.
    limit : int, optional
        At most so many frames.
    seed : int
        Of the choice that ``limit`` makes, of examples, texts and intervals.
    """

    name: ClassVar[str] = "frames"
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("sample", "options")

    def __init__(
        self,
        questions: Path | str | None = None,
        *,
        answers: int = 100,
        shots: int = 1,
        style: str = "published",
        temperature: float = 1.0,
        top_p: float = 0.9,
        similarity: str = "cosine",
        embeddings: str = "chars",
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        if answers < 1:
            raise InputError(f"{answers} answers", expected="at least 1")
        if shots < 0:
            raise InputError(f"{shots} examples", expected="0 or more")
        if temperature:
            check_temperature(temperature)
        if not 0 < top_p <= 1:
            raise InputError(f"top-p {top_p:g}", expected="a number above 0, at most 1")
        check_name("style", style, STYLES)
        check_similarity(similarity)
        check_limit(limit)
        self._file = None if questions is None else Path(questions)
        self._answers, self._shots, self._style = answers, shots, STYLES[style]
        self._temperature, self._top_p = temperature, top_p
        self._choice = Choice(similarity, embeddings, ComparisonSettings(seed=seed))
        self._limit, self._seed = limit, seed
        self._last: tuple[pl.DataFrame, Compared] | None = None
        self.options: Mapping[str, Json] = {
            "questions": None if questions is None else str(questions),
            "answers": answers,
            "shots": shots,
            "style": style,
            "temperature": temperature,
            "top_p": top_p,
            "similarity": similarity,
            "embeddings": embeddings,
            "limit": limit,
            "seed": seed,
        }

    def items(self) -> Sequence[Item]:
        """The frames, in the order of their file; each is a cluster of its own."""
        return self._items

    @cached_property
    def _items(self) -> Sequence[Item]:
        items = [
            Item(
                id=frame.id,
                cluster=frame.id,
                gold="",
                data={"context": frame.context, "slot": frame.slot, "question": frame.question},
            )
            for frame in self._frames.values()
        ]
        return draw_clusters(items, self._limit, self._seed)

    @cached_property
    def _frames(self) -> Mapping[str, Frame]:
        return {frame.id: frame for frame in read_frames(self._file or PACKAGED)}

    @cached_property
    def _examples(self) -> Sequence[Frame]:
        """The frames of the package in drawn order."""
        known = read_frames(PACKAGED) if self._shots else []
        if self._shots >= len(known) > 0:
            raise InputError(f"{self._shots} examples", expected=f"at most {len(known) - 1}")
        return [known[i] for i in np.random.default_rng([self._seed, 5]).permutation(len(known))]

    def _shown(self, frame: Frame) -> list[Shot]:
        """The examples of a frame, which is none of them."""
        others = [example for example in self._examples if example.text != frame.text]
        return [(example, max(example.people.raw, key=example.people.raw.__getitem__)) for example in others][
            : self._shots
        ]

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """One request an item: as many texts as answers are wanted, or the scores of all answers of people."""
        frame = self._frames[item.id]
        prompt = self._style.write(frame, self._shown(frame))
        if method == "options":
            known = exact.strings(frame.people)
            if not known:
                raise InputError(
                    f"frame {frame.id!r} has no answers of people to score", expected="--method sample"
                )
            return [ScoreRequest(prompt, tuple(f" {text}" for text in known), exact.END, item=item.id)]
        return [
            SampleRequest(
                prompt,
                n=self._answers,
                max_tokens=MAX_TOKENS,
                temperature=self._temperature,
                top_p=self._top_p,
                stop=self._style.stop,
                seed=self._seed,
                item=item.id,
            )
        ]

    def table(self, items: Sequence[Item], method: Method, answers: Answers) -> pl.DataFrame:
        """One row per item, with :data:`COLUMNS`."""
        rows: list[tuple[object, ...]] = []
        for item in items:
            (request,) = self.requests(item, method, answers)
            match answers[request]:
                case SampleResponse(texts=texts):
                    counts = Counter(map(normalise, texts)).most_common()
                    given = [{"answer": answer, "count": count} for answer, count in counts]
                    rows.append((item.id, item.data["slot"], len(texts), given, None))
                case ScoreResponse() as response:
                    masses = exact.log_masses(self._frames[item.id].people, response)
                    rows.append((item.id, item.data["slot"], None, None, masses.tolist()))
        return pl.DataFrame(rows, schema=dict(COLUMNS), orient="row")

    def summary(self, table: pl.DataFrame, by: Mapping[str, Json]) -> list[Estimate]:
        """How the answers compare with people's, where there are any; and what they are like by themselves."""
        scored, draws = self._scored(table), self._choice.settings.draws
        return [
            *figures(self._compared(table), by),
            *exact.figures(*scored, by, draws=draws, seed=self._seed),
            *own_figures(given(table), by),
        ]

    def _compared(self, table: pl.DataFrame) -> Compared:
        counts = given(table)
        if not counts:
            return Compared.nothing()
        # Figures, charts and notes are of the same comparison.
        if self._last is None or self._last[0] is not table:
            people = [self._frames[name].people for name in counts]
            ranked = {name: [*own] for name, own in counts.items()}
            self._last = table, compare(people, counts, ranked, self._choice)
        return self._last[1]

    def _scored(self, table: pl.DataFrame) -> tuple[list[Question], list[Floats]]:
        rows = table.filter(pl.col("log_masses").is_not_null())
        people = [self._frames[name].people for name in rows["id"]]
        return people, [np.array(masses) for masses in rows["log_masses"].to_list()]

    def tables(
        self, table: pl.DataFrame, model: str, estimates: Sequence[Estimate]
    ) -> dict[str, pl.DataFrame]:
        """What the charts of a model beside people are drawn from, with its figures."""
        people = [self._frames[name].people for name in table["id"]]
        compared = self._compared(table)
        shares = [
            *charts.compared_shares(model, people, compared.results),
            *charts.exact_shares(model, *self._scored(table)),
        ]
        return charts.tables(shares, {model: compared}, estimates)

    def coverage(self, table: pl.DataFrame) -> dict[str, Json]:
        """How many frames were asked and compared with people, and how many texts held no answer."""
        counts = given(table).values()
        return {
            "asked": table.height,
            "compared_with_people": len(self._compared(table).results.questions)
            + len(self._scored(table)[0]),
            "texts": sum(sum(own.values()) for own in counts),
            "empty_texts": sum(own.get("", 0) for own in counts),
        }

    def notes(self, table: pl.DataFrame) -> list[str]:
        """What a reader should know about the frames, and about answers that are like none of people's."""
        own = []
        if self._file is None:
            own.append(
                "the frames of the package were asked, no file was named; their answers were made up for illustration,"
                " nobody was asked"
            )
        return [*own, *notes(self._compared(table))]


def given(table: pl.DataFrame) -> dict[str, Counts]:
    """The answers that were sampled and how often each was given, by frame, the most frequent first."""
    rows = table.filter(pl.col("answers").is_not_null()).select("id", "answers").iter_rows()
    return {name: {own["answer"]: own["count"] for own in answers} for name, answers in rows}
