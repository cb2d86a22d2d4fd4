"""Comparisons of runs: the scores on which they rest, and their tables."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import probsense as ps
from probsense.analysis.comparison.compare import Comparison, compare_scores
from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError
from probsense.results.comparisons import comparison_tables, run_scores
from probsense.show.measure import ENDS


def compared(models: int, measure: str = "accuracy", **options: object) -> Comparison:
    rng = np.random.default_rng(2)
    names = pl.Series("item", [f"i{k}" for k in range(30)])
    parts = pl.Series("part", ["p", "q"] * 15)
    text = pl.lit("two\nlines and <b>a\x1b[31m colour</b>").alias("text")
    items = pl.select(names, names.alias("cluster"), parts, text)
    right = [pl.DataFrame({measure: (rng.random(30) < 0.2 + 0.3 * i) * 1.0}) for i in range(models)]
    sources = [Scores(f"m{i}", "", "", "toy", items, scores) for i, scores in enumerate(right)]
    return compare_scores(sources, **options)


def test_texts_of_items_cannot_steer_the_terminal():
    *_, changes = comparison_tables(compared(2))
    assert changes.rows[0][-1].startswith("two lines and <b>a\ufffd[31m")


def test_three_models_have_ranks_and_groups():
    levels, apart, *_ = comparison_tables(compared(3), ENDS)
    assert levels.columns == ("Model", "Accuracy in %", "Rank (95 % interval)", "Group")
    assert levels.rows[0][2].startswith("1 (1–")
    assert levels.rows[0][3][0] == "a"
    assert "p (Holm)" in apart.columns
    assert "[" in apart.rows[0][1]


def test_many_pairs_do_not_fill_the_terminal():
    assert len(comparison_tables(compared(4))) == 2
    assert len(compared(4).changes) > 0


def test_a_measure_without_a_better_keeps_the_order():
    levels, *_ = comparison_tables(compared(3, "bias", sign=lambda measure: 0))
    assert levels.columns == ("Model", "Bias")
    assert [row[0] for row in levels.rows] == ["m0", "m1", "m2"]


def test_items_without_an_answer_are_told():
    run = ps.evaluate("winogrande", "random:1", limit=10, store=None, quiet=True)
    part = replace(run, outcome=replace(run.outcome, items=run.outcome.items[:8]))
    found = run_scores(part)
    assert found.items.height == 8
    assert found.notes == ("2 of 10 items have no answer",)
    with pytest.raises(InputError, match="unlike items"):
        ps.compare(part, run_scores(ps.evaluate("winogrande", "random:2", limit=10, store=None, quiet=True)))


def test_levels_stand_beside_chance_and_the_shortcut_ceiling_of_their_items():
    options = {"sizes": (4,), "problems": ("Infer.normal",), "store": None, "quiet": True}
    runs = [ps.evaluate("worldsense", model, **options) for model in ("random:1", "random:2")]
    found = compare_scores([run_scores(run) for run in runs])
    overall = next(e for e in runs[0].summary() if e.method == "stratified" and "problem" not in e.by)
    for level in found.levels:
        assert level.chance == 0.5
        assert level.shortcut_ceiling == overall.shortcut_ceiling
    (table, *_) = comparison_tables(found)
    assert ("Chance", "50.0") in table.rows
    assert table.rows[-1][0] == "Shortcut ceiling"
    fewer = ps.evaluate("worldsense", "random:1", limit=60, **options)
    some = compare_scores([run_scores(fewer), run_scores(runs[1])], intersection=True)
    assert all(math.isnan(level.shortcut_ceiling) for level in some.levels)
