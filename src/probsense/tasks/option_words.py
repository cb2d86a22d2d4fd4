"""The words of tasks with options: measures, views, and the chart of calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from probsense.show.chart import ChartKind
from probsense.show.charts import first_methods
from probsense.show.estimate_charts import NUMBERS, TEXTS, measure_table, said
from probsense.show.forest import intervals
from probsense.show.measure import ACCURACY, PERCENT, Landmark, Measure
from probsense.show.text import plain
from probsense.show.theme import INK, NARROW, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.show.words import ACCURACY_ROW, Words
from probsense.show.works import Work
from probsense.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

PARTS: Final = ("confidence", "problem", "view")

MEASURES: Final[Mapping[str, Measure]] = {
    "accuracy": ACCURACY,
    "p_gold": Measure(
        "Probability of the right option",
        "the mean probability that the right option gets among the options",
        PERCENT,
    ),
    "brier": Measure(
        "Brier score",
        "the squared distance between the probabilities and the truth, summed over the options: 0 is certain and right,"
        " 2 certain and wrong, and equal probabilities for k options get 1 − 1/k",
        bounds=(0, 2),
    ),
    "log_score": Measure(
        "Log score",
        "minus the logarithm of the probability of the right option, in nats: 0 is certain and right, and equal"
        " probabilities for k options get log k (0.693 for two)",
        bounds=(0, math.inf),
    ),
    "calibration_error": Measure(
        "Expected calibration error",
        "how far, on average, the probability of the chosen option is from how often that option is right, in ten bins"
        " of probability; with few questions it is overestimated",
        PERCENT,
    ),
    "calibration_gap": Measure(
        "Calibration gap",
        "accuracy minus the mean probability of the chosen option, for probabilities within a bin: a model below 0 is"
        " too sure, one above 0 not sure enough",
        PERCENT,
        bounds=(-1, 1),
        landmark=Landmark(0.0, "calibrated"),
    ),
}

VIEWS: Final[Mapping[str, str]] = {
    "sum": "the log-probability of the option",
    "token": "the log-probability of the option, divided by its number of tokens",
    "char": "the log-probability of the option, divided by its number of characters",
    "byte": "the log-probability of the option, divided by its number of bytes",
    "mean_prob": (
        "the mean probability of the option's tokens; one near-certain token outweighs an improbable one"
    ),
    "partial": "the log-probability of what follows the option",
    "full": "the log-probability of the option and of what follows it",
    "pmi": "how much the prefix raises the log-probability of the option above that after a neutral prefix",
}
"""What picks the answer under each view of option scores."""


def option_words(title: str, *, item_group: str = "", works: Sequence[Work] = ()) -> Words:
    """Make the words of a task with options.

    Parameters
    ----------
    title : str
    item_group : str
        The column of its table by which questions are sorted.
    works : sequence of Work
        What to cite with its results.
    """
    return Words(
        title=title,
        measures=MEASURES,
        parts=PARTS,
        values={("view", view): meaning for view, meaning in VIEWS.items()},
        charts={"calibration": CALIBRATION},
        profile=(ACCURACY_ROW,),
        item_group=item_group,
        works=works,
    )


def _calibration_table(estimates: Sequence[Estimate]) -> pl.DataFrame:
    import polars as pl

    method = first_methods(estimates).get("calibration_gap")
    if method is None:
        return pl.DataFrame()
    return measure_table(
        estimates, "calibration_gap", method, Words(title="", measures=MEASURES, parts=PARTS)
    )


def calibration_chart(style: Measure, table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw how much more often answers are right than the model is sure, by how sure it is.

    Parameters
    ----------
    style : Measure
        "calibration_gap"; below the line a model is too sure.
    table : DataFrame
    width : int
    """
    import altair as alt

    bins, models = labels(strings(table, "part"), 12), labels(strings(table, "model"))
    order = sorted(bins, key=lambda name: float(name.split("\N{EN DASH}")[0]))
    hue, shape = by_model([*models.values()], width)
    known = table.drop_nulls("part")
    records = [
        {
            "bin": bins[row["part"]],
            "model": models[row["model"]],
            "tip": plain(f"{row['model']}, {row['part']}: {said(style, row)}"),
            **{name: None if row[name] is None else row[name] * 100 for name in ("value", "low", "high")},
        }
        for row in known.iter_rows(named=True)
    ]
    shift = alt.XOffset("model:N", sort=None, scale=alt.Scale(domain=[*models.values()], paddingOuter=0.5))
    place = alt.X(
        "bin:O",
        title="Probability of the chosen option",
        sort=[bins[name] for name in order],
        axis=alt.Axis(labelAngle=0 if width > NARROW else -60),
    )
    title = f"{style.title} (points)"
    chart = alt.Chart(rows(records)).encode(x=place, xOffset=shift, description="tip:N")
    drawn = alt.layer(
        alt.Chart(rows([{"level": 0}]))
        .mark_rule(aria=False, strokeDash=[4, 4], color=INK, opacity=0.65)
        .encode(y=alt.Y("level:Q", title=title)),
        *intervals(chart, alt.Y("value:Q", title=title), hue, shape),
    ).properties(width=width, height=260, autosize={"type": "fit-x", "contains": "padding"})
    return specification(
        drawn, f"{style.title} by confidence for {', '.join(models)}. Each line is an interval."
    )


CALIBRATION: Final = ChartKind(
    "Calibration",
    "How much more often answers are right than they are sure, by how sure they are: below the line they are too sure,"
    " above it not sure enough. A hollow mark has too few answers for an interval.",
    partial(calibration_chart, MEASURES["calibration_gap"]),
    TEXTS,
    NUMBERS,
    _calibration_table,
)
