"""How the figures of judgments are called, written, grouped and explained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from probsense.report.measure import Group, Measure


def _share(title: str, meaning: str, landmark: float | None = None, name: str = "") -> Measure:
    return Measure(title, meaning, 100, 1, " %", (0, 1), landmark, name)


def _number(title: str, meaning: str, bounds: tuple[float, float], landmark: float | None = None) -> Measure:
    name = "" if landmark is None else "none"
    return Measure(title, meaning, 1, 3, "", bounds, landmark, name)


MEASURES: Final[Mapping[str, Measure]] = {
    "commonsensicality": _share(
        "Common sense",
        "the geometric mean of consensus and awareness: how far somebody agrees with most people and knows what most"
        " people think",
    ),
    "consensus": _share(
        "Consensus", "the share of statements to which the own answer is that of most people"
    ),
    "awareness": _share(
        "Awareness",
        "the share of statements to which the answer expected of most people is the one they give",
    ),
    "percentile": _share(
        "Percentile",
        "the share of people whose common sense is lower; equals count half",
        0.5,
        "median of people",
    ),
    "win_rate": _share(
        "Win rate",
        "the share of people whom the model beats in common sense on the statements that the person was asked"
        " about; a draw is half a win",
        0.5,
        "as good as people",
    ),
    "group_r": _number(
        "Group r",
        "the correlation between how commonsensical statements are within the model, taken for a population, and to"
        " people",
        (-1, 1),
        0.0,
    ),
    "group_r_of_ceiling": _number(
        "Group r / ceiling",
        "that correlation, divided by the highest that is to be had with so few people's answers to each statement",
        (-1, math.inf),
    ),
    "group_commonsensicality": _share(
        "Statements' common sense",
        "the mean over statements of the geometric mean of consensus and awareness within a population",
    ),
    "group_consensus": _share(
        "Statements' consensus", "how far from even the answers to a statement are, on average"
    ),
    "group_awareness": _share(
        "Statements' awareness", "the mean share of those who know what the majority of their population says"
    ),
    "group_commonsensicality_median": _share(
        "Median of statements' common sense", "by the published calculation, to people"
    ),
    "group_r2": Measure(
        "R²",
        "of people's values by the model's as they are; below 0 is worse than their mean",
        1,
        3,
        "",
        (-math.inf, 1),
        None,
        "",
    ),
    "group_rmse": _share(
        "Root mean square difference", "between the model's values of statements and people's"
    ),
    "group_mae": _share("Mean difference", "the mean absolute difference of the model's values and people's"),
    "group_p": Measure("p", "of the correlation, if there were none", 1, 4, "", (0, 1), None, ""),
    "group_p_bonferroni": Measure("p, corrected", "for the number of models", 1, 4, "", (0, 1), None, ""),
    "group_fold_r2": Measure(
        "R² on new statements",
        "of a line fitted to all other statements, the mean of fifty parts",
        1,
        3,
        "",
        (-math.inf, 1),
        None,
        "",
    ),
    "group_regression_r2": Measure(
        "R² of all models",
        "of a regression of people's values on those of all models",
        1,
        3,
        "",
        (0, 1),
        None,
        "",
    ),
    "split_half": _number(
        "Halves of people",
        "how alike random halves of the people are: of judgments, the correlation in how commonsensical statements"
        " are; of open answers, the divergence of one half’s from the other’s",
        (-1, math.inf),
    ),
    "unrelated": _number(
        "Unrelated answers",
        "the divergence of answers to other questions from people’s answers to this one",
        (0, math.inf),
    ),
    "reliability": _number(
        "Reliability",
        "what that correlation would be between two groups of as many people as there are",
        (-1, 1),
    ),
    "ceiling": _number("Ceiling", "the highest correlation with people that anything can have", (0, 1)),
    "consensus_squared": _number(
        "Consensus squared", "the mean over statements, without the bias that few raters bring", (-1, 1)
    ),
    "pq_area": _share(
        "Shared by groups",
        "the share of statements that the best group shares, the mean over all sizes of groups",
    ),
    "pq_area_inside": _share(
        "Shared with people", "the same of groups of people that it is in; for people, the mean over them"
    ),
    "agreement": _share(
        "Agreement",
        "the share of statements to which the model gives the same answer as a person, the mean over people",
    ),
    "size_effect": Measure(
        "Effect of size",
        "what ten times the parameters add to a model's score, with an own level for each family",
        100,
        2,
        " points",
        (-math.inf, math.inf),
        0.0,
        "none",
    ),
    "size_spearman": _number("Spearman's ρ", "rank correlation of score and number of parameters", (-1, 1)),
    "size_kendall": _number("Kendall's τ", "rank correlation of score and number of parameters", (-1, 1)),
    "yes_mass": _share("Probability of yes", "the mean over statements"),
    "other_mass": _share(
        "Probability of other answers", "the mean over statements of what is neither yes nor no"
    ),
    "yes_rate": _share("Rate of yes", "the share of statements to which yes is more probable than no"),
    "refusal_rate": _share(
        "Refusals", "the share of statements to which something else is more probable than yes and than no"
    ),
    "feature_difference": Measure(
        "Difference between sides",
        "in mean common sense of statements, of one side of a feature less the other",
        100,
        1,
        " points",
        (-1, 1),
        0.0,
        "none",
    ),
    "cohens_d": Measure(
        "Cohen's d",
        "the same difference in standard deviations",
        1,
        2,
        "",
        (-math.inf, math.inf),
        0.0,
        "none",
    ),
}

GROUPS: Final = (
    Group(
        "Models among people",
        "Each rater answers for itself and is measured by what most people say; as a population, a model’s values of"
        " statements are set beside people’s.",
        (
            "commonsensicality",
            "percentile",
            "win_rate",
            "group_r",
            "group_r_of_ceiling",
            "consensus",
            "awareness",
        ),
    ),
    Group(
        "Populations",
        "Statements as a population sees them: the model’s probabilities are taken for shares of people.",
        ("group_commonsensicality", "group_consensus", "group_awareness"),
    ),
    Group(
        "What groups share",
        "Groups of raters and the statements on which they all give the same answer (the pq curve): the mean share of"
        " statements over all sizes of the best group, of all raters of a kind, and of groups of people that a model"
        " is in.",
        ("pq_area", "pq_area_inside"),
    ),
    Group(
        "How far people agree with people",
        "How near to people anything can come, and how far off what has nothing to do with them is.",
        ("ceiling", "reliability", "split_half", "unrelated", "consensus_squared"),
    ),
    Group(
        "Statement by statement",
        "A model’s values of statements beside people’s, by the published calculation.",
        (
            "group_r2",
            "group_rmse",
            "group_mae",
            "group_fold_r2",
            "group_regression_r2",
            "group_p",
            "group_p_bonferroni",
        ),
        detail=True,
    ),
)

METHODS: Final[Mapping[str, str]] = {
    "two-way bootstrap": (
        "nobody has a vote in the majority by which they are measured, and ties count half; the interval holds what"
        " comes out when statements and people are drawn anew"
    ),
    "statement bootstrap": "the interval holds what comes out when statements are drawn anew",
    "published": (
        "the published calculation: people are measured by a majority in which they have a vote, and ties are a yes"
    ),
    "published, own vote": "the published calculation by a majority in which the model has a vote",
    "large sample": "the interval is that of a large sample",
    "mean of people": "the mean over people, who count as independent",
    "mixed model": "a linear mixed model with a level for each family",
    "ranks": "the interval is that of a large sample",
    "half samples": "the interval comes from the spread of half of the raters and half of the statements",
}
"""How figures of these measures were got, which other tasks may mean otherwise."""

DETAILS: Final = ("feature", "people", "published, own vote", "yes_rate")
"""Parts, methods and measures that a terminal does not show."""
