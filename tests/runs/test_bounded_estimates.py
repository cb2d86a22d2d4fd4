"""Every estimate of every installed task on next to no data: no interval leaves its bounds or claims certainty."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from probsense.interop.compare import compare
from probsense.tasks.judgments.measures.estimates import Settings
from probsense.tasks.registry import load_task, task_names, words_named
from support.sweeping import ANSWERS, asked, faults

PROBLEMS = ("Infer.trivial", "Consist.normal")


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Bootstraps of 50 draws, not 1,000: the bounds are those of each draw."""
    monkeypatch.setattr("probsense.tasks.judgments.measures.estimates.Settings", partial(Settings, draws=50))


def data_of(name: str, n: int, folder: Path) -> dict[str, Any]:
    """What a task needs, beside the number of items, to have something to compare answers with."""
    if name == "judgments":
        people = folder / "people.csv"
        rows = [f"{k},p{i},1,1" for k in range(n) for i in range(n + 1)]
        people.write_text("\n".join(["statement_id,person,q1,q2", *rows, ""]))
        statements = folder / "statements.csv"
        statements.write_text(
            "\n".join(["statement_id,statement", *(f"{k},Claim {k} holds." for k in range(n)), ""])
        )
        return {"data": statements, "humans": [people]}
    if name == "frames":
        file = folder / "frames.jsonl"
        frame = {"slot": "instrument", "clusters": {"tape": {"tape": 3}, "glue": {"glue": 2}}}
        file.write_text(
            "".join(
                json.dumps({"id": f"f{k}", "context": f"A box {k} is closed.", **frame}) + "\n"
                for k in range(n)
            )
        )
        return {"data": file, "answers": 2}
    # The smallest whole clusters have one item, but twins are two, and a WorldSense tuple is three trials.
    some = {"sizes": (3,), "problems": PROBLEMS} if name == "worldsense" else {}
    return {"limit": n * {"winogrande": 2, "worldsense": 3}.get(name, 1), **some}


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("name", task_names())
def test_no_interval_leaves_its_bounds_or_claims_certainty(name, n, tmp_path):
    options = data_of(name, n, tmp_path)
    words = words_named(name)
    for method in load_task(name, **options).methods:
        kinds = ANSWERS if method in ("sample", "stated") else (*ANSWERS, "random")
        runs = [asked(name, method, how, options) for how in kinds]
        for run in runs:
            assert run.summary()
            assert not [*faults(run.summary(), words)], run.model
    together = compare(*runs)
    assert not [*faults([*together.levels, *(one.estimate for one in together.differences)], words)]
