"""The measures of ProtoQA against figures of the released evaluator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from probsense.answers.protoqa import (
    MEASURES,
    board,
    by_similarity,
    measure,
    measures,
    published_by_similarity,
)
from probsense.answers.questions import Question, Similarity
from probsense.answers.similarity import exact, subsequence, substring
from probsense.answers.wordnet import wordnet
from probsense.tasks.frames.events import read_frames
from probsense.tasks.frames.predictions import read_predictions

pytestmark = pytest.mark.reference

NAMES = {
    "Max Answers - None": "max_answers",
    "Max Incorrect - None": "max_answers",
    **{f"Max Answers - {k}": f"max_answers@{k}" for k in (1, 3, 5, 10)},
    **{f"Max Incorrect - {k}": f"max_incorrect@{k}" for k in (1, 3, 5)},
}
MAX_10 = MEASURES["max_answers@10"]


@pytest.fixture(scope="module")
def words() -> Similarity:
    pytest.importorskip("nltk")
    from probsense.data.wordnet import load

    return wordnet(load())


@pytest.fixture(scope="module")
def protoqa(reference_data: Path) -> dict[str, Question]:
    return {
        frame.id: frame.people
        for frame in read_frames(reference_data / "frames" / "protoqa_dev.targets.jsonl")
    }


def expected(reference_data: Path, name: str) -> Any:
    return json.loads((reference_data / "frames" / "expected" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", ["dev.predictions.human.jsonl", "dev.predictions.gpt2finetuned.json"])
@pytest.mark.parametrize("clusters", [by_similarity, published_by_similarity])
def test_every_measure_similarity_and_question(
    reference_data: Path, protoqa: Mapping[str, Question], words: Similarity, file: str, clusters: Any
) -> None:
    similarities = {
        "exact_match": (exact, False),
        "wordnet": (words, True),
        "wordnet_soft": (words, False),
        "lcsubstring_hard": (substring, True),
        "lcsubseq_hard": (subsequence, True),
    }
    published = expected(reference_data, "protoqa_evaluator_dev.json")[file]
    assert published.keys() == similarities.keys()
    ranked = read_predictions(reference_data / "frames" / f"protoqa_{file}").ranked
    assert ranked.keys() == protoqa.keys()
    for name, (similarity, hard) in similarities.items():
        found = {}
        for id_, answers in ranked.items():
            scores = clusters(protoqa[id_], similarity, hard=hard)
            found[id_] = measures(board(protoqa[id_], answers, scores), answers)
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
    scores = published_by_similarity(question, similarity)
    return measure(board(question, ranked, scores, weights), ranked, MAX_10)


def test_sampled_answers(reference_data: Path, protoqa: Mapping[str, Question], words: Similarity) -> None:
    cfc = {
        frame.id: frame.people for frame in read_frames(reference_data / "frames" / "cfc_dev.targets.jsonl")
    }
    questions = {"protoqa": protoqa, "cfcdev_gt": cfc}
    for case in expected(reference_data, "sampled_cases.json"):
        question = questions[case["dataset"]][case["question"]]
        assert max_10(question, case["answers"], words) == pytest.approx(case["protoqa_max10"], abs=1e-12)


def test_logs_of_the_authors(reference_data: Path, words: Similarity) -> None:
    questions = {
        frame.id: frame.people for frame in read_frames(reference_data / "frames" / "cfc_dev.targets.jsonl")
    }
    for log in expected(reference_data, "author_logs.json").values():
        for row in log["rows"]:
            counts = {answer: count for answer, _, count in row["answers"]}
            found = 1 - max_10(questions[log["question"]], counts, words)
            assert found == pytest.approx(row["one_minus_protoqa10"], abs=1e-12)
