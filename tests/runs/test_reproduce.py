"""Recipes of runs: what they hold, what is refused, and what moved in runs that are asked once more."""

from __future__ import annotations

import base64
import json
import math
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.files import read
from probsense.models.small.random import load as random_model
from probsense.runs.reproduce import Figure, Recipe, recipe, recipes_in, reproduce


@pytest.fixture(scope="module")
def run():
    return ps.evaluate("winogrande", "random:1", limit=12, store=None, quiet=True)


def test_a_recipe_and_printed_results_tell_the_same(run, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"schema": 1, "runs": [run.to_json(), recipe(run).to_json()]}))
    first, second = recipes_in(path)
    assert first == second == recipe(run)
    assert run.to_json()["digest"] == recipe(run).to_json()["digest"]
    assert "started" not in json.dumps(recipe(run).to_json())


def test_a_page_holds_the_recipe_of_each_run(run, tmp_path, monkeypatch):
    monkeypatch.setattr("probsense.results.page.parts.page_svg", lambda chart: "<svg></svg>")
    other = ps.evaluate("winogrande", "random:2", limit=12, store=None, quiet=True)
    page = ps.report(tmp_path / "page.html", run, other)
    assert recipes_in(page) == [recipe(run), recipe(other)]
    assert f'data-file="recipe-{run.id[:8]}.json"' in page.read_text()


KEPT = Path(__file__).parents[1] / "fuzz" / "corpus" / "recipes"
"""A page and a recipe that the first schema wrote."""


@pytest.mark.parametrize("name", ["page.html", "recipe.json"])
def test_what_the_first_schema_wrote_is_read(name):
    (found,) = recipes_in(KEPT / name)
    told = (found.run.task, found.run.model, found.run.id)
    assert told == ("winogrande", "random:1", "55cb78557cdad24c7a1b200b525102bb")
    values = {one.by["view"]: one.value for one in found.estimates}
    assert values == pytest.approx({"partial": 0.5, "sum": 2 / 3, "token": 2 / 3})


def test_the_hash_of_a_folder_covers_names_and_contents(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    seen = set()
    for name, text in (("a", "1"), ("b", "1"), ("b", "2")):
        (folder / name).write_text(text)
        seen.add(read.named_files({"data": str(folder), "rule": "sum"})[str(folder)])
    assert len(seen) == 3
    monkeypatch.setattr(read, "LARGE", 0)
    assert read.named_files({"data": str(folder)})[str(folder)] not in seen


BAD = {
    "[]": "the document is []",
    '{"a": 1}': "task is missing",
    '{"runs": 3}': "runs is 3",
    '{"runs": []}': "at least one",
    '{"run": {}, "estimates": [], "task": "x"}': "run.id is missing",
    '{"run": 3, "estimates": [], "task": "x"}': "run is 3",
    "{": "line 1",
    "": "line 1",
    "<!doctype html><p>no page of ours": "a page without a recipe",
    '<script id="packed">AAAA</script>': "a page whose data is damaged",
    f'<script id="packed">{base64.b64encode(zlib.compress(b"[]")).decode()}</script>': "damaged",
}
NAN = {"measure": "a", "method": "b", "by": {}, "value": float("nan")}
CHANGED = {
    ("schema",): (2, "a recipe of schema 2; this version of ProbSense reads schema 1"),
    ("estimates",): ([], "the estimates are not those of its digest"),
    ("estimates", "0"): (NAN, "estimates[0].value is nan"),
    ("run", "version"): ("1", "run.version is"),
    ("run", "options"): (3, "run.options is 3"),
    ("run", "files"): ({"a": 3}, "run.files.a is 3"),
    ("run", "options", "thinking"): ({"chains": 1}, "no results of a run"),
}


@pytest.mark.parametrize("fault", [*BAD, *CHANGED])
def test_what_is_no_recipe_is_refused(run, tmp_path, fault):
    if isinstance(fault, str):
        text, said = fault, BAD[fault]
    else:
        value, said = CHANGED[fault]
        document = json.loads(json.dumps(recipe(run).to_json()))
        inside = document
        *keys, last = (int(key) if key.isdecimal() else key for key in fault)
        for key in keys:
            inside = inside[key]
        inside[last] = value
        text = json.dumps(document)
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"results\.json") as error:
        recipes_in(path)
    assert said in str(error.value)


