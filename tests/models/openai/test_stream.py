"""From an event loop to a plain iterator: order, errors, interruption."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from probsense.models.openai.client import run_sync
from probsense.models.openai.stream import stream


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
    stopped = threading.Event()

    async def produce(emit):
        try:
            emit(1)
            await asyncio.sleep(0.05)
            emit(2)
            await asyncio.sleep(60)
        finally:
            stopped.set()

    batches = stream(produce)
    assert next(batches) == [1]
    time.sleep(0.2)
    assert batches.throw(KeyboardInterrupt) == [2]
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


PROGRAM = """
import asyncio
from probsense.models.openai.stream import stream

async def produce(emit):
    i = 0
    while True:
        emit(i)
        i += 1
        await asyncio.sleep(0.01)

found = []
try:
    for batch in stream(produce):
        found += batch
        print(len(found), flush=True)
except KeyboardInterrupt:
    print("stopped", found == list(range(len(found))), flush=True)
"""


def test_a_real_ctrl_c():
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    for _ in range(5):
        process.stdout.readline()
    started = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out.splitlines()[-1] == "stopped True"
    assert time.monotonic() - started < 10
