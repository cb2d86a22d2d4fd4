"""Reads a study from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, cast

from msgspec import Meta, defstruct

from probsense.core.errors import InputError
from probsense.core.files import Place, read_yaml
from probsense.core.files.typed import Record, Word, read_as
from probsense.studies.collect.forms import task_forms
from probsense.studies.collect.pages.words import read_words, words_in
from probsense.studies.collect.study import MOST, Block, Settings, Study
from probsense.tasks.people_forms import FormKind, PeopleForm, PeopleQuestion
from probsense.tasks.registry import load_task, task_options

INLINE: Final = "statements"
"""The key of a block with texts to judge in the study file itself."""
_Count = Annotated[int, Meta(ge=1, le=MOST)]
_Statements = Annotated[
    tuple[Word, ...], Meta(min_length=1, description="a list of statements, at least one")
]


class _Block(Record, frozen=True, kw_only=True):
    """A block of a study file; where its questions come from depends on the installed tasks."""

    kind: str
    per_person: _Count | None = None
    per_item: _Count | None = None


class _Judge(_Block, frozen=True, kw_only=True):
    statements: _Statements | None = None
    q1: Word | None = None
    q2: Word | None = None


class _Write(_Block, frozen=True, kw_only=True):
    answers: Annotated[int, Meta(ge=1, le=20)] = 1


_SHAPES: Final[Mapping[FormKind, type[_Block]]] = {"judge": _Judge, "write": _Write, "choose": _Block}
_Sources: TypeAlias = Mapping[str, tuple[str, PeopleForm]]
"""The tasks whose questions a kind of blocks may have, by the key that names these, and their forms."""


class _Study(Settings, frozen=True, kw_only=True):
    """A study file; what stands in its blocks depends on the installed tasks."""

    items: Annotated[
        tuple[dict[str, Any], ...], Meta(min_length=1, description="a list of blocks, at least one")
    ]
    per_item: _Count
    per_person: _Count | None = None
    words: Word | None = None


def read_study(path: Path) -> Study:
    """Read and check a study.

    Parameters
    ----------
    path : Path
        YAML. Files that it names are beside it.

    Raises
    ------
    InputError
        For a file that cannot be read, an unknown or missing key, and a value of another kind, with its place.
    """
    place = Place(path)
    found = read_as(_Study, read_yaml(path), place)
    seen: dict[str, Place] = {}
    for number, field in enumerate(found.demographics):
        place.inside("demographics", number).once(field.name, "name", seen)
    own = {name: getattr(found, name) for name in Settings.__struct_fields__}
    blocks = tuple(
        _block(place.inside("items", number), body, found) for number, body in enumerate(found.items)
    )
    return Study(**own, words=_words(path, place, found), blocks=blocks)


def _block(place: Place, found: dict[str, Any], study: _Study) -> Block:
    """Read a block, which may have counts of its own in place of the study's."""
    forms = task_forms()
    kinds = [*dict.fromkeys(form.kind for _, form in forms)]
    kind = place.one_of(found.get("kind", ""), "kind", kinds)
    sources = {form.source: (task, form) for task, form in forms if form.kind == kind}
    block = read_as(_shape(sources), found, place)
    asked = {name: text.strip() for name in ("q1", "q2") if (text := getattr(block, name, None))}
    if isinstance(block, _Judge) and not asked:
        raise place.fault(f"{place.keys} asks nothing about its statements", "q1 or q2, or both")
    questions = _questions(place, sources, block)
    return Block(
        kind,
        questions,
        per_person=block.per_person or study.per_person or len(questions),
        per_item=block.per_item or study.per_item,
        asked=asked,
        answers=getattr(block, "answers", 1),
    )


def _shape(sources: _Sources) -> type[_Block]:
    """Return the type of the blocks of a kind, which have a key for each source of questions."""
    _, form = next(iter(sources.values()))
    parts = {
        source: defstruct(source, [(part, Word) for part in one.parts], bases=(Record,))
        if one.parts
        else Word
        for source, (_, one) in sources.items()
    }
    keys = [(source, kind | None, None) for source, kind in parts.items()]
    return cast("type[_Block]", defstruct("Block", keys, bases=(_SHAPES[form.form],), kw_only=True))


def _questions(place: Place, sources: _Sources, block: _Block) -> tuple[PeopleQuestion, ...]:
    allowed = [name for name in dict.fromkeys(["data", INLINE, *sources]) if hasattr(block, name)]
    named = [name for name in allowed if getattr(block, name) is not None]
    task, form = next(iter(sources.values()))
    if not named and form.source not in task_options(task):
        return tuple(map(form.question, load_task(task, **form.options).questions))
    if len(named) != 1:
        raise place.fault(
            f"{place.keys} names {' and '.join(named) or 'no questions'}", f"one of {', '.join(allowed)}"
        )
    [source] = named
    value = getattr(block, source)
    if source == INLINE:
        return _inline(place.inside(source), value)
    task, form = sources[source]
    words = {name: getattr(value, part) for part, name in form.parts.items()} or {source: value}
    known = task_options(task)
    options = {
        name: place.path.parent / word if known[name].kind is Path else word for name, word in words.items()
    }
    return tuple(map(form.question, load_task(task, **options, **form.options).questions))


def _inline(place: Place, texts: Sequence[str]) -> tuple[PeopleQuestion, ...]:
    """Make statements of texts, numbered from 0, as judgments number those of a file without ids."""
    seen: dict[str, Place] = {}
    for number, text in enumerate(texts):
        place.inside(number).once(text.strip(), "", seen, "each statement once")
    return tuple(PeopleQuestion(str(number), text.strip()) for number, text in enumerate(texts))


def _words(path: Path, place: Place, found: _Study) -> dict[str, str]:
    if found.words is not None:
        return read_words(path.parent / found.words)
    try:
        return words_in(found.language)
    except InputError as error:
        raise place.fault(str(error)) from None
