"""The words of what a run says of its prompts: measures, methods, a group."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from probsense.show.measure import PERCENT, POINTS, Group, Landmark, Measure, Unit

COMPONENTS, PROMPTS = "variance components", "statements and prompts"
"""Methods."""

_ANY: Final = (-math.inf, math.inf)
_NONE: Final = Landmark(0.0, "none")
_LOG_ODDS: Final = Unit(digits=2)

PROMPT_MEASURES: Final[Mapping[str, Measure]] = {
    **{
        f"prompt_{name}": Measure(
            f"{title}, any prompt",
            "the mean over all variants of the prompt; the interval holds what comes out when statements are drawn"
            " anew, with one of the variants",
            PERCENT,
        )
        for name, title in (
            ("commonsensicality", "Common sense"),
            ("consensus", "Consensus"),
            ("awareness", "Awareness"),
        )
    },
    "prompt_share": Measure(
        "Share of variance",
        "how much of the variance of the log odds of yes a component is: the statement, whatever the prompt; each facet"
        " of the prompt, whatever the statement; the statement with a facet, as prompts move statements apart",
        PERCENT,
    ),
    "prompt_share_p": Measure(
        "Share of variance of p", "the same of the probability of yes, of yes and no alone", PERCENT
    ),
    "prompt_variance": Measure(
        "Variance of log odds", "the component itself, in squared log odds", bounds=(0, math.inf)
    ),
    "prompt_variance_p": Measure(
        "Variance of p", "the component of the probability of yes", Unit(digits=4), bounds=(0, math.inf)
    ),
    "prompt_relative": Measure(
        "Relative coefficient",
        "how reliably prompts put statements in order: the correlation of log odds with those of other prompts of the"
        " kind, for one prompt and for the mean over all variants (generalizability coefficient)",
    ),
    "prompt_absolute": Measure(
        "Dependability",
        "how reliably prompts tell the log odds of statements themselves (Φ), for one prompt and for the mean over all"
        " variants",
    ),
    "prompt_pull": Measure(
        "Pull towards yes",
        "by how much the log odds of yes are higher at a level of the prompt than on average over all variants",
        _LOG_ODDS,
        bounds=_ANY,
        landmark=_NONE,
    ),
    "prompt_pull_p": Measure(
        "Pull of p", "the same of the probability of yes", POINTS, bounds=(-1, 1), landmark=_NONE
    ),
    "prompt_bias": Measure(
        "Bias",
        "what an answer gains in log odds because it is named first, or because it is this word, whatever it means",
        _LOG_ODDS,
        bounds=_ANY,
        landmark=_NONE,
    ),
    "prompt_acquiescence": Measure(
        "Acquiescence",
        "by how much the probability of yes is above one half, if statements that most people agree with and those that"
        " most do not count alike; the mean over all variants",
        POINTS,
        bounds=(-0.5, 0.5),
        landmark=_NONE,
    ),
    "prompt_flips": Measure(
        "Flips",
        "the share of variants whose answer is not the one that most variants give; the mean over statements",
        PERCENT,
        bounds=(0, 0.5),
    ),
    "prompt_unsettled": Measure(
        "Unsettled", "the share of statements on which the answer is not the same in all variants", PERCENT
    ),
}

PROMPT_METHODS: Final[Mapping[str, str]] = {
    COMPONENTS: (
        "the analysis of variance of statements × variants: statements are a sample, and the levels of the prompt are"
        " those that were asked; the interval is the jackknife's over statements"
    ),
    PROMPTS: (
        "what most people say is taken as it is; the interval holds what comes out when statements and, with them, a"
        " prompt of those asked are drawn anew"
    ),
}

PROMPT_PARTS: Final = ("component", "level", "prompts", "bias")

PROMPT_DETAILS: Final = ("prompt_pull_p", "prompt_variance", "prompt_share_p", "prompt_variance_p")
"""Measures that only the page shows."""

PROMPT_GROUP: Final = Group(
    "Whatever the prompt",
    "Scores over all ways in which the questions were asked; other tables are of the first way, the published one.",
    ("prompt_commonsensicality", "prompt_consensus", "prompt_awareness"),
)
