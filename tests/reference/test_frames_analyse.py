"""The published figures of ProtoQA's evaluator, through the analysis that users call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.tasks.frames.analyse import analyse

SIMILARITIES = {"exact": "exact_match", "substring": "lcsubstring_hard", "subsequence": "lcsubseq_hard"}
FILES = {
    "dev.predictions.human.jsonl": "protoqa_dev.predictions.human.jsonl",
    "dev.predictions.gpt2finetuned.json": "protoqa_dev.predictions.gpt2finetuned.json",
}


def published_name(measure: str) -> str:
    kind, _, limit = measure.partition("@")
    return f"{kind.replace('_', ' ').title()} - {limit or None}"


@pytest.mark.reference
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_every_measure_of_every_question(reference_data: Path, similarity: str) -> None:
    folder = reference_data / "frames"
    expected = json.loads((folder / "expected" / "protoqa_evaluator_dev.json").read_text())
    for name, file in FILES.items():
        found = analyse(
            folder / "protoqa_dev.targets.jsonl",
            predictions=folder / file,
            method="published",
            similarity=similarity,
        )
        tables = expected[name][SIMILARITIES[similarity]]
        compared = 0
        for estimate in found.measured.estimates:
            if estimate.measure != "kl":
                table = tables[published_name(estimate.measure)]
                frame = estimate.by.get("frame")
                value = table["mean"] if frame is None else table["per_question"][frame]
                assert estimate.value == pytest.approx(value, abs=1e-12)
                compared += 1
        assert compared == 8 * 27
