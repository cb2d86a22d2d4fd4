"""Reads a study from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta, structs

from probsense.core.errors import InputError
from probsense.core.files import Place, read_yaml
from probsense.core.files.typed import Number, Record, Text, Unfit, Word, matching, read_as
from probsense.studies.collect.forms import Field, FieldKind, task_forms
from probsense.studies.collect.pages.words import read_words, words_in
from probsense.studies.collect.study import ENDS, MOST, Block, Check, Ending, Settings, Study
from probsense.tasks.people_forms import FormKind, PeopleForm, PeopleQuestion
from probsense.tasks.registry import load_task, task_options

INLINE: Final = "statements"
"""The key of a block with texts to judge in the study file itself."""
_OF_FORM: Final[Mapping[FormKind, tuple[str, ...]]] = {
    "judge": (INLINE, "q1", "q2"),
    "write": ("answers",),
    "choose": (),
}
_RESERVED: Final = ("person", "participant", "form", "go")
"""Columns that an export has, and fields that the pages themselves send."""

_Count = Annotated[int, Meta(ge=1, le=MOST)]
_Name = Annotated[
    str,
    matching(
        rf"(?!({'|'.join(_RESERVED)})\Z)[A-Za-z_][A-Za-z0-9_]{{0,39}}",
        f"letters, digits and _, and none of {', '.join(_RESERVED)}",
    ),
]


class _Field(Record, frozen=True):
    """What is asked of the participants themselves, and the answers that screen out."""

    name: _Name
    label: Word
    kind: FieldKind
    options: tuple[Text, ...] = ()
    screen_out: tuple[str, ...] = ()
    required: bool = False
    low: Number | None = None
    high: Number | None = None

    def __post_init__(self) -> None:
        is_choice, options = self.kind == "choice", self.words
        if (options and not is_choice) or ((self.low, self.high) != (None, None) and self.kind != "number"):
            raise Unfit("a choice where there are options, and a number where there is low or high", "kind")
        if is_choice and len(options) < 2:
            raise Unfit("a list of options, at least 2", "options")
        if len({*options}) < len(options) or not all(options):
            raise Unfit("different options, none of them empty", "options")
        for number, option in enumerate(self.screen_out):
            if option not in options:
                raise Unfit("some of the options", "screen_out", number)

    @property
    def words(self) -> list[str]:
        """The options as pages show them."""
        return [" ".join(option.split()) for option in self.options]

    @property
    def field(self) -> Field:
        """The field of the page."""
        options = tuple((option, option) for option in self.words)
        needed = self.required or bool(self.screen_out)
        return Field(self.name, self.label.strip(), self.kind, options, needed, self.low, self.high)


class _Check(Record, frozen=True):
    text: Word
    options: Annotated[tuple[Text, ...], Meta(min_length=2)]
    expected: str

    def __post_init__(self) -> None:
        if self.options.count(self.expected) != 1:
            raise Unfit("one of the options", "expected")


class _Study(Settings, frozen=True, kw_only=True):
    """A study file; what stands in its blocks depends on the installed tasks."""

    items: Annotated[
        tuple[dict[str, Any], ...], Meta(min_length=1, description="a list of blocks, at least one")
    ]
    per_item: _Count
    per_person: _Count | None = None
    words: Word | None = None
    demographics: tuple[_Field, ...] = ()
    checks: tuple[_Check, ...] = ()
    completion: Ending | None = None
    screened_out: Ending | None = None
    full: Ending | None = None
    declined: Ending | None = None
    paused: Ending | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.failed_checks <= len(self.checks):
            raise Unfit(f"a whole number up to that of the checks, {len(self.checks)}", "failed_checks")


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
    document = read_yaml(path)
    if document is None:
        needed = ", ".join(field.name for field in structs.fields(_Study) if field.required)
        raise InputError("is empty", path=path, expected=f"a study with {needed}")
    found = read_as(_Study, document, place)
    seen: dict[str, Place] = {}
    for number, field in enumerate(found.demographics):
        place.inside("demographics", number).once(field.name, "name", seen)
    own = {name: getattr(found, name) for name in Settings.__struct_fields__}
    for name in ("title", "consent", "instructions"):
        own[name] = own[name].strip()
    return Study(
        **own,
        words=_words(path, place, found),
        blocks=tuple(
            _block(place.inside("items", number), body, found) for number, body in enumerate(found.items)
        ),
        about=tuple(one.field for one in found.demographics),
        screening={one.name: one.screen_out for one in found.demographics if one.screen_out},
        checks=tuple(Check(c.text.strip(), c.options, c.options.index(c.expected)) for c in found.checks),
        ends={name: end for name in ENDS if (end := getattr(found, name))},
    )


def _block(place: Place, found: dict[str, Any], study: _Study) -> Block:
    """Read a block, which may have counts of its own in place of the study's."""
    forms = task_forms()
    kinds = [*dict.fromkeys(form.kind for _, form in forms)]
    if "kind" not in found:
        raise place.fault(f"{place.keys}.kind is missing", f"one of {', '.join(kinds)}")
    kind = place.one_of(found["kind"], "kind", kinds)
    sources = {form.source: (task, form) for task, form in forms if form.kind == kind}
    form = next(iter(sources.values()))[1].form
    further = [name for name in sources if name != "data"]
    place.record(
        found,
        needed=("kind",),
        optional=("data", *_OF_FORM[form], *further, "per_person", "per_item"),
    )
    inline = [INLINE] if form == "judge" else []
    questions = _questions(place, sources, ["data", *inline, *further], found)
    counts = {"per_person": study.per_person or len(questions), "per_item": study.per_item, **found}
    return Block(
        kind,
        questions,
        per_person=place.whole(counts["per_person"], "per_person", 1, MOST),
        per_item=place.whole(counts["per_item"], "per_item", 1, MOST),
        asked=_asked(place, found) if form == "judge" else {},
        answers=place.whole(found.get("answers", 1), "answers", 1, 20),
    )


