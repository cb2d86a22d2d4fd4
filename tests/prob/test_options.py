from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.errors import InputError
from probsense.prob.options import RULES, best, distribution, margin, scores
from probsense.records import OptionScore, ScoreResponse, TokenLogprobs


def response(*options: tuple[list[float], str]) -> ScoreResponse:
    nothing = TokenLogprobs((), (), 0, 0)
    return ScoreResponse(
        tuple(
            OptionScore(
                TokenLogprobs(tuple(map(math.log, ps)), ("",) * len(ps), len(text), len(text.encode())),
                nothing,
            )
            for ps, text in options
        )
    )


ONE_OR_FOUR = response(([0.0923], " blue"), ([0.000664, 0.003448, 0.001159, 0.9648], " yellow-pink"))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("sum", [math.log(0.0923), math.log(0.000664 * 0.003448 * 0.001159 * 0.9648)]),
        ("token", [math.log(0.0923), math.log(0.000664 * 0.003448 * 0.001159 * 0.9648) / 4]),
        ("char", [math.log(0.0923) / 5, math.log(0.000664 * 0.003448 * 0.001159 * 0.9648) / 12]),
        ("mean_prob", [0.0923, (0.000664 + 0.003448 + 0.001159 + 0.9648) / 4]),
    ],
)
def test_rules_on_the_worked_example_of_the_specification(rule: str, expected: list[float]) -> None:
    np.testing.assert_allclose(scores(ONE_OR_FOUR, rule), expected, rtol=1e-12)


def test_the_rules_disagree_where_the_specification_says_so() -> None:
    assert best(ONE_OR_FOUR, "sum") == 0
    assert best(ONE_OR_FOUR, "mean_prob") == 1


def test_bytes_are_not_characters() -> None:
    accented = response(([0.5], "né"))
    assert scores(accented, "char") == pytest.approx([math.log(0.5) / 2])
    assert scores(accented, "byte") == pytest.approx([math.log(0.5) / 3])


def test_distribution_is_the_softmax_of_score_over_temperature() -> None:
    pair = response(([0.6], " a"), ([0.2], " b"))
    assert distribution(pair) == pytest.approx([0.75, 0.25])
    assert distribution(pair, temperature=0.5) == pytest.approx([0.9, 0.1])
    assert distribution(pair, "mean_prob", 2.0) == pytest.approx(
        [1 / (1 + math.exp(-0.2)), 1 / (1 + math.exp(0.2))]
    )


@given(
    st.lists(
        st.lists(st.floats(1e-300, 1.0), min_size=1, max_size=5).map(lambda ps: (ps, " x")),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(sorted(RULES)),
    st.floats(1e-3, 1e3),
)
def test_distribution_sums_to_one_and_keeps_the_order(
    options: list[tuple[list[float], str]], rule: str, temperature: float
) -> None:
    asked = response(*options)
    found = distribution(asked, rule, temperature)
    assert found.sum() == pytest.approx(1)
    assert found[best(asked, rule)] == found.max()
    assert (np.diff(found[np.argsort(scores(asked, rule))]) >= 0).all()


def test_of_equal_options_the_first_is_best_and_the_margin_says_so() -> None:
    tied = response(([0.1], " a"), ([0.4], " b"), ([0.4], " c"))
    assert best(tied) == 1
    assert margin(tied) == 0
    assert margin(response(([0.1], " a"), ([0.4], " b"))) == pytest.approx(math.log(4))
    assert margin(response(([0.1], " a"))) == math.inf


def test_an_unknown_rule_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"'median' \(expected one of sum, token, char, byte, mean_prob\)"):
        scores(ONE_OR_FOUR, "median")


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, math.inf])
def test_a_temperature_is_above_zero(temperature: float) -> None:
    with pytest.raises(InputError, match="above 0"):
        distribution(ONE_OR_FOUR, temperature=temperature)
