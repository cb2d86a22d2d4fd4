"""Measures how long a site of many models takes: built anew, built again without a change, and with one run more.

    python benchmarks/site_speed.py [--models 100] [--limit 100] [--folder FOLDER] [--jobs N]

The models are ``random``, which cost nothing to ask; ten stores are made first and are not counted. Each build is a
command of its own; its processes, as many as there are cores unless ``--jobs`` says otherwise, have one thread each.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import probsense as ps
from probsense.results.site.workers import cores

TASKS = ("worldsense", "judgments", "frames", "winogrande", "suite")
STORES = 10


def make_stores(folder: Path, models: int, limit: int) -> list[Path]:
    """Ask every model every task; what is in the stores already is not asked again."""
    stores = [folder / f"store{i}.db" for i in range(STORES)]
    for seed in range(models):
        for task in TASKS:
            ask(stores[seed % STORES], seed, task, limit)
    return stores[:models]


def ask(store: Path, seed: int, task: str, limit: int) -> None:
    """Ask one model one task."""
    more = {} if task == "suite" else {"limit": limit}
    ps.evaluate(task, f"random:{seed}", store=store, quiet=True, **more)


def build(stores: list[Path], folder: Path, jobs: int) -> tuple[float, float, str]:
    """Build the site, and return the time and the processor time that it took, in seconds, and what it said."""
    words = [sys.executable, "-m", "probsense", "site", *map(str, stores), "--out", str(folder / "site")]
    words += ["--jobs", str(jobs)]
    environment = {**os.environ, "PROBSENSE_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    taken, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, used, done.stderr.splitlines()[-1]


def main() -> None:
    """Make the stores, and time the builds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="keeps stores between calls")
    parser.add_argument("--jobs", type=int, default=cores(), help="processes that measure")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        own = Path(scratch)
        kept = chosen.folder or own / "stores"
        kept.mkdir(parents=True, exist_ok=True)
        stores = make_stores(kept, chosen.models, chosen.limit)
        print(
            f"{chosen.models} models, {len(TASKS)} tasks, at most {chosen.limit} questions each", flush=True
        )
        tell("anew", *build(stores, own, chosen.jobs))
        tell("again, nothing changed", *build(stores, own, chosen.jobs))
        ask(own / "more.db", chosen.models, "winogrande", chosen.limit)
        tell("with one run more", *build([*stores, own / "more.db"], own, chosen.jobs))
        pages = [path.stat().st_size for path in (own / "site").rglob("*.html")]
        mean, most = sum(pages) / len(pages) / 1e3, max(pages) / 1e3
        print(f"{len(pages)} pages of {mean:.0f} KB on average, {most:.0f} KB at most")


def tell(what: str, taken: float, used: float, said: str) -> None:
    """Print one line of results."""
    print(
        f"{what:>24}: {taken:5.1f} s, {used:5.1f} s of processor time ({said.partition(': ')[2]})", flush=True
    )


if __name__ == "__main__":
    main()
