"""Asks one trial, reads the answer to it, and asks again where there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from probsense.analysis.distributions import options as views
from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.tasks.base import Answers, Method

_DENIAL = re.compile(r"\b(?:not|never|neither|cannot|can't|isn't)\b", re.IGNORECASE)


class Asked(NamedTuple):
    """What is asked in a trial: the id of its item, its text and the allowed answers."""

    item: str
    text: str
    allowed: tuple[str, ...]


class Given(NamedTuple):
    """An answer to a trial.

    Attributes
    ----------
    resp : str
        The allowed answer that was given; "" for none.
    probabilities : tuple of float
        Those of the allowed answers among each other; () where texts were sampled, or none of them has any.
    margin, other : float or None
        The score by which the best option leads, if options were scored; and the probability of everything but the
        allowed answers, unless texts were sampled.
    """

    resp: str
    probabilities: tuple[float, ...] = ()
    margin: float | None = None
    other: float | None = None


def requests_of(asked: Asked, method: Method, answers: Answers) -> Sequence[Request]:
    """Make one request, and a second one where the text of the first answer is no allowed answer."""
    item, text, allowed = asked
    if method == "options":
        # A prompt may end in white space, and the answer then joins it as it is.
        join = "" if text[-1:].isspace() else " "
        return [ScoreRequest(text, tuple(join + answer for answer in allowed), item=item)]
    if method == "labels":
        return [LabelRequest(text, tuple((answer, (answer,)) for answer in allowed), item=item)]
    first = SampleRequest(text, item=item)
    reply = answers.get(first)
    if not isinstance(reply, SampleResponse) or read_reply(reply.texts[0], allowed):
        return [first]
    return [first, SampleRequest(ask_again(text, allowed), item=item)]


def most_requests_of(asked: Asked, method: Method) -> Sequence[Request]:
    """Count the second request, too."""
    first = requests_of(asked, method, {})
    if method != "sample":
        return first
    return [*first, SampleRequest(ask_again(asked.text, asked.allowed), item=asked.item)]


def answer_to(asked: Asked, method: Method, answers: Answers, rule: str) -> Given:
    """Read the answer to a trial.

    Parameters
    ----------
    asked : Asked
    method : Method
    answers : Mapping of Request to Response
    rule : str
        Score that picks the answer among options.

    Raises
    ------
    KeyError
        While the answer is not there.
    """
    allowed = asked.allowed
    match answers[requests_of(asked, method, answers)[-1]]:
        case ScoreResponse() as scored:
            scores = views.scores(scored, rule)
            probabilities = tuple(np.exp(views.log_softmax(scores)).tolist())
            return Given(allowed[scores.argmax()], probabilities, views.lead(scores), _elsewhere(scored))
        case LabelResponse(mass=mass, other=other):
            total = sum(mass.values())
            if total == 0:
                return Given("", other=other)
            best = max(allowed, key=lambda answer: mass[answer])
            return Given(best, tuple(mass[answer] / total for answer in allowed), other=other)
        case SampleResponse(texts=texts):
            return Given(read_reply(texts[0], allowed))


def _elsewhere(scored: ScoreResponse) -> float:
    """Compute the probability that no option begins the answer; no option begins with another one."""
    return max(0.0, 1.0 - math.fsum(math.exp(math.fsum(own.option.logprobs)) for own in scored.options))


def read_reply(reply: str, allowed: Sequence[str]) -> str:
    """Read the allowed answer that a text gives; "" if it gives none.

    A text gives an answer if the answer is the whole text, punctuation and case aside. It also does if its words hold
    only one allowed answer, and it denies nothing ("not possible").

    Parameters
    ----------
    reply : str
    allowed : sequence of str
        Words or numbers.
    """
    words = re.findall(r"\w+", reply.upper())
    found = {answer for answer in allowed if answer.upper() in words}
    if len(found) != 1 or (len(words) > 1 and _DENIAL.search(reply)):
        return ""
    return found.pop()


def ask_again(text: str, allowed: Sequence[str]) -> str:
    """Ask the question once more, with the list of allowed answers."""
    return f"{text.rstrip()}\nYour answer must be exactly one of these: {', '.join(allowed)}.\n"
