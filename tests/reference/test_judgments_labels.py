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
from probsense.tasks.judgments.people.answers import read_people
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.questions.statements import read_statements

pytestmark = pytest.mark.reference

ANSWERS = ("yes", "no", "other")
MASSES = ["p_yes", "p_no", "p_other"]


@pytest.fixture
def folder(reference_data):
    return reference_data / "judgments"


@pytest.fixture(scope="module")
def raw(reference_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    shutil.unpack_archive(reference_data / "judgments" / "raw_results.tar.gz", folder)
    return folder


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


def test_raw_results_of_every_layout(raw):
    (path,) = raw.rglob("expected.json")
    key = ["model", "statement_id", "question"]
    expected = pl.DataFrame(json.loads(path.read_text())).select(
        pl.col("dir").alias("model"), *key[1:], *MASSES
    )
    found = read_ratings(path.parent).frame
    assert found.select(key).sort(key).equals(expected.select(key).sort(key))
    np.testing.assert_allclose(
        found.sort(key).select(MASSES), expected.sort(key).select(MASSES), rtol=0, atol=1e-12
    )


def test_the_published_table_is_read_as_it_stands(folder):
    path = folder / "model_ratings.parquet"
    found = read_ratings(path).frame
    assert found.select(MASSES).equals(pl.read_parquet(path, columns=MASSES))
    assert found["model"].n_unique() == 22


@pytest.mark.slow
def test_wide_people_are_the_long_ones(folder):
    humans = folder / "humans_synthetic"
    wide = read_people([humans / f"{name}_ratings.csv.gz" for name in ("individual", "group")]).frame
    assert wide.equals(read_people([humans / "ratings_long.parquet"]).frame)


def test_published_statements(folder):
    found = read_statements(folder / "statements.parquet")
    given = pl.read_parquet(folder / "statements.parquet")
    assert found["statement_id"].to_list() == list(range(4407))
    assert found["statement"].equals(given["statement"])
    assert found.columns == given.columns
