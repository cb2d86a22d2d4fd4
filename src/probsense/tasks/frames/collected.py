"""People's answers to frames, collected by a study: its pages, and the file that ``--data`` reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from probsense.core.records import Item
from probsense.tasks.people_forms import PeopleForm, PeopleQuestion, PersonAnswer


def _question(item: Item) -> PeopleQuestion:
    data = {name: item.data[name] for name in ("context", "slot", "question")}
    text = "\n\n".join(part for part in (data["context"], data["question"]) if part)
    return PeopleQuestion(item.id, text, data=data)


def _write(questions: Sequence[PeopleQuestion], answers: Sequence[PersonAnswer]) -> Mapping[str, str]:
    """Write a line for each frame, with how many people gave each answer, in lower case."""
    counts: dict[str, Counter[str]] = {question.id: Counter() for question in questions}
    for one in answers:
        counts[one.question.id].update({answer.lower() for answer in one.values.values()})
    records = [_frame(question, counts[question.id]) for question in questions]
    return {"frames.jsonl": "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records if one)}


def _frame(question: PeopleQuestion, counts: Counter[str]) -> dict[str, Any]:
    """Return a frame with its answers, the most frequent first; nothing for a question without event and answers."""
    about = {name: value for name, value in question.data.items() if value}
    answers = dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
    if "context" in about:
        return {"id": question.id, **about, **({"answers": answers} if answers else {})}
    asked, raw = {"original": about.get("question", "")}, {"raw": answers}
    return {"metadata": {"id": question.id}, "question": asked, "answers": raw} if answers else {}


FORM: Final = PeopleForm("frame", "write", _question, write=_write)
"""How people are asked to fill frames."""
