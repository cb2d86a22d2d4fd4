"""Samples of answers of known quality: their intended distributions, and the way they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pools import Pool
from probsense.analysis.open_answers.questions import Floats

Strategy: TypeAlias = Callable[[np.random.RandomState, Floats, Floats], Floats]
"""Maps a random state, people's distribution P_G and the pool's P_H to a distribution, all of shape (K + 1,)."""


def published_centred(state: np.random.RandomState, people: Floats, pooled: Floats) -> Floats:
    """Draw around the pool: z P_H + (1 − z)(w₁ P_G + w₂ U)/(w₁ + w₂), with z from U(½, 1) and w from U(0, 1)."""
    z = state.uniform(0.5, 1)
    first, second = state.uniform(0, 1), state.uniform(0, 1)
    uniform = 1 / len(people)
    return z * pooled + (1 - z) * (first * people + second * uniform) / (first + second)


def published_diverse(state: np.random.RandomState, people: Floats, pooled: Floats) -> Floats:
    """Draw between people and uniform: w P_G + (1 − w) U, with w from U(0, 1)."""
    w = state.uniform(0, 1)
    return w * people + (1 - w) / len(people)


def published_missing_answers(state: np.random.RandomState, people: Floats, pooled: Floats) -> Floats:
    """Drop some of people's categories: 1 to K − 1 of all K + 1, chosen with equal chances.

    Quirks: the paper takes categories from a model's answers; here, as in the next two, people's distribution changes
    and the model gives only the strings. One random number is drawn and not used. "Wrong" may be among the categories
    that go. (A question with a single cluster loses one of its two categories.)
    """
    state.uniform(0, 1)
    number = state.randint(1, max(len(people) - 1, 2))
    altered = people.copy()
    altered[state.choice(len(people), number, replace=False)] = 0
    # Added up one by one, as published: the last digit may decide which counts round up.
    return np.asarray(altered / sum(altered.tolist()))


def published_wrong_ranking(state: np.random.RandomState, people: Floats, pooled: Floats) -> Floats:
    """Shuffle people's probabilities among the categories until they differ.

    Quirks: see :func:`published_missing_answers`. Probabilities that are all equal cannot differ, and stay.
    """
    state.uniform(0, 1)
    altered = people.copy()
    while np.ptp(people) > 0 and np.array_equal(altered, people):
        state.shuffle(altered)
    return altered


def published_wrong_score(state: np.random.RandomState, people: Floats, pooled: Floats) -> Floats:
    """Move people's probabilities without changing their order, each by less than half the gap to the next.

    In falling order, U(−r, r) is added to each, where r is half the smaller of the gaps to its neighbours, kept within
    0 and 1.

    Quirks: see :func:`published_missing_answers`.
    """
    state.uniform(0, 1)
    order = np.argsort(-people, kind="stable")
    falling = people[order]
    gaps = np.concatenate([[np.inf], falling[:-1] - falling[1:], [np.inf]])
    radius = np.minimum(gaps[:-1], gaps[1:]) / 2
    moved = [
        p + state.uniform(max(-r, -p), min(r, 1 - p))
        for p, r in zip(falling.tolist(), radius.tolist(), strict=True)
    ]
    altered = np.empty_like(people)
    altered[order] = moved
    return np.asarray(altered / sum(moved))


STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "centred": published_centred,
        "diverse": published_diverse,
        "missing answers": published_missing_answers,
        "wrong ranking": published_wrong_ranking,
        "wrong score": published_wrong_score,
    }
)
"""The published sampling strategies."""

ORDERED = frozenset(("wrong ranking", "wrong score"))
"""Strategies whose samples should have their categories in the right order."""


def published_draw(
    pool: Pool, target: Floats, generator: np.random.Generator, ordered: bool = False
) -> NDArray[np.int64]:
    """Draw one sample without replacement, as large as the pool allows.

    Each category k counts one answer more than it has, pool_k, T in all. With ratio = min(1, min_k pool_k/(T p_k)),
    n_k = round(ratio T p_k) of them are drawn, and the one that is not there is dropped.

    Quirks: the number of answers depends on the target, and betrays much of its quality. With ``ordered``, 1 is added
    to all n_k if one is 0, and the ratio grows by 0.1, up to 1, until they are in the order of the target; in almost
    every question this asks for more answers than exist. The released code stops there with an error; here all
    existing answers are drawn. Its generator has no seed.

    Parameters
    ----------
    pool : Pool
    target : ndarray, shape (K + 1,)
    generator : Generator
    ordered : bool
        As for ``ORDERED``.

    Returns
    -------
    ndarray of int, shape (U,)
        How often each answer of the pool is drawn.
    """
    thought = pool.sizes + 1
    wanted = thought.sum() * target
    with np.errstate(divide="ignore"):
        ratio = min(1.0, float((thought / wanted).min()))
    numbers = _numbers(ratio * wanted, ordered)
    while ordered and ratio + 0.1 <= 1 and not np.array_equal(_ranking(numbers), _ranking(target)):
        ratio += 0.1
        numbers = _numbers(ratio * wanted, ordered)
    drawn = np.zeros(len(pool.strings), dtype=np.int64)
    for k, number in enumerate(np.minimum(numbers, thought).tolist()):
        members = np.flatnonzero(pool.labels == k)
        instances = np.repeat(members, pool.counts[members])
        chosen = generator.choice(int(thought[k]), number, replace=False)
        np.add.at(drawn, instances[chosen[chosen < len(instances)]], 1)
    return drawn


def draw(
    pool: Pool, target: Floats, answers: int, generator: np.random.Generator, samples: int = 1
) -> NDArray[np.int64]:
    """Draw samples of a fixed number of answers, with replacement.

    Within a category an answer is as likely as it is frequent in the pool. The target's share for a category without
    answers goes to the others in proportion.

    Parameters
    ----------
    pool : Pool
    target : ndarray, shape (K + 1,)
    answers : int
        Number of answers in each sample.
    generator : Generator
    samples : int

    Returns
    -------
    ndarray of int, shape (samples, U)
        How often each answer of the pool is drawn.
    """
    shares = target[pool.labels] * pool.counts / pool.sizes[pool.labels]
    return generator.multinomial(answers, shares / shares.sum(), size=samples)


def _numbers(wanted: Floats, ordered: bool) -> NDArray[np.int64]:
    numbers = np.rint(wanted).astype(np.int64)
    return numbers + 1 if ordered and not numbers.all() else numbers


def _ranking(values: Floats | NDArray[np.int64]) -> NDArray[np.int64]:
    return np.argsort(-values, kind="stable")
