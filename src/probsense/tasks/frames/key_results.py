"""The first lines of a page about frames: how near models come to people, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from probsense.report.groups import is_overall
from probsense.report.measure import Finding
from probsense.report.words import sentence_value
from probsense.stats.estimate import Estimate

SHOWN = 5
"""Of more models than this, only as many are told about one by one."""


def frame_findings(estimates: Sequence[Estimate]) -> list[Finding]:
    """Where the models that come nearest to people stand, the nearest first."""
    overall = {(str(e.by.get("model")), e.measure): e for e in reversed(estimates) if is_overall(e)}
    near = sorted((e.value, model) for (model, measure), e in overall.items() if measure == "normalised")
    found = []
    for _, model in near[:SHOWN]:
        said = f"stands at {sentence_value(overall[model, 'normalised'])}, where people are 0 and unrelated answers 1."
        besides = "; ".join(
            f"{what} {sentence_value(overall[model, measure])}"
            for measure, what in (
                ("kl", "KL divergence from people"),
                ("split_half", "of people from people"),
                ("false_match_rate", "false matches"),
            )
            if (model, measure) in overall
        )
        found.append(Finding(model, said, f"{besides[:1].upper()}{besides[1:]}."))
    return found
