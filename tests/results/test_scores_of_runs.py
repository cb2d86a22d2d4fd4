from __future__ import annotations

import math
from typing import Any

import pytest

import probsense as ps
from probsense.analysis.comparison.compare import compare_scores
from probsense.core.errors import InputError
from probsense.results.comparisons import comparison_tables, run_scores


def test_worldsense_has_the_figures_over_skins_and_forms():
    run = ps.evaluate("worldsense", "random:3", sizes=(5,), store=None, quiet=True)
    found = ps.compare(
        run, run_scores(ps.evaluate("worldsense", "oracle:", sizes=(5,), store=None, quiet=True))
    )
    known = {
        e.by.get("problem"): e
        for e in run.summary()
        if (e.measure, e.method) == ("accuracy", "over forms") and "skin" not in e.by
    }
    level = next(e for e in found.levels if e.by["model"] == "random:3")
    for mine, theirs in ((level.value, known[None].value), (level.stderr, known[None].stderr)):
        assert mine == pytest.approx(theirs, abs=1e-12)
    for one in found.by_part:
        value = one.estimate.value + 1  # the oracle has 1
        assert value == pytest.approx(known[str(one.estimate.by["part"])].value, abs=1e-12)
    assert found.aligned[0].items["text"].null_count() == 0


def test_items_without_an_answer_are_told(tmp_path):
    run = ps.evaluate("winogrande", "random:1", limit=10, store=None, quiet=True)
    from dataclasses import replace

    part = replace(run, outcome=replace(run.outcome, items=run.outcome.items[:8]))
    found = run_scores(part)
    assert found.items.height == 8
    assert found.notes == ("2 of 10 items have no answer",)
    with pytest.raises(InputError, match="unlike items"):
        ps.compare(part, run_scores(ps.evaluate("winogrande", "random:2", limit=10, store=None, quiet=True)))


def test_levels_stand_beside_chance_and_the_shortcut_ceiling_of_their_items():
    options: dict[str, Any] = {"sizes": (4,), "problems": ("Infer.normal",), "store": None, "quiet": True}
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
