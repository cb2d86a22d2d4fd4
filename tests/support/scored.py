"""Tokens and options with the probabilities that a test gives them."""

import math

from probsense.core.records import OptionScore, TokenLogprobs


def tokens(text, probabilities):
    """A text whose tokens have these probabilities."""
    logprobs = tuple(map(math.log, probabilities))
    return TokenLogprobs(logprobs, ("?",) * len(logprobs), len(text), len(text.encode()))


def option(text, probabilities, suffix=()):
    """An option by the probabilities of its tokens and of those of what follows it."""
    return OptionScore(tokens(text, probabilities), tokens("." if suffix else "", suffix))
