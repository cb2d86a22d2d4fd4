"""Scores recorded answers by the published calculation: ProbEval and the measures of ProtoQA, quirks and all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final

import numpy as np

from probsense.analysis.inference.resampling import redrawn_counts
from probsense.analysis.open_answers import probeval, protoqa
from probsense.analysis.open_answers.clusters import PUBLISHED_THRESHOLDS
from probsense.analysis.open_answers.probeval import Matcher, PublishedGold
from probsense.analysis.open_answers.questions import Question
from probsense.core.errors import InputError, check_name
from probsense.core.options import checked_seed
from probsense.core.records import Json
from probsense.tasks.frames.measures import comparison
from probsense.tasks.frames.measures.similarities import NAMES, load_embedder, load_similarity
from probsense.tasks.frames.questions.predictions import Predictions
from probsense.tasks.results import Results

METHOD: Final = "published"
GAUSSIAN: Final = "gaussian"
"""Matching by Gaussian regression, which the published figures call "cosine"."""
CLUSTERS: Final = ("people", "hac")
"""Those of people, or automatic ones by single linkage."""


@dataclass(frozen=True, slots=True)
class Published:
    """The settings of the published calculation.

    Attributes
    ----------
    similarity : str
        One of :data:`~probsense.tasks.frames.measures.similarities.NAMES`, or "gaussian".
    embeddings : str
        Vectors for Gaussian regression and automatic clusters.
    clusters : "people" or "hac"
    draws : int
        Draws of the model's answers, for the intervals, which the published evaluation lacks.
    seed : int
    """

    similarity: str = "wordnet"
    embeddings: str = "chars"
    clusters: str = "people"
    draws: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        check_name("similarity by the method published", self.similarity, (*NAMES, GAUSSIAN))
        check_name("clusters by the method published", self.clusters, CLUSTERS)
        checked_seed(self.seed)

    def facts(self) -> dict[str, Json]:
        """Return the settings as a record keeps them."""
        return {"method": METHOD, **asdict(self)}


def published_outcome(
    questions: Sequence[Question], given: Predictions, choice: Published, by: Mapping[str, Json]
) -> Results:
    """Estimate ProbEval ("kl") and the measures of ProtoQA, over all questions and for each.

    Quirks are those of :mod:`probsense.analysis.open_answers.probeval` and
    :mod:`probsense.analysis.open_answers.protoqa`. The intervals are ours: those of single questions come
    from drawing the model's answers anew, those of means from Student's t over questions.

    Parameters
    ----------
    questions : sequence of Question
        Those that the model answered.
    given : Predictions
    choice : Published
    by : Mapping
        What all estimates have in their ``by``; "model" is the name of the model.

    Raises
    ------
    InputError
        For an unknown name, a question without clusters where those of people are wanted, and whatever a similarity
        needs and does not find.
    """
    automatic = choice.clusters == "hac"
    answered = [question for question in questions if automatic or question.clusters]
    if not answered:
        raise InputError("no question has clusters made by people", expected="--clusters hac")
    texts = comparison.all_texts(answered, [given.published[question.id] for question in answered])
    gold: Callable[[Question], PublishedGold] = probeval.human_gold
    if automatic:
        # The study compared words by WordNet alone; all other word similarities are cut where that one is.
        threshold = PUBLISHED_THRESHOLDS.get(choice.similarity, PUBLISHED_THRESHOLDS["wordnet"])
        embed = load_embedder(choice.embeddings, texts)
        gold = partial(probeval.published_automatic_gold, embed=embed, threshold=threshold)
    found: dict[str, dict[str, comparison.Figure]] = {"kl": {}}
    match: Matcher
    if choice.similarity == GAUSSIAN:
        match = probeval.by_gaussian(load_embedder(choice.embeddings, texts))
    else:
        similarity = load_similarity(choice.similarity, choice.embeddings, texts)
        match = probeval.by_similarity(similarity)
        for question in answered:
            if question.clusters:
                ranked = given.ranked[question.id]
                score = protoqa.published_by_similarity(question, similarity)
                for name, value in protoqa.measures(protoqa.board(question, ranked, score), ranked).items():
                    found.setdefault(name, {})[question.id] = comparison.figure(value)
    rng = np.random.default_rng([choice.seed, 7])
    for question in answered:
        counts = given.published[question.id]
        n = sum(counts.values())
        drawn = redrawn_counts(rng, np.array([*counts.values()]), choice.draws)
        samples = [counts, *(dict(zip(counts, row, strict=True)) for row in drawn.tolist())]
        scores = probeval.published_scores(gold(question), samples, match)
        found["kl"][question.id] = comparison.figure(scores[0], scores[1:], n)
    return Results(comparison.framed(found, by, METHOD))
