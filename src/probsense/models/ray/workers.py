"""Workers that each have a model loaded: Ray finds machines for them, starts them again, and repeats what they lost."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from probsense.core.errors import InputError, ModelError, ProbSenseError
from probsense.core.records import Json, PromptForm, Request
from probsense.core.registry import install
from probsense.models.base import (
    Batch,
    Capabilities,
    Finding,
    Formatted,
    Model,
    Thinks,
    Usage,
    findings_of,
    in_form,
)
from probsense.models.prompts.thinking import Manner
from probsense.models.registry import fingerprint, load_model

Verb: TypeAlias = Literal["score", "labels", "sample"]


class Asked(NamedTuple):
    """The model that a worker is to ask.

    It has a specification and options, the form of the prompts if there is one, how it thinks first if it does, and the
    prompt format if one was chosen.
    """

    spec: str
    options: Mapping[str, Any]
    form: PromptForm | None = None
    thinking: Manner | None = None
    prompt_format: str | None = None


@dataclass(frozen=True)
class Description:
    """What a worker says of a model that it has loaded; ``formats`` are those of its prompts."""

    name: str
    details: Mapping[str, Json]
    capabilities: Capabilities
    findings: Sequence[Finding]
    manner: Manner | None
    settled: bool
    formats: Mapping[str, str]


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
            (model.settled, dict(model.prompt_formats())) if isinstance(model, Formatted) else (True, {})
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
        loaded = self._loaded[1]
        if asked.thinking is not None and isinstance(loaded, Thinks):
            loaded = loaded.in_thinking(asked.thinking)
        if asked.prompt_format is not None and isinstance(loaded, Formatted):
            return loaded.in_prompt_format(asked.prompt_format)
        return loaded if asked.form is None else in_form(loaded, asked.form)


LOADING: Final = 2
"""How often a worker that dies while it loads a model is to try again."""
ANSWERING: Final = 20
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
