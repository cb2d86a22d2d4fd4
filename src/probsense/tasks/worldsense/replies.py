"""Reads an answer out of a model's text, and asks again where there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DENIAL = re.compile(r"\b(?:not|never|neither|cannot|can't|isn't)\b", re.IGNORECASE)


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
