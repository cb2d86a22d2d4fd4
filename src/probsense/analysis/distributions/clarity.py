"""How far answers are labels, and from where on results would rest on labels that are not there."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.label_mass import refused

MOST: Final = 0.9
"""The largest share of statements on which other first words may be more probable than yes and than no, if results are
to rest on the answers."""
LEAST: Final = 0.1
"""The smallest mean probability of yes and no together with which results rest on answers."""


class Clarity(NamedTuple):
    """How far the answers of a model to one question are yes or no.

    Attributes
    ----------
    known : int
        Statements with an answer.
    other_first : int
        Those on which other first words together are more probable than yes and than no.
    mass : float
        Mean probability of yes and no together; NaN without an answer.
    """

    known: int
    other_first: int
    mass: float

    def too_little(self, policy: str) -> bool:
        """Whether results would rest on answers that are not there, if this becomes of other answers.

        Halves of other answers are no answers, and neither are shares of next to nothing. Where other answers count as
        wrong or for themselves, nothing rests on what is not there.
        """
        if not self.known:
            return False
        return (policy in ("split", "drop") and self.mass < LEAST) or (
            policy == "split" and self.other_first > MOST * self.known
        )


def clarity(mass: NDArray[np.float64]) -> Clarity:
    """Sum up the answers to one question.

    Parameters
    ----------
    mass : ndarray, shape (statements, 3)
        Mass of yes, no and other; NaN without data.
    """
    known = mass[~np.isnan(mass[:, 0])]
    on_labels = float(known[:, :2].sum(axis=1).mean()) if len(known) else float("nan")
    return Clarity(len(known), int(refused(known).sum()), on_labels)
