"""The files of a generated set: trials or lessons, skins, and the manifest that says how they were drawn."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from probsense.core.errors import InputError
from probsense.core.files import Place, file_hash, read_json, writing
from probsense.tasks.worldsense.generate.design import MATCHED, PUBLISHED, Design, cells, count_trials
from probsense.tasks.worldsense.generate.forms.varied import varied_depths
from probsense.tasks.worldsense.generate.generator import DrawnTuple, generate, training_blocks
from probsense.tasks.worldsense.generate.matched import PLANNED, Level, plans_of, shape_of
from probsense.tasks.worldsense.generate.skins import (
    ParallelSkin,
    dump_skins,
)
from probsense.tasks.worldsense.questions.format import HASHED, SKINS_FILE, TRAINING_FILE, TRIALS_FILE

MANIFEST_FILE = "manifest.json"
"""The file beside the trials that says how they were drawn."""


class Unmatched(NamedTuple):
    """Something that can be had by counting in spite of the matched regime, and where."""

    problem: str
    size: int
    complexities: tuple[int, ...]
    counts: str

    def __str__(self) -> str:
        complexities = ", ".join(map(str, self.complexities))
        return f"{self.problem}, size {self.size}, complexity {complexities}: {self.counts}"


_LEFT = {
    Level.NOTHING: "times named, wins and losses, what is named first",
    Level.NAMED: "wins and losses",
}

_LEFT_OF_FOUR = "times named, wins and losses of the things that are not asked about"

_LEFT_OF_LINES = "how often lines are called parallel and perpendicular"


def unmatched(design: Design) -> list[Unmatched]:
    """List what the siblings of normal problems cannot agree in; for the published regime, nothing is promised."""
    if design.regime == PUBLISHED:
        return []
    left: dict[tuple[str, int, str], set[int]] = {}
    for cell in cells(design):
        if isinstance(cell.skin, ParallelSkin):
            counts = _LEFT_OF_LINES
        elif design.regime == MATCHED and varied_depths(
            cell.problem, cell.size, cell.complexity, cell.manner.telling, cell.split
        ):
            counts = _LEFT_OF_FOUR if (cell.problem, cell.size) == ("Compl.normal", 4) else ""
        elif cell.problem in PLANNED:
            counts = _LEFT.get(plans_of(cell.problem, shape_of(cell), cell.depth).level, "")
        else:
            counts = ""
        if counts:
            left.setdefault((cell.problem, cell.size, counts), set()).add(cell.complexity)
    return [
        Unmatched(problem, size, tuple(sorted(complexities)), counts)
        for (problem, size, counts), complexities in left.items()
    ]


def manifest(design: Design) -> dict[str, Any]:
    """Describe how a set is made: its design, and what its siblings do not agree in."""
    fields = ("sizes", "problems", "tuples", "depths", "complexities", "distractors", "telling", "wording")
    return {
        "schema": 1,
        "task": "worldsense",
        "regime": design.regime,
        "seed": design.seed,
        **{name: getattr(design, name) for name in fields},
        "part": str(design.part),
        **({} if design.split is None else {"split": design.split._asdict()}),
        "skins": sorted({cell.skin.name for cell in cells(design)}),
        "trials": count_trials(design),
        "unmatched": [row._asdict() for row in unmatched(design)],
    }


def write_manifest(folder: Path, design: Mapping[str, Any], files: Sequence[str]) -> None:
    """Write the manifest of files that are in the folder already.

    Parameters
    ----------
    folder : Path
    design : mapping
        How the set was drawn.
    files : sequence of str
        Their names, among :data:`HASHED`.
    """
    document = {
        **design,
        "version": version("probsense"),
        "files": {name: file_hash(folder / name) for name in files},
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
    return tuple(name for name in HASHED if name in files and _hash_or_none(folder / name) != files[name])


def _hash_or_none(path: Path) -> str | None:
    return file_hash(path) if path.is_file() else None


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


Watch: TypeAlias = Callable[[DrawnTuple], None]
Progress: TypeAlias = Callable[[int], None]


def write_testset(folder: Path, design: Design, progress: Progress = lambda n: None) -> int:
    """Write ``trials.jsonl.bz2`` in the published format, with its manifest and its skins, which an audit reads.

    Parameters
    ----------
    folder : Path
        Made if missing. A set that is already there is an error: it may have results.
    design : Design
    progress : callable
        Called with the number of trials written since the last call.

    Returns
    -------
    int
        The number of trials.
    """
    refuse_existing(folder, (TRIALS_FILE,))
    written = write_trials(folder, design, progress)
    write_manifest(folder, manifest(design), (TRIALS_FILE, SKINS_FILE))
    return written


def write_trials(folder: Path, design: Design, progress: Progress, watch: Watch = lambda drawn: None) -> int:
    """Write trials and skins without a manifest; ``watch`` gets each tuple."""
    told = {cell.skin.name for cell in cells(design)}
    used = [skin for skin in design.skins if skin.name in told]
    with writing(folder / SKINS_FILE) as stream:
        stream.write(dump_skins(used).encode())
    with writing(folder / TRIALS_FILE) as stream:
        return _write(stream, (map(_line, records) for records in generate(design, watch)), progress)


def write_training(folder: Path, design: Design, progress: Progress = lambda n: None) -> int:
    """Write ``training.jsonl.bz2`` in the published format of training sets (specification 6).

    Siblings do not stay together: trials are shuffled within blocks of 4,096.
    """
    refuse_existing(folder, (TRAINING_FILE,))
    written = write_lessons(folder, design, progress)
    write_manifest(folder, manifest(design), (TRAINING_FILE,))
    return written


def write_lessons(folder: Path, design: Design, progress: Progress, watch: Watch = lambda drawn: None) -> int:
    """Write a training set without a manifest; ``watch`` gets each tuple."""
    with writing(folder / TRAINING_FILE) as stream:
        return _write(stream, map(_training_lines, training_blocks(design, watch)), progress)


def _training_lines(block: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    for text, gold in block:
        message = {"role": "user", "content": text}
        yield _line({"dialog_history": {"messages": [message]}, "target_message": gold})


def refuse_existing(folder: Path, names: Sequence[str] = (TRAINING_FILE, TRIALS_FILE)) -> None:
    """Refuse a folder that has one of these files.

    Raises
    ------
    InputError
    """
    for path in (folder / name for name in names):
        if path.exists():
            raise InputError(
                "a data set is already there", path=path, expected="a new folder, or remove it first"
            )


def _write(stream: IO[bytes], groups: Iterator[Iterator[bytes]], progress: Callable[[int], None]) -> int:
    compressor = bz2.BZ2Compressor(1)  # Higher levels cost a third more time for a set half the size.
    total = 0
    for group in groups:
        lines = list(group)
        stream.write(compressor.compress(b"".join(lines)))
        total += len(lines)
        progress(len(lines))
    stream.write(compressor.flush())
    return total
