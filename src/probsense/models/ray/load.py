"""Loads a model in several processes of Ray, on one machine or on a cluster: ``ray:hf:NAME``."""

from __future__ import annotations

from typing import Any

from probsense.models.ray.pooled import Pooled, pooled
from probsense.models.registry import check_spec


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
