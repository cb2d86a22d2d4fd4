"""People's choices as ``probsense collect export`` writes them: ``choices.csv`` beside its ``study.json``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from probsense.core.errors import InputError
from probsense.core.files import Place, read_csv
from probsense.tasks.choices.data.question import Question, checked_options
from probsense.tasks.people_forms import study_questions

COLLECTED: Final = ("person", "block", "item", "answer")
"""The columns by which the file is known."""
STUDY: Final = "study.json"


def read_collected(path: Path) -> list[Question]:
    """Read the choices of a study: the questions that somebody answered, with all options of each.

    Raises
    ------
    InputError
        For a file without its study, an item that the study does not have, an answer that is no option of it, and a
        person who answered an item twice.
    """
    study = path.parent / STUDY
    if not study.is_file():
        raise InputError(f"no {STUDY} beside this file", path=path, expected="the folder of an export")
    known = _questions(study)
    chosen: dict[tuple[str, str], list[tuple[str, int]]] = {}
    seen: dict[str, Place] = {}
    for line, row in read_csv(path)[1]:
        place = Place(path, line)
        key = row["block"], row["item"]
        if key not in known:
            raise place.wrong(row["item"], "item", f"an item of the block {row['block']!r} of {STUDY}")
        place.once(f"{row['person']} {key}", "item", seen, "each item once for each person")
        options = known[key].options
        if not row["answer"].isdecimal() or int(row["answer"]) >= len(options):
            raise place.wrong(row["answer"], "answer", f"the index of an option, 0 to {len(options) - 1}")
        chosen.setdefault(key, []).append((row["person"], int(row["answer"])))
    several = len({block for block, _ in chosen}) > 1
    return [
        Question(
            question.id,
            question.text,
            question.options,
            tuple(
                float(sum(one == option for _, one in chosen[key])) for option in range(len(question.options))
            ),
            float(len(chosen[key])),
            gold=question.gold,
            cluster=question.cluster,
            data=f"block {key[0]}" if several else "",
            raters=tuple(chosen[key]),
        )
        for key, question in known.items()
        if key in chosen
    ]


def _questions(path: Path) -> dict[tuple[str, str], Question]:
    """Read the choices of a study, by the number of their block and their id."""
    found = {}
    for block, place, own in study_questions(path):
        if own.get("options"):
            one = _question(place, own)
            found[block, one.id] = one
    return found


def _question(place: Place, own: Mapping[str, Any]) -> Question:
    name, right = place.word(own.get("id"), "id"), own.get("right")
    options = checked_options(place.texts(own.get("options"), "options"), partial(place.fault))
    gold = None if right is None else place.whole(right, "right", 0, len(options) - 1)
    data = place.mapping(own.get("data", {}), "data")
    return Question(
        name,
        place.word(own.get("text"), "text"),
        options,
        (),
        None,
        gold=gold,
        cluster=place.text(data.get("cluster", name), "cluster"),
    )
