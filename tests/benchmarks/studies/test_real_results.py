"""The table of the results on real models: what a run withholds is no figure."""

import json

import real_results
from probsense.runs.evaluate import evaluate

OWN = "Winogrande, own schemas"


def test_a_row_for_each_estimate():
    run = evaluate("winogrande", "random:1", limit=20, store=None, quiet=True)
    whole = json.loads(json.dumps(run.to_json()))
    accuracy, *_ = (one for one in whole["estimates"] if one["measure"] == "accuracy")
    lacking = whole | {"estimates": [one for one in whole["estimates"] if one["measure"] != "p_gold"]}
    lines = real_results.table({"smollm2": {OWN: whole}, "gemma3": {OWN: lacking}})
    assert len(lines) == 4
    assert lines[2].startswith(
        f"| {OWN} | 20 of 20 | Accuracy in %, partial | {100 * accuracy['value']:.1f} ["
    )
    assert lines[2].endswith("] | 50.0 |")
    assert lines[3].endswith("| withheld |  |")
