"""Measures how far a model's probabilities of yes lie from people's shares, beside what people's own halves would give.

Expectations over halves are exact sums; see :mod:`probsense.analysis.distributions.halves`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import ratio
from probsense.analysis.distributions import divergence
from probsense.analysis.distributions.halves import FEWEST_RATERS, Halves, halves

MANY = 50
"""With more people than this in a half, distances of unrelated halves are computed at shares in steps of a thousandth,
and for numbers of people with two digits: otherwise there are too many different ones."""
CELLS = 1 << 20
"""Number of distances that are in memory at the same time."""

Floats: TypeAlias = NDArray[np.float64]
Distance: TypeAlias = Callable[[Floats, Floats, Floats], Floats]
"""A function of people's shares of yes, the numbers of their raters, and other probabilities of yes."""


def squared(share: Floats, raters: Floats, other: Floats) -> Floats:
    """Compute (x − p)², by which the Brier score of p exceeds that of x (Brier 1950)."""
    return (share - other) ** 2


def total_variation(share: Floats, raters: Floats, other: Floats) -> Floats:
    """Compute the total variation distance, |x − p|."""
    return np.abs(share - other)


def js(share: Floats, raters: Floats, other: Floats) -> Floats:
    """Compute the Jensen–Shannon divergence of yes and no, in nats."""
    return divergence.js(_yes_no(share), _yes_no(other))


def kl(share: Floats, raters: Floats, other: Floats) -> Floats:
    """Compute the divergence of the others from people's shares, KL(p ‖ x̃), in nats.

    People's shares are smoothed, x̃ = (n·x + ½)/(n + 1) (Krichevsky & Trofimov 1981), so that it is always finite.
    """
    return divergence.kl(_yes_no(other), _yes_no((share * raters + 0.5) / (raters + 1)))


DISTANCES: Mapping[str, Distance] = MappingProxyType(
    {"brier": squared, "js": js, "total_variation": total_variation, "kl": kl}
)
"""All distances by name."""


def from_half(distance: Distance, ways: Halves, p: Floats) -> Floats:
    """Compute the expected distance of a model's probabilities from a half of the people.

    Parameters
    ----------
    distance : Distance
    ways : Halves
    p : ndarray, shape (statements,)
        Probabilities of yes.

    Returns
    -------
    ndarray, shape (statements,)
        NaN where there are no halves, or no probability.
    """
    return ways.mean(distance(ways.first, ways.size, p[:, None]))


def between_halves(distance: Distance, ways: Halves) -> Floats:
    """Compute the expected distance of one half of the people from the other, shape (statements,)."""
    return ways.mean(distance(ways.first, ways.size, ways.second))


def corrected_squared(yes: Floats, asked: Floats, p: Floats) -> Floats:
    """Estimate the squared distance from the share of everybody, of whom only some were asked.

    From n raters the squared distance is larger by the variance of their share, whose unbiased estimate is
    x(1 − x)/(n − 1). So (x − p)² − x(1 − x)/(n − 1) is unbiased, too.

    Parameters
    ----------
    yes, asked : ndarray, shape (statements,)
        Numbers of people who say yes, and of people who answer.
    p : ndarray, shape (statements,)
        Probabilities of yes.

    Returns
    -------
    ndarray, shape (statements,)
        NaN where fewer than two people were asked. Values of single statements may be negative.
    """
    share = ratio(yes, asked)
    return (share - p) ** 2 - ratio(share * (1 - share), asked - 1)


class Unrelated(NamedTuple):
    """Hold mean distances of people's halves about different statements, both of shape (statements,).

    Attributes
    ----------
    from_own : ndarray
        From a half of the raters of the statement, to halves of those of all other statements.
    to_own : ndarray
        The other way round.
    """

    from_own: Floats
    to_own: Floats


