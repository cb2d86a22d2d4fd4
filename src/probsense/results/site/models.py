"""The models of a site, with their families and sizes: from what runs recorded, and from a file of the user."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from probsense.core.errors import InputError, did_you_mean
from probsense.core.files import Place, read_yaml
from probsense.core.records import Json
from probsense.results.site.boards import Row
from probsense.results.site.reading import SiteRun
from probsense.show.text import plain

UNKNOWN: Final = "unknown"
FACTORS: Final = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
CLASSES: Final = (
    (1e9, "under 1 B"),
    (3e9, "1 to 3 B"),
    (10e9, "3 to 10 B"),
    (30e9, "10 to 30 B"),
    (100e9, "30 to 100 B"),
    (float("inf"), "100 B and more"),
)
"""Classes of sizes by their upper ends, which they do not include."""


@dataclass(frozen=True, slots=True)
class Description:
    """What is known of a model beside its results.

    Attributes
    ----------
    family : str
        "" where it is unknown.
    parameters : int or None
    label : str
        What pages call the model; "" for its name.
    link : str
        An address with more about it; "" for none.
    """

    family: str = ""
    parameters: int | None = None
    label: str = ""
    link: str = ""

    @property
    def size(self) -> str:
        """Print the number of parameters with three digits: "135 M"; "unknown" if it is not known."""
        if self.parameters is None:
            return UNKNOWN
        unit = max((u for u in FACTORS if self.parameters >= FACTORS[u]), key=FACTORS.__getitem__, default="")
        return f"{self.parameters / FACTORS[unit]:.3g} {unit}".strip()

    @property
    def size_class(self) -> str:
        """Return the class of sizes to which the model belongs."""
        if self.parameters is None:
            return UNKNOWN
        return next(name for end, name in CLASSES if self.parameters < end)


@dataclass(frozen=True, eq=False)
class SiteModel:
    """A model of a site.

    Attributes
    ----------
    slug, name : str
    shown : str
        What pages call it: the label that the user gave, or the name.
    description : Description
    runs : sequence of SiteRun
    """

    slug: str
    name: str
    shown: str
    description: Description
    runs: Sequence[SiteRun]

    @property
    def title(self) -> str:
        """Return what pages call the model, in characters that print."""
        return plain(self.shown) or "without a name"

    @property
    def described(self) -> dict[str, Any]:
        """Return what all pages say of the model."""
        known = self.description
        return {
            "slug": self.slug,
            "shown": self.title,
            "raw": plain(self.name) if self.shown != self.name else "",
            "family": plain(known.family) or UNKNOWN,
            "size": known.size,
            "parameters": known.parameters or "",
            "size_class": known.size_class,
        }

    def row_title(self, row: Row) -> str:
        """Name a run of the model in a leaderboard."""
        return self.title + plain(row.name.removeprefix(self.name))


def recorded(said: Iterable[Mapping[str, Json]]) -> Description:
    """Describe a model by what its runs recorded: "family" or "architecture", and the number of "parameters".

    A name is no fact, and is not read for any.

    Parameters
    ----------
    said : iterable of mappings
        The data of findings about the network, or details of the model; what comes first counts more.
    """
    family, parameters = "", None
    for own in said:
        named = own.get("family") or own.get("architecture")
        family = family or (named if isinstance(named, str) else "")
        number = own.get("parameters")
        if parameters is None and isinstance(number, int) and not isinstance(number, bool) and number > 0:
            parameters = number
    return Description(family, parameters)


def read_descriptions(path: Path) -> dict[str, Description]:
    """Read descriptions of models by their names.

    Parameters
    ----------
    path : Path
        YAML: a mapping from the name of a model to a mapping with any of "family", "size" (a number of parameters, or
        one with K, M, B or T, such as 1.5B), "label" and "link" (https://… or http://…).

    Raises
    ------
    InputError
        For a file that cannot be read, unknown keys, or values of another kind.
    """
    place = Place(path)
    found = place.mapping(read_yaml(path), expected="models by their names")
    return {str(name): _described(place.inside(str(name)), own) for name, own in found.items()}


def _described(place: Place, own: Any) -> Description:
    known = place.record(own, needed=(), optional=("family", "size", "label", "link"))
    texts = {key: place.word(known[key], key) for key in ("family", "label", "link") if key in known}
    if not re.match(r"https?://[^\s/]", texts.get("link", "https://x")):
        raise place.wrong(texts["link"], "link", "an address that begins with https:// or http://")
    return Description(
        texts.get("family", ""),
        _size(place, known.get("size")),
        texts.get("label", ""),
        texts.get("link", ""),
    )


def _size(place: Place, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMBT]?)", value.upper()) if isinstance(value, str) else None
    if found is None or not (size := round(float(found[1]) * FACTORS[found[2]])):
        raise place.wrong(value, "size", "a number of parameters, such as 135M or 1.5B")
    return size


def described(recorded: Description, given: Description | None) -> Description:
    """Put together what was recorded and what the user says, which counts more."""
    if given is None:
        return recorded
    parameters = recorded.parameters if given.parameters is None else given.parameters
    return Description(given.family or recorded.family, parameters, given.label, given.link)


def unused(given: Iterable[str], models: Iterable[str]) -> list[str]:
    """Say which described models have no run."""
    known = [*models]
    return [
        f"no run is of the model {name!r}{did_you_mean(name, known)}" for name in given if name not in known
    ]


def check_labels(labels: Mapping[str, str]) -> None:
    """Refuse one label for several models.

    Parameters
    ----------
    labels : Mapping of str to str
        What pages call each model, by its name.
    """
    taken: dict[str, str] = {}
    for name, label in labels.items():
        if label in taken:
            raise InputError(
                f"{taken[label]} and {name} are both called {label!r}", expected="different labels"
            )
        taken[label] = name


def model_of_run(models: Sequence[SiteModel]) -> dict[str, SiteModel]:
    """Find the model of each run by the id of the run."""
    return {run.record.id: model for model in models for run in model.runs}
