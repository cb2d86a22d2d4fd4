"""A thin client of an HTTP API that speaks JSON: retries, an adaptive limit, time limits, and no secrets in errors."""

from __future__ import annotations

import asyncio
import json
import random
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager
from email.utils import parsedate_to_datetime
from functools import partial
from math import inf, isfinite
from queue import SimpleQueue
from typing import Any, Final, Self, TypeVar
from urllib.request import getproxies, proxy_bypass

import httpx
from anyio import CapacityLimiter
from anyio.from_thread import start_blocking_portal

from probsense.core.errors import InputError
from probsense.core.records import Json
from probsense.models.openai.keys import Key
from probsense.models.openai.wire import Declined, Exhausted, Malformed, Passing, Refused
from probsense.show.text import plain, shorten

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
MAX_ANSWER: Final = 16_000_000
"""The largest answer in bytes, unpacked: log-probabilities of a prompt of 100,000 tokens are smaller."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""How many seconds the client waits at most: before the second try, and before any try."""
LONGEST_WAIT = 600.0
"""The longest wait in seconds that a server may ask for; when it wants more, the run ends and can resume later."""

HEADERS: Final[Mapping[str, str]] = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
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
        The most requests under way at once.
    sleep, clock, draw : callable
        Waiting, the time in seconds, and a random number from 0 to 1 for the pauses between tries.

    Attributes
    ----------
    key : Key or None
    concurrency : int
    requests : int
        How many requests were sent, further tries included.

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
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        draw: Callable[[], float] = random.random,
    ) -> None:
        for name, value in (("max_tries", tries), ("concurrency", concurrency)):
            if value < 1:
                raise InputError(f"{name} {value}", expected="at least 1")
        if not 0 < timeout < inf:
            raise InputError(f"timeout {timeout:g}", expected="more than 0 seconds")
        self.base_url = checked_url(base_url)
        self.requests = 0
        self.key = key
        self._headers = httpx.Headers({**HEADERS, **(key.header() if key else {})})
        self._timeout, self._tries, self.concurrency = timeout, tries, concurrency
        self._sleep, self._clock, self._draw = sleep, clock, draw

    async def __aenter__(self) -> Self:
        self._limit = Limit(self.concurrency, clock=self._clock, sleep=self._sleep)
        self._connect = connector(self.base_url)
        self._idle: list[httpx.AsyncHTTPTransport] = []
        return self

    async def __aexit__(self, *_: object) -> None:
        for connection in self._idle:
            await connection.aclose()

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
            # Full jitter, so that those who failed together do not come back together.
            await self._sleep(self._draw() * min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1)))

    async def _send(self, path: str, content: bytes) -> dict[str, Any]:
        """Try once."""
        self.requests += 1
        try:
            async with asyncio.timeout(self._timeout):
                response, raw = await self._exchange(path, content)
        except TimeoutError:
            raise Passing(f"no whole answer within {self._timeout:g} seconds") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise Passing(
                self._plain(f"{_FAULTS.get(type(error), 'the connection failed')}: {error}")
            ) from None
        if response.is_success:
            return json_object(raw, self.key)
        raise self._fault(response, raw)

    async def _exchange(self, path: str, content: bytes) -> tuple[httpx.Response, bytes]:
        """Send a request over a connection that nobody else uses; return the server's answer and its body.

        A pool of all connections would look through all of them several times for each request.
        """
        connection = self._idle.pop() if self._idle else self._connect()
        try:
            url = path if "://" in path else f"{self.base_url}/{path}"
            request = httpx.Request("POST", url, headers=self._headers, content=content)
            async with aclosing(await connection.handle_async_request(request)) as response:
                return response, await read_body(response)
        finally:
            self._idle.append(connection)

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
        return shorten(plain(" ".join(shown.split())), SHOWN)


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
    came: list[Any] = []
    ended = False
    try:
        with start_blocking_portal() as portal:
            work = portal.start_task_soon(produce, arrived.put)
            work.add_done_callback(arrived.put)  # the last to arrive
            try:
                while not ended:
                    came.append(arrived.get())
                    time.sleep(GATHER)
                    came += [arrived.get() for _ in range(arrived.qsize())]
                    ended = came[-1] is work
                    results, came = [one for one in came if one is not work], []
                    if results:
                        yield results
            finally:
                work.cancel()
    except KeyboardInterrupt:
        came += [arrived.get() for _ in range(arrived.qsize())]
        if results := [one for one in came if one is not work]:
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


