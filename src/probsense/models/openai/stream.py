"""Carries results from an event loop, which runs in a thread of its own, to a plain iterator."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

GATHER = 0.01
"""How many seconds results gather after one has come; taken one by one, thousands a second would be slow."""


class _End:
    """Marks the end of the results."""


def stream(produce: Callable[[Callable[[T], None]], Coroutine[Any, Any, None]]) -> Iterator[list[T]]:
    """Yield the results of a coroutine as they come.

    Parameters
    ----------
    produce : callable
        Takes a function to which it passes its results; it runs in an event loop of its own.

    Yields
    ------
    list
        All results that came since the last ones, at least one. On Ctrl-C the loop stops, and the results that have
        come are yielded before ``KeyboardInterrupt`` is raised again; the same holds for an error in ``produce``.
    """
    arrived: SimpleQueue[T | type[_End]] = SimpleQueue()
    started: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None] = SimpleQueue()
    failed: list[BaseException] = []

    async def main() -> None:
        work = asyncio.ensure_future(produce(arrived.put))
        started.put((asyncio.get_running_loop(), work))
        await work

    def run() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            failed.append(error)
        finally:
            started.put(None)  # In case no loop could be had.
            arrived.put(_End)

    thread = threading.Thread(target=run, name="probsense-requests", daemon=True)
    thread.start()
    running = started.get()

    def stop() -> None:
        if running is not None:
            with suppress(RuntimeError):  # The loop is closed already.
                running[0].call_soon_threadsafe(running[1].cancel)
        thread.join()

    results: list[T] = []
    try:
        ended = False
        while not ended:
            ended = _take(arrived, results)
            batch, results = results, []
            if batch:
                yield batch
    except KeyboardInterrupt:
        stop()
        while not arrived.empty():
            _take(arrived, results)
        if results:
            yield results
        raise
    finally:
        stop()
    if failed:
        raise failed[0]


def _take(arrived: SimpleQueue[T | type[_End]], results: list[T]) -> bool:
    """Wait for a result, then take all that are there; return whether that was the end."""
    while (found := arrived.get()) is not _End:
        results.append(found)  # type: ignore[arg-type]
        if len(results) == 1:
            time.sleep(GATHER)
        if arrived.empty():
            return False
    return True
