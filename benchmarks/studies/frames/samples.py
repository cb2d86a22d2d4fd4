"""Samples of answers of known quality to published questions, for the validation of evaluators."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pools import Pool, gold_kl, published_pool
from probsense.analysis.distributions.divergence import laplace
from probsense.analysis.open_answers.questions import Cluster, Floats, Question, Similarity
from probsense.tasks.frames.questions.read import read_frames
from strategies import STRATEGIES, draw

ANSWERS, SAMPLES = 100, 50
"""The number of answers in a sample, and of samples of a question for each seed."""

CHOOSING, REPORTING = (0, 1), (10, 11, 12, 13, 14)
"""The seeds with which settings are chosen, and those of the table."""

SORTS = {"centred": ("centred",), "mix": tuple(STRATEGIES)}
"""The sorts of samples, with the strategies that each has in equal parts."""

DISTRACTORS = 0.3
"""The share of answers to other questions among the strings that stand for a model's on CFC."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A question with strings whose true clusters are known, similarities by name, and samples by sort and seed."""

    question: Question
    strings: tuple[str, ...]
    alike: dict[str, Similarity]
    samples: Mapping[tuple[str, int], tuple[NDArray[np.int64], Floats]]


def protoqa(folder: Path) -> Iterator[tuple[Question, Pool]]:
    """Read questions of ProtoQA with a model's answers that people labelled."""
    text = (folder / "protoqa_dev.annotated_predictions.json").read_text(encoding="utf-8")
    annotated = json.loads(text)["annotated_prediction_data"]
    for question in (frame.people for frame in read_frames(folder / "protoqa_dev.targets.jsonl")):
        labels = annotated[question.id]
        counts = {answer: label["count"] for answer, label in labels.items()}
        yield question, published_pool(question, counts, {a: label["cluster"] for a, label in labels.items()})


def cfc(folder: Path) -> Iterator[tuple[Question, Pool]]:
    """Read questions of CFC and split their strings: half of them leave people's answers and stand for a model's.

    The most frequent fifth of the strings stays with people, as do the strings that would leave a cluster empty.
    Answers to questions with another question word are added, as wrong ones.
    """
    questions = [frame.people for frame in read_frames(folder / "cfc_dev.targets.jsonl")]
    rng = np.random.default_rng(0)
    for question in questions:
        label = {answer: k for k, cluster in enumerate(question.clusters) for answer in cluster.answers}
        strings = [answer for answer in label if question.raw.get(answer)]
        counts = np.array([question.raw[answer] for answer in strings])
        places = np.array([label[answer] for answer in strings])
        leaves = rng.permutation(len(strings)) < len(strings) // 2
        stays = ~leaves
        both = (counts > 1) & (counts >= np.quantile(counts, 0.8))
        for k in np.unique(places):
            if not (stays | both)[places == k].any():
                both[np.flatnonzero(places == k)[counts[places == k].argmax()]] = True
        kept = Counter({s: int(c) for s, c, keep in zip(strings, counts, stays | both, strict=True) if keep})
        clusters = tuple(
            Cluster(cluster.id, sum(kept[a] for a in own), own)
            for cluster in question.clusters
            if (own := tuple(a for a in cluster.answers if a in kept))
        )
        place = {answer: k for k, cluster in enumerate(clusters) for answer in cluster.answers}
        named = {cluster.id: k for k, cluster in enumerate(clusters)}
        given = {
            s: (int(c), place.get(s, named.get(question.clusters[p].id, len(clusters))))
            for s, c, p, out in zip(strings, counts, places, leaves | both, strict=True)
            if out
        }
        others = [
            (answer, count)
            for other in questions
            if asking(other) != asking(question)
            for answer, count in other.raw.items()
            if answer not in label
        ]
        wanted = round(len(given) * DISTRACTORS / (1 - DISTRACTORS))
        given |= {others[i][0]: (others[i][1], len(clusters)) for i in rng.permutation(len(others))[:wanted]}
        numbers, labels = np.array(list(given.values())).T
        people = laplace([*(cluster.count for cluster in clusters), 0])
        pool = Pool(tuple(given), numbers, labels, (*(c.id for c in clusters), "wrong"), people)
        yield replace(question, raw=dict(kept), clusters=clusters), pool


def asking(question: Question) -> str:
    """Find the word with which the last sentence asks."""
    words = question.text.lower().rstrip("?. ").split(". ")[-1].split()
    return next((word for word in words if word in {"who", "what", "when", "where", "why", "how"}), "")


def cases(asked: Sequence[tuple[Question, Pool]], similarities: Mapping[str, Similarity]) -> list[Case]:
    """Draw all samples of the questions and compute all their similarities."""
    return [
        Case(
            question,
            pool.strings,
            {name: known(similarity, question, pool) for name, similarity in similarities.items()},
            {
                (sort, seed): samples(pool, strategies, [seed, zlib.crc32(question.id.encode())])
                for seed in (*CHOOSING, *REPORTING)
                for sort, strategies in SORTS.items()
            },
        )
        for question, pool in asked
    ]


def samples(pool: Pool, strategies: Sequence[str], seed: Sequence[int]) -> tuple[NDArray[np.int64], Floats]:
    """Draw samples of a fixed number of answers, with replacement, and measure how far they truly are from people."""
    state, rng = np.random.RandomState(seed), np.random.default_rng(seed)
    there = pool.sizes > 0
    counts = []
    for strategy in strategies:
        for _ in range(SAMPLES // len(strategies)):
            target = np.zeros(len(there))
            # The missing categories may be the only ones with answers.
            while not target[there].any():
                target = STRATEGIES[strategy](state, pool.people, pool.pooled)
            counts.append(draw(pool, target, ANSWERS, rng)[0])
    return np.array(counts), gold_kl(pool, np.array(counts))


def known(similarity: Similarity, question: Question, pool: Pool) -> Similarity:
    """Compute the same similarity once for all strings of a question."""
    columns = [*dict.fromkeys([*question.raw, *(a for c in question.clusters for a in c.answers)])]
    rows = [*dict.fromkeys([*columns, *pool.strings])]
    matrix = similarity(rows, columns)
    place = {string: i for i, string in enumerate(rows)}

    def looked_up(a: Sequence[str], b: Sequence[str]) -> Floats:
        return matrix[np.ix_([place[string] for string in a], [place[string] for string in b])]

    return looked_up
