"""Computes the mass of yes, no and everything else from tokens, a whole vocabulary, texts or repeated trials.

Source: Nguyen, Watts & Whiting, PNAS Nexus 5(3) pgag029 (2026), with the code that its authors published. Every
function here follows them, except where they depart from what a probability is; these are the departures:

=========================================================  ======================================================
as published                                               here
=========================================================  ======================================================
Top k tokens that sum to more than 1 give the answer that  The rest is never below 0 (``clamp=False``: as
was not seen a mass below 0.                               published).
Of top k tokens, what they leave out does not count: yes   Recorded results as published, and runs as
and no are scaled up, or the one that is not among them    :func:`top_k_share`: what is left out belongs to
gets all of it.                                            "other".
Only the first token counts, so that an answer in          Recorded results as published; runs of models in this
quotation marks is "other" where the mark is one.          process read past marks that open an answer.
Of two tokens with the same text, the later one counts.    Their masses are added up.
A point estimate alone.                                    Beside it :func:`top_k_bounds` for top k tokens and
                                                           :func:`dirichlet_interval` for trials.
"Other" is split evenly between yes and no, and a tie is   The same by default, under the name "split"; there
a yes. So a model that always refuses says yes, and as     are three other :data:`POLICIES` to compare it with,
most majorities are yes, refusing pays.                    ties can count half, and :func:`refused` tells where
                                                           "other" came first.
Splitting changes the array that it is given, so that      Nothing is changed in place.
"other" is split again whenever it is asked for.
One column of answers (GPT-4o, second question) is yes     All answers are made in one way.
only where yes has half of all mass, "other" included.
A statement without data has masses of 0 in one layout     NaN in all of them.
and NaN in the others.
A text that begins with the letters of "no" is a no        The same: what people recorded stays comparable.
("Not enough information", "Nobody", "None of them").
=========================================================  ======================================================

Masses are arrays of shape (..., 3) in the order yes, no, other. NaN stands for no data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Bools, Floats, Ints, ratio
from probsense.core.errors import InputError

Labels: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""The name of each label with the words that stand for it."""

YES_NO: Labels = (("yes", ("yes",)), ("no", ("no",)))

OTHER = -1
"""Class of a text or token that stands for no label: the last one wherever classes are indices."""

POLICIES = ("split", "drop", "wrong", "separate")
"""What becomes of "other".

- "split": half of it goes to yes and half to no (as published).
- "drop": only yes and no count; where they have no mass, there is no answer.
- "wrong": all of it goes to the wrong side.
- "separate": where it comes first there is no answer but a refusal (:func:`refused`); elsewhere as "drop".
"""


class Interval(NamedTuple):
    """Hold lower and upper ends, each of the shape of the masses."""

    low: Floats
    high: Floats


def letters(text: str, *, digits: bool = False, foreign: bool = False) -> str:
    """Return the lower-case letters of a text, and drop everything else.

    Parameters
    ----------
    text : str
    digits : bool
        Whether to keep digits, too.
    foreign : bool
        Whether to keep the letters of all scripts, with the marks on them, instead of ASCII letters alone.
    """
    if not foreign:
        return re.sub(r"[^a-z0-9]" if digits else r"[^a-z]", "", text.lower())
    kept = "LMN" if digits else "LM"
    composed = unicodedata.normalize("NFC", text.lower())
    return "".join(c for c in composed if unicodedata.category(c)[0] in kept)


def token_classes(tokens: Sequence[str | None], labels: Labels = YES_NO) -> Ints:
    """Find the label for which each token stands.

    A token stands for a label if the lower-case ASCII letters of the two are equal. Digits count too if one of the
    words has any, and so do the letters of all scripts if one of the words has letters beyond ASCII.

    Parameters
    ----------
    tokens : sequence of str or None, shape (n,)
        Decoded; None stands for no label.
    labels : sequence of (name, words)

    Returns
    -------
    ndarray of int, shape (n,)
        Index of the label, or ``OTHER``.

    Raises
    ------
    InputError
        If a word has no letter or digit, or two labels share one.
    """
    classes = _classes(tuple((name, tuple(words)) for name, words in labels))
    return np.array([classes(token or "") for token in tokens], dtype=np.int64)


@lru_cache(maxsize=64)
def _classes(labels: Labels) -> Callable[[str], int]:
    """Return a cached function from a token to its class: a server's alternatives vary little between requests."""
    characters = {c for _, words in labels for word in words for c in word}
    digits = any(c.isdigit() for c in characters)
    foreign = any(c.isalpha() and not c.isascii() for c in characters)
    owner: dict[str, int] = {}
    for index, (name, words) in enumerate(labels):
        for word in words:
            key = letters(word, digits=digits, foreign=foreign)
            if not key:
                raise InputError(f"the form {word!r} of label {name!r} has no letter or digit")
            if owner.setdefault(key, index) != index:
                raise InputError(f"the labels {labels[owner[key]][0]!r} and {name!r} share the form {key!r}")

    @lru_cache(maxsize=1 << 12)
    def classed(token: str) -> int:
        return owner.get(letters(token, digits=digits, foreign=foreign), OTHER)

    return classed


