"""Reads frames: lines of JSON in the layout of the package or those of CFC and ProtoQA, BLEnD, and tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct, field

from probsense.analysis.open_answers.gold import WRONG
from probsense.analysis.open_answers.questions import Cluster, Counts, Question
from probsense.core.errors import InputError, brief
from probsense.core.files import Place, kind_of, open_bytes, read_json, read_jsonl
from probsense.core.files.place import LARGEST
from probsense.core.files.tables import KINDS, Table, read_table
from probsense.core.files.typed import Record, Word, Words, read_as
from probsense.tasks.frames.questions.frames import Count, Frame, checked, frame_of
from probsense.tasks.shared.tables.answers import read_answers, row_groups
from probsense.tasks.shared.tables.columns import OPEN
from probsense.tasks.shared.understood import Read

PACKAGED: Final = Path(str(files(__package__) / "frames.jsonl"))
"""The frames that come with the package. Their answers and counts are made up, as each of them says."""

TABLES: Final = tuple(kind for kind in KINDS if kind not in (".jsonl", ".ndjson", ".json"))
"""Endings of files that are tables of answers; any other file is read as JSON lines."""


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
    return frames_of(path, columns).found


def frames_of(path: Path, columns: str | Sequence[str] = ()) -> Read[list[Frame]]:
    """Read frames as :func:`read_frames` does, and tell how, and what counts for nothing."""
    kind = kind_of(path)
    if kind in TABLES:
        table = frames_of_table(read_table(path), columns)
        return Read(_checked(path, table.found), table.said, table.dropped)
    if columns:
        raise InputError(
            "--columns with a file that is no table", path=path, expected=f"a table: {', '.join(TABLES)}"
        )
    if kind == ".json" and _is_blend(path):
        found = [(Place(path), _of_question(question)) for question in read_blend(path)]
        return Read(_checked(path, found), "BLEnD", usual=True)
    return Read(_checked(path, _of_lines(path)), "JSON lines", usual=True)


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


_Counts: TypeAlias = Annotated[
    dict[Word, Count], Meta(min_length=1, description="at least one answer and its count")
]


class _Line(Record, frozen=True):
    """A frame in the layout of the package."""

    id: Word
    context: Word
    slot: Word = ""
    question: Word = ""
    answers: _Counts = field(default_factory=dict)
    clusters: dict[Word, _Counts] = field(default_factory=dict)
    illustrative: bool = False


def _frame(record: dict[str, Any], place: Place) -> Frame:
    line = read_as(_Line, record, place)
    about = {name: getattr(line, name).strip() for name in ABOUT}
    raw = line.answers or dict(sum(map(Counter, line.clusters.values()), Counter()))
    return frame_of(place, line.id.strip(), about, raw, line.clusters, illustrative=line.illustrative)


class _Cluster(Struct, frozen=True):
    """Answers that mean the same, and how often they were given."""

    answers: tuple[Word, ...]
    count: Annotated[int, Meta(ge=0, le=LARGEST)] | None = None


class _Answers(Struct, frozen=True):
    """People's answers to a question."""

    raw: _Counts | None = None
    clusters: dict[Word, _Cluster] = {}


class _Target(Struct, frozen=True):
    """A line of CFC and ProtoQA."""

    id: Word
    question: Word
    answers: _Answers


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
    target = read_as(_Target, _in_one_form(record, place), place)
    counts = target.answers.raw
    clusters = []
    place = place.inside("answers")
    for name, body in target.answers.clusters.items():
        here = place.inside("clusters", name)
        strings = tuple(dict.fromkeys(body.answers))
        if (name == WRONG) == bool(strings):
            raise here.wrong([*strings], "answers", f"answers, and none for {WRONG}: it is in no cluster")
        count = sum(counts.get(one, 0) for one in strings) if body.count is None and counts else body.count
        if strings and not count:
            raise here.wrong(
                count or None, "count", "a whole number from 1, or answers that are in answers.raw"
            )
        clusters += [Cluster(name, count or 0, strings)] if strings else []
    raw: Counts = counts or _by_first(clusters)
    if not raw:
        raise place.fault(f"question {brief(target.id)} has no answers", "raw, or clusters with counts")
    return Question(target.id, target.question, checked(place, raw, "answers"), (*clusters,))


def _in_one_form(record: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Write a line of any form as a new one, unchecked: an id, a question, answers."""
    about, question = record.get("metadata"), record.get("question")
    known = {**record, **(about if isinstance(about, dict) else {})}
    known |= question if isinstance(question, dict) else {"original": question}
    found = {
        "id": _first(known, "id", "questionid"),
        "question": _first(known, "original", "normalized", "normalized-question"),
        "answers": _first(record, "answers", "answers-cleaned", "answer-clusters"),
    }
    if "answers" not in record and isinstance(old := found["answers"], dict | list):
        raw = _first(record, *_OLD_RAW)
        if isinstance(old, dict):
            raw, old = old, [{"answers": [answer]} for answer in old]
        clusters = {}
        for number, body in enumerate(old):
            name = str(place.mapping(body, f"cluster {number}").get("clusterid", f"{found['id']}.{number}"))
            if name in clusters:
                raise place.fault(f"the clusterid {brief(name)} stands twice", "each cluster with its own")
            clusters[name] = body
        found["answers"] = {"raw": raw, "clusters": clusters}
    return {name: value for name, value in found.items() if value is not None}


_OLD_RAW = ("answerstrings", "raw-answers-cleaned", "raw-original-answers")
"""The keys of each answer's count in old files; first those that are spelled as in the clusters."""


def _first(record: Mapping[str, Any], *keys: str) -> Any:
    """Return the value of the first key that is there; None without any."""
    return next((record[key] for key in keys if record.get(key) is not None), None)


class _Spellings(Struct, frozen=True):
    """The spellings of one answer, and how many people gave it."""

    answers: Words
    count: Count


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


def frames_of_table(table: Table, columns: str | Sequence[str] = ()) -> Read[list[tuple[Place, Frame]]]:
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
    if "id" in names:
        table.texts("id", "an id")
    key = [name for name in (("id",) if "id" in names else ABOUT) if name in names]
    answers = table.values("answer").to_list()
    clusters = table.values("cluster").to_list() if "cluster" in names else [None] * len(answers)
    counts = [1] * len(answers)
    if "count" in names:
        numbers = table.whole_numbers("count", missing=True)
        given = table.values("answer").is_not_null()
        table.refuse((numbers.fill_null(0) < 1) & given, "count", "a whole number from 1")
        counts = numbers.to_list()
        once = frame.select(*key, "answer", *({"cluster"} & names))
        table.taken(given.arg_true().to_list(), ()).refuse_repeated(once.filter(given))
    frames = []
    keys = zip(*(table.values(name).to_list() for name in key), strict=True)
    for own, rows, about in row_groups(table, keys, ABOUT):
        place = table.at(rows[0])
        name = own[0] if "id" in names else " ".join(about[one] for one in NAMING if one in about)
        groups: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for row in rows:
            if (answer := answers[row]) is not None:
                groups[clusters[row] or ""][answer] += counts[row]
        raw = sum(groups.values(), Counter[str]())
        groups.pop("", None)  # in no cluster
        if not raw and "context" not in about:
            raise place.fault(f"nobody answered {brief(about['question'])}", "an answer")
        frames.append((place, frame_of(place, str(name), about, raw, groups)))
    empty = answers.count(None)
    dropped = [*read.dropped, *([f"rows without an answer ({empty:,})"] if empty else [])]
    return Read(frames, read.said, dropped)
