"""A loopback server with a toy model behind it that fails at seeded random, in every way that servers have.

What it answers when it does not fail is a function of the request (:func:`truth`), so that a test can tell an answer
from something that only looks like one.
"""

import asyncio
import json
import math
import random
import re
import threading
import zlib
from collections import Counter
from contextlib import contextmanager
from typing import Any

MODEL = "toy"
FINGERPRINT = "fp_1"

Answer = dict[str, Any]

REFUSALS = {
    "429": (429, ""),
    "429 wait": (429, "Retry-After: 1\r\n"),
    "500": (500, ""),
    "503": (503, "Retry-After: 0\r\n"),
    "529": (529, "Retry-After: soon\r\n"),
}
BROKEN = ("timeout", "cut", "truncated", "drip", "no JSON", "a list")
"""Faults of the connection and of the body."""


def alternatives(prompt):
    """The most probable tokens after a prompt: yes, no and others, 0.9 in all."""
    share = (1 + zlib.crc32(prompt.encode("utf-8", "replace")) % 97) / 99
    pairs = [("yes", 0.7 * share), (" No", 0.7 * (1 - share)), ("maybe", 0.125), ("世", 0.05), ("", 0.025)]
    return sorted(((t, math.log(p)) for t, p in pairs), key=lambda pair: -pair[1])


def tokens_of(text):
    """The tokens of a text, words with the blank before them, and their log-probabilities."""
    return [
        (t, -(1 + zlib.crc32(t.encode("utf-8", "replace")) % 7) / 4) for t in re.findall(r"\s?\S+|\s", text)
    ]


def written(prompt, seed, place):
    """A text that the toy model writes."""
    return f"{zlib.crc32(prompt.encode('utf-8', 'replace'))} {seed} {place}"


def chat_answer(body):
    prompt = body["messages"][-1]["content"]
    top = [{"token": t, "logprob": x, "bytes": [*t.encode()]} for t, x in alternatives(prompt)]
    shown = {"content": [top[0] | {"top_logprobs": top[: body.get("top_logprobs", 0)]}]}
    choices = [
        {
            "index": place,
            "message": {"role": "assistant", "content": written(prompt, body.get("seed"), place)},
            "finish_reason": "stop",
            **({"logprobs": shown} if body.get("logprobs") else {}),
        }
        for place in range(body.get("n", 1))
    ]
    return _dressed(choices, len(prompt), 1)


def completion_answer(body):
    prompt = body["prompt"]
    shown = None
    if body.get("echo"):
        pairs = [*tokens_of(prompt), (" end", -1.0)]
        shown = {
            "tokens": [t for t, _ in pairs],
            "token_logprobs": [None, *(x for _, x in pairs[1:])],
            "top_logprobs": None,
            "text_offset": [len("".join(t for t, _ in pairs[:i])) for i in range(len(pairs))],
        }
    elif body.get("logprobs"):
        top = dict(alternatives(prompt)[: body["logprobs"]])
        first, *_ = top
        shown = {"tokens": [first], "token_logprobs": [top[first]], "top_logprobs": [top]}
        shown["text_offset"] = [len(prompt)]
    choices = []
    for place in range(body.get("n", 1)):
        text = written(prompt, body.get("seed"), place)
        choices.append({"index": place, "text": text, "finish_reason": "stop", "logprobs": shown})
    return _dressed(choices, len(prompt), 1)


def truth(path, body):
    """The right answer to a request."""
    return chat_answer(body) if path.endswith("/chat/completions") else completion_answer(body)


def _dressed(choices, read, wrote):
    return {
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "choices": choices,
        "usage": {"prompt_tokens": read, "completion_tokens": wrote},
    }


def _tops(answer):
    for choice in answer["choices"]:
        found = choice.get("logprobs") or {}
        for entry in found.get("content", []):
            yield entry["top_logprobs"]
        yield from found.get("top_logprobs") or []


def _spoil(answer, value):
    """Put a value where a log-probability belongs."""
    for top in _tops(answer):
        if isinstance(top, list):
            top[0]["logprob"] = value
        else:
            top[next(iter(top))] = value
    for choice in answer["choices"]:
        logprobs = choice.get("logprobs") or {}
        if "token_logprobs" in logprobs:
            logprobs["token_logprobs"] = [None, *[value] * (len(logprobs["tokens"]) - 1)]


def _reorder(answer):
    for top in _tops(answer):
        if isinstance(top, list):
            top.reverse()


def _repeat(answer):
    for top in _tops(answer):
        if isinstance(top, list):
            top += [dict(one) for one in top]


def _garble(answer):
    """Half a character, control characters and the like where the text does not matter."""
    for top in _tops(answer):
        if isinstance(top, list):
            for one in top:
                if one["token"] == "世":
                    one |= {"token": "\ud83d\x00\u202e", "bytes": [255, 254]}
    answer["system_fingerprint"] = "fp_1"
    answer["id"] = "\udfff\ud800 \x07"


