"""Frames: everyday events with an open slot, and people's answers for it; how people are asked to fill them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import brief, did_you_mean
from probsense.core.files import Place
from probsense.core.files.place import LARGEST
from probsense.core.records import Item
from probsense.tasks.people_forms import PeopleForm, PeopleQuestion, PersonAnswer

SLOTS: Final[Mapping[str, str]] = {
    "arg0": "Who would do this?",
    "purpose": "Why would somebody do this?",
    "instrument": "What would be used to do this?",
    "time": "When would this be done?",
    "location": "Where would this be done?",
}
"""The question for frames that have no words of their own, by the part of the event that its description leaves open.

The names are those of PropBank (Palmer, Gildea & Kingsbury 2005, Computational Linguistics 31(1)).
"""

MOST: Final = 10_000_000
"""The most answers to a question."""

Count: TypeAlias = Annotated[int, Meta(ge=1, le=LARGEST, description="a whole number from 1")]
"""How often an answer was given."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An event with a question about it.

    Attributes
    ----------
    context : str
        The event; "" where the question says it.
    slot : str
        The part of the event that the question is about: a name of :data:`SLOTS`, any
        other, or "".
    question : str
    people : Question
        People's answers, if there are any.
    """

    context: str
    slot: str
    question: str
    people: Question

    @property
    def id(self) -> str:
        """The id, unique within its file."""
        return self.people.id

    @property
    def text(self) -> str:
        """The event and the question about it, on one line."""
        return " ".join(f"{self.context} {self.question}".split())


def frame_of(
    place: Place,
    name: str,
    about: Mapping[str, str],
    raw: Mapping[str, int],
    clusters: Mapping[str, Mapping[str, int]],
    *,
    illustrative: bool = False,
) -> Frame:
    """Make a frame of what a file says of it.

    Parameters
    ----------
    place : Place
        Where it says so, for errors.
    name : str
    about : Mapping of str to str
        The context, the slot, the question, as far as they are there. A known slot has a question of its own.
    raw, illustrative
        As of :class:`~probsense.analysis.open_answers.questions.Question`.
    clusters : Mapping of str to Mapping
        How often each answer of a cluster was given, by its name.
    """
    context, slot = about.get("context", ""), about.get("slot", "")
    question = about.get("question") or (context and SLOTS.get(slot))
    if not question:
        found = f"no question, and the slot {slot!r} has none of its own{did_you_mean(slot, SLOTS)}"
        raise place.fault(found, f"a question, or a context and one of the slots {', '.join(SLOTS)}")
    counts = checked(place, raw, f"the answers to {brief(name)}")
    made = tuple(Cluster(label, sum(own.values()), tuple(own)) for label, own in clusters.items())
    people = Question(name, f"{context} {question}".strip(), counts, made, illustrative)
    return Frame(context, slot, question, people)


def checked(place: Place, counts: Mapping[str, int], what: str) -> Mapping[str, int]:
    """Return how often each of some answers was given; refuse more than :data:`MOST` in all."""
    if (total := sum(counts.values())) > MOST:
        raise place.fault(f"{what}: {total:,} in all", f"at most {MOST:,}")
    return counts


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
