"""Lets results show themselves in a notebook and at a prompt, though they do not know how pages are made.

What a result looks like is for the layer of pages to say, which lies above all results. :mod:`probsense` itself, above
all layers, names the function that says it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Look(Protocol):
    """What a result looks like."""

    def html(self) -> str:
        """Write it for a cell of a notebook."""

    def text(self) -> str:
        """Write it in a few lines for a prompt."""


class Shown:
    """A result that a notebook shows as a small table, and a prompt as a few lines."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _looks[-1](self).html()

    def __repr__(self) -> str:
        return _looks[-1](self).text()


def shown_by(look: Callable[[object], Look]) -> None:
    """Name the function that says what a result looks like.

    Parameters
    ----------
    look : callable
        Takes any :class:`Shown`.
    """
    _looks[:] = [look]


_looks: list[Callable[[object], Look]] = []
