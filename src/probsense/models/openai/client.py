"""A thin client of an HTTP API that speaks JSON: retries, an adaptive limit, time limits, and no secrets in errors."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from math import inf
from queue import SimpleQueue
from typing import Any, Final, Self, TypeVar

import httpx
from anyio import CapacityLimiter
from anyio.from_thread import start_blocking_portal

from probsense.core.errors import InputError, ModelError
from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.models.openai import answers
from probsense.models.openai.keys import Key
from probsense.models.openai.requests import (
    PATHS,
    Abilities,
    Route,
    alternatives_wanted,
)
from probsense.models.openai.wire import (
    SHOWN,
    Declined,
    Exhausted,
    Malformed,
    Passing,
    Refused,
    checked_url,
    error_in,
    json_object,
    read_body,
    retry_after,
    transport,
    whole_url,
)

START = 8
"""The limit at the start; it doubles with each round of answers until the server is busy for the first time."""


class Limit:
    """An adaptive limit: additive increase, multiplicative decrease, as TCP has it (Chiu & Jain 1989).

    It is made and used in one event loop.

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
        self._slots = CapacityLimiter(int(self.size))
        self._clock, self._sleep = clock, sleep
        self._resumes = self._halved = clock()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for leave to send a request, first come first served; yield the time at which it was given."""
        async with self._slots:
            while (wait := self._resumes - self._clock()) > 0:
                await self._sleep(wait)
            yield self._clock()

    def grow(self) -> None:
        """Count a success: add one for each until the server was once too busy, then one for each round."""
        # Unless some wait, nothing shows that more would go well.
        if self.size < self._most and self._slots.statistics().tasks_waiting:
            self._resize(min(self._most, self.size + (1 if self.size < self._enough else 1 / self.size)))

    def halve(self, started: float) -> None:
        """Halve the limit, as the server was busy for a request that started then; each round counts once."""
        if started >= self._halved:
            self._halved = self._clock()
            self._enough = max(1.0, self.size / 2)
            self._resize(self._enough)

    def pause(self, seconds: float) -> None:
        """Send nothing for some time."""
        self._resumes = max(self._resumes, self._clock() + seconds)

    def _resize(self, size: float) -> None:
        self.size = size
        self._slots.total_tokens = int(size)


T = TypeVar("T")

TIMEOUT: Final = 120.0
TRIES: Final = 6
CONCURRENCY: Final = 64
MAX_ANSWER: Final = 8.0
"""The largest answer in MB: eight texts of 32,768 tokens, or the log-probabilities of a long prompt, are smaller."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""How many seconds the client waits at most: before the second try, and before any try."""
LONGEST_WAIT = 600.0
"""The longest wait in seconds that a server may ask for; when it wants more, the run ends and can resume later."""

HEADERS: Final[Mapping[str, str]] = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",
    "User-Agent": "probsense",
}
BUSY = frozenset({429, 503, 529})
PASSING = BUSY | {408, 409, 425}
DECLINED = frozenset({400, 404, 405, 413, 422})
ADVICE: Final[Mapping[int, str]] = {
    400: "it does not take this request: check --model and the options of the model, such as prompt_format",
    401: "check the key in the environment variable (OPENAI_API_KEY, or the one that api_key_env names)",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "check base_url (it mostly ends in /v1), the name of the model and prompt_format",
    422: "it does not take this request: check the options of the model, such as prompt_format",
}


