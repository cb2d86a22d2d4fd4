"""Every estimate of every installed task on next to no data: no interval leaves its bounds or claims certainty."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from probsense.interop.compare import compare
from probsense.models.base import Batch, Capabilities, Usage
from probsense.records import (
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
from probsense.run.evaluate import Run, evaluate
from probsense.show.groups import brief_tables
from probsense.show.words import Words
from probsense.stats.estimate import Estimate
from probsense.tasks.frames.analyse import analyse as analyse_frames
from probsense.tasks.judgments.analyse import analyse as analyse_judgments
from probsense.tasks.registry import load_task, task_names, words_named
from probsense.tasks.worldsense.analyse import analyse as analyse_worldsense
from probsense.tasks.worldsense.verbs import generate

ANSWERS = ("right", "wrong", "refused")
NEARLY = (*ANSWERS, "nearly")
"""All right, but with probabilities that differ by a hair."""
NARROW = 0.01
"""An interval of a dozen observations that is narrower, as a share of the distance of the bounds, claims too much."""
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
        said = {"right": "tape", "wrong": "no such thing", "refused": ""}[self.how]
        yield [(i, SampleResponse((said,) * request.n)) for i, request in enumerate(requests)]

    def _scores(self, request: ScoreRequest) -> ScoreResponse:
        item = self.items[request.item]
        allowed = item.data.get("expected")
        gold = allowed.index(item.gold) if allowed else int(item.gold or 0)
        likely = {"right": -0.5, "wrong": -9.0, "refused": -2.0}[self.how]
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
        if self.how == "nearly":
            off = 1e-6 * (1 + zlib.crc32(request.prompt.encode()) % 9)
            return LabelResponse({name: 1 - off if name == gold else off for name in names}, 0.0)
        said = gold if self.how == "right" else next(name for name in names if name != gold)
        return LabelResponse({name: float(name == said) for name in names}, 0.0)


def data_of(name: str, n: int, folder: Path) -> dict[str, Any]:
    """What a task needs, beside the number of items, to have something to compare answers with."""
    if name == "judgments":
        people = folder / "people.csv"
        rows = [f"{k},p{i},1,1" for k in range(n) for i in range(n + 1)]
        people.write_text("\n".join(["statement_id,person,q1,q2", *rows, ""]))
        statements = folder / "statements.csv"
        statements.write_text(
            "\n".join(["statement_id,statement", *(f"{k},Claim {k} holds." for k in range(n)), ""])
        )
        return {"data": statements, "humans": [people]}
    if name == "frames":
        file = folder / "frames.jsonl"
        frame = {"slot": "instrument", "clusters": {"tape": {"tape": 3}, "glue": {"glue": 2}}}
        file.write_text(
            "".join(
                json.dumps({"id": f"f{k}", "context": f"A box {k} is closed.", **frame}) + "\n"
                for k in range(n)
            )
        )
        return {"data": file, "answers": 2}
    # The smallest whole clusters have one item, but twins are two, and a WorldSense tuple is three trials.
    return {"limit": n * {"winogrande": 2, "worldsense": 3}.get(name, 1)}


def asked(name: str, method: str, how: str, options: Mapping[str, Any]) -> Run:
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
        cells = [cell for row in table.rows for cell in row[table.heads :] if " " in cell]
        if len({"[" in cell for cell in cells}) > 1:
            yield f"two notations: {table}"
        yield from (f"minus zero: {cell} in {table.title}" for cell in cells if MINUS_ZERO.search(cell))


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("name", task_names())
def test_no_interval_leaves_its_bounds_or_claims_certainty(name: str, n: int, tmp_path: Path) -> None:
    options = data_of(name, n, tmp_path)
    words = words_named(name)
    for method in load_task(name, **options).methods:
        runs = [asked(name, method, how, options) for how in ANSWERS]
        for run in runs:
            assert run.summary()
            assert not [*faults(run.summary(), words)], run.model
    together = compare(*runs)
    assert not [*faults([*together.levels, *(one.estimate for one in together.differences)], words)]


@pytest.mark.parametrize("n", [1, 2, 3, 12, 40])
def test_recorded_judgments_keep_their_bounds(n: int, tmp_path: Path) -> None:
    options = data_of("judgments", n, tmp_path)
    ratings = []
    for how in NEARLY:
        run = asked("judgments", "labels", how, options)
        ratings += run.task.write_results(tmp_path / how, run.answered)  # type: ignore[attr-defined]
    who = tmp_path / "who.csv"
    who.write_text("person,drink\n" + "".join(f"p{i},{('tea', 'milk')[i % 2]}\n" for i in range(n + 1)))
    found = analyse_judgments(
        ratings=ratings, humans=options["humans"], data=options["data"], demographics=who, draws=50
    )
    assert not [*faults(found.measured.estimates, found.words)]
    groups = found.measured.tables.get("groups")
    assert (groups is not None) == (n > 9)
    if groups is not None:
        difference, low, high = (groups[name].to_numpy() for name in ("difference", "low", "high"))
        assert ((low >= -1) & (low <= difference) & (difference <= high) & (high <= 1)).all()
        assert (high - low > 2 * NARROW).all()


@pytest.mark.parametrize("tuples", [1, 2, 12])
def test_recorded_worldsense_keeps_its_bounds(tuples: int, tmp_path: Path) -> None:
    generate(tmp_path, sizes=(3,), problems=("Infer.trivial", "Consist.normal"), tuples=tuples)
    for how in ANSWERS:
        run = asked("worldsense", "labels", how, {"data": tmp_path})
        assert run.task.write_results(tmp_path, run.answered)  # type: ignore[attr-defined]
    found = analyse_worldsense(tmp_path, cache=False)
    assert {str(e.by["model"]) for e in found.measured.estimates} == set(ANSWERS)
    assert not [*faults(found.measured.estimates, found.words)]


@pytest.mark.parametrize("n", [1, 2, 3, 12])
@pytest.mark.parametrize(
    "choice", [{"similarity": "exact", "answers": 2}, {"method": "published", "similarity": "exact"}]
)
def test_recorded_frames_keep_their_bounds(choice: dict[str, Any], n: int, tmp_path: Path) -> None:
    options = data_of("frames", n, tmp_path)
    predictions = []
    for how in ("right", "wrong"):
        run = asked("frames", "sample", how, options)
        predictions += run.task.write_results(tmp_path / how, run.answered)  # type: ignore[attr-defined]
    assert len(predictions) == 2
    found = analyse_frames(options["data"], predictions=predictions, **choice)
    assert found.measured.estimates
    assert not [*faults(found.measured.estimates, found.words)]
