"""Label mass, raw results and people's ratings, as the published code has them."""

from __future__ import annotations

import json
import shutil
from typing import Any

import numpy as np
import polars as pl
import pytest

from probsense.analysis.distributions.label_mass import (
    binary,
    text_class,
    token_classes,
    top_k_mass,
    trial_mass,
    vocabulary_mass,
)
from probsense.tasks.judgments.questions.ratings import read_ratings

pytestmark = pytest.mark.reference

ANSWERS = ("yes", "no", "other")
MASSES = ["p_yes", "p_no", "p_other"]


@pytest.fixture
def folder(reference_data):
    return reference_data / "judgments"


def mass_of(kind: str, given: Any) -> np.ndarray:
    match kind:
        case "topk_logprobs":
            tokens, logprobs = zip(*given, strict=True)
            return top_k_mass(np.array(logprobs), token_classes(tokens), clamp=False)
        case "vocab_probs":
            return vocabulary_mass([given[name] for name in ANSWERS])
        case _:
            said = [(text_class(text), times) for text, times in given.items()]
            return trial_mass([sum(times for label, times in said if label == name) for name in ANSWERS])


def test_all_cases(folder):
    cases = [json.loads(line) for line in (folder / "yesno_cases.jsonl").read_text("utf-8").splitlines()]
    assert len(cases) == 111
    for case in cases:
        match case["kind"]:
            case "raw_string":
                assert text_class(case["input"]) == case["expected"], case
            case "token_class":
                (index,) = token_classes([case["input"]])
                assert ANSWERS[index] == case["expected"], case
            case kind:
                mass = mass_of(kind, case["input"])
                expected = [case["expected"][name] for name in ANSWERS]
                np.testing.assert_allclose(mass, expected, rtol=0, atol=1e-12, err_msg=str(case))
                assert binary(mass) == case["expected_binary"], case


def test_raw_results_of_every_layout(folder, tmp_path):
    shutil.unpack_archive(folder / "raw_results.tar.gz", tmp_path)
    (path,) = tmp_path.rglob("expected.json")
    key = ["model", "statement_id", "question"]
    expected = pl.DataFrame(json.loads(path.read_text())).select(
        pl.col("dir").alias("model"), *key[1:], *MASSES
    )
    found = read_ratings(path.parent).frame
    assert found.select(key).sort(key).equals(expected.select(key).sort(key))
    np.testing.assert_allclose(
        found.sort(key).select(MASSES), expected.sort(key).select(MASSES), rtol=0, atol=1e-12
    )
    trials = dict(found.drop_nulls("n").select("model", "n").unique().iter_rows())
    assert trials == {
        "claude-3-opus": 23,
        "mistral-large-latest": 23,
        "gemini-pro": 50,
        "n-choices-format": 48,
    }
    bounded = found.drop_nulls("low_yes")
    assert set(bounded["model"]) == {*trials, "gpt-3.5-turbo-0125", "batch-format"}
    assert bounded.select(pl.col("p_yes").is_between(pl.col("low_yes") - 1e-12, pl.col("high_yes") + 1e-12))[
        "p_yes"
    ].all()
