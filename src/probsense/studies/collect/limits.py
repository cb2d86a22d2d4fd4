"""Limits on what one participant may ask for."""

from __future__ import annotations

from typing import Final

BODY: Final = 64 * 1024
"""The largest number of bytes of a form."""
SLOWEST: Final = 30.0
"""Seconds within which a form must arrive."""
BURST: Final = 40
PER_SECOND: Final = 5.0
_KEPT: Final = 10_000


class Pace:
    """A bucket for each participant: :data:`BURST` requests at once, and :data:`PER_SECOND` in the long run."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, int]] = {}

    def allows(self, token: str, now: int) -> bool:
        """Take one request of a participant at a time in milliseconds; tell whether there was one left."""
        left, since = self._left.pop(token, (float(BURST), now))
        passed = max(0, now - since)  # A clock that was set back is no reason to let anybody wait.
        left = min(float(BURST), left + passed / 1000 * PER_SECOND)
        fine = left >= 1
        self._left[token] = (left - 1 if fine else left, now)
        if len(self._left) > _KEPT:  # The one that asked longest ago has its bucket full again, or is gone.
            del self._left[next(iter(self._left))]
        return fine
