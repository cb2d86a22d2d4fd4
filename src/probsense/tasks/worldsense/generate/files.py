"""The files of a generated set: trials or lessons, skins, and the manifest that says how they were drawn."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from probsense.core.errors import InputError
from probsense.core.files import Place, file_hash, read_json, writing
from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.matched import NORMAL, matched_depths
from probsense.tasks.worldsense.generate.problems import Cell
from probsense.tasks.worldsense.generate.sets import Design, cells, count_trials, draw_tuples, generate
from probsense.tasks.worldsense.questions.format import HASHED, SKINS_FILE, TRAINING_FILE, TRIALS_FILE
from probsense.tasks.worldsense.text.skin_files import dump_skins
from probsense.tasks.worldsense.text.skins import ParallelSkin

_TRAINING_BLOCK = 4096

MANIFEST_FILE = "manifest.json"
"""The file beside the trials that says how they were drawn."""


_CHAINED = (*NORMAL, "Infer.extrema")
"""The problems that facts must be joined for."""


def unmatched(design: Design) -> tuple[str, ...]:
    """List what siblings do not agree in, by problem and size; for the published regime, nothing is promised."""
    if design.regime == PUBLISHED:
        return ()
    counted = ((f"{cell.problem}, size {cell.size}", _countable(cell)) for cell in cells(design))
    return tuple(dict.fromkeys(f"{where}: {counts}" for where, counts in counted if counts))


def _countable(cell: Cell) -> str:
    """Say what counting still tells in a cell of the matched regime; "" for nothing."""
    if isinstance(cell.skin, ParallelSkin):
        return "how often lines are called parallel and perpendicular"
    if not matched_depths(cell.problem, cell.size, cell.complexity):
        return "times named, wins and losses, what is named first" if cell.problem in _CHAINED else ""
    of_others = "times named, wins and losses of the things that are not asked about"
    return of_others if (cell.problem, cell.size) == ("Compl.normal", 4) else ""


def _write_manifest(folder: Path, design: Design, names: Sequence[str]) -> None:
    """Describe how a set was made, with the hashes of its files."""
    document = {
        "schema": 1,
        "task": "worldsense",
        "regime": design.regime,
        "seed": design.seed,
        "sizes": design.sizes,
        "problems": design.problems,
        "tuples": design.tuples,
        "depths": design.depths,
        "skins": sorted({cell.skin.name for cell in cells(design)}),
        "trials": count_trials(design),
        "unmatched": unmatched(design),
        "version": version("probsense"),
        "files": {name: file_hash(folder / name) for name in names},
    }
    with writing(folder / MANIFEST_FILE) as stream:
        stream.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")


def changed_files(folder: Path) -> tuple[str, ...]:
    """List the files of a folder that are not those of its manifest: changed since, or gone.

    A folder without a manifest, or with one that holds no hashes, promises nothing.

    Raises
    ------
    InputError
        For a manifest that cannot be read.
    """
    path = folder / MANIFEST_FILE
    if not path.exists():
        return ()
    place = Place(path)
    files = place.mapping(place.mapping(read_json(path)).get("files", {}), "files")
    kept = {name: file_hash(folder / name) for name in HASHED if (folder / name).is_file()}
    return tuple(name for name in HASHED if name in files and kept.get(name) != files[name])


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


Progress: TypeAlias = Callable[[int, int], None]
"""Takes the number of trials written and the number of all."""


def write_testset(folder: Path, design: Design, progress: Progress = lambda done, total: None) -> int:
    """Write ``trials.jsonl.bz2`` in the published format, with its manifest and its skins, which an audit reads.

    Parameters
    ----------
    folder : Path
        Made if missing. A set that is already there is an error: it may have results, and the manifest describes it.
    design : Design
    progress : callable
        Called after each tuple.

    Returns
    -------
    int
        The number of trials.
    """
    _refuse_existing(folder)
    told = {cell.skin.name for cell in cells(design)}
    used = [skin for skin in design.skins if skin.name in told]
    with writing(folder / SKINS_FILE) as stream:
        stream.write(dump_skins(used).encode())
    with writing(folder / TRIALS_FILE) as stream:
        written = _write(stream, (map(_line, records) for records in generate(design)), design, progress)
    _write_manifest(folder, design, (TRIALS_FILE, SKINS_FILE))
    return written


def write_training(folder: Path, design: Design, progress: Progress = lambda done, total: None) -> int:
    """Write ``training.jsonl.bz2`` in the published format of training sets (specification 6).

    Siblings do not stay together: trials are shuffled within blocks of 4,096.
    """
    _refuse_existing(folder)
    with writing(folder / TRAINING_FILE) as stream:
        written = _write(stream, map(_training_lines, training_blocks(design)), design, progress)
    _write_manifest(folder, design, (TRAINING_FILE,))
    return written


def training_blocks(design: Design) -> Iterator[list[tuple[str, str]]]:
    """Yield shuffled blocks of (text, gold) pairs."""
    rng = np.random.default_rng([design.seed, 1])
    block: list[tuple[str, str]] = []
    for drawn in draw_tuples(design):
        block += zip(drawn.texts, (variant.gold for variant in drawn.variants), strict=True)
        if len(block) >= _TRAINING_BLOCK:
            rng.shuffle(block)
            yield block
            block = []
    rng.shuffle(block)
    yield block


def _training_lines(block: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    for text, gold in block:
        message = {"role": "user", "content": text}
        yield _line({"dialog_history": {"messages": [message]}, "target_message": gold})


def _refuse_existing(folder: Path) -> None:
    """Refuse a folder that has a set.

    Raises
    ------
    InputError
    """
    for path in (folder / TRAINING_FILE, folder / TRIALS_FILE):
        if path.exists():
            raise InputError(
                "a data set is already there", path=path, expected="a new folder, or remove it first"
            )


def _write(stream: IO[bytes], groups: Iterator[Iterator[bytes]], design: Design, progress: Progress) -> int:
    done, total = 0, count_trials(design)
    with bz2.open(stream, "wb", 1) as packed:  # Higher levels cost a third more time for a set half the size.
        for group in groups:
            lines = list(group)
            packed.writelines(lines)
            done += len(lines)
            progress(done, total)
    return done
