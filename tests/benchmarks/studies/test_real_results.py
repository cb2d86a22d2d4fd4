"""The table of the results on real models: what a run withholds is no figure."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import real_results
from probsense.runs.evaluate import evaluate


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    run = evaluate("winogrande", "random:1", limit=20, store=None, quiet=True)
    read: dict[str, Any] = json.loads(json.dumps(run.to_json()))
    return read


def test_a_row_for_each_estimate(document: dict[str, Any]) -> None:
    lacking = copy.deepcopy(document)
    lacking["estimates"] = [one for one in lacking["estimates"] if one["measure"] != "p_gold"]
    title = "Winogrande, own schemas"
    lines = real_results.table({"smollm2": {title: document}, "gemma3": {title: lacking}})
    assert len(lines) == 4
    accuracy = next(one for one in document["estimates"] if one["measure"] == "accuracy")
    assert lines[2].startswith(
        f"| {title} | 20 of 20 | Accuracy in %, partial | {100 * accuracy['value']:.1f} ["
    )
    assert lines[2].endswith("] | 50.0 |")
    assert lines[3].endswith("| withheld |  |")
