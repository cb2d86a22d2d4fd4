"""People's choices as ``probsense collect export`` writes them: ``choices.csv`` beside its ``study.json``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from probsense.core.files import Place
from probsense.tasks.choices.data.question import Question, checked_options
from probsense.tasks.people_forms import STUDY, Choice, exported_choices


def read_collected(path: Path) -> list[Question]:
    """Read the choices of a study: the questions that somebody answered, with all options of each.

    Raises
    ------
    InputError
        As :func:`~probsense.tasks.people_forms.exported_choices`, and for a question that has no different options.
    """
    chosen: dict[tuple[str, str], list[Choice]] = {}
    for one in exported_choices(path):
        chosen.setdefault((one.block, one.question.id), []).append(one)
    several = len({block for block, _ in chosen}) > 1
    place = Place(path.parent / STUDY)
    found = []
    for (block, name), own in chosen.items():
        question, counts = own[0].question, Counter(one.option for one in own)
        found.append(
            Question(
                name,
                place.word(question.text, f"the text of {name}"),
                checked_options(question.options, place.fault),
                tuple(float(counts[option]) for option in range(len(question.options))),
                float(len(own)),
                gold=question.right,
                cluster=place.text(question.data.get("cluster", name), f"the cluster of {name}"),
                data=f"block {block}" if several else "",
                raters=tuple((one.person, one.option) for one in own),
            )
        )
    return found
