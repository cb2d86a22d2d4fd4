"""What a run varies: the facets of the prompt, their levels, and the variants in which each question is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.errors import InputError
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
    def levels(self) -> dict[str, NDArray[np.int64]]:
        """By facet, the place of each variant's level."""
        return {
            facet: np.array([names.index(variant.levels[facet]) for variant in self.by_name.values()])
            for facet, names in self.facets.items()
        }


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
        For a kind that is unknown, comes twice, or has a single level in the file; for too few variants; for a file
        that is none of ways to ask.
    """
    for kind in vary:
        if kind not in FACETS or list(vary).count(kind) > 1:
            raise InputError(
                f"to vary {', '.join(vary)}", expected=f"each of {', '.join(FACETS)} at most once"
            )
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
