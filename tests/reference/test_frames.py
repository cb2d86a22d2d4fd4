"""Frames against published data: similarities, the measures of ProtoQA, and ProbEval with its pool and its gold KL."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from pools import Pool, gold_kl, published_pool
from probsense.analysis.distributions.divergence import kl, laplace
from probsense.analysis.open_answers import probeval, protoqa
from probsense.analysis.open_answers.probeval import human_gold, published_scores
from probsense.analysis.open_answers.protoqa import MEASURES, board, measure, measures
from probsense.analysis.open_answers.questions import Question, Similarity
from probsense.analysis.open_answers.similarity import exact, subsequence, substring
from probsense.analysis.open_answers.wordnet import wordnet, wup
from probsense.core.errors import InputError
from probsense.tasks.frames.measures.wordnet import load
from probsense.tasks.frames.questions.predictions import read_predictions
from probsense.tasks.frames.questions.read import read_frames
from probsense.tasks.frames.recorded import analyse
from published_study import agreement, sample_answers
from strategies import STRATEGIES

pytestmark = pytest.mark.reference

PREDICTIONS = ["dev.predictions.human.jsonl", "dev.predictions.gpt2finetuned.json"]
NAMES = {
    "Max Answers - None": "max_answers",
    "Max Incorrect - None": "max_answers",
    **{f"Max Answers - {k}": f"max_answers@{k}" for k in (1, 3, 5, 10)},
    **{f"Max Incorrect - {k}": f"max_incorrect@{k}" for k in (1, 3, 5)},
}


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "frames"


@pytest.fixture(scope="module")
def expected(folder):
    return lambda name: json.loads((folder / "expected" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def questions(folder):
    return {
        name: {frame.id: frame.people for frame in read_frames(folder / f"{file}.targets.jsonl")}
        for name, file in (("protoqa", "protoqa_dev"), ("cfcdev_gt", "cfc_dev"))
    }


@pytest.fixture(scope="module")
def lexicon():
    try:
        return load()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def words(lexicon):
    return wordnet(lexicon)


@pytest.fixture(scope="module")
def pools(folder, questions):
    text = (folder / "protoqa_dev.annotated_predictions.json").read_text(encoding="utf-8")
    return {
        id_: published_pool(
            questions["protoqa"][id_],
            {answer: one["count"] for answer, one in answers.items()},
            {answer: one["cluster"] for answer, one in answers.items()},
        )
        for id_, answers in json.loads(text)["annotated_prediction_data"].items()
    }


@pytest.fixture(scope="module")
def pool_of(questions, pools):
    """The pool of a published case.

    Of CFC no annotated answers of a model were released: the pool is people's answers, and one "wrong".
    """

    def find(case: Mapping[str, Any]) -> Pool:
        if case["dataset"] == "protoqa":
            return pools[case["question"]]
        question = questions["cfcdev_gt"][case["question"]]
        labels = {answer: cluster.id for cluster in question.clusters for answer in cluster.answers}
        return published_pool(question, {**question.raw, "wrong": 1}, {**labels, "wrong": "wrong"})

    return find


def drawn(case: Mapping[str, Any], pool: Pool) -> np.ndarray:
    """How often a sample has each string of the pool."""
    return np.array([case["answers"].get(answer, 0) for answer in pool.strings])


@pytest.mark.parametrize(("name", "similarity"), [("lcs_substr", substring), ("lcs_subseq", subsequence)])
def test_similarities_of_characters(expected, name, similarity):
    for pair in expected("wordnet_pairs"):
        assert similarity([pair["a"]], [pair["b"]])[0, 0] == pytest.approx(pair[name], abs=1e-12), pair


def test_similarities_of_words(lexicon, words, expected):
    pairs = expected("wordnet_pairs")
    assert len(pairs) == 354
    for pair in pairs:
        assert words([pair["a"]], [pair["b"]])[0, 0] == pytest.approx(pair["wordnet"], abs=1e-12), pair
    close = wup(lexicon)
    pairs = expected("wordnet_wup_pairs")
    assert len(pairs) == 60
    for a, b, score in pairs:
        assert close([a], [b])[0, 0] == pytest.approx(score, abs=1e-12), (a, b)


@pytest.mark.parametrize("file", PREDICTIONS)
def test_measures_of_protoqa_by_the_analysis_that_users_call(folder, expected, file):
    found = analyse(
        folder / "protoqa_dev.targets.jsonl",
        predictions=folder / f"protoqa_{file}",
        method="published",
        similarity="exact",
    )
    tables = expected("protoqa_evaluator_dev")[file]["exact_match"]
    published = {NAMES[name]: table for name, table in tables.items()}
    estimates = [estimate for estimate in found.results.estimates if estimate.measure != "kl"]
    assert len(estimates) == 8 * 27
    for estimate in estimates:
        table, frame = published[estimate.measure], estimate.by.get("frame")
        value = table["mean"] if frame is None else table["per_question"][frame]
        assert estimate.value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("file", PREDICTIONS)
@pytest.mark.parametrize("clusters", [protoqa.by_similarity, protoqa.published_by_similarity])
def test_every_measure_of_protoqa_by_every_similarity(folder, questions, words, expected, file, clusters):
    similarities = {
        "exact_match": (exact, False),
        "wordnet": (words, True),
        "wordnet_soft": (words, False),
        "lcsubstring_hard": (substring, True),
        "lcsubseq_hard": (subsequence, True),
    }
    asked = questions["protoqa"]
    published = expected("protoqa_evaluator_dev")[file]
    assert published.keys() == similarities.keys()
    ranked = read_predictions(folder / f"protoqa_{file}").ranked
    assert ranked.keys() == asked.keys()
    for name, (similarity, hard) in similarities.items():
        found = {}
        for id_, answers in ranked.items():
            scores = clusters(asked[id_], similarity, hard=hard)
            found[id_] = measures(board(asked[id_], answers, scores), answers)
        assert published[name].keys() == NAMES.keys()
        for published_name, own in NAMES.items():
            figures = published[name][published_name]
            by_question = {id_: each[own] for id_, each in found.items()}
            assert by_question == pytest.approx(figures["per_question"], abs=1e-12)
            assert sum(by_question.values()) / len(found) == pytest.approx(figures["mean"], abs=1e-12)


def max_10(question: Question, counts: Mapping[str, int], similarity: Similarity) -> float:
    """As the published validation study has it: answers by frequency, and clusters worth their count + 1."""
    ranked = sorted(counts, key=lambda answer: -counts[answer])
    weights = [cluster.count + 1 for cluster in question.clusters]
    scores = protoqa.published_by_similarity(question, similarity)
    return measure(board(question, ranked, scores, weights), ranked, MEASURES["max_answers@10"])


def test_pools(pools, expected):
    found = expected("pool_distributions")
    assert found
    for id_, one in found.items():
        pool = pools[id_]
        assert list(pool.clusters) == one["order"]
        assert dict(zip(pool.clusters, (pool.sizes + 1).tolist(), strict=True)) == one["cluster_pool_counts"]
        assert pool.pooled.tolist() == pytest.approx(one["P_H"], abs=1e-12)


def test_gold_kl_of_sampled_answers(pool_of, expected):
    cases = expected("sampled_cases")
    assert len(cases) == 120
    for case in cases:
        pool = pool_of(case)
        counts = drawn(case, pool)
        assert (counts <= pool.counts).all()
        assert gold_kl(pool, counts[None])[0] == pytest.approx(case["gold_kl"], abs=1e-12)


def test_scores_of_sampled_answers(questions, words, expected):
    match = probeval.by_similarity(words)
    for case in expected("sampled_cases"):
        question = questions[case["dataset"]][case["question"]]
        score = published_scores(human_gold(question), [case["answers"]], match)[0]
        assert score == pytest.approx(case["auto_kl"], abs=1e-12), case["question"]
        assert max_10(question, case["answers"], words) == pytest.approx(case["protoqa_max10"], abs=1e-12)


def test_logs_of_the_authors(questions, words, expected):
    for log in expected("author_logs").values():
        assert log["clusters_used"] == "human"
        question = questions["cfcdev_gt"][log["question"]]
        gold = human_gold(question)
        samples = [Counter() for _ in log["rows"]]
        labels = np.zeros((len(samples), len(gold.people)))
        for sample, label, row in zip(samples, labels, log["rows"], strict=True):
            for answer, cluster, count in row["answers"]:
                sample[answer] += count
                label[[*gold.clusters, "wrong"].index(cluster)] += count
            counts = {answer: count for answer, _, count in row["answers"]}
            found = 1 - max_10(question, counts, words)
            assert found == pytest.approx(row["one_minus_protoqa10"], abs=1e-12)
        scores = published_scores(gold, samples, probeval.by_similarity(words))
        assert scores.tolist() == pytest.approx([row["auto"] for row in log["rows"]], abs=1e-12)
        true = kl(gold.people, laplace(labels))
        assert true.tolist() == pytest.approx([row["gold"] for row in log["rows"]], abs=1e-12)


def test_the_study(questions, pools, words):
    """Half of the questions of the paper's table, where the same way gives .82 for "diverse" and "centred"."""
    golds = {id_: human_gold(questions["protoqa"][id_]) for id_ in pools}
    match = probeval.by_similarity(words)
    found = {
        strategy: agreement(
            sample_answers(pools, strategy, seed=1),
            lambda id_, samples: published_scores(golds[id_], samples, match),
        ).mean
        for strategy in STRATEGIES
    }
    assert found["diverse"] == pytest.approx(0.82, abs=0.04)
    assert found["centred"] == pytest.approx(0.82, abs=0.06)
