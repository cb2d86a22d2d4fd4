"""Measures runs of 10⁴ to 10⁶ requests: how fast they go, how much memory and disk they take, how soon they go on.

    python benchmarks/large.py [--sizes 10000 100000 1000000] [--folder FOLDER] [--out FILE.json]

The model is ``random``, so what is measured is ProbSense itself. The questions are sums. Each size is asked by a
process that is killed (SIGKILL) when half of the answers are in its store, and by a second one that goes on.
``resume`` is the time from the start of that process to its first request. On a machine that others use, too, the rate
for a second of processor time is the one to trust.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import (
    Item,
    LabelRequest,
    LabelResponse,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.small.random import RandomModel
from probsense.tasks.base import Answers, Method, Task
from probsense.tasks.results import Results

SIZES = (10_000, 100_000, 1_000_000)
OPTIONS = (" 0", " 1", " 2", " 3")
HEAD = "| requests | planning | requests/s | of processor time | peak memory | disk a request | resume | measuring |"


@dataclass(frozen=True)
class Sums(Task):
    """What is the remainder of a sum? Four questions are a cluster."""

    number: int
    name: ClassVar[str] = "sums"
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options",)

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the number of questions."""
        return {"number": self.number}

    def items(self) -> Sequence[Item]:
        """Make the questions."""
        return [*self._make()]

    def _make(self) -> Iterator[Item]:
        for i in range(self.number):
            a, b = divmod(i * 48_271 % 2_147_483_647, 10_000)
            text = f"Maria adds {i}, {a} and {b}, and divides the sum by four. The remainder is"
            yield Item(f"{i}", f"c{i // 4}", f"{(i + a + b) % 4}", {"text": text})

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Ask for the remainder."""
        return [ScoreRequest(item.data["text"], OPTIONS, item=item.id)]

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Any]
    ) -> Results:
        """Count right answers."""
        right = 0
        for item in items:
            response = answers[self.requests(item, method, answers)[0]]
            assert isinstance(response, ScoreResponse)
            sums = [sum(option.option.logprobs) for option in response.options]
            right += sums.index(max(sums)) == int(item.gold)
        p, n = right / len(items), len(items)
        error = (p * (1 - p) / n) ** 0.5
        found = Estimate(
            "accuracy", by, p, error, p - 1.96 * error, p + 1.96 * error, 0.95, n, n, "normal", 0.25
        )
        return Results([found])


@dataclass
class Timed:
    """A random model that remembers when it was asked first, by the clock and in processor time."""

    inner: RandomModel = field(default_factory=lambda: RandomModel("random", 0))
    first: tuple[float, float] | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def name(self) -> str:
        """Return its name."""
        return self.inner.name

    @property
    def details(self) -> Mapping[str, Any]:
        """Return what its answers depend on."""
        return self.inner.details

    @property
    def capabilities(self) -> Capabilities:
        """Return its verbs."""
        return self.inner.capabilities

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Note the time, and answer."""
        if self.first is None:
            self.first = time.time(), time.process_time()
        return self.inner.score(requests)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Answer."""
        return self.inner.labels(requests)

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Refuse."""
        return self.inner.sample(requests)


def ask(number: int, store: Path, started: float) -> dict[str, float]:
    """Ask all questions, measure the answers, and return the times in seconds and the memory in MB."""
    model = Timed()
    run = ps.evaluate(Sums(number), model, store=store, quiet=True)
    done = time.time(), time.process_time()
    first = model.first or done
    accuracy = run.summary()[0].value
    return {
        "planning": first[0] - started,
        "planning_processor": first[1],
        "asking": done[0] - first[0],
        "asking_processor": done[1] - first[1],
        "asked": run.asked,
        "measuring": time.time() - done[0],
        "measuring_processor": time.process_time() - done[1],
        "accuracy": accuracy,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measure(number: int, folder: Path) -> dict[str, Any]:
    """Ask in two processes, the first one of which is killed half-way."""
    store = folder / f"{number}.db"
    started = time.time()
    first = start(number, store)
    begun = wait_for(store, number // 2, first)
    peak = peak_mb(first.pid)
    first.kill()
    first.wait()
    stopped = time.time()
    left = answers(store)
    second = start(number, store)
    out, _ = second.communicate()
    found = json.loads(out)
    size = sum(path.stat().st_size for path in folder.glob(f"{number}.db*"))
    assert left + found["asked"] == number
    asking = (stopped - begun) + found["asking"]
    return {
        "requests": number,
        "planning": begun - started,
        "rate": number / asking,
        "processor_rate": found["asked"] / found["asking_processor"],
        "peak_mb": max(peak, found["peak_mb"]),
        "bytes": size / number,
        "killed_at": left,
        "resume": found["planning"],
        "resume_processor": found["planning_processor"],
        "measuring": found["measuring"],
        "measuring_processor": found["measuring_processor"],
    }


def start(number: int, store: Path) -> subprocess.Popen[str]:
    """Start a process that asks."""
    words = [sys.executable, __file__, "--ask", str(number), str(store), str(time.time())]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def wait_for(store: Path, number: int, process: subprocess.Popen[str]) -> float:
    """Wait until so many answers are in the store; return when the first ones came."""
    begun = 0.0
    while process.poll() is None:
        found = answers(store)
        if found and not begun:
            begun = time.time()
        if found >= number:
            return begun
        time.sleep(0.02)
    raise SystemExit("the process ended before it could be killed")


def answers(store: Path) -> int:
    """Count the answers in a store by the number of the last one."""
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=60)) as db:
            return db.execute("SELECT max(rowid) FROM responses").fetchone()[0] or 0
    except sqlite3.OperationalError:  # not made yet
        return 0


def peak_mb(process: int) -> float:
    """Return the largest memory that a process has had."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    """Measure each size, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--folder", type=Path, help="holds the stores, which are removed")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    parser.add_argument("--ask", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.ask:
        number, store, started = chosen.ask
        print(json.dumps(ask(int(number), Path(store), float(started))))
        return
    found = []
    print(HEAD)
    print("|---|---|---|---|---|---|---|---|")
    for number in chosen.sizes:
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            row = measure(number, Path(folder))
        found.append(row)
        print(
            f"| {number:,} | {row['planning']:.1f} s | {row['rate']:,.0f} | {row['processor_rate']:,.0f} |"
            f" {row['peak_mb']:,.0f} MB | {row['bytes']:,.0f} bytes | {row['resume']:.1f} s"
            f" | {row['measuring']:.1f} s |",
            flush=True,
        )
    if chosen.out:
        chosen.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
