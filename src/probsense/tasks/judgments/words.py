"""The words of judgments: its measures, methods, groups and charts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from probsense.show.measure import PERCENT, POINTS, Group, Landmark, Measure, Unit
from probsense.show.words import ProfileRow, Words
from probsense.show.works import Work
from probsense.tasks.judgments.charts import CHARTS
from probsense.tasks.judgments.key_results import key_results
from probsense.tasks.judgments.measures import BASELINE
from probsense.tasks.judgments.vary_words import (
    COMPONENTS,
    PROMPT_DETAILS,
    PROMPT_GROUP,
    PROMPT_MEASURES,
    PROMPT_METHODS,
    PROMPT_PARTS,
)

_SIGNED: Final = (-1.0, 1.0)
_FROM_NONE: Final = (0.0, math.inf)
_NO_DIFFERENCE: Final = Landmark(0.0, "none")

MEASURES: Final[Mapping[str, Measure]] = {
    "commonsensicality": Measure(
        "Common sense",
        "the geometric mean of consensus and awareness: how far somebody agrees with most people and knows what most"
        " people think",
        PERCENT,
    ),
    "consensus": Measure(
        "Consensus", "the share of statements to which the own answer is that of most people", PERCENT
    ),
    "awareness": Measure(
        "Awareness",
        "the share of statements to which the answer expected of most people is the one they give",
        PERCENT,
    ),
    **{
        f"{name}_corrected": Measure(
            f"{title}, corrected",
            "what the score would be against the majority of everybody, of whom only some were asked",
            PERCENT,
        )
        for name, title in (
            ("commonsensicality", "Common sense"),
            ("consensus", "Consensus"),
            ("awareness", "Awareness"),
        )
    },
    **{
        f"{name}_pooled": Measure(
            f"{title}, pooled",
            "what the score is against the majority of everybody, whose shares a model of all people's answers tells",
            PERCENT,
        )
        for name, title in (
            ("commonsensicality", "Common sense"),
            ("consensus", "Consensus"),
            ("awareness", "Awareness"),
        )
    },
    "share_r": Measure(
        "Share r",
        "the correlation, over statements, of the model's probability of yes with the share of everybody who say yes",
        bounds=_SIGNED,
        landmark=_NO_DIFFERENCE,
    ),
    "group_r_pooled": Measure(
        "Group r, pooled",
        "the correlation between how commonsensical statements are within the model, taken for a population, and to"
        " everybody, of whom only some were asked",
        bounds=_SIGNED,
        landmark=_NO_DIFFERENCE,
    ),
    "reliability_pooled": Measure(
        "Reliability, pooled",
        "how far people's answers tell how commonsensical statements are to everybody: the correlation of what two such"
        " groups of people would tell",
        bounds=(-math.inf, 1),
    ),
    "percentile_pooled": Measure(
        "Percentile, pooled",
        "the share of everybody whose common sense, against the majority of everybody, is lower",
        PERCENT,
        landmark=Landmark(0.5, "median of people"),
    ),
    "competence": Measure(
        "Competence",
        "the share of statements whose answer in people's culture somebody knows, and need not guess",
        PERCENT,
    ),
    "competence_percentile": Measure(
        "Competence, percentile",
        "the share of everybody whose competence is lower",
        PERCENT,
        landmark=Landmark(0.5, "median of people"),
    ),
    "guesses_yes": Measure(
        "Guesses yes", "how often the answer is yes where somebody does not know", PERCENT
    ),
    "key_certain": Measure(
        "Certain key",
        "the share of statements whose answer in people's culture has a probability of 95 % or more",
        PERCENT,
    ),
    "share_normalised": Measure(
        "Normalised",
        "the Brier distance on a scale that is the same for all statements: one half of people stands at 0, seen from"
        " the other half, and people about another statement at 1; below 0 is nearer to people than half of them are to"
        " the rest",
        bounds=(-math.inf, math.inf),
        landmark=Landmark(0.0, "people"),
    ),
    "share_brier": Measure(
        "Brier distance",
        "the mean squared difference between the model's probability of yes and the share of yes in a half of the"
        " people",
    ),
    "share_brier_corrected": Measure(
        "Brier, corrected",
        "what the squared difference would be from the share of everybody, of whom only some were asked; by chance it"
        " can be below 0",
        bounds=(-math.inf, 1),
    ),
    "share_js": Measure(
        "Jensen–Shannon",
        "the divergence between the same two distributions, in nats",
        bounds=(0, math.log(2)),
    ),
    "share_total_variation": Measure(
        "Total variation", "the mean absolute difference between the same two probabilities of yes"
    ),
    "share_kl": Measure(
        "KL",
        "the Kullback–Leibler divergence of the model's distribution from that of a half of the people, smoothed by"
        " half an answer of each kind, in nats",
        bounds=(0, math.inf),
    ),
    "share_calibration_error": Measure(
        "Calibration error",
        "the mean absolute difference between the probability of yes and the share of people who say yes, in ten bins"
        " of the probability",
    ),
    "person_spread": Measure(
        "Spread of people",
        "the standard deviation of people's leanings towards yes, in log odds",
        Unit(digits=2),
        bounds=(0, math.inf),
    ),
    "statement_spread": Measure(
        "Spread of statements",
        "the standard deviation of statements' locations between no and yes, in log odds",
        Unit(digits=2),
        bounds=(0, math.inf),
    ),
    "one_culture_p": Measure(
        "One culture, p",
        "how probable so large a common pattern in people's departures from the model would be if all were of one"
        " culture; sparse answers rarely tell",
        Unit(digits=3),
    ),
    "percentile": Measure(
        "Percentile",
        "the share of people whose common sense is lower; equals count half",
        PERCENT,
        landmark=Landmark(0.5, "median of people"),
    ),
    "win_rate": Measure(
        "Win rate",
        "the share of people whom the model beats in common sense on the statements that the person was asked"
        " about; a draw is half a win",
        PERCENT,
        landmark=Landmark(0.5, "as good as people"),
    ),
    "group_r": Measure(
        "Group r",
        "the correlation between how commonsensical statements are within the model, taken for a population, and to"
        " people",
        bounds=_SIGNED,
        landmark=_NO_DIFFERENCE,
    ),
    "group_r_of_ceiling": Measure(
        "Group r / ceiling",
        "that correlation, divided by the highest that is possible when each statement has few people's answers",
        bounds=(-math.inf, math.inf),
    ),
    "group_commonsensicality": Measure(
        "Statements' common sense",
        "the mean over statements of the geometric mean of consensus and awareness within a population",
        PERCENT,
    ),
    "group_consensus": Measure(
        "Statements' consensus", "how far from even the answers to a statement are, on average", PERCENT
    ),
    "group_awareness": Measure(
        "Statements' awareness",
        "the mean share of those who know what the majority of their population says",
        PERCENT,
    ),
    "group_commonsensicality_median": Measure(
        "Median of statements' common sense", "by the published calculation, to people", PERCENT
    ),
    "group_r2": Measure(
        "R²",
        "how well the model's values of statements predict people's as they are; below 0 is worse than people's mean",
        bounds=(-math.inf, 1),
    ),
    "group_rmse": Measure(
        "Root mean square difference", "between the model's values of statements and people's", PERCENT
    ),
    "group_mae": Measure(
        "Mean difference", "the mean absolute difference of the model's values and people's", PERCENT
    ),
    "group_p": Measure(
        "p", "how probable so strong a correlation would be if there were none", Unit(digits=4)
    ),
    "group_p_bonferroni": Measure(
        "p, corrected", "the same, corrected for the number of models", Unit(digits=4)
    ),
    "group_fold_r2": Measure(
        "R² on new statements",
        "how well a line fitted to all other statements predicts people's values, the mean of fifty parts",
        bounds=(-math.inf, 1),
    ),
    "group_regression_r2": Measure(
        "R² of all models", "how well a regression on all models' values predicts people's"
    ),
    "split_half": Measure(
        "Halves of people",
        "the correlation, over statements, of how commonsensical they are to two random halves of the people",
        bounds=_SIGNED,
    ),
    "reliability": Measure(
        "Reliability",
        "what that correlation would be between two groups of as many people as there are",
        bounds=(-math.inf, 1),
    ),
    "ceiling": Measure("Ceiling", "the highest correlation with people that anything can have"),
    "consensus_squared": Measure(
        "Consensus squared",
        "the mean over statements, without the bias that few raters bring",
        bounds=_SIGNED,
    ),
    "pq_area": Measure(
        "Shared by groups",
        "the share of statements that the best group shares, the mean over all sizes of groups",
        PERCENT,
    ),
    "pq_area_inside": Measure(
        "Shared with people",
        "the same of groups of people that it is in; for people, the mean over them",
        PERCENT,
    ),
    "agreement": Measure(
        "Agreement",
        "the share of statements to which the model gives the same answer as a person, the mean over people",
        PERCENT,
    ),
    "size_effect": Measure(
        "Effect of size",
        "what ten times the parameters add to a model's score, with an own level for each family",
        Unit(" points", 100, 2),
        bounds=(-math.inf, math.inf),
        landmark=_NO_DIFFERENCE,
    ),
    "size_spearman": Measure(
        "Spearman's ρ", "rank correlation of score and number of parameters", bounds=_SIGNED
    ),
    "size_kendall": Measure(
        "Kendall's τ", "rank correlation of score and number of parameters", bounds=_SIGNED
    ),
    "pair_agreement": Measure(
        "Two of them agree",
        "how often two personas, or two people, who answer once each say the same, the mean over statements",
        PERCENT,
    ),
    "own_agreement": Measure(
        "A persona agrees with itself",
        "how often a persona that answers twice by its probability of yes says the same, the mean over statements",
        PERCENT,
    ),
    "spread_ratio": Measure(
        "Spread / people's",
        "the variance of answers of yes or no that personas give once each, divided by that of people",
        bounds=_FROM_NONE,
        landmark=Landmark(1.0, "as people"),
    ),
    "between_spread_ratio": Measure(
        "Spread between personas / people's",
        "the variance of the probability of yes between personas, divided by that of people's answers",
        bounds=(-math.inf, math.inf),
        landmark=Landmark(1.0, "as people"),
    ),
    "entropy_ratio": Measure(
        "Entropy / people's",
        "the mean entropy of an answer of the simulated population, divided by that of people",
        bounds=_FROM_NONE,
        landmark=Landmark(1.0, "as people"),
    ),
    **{
        f"persona_{name}": Measure(
            f"{title} of personas",
            "the mean over personas, each taken as an individual by its more probable answers",
            PERCENT,
        )
        for name, title in (
            ("commonsensicality", "Common sense"),
            ("consensus", "Consensus"),
            ("awareness", "Awareness"),
        )
    },
    "contrast_size": Measure(
        "Size of the difference",
        "the root mean square, over statements, of what tells a group from the others in the share of yes, less its"
        " noise",
        POINTS,
        bounds=(0.0, 1.0),
    ),
    "contrast_r": Measure(
        "Difference r",
        "the correlation, over statements, of the difference between groups of personas with that between the same"
        " groups of people",
        bounds=_SIGNED,
    ),
    "contrast_ceiling": Measure(
        "Difference r: ceiling",
        "the highest such correlation that anything can have, since people's differences come from a few answers each",
    ),
    "contrast_slope": Measure(
        "Slope of the difference",
        "by how much the difference between groups of personas grows with people's, corrected for the noise of few"
        " answers; 1 is as much",
        Unit(digits=2),
        bounds=(-math.inf, math.inf),
        landmark=Landmark(1.0, "as people"),
    ),
    "subgroup_brier": Measure(
        "Distance from the group",
        "the mean squared distance of the share of yes among a group's personas from that in a half of the group's"
        " people",
    ),
    "subgroup_r": Measure(
        "Group's share r",
        "the correlation, over statements, of the share of yes among a group's personas with that among its people",
        bounds=_SIGNED,
    ),
    "subgroup_ceiling": Measure(
        "Group's share r: ceiling", "the highest such correlation that anything can have"
    ),
    "yes_mass": Measure("Probability of yes", "the mean over statements", PERCENT),
    "other_mass": Measure(
        "Probability of other answers", "the mean over statements of what is neither yes nor no", PERCENT
    ),
    "yes_rate": Measure(
        "Rate of yes", "the share of statements to which yes is more probable than no", PERCENT
    ),
    "other_rate": Measure(
        "Other answers first",
        "the share of statements to which first words other than yes or no are together more probable than yes and than"
        " no",
        PERCENT,
    ),
    "first_word_mass": Measure(
        "Other first words",
        "the mean probability over statements of the most probable first words (tokens) of an answer that are neither"
        " yes nor no; at least, because each answer shows only a few of them",
        PERCENT,
    ),
    "feature_difference": Measure(
        "Difference between sides",
        "in mean common sense of statements, of one side of a feature less the other",
        POINTS,
        bounds=_SIGNED,
        landmark=_NO_DIFFERENCE,
    ),
    **PROMPT_MEASURES,
    "cohens_d": Measure(
        "Cohen's d",
        "the same difference in standard deviations",
        Unit(digits=2),
        bounds=(-math.inf, math.inf),
        landmark=_NO_DIFFERENCE,
    ),
}

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
    "corrected": (
        "the ceiling (“true majority”) is what somebody scores who knows what most people say of everybody, not only of"
        " those asked; corrected scores are against that majority, if raters are a random sample and answer"
        " independently"
    ),
    "pooled": (
        "a crossed logistic model of people and statements tells the share of everybody who say yes to each statement,"
        " from all answers together; models' answers have no part in it; the interval speaks of other statements and"
        " people. The key, competence and the scores of people come from cultural consensus"
    ),
    "large sample": "the interval is that of a large sample",
    "crossed": (
        "the interval speaks for other statements, other personas and other people, all of which are drawn from more of"
        " them"
    ),
    "two-way clustered": "a mean over people and statements, both of which are drawn from more of them",
    "mixed model": "a linear mixed model with a level for each family",
    "ranks": "the interval is that of a large sample",
    "groups around a rater": "without an interval, because no method is known that covers",
    **PROMPT_METHODS,
    "half samples": "the interval comes from the spread of half of the raters and half of the statements",
}

GROUPS: Final = (
    Group(
        "Scores among people",
        "Each rater answers for itself and is measured by what most people say; as a population, a model’s values of"
        " statements are set beside people’s. The row “true majority” is the ceiling of scores.",
        (
            *("commonsensicality", "commonsensicality_corrected", "percentile", "win_rate"),
            *("group_r", "group_r_of_ceiling"),
            *("consensus", "consensus_corrected", "awareness", "awareness_corrected"),
        ),
    ),
    Group(
        "Beside everybody",
        "Models beside all people of whom some were asked, by a model that pools their answers; the row “people” is"
        " what everybody scores on average.",
        (
            *("commonsensicality_pooled", "percentile_pooled", "consensus_pooled", "awareness_pooled"),
            *("group_r_pooled", "share_r", "reliability_pooled", "person_spread", "statement_spread"),
        ),
    ),
    Group(
        "Cultural consensus",
        "The key of people’s culture, from people’s answers alone, and how well people and models know it; the row"
        " “people” is the mean of everybody.",
        (
            *("competence", "competence_percentile", "guesses_yes", "key_certain"),
            "one_culture_p",
        ),
    ),
    Group(
        "Distances from people's shares",
        "A model’s probability of yes beside the share of people who say yes (q1), or who expect most people to (q2)."
        " Distances are from one half of the people, so that the row “people”, their other half, is the noise floor;"
        " the corrected distance is from the shares of everybody. “Another statement” is what people say of other"
        " statements.",
        (
            *("share_normalised", "share_brier", "share_brier_corrected", "share_js"),
            *("share_total_variation", "share_kl", "share_calibration_error"),
        ),
        lowest_first=True,
    ),
    PROMPT_GROUP,
    Group(
        "Personas",
        "The model answers as each persona of a table. As a population, personas differ more or less than people do.",
        (
            *("spread_ratio", "between_spread_ratio", "entropy_ratio", "pair_agreement", "own_agreement"),
            *("persona_commonsensicality", "persona_consensus", "persona_awareness"),
        ),
    ),
    Group(
        "Differences between groups of personas",
        "What tells a group of personas from the others in its answers, beside what tells the same group of people from"
        " others. The row “people” has the size of people’s differences, and the ceiling of a correlation with them.",
        ("contrast_r", "contrast_ceiling", "contrast_slope", "contrast_size"),
    ),
    Group(
        "Nearness to groups of people",
        "The share of yes among a group’s personas beside that among its people. The row “people” is the distance of"
        " their other half, the noise floor, and the ceiling of the correlation.",
        ("subgroup_brier", "subgroup_r", "subgroup_ceiling"),
        lowest_first=True,
    ),
    Group(
        "Populations",
        "Statements as a population sees them: the model’s probabilities are taken for shares of people.",
        ("group_commonsensicality", "group_consensus", "group_awareness"),
    ),
    Group(
        "Areas under the pq curve",
        "Groups of raters and the statements on which they all give the same answer (the pq curve): the mean share of"
        " statements over all sizes of the best group, of all raters of a kind, and of groups of people that a model"
        " is in.",
        ("pq_area", "pq_area_inside"),
    ),
    Group(
        "How far people agree with people",
        "How near to people anything can come.",
        ("ceiling", "reliability", "split_half", "consensus_squared"),
    ),
    Group(
        "Values of statements",
        "A model’s values of statements beside people’s, by the published calculation.",
        (
            *("group_r2", "group_rmse", "group_mae", "group_fold_r2", "group_regression_r2"),
            *("group_p", "group_p_bonferroni"),
        ),
        detail=True,
    ),
)

PROFILE: Final = (
    ProfileRow(
        "commonsensicality",
        "score",
        "common sense as an individual: agreeing with most people, and knowing what most people think",
    ),
    ProfileRow("win_rate", "wins", "the share of people whom the model beats in that score", people=0.5),
)

WORKS: Final = (
    Work(
        "article",
        (
            "Nguyen, Tuan Dung",
            "Watts, Duncan J.",
            "Whiting, Mark E.",
        ),
        "A large-scale evaluation of commonsense knowledge in humans and large language models",
        2026,
        "PNAS Nexus",
        doi="10.1093/pnasnexus/pgag029",
    ),
)

WORDS: Final = Words(
    title="Judgments",
    measures=MEASURES,
    methods=METHODS,
    parts=("feature", "question", "people", "of", "word", *PROMPT_PARTS),
    groups=GROUPS,
    page_only=("published, own vote", "yes_rate", *PROMPT_DETAILS),
    leading=(),
    charts=CHARTS,
    profile=PROFILE,
    baselines=BASELINE,
    item_group="question",
    key_results=key_results,
    left_alone=(COMPONENTS,),
    works=WORKS,
)
