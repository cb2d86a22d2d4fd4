"""Runs everything for an hour in random order, kills some of it, and sees whether it lasts and finds the same figures.

    python benchmarks/soak/soak.py [--minutes 60] [--seed 1] [--out FOLDER]

A seeded generator draws one action after the other: runs of all tasks into stores that grow, also through a hostile
server; merges, reports, comparisons, exports, reproductions; people who answer two studies, the server of one of
which is killed meanwhile; evaluations by Python in one process that never ends. Three in ten commands are first killed
(SIGKILL). What a command finds must equal what it finds undisturbed, of runs in stores of their own; no answer of a
person may be lost or be there twice. Memory, descriptors, threads and sizes of files are noted after each action, and
must be flat (:func:`watching.trend`). The exit code is 1 if anything failed or grew.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, chdir, closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from sqlite3 import connect
from typing import Any
from unittest.mock import patch

import numpy as np

HERE = Path(__file__).resolve().parent
# The study with its people, and the hostile server of the tests.
sys.path[1:1] = [str(HERE.parent / "collect"), str(HERE.parents[1] / "tests")]

from acceptance import account, write_study  # noqa: E402
from killing import LONGEST, Commands  # noqa: E402
from participants import FRAMES, Record, Records, Server, over_http  # noqa: E402
from recipes import Recipe, figures, first_difference, recipes, same, unnamed  # noqa: E402
from support.servers import hostile  # noqa: E402
from watching import Watch, database, size  # noqa: E402

STORES = ("a.db", "b.db", "c.db", "all.db")
ACTIONS = {
    **{"run": 8.0, "hostile": 3.0, "evaluate": 6.0, "collect": 2.5, "merge": 1.5, "report": 1.0, "show": 1.0},
    **{"compare": 1.0, "export": 1.0, "reproduce": 1.0},
}
"""How often each action comes, relative to the others."""
ASKED = {"random": 0.5, "openai": 0.35, "builtin": 0.15}
"""How often each kind of model is asked."""
FAULTS = [fault for fault in hostile.FAULTS if fault not in ("timeout", "drip", "wrong model", "garbage")]
"""What the hostile server does: nothing that takes long. Another model's name in the first answer of all would be taken
for an alias, and garbage changes a word that is counted."""
SEEDS, PEOPLE = 12, 4
"""How many random models there are, and how many people answer at once."""


class Study:
    """A served study, and what all people sent and had confirmed."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.out, self.db = folder / "people", folder / "study.db"
        self.server = Server(write_study(folder, 100_000, 60), self.db)
        self.of: dict[str, Record] = {}


