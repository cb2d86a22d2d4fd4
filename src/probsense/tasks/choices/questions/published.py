"""Reads published files of questions with the shares or counts of people.

- ChaosNLI has a hundred people a question, on αNLI, SNLI and MNLI (Nie, Zhou & Bansal 2020, EMNLP).
- SimBench has questions of many studies, with the shares of people of a group (Hu et al. 2025).
- The distributional-alignment benchmark (Meister, Guestrin & Hashimoto 2025, NAACL) has two kinds of files: what groups
  of people answered in surveys, with the texts of questions and options, and what recorded models answered, beside the
  shares of people, with letters in place of options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct

from probsense.core.files import Place, read_json, read_jsonl
from probsense.core.files.place import LARGEST
from probsense.core.files.tables import Table, read_table
from probsense.core.files.typed import Record, Word, read_as
from probsense.tasks.choices.questions.question import Question, checked_question, normalised
from probsense.tasks.shared.tables.columns import nested

LABELS: Final = ("e", "n", "c")
"""The order of the counts of SNLI and MNLI."""
INFERENCE: Final = ("It is definitely true", "It might be true", "It is definitely false")
"""What the labels mean, as people who judge such pairs are told."""


class _Judged(Struct, frozen=True):
    """A line of ChaosNLI."""

    uid: Word
    label_count: tuple[Annotated[int, Meta(ge=0)], ...]
    example: dict[str, Any]
    old_label: Any = ""


class _Story(Struct, frozen=True):
    """A beginning and an end, with two hypotheses of what happened in between."""

    obs1: Word
    obs2: Word
    hyp1: Word
    hyp2: Word


class _Pair(Struct, frozen=True):
    premise: Word
    hypothesis: Word


def read_chaosnli(path: Path) -> list[Question]:
    """Read one file: pairs of a beginning and an end with two hypotheses, or premises with one hypothesis.

    Raises
    ------
    InputError
        For a line without the keys of the published files, and counts that are none.
    """
    return [_judged(Place(path, line), record) for line, record in read_jsonl(path)]


def _judged(place: Place, record: Mapping[str, Any]) -> Question:
    line, inside = read_as(_Judged, record, place), place.inside("example")
    options: tuple[str, ...] = INFERENCE
    labels: tuple[str, ...] = LABELS
    if "hyp1" in line.example:
        story = read_as(_Story, line.example, inside)
        context = f"Beginning: {story.obs1}\nEnd: {story.obs2}"
        text = "Which of these explains better what happened in between?"
        options, labels = (story.hyp1, story.hyp2), ("1", "2")
    else:
        pair = read_as(_Pair, line.example, inside)
        context = f"Premise: {pair.premise}\nHypothesis: {pair.hypothesis}"
        text = "Given the premise, what can be said of the hypothesis?"
    gold = str(line.old_label)
    return checked_question(
        *(place.fault, line.uid, text, options, line.label_count),
        context=context,
        gold=labels.index(gold) if gold in labels else None,
    )


_Share: TypeAlias = Annotated[float, Meta(ge=0, le=1, description="a share from 0 to 1")]
_Shares: TypeAlias = dict[str, _Share | None]
TEXTS: Final = (
    *("input_template", "human_answer", "dataset_name"),
    *("group_prompt_template", "group_prompt_variable_map"),
)
_LINE: Final = re.compile(r"^\s*\(?([A-Z])(?:\)\s*[:.]?|[:.])\s+(.+?)\s*$", re.MULTILINE)
"""A line with a lettered option."""
_ABOVE: Final = re.compile(r"^\s*(answer )?(options|choices)\s*:?\s*$", re.IGNORECASE | re.MULTILINE)
"""The line above the options."""


def read_simbench(path: Path) -> list[Question]:
    """Read a table with a row for each question and group.

    The options are the lines of the question that begin with the letters of ``human_answer``; where a question has no
    such lines, the letters are the options.

    Raises
    ------
    InputError
        For a missing column, a template with an unknown name, shares that are none, and a size that is no number.
    """
    table = read_table(path)
    table.columns(*TEXTS[:2], expected=f"the columns of SimBench: {', '.join(TEXTS)}, group_size")
    table.texts("input_template")
    table.texts("human_answer", "shares by option")
    known = [name for name in TEXTS if name in table.frame.columns]
    cells = table.frame.select(table.values(name).alias(name) for name in known)
    sizes = table.numbers("group_size") if "group_size" in table.frame.columns else [None] * cells.height
    return [
        _asked(table, row, one, size)
        for row, (one, size) in enumerate(zip(cells.iter_rows(named=True), sizes, strict=True))
    ]


def _asked(table: Table, row: int, cells: Mapping[str, str | None], size: float | None) -> Question:
    place = table.at(row)
    text = str(cells["input_template"])
    data = cells.get("dataset_name") or ""
    given = read_as(_Shares, _mapping(place, cells, "human_answer"), place.inside("human_answer"))
    shares = {label: share for label, share in given.items() if share is not None}
    written = dict(_LINE.findall(text))
    if size is not None and not 1 <= size < float("inf"):
        raise place.fault(f"group_size is {size:g}", "a number from 1")
    if {*shares} <= {*written}:
        text = _ABOVE.sub("", _LINE.sub("", text))
    group = cells.get("group_prompt_template") or ""
    for name, value in _mapping(place, cells, "group_prompt_variable_map").items():
        group = group.replace("{" + name + "}", str(value))
    if missing := re.search(r"\{\w+\}", group):
        raise place.fault(f"group_prompt_template has {missing[0]}", "a name of group_prompt_variable_map")
    text = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    options = [written.get(label, label) for label in shares]
    return checked_question(
        *(place.fault, str(row + 1), text, options, [*shares.values()], size),
        shares=True,
        group=group.strip(),
        cluster=f"{data}/{row + 1}",
        data=data,
    )


def _mapping(place: Place, cells: Mapping[str, str | None], name: str) -> dict[str, Any]:
    """Read a mapping that is written as JSON or as Python writes it; an empty one where there is none."""
    cell = cells.get(name) or "{}"
    found = nested(cell)
    return place.mapping(cell if found is None else found, name, "a mapping")


OPTIONS: Final = "MC_options"
NOT_GROUPS: Final = (OPTIONS, "question_text", "genre", "summary", "countries")
_Count: TypeAlias = Annotated[float, Meta(ge=0, le=LARGEST, description="a number from 0")]


class _Sides(Struct, frozen=True):
    """The shares that people and a model give the options of a question."""

    people: dict[str, _Share]
    model: dict[str, _Share]


class _Block(Record, frozen=True):
    """What a model answered to one survey."""

    dataset: Word
    output: Word
    group: Word
    demographic: Word
    questions: Annotated[dict[str, _Sides], Meta(min_length=1, description="at least one question")]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a model answered to the questions of one survey, asked in one way as one group of people.

    Attributes
    ----------
    by : Mapping of str to str
        The survey ("data"), the way of asking ("output"), and the group of people ("group").
    questions : tuple of Question
        With the shares of this group; their number is not known.
    shares : tuple of tuple of float
        What the model gave each option of each question.
    """

    by: Mapping[str, str]
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
    document, place = read_json(path), Place(path)
    if isinstance(document, list):
        known: dict[str, Question] = {}
        for block in _recorded(place, document):
            for question in block.questions:
                known.setdefault(question.key, question)
        return [*known.values()]
    return [
        question
        for name, item in place.mapping(document).items()
        for question in _by_group(place.inside(name), name, place.inside(name).mapping(item))
    ]


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
    for number, block in enumerate(read_as(tuple[_Block, ...], document, place)):
        questions, shares = [], []
        for name, sides in block.questions.items():
            here = place.inside(number, "questions", name)
            if odd := [*(sides.people.keys() ^ sides.model.keys())]:
                raise here.fault(f"option {odd[0]} is in one of people and model only", "the same options")
            people = [*sides.people.values()]
            group, survey = block.demographic, block.dataset
            question = checked_question(
                *(here.fault, name, name, [*sides.people], people), shares=True, group=group, data=survey
            )
            questions.append(replace(question, counts=(*people,)))  # rounded as they were published
            shares.append(tuple(sides.model[option] for option in question.options))
        by = {"data": block.dataset, "output": block.output, "group": block.demographic}
        found.append(Recorded(by, (*questions,), (*shares,)))
    return found


