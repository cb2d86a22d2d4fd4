"""The client: retries, waiting, time limits, what is fatal, and what it says."""

import asyncio
import gzip
import json
import pickle
import threading
import tracemalloc

import pytest

from probsense.core.errors import InputError
from probsense.models.openai.client import (
    START,
    Client,
    Limit,
    checked_url,
    proxy_for,
    retry_after,
    run_sync,
    stream,
)
from probsense.models.openai.keys import Key, key_from_environment
from probsense.models.openai.wire import Exhausted, Refused
from support.servers.asking import nap, quick
from support.servers.hostile import response, serving

BODY = {"model": "toy", "prompt": "x", "max_tokens": 1}


def post(url, path="completions", body=BODY, **more):
    async def one():
        async with quick(url, **more) as client:
            return await client.ask(path, body, dict), client

    return run_sync(one())


def replies(*all_of_them):
    """A server that gives one reply after the other, and the last one for ever."""
    left = list(all_of_them)
    return lambda path, head, body: left.pop(0) if len(left) > 1 else left[0]


OK = response(b'{"choices": []}')
BUSY = response(b'{"error": {"message": "slow down"}}', 429)


def test_it_is_asked_again_until_it_answers():
    with serving(reply=replies(BUSY, response(b"", 500), response(b"{", 200), OK)) as server:
        answer, client = post(server.url)
    assert answer == {"choices": []}
    assert client.requests == 4


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 422])
def test_a_refusal_stops_at_once_and_says_what_to_do(status):
    said = json.dumps({"error": {"message": "no\nsuch thing", "code": "c"}}).encode()
    with serving(reply=replies(response(said, status))) as server:
        with pytest.raises(Refused) as caught:
            post(server.url)
        assert sum(server.asked.values()) == 1
    assert str(caught.value).startswith(f"{server.url}: HTTP {status}: no such thing; ")
    assert caught.value.reason == f"HTTP {status}: no such thing"
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("status", "content", "more", "part"),
    [
        (429, {"error": {"message": "quota", "code": "insufficient_quota"}}, "", "no credit"),
        (429, {"error": "hurry"}, "Retry-After: 86400\r\n", "86,400 seconds: run the same command again"),
        (307, {}, "Location: http://[\r\n", "it points elsewhere: check base_url"),
        (404, {"detail": "Not Found"}, "", "Not Found; check base_url"),
        (404, {"error": {"message": {"a": 1}}}, "", '{"a": 1}'),
    ],
)
def test_other_things_that_no_try_mends(status, content, more, part):
    with serving(reply=replies(response(json.dumps(content).encode(), status, more))) as server:
        with pytest.raises(Refused, match=part.replace("{", "\\{")):
            post(server.url)
        assert sum(server.asked.values()) == 1


def test_retry_after_is_respected_by_all():
    slept = []

    async def sleep(seconds):
        slept.append(seconds)
        await nap(0)

    clock = iter(range(10**6))
    reply = replies(response(b"", 429, "Retry-After: 40\r\n"), OK)
    with serving(reply=reply) as server:
        _, client = post(server.url, sleep=sleep, clock=lambda: next(clock) / 1000, draw=lambda: 0.5)
    assert client.requests == 2
    assert slept[0] == 0.25  # the pause of this request: half of the longest one before the second try
    assert max(slept) == pytest.approx(40, abs=0.1)


def test_pauses_grow_with_full_jitter():
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    with serving(reply=replies(response(b"", 500))) as server, pytest.raises(Exhausted):
        post(server.url, tries=10, sleep=sleep, draw=lambda: 1.0)
    assert slept == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_packed_answers_are_read():
    raw = json.dumps({"choices": [{"text": str(i)} for i in range(30_000)]}).encode()
    packed = response(gzip.compress(raw, 1), 200, "Content-Encoding: GZip\r\n")
    with serving(reply=replies(packed)) as server:
        assert post(server.url, tries=1)[0] == json.loads(raw)


