"""Reads a study from its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from probsense.core.errors import InputError
from probsense.core.files import Place, read_yaml
from probsense.studies.collect.fields import Field, FieldKind
from probsense.studies.collect.forms import task_forms
from probsense.studies.collect.pages.words import read_words, words_in
from probsense.studies.collect.study import ENDS, Block, Check, Ending, Ids, Order, Study, Thresholds
from probsense.tasks.people_forms import FormKind, PeopleForm, PeopleQuestion
from probsense.tasks.registry import load_task, task_options

MOST: Final = 10**6
"""The largest count and the longest time that a study may name."""

_NEEDED: Final = ("title", "consent", "instructions", "items", "per_item")
_OPTIONAL: Final = (
    *("language", "words", "per_person", "demographics", "checks", "failed_checks", "order", "seed"),
    *("time_limit", "abandon_after", *ENDS, "ids", "hash_ids", "embed", "flags"),
)
INLINE: Final = "statements"
"""The key of a block with texts to judge in the study file itself."""
_OF_FORM: Final[Mapping[FormKind, tuple[str, ...]]] = {
    "judge": (INLINE, "q1", "q2"),
    "write": ("answers",),
    "choose": (),
}
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_PARAMETER: Final = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_ADDRESS: Final = re.compile(r"https?://[^\s/?#\[\]]\S*")
_ORIGIN: Final = re.compile(r"https?://[^\s/?#;,'\"\[\]\x80-\U0010ffff]+")
_TAKEN: Final = ("token", "form", "consent")
_RESERVED: Final = ("person", "participant", "form", "go")
"""Columns that an export has, and fields that the pages themselves send."""
_Part = TypeVar("_Part")


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
        raise InputError("is empty", path=path, expected=f"a study with {', '.join(_NEEDED)}")
    found = place.record(document, needed=_NEEDED, optional=_OPTIONAL)
    language = place.word(found.get("language", "en"), "language")
    if not _LANGUAGE.fullmatch(language):
        raise place.wrong(language, "language", "a language tag, such as en or de-AT")
    checks = _each(place, found, "checks", _check)
    demographics = _each(place, found, "demographics", _field)
    seen: dict[str, Place] = {}
    for number, (field, _) in enumerate(demographics):
        place.inside("demographics", number).once(field.name, "name", seen)
    for name in ("per_item", "per_person"):
        if name in found:
            place.whole(found[name], name, 1, MOST)
    return Study(
        title=place.word(found["title"], "title").strip(),
        language=language,
        consent=place.word(found["consent"], "consent").strip(),
        instructions=place.word(found["instructions"], "instructions").strip(),
        words=_words(path, place, found, language),
        blocks=tuple(
            _block(place.inside("items", number), body, found)
            for number, body in enumerate(place.entries(found["items"], "items", least=1, of="blocks"))
        ),
        about=tuple(field for field, _ in demographics),
        screening={field.name: out for field, out in demographics if out},
        checks=tuple(checks),
        failed_checks=place.whole(
            found.get("failed_checks", 0),
            *("failed_checks", 0, len(checks)),
            f"a whole number up to that of the checks, {len(checks)}",
        ),
        order=place.one_of(found.get("order", "random"), "order", get_args(Order)),  # type: ignore[arg-type]
        seed=place.whole(found.get("seed", 0), "seed", 0, 2**63 - 1),
        time_limit=_minutes(place, found, "time_limit", 0),
        abandon_after=_minutes(place, found, "abandon_after", 30),
        ends={name: _ending(place.inside(name), found[name]) for name in ENDS if name in found},
        ids=_ids(place.inside("ids"), found.get("ids", {})),
        hash_ids=_truth(place, found, "hash_ids"),
        embed=tuple(_each(place, found, "embed", _origin)),
        flags=_flags(place.inside("flags"), found.get("flags", {})),
    )


def _block(place: Place, body: Any, study: Mapping[str, Any]) -> Block:
    """Read a block, which may have counts of its own in place of the study's."""
    found, forms = place.mapping(body), task_forms()
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
    counts = {"per_person": len(questions), **study, **found}
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


