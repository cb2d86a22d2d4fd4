"""Models that answer everything alike, and what must hold of the estimates of any task that asks them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from probsense.analysis.inference.estimate import Estimate
from probsense.core import records
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.small.random import one_token
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run
from probsense.show.tables import brief_tables
from probsense.show.words import Words
from probsense.tasks.registry import load_task

ANSWERS = ("right", "wrong", "refused", "constant")
NARROW = 0.01
"""An interval of a dozen observations that is narrower, as a share of the distance of the bounds, claims too much."""
LETTERS = re.compile('"([A-Z])": …')
"""What a percentage is asked for."""
NOTATION = re.compile(r" [\[(]-?[\d.]")
"""How an interval begins in a cell; words say why there is none."""
MINUS_ZERO = re.compile(r"-0(\.0*)?(?![\d.])")


@dataclass
class Model:
    """Gives one kind of answer to everything; it knows the right ones."""

    name: str
    items: Mapping[str, records.Item]
    details: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Capabilities = field(default=Capabilities(score=True, labels="exact", sample=True))
    usage: Usage = field(default_factory=Usage)

    def score(self, requests: Sequence[records.ScoreRequest]) -> Iterator[Batch[records.ScoreResponse]]:
        yield [(i, self._scores(request)) for i, request in enumerate(requests)]

    def labels(self, requests: Sequence[records.LabelRequest]) -> Iterator[Batch[records.LabelResponse]]:
        yield [(i, self._mass(request)) for i, request in enumerate(requests)]

    def sample(self, requests: Sequence[records.SampleRequest]) -> Iterator[Batch[records.SampleResponse]]:
        for i, request in enumerate(requests):
            letters = LETTERS.findall(request.prompt)
            said = {"right": "tape", "wrong": "no such thing", "refused": "", "constant": "yes"}[self.name]
            if letters and said:
                all_on = letters[self.name == "wrong"]
                said = json.dumps({letter: 100 * (letter == all_on) for letter in letters})
            yield [(i, records.SampleResponse((said,) * request.n))]

    def _scores(self, request: records.ScoreRequest) -> records.ScoreResponse:
        item = self.items[request.item]
        allowed = item.data.get("expected") or [option.strip() for option in request.options]
        gold = allowed.index(item.gold) if item.gold in allowed else int(item.gold or 0)
        gold = 0 if self.name == "constant" else gold
        likely = {"right": -0.5, "wrong": -9.0, "refused": -2.0, "constant": -0.5}[self.name]
        after, scores = (
            one_token("x", -0.1),
            [likely if k == gold else -2.0 for k in range(len(request.options))],
        )
        texts = map(one_token, request.options, scores)
        return records.ScoreResponse(tuple(records.OptionScore(text, after) for text in texts))

    def _mass(self, request: records.LabelRequest) -> records.LabelResponse:
        names = [name for name, _ in request.labels]
        gold = self.items[request.item].gold or names[0]
        mass = {
            "right": {gold: 1.0},
            "wrong": {next(name for name in names if name != gold): 1.0},
            "constant": {names[0]: 1.0},
            "refused": {},
        }[self.name]
        return records.LabelResponse({name: mass.get(name, 0.0) for name in names}, float(not mass))


def asked(name: str, method: str, how: str, options: Mapping[str, Any]) -> Run:
    """Run a task with answers of one kind; ``random`` is the model of that name."""
    if how == "random":
        return evaluate(name, how, method=method, store=None, quiet=True, **options)
    items = {item.id: item for item in load_task(name, **options).items()}
    return evaluate(name, Model(how, items), method=method, store=None, quiet=True, **options)


def faults(estimates: Sequence[Estimate], words: Words) -> Iterator[str]:
    """What is wrong with estimates, and with the tables that show them."""
    for e in estimates:
        if e.method in words.left_alone:
            continue
        low, high = words.bounds(e.measure)
        known, bounded = not math.isnan(e.low), math.isfinite(high - low)
        few = min(e.n, e.clusters) <= 12 and bounded
        shown = map(words.measure(e.measure).number, (e.value, e.low, e.high))
        inside = low - 1e-12 <= e.low <= e.value <= e.high <= high + 1e-12
        wrong = {
            "the value leaves its bounds": e.value < low - 1e-12 or e.value > high + 1e-12,
            "half known": known is math.isnan(e.high) or (known and math.isnan(e.value)),
            "an error larger than the bounds allow": bounded and e.stderr > high - low,
            "the interval leaves its bounds, or its value": known and not inside,
            "certain": known and e.high - e.low < (NARROW * (high - low) if few else 1e-9),
            "minus zero": known and any(map(MINUS_ZERO.fullmatch, shown)),
        }
        yield from (f"{what} {low, high}: {e}" for what, is_so in wrong.items() if is_so)
    for table in brief_tables(estimates, words):
        cells = [cell for row in table.rows for cell in row[table.heads :] if NOTATION.search(cell)]
        if len({"[" in cell for cell in cells}) > 1:
            yield f"two notations: {table}"
        yield from (f"minus zero: {cell} in {table.title}" for cell in cells if MINUS_ZERO.search(cell))
