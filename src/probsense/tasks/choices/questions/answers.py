"""Turns answers to a question into one distribution over its options, with what is known of how it came about.

A text names an option by a letter, by its words, or by a percentage for each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec
import numpy as np

from probsense.analysis.arrays import Floats
from probsense.analysis.distributions import option_views as views
from probsense.analysis.distributions.mixture import chance_of_chains
from probsense.core.records import Item, LabelResponse, Request, Response, SampleResponse, ScoreResponse
from probsense.tasks.base import Answers
from probsense.tasks.choices.questions.question import LETTERS, normalised
from probsense.tasks.shared.options import option_answers
from probsense.tasks.shared.orders import Order

LEAST, MOST = 95.0, 105.0
"""Percentages whose sum lies between these were rounded, or added up carelessly."""

_LETTER: Final = re.compile(
    r"[\W_]*(?:(?:the )?(?:answer|option)(?: is)?\s*:?\s*)?[\W_]*([a-z])(?:\W*$|[.):,\]*]|\n)", re.IGNORECASE
)
_LISTED: Final = re.compile(r"^[^\w\n]*([A-Z])(?:[.):]|[^\w\n]*$)", re.MULTILINE)
_MARKS: Final = " \t\n\r\"'`*_.,:;!()[]“”‘’«»"
_PAIR: Final = re.compile(
    r"""["'“]?(?P<key>[^"'“”{}\n]+?)["'”]?\s*[:=]\s*["']?\s*(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<percent>%?)\s*["']?\s*(?:,|$|\n|\})"""
)
_Numbers: TypeAlias = dict[str, Annotated[float, msgspec.Meta(ge=0)]]


def read_choice(text: str, options: Sequence[str], order: Order) -> int | None:
    """Read the option that a text names.

    An option's own words come first, the longest that fit; then its letter, alone or before a mark or the end of the
    line. A letter that goes on as a sentence ("A dog …") is none, and neither is one before the words of another
    option, or above the letters of others: who repeats the list has chosen nothing.

    Parameters
    ----------
    text : str
    options : sequence of str
    order : tuple of int
        The option in each place; letters name places.

    Returns
    -------
    int or None
        The index of the option; None if the text names none.
    """
    named = _named(text, options)
    letter = _LETTER.match(text)
    if named is not None or letter is None:
        return named
    known = LETTERS[: len(order)]
    place = known.find(letter[1].upper())
    rest = text[letter.end() :]
    if letter[0][-2:] == "I," and rest.strip():  # "I, for one, …" is no letter.
        return None
    if place < 0 or any(other in known and other != known[place] for other in _LISTED.findall(rest)):
        return None
    return order[place] if _named(rest, options) in (None, order[place]) else None


def _named(text: str, options: Sequence[str]) -> int | None:
    """Find the option with whose own words a text begins, the longest that fit."""
    said = normalised(text).strip(_MARKS)
    fits = [
        (len(words), number)
        for number, option in enumerate(options)
        if (words := normalised(option).strip(_MARKS)) and re.match(re.escape(words) + r"(?!\w)", said)
    ]
    return max(fits)[1] if fits else None


def read_stated(text: str, options: Sequence[str]) -> tuple[float, ...] | None:
    """Read the share that a text states for each option.

    Strictly, it is a JSON object with a number for each letter, and they sum to 100. Leniently, the object may stand
    among other words, name options by their texts, write percent signs, or give fractions; numbers that sum to 95–105
    (or .95–1.05) are divided by their sum.

    Parameters
    ----------
    text : str
    options : sequence of str
        Lettered in this order.

    Returns
    -------
    tuple of float, or None
        Shares that sum to 1; None if an option has no number or several, or the numbers sum to something else.
    """
    try:
        stated = [*msgspec.json.decode(text, type=_Numbers).items()]
    except (msgspec.MsgspecError, ValueError, RecursionError):
        stated = _lenient(text)
    names = {normalised(option): number for number, option in enumerate(options)}
    letters = {letter: number for number, letter in enumerate(LETTERS[: len(options)])}
    shares: dict[int, float] = {}
    for key, value in stated:
        number = names.get(normalised(key), letters.get(key.strip(_MARKS).upper()))
        if number in shares:
            return None
        if number is not None:
            shares[number] = value
    if len(shares) < len(options):
        return None
    known = [shares[number] for number in range(len(options))]
    total = sum(known)
    if not (LEAST <= total <= MOST or LEAST / 100 <= total <= MOST / 100):
        return None
    return tuple(share / total for share in known)


def _lenient(text: str) -> list[tuple[str, float]]:
    """Read every name with a number behind it, in the first braces if there are some."""
    start, end = text.find("{"), text.find("}")
    inner = text[start + 1 : end] if 0 <= start < end else text
    return [(one["key"].strip(" -*"), float(one["number"])) for one in _PAIR.finditer(inner)]


class Given(NamedTuple):
    """What a model answered to a question.

    Attributes
    ----------
    shares : ndarray, shape (options,)
        They sum to 1; NaN if no answer was an option.
    covered : float
        The probability of all options together, or the share of texts that were read; NaN where options were scored.
    answers : float
        How many texts the shares rest on; infinite for probabilities.
    variance : float
        That of the shares for the chance of texts and chains of thought, summed over the options; NaN where there is a
        single one, or none.
    """

    shares: Floats
    covered: float
    answers: float
    variance: float = 0.0


def scored(requests: Sequence[Request], answers: Answers, rule: str) -> Given:
    """Take the scores of the options."""
    response, neutral = option_answers(requests, answers)

    def read(responses: Sequence[Response]) -> Floats:
        found = [one for one in responses if isinstance(one, ScoreResponse)]
        return np.array([views.distribution(one, rule, 1.0, neutral) for one in found])

    shares = read([response])[0]
    return Given(shares, np.nan, np.inf, chance_of_chains([response], read))


def lettered(item: Item, response: Response) -> Given:
    """Take the mass of the letters, or the share of texts that name each of them.

    Texts of several orders are no simple sample. They tell as much as one of n texts whose shares q have the same
    variance, Σ q(1 − q)/(n − 1).
    """
    assert isinstance(response, LabelResponse)

    def read(responses: Sequence[Response]) -> Floats:
        masses = [[one.mass[option] for option in item.data["options"]] for one in responses]  # type: ignore[union-attr]
        totals = np.sum(masses, axis=1, keepdims=True)
        return np.asarray(masses / np.where(totals > 0, totals, np.nan))

    shares = read([response])[0]
    variance = chance_of_chains([response], read)
    texts = np.inf
    if response.source == "sampled":
        texts = 1 + float((shares * (1 - shares)).sum()) / variance if variance > 0 else len(response.chains)
    return Given(shares, sum(response.mass.values()), texts, variance)


def stated(item: Item, response: Response) -> Given:
    """Read the shares that the texts state, and take their mean."""
    assert isinstance(response, SampleResponse)
    options, texts, missing = item.data["options"], response.texts, response.unfinished
    found = [own for text in texts if (own := read_stated(text, options)) is not None]
    shares: Floats = np.mean(found, axis=0) if found else np.full(len(options), np.nan)
    return Given(shares, len(found) / max(len(texts) + missing, 1), np.inf)
