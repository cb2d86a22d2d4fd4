"""The questions on which models differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

from probsense.results.items import ItemView, Reply
from probsense.results.site.reading import SiteRun

SHOWN: Final = 20
"""Questions that a page shows."""

ALIKE: Final = 1e-9
"""The spread up to which distributions are the same, but for rounding."""


@dataclass(frozen=True, eq=False)
class Differing:
    """A question with the replies of models.

    Attributes
    ----------
    item : ItemView
    spread : float
        See :func:`spread`.
    replies : Mapping of str to Reply
        By the id of the run, in the order of the runs.
    """

    item: ItemView
    spread: float
    replies: Mapping[str, Reply]


def most_differing(runs: Sequence[SiteRun], limit: int = SHOWN) -> list[Differing]:
    """Find the questions with the largest spread of probabilities, the largest first.

    Parameters
    ----------
    runs : sequence of SiteRun
        Those of one leaderboard. What has the same words in several runs is one question.
    limit : int
        The largest number of questions; those that all models answer alike do not count.
    """
    found: dict[ItemView, dict[str, Reply]] = {}
    for run in runs:
        for item, reply in run.contribution.replies.items() if run.contribution else ():
            found.setdefault(item, {})[run.record.id] = reply
    several = [
        Differing(item, spread([*map(distribution, replies.values())]), replies)
        for item, replies in found.items()
        if len(replies) > 1
    ]
    differing = sorted(
        (one for one in several if one.spread > ALIKE), key=lambda one: (-one.spread, one.item.id)
    )
    return differing[:limit]


def distribution(reply: Reply) -> dict[str, float]:
    """Return the probability of each answer, and of none of them as the answer "" if it is known."""
    return dict(reply.shares) | ({"": reply.rest} if reply.rest else {})


def spread(shares: Sequence[Mapping[str, float]]) -> float:
    """Measure how far distributions are apart: the mean total variation between each and the mean of all.

    Parameters
    ----------
    shares : sequence of mapping
        The probability of each answer, for each model; what a mapping lacks has the probability 0.

    Returns
    -------
    float
        From 0, where all are the same, to below 1.
    """
    answers = {answer for own in shares for answer in own}
    # An exact sum does not depend on the order of the answers, which is another one in every process.
    mean = {answer: fsum(own.get(answer, 0.0) for own in shares) / len(shares) for answer in answers}
    apart = fsum(abs(own.get(answer, 0.0) - mean[answer]) for own in shares for answer in answers)
    return apart / (2 * len(shares))
