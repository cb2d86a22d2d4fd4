"""CITATION.cff is what citation tools can read, and it, codemeta.json and the recipe say what pyproject.toml says."""

import json
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_it_has_the_keys_that_the_format_requires_and_agrees_with_the_package():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["message"]
    for work in (CITATION, *CITATION["references"]):
        assert work["title"], work
        assert all("name" in who or {"family-names", "given-names"} <= {*who} for who in work["authors"])
    assert all(work["type"] and isinstance(work["year"], int) for work in CITATION["references"])
    assert (CITATION["type"], CITATION["title"].lower()) == ("software", PROJECT["name"])
    for name in ("version", "license", "keywords"):
        assert CITATION[name] == PROJECT[name]


def test_codemeta_and_the_recipe_of_conda_agree_with_the_package():
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
