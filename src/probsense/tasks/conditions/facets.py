"""Facets of conditions: what they may be, the levels of each, and how they are crossed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
from msgspec import ValidationError, convert
from numpy.typing import NDArray

from probsense.core.errors import InputError, check_name
from probsense.core.files import Place, read_yaml
from probsense.core.files.tables import read_table
from probsense.core.records import Json
from probsense.tasks.shared.orders import orders_of

ORDER: Final = "order"
SYSTEM: Final = "system"
PERSONA: Final = "persona"
MOST: Final = "most"
NONE: Final = "none"
"""The conditions of a question that is asked once, where its task usually has some."""
_NEED: Final = {SYSTEM: "FILE.yaml", PERSONA: "FILE.csv", MOST: "N"}
"""The facets that take a value, and the most conditions."""
_EXPECTED: Final = (
    "the columns persona (a name) and description (a text); weight or n, and groups, are optional"
)
_WEIGHTS: Final = ("weight", "n")
_RESERVED: Final = ("persona", "description", *_WEIGHTS)

Row: TypeAlias = tuple[int, ...]
"""The place of the level of each facet."""


class Level(NamedTuple):
    """Hold a level of a facet.

    Attributes
    ----------
    name : str
    text : str
        What stands before each question as a system prompt; "" for nothing.
    weight : float
        How many people a persona stands for, in any unit.
    groups : Mapping of str to str
        The groups to which a persona belongs, by column; a column without a value is left out.
    """

    name: str
    text: str = ""
    weight: float = 1.0
    groups: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Hold the facets of the conditions, and their levels.

    Attributes
    ----------
    given : str
        As the user wrote them.
    order : bool
        Whether the answers are listed in several orders.
    facets : Mapping of str to sequence of Level
        All other facets.
    files : Mapping of str to str
        The files that hold levels, by facet.
    most : int or None
        The most conditions of a question; None for all.
    """

    given: str
    order: bool
    facets: Mapping[str, Sequence[Level]]
    files: Mapping[str, str]
    most: int | None

    @classmethod
    def parse(
        cls,
        given: str,
        facets_of_task: Callable[[], Mapping[str, Sequence[str]]],
        kept: Mapping[str, Any] | None = None,
    ) -> Self:
        """Read "none", or facets with commas between them, such as ``order,wording,system=FILE,persona=FILE,most=40``.

        Parameters
        ----------
        given : str
        facets_of_task : callable
            Returns the facets of the task, and the names of their levels; called only where one may be meant, as it may
            read the questions.
        kept : Mapping, optional
            What :attr:`kept` was, in place of what the files hold.

        Raises
        ------
        InputError
            For an unknown or repeated facet, one without its file, one that has a single level, and a file that holds
            no levels.
        """
        words = given.split(",") if given != NONE else []
        parts = [[part.strip() for part in word.partition("=")] for word in words]
        own = facets_of_task() if any(name not in (ORDER, *_NEED) for name, _, _ in parts) else {}
        found: dict[str, str] = {}
        for name, _, value in parts:
            check_name("facet", name, (ORDER, *own, *_NEED))
            if name in found:
                raise InputError(f"the facet {name} twice", expected="each once")
            need = _NEED.get(name, "")
            if bool(value) is not bool(need):
                facet = "=".join(filter(None, (name, value)))
                raise InputError(f"the facet {facet!r}", expected=f"{name}={need}".rstrip("="))
            found[name] = value
        most = found.pop(MOST, None)
        if most is not None and not most.isdecimal():
            raise InputError(f"{MOST}={most}", expected="a number of conditions")
        facets: dict[str, Sequence[Level]] = {name: [*map(Level, own[name])] for name in found if name in own}
        for name, read in ((SYSTEM, read_systems), (PERSONA, read_personas)):
            if name in found:
                facets[name] = _kept(name, kept) if kept else read(Path(found[name]))
        for name, levels in facets.items():
            if len(levels) < 2:
                single = f"a single {name}, which cannot be varied"
                raise InputError(single, path=found[name] or None, expected="two or more")
        files = {name: value for name, value in found.items() if value}
        return cls(given, ORDER in found, facets, files, None if most is None else int(most))

    @property
    def kept(self) -> dict[str, Json]:
        """What a run records of the files, so that it can be measured without them."""
        return {name: [[*level] for level in self.facets[name]] for name in self.files}


def _kept(name: str, kept: Mapping[str, Any]) -> list[Level]:
    try:
        return convert(kept[name], list[Level])
    except (TypeError, KeyError, ValidationError) as error:
        raise InputError(f"what the run keeps of {name}: {error}", expected="levels as it wrote") from None