@lru_cache(maxsize=1 << 16)
def text_class(text: str, labels: Labels = YES_NO) -> str:
    """Find the label for which a free text stands: the label of the word with which its first letters begin.

    Parameters
    ----------
    text : str
        Everything before its first letter (of any script) is dropped; case does not matter.
    labels : sequence of (name, words)
        Labels with their words; if several words fit, the longest counts. A word of one letter, such as the A of "A
        or B", is no beginning of another word.

    Returns
    -------
    str
        Name of the label, or "other".
    """
    lower = text.lower()
    start = next((i for i, c in enumerate(lower) if c.isalpha()), len(lower))
    fits = [
        (len(word), name)
        for name, words in labels
        for word in words
        if lower.startswith(word.lower(), start) and not _begins_another(word, lower[start + 1 : start + 2])
    ]
    return max(fits, default=(0, "other"))[1]


def _begins_another(word: str, following: str) -> bool:
    """Whether a word of one letter is the beginning of a longer one; single characters of Chinese are words."""
    return len(word) == 1 and word.lower() != word.upper() and following.isalpha()


def vocabulary_mass(mass: ArrayLike) -> Floats:
    """Compute probabilities from sums over a whole vocabulary: negative rounding errors become 0, then all sum to 1.

    Parameters
    ----------
    mass : array_like, shape (..., 3)

    Returns
    -------
    ndarray, shape (..., 3)
        NaN where there is no mass.
    """
    return _normalised(np.maximum(np.asarray(mass, dtype=np.float64), 0.0))


def top_k_mass(logprobs: Floats, classes: Ints, *, clamp: bool = True) -> Floats:
    """Compute probabilities from the k most probable tokens.

    The mass that the k tokens leave goes to the answer, yes or no, that is not among them, or half to each if neither
    is. If both are among them, it is ignored, and the seen masses are scaled to sum to 1.

    Parameters
    ----------
    logprobs : ndarray, shape (..., k)
        Log-probabilities of tokens, in nats; −inf where there are fewer than k.
    classes : ndarray of int, shape (..., k)
        0 for yes, 1 for no, ``OTHER``, as from :func:`token_classes`.
    clamp : bool
        Whether the rest counts as 0 if the tokens sum to more than 1. The publication does not clamp.

    Returns
    -------
    ndarray, shape (..., 3)
    """
    mass, seen = _seen(logprobs, classes, 2)
    rest = 1.0 - mass.sum(-1, keepdims=True)
    if clamp:
        rest = np.maximum(rest, 0.0)
    missing = ~seen[..., :2]
    share = rest / np.maximum(missing.sum(-1, keepdims=True), 1)
    mass[..., :2] = np.where(missing, share, mass[..., :2])
    return _normalised(mass)


def top_k_share(logprobs: Floats, classes: Ints, *, labels: int = 2) -> Floats:
    """Compute probabilities from the k most probable tokens as shares of all tokens, not of the k.

    What the k tokens leave out is "other". A label that is not among them has the probability of the least probable of
    them, which none of its tokens can exceed, or its part of what is left, if that is less.

    Parameters
    ----------
    logprobs, classes, labels
        As for :func:`top_k_mass`.

    Returns
    -------
    ndarray, shape (..., labels + 1)
        Within :func:`top_k_bounds`.
    """
    mass, seen = _seen(logprobs, classes, labels)
    total = mass.sum(-1, keepdims=True)
    mass = mass[..., :labels] / np.maximum(total, 1.0)
    missing = ~seen[..., :labels]
    left = np.maximum(1.0 - total, 0.0) / np.maximum(missing.sum(-1, keepdims=True), 1)
    least = np.exp(np.where(np.isneginf(logprobs), np.inf, logprobs).min(-1, keepdims=True))
    mass = np.where(missing, np.minimum(left, least), mass)
    return np.concatenate([mass, np.maximum(1.0 - mass.sum(-1, keepdims=True), 0.0)], -1)


def top_k_bounds(logprobs: Floats, classes: Ints, *, labels: int = 2) -> Interval:
    """Bound the masses, whatever the tokens are that the k most probable ones leave out.

    The bounds reach from the seen mass to the seen mass plus all mass that was not seen.

    Parameters
    ----------
    logprobs, classes, labels
        As for :func:`top_k_mass`.

    Returns
    -------
    Interval
        Arrays of shape (..., labels + 1).
    """
    mass, _ = _seen(logprobs, classes, labels)
    total = mass.sum(-1, keepdims=True)
    low = mass / np.maximum(total, 1.0)
    return Interval(low, low + np.maximum(1.0 - total, 0.0))


def _seen(logprobs: Floats, classes: Ints, labels: int) -> tuple[Floats, Bools]:
    """Sum the mass of each class among the tokens, and tell whether the class has a token at all, shape (..., labels
    + 1).
    """
    member = classes[..., None, :] == np.array([*range(labels), OTHER])[:, None]
    return np.where(member, np.exp(logprobs)[..., None, :], 0.0).sum(-1), member.any(-1)


