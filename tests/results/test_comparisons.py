from __future__ import annotations

import numpy as np
import polars as pl

from probsense.analysis.comparison.compare import Comparison, compare_scores
from probsense.analysis.comparison.scores import Scores
from probsense.results.comparisons import comparison_tables
from probsense.show.measure import ENDS


def compared(models: int, measure: str = "accuracy", **options: object) -> Comparison:
    rng = np.random.default_rng(2)
    n = 30
    items = pl.DataFrame(
        {
            "item": [f"i{k}" for k in range(n)],
            "cluster": [f"c{k}" for k in range(n)],
            "part": [("p", "q")[k % 2] for k in range(n)],
            "text": ["two\nlines and <b>a\x1b[31m colour</b>"] * n,
        }
    )
    sources = [
        Scores(
            f"m{i}",
            "",
            "",
            "toy",
            items,
            pl.DataFrame({measure: (rng.random(n) < 0.2 + 0.3 * i).astype(float)}),
        )
        for i in range(models)
    ]
    return compare_scores(sources, **options)  # type: ignore[arg-type]


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
