"""Measures how near ``openai:`` comes to the ideal rate of many requests at once.

    python benchmarks/throughput.py [--requests N] [--concurrency C] [--delay SECONDS] [--repeats R]

A server on loopback, in a process of its own, answers every request after the delay. The ideal rate is concurrency /
delay; the rate is that of whole label requests, from the first one sent to the last answer parsed, with the start of
the adaptive limit and of all connections within it. The best of the repeats is reported, and with ``--json`` all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import multiprocessing
import time
from multiprocessing.connection import Connection

from probsense.core.records import LabelRequest, LabelResponse
from probsense.models.openai.load import load
from probsense.models.openai.requests import Abilities

YES_NO = (("yes", ("yes",)), ("no", ("no",)))
TOKENS = ("yes", "no", " Yes", "No", *map(chr, range(97, 113)))
"""Twenty alternatives, as many as OpenAI gives."""
GOAL = 0.85


class Answering(asyncio.Protocol):
    """One connection, which gives the same answer to every request, after a delay."""

    def __init__(self, answer: bytes, delay: float) -> None:
        self._answer, self._delay = answer, delay
        self._come = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each whole request."""
        self._come += data
        while (end := self._come.find(b"\r\n\r\n")) >= 0:
            head = self._come[:end].lower()
            length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
            if len(self._come) < end + 4 + length:
                return
            self._come = self._come[end + 4 + length :]
            asyncio.get_running_loop().call_later(self._delay, self._transport.write, self._answer)


def whole_answer() -> bytes:
    """Write a chat completion with the log-probabilities of twenty alternatives."""
    top = [
        {"token": token, "logprob": math.log(0.9) - (i + 1) * math.log(2), "bytes": [*token.encode()]}
        for i, token in enumerate(TOKENS)
    ]
    body = {
        "id": "chatcmpl-1",
        "model": "model",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "yes"},
                "finish_reason": "length",
                "logprobs": {"content": [top[0] | {"top_logprobs": top}]},
            }
        ],
        "usage": {"prompt_tokens": 40, "completion_tokens": 1},
    }
    raw = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(raw),
        raw,
    )


def serve(port: Connection, delay: float) -> None:
    """Serve until the process is ended; the port goes through the pipe."""

    async def main() -> None:
        answer = whole_answer()
        server = await asyncio.get_running_loop().create_server(
            lambda: Answering(answer, delay), "127.0.0.1", 0, backlog=1024
        )
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def measure(url: str, requests: int, concurrency: int) -> float:
    """Measure the answers per second."""
    model = load(
        "model",
        base_url=url,
        api_key_env="PROBSENSE_NO_KEY",
        concurrency=concurrency,
        abilities=Abilities("chat", top_logprobs=len(TOKENS)),
    )
    asked = [LabelRequest(f"Is {i} an even number? Answer yes or no.", YES_NO) for i in range(requests)]
    started = time.perf_counter()
    found = dict(pair for batch in model.labels(asked) for pair in batch)
    seconds = time.perf_counter() - started
    assert len(found) == requests
    assert all(isinstance(answer, LabelResponse) for answer in found.values())
    assert model.usage.requests == requests
    return requests / seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Throughput of requests to a server.")
    parser.add_argument("--requests", type=int, default=8000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=serve, args=(there, given.delay), daemon=True
    )
    process.start()
    try:
        url = f"http://127.0.0.1:{here.recv()}/v1"
        ideal = given.concurrency / given.delay
        rates = [measure(url, given.requests, given.concurrency) for _ in range(given.repeats)]
    finally:
        process.terminate()
    best = max(rates)
    if given.json:
        print(json.dumps({"ideal": ideal, "rates": rates, "share": best / ideal}))
        return
    print(f"{given.concurrency} requests at once, each answered after {1000 * given.delay:g} ms")
    print(f"ideal    {ideal:8,.0f} answers/s")
    print(f"reached  {best:8,.0f} answers/s, {100 * best / ideal:.0f} % (goal: {100 * GOAL:.0f} %)")


if __name__ == "__main__":
    main()
