"""Reads and writes the wire: base URLs, answers as they are unpacked, and the ways in which a request can fail."""

from __future__ import annotations

import json
import ssl
import zlib
from email.utils import parsedate_to_datetime
from functools import lru_cache
from math import isfinite
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx

from probsense.core.errors import InputError, ModelError
from probsense.models.openai.keys import Key


class Refused(ModelError):  # noqa: N818 - what the server did
    """The server will not answer, however often it is asked; the message tells the user how to go on.

    Attributes
    ----------
    status : int
        The HTTP status.
    reason : str
        The server's words, as a phrase without secrets.
    """

    def __init__(self, message: str, status: int, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason or message

    @property
    def about_this_request(self) -> bool:
        """Whether the server may refuse the words of this one request, rather than the user or the model."""
        return self.status in (400, 413, 422)


class Declined(Refused):
    """The server does not answer a request of this kind, but may answer others: neither key nor account is at fault."""


class Unanswerable(ModelError):  # noqa: N818 - like its neighbours
    """The server's answers to one request can never hold the result, though those to others can."""


class Exhausted(ModelError):  # noqa: N818 - what the tries are
    """All tries of a request failed.

    Attributes
    ----------
    reason : str
        Why the last try failed, as a phrase without secrets.
    tries : int
    """

    def __init__(self, reason: str, tries: int) -> None:
        super().__init__(f"{reason} (asked {tries} {'times' if tries > 1 else 'time'})")
        self.reason = reason
        self.tries = tries


class Passing(Exception):  # noqa: N818 - a fault that another try may not meet
    """One try failed.

    Attributes
    ----------
    reason : str
    busy : bool
        Whether the server has too much to do.
    wait : float
        How many seconds the server asks to be left alone.
    """

    def __init__(self, reason: str, *, busy: bool = False, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.busy = busy
        self.wait = wait


class Malformed(Passing):
    """The server answered, but the answer lacks something or cannot be true."""


PACKED = ("gzip", "x-gzip", "deflate")
HEADS = (8, 15)
"""The last four bits of the first byte of zlib's head and of gzip's; no bare stream of zlib begins so."""
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


@lru_cache
def whole_url(base_url: str, path: str) -> httpx.URL:
    """Parse the URL of a path, relative to the base URL or whole, once."""
    return httpx.URL(f"{base_url}/").join(path)


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


async def read_body(response: httpx.Response, most: int) -> bytes:
    """Return the bytes of an answer; none is unpacked beyond the most bytes, however many it would give.

    Raises
    ------
    Malformed
        If the answer has more than ``most`` bytes, cannot be unpacked, or is packed in a way that nobody asked for.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", *PACKED):
        raise Malformed(f"the answer is packed in a way that nobody asked for, {encoding[:60]!r}")
    found, unpacker = bytearray(), None
    async for piece in response.aiter_raw():
        if piece and encoding in PACKED and unpacker is None:
            # The head tells gzip from zlib; some servers leave out the head that RFC 9110 asks for.
            bare = encoding == "deflate" and piece[0] % 16 not in HEADS
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32)
        try:
            found += piece if unpacker is None else unpacker.decompress(piece, most + 1 - len(found))
        except zlib.error:
            raise Malformed("the answer cannot be unpacked") from None
        if len(found) > most:
            raise Malformed(f"the answer has more than {most:,} bytes (see max_answer)")
    return bytes(found)


def json_object(raw: bytes, key: Key | None = None) -> dict[str, Any]:
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


def error_in(raw: bytes, key: Key | None = None) -> tuple[str, object]:
    """Return the error that a server reports, and its code, without the key."""
    try:
        answer = json_object(raw, key)
    except Malformed:
        # Text in two bytes a character is read as well as may be.
        text = raw.decode("utf-8", "replace").replace("\0", "")
        return (key.hide(text) if key else text)[:SHOWN], None
    error = answer.get("error", answer)
    if not isinstance(error, dict):
        return str(error), None
    said = error.get("message", error.get("detail", ""))
    return said if isinstance(said, str) else json.dumps(said), error.get("code")


def transport(url: str, connections: int) -> httpx.AsyncHTTPTransport:
    """Make what keeps connections to the server of a URL, through a proxy where the environment names one."""
    # Reading the certificates takes longer than many a local answer. A context without any trusts nobody.
    secure = url.startswith("https:")
    context = httpx.create_ssl_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    limits = httpx.Limits(max_connections=connections)
    return httpx.AsyncHTTPTransport(verify=context, proxy=proxy_for(url), limits=limits)


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for a URL; none for this machine itself."""
    parsed = httpx.URL(url)
    here = parsed.host in ("localhost", "127.0.0.1", "::1")
    return None if here or proxy_bypass(parsed.host) else getproxies().get(parsed.scheme)
