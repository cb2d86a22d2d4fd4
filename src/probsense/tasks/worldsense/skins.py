"""Skins: the everyday domains in which a world is told, as YAML files that anyone can write."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_yaml
from probsense.tasks.worldsense.composing import compose
from probsense.tasks.worldsense.skin_rules import PLACEHOLDERS, check_names, check_templates

PACKAGED = ("test", "train", "many")
"""Skin files of the package; no training skin shares its names, scene or wording with another one."""

COMPOSED = ("many",)
"""Those of them that :mod:`composing` makes skins of."""

ORDERS = ("scalar", "spatial", "temporal")
"""The kinds of :class:`OrderSkin`."""

FEWEST = 4
"""The fewest names in a skin."""

_NAME = re.compile(r"[a-z0-9_.]+")


@dataclass(frozen=True)
class _Skin:
    """The part that skins of every kind share; one that breaks a rule raises a ValueError."""

    name: str
    scene: str
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        check_templates(self.templates())
        check_names(self.names, self.templates())

    def templates(self) -> Iterator[tuple[str, str]]:
        """Yield every template of the skin, after the name of its field."""
        for field in PLACEHOLDERS:
            value = getattr(self, field, None)
            if isinstance(value, str):
                yield field, value
            elif value is not None:
                yield from ((field, template) for pair in value for template in pair)


@dataclass(frozen=True)
class OrderSkin(_Skin):
    """A domain whose entities stand in a strict order.

    ``forward`` says that {a} comes before {b}, ``converse`` that it comes after; ``first`` and ``last`` name the
    ends; ``list`` introduces the entities from first to last; ``foreign`` holds pairs of predicates that have
    nothing to do with the order.
    """

    kind: Literal["scalar", "spatial", "temporal"]
    list: str
    forward: str
    converse: str
    between: str
    outside: str
    first: str
    last: str
    foreign: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ParallelSkin(_Skin):
    """A domain of lines, in which any two are parallel or perpendicular."""

    kind: Literal["parallel"]
    parallel: str
    perpendicular: str


Skin: TypeAlias = OrderSkin | ParallelSkin


def load_skins(source: str | Path) -> tuple[Skin, ...]:
    """Read a set of skins.

    Parameters
    ----------
    source : str or Path
        "test", "train" or "many" (the packaged sets), "parallel" (the parallel skins in all of them), or a YAML file:
        a list of skins.

    Raises
    ------
    InputError
        For a file that cannot be read, is no YAML list, or holds a faulty skin. The error names the file, the skin,
        the field and the expected value.
    """
    if source == "parallel":
        return tuple(s for name in PACKAGED for s in load_skins(name) if isinstance(s, ParallelSkin))
    if isinstance(source, str) and source in PACKAGED:
        return _packaged(source)
    path = Path(source)
    if not path.is_file():
        raise InputError(
            "no such skin file", path=path, expected=f"{', '.join(PACKAGED)}, parallel or a YAML file"
        )
    return parse_skins(read_yaml(path), path)


@cache
def _packaged(name: str) -> tuple[Skin, ...]:
    """Read a packaged set once: every run of the task needs it."""
    path = Path(str(files(__package__) / "skins" / f"{name}.yaml"))
    document = read_yaml(path)
    return parse_skins([*compose(document)] if name in COMPOSED else document, path)


def parse_skins(entries: Any, path: Path) -> tuple[Skin, ...]:
    """Check the parsed YAML of a skin file; ``path`` is for messages only."""
    place = Place(path)
    if not isinstance(entries, list) or not entries:
        raise place.fault("no list of skins", "a YAML list with one mapping a skin")
    skins = []
    for number, entry in enumerate(entries, start=1):
        name = entry.get("name") if isinstance(entry, dict) else None
        known = f" ({name})" if isinstance(name, str) and _NAME.fullmatch(name) else ""
        skins.append(_parse(entry, Place(path, part=f"skin {number}{known}")))
    repeated = [name for name, count in Counter(s.name for s in skins).items() if count > 1]
    if repeated:
        raise place.fault(f"two skins are called {brief(repeated[0])}")
    return tuple(skins)


def _parse(entry: Any, place: Place) -> Skin:
    """Parse one skin, without the white space around its texts."""
    kinds = (*ORDERS, "parallel")
    if "kind" not in place.mapping(entry):
        raise place.fault("kind is missing", f"one of {', '.join(kinds)}")
    kind = place.one_of(entry["kind"], "kind", kinds)
    made = ParallelSkin if kind == "parallel" else OrderSkin
    found = place.record(entry, needed=[field.name for field in fields(made)])
    texts = {name: place.text(found[name], name).strip() for name in found.keys() - {"names", "foreign"}}
    if not _NAME.fullmatch(texts["name"]):
        raise place.wrong(texts["name"], "name", 'small letters, digits, "_" and "."')
    names = tuple(name.strip() for name in place.texts(found["names"], "names", least=FEWEST, of="names"))
    foreign = {"foreign": _pairs(found["foreign"], place)} if "foreign" in found else {}
    try:
        return made(names=names, **texts, **foreign)  # type: ignore[arg-type]
    except ValueError as error:
        raise place.fault(str(error)) from None


def _pairs(value: Any, place: Place) -> tuple[tuple[str, str], ...]:
    found = []
    for number, pair in enumerate(place.entries(value, "foreign", least=1, of="pairs of templates")):
        here = place.inside("foreign", number)
        match here.texts(pair, of="two templates"):
            case [first, second]:
                found.append((first.strip(), second.strip()))
            case _:
                raise here.wrong(pair, "", "a list of two templates")
    return tuple(found)


def dump_skins(skins: Sequence[Skin]) -> str:
    """Write the skins as YAML text that :func:`load_skins` reads back."""
    return yaml.safe_dump(
        [_plain(asdict(skin)) for skin in skins], sort_keys=False, allow_unicode=True, width=110
    )


def _plain(value: Any) -> Any:
    """Turn a value of a skin into its YAML form, with tuples as lists."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value
