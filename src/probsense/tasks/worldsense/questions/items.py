"""The trials as items: those of a test set or of a fresh one, and a choice of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from probsense.core.errors import InputError
from probsense.core.records import Item, digest
from probsense.tasks.worldsense.audit.labels import corrections
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.generator import generate as generate_trials
from probsense.tasks.worldsense.questions.asking import Asked
from probsense.tasks.worldsense.questions.format import DIFFICULTY, deobfuscate
from probsense.tasks.worldsense.questions.trials import read_trials

CELL = ("problem", "size", "skin", "qskin", "complexity", *DIFFICULTY)


def asked_of(item: Item) -> Asked:
    return Asked(item.id, item.data["text"], tuple(item.data["expected"]))


def read_items(folder: Path) -> Iterator[Item]:
    trials = read_trials(folder, text=True)
    corrected = corrections(folder).labels
    for row in trials.iter_rows(named=True):
        data = {key: row[key] for key in ("text", "expected", *CELL)}
        if row["key"] in corrected:
            data["corrected"] = corrected[row["key"]]
        yield Item(str(row["key"]), row["tuple_id"], row["gold"], data)


def source_of(design: Design) -> str:
    """Return a digest of everything from which generated trials follow."""
    return digest([version("probsense"), np.__version__, repr(design)])


def generated_items(design: Design) -> Iterator[Item]:
    for records in generate_trials(design):
        for record in records:
            data = {
                "text": record["text"],
                "expected": record["expectedresp"],
                "problem": record["problemname"],
                "size": record["problemsize"],
                **{key: record[key] for key in ("skin", "qskin", "complexity", *DIFFICULTY)},
            }
            gold = deobfuscate(record["goldresp_obfusc"])
            yield Item(str(record["Key"]), record["tuple_ID"], gold, data)


def balanced(items: Iterable[Item], limit: int, seed: int, *, by_depth: bool = False) -> list[Item]:
    """Choose at most ``limit`` items: whole clusters, spread evenly over problems and their cells.

    Problems take turns, and within a problem its cells (size x skin x question wording x complexity) do; which
    cluster of a cell comes first is drawn. The items keep their order.

    Parameters
    ----------
    items : iterable of Item
    limit : int
        Number of items.
    seed : int
    by_depth : bool
        Whether the depth of inference is a part of the cell, too.

    Raises
    ------
    InputError
        If not even one cluster fits.
    """
    clusters: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        clusters[item.cluster].append(item)
    fields = ("size", "skin", "qskin", "complexity", *(["depth"] if by_depth else []))
    cells: dict[str, dict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for cluster, members in clusters.items():
        data = members[0].data
        cell = tuple(str(data[key]) for key in fields)
        cells[data["problem"]][cell].append(cluster)
    draws = Draws(np.random.default_rng([seed, 3]))
    queues = [_in_turn(list(by_cell.values()), draws) for by_cell in cells.values()]
    chosen: set[str] = set()
    left = limit
    while queues:
        for queue in list(queues):
            following = next(queue, None)
            if following is None:
                queues.remove(queue)
            elif len(clusters[following]) <= left:
                chosen.add(following)
                left -= len(clusters[following])
            else:
                queues.clear()
                break
    if not chosen:
        raise InputError(f"a limit of {limit}", expected="room for at least one whole tuple (3)")
    return [item for cluster in clusters if cluster in chosen for item in clusters[cluster]]


def _in_turn(cells: Sequence[Sequence[str]], draws: Draws) -> Iterator[str]:
    """Yield the clusters of all cells: one of each cell, in drawn order, then another of each, and so on."""
    shuffled = [draws.sample(cell, len(cell)) for cell in draws.sample(cells, len(cells))]
    for place in range(max(map(len, shuffled))):
        yield from (cell[place] for cell in shuffled if place < len(cell))
