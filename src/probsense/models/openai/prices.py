"""The prices of models behind servers, and what tokens cost."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from probsense.core.files import Place, read_yaml
from probsense.core.files.typed import Record, Word, read_as
from probsense.models.base import Usage

PER: Final = 1_000_000
"""A price is given for this number of tokens."""
_Amount: TypeAlias = Annotated[float, Meta(ge=0, le=1e300, description="a number from 0")]


class Price(Record, frozen=True):
    """The prices of a million tokens that a model reads (``input``) and writes (``output``)."""

    input: _Amount
    output: _Amount

    def cost(self, read: int, written: int) -> float:
        """Return the cost of some tokens, in the currency of the prices."""
        return (read * self.input + written * self.output) / PER


_Prices: TypeAlias = Annotated[
    dict[Word, Price],
    Meta(
        min_length=1, description="a mapping of models to {input: PRICE, output: PRICE} for a million tokens"
    ),
]


def tokens_usage(read: int, written: int, price: Price | None) -> Usage:
    """Return the usage of some tokens, with their cost where a price is known."""
    return Usage(tokens=read, written=written, cost=price.cost(read, written) if price else 0.0)


def read_prices(path: Path) -> dict[str, Price]:
    """Read a table of prices, YAML or JSON: names of models, or patterns such as ``gpt-4o*``, each with its prices.

    Raises
    ------
    InputError
        For a file that cannot be read or is no such table.
    """
    return read_as(_Prices, read_yaml(path), Place(path))


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model: under its own name, or else under the longest pattern that fits it."""
    if model in prices:
        return prices[model]
    fits = [pattern for pattern in prices if fnmatchcase(model, pattern)]
    return prices[max(fits, key=len)] if fits else None
