"""Orders in which the options of a question are shown, so that every option stands in every place."""

from __future__ import annotations

from typing import Final, TypeAlias

from probsense.core.errors import InputError

Order: TypeAlias = tuple[int, ...]
"""The index of the option in each place."""

PLACES: Final = tuple(f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place, 'th') }" for place in range(1, 10))
"""What the places of a list without letters are called."""
USUAL: Final = 4
"""Orders of a question with as many options or more."""


def orders_of(options: int, wanted: int | None = None) -> tuple[Order, ...]:
    """Return the orders of a question's options, the first that of the file.

    They are rows of a Latin square: no option stands twice in the same place, and with as many orders as options every
    option stands once in every place. For an even number of options, every option then also follows every other one
    once (Williams 1949, Australian Journal of Scientific Research A 2, 149–168). Fewer orders are rows far from one
    another, so that the mean places of the options differ by one at most, and a pull that grows along the list cancels.

    Parameters
    ----------
    options : int
    wanted : int, optional
        How many orders; by default, as many as options, at most :data:`USUAL`. There are no more than options.

    Raises
    ------
    InputError
        For fewer than one.
    """
    if wanted is not None and wanted < 1:
        raise InputError(f"{wanted} orders", expected="at least 1")
    count = min(options, USUAL if wanted is None else wanted)
    zigzag = [(place + 1) // 2 if place % 2 else -place // 2 for place in range(options)]
    # Options are named by their place in the first row, so that it is the order of the file.
    named = {one % options: place for place, one in enumerate(zigzag)}
    shifts = [row * options // count for row in range(count)]
    return tuple(tuple(named[(one + shift) % options] for one in zigzag) for shift in shifts)
