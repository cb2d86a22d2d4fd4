"""Simulates studies of a size, and keeps what came out: the width of intervals, and how often a difference shows."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from probsense.core.errors import InputError
from probsense.tasks.shared.planning import Study

STUDIES = 1000
"""How many studies are simulated for the power at a size."""
FEW = 4
"""How many studies show a width roughly."""
FEWER, FEWEST = 10, 16
"""Widths of intervals differ little between studies: they take ``FEWER`` times fewer, or ``FEWEST`` where slow."""
PRECISE, BLOCKS, SLOW_BLOCKS = 0.02, 6, 3
"""More studies follow until the error of a mean width is this share of it, or until so many blocks are done."""
ROUGH = 5
"""The search for sizes to look at divides the number of studies by this."""
ALPHA = 0.05


class Mean(NamedTuple):
    """A mean over simulated studies, its simulation error (one standard error), and how many studies there were."""

    value: float
    error: float
    studies: int


class Simulated:
    """Simulated studies of one setting, by size; the same seed and size give the same studies.

    Parameters
    ----------
    study : Study
    difference : float or None
        The true difference between the first model and all others.
    models : int
        How many models are compared.
    studies : int
        As :data:`STUDIES`.
    seed : sequence of int
    tell : callable
        Called after every size that was simulated.
    """

    def __init__(
        self,
        study: Study,
        difference: float | None,
        models: int,
        studies: int,
        seed: tuple[int, ...],
        tell: Callable[[], None],
    ) -> None:
        self.study, self.difference, self.models, self.studies = study, difference, models, studies
        self._seed, self._tell = seed, tell
        self._widths: dict[tuple[int, bool], Mean] = {}
        self._powers: dict[tuple[int, bool], Mean] = {}

    def half_width(self, size: int, *, rough: bool = False) -> Mean:
        """Return the mean half-width of the intervals at a size; roughly, it comes from a few studies.

        Raises
        ------
        InputError
            If no interval is known.
        """
        if (size, False) in self._widths:
            return self._widths[size, False]
        if (size, rough) not in self._widths:
            count, blocks = max(FEWEST, self.studies // FEWER), BLOCKS
            if self.study.slow:
                count, blocks = FEWEST, SLOW_BLOCKS
            if rough:
                count, blocks = FEW, 1
            rng, halves = self._rng("width" + "rough" * rough, size), np.empty(0)
            for _ in range(blocks):
                ends = self.study.intervals(size, count, rng)
                halves = np.concatenate([halves, (ends[:, 1] - ends[:, 0]) / 2])
                known = halves[np.isfinite(halves)]
                if len(known) < 2:
                    raise InputError(
                        f"studies of {size:,} {self.study.unit}s have no interval", expected="a larger size"
                    )
                mean, error = float(known.mean()), float(known.std(ddof=1)) / math.sqrt(len(known))
                if error <= PRECISE * mean:
                    break
            self._widths[size, rough] = Mean(mean, error, len(halves))
            self._tell()
        return self._widths[size, rough]

    def power(self, size: int, *, rough: bool = False) -> Mean:
        """Return the share of studies of a size in which the difference is significant at the level of 5 %."""
        assert self.difference is not None
        if (size, rough) not in self._powers:
            count = max(self.studies // ROUGH, FEWEST) if rough else self.studies
            p = self.study.p_values(
                size, self.difference, self.models, count, self._rng("power" + "rough" * rough, size)
            )
            share = float((p < ALPHA).mean())
            # A share of 0 or 1 has an error, too: one study more of each kind stands for it.
            likely = (share * count + 1) / (count + 2)
            self._powers[size, rough] = Mean(share, math.sqrt(likely * (1 - likely) / count), count)
            self._tell()
        return self._powers[size, rough]

    def _rng(self, what: str, size: int) -> np.random.Generator:
        return np.random.default_rng([*self._seed, zlib.crc32(what.encode()), size])
