"""Label mass, against the published rules written out one answer at a time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from probsense.analysis.distributions import label_mass
from probsense.core.errors import InputError

TOKENS = st.lists(
    st.tuples(st.sampled_from(["Yes", " yes", "NO", "n-o", "It", "", "Not"]), st.floats(-12, 0)),
    min_size=1,
    max_size=9,
)


def approx(values):
    return pytest.approx(values, rel=0, abs=1e-12)


# --- words ----------------------------------------------------------------------------------------------------


AGREE = (("agree", ("yes", "Yeah", " y")), ("not", ("no",)))
DIGITS = (("1", ("1",)), ("2", ("2",)))
LANGUAGES = (("yes", ("sí", "да")), ("no", ("no", "нет")))
CHINESE = (("yes", ("是", "对")), ("no", ("不", "否")))


@pytest.mark.parametrize(
    ("labels", "tokens", "classes"),
    [
        (label_mass.YES_NO, ["yes", " Yes", "YES!", "yesterday", "No", "n-o"], [0, 0, 0, -1, 1, 1]),
        (label_mass.YES_NO, ["know", None, "", "はい", "yes2"], [-1, -1, -1, -1, 0]),
        (AGREE, ["yes", "yeah", "no", "y"], [0, 0, 1, 0]),
        (DIGITS, ["1", " 2", "12", "(1)", "1a", "one", ""], [0, 1, -1, 0, -1, -1, -1]),
        (LANGUAGES, ["Sí", "si", " Si\u0301!", " Да", "Нет.", "NO", "не"], [0, -1, 0, 0, 1, 1, -1]),
    ],
)
def test_token_classes_are_exact_matches(labels, tokens, classes):
    """A label may have several words, of any language; digits count where a label has some."""
    assert label_mass.token_classes(tokens, labels).tolist() == classes


def test_labels_that_cannot_be_told_are_refused():
    with pytest.raises(InputError, match=r"'\?!' of label 'agree' has no letter"):
        label_mass.token_classes(["yes"], (("agree", ("?!",)),))
    with pytest.raises(InputError, match="'a' and 'b' share the form 'yes'"):
        label_mass.token_classes(["yes"], (("a", ("Yes",)), ("b", ("yes!",))))


UNSURE = (("no", ("no",)), ("unsure", ("not sure",)))
LETTERS = (("yes", ("A",)), ("no", ("B",)))


@pytest.mark.parametrize(
    ("labels", "texts", "expected"),
    [
        (label_mass.YES_NO, ["Yes", "**No**, never", "1. yes", "Nobody knows"], "yes no yes no"),
        (label_mass.YES_NO, ["Neither", "I say yes", "", "!?", "да, yes"], "other other other other other"),
        (LANGUAGES, ["¡Sí, claro!", "«Нет»", "Si", "да"], "yes no other yes"),
        (CHINESE, ["是的。", "“不是”", "也许"], "yes no other"),
        (UNSURE, ["Not sure at all", "Not so"], "unsure no"),  # The longest word that fits counts.
        # A letter is no beginning of a word.
        (LETTERS, ["A", "a) yes", "(B) no", "As an AI", "Because", "A cat"], "yes yes no other other yes"),
    ],
)
def test_the_first_letters_of_a_text_decide(labels, texts, expected):
    assert [label_mass.text_class(text, labels) for text in texts] == expected.split()


# --- masses ---------------------------------------------------------------------------------------------------


def published(tokens, clamp):
    """The three rules, one token at a time."""
    seen = {}
    for token, logprob in tokens:
        name = {"yes": "yes", "no": "no"}.get(label_mass.letters(token), "other")
        seen[name] = seen.get(name, 0.0) + math.exp(logprob)
    rest = 1 - sum(seen.values())
    if clamp:
        rest = max(rest, 0.0)
    missing = {"yes", "no"} - seen.keys()
    seen |= {name: rest / len(missing) for name in missing}
    total = sum(seen.values())
    return [seen.get(name, 0.0) / total for name in ("yes", "no", "other")]


def padded(rows):
    width = max(map(len, rows)) + 1
    logprobs, classes = np.full((len(rows), width), -np.inf), np.full((len(rows), width), label_mass.OTHER)
    for i, row in enumerate(rows):
        logprobs[i, : len(row)] = [logprob for _, logprob in row]
        classes[i, : len(row)] = label_mass.token_classes([token for token, _ in row])
    return logprobs, classes


@given(st.lists(TOKENS, min_size=1, max_size=5), st.booleans())
def test_top_k_rules_are_the_published_ones(rows, clamp):
    found = label_mass.top_k_mass(*padded(rows), clamp=clamp)
    for row, mass in zip(rows, found, strict=True):
        assert mass.tolist() == approx(published(row, clamp))


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2, label_mass.OTHER]), st.integers(1, 50)), min_size=3, max_size=30
    ),
    st.integers(1, 30),
    st.integers(1, 3),
)
def test_what_top_k_leaves_out_belongs_to_other(words, k, labels):
    words = sorted(((c if c < labels else label_mass.OTHER, n) for c, n in words), key=lambda word: -word[1])
    total = sum(n for _, n in words)
    truth = np.array([sum(n for c, n in words if c == i) / total for i in (*range(labels), label_mass.OTHER)])
    logprobs = np.full(30, -np.inf)
    classes = np.full(30, label_mass.OTHER)
    for i, (c, n) in enumerate(words[:k]):
        logprobs[i], classes[i] = math.log(n / total), c
    found = label_mass.top_k_share(logprobs, classes, labels=labels)
    low, high = label_mass.top_k_bounds(logprobs, classes, labels=labels)
    assert (low - 1e-12 <= truth).all()
    assert (truth <= high + 1e-12).all()
    assert found.sum() == approx(1)
    for i in range(labels):
        own = [n / total for c, n in words[:k] if c == i]
        left = max(1 - sum(n for _, n in words[:k]) / total, 0)
        missing = sum(all(c != j for c, _ in words[:k]) for j in range(labels))
        expected = sum(own) if own else min(left / missing, words[:k][-1][1] / total)
        assert found[i] == approx(expected)
    if k >= len(words):
        assert found == approx(truth)


def test_top_k_bounds_are_the_mass_seen_and_all_that_was_not():
    low, high = label_mass.top_k_bounds(np.log([0.5, 0.2, 0.1]), np.array([0, 0, label_mass.OTHER]))
    assert low.tolist() == approx([0.7, 0.0, 0.1])
    assert high.tolist() == approx([0.9, 0.2, 0.3])


def test_masses_are_scaled_and_none_are_no_data():
    vocabulary = label_mass.vocabulary_mass([[1.0, 1e-8, -1e-8], [0.0, 0.0, 0.0]])
    trials = label_mass.trial_mass([[20, 3, 0], [0, 0, 0]])
    assert vocabulary[0].tolist() == approx([1 / (1 + 1e-8), 1e-8 / (1 + 1e-8), 0.0])
    assert trials[0].tolist() == approx([20 / 23, 3 / 23, 0.0])
    assert np.isnan([vocabulary[1], trials[1]]).all()


@given(st.lists(st.integers(0, 60), min_size=2, max_size=4))
def test_dirichlet_interval_is_that_of_the_marginal_beta(counts):
    low, high = label_mass.dirichlet_interval(counts)
    n, k = sum(counts), len(counts)
    for c, a, b in zip(counts, low, high, strict=True):
        posterior = beta(c + 0.5, n - c + (k - 1) * 0.5)
        assert a == approx(0.0 if c == 0 else posterior.ppf(0.025))
        assert b == approx(1.0 if c == n else posterior.ppf(0.975))
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
def test_policies(policy, yes, answers):
    before = MASS.copy()
    mass = label_mass.split_other(MASS, policy, KEY)
    np.testing.assert_allclose(mass[:, 0], yes, rtol=0, atol=1e-12)
    np.testing.assert_allclose(mass.sum(-1), np.where(np.isnan(yes), np.nan, 1.0), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(label_mass.binary(MASS, policy, KEY, tie=0.5), answers)
    np.testing.assert_array_equal(MASS, before)


def test_policies_that_cannot_be_had():
    for policy, found in (
        ("spilt", r"answers: 'spilt' \(expected one of split"),
        ("wrong", "which are right"),
    ):
        with pytest.raises(InputError, match=found):
            label_mass.split_other(MASS, policy)
