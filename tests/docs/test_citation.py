"""CITATION.cff is what citation tools can read, and it, codemeta.json and the recipe say what pyproject.toml says."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def citation() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    return found


def test_it_has_the_keys_that_the_format_requires(citation: Mapping[str, Any]) -> None:
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"]
    for work in (citation, *citation["references"]):
        assert work["title"], work
        assert work["authors"], work
        assert all("name" in who or {"family-names", "given-names"} <= {*who} for who in work["authors"]), (
            work
        )
    assert all(work["type"] and isinstance(work["year"], int) for work in citation["references"])


def test_it_agrees_with_the_package(citation: Mapping[str, Any]) -> None:
    assert (citation["type"], citation["title"].lower()) == ("software", PROJECT["name"])
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert citation["keywords"] == PROJECT["keywords"]


def test_codemeta_and_the_recipe_of_conda_agree_with_the_package() -> None:
    known = json.loads((ROOT / "codemeta.json").read_text())
    assert (known["name"].lower(), known["version"]) == (PROJECT["name"], PROJECT["version"])
    assert (known["description"], known["keywords"]) == (PROJECT["description"], PROJECT["keywords"])
    assert known["license"].endswith(f"/{PROJECT['license']}")
    assert known["runtimePlatform"] == f"Python {PROJECT['requires-python']}"
    recipe = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text())
    assert recipe["context"]["version"] == PROJECT["version"]
    needs = [one.replace(" ", "") for one in recipe["requirements"]["run"]]
    wanted = [f"python{PROJECT['requires-python']}", *map(str.lower, PROJECT["dependencies"])]
    assert needs == wanted
    entries = [f"{name} = {what}" for name, what in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entries


def test_every_task_has_something_to_cite_that_can_be_found(citation: Mapping[str, Any]) -> None:
    works = citation["references"]
    for task in PROJECT["entry-points"]["probsense.tasks"]:
        assert any(re.search(rf"\b{task}\b", work["scope"]) for work in works), task
    for work in works:
        arxiv = [one["value"] for one in work.get("identifiers", ()) if one["value"].startswith("arXiv:")]
        assert work.get("doi", "").startswith("10.") or arxiv, work["title"]
        if arxiv:
            assert work["url"] == f"https://arxiv.org/abs/{arxiv[0].removeprefix('arXiv:')}"
