"""The answers to a question under all conditions: the shares of each, their mean, and how far conditions matter.

The order effect is the variance between the orders of the answers, and the pull of a place how much more than its part
the answer there gets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions import option_views as views
from probsense.analysis.distributions.mixture import mean_labels, mean_options
from probsense.analysis.inference.estimate import LEVEL, Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.variance_components import level_effects, told_shares
from probsense.core.records import Item, Json, LabelResponse, Response, SampleResponse, ScoreResponse
from probsense.show.text import joined
from probsense.show.words import read_words
from probsense.tasks.base import Task
from probsense.tasks.conditions.facets import ORDER, PERSONA, Level
from probsense.tasks.shared.orders import PLACES, Order

Floats: TypeAlias = NDArray[np.float64]

FLOOR: Final = 1e-6
"""Probabilities below this count as this in log odds."""
WORDS: Final = read_words("probsense.tasks.conditions")
"""The words of the measures."""
FEWEST: Final = 10
"""Fewer questions make no components."""
ALIKE: Final = 1e-9
"""A smaller error than this is that of rounding."""
QUESTION, METHOD = "question", "variance components"


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


def condition_estimates(seen: Sequence[Seen | None], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how far conditions matter.

    Parameters
    ----------
    seen : sequence of Seen or None
        The questions that were answered; None for one that has no shares.
    by : Mapping
        What the estimates describe.

    Returns
    -------
    list of Estimate
        "condition_flips", how often a condition gives another answer than most; "condition_effect" by ``level``, by how
        much it raises the probability of the right answer (or of the first one, where none is right); "condition_share"
        by ``component`` of the variance of its log odds; and for orders "order_effect", and "place_pull" by ``place``.
    """
    known = [one for one in seen if one and len(one.shares)]
    if not known:
        return []
    return [*_orders(known, by), *_flips(known, by), *_effects(known, by), *_components(known, by)]


def mostly_conditions(estimates: Sequence[Estimate]) -> Iterator[str]:
    """Warn where answers vary more with the condition than with the question."""
    small = []
    for e in estimates:
        if e.measure == "condition_share" and e.by["component"] == QUESTION and e.value < 0.5:
            part = [str(e.by[key]) for key in e.by if key not in ("model", "prompting", "component")]
            whose = f" ({', '.join(part)})" if part else ""
            small.append(f"{100 * e.value:.1f} %{whose}")
    if small:
        yield (
            "the conditions matter more than the question: of the variance of the log odds, only"
            f" {joined(small)} is the question's, whatever the condition"
        )


def _orders(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate the effect of the order, and the pull of each place, of answers that are means over other facets."""
    effects = list[tuple[float, str]]()
    pulls: dict[str, list[tuple[float, str]]] = {}
    for one in known:
        place = _places(one).get(ORDER)
        if place is None:
            continue
        orders = list(dict.fromkeys(one.orders))
        shares = np.array([one.shares[place == k].mean(axis=0) for k in range(len(orders))])
        chance = one.chance * len(orders) / len(place)
        effect = float(shares.var(axis=0, ddof=1).sum() - chance)
        effects += [] if np.isnan(effect) else [(effect, one.cluster)]
        placed = [row[[*order]] for row, order in zip(shares, orders, strict=True)]
        pull = np.mean(placed, axis=0) - 1 / shares.shape[1]
        for name, value in zip(PLACES, pull.tolist(), strict=False):
            pulls.setdefault(name, []).append((value, one.cluster))
    if effects:
        yield mean_estimate("order_effect", by, *zip(*effects, strict=True))
        for name, found in pulls.items():
            yield mean_estimate("place_pull", {**by, "place": name}, *zip(*found, strict=True))


def _flips(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    shares = [np.bincount(one.shares.argmax(axis=1)).max() / len(one.shares) for one in known]
    yield mean_estimate("condition_flips", by, 1 - np.array(shares), [one.cluster for one in known])


def _places(one: Seen) -> dict[str, NDArray[np.int64]]:
    """Return the place of each condition's level, by facet; facets with one level have no part in it."""
    names = {facet: [levels[facet].name for levels in one.levels] for facet in one.levels[0]}
    found = {ORDER: one.orders, **names}
    levels = {facet: list(dict.fromkeys(own)) for facet, own in found.items()}
    return {
        facet: np.array([levels[facet].index(level) for level in own])
        for facet, own in found.items()
        if len(levels[facet]) > 1
    }


def _effects(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate by how much each level raises what is watched above its mean over all; personas count as a whole."""
    clusters = [one.cluster for one in known]
    places = [_places(one) for one in known]
    for facet in [name for name in places[0] if name not in (ORDER, PERSONA)]:
        raised = [
            level_effects(one.watched[None], own[facet])[0] for one, own in zip(known, places, strict=True)
        ]
        names = dict.fromkeys(levels[facet].name for levels in known[0].levels)
        for name, values in zip(names, np.array(raised).T, strict=True):
            yield mean_estimate("condition_effect", {**by, "level": f"{facet}: {name}"}, values, clusters)


def _components(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate the shares of components in the variance of the log odds of what is watched."""
    if len(known) < FEWEST or len({len(one.shares) for one in known}) > 1:
        return
    values = np.array([one.log_odds for one in known])
    for name, value, stderr, low, high in told_shares(
        values, _places(known[0]), unit=QUESTION, whole="conditions"
    ):
        if stderr < ALIKE:
            # Where all questions are alike, no error is known.
            stderr = low = high = np.nan
        where, n = {**by, "component": name}, values.size
        yield Estimate("condition_share", where, value, stderr, low, high, LEVEL, n, len(values), METHOD)
