"""Recipes of runs: what they hold, where they are read from, and what is refused."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.files import file_hash, named_files, read
from probsense.runs.recipes.recipe import recipe, recipes_in


@pytest.fixture(scope="module")
def run() -> ps.Run:
    return ps.evaluate("winogrande", "random:1", limit=12, store=None, quiet=True)


def changed(run: ps.Run, *keys: str, to: object) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(recipe(run).to_json()))
    inside = document
    for key in keys[:-1]:
        inside = inside[key]
    inside[keys[-1]] = to
    return document


def test_a_recipe_and_printed_results_tell_the_same(run: ps.Run, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"schema": 1, "runs": [run.to_json(), recipe(run).to_json()]}))
    first, second = recipes_in(path)
    assert first == second == recipe(run)
    assert run.to_json()["digest"] == recipe(run).to_json()["digest"]
    assert "started" not in json.dumps(recipe(run).to_json())


def test_a_page_holds_the_recipe_of_each_run(run: ps.Run, tmp_path: Path) -> None:
    other = ps.evaluate("winogrande", "random:2", limit=12, store=None, quiet=True)
    page = ps.report(tmp_path / "page.html", run, other)
    assert recipes_in(page) == [recipe(run), recipe(other)]
    assert f'data-file="recipe-{run.id[:8]}.json"' in page.read_text()


KEPT = Path(__file__).parents[2] / "fuzz" / "corpus" / "recipes"
"""A page and a recipe that the first schema wrote."""


@pytest.mark.parametrize("name", ["page.html", "recipe.json"])
def test_what_the_first_schema_wrote_is_read(name: str) -> None:
    (found,) = recipes_in(KEPT / name)
    assert (found.task, found.model, found.id) == (
        "winogrande",
        "random:1",
        "55cb78557cdad24c7a1b200b525102bb",
    )
    assert [(one.by["view"], one.value) for one in found.estimates] == [
        ("partial", 0.5),
        ("sum", pytest.approx(2 / 3)),
        ("token", pytest.approx(2 / 3)),
    ]


def test_a_run_shown_under_another_name_has_the_recipe_of_its_model(run: ps.Run) -> None:
    assert recipe(run.renamed("random:1 (run first)")) == recipe(run)


def test_files_are_hashed_once_when_a_run_begins(tmp_path: Path) -> None:
    data, store = tmp_path / "schemas.jsonl", tmp_path / "a.db"
    schema = {"sentence": "The _ fell.", "option1": "cup", "option2": "jar", "answer": "1", "qID": "a"}
    data.write_text(json.dumps(schema))
    found = ps.evaluate("winogrande", "random:1", data=str(data), store=store, quiet=True)
    sha = file_hash(data)
    data.unlink()
    assert recipe(found).files == recipe(ps.load_run(found.id, store=store)).files == {str(data): sha}


def test_only_options_that_are_paths_are_files_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in ("published", "sum", "test"):
        (tmp_path / word).mkdir()
    frames = ps.evaluate("frames", "random:1", style="published", limit=2, store="a.db", quiet=True)
    fresh = ps.evaluate("worldsense", "random:1", skins="test", limit=4, store="a.db", quiet=True)
    assert frames.record.files == fresh.record.files == {}


def test_the_hash_of_a_folder_covers_names_and_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    seen = set()
    for name, text in (("a", "1"), ("b", "1"), ("b", "2")):
        (folder / name).write_text(text)
        seen.add(named_files({"data": str(folder), "rule": "sum"})[str(folder)])
    assert len(seen) == 3
    monkeypatch.setattr(read, "LARGE", 0)
    assert named_files({"data": str(folder)})[str(folder)] not in seen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "the document is []"),
        ('{"a": 1}', "task is missing"),
        ('{"runs": 3}', "runs is 3"),
        ('{"runs": []}', "at least one"),
        ('{"run": {}, "estimates": [], "task": "x"}', "run.id is missing"),
        ('{"run": 3, "estimates": [], "task": "x"}', "run is 3"),
        ("{", "line 1"),
        ("", "line 1"),
        ("<!doctype html><p>no page of ours", "a page without a recipe"),
        ('<script id="packed">AAAA</script>', "a page whose data is damaged"),
        (f'<script id="packed">{base64.b64encode(zlib.compress(b"[]")).decode()}</script>', "damaged"),
    ],
)
def test_what_is_no_recipe_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"results\.json") as error:
        recipes_in(path)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("keys", "value", "said"),
    [
        (("schema",), 2, "a recipe of schema 2; this version of ProbSense reads schema 1"),
        (("estimates",), [], "the estimates are not those of its digest"),
        (
            ("estimates",),
            [{"measure": "a", "method": "b", "by": {}, "value": float("nan")}],
            "no results of a run",
        ),
        (("estimates",), [{"measure": 3}], r"estimates\[0\]\.measure is 3"),
        (("run", "version"), "1", "run.version is"),
        (("run", "options"), 3, "run.options is 3"),
        (("run", "files"), {"a": 3}, "run.files.a is 3"),
        (("run", "options", "thinking"), {"chains": 1}, "no results of a run"),
    ],
)
def test_a_recipe_with_another_value_is_refused(
    run: ps.Run, tmp_path: Path, keys: tuple[str, ...], value: object, said: str
) -> None:
    path = tmp_path / "recipe.json"
    document = changed(run, *keys, to=value)
    if value:
        del document["digest"]
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=said):
        recipes_in(path)
