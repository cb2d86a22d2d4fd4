"""What the charts are drawn from: tidy tables, one row for each mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from probsense.analysis.agreement.scores import ratio
from probsense.analysis.agreement.statements import agreement_matrix, person_scores, raters
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.quantiles import t_p_value
from probsense.analysis.inference.significance import adjust
from probsense.tasks.judgments.features import commonsensicality
from probsense.tasks.judgments.judged import AmongPeople, BesidePeople
from probsense.tasks.judgments.measures import BASELINE, PEOPLE

MAJORITY = "most people"


def tables(judged: BesidePeople, estimates: Sequence[Estimate]) -> dict[str, pl.DataFrame]:
    """Make every table for which there is something to show.

    Parameters
    ----------
    judged : BesidePeople
    estimates : sequence of Estimate
        What the same answers amount to.

    Returns
    -------
    dict of str to DataFrame
        "individuals" (score of each person, model and baseline), "statements" (commonsensicality of each to people and
        within each model), "features" (differences between sides), "differences" (between models, with p-values that
        are corrected for their number), "agreement" (between any two models, and with most people).
    """
    found = {
        "individuals": individuals(judged, estimates),
        "statements": by_statement(judged, estimates) if isinstance(judged, AmongPeople) else pl.DataFrame(),
        "features": _table(estimates, "feature_difference", ["model", "feature"]),
        "differences": differences(estimates),
        "agreement": agreement(judged),
    }
    return {name: table for name, table in found.items() if not table.is_empty()}


def individuals(judged: BesidePeople, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate commonsensicality as individuals: kind ("person", "model", "baseline"), name, score, low, high."""
    rows: list[tuple[str, str, float, float | None, float | None]] = []
    if isinstance(judged, AmongPeople):
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
    texts, numbers = (
        dict.fromkeys(("kind", "name"), pl.String),
        dict.fromkeys(("score", "low", "high"), pl.Float64),
    )
    return pl.DataFrame(rows, schema={**texts, **numbers}, orient="row")


def by_statement(judged: AmongPeople, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate commonsensicality to people and in each model: model, statement_id, raters, people, value.

    Further columns are r, low and high (the correlation of the two) and ceiling (its highest possible value); they are
    null if unknown.
    """
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
    """Tabulate differences between models: measure, model, versus, value, low, high, p, p_holm.

    The p-values are those of Student's t with one degree of freedom less than there are statements or people, whichever
    are fewer, as in the intervals. Holm's correction covers all pairs of models in one measure.
    """
    parts = []
    measures = dict.fromkeys(
        e.measure for e in estimates if e.measure.endswith("_difference") and "versus" in e.by
    )
    for measure in measures:
        frame = _table(estimates, measure, ["model", "versus"])
        chosen = [e for e in estimates if e.measure == measure]
        freedom = [min(e.n, e.clusters) - 1 for e in chosen]
        p = t_p_value(ratio(frame["value"].to_numpy(), np.array([e.stderr for e in chosen])), freedom)
        parts.append(
            frame.select(
                pl.lit(measure.removesuffix("_difference")).alias("measure"),
                pl.all(),
                pl.Series("p", p),
                pl.Series("p_holm", adjust(p, "holm")),
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame()


def agreement(judged: BesidePeople) -> pl.DataFrame:
    """Tabulate how often any two give the same answer, models and most people: question, a, b, share, kappa, n."""
    parts = []
    for question, answers in (("q1", judged.answers.q1), ("q2", judged.answers.q2)):
        names = judged.models
        if question == "q1":
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
    """Select the first estimate of each rater over all statements, whatever the prompting."""
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
