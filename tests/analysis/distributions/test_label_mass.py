"""Label mass, against the published rules written out one answer at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from probsense.analysis.distributions.label_mass import (
    OTHER,
    YES_NO,
    binary,
    dirichlet_interval,
    letters,
    refused,
    split_other,
    text_class,
    token_classes,
    top_k_bounds,
    top_k_mass,
    top_k_share,
    trial_mass,
    vocabulary_mass,
)
from probsense.core.errors import InputError

TOKENS = st.lists(
    st.tuples(st.sampled_from(["Yes", " yes", "NO", "n-o", "It", "", "Not"]), st.floats(-12, 0)),
    min_size=1,
    max_size=9,
)


def approx(values: Any) -> Any:
    return pytest.approx(values, rel=0, abs=1e-12)


# --- words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [(" Yes", "yes"), ("“YES.”", "yes"), ("n-o", "no"), ("nó", "n"), ("2 no", "no"), ("否", ""), ("", "")],
)
def test_only_ascii_letters_count(text: str, expected: str) -> None:
    assert letters(text) == expected


def test_foreign_letters_are_kept_with_their_marks_where_asked_for() -> None:
    assert letters(" Si\u0301!", foreign=True) == "sí"
    assert letters("«ДА»", foreign=True) == "да"
    assert letters(" हाँ ।", foreign=True) == "हाँ" != letters("है", foreign=True)
    assert letters("sí 2", foreign=True, digits=True) == "sí2"


AGREE = (("agree", ("yes", "Yeah", " y")), ("not", ("no",)))
DIGITS = (("1", ("1",)), ("2", ("2",)))
LANGUAGES = (("yes", ("sí", "да")), ("no", ("no", "нет")))
CHINESE = (("yes", ("是", "对")), ("no", ("不", "否")))


@pytest.mark.parametrize(
    ("labels", "tokens", "classes"),
    [
        (YES_NO, ["yes", " Yes", "YES!", "yesterday", "No", "n-o"], [0, 0, 0, -1, 1, 1]),
        (YES_NO, ["know", None, "", "はい", "yes2"], [-1, -1, -1, -1, 0]),
        (AGREE, ["yes", "yeah", "no", "y"], [0, 0, 1, 0]),
        (DIGITS, ["1", " 2", "12", "(1)", "1a", "one", ""], [0, 1, -1, 0, -1, -1, -1]),
        (LANGUAGES, ["Sí", "si", " Да", "Нет.", "NO", "не", "yes"], [0, -1, 0, 1, 1, -1, -1]),
    ],
)
def test_token_classes_are_exact_matches(labels: Any, tokens: list[str | None], classes: list[int]) -> None:
    """A label may have several words, of any language; digits count where a label has some."""
    assert token_classes(tokens, labels).tolist() == classes


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((("agree", ("?!",)),), r"'\?!' of label 'agree' has no letter"),
        ((("a", ("Yes",)), ("b", ("yes!",))), "'a' and 'b' share the form 'yes'"),
    ],
)
def test_labels_that_cannot_be_told_are_refused(labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        token_classes(["yes"], labels)


UNSURE = (("no", ("no",)), ("unsure", ("not sure",)))
LETTERS = (("yes", ("A",)), ("no", ("B",)))


@pytest.mark.parametrize(
    ("labels", "texts", "expected"),
    [
        (YES_NO, ["Yes", "**No**, never", "1. yes", "Nobody knows", "Yesterday"], "yes no yes no yes"),
        (YES_NO, ["Neither", "I say yes", "", "!?", "да, yes"], "other other other other other"),
        (LANGUAGES, ["¡Sí, claro!", "«Нет»", "Si", "да"], "yes no other yes"),
        (CHINESE, ["是的。", "“不是”", "也许"], "yes no other"),
        (UNSURE, ["Not sure at all", "Not so"], "unsure no"),  # The longest word that fits counts.
        # A letter is no beginning of a word.
        (
            LETTERS,
            ["A", "a) yes", "B.", "(B) no", "As an AI", "Because", "A cat"],
            "yes yes no no other other yes",
        ),
    ],
)
def test_the_first_letters_of_a_text_decide(labels: Any, texts: list[str], expected: str) -> None:
    assert [text_class(text, labels) for text in texts] == expected.split()


# --- masses ---------------------------------------------------------------------------------------------------


def published(tokens: list[tuple[str, float]], clamp: bool) -> list[float]:
    """The three rules, one token at a time."""
    seen: dict[str, float] = {}
    for token, logprob in tokens:
        name = {"yes": "yes", "no": "no"}.get(letters(token), "other")
        seen[name] = seen.get(name, 0.0) + math.exp(logprob)
    rest = 1 - sum(seen.values())
    if clamp:
        rest = max(rest, 0.0)
    if "yes" not in seen and "no" not in seen:
        seen["yes"] = seen["no"] = rest / 2
    elif "yes" not in seen:
        seen["yes"] = rest
    elif "no" not in seen:
        seen["no"] = rest
    total = sum(seen.values())
    return [seen.get(name, 0.0) / total for name in ("yes", "no", "other")]


def padded(rows: list[list[tuple[str, float]]]) -> tuple[np.ndarray, np.ndarray]:
    width = max(map(len, rows)) + 1
    logprobs, classes = np.full((len(rows), width), -np.inf), np.full((len(rows), width), OTHER)
    for i, row in enumerate(rows):
        logprobs[i, : len(row)] = [logprob for _, logprob in row]
        classes[i, : len(row)] = token_classes([token for token, _ in row])
    return logprobs, classes


@given(st.lists(TOKENS, min_size=1, max_size=5), st.booleans())
def test_top_k_rules_are_the_published_ones(rows: list[list[tuple[str, float]]], clamp: bool) -> None:
    found = top_k_mass(*padded(rows), clamp=clamp)
    for row, mass in zip(rows, found, strict=True):
        assert mass.tolist() == approx(published(row, clamp))


@given(st.lists(TOKENS, min_size=1, max_size=5))
def test_top_k_bounds_hold_the_clamped_estimate(rows: list[list[tuple[str, float]]]) -> None:
    tokens = padded(rows)
    mass, (low, high) = top_k_mass(*tokens), top_k_bounds(*tokens)
    assert (low <= mass + 1e-12).all()
    assert (mass <= high + 1e-12).all()
    assert ((low >= 0) & (high <= 1 + 1e-12)).all()


@given(
    st.lists(st.tuples(st.sampled_from([0, 1, 2, OTHER]), st.integers(1, 50)), min_size=3, max_size=30),
    st.integers(1, 30),
    st.integers(1, 3),
)
def test_what_top_k_leaves_out_belongs_to_other(words: list[tuple[int, int]], k: int, labels: int) -> None:
    words = sorted(((c if c < labels else OTHER, n) for c, n in words), key=lambda word: -word[1])
    total = sum(n for _, n in words)
    truth = np.array([sum(n for c, n in words if c == i) / total for i in (*range(labels), OTHER)])
    logprobs = np.full(30, -np.inf)
    classes = np.full(30, OTHER)
    for i, (c, n) in enumerate(words[:k]):
        logprobs[i], classes[i] = math.log(n / total), c
    found = top_k_share(logprobs, classes, labels=labels)
    low, high = top_k_bounds(logprobs, classes, labels=labels)
    assert (low - 1e-12 <= truth).all()
    assert (truth <= high + 1e-12).all()
    assert found.sum() == approx(1)
    assert (low[:labels] - 1e-12 <= found[:labels]).all()
    assert (found[:labels] <= high[:labels] + 1e-12).all()
    for i in range(labels):
        own = [n / total for c, n in words[:k] if c == i]
        left = max(1 - sum(n for _, n in words[:k]) / total, 0)
        missing = sum(all(c != j for c, _ in words[:k]) for j in range(labels))
        expected = sum(own) if own else min(left / missing, words[:k][-1][1] / total)
        assert found[i] == approx(expected)
    if k >= len(words):
        assert found == approx(truth)


def test_top_k_that_sum_to_more_than_1_are_shares() -> None:
    found = top_k_share(np.log([0.6, 0.6, 0.3]), np.array([0, OTHER, OTHER]))
    assert found == approx([0.4, 0, 0.6])


def test_top_k_bounds_are_the_mass_seen_and_all_that_was_not() -> None:
    low, high = top_k_bounds(np.log([0.5, 0.2, 0.1]), np.array([0, 0, OTHER]))
    assert low.tolist() == approx([0.7, 0.0, 0.1])
    assert high.tolist() == approx([0.9, 0.2, 0.3])


def test_vocabulary_mass_is_clamped_and_scaled() -> None:
    assert vocabulary_mass([1.0, 1e-8, -1e-8]).tolist() == approx([1 / (1 + 1e-8), 1e-8 / (1 + 1e-8), 0.0])
    assert np.isnan(vocabulary_mass([[0.0, 0.0, 0.0]])).all()


def test_trials_are_shares_and_none_are_no_data() -> None:
    found = trial_mass([[20, 3, 0], [0, 0, 0]])
    assert found[0].tolist() == approx([20 / 23, 3 / 23, 0.0])
    assert np.isnan(found[1]).all()


@given(st.lists(st.integers(0, 60), min_size=2, max_size=4), st.sampled_from([0.5, 1.0]))
def test_dirichlet_interval_is_that_of_the_marginal_beta(counts: list[int], prior: float) -> None:
    low, high = dirichlet_interval(counts, level=0.9, prior=prior)
    n, k = sum(counts), len(counts)
    for c, a, b in zip(counts, low, high, strict=True):
        posterior = beta(c + prior, n - c + (k - 1) * prior)
        assert a == approx(0.0 if c == 0 else posterior.ppf(0.05))
        assert b == approx(1.0 if c == n else posterior.ppf(0.95))
        assert n == 0 or a <= c / n <= b


# --- other, ties, answers -------------------------------------------------------------------------------------

MASS = np.array([[0.6, 0.3, 0.1], [0.2, 0.1, 0.7], [0.0, 0.0, 1.0], [0.4, 0.4, 0.2], [np.nan] * 3])
KEY = np.array([1.0, 1.0, 0.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("policy", "yes", "answers"),
    [
        ("split", [0.65, 0.55, 0.5, 0.5, np.nan], [1, 1, 0.5, 0.5, np.nan]),
        ("drop", [2 / 3, 2 / 3, np.nan, 0.5, np.nan], [1, 1, np.nan, 0.5, np.nan]),
        ("wrong", [0.6, 0.2, 1.0, 0.4, np.nan], [1, 0, 1, 0, np.nan]),
        ("separate", [2 / 3, np.nan, np.nan, 0.5, np.nan], [1, np.nan, np.nan, 0.5, np.nan]),
    ],
)
def test_policies(policy: str, yes: list[float], answers: list[float]) -> None:
    before = MASS.copy()
    mass = split_other(MASS, policy, KEY)
    np.testing.assert_allclose(mass[:, 0], yes, rtol=0, atol=1e-12)
    np.testing.assert_allclose(mass.sum(-1), np.where(np.isnan(yes), np.nan, 1.0), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(binary(MASS, policy, KEY, tie=0.5), answers)
    np.testing.assert_array_equal(MASS, before)


def test_a_tie_is_a_yes_as_published() -> None:
    assert binary(MASS)[:4].tolist() == [1, 1, 1, 1]
    assert binary(MASS[:, [1, 0, 2]])[:4].tolist() == [0, 0, 1, 1]


def test_refusals_are_where_other_comes_first() -> None:
    assert refused(MASS).tolist() == [False, True, True, False, False]


def test_shapes_are_kept() -> None:
    mass = np.broadcast_to(MASS[0], (2, 4, 3))
    assert split_other(mass).shape == (2, 4, 2)
    assert binary(mass, "wrong", np.ones(4)).shape == refused(mass).shape == (2, 4)


def test_policies_that_cannot_be_had() -> None:
    with pytest.raises(
        InputError, match=r"no such policy for other answers: 'spilt' \(expected one of split"
    ):
        binary(MASS, "spilt")
    with pytest.raises(InputError, match="to know which are right"):
        split_other(MASS, "wrong")
