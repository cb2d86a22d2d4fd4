"""Facets of conditions: what they may be, and the levels of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from probsense.core.errors import InputError, check_name
from probsense.core.files import Place, read_yaml
from probsense.core.files.tables import read_table
from probsense.core.records import Json
from probsense.tasks.shared.orders import USUAL

ORDER: Final = "order"
SYSTEM: Final = "system"
PERSONA: Final = "persona"
NONE: Final = "none"
"""The conditions of a question that is asked once, where its task usually has some."""
_FILES: Final = {SYSTEM: "FILE.yaml", PERSONA: "FILE.csv"}
"""The facets whose levels stand in a file."""
_EXPECTED: Final = "the columns persona (a name) and description (a text) and, if need be, weight or n"
_WEIGHTS: Final = ("weight", "n")


class Level(NamedTuple):
    """Hold a level of a facet.

    Attributes
    ----------
    name : str
    text : str
        What stands before each question as a system prompt; "" for nothing.
    weight : float
        How many people a persona stands for, in any unit.
    """

    name: str
    text: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Conditions:
    """Hold the facets of the conditions, and their levels.

    Attributes
    ----------
    given : str
        As the user wrote them.
    orders : int
        In how many orders the answers are listed at most; 0 where order is no facet.
    facets : Mapping of str to sequence of Level
        All other facets.
    files : Mapping of str to str
        The files that hold levels, by facet.
    """

    given: str
    orders: int
    facets: Mapping[str, Sequence[Level]]
    files: Mapping[str, str]

    @classmethod
    def parse(
        cls,
        given: str,
        facets_of_task: Callable[[], Mapping[str, Sequence[str]]],
        kept: Mapping[str, Any] | None = None,
    ) -> Self:
        """Read "none", or facets with commas between them, such as ``order=2,wording,system=FILE,persona=FILE``.

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
        own = facets_of_task() if any(name not in (ORDER, *_FILES) for name, _, _ in parts) else {}
        found: dict[str, str] = {}
        for name, _, value in parts:
            check_name("facet", name, (ORDER, *own, *_FILES))
            if name in found:
                raise InputError(f"the facet {name} twice", expected="each once")
            number = name == ORDER and value.isdecimal() and int(value) > 1
            if bool(value) is not (number or name in _FILES):
                called = "=".join(filter(None, (name, value)))
                need = _FILES.get(name, "N (2 or more), or order" if name == ORDER else "")
                raise InputError(f"the facet {called!r}", expected=f"{name}={need}".rstrip("="))
            found[name] = value
        facets: dict[str, Sequence[Level]] = {name: [*map(Level, own[name])] for name in found if name in own}
        for name, read in ((SYSTEM, read_systems), (PERSONA, read_personas)):
            if name in found:
                facets[name] = _kept(name, kept) if kept else read(Path(found[name]))
        for name, levels in facets.items():
            if len(levels) < 2:
                raise InputError(
                    f"a single {name}, which cannot be varied",
                    path=found[name] or None,
                    expected="two or more",
                )
        orders = int(found[ORDER] or USUAL) if ORDER in found else 0
        return cls(given, orders, facets, {name: found[name] for name in _FILES if name in found})

    @property
    def kept(self) -> dict[str, Json]:
        """What a run records of the files, so that it can be measured without them."""
        return {name: [[*level] for level in self.facets[name]] for name in self.files}


def _kept(name: str, kept: Mapping[str, Any]) -> list[Level]:
    try:
        return [Level(str(one), str(text), float(n)) for one, text, n in kept[name]]
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(f"what the run keeps of {name}: {error}", expected="levels as it wrote") from None


def read_systems(path: Path) -> list[Level]:
    """Read system prompts by name; an empty text stands for none."""
    place = Place(path)
    found = place.mapping(read_yaml(path))
    return [Level(name, text if text == "" else place.word(text, name)) for name, text in found.items()]


def read_personas(path: Path) -> list[Level]:
    """Read personas: a table with the columns ``persona`` and ``description``.

    A column ``weight`` or ``n`` tells how many people each persona stands for; without it, all count the same. Further
    columns count for nothing.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing column, an empty name or description (or NA, as R writes it), a name
        that stands twice, both columns of weights, a weight that is not above 0, a name of a column such as ``Weight``.
    """
    table = read_table(path)
    table.refuse_other_case("persona", "description", *_WEIGHTS, expected=_EXPECTED)
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
    return [*map(Level, names, descriptions, weights)]
