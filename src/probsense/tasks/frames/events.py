"""Frames: everyday events with an open slot, and people's answers for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import brief, did_you_mean
from probsense.core.files import Place, read_jsonl
from probsense.tasks.frames.counts import counts_of
from probsense.tasks.frames.slots import SLOTS
from probsense.tasks.frames.targets import parse_target

PACKAGED: Final = Path(str(files(__package__) / "frames.jsonl"))
"""The frames that come with the package. Their answers and counts are made up, as each of them says."""

_NEEDED: Final = ("id", "context")
_OPTIONAL: Final = ("slot", "question", "answers", "clusters", "illustrative")


@dataclass(frozen=True, slots=True)
class Frame:
    """An event with a question about it.

    Attributes
    ----------
    context : str
        The event; "" where the question says it.
    slot : str
        The part of the event that the question is about: a name of :data:`~probsense.tasks.frames.slots.SLOTS`, any
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


def read_frames(path: Path) -> list[Frame]:
    """Read frames, one a line, in the layout of the package or as targets in a published one.

    Parameters
    ----------
    path : Path
        JSON lines (plain, ``.bz2`` or ``.gz``). A line with a ``context`` is ``{"id", "context", "slot", "question",
        "answers": {answer: count}, "clusters": {name: {answer: count}}}``. The question may be left out where the slot
        is a known one, the slot where there is a question; a frame without answers and clusters is asked and compared
        with nothing. Answers that are made up have ``"illustrative": true`` beside them. Any other line is as
        :func:`~probsense.tasks.frames.targets.parse_target` reads it.

    Raises
    ------
    InputError
        For a malformed file, and for an id that comes twice.
    """
    found: list[Frame] = []
    seen: dict[str, Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        frame = _frame(record, place) if "context" in record else _published(record, place)
        place.once(frame.id, "the id", seen)
        found.append(frame)
    if not found:
        raise Place(path).fault("holds no frames", 'one {"id": …, "context": …, "slot": …} a line')
    return found


def _published(record: dict[str, Any], place: Place) -> Frame:
    question = parse_target(record, place)
    return Frame("", "", question.text, question)


def _frame(record: dict[str, Any], place: Place) -> Frame:
    place.record(record, needed=_NEEDED, optional=_OPTIONAL)
    name, context = (place.word(record[key], key).strip() for key in _NEEDED)
    slot = place.word(record["slot"], "slot").strip() if "slot" in record else ""
    if "question" in record:
        question = place.word(record["question"], "question").strip()
    elif slot in SLOTS:
        question = SLOTS[slot]
    else:
        found = f"no question, and the slot {slot!r} has none of its own{did_you_mean(slot, SLOTS)}"
        raise place.fault(found, f"a question, or one of the slots {', '.join(SLOTS)}")
    groups = {
        label: _counts(own, f"clusters[{brief(label)}]", place)
        for label, own in place.mapping(record.get("clusters", {}), "clusters").items()
    }
    if "answers" in record:
        raw = _counts(record["answers"], "answers", place)
    else:
        raw = dict(sum(map(Counter, groups.values()), Counter()))
    clusters = tuple(Cluster(label, sum(own.values()), tuple(own)) for label, own in groups.items())
    made_up = record.get("illustrative", False)
    if not isinstance(made_up, bool):
        raise place.fault(f"illustrative is {brief(made_up)}", "true or false")
    return Frame(context, slot, question, Question(name, f"{context} {question}", raw, clusters, made_up))


def _counts(value: Any, name: str, place: Place) -> dict[str, int]:
    """Read how often each answer was given; no answer may be empty."""
    return {place.word(answer, f"a key of {name}"): n for answer, n in counts_of(place, value, name).items()}
