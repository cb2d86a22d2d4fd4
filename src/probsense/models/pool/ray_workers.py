"""Starts workers in Ray, which finds machines for them, starts those again that die, and repeats what they lost."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from probsense.errors import InputError, ModelError, ProbSenseError
from probsense.extras import install
from probsense.models.pool.worker import Asked, Description, Done, Verb, Worker
from probsense.records import Request


class RayWorkers:
    """Some workers in Ray.

    If a worker is killed or its machine leaves, Ray starts it elsewhere and asks its requests again.

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

    def describe(self, asked: Asked) -> Description:
        """Load a model in every worker, and describe it.

        Raises
        ------
        ProbSenseError
            As the loading of the model raises it, and if the workers have loaded models that differ.
        """
        with _plain_errors(self._ray):
            found: list[Description] = self._ray.get([one.describe.remote(asked) for one in self._workers])
        first = found[0]
        for other in found[1:]:
            if differing := [key for key in first.details if first.details[key] != other.details.get(key)]:
                raise ModelError(
                    f"the workers have loaded different models: their {', '.join(differing)} differ"
                )
        return first

    def answer(self, asked: Asked, verb: Verb, parts: Sequence[Sequence[Request]]) -> Iterator[Done]:
        """Yield the answers to each part of the requests, in the order in which they come.

        Raises
        ------
        ProbSenseError
            As the model raises it.
        """
        from ray.util import ActorPool

        def ask(worker: Any, numbered: tuple[int, Sequence[Request]]) -> Any:
            return worker.answer.remote(asked, verb, *numbered)

        with _plain_errors(self._ray):
            yield from ActorPool(self._workers).map_unordered(ask, [*enumerate(parts)])


def _start(ray: Any, address: str | None) -> bool:
    """Connect to Ray, or start it; tell whether it runs on this machine alone."""
    local = address is None and "RAY_ADDRESS" not in os.environ
    if not ray.is_initialized():
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}  # else Ray writes into the progress bar
        try:
            ray.init(address=address, **quiet, **({"include_dashboard": False} if local else {}))
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
    except ray.exceptions.RayError as error:
        raise ModelError(f"the workers failed: {error}") from error