def test_a_bomb_is_not_unpacked():
    # Of many small objects the parser makes far more than their text.
    bomb = gzip.compress(b'{"choices": [' + b"{}," * (100 * 10**6 // 3) + b"{}]}", 1)
    packed = response(bomb, 200, "Content-Encoding: gzip\r\n")
    with serving(reply=replies(packed)) as server:
        tracemalloc.start()
        try:
            with pytest.raises(Exhausted, match="more than 16,000,000 bytes"):
                post(server.url, tries=2)
            assert tracemalloc.get_traced_memory()[1] < 60e6
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    ("encoding", "part"),
    [
        *((other, "nobody asked for") for other in ("br", "deflate", "gzip, gzip", "zstd")),
        ("gzip", "cannot be unpacked"),
    ],
)
def test_answers_packed_in_other_ways_are_none(encoding, part):
    packed = response(b"{}", 200, f"Content-Encoding: {encoding}\r\n")
    with serving(reply=replies(packed)) as server, pytest.raises(Exhausted, match=part):
        post(server.url, tries=1)


def test_it_adapts_to_what_the_server_takes():
    async def many(url):
        async with quick(url, concurrency=64, tries=50) as client:
            await asyncio.gather(*(client.ask("completions", BODY, dict) for _ in range(400)))
            return client

    with serving(delay=0.01, most=12) as server:
        client = run_sync(many(server.url))
    assert server.faults["429"] == client.requests - 400
    assert client.requests < 550


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("-3.5", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        *((odd, 0.0) for odd in ("", "soon", "9" * 400, "Thu, 99 Foo", "\x00é")),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 100.0),
        ("Wed, 31 Dec 1969 00:00:00 GMT", 0.0),
    ],
)
def test_retry_after(header, seconds):
    assert retry_after(header, 20.0) == seconds


@pytest.mark.parametrize(
    "url",
    [
        *("", "localhost:8000", "ftp://h/v1", "http://", "http://h:x"),
        *("http://u:sk-secret@h/v1", "http://h/v1?key=sk-secret", "http://h/#sk-secret"),
    ],
)
def test_a_base_url_that_is_none_is_not_shown(url):
    with pytest.raises(InputError) as caught:
        checked_url(url)
    assert "secret" not in str(caught.value)


CANARY = "sk-canary-0123456789abcdef"


def test_a_key_does_not_show_itself():
    key = Key(CANARY)
    client = Client("http://h/v1", key)
    for shown in (repr(key), str(key), f"{key}", repr([key]), repr(client), repr(vars(client))):
        assert "canary" not in shown
    with pytest.raises(TypeError):
        pickle.dumps(key)


@pytest.mark.parametrize("secret", ["sk canary", "sk-canary\nX: y", "sk-cänary-0123456789"])
def test_a_key_that_cannot_be_sent_is_not_shown(monkeypatch, secret):
    monkeypatch.setenv("KEY", secret)
    with pytest.raises(InputError) as caught:
        key_from_environment("KEY")
    assert "KEY" in str(caught.value)
    assert "nary" not in str(caught.value)


def test_keys_of_the_environment(monkeypatch):
    monkeypatch.setenv("KEY", f" {CANARY}\n")
    assert key_from_environment("KEY").header() == {"Authorization": f"Bearer {CANARY}"}
    monkeypatch.setenv("KEY", " ")
    assert key_from_environment("KEY") is None
    assert key_from_environment("NO_SUCH_KEY") is None


