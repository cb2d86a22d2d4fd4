"""How answers are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from probsense.analysis.agreement.bootstrap import DRAWS
from probsense.analysis.distributions.labels import POLICIES
from probsense.core.errors import InputError
from probsense.core.options import checked_seed

Policy: TypeAlias = Literal["split", "drop", "wrong", "separate"]
"""What becomes of answers that are neither yes nor no: see :data:`probsense.analysis.distributions.labels.POLICIES`."""

Pooled: TypeAlias = Literal["fast", "nuts"]
"""How the model that pools people's answers is estimated: fast, or by sampling."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How answers are measured.

    Attributes
    ----------
    policy : Policy
        What becomes of "other".
    draws : int
        Draws of each bootstrap.
    seed : int
        Seeds all draws.
    compat : bool
        Whether the method "published" repeats the faults of the published calculation.
    pooled : Pooled, optional
        How to estimate the model that pools people's answers; without it, it is not used.

    Raises
    ------
    InputError
        For an unknown policy, a negative seed, or fewer than two draws.
    """

    policy: Policy = "split"
    draws: int = DRAWS
    seed: int = 0
    compat: bool = False
    pooled: Pooled | None = None

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise InputError(
                f"no such policy for other answers: {self.policy!r}",
                expected=f"one of {', '.join(POLICIES)}",
            )
        checked_seed(self.seed)
        if self.draws < 2:
            raise InputError(f"{self.draws} draws", expected="at least 2")

    def generator(self, use: int) -> np.random.Generator:
        """Return a generator of random numbers; each use has its own."""
        return np.random.default_rng([self.seed, use])