class Soak:
    """Does the actions in a folder, the current one, and keeps what was seen."""

    def __init__(self, folder: Path, seed: int, urls: Mapping[bool, str]) -> None:
        self.folder, self.rng, self.urls = folder, np.random.default_rng(seed), urls
        self.watch = Watch()
        self.commands = Commands(folder, self.rng, self.watch)
        self.problems: list[str] = []
        self.half_done = 0
        self.recipes = [*recipes(SEEDS)]
        self.known: dict[Recipe, dict[str, Any]] = {}
        self.runs: dict[str, dict[Recipe, str]] = {store: {} for store in STORES}
        self.next: list[Recipe] = []

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Start what lives as long as the soak, and end it."""
        with ExitStack() as ends:
            self.commands.undisturbed("generate", "worldsense", "set", "--seed", 1, "--sizes", 3, "--quiet")
            self.studies = dict[str, Study]()
            for name in ("lasting", "killed"):
                self.studies[name] = study = Study(self.folder / name)
                ends.callback(study.server.stop)
            words = [sys.executable, str(HERE / "api.py")]
            self.python = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            ends.callback(self.python.wait)
            ends.callback(self.python.kill)
            yield

    def undisturbed(self, recipe: Recipe) -> dict[str, Any]:
        """Return what a recipe finds in a store of its own, asked once and left alone."""
        alone = replace(recipe, hostile=False)
        if alone not in self.known:
            printed = self.commands.undisturbed(*alone.command(self.urls[False], self.own(alone)))
            self.known[alone] = figures(json.loads(printed))
        return self.known[alone]

    def own(self, recipe: Recipe) -> Path:
        """Return the store of a recipe alone."""
        number = self.recipes.index(replace(recipe, hostile=False))
        return self.folder / "alone" / f"{recipe.task}-{number}.db"

    def check(self, recipe: Recipe, document: dict[str, Any]) -> None:
        """Compare what was found with what the undisturbed run found."""
        found, expected = figures(document), self.undisturbed(recipe)
        assert same(found, expected, recipe.slack), f"{recipe}: {first_difference(found, expected)}"

    def choose(self, among: Sequence[Any]) -> Any:
        """Draw one."""
        return among[self.rng.integers(len(among))]

    def pick(self, most: int, served: bool = True) -> tuple[Path, list[Recipe], list[str]]:
        """Draw a store and up to so many of its runs that were asked the same; return the ids of these runs, too."""
        runs = {store: [one for one in self.runs[store] if served or not one.served] for store in STORES}
        store = self.choose([store for store in STORES if runs[store]])
        first = self.choose(runs[store])
        like = [one for one in runs[store] if one.asks == first.asks and one.model != first.model]
        chosen = [first, *(like[i] for i in self.rng.permutation(len(like))[: most - 1])]
        return self.folder / store, chosen, [self.runs[store][recipe] for recipe in chosen]

    def run(self, hostile: bool = False) -> None:
        """Run a recipe into a store."""
        scheme = "openai" if hostile else self.rng.choice([*ASKED], p=[*ASKED.values()])
        recipe = replace(self.choose([one for one in self.recipes if one.scheme == scheme]), hostile=hostile)
        store = self.choose(STORES)
        self.undisturbed(recipe)
        words = recipe.command(self.urls[hostile], self.folder / store)
        document = json.loads(self.commands.give(f"run {recipe.task} {scheme}", *words))
        run = document["run"]
        some = run["asked"] > 0 and run["reused"] > 0 and recipe not in self.runs[store]
        self.half_done += self.commands.killed and some
        self.check(recipe, document)
        self.runs[store][recipe] = run["id"]

    def hostile(self) -> None:
        """Run a recipe through the hostile server."""
        self.run(hostile=True)

    def evaluate(self) -> None:
        """Evaluate, report and compare by Python, in a process that lives on, into a store that grows or a new one.

        All that is asked of some kind of model has its turn before anything has it again.
        """
        if not self.next:
            turns = [*{(*one.asks, one.scheme): one for one in self.recipes}.values()]
            self.next = [turns[i] for i in self.rng.permutation(len(turns))]
        first = self.next.pop()
        first = replace(first, hostile=first.served and bool(self.rng.integers(2)))
        like = [one for one in self.recipes if one.asks == first.asks and one.scheme == first.scheme]
        chosen = [*dict.fromkeys([first, replace(self.choose(like), hostile=first.hostile)])]
        store = self.choose([*STORES, *["new.db"] * len(STORES)])
        for recipe in chosen:
            self.undisturbed(recipe)
        models = [(one.model, one.loading(self.urls[one.hostile])) for one in chosen]
        asked = {"task": first.task, "options": json.loads(first.options), "models": models}
        asked |= {"store": store, "page": "page.html", "compare": first.comparable and len(chosen) > 1}
        assert self.python.stdin is not None
        assert self.python.stdout is not None
        timer = threading.Timer(LONGEST, self.python.kill)
        timer.start()
        print(json.dumps(asked), file=self.python.stdin, flush=True)
        answer = json.loads(self.python.stdout.readline())
        timer.cancel()
        for recipe, document in zip(chosen, answer, strict=True):
            self.check(recipe, document)
            if store in STORES:
                self.runs[store][recipe] = document["run"]["id"]
        for path in self.folder.glob("new.db*"):
            path.unlink()
        self.watch.process("Python", self.python.pid)

    def collect(self) -> None:
        """Let some people take part, kill the server of one study meanwhile, and account for all its answers."""
        name = self.choose([*self.studies])
        study = self.studies[name]
        people = [f"w{len(study.of) + number}" for number in range(PEOPLE)]
        study.of |= {person: Record() for person in people}
        at = [int(self.rng.integers(1, PEOPLE * (10 + len(FRAMES))))] if name == "killed" else []
        records = Records(at, study.server.kill)
        records.of, before = study.of, study.server.kills
        with ThreadPoolExecutor(PEOPLE) as pool:
            heads = pool.map(
                lambda one: over_http(study.server, records, one, Random(one), 0.01, 10**6), people
            )
            assert Counter(heads) == {"Thank you": PEOPLE}
        self.commands.tallies["collect"].kills += study.server.kills - before
        self.commands.give("collect export", "collect", "export", study.db, "--out", study.out, grows=True)
        assert [*account(study.out, study.of, [])]
        answers = sum(len(record.confirmed) for record in study.of.values())
        self.watch.process(f"collect, {name}", study.server.process.pid)
        self.watch.add(f"collect, {name}: bytes an answer", database(study.db) / answers)

    def merge(self) -> None:
        """Merge one or two stores into another; all their answers must be there."""
        sources = [store for store in STORES[:-1] if self.runs[store]]
        sources = [sources[i] for i in self.rng.permutation(len(sources))[:2]]
        if sources:
            self.commands.give("merge", "merge", STORES[-1], *sources, grows=True)
        for source in sources:
            self.runs[STORES[-1]] |= self.runs[source]
            with closing(connect(STORES[-1])) as db:
                db.execute("ATTACH ? AS other", (source,))
                there = "SELECT 1 FROM main.responses r WHERE (r.fingerprint, r.key) = (o.fingerprint, o.key)"
                lost = f"SELECT count(*) FROM other.responses o WHERE NOT EXISTS ({there})"
                assert db.execute(lost).fetchone() == (0,), f"answers of {source} are lost"

    def report(self) -> None:
        """Write a page about some runs, and print the figures of one."""
        store, (recipe, *_), ids = self.pick(3)
        self.commands.give("report", "report", *ids, "--store", store, "--out", "report.html")
        printed = self.commands.give("report json", "report", ids[0], "--store", store, "--format", "json")
        self.check(recipe, json.loads(printed))

    def show(self) -> None:
        """Read the results of a run again."""
        store, (recipe,), (run,) = self.pick(1)
        printed = self.commands.give("runs show", "runs", "show", run, "--store", store, "--json")
        self.check(recipe, json.loads(printed))

    def compare(self) -> None:
        """Compare runs, and the same runs in stores of their own."""
        store, chosen, ids = self.pick(3)
        if len(chosen) > 1 and chosen[0].comparable:
            found = json.loads(self.commands.give("compare", "compare", *ids, "--store", store, "--json"))
            own = json.loads(self.commands.undisturbed("compare", *map(self.own, chosen), "--json"))
            slack = max(one.slack for one in chosen)
            assert same(unnamed(found), unnamed(own), slack), f"{chosen}: another comparison"

    def export(self) -> None:
        """Export the items of a run, and of the same run in a store of its own."""
        store, (recipe,), (run,) = self.pick(1)
        self.commands.give("runs export", "runs", "export", run, "--store", store, "--out", "items.jsonl")
        self.commands.undisturbed("runs", "export", self.own(recipe), "--out", "own.jsonl")
        texts = (Path(f"{name}.jsonl").read_text() for name in ("items", "own"))
        found, own = ([unnamed(json.loads(line)) for line in text.splitlines()] for text in texts)
        assert same(found, own, recipe.slack), f"{recipe}: other items"

    def reproduce(self) -> None:
        """Ask once more what a run asked; the command compares the figures."""
        if any(not one.served for runs in self.runs.values() for one in runs):
            store, _, (run,) = self.pick(1, served=False)
            self.commands.give("reproduce", "reproduce", run, "--store", store, "--quiet")

    def measure(self) -> None:
        """Note the sizes of stores and other files."""
        stores = [store for store in STORES if self.runs[store]]
        if stores:
            whole = sum(size(self.folder / store) for store in stores)
            apart = sum(size(self.own(recipe)) for store in stores for recipe in self.runs[store])
            answers = 0
            for store in stores:
                with closing(connect(store)) as db:
                    answers += db.execute("SELECT count(*) FROM responses").fetchone()[0]
            self.watch.add("stores: bytes, of those of their runs apart", whole / apart)
            self.watch.add("stores: answers", answers, grows=True)
            self.watch.add("stores: bytes an answer", whole / answers)
        logs = max([size(path) for path in self.folder.rglob("*.db-wal")], default=0)
        self.watch.add("largest write-ahead log, MB", logs / 1e6)
        self.watch.add("cache, MB", size(self.folder / "cache") / 1e6, grows=True)
        left = self.commands.remove_leftovers()
        assert left == 0, f"{left} files were left over"

    def last(self, minutes: float, most: int) -> None:
        """Act until the time is over, or so often, and note what fails."""
        weights = np.array([*ACTIONS.values()])
        for _ in range(most):
            if self.watch.hour * 60 >= minutes:
                return
            possible = weights * [any(self.runs.values()) or name in ("run", "hostile") for name in ACTIONS]
            action = str(self.rng.choice([*ACTIONS], p=possible / possible.sum()))
            tally = self.commands.begin(action)
            try:
                getattr(self, action)()
                self.measure()
            except Exception as error:
                tally.failures += 1
                self.problems.append(
                    f"{60 * self.watch.hour:.1f} min, {action}: {type(error).__name__}: {error}"
                )
                print(self.problems[-1], file=sys.stderr, flush=True)

    def lines(self) -> Iterator[str]:
        """Yield the tables of what was done and of how every quantity went."""
        yield f"{'action':<16}{'count':>7}{'failures':>10}{'kills':>7}"
        for action, tally in sorted(self.commands.tallies.items()):
            yield f"{action:<16}{tally.count:>7}{tally.failures:>10}{tally.kills:>7}"
        left = self.commands.left_by_kills
        yield f"{self.half_done} of the killed runs had some of their answers; kills left {left} files"
        yield from ("", *self.watch.lines(), *self.problems)

    def to_json(self) -> dict[str, Any]:
        """Return the tables and all series as a document."""
        return {
            "hours": self.watch.hour,
            "actions": {name: asdict(tally) for name, tally in self.commands.tallies.items()},
            "half_done": self.half_done,
            "left_by_kills": self.commands.left_by_kills,
            "quantities": [asdict(trend) for trend in self.watch.trends()],
            "series": self.watch.series,
            "problems": self.problems,
        }


def soak(minutes: float, seed: int, most: int = 10**9) -> Soak:
    """Last for so many minutes or actions, in a folder that is removed."""
    with tempfile.TemporaryDirectory() as made, ExitStack() as ends:
        folder = Path(made).resolve()
        for name in ("tmp", "cache", "alone"):
            (folder / name).mkdir()
        own = {"TMPDIR": str(folder / "tmp"), "PROBSENSE_CACHE": str(folder / "cache")}
        ends.enter_context(patch.dict(os.environ, own))
        ends.enter_context(chdir(folder))
        honest = ends.enter_context(hostile.serving(delay=0.05))
        worse = ends.enter_context(hostile.serving(0.2, FAULTS, seed=seed))
        done = Soak(folder, seed, {False: honest.url, True: worse.url})
        with done.serving():
            done.last(minutes, most)
        return done


def main() -> int:
    """Last, and print how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a folder for the tables, and for all series as JSON")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    out = chosen.out.resolve() if chosen.out else None
    done = soak(chosen.minutes, chosen.seed)
    text = "\n".join(done.lines())
    print(text)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "soak.txt").write_text(text + "\n")
        (out / "soak.json").write_text(json.dumps(done.to_json()) + "\n")
    return int(bool(done.problems) or any(trend.flat is False for trend in done.watch.trends()))


if __name__ == "__main__":
    sys.exit(main())