def read_systems(path: Path) -> list[Level]:
    """Read system prompts by name; an empty text stands for none."""
    place = Place(path)
    found = place.mapping(read_yaml(path))
    return [Level(name, text if text == "" else place.word(text, name)) for name, text in found.items()]


def read_personas(path: Path) -> list[Level]:
    """Read personas: a table with the columns ``persona`` and ``description``.

    A column ``weight`` or ``n`` tells how many people each persona stands for (without it, all count the same). All
    other columns are groups.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing column, an empty name or description (or NA, as R writes it), a name
        that stands twice, both columns of weights, a weight that is not above 0, a name of a column such as ``Weight``.
    """
    table = read_table(path)
    table.refuse_other_case(*_RESERVED, expected=_EXPECTED)
    table.columns("persona", "description", expected=_EXPECTED)
    names, descriptions = table.texts("persona", "a name"), table.texts("description")
    table.refuse_repeated(names.alias("persona").to_frame())
    given = [name for name in _WEIGHTS if name in table.frame.columns]
    if len(given) > 1:
        raise InputError("has the columns weight and n", path=path, expected="one of them")
    weights = [1.0] * len(names)
    if given:
        numbers = table.numbers(given[0])
        table.refuse(~((numbers > 0) & numbers.is_finite()).fill_null(False), given[0], "a number above 0")
        weights = numbers.to_list()
    columns = [name for name in table.frame.columns if name not in _RESERVED]
    if "" in columns:
        raise InputError("a column without a name", path=path, expected=_EXPECTED)
    cells = {column: table.values(column).to_list() for column in columns}
    groups = (
        {column: own[row] for column, own in cells.items() if own[row] is not None}
        for row in range(len(names))
    )
    return [*map(Level, names, descriptions, weights, groups)]


def crossed_orders(
    sizes: Row, options: int, most: int | None, wanted: int | None = None
) -> list[tuple[Any, ...]]:
    """Return the places of levels of facets, and an order of the options; of fewer orders where all are too many.

    Raises
    ------
    InputError
        If even two orders are too many.
    """
    turns = orders_of(options, wanted)
    try:
        return [(*places, turns[turn]) for *places, turn in crossed((*sizes, len(turns)), most)]
    except InputError:
        if len(turns) < 3:
            raise
        return crossed_orders(sizes, options, most, len(turns) - 1)


@cache
def crossed(sizes: Row, most: int | None) -> tuple[Row, ...]:
    """Cross facets in full or, where that is too much, in the largest balanced fraction.

    In a fraction, some facets are crossed in full, and the level of each other one is a sum of theirs, modulo its
    number of levels, so that any two facets are still balanced: an orthogonal array of strength 2 (Hedayat, Sloane &
    Stufken 1999, Orthogonal Arrays). So effects of single facets are told apart; what several do together is not.

    Parameters
    ----------
    sizes : tuple of int
        Levels of each facet.
    most : int or None
        The most combinations; None for all.

    Returns
    -------
    tuple of tuple of int
        Combinations in rising order; the first is 0 throughout.

    Raises
    ------
    InputError
        If not even a fraction has so few combinations.
    """
    if most is None or prod(sizes) <= most:
        return (*product(*map(range, sizes)),)
    # The first facets are crossed in full before others.
    facets = range(len(sizes))
    subsets = (free for size in range(len(sizes), 0, -1) for free in combinations(facets, size))
    found = [one for free in subsets if (one := _fraction(sizes, free)) is not None]
    few = [one for one in found if len(one) <= most]
    if not few:
        least = f"at least {min(map(len, found))}, the smallest balanced fraction, or to vary less"
        raise InputError(f"at most {most} conditions, of {prod(sizes)}", expected=least)
    return (*map(tuple, max(few, key=len).tolist()),)


def _fraction(sizes: Row, free: Row) -> NDArray[np.int64] | None:
    """Cross some facets in full and give the others sums of theirs; None where that is never balanced."""
    cells = np.array([*product(*(range(sizes[i]) for i in free))], dtype=np.int64)
    found = np.zeros((len(cells), len(sizes)), dtype=np.int64)
    found[:, free] = cells
    for facet in [facet for facet in range(len(sizes)) if facet not in free]:
        done = {*free, *range(facet)}
        for factors in product(range(1, sizes[facet]), repeat=len(free)):
            found[:, facet] = cells @ np.array(factors) % sizes[facet]
            if all(_balanced(found[:, [other, facet]], sizes[other] * sizes[facet]) for other in done):
                break
        else:
            return None
    return found[np.lexsort(found.T[::-1])]


def _balanced(pairs: NDArray[np.int64], kinds: int) -> bool:
    _, counts = np.unique(pairs, axis=0, return_counts=True)
    return len(counts) == kinds and bool((counts == counts[0]).all())
