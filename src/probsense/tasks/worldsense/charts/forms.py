"""The chart of accuracy by form: whether a model can do a kind of question, or single puzzles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from probsense.show.shapes.marks import DASHED
from probsense.show.text import plain
from probsense.show.theme import NARROW, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.tasks.worldsense.measures.cells import scored
from probsense.tasks.worldsense.questions.format import FORM, PROBLEMS, in_order

if TYPE_CHECKING:
    import polars as pl

TABLE: Final = "accuracy_by_form"
"""The name of the chart, and of the table that it is drawn from."""

TEXTS: Final = ("model", "problem", "form")
NUMBERS: Final = ("depth", "value", "trials")
"""The columns of that table."""

TOLD: Final = 2
"""How often a form must be asked to have a point."""

LANES: Final = 7
"""Places in which the forms of one depth and model stand."""

BAND: Final = 0.8
"""How much of the distance between two depths they take."""

APART: Final = 24
"""How many pixels separate panels."""

CHANCE: Final = 0.5


def forms_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Compute the accuracy in each form that was asked several times.

    Parameters
    ----------
    frame : DataFrame
        As :func:`measures.cells.scored` takes it.

    Returns
    -------
    DataFrame
        model, problem, form, depth, value, trials; a row for each form of a problem.
    """
    import polars as pl

    known = scored(frame).drop_nulls([FORM, "depth"])
    told = known.group_by("model", "problem", FORM, "depth").agg(
        value=pl.col("published accuracy").cast(pl.Float64).mean(), trials=pl.len()
    )
    order = in_order(told["problem"], PROBLEMS)
    return (
        told.filter(pl.col("trials") >= TOLD)
        .select(*TEXTS, *(pl.col(name).cast(pl.Float64) for name in NUMBERS))
        .sort("model", pl.col("problem").map_elements(order.index, return_dtype=pl.Int64), "depth", FORM)
    )


def forms_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each problem: a point for each form, by the depth of inference.

    Parameters
    ----------
    table : DataFrame
        As :func:`forms_table` makes it, of one or several models.
    width : int
        Width of the whole chart, in pixels.
    """
    import altair as alt

    models = labels(strings(table, "model"))
    hue, shape = by_model([*models.values()], width)
    problems = strings(table, "problem")
    columns = min(3 if width > NARROW else 1, len(problems))
    wide = (width - 60 * columns) / columns - APART
    place, share = {model: i for i, model in enumerate(models)}, BAND / len(models)
    panels = []
    for problem in problems:
        own = table.filter(problem=problem)
        met = [int(depth) for depth in own["depth"]]
        depths = [*range(min(met), max(met) + 1)]
        records = [
            {
                "model": models[row["model"]],
                # Models stand side by side, and so do their forms, in an order that says nothing.
                "at": row["depth"]
                + (place[row["model"]] + (number % LANES + 0.5) / LANES) * share
                - BAND / 2,
                "value": 100 * row["value"],
                "trials": row["trials"],
                "tip": plain(
                    f"{row['model']}, {problem}, depth {row['depth']:g}, form {row['form']}: "
                    f"{100 * row['value']:.0f} % of {row['trials']:g} questions"
                ),
            }
            for number, row in enumerate(own.iter_rows(named=True))
        ]
        base = alt.Chart(rows(records)).encode(
            x=alt.X(
                "at:Q",
                title="Facts that an answer takes",
                axis=alt.Axis(values=depths, format="d", grid=False),
                scale=alt.Scale(domain=[depths[0] - 0.5, depths[-1] + 0.5], nice=False),
            ),
            y=alt.Y("value:Q", title="Accuracy (%)", scale=alt.Scale(domain=[0, 100])),
            color=hue,
            shape=shape,
            size=alt.Size("trials:Q", legend=None, scale=alt.Scale(range=[12, 90])),
            description="tip:N",
        )
        line = alt.Chart(rows([{"at": 100 * CHANCE}])).encode(y="at:Q").mark_rule(**DASHED)
        title = alt.TitleParams(problem, anchor="start", fontSize=12)
        layers = alt.layer(line, base.mark_point(filled=True, opacity=0.5))
        panels.append(layers.properties(width=wide, height=150, title=title))
    about = f"Accuracy by form and depth for {', '.join(models)}. Each point is a form of questions."
    return specification(alt.concat(*panels, columns=columns, spacing=APART), about)
