"""Reads the surveys of the distributional-alignment benchmark (Meister, Guestrin & Hashimoto 2025, NAACL).

Two kinds of files: what groups of people answered, with the texts of questions and options, and what recorded models
answered, beside the shares of people, with letters in place of options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from probsense.core.files import Place, read_json
from probsense.tasks.choices.data.question import Question, checked_options, checked_shares, normalised
from probsense.tasks.shared.tables.columns import nested

OPTIONS: Final = "MC_options"
NOT_GROUPS: Final = (OPTIONS, "question_text", "genre", "summary", "countries")
EXPECTED: Final = "answers of groups to questions with MC_options, or recorded answers of a model"
BLOCK: Final = ("dataset", "output", "group", "demographic", "questions")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a model answered to the questions of one survey, asked in one way as one group of people.

    Attributes
    ----------
    data, output, group : str
        The survey, the way of asking, and the group of people.
    questions : tuple of Question
        With the shares of this group; their number is not known.
    shares : tuple of tuple of float
        What the model gave each option of each question.
    """

    data: str
    output: str
    group: str
    questions: tuple[Question, ...]
    shares: tuple[tuple[float, ...], ...]


def read_alignment(path: Path) -> list[Question]:
    """Read what groups of people answered, one question for each group that did.

    In a file of recorded answers these are the people with whom the model was compared, each group once for a survey.

    Raises
    ------
    InputError
        For a file of another form.
    """
    document = read_json(path)
    if isinstance(document, list):
        known: dict[str, Question] = {}
        for block in _recorded(Place(path), document):
            for question in block.questions:
                known.setdefault(question.key, question)
        return [*known.values()]
    place = Place(path)
    found = []
    for name, item in place.mapping(document).items():
        found += _questions(place.inside(name), name, place.inside(name).mapping(item))
    return found


def read_recorded(path: Path) -> list[Recorded]:
    """Read what a model answered; the name of the file is that of the model. A file without a model has no blocks.

    Raises
    ------
    InputError
        For a file of another form; an option that people have and the model has not, or the reverse.
    """
    document = read_json(path)
    return _recorded(Place(path), document) if isinstance(document, list) else []


def _recorded(place: Place, document: Sequence[Any]) -> list[Recorded]:
    found = []
    for number, entry in enumerate(document):
        here = place.inside(number)
        block = here.record(entry, needed=BLOCK)
        data, output, _, group = (here.word(block[name], name) for name in BLOCK[:-1])
        inside = here.inside("questions")
        pairs = [
            _pair(inside.inside(name), name, one, data, group)
            for name, one in inside.mapping(block["questions"]).items()
        ]
        if not pairs:
            raise here.fault("a block without questions", EXPECTED)
        questions, shares = zip(*pairs, strict=True)
        found.append(Recorded(data, output, group, questions, shares))
    return found


def _pair(place: Place, name: str, value: Any, data: str, group: str) -> tuple[Question, tuple[float, ...]]:
    one = place.mapping(value)
    people, model = (place.mapping(one.get(side), side) for side in ("people", "model"))
    if people.keys() != model.keys():
        odd = next(iter(people.keys() ^ model.keys()))
        raise place.fault(f"option {odd} is in one of people and model only", "the same options")
    options = checked_options([*people], place.fault)
    theirs, own = (
        tuple(inside.number(given[option], option, 0, 1) for option in options)
        for inside, given in ((place.inside("people"), people), (place.inside("model"), model))
    )
    checked_shares(theirs, place.fault)
    return Question(name, name, options, theirs, None, group, cluster=name, data=data), own


def _questions(place: Place, name: str, item: Mapping[str, Any]) -> list[Question]:
    """Make a question for each group that answered."""
    if OPTIONS not in item:
        raise place.fault(f"{OPTIONS} is missing", EXPECTED)
    options = [one.strip('"') for one in _list(place, item[OPTIONS])]
    text = str(item.get("question_text", name))
    context = str(item.get("summary", ""))
    if "genre" in item:
        context = f"{name}\nGenre: {item['genre']}\n{context}"
        text = "How likely are you to read this book?"
    found = []
    for group, given in item.items():
        if group in NOT_GROUPS or not given:
            continue
        if isinstance(given, list):
            numbers = [place.inside(group).number(one, number, 0, 1) for number, one in enumerate(given)]
            if len(numbers) != len(options):
                raise place.fault(
                    f"{len(numbers)} shares of {len(options)} options in {group}", "one for each"
                )
            own, counts, people = options, checked_shares(numbers, place.fault), None
        else:
            answers = place.mapping(given, group)
            own = _joined(options, answers)
            known = {normalised(one): one for one in answers}
            if unknown := known.keys() - {normalised(one) for one in own}:
                raise place.fault(f"option {known[unknown.pop()]!r} of {group}", f"one of {', '.join(own)}")
            counts = tuple(
                place.inside(group).number(answers.get(known.get(normalised(one), ""), 0.0), one, 0)
                for one in own
            )
            people = sum(counts)
            if not people:
                continue
        found.append(
            Question(
                name, text, checked_options(own, place.fault), counts, people, group, context, None, name
            )
        )
    return found


def _joined(options: Sequence[str], answers: Mapping[str, Any]) -> list[str]:
    """Join neighbouring options where a comma within an option parted it, as the answers show."""
    known = {normalised(one) for one in answers}
    found: list[str] = []
    for option in options:
        if found and normalised(both := f"{found[-1]}, {option}") in known:
            found[-1] = both
        else:
            found.append(option)
    return found


def _list(place: Place, value: Any) -> list[str]:
    """Return a list of texts, or one that is written as Python writes it."""
    return place.texts((nested(value) or value) if isinstance(value, str) else value, OPTIONS, least=2)
