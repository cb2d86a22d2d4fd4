"""ProbEval, its pool and its gold KL on published answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from frames_agreement import agreement, sample_answers
from frames_pool import Pool, gold_kl, published_pool
from frames_strategies import STRATEGIES
from probsense.answers.probeval import Matcher, by_similarity, human_gold, laplace, published_scores
from probsense.answers.questions import Question
from probsense.answers.wordnet import wordnet
from probsense.data.wordnet import load
from probsense.errors import InputError
from probsense.prob.divergence import kl
from probsense.tasks.frames.events import read_frames
from probsense.tasks.frames.predictions import read_predictions

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def frames(reference_data: Path) -> Path:
    return reference_data / "frames"


@pytest.fixture(scope="module")
def questions(frames: Path) -> dict[str, dict[str, Question]]:
    return {
        name: {frame.id: frame.people for frame in read_frames(frames / f"{file}.targets.jsonl")}
        for name, file in (("protoqa", "protoqa_dev"), ("cfcdev_gt", "cfc_dev"))
    }


@pytest.fixture(scope="module")
def pools(frames: Path, questions) -> dict[str, Pool]:
    annotated = read_predictions(frames / "protoqa_dev.annotated_predictions.json").annotations
    return {
        id_: published_pool(
            questions["protoqa"][id_],
            {answer: one.count for answer, one in answers.items()},
            {answer: one.cluster for answer, one in answers.items()},
        )
        for id_, answers in annotated.items()
    }


@pytest.fixture(scope="module")
def match() -> Matcher:
    try:
        return by_similarity(wordnet(load()))
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def expected(frames: Path) -> Callable[[str], list | dict]:
    return lambda name: json.loads((frames / "expected" / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def stand_ins(questions) -> Callable[[str], Pool]:
    """Of CFC no annotated answers of a model were released: the pool is people's answers, and one "wrong"."""

    def pool(id_: str) -> Pool:
        question = questions["cfcdev_gt"][id_]
        labels = {answer: cluster.id for cluster in question.clusters for answer in cluster.answers}
        return published_pool(question, {**question.raw, "wrong": 1}, {**labels, "wrong": "wrong"})

    return pool


def test_pools(pools: dict[str, Pool], expected) -> None:
    found = expected("pool_distributions")
    assert found
    for id_, one in found.items():
        pool = pools[id_]
        assert list(pool.clusters) == one["order"]
        assert dict(zip(pool.clusters, (pool.sizes + 1).tolist(), strict=True)) == one["cluster_pool_counts"]
        assert (pool.sizes + 1).sum() == one["pool_total"]
        assert pool.people.tolist() == pytest.approx(one["P_G"], abs=1e-12)
        assert pool.pooled.tolist() == pytest.approx(one["P_H"], abs=1e-12)


def test_gold_kl_of_sampled_answers(pools: dict[str, Pool], stand_ins, expected) -> None:
    cases = expected("sampled_cases")
    assert len(cases) == 120
    for case in cases:
        pool = pools[case["question"]] if case["dataset"] == "protoqa" else stand_ins(case["question"])
        counts = np.array([case["answers"].get(answer, 0) for answer in pool.strings])
        assert counts.sum() == sum(case["answers"].values())
        assert (counts <= pool.counts).all()
        assert gold_kl(pool, counts[None])[0] == pytest.approx(case["gold_kl"], abs=1e-12)


def test_scores_of_sampled_answers(questions, match: Matcher, expected) -> None:
    for case in expected("sampled_cases"):
        gold = human_gold(questions[case["dataset"]][case["question"]])
        score = published_scores(gold, [case["answers"]], match)[0]
        assert score == pytest.approx(case["auto_kl"], abs=1e-12), case["question"]


def test_logs_of_the_authors(questions, match: Matcher, expected) -> None:
    for log in expected("author_logs").values():
        assert log["clusters_used"] == "human"
        gold = human_gold(questions["cfcdev_gt"][log["question"]])
        samples = [Counter() for _ in log["rows"]]
        labels = np.zeros((len(samples), len(gold.people)))
        for sample, label, row in zip(samples, labels, log["rows"], strict=True):
            for answer, cluster, count in row["answers"]:
                sample[answer] += count
                label[[*gold.clusters, "wrong"].index(cluster)] += count
        scores = published_scores(gold, samples, match)
        assert scores.tolist() == pytest.approx([row["auto"] for row in log["rows"]], abs=1e-12)
        true = kl(gold.people, laplace(labels))
        assert true.tolist() == pytest.approx([row["gold"] for row in log["rows"]], abs=1e-12)


def test_targets_and_numbers_of_published_samples_are_possible(pools, stand_ins, expected) -> None:
    """The numbers of each category in published "diverse" samples are those of some weight (but for one dropped)."""
    for case in expected("sampled_cases"):
        if case["method"] != "diverse":
            continue
        pool = pools[case["question"]] if case["dataset"] == "protoqa" else stand_ins(case["question"])
        drawn = np.array([case["answers"].get(answer, 0) for answer in pool.strings])
        numbers, thought = np.bincount(pool.labels, drawn, len(pool.clusters)), pool.sizes + 1
        weight = np.linspace(0, 1, 4001)[:, None]
        wanted = thought.sum() * (weight * pool.people + (1 - weight) / len(pool.people))
        ratio = np.minimum(1, (thought / wanted).min(axis=1, keepdims=True))
        dropped = np.rint(ratio * wanted) - numbers
        assert ((dropped == 0) | (dropped == 1)).all(axis=1).any(), case["question"]


def test_the_study(questions, pools: dict[str, Pool], match: Matcher) -> None:
    """Half of the questions of the paper's table, where the same way gives .82 for "diverse" and "centred"."""
    golds = {id_: human_gold(questions["protoqa"][id_]) for id_ in pools}
    found = {
        strategy: agreement(
            sample_answers(pools, strategy, seed=1),
            lambda id_, samples: published_scores(golds[id_], samples, match),
        ).mean
        for strategy in STRATEGIES
    }
    assert found["diverse"] == pytest.approx(0.82, abs=0.04)
    assert found["centred"] == pytest.approx(0.82, abs=0.06)
