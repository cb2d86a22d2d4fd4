"""Every estimate of every installed task on next to no data: no interval leaves its bounds or claims certainty."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.interop.compare import compare
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run
from probsense.show.tables import brief_tables
from probsense.show.words import Words
from probsense.tasks.judgments.measures.estimates import Settings
from probsense.tasks.registry import load_task, task_names, words_named
from support.habit import Habit

SAID = {"right": "tape", "wrong": "no such thing", "refused": "", "constant": "yes"}
ANSWERS = (*SAID,)
NARROW = 0.01
"""An interval of a dozen observations that is narrower, as a share of the distance of the bounds, claims too much."""
LETTERS = re.compile('"([A-Z])": …')
"""What a percentage is asked for."""
NOTATION = re.compile(r" [\[(]-?[\d.]")
"""How an interval begins in a cell; words say why there is none."""
MINUS_ZERO = re.compile(r"-0(\.0*)?(?![\d.])")


def asked(name: str, method: str, how: str, options: Mapping[str, Any]) -> Run:
    """Run a task with answers of one kind, given by who knows the right ones; ``random`` is the model of that name."""
    items = {item.id: item for item in load_task(name, **options).items()}

    def place(request: ScoreRequest | LabelRequest) -> int:
        item = items[request.item]
        names = [one for one, _ in request.labels] if isinstance(request, LabelRequest) else None
        names = names or item.data.get("expected") or [option.strip() for option in request.options]
        gold = names.index(item.gold) if item.gold in names else int(item.gold or 0)
        return {"right": gold, "wrong": (gold + 1) % len(names)}.get(how, 0)

    def texts(request: SampleRequest) -> Sequence[str]:
        said, letters = SAID[how], LETTERS.findall(request.prompt)
        if letters and said:
            all_on = letters[how == "wrong"]
            said = json.dumps({letter: 100 * (letter == all_on) for letter in letters})
        return (said,) * request.n

    def chance(request: ScoreRequest | LabelRequest) -> float:
        if isinstance(request, ScoreRequest):
            return 1 / len(request.options) if how == "refused" else 0.9
        return math.nan if how == "refused" else 1.0

    habit = Habit(chance, texts, 1.0, how, place=place)
    model = how if how == "random" else habit
    return evaluate(name, model, method=method, store=None, quiet=True, **options)


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


PROBLEMS = ("Infer.trivial", "Consist.normal")


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Bootstraps of 50 draws, not 1,000: the bounds are those of each draw."""
    monkeypatch.setattr("probsense.tasks.judgments.measures.estimates.Settings", partial(Settings, draws=50))


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
    some = {"sizes": (3,), "problems": PROBLEMS} if name == "worldsense" else {}
    return {"limit": n * {"winogrande": 2, "worldsense": 3}.get(name, 1), **some}


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("name", task_names())
def test_no_interval_leaves_its_bounds_or_claims_certainty(name, n, tmp_path):
    options = data_of(name, n, tmp_path)
    words = words_named(name)
    for method in load_task(name, **options).methods:
        kinds = ANSWERS if method in ("sample", "stated") else (*ANSWERS, "random")
        runs = [asked(name, method, how, options) for how in kinds]
        for run in runs:
            assert run.summary()
            assert not [*faults(run.summary(), words)], run.model
    together = compare(*runs)
    assert not [*faults([*together.levels, *(one.estimate for one in together.differences)], words)]
