"""The words of frames: their measures, methods, groups and charts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Final

from probsense.answers.bound import EPSILON, LEVEL
from probsense.show.chart import ChartKind
from probsense.show.measure import PERCENT, Group, Landmark, Measure
from probsense.show.words import ProfileRow, Words
from probsense.show.works import Work
from probsense.tasks.frames.charts import bound_chart, forest_chart
from probsense.tasks.frames.distributions_chart import PANELS, distributions_chart
from probsense.tasks.frames.key_results import key_results

_UNBOUNDED: Final = (0.0, math.inf)
_RULES: Final = "by ProtoQA’s rules, each cluster once, as a share of the best there are"


def _first(k: int) -> str:
    """Say how many answers the measure Max Answers@k counts."""
    return f"what the first {k} answers earn {_RULES}" if k > 1 else f"what the first answer earns {_RULES}"


def _until(k: int) -> str:
    """Say up to which wrong answer the measure Max Incorrect@k counts."""
    ordinal = {1: "first", 3: "third", 5: "fifth"}[k]
    return f"what the answers up to the {ordinal} one that is in no cluster earn {_RULES}"


MEASURES: Final[Mapping[str, Measure]] = {
    "normalised": Measure(
        "Normalised",
        "the divergence on a scale that is the same for all frames: half of the people stand at 0, seen from the other"
        " half, and answers to other questions at 1; below 0 is nearer to people than half of them are to the rest",
        bounds=(-math.inf, math.inf),
        landmark=Landmark(0.0, "people"),
    ),
    "kl": Measure(
        "KL",
        "the Kullback–Leibler divergence of people’s distribution over clusters of answers from the model’s, in nats:"
        " 0 is the same distribution",
        bounds=_UNBOUNDED,
    ),
    "js": Measure("JS", "the Jensen–Shannon divergence, in nats, at most 0.693", bounds=(0, math.log(2))),
    "total_variation": Measure(
        "Total variation", "the share of the answers that lies in other clusters than people’s"
    ),
    "hellinger": Measure("Hellinger", "the Hellinger distance, from 0 to 1"),
    "emd": Measure(
        "Earth mover’s",
        "how far people’s answers are carried to become the model’s, where unlike answers are far apart",
        bounds=_UNBOUNDED,
    ),
    "listed_mass": Measure(
        "Known answers",
        "the probability that the model gives to the answers of people, all together",
        PERCENT,
    ),
    "matched": Measure("Matched", "the share of the model’s answers that found a cluster", PERCENT),
    "false_match_rate": Measure(
        "False matches",
        "the share of the same answers that find a cluster of another question, where every match is false",
        PERCENT,
    ),
    "max_answers": Measure("Max Answers", f"what all answers earn {_RULES}", PERCENT),
    **{f"max_answers@{k}": Measure(f"Max Answers@{k}", _first(k), PERCENT) for k in (1, 3, 5, 10)},
    **{f"max_incorrect@{k}": Measure(f"Max Incorrect@{k}", _until(k), PERCENT) for k in (1, 3, 5)},
    "entropy": Measure(
        "Entropy",
        "the entropy of the different strings, in nats: 0 is always the same one",
        bounds=_UNBOUNDED,
    ),
    "empty_rate": Measure("Empty", "the share of texts that hold no answer", PERCENT),
    "split_half": Measure(
        "Halves of people",
        "the divergence of the answers of one random half of the people from those of the other half",
        bounds=_UNBOUNDED,
    ),
    "unrelated": Measure(
        "Unrelated answers",
        "the divergence of answers to other questions from people’s answers to this one",
        bounds=_UNBOUNDED,
    ),
}

GROUPS: Final = (
    Group(
        "Models’ answers beside people’s",
        "How far a model’s distribution over clusters of answers is from people’s, everybody at the same number of"
        " answers. Less is nearer.",
        ("normalised", "kl", "js", "total_variation", "hellinger", "emd", "listed_mass"),
        lowest_first=True,
    ),
    Group(
        "Whether matches can be trusted",
        "A matcher that finds a cluster for anything would make every model look like people.",
        ("matched", "false_match_rate"),
    ),
    Group(
        "ProtoQA’s measures",
        "Ranked answers, matched with clusters one to one.",
        (
            *("max_answers@10", "max_answers", "max_answers@1", "max_answers@3", "max_answers@5"),
            *("max_incorrect@1", "max_incorrect@3", "max_incorrect@5"),
        ),
    ),
    Group("Answers by themselves", "What was written, without people’s.", ("entropy", "empty_rate")),
    Group(
        "How far people agree with people",
        "How near to people anything can come, and how far off what has nothing to do with them is.",
        ("split_half", "unrelated"),
    ),
)

METHODS: Final[Mapping[str, str]] = {
    "rarefied": (
        "everybody’s answers are compared at the same number, so that giving more of them is no merit; the interval"
        " holds what comes out when answers, and over all frames also frames, are drawn anew"
    ),
    "exact": (
        "from the probability that each answer of people has, without samples; the interval of one frame comes from"
        " drawing people’s answers anew, that of the mean from Student’s t over frames"
    ),
    "protoqa": "answers in the order of their frequency; the interval is Student’s t over frames",
    "published": (
        "the published calculation; intervals, which it lacks, come from drawing the model’s answers anew, and those"
        " of means from Student’s t over frames"
    ),
}

CHARTS: Final[Mapping[str, ChartKind]] = {
    "distributions": ChartKind(
        "What people and models answer",
        f"Shares of answers in each cluster, for up to {PANELS} frames: from where the model is nearest to people, to"
        " where it is farthest. A cluster is called by its most frequent answer.",
        distributions_chart,
        texts=("model", "frame", "text", "cluster"),
        numbers=("share",),
    ),
    "forest": ChartKind(
        "Frame by frame",
        "Each frame with its interval, the mean of all first; the nearest to people are at the top.",
        partial(forest_chart, MEASURES),
        texts=("model", "measure", "frame"),
        numbers=("value", "low", "high"),
        unknown=("frame", "low", "high"),
    ),
    "bound": ChartKind(
        "How much a number of answers can tell",
        f"A bound on how often a sample of answers is {EPSILON:g} nats or more from what it is drawn from, by the"
        f" number of clusters, whatever the distribution. Below the dashed line that is at most {LEVEL:.0%}"
        " of samples.",
        bound_chart,
        texts=(),
        numbers=("categories", "answers", "probability", "given"),
    ),
}

BY_FRAME: Final = ("normalised", "kl", "false_match_rate")
"""Measures whose estimates for single frames the page has as tables, beside its charts."""

WORKS: Final = (
    Work(
        "inproceedings",
        (
            "Cheng, Qi",
            "Boratko, Michael",
            "Yelugam, Pranay Kumar",
            "O'Gorman, Tim",
            "Singh, Nalini",
            "McCallum, Andrew",
            "Li, Xiang Lorraine",
        ),
        "Every Answer Matters: Evaluating Commonsense with Probabilistic Measures",
        2024,
        "ACL 2024",
        arxiv="2406.04145",
        about="CFC and ProbEval",
    ),
    Work(
        "inproceedings",
        (
            "Boratko, Michael",
            "Li, Xiang Lorraine",
            "O'Gorman, Tim",
            "Das, Rajarshi",
            "Le, Dan",
            "McCallum, Andrew",
        ),
        "ProtoQA: A Question Answering Dataset for Prototypical Common-Sense Reasoning",
        2020,
        "EMNLP 2020",
        arxiv="2005.00771",
        about="ProtoQA",
    ),
)

WORDS: Final = Words(
    title="Frames",
    measures=MEASURES,
    methods=METHODS,
    parts=("frame",),
    groups=GROUPS,
    page_only=("frame",),
    by_part={"frame": BY_FRAME},
    leading=(),
    charts=CHARTS,
    profile=(
        ProfileRow(
            "normalised",
            "nearness",
            "how near the distribution of answers is to people’s: 100 is people from people, 0 answers to other"
            " questions",
            people=1.0,
            chance=0.0,
            flipped=True,
        ),
    ),
    item_group="slot",
    key_results=key_results,
    works=WORKS,
)
