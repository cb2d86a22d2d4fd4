"""``random`` and ``random:SEED``: a baseline that picks one of the allowed answers, each with equal probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    Json,
    LabelRequest,
    LabelResponse,
    OptionScore,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
    request_key,
)
from probsense.models.base import Batch, Capabilities, Usage

BATCH = 1024


def load(argument: str = "") -> RandomModel:
    """Make the random model; the argument is its seed, 0 without one."""
    if not argument.isascii() or not (argument or "0").isdigit():
        raise InputError(
            f"the seed of the random model is {argument!r}", expected="a whole number from 0, as in random:7"
        )
    return RandomModel(f"random:{argument}" if argument else "random", int(argument or "0"))


check = load  # it costs nothing to load it twice


@dataclass(frozen=True, slots=True)
class RandomModel:
    """A model whose answers depend only on its seed and the words of the request."""

    name: str
    seed: int
    # It chooses among the allowed answers, which a request for a text does not name.
    capabilities: Capabilities = field(default=Capabilities(score=True, labels="exact"))
    usage: Usage = field(default_factory=Usage)

    @property
    def details(self) -> Mapping[str, Json]:
        """Everything that can change a number."""
        return {"scheme": "random", "seed": self.seed, "version": 1}

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Give nearly all the probability to one option of each request, drawn uniformly."""
        for start in range(0, len(requests), BATCH):
            yield [(start + i, self._score(r)) for i, r in enumerate(requests[start : start + BATCH])]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Give nearly all the mass to one label of each request, drawn uniformly."""
        for start in range(0, len(requests), BATCH):
            yield [(start + i, self._labels(r)) for i, r in enumerate(requests[start : start + BATCH])]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Refuse to write texts."""
        raise ModelError(f"{self.name} cannot write text, it only chooses among options")

    def _generator(self, request: Request) -> np.random.Generator:
        return np.random.default_rng([self.seed, int(request_key(request), 16)])

    def _score(self, request: ScoreRequest) -> ScoreResponse:
        rng = self._generator(request)
        n = len(request.options)
        options = pick_one(rng, n).tolist()
        suffixes = pick_one(rng, n).tolist() if request.suffix else [0.0] * n
        return ScoreResponse(
            tuple(
                OptionScore(one_token(text, a), one_token(request.suffix, b))
                for text, a, b in zip(request.options, options, suffixes, strict=True)
            )
        )

    def _labels(self, request: LabelRequest) -> LabelResponse:
        mass = np.exp(pick_one(self._generator(request), len(request.labels)))
        names = [name for name, _ in request.labels]
        return LabelResponse(dict(zip(names, (mass / mass.sum()).tolist(), strict=True)), 0.0)


def pick_one(rng: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    """Return log-probabilities of ``n`` options; one of them, drawn uniformly, is all but certain.

    The winner's log-probability is so near 0 that it also wins when scores are divided by the length of the
    option; the losers' differ at random, so that no rule of scoring meets a tie and prefers the first option.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int

    Returns
    -------
    ndarray, shape (n,)
        Their exponentials sum to 1.
    """
    winner = rng.integers(n)
    logprobs: npt.NDArray[np.float64] = rng.uniform(-12.0, -8.0, size=n) - np.log(n)
    logprobs[winner] = -np.inf
    logprobs[winner] = np.log1p(-np.exp(logprobs).sum())
    return logprobs


def one_token(text: str, logprob: float) -> TokenLogprobs:
    """Score a text as a single token, and the empty text as no token."""
    if not text:
        return TokenLogprobs((), (), 0, 0)
    return TokenLogprobs((logprob,), (text,), len(text), len(text.encode()))
