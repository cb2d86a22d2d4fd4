"""Reads frames: lines of JSON in the layout of the package or those of CFC and ProtoQA, BLEnD, and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import polars as pl
from msgspec import Meta, Struct

from probsense.analysis.open_answers.gold import WRONG
from probsense.analysis.open_answers.questions import Cluster, Counts, Question
from probsense.core.errors import InputError, brief
from probsense.core.files import Place, kind_of, open_bytes, read_json, read_jsonl
from probsense.core.files.place import LARGEST
from probsense.core.files.tables import KINDS, Table, read_table
from probsense.core.files.typed import Word, Words, read_as
from probsense.tasks.frames.questions.frames import Frame, counts_of, frame_of
from probsense.tasks.shared.tables.answers import read_answers, row_groups
from probsense.tasks.shared.tables.columns import OPEN
from probsense.tasks.shared.understood import as_read

PACKAGED: Final = Path(str(files(__package__) / "frames.jsonl"))
"""The frames that come with the package. Their answers and counts are made up, as each of them says."""

TABLES: Final = tuple(kind for kind in KINDS if kind not in (".jsonl", ".ndjson", ".json"))
"""Endings of files that are tables of answers; any other file is read as JSON lines."""

_WORDS: Final[tuple[str, ...]] = ("id", "context", "slot", "question")
_ABOUT_PEOPLE: Final = ("answers", "clusters", "illustrative")


class Read(NamedTuple):
    """The frames of a file, how it was read, what of it counts for nothing, and what a run says of that."""

    frames: list[Frame]
    said: str
    dropped: Sequence[str] = ()
    notes: Sequence[str] = ()


def read_frames(path: Path, columns: str | Sequence[str] = ()) -> list[Frame]:
    """Read frames, one a line, in the layout of the package or as targets in a published one; or from a table or a
    published file.

    Parameters
    ----------
    path : Path
        A table (CSV, TSV, XLSX, SPSS or Parquet), as
        :func:`frames_of_table` reads it, or
        JSON lines (plain, ``.bz2`` or ``.gz``). A line with a ``context`` is ``{"id", "context", "slot", "question",
        "answers": {answer: count}, "clusters": {name: {answer: count}}}``. The question may be left out where the slot
        is a known one, the slot where there is a question; a frame without answers and clusters is asked and compared
        with nothing. Answers that are made up have ``"illustrative": true`` beside them. Any other line is as
        :func:`parse_target` reads it. A single JSON document is as
        :func:`read_blend` reads it.
    columns : str or sequence of str
        What columns of a table are, each as "role=name".

    Raises
    ------
    InputError
        For a malformed file, and for an id that comes twice.
    """
    return frames_of(path, columns).frames


def frames_of(path: Path, columns: str | Sequence[str] = ()) -> Read:
    """Read frames as :func:`read_frames` does, and tell how, and what counts for nothing."""
    kind = kind_of(path)
    if kind in TABLES:
        found, said, dropped = frames_of_table(read_table(path), columns)
        return Read(_checked(path, found), said, dropped, [as_read(path, said, dropped)])
    if columns:
        raise InputError(
            "--columns with a file that is no table", path=path, expected=f"a table: {', '.join(TABLES)}"
        )
    if kind == ".json" and _is_blend(path):
        found = [(Place(path), _of_question(question)) for question in read_blend(path)]
        return Read(_checked(path, found), "BLEnD")
    return Read(_checked(path, _of_lines(path)), "JSON lines")


def _is_blend(path: Path) -> bool:
    """Tell a document of BLEnD, over several lines or on one, from JSON lines."""
    with open_bytes(path) as stream:
        line = stream.readline().strip()
    return line == b"{" or b'"annotations"' in line


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


def _of_lines(path: Path) -> Iterator[tuple[Place, Frame]]:
    for line, record in read_jsonl(path):
        place = Place(path, line)
        if "context" in record:
            yield place, _frame(record, place)
        else:
            yield place, _of_question(parse_target(record, place))


def _of_question(question: Question) -> Frame:
    return Frame("", "", question.text, question)


def _frame(record: dict[str, Any], place: Place) -> Frame:
    place.record(record, needed=_WORDS[:2], optional=(*_WORDS[2:], *_ABOUT_PEOPLE))
    about = {key: place.word(record[key], key).strip() for key in _WORDS if key in record}
    groups = {
        label: counts_of(place, own, f"clusters[{brief(label)}]", place.word)
        for label, own in place.mapping(record.get("clusters", {}), "clusters").items()
    }
    if "answers" in record:
        raw = counts_of(place, record["answers"], "answers", place.word)
    else:
        raw = dict(sum(map(Counter, groups.values()), Counter()))
    clusters = [Cluster(label, sum(own.values()), tuple(own)) for label, own in groups.items()]
    made_up = record.get("illustrative", False)
    if not isinstance(made_up, bool):
        raise place.fault(f"illustrative is {brief(made_up)}", "true or false")
    return frame_of(place, about["id"], about, raw, clusters, illustrative=made_up)


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
    counts: Counts | None = None if raw is None else counts_of(place, raw, "answers.raw", place.word)
    clusters = tuple(
        _cluster(key, place.mapping(body, f"cluster {brief(key)}"), counts, place)
        for key, body in place.mapping(given, "answers.clusters").items()
        if not (key == WRONG and isinstance(body, dict) and body.get("answers") == [])
    )
    if counts is None:
        counts = _by_first(clusters)
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
    listed = _first(body, ("answers",), place, f"answers of {name}")
    texts = place.texts(listed, f"answers of {name}", of="answers")
    strings = tuple(dict.fromkeys(place.word(answer, f"an answer of {name}") for answer in texts))
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


class _Spellings(Struct, frozen=True):
    """The spellings of one answer, and how many people gave it."""

    answers: Words
    count: Annotated[int, Meta(ge=1, le=LARGEST, description="a whole number from 1")]


class _Asked(Struct, frozen=True):
    """A question of BLEnD."""

    question: Word
    annotations: tuple[_Spellings, ...]


def read_blend(path: Path) -> Iterator[Question]:
    """Read questions about everyday life in a country (BLEnD: Myung et al. 2024, arXiv 2406.09948).

    The document has, by id, a ``question`` and ``annotations``: spellings of one answer, and how many people gave it.
    They become a cluster. Who did not know does not count.

    Parameters
    ----------
    path : Path
        JSON.
    """
    for name, asked in read_as(dict[str, _Asked], read_json(path), Place(path)).items():
        clusters: list[Cluster] = []
        for own in asked.annotations:
            first, answers = own.answers[0], tuple(dict.fromkeys(own.answers))
            again = sum(first == cluster.answers[0] for cluster in clusters)
            # Two that begin alike have names of their own.
            clusters.append(Cluster(f"{first} ({again + 1})" if again else first, own.count, answers))
        yield Question(name, asked.question.strip(), _by_first(clusters), (*clusters,))


def _by_first(clusters: Iterable[Cluster]) -> Counts:
    """Count the first answer of each cluster as often as all of it."""
    found: Counter[str] = Counter()
    for cluster in clusters:
        found[cluster.answers[0]] += cluster.count
    return found


ABOUT: Final = ("context", "slot", "question")
"""Columns that say the same in all rows of a frame."""
NAMING: Final = ("context", "question", "slot")
"""What names a frame without an id, in this order."""
ROLES: Final = ("question", "answer", "person", "count")
"""What single columns may be."""


def frames_of_table(
    table: Table, columns: str | Sequence[str] = ()
) -> tuple[list[tuple[Place, Frame]], str, Sequence[str]]:
    """Make the frames of a table, and tell how it was read, and what of it counts for nothing.

    Rows belong to one frame if they have one ``id``, or without that column one context and question. Without
    ``count``, each row is one person's answer. ``cluster`` names the cluster to which people assigned the answer. A row
    with a count, or with a cluster, has an answer of its own; a row without an answer counts for nothing.

    Raises
    ------
    InputError
        For a missing column, a count that is no whole number from 1, an answer that comes twice with a count, and rows
        of one frame that differ in what they say of it; the error names the line.
    """
    table.refuse_other_case("id", *ABOUT, "cluster", expected=OPEN)
    read = read_answers(table, columns, about=("id", "context", "slot", "cluster"), roles=ROLES, listed=False)
    frame = read.table.frame.drop({*read.columns} - {*read.columns.values()}, strict=False)
    frame = frame.rename({name: role for role, name in read.columns.items()})
    if "text" in frame.columns:  # what was asked in the columns that are questions
        frame = frame.rename({"question": "id", "text": "question"})
    table = replace(read.table, frame=frame)
    names = {*frame.columns}
    if "slot" in names:
        table.columns("context", expected=OPEN)
    if "id" in names:
        table.texts("id", "an id")
    given = [table.values(name).to_list() for name in (("id",) if "id" in names else ABOUT) if name in names]
    answers = table.values("answer").to_list()
    clusters = table.values("cluster").to_list() if "cluster" in names else [None] * len(answers)
    counts = _counts(table, answers)
    frames = []
    for key, rows, about in row_groups(table, zip(*given, strict=True), ABOUT):
        part = "" if table.lines else f"row {table.row(rows[0]) + 1}"
        place = Place(table.path, table.line(rows[0]), part=part)
        if not about.get("question") and not {"context", "slot"} <= {*about}:
            raise place.fault("no question", "a question, or a context and a slot")
        name = key[0] if "id" in names else " ".join(about[one] for one in NAMING if one in about)
        raw, groups = _counted(table, rows, answers, clusters, counts)
        if raw:
            counts_of(place, raw, "answers", place.word)
        elif "context" not in about:
            raise place.fault(f"nobody answered {brief(about['question'])}", "an answer")
        frames.append((place, frame_of(place, str(name), about, raw, groups)))
    empty = answers.count(None)
    return frames, read.said, (*read.dropped, *([f"rows without an answer ({empty:,})"] if empty else []))


def _counts(table: Table, answers: Sequence[str | None]) -> list[int] | None:
    if "count" not in table.frame.columns:
        return None
    found = table.whole_numbers("count", missing=True)
    given = pl.Series([answer is not None for answer in answers])
    table.refuse((found.fill_null(0) < 1) & given, "count", "a whole number from 1")
    return found.to_list()


def _counted(
    table: Table,
    rows: Sequence[int],
    answers: Sequence[str | None],
    clusters: Sequence[str | None],
    counts: Sequence[int] | None,
) -> tuple[Counter[str], list[Cluster]]:
    """Count the answers in the rows of a frame, and list their clusters."""
    raw: Counter[str] = Counter()
    first: dict[tuple[str, str | None], int] = {}
    for row in rows:
        answer, cluster = answers[row], clusters[row]
        if answer is None:
            continue
        earlier = first.setdefault((answer, cluster), row)
        if counts is not None and earlier != row:
            again = f"answer {brief(answer)} again, first {table.place(earlier)}"
            raise table.fault(row, again, "each answer to a question once, with its count")
        raw[answer] += 1 if counts is None else counts[row]
    groups: dict[str, list[str]] = {}
    for answer, cluster in first:
        if cluster is not None:
            groups.setdefault(cluster, []).append(answer)
    return raw, [Cluster(name, sum(raw[one] for one in own), (*own,)) for name, own in groups.items()]
