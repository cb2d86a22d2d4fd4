"""Open questions with people's answers in two published layouts: sentences with a blank, and BLEnD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.files import Place, read_json, read_text

BLANK: Final = "Which word fills the blank?"
PEOPLE: Final = 100
"""About how many people filled each blank; the file has their shares in hundredths."""
SILENT: Final = "No Response"
_LAYOUT: Final = "a sentence, the number of its answers, two figures, the answers, and a share for each"


def read_cloze(path: Path) -> Iterator[tuple[Place, Question]]:
    """Read sentences with a blank, and the words that people filled in (Peelle et al. 2020, Behavior Research
    Methods 52, 1795–99).

    A row has a sentence, the number k of its different answers, two figures, k answers and k shares. Shares are rounded
    to hundredths of about a hundred people, so they become whole numbers. People who wrote nothing do not count. The id
    of a question is the number of its row.

    Parameters
    ----------
    path : Path
        Cells separated by tabs, with a header; rows have as many as they need.
    """
    for number, row in enumerate(read_text(path).splitlines()[1:], start=1):
        if not row.strip():
            continue
        place = Place(path, number + 1)
        cells = [cell.strip() for cell in row.rstrip().split("\t")]
        size = int(cells[1]) if len(cells) > 1 and cells[1].isdecimal() else -1
        if len(cells) != 4 + 2 * size:
            raise place.fault(f"{len(cells)} cells", _LAYOUT)
        counts: Counter[str] = Counter()
        for answer, share in zip(cells[4 : 4 + size], cells[4 + size :], strict=True):
            people = round(PEOPLE * place.number(_number(share), answer, 0, 1, "a share"))
            if answer != SILENT:
                counts[place.word(answer, "an answer")] += max(people, 1)
        yield place, Question(str(number), f"{place.word(cells[0], 'the sentence')} {BLANK}", counts)


def _number(cell: str) -> object:
    """Return the number in a cell, or its text if there is none."""
    try:
        return float(cell)
    except ValueError:
        return cell


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
            cluster = _cluster(there, there.mapping(body), clusters)
            clusters[cluster.id] = cluster
        raw: Counter[str] = Counter()
        for cluster in clusters.values():
            raw[cluster.answers[0]] += cluster.count
        text = here.word(found.get("question"), "question").strip()
        yield place, Question(name, text, raw, tuple(clusters.values()))


def _cluster(place: Place, body: dict[str, Any], known: dict[str, Cluster]) -> Cluster:
    """Read the spellings of one answer; two clusters that begin alike have names of their own."""
    answers = tuple(dict.fromkeys(place.texts(body.get("answers"), "answers", of="answers")))
    for answer in answers:
        place.word(answer, "an answer")
    again = sum(answers[0] == cluster.answers[0] for cluster in known.values())
    name = f"{answers[0]} ({again + 1})" if again else answers[0]
    return Cluster(name, place.count(body.get("count"), "count"), answers)
