"""Compares texts of a model with the answers of people: by what means, with which estimates, warnings and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias

import numpy as np
from scipy.special import entr

from probsense.analysis.inference.estimate import LEVEL, Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.open_answers.evaluator import Evaluation, ReplicatedEstimate, evaluate
from probsense.analysis.open_answers.protoqa import MEASURES, board, by_similarity, measure
from probsense.analysis.open_answers.questions import ComparisonSettings, Counts, Floats, Question
from probsense.core.files.table import some
from probsense.core.records import Json
from probsense.tasks.frames.charts import compared_shares, unmatched
from probsense.tasks.frames.measures import similarities
from probsense.tasks.frames.measures.similarities import CHARS, COSINE, SEVERAL
from probsense.tasks.frames.questions.prompts import clean
from probsense.tasks.results import Results

MAX_ANSWERS: Final = "max_answers@10"
PROTOQA: Final = "protoqa"

CHARS_NOTE = (
    "answers are compared by their spelling, not by their meaning: in the study behind the defaults, scores by chars"
    " agree less with the true ones than those by minilm (.81 and .83 instead of .85 and .89 with people's clusters,"
    " .71 and .80 instead of .80 and .86 without them); minilm needs the extras hf and embed"
)
"""What is lost without a sentence embedding: the table of docs/frames.md."""

Figure: TypeAlias = tuple[ReplicatedEstimate, int]
"""The value of a measure for a frame with its replicates, and the number of answers that it rests on."""
NONE: Final = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Choice:
    """How answers are compared.

    Attributes
    ----------
    similarity, embeddings : str
        As from :func:`~probsense.tasks.frames.measures.similarities.definite_similarity`, and from
        :func:`~probsense.tasks.frames.measures.similarities.definite`.
    settings : ComparisonSettings
    """

    similarity: str = "cosine"
    embeddings: str = "chars"
    settings: ComparisonSettings = field(default_factory=ComparisonSettings)

    @classmethod
    def of(cls, similarity: str, embeddings: str, settings: ComparisonSettings) -> Choice:
        """Say what names stand for on this machine."""
        embeddings = similarities.definite(embeddings)
        similarity = similarities.definite_similarity(similarity, embeddings, settings.clusters)
        return cls(similarity, embeddings, settings)

    @property
    def means(self) -> list[Json]:
        """By what answers are compared, in print: the similarity and, where it takes part, the embedding."""
        return [self.similarity, *([similarities.described(self.embeddings)] if self.embedded else [])]

    @property
    def embedded(self) -> bool:
        """Whether an embedding takes part."""
        return self.similarity in (COSINE, SEVERAL)

    @property
    def warnings(self) -> list[str]:
        """What is lost where answers are compared by their spelling alone."""
        return [CHARS_NOTE] if self.embedded and self.embeddings == CHARS else []

    def narrowed(self, questions: Sequence[Question]) -> Choice:
        """Return the choice with the cosine instead of several, where people clustered all of these answers."""
        made = self.settings.clusters == "people" and all(question.clusters for question in questions)
        return replace(self, similarity=COSINE) if made and self.similarity == SEVERAL else self

    def facts(self) -> dict[str, Json]:
        """Return the choice as a record keeps it."""
        means = {"similarity": self.similarity, "embeddings": self.embeddings}
        return {"method": "default", **means, **asdict(self.settings)}


def sampled_outcome(
    questions: Sequence[Question],
    counts: Mapping[str, Counts],
    ranked: Mapping[str, Sequence[str]],
    choice: Choice,
    by: Mapping[str, Json],
) -> Results:
    """Compare answers that were given as texts with people's, and describe them by themselves.

    The coverage says how many frames were "compared_with_people", and by what ("compared_by"); there is none without
    people. Among the estimates is ProtoQA's Max Answers@10 of the questions with clusters made by people.

    Parameters
    ----------
    questions : sequence of Question
        With people's answers, if there are any.
    counts, ranked : Mapping
        The model's answers by the id of the question: how often each was given, and the best first.
    choice : Choice
        How answers are compared.
    by : Mapping
        What all estimates have in their ``by``; "model" is the name of the model. Those of single questions have the
        key "frame", too.
    """
    model = str(by["model"])
    own = own_estimates({one.id: counts[one.id] for one in questions if one.id in counts}, by)
    known = [question for question in questions if question.raw]
    if not known:
        return Results(own)
    choice = choice.narrowed(known)
    texts = all_texts(known, counts.values())
    several, single = None, choice.similarity
    if choice.similarity == SEVERAL:
        several = similarities.load_several(choice.embeddings, texts, choice.settings)
        single = COSINE
    # The answers of a run are clean, and those of people as they were written.
    similarity = similarities.load_similarity(single, choice.embeddings, texts, spelt=clean)
    limits = MEASURES[MAX_ANSWERS]
    scores: dict[str, Figure] = {}
    for question in known:
        best = ranked.get(question.id, ())[: limits.answers]
        if best and question.clusters:
            scored = board(question, best, by_similarity(question, similarity))
            scores[question.id] = figure(measure(scored, best, limits))
    found = evaluate(known, counts, similarity, choice.settings, several)
    return Results(
        [
            *(estimate(name, by, one, n=len(found.questions)) for name, one in found.overall.items()),
            *(
                estimate(name, {**by, "frame": question.id}, one, n=question.answers)
                for question in found.questions
                for name, one in question.estimates.items()
            ),
            *framed({MAX_ANSWERS: scores}, by, PROTOQA),
            *own,
        ],
        [{"compared_with_people": len(found.questions), "compared_by": choice.means}],
        _notes(found),
        tables={"distributions": compared_shares(model, known, found), "unmatched": unmatched(model, found)},
        warnings=[*choice.warnings, *_skipped(found)],
    )


def all_texts(questions: Sequence[Question], answers: Iterable[Iterable[str]]) -> list[str]:
    """List all answers of people to questions, those of clusters too, and some others, each once."""
    people = (
        chain(question.raw, *(cluster.answers for cluster in question.clusters)) for question in questions
    )
    return [*dict.fromkeys(chain(*people, *answers))]


def _skipped(results: Evaluation) -> list[str]:
    """Warn of questions that are left out."""
    found = []
    for reason in dict.fromkeys(results.skipped.values()):
        ids = [name for name, why in results.skipped.items() if why == reason]
        found.append(f"{len(ids):,} questions are not compared, {reason}: {some(ids)}")
    return found


def _notes(results: Evaluation) -> list[str]:
    """Note answers that are fewer than those of others, and answers that are like none of people's."""
    found = []
    if results.short and len(results.short) == len(results.questions):
        found.append("all questions have too few answers and are compared at as many as they have")
    elif results.short:
        found.append(
            f"{len(results.short):,} questions have too few answers and are compared at fewer than the others:"
            f" {some(results.short)}"
        )
    lost = [(question.id, own) for question in results.questions for own in question.unmatched if own.answer]
    if lost:
        lost.sort(key=lambda pair: -pair[1].count)
        named = [f"“{own.answer}” ({own.count:,}, {name})" for name, own in lost]
        found.append(f"{len(lost):,} different answers are like none of people's: {some(named)}")
    return found


