"""How much runs differ on one item: how far apart the distributions of their answers are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Shares:
    """A distribution over the answers to one item.

    Attributes
    ----------
    known : Mapping of str to float
        The probability of each answer that has a name.
    rest : float or None
        The probability of everything else. None where answers were only compared with one another, as scored options
        are: the distribution is then over these alone.
    """

    known: Mapping[str, float]
    rest: float | None = None


def total_variation(first: Shares, second: Shares) -> float:
    """Compute how much probability would have to move to turn one distribution into the other: Σ|p − q|/2.

    Everything that has no name counts as one answer. If one of the two knows nothing of it, both are compared on what
    they give to answers with a name.

    Parameters
    ----------
    first, second : Shares

    Returns
    -------
    float
        From 0, the same, to 1, nothing in common. 1 too where only one of them gives anything to answers with a name,
        and only these can be compared.
    """
    if first.rest is None or second.rest is None:
        p, q = _among_known(first), _among_known(second)
        rest = abs(sum(p.values()) - sum(q.values()))
    else:
        p, q, rest = first.known, second.known, abs(first.rest - second.rest)
    moved = sum(abs(p.get(name, 0.0) - q.get(name, 0.0)) for name in {**p, **q})
    return min(1.0, (moved + rest) / 2)


def difference(answers: Sequence[Shares | None]) -> float | None:
    """Compute the largest total variation between any two runs' distributions of the answers to an item.

    Parameters
    ----------
    answers : sequence of Shares or None, shape (runs,)
        None for a run that has no answer.

    Returns
    -------
    float or None
        From 0 to 1; None where fewer than two runs have an answer.
    """
    given = [own for own in answers if own is not None]
    return max((total_variation(*pair) for pair in combinations(given, 2)), default=None)


def _among_known(shares: Shares) -> Mapping[str, float]:
    total = sum(shares.known.values())
    return {name: share / total for name, share in shares.known.items()} if total else {}
