"""A model that workers in Ray answer for, ``ray:hf:NAME``: to a run it is like any other model.

Ray finds machines for the workers, starts them again, and repeats what they lost.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partialmethod
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

from probsense.core.errors import InputError, ModelError, ProbSenseError
from probsense.core.records import Json, Request
from probsense.core.registry import install
from probsense.models.base import (
    Batch,
    Capabilities,
    Finding,
    Formatted,
    Meter,
    Model,
    Thinks,
    Usage,
    even_cuts,
    findings_of,
    size,
)
from probsense.models.prompts.thinking import Manner
from probsense.models.registry import check_spec, fingerprint, load_model

Verb: TypeAlias = Literal["score", "labels", "sample"]


class Asked(NamedTuple):
    """The model that a worker is to ask.

    It has a specification and options, and the methods that made another model of it, each with its argument.
    """

    spec: str
    options: Mapping[str, Any]
    changes: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Description:
    """What a worker says of a model that it has loaded; ``formats`` are those of its prompts."""

    name: str
    details: Mapping[str, Json]
    capabilities: Capabilities
    findings: Sequence[Finding]
    manner: Manner | None
    settled: bool
    formats: Sequence[str]


Done: TypeAlias = tuple[int, Batch[Any], Usage, str]
"""The number of a part, its answers with their positions in it, what these used, and the model's fingerprint."""


class Worker:
    """Load the model that is asked, and answer for it; the model that was asked before makes room for it."""

    def __init__(self) -> None:
        self._loaded: tuple[tuple[str, dict[str, Any]], Model] | None = None

    def describe(self, asked: Asked) -> Description:
        """Load a model, and describe it."""
        model = self._model(asked)
        manner = model.manner if isinstance(model, Thinks) else None
        settled, formats = (
            (model.settled, model.prompt_formats()) if isinstance(model, Formatted) else (True, ())
        )
        known = model.name, dict(model.details), model.capabilities, [*findings_of(model)]
        return Description(*known, manner, settled, formats)

    def answer(self, asked: Asked, verb: Verb, part: int, requests: Sequence[Request]) -> Done:
        """Answer one part of the requests, which are of one kind."""
        model = self._model(asked)
        before = model.usage
        answers = [pair for batch in getattr(model, verb)(requests) for pair in batch]
        return part, answers, model.usage.since(before), fingerprint(model)

    def _model(self, asked: Asked) -> Model:
        wanted = asked.spec, dict(asked.options)
        if self._loaded is None or self._loaded[0] != wanted:
            self._loaded = None  # gives its memory back before the next model takes some
            self._loaded = wanted, load_model(asked.spec, **asked.options)
        model = self._loaded[1]
        for change, argument in asked.changes:
            model = getattr(model, change)(argument) if hasattr(model, change) else model
        return model


LOADING = 2
"""How often a worker that dies while it loads a model is to try again."""
ANSWERING = 20
"""How often a part is to be asked again that no worker has lived to answer."""


