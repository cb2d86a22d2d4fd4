"""Variants in which a run asks each question: facets of the prompt, their levels, and the items and rows of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.comparison.scores import ItemScores
from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.judgments.questions.wordings import Wording
from probsense.tasks.judgments.vary.ways import PACKAGED, read_ways

Kind: TypeAlias = Literal["wording", "order", "labels"]
"""What may be varied."""
FACETS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "wording": ("wording",),
    "order": ("position", "answers"),
    "labels": ("labels",),
}
"""The facets of each kind."""
VARIANT: Final = "variant"
"""The column, and the key of an item's data, that has the name of the variant."""
MOST: Final = 40
"""The most variants, unless the user says otherwise."""


def crossing(sizes: Sequence[int], most: int) -> NDArray[np.int64]:
    """Cross facets in full or, where that is too much, in the largest balanced fraction.

    In a fraction, some facets are crossed in full, and the level of each other one is a sum of theirs, modulo its
    number of levels, so that any two facets are still balanced: an orthogonal array of strength 2 (Hedayat, Sloane &
    Stufken 1999, Orthogonal Arrays). So effects of single facets are told apart; what several do together is not.

    Parameters
    ----------
    sizes : sequence of int
        Levels of each facet, at least two.
    most : int
        The most combinations.

    Returns
    -------
    ndarray of int, shape (combinations, facets)
        In rising order; the first is 0 throughout.

    Raises
    ------
    InputError
        If not even a fraction has so few combinations.
    """
    for size in sorted({prod(sizes[i] for i in free) for free in _subsets(len(sizes))}, reverse=True):
        if size <= most:
            for free in _subsets(len(sizes)):
                if prod(sizes[i] for i in free) == size and (found := _fraction(sizes, free)) is not None:
                    return found
    fewest = min(len(found) for free in _subsets(len(sizes)) if (found := _fraction(sizes, free)) is not None)
    raise InputError(
        f"at most {most} variants, of {prod(sizes)}",
        expected=f"at least {fewest}, the smallest balanced fraction, or to vary less",
    )


def _subsets(count: int) -> Iterator[tuple[int, ...]]:
    """Yield the facets that may be crossed in full: the first ones before others."""
    for size in range(count, 0, -1):
        yield from combinations(range(count), size)


def _fraction(sizes: Sequence[int], free: Sequence[int]) -> NDArray[np.int64] | None:
    """Cross some facets in full and give the others sums of theirs; None where that is never balanced."""
    cells = np.array([*product(*(range(sizes[i]) for i in free))], dtype=np.int64)
    found = np.zeros((len(cells), len(sizes)), dtype=np.int64)
    found[:, free] = cells
    done = list(free)
    for facet in range(len(sizes)):
        if facet in done:
            continue
        for factors in product(range(1, sizes[facet]), repeat=len(free)):
            found[:, facet] = cells @ np.array(factors) % sizes[facet]
            if all(_balanced(found[:, [other, facet]], sizes[other] * sizes[facet]) for other in done):
                break
        else:
            return None
        done.append(facet)
    return found[np.lexsort(found.T[::-1])]


def _balanced(pairs: NDArray[np.int64], kinds: int) -> bool:
    _, counts = np.unique(pairs, axis=0, return_counts=True)
    return len(counts) == kinds and bool((counts == counts[0]).all())


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


def first_items(items: Sequence[Item]) -> list[Item]:
    """Return the items in the first variant: all of them where nothing varies."""
    return [item for item in items if not item.data.get(VARIANT)]


def first_rows(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the first variant: all of them where nothing varies."""
    return table.filter(pl.col(VARIANT) == "") if VARIANT in table.columns else table


def by_variant(items: Sequence[Item], table: pl.DataFrame) -> Iterator[tuple[Sequence[Item], pl.DataFrame]]:
    """Yield items and their rows for each variant; all at once where nothing varies.

    Parameters
    ----------
    items : sequence of Item
    table : DataFrame
        One row for each item, in the same order.
    """
    if VARIANT not in table.columns:
        yield items, table
        return
    for name in table[VARIANT].unique(maintain_order=True):
        yield [item for item in items if item.data[VARIANT] == name], table.filter(pl.col(VARIANT) == name)


def joined_scores(parts: Iterable[ItemScores]) -> ItemScores:
    """Put the scores of variants together; what a variant lacks is null."""
    found = [*parts]
    people = [one.people for one in found if one.people is not None]
    return ItemScores(
        pl.concat([one.items for one in found]),
        pl.concat([one.scores for one in found], how="diagonal"),
        tuple(dict.fromkeys(note for one in found for note in one.notes)),
        people=pl.concat(people) if people else None,
    )
