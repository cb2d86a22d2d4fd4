"""Measures what one person, or a model among people, changes about what a group has in common.

A larger group has less in common than a smaller one, whoever is added. Do not compare a curve with a model with the
curve without it; compare the model with each of the people. :func:`inside_areas` gives what groups share that include
each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.curve import Curve
from probsense.analysis.agreement.pq.definitions import Held
from probsense.analysis.agreement.pq.search import EFFORT
from probsense.analysis.agreement.pq.solve import solve


def inside(held: Held, person: int, rng: np.random.Generator, *, effort: float = EFFORT) -> Curve:
    """Compute the curve of groups that include one person.

    Its distance below the curve of all is what it costs a group to include that person. Its
    :meth:`~probsense.analysis.agreement.pq.curve.Curve.largest_p` is the largest share of people with whom the
    person has a share q of claims in common. At p = 1, where everybody is included, it meets the curve of all.

    Parameters
    ----------
    held, rng, effort
        As in :func:`~probsense.analysis.agreement.pq.curve.pq_curve`.
    person : int
        Index of the person.
    """
    _, people, claims = held.shape
    others = np.delete(np.arange(people), person)
    front, bound = solve(held[:, others] & held[:, [person]], rng, effort)
    alone = held[:, person].sum()
    group = np.insert(front.group, person, True, axis=1)
    return Curve(claims, np.append(alone, front.shared[1:]), np.append(alone, bound[1:]), group)


def inside_areas(held: Held, rng: np.random.Generator, *, effort: float = EFFORT) -> NDArray[np.float64]:
    """Compute, for each person, the area under the curve of groups with that person.

    Parameters
    ----------
    held, rng, effort
        As in :func:`~probsense.analysis.agreement.pq.curve.pq_curve`; the effort is spent for each person.

    Returns
    -------
    ndarray, shape (people,)
    """
    return np.array([inside(held, person, rng, effort=effort).area for person in range(held.shape[1])])
