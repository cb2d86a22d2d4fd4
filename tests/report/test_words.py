from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probsense.report.words import (
    MEASURES,
    METHODS,
    VIEWS,
    cell,
    interval,
    measure_of,
    plain,
    sentence_value,
    shorten,
)

from probsense.prob.options import RULES
from probsense.stats.estimate import Estimate

NAN = math.nan


def estimate(measure: str, value: float, low: float, high: float, level: float = 0.95) -> Estimate:
    return Estimate(measure, {"model": "m"}, value, NAN, low, high, level, 10, 10, "published")


@pytest.mark.parametrize(
    ("measure", "value", "low", "high", "expected"),
    [
        ("accuracy", 0.55555, 0.55155, 0.55955, "55.6 (0.4)"),
        ("strict_accuracy", 1.0, 1.0, 1.0, "100.0 (0.0)"),
        ("bias", -0.3449, -0.3549, -0.3349, "-0.34 (0.01)"),
        ("bias", -0.001, -0.011, 0.009, "-0.00 (0.01)"),
        ("accuracy", 0.861, NAN, NAN, "86.1 (?)"),
        ("accuracy", NAN, NAN, NAN, "? (?)"),
        ("mean_rank", 0.25, 0.2, 0.3, "0.250 (0.050)"),
        ("brier", 0.5, 0.4, 0.6, "0.500 (0.100)"),
        ("calibration_error", 0.1, 0.08, 0.16, "10.0 (4.0)"),
    ],
)
def test_cells_are_printed_as_the_benchmark_prints_them(measure, value, low, high, expected) -> None:
    assert cell(estimate(measure, value, low, high)) == expected


def test_sentences_tell_value_unit_and_interval() -> None:
    assert sentence_value(estimate("accuracy", 0.612, 0.589, 0.635)) == "61.2 % (95 % interval 58.9–63.5)"
    assert sentence_value(estimate("bias", -0.2, -0.3, -0.1, 0.9)) == "-0.20 (90 % interval -0.30 to -0.10)"
    assert interval(estimate("accuracy", 0.6, NAN, NAN)) == "interval unknown"
    assert interval(estimate("accuracy", 0.5, -0.4, 1.4)) == "95 % interval 0.0–100.0"


def test_every_measure_method_and_view_of_the_tasks_is_explained() -> None:
    assert set(VIEWS) == set(RULES)
    for name in ("accuracy", "p_gold", "brier", "log_score", "calibration_error", "calibration_gap"):
        assert MEASURES[name].meaning
        # A sentence that holds for every task: what guessing gets is known to the estimate alone.
        assert "50 %" not in MEASURES[name].meaning
    assert {"clustered", "cluster bootstrap"} <= set(METHODS)


def test_a_measure_without_a_style_of_its_own_gets_a_plain_one() -> None:
    assert measure_of("mean_rank").title == "Mean rank"


@given(st.text())
def test_plain_text_is_printable_and_as_long(text: str) -> None:
    assert plain(text).isprintable()
    assert len(plain(text)) == len(text)
    plain(text).encode()


def test_plain_replaces_what_could_fool_a_reader() -> None:
    assert plain("a\x1b[31mb\u202ec\n") == "a\ufffd[31mb\ufffdc\ufffd"


@given(st.text(), st.integers(3, 40))
def test_shortened_text_fits_and_keeps_both_ends(text: str, width: int) -> None:
    short = shorten(text, width)
    assert len(short) <= width
    if len(text) <= width:
        assert short == text
    else:
        start, _, end = short.partition("…") if "…" not in text else (text[0], "", text[-1])
        assert text.startswith(start)
        assert text.endswith(end)