def trial_mass(counts: ArrayLike) -> Floats:
    """Compute the shares of answers of repeated trials, without smoothing, shape (..., 3); NaN where there was none."""
    return _normalised(np.asarray(counts, dtype=np.float64))


def dirichlet_interval(counts: ArrayLike) -> Interval:
    """Compute the equal-tailed 95 % credible interval of the probability of each answer behind repeated trials.

    With Jeffreys' prior, Dirichlet with ½ for each of k answers, the posterior of the probability of an answer that
    was given c times out of n is Beta(c + ½, n − c + (k − 1)/2). The lower end is 0 where c = 0 and the
    upper end 1 where c = n (Brown, Cai & DasGupta 2001, Statistical Science 16(2)), so the share is always
    inside.

    Parameters
    ----------
    counts : array_like, shape (..., k)

    Returns
    -------
    Interval
        Arrays of shape (..., k); 0 to 1 where there was no trial.
    """
    from scipy.special import betaincinv

    counts = np.asarray(counts, dtype=np.float64)
    n = counts.sum(-1, keepdims=True)
    a, b = counts + 0.5, n - counts + (counts.shape[-1] - 1) / 2
    return Interval(
        np.where(counts == 0, 0.0, betaincinv(a, b, 0.025)),
        np.where(counts == n, 1.0, betaincinv(a, b, 0.975)),
    )


def refused(mass: Floats) -> Bools:
    """Tell where "other" is more probable than yes and than no, shape (...); False where there is no data."""
    return np.asarray(mass[..., 2] > mass[..., :2].max(-1))


def split_other(mass: Floats, policy: str = "split", key: Floats | None = None) -> Floats:
    """Compute the mass of yes and of no after a policy has assigned "other".

    Parameters
    ----------
    mass : ndarray, shape (..., 3)
    policy : str
        One of :data:`POLICIES`.
    key : ndarray, of a shape that broadcasts to (...), optional
        The right answers: 1 yes, 0 no, 0.5 undecided, NaN unknown. "wrong" needs them, the others do not.

    Returns
    -------
    ndarray, shape (..., 2)
        Masses that sum to 1; NaN where there is no answer.

    Raises
    ------
    InputError
        For an unknown policy, and for "wrong" without a key.
    """
    answers, other = mass[..., :2], mass[..., 2:]
    match policy:
        case "split":
            return _normalised(answers + other / 2)
        case "drop":
            return _normalised(answers)
        case "wrong":
            if key is None:
                raise InputError("other answers are to count as wrong", expected="to know which are right")
            return _normalised(answers + other * np.stack((1 - key, key), axis=-1))
        case "separate":
            return np.where(refused(mass)[..., None], np.nan, _normalised(answers))
    raise InputError(
        f"no such policy for other answers: {policy!r}", expected=f"one of {', '.join(POLICIES)}"
    )


def binary(mass: Floats, policy: str = "split", key: Floats | None = None, *, tie: float = 1.0) -> Floats:
    """Return the answer, yes or no, whichever is more probable.

    Parameters
    ----------
    mass, policy, key
        As for :func:`split_other`.
    tie : float
        What stands for a tie: 1, a yes (as published), or 0.5, which agrees half with every answer.

    Returns
    -------
    ndarray, shape (...)
        1 for yes, 0 for no, ``tie``; NaN for no answer or no data.

    Raises
    ------
    InputError
        As for :func:`split_other`.
    """
    yes, no = np.moveaxis(split_other(mass, policy, key), -1, 0)
    answer = np.where(yes > no, 1.0, np.where(yes == no, tie, 0.0))
    return np.where(np.isnan(yes + no), np.nan, answer)


MOST_REFUSED: Final = 0.9
"""The largest share of statements on which other first words may be more probable than yes and than no, if results are
to rest on the answers."""
LEAST_MASS: Final = 0.1
"""The smallest mean probability of yes and no together with which results rest on answers."""


class Clarity(NamedTuple):
    """How far the answers of a model to one question are yes or no.

    Attributes
    ----------
    known : int
        Statements with an answer.
    other_first : int
        Those on which other first words together are more probable than yes and than no.
    mass : float
        Mean probability of yes and no together; NaN without an answer.
    """

    known: int
    other_first: int
    mass: float

    def too_little(self, policy: str) -> bool:
        """Whether results would rest on answers that are not there, if this becomes of other answers.

        Halves of other answers are no answers, and neither are shares of next to nothing. Where other answers count as
        wrong or for themselves, nothing rests on what is not there.
        """
        if not self.known:
            return False
        return (policy in ("split", "drop") and self.mass < LEAST_MASS) or (
            policy == "split" and self.other_first > MOST_REFUSED * self.known
        )


def clarity(mass: Floats) -> Clarity:
    """Sum up the answers to one question.

    Parameters
    ----------
    mass : ndarray, shape (statements, 3)
        Mass of yes, no and other; NaN without data.
    """
    known = mass[~np.isnan(mass[:, 0])]
    on_labels = float(known[:, :2].sum(axis=1).mean()) if len(known) else float("nan")
    return Clarity(len(known), int(refused(known).sum()), on_labels)


def _normalised(mass: Floats) -> Floats:
    return ratio(mass, mass.sum(-1, keepdims=True))
