"""The prices of tokens: a table of the user's own, since prices change faster than programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from probsense.core.files import Place, read_yaml

PER = 1_000_000
"""A price is given for this number of tokens."""
EXPECTED = "a mapping of models to {input: PRICE, output: PRICE} for a million tokens each, in one currency"


@dataclass(frozen=True, slots=True)
class Price:
    """The prices of a million tokens that a model reads (``input``) and writes (``output``)."""

    input: float
    output: float

    def cost(self, read: int, written: int) -> float:
        """Return the cost of some tokens, in the currency of the prices."""
        return (read * self.input + written * self.output) / PER


def read_prices(path: Path) -> dict[str, Price]:
    """Read a table of prices, YAML or JSON: names of models, or patterns such as ``gpt-4o*``, each with its prices.

    Raises
    ------
    InputError
        For a file that cannot be read or is no such table.
    """
    place = Place(path)
    document = place.mapping(read_yaml(path), expected=EXPECTED)
    if not document:
        raise place.fault("no model has a price", EXPECTED)
    return {name: _price(place.inside(name), entry) for name, entry in document.items()}


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model: under its own name, or else under the longest pattern that fits it."""
    if model in prices:
        return prices[model]
    fits = [pattern for pattern in prices if fnmatchcase(model, pattern)]
    return prices[max(fits, key=len)] if fits else None


def _price(place: Place, entry: Any) -> Price:
    found = place.record(entry, needed=("input", "output"), expected=EXPECTED)
    return Price(
        **{name: place.number(value, name, 0, expected="a number from 0") for name, value in found.items()}
    )
