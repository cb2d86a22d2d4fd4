"""Shortcut ceilings beside accuracies: where they come from, and how they are averaged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import SIZES, Design
from probsense.tasks.worldsense.measures.accuracy import estimates
from probsense.tasks.worldsense.measures.shortcuts import (
    ENOUGH,
    Score,
    ceiling_notes,
    design_ceilings,
    folder_ceilings,
)
from probsense.tasks.worldsense.questions.format import PROBLEMS
from probsense.tasks.worldsense.text.skin_files import load_skins
from probsense.tasks.worldsense.verbs import audit_shortcuts
from questions.ceilings import ceiling

SKINS = load_skins("test")[:2]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def design(seed: int = 0, regime: str = PUBLISHED, tuples: int = 1) -> Design:
    return Design(seed, (3, 4), ("Infer.normal",), tuples, SKINS, regime)


def test_a_set_has_the_ceilings_of_its_audit_where_it_has_enough_tuples(tmp_path: Path, kept: Path) -> None:
    folder = tmp_path / "set"
    write_testset(folder, design(tuples=9))  # 108 tuples of each size
    cells = {(cell.problem, cell.size): cell.ceiling for cell in audit_shortcuts(folder).cells}
    assert all(score.tuples >= ENOUGH for score in cells.values())
    assert folder_ceilings(folder) == folder_ceilings(folder) == cells
    write_testset(tmp_path / "small", design(tuples=8))
    assert folder_ceilings(tmp_path / "small") == {}


def test_a_fresh_set_has_the_ceilings_of_its_regime() -> None:
    found, matched = design_ceilings(design()), design_ceilings(design(regime="matched"))
    assert found["Infer.normal", 3].value == matched["Infer.normal", 3].value == 1
    assert found["Infer.normal", 4].value == pytest.approx(0.886, abs=0.05)  # docs/worldsense.md
    assert matched["Infer.normal", 4].value < 0.55
    # Of twelve things and one more, the test skins have no names.
    assert {*found} == {*matched} == {*product(PROBLEMS, SIZES)} - {("Compl.trivial", 12)}
    assert design_ceilings(Design(problems=("Infer.normal",), depths=(2,))) == {}


@pytest.mark.parametrize(
    ("regime", "problem", "size"), [("matched", "Compl.normal", 4), ("published", "Infer.extrema", 3)]
)
def test_ceilings_of_fresh_sets_are_as_measured(regime: str, problem: str, size: int) -> None:
    assert ceiling(regime, problem, size) == design_ceilings(Design(regime=regime))[problem, size]


def test_notes_say_where_a_ceiling_is_missing() -> None:
    known = {("Infer.normal", 3): Score(1.0, 0.0, 200)}
    assert ceiling_notes({}, []) == []
    (missing,) = ceiling_notes({}, known)
    assert (
        missing
        == "no shortcut ceiling is known: it takes 100 tuples of a problem and size whose texts are understood"
    )
    assert ceiling_notes(known, known) == []
    (left,) = ceiling_notes(known, [*known, ("Compl.normal", 4), ("Infer.normal", 5), ("Infer.normal", 4)])
    assert "of Infer.normal of size 4, 5; Compl.normal of size 4: it takes 100" in left


def table(cells: Mapping[tuple[str, int], Score]) -> pl.DataFrame:
    """Make the answers of a model that always says TRUE, two tuples in each cell."""
    names = ("model", "prompting", "key", "tuple_id", "problem", "size", "expected_len", "gold", "resp")
    rows = [
        ("m", "options", f"{cell}{k}{gold}", f"{cell}{k}", *cell, 2, gold, "TRUE")
        for cell in cells
        for k in range(2)
        for gold in ("TRUE", "FALSE")
    ]
    return pl.DataFrame(rows, schema=names, orient="row")


CELLS = st.dictionaries(
    st.tuples(st.sampled_from(["Infer.normal", "Infer.trivial", "Infer.extrema"]), st.integers(3, 6)),
    st.builds(Score, st.floats(0.5, 1), st.floats(0, 0.1), st.just(ENOUGH)),
    min_size=1,
)


@given(CELLS)
def test_the_ceiling_of_an_average_is_the_average_of_ceilings(cells: dict[tuple[str, int], Score]) -> None:
    for e in estimates(table(cells), cells):
        if e.measure != "accuracy":
            assert math.isnan(e.shortcut_ceiling)
            continue
        own = [
            (problem, score)
            for (problem, size), score in cells.items()
            if problem == e.by.get("problem", problem) and size == e.by.get("size", size)
        ]
        problems = {problem for problem, _ in own}
        weights = [1 / len(problems) / [name for name, _ in own].count(problem) for problem, _ in own]
        value = sum(w * score.value for w, (_, score) in zip(weights, own, strict=True))
        error = math.hypot(*(w * score.stderr for w, (_, score) in zip(weights, own, strict=True)))
        assert e.shortcut_ceiling == pytest.approx(value)
        assert e.shortcut_stderr == pytest.approx(error)


def test_an_average_over_a_cell_without_a_ceiling_has_none() -> None:
    cells = {("Infer.normal", 3): Score(1.0, 0.0, 100), ("Infer.normal", 4): Score(0.9, 0.01, 100)}
    found = estimates(table(cells), {("Infer.normal", 4): cells["Infer.normal", 4]})
    known = {e.by.get("size") for e in found if not math.isnan(e.shortcut_ceiling)}
    assert known == {4}
