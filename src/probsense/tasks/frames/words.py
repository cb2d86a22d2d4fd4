"""The words of frames: their measures, methods, groups and charts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from probsense.analysis.open_answers.bound import EPSILON, LEVEL
from probsense.show.chart import ChartKind
from probsense.show.measure import PERCENT, Group, Landmark, Measure
from probsense.show.words import ILLUSTRATIVE, PEOPLE, ProfileRow, Words
from probsense.show.works import Work
from probsense.tasks.frames.charts import bound_chart, forest_chart
from probsense.tasks.frames.distributions_chart import PANELS, distributions_chart
from probsense.tasks.frames.key_results import key_results

_UNBOUNDED: Final = (0.0, math.inf)
_RULES: Final = "by ProtoQA’s rules, each cluster once, as a share of the best there are"


class _Given(NamedTuple):
    """What the answers are called that models are compared with.

    Attributes
    ----------
    who : str
        Who gave them: the name of a mark.
    whose : str
        The same before “answers”.
    ones : str
        The same instead of “people’s answers”, in a title.
    halves : str
        Two halves of them, as a title.
    shares : str
        The title of the chart that shows them.
    """

    who: str
    whose: str
    ones: str
    halves: str
    shares: str


_OF_PEOPLE: Final = _Given(
    PEOPLE, "people’s", "people’s", "Halves of people", "What people and models answer"
)
_MADE_UP: Final = _Given(
    ILLUSTRATIVE,
    "the illustrative",
    "the illustrative ones",
    "Halves of the illustrative answers",
    "What models answer, beside the illustrative answers",
)


def _first(k: int) -> str:
    """Say how many answers the measure Max Answers@k counts."""
    return f"what the first {k} answers earn {_RULES}" if k > 1 else f"what the first answer earns {_RULES}"


def _until(k: int) -> str:
    """Say up to which wrong answer the measure Max Incorrect@k counts."""
    ordinal = {1: "first", 3: "third", 5: "fifth"}[k]
    return f"what the answers up to the {ordinal} one that is in no cluster earn {_RULES}"


MEASURES: Final[Mapping[str, Measure]] = {
    "js": Measure("JS", "the Jensen–Shannon divergence, in nats, at most 0.693", bounds=(0, math.log(2))),
    "hellinger": Measure("Hellinger", "the Hellinger distance, from 0 to 1"),
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
}
"""Measures whose words are the same whoever gave the answers."""


def _measures(given: _Given) -> dict[str, Measure]:
    """Name all measures, those too that compare with given answers."""
    whose = given.whose
    return {
        "normalised": Measure(
            "Normalised",
            f"the divergence on a scale that is the same for all frames: one half of {whose} answers stands at 0, seen"
            f" from the other half, and answers to other questions at 1; below 0 is nearer to {whose} answers than half"
            " of them are to the rest",
            bounds=(-math.inf, math.inf),
            landmark=Landmark(0.0, given.who),
        ),
        "kl": Measure(
            "KL",
            f"the Kullback–Leibler divergence of {whose} distribution over clusters of answers from the model’s, in"
            " nats: 0 is the same distribution",
            bounds=_UNBOUNDED,
        ),
        "total_variation": Measure(
            "Total variation", f"the share of the answers that lies in other clusters than {given.ones}"
        ),
        "emd": Measure(
            "Earth mover’s",
            f"how far {whose} answers are carried to become the model’s, where unlike answers are far apart",
            bounds=_UNBOUNDED,
        ),
        "listed_mass": Measure(
            "Known answers",
            f"the probability that the model gives to {whose} answers, all together",
            PERCENT,
        ),
        "split_half": Measure(
            given.halves,
            f"the divergence of one random half of {whose} answers from the other half",
            bounds=_UNBOUNDED,
        ),
        "unrelated": Measure(
            "Unrelated answers",
            f"the divergence of answers to other questions from {whose} answers to this one",
            bounds=_UNBOUNDED,
        ),
        **MEASURES,
    }


def _groups(given: _Given) -> tuple[Group, ...]:
    return (
        Group(
            f"Models’ answers beside {given.ones}",
            f"How far a model’s distribution over clusters of answers is from {given.ones}, everybody at the same"
            " number of answers. Less is nearer.",
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
        Group("Answers by themselves", f"What was written, without {given.ones}.", ("entropy", "empty_rate")),
        Group(
            f"How far {given.whose} answers agree with one another",
            "How near anything can come to them, and how far off what has nothing to do with them is.",
            ("split_half", "unrelated"),
        ),
    )


def _methods(given: _Given) -> dict[str, str]:
    return {
        "rarefied": (
            "everybody’s answers are compared at the same number, so that giving more of them is no merit; the interval"
            " holds what comes out when answers, and over all frames also frames, are drawn anew"
        ),
        "exact": (
            f"from the probability that each of {given.whose} answers has, without samples; the interval of one frame"
            " comes from drawing these answers anew, that of the mean from Student’s t over frames"
        ),
        "protoqa": "answers in the order of their frequency; the interval is Student’s t over frames",
        "published": (
            "the published calculation; intervals, which it lacks, come from drawing the model’s answers anew, and"
            " those of means from Student’s t over frames"
        ),
    }


def _charts(given: _Given) -> dict[str, ChartKind]:
    return {
        "distributions": ChartKind(
            given.shares,
            f"Shares of answers in each cluster, for up to {PANELS} frames: from where the model is nearest to"
            f" {given.whose} answers, to where it is farthest. A cluster is called by its most frequent answer.",
            distributions_chart,
            texts=("model", "frame", "text", "cluster"),
            numbers=("share",),
        ),
        "forest": ChartKind(
            "Frame by frame",
            f"Each frame with its interval, the mean of all first; the nearest to {given.whose} answers are at the"
            " top.",
            partial(forest_chart, _measures(given)),
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


def _words(given: _Given) -> Words:
    return Words(
        title="Frames",
        measures=_measures(given),
        methods=_methods(given),
        parts=("frame",),
        groups=_groups(given),
        page_only=("frame",),
        by_part={"frame": BY_FRAME},
        leading=(),
        charts=_charts(given),
        profile=(
            ProfileRow(
                "normalised",
                "nearness",
                f"how near the distribution of answers is to {given.ones}: 100 is where one half of these is from the"
                " other, 0 answers to other questions",
                people=1.0,
                chance=0.0,
                flipped=True,
            ),
        ),
        item_group="slot",
        key_results=key_results,
        people=given.who,
        works=WORKS,
    )


WORDS: Final = replace(_words(_OF_PEOPLE), illustrative=_words(_MADE_UP))