SCHEMAS = [
    {"sentence": f"The {a} did not fit into the {b} because the _ was too large.", "option1": a, "option2": b,
     "answer": str(i % 2 + 1), "qID": f"q{i}"}
    for i, (a, b) in enumerate([("chair", "van"), ("harp", "case"), ("boot", "box"), ("lamp", "crate")])
]  # fmt: skip


def write(path: Path) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in SCHEMAS))
    return path


def asked(task: str = "winogrande", **options: object) -> ps.Run:
    return ps.evaluate(task, "random:1", store=None, quiet=True, **options)


@pytest.mark.parametrize("task", ["winogrande", "worldsense", "judgments", "choices"])
def test_the_same_run_gives_the_same_figures(task):
    (found,) = reproduce(asked(task, limit=12), quiet=True)
    assert found.same
    assert found.differences == []
    assert found.counts == {**dict.fromkeys(found.counts, 0), "equal": len(found.run.results.estimates)}


def test_another_model_moves_figures_and_is_said(tmp_path):
    (found,) = reproduce(recipe(asked(limit=30)), "random:2", quiet=True)
    assert not found.same
    assert found.differences == ["model: seed was 1, and is 2"]
    assert found.counts["interval"] + found.counts["apart"] == len(found.figures)
    assert str(found).startswith("winogrande, random:2: 0 of ")


def test_a_changed_file_is_said(tmp_path):
    data = write(tmp_path / "schemas.jsonl")
    known = recipe(asked(data=str(data)))
    SCHEMAS.append({**SCHEMAS[0], "qID": "more"})
    try:
        write(data)
    finally:
        SCHEMAS.pop()
    (found,) = reproduce(known, quiet=True)
    assert found.differences == [f"{data} has other content"]
    write(data)
    (found,) = reproduce(known, quiet=True)
    assert found.differences == []
    data.unlink()
    with pytest.raises(InputError, match=r"schemas\.jsonl"):
        reproduce(known, quiet=True)


def test_a_file_of_another_machine_may_lie_in_the_working_folder(tmp_path, monkeypatch):
    there = tmp_path / "there"
    there.mkdir()
    known = recipe(asked(data=str(write(there / "schemas.jsonl"))))
    monkeypatch.chdir(tmp_path)
    (there / "schemas.jsonl").rename("schemas.jsonl")
    (found,) = reproduce(known, quiet=True)
    assert found.same
    assert found.differences == []
    Path("schemas.jsonl").write_text(json.dumps(SCHEMAS[0]))
    with pytest.raises(InputError, match="no such file"):
        reproduce(known, quiet=True)


def test_other_weights_and_versions_are_said():
    known = recipe(asked(limit=12))
    details = {**known.run.details, "weights": "ab", "versions": {"torch": "1.0"}}
    other = changed_run(known, details=details, versions={**known.run.versions, "numpy": "1.0"})
    (found,) = reproduce(other, quiet=True)
    assert found.differences[:2] == [
        "model: weights was 'ab', and is not recorded",
        "model: versions torch was '1.0', and is not recorded",
    ]
    assert found.differences[2].startswith("version: numpy was '1.0', and is ")


def changed_run(known: Recipe, **facts: Any) -> Recipe:
    return replace(known, run=replace(known.run, **facts))


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
def test_verdicts(before, after, verdict):
    assert Figure(before, after).verdict == verdict


def test_a_file_cannot_choose_a_server_or_let_code_run():
    known = changed_run(
        recipe(asked(limit=12)), model="openai:x", details={"base_url": "http://127.0.0.1:9/v1"}
    )
    with pytest.raises(InputError, match=r"base_url 'http://127\.0\.0\.1:9/v1', which a file cannot choose"):
        reproduce(known, quiet=True)
    known = changed_run(known, model="hf:x", details={"trust_remote_code": True})
    with pytest.raises(InputError, match="trust_remote_code"):
        reproduce(known, quiet=True)


def test_a_model_object_takes_the_place_of_the_recorded_one():
    known = recipe(asked(limit=12).renamed("mine"))
    assert known.run.model == "random:1"
    (found,) = reproduce(known, quiet=True)
    assert found.same
    assert not found.differences
    unknown = changed_run(known, details={"given as": "mine"})
    with pytest.raises(InputError, match="no such kind of model: 'mine'"):
        reproduce(unknown, quiet=True)
    assert reproduce(unknown, random_model("1"), quiet=True)[0].same
