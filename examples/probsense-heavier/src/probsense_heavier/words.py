"""The words of the task: what its measures and its chart are called and mean, and what its page says first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import ChartKind
from probsense.show.measure import (
    ACCURACY,
    PERCENT,
    Group,
    KeyResult,
    KeyResults,
    Landmark,
    Measure,
    in_sentence,
)
from probsense.show.theme import INK, Spec, by_model, labels, rows, specification, strings
from probsense.show.words import ProfileRow, Words

if TYPE_CHECKING:
    import polars as pl


def draw_factors(table: pl.DataFrame, width: int) -> Spec:
    """Draw a mark for each pair and model: the probability of the right answer by the factor."""
    import altair as alt

    names = labels(strings(table, "model"), 44)
    hue, shape = by_model([*names.values()], width)
    marks = rows(
        {
            "model": names[row["model"]],
            "factor": row["factor"],
            "share": 100 * row["p_gold"],
            "tip": f"{row['model']}, {row['cluster']}: {100 * row['p_gold']:.1f} %",
        }
        for row in table.iter_rows(named=True)
    )
    across = alt.X(
        "factor:Q", title="Times as heavy", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s")
    )
    up = alt.Y("share:Q", title="Probability of the right answer (%)", scale=alt.Scale(domain=[0, 100]))
    points = alt.Chart(marks).mark_point(filled=True, size=65)
    points = points.encode(x=across, y=up, color=hue, shape=shape, description="tip:N")
    guessing = alt.Chart(rows([{"share": 50}])).mark_rule(strokeDash=[4, 4], color=INK).encode(y=up)
    chart = alt.layer(guessing, points).properties(width=width - 70, height=240)
    return specification(chart, f"Probability of the right answer by factor, for {', '.join(names)}.")


def key_results(estimates: Sequence[Estimate], words: Words) -> KeyResults:
    """Name the model with the highest accuracy, and say what each model achieved."""
    overall = [e for e in estimates if e.measure == "accuracy" and words.is_overall(e)]
    found = []
    for estimate in sorted(overall, key=lambda e: -e.value):
        share = in_sentence(estimate, words.measure("accuracy"))
        verdict = "better" if estimate.low > 0.5 else "not clearly better"
        said = f"picks the right thing in {share} of the questions."
        found.append(KeyResult(str(estimate.by["model"]), said, f"That is {verdict} than guessing."))
    return KeyResults(f"{found[0].model} comes first." if len(found) > 1 else "", found)


WORDS = Words(
    title="Heavier",
    measures={
        "accuracy": ACCURACY,
        "p_gold": Measure(
            "Probability of the right answer", "its share of the two answers, on average", PERCENT
        ),
        "named_first": Measure(
            "First thing chosen",
            "how often the answer is the thing that the question names first; without a preference, half of the time",
            PERCENT,
            landmark=Landmark(0.5, "no preference"),
        ),
    },
    parts=("position",),
    values={
        ("position", "first"): "the question names the right thing first",
        ("position", "second"): "the question names the right thing second",
    },
    groups=[
        Group("Knowledge of weights", "All pairs in both orders.", ("accuracy", "p_gold", "named_first"))
    ],
    charts={
        "p_gold_by_factor": ChartKind(
            "Probability of the right answer by factor",
            "A mark for each pair. Pairs whose things differ more in weight should be easier.",
            draw_factors,
        )
    },
    profile=[
        ProfileRow("accuracy", "right answers", "the share of questions about weights answered rightly")
    ],
    item_group="position",
    key_results=key_results,
)
