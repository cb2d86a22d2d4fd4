"""A model that a pool of workers asks, ``ray:hf:NAME``: to a run it is like any other model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from probsense.core.errors import ModelError
from probsense.core.records import (
    Json,
    LabelRequest,
    LabelResponse,
    PromptForm,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Batch, Capabilities, Finding, Model, Usage
from probsense.models.prompts.thinking import Manner
from probsense.models.ray.cutting import even_cuts, size
from probsense.models.ray.workers import Asked, Description, Done, Verb
from probsense.models.registry import check_spec, fingerprint

PARTS: Final = 4
"""How many parts each worker gets at least, so that all end at about the same time."""
LONGEST: Final = 200_000
"""Characters of a part, more or less: a killed run loses that much."""


class Workers(Protocol):
    """Several processes that answer."""

    @property
    def number(self) -> int:
        """How many there are."""

    def describe(self, asked: Asked) -> Description:
        """Load a model in every worker, and describe it."""

    def answer(self, asked: Asked, verb: Verb, parts: Sequence[Sequence[Request]]) -> Iterator[Done]:
        """Yield the answers to each part of the requests, in any order."""


@dataclass
class _Meter:
    used: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Pooled:
    """A model that is loaded in several workers.

    Requests are sorted by what they begin with and cut into parts, so that a shared beginning is computed by one
    worker. Several pooled models may share the workers.
    """

    workers: Workers
    asked: Asked
    description: Description
    _meter: _Meter = field(default_factory=_Meter)

    @property
    def name(self) -> str:
        """The name that the model has without workers."""
        return self.description.name

    @property
    def details(self) -> Mapping[str, Json]:
        """Those of the model in each worker, so that a store takes their answers for the model's own."""
        return self.description.details

    @property
    def capabilities(self) -> Capabilities:
        """Those of the model."""
        return self.description.capabilities

    @property
    def findings(self) -> Sequence[Finding]:
        """Those of the first worker."""
        return self.description.findings

    @property
    def usage(self) -> Usage:
        """What all workers used; the seconds are those that passed here."""
        return self._meter.used

    def for_form(self, form: PromptForm) -> Model:
        """Return the model as each worker asks it with prompts of this form."""
        asked = self.asked._replace(form=form)
        return replace(self, asked=asked, description=self.workers.describe(asked))

    @property
    def settled(self) -> bool:
        """Whether somebody said how the model is to be asked."""
        return self.description.settled

    @property
    def prompt_format(self) -> str:
        """The name of the model's own format."""
        return str(self.details.get("prompt_format", ""))

    def prompt_formats(self) -> Mapping[str, str]:
        """List the formats of the model in each worker."""
        return self.description.prompt_formats

    def in_prompt_format(self, name: str) -> Model:
        """Return the model as each worker asks it in a format."""
        asked = self.asked._replace(prompt_format=name)
        return replace(self, asked=asked, description=self.workers.describe(asked))

    @property
    def manner(self) -> Manner | None:
        """How the model thinks."""
        return self.description.manner

    def in_thinking(self, manner: Manner) -> Model:
        """Return the model as each worker asks it after thoughts."""
        asked = self.asked._replace(thinking=manner)
        return replace(self, asked=asked, description=self.workers.describe(asked))

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Yield the token log-probabilities of every option and suffix."""
        return self._answers("score", requests)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Yield the probability mass of every label."""
        return self._answers("labels", requests)

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Yield the texts that the model writes."""
        return self._answers("sample", requests)

    def _answers(self, verb: Verb, requests: Sequence[Request]) -> Iterator[Batch[Any]]:
        own, before = fingerprint(self), time.monotonic()
        parts = cut(requests, self.workers.number)
        for done in self.workers.answer(self.asked, verb, [[requests[i] for i in part] for part in parts]):
            if done.fingerprint != own:
                raise ModelError(f"a worker has loaded another {self.name} than the first one had")
            now = time.monotonic()
            self._meter.used += replace(done.used, seconds=now - before)
            before = now
            yield [(parts[done.part][position], answer) for position, answer in done.answers]


def cut(requests: Sequence[Request], workers: int) -> list[list[int]]:
    """Cut requests into parts for workers.

    Parameters
    ----------
    requests : sequence of Request
    workers : int
        How many there are.

    Returns
    -------
    list of list of int
        The positions of the requests of each part; what begins alike stands together.
    """
    sizes = [size(request) for request in requests]
    order = sorted(range(len(requests)), key=sizes.__getitem__)
    total = sum(len(text) + more for text, more in sizes)
    number = max(PARTS * workers, -(-total // LONGEST))
    cuts = even_cuts(([sizes[i]] for i in order), min(number, len(requests)))
    return [order[start:stop] for start, stop in cuts if start < stop]


def pooled(workers: Workers, spec: str, **options: Any) -> Pooled:
    """Load a model in every worker.

    Parameters
    ----------
    workers : Workers
    spec : str
        As :func:`~probsense.models.registry.load_model` takes it.
    **options
        Options of the model.

    Raises
    ------
    ProbSenseError
        As the loading of the model raises it.
    """
    asked = Asked(spec, options)
    return Pooled(workers, asked, workers.describe(asked))


def load(
    argument: str,
    *,
    workers: int = 2,
    gpus_per_worker: float = 0.0,
    address: str | None = None,
    **options: Any,
) -> Pooled:
    """Load a model in every worker.

    Parameters
    ----------
    argument : str
        The specification of the model.
    workers : int
        Load the model in so many processes of Ray, and ask them all.
    gpus_per_worker : float
        GPUs of each of them; .5 lets two share one.
    address : str, optional
        Of a Ray cluster; without it, RAY_ADDRESS, or else this machine.
    **options
        Options of the model.

    Raises
    ------
    ProbSenseError
        If Ray is not installed, the cluster cannot be reached, this machine has no room for these workers, or as the
        loading of the model raises it.
    """
    from probsense.models.ray.workers import RayWorkers

    return pooled(RayWorkers(workers, gpus_per_worker, address), argument, **options)


def check(argument: str, **options: Any) -> None:
    """Refuse a model that cannot be loaded before a worker is started."""
    own = load.__kwdefaults__ or {}
    check_spec(argument, {name: value for name, value in options.items() if name not in own})
