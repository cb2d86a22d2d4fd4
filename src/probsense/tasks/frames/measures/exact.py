"""The exact way: the probability of each cluster, from the probabilities that a model gives its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from scipy.special import logsumexp, softmax

from probsense.analysis.distributions import option_views
from probsense.analysis.inference.resampling import redrawn_counts
from probsense.analysis.open_answers.comparison import DIVERGENCES
from probsense.analysis.open_answers.questions import Cluster, Floats, Question
from probsense.core.records import Json, ScoreResponse
from probsense.tasks.frames.charts import EXACT, name_of, share_table
from probsense.tasks.frames.measures.comparison import Figure, figure, framed
from probsense.tasks.frames.questions.prompts import normalise
from probsense.tasks.results import Results, voiding

END: Final = "\n"
"""What follows an answer in the prompt's own format; it tells "car" from the beginning of "car park"."""

LISTED_MASS: Final = "listed_mass"

LEAST_MASS: Final = 0.05
"""The least probability of all known answers together, on the average over frames, at which shares are compared."""


def strings(question: Question) -> tuple[str, ...]:
    """Return the answers to score: those of people, normalised as a model's are, each once."""
    return tuple(dict.fromkeys(answer for cluster in clusters(question) for answer in cluster.answers))


def clusters(question: Question) -> list[Cluster]:
    """Return the clusters with normalised answers; if people made none, all spellings of an answer are one."""
    spellings: dict[str, list[str]] = {}
    for answer in () if question.clusters else question.raw:
        spellings.setdefault(normalise(answer), []).append(answer)
    found = [Cluster(own[0], sum(question.raw[one] for one in own), (*own,)) for own in spellings.values()]
    normal = [
        replace(cluster, answers=tuple(dict.fromkeys(filter(None, map(normalise, cluster.answers)))))
        for cluster in question.clusters or found
    ]
    return [cluster for cluster in normal if cluster.answers]


def log_masses(question: Question, response: ScoreResponse) -> Floats:
    """Return the log-probability that the answer is one of a cluster's.

    The probability of a string is that of its tokens and of the end of the answer after them. A cluster has the sum
    over its strings; a string that several clusters share is divided evenly among them.

    Parameters
    ----------
    question : Question
    response : ScoreResponse
        To a request for :func:`strings` with the suffix :data:`END`.

    Returns
    -------
    ndarray, shape (clusters,)
        Nats; their exponentials sum to at most 1, the rest being answers that nobody gave.
    """
    known = dict(zip(strings(question), option_views.scores(response, "full"), strict=True))
    groups = [cluster.answers for cluster in clusters(question)]
    shared = {text: np.log(sum(text in own for own in groups)) for text in known}
    return np.array([logsumexp([known[text] - shared[text] for text in own]) for own in groups])


def people_counts(question: Question) -> Floats:
    """Count people's answers in each of the same clusters."""
    return np.array([cluster.count for cluster in clusters(question)], dtype=np.float64)


def model_shares(found: Floats) -> Floats:
    """Return how a model divides its probability among the clusters; no share is quite 0."""
    return np.asarray(np.maximum(softmax(found), np.finfo(np.float64).tiny))


def listed_mass(found: Floats) -> float:
    """Return the probability that a model gives to all clusters of a question together."""
    return float(np.exp(logsumexp(found)))


def scored_outcome(
    questions: Sequence[Question], masses: Sequence[Floats], by: Mapping[str, Json], *, draws: int, seed: int
) -> Results:
    """Set the probabilities that a model gives to people's answers against how often people gave them.

    The estimates are the divergences of people's shares from the model's, and what the model gives to known answers at
    all: means over questions with their t interval, and then each question by itself. Where people's answers have less
    than :data:`LEAST_MASS` on the average, what they have is the only estimate: how so little is divided among them
    says nothing of what the model would answer.

    Parameters
    ----------
    questions : sequence of Question
    masses : sequence of ndarray, shape (clusters,)
        The log-probability of each cluster of each question: see :func:`log_masses`.
    by : Mapping
        What all estimates have in their ``by``; "model" is the name of the model.
    draws : int
        How often people's answers are drawn anew for the intervals of single questions; the model's are exact.
    seed : int
    """
    rng = np.random.default_rng([seed, 6])
    found: dict[str, dict[str, Figure]] = {name: {} for name in (*DIVERGENCES, LISTED_MASS)}
    for question, own in zip(questions, masses, strict=True):
        people, model = people_counts(question), model_shares(own)
        n = int(people.sum())
        drawn = redrawn_counts(rng, people, draws) / n
        for name, measure in DIVERGENCES.items():
            found[name][question.id] = figure(float(measure(people / n, model)), measure(drawn, model), n)
        found[LISTED_MASS][question.id] = figure(listed_mass(own))
    estimates = framed(found, by, EXACT)
    known = [one for one in estimates if one.measure == LISTED_MASS]
    mass = known[0].value if known else 1.0
    if mass < LEAST_MASS:
        why = (
            f"nothing is compared, because the known answers have {mass:.2%} of the probability, and a comparison"
            f" needs {LEAST_MASS:.0%}; ask by --method sample, or with more --shots"
        )
        return Results(known, warnings=[voiding(why)])
    shares = share_table(
        name_of(str(by["model"]), EXACT),
        (
            (question, [one.id for one in clusters(question)], people / people.sum(), model_shares(own))
            for question, own in zip(questions, masses, strict=True)
            for people in [people_counts(question)]
        ),
    )
    return Results(estimates, [{"compared_with_people": len(questions)}], tables={"distributions": shares})
