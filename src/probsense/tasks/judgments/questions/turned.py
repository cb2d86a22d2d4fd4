"""Questions that name yes and no in several orders: their wordings, and what the answers come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.mixture import chance_of_chains
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import Json, Response
from probsense.tasks.judgments.questions.answers import Row, read_mass
from probsense.tasks.judgments.questions.wordings import Wording
from probsense.tasks.shared.order_effects import InOrders, order_estimates
from probsense.tasks.shared.orders import PLACES, Order, composed, listed_order, orders_of, turned


class Turned(NamedTuple):
    """Hold a wording, and whether its questions name yes (0) or no (1) in each place."""

    wording: Wording
    order: Order


def in_orders(wording: Wording, orders: int) -> tuple[Turned, ...]:
    """Name yes and no in several orders, the first as the wording does.

    Raises
    ------
    InputError
        If a question does not name both side by side, or in another order than the first question.
    """
    answers = wording.yes, wording.no
    known = {name: listed_order(text, answers) for name, text in wording.questions.items()}
    first, *_ = known.values()
    for name, order in known.items():
        if order is None or order != first:
            what = "no order" if order is None else "another order"
            raise InputError(
                f"the wording of {name} names {what} of {wording.yes[0]} and {wording.no[0]}",
                expected=f"“{wording.yes[0]} or {wording.no[0]}” in all questions, or orders 1",
            )
    assert first is not None
    return tuple(
        Turned(
            replace(
                wording,
                questions={name: turned(text, answers, turn) for name, text in wording.questions.items()},
            ),
            composed(first, turn),
        )
        for turn in orders_of(len(answers), orders)
    )


def read_masses(responses: Sequence[Response]) -> Row:
    """Average the masses of yes, no and everything else over orders; a single response is read as it is."""
    rows = [read_mass(response) for response in responses]
    if len(rows) == 1:
        return rows[0]
    yes, no, other = np.mean([row[:3] for row in rows], axis=0).tolist()
    ends = [(row[4], row[5]) for row in rows if row[4] is not None and row[5] is not None]
    low, high = np.mean(ends, axis=0).tolist() if len(ends) == len(rows) else (None, None)
    return yes, no, other, None, low, high, *rows[0][6:]


def _shares(responses: Sequence[Response]) -> NDArray[np.float64]:
    """Return the shares of yes and no of the two together, shape (orders, 2); no rows if some order has neither."""
    mass = np.array([read_mass(response)[:2] for response in responses])
    total = mass.sum(axis=1, keepdims=True)
    return np.asarray(mass / total) if (total > 0).all() else mass[:0]


def estimates_of_orders(
    responses: Sequence[Sequence[Response]],
    statements: Sequence[str],
    wordings: Sequence[Turned],
    by: Mapping[str, Json],
) -> list[Estimate]:
    """Estimate how much it matters whether yes or no is named first.

    Parameters
    ----------
    responses : sequence of sequence of Response
        The answers to one question about each statement, in each order.
    statements : sequence of str
    wordings : sequence of Turned
    by : Mapping
    """
    orders = [one.order for one in wordings]
    chance = [chance_of_chains(own, _shares) for own in responses]
    asked = InOrders([_shares(own) for own in responses], [orders] * len(responses), chance=chance)
    return order_estimates(asked, statements, by, PLACES)
