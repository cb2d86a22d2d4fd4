"""The first lines of a page about judgments: where models stand among people, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from probsense.report.groups import is_overall
from probsense.report.measure import Finding
from probsense.report.words import sentence_value
from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.measures import BASELINE

SHOWN = 5
"""Of more models than this, only as many are told about one by one."""


def judgment_headline(estimates: Sequence[Estimate]) -> str:
    """How many models beat more than half of the people; "" where that is not known of several."""
    rates = list(_models(estimates, "win_rate").values())
    if len(rates) < 2:
        return ""
    ahead, surely = sum(e.value > 0.5 for e in rates), sum(e.low > 0.5 for e in rates)
    if not ahead:
        return f"None of {len(rates)} models beats more than half of the people in common sense as an individual."
    return (
        f"Of {len(rates)} models, {ahead} beat more than half of the people in common sense as individuals,"
        f" {surely} of them beyond doubt (the whole interval is above one half)."
    )


def judgment_findings(estimates: Sequence[Estimate]) -> list[Finding]:
    """Where the models with the highest scores stand among people, the best first."""
    scores, rates, correlations = (
        _models(estimates, name) for name in ("commonsensicality", "win_rate", "group_r")
    )
    best = sorted((model for model in rates if model in scores), key=lambda model: -scores[model].value)
    found = []
    for model in best[:SHOWN]:
        besides = [f"It beats {sentence_value(rates[model])} of the people."]
        if model in correlations:
            besides.append(
                f"As a population it correlates with people by {sentence_value(correlations[model])}."
            )
        said = f"scores {sentence_value(scores[model])} as an individual."
        found.append(Finding(model, said, " ".join(besides)))
    return found


def _models(estimates: Sequence[Estimate], measure: str) -> dict[str, Estimate]:
    """The overall figure of each model, the first where there are several."""
    found: dict[str, Estimate] = {}
    for estimate in estimates:
        model = str(estimate.by.get("model"))
        if estimate.measure == measure and is_overall(estimate) and not model.startswith(BASELINE):
            found.setdefault(model, estimate)
    return found
