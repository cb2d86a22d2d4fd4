"""Answers for tests of tasks that compare options: a token is a character, its probability hangs on all text so far."""

from __future__ import annotations

import zlib

import pytest

from probsense.core.records import (
    OptionScore,
    Request,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
)


def logprob(text: str) -> float:
    """Log-probability of the last character of a text."""
    return -(zlib.crc32(text.encode()) % 1000 + 1) / 250


def part(before: str, text: str) -> TokenLogprobs:
    return TokenLogprobs(
        tuple(logprob(before + text[: i + 1]) for i in range(len(text))),
        tuple(text),
        len(text),
        len(text.encode()),
    )


def respond(request: Request) -> ScoreResponse:
    assert isinstance(request, ScoreRequest)
    return ScoreResponse(
        tuple(
            OptionScore(part(request.prefix, option), part(request.prefix + option, request.suffix))
            for option in request.options
        )
    )


@pytest.fixture
def character_logprob():
    return logprob


@pytest.fixture
def answer():
    """All answers that a task needs."""
    return lambda task, items: {
        request: respond(request) for item in items for request in task.requests(item, "options", {})
    }
