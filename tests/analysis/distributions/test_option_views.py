"""Rules that score options, on worked examples and by their properties; what the order of options does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions.option_views import (
    RULES,
    TEXT_RULES,
    best,
    distribution,
    log_softmax,
    margin,
    scores,
    views,
)
from probsense.core.errors import InputError
from probsense.core.records import OptionScore, ScoreResponse, TokenLogprobs
from support.scored import option, tokens


def response(*options: tuple[list[float], str], suffixes: tuple[list[float], ...] = ()) -> ScoreResponse:
    """Options by the probabilities of their tokens and their text; then the probabilities of their suffixes."""
    after = suffixes or ([],) * len(options)
    return ScoreResponse(
        tuple(option(text, ps, rest) for (ps, text), rest in zip(options, after, strict=True))
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


def test_suffix_views_are_sums_over_the_suffix_and_over_all() -> None:
    asked = response(([0.3], " a"), ([0.2, 0.4], " b"), suffixes=([0.5, 0.25], [0.125]))
    np.testing.assert_allclose(scores(asked, "partial"), np.log([0.125, 0.125]), rtol=1e-12)
    np.testing.assert_allclose(scores(asked, "full"), np.log([0.0375, 0.01]), rtol=1e-12)


def test_pmi_is_what_the_prefix_adds_to_a_neutral_one() -> None:
    asked, neutral = response(([0.3], " a"), ([0.2], " b")), response(([0.6], " a"), ([0.1], " b"))
    np.testing.assert_allclose(scores(asked, "pmi", neutral), np.log([0.5, 2.0]), rtol=1e-12)
    np.testing.assert_allclose(distribution(asked, "pmi", neutral=neutral), [0.2, 0.8], rtol=1e-12)
    assert best(asked, "pmi", neutral) == 1
    assert margin(asked, "pmi", neutral) == pytest.approx(math.log(4), abs=1e-12)


def test_views_are_those_that_can_be_had() -> None:
    plain, whole = response(([0.3], " a"), ([0.2], " b")), response(([0.3], " a"), suffixes=([0.5],))
    half = response(([0.3], " a"), ([0.2], " b"), suffixes=([0.5], []))
    assert views(plain) == tuple(TEXT_RULES) == views(half)
    assert views(plain, plain) == (*TEXT_RULES, "pmi")
    assert views(whole) == (*TEXT_RULES, "partial", "full")
    assert views(whole, whole) == RULES
    for asked, rule in ((plain, "partial"), (half, "full"), (plain, "pmi")):
        with pytest.raises(InputError, match=r"suffix|neutral"):
            scores(asked, rule)
    with pytest.raises(InputError, match="1 options after the neutral prefix"):
        scores(plain, "pmi", whole)


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
    st.sampled_from(RULES),
    st.floats(1e-3, 1e3),
)
def test_distribution_sums_to_one_and_keeps_the_order(
    options: list[tuple[list[float], str]], rule: str, temperature: float
) -> None:
    asked = response(*options, suffixes=tuple(ps[::-1] for ps, _ in options))
    neutral = response(*options[::-1])
    found = distribution(asked, rule, temperature, neutral)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found[best(asked, rule, neutral)] == found.max()
    assert (np.diff(found[np.argsort(scores(asked, rule, neutral))]) >= 0).all()


def test_what_is_too_improbable_for_a_float_keeps_its_logarithm() -> None:
    found = log_softmax(np.array([[-5000.0, -3000.0], [-1e4, -1e4]]), 0.5)
    np.testing.assert_allclose(found, [[-4000.0, 0.0], np.log([0.5, 0.5])], rtol=1e-12)
    assert log_softmax(np.array([-3.0, -1.0]), 5e-324).tolist() == [-math.inf, 0.0]


def test_of_equal_options_the_first_is_best_and_the_margin_says_so() -> None:
    tied = response(([0.1], " a"), ([0.4], " b"), ([0.4], " c"))
    assert best(tied) == 1
    assert margin(tied) == 0
    assert margin(response(([0.1], " a"), ([0.4], " b"))) == pytest.approx(math.log(4))
    assert margin(response(([0.1], " a"))) == math.inf


def test_an_unknown_rule_lists_those_there_are() -> None:
    with pytest.raises(
        InputError, match=r"'median' \(expected one of sum, .*, mean_prob, partial, full, pmi\)"
    ):
        scores(ONE_OR_FOUR, "median")


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, math.inf])
def test_a_temperature_is_above_zero(temperature: float) -> None:
    with pytest.raises(InputError, match="above 0"):
        distribution(ONE_OR_FOUR, temperature=temperature)


def whole(logprob: float, text: str) -> TokenLogprobs:
    return TokenLogprobs((logprob,), (), len(text), len(text.encode()))


def test_sums_alone_have_no_view_of_tokens() -> None:
    nothing = tokens("", [])
    asked = ScoreResponse(
        tuple(OptionScore(whole(x, text), nothing) for x, text in ((-2.0, "ab"), (-3.0, "c")))
    )
    assert views(asked) == ("sum", "char", "byte")
    assert views(asked, asked) == ("sum", "char", "byte", "pmi")
    np.testing.assert_allclose(scores(asked, "char"), [-1.0, -3.0])
    for rule in ("token", "mean_prob"):
        with pytest.raises(InputError, match=f"the rule '{rule}' needs every token"):
            scores(asked, rule)
    mixed = ScoreResponse((asked.options[0], *response(([0.5, 0.5], "c")).options))
    assert "token" not in views(mixed)


def test_sums_alone_have_views_of_the_suffix() -> None:
    asked = ScoreResponse((OptionScore(whole(-2.0, " a"), whole(-1.5, " b")),))
    assert views(asked) == ("sum", "char", "byte", "partial", "full")
    np.testing.assert_allclose(scores(asked, "full"), [-3.5])
