"""Records of Every Eval Ever: what they tell of a run, and where they lie; tests/engines/exports has its validator."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import probsense as ps
from probsense.interop.every_eval_ever import _model_id, export_every_eval_ever, record

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture
def run():
    return ps.evaluate("winogrande", "random:1", limit=20, store=None, quiet=True)


def written(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]], Path]:
    """Return the one record of a folder, its items, and the path of the record."""
    (path,) = folder.rglob("*.json")
    samples = path.with_name(f"{path.stem}_samples.jsonl")
    lines = samples.read_text().splitlines() if samples.exists() else []
    return json.loads(path.read_text()), [json.loads(line) for line in lines], path


def test_a_record_has_every_estimate_of_the_model_with_its_uncertainty(run, tmp_path):
    export_every_eval_ever(tmp_path, [run])
    document, _, path = written(tmp_path)
    assert path.relative_to(tmp_path).parts[:-1] == ("data", "winogrande", "random", "1")
    assert UUID4.fullmatch(path.stem)
    assert path.stem.replace("-", "")[:12] == run.id[:12]
    assert document["model_info"]["id"] == "random/1"
    own = [e for e in run.results.estimates if e.by["model"] == "random:1"]
    results = document["evaluation_results"]
    assert len({one["evaluation_result_id"] for one in results}) == len(results) == len(own) > 5
    for estimate, one in zip(own, results, strict=True):
        metric, details = one["metric_config"], one["score_details"]
        assert details["score"] == estimate.value
        assert metric["metric_name"] == run.words.measure(estimate.measure).title
        bounds = [
            float(metric[name].replace("I", "i") if isinstance(metric[name], str) else metric[name])
            for name in ("min_score", "max_score")
        ]
        assert tuple(bounds) == run.words.bounds(estimate.measure)
        told = details["uncertainty"]
        assert told["num_samples"] == estimate.n
        assert ("standard_error" in told) is math.isfinite(estimate.stderr)
        if "confidence_interval" in told:
            interval = told["confidence_interval"]
            assert interval["lower"] == estimate.low
            assert interval["upper"] == estimate.high
            assert interval["confidence_level"] == estimate.level
        assert all(isinstance(text, str) for text in details["details"].values())
    lower = {one["metric_config"]["metric_id"]: one["metric_config"]["lower_is_better"] for one in results}
    assert (lower["accuracy"], lower["winogrande.brier"], lower["winogrande.log_score"]) == (
        False,
        True,
        True,
    )


def test_items_belong_to_the_first_accuracy_and_agree_with_it(run, tmp_path):
    export_every_eval_ever(tmp_path, [run])
    document, items, path = written(tmp_path)
    told = document["detailed_evaluation_results"]
    samples = tmp_path / told["file_path"]
    assert samples == path.with_name(f"{path.stem}_samples.jsonl")
    assert told["checksum"] == sha256(samples.read_bytes()).hexdigest()
    assert told["total_rows"] == len(items) == 20
    (of,) = {item["evaluation_result_id"] for item in items}
    (accuracy,) = (one for one in document["evaluation_results"] if one["evaluation_result_id"] == of)
    assert accuracy["metric_config"]["metric_id"] == "accuracy"
    assert sum(item["evaluation"]["score"] for item in items) / 20 == accuracy["score_details"]["score"]
    for item, row in zip(items, run.table().iter_rows(named=True), strict=True):
        assert item["sample_id"] == row["id"]
        assert item["input"]["raw"] == row["prompt"]
        assert item["input"]["reference"] == [row["gold_text"]]
        assert item["input"]["choices"] == row["choices"]
        (answer,) = item["answer_attribution"]
        assert answer["extracted_value"] == row["answer_text"]
        assert item["evaluation"]["is_correct"] is (row["gold_text"] == row["answer_text"])
        assert item["evaluation_id"] == document["evaluation_id"]


def test_the_same_run_makes_the_same_files_in_place_of_earlier_ones(run, tmp_path):
    export_every_eval_ever(tmp_path, [run])
    first = {path: path.read_bytes() for path in tmp_path.rglob("*.json*")}
    export_every_eval_ever(tmp_path, [run, run])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json*")} == first
    assert len(first) == 2


@pytest.mark.parametrize("change", [{"high": math.nan}, {"low": math.nan}, {"stderr": math.nan}])
def test_what_is_unknown_is_left_out(run, change):
    known = replace(run.results.estimates[0], **change)
    others = [replace(known, value=math.nan), replace(known, value=1 + 1e-12)]
    vars(run)["results"] = replace(run.results, estimates=[known, *others])
    document = record(run)
    first, above = document["evaluation_results"]
    told = first["score_details"]["uncertainty"]
    assert {*told} == {"num_samples", "confidence_interval" if "stderr" in change else "standard_error"}
    assert above["score_details"]["score"] == 1
    json.dumps(document, allow_nan=False)


def test_without_right_answers_there_are_no_items(tmp_path):
    run = ps.evaluate("choices", "random:1", limit=6, store=None, quiet=True)
    export_every_eval_ever(tmp_path, [run])
    document, items, _ = written(tmp_path)
    assert items == []
    assert "detailed_evaluation_results" not in document
    assert len({str(e.by["model"]) for e in run.results.estimates}) > 1  # people, and rules that know nothing
    told = [e for e in run.results.estimates if e.by["model"] == "random:1" and math.isfinite(e.value)]
    assert len(document["evaluation_results"]) == len(told)


def test_a_record_tells_the_data_and_the_settings(tmp_path):
    data = tmp_path / "mine.jsonl"
    data.write_text(
        '{"qID": "a", "sentence": "The _ is wet.", "option1": "sea", "option2": "sun", "answer": "1"}\n'
    )
    run = ps.evaluate("winogrande", "random:1", data=data, store=None, quiet=True)
    document = record(run)
    one = document["evaluation_results"][0]
    details = one["source_data"]["additional_details"]
    assert details[str(data)] == sha256(data.read_bytes()).hexdigest()
    assert details["items"] == "1"
    assert one["generation_config"]["generation_args"] == {"reasoning": False}
    assert one["generation_config"]["additional_details"]["method"] == "options"
    frames = ps.evaluate("frames", "random:1", limit=2, answers=3, temperature=0.5, store=None, quiet=True)
    document = record(frames)
    assert document["evaluation_results"][0]["generation_config"]["generation_args"]["temperature"] == 0.5


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("hf:Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B"),
        ("vllm:Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B"),
        ("openai:gpt-4o", "openai/gpt-4o"),
        ("openai:qwen3:8b", "openai/qwen3:8b"),
        ("hf:/data/models/smollm2", "hf/smollm2"),
        ("hf:./models", "hf/models"),
        (r"gguf:C:\models\tiny.gguf", "gguf/tiny.gguf"),
        ("random", "random/random"),
    ],
)
def test_models_are_named_as_on_hubs(model, known):
    assert _model_id(model) == known


@given(st.text(max_size=30))
@example(" . ")
def test_every_name_makes_a_developer_and_a_model(name):
    developer, model = _model_id(f"hf:{name}").split("/")
    assert developer
    assert model
    assert not re.search(r'[<>"|?*\\\x00-\x1f]', model)
    assert not model.endswith((".", " "))
