"""Lets a model answer the pages of a study for people."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from threading import Lock
from typing import Final

from probsense.core.errors import ModelError
from probsense.core.records import Failure, SampleRequest
from probsense.models.base import Model, in_form
from probsense.models.prompts.thoughts import without_thoughts
from probsense.runs.score import score

WORDS: Final = 8
"""The largest number of tokens of an open answer."""


class ModelMind:
    """Decides by a model: people are draws from its probabilities and its texts.

    What a page says stands before "Answer:". Each question is asked once for all people, and one at a time.
    """

    def __init__(self, model: Model) -> None:
        self._model, self._lock = model, Lock()
        self._weights: dict[tuple[str, tuple[str, ...]], list[float]] = {}

    def weigh(self, prompt: str, options: Sequence[str]) -> list[float]:
        """Return the probability of each option."""
        with self._lock:
            key = (prompt, tuple(sorted(set(options))))
            if key not in self._weights:
                found = score(self._model, f"{prompt}\nAnswer:", [f" {option}" for option in key[1]])
                self._weights[key] = found.probabilities.tolist()
            known = dict(zip(key[1], self._weights[key], strict=True))
        return [known[option] for option in options]

    def write(self, prompt: str, chance: Random) -> str:
        """Sample a text of a few words; "" where the model writes none, or cannot write."""
        model = in_form(self._model, "completion")
        if not model.capabilities.sample:
            return ""
        request = SampleRequest(
            f"{prompt}\nAnswer:",
            max_tokens=WORDS,
            temperature=1.0,
            stop=("\n",),
            seed=chance.randrange(2**31),
        )
        with self._lock:
            [[(_, response)]] = model.sample([request])
        if isinstance(response, Failure):
            raise ModelError(f"{model.name}: {response.reason}")
        answer = without_thoughts(response)
        return "" if isinstance(answer, Failure) else answer.texts[0].strip()
