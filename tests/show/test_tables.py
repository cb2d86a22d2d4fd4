from __future__ import annotations

import io
import math
import re
import subprocess
import sys
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from probsense.analysis.inference.estimate import Estimate
from probsense.show import tables
from probsense.show.measure import ABSENT, ACCURACY, PERCENT, Measure, Unit
from probsense.show.tables import OVERALL, print_tables, transpose
from probsense.show.words import Table, Words

WORDS = Words(
    title="Quiz",
    measures={
        "accuracy": ACCURACY,
        "bias": Measure("Bias", unit=Unit(digits=2)),
        "gap": Measure("Gap", unit=PERCENT),
    },
    parts=("confidence", "problem", "view"),
)

PROBLEMS = tuple(f"{kind}.{way}" for kind in ("Infer", "Consist", "Compl") for way in ("trivial", "normal"))


def estimate(value: float, half: float = 0.01, measure: str = "accuracy", method: str = "published", **by):
    return Estimate(measure, by, value, half / 1.96, value - half, value + half, 0.95, 9, 9, method)


def results(models=("builtin:tiny", "random", "oracle:"), promptings=("basic",)) -> list[Estimate]:
    made = []
    for measure in ("bias", "accuracy"):
        for prompting in promptings:
            for i, model in enumerate(models):
                who = {"model": model, "prompting": prompting}
                for j, problem in enumerate(PROBLEMS):
                    value = 0.5 + 0.01 * i + 0.001 * j
                    made.append(estimate(value, measure=measure, problem=problem, **who))
                    made.append(estimate(value, measure=measure, problem=problem, size=3, **who))
                made.append(estimate(0.6 + 0.01 * i, measure=measure, **who))
    return made


def pivot(estimates: list[Estimate], measure: str, method: str = "published") -> Table:
    return tables.pivot(estimates, measure, method, WORDS)


def printed(shown: list[Table], width: int) -> str:
    stream = io.StringIO()
    print_tables(Console(file=stream, width=width), shown)
    return stream.getvalue()


def test_overall_comes_first_then_the_problems_as_given():
    table = pivot(results(), "accuracy")
    assert table.columns == ("Model", OVERALL, *PROBLEMS)
    assert table.heads == 1
    assert [row[0] for row in table.rows] == ["builtin:tiny", "random", "oracle:"]
    assert table.rows[1][:3] == ("random", "61.0 (1.0)", "51.0 (1.0)")
    assert "95 %" in table.title
    assert "published" in table.title


def test_finer_estimates_and_other_methods_are_left_out():
    given_estimates = [
        estimate(0.5, model="m", problem="p"),
        estimate(0.9, model="m", problem="p", size=4),
        estimate(0.8, model="m", problem="p", method="stratified"),
    ]
    assert pivot(given_estimates, "accuracy").rows == (("m", "50.0 (1.0)"),)


def test_transposing_swaps_models_and_problems():
    table = transpose(pivot(results(promptings=("basic", "COT")), "accuracy"))
    assert table.columns == (
        "Problem",
        *(f"{model} · {p}" for p in ("basic", "COT") for model in ("builtin:tiny", "random", "oracle:")),
    )
    assert table.rows[0] == (OVERALL, *["60.0 (1.0)", "61.0 (1.0)", "62.0 (1.0)"] * 2)


@settings(max_examples=15)
@given(
    st.lists(
        st.text(
            st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"], exclude_characters="(…"),
            min_size=1,
            max_size=60,
        ),
        min_size=1,
        max_size=8,
        unique=True,
    ),
    st.integers(60, 120),
)
def test_nothing_is_cut_off_at_any_width(models, width):
    table = pivot(results(models=tuple(models)), "accuracy")
    text = printed([table], width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert len(re.findall(r"\d\.\d \(1\.0\)", text)) == len(models) * (1 + len(PROBLEMS))
    assert "…" not in text


def test_names_are_text_and_no_markup():
    text = printed([pivot([estimate(0.5, model="[red]m[/red]\x1b[2J")], "accuracy")], 80)
    assert "[red]m[/red]\ufffd[2J" in text


def test_importing_is_light():
    heavy = "{'rich', 'jinja2', 'polars', 'altair', 'vl_convert'} & set(sys.modules)"
    modules = "tables, charts, marks, words, render"
    code = f"import sys; from probsense.show import {modules}; sys.exit(str({heavy} or '') or 0)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def compared(model: str, chance: float, ceiling: float, **by: str) -> Estimate:
    found = replace(estimate(0.6, model=model, **by), chance=chance)
    return replace(found, shortcut_ceiling=ceiling, shortcut_stderr=0.01)


def test_chance_and_the_shortcut_ceiling_stand_below_the_models():
    made = [compared(model, 0.5, 0.75, prompting="x") for model in "ab"]
    made += [compared(model, 0.5, math.nan, prompting="x", problem="p") for model in "ab"]
    table = pivot(made, "accuracy")
    assert table.rows[2:] == (("Chance", "50.0", "50.0"), ("Shortcut ceiling", "75.0", ABSENT))
    assert len(pivot(results(), "accuracy").rows) == 3  # nothing is known of these


def test_a_ceiling_that_differs_among_models_goes_from_the_lowest_to_the_highest():
    made = [compared("a", 0.5, 0.75, prompting="x"), compared("b", 0.5, 0.8, prompting="y")]
    table = pivot(made, "accuracy")
    assert table.rows[2:] == (("", "Chance", "50.0"), ("", "Shortcut ceiling", "75.0 to 80.0"))
