"""Rows of log-probabilities that stand beside the wrong tokens are recognised."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from probsense.models.openai.echoes import COUNTED, _check_rows
from probsense.models.openai.wire import Malformed

TOKENS = re.findall(r" ?\w+", COUNTED)


class Server:
    """A server that echoes the prompt with the most probable token of each row."""

    def __init__(self, likely: list[str], *, form: str = "legacy") -> None:
        self.likely, self.form = likely, form

    async def attempt(self, route: str, prompt: str, **_: Any) -> Any:
        tokens, likely = [*TOKENS, " x"], [*self.likely, " y"]
        logprobs = [-3.0 - 0.01 * i for i in range(len(tokens))]
        tops = [
            {token: logprob, top: -0.1} for token, logprob, top in zip(tokens, logprobs, likely, strict=True)
        ]
        if self.form == "content":
            rows = [
                {
                    "token": token,
                    "logprob": logprob,
                    "top_logprobs": [{"token": a, "logprob": b} for a, b in top.items()],
                }
                for token, logprob, top in zip(tokens, logprobs, tops, strict=True)
            ]
            return ({"logprobs": {"content": rows}},)
        shown = {} if self.form == "bare" else {"top_logprobs": [None, *tops[1:]]}
        return ({"logprobs": {"tokens": tokens, "token_logprobs": [None, *logprobs[1:]], **shown}},)


def check(server: Server) -> None:
    asyncio.run(_check_rows(server, "echo"))  # type: ignore[arg-type]


LATE = [*TOKENS[1:], " one"]


@pytest.mark.parametrize("form", ["legacy", "content"])
def test_rows_that_are_one_place_late_are_a_fault(form: str) -> None:
    with pytest.raises(Malformed, match="one place too late"):
        check(Server(LATE, form=form))


@pytest.mark.parametrize("form", ["legacy", "content", "bare"])
def test_rows_in_their_place_are_none(form: str) -> None:
    check(Server(TOKENS, form=form))


def test_nothing_is_said_of_a_model_that_predicts_neither() -> None:
    check(Server([" q"] * len(TOKENS)))
    check(
        Server([token if i % 2 else after for i, (token, after) in enumerate(zip(TOKENS, LATE, strict=True))])
    )
    check(Server(LATE, form="bare"))
