"""How the figures of frames are called, written, grouped and explained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from probsense.report.measure import Group, Measure


def _share(title: str, meaning: str) -> Measure:
    return Measure(title, meaning, 100, 1, " %", (0, 1), None, "")


def _number(title: str, meaning: str, high: float, landmark: float | None = None, name: str = "") -> Measure:
    return Measure(title, meaning, 1, 3, "", (0, high), landmark, name)


_EARN: Final = "earn by ProtoQA’s rules, each cluster once, as a share of the best there are"

MEASURES: Final[Mapping[str, Measure]] = {
    "normalised": Measure(
        "Normalised",
        "the divergence on a scale that is the same for all frames: 0 where people are from people, 1 where answers to"
        " other questions are; below 0 is nearer to people than half of them are to the rest",
        1,
        3,
        "",
        (-math.inf, math.inf),
        0.0,
        "people",
    ),
    "kl": _number(
        "KL",
        "the Kullback–Leibler divergence of people’s distribution over clusters of answers from the model’s, in nats:"
        " 0 is the same distribution",
        math.inf,
    ),
    "js": _number("JS", "the Jensen–Shannon divergence, in nats, at most 0.693", math.log(2)),
    "total_variation": _number("Total variation", "the mass that lies in other clusters than people’s", 1),
    "hellinger": _number("Hellinger", "the Hellinger distance, from 0 to 1", 1),
    "emd": _number(
        "Earth mover’s",
        "how far people’s answers are carried to become the model’s, where unlike answers are far apart",
        math.inf,
    ),
    "listed_mass": _share(
        "Known answers", "the probability that the model gives to the answers of people, all together"
    ),
    "matched": _share("Matched", "the share of the model’s answers that found a cluster"),
    "false_match_rate": _share(
        "False matches",
        "the share of the same answers that find a cluster of another question, where every match is false",
    ),
    "max_answers": _share("Max Answers", f"what all answers {_EARN}"),
    **{
        f"max_answers@{k}": _share(f"Max Answers@{k}", f"what the first {k} answers {_EARN}")
        for k in (1, 3, 5, 10)
    },
    **{
        f"max_incorrect@{k}": _share(
            f"Max Incorrect@{k}", f"the same of the answers up to number {k} of those that are in no cluster"
        )
        for k in (1, 3, 5)
    },
    "entropy": _number("Entropy", "of the different strings, in nats: 0 is always the same one", math.inf),
    "empty_rate": _share("Empty", "the share of texts that hold no answer"),
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

BY_FRAME: Final = ("normalised", "kl", "false_match_rate")
"""The figures of single frames that a page has as tables, beside its charts."""

DETAILS: Final = ("frame",)
"""Parts that a terminal does not show."""
