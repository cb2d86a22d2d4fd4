"""What tokens cost: a table of the user's own, since prices change faster than programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from probsense.errors import InputError
from probsense.files import read_yaml

PER = 1_000_000
"""Tokens for which a price is given."""
EXPECTED = "a mapping of models to {input: PRICE, output: PRICE} for a million tokens each, in one currency"


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost that are read (``input``) and that are written (``output``)."""

    input: float
    output: float

    def cost(self, read: int, written: int) -> float:
        """What some tokens cost, in the currency of the prices."""
        return (read * self.input + written * self.output) / PER


def read_prices(path: Path) -> dict[str, Price]:
    """Read a table of prices: YAML or JSON, a name of a model (or a pattern such as ``gpt-4o*``) and its prices each.

    Raises
    ------
    InputError
        For a file that cannot be read or is no such table.
    """
    document = read_yaml(path)
    if not isinstance(document, dict) or not document:
        raise InputError(f"{type(document).__name__} found", path=path, expected=EXPECTED)
    return {_name(path, name): _price(path, name, entry) for name, entry in document.items()}


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model: under its own name, or else under the longest pattern that fits it."""
    if model in prices:
        return prices[model]
    fits = [pattern for pattern in prices if fnmatchcase(model, pattern)]
    return prices[max(fits, key=len)] if fits else None


def _name(path: Path, name: Any) -> str:
    if not isinstance(name, str):
        raise InputError(f"{name!r} for the name of a model", path=path, expected=EXPECTED)
    return name


def _price(path: Path, name: str, entry: Any) -> Price:
    if not isinstance(entry, dict) or set(entry) != {"input", "output"}:
        raise InputError(f"{ascii(entry)[:60]} for {name}", path=path, expected=EXPECTED)
    for value in entry.values():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value < 0:
            raise InputError(f"the price {value!r} of {name}", path=path, expected="a number from 0")
    return Price(float(entry["input"]), float(entry["output"]))
