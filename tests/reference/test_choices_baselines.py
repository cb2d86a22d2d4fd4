"""People's choices of published data against figures of independent code, and distances that were published."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probsense.analysis.human_choices import halves
from probsense.analysis.human_choices.floors import FLOORS
from probsense.analysis.human_choices.measures import MEASURES, Distributions, distributions, entropy, uniform
from support.choices import Floats, padded

pytestmark = pytest.mark.reference

NAMES = {
    "tv": "total_variation",
    "js_nats": "js",
    "sqrt_js_nats": "root_js",
    "kl_people_uniform": "kl",
    "brier": "squared",
    "brier_corrected": "squared_corrected",
}
DATA = ("chaosnli-alphanli", "chaosnli-snli", "pap (1 2 4 5)")


@pytest.fixture(scope="module")
def folder(reference_data: Path) -> Path:
    return reference_data / "choices"


@pytest.fixture(scope="module")
def counts(folder: Path) -> Mapping[str, Floats]:
    def chaosnli(name: str) -> Floats:
        with gzip.open(folder / "chaosnli" / f"chaosNLI_{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            return np.array([json.loads(line)["label_count"] for line in lines], dtype=np.float64)

    with (folder / "pap" / "dataset.tsv").open(encoding="utf-8") as file:
        ratings = [json.loads(row["rating"]) for row in csv.DictReader(file, delimiter="\t")]
    pap = np.array([[own.count(k) for k in (1, 2, 4, 5)] for own in ratings], dtype=np.float64)
    return dict(zip(DATA, (chaosnli("alphanli"), chaosnli("snli"), pap), strict=True))


@pytest.fixture(scope="module")
def expected(folder: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(
        (folder / "expected" / "baselines.json").read_text(encoding="utf-8")
    )
    return found


def means(pair: Distributions, names: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(MEASURES[NAMES[name]].function(pair).mean()) for name in names if name in NAMES}


@pytest.mark.parametrize("name", DATA)
def test_people_and_baselines(name: str, counts: Mapping[str, Floats], expected: Mapping[str, Any]) -> None:
    own, figures = counts[name], expected[name]
    level = distributions(own, uniform(~np.isnan(own)))
    assert len(own) == figures["items"]
    assert (level.people.min(), level.people.max()) == (figures["people_min"], figures["people_max"])
    assert entropy(level.p).mean() == pytest.approx(figures["entropy_nats"], abs=1e-12)
    majority = MEASURES["majority_share"].function(level).mean()
    assert majority == pytest.approx(figures["majority_share"], abs=1e-12)
    known = {key: value for key, value in figures["uniform"].items() if key in NAMES}
    assert means(level, known) == pytest.approx(known, abs=1e-12)
    root_in_bits = figures["uniform"]["sqrt_js_base2"] * np.sqrt(np.log(2))
    assert means(level, known)["sqrt_js_nats"] == pytest.approx(root_in_bits, abs=1e-12)
    top = distributions(own, np.eye(own.shape[1])[own.argmax(axis=1)])
    assert means(top, figures["majority"]) == pytest.approx(figures["majority"], abs=1e-12)


@pytest.mark.parametrize("name", DATA)
def test_one_half_of_the_people_against_the_other(
    name: str, counts: Mapping[str, Floats], expected: Mapping[str, Any]
) -> None:
    """The figures come from 200 random halves of each question, ours from all."""
    own, figures = counts[name], expected[name]["halves_monte_carlo_200"]
    pair = distributions(own, uniform(~np.isnan(own)))
    assert halves.squared(pair).mean() == pytest.approx(figures["brier_exact"], abs=1e-12)
    for key in ("tv", "js_nats"):
        assert halves.HALVES[NAMES[key]](pair).mean() == pytest.approx(figures[key], rel=3e-3)


def test_the_chance_row_of_chaosnli(counts: Mapping[str, Floats]) -> None:
    for name, printed in (("chaosnli-alphanli", (0.3205, 0.406)), ("chaosnli-snli", (0.3829, 0.545))):
        own = counts[name]
        found = means(
            distributions(own, uniform(~np.isnan(own))), {"sqrt_js_nats": 0, "kl_people_uniform": 0}
        )
        assert tuple(found.values()) == pytest.approx(printed, abs=6e-4)


def test_few_people_lie_farther_from_others_than_from_uniform(counts: Mapping[str, Floats]) -> None:
    """The plug-in distances rank the uniform distribution above people; the corrected one does not."""
    own = counts["pap (1 2 4 5)"]
    level = distributions(own, uniform(~np.isnan(own)))
    assert MEASURES["squared"].function(level).mean() < FLOORS["squared"](level).mean()
    assert MEASURES["squared_corrected"].function(level).mean() > 0.06


def test_published_total_variations(folder: Path) -> None:
    figures = json.loads((folder / "expected" / "alignment_tv.json").read_text(encoding="utf-8"))
    found = {}
    for model in ("gpt-4", "llama3-70b"):
        with gzip.open(folder / "alignment" / f"{model}.json.gz", "rt", encoding="utf-8") as file:
            for part in json.load(file):
                sides = [
                    padded(
                        [[own[side][k] for k in sorted(own["people"])] for own in part["questions"].values()]
                    )
                    for side in ("people", "model")
                ]
                key = (model, *(part[k] for k in ("dataset", "output", "group", "demographic")))
                pair = distributions(sides[0], sides[1], people=np.nan)
                found[key] = float(MEASURES["total_variation"].function(pair).mean())
    keys = ("model", "dataset", "output", "group", "demographic")
    expected = {tuple(row[k] for k in keys): row["mean_tv"] for row in figures}
    assert len(expected) == 78
    assert found == pytest.approx(expected, abs=1e-12)
