"""Limits how many requests are under way: more while all is well, half as many when the server is busy."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

START = 8
"""The limit at the start; it doubles with each round of answers until the server is busy for the first time."""


class Limit:
    """An adaptive limit: additive increase, multiplicative decrease, as TCP has it (Chiu & Jain 1989).

    Parameters
    ----------
    most : int
        The largest number of requests at once.
    clock : callable
        Gives the time in seconds; only differences count.
    sleep : callable
        Waits some seconds.
    """

    def __init__(
        self, most: int, *, clock: Callable[[], float], sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self.size = float(min(START, most))
        self._most = most
        self._enough = float(most)
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._clock, self._sleep = clock, sleep
        self._resumes = self._halved = clock()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for leave to send a request, first come first served; yield the time at which it was given."""
        await self._enter()
        try:
            while (wait := self._resumes - self._clock()) > 0:
                await self._sleep(wait)
            yield self._clock()
        finally:
            self._leave()

    def grow(self) -> None:
        """Count a success: add one for each until the server was once too busy, then one for each round."""
        if self._waiting:  # Otherwise nothing shows that more would go well.
            self.size = min(self._most, self.size + (1 if self.size < self._enough else 1 / self.size))
            self._admit()

    def halve(self, started: float) -> None:
        """Halve the limit, as the server was busy for a request that started then; each round counts once."""
        if started >= self._halved:
            self._halved = self._clock()
            self.size = self._enough = max(1.0, self.size / 2)

    def pause(self, seconds: float) -> None:
        """Send nothing for some time."""
        self._resumes = max(self._resumes, self._clock() + seconds)

    async def _enter(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # It had its turn at that very moment.
                self._leave()
            raise

    def _leave(self) -> None:
        self._busy -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._busy < int(self.size):
            turn = self._waiting.popleft()
            if not turn.done():
                self._busy += 1
                turn.set_result(None)