def _questions(
    place: Place,
    sources: Mapping[str, tuple[str, PeopleForm]],
    allowed: Sequence[str],
    found: Mapping[str, Any],
) -> tuple[PeopleQuestion, ...]:
    named = [name for name in allowed if name in found]
    task, form = next(iter(sources.values()))
    if not named and form.source not in task_options(task):
        return tuple(map(form.question, load_task(task, **form.options).questions))
    if len(named) != 1:
        raise place.fault(
            f"{place.keys} names {' and '.join(named) or 'no questions'}", f"one of {', '.join(allowed)}"
        )
    [source] = named
    if source not in sources:
        return _inline(place.inside(source), place.texts(found[source], source, of=source))
    task, form = sources[source]
    if form.parts:
        inside = place.inside(source)
        parts = inside.record(found[source], needed=(*form.parts,))
        words = {form.parts[name]: inside.word(parts[name], name) for name in form.parts}
    else:
        words = {source: place.word(found[source], source)}
    known = task_options(task)
    options = {
        name: place.path.parent / word if known[name].kind is Path else word for name, word in words.items()
    }
    return tuple(map(form.question, load_task(task, **options, **form.options).questions))


def _inline(place: Place, texts: list[str]) -> tuple[PeopleQuestion, ...]:
    """Make statements of texts, numbered from 0, as judgments number those of a file without ids."""
    seen: dict[str, Place] = {}
    found = []
    for number, text in enumerate(texts):
        here = place.inside(number)
        here.once(here.word(text).strip(), "", seen, "each statement once")
        found.append(PeopleQuestion(str(number), text.strip()))
    return tuple(found)


def _asked(place: Place, found: Mapping[str, Any]) -> dict[str, str]:
    asked = {name: place.word(found[name], name).strip() for name in ("q1", "q2") if name in found}
    if not asked:
        raise place.fault(f"{place.keys} asks nothing about its statements", "q1 or q2, or both")
    return asked


def _words(path: Path, place: Place, found: _Study) -> dict[str, str]:
    if found.words is not None:
        return read_words(path.parent / found.words)
    try:
        return words_in(found.language)
    except InputError as error:
        raise place.fault(str(error)) from None
