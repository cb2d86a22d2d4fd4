"""Runs asked once more: what is equal, what moved, and what was not as before."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.models.small.random import load as random_model
from probsense.runs.recipes.recipe import recipe as recipe_of
from probsense.runs.recipes.reproduce import Figure, ask_again, reproduce

SCHEMAS = [
    {"sentence": f"The {a} did not fit into the {b} because the _ was too large.", "option1": a, "option2": b,
     "answer": str(i % 2 + 1), "qID": f"q{i}"}
    for i, (a, b) in enumerate([("chair", "van"), ("harp", "case"), ("boot", "box"), ("lamp", "crate")])
]  # fmt: skip


def write(path: Path) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in SCHEMAS))
    return path


def asked(task: str = "winogrande", **options: object) -> ps.Run:
    return ps.evaluate(task, "random:1", store=None, quiet=True, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("task", ["winogrande", "worldsense", "judgments", "choices"])
def test_the_same_run_gives_the_same_figures(task: str) -> None:
    (found,) = reproduce(asked(task, limit=12), quiet=True)
    assert found.same
    assert found.differences == []
    assert found.counts == {**dict.fromkeys(found.counts, 0), "equal": len(found.run.results.estimates)}


def test_another_model_moves_figures_and_is_said(tmp_path: Path) -> None:
    found = ask_again(recipe_of(asked(limit=30)), "random:2", quiet=True)
    assert not found.same
    assert found.differences == ["model: seed was 1, and is 2"]
    assert found.counts["interval"] + found.counts["apart"] == len(found.figures)
    assert str(found).startswith("winogrande, random:2: 0 of ")


def test_a_changed_file_is_said(tmp_path: Path) -> None:
    data = write(tmp_path / "schemas.jsonl")
    recipe = recipe_of(asked(data=str(data)))
    assert list(recipe.files) == [str(data)]
    SCHEMAS.append({**SCHEMAS[0], "qID": "more"})
    try:
        write(data)
    finally:
        SCHEMAS.pop()
    found = ask_again(recipe, quiet=True)
    assert found.differences == [f"{data} has other content", "the questions are others"]
    write(data)
    found = ask_again(recipe, quiet=True)
    assert found.differences == []
    data.unlink()
    with pytest.raises(InputError, match=r"schemas\.jsonl"):
        ask_again(recipe, quiet=True)


def test_a_file_of_another_machine_may_lie_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    recipe = recipe_of(asked(data=str(write(there / "schemas.jsonl"))))
    monkeypatch.chdir(tmp_path)
    (there / "schemas.jsonl").rename("schemas.jsonl")
    found = ask_again(recipe, quiet=True)
    assert found.same
    assert found.differences == []
    Path("schemas.jsonl").write_text(json.dumps(SCHEMAS[0]))
    with pytest.raises(InputError, match="no such file"):
        ask_again(recipe, quiet=True)


def test_other_weights_and_versions_are_said() -> None:
    recipe = recipe_of(asked(limit=12))
    details = {**recipe.details, "weights": "ab", "versions": {"torch": "1.0"}}
    found = ask_again(
        replace(recipe, details=details, versions={**recipe.versions, "numpy": "1.0"}), quiet=True
    )
    assert found.differences[:2] == [
        "the model has other weights",
        "model: versions torch was '1.0', and is not recorded",
    ]
    assert found.differences[2].startswith("version: numpy was '1.0', and is ")


def estimate(value: float, low: float = math.nan, high: float = math.nan) -> Estimate:
    return Estimate("accuracy", {}, value, 0.1, low, high, 0.95, 10, 10, "clustered")


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (estimate(0.5), estimate(0.5), "equal"),
        (estimate(0.5, 0.4, 0.6), estimate(0.5, 0.4, 0.60001), "rounding"),
        (estimate(0.5, 0.4, 0.6), estimate(0.55, 0.4, 0.6), "interval"),
        (estimate(0.5, 0.4, 0.6), estimate(0.61, 0.4, 0.6), "apart"),
        (estimate(0.5), estimate(0.6), "apart"),
        (estimate(0.5), None, "missing"),
        (None, estimate(0.5), "missing"),
    ],
)
def test_verdicts(before: Estimate | None, after: Estimate | None, verdict: str) -> None:
    assert Figure(before, after).verdict == verdict


def test_a_file_cannot_choose_a_server_or_let_code_run() -> None:
    recipe = replace(
        recipe_of(asked(limit=12)), model="openai:x", details={"base_url": "http://127.0.0.1:9/v1"}
    )
    with pytest.raises(
        InputError, match=r"--base-url 'http://127\.0\.0\.1:9/v1', which a file cannot choose"
    ):
        ask_again(recipe, quiet=True)
    recipe = replace(recipe, model="hf:x", details={"trust_remote_code": True})
    with pytest.raises(InputError, match="--trust-remote-code"):
        ask_again(recipe, quiet=True)


def test_a_model_object_takes_the_place_of_the_recorded_one() -> None:
    recipe = recipe_of(asked(limit=12).renamed("mine"))
    assert recipe.model == "random:1"
    found = ask_again(recipe, quiet=True)
    assert found.same
    assert not found.differences
    unknown = replace(recipe, details={"given as": "mine"})
    with pytest.raises(InputError, match="does not say how to load it"):
        ask_again(unknown, quiet=True)
    assert ask_again(unknown, random_model("1"), quiet=True).same
