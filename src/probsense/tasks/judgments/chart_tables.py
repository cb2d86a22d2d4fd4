"""What the charts are drawn from: tidy tables, one row for each thing that is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from probsense.agreement.matrix import agreement_matrix
from probsense.agreement.persons import person_scores
from probsense.agreement.statements import raters
from probsense.stats.estimate import Estimate
from probsense.stats.multiple import adjust
from probsense.tasks.judgments.align import Judged
from probsense.tasks.judgments.features import commonsensicality
from probsense.tasks.judgments.measures import BASELINE, PEOPLE

MAJORITY = "most people"


def tables(judged: Judged, estimates: Sequence[Estimate]) -> dict[str, pl.DataFrame]:
    """Every table for which there is something to show.

    Parameters
    ----------
    judged : Judged
    estimates : sequence of Estimate
        Of the same answers.

    Returns
    -------
    dict of str to DataFrame
        "individuals" (score of each person, model and baseline), "statements" (commonsensicality of each to people and
        within each model), "features" (differences between sides), "differences" (between models, with p-values that
        are corrected for their number), "agreement" (of any two models, and with most people).
    """
    found = {
        "individuals": individuals(judged, estimates),
        "statements": by_statement(judged, estimates),
        "features": _table(estimates, "feature_difference", ["model", "feature"]),
        "differences": differences(estimates),
        "agreement": agreement(judged),
    }
    return {name: table for name, table in found.items() if not table.is_empty()}


def individuals(judged: Judged, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """kind ("person", "model", "baseline"), name, score, low, high: commonsensicality as individuals."""
    rows: list[tuple[str, str, float, float | None, float | None]] = []
    if judged.people is not None:
        scores = person_scores(judged.people).commonsensicality
        rows += [
            ("person", name, score, None, None)
            for name, score in zip(judged.persons, scores.tolist(), strict=True)
            if score == score
        ]
    for estimate in overall(estimates, "commonsensicality"):
        name = str(estimate.by["model"])
        if name != PEOPLE and estimate.value == estimate.value:
            kind = "baseline" if name.startswith(BASELINE) else "model"
            known = estimate.low == estimate.low
            ends = (estimate.low, estimate.high) if known else (None, None)
            rows.append((kind, name.removeprefix(BASELINE), estimate.value, *ends))
    return pl.DataFrame(
        rows,
        schema={
            "kind": pl.String,
            "name": pl.String,
            "score": pl.Float64,
            "low": pl.Float64,
            "high": pl.Float64,
        },
        orient="row",
    )


def by_statement(judged: Judged, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """model, statement_id, raters, people, value: commonsensicality to people and in the model.

    Beside them r, low, high (the correlation of the two) and ceiling (what it can be at most), where they are known.
    Empty without the ratings of single people.
    """
    if judged.people is None:
        return pl.DataFrame()
    _, values = commonsensicality(judged)
    people, models = values[0], values[1:]
    frame = pl.DataFrame(
        {
            "model": np.repeat(judged.models, len(judged.ids)),
            "statement_id": np.tile(judged.ids, len(judged.models)),
            "raters": np.tile(raters(judged.people).astype(np.int64), len(judged.models)),
            "people": np.tile(people, len(judged.models)),
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


def differences(estimates: Sequence[Estimate]) -> pl.DataFrame:
    """measure, model, versus, value, low, high, p, p_holm: p-values of the normal distribution, corrected by Holm.

    Corrected for all pairs of models in one measure.
    """
    from scipy.special import ndtr

    parts = []
    measures = dict.fromkeys(
        e.measure for e in estimates if e.measure.endswith("_difference") and "versus" in e.by
    )
    for measure in measures:
        frame = _table(estimates, measure, ["model", "versus"])
        error = np.array([e.stderr for e in estimates if e.measure == measure])
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(error > 0, 2 * ndtr(-np.abs(frame["value"].to_numpy()) / error), np.nan)
        parts.append(
            frame.select(
                pl.lit(measure.removesuffix("_difference")).alias("measure"),
                pl.all(),
                pl.Series("p", p),
                pl.Series("p_holm", adjust(p, "holm")),
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame()


def agreement(judged: Judged) -> pl.DataFrame:
    """question, a, b, share, kappa, n: how often two give the same answer, models and most people."""
    parts = []
    for question, answers in (("q1", judged.answers.q1), ("q2", judged.answers.q2)):
        names = judged.models
        if question == "q1" and judged.key is not None:
            names, answers = (*names, MAJORITY), np.vstack([answers, judged.key])
        found = agreement_matrix(answers)
        a, b = np.triu_indices(len(names), 1)
        parts.append(
            pl.DataFrame(
                {
                    "question": [question] * len(a),
                    "a": [names[i] for i in a],
                    "b": [names[i] for i in b],
                    "share": found.share[a, b],
                    "kappa": found.kappa[a, b],
                    "n": found.n[a, b].astype(np.int64),
                },
                schema_overrides={"a": pl.String, "b": pl.String, "question": pl.String},
            )
        )
    return pl.concat(parts).filter(pl.col("n") > 0)


def overall(estimates: Sequence[Estimate], measure: str) -> list[Estimate]:
    """The first figure of each rater over all statements, however it was asked."""
    found: dict[object, Estimate] = {}
    for estimate in estimates:
        if estimate.measure == measure and set(estimate.by) - {"prompting"} == {"model"}:
            found.setdefault(estimate.by["model"], estimate)
    return [*found.values()]


def _table(estimates: Sequence[Estimate], measure: str, keys: Sequence[str]) -> pl.DataFrame:
    chosen = [e for e in estimates if e.measure == measure]
    columns: Mapping[str, list[object]] = {key: [e.by[key] for e in chosen] for key in keys}
    numbers = {name: [getattr(e, name) for e in chosen] for name in ("value", "low", "high")}
    return pl.DataFrame({**columns, **numbers})
