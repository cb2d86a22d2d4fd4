"""Trains the small model on questions of either regime, and measures what it learns on held-out sets of both.

``python training/learning_curves.py`` starts from the model of ``training/train_drills.py``, and writes the numbers and
the chart of docs/worldsense.md. With ``--holdout-forms SHARE``, it learns from matched questions without a share of the
forms, and the held-out sets have forms that it has met and forms that it has not, in other names and in other skins.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
import torch

from exams import KINDS, PROBLEM, REGIMES, TRAINED, Exam, Kind, exams, lessons_of, sit, split_kinds
from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import Chart
from probsense.show.render import file_bytes
from probsense.show.shapes.marks import intervals
from probsense.show.theme import INK, WIDE, Spec, by_model, rows, specification, strings
from probsense.tasks.worldsense.generate.design import MATCHED
from train_tiny import batches, half_cosine, learn, load, new_optimizer

Row: TypeAlias = dict[str, Any]
"""One mark of the chart: what was read, how much of it, the exam, and the accuracy there with its interval."""

TITLE = "What a small model learns from either regime"


def train(
    regime: str,
    start: Path,
    sets: Sequence[Exam],
    steps: int,
    every: int,
    batch: int,
    seed: int,
    trained: Kind = TRAINED,
) -> Iterator[Row]:
    """Train on questions of a regime, and yield the results of all exams before, on the way and at the end.

    Parameters
    ----------
    regime : str
    start : Path
        The folder of the model to start from.
    sets : sequence of Exam
    steps, every : int
        Number of steps in all, and between two times of exams.
    batch : int
        Questions a step.
    seed : int
    trained : Kind
        The questions to learn from.
    """
    torch.manual_seed(seed)
    model, tokenizer = load(start)
    optimizer, stream = (
        new_optimizer(model),
        batches(tokenizer, lessons_of(regime, seed, trained), batch, seed),
    )
    started = time.monotonic()
    for step in range(steps + 1):
        if step % every == 0:
            found = [_row(regime, step * batch, exam, sit(model, tokenizer, exam)) for exam in sets]
            yield from found
            values = " ".join(f"{row['value']:.2f}" for row in found)
            print(f"{regime}, {step}: {values}, {time.monotonic() - started:.0f} s", flush=True)
        if step < steps:
            learn(model, optimizer, next(stream), 1e-3 * min(1, (step + 1) / 100) * half_cosine(step / steps))


def _row(regime: str, read: int, exam: Exam, estimate: Estimate) -> Row:
    numbers = {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "ceiling": exam.ceiling.value,
        "error of ceiling": exam.ceiling.stderr,
    }
    return {
        "trained on": regime,
        "questions": read,
        "exam": exam.regime,
        "kind": exam.kind.name,
        **{name: round(number, 4) for name, number in numbers.items()},
        "tuples": estimate.clusters,
    }


def draw(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each exam: accuracy by the number of questions read, with the shortcut ceiling and chance."""
    import altair as alt

    kinds, regimes = strings(table, "kind"), strings(table, "exam")
    names = {regime: f"trained on {regime} questions" for regime in strings(table, "trained on")}
    hue, shape = by_model([*names.values()], width)
    records = [
        {
            **{name: 100 * row[name] for name in ("value", "low", "high", "ceiling")},
            "model": names[row["trained on"]],
            "questions": row["questions"],
            "kind": row["kind"],
            "exam": f"asked: {row['exam']}",
        }
        for row in table.iter_rows(named=True)
    ]
    x = alt.X("questions:Q", title="Questions read", axis=alt.Axis(tickCount=3))
    y = alt.Y("value:Q", title="Accuracy (%)", scale=alt.Scale(domain=[0, 100]))
    chart = alt.Chart().encode(x=x)
    level = alt.Chart().mark_rule(strokeDash=[4, 4], color=INK, opacity=0.65)
    layers = [
        level.encode(y=alt.datum(50)),
        alt.Chart().mark_rule(strokeDash=[1, 3], color=INK).encode(y="mean(ceiling):Q"),
        chart.mark_line(strokeWidth=1.5).encode(y=y, color=hue),
        *intervals(chart, y, hue, shape),
    ]
    panels = alt.layer(*layers, data=rows(records)).properties(
        width=(width - 110) / len(kinds) - 18, height=150
    )
    grid = panels.facet(
        column=alt.Column("kind:N", sort=kinds),
        row=alt.Row("exam:N", sort=[f"asked: {regime}" for regime in regimes]),
        spacing=18,
    )
    about = f"{TITLE}: accuracy on held-out questions of {PROBLEM} by the number of questions read."
    return specification(grid, about)


def save(out: Path, found: Sequence[Row], name: str = "learning-curves") -> None:
    """Write the numbers as JSON and the chart as SVG."""
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    chart = Chart(name, TITLE, "", pl.DataFrame(found), draw)
    (out / f"{name}.svg").write_bytes(file_bytes(chart, "svg"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parent
    parser.add_argument("--start", type=Path, default=here / "out" / "drilled")
    parser.add_argument("--out", type=Path, default=here.parent / "docs")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--every", type=int, default=300)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tuples", type=int, default=150, help="tuples of an exam")
    parser.add_argument("--of-ceiling", type=int, default=1500, help="tuples for the shortcut ceiling")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--holdout-forms", type=float, help="share of the forms to hold out")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    regimes, trained, kinds, name = REGIMES, TRAINED, KINDS, "learning-curves"
    if options.holdout_forms is not None:
        trained, kinds = split_kinds(options.holdout_forms, options.seed)
        regimes, name = (MATCHED,), "learning-curves-forms"
    sets = exams(kinds, options.tuples, options.of_ceiling, regimes)
    results: list[Row] = []
    for regime in regimes:
        results += train(
            regime, options.start, sets, options.steps, options.every, options.batch, options.seed, trained
        )
        save(options.out, results, name)
