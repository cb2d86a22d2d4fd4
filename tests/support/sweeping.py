"""Models that answer everything alike, and what must hold of the estimates of any task that asks them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import (
    Item,
    LabelRequest,
    LabelResponse,
    OptionScore,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
)
from probsense.models.base import Batch, Capabilities, Usage
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

    how: str
    items: Mapping[str, Item]
    details: Mapping[str, Any]
    capabilities: Capabilities
    usage: Usage

    @property
    def name(self) -> str:
        return self.how

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        yield [(i, self._scores(request)) for i, request in enumerate(requests)]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        yield [(i, self._mass(request)) for i, request in enumerate(requests)]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, request in enumerate(requests):
            letters = LETTERS.findall(request.prompt)
            said = {"right": "tape", "wrong": "no such thing", "refused": "", "constant": "yes"}[self.how]
            if letters and said:
                said = json.dumps(
                    {letter: 100 * (k == (self.how == "wrong")) for k, letter in enumerate(letters)}
                )
            yield [(i, SampleResponse((said,) * request.n))]

    def _scores(self, request: ScoreRequest) -> ScoreResponse:
        item = self.items[request.item]
        allowed = item.data.get("expected") or [option.strip() for option in request.options]
        gold = allowed.index(item.gold) if item.gold in allowed else int(item.gold or 0)
        gold = 0 if self.how == "constant" else gold
        likely = {"right": -0.5, "wrong": -9.0, "refused": -2.0, "constant": -0.5}[self.how]
        return ScoreResponse(
            tuple(
                OptionScore(
                    TokenLogprobs((likely if k == gold else -2.0,), (option,), len(option), len(option)),
                    TokenLogprobs((-0.1,), ("x",), 1, 1),
                )
                for k, option in enumerate(request.options)
            )
        )

    def _mass(self, request: LabelRequest) -> LabelResponse:
        names = [name for name, _ in request.labels]
        gold = self.items[request.item].gold or names[0]
        if self.how == "refused":
            return LabelResponse(dict.fromkeys(names, 0.0), 1.0)
        others = (name for name in names if name != gold)
        said = {"right": gold, "constant": names[0]}.get(self.how) or next(others)
        return LabelResponse({name: float(name == said) for name in names}, 0.0)


def asked(name: str, method: str, how: str, options: Mapping[str, Any]) -> Run:
    """Run a task with answers of one kind; ``random`` is the model of that name."""
    if how == "random":
        return evaluate(name, how, method=method, store=None, quiet=True, **options)
    items = {item.id: item for item in load_task(name, **options).items()}
    able = Capabilities(score=True, labels="exact", sample=True)
    model = Model(how, items, {"how": how}, able, Usage())
    return evaluate(name, model, method=method, store=None, quiet=True, **options)


def faults(estimates: Sequence[Estimate], words: Words) -> Iterator[str]:
    """What is wrong with estimates, and with the tables that show them."""
    for e in estimates:
        if e.method in words.left_alone:
            continue
        low, high = words.bounds(e.measure)
        ends = [e.low, e.high]
        style = words.measure(e.measure)
        where = (
            f"{e.measure} {dict(e.by)} ({e.method}): {e.value} {ends} se {e.stderr} n {e.n} c {e.clusters}"
        )
        if not math.isnan(e.value) and not low - 1e-12 <= e.value <= high + 1e-12:
            yield f"the value leaves {low, high}: {where}"
        if math.isnan(e.low) != math.isnan(e.high) or (math.isnan(e.value) and not math.isnan(e.low)):
            yield f"half known: {where}"
        if math.isfinite(high - low) and e.stderr > high - low:
            yield f"an error larger than {low, high} allow: {where}"
        if math.isnan(e.low):
            continue
        if not low - 1e-12 <= e.low <= e.value <= e.high <= high + 1e-12:
            yield f"the interval leaves {low, high}, or its value: {where}"
        few = min(e.n, e.clusters) <= 12 and math.isfinite(high - low)
        if e.high - e.low < (NARROW * (high - low) if few else 1e-9):
            yield f"certain: {where}"
        if any(MINUS_ZERO.fullmatch(style.number(x)) for x in (e.value, *ends)):
            yield f"minus zero: {where}"
    for table in brief_tables(estimates, words):
        cells = [cell for row in table.rows for cell in row[table.heads :] if NOTATION.search(cell)]
        if len({"[" in cell for cell in cells}) > 1:
            yield f"two notations: {table}"
        yield from (f"minus zero: {cell} in {table.title}" for cell in cells if MINUS_ZERO.search(cell))
