"""A set of digests that takes little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

FULL: Final = 0.6
"""Share of the places that may be taken."""


class Digests:
    """A set of whole numbers below 2⁶⁴ that look random, such as the first eight bytes of a hash.

    It takes 13 to 27 bytes for each, where a set of Python takes some hundred.

    Parameters
    ----------
    numbers : iterable of int
    """

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._places = array("Q", bytes(8 * 1024))  # 0 is a free place, so 0 is kept as 1
        self._number = 0
        for number in numbers:
            self.add(number)

    def __len__(self) -> int:
        return self._number

    def __contains__(self, number: int) -> bool:
        return self._places[self._place(number or 1)] != 0

    def add(self, number: int) -> bool:
        """Add a number, and tell whether it is new."""
        number = number or 1
        place = self._place(number)
        if self._places[place]:
            return False
        self._places[place] = number
        self._number += 1
        if self._number > FULL * len(self._places):
            self._grow()
        return True

    def _place(self, number: int) -> int:
        """Return where a number stands, or the free place where it would stand."""
        places, last = self._places, len(self._places) - 1
        place = number & last
        while places[place] and places[place] != number:
            place = (place + 1) & last
        return place

    def _grow(self) -> None:
        former = self._places
        self._places = array("Q", bytes(2 * former.itemsize * len(former)))
        for number in former:
            if number:
                self._places[self._place(number)] = number