def own_estimates(given: Mapping[str, Counts], by: Mapping[str, Json]) -> list[Estimate]:
    """Describe answers without people's: the share of empty ones, and the entropy of the different strings."""
    shares = {name: np.array([*own.values()]) / sum(own.values()) for name, own in given.items()}
    found = {
        "empty_rate": {name: own.get("", 0) / sum(own.values()) for name, own in given.items()},
        "entropy": {name: float(entr(p).sum()) for name, p in shares.items()},
    }
    return means(found, by, "clustered")


def estimate(
    measure: str, by: Mapping[str, Json], figure: ReplicatedEstimate, *, n: int, method: str = "rarefied"
) -> Estimate:
    """Make an estimate of a value with its replicates: their percentiles are the interval."""
    return Estimate(measure, by, figure.value, figure.stderr, *figure.interval, LEVEL, n, n, method)


def means(values: Mapping[str, Mapping[str, float]], by: Mapping[str, Json], method: str) -> list[Estimate]:
    """Estimate the mean over questions of each measure that any question has, with its t interval."""
    return [
        replace(mean_estimate(name, by, [*own.values()], range(len(own))), method=method)
        for name, own in values.items()
        if own
    ]


def framed(
    figures: Mapping[str, Mapping[str, Figure]], by: Mapping[str, Json], method: str
) -> list[Estimate]:
    """Estimate the mean of each measure over frames, and then its value for each of them.

    The interval of a mean is that of t; that of a frame comes from its replicates, and without them is not known.
    """
    values = {name: {frame: one.value for frame, (one, _) in own.items()} for name, own in figures.items()}
    return [
        *means(values, by, method),
        *(
            estimate(name, {**by, "frame": frame}, one, n=n, method=method)
            for name, own in figures.items()
            for frame, (one, n) in own.items()
        ),
    ]


def figure(value: float, replicates: Floats = NONE, n: int = 1) -> Figure:
    """Make a figure of a value, with replicates that are moved to have it as their mean."""
    moved = replicates - replicates.mean() + value if len(replicates) else replicates
    return ReplicatedEstimate(float(value), moved), n
