"""Measures `analyse`, `compare` and `report` on recorded results of 10⁴ to 10⁷ rows: seconds and memory.

    python benchmarks/large_results.py FOLDER [--rows 10000 100000 1000000 10000000] [--only NAME…]

The results are those of runs with `random:` models, multiplied with new ids, so no model is needed. Every command runs
in a process of its own. Memory is its peak resident size.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

SET = 100_000
"""Trials or statements of a set that several models answer."""
ROWS = (10_000, 100_000, 1_000_000, 10_000_000)


def make_worldsense(folder: Path, rows: int) -> list[str]:
    """Make a test set of at most :data:`SET` trials, with as many models' results as it takes for so many rows."""
    import probsense as ps

    base = _once(folder / "worldsense-base", _base_set)
    trials = pl.read_ndjson(base / "trials.jsonl")
    number = min(rows, SET)
    models = max(1, rows // number)
    target = folder / f"worldsense-{rows}"

    def make(path: Path) -> None:
        (path / "results").mkdir(parents=True)
        _multiplied(trials.lazy(), trials.height, number, Key="Key", tuple_ID="tuple_ID").sink_ndjson(
            path / "trials.jsonl"
        )
        for model in range(models):
            name = f"random:{model}"
            run = ps.evaluate("worldsense", name, data=base, store=None, quiet=True)
            answers = run.table().select(Key=pl.col("id").cast(pl.Int64), resp="resp")
            wanted = _multiplied(answers.lazy(), answers.height, number, Key="Key")
            wanted.sink_ndjson(path / "results" / f"options___random-{model}___results.jsonl")

    return ["analyse", "worldsense", str(_once(target, make)), "--json"]


def _base_set(path: Path) -> None:
    """Make a set of some thousand trials in plain JSON lines."""
    import bz2

    subprocess.run([*COMMAND, "generate", "worldsense", str(path), "--tuples", "20", "--quiet"], check=True)
    packed = path / "trials.jsonl.bz2"
    (path / "trials.jsonl").write_bytes(bz2.decompress(packed.read_bytes()))
    packed.unlink()


def _multiplied(frame: pl.LazyFrame, height: int, rows: int, **ids: str) -> pl.LazyFrame:
    """Repeat whole copies of a frame until there are so many rows, each copy with ids of its own."""
    copies = pl.LazyFrame({"copy": range(max(1, rows // height))})
    new = {
        name: pl.col(column) + pl.col("copy") * height
        if frame.collect_schema()[column].is_integer()
        else pl.concat_str(column, pl.lit("-"), "copy")
        for name, column in ids.items()
    }
    return copies.join(frame, how="cross").with_columns(**new).drop("copy")


def _once(path: Path, make: Callable[[Path], None]) -> Path:
    if not path.exists():
        make(path)
    return path


COMMAND = [sys.executable, "-m", "probsense"]
MAKERS = {"worldsense": make_worldsense}


def measured(words: list[str], out: Path) -> dict[str, float]:
    """Run a command, and return its seconds, CPU seconds and peak memory in MB."""
    start = time.perf_counter()
    with out.open("wb") as stream:
        child = subprocess.Popen([*COMMAND, *words], stdout=stream)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} failed")
    seconds, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    return {"seconds": round(seconds, 1), "cpu": round(cpu, 1), "peak_mb": round(usage.ru_maxrss / 1024)}


def rows_of(folder: Path, names: list[str], sizes: list[int]) -> Iterator[dict[str, object]]:
    for name in names:
        for rows in sizes:
            words = MAKERS[name](folder, rows)
            yield {"what": name, "rows": rows, **measured(words, folder / "out.json")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--only", nargs="+", choices=MAKERS, default=[*MAKERS])
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for row in rows_of(args.folder, args.only, args.rows):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
