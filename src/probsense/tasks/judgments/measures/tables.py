"""Tables of raters and of statements, behind the charts of models among people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from probsense.analysis.agreement.statements import person_scores, raters
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.measures.estimates import BASELINE, PEOPLE, overall
from probsense.tasks.judgments.measures.features import commonsensicality
from probsense.tasks.judgments.people.study import Study


def individuals(study: Study, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate commonsensicality as individuals: kind ("person", "model", "baseline"), name, score, low, high."""
    scores = person_scores(study.people).commonsensicality.tolist() if study.persons else []
    rows: list[tuple[object, ...]] = [
        ("person", name, score, None, None)
        for name, score in zip(study.persons, scores, strict=True)
        if score == score
    ]
    for e in overall(estimates, "commonsensicality"):
        name = str(e.by["model"])
        if name != PEOPLE and e.value == e.value:
            kind = "baseline" if name.startswith(BASELINE) else "model"
            rows.append((kind, name.removeprefix(BASELINE), e.value, e.low, e.high))
    numbers = dict.fromkeys(("score", "low", "high"), pl.Float64)
    table = pl.DataFrame(rows, schema={"kind": pl.String, "name": pl.String, **numbers}, orient="row")
    return table.with_columns(pl.col("low", "high").fill_nan(None))


def by_statement(study: Study, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate commonsensicality to people and in each model: model, statement_id, raters, people, value.

    Further columns are r, low and high (the correlation of the two) and ceiling (its highest possible value); they are
    null if unknown.
    """
    _, values = commonsensicality(study)
    people, models = values[0], values[1:]
    frame = pl.DataFrame(
        {
            "model": np.repeat(study.models, len(study.ids)),
            "statement_id": np.tile(study.ids, len(study.models)),
            "raters": np.tile(raters(study.people).astype(np.int64), len(study.models)),
            "people": np.tile(people, len(study.models)),
            "value": models.ravel(),
        }
    )
    ceiling = next((e.value for e in estimates if e.measure == "ceiling"), None)
    known = [(str(e.by["model"]), e.value, e.low, e.high) for e in overall(estimates, "group_r")]
    columns = {"model": pl.String, **dict.fromkeys(("r", "low", "high"), pl.Float64)}
    correlations = pl.DataFrame(known, schema=columns, orient="row")
    return (
        frame.filter(pl.col("people").is_not_nan() & pl.col("value").is_not_nan())
        .join(correlations, on="model", how="left", maintain_order="left")
        .with_columns(ceiling=pl.lit(ceiling, pl.Float64))
    )
