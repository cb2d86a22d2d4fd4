"""What a run varies: the facets of the prompt, their levels, and the variants in which each question is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.judgments.questions import Wording
from probsense.tasks.judgments.vary_design import crossing
from probsense.tasks.judgments.vary_file import PACKAGED, read_ways

Kind: TypeAlias = Literal["wording", "order", "labels"]
"""What may be varied."""
FACETS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "wording": ("wording",),
    "order": ("position", "answers"),
    "labels": ("labels",),
}
"""The facets of each kind."""
RANDOM: Final = ("wording", "labels")
"""Facets with levels that are some of many that could be; of an order there is no third."""
VARIANT: Final = "variant"
"""The column, and the key of an item's data, that has the name of the variant."""
MOST: Final = 40
"""The most variants, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to ask.

    Attributes
    ----------
    name : str
        The levels in which it differs from the first variant; "" for that one.
    levels : Mapping of str to str
        The level of each facet that is varied.
    wording : Wording
    """

    name: str
    levels: Mapping[str, str]
    wording: Wording


@dataclass(frozen=True, slots=True)
class Variants:
    """All ways in which a run asks.

    Attributes
    ----------
    facets : Mapping of str to tuple of str
        The levels of each facet that is varied.
    by_name : Mapping of str to Variant
    possible : int
        How many combinations of the levels there are.
    """

    facets: Mapping[str, tuple[str, ...]]
    by_name: Mapping[str, Variant]
    possible: int

    @property
    def swapped(self) -> Iterator[tuple[int, int, str]]:
        """Pairs of levels of labels in which two words change places, and the word that is yes in the first."""
        words = [
            next(v.wording for v in self.by_name.values() if v.levels["labels"] == name)
            for name in self.facets["labels"]
        ]
        for (i, one), (k, other) in combinations(enumerate(words), 2):
            if (one.yes, one.no) == (other.no, other.yes):
                yield i, k, one.yes[0]

    @property
    def first(self) -> Wording:
        """The wording of the first variant."""
        return self.by_name[""].wording

    def of(self, item: Item) -> list[Item]:
        """Return an item for each variant of one that asks in the first."""
        return [
            replace(
                item,
                id=f"{item.id}.{name}" if name else item.id,
                data={**item.data, VARIANT: name, **variant.levels},
            )
            for name, variant in self.by_name.items()
        ]

    def beside(self, table: pl.DataFrame, items: Sequence[Item]) -> pl.DataFrame:
        """Add the variant of each item, and its levels, to a table with a row for each."""
        return table.with_columns(
            pl.Series(key, [item.data[key] for item in items], pl.String) for key in (VARIANT, *self.facets)
        )

    @property
    def levels(self) -> dict[str, NDArray[np.int64]]:
        """By facet, the place of each variant's level."""
        return {
            facet: np.array([names.index(variant.levels[facet]) for variant in self.by_name.values()])
            for facet, names in self.facets.items()
        }


def check_vary(vary: Sequence[Kind] | None, variants: int | None) -> None:
    """Refuse a number of variants where nothing is to vary, and kinds that are unknown or come twice.

    Raises
    ------
    InputError
    """
    if variants is not None and not vary:
        raise InputError(f"at most {variants} variants of nothing", expected="--vary with what may vary")
    if vary is not None and (not set(vary) <= {*FACETS} or len({*vary}) < len(vary) or not vary):
        raise InputError(
            f"to vary {', '.join(vary) or 'nothing'}", expected=f"some of {', '.join(FACETS)}, each once"
        )


def variants_of(vary: Sequence[Kind], path: Path | None, most: int | None) -> Variants:
    """Make the variants that a user asks for.

    Parameters
    ----------
    vary : sequence of Kind
    path : Path or None
        File of the ways to ask; None for those of the package.
    most : int or None
        The most variants; None for :data:`MOST`.

    Raises
    ------
    InputError
        For a kind that has a single level in the file; for too few variants; for a file that is none of ways to ask.
    """
    ways = read_ways(path or PACKAGED)
    levels = ways.levels
    for kind in vary:
        if all(len(levels[facet]) == 1 for facet in FACETS[kind]):
            raise InputError(
                f"only one {kind}, which cannot be varied", path=ways.path, expected="two or more"
            )
    facets = {
        facet: names
        for facet, names in levels.items()
        if len(names) > 1 and any(facet in FACETS[kind] for kind in vary)
    }
    first = {facet: names[0] for facet, names in levels.items()}
    sizes = [len(names) for names in facets.values()]
    found = {}
    for row in crossing(sizes, MOST if most is None else most).tolist():
        own = {facet: names[place] for (facet, names), place in zip(facets.items(), row, strict=True)}
        name = ".".join(level.replace(" ", "-") for facet, level in own.items() if level != first[facet])
        found[name] = Variant(name, own, ways.wording(first | own))
    return Variants(facets, found, int(np.prod(sizes)))