SHOWN = 300
"""How many characters of a server's words go into an error."""


def checked_url(base_url: str) -> str:
    """Check a base URL, and return it without a slash at its end.

    Raises
    ------
    InputError
        If the URL is invalid, or has more than scheme, host and path. The message does not show it, for it may hold a
        key.
    """
    expected = "http:// or https://, a host and a path, such as https://api.openai.com/v1"
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        raise InputError("the base URL is no URL", expected=expected) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise InputError("the base URL has no scheme or no host", expected=expected)
    if url.userinfo or url.query or url.fragment:
        raise InputError(
            "the base URL has a user, a query or a fragment",
            expected=f"{expected}; a key comes from the environment",
        )
    return str(url).rstrip("/")


def retry_after(header: str, now: float) -> float:
    """Return the seconds that a ``Retry-After`` header asks for (RFC 9110, section 10.2.3); 0 where it makes no sense.

    Parameters
    ----------
    header : str
        Seconds, or a date.
    now : float
        Seconds since 1970.
    """
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - now
        except (ValueError, TypeError, OverflowError, OSError):
            return 0.0
    return max(0.0, seconds) if isfinite(seconds) else 0.0


async def read_body(response: httpx.Response) -> bytes:
    """Return the bytes of an answer; none is unpacked beyond :data:`MAX_ANSWER`, however many it would give.

    Raises
    ------
    Malformed
        If the answer has more bytes, cannot be unpacked, or is packed in a way that nobody asked for.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise Malformed(f"the answer is packed in a way that nobody asked for, {encoding[:60]!r}")
    found, unpacker = bytearray(), zlib.decompressobj(zlib.MAX_WBITS | 16)
    async for piece in response.aiter_raw():
        try:
            more = unpacker.decompress(piece, MAX_ANSWER + 1 - len(found)) if encoding == "gzip" else piece
        except zlib.error:
            raise Malformed("the answer cannot be unpacked") from None
        found += more
        if len(found) > MAX_ANSWER:
            raise Malformed(f"the answer has more than {MAX_ANSWER:,} bytes")
    return bytes(found)


def json_object(raw: bytes, key: Key | None) -> dict[str, Any]:
    """Parse bytes as a JSON object; the replacement character takes the place of what is not UTF-8.

    All that a server says enters here, and leaves without the key.

    Raises
    ------
    Malformed
        If they are no JSON object.
    """
    try:
        answer = json.loads(raw.decode("utf-8", "replace"))
        if not isinstance(answer, dict):
            raise Malformed("the answer is no JSON object")
        return key.hide(answer) if key else answer
    except (ValueError, RecursionError):
        raise Malformed("the answer is not valid JSON") from None


def error_in(raw: bytes, key: Key | None) -> tuple[str, object]:
    """Return the error that a server reports, and its code; words that are no JSON may still hold the key."""
    try:
        answer = json_object(raw, key)
    except Malformed:
        # Text in two bytes a character is read as well as may be.
        return raw.decode("utf-8", "replace").replace("\0", ""), None
    error = answer.get("error", answer)
    if not isinstance(error, dict):
        return str(error), None
    said = error.get("message", error.get("detail", ""))
    return said if isinstance(said, str) else json.dumps(said), error.get("code")


def connector(url: str) -> Callable[[], httpx.AsyncHTTPTransport]:
    """Make the function that connects to the server of a URL, through a proxy where the environment names one."""
    # Reading the certificates takes longer than many a local answer. A context without any trusts nobody.
    secure = url.startswith("https:")
    context = httpx.create_ssl_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return partial(httpx.AsyncHTTPTransport, verify=context, proxy=proxy_for(url))


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for a URL; none for this machine itself."""
    parsed = httpx.URL(url)
    here = parsed.host in ("localhost", "127.0.0.1", "::1")
    return None if here or proxy_bypass(parsed.host) else getproxies().get(parsed.scheme)