def test_proxies_of_the_environment(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://proxy:1")
    monkeypatch.setenv("no_proxy", "inside.test")
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert proxy_for("https://api.test/v1") == "http://proxy:1"
    others = (
        "http://api.test",
        "https://inside.test",
        "https://127.0.0.1:80",
        "https://localhost",
        "https://[::1]",
    )
    assert {proxy_for(f"{url}/v1") for url in others} == {None}


def test_requests_go_through_the_proxy_of_the_environment(monkeypatch):
    heads = []

    def reply(path, head, body):
        heads.append(head)
        return response(b"{}")

    with serving(reply=reply) as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        assert post("http://api.test/v1", tries=1)[0] == {}
        assert post(server.url, tries=1)[0] == {}
    assert [head.split()[1] for head in heads] == ["http://api.test/v1/completions", "/v1/completions"]
    assert "host: api.test\r\n" in heads[0].lower()


def test_a_connection_that_the_server_closes_is_replaced_without_a_retry_and_a_cookie():
    heads = []

    def reply(path, head, body):
        heads.append(head.lower())
        return response(b"{}", 200, "Connection: close\r\nSet-Cookie: a=b\r\n")

    async def twice(url):
        async with quick(url, tries=1) as client:
            return [await client.ask("x", {}, dict) for _ in range(2)]

    with serving(reply=reply) as server:
        assert run_sync(twice(server.url)) == [{}, {}]
    assert not any("cookie" in head or "authorization" in head for head in heads)


# From an event loop to a plain iterator: interruption


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


def test_run_sync_works_where_a_loop_is_running():
    async def inner():
        return 7

    async def outer():
        return run_sync(inner())

    assert asyncio.run(outer()) == 7


# How many requests may be under way: the limit against a simulated server that can do so many at once


class World:
    """A clock that goes on when somebody sleeps."""

    def __init__(self):
        self.now = 0.0

    def clock(self):
        return self.now

    async def sleep(self, seconds):
        await asyncio.sleep(0)
        self.now += seconds


def limit(most, world=None):
    world = world or World()
    return Limit(most, clock=world.clock, sleep=world.sleep)


async def simulate(most, capacity, count):
    """Many workers at a server that can do so many at once; how many were under way at each start, and refusals."""
    ticks = World()
    found = limit(most, ticks)
    under_way, starts, refusals = 0, [], 0
    left = iter(range(count))

    async def work():
        nonlocal under_way, refusals
        for _ in left:
            async with found.slot() as started:
                under_way += 1
                starts.append(under_way)
                fits = under_way <= capacity
                for _ in range(10):
                    await asyncio.sleep(0)
                under_way -= 1
                ticks.now += 1
                if fits:
                    found.grow()
                else:
                    refusals += 1
                    found.halve(started)

    await asyncio.gather(*(work() for _ in range(300)))
    return starts, refusals


def test_it_finds_what_the_server_can_do():
    starts, refusals = asyncio.run(simulate(1000, 40, 6000))
    assert starts[:START] == [*range(1, START + 1)]
    most = [max(starts[i : i + 100]) for i in range(1000, 6000, 100)]
    assert max(most) == 41
    assert min(most) >= 16
    assert sum(most) / len(most) > 28
    assert refusals < 0.05 * len(starts)


@pytest.mark.parametrize("most", [1, 3, 8, 50])
def test_it_never_exceeds_the_most(most):
    starts, refusals = asyncio.run(simulate(most, 10**9, 1000))
    assert (max(starts), refusals) == (most, 0)


async def halved(size, times):
    """The limit after the server was busy for requests that began at some times, one after the other."""
    world = World()
    found = limit(64, world)
    found.size = size
    for started, now in times:
        world.now = now
        found.halve(started)
    async with found.slot():
        return found.size


def test_those_that_were_under_way_together_count_once_and_one_is_left():
    assert asyncio.run(halved(64.0, [(1.0, 5.0)] * 10)) == 32.0
    assert asyncio.run(halved(8.0, [(now, now) for now in range(1, 20)])) == 1.0


def test_the_longest_pause_holds_everything():
    async def main():
        found = limit(8)
        found.pause(30.0)
        found.pause(10.0)
        async with found.slot() as started:
            return started

    assert asyncio.run(main()) == 30.0
