"""Shortcut ceilings of the cells of a set: what counting reaches in each problem of each size.

A ceiling of few tuples says nothing, since the best of several responders is taken. A set that is read gives those of
its cells that hold :data:`ENOUGH` tuples. For a fresh set, other tuples of the same design are drawn, as many as it
takes. Both are kept for the next time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

import polars as pl

from probsense.core.errors import InputError
from probsense.core.records import canonical_json, digest
from probsense.tasks.worldsense.cache import cached_frame, kept_frame
from probsense.tasks.worldsense.generate import Design, cells, generate
from probsense.tasks.worldsense.manifest import SKINS_FILE
from probsense.tasks.worldsense.order import problems_in_order
from probsense.tasks.worldsense.shortcut_audit import audit_shortcuts, whole_tuples
from probsense.tasks.worldsense.shortcuts import Score, Shortcut, shortcuts
from probsense.tasks.worldsense.templates import Skins
from probsense.tasks.worldsense.trials import deobfuscate, find_trials

Ceilings: TypeAlias = Mapping[tuple[str, int], Score]
"""The shortcut ceiling of each problem and size for which it is known."""

VERSION: Final = 1
"""This number rises whenever other responders may reach something else in the same set."""

ENOUGH: Final = 100
"""Tuples of a problem and size that a ceiling needs."""

DRAWN: Final = 1000
"""Tuples of a problem and size that are drawn for the ceiling of a fresh set, at least."""

_SEED: Final = 2**62
"""Seeds these tuples; hardly anybody asks a set of this seed."""

_FIRST: Final = 20
"""How many tuples of a design tell it from others."""

_SCHEMA = {
    "problem": pl.String,
    "size": pl.Int64,
    "value": pl.Float64,
    "stderr": pl.Float64,
    "tuples": pl.Int64,
}


def folder_ceilings(folder: Path, *, cache: bool = True) -> Ceilings:
    """Find the ceilings of a test-set folder in the published layout, for cells with enough tuples.

    Parameters
    ----------
    folder : Path
    cache : bool
        Whether those found earlier may be recalled and these kept.
    """

    def compute() -> pl.DataFrame:
        return _frame(audit_shortcuts(folder).cells)

    skins = folder / SKINS_FILE
    told = digest(skins.read_text("utf-8", "replace"))[:8] if skins.is_file() else "packaged"
    what = f"worldsense-ceilings-{VERSION}-{told}"
    return _ceilings(cached_frame(find_trials(folder), what, compute) if cache else compute())


def design_ceilings(design: Design, asked: Iterable[tuple[str, int]]) -> Ceilings:
    """Find the ceilings of a fresh set from other tuples of its design, in the same skins.

    Parameters
    ----------
    design : Design
    asked : iterable of (str, int)
        The problems and sizes that are wanted.

    Returns
    -------
    mapping
        Without cells of which too few different tuples can be drawn.
    """
    found: dict[tuple[str, int], Score] = {}
    for problem, size in asked:
        one = replace(design, seed=_SEED, problems=(problem,), sizes=(size,), tuples=1)
        one = replace(one, tuples=-(-DRAWN // len(cells(one))))
        try:
            found |= _drawn(one)
        except InputError:
            continue
    return found


def ceiling_notes(ceilings: Ceilings, asked: Iterable[tuple[str, int]]) -> list[str]:
    """Note of which problems and sizes no shortcut ceiling is known; averages over them have none."""
    wanted, left = {*asked}, defaultdict(list)
    for problem, size in sorted(wanted - {*ceilings}):
        left[problem].append(str(size))
    if not left:
        return []
    named = "; ".join(f"{problem} of size {', '.join(left[problem])}" for problem in problems_in_order(left))
    what = (
        f"no shortcut ceiling is known of {named}" if wanted & {*ceilings} else "no shortcut ceiling is known"
    )
    return [f"{what}: it takes {ENOUGH} tuples of a problem and size"]


@lru_cache(maxsize=1000)
def _drawn(design: Design) -> Ceilings:
    """Find the ceiling of tuples of a design, or recall it; runs of many models have the same few."""
    stamp = _stamp(design)

    def compute() -> pl.DataFrame:
        rows = [_row(record) for records in generate(design) for record in records]
        return _frame(shortcuts(whole_tuples(rows, (Skins(design.skins),))))

    return _ceilings(kept_frame(f"worldsense-ceilings-{digest(stamp)}", stamp, compute))


def _stamp(design: Design) -> str:
    """Tell a design by what is drawn first."""
    first = [[record["text"] for record in records] for records in islice(generate(design), _FIRST)]
    return canonical_json([VERSION, design.tuples, *design.problems, *design.sizes, first])


def _row(record: Mapping[str, Any]) -> tuple[str, int, str, str, str]:
    gold = deobfuscate(record["goldresp_obfusc"])
    return record["problemname"], record["problemsize"], record["tuple_ID"], gold, record["text"]


def _frame(found: Sequence[Shortcut]) -> pl.DataFrame:
    return pl.DataFrame(
        [(cell.problem, cell.size, *cell.ceiling) for cell in found], schema=_SCHEMA, orient="row"
    )


def _ceilings(frame: pl.DataFrame) -> Ceilings:
    return {
        (problem, size): Score(value, stderr, tuples)
        for problem, size, value, stderr, tuples in frame.iter_rows()
        if tuples >= ENOUGH
    }
