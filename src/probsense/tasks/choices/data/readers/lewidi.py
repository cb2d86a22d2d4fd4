"""Reads the sets of Learning with Disagreements: texts with the labels of every annotator (Leonardelli et al. 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from probsense.core.errors import InputError
from probsense.core.files import Place, read_json
from probsense.tasks.choices.data.question import Question, checked_options

NEEDED: Final = ("text", "annotations", "soft_label")
EXPECTED: Final = "items of Learning with Disagreements, with text, annotations and soft_label"


def read_lewidi(path: Path) -> list[Question]:
    """Read one set: each item has the label, or several labels, of every annotator.

    The weight of an annotator with several labels is split among them. Labels that are numbers are a scale.

    Raises
    ------
    InputError
        For an item without the keys of the published files, and a label that ``soft_label`` does not have.
    """
    place = Place(path)
    document = place.mapping(read_json(path, keys_once=True))
    if not document:
        raise InputError("is empty", path=path, expected=EXPECTED)
    return [_question(place.inside(name), name, item) for name, item in document.items()]


def _question(place: Place, name: str, item: Any) -> Question:
    known = place.mapping(item)
    for key in NEEDED:
        if key not in known:
            raise place.fault(f"{key} is missing in item {name}", EXPECTED)
    labels = [*place.mapping(known["soft_label"], "soft_label")]
    scale = _scale(labels)
    if scale:
        labels = [label for _, label in sorted(zip(scale, labels, strict=True))]
    options = checked_options(labels, partial(place.fault))
    counts = dict.fromkeys(options, 0.0)
    people = _annotations(place, known["annotations"])
    for who, chosen in people.items():
        for one in chosen:
            if one not in counts:
                raise place.inside("annotations").wrong(one, who, f"one of {', '.join(options)}")
            counts[one] += 1 / len(chosen)
    return Question(
        name,
        f"How would you label this ({known.get('annotation task', 'annotation')})?",
        options,
        tuple(counts.values()),
        float(len(people)),
        context=_context(place, known["text"]),
        cluster=name,
        order=tuple(sorted(scale)),
        raters=tuple((who, options.index(chosen[0])) for who, chosen in people.items())
        if all(len(chosen) == 1 for chosen in people.values())
        else (),
    )


def _scale(labels: list[str]) -> tuple[float, ...]:
    try:
        return tuple(float(label) for label in labels)
    except ValueError:
        return ()


def _annotations(place: Place, value: Any) -> dict[str, list[str]]:
    """Return the labels of each annotator: a mapping, or, in older sets, a list in one text."""
    if isinstance(value, str):
        value = {str(number): one for number, one in enumerate(value.split(","))}
    found = {}
    for who, given in place.mapping(value, "annotations").items():
        labels = [one.strip() for one in str(given).split(",") if one.strip()]
        if len({*labels}) < len(labels) or not labels:
            raise place.inside("annotations").wrong(given, who, "labels, each once")
        found[who] = labels
    if not found:
        raise place.fault("nobody annotated the item", "annotations")
    return found


def _context(place: Place, text: Any) -> str:
    if isinstance(text, str):
        return place.word(text, "text")
    parts: Mapping[str, Any] = place.mapping(text, "text")
    return "\n".join(f"{name.capitalize()}: {str(part).strip()}" for name, part in parts.items())