def _unlog(answer):
    for choice in answer["choices"]:
        choice["logprobs"] = None
        if "message" in choice:
            choice["message"]["content"] = None
        else:
            choice["text"] = None


WRONG = {
    "no logprobs": _unlog,
    "no choices": lambda answer: answer.update(choices=[]),
    "wrong model": lambda answer: answer.update(model="another-one"),
    "NaN": lambda answer: _spoil(answer, math.nan),
    "positive": lambda answer: _spoil(answer, 0.5),
    "400 digits": lambda answer: _spoil(answer, -(10**400)),
}
"""Answers that must never count, where they have log-probabilities."""
ODD = {"order": _reorder, "twice": _repeat, "garbage": _garble}
"""Answers that are right all the same."""

FAULTS = (*REFUSALS, *BROKEN, *WRONG, *ODD)


class Server:
    """What the server was asked, and how it answers.

    Attributes
    ----------
    url : str
        Its base URL.
    asked : Counter of str
        How often each prompt was asked.
    answered : Counter of str
        How often each prompt got a right answer.
    faults : Counter of str
    keys : set of str
        Authorization headers that came.
    """

    def __init__(self, share, faults, seed, delay, most, reply):
        self.url = ""
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.keys: set[str] = set()
        self._busy = 0
        self.share, self._names, self._delay, self._most = share, faults, delay, most
        self._reply = reply
        self._rng = random.Random(seed)
        self._left: list[str] = []

    async def serve(self, reader, writer):
        """One connection."""
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        path = head.split(" ")[1]
        body = json.loads(raw) if raw else {}
        prompt = body.get("prompt") or "".join(m["content"] for m in body.get("messages", []))
        self.asked[prompt] += 1
        if "authorization" in headers:
            self.keys.add(re.search(r"(?i)authorization: (.*)\r\n", head).group(1))
        self._busy += 1
        try:
            await asyncio.sleep(self._delay)
            if self._reply is not None:
                writer.write(self._reply(path, head, body))
                await writer.drain()
                return True
            fault = "429" if self._busy > self._most else self._draw()
            return await self._answer(writer, fault, path, body, prompt)
        finally:
            self._busy -= 1

    def _draw(self):
        """A fault or none; no fault comes again before all have come."""
        if self._rng.random() >= self.share:
            return ""
        if not self._left:
            self._left = self._rng.sample(self._names, len(self._names))
        return self._left.pop()

    async def _answer(self, writer, fault, path, body, prompt):
        if fault:
            self.faults[fault] += 1
        if fault in REFUSALS:
            status, more = REFUSALS[fault]
            writer.write(response(b'{"error": {"message": "not now"}}', status, more))
            return True
        if fault == "timeout":
            await asyncio.sleep(30)
            return False
        answer = {"data": [{"id": MODEL}]} if path.endswith("/models") else truth(path, body)
        for changes in (WRONG, ODD):
            if fault in changes:
                changes[fault](answer)
        if not fault or fault in ODD:
            self.answered[prompt] += 1
        raw = json.dumps(answer).encode()
        if fault == "garbage":
            raw = raw.replace(b'"index"', b'"\xff\xfe": 1, "index"')
        if fault == "no JSON":
            raw = b"<html>Bad Gateway</html>"
        if fault == "a list":
            raw = b"[" + raw + b"]"
        if fault == "truncated":
            raw = raw[: len(raw) // 2]
        whole = response(raw)
        if fault == "cut":
            writer.write(whole[: len(whole) - len(raw) // 2])
            return False
        if fault == "drip":
            for i in range(len(whole)):
                writer.write(whole[i : i + 1])
                await writer.drain()
                await asyncio.sleep(0.05)
        writer.write(whole)
        await writer.drain()
        return True


def response(raw, status=200, more=""):
    """An HTTP response."""
    head = (
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{more}Content-Length: {len(raw)}\r\n\r\n"
    )
    return head.encode() + raw


def as_json(answer, status=200):
    """An HTTP response with a document."""
    return response(json.dumps(answer).encode(), status)


@contextmanager
def serving(
    share=0.0,
    faults=FAULTS,
    *,
    seed=0,
    delay=0.0,
    most=10**6,
    reply=None,
):
    """A server on loopback, in a thread of its own.

    Parameters
    ----------
    share : float
        Of the requests that meet one of the faults.
    faults : sequence of str
        Those of :data:`FAULTS` that there are.
    seed : int
    delay : float
        Seconds before every answer.
    most : int
        Beyond so many requests at once, it answers 429.
    reply : callable, optional
        Makes the whole response from path, head and body, instead of all this.
    """
    loop = asyncio.new_event_loop()
    server = Server(share, faults, seed, delay, most, reply)
    listening = loop.run_until_complete(asyncio.start_server(server.serve, "127.0.0.1", 0, limit=2**20))
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listening.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.01))
        loop.close()