class Client:
    """Asks one server; an asynchronous context manager, open in one event loop at a time.

    Parameters
    ----------
    base_url : str
        Where the routes begin, such as "http://127.0.0.1:8000/v1".
    key : Key, optional
    timeout : float
        Seconds for one try, from the first byte sent until the answer is unpacked and parsed.
    tries : int
        How often a request is sent at most.
    concurrency : int
        Requests under way at once, at most.
    max_answer : float
        The largest answer, unpacked, in MB.
    sleep, clock, draw : callable
        Waiting, the time in seconds, and a random number from 0 to 1 for the pauses between tries.

    Attributes
    ----------
    key : Key or None
    concurrency : int
    requests, retries : int
        How many requests were sent, and how many of them were not the first try.

    Raises
    ------
    InputError
        For an invalid base URL, one that has a user, a password or a query (keys belong in the environment), and for
        limits below their least.
    """

    def __init__(
        self,
        base_url: str,
        key: Key | None = None,
        timeout: float = TIMEOUT,
        tries: int = TRIES,
        concurrency: int = CONCURRENCY,
        max_answer: float = MAX_ANSWER,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        draw: Callable[[], float] = random.random,
    ) -> None:
        for name, value in (("max_tries", tries), ("concurrency", concurrency)):
            if value < 1:
                raise InputError(f"{name} {value}", expected="at least 1")
        for name, size, unit in (("timeout", timeout, "seconds"), ("max_answer", max_answer, "MB")):
            if not 0 < size < inf:
                raise InputError(f"{name} {size:g}", expected=f"more than 0 {unit}")
        self.base_url = checked_url(base_url)
        self.requests = self.retries = 0
        self.key = key
        self._headers = httpx.Headers({**HEADERS, **(key.header() if key else {})})
        self._timeout, self._tries, self.concurrency = timeout, tries, concurrency
        self._longest = int(max_answer * 10**6)
        self._sleep, self._clock, self._draw = sleep, clock, draw

    async def __aenter__(self) -> Self:
        self._limit = Limit(self.concurrency, clock=self._clock, sleep=self._sleep)
        self._transport = transport(self.base_url, self.concurrency)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()

    async def ask(self, path: str, body: Mapping[str, Json], read: Callable[[dict[str, Any]], T]) -> T:
        """Return the result of ``read`` for the answer; where it finds the answer malformed, send the request again.

        Parameters
        ----------
        path : str
            Relative to the base URL.
        body : Mapping
            The body to post.
        read : callable
            Raises :class:`Malformed` if the server's words are no answer.

        Raises
        ------
        Refused
            If the server will not answer it.
        Exhausted
            If every try failed.
        """
        content = json.dumps(body, allow_nan=False).encode()
        tries = 0
        while True:
            async with self._limit.slot() as started:
                try:
                    found = read(await self._send(path, content))
                    self._limit.grow()
                    return found
                except Passing as error:
                    fault = error
                if fault.busy:
                    self._limit.halve(started)
                self._limit.pause(fault.wait)
            tries += 1
            if tries == self._tries:
                raise Exhausted(fault.reason, tries)
            self.retries += 1
            # Full jitter, so that those who failed together do not come back together.
            await self._sleep(self._draw() * min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1)))

    async def _send(self, path: str, content: bytes) -> dict[str, Any]:
        """Try once."""
        self.requests += 1
        try:
            async with asyncio.timeout(self._timeout) as limit:
                response, raw = await self._exchange(whole_url(self.base_url, path), content)
                found = json_object(raw, self.key) if response.is_success else self._fault(response, raw)
                # Nothing interrupts the parser, so the time is looked at after it.
                if asyncio.get_running_loop().time() > (limit.when() or 0.0):
                    raise TimeoutError
        except TimeoutError:
            raise Passing(f"no whole answer within {self._timeout:g} seconds") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise Passing(
                self._plain(f"{_FAULTS.get(type(error), 'the connection failed')}: {error}")
            ) from None
        if isinstance(found, dict):
            return found
        raise found

    async def _exchange(self, url: httpx.URL, content: bytes) -> tuple[httpx.Response, bytes]:
        """Send a request; return the server's answer and its body."""
        request = httpx.Request("POST", url, headers=self._headers, content=content)
        async with aclosing(await self._transport.handle_async_request(request)) as response:
            return response, await read_body(response, self._longest)

    def _fault(self, response: httpx.Response, raw: bytes) -> Passing | Refused:
        """Turn an answer that reports an error into the fault that it means."""
        status = response.status_code
        said, code = error_in(raw, self.key)
        reason = self._plain(f"HTTP {status}{': ' if said else ''}{said}")
        if status == 429 and code == "insufficient_quota":
            advice = ADVICE[402]
        elif status in PASSING or status >= 500:
            wait = retry_after(response.headers.get("Retry-After", ""), time.time())
            if wait <= LONGEST_WAIT:
                return Passing(reason, busy=status in BUSY, wait=wait)
            advice = f"it asks to be left alone for {wait:,.0f} seconds: run the same command again then"
        elif 300 <= status < 400:
            advice = "it points elsewhere: check base_url"
        else:
            advice = ADVICE.get(status, "it refuses the request")
        refusal = Declined if status in DECLINED else Refused
        return refusal(f"{self.base_url}: {reason}; {advice}", status, reason)

    def _plain(self, text: str) -> str:
        """Shorten a text to one line without the key."""
        shown = self.key.hide(text) if self.key else text
        line = " ".join("".join(c if c.isprintable() else " " for c in shown).split())
        return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


