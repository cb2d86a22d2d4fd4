"""Draws a model's distributions beside people's, and how often people choose what a model gives a share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from probsense.show.shapes.calibration import calibration
from probsense.show.shapes.distributions import Distribution, distributions
from probsense.show.shapes.marks import percent
from probsense.show.text import plain, shorten
from probsense.show.theme import WIDE, Spec, labels, specification, strings

if TYPE_CHECKING:
    import polars as pl

PANELS, MODELS = 6, 3
"""Questions whose distributions are shown, and the models in each, beside people."""
TEXT: Final = 160
"""Letters of a question that are shown at most."""


def shares_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each of some questions: a row for each option, a bar for people and for each model.

    Parameters
    ----------
    table : DataFrame
        question (its id), text, model, option, share (from 0 to 1).
    width : int
    """
    import polars as pl

    models = labels(strings(table, "model")[: MODELS + 1])
    known = table.filter(pl.col("model").is_in([*models]))
    names = strings(known, "question")
    step = max(len(names) // PANELS, 1)
    panels = []
    for name in names[::step][:PANELS]:
        own = known.filter(pl.col("question") == name)
        text = shorten(plain(" ".join(str(own["text"][0]).split())), TEXT)
        panels.append(Distribution(text, own.select("option", "model", "share").rows()))
    about = f"Shares of options, for {', '.join(models)}, in {len(panels)} questions."
    return specification(distributions(panels, models, "Share (%)", 100, width), about)


def calibration_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a mark with its interval for each bin and model, and a dashed line where both are the same.

    Parameters
    ----------
    table : DataFrame
        model, bin, options, probability, share, low, high.
    width : int
    """
    models = labels(strings(table, "model"))
    records = [
        {
            "model": models[row["model"]],
            "tip": plain(f"{row['model']}, {row['bin']}: {100 * row['share']:.1f} % of people"),
            **{name: percent(row[name]) for name in ("probability", "share", "low", "high")},
        }
        for row in table.iter_rows(named=True)
    ]
    about = f"Share of people by the share that models give, for {', '.join(models)}."
    titles = "Share that the model gives (%)", "Share of people (%)"
    return calibration(records, [*models.values()], titles, about, width, 300)
