"""Reads and writes files of a model's answers to open questions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct

from probsense.analysis.open_answers.questions import Counts
from probsense.core.errors import brief
from probsense.core.files import Place, kind_of, read_json, read_jsonl, writing
from probsense.core.files.typed import Text, Word, read_as
from probsense.core.names import file_name
from probsense.tasks.frames.questions.frames import Count, checked


@dataclass(frozen=True, slots=True)
class Predictions:
    """Answers of a model, by the id of the question, in the order of the file.

    Attributes
    ----------
    counts : Mapping of str to Counts
        How often each answer was given.
    ranked : Mapping of str to tuple of str
        Answers, best first. A list in the file stays as it is, with its repetitions. Otherwise the different answers
        come by how often they were given, then by which was first.
    listed : bool
        Whether all counts of the file are 1. It then most likely lists answers, and their counts are lost.
    published : Mapping of str to Counts
        The released evaluation of CFC takes these for counts: ``model_answers``, whatever the counts beside it are.
    """

    counts: Mapping[str, Counts]
    ranked: Mapping[str, tuple[str, ...]]
    listed: bool
    published: Mapping[str, Counts]


def read_predictions(path: Path) -> Predictions:
    """Read a model's answers.

    A file of JSON lines (named ``.jsonl`` or ``.ndjson``) has lines of any of the forms ::

        {"id": id, "answers": [answer]}                      # each as often as it was given
        {"id": id, "answers": {answer: count}}
        {"question_id": id, "ranked_answers": [answer]}      # ProtoQA
        {id: [answer]}                                       # ProtoQA; with several questions, too

    Any other file is one JSON object, of one of the forms ::

        {id: [answer]}                                       # ProtoQA
        {"model_answers": {id: [answer]}, "model_ranked_answers": {id: [answer]},
         "model_answers_with_count": {id: [[answer, count]]}}

    - Any part of the last form may be left out, and other keys count for nothing. The count of an answer comes from
      ``model_answers_with_count``, else from its number in ``model_answers`` (some published files list each answer
      there once), else from its number in the ranking. The order of ``model_ranked_answers`` puts the best first.
    - A line ``{"id": id, "answers": []}`` is a question to which the model said nothing: it counts as unanswered.
    - Answers are kept as they are written, of any length and in any script. An empty one is the answer of a model
      that wrote nothing.

    Parameters
    ----------
    path : Path
        Plain, ``.bz2`` or ``.gz``.

    Returns
    -------
    Predictions

    Raises
    ------
    InputError
        For a file that cannot be read, has none of these forms or holds no question, a question that comes twice, has
        no answers or is in some parts of the file only, an answer that is no text or comes twice with a count, a count
        that is no whole number from 1.
    """
    place = Place(path)
    if kind_of(path) in (".jsonl", ".ndjson"):
        answers: dict[str, _Answers] = {}
        seen: dict[str, Place] = {}
        for line, record in read_jsonl(path):
            here = Place(path, line)
            for id_, own in _line(record, here).items():
                here.once(id_, "the id", seen)
                answers[id_] = own
        found = _predictions(answers)
    else:
        record = place.mapping(read_json(path, keys_once=True))
        parts = {*_Parts.__struct_fields__} & record.keys()
        found = _parts(record, place) if parts else _predictions(_line(record, place))
    if not found.counts:
        raise place.fault("holds no answers")
    for id_, counts in found.counts.items():
        checked(place, counts, f"the answers to {brief(id_)}")
    return found


_Answers: TypeAlias = Counts | tuple[str, ...]
"""How often each answer was given, or a ranking, the best first."""
_Lists: TypeAlias = dict[Word, Annotated[tuple[Text, ...], Meta(min_length=1)]]
_Pairs: TypeAlias = Annotated[list[tuple[Text, Count]], Meta(min_length=1)]


class _Given(Struct, frozen=True):
    """A line with every answer as often as it was given, or with the different answers and their counts."""

    id: Word
    answers: tuple[Text, ...] | dict[Text, Count]


class _Ranked(Struct, frozen=True):
    """A line of ProtoQA."""

    question_id: Word
    ranked_answers: Annotated[tuple[Text, ...], Meta(min_length=1)]


class _Parts(Struct, frozen=True):
    """An object of CFC."""

    model_answers_with_count: dict[Word, _Pairs] = {}
    model_answers: _Lists = {}
    model_ranked_answers: _Lists = {}


def _line(record: Mapping[str, Any], place: Place) -> Mapping[str, _Answers]:
    """Read the answers to a question, or to several, by their ids."""
    if {"question_id", "ranked_answers"} <= record.keys():
        ranked = read_as(_Ranked, record, place)
        return {ranked.question_id: ranked.ranked_answers}
    if {"id", "answers"} <= record.keys():
        own = read_as(_Given, record, place)
        return {own.id: Counter(own.answers)} if own.answers else {}
    return read_as(_Lists, record, place)


def _parts(record: Mapping[str, Any], place: Place) -> Predictions:
    """Join the parts of an object of CFC."""
    parts = read_as(_Parts, record, place)
    pairs = {id_: dict(own) for id_, own in parts.model_answers_with_count.items()}
    for id_, own in parts.model_answers_with_count.items():
        if len(pairs[id_]) < len(own):
            raise place.wrong(own, f"the counts of {brief(id_)}", "each answer once")
    answers = {id_: Counter(own) for id_, own in parts.model_answers.items()}
    given: Mapping[str, _Answers] = pairs or answers or parts.model_ranked_answers
    for name in ("model_answers", "model_ranked_answers"):
        part = getattr(parts, name)
        for id_ in given.keys() ^ part.keys() if part else ():
            raise place.fault(f"question {brief(id_)} is not in all parts", f"{name} of the same questions")
    return _predictions(given, parts.model_ranked_answers, answers)


def _predictions(
    given: Mapping[str, _Answers],
    ranked: Mapping[str, tuple[str, ...]] | None = None,
    published: Mapping[str, Counts] | None = None,
) -> Predictions:
    counts = {id_: Counter(own) for id_, own in given.items()}
    ranks = {
        id_: own if isinstance(own, tuple) else (*sorted(own, key=lambda answer: -own[answer]),)
        for id_, own in given.items()
    }
    listed = all(n == 1 for times in counts.values() for n in times.values())
    return Predictions(counts, ranked or ranks, listed, published or counts)


def write_answers(folder: Path, model: str, answers: Mapping[str, Counts]) -> Path:
    """Write answers and how often each was given, for ``analyse frames --predictions``, whole or not at all.

    Parameters
    ----------
    folder : Path
        It is made if it is missing.
    model : str
        The name of the model; the file is named after it.
    answers : Mapping of str to Counts
        Answers by the id of the question.

    Returns
    -------
    Path
        The file: a line ``{"id": …, "answers": {answer: count}}`` for each question.
    """
    path = folder / f"{file_name(model)}_answers.jsonl"
    with writing(path) as stream:
        for name, counts in answers.items():
            line = json.dumps({"id": name, "answers": dict(counts)}, ensure_ascii=False)
            stream.write(f"{line}\n".encode())
    return path
