"""Open questions with people's answers in published layouts: those of CFC and ProtoQA, and BLEnD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from probsense.analysis.open_answers.gold import WRONG
from probsense.analysis.open_answers.questions import Cluster, Counts, Question
from probsense.core.errors import brief
from probsense.core.files import Place, read_json
from probsense.tasks.frames.questions.frames import counts_of


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
    strings = _strings(place, listed, f"answers of {name}", f"an answer of {name}")
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


def read_blend(path: Path) -> Iterator[tuple[Place, Question]]:
    """Read questions about everyday life in a country (BLEnD: Myung et al. 2024, arXiv 2406.09948).

    The document has, by id, a ``question`` and ``annotations``: spellings of one answer, and how many people gave it.
    They become a cluster. Who did not know does not count.

    Parameters
    ----------
    path : Path
        JSON.
    """
    place = Place(path)
    for name, record in place.mapping(read_json(path)).items():
        here = place.inside(name)
        found = here.mapping(record)
        clusters: dict[str, Cluster] = {}
        for number, body in enumerate(here.entries(found.get("annotations"), "annotations")):
            there = here.inside("annotations", number)
            cluster = _spellings(there, there.mapping(body), clusters)
            clusters[cluster.id] = cluster
        text = here.word(found.get("question"), "question").strip()
        yield place, Question(name, text, _by_first(clusters.values()), tuple(clusters.values()))


def _spellings(place: Place, body: dict[str, Any], known: dict[str, Cluster]) -> Cluster:
    """Read the spellings of one answer; two clusters that begin alike have names of their own."""
    answers = _strings(place, body.get("answers"), "answers", "an answer")
    again = sum(answers[0] == cluster.answers[0] for cluster in known.values())
    name = f"{answers[0]} ({again + 1})" if again else answers[0]
    return Cluster(name, place.count(body.get("count"), "count"), answers)


def _strings(place: Place, value: Any, name: str, each: str) -> tuple[str, ...]:
    """Read the answers of a cluster, each once."""
    answers = place.texts(value, name, of="answers")
    return tuple(dict.fromkeys(place.word(answer, each) for answer in answers))


def _by_first(clusters: Iterable[Cluster]) -> Counts:
    """Count the first answer of each cluster as often as all of it."""
    found: Counter[str] = Counter()
    for cluster in clusters:
        found[cluster.answers[0]] += cluster.count
    return found