_FAULTS: Final[Mapping[type[BaseException], str]] = {
    httpx.ConnectError: "the server cannot be reached",
    httpx.RemoteProtocolError: "the answer was cut off",
    httpx.ReadError: "the connection broke",
}


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine and return its result, even where an event loop is running already (as in a notebook)."""
    with start_blocking_portal() as portal:
        found: T = portal.call(lambda: coroutine)
        return found


GATHER = 0.01
"""How many seconds results gather after one has come; taken one by one, thousands a second would be slow."""


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
    arrived: SimpleQueue[Any] = SimpleQueue()
    ended, results = False, list[T]()
    try:
        with start_blocking_portal() as portal:
            work = portal.start_task_soon(produce, arrived.put)
            work.add_done_callback(arrived.put)  # the last to arrive
            try:
                while not ended:
                    ended = (found := arrived.get()) is work
                    if not ended:
                        results.append(found)
                        if len(results) == 1:
                            time.sleep(GATHER)
                    if results and (ended or arrived.empty()):
                        batch, results = results, []
                        yield batch
            finally:
                work.cancel()
    except KeyboardInterrupt:
        results += [one for _ in range(arrived.qsize()) if (one := arrived.get()) is not work]
        if results:
            yield results
        raise
    work.result()


async def all_of(work: Any) -> list[Any]:
    """Return the results of several coroutines in order; the first error ends them all, and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


TOP = (20, 5, 1)
"""Numbers of alternatives that servers allow, in falling order."""


@dataclass(slots=True)
class Endpoint:
    """A model at a server, and what is known of it.

    Attributes
    ----------
    client : Client
    model : str
        The name that requests give.
    extra_body : Mapping
        Further parameters for every body.
    only : {"chat", "completions"}, optional
        The only route to use.
    can : Abilities
        The requests that it can answer, by what is known so far.
    findings : list of Finding
        What was found so far.
    """

    client: Client
    model: str
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    only: str | None = None
    can: Abilities = field(default_factory=Abilities)
    findings: list[Finding] = field(default_factory=list)

    def note(
        self,
        name: str,
        ok: bool | None,
        detail: str,
        data: Mapping[str, Json] | None = None,
        **abilities: Any,
    ) -> None:
        """Add a finding, and the abilities that change by it."""
        self.findings.append(Finding(name, ok, detail, data or {}))
        self.can = replace(self.can, **abilities)

    async def ask(self, prompt: str, wish: Mapping[str, Json], route: Route | None = None) -> dict[str, Any]:
        """Return an answer that has choices, by the route that answers or another one.

        Raises
        ------
        Declined, Exhausted
            If the server does not answer a request of this kind.
        Refused
            If it answers none.
        ModelError
            If the answer has no choices.
        """
        route = route or self.can.route
        question: dict[str, Json] = (
            {"messages": [{"role": "user", "content": prompt}]} if route == "chat" else {"prompt": prompt}
        )
        body = {**self.extra_body, "model": self.model, **question, **wish}
        answer = await self.client.ask(PATHS[route], body, dict)
        try:
            answers.choices(answer)
        except Malformed:
            raise ModelError("the server answers, but not with choices: check base_url") from None
        return answer

    async def ask_alternatives(self, prompt: str, wish: Mapping[str, Json]) -> dict[str, Any]:
        """Return an answer with as many alternatives as the server gives.

        Raises
        ------
        Declined, Exhausted
            If it gives none, or breaks down over them.
        """
        *many, one = ({**wish, **alternatives_wanted(self.can.route, k)} for k in TOP)
        for wanted in many:
            with suppress(Declined):
                return await self.ask(prompt, wanted)
        return await self.ask(prompt, one)
