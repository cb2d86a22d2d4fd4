"""The words of WorldSense: its measures, methods and charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from probsense.analysis.inference.settings import ENOUGH, OVER_SETTINGS
from probsense.analysis.inference.staircase import BEYOND
from probsense.show.measure import ACCURACY, PERCENT, POINTS, Landmark, Measure, Shortcut, Unit
from probsense.show.words import ACCURACY_ROW, Words
from probsense.show.works import Work
from probsense.tasks.shared.option_words import MEASURES as OPTION_MEASURES
from probsense.tasks.worldsense.charts import worldsense_charts
from probsense.tasks.worldsense.generate import SIZES
from probsense.tasks.worldsense.key_results import key_results
from probsense.tasks.worldsense.measures import CORRECTED_OVER_SETTINGS
from probsense.tasks.worldsense.thresholds import METHOD, TABLE
from probsense.tasks.worldsense.thresholds_chart import CHART

MEASURES: Final[Mapping[str, Measure]] = {
    "accuracy": ACCURACY,
    "bias": Measure(
        "Bias",
        "which way the answers lean, whatever the question: +1 is always “true”, “possible” or a definite answer, −1"
        " always “false”, “impossible” or “cannot be decided”, and 0 no leaning; guessing gives 0, but about +0.33 on"
        " Compl problems, where two of the three answers are definite",
        Unit(digits=2),
        bounds=(-1, 1),
        landmark=Landmark(0.0, "no leaning"),
    ),
    "strict_accuracy": Measure(
        "Strict accuracy",
        "accuracy that also counts it as wrong to pick the opposite of a right definite answer",
        PERCENT,
    ),
    "twin_accuracy": Measure(
        "Accuracy on twins",
        "the share of right answers to the same questions with other names",
        PERCENT,
    ),
    "twin_difference": Measure(
        "Set less twins",
        "the accuracy on the set less that on its twins, which ask the same of other names: more than 0 says that the"
        " model knows the texts of the set; that it knows their form, or other texts like them, does not show",
        POINTS,
        bounds=(-1, 1),
        landmark=Landmark(0.0, "no difference"),
    ),
    "p_gold": OPTION_MEASURES["p_gold"],
    "size_at_75": Measure(
        "Size at 75 %",
        "the number of things in a story at which the accuracy falls to 75 %, halfway between guessing and knowing;"
        " where that lies beyond the sizes asked, it has no value and only one end of its interval",
        Unit(" things", digits=1),
        bounds=(SIZES[0] - BEYOND, SIZES[-1] + BEYOND),
    ),
    "depth_at_75": Measure(
        "Depth at 75 %",
        "the number of facts that an answer takes at which the accuracy falls to 75 %, in stories of one size",
        Unit(" facts", digits=1),
        bounds=(0, SIZES[-1] + BEYOND),
    ),
}

METHODS: Final[Mapping[str, str]] = {
    "published": (
        "the benchmark's own calculation: questions that depend on one another count as one observation, every problem"
        " and size weighs the same, and answers are weighted so that always giving the same one gets 50 % right, and so"
        " does guessing"
    ),
    "stratified": (
        "the same averages with the standard error of a stratified sample, so that differences between problems and"
        " sizes do not widen the interval, which is over questions: it speaks for other questions in these skins"
    ),
    OVER_SETTINGS: (
        "the same averages with an interval over questions and skins: it speaks for other questions in other skins,"
        f" too, and is the one to quote for a model; it needs at least {ENOUGH} skins"
    ),
    METHOD: (
        "a logistic curve is fitted to the answers, and each question was chosen to tell most about where it crosses"
        " 75 %; the interval holds that point with a probability of 95 %, whatever the slope and the slips, and allows"
        " for answers that go together in siblings and in skins"
    ),
    "corrected": "gold answers that an independent solver found wrong are replaced by its own",
    CORRECTED_OVER_SETTINGS: "the same figures with an interval over questions and skins",
}

WORKS: Final = (
    Work(
        "article",
        (
            "Benchekroun, Youssef",
            "Dervishi, Megi",
            "Ibrahim, Mark",
            "Gaya, Jean-Baptiste",
            "Martinet, Xavier",
            "Mialon, Grégoire",
            "Scialom, Thomas",
            "Dupoux, Emmanuel",
            "Hupkes, Dieuwke",
            "Vincent, Pascal",
        ),
        "WorldSense: A Synthetic Benchmark for Grounded Reasoning in Large Language Models",
        2023,
        "arXiv",
        arxiv="2311.15930",
    ),
)

_WORDS: Final = Words(
    title="WorldSense",
    measures=MEASURES,
    methods=METHODS,
    parts=("problem", "skin"),
    leading=("accuracy", "bias", "twin_difference", "size_at_75", "depth_at_75"),
    profile=(ACCURACY_ROW,),
    item_group="problem",
    key_results=key_results,
    works=WORKS,
    left_alone=("published", METHOD),
    shortcut=Shortcut(
        "counting",
        "what the best of several responders reaches that count how often things are named, win and lose, and build no"
        " order; an accuracy up to there is no sign of reasoning",
    ),
)
WORDS: Final = replace(_WORDS, charts={**worldsense_charts(("accuracy", "bias"), _WORDS), TABLE: CHART})