class RayWorkers:
    """Some workers in Ray.

    If a worker is killed or its machine leaves, Ray starts it elsewhere and asks its requests again. Nothing waits for
    the last worker: the first ones begin, and others join them when they have loaded the model. They end when nobody
    holds them any more, so that others can have their cores and GPUs.

    Parameters
    ----------
    number : int
        How many workers.
    gpus : float
        GPUs of each; with a fraction, several share one.
    address : str, optional
        Of a cluster, as Ray takes it; without it, the address in the variable ``RAY_ADDRESS``, or else this machine.

    Raises
    ------
    InputError
        If Ray is not installed, the cluster cannot be reached, or this machine has no room for these workers.
    """

    def __init__(self, number: int, gpus: float = 0.0, address: str | None = None) -> None:
        if number < 1 or not gpus >= 0:
            raise InputError(
                f"{number} workers with {gpus:g} GPUs each", expected="at least 1 worker and 0 GPUs"
            )
        try:
            import ray
        except ImportError:
            raise InputError(f"workers need Ray: {install('ray')}") from None
        self._ray, self.number, cpus = ray, number, 1.0
        if _start(ray, address):
            room = ray.cluster_resources()
            if number * gpus > (there := room.get("GPU", 0.0)):
                raise InputError(
                    f"{number} workers with {gpus:g} GPUs each, and this machine has {there:g}",
                    expected="fewer",
                )
            each = room.get("CPU", 1.0) / number
            cpus = float(int(each)) if each >= 1 else each
        kind = ray.remote(num_cpus=cpus, num_gpus=gpus, max_restarts=-1, max_task_retries=-1)(Worker)
        self._workers = [kind.remote() for _ in range(number)]
        self._ready: list[Any] = []
        self._loading: dict[Any, Any] = {}
        self._first: Description | None = None

    def describe(self, asked: Asked) -> Description:
        """Begin to load a model in every worker, and describe it as soon as one has.

        Raises
        ------
        ProbSenseError
            As the loading of the model raises it.
        """
        load = {"max_task_retries": LOADING}
        self._ready, self._first = [], None
        self._loading = {one.describe.options(**load).remote(asked): one for one in self._workers}
        with _plain_errors(self._ray):
            while self._first is None:
                (done,), _ = self._ray.wait([*self._loading])
                self._join(done)
        return self._first

    def answer(self, asked: Asked, verb: Verb, parts: Sequence[Sequence[Request]]) -> Iterator[Done]:
        """Yield the answers to each part of the requests, in the order in which they come.

        Raises
        ------
        ProbSenseError
            As the model raises it, and if the workers have loaded models that differ.
        """
        left = iter(enumerate(parts))
        answering: dict[Any, Any] = {}
        try:
            with _plain_errors(self._ray):
                while True:
                    for number, part in islice(left, len(self._ready)):
                        worker = self._ready.pop()
                        ask = worker.answer.options(max_task_retries=ANSWERING)
                        answering[ask.remote(asked, verb, number, part)] = worker
                    if not answering:
                        return
                    (done,), _ = self._ray.wait([*answering, *self._loading])
                    if done in self._loading:
                        self._join(done)
                    else:
                        self._ready.append(answering.pop(done))
                        yield self._ray.get(done)
        finally:  # also when nobody wants the rest of the answers
            self._ready += answering.values()

    def _join(self, loaded: Any) -> None:
        """Let a worker answer that has loaded the model."""
        worker, found = self._loading.pop(loaded), self._ray.get(loaded)
        first = self._first = self._first or found
        if differing := [key for key in first.details if first.details[key] != found.details.get(key)]:
            raise ModelError(f"the workers have loaded different models: their {', '.join(differing)} differ")
        self._ready.append(worker)


def _start(ray: Any, address: str | None) -> bool:
    """Connect to Ray, or start it; tell whether it runs on this machine alone."""
    local = address is None and "RAY_ADDRESS" not in os.environ
    if not ray.is_initialized():
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}  # else Ray writes into the progress bar
        own = {"address": "local", "include_dashboard": False}
        try:
            ray.init(**quiet, **(own if local else {"address": address}))
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise InputError(f"Ray cannot be reached: {error}", expected="the address of a cluster") from None
    return local


@contextmanager
def _plain_errors(ray: Any) -> Iterator[None]:
    """Raise the error of a worker itself, not the trace that Ray puts around it."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, ProbSenseError):
            raise cause from None
        raise ModelError(f"a worker failed: {type(cause).__name__}: {cause}") from error
    except (ray.exceptions.ActorDiedError, ray.exceptions.ActorUnavailableError):
        raise ModelError(
            "a worker died each time that it was started: its machine may have too little memory for the model, and"
            " Ray's logs there (/tmp/ray/session_latest/logs) say more"
        ) from None
    except ray.exceptions.RayError as error:
        raise ModelError(f"the workers failed: {error}") from error


PARTS = 4
"""How many parts each worker gets at least, so that all end at about the same time."""
LONGEST = 200_000
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

    def prompt_formats(self) -> Sequence[str]:
        """List the formats of the model in each worker."""
        return self.formats

    def _changed(self, change: str, argument: Any) -> Pooled:
        """Return the model that a method makes of the model in each worker."""
        asked = self.asked._replace(changes=(*self.asked.changes, (change, argument)))
        return replace(self, asked=asked, **vars(self.workers.describe(asked)))

    for_form = partialmethod(_changed, "for_form")
    in_prompt_format = partialmethod(_changed, "in_prompt_format")
    in_thinking = partialmethod(_changed, "in_thinking")

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
        Number of Ray processes; each loads the model.
    gpus_per_worker : float
        GPUs of each process; .5 lets two processes share one.
    address : str, optional
        Address of a Ray cluster; by default RAY_ADDRESS, or else this machine.
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
