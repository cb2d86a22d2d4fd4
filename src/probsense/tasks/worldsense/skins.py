"""Skins: the everyday domains in which a world is told, as YAML files that anyone can write."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from probsense.errors import InputError
from probsense.files import read_yaml

PACKAGED = ("test", "train")
"""Skin files of the package; no training skin shares its names, scene or wording with a test skin."""

PLACEHOLDERS = {
    "scene": "n",
    "list": "",
    "forward": "ab",
    "converse": "ab",
    "between": "abm",
    "outside": "abm",
    "first": "a",
    "last": "a",
    "foreign": "ab",
    "parallel": "ab",
    "perpendicular": "ab",
}
"""The placeholders that each template holds, each exactly once."""


class _Skin(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    name: Annotated[str, Field(pattern=r"^[a-z0-9_.]+$")]
    scene: str
    names: Annotated[tuple[str, ...], Field(min_length=4)]

    def templates(self) -> Iterator[tuple[str, str]]:
        """Every template of the skin, after the name of its field."""
        for field in PLACEHOLDERS:
            value = getattr(self, field, None)
            if isinstance(value, str):
                yield field, value
            elif value is not None:
                yield from ((field, template) for pair in value for template in pair)

    @model_validator(mode="after")
    def _check_templates(self) -> _Skin:
        seen: dict[str, str] = {}
        for field, template in self.templates():
            _check_template(field, template)
            if template in seen:
                raise ValueError(f"{field} and {seen[template]} are the same: {template!r}")
            seen[template] = field
        return self

    @model_validator(mode="after")
    def _check_names(self) -> _Skin:
        for name in self.names:
            if not name or set(name) & set(',:"\n{}()') or " and " in f" {name} ":
                raise ValueError(f"the name {name!r} is empty or holds punctuation or the word 'and'")
        repeated = [name for name, count in Counter(self.names).items() if count > 1]
        if repeated:
            raise ValueError(f"the name {repeated[0]!r} stands twice")
        for a, b in permutations(self.names, 2):
            if a in b:
                raise ValueError(f"the name {a!r} is part of the name {b!r}")
        for field, template in self.templates():
            for name in self.names:
                if name in template:
                    raise ValueError(f"the name {name!r} occurs in {field}: {template!r}")
        return self


def _check_template(field: str, template: str) -> None:
    try:
        found = sorted(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)
    except ValueError as error:
        raise ValueError(f"{field} is no template ({error}): {template!r}") from None
    wanted = sorted(PLACEHOLDERS[field])
    if found != wanted:
        holds = ", ".join(f"{{{name}}}" for name in wanted) or "no placeholder"
        raise ValueError(f"{field} must hold {holds}, each once: {template!r}")
    if field in ("scene", "list"):
        if set(template) & set('"\n:'):
            raise ValueError(f"{field} holds a quote, colon or line break: {template!r}")
    elif set(template) & set(',:"\n()') or template.count(" and ") != (field in ("between", "outside")):
        raise ValueError(
            f"{field} must be a plain clause without punctuation, with 'and' only between {{a}} and {{b}}: {template!r}"
        )


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
    foreign: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)]


class ParallelSkin(_Skin):
    """A domain of lines, any two of which are parallel or perpendicular."""

    kind: Literal["parallel"]
    parallel: str
    perpendicular: str


Skin: TypeAlias = OrderSkin | ParallelSkin

_SKIN: TypeAdapter[Skin] = TypeAdapter(Annotated[Skin, Field(discriminator="kind")])


def load_skins(source: str | Path) -> tuple[Skin, ...]:
    """Read a set of skins.

    Parameters
    ----------
    source : str or Path
        "test" or "train" (the packaged sets), "parallel" (the packaged parallel skins of both), or a YAML file: a
        list of skins.

    Raises
    ------
    InputError
        For a file that cannot be read, is no YAML list, or holds a faulty skin: names the file, skin, field and
        what was expected.
    """
    if source == "parallel":
        return tuple(s for name in PACKAGED for s in load_skins(name) if isinstance(s, ParallelSkin))
    if source in PACKAGED:
        path = Path(str(files(__package__) / "skins" / f"{source}.yaml"))
    else:
        path = Path(source)
        if not path.is_file():
            raise InputError(
                "no such skin file", path=path, expected=f"{', '.join(PACKAGED)}, parallel or a YAML file"
            )
    return parse_skins(read_yaml(path), path)


def parse_skins(entries: Any, path: Path) -> tuple[Skin, ...]:
    """Check the parsed YAML of a skin file; ``path`` is for messages only."""
    if not isinstance(entries, list) or not entries:
        raise InputError("no list of skins", path=path, expected="a YAML list with one mapping a skin")
    skins = []
    for number, entry in enumerate(entries, start=1):
        label = f"skin {number}"
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            label += f" ({entry['name']})"
        try:
            skins.append(_SKIN.validate_python(entry))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(
                str(part) for part in first["loc"] if part not in ("scalar", "spatial", "temporal")
            )
            raise InputError(
                f"{label}: {field + ': ' if field else ''}{first['msg'].removeprefix('Value error, ')}",
                path=path,
            ) from None
    repeated = [name for name, count in Counter(s.name for s in skins).items() if count > 1]
    if repeated:
        raise InputError(f"two skins are called {repeated[0]!r}", path=path)
    return tuple(skins)


def dump_skins(skins: Sequence[Skin]) -> str:
    """The skins as YAML text that :func:`load_skins` reads back."""
    return yaml.safe_dump(
        [skin.model_dump(mode="json") for skin in skins], sort_keys=False, allow_unicode=True, width=110
    )
