"""Reads the words of a task from the file beside it, ``words.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any, Final

from probsense.core.errors import InputError
from probsense.show.chart import ChartKind
from probsense.show.measure import NUMBER, PERCENT, POINTS, Group, Landmark, Measure, Shortcut, Unit
from probsense.show.words import ProfileRow, Words
from probsense.show.works import Work

UNITS: Final = {"number": NUMBER, "percent": PERCENT, "points": POINTS}
"""Units by name; any other is a table with the fields of :class:`~probsense.show.measure.Unit`."""


class WordsFile:
    """The words of a task, to which its code adds what draws its charts.

    Each key of the file is a field of :class:`~probsense.show.words.Words`; ``measures``, ``groups``, ``profile``,
    ``works``, ``shortcut`` and ``charts`` are tables with the fields of their classes. In all texts, ``{name}`` stands
    for a value that the code gives.

    Parameters
    ----------
    package : str
        The package with the file.
    name : str
        The file in it.
    **given : object
        Values for the texts, so that a number stands in one place.

    Raises
    ------
    InputError
        If the file is not TOML, or has an entry that is none of the words of a task.
    """

    def __init__(self, package: str, name: str = "words.toml", **given: object) -> None:
        file = files(package) / name
        self._path = str(file)
        try:
            content = tomllib.loads(file.read_text("utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise InputError(str(error), path=self._path, expected="TOML") from None
        found: dict[str, Any] = _filled(content, given) if given else content
        self._charts: Mapping[str, Mapping[str, str]] = found.pop("charts", {})
        self.measures: dict[str, Measure] = {
            key: self._made(key, _measure, entry) for key, entry in found.pop("measures", {}).items()
        }
        self._fields: dict[str, Any] = {"measures": self.measures}
        for key, value in found.items():
            self._fields[key] = self._made(key, _FIELDS.get(key, _unknown), value)

    def chart(self, name: str, draw: Callable[..., Any], *columns: Any, **further: Any) -> ChartKind:
        """Make a chart with its title and its meaning from the file, and the rest of :class:`ChartKind` as given."""
        words = self._made(f"charts.{name}", lambda charts: charts[name], self._charts)
        return ChartKind(words["title"], words["meaning"], draw, *columns, **further)

    def words(self, base: Words | None = None, **further: Any) -> Words:
        """Make the words of the task.

        Parameters
        ----------
        base : Words, optional
            Words that it has in common with other tasks; the file adds measures to them, and replaces the rest.
        **further
            The fields of :class:`~probsense.show.words.Words` that only code can give.

        Raises
        ------
        InputError
            If the file describes a chart that the code does not have.
        """
        fields = {**self._fields, **further}
        for name in self._charts:
            if name not in fields.get("charts", {}):
                raise InputError(f"words for a chart {name!r}, which there is not", path=self._path)
        if base is None:
            return Words(**fields)
        for name in ("measures", "methods", "values", "charts"):
            fields[name] = {**getattr(base, name), **fields.get(name, {})}
        return replace(base, **fields)

    def _made(self, key: str, make: Callable[[Any], Any], value: Any) -> Any:
        try:
            return make(value)
        except (TypeError, KeyError, ValueError) as error:
            raise InputError(f"{key}: {error}", path=self._path, expected="words of a task") from None


def _measure(entry: Mapping[str, Any]) -> Measure:
    made = dict(entry)
    if "unit" in made:
        made["unit"] = UNITS[made["unit"]] if isinstance(made["unit"], str) else Unit(**made["unit"])
    if "bounds" in made:
        low, high = made["bounds"]
        made["bounds"] = (low, high)
    if "landmark" in made:
        made["landmark"] = Landmark(**made["landmark"])
    return Measure(**made)


def _group(entry: Mapping[str, Any]) -> Group:
    return Group(**{**entry, "measures": tuple(entry["measures"])})


def _work(entry: Mapping[str, Any]) -> Work:
    return Work(**{**entry, "authors": tuple(entry["authors"])})


def _unknown(value: Any) -> Any:
    raise ValueError("no such field")


_FIELDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("title", "item_group", "baselines", "people"), str),
    **dict.fromkeys(("parts", "leading", "left_alone"), tuple),
    "page_only": frozenset,
    "methods": dict,
    "by_part": lambda found: {part: frozenset(measures) for part, measures in found.items()},
    "values": lambda found: {(part, key): said for part, ones in found.items() for key, said in ones.items()},
    "groups": lambda found: [_group(entry) for entry in found],
    "profile": lambda found: [ProfileRow(**entry) for entry in found],
    "works": lambda found: [_work(entry) for entry in found],
    "shortcut": lambda found: Shortcut(**found),
}


def _filled(value: Any, given: Mapping[str, object]) -> Any:
    """Put the given values into all texts, however deep they stand."""
    match value:
        case str():
            return value.format_map(given)
        case list():
            return [_filled(one, given) for one in value]
        case dict():
            return {key: _filled(one, given) for key, one in value.items()}
        case _:
            return value
