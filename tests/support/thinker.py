"""A model that thinks in a world whose chains of thought can be enumerated, and a program that asks it a quiz."""

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from probsense.core.errors import ProbSenseError
from probsense.core.records import (
    Request,
    SampleResponse,
    request_key,
)
from probsense.models.base import Capabilities, Usage
from probsense.models.prompts.thinking import Manner
from probsense.runs.ask.plan import plan
from probsense.runs.ask.thinking import Wish
from probsense.runs.evaluate import Terms, ask_plan
from support.habit import Habit
from support.run_fakes import Quiz, figures

WORLD = {"four has a half": (0.5, 0.9), "odd things are rare": (0.3, 0.6), "hm": (0.2, 0.05)}
"""The probability of each chain, and of "yes" after it."""
MANNER = Manner("<think>\n", "</think>\n\n", "</think>", "on unless told")


def yes(request):
    """Return the probability of "yes" after the thought of a request."""
    assert request.thought is not None
    assert request.thought.end == MANNER.end
    return WORLD.get(request.thought.text.strip(), (0.0, 0.5))[1]


DECIDED = Habit(yes, part=0.9)
"""Answers once it has thought."""


@dataclass
class Thinker:
    """Thinks what it is told to, by the number of the chain; after thoughts it does not know, "yes" has 0.5.

    It answers ``batch`` requests at a time, and writes down what it is asked. At its request of the number
    ``killed_at``, it kills the process.
    """

    thinks: Sequence[str] = tuple(WORLD)
    name: str = "thinker:"
    manner: Manner | None = MANNER
    capabilities: Capabilities = field(
        default=Capabilities(score=True, labels="exact", sample=True, thought="begun")
    )
    usage: Usage = field(default_factory=Usage)
    asked: list[Request] = field(default_factory=list)
    breaks_after: int = 10**9
    unclosed: frozenset[str] = frozenset()
    thinking: Mapping[str, Any] | None = None
    batch: int = 1
    log: Path | None = None
    killed_at: int = 0

    @property
    def details(self):
        return {"scheme": "thinker"} | ({"thinking": self.thinking} if self.thinking else {})

    def in_thinking(self, manner):
        return replace(self, name=f"{self.name} (thinking)", thinking=manner.to_json())

    def _each(self, requests):
        for i, request in enumerate(requests):
            if len(self.asked) >= self.breaks_after:
                raise ProbSenseError("killed")
            self.asked.append(request)
            if self.log:
                with self.log.open("a") as stream:
                    stream.write(f"{request_key(request)}\n")
            if len(self.asked) == self.killed_at:
                os.kill(os.getpid(), signal.SIGKILL)
            yield i, request

    def _batches(self, requests, answer):
        answers = ((i, answer(request)) for i, request in self._each(requests))
        while batch := [*islice(answers, self.batch)]:
            yield batch

    def sample(self, requests):
        return self._batches(requests, self._said)

    def labels(self, requests):
        return self._batches(requests, lambda request: next(DECIDED.labels([request]))[0][1])

    def score(self, requests):
        return self._batches(requests, lambda request: next(DECIDED.score([request]))[0][1])

    def _said(self, request):
        if not request.thinks:
            assert request.n == 1
            return SampleResponse(("yes" if yes(request) > 0.5 else "no",), cut=(False,))
        whole = self.thinks[(request.seed & 0xFFFF) % len(self.thinks)]
        words = whole.split(" ")
        begun = request.thought.text.split(" ")[:-1] if request.thought else []
        part = words[len(begun) : len(begun) + request.max_tokens]
        ended = len(begun) + len(part) == len(words) and whole not in self.unclosed
        text = " ".join(part) + ("" if len(begun) + len(part) == len(words) else " ")
        return SampleResponse((text,), cut=(not ended,), sizes=(len(part),))


def ask_quiz(model, store):
    """Ask ten questions with three chains each, which are cut after two words at first; return the figures."""
    planned = plan(Quiz(10), model, "labels", Wish("on", 3, (2, 64)))
    return json.loads(json.dumps(figures(ask_plan(planned, Terms(store=store, quiet=True)))))


def main(store, log, killed_at):
    """Ask the quiz with a store, and print the figures."""
    print(json.dumps(ask_quiz(Thinker(batch=4, log=Path(log), killed_at=int(killed_at)), Path(store))))


if __name__ == "__main__":
    main(*sys.argv[1:])
