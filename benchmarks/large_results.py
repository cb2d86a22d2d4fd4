"""Measures `analyse` and `compare` on exported runs of 10⁴ to 10⁷ items: seconds and memory.

    python benchmarks/large_results.py FOLDER [--rows 10000 100000 1000000 10000000] [--only TASK…]

The items are those of runs with `random` models, exported and multiplied with new ids and texts, so no model is
needed. Ten million items of two models take 2 GB of disk. Every command runs in a process of its own; memory is its
peak resident size, and CPU seconds are those of all its threads.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import polars as pl

import probsense as ps
from probsense.core.files.partitions import ABOUT, GROUP, Partition, partitions
from probsense.interop.exported import ROWS, export_folder

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
MODELS = ("random:0", "random:1")
ASKED = {"worldsense": {"tuples": 2}, "winogrande": {}, "judgments": {}}
COMMANDS = {
    "worldsense": (("analyse", "worldsense"), ("compare",)),
    "winogrande": (("compare",),),
    "judgments": (("compare",),),
}
COMMAND = [sys.executable, "-m", "probsense"]
NEW = ("id", "tuple_id", "cluster", "prompt", "item.cluster", "item.text")
"""Columns whose texts differ from copy to copy."""


def base_of(folder: Path, task: str) -> Path:
    """Export a run of each model, unless that was done before."""
    base = folder / f"{task}-base"
    if not base.exists():
        export_folder(
            base, [ps.evaluate(task, model, store=None, quiet=True, **ASKED[task]) for model in MODELS]
        )
    return base


def made(folder: Path, task: str, rows: int) -> Path:
    """Make so many items of a task in another process, since the memory of this one counts for its children."""
    return multiplied(base_of(folder, task), folder / f"{task}-{rows}", rows)


def multiplied(base: Path, target: Path, rows: int) -> Path:
    """Repeat the items of exported runs until there are so many, each copy under ids and texts of its own."""
    for run in partitions(base) if not target.exists() else ():
        folder = target / run.folder.relative_to(base)
        folder.mkdir(parents=True)
        about = pl.read_parquet_metadata(run.files[0])[ABOUT]
        for number, part in enumerate(_parts(run, rows)):
            path = folder / f"part-{number:05}.parquet"
            part.write_parquet(path, row_group_size=GROUP, metadata={ABOUT: about})
    return target


def _parts(run: Partition, rows: int) -> Iterator[pl.DataFrame]:
    """Yield whole copies of a run, some in each table, until there are at least so many rows."""
    whole = pl.concat(pl.read_parquet(path, hive_partitioning=False) for path in run.files)
    copies = -(-rows // whole.height)
    some = max(1, ROWS // whole.height)
    for first in range(0, copies, some):
        numbers = pl.DataFrame({"copy": range(first, min(first + some, copies))})
        new = [pl.concat_str(name, pl.lit("-"), "copy").alias(name) for name in NEW if name in whole.columns]
        yield numbers.join(whole, how="cross", maintain_order="left_right").with_columns(new).drop("copy")


def measured(words: Sequence[str]) -> dict[str, float]:
    """Run a command, and return its seconds, CPU seconds and peak memory in MB."""
    start = time.perf_counter()
    child = subprocess.Popen([*COMMAND, *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} failed")
    seconds, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    return {"seconds": round(seconds, 1), "cpu": round(cpu, 1), "peak_mb": round(usage.ru_maxrss / 1024)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=[*COMMANDS])
    args = parser.parse_args()
    for task in args.only:
        for rows in args.rows:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
                folder = other.submit(made, args.folder, task, rows).result()
            for words in COMMANDS[task]:
                found = measured([*words, str(folder), "--json"])
                print(json.dumps({"task": task, "command": words[0], "rows": rows, **found}), flush=True)


if __name__ == "__main__":
    main()