def _by_group(place: Place, name: str, item: Mapping[str, Any]) -> Iterator[Question]:
    """Make a question for each group that answered."""
    if OPTIONS not in item:
        raise place.fault(
            f"{OPTIONS} is missing",
            "answers of groups to questions with MC_options, or recorded answers of a model",
        )
    listed = item[OPTIONS]
    if isinstance(listed, str):  # A list as Python writes it.
        listed = nested(listed) or listed
    options = [one.strip('"') for one in place.texts(listed, OPTIONS, least=2)]
    text = str(item.get("question_text", name))
    context = str(item.get("summary", ""))
    if "genre" in item:
        context = f"{name}\nGenre: {item['genre']}\n{context}"
        text = "How likely are you to read this book?"
    for group, given in item.items():
        if group in NOT_GROUPS or not given:
            continue
        own = options
        here = place.inside(group)
        listed = isinstance(given, list)
        if listed:
            counts = read_as(tuple[_Share, ...], given, here)
        else:
            answers = read_as(dict[str, _Count], given, here)
            own = _joined(options, answers)
            numbers = {normalised(one): number for one, number in answers.items()}
            if unknown := [one for one in answers if normalised(one) not in map(normalised, own)]:
                raise place.fault(f"option {unknown[0]!r} of {group}", f"one of {', '.join(own)}")
            counts = tuple(numbers.get(normalised(one), 0.0) for one in own)
        if listed or any(counts):
            yield checked_question(
                *(Place(place.path, part=f"{name}, {group}").fault, name, text, own, counts),
                shares=listed,
                group=group,
                context=context,
            )


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
