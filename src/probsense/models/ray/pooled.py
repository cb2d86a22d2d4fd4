"""A model that a pool of workers asks, ``ray:hf:NAME``: to a run it is like any other model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partialmethod
from typing import Any, Final

from probsense.core.errors import ModelError
from probsense.core.records import PromptForm, Request
from probsense.models.base import Batch, Meter, Usage, size
from probsense.models.prompts.thinking import Manner
from probsense.models.ray.cutting import even_cuts
from probsense.models.ray.workers import Asked, Description, RayWorkers, Verb
from probsense.models.registry import check_spec, fingerprint

PARTS: Final = 4
"""How many parts each worker gets at least, so that all end at about the same time."""
LONGEST: Final = 200_000
"""Characters of a part, more or less: a killed run loses that much."""


@dataclass(frozen=True)
class Pooled(Description):
    """A model that is loaded in several workers, as the first of them describes it.

    Its details are those of the model in each worker, so that a store takes their answers for the model's own. Requests
    are sorted by what they begin with and cut into parts, so that a shared beginning is computed by one worker. Several
    pooled models may share the workers.
    """

    workers: RayWorkers
    asked: Asked
    _meter: Meter = field(default_factory=Meter)

    @property
    def usage(self) -> Usage:
        """What all workers used; the seconds are those that passed here."""
        return self._meter.used

    @property
    def prompt_format(self) -> str:
        """The name of the model's own format."""
        return str(self.details.get("prompt_format", ""))

    def prompt_formats(self) -> Mapping[str, str]:
        """List the formats of the model in each worker."""
        return self.formats

    def for_form(self, form: PromptForm) -> Pooled:
        """Return the model as each worker asks it with prompts of this form."""
        return self._asked_otherwise(form=form)

    def in_prompt_format(self, name: str) -> Pooled:
        """Return the model as each worker asks it in a format."""
        return self._asked_otherwise(prompt_format=name)

    def in_thinking(self, manner: Manner) -> Pooled:
        """Return the model as each worker asks it after thoughts."""
        return self._asked_otherwise(thinking=manner)

    def _asked_otherwise(self, **how: Any) -> Pooled:
        asked = self.asked._replace(**how)
        return replace(self, asked=asked, **vars(self.workers.describe(asked)))

    def _answers(self, verb: Verb, requests: Sequence[Request]) -> Iterator[Batch[Any]]:
        own, before = fingerprint(self), time.monotonic()
        parts = cut(requests, self.workers.number)
        texts = [[requests[i] for i in part] for part in parts]
        for number, answers, used, theirs in self.workers.answer(self.asked, verb, texts):
            if theirs != own:
                raise ModelError(f"a worker has loaded another {self.name} than the first one had")
            now = time.monotonic()
            self._meter.used += replace(used, seconds=now - before)
            before = now
            yield [(parts[number][position], answer) for position, answer in answers]

    score = partialmethod(_answers, "score")
    labels = partialmethod(_answers, "labels")
    sample = partialmethod(_answers, "sample")


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


def pooled(workers: RayWorkers, spec: str, **options: Any) -> Pooled:
    """Load a model in every worker, by what :func:`~probsense.models.registry.load_model` takes."""
    asked = Asked(spec, options)
    return Pooled(**vars(workers.describe(asked)), workers=workers, asked=asked)


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
    return pooled(RayWorkers(workers, gpus_per_worker, address), argument, **options)


def check(argument: str, **options: Any) -> None:
    """Refuse a model that cannot be loaded before a worker is started."""
    own = load.__kwdefaults__ or {}
    check_spec(argument, {name: value for name, value in options.items() if name not in own})
