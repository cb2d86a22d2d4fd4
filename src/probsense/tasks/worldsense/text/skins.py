"""Skins: the everyday domains in which a world is told, as YAML files that anyone can write."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import chain, permutations
from pathlib import Path
from typing import Any, Literal, TypeAlias

from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_yaml
from probsense.tasks.worldsense.text.logic import Relation

PACKAGED = ("test", "train", "many")
"""Skin files of the package; no training skin shares its names, scene or wording with another one."""

COMPOSED = ("many",)
"""Those of them that :func:`compose` makes skins of."""

ORDERS = ("scalar", "spatial", "temporal")
"""The kinds of :class:`OrderSkin`."""

FEWEST = 4
"""The fewest names in a skin."""

_NAME = re.compile(r"[a-z0-9_.]+")

SENTENCES: Mapping[str, tuple[Relation, str]] = {
    "forward": ("before", "ab"),
    "converse": ("before", "ba"),
    "between": ("between", "mab"),
    "outside": ("outside", "mab"),
    "first": ("first", "a"),
    "last": ("last", "a"),
    "foreign": ("foreign", "ab"),
    "parallel": ("parallel", "ab"),
    "perpendicular": ("perpendicular", "ab"),
}
"""What the sentences of a skin say, and of which of their placeholders; each stands in a sentence exactly once."""

_PLACEHOLDERS = {"scene": "n", "list": "", **{field: args for field, (_, args) in SENTENCES.items()}}

_WITH_AND = ("between", "outside")

MOST_FOREIGN = 2
"""How many pairs of foreign predicates a composed skin has at most."""

_WORD = re.compile(r"<([a-z ]+)>")


@dataclass(frozen=True)
class _Skin:
    """The part that skins of every kind share; one that breaks a rule raises a ValueError."""

    name: str
    scene: str
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        fault = next(chain(self._faults_of_templates(), self._faults_of_names()), "")
        if fault:
            raise ValueError(fault)

    def templates(self) -> Iterator[tuple[str, str]]:
        """Yield every template of the skin, after the name of its field."""
        for field in _PLACEHOLDERS:
            value = getattr(self, field, None)
            if isinstance(value, str):
                yield field, value
            elif value is not None:
                yield from ((field, template) for pair in value for template in pair)

    def _faults_of_templates(self) -> Iterator[str]:
        seen: dict[str, str] = {}
        for field, template in self.templates():
            try:
                found = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
            except ValueError as error:
                yield f"{field} is no template ({error}): {template!r}"
                continue
            wanted = sorted(_PLACEHOLDERS[field])
            if sorted(found) != wanted:
                names = ", ".join(f"{{{name}}}" for name in wanted) or "no placeholder"
                yield f"{field} must hold {names}, each once: {template!r}"
            if field in ("scene", "list"):
                if set(template) & set('"\n:'):
                    yield f"{field} holds a quote, colon or line break: {template!r}"
            elif set(template) & set(',:"\n()') or template.count(" and ") != (field in _WITH_AND):
                clause = "a plain clause without punctuation, with 'and' only between {a} and {b}"
                yield f"{field} must be {clause}: {template!r}"
            if template in seen:
                yield f"{field} and {seen[template]} are the same: {template!r}"
            seen[template] = field

    def _faults_of_names(self) -> Iterator[str]:
        for name in self.names:
            if not name or set(name) & set(',:"\n{}()') or " and " in f" {name} ":
                yield f"the name {name!r} is empty or holds punctuation or the word 'and'"
        yield from (f"the name {name!r} stands twice" for name in self.names if self.names.count(name) > 1)
        yield from (
            f"the name {a!r} is part of the name {b!r}" for a, b in permutations(self.names, 2) if a in b
        )
        for field, template in self.templates():
            for name in self.names:
                if name in template:
                    yield f"the name {name!r} occurs in {field}: {template!r}"


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


def order_of(skin: Skin) -> OrderSkin:
    """Return a skin that tells of an order; any other is an error of the caller."""
    if not isinstance(skin, OrderSkin):
        raise TypeError(f"skin {skin.name} tells of lines, not of an order")
    return skin


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
    skins: dict[str, Skin] = {}
    for number, entry in enumerate(entries, start=1):
        name = entry.get("name") if isinstance(entry, dict) else None
        known = f" ({name})" if isinstance(name, str) and _NAME.fullmatch(name) else ""
        skin = _parse(entry, Place(path, part=f"skin {number}{known}"))
        if skins.setdefault(skin.name, skin) is not skin:
            raise place.fault(f"two skins are called {brief(skin.name)}")
    return tuple(skins.values())


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
        texts = here.texts(pair, of="two templates")
        if len(texts) != 2:
            raise here.wrong(pair, "", "a list of two templates")
        found.append((texts[0].strip(), texts[1].strip()))
    return tuple(found)


def dump_skins(skins: Sequence[Skin]) -> str:
    """Write the skins as YAML text that :func:`load_skins` reads back."""
    plain = json.loads(json.dumps([*map(asdict, skins)]))  # has lists for tuples
    import yaml

    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)


def compose(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell every kind of things in each of its orders, as entries of a skin file.

    Parameters
    ----------
    document : Mapping
        ``frames``: the sentences of a skin by the name of the frame, with <words> to be filled in; ``orders``: a frame
        and words by the name of the order; ``things``: names, words and orders by the plural of the things.

    Yields
    ------
    dict
        A skin, in the order of things. Its foreign predicates are those of the other scalar orders of its things.
    """
    frames, orders = document["frames"], document["orders"]
    for plural, things in document["things"].items():
        words = {"things": plural, "where": things["where"]}
        told = {
            order: {
                field: _filled(template, {**words, **orders[order]})
                for field, template in frames[orders[order]["frame"]].items()
            }
            for order in things["orders"]
        }
        for order, sentences in told.items():
            others = [one for name, one in told.items() if name != order and one["kind"] == "scalar"]
            yield {
                "name": f"{plural.replace(' ', '_')}.{order}",
                **sentences,
                "foreign": [[one["forward"], one["converse"]] for one in others[:MOST_FOREIGN]],
                "names": things["names"],
            }


def _filled(template: str, words: Mapping[str, str]) -> str:
    return _WORD.sub(lambda match: words[match[1]], template)
