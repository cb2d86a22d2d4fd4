"""The answers to a question under all conditions: the shares of each, and their mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions import option_views as views
from probsense.analysis.distributions.mixture import mean_labels, mean_options
from probsense.core.records import Item, LabelResponse, Response, SampleResponse, ScoreResponse
from probsense.tasks.base import Task
from probsense.tasks.conditions.facets import Level
from probsense.tasks.shared.orders import Order

Floats: TypeAlias = NDArray[np.float64]

FLOOR: Final = 1e-6
"""Probabilities below this count as this in log odds."""


class Seen(NamedTuple):
    """Hold how a question was answered under each condition.

    Attributes
    ----------
    cluster : str
    shares : ndarray, shape (conditions, answers)
        With an answer in the same column under all conditions; no rows where one condition has no answer.
    orders : sequence of tuple of int
        The answer in each place, by condition; () where order is no facet.
    levels : sequence of Mapping of str to Level
        The level of each other facet, by condition.
    gold : int or None
        The place of the right answer among the answers.
    chance : float
        The variance that the shares have because each condition has chains of thought of its own, summed over answers.
    texts : sequence of float
        How many texts the shares rest on, by condition; infinite for probabilities.
    """

    cluster: str
    shares: Floats
    orders: Sequence[Order]
    levels: Sequence[Mapping[str, Level]]
    gold: int | None
    chance: float
    texts: Sequence[float]

    @property
    def watched(self) -> Floats:
        """The probability of the right answer or, if none is, of the first one, shape (conditions,)."""
        return np.asarray(self.shares[:, self.gold or 0])

    @property
    def log_odds(self) -> Floats:
        """Of the watched answer; texts have half an answer of each kind more."""
        p, n = np.clip(self.watched, FLOOR, 1 - FLOOR), np.asarray(self.texts)
        exact = np.log(p / (1 - p))
        if np.isinf(n).all():
            return np.asarray(exact)
        yes = self.watched * n
        return np.asarray(np.log((yes + 0.5) / (n - yes + 0.5)))


def shares_of(task: Task, item: Item, responses: Sequence[Response]) -> Floats:
    """Return the shares of the listed answers, shape (responses, answers); no rows if one response has none."""
    rule = getattr(task, "rule", "sum")
    found = []
    for one in responses:
        if isinstance(one, ScoreResponse):
            found.append(views.distribution(one, rule if rule != "pmi" else "sum"))
        elif isinstance(one, LabelResponse):
            mass = np.array([one.mass[name] for name in task.listed(item)])
            if mass.sum() == 0:
                return np.empty((0, len(mass)))
            found.append(mass / mass.sum())
    return np.array(found)


def counted_texts(task: Task, item: Item, response: SampleResponse) -> LabelResponse:
    """Take the share of texts that give each answer for its mass, as if each text were a chain of its own."""
    names, each = task.listed(item), []
    for text in (*response.texts, *[""] * response.unfinished):
        given = task.answer_in(item, text)
        others = tuple((word, 1.0) for word in text.split()[:1] if given not in names)
        mass = {name: float(name == given) for name in names}
        each.append(LabelResponse(mass, 1 - sum(mass.values()), "sampled", others=others))
    return mean_labels(each)


def texts_in(response: Response) -> float:
    """Count the texts that give an answer, in what :func:`counted_texts` returned or a mean of it."""
    assert isinstance(response, LabelResponse)
    return len(response.chains) * sum(response.mass.values())


def mean_of(responses: Sequence[Response], weights: Sequence[float], alike: bool) -> Response:
    """Average the answers of one question under all conditions; texts are put together.

    Chains of thought are averaged one by one, as if each thought came before the question under all conditions.

    Parameters
    ----------
    responses : sequence of Response, length K
    weights : sequence of float, length K
        How much each counts, in any unit.
    alike : bool
        Whether all count alike, whatever part of the probability the answers have in each; then those without any are
        left out.
    """
    match responses[0]:
        case LabelResponse():
            if alike:
                responses, weights = _alike(responses, weights)
            return _with_chains(responses, weights, mean_labels)
        case ScoreResponse():
            return _with_chains(responses, weights, mean_options)
    found = [one for one in responses if isinstance(one, SampleResponse)]
    texts = tuple(text for one in found for text in one.texts)
    return SampleResponse(texts, unfinished=sum(one.unfinished for one in found))


def _with_chains(responses: Sequence[Any], weights: Sequence[float], mean: Callable[..., Any]) -> Response:
    number = min(len(one.chains) for one in responses)
    chains = tuple(
        replace(mean([one.chains[k] for one in responses], weights), chains=()) for k in range(number)
    )
    found: Response = replace(mean(responses, weights), chains=chains)
    return found


def _alike(responses: Sequence[Any], weights: Sequence[float]) -> tuple[Sequence[Response], Sequence[float]]:
    """Give answers the same part of the probability under all conditions: its mean."""
    parts = [sum(one.mass.values()) for one in responses]
    covered = float(np.average(parts, weights=weights))
    known = [
        (_times(one, covered / part), weight)
        for one, part, weight in zip(responses, parts, weights, strict=True)
        if part > 0
    ]
    return tuple(zip(*known, strict=True)) if known else (responses, weights)  # type: ignore[return-value]


def _times(response: LabelResponse, factor: float) -> LabelResponse:
    mass = {name: factor * value for name, value in response.mass.items()}
    chains = tuple(_times(one, factor) for one in response.chains)
    return replace(response, mass=mass, other=1 - sum(mass.values()), bounds=None, chains=chains)
