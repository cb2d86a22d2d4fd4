"""Models that say next to nothing: which they are, and what is left out because their answers are not there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.judged import Judged

MOST = 0.9
"""The largest share of refusals with which results still rest on answers."""
ANSWERS = ("yes_mass", "other_mass", "yes_rate", "refusal_rate")
"""Measures of the answers themselves, which hold whatever the answers are."""


def silent_models(judged: Judged) -> dict[str, str]:
    """Find the models that refuse more than :data:`MOST` of the statements, in answer to the first or second question.

    Halves of refusals are no answers. Where somebody has chosen what else becomes of them, nothing is left out.

    Parameters
    ----------
    judged : Judged

    Returns
    -------
    dict of str to str
        By model, a note for the reader.
    """
    found: dict[str, str] = {}
    if judged.policy != "split":
        return found
    for i, model in enumerate(judged.models):
        often = []
        for question in ("q1", "q2"):
            given = judged.refusals(question)[i]
            known, refused = int((~np.isnan(given)).sum()), int(np.nansum(given))
            if known and refused > MOST * known:
                often.append(f"{question} on {refused:,} of {known:,} statements")
        if often:
            found[model] = (
                f"{model}: something else than yes or no is the most probable answer to {', to '.join(often)}; above"
                f" {100 * MOST:.0f} % of the statements, results that rest on its answers are left out"
                " (but not those by the method “published”); --other says what else can become of them"
            )
    return found


def about_answers(estimate: Estimate, silent: Sequence[str]) -> bool:
    """Whether an estimate does not rest on the answers of silent models."""
    named = {estimate.by.get("model"), estimate.by.get("versus")}
    return estimate.measure in ANSWERS or not named & set(silent)
