"""Frames: everyday events with an open slot, and people's answers for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from probsense.analysis.open_answers.gold import WRONG
from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.errors import brief, did_you_mean
from probsense.core.files import Place, kind_of, open_bytes, read_bytes, read_jsonl
from probsense.core.files.csv_rows import decoded
from probsense.core.files.tables import KINDS, read_table
from probsense.tasks.frames.questions.published import read_blend, read_cloze
from probsense.tasks.frames.questions.tables import frames_of_table
from probsense.tasks.shared.understood import as_read

PACKAGED: Final = Path(str(files(__package__) / "frames.jsonl"))
"""The frames that come with the package. Their answers and counts are made up, as each of them says."""

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

TABLES: Final = tuple(kind for kind in KINDS if kind not in (".jsonl", ".ndjson"))
"""Endings of files that are tables of answers; any other file is read as JSON lines."""

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


class Read(NamedTuple):
    """The frames of a file, how it was read, what of it counts for nothing, and what a run says of that."""

    frames: list[Frame]
    said: str
    dropped: Sequence[str] = ()
    notes: Sequence[str] = ()


def read_frames(path: Path) -> list[Frame]:
    """Read frames, one a line, in the layout of the package or as targets in a published one; or from a table or a
    published file.

    Parameters
    ----------
    path : Path
        A table (CSV, TSV, XLSX, SPSS or Parquet), as
        :func:`~probsense.tasks.frames.questions.tables.frames_of_table` reads it, or
        JSON lines (plain, ``.bz2`` or ``.gz``). A line with a ``context`` is ``{"id", "context", "slot", "question",
        "answers": {answer: count}, "clusters": {name: {answer: count}}}``. The question may be left out where the slot
        is a known one, the slot where there is a question; a frame without answers and clusters is asked and compared
        with nothing. Answers that are made up have ``"illustrative": true`` beside them. Any other line is as
        :func:`parse_target` reads it. A TSV without a column ``answer`` is as
        :func:`~probsense.tasks.frames.questions.published.read_cloze` reads it, and a single JSON document over several
        lines as :func:`~probsense.tasks.frames.questions.published.read_blend` does.

    Raises
    ------
    InputError
        For a malformed file, and for an id that comes twice.
    """
    return frames_of(path).frames


def frames_of(path: Path) -> Read:
    """Read frames as :func:`read_frames` does, and tell how, and what counts for nothing."""
    kind = kind_of(path)
    if kind == ".tsv" and "answer" not in _header(path):
        return Read(_checked(path, _of_questions(read_cloze(path))), "sentences with a blank")
    if kind in TABLES:
        table = read_table(path)
        records, said, dropped = frames_of_table(table)
        return Read(_checked(path, _of_records(records)), said, dropped, [as_read(path, said, dropped)])
    if kind == ".json" and _is_one_document(path):
        return Read(_checked(path, _of_questions(read_blend(path))), "BLEnD")
    lines = ((Place(path, line), record) for line, record in read_jsonl(path))
    return Read(_checked(path, _of_records(lines)), "JSON lines")


def _header(path: Path) -> list[str]:
    """Return the names of the columns of a TSV, in any encoding and with or without quotes, in lower case."""
    text, _ = decoded(path, read_bytes(path))
    return [cell.strip(' "\r').lower() for cell in text.partition("\n")[0].split("\t")]


def _is_one_document(path: Path) -> bool:
    """Tell a document of BLEnD, over several lines or on one, from JSON lines."""
    with open_bytes(path) as stream:
        line = stream.readline().strip()
    if line == b"{":
        return True
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    known = [*found.values()] if isinstance(found, dict) else []
    return bool(known) and all(isinstance(one, dict) and "annotations" in one for one in known)


def _checked(path: Path, found: Iterable[tuple[Place, Frame]]) -> list[Frame]:
    """Require some frames, each with an id of its own."""
    frames: list[Frame] = []
    seen: dict[str, Place] = {}
    for place, frame in found:
        place.once(frame.id, "the id", seen)
        frames.append(frame)
    if not frames:
        raise Place(path).fault("holds no frames", 'one {"id": …, "context": …, "slot": …} a line')
    return frames


def _of_records(records: Iterable[tuple[Place, dict[str, Any]]]) -> Iterator[tuple[Place, Frame]]:
    for place, record in records:
        if "context" in record:
            yield place, _frame(record, place)
        else:
            yield from _of_questions([(place, parse_target(record, place))])


def _of_questions(questions: Iterable[tuple[Place, Question]]) -> Iterator[tuple[Place, Frame]]:
    for place, question in questions:
        yield place, Frame("", "", question.text, question)


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


def parse_target(record: Mapping[str, Any], place: Place) -> Question:
    """Parse a line of a file of questions with people's answers.

    Each line has one of these forms. The first is that of CFC and ProtoQA, and suits files of one's own; the others
    are those of old ProtoQA files::

        {"metadata": {"id"}, "question": {"original", "normalized"},
         "answers": {"raw": {answer: count}, "clusters": {id: {"count", "answers": [answer]}}}}
        {"questionid", "question", "raw-answers-cleaned": {answer: count},
         "answers-cleaned": [{"count", "answers": [answer]}]}
        {"questionid", "question", "answers-cleaned": {answer: count}}

    - ``raw`` says how often each answer was given. An answer in no cluster stays in it, and each measure leaves it
      out for itself. An answer of a cluster that is not in ``raw`` can be matched, but adds no weight.
    - Without ``raw``, the first answer of a cluster stands for its whole count, as in ProtoQA's own conversion.
    - Without ``clusters``, a question has none. Each answer of the last form is a cluster.
    - A cluster without ``count`` has the sum of the counts of its answers.
    - A string that a cluster repeats counts once (CFC's test set has it as often as it was given).
    - Clusters may share a string, or all of them: each keeps its own, and each measure states how it treats them.
    - A cluster called "wrong" must be empty and is left out: it stands for the answers in no other cluster.
    - Answers are kept as they are written, of any length and in any script, but must not be empty.

    Parameters
    ----------
    record : Mapping
    place : Place
        The line, for errors.

    Raises
    ------
    InputError
        For a question without answers, a cluster without answers, an answer that is empty or no text, a count that is
        no whole number from 1, a missing key.
    """
    metadata = place.mapping(record.get("metadata", {}), "metadata")
    id_ = place.word(_first({**record, **metadata}, ("id", "questionid"), place, "metadata.id"), "the id")
    raw, given = _answers(record, id_, place)
    counts = None
    if raw is not None:
        counts = counts_of(place, raw, "answers.raw")
        for answer in counts:
            place.word(answer, "a key of answers.raw")
    clusters = tuple(
        _cluster(key, place.mapping(body, f"cluster {brief(key)}"), counts, place)
        for key, body in place.mapping(given, "answers.clusters").items()
        if not (key == WRONG and isinstance(body, dict) and body.get("answers") == [])
    )
    if counts is None:
        counts = {}
        for cluster in clusters:
            counts[cluster.answers[0]] = counts.get(cluster.answers[0], 0) + cluster.count
    if not counts:
        raise place.fault(
            f"question {brief(id_)} has no answers", "answers.raw, or answers.clusters with counts"
        )
    return Question(id_, _text(record, place), counts, clusters)


def _answers(record: Mapping[str, Any], id_: str, place: Place) -> tuple[Any, Any]:
    """Return counts of answers (or None) and clusters by their ids, unchecked, from a line of any form."""
    if "answers" in record:
        answers = place.mapping(record["answers"], "answers")
        return answers.get("raw"), answers.get("clusters", {})
    old = _first(record, ("answers-cleaned", "answer-clusters"), place, "answers")
    raw = next((record[key] for key in _OLD_RAW if key in record), None)
    if isinstance(old, dict):
        raw = old
        old = [{"count": count, "answers": [answer]} for answer, count in old.items()]
    elif not isinstance(old, list):
        raise place.fault(f"its answers are {brief(old)}", "a list of clusters, or an object of counts")
    bodies = [place.mapping(body, f"cluster {number}") for number, body in enumerate(old)]
    clusters = {str(body.get("clusterid", f"{id_}.{number}")): body for number, body in enumerate(bodies)}
    if len(clusters) < len(bodies):
        raise place.fault("a clusterid stands twice", "each cluster with its own")
    return raw, clusters


_OLD_RAW = ("answerstrings", "raw-answers-cleaned", "raw-original-answers")
"""The keys of each answer's count in old files; first those that are spelled as in the clusters."""


def _cluster(key: str, body: dict[str, Any], raw: Mapping[str, int] | None, place: Place) -> Cluster:
    name = f"cluster {brief(key)}"
    if key == WRONG:
        raise place.fault(f"{name} has answers", "answers that are in no cluster only in answers.raw")
    answers = place.texts(
        _first(body, ("answers",), place, f"answers of {name}"), f"answers of {name}", of="answers"
    )
    for answer in answers:
        place.word(answer, f"an answer of {name}")
    strings = tuple(dict.fromkeys(answers))
    if "count" in body or raw is None:
        count = place.count(body.get("count"), f"the count of {name}")
    elif not (count := sum(raw.get(answer, 0) for answer in strings)):
        raise place.fault(f"none of the answers of {name} is in answers.raw", "answers that people gave")
    return Cluster(place.word(key, "the id of a cluster"), count, strings)


def _text(record: Mapping[str, Any], place: Place) -> str:
    """Return the question in words, as it was asked or else as it was normalised."""
    question = record.get("question", {})
    words = {"original": question} if isinstance(question, str) else place.mapping(question, "question")
    keys = ("original", "normalized", "normalized-question")
    return place.word(_first({**record, **words}, keys, place, "question.original"), "the question")


def _first(record: Mapping[str, Any], keys: tuple[str, ...], place: Place, name: str) -> Any:
    """Return the value of the first key that is there."""
    for key in keys:
        if key in record:
            return record[key]
    raise place.fault(f"{name} is missing")


def counts_of(place: Place, value: Any, name: str) -> dict[str, int]:
    """Read how often each of some answers was given, at least one."""
    found = {
        place.text(answer, f"a key of {name}"): place.count(times, f"{name}[{brief(answer)}]")
        for answer, times in place.mapping(value, name).items()
    }
    if not found:
        raise place.fault(f"{name} is empty", "at least one answer")
    if (total := sum(found.values())) > MOST:
        raise place.fault(f"{name}: {total:,} in all", f"at most {MOST:,}")
    return found
