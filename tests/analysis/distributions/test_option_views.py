"""Rules that score options, on worked examples; what the order of options does, and what cannot be had."""

import math

import numpy as np
import pytest

from probsense.analysis.distributions.option_views import (
    RULES,
    TEXT_RULES,
    distribution,
    lead,
    log_softmax,
    scores,
    views,
)
from probsense.core.errors import InputError
from probsense.core.records import OptionScore, ScoreResponse, TokenLogprobs
from support.scored import option, tokens

LONG = [0.000664, 0.003448, 0.001159, 0.9648]
A_OR_B = ScoreResponse((option(" a", [0.3]), option(" b", [0.2])))
ONE_OR_FOUR = ScoreResponse((option(" blue", [0.0923]), option(" yellow-pink", LONG)))
FOLLOWED = ScoreResponse((option(" a", [0.3], [0.5, 0.25]), option(" né", [0.2, 0.4], [0.125])))


@pytest.mark.parametrize(
    ("asked", "rule", "expected"),
    [
        (ONE_OR_FOUR, "sum", np.log([0.0923, math.prod(LONG)])),
        (ONE_OR_FOUR, "token", [math.log(0.0923), math.log(math.prod(LONG)) / 4]),
        (ONE_OR_FOUR, "char", [math.log(0.0923) / 5, math.log(math.prod(LONG)) / 12]),
        (ONE_OR_FOUR, "mean_prob", [0.0923, sum(LONG) / 4]),
        (FOLLOWED, "char", [math.log(0.3) / 2, math.log(0.08) / 3]),
        (FOLLOWED, "byte", [math.log(0.3) / 2, math.log(0.08) / 4]),
        (FOLLOWED, "partial", np.log([0.125, 0.125])),
        (FOLLOWED, "full", np.log([0.0375, 0.01])),
    ],
)
def test_rules_are_those_of_the_specification(asked, rule, expected):
    np.testing.assert_allclose(scores(asked, rule), expected, rtol=1e-12)


def test_pmi_is_what_the_prefix_adds_to_a_neutral_one():
    neutral = ScoreResponse((option(" a", [0.6]), option(" b", [0.1])))
    np.testing.assert_allclose(scores(A_OR_B, "pmi", neutral), np.log([0.5, 2.0]), rtol=1e-12)
    np.testing.assert_allclose(distribution(A_OR_B, "pmi", neutral=neutral), [0.2, 0.8], rtol=1e-12)
    assert lead(scores(A_OR_B, "pmi", neutral)) == pytest.approx(math.log(4), abs=1e-12)


def test_views_are_those_that_can_be_had():
    half = ScoreResponse((FOLLOWED.options[0], A_OR_B.options[1]))
    assert views(A_OR_B) == tuple(TEXT_RULES) == views(half)
    assert views(A_OR_B, A_OR_B) == (*TEXT_RULES, "pmi")
    assert views(FOLLOWED) == (*TEXT_RULES, "partial", "full")
    assert views(FOLLOWED, FOLLOWED) == RULES


def whole(logprob, text):
    return TokenLogprobs((logprob,), (), len(text), len(text.encode()))


def test_sums_alone_have_no_view_of_tokens():
    nothing = tokens("", [])
    asked = ScoreResponse((OptionScore(whole(-2.0, "ab"), nothing), OptionScore(whole(-3.0, "c"), nothing)))
    assert views(asked) == ("sum", "char", "byte")
    np.testing.assert_allclose(scores(asked, "char"), [-1.0, -3.0])
    followed = ScoreResponse((OptionScore(whole(-2.0, " a"), whole(-1.5, " b")),))
    assert views(followed) == ("sum", "char", "byte", "partial", "full")
    np.testing.assert_allclose(scores(followed, "full"), [-3.5])
    mixed = ScoreResponse((asked.options[0], A_OR_B.options[0]))
    for rule in ("token", "mean_prob"):
        with pytest.raises(InputError, match=f"the rule '{rule}' needs every token"):
            scores(mixed, rule)


@pytest.mark.parametrize(
    ("rule", "temperature", "found"),
    [
        ("partial", 1.0, "suffix"),
        ("pmi", 1.0, "neutral"),
        ("median", 1.0, r"'median' \(expected one of sum, .*, mean_prob, partial, full, pmi\)"),
        *(("sum", wrong, "above 0") for wrong in (0.0, -1.0, math.nan, math.inf)),
    ],
)
def test_what_is_refused(rule, temperature, found):
    with pytest.raises(InputError, match=found):
        distribution(A_OR_B, rule, temperature)


def test_distribution_is_the_softmax_of_score_over_temperature():
    pair = ScoreResponse((option(" a", [0.6]), option(" b", [0.2])))
    assert distribution(pair) == pytest.approx([0.75, 0.25])
    assert distribution(pair, temperature=0.5) == pytest.approx([0.9, 0.1])
    odds = math.exp(0.2)
    assert distribution(pair, "mean_prob", 2.0) == pytest.approx([odds / (1 + odds), 1 / (1 + odds)])


def test_what_is_too_improbable_for_a_float_keeps_its_logarithm():
    found = log_softmax(np.array([[-5000.0, -3000.0], [-1e4, -1e4]]), 0.5)
    np.testing.assert_allclose(found, [[-4000.0, 0.0], np.log([0.5, 0.5])], rtol=1e-12)
    assert log_softmax(np.array([-3.0, -1.0]), 5e-324).tolist() == [-math.inf, 0.0]


def test_the_lead_of_equal_options_is_none_and_that_of_a_single_one_has_no_end():
    found = [lead(np.array(some)) for some in ([-3.0, -1.0, -1.0], [-3.0, -1.0], [-3.0])]
    assert found == [0, 2, math.inf]
