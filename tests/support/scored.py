"""Tokens and options with the probabilities that a test gives them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from probsense.core.records import OptionScore, TokenLogprobs


def tokens(text: str, probabilities: Sequence[float]) -> TokenLogprobs:
    """A text whose tokens have these probabilities."""
    logprobs = tuple(map(math.log, probabilities))
    return TokenLogprobs(logprobs, ("?",) * len(logprobs), len(text), len(text.encode()))


def option(text: str, probabilities: Sequence[float], suffix: Sequence[float] = ()) -> OptionScore:
    """An option by the probabilities of its tokens and of those of what follows it."""
    return OptionScore(tokens(text, probabilities), tokens("." if suffix else "", suffix))