def _field(place: Place, body: Any) -> tuple[Field, tuple[str, ...]]:
    """Read what is asked of the participants themselves, and the answers that screen out."""
    own = place.record(
        body,
        needed=("name", "label", "kind"),
        optional=("options", "screen_out", "required", "low", "high"),
    )
    name = place.word(own["name"], "name")
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise place.wrong(name, "name", f"letters, digits and _, and none of {', '.join(_RESERVED)}")
    kind = place.one_of(own["kind"], "kind", get_args(FieldKind))
    options = place.texts(own.get("options", []), "options", least=2 if kind == "choice" else 0)
    options = [" ".join(option.split()) for option in options]
    bounds = {side: place.number(own[side], side) for side in ("low", "high") if side in own}
    if (options and kind != "choice") or (bounds and kind != "number"):
        raise place.fault(f"{place.keys} is a {kind}", "options of a choice only, low and high of a number")
    if len({*options}) < len(options) or not all(options):
        raise place.wrong(options, "options", "different options, none of them empty")
    out = tuple(place.texts(own.get("screen_out", []), "screen_out", least=0, of="options"))
    for option in out:
        if option not in options:
            raise place.wrong(option, "screen_out", "some of the options")
    field = Field(
        name,
        place.word(own["label"], "label").strip(),
        kind,  # type: ignore[arg-type]
        tuple((option, option) for option in options),
        needed=_truth(place, own, "required") or bool(out),
        **bounds,
    )
    return field, out


def _check(place: Place, body: Any) -> Check:
    own = place.record(body, needed=("text", "options", "expected"))
    options = place.texts(own["options"], "options", least=2, of="options")
    expected = place.text(own["expected"], "expected")
    if options.count(expected) != 1:
        raise place.wrong(expected, "expected", "one of the options")
    return Check(place.word(own["text"], "text").strip(), tuple(options), options.index(expected))


def _ending(place: Place, body: Any) -> Ending:
    own = place.record(body, needed=(), optional=("text", "code", "address"))
    found = {name: place.word(value, name).strip() for name, value in own.items()}
    if "address" in found and not _ADDRESS.fullmatch(found["address"]):
        raise place.wrong(found["address"], "address", "an address that begins with https://")
    return Ending(**found)


def _ids(place: Place, body: Any) -> Ids:
    own = place.record(body, needed=(), optional=("participant", "study", "session"))
    found = {name: place.word(value, name) for name, value in own.items()}
    for name, parameter in found.items():
        if not _PARAMETER.fullmatch(parameter) or parameter in _TAKEN:
            raise place.wrong(parameter, name, "the name of a parameter of the address, such as PROLIFIC_PID")
    if len({*found.values()}) < len(found):
        raise place.wrong(own, "", "different parameters")
    if "session" in found and "participant" not in found:
        raise place.fault("ids.participant is missing", "the parameter that tells people apart")
    return Ids(**found)


def _flags(place: Place, body: Any) -> Thresholds:
    usual = asdict(Thresholds())
    own = usual | place.record(body, needed=(), optional=(*usual,))
    return Thresholds(
        place.number(own["seconds"], "seconds", 0, MOST), place.whole(own["copied"], "copied", 0, MOST)
    )


def _origin(place: Place, body: Any) -> str:
    if not _ORIGIN.fullmatch(origin := place.word(body)):
        raise place.wrong(origin, "", "an origin, such as https://platform.example")
    return origin


def _words(path: Path, place: Place, found: Mapping[str, Any], language: str) -> dict[str, str]:
    if "words" in found:
        return read_words(path.parent / place.word(found["words"], "words"))
    try:
        return words_in(language)
    except InputError as error:
        raise place.fault(str(error)) from None


def _each(
    place: Place, found: Mapping[str, Any], name: str, read: Callable[[Place, Any], _Part]
) -> list[_Part]:
    entries = place.entries(found.get(name, []), name)
    return [read(place.inside(name, number), body) for number, body in enumerate(entries)]


def _minutes(place: Place, found: Mapping[str, Any], name: str, default: float) -> float:
    return place.number(found.get(name, default), name, 0, MOST, "minutes, 0 or more")


def _truth(place: Place, found: Mapping[str, Any], name: str) -> bool:
    value = found.get(name, False)
    if not isinstance(value, bool):
        raise place.wrong(value, name, "true or false")
    return value
