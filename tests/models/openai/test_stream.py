"""From an event loop to a plain iterator: order, errors, interruption."""

from __future__ import annotations

import asyncio
import os
import signal
import threading

import pytest

from probsense.models.openai.client import run_sync, stream


def test_everything_comes_once_and_in_order():
    async def produce(emit):
        for i in range(100):
            emit(i)
            if i % 7 == 0:
                await asyncio.sleep(0.001)

    batches = list(stream(produce))
    assert all(batches)
    assert [x for batch in batches for x in batch] == list(range(100))


def test_it_comes_as_soon_as_it_is_there():
    gate = threading.Event()

    async def produce(emit):
        emit(1)
        while not gate.is_set():
            await asyncio.sleep(0.001)
        emit(2)

    batches = stream(produce)
    assert next(batches) == [1]
    gate.set()
    assert list(batches) == [[2]]


def test_what_came_before_an_error_is_not_lost():
    async def produce(emit):
        emit(1)
        raise ValueError("broken")

    batches = stream(produce)
    assert next(batches) == [1]
    with pytest.raises(ValueError, match="broken"):
        next(batches)


def test_ctrl_c_stops_the_work_and_keeps_what_came():
    go_on, came, stopped = threading.Event(), threading.Event(), threading.Event()

    async def produce(emit):
        try:
            emit(1)
            await asyncio.to_thread(go_on.wait)
            emit(2)
            came.set()
            await asyncio.sleep(60)
        finally:
            emit(3)
            stopped.set()

    batches = stream(produce)
    assert next(batches) == [1]
    go_on.set()
    came.wait()
    assert batches.throw(KeyboardInterrupt) == [2, 3]
    with pytest.raises(KeyboardInterrupt):
        next(batches)
    assert stopped.is_set()


def test_closing_stops_the_work():
    stopped = threading.Event()

    async def produce(emit):
        try:
            emit(1)
            await asyncio.sleep(60)
        finally:
            stopped.set()

    batches = stream(produce)
    next(batches)
    batches.close()
    assert stopped.is_set()


def test_no_results():
    async def produce(emit):
        pass

    assert list(stream(produce)) == []


def test_run_sync_works_where_a_loop_is_running():
    async def inner():
        return 7

    async def outer():
        return run_sync(inner())

    assert asyncio.run(outer()) == 7
    with pytest.raises(ZeroDivisionError):
        run_sync(_fail())


async def _fail():
    return 1 / 0


@pytest.fixture
def ctrl_c():
    """What Ctrl-C does in a process of its own."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


def test_a_real_ctrl_c(ctrl_c):
    async def produce(emit):
        for i in range(500):
            emit(i)
            await asyncio.sleep(0.01)
            if i == 10:
                os.kill(os.getpid(), signal.SIGINT)

    found = []

    def take(batches):
        for batch in batches:
            found.extend(batch)

    with pytest.raises(KeyboardInterrupt):
        take(stream(produce))
    assert found == [*range(len(found))]
    assert len(found) < 500
