"""A small task and a small model, a program that runs the one on the other, and what other programs keep of a run."""

import json
import math
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from probsense.analysis.inference.estimate import Estimate
from probsense.core import records
from probsense.core.errors import ProbSenseError
from probsense.interop.hosted import Asked, open_requests, written
from probsense.models.base import Capabilities, Usage
from probsense.runs.evaluate import evaluate
from probsense.tasks.base import Method, Task
from probsense.tasks.results import Results
from support.habit import Habit

ALLOWED = ("yes", "no")


@dataclass(frozen=True)
class Quiz(Task):
    """Is the number even? Sampled answers that are neither yes nor no are asked for once more."""

    n: int = 20
    seed: int = 0
    twins: bool = False
    name: str = "quiz"
    version: int = 1
    methods: Sequence[Method] = ("options", "labels", "sample")

    @property
    def options(self):
        return {"n": self.n, "seed": self.seed, "twins": self.twins}

    def items(self):
        """With ``twins``, two items each have the same words."""
        numbers = [i // 2 if self.twins else i for i in range(self.n)]
        return [records.Item(f"q{i}", f"c{k}", ALLOWED[k % 2], {"number": k}) for i, k in enumerate(numbers)]

    def requests(self, item, method, answers):
        prompt = f"{self.seed}: is {item.data['number']} even? "
        if method == "options":
            return [records.ScoreRequest(prompt, ALLOWED, item=item.id)]
        if method == "labels":
            return [records.LabelRequest(prompt, (("yes", ("yes",)), ("no", ("no",))), item=item.id)]
        first = records.SampleRequest(prompt, item=item.id)
        if first in answers and answers[first].texts[0] not in ALLOWED:
            return [first, records.SampleRequest(f"{prompt}Say yes or no. ", item=item.id)]
        return [first]

    def measure(self, items, method, answers, by):
        """Accuracy, with a plain interval; a coverage row of its own; nothing to note."""
        import polars as pl

        rows = []
        for item in items:
            response = answers[self.requests(item, method, answers)[-1]]
            match response:
                case records.ScoreResponse():
                    sums = [sum(option.option.logprobs) for option in response.options]
                    answer = ALLOWED[sums.index(max(sums))]
                case records.LabelResponse():
                    answer = max(response.mass, key=response.mass.__getitem__)
                case records.SampleResponse():
                    answer = response.texts[0]
            rows.append({"id": item.id, "gold": item.gold, "answer": answer})
        table = pl.DataFrame(rows)
        p = (table["gold"] == table["answer"]).mean()
        e = math.sqrt(p * (1 - p) / len(table))
        found = Estimate("accuracy", by, p, e, p - e, p + e, 0.68, len(table), len(table), "plain")
        return Results([found], [{"asked": table.height}], table=table)


@dataclass
class Clerk:
    """Answers by the request's key, a few at a time, the last first, and writes down what it is asked.

    ``salt`` changes its answers though not its fingerprint, as hardware does. At its request of the number
    ``killed_at``, it kills the process.
    """

    name: str = "clerk:"
    batch: int = 3
    salt: str = ""
    wait: float = 0.0
    log: Path | None = None
    killed_at: int = 0
    capabilities: Capabilities = field(default=Capabilities(score=True, labels="exact", sample=True))
    asked: list[str] = field(default_factory=list)
    calls: int = 0

    @property
    def usage(self):
        return Usage(tokens=3 * len(self.asked), naive=4 * len(self.asked), seconds=0.5 * self.calls)

    @property
    def details(self):
        return {"scheme": "clerk"}

    def score(self, requests):
        for request, index, draw in self._batches(requests):
            ((_, response),) = next(self._drawn(draw).score([request]))
            yield [(index, response)]

    def labels(self, requests):
        for request, index, draw in self._batches(requests):
            ((_, response),) = next(self._drawn(draw).labels([request]))
            yield [(index, response)]

    def _drawn(self, draw):
        return Habit(lambda request: (draw + 1) / 100, part=1.0)

    def sample(self, requests):
        batch = []
        for _, index, draw in self._batches(requests):
            batch.append((index, records.SampleResponse((("yes", "no", "perhaps")[draw % 3],))))
            if len(batch) == self.batch:
                yield batch
                batch = []
        yield batch

    def _batches(self, requests):
        self.calls += 1
        for count, (index, request) in enumerate(reversed(list(enumerate(requests)))):
            if count % self.batch == 0:
                time.sleep(self.wait)
            key = records.request_key(request, by_item=self.capabilities.by_item)
            self.asked.append(key)
            if self.log:
                with self.log.open("a") as stream:
                    stream.write(f"{key}\n")
            if len(self.asked) == self.killed_at:
                os.kill(os.getpid(), signal.SIGKILL)
            yield request, index, int(records.digest([self.salt, key]), 16) % 99


@dataclass
class Flaky(Clerk):
    """A clerk who leaves a share of the requests without an answer, each time others.

    Every answer costs ``price``.
    """

    share: float = 0.3
    turn: int = 0
    price: float = 0.0
    priced: bool = True

    @property
    def usage(self):
        return Usage(requests=len(self.asked), cost=self.price * len(self.asked))

    def forecast(self, requests):
        return Usage(requests=len(requests), tokens=10 * len(requests), cost=self.price * len(requests))

    def score(self, requests):
        yield from self._some(super().score(requests))

    def labels(self, requests):
        yield from self._some(super().labels(requests))

    def sample(self, requests):
        yield from self._some(super().sample(requests))

    def _some(self, batches):
        rng = random.Random(self.turn)
        self.turn += 1
        for batch in batches:
            yield [
                (index, records.Failure(rng.choice(REASONS), 5) if rng.random() < self.share else answer)
                for index, answer in batch
            ]


REASONS = ("HTTP 503", "no answer within 60 s", "the answer has no choices")


def figures(run):
    """What a run found."""
    return {"estimates": run.to_json()["estimates"], "table": run.table().rows()}


def asked_by(run):
    """Say what a run asked, as other programs keep it."""
    return Asked(run.task.name, run.task.version, records.canonical_json(dict(run.task.options)), run.method)


def kept_of(run, **changed):
    """Return what a program keeps of each item that asks one item at a time, with changes."""
    found = {}
    for item in run.items:
        own = {}
        while wanted := open_requests(run.task, item, run.method, own):
            own |= {request: run.outcome.answers[request] for request in wanted}
        found[item.id] = {"asked": [*asked_by(run)], "answers": written(own), **changed}
    return found


def main(store, log, clerk):
    """Run a quiz with a store, and print its figures."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    path = Path(log)
    turn = len(path.read_text().split()) if path.exists() else 0
    try:
        model = Flaky(log=path, turn=turn, **{"share": 0.0, **json.loads(clerk)})
        run = evaluate(Quiz(n=150), model, method="sample", store=store)
    except ProbSenseError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
    print(json.dumps(figures(run)))


if __name__ == "__main__":
    main(*sys.argv[1:])