def unrelated(distance: Distance, yes: Floats, asked: Floats) -> Unrelated:
    """Compute the expected distance of a half of the people from a half of those who judged another statement.

    Parameters
    ----------
    distance : Distance
    yes, asked : ndarray, shape (statements,)

    Returns
    -------
    Unrelated
        NaN where there are no halves, and without another statement.
    """
    from scipy.sparse import csr_array

    found = np.full((2, len(asked)), np.nan)
    known = asked >= FEWEST_RATERS
    others = int(known.sum()) - 1
    if others < 1:
        return Unrelated(*found)
    pairs, place, times = np.unique(
        np.stack([yes[known], asked[known]], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    ways = halves(pairs[:, 0], pairs[:, 1])
    many = ways.size > MANY
    steps = 10 ** np.floor(np.log10(ways.size) - 1)
    sizes = np.broadcast_to(np.where(many, np.round(ways.size / steps) * steps, ways.size), ways.first.shape)
    shares, others_shares = (np.where(many, np.round(x, 3), x) for x in (ways.first, ways.second))
    first, at_first = np.unique(
        np.stack([shares.ravel(), sizes.ravel()], axis=1), axis=0, return_inverse=True
    )
    second, at_second = np.unique(others_shares.ravel(), return_inverse=True)
    row = np.repeat(np.arange(len(pairs)), ways.weight.shape[1])
    of_first, of_second = (
        csr_array((ways.weight.ravel(), (row, at.ravel())), shape=(len(pairs), count))
        for at, count in ((at_first, len(first)), (at_second, len(second)))
    )
    all_first, all_second = times @ of_first, times @ of_second
    from_first, to_second = np.empty(len(first)), np.zeros(len(second))
    step = max(CELLS // len(second), 1)
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        apart = distance(first[part, :1], first[part, 1:], second)
        from_first[part] = apart @ all_second
        to_second += all_first[part] @ apart
    own = np.array(
        [
            one @ distance(x[:, None], size[:, None], y) @ one
            for one, x, y, size in zip(ways.weight, ways.first, ways.second, ways.size, strict=True)
        ]
    )
    for side, sums in enumerate((of_first @ from_first, of_second @ to_second)):
        found[side, known] = ((sums - own) / others)[place.ravel()]
    return Unrelated(*found)


class Normalised(NamedTuple):
    """Hold a normalised distance with its standard error, and the number of statements."""

    value: float
    stderr: float
    n: int


def normalised(model: Floats, between: Floats, others: Unrelated) -> Normalised:
    """Put a model's distance on the scale from people's other half, 0, to people about another statement, 1.

    The score is (a − h)/(b − h) of the means of three distances from a half of the people: of the model (a), of the
    other half (h), and of a half of those who judged another statement (b). The standard error linearises it: b is a
    mean over pairs of statements, so a statement counts in it as one that is left and as one that is reached
    (Hoeffding 1948).

    Parameters
    ----------
    model : ndarray, shape (statements,)
        From :func:`from_half`; NaN where it is unknown.
    between : ndarray, shape (statements,)
        From :func:`between_halves`.
    others : Unrelated

    Returns
    -------
    Normalised
        NaN where people about another statement are no farther than the other half; no error for a single statement.
    """
    known = ~np.isnan(model + between + others.from_own)
    n = int(known.sum())
    if not n:
        return Normalised(np.nan, np.nan, 0)
    a, h, b, reached = (values[known] for values in (model, between, *others))
    room = float(b.mean() - h.mean())
    if room <= 0:
        return Normalised(np.nan, np.nan, n)
    value = float(a.mean() - h.mean()) / room
    moved = (b - b.mean()) + (reached - reached.mean())
    influence = ((a - a.mean()) - (1 - value) * (h - h.mean()) - value * moved) / room
    stderr = float(np.sqrt(influence @ influence / (n - 1) / n)) if n > 1 else np.nan
    return Normalised(value, stderr, n)


def _yes_no(yes: Floats) -> Floats:
    return np.stack([yes, 1 - yes], axis=-1)
