"""The benchmark of throughput counts what it says; it times nothing here."""

from __future__ import annotations

import multiprocessing

import throughput


def test_every_request_is_answered() -> None:
    here, there = multiprocessing.Pipe()
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=throughput.serve, args=(there, 0.001), daemon=True)
    process.start()
    try:
        assert here.poll(60)
        assert throughput.measure(f"http://127.0.0.1:{here.recv()}/v1", 100, 16) > 0
    finally:
        process.terminate()
