"""What a browser may send, how often and how fast, and the headers that keep pages private."""

from __future__ import annotations

from asyncio import timeout
from typing import Final
from urllib.parse import parse_qsl

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from probsense.studies.collect.study import Study


async def read_form(request: Request) -> dict[str, str]:
    """Read a form that was sent from a page of ours.

    Raises
    ------
    HTTPException
        For one that is too large, too slow, malformed, broken off, or sent from another site.
    """
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise HTTPException(403)
    body = b""
    try:
        async with timeout(SLOWEST):
            async for part in request.stream():
                body += part
                if len(body) > BODY:
                    raise HTTPException(413)
    except TimeoutError:
        raise HTTPException(408) from None
    except ClientDisconnect:
        raise HTTPException(400) from None
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=200))
    except ValueError:
        raise HTTPException(400) from None


def to(where: str) -> Response:
    """Lead to an address relative to that of the request."""
    return RedirectResponse(where, 303)


def up(request: Request) -> str:
    """Return the relative way from a request's address to the root."""
    path: str = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    return "../" * path.lstrip("/").count("/")


BODY: Final = 64 * 1024
"""The largest number of bytes of a form."""
SLOWEST: Final = 30.0
"""Seconds within which a form must arrive."""
BURST: Final = 40
PER_SECOND: Final = 5.0
_KEPT: Final = 10_000


class Pace:
    """A bucket for each participant: :data:`BURST` requests at once, and :data:`PER_SECOND` in the long run."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, int]] = {}

    def allows(self, token: str, now: int) -> bool:
        """Take one request of a participant at a time in milliseconds; tell whether there was one left."""
        left, since = self._left.pop(token, (float(BURST), now))
        passed = max(0, now - since)  # A clock that was set back is no reason to let anybody wait.
        left = min(float(BURST), left + passed / 1000 * PER_SECOND)
        fine = left >= 1
        self._left[token] = (left - 1 if fine else left, now)
        if len(self._left) > _KEPT:  # The one that asked longest ago has its bucket full again, or is gone.
            del self._left[next(iter(self._left))]
        return fine


def with_headers(app: ASGIApp, study: Study) -> ASGIApp:
    """Send the headers with every response that has none of the same name.

    Parameters
    ----------
    app : ASGI application
    study : Study
        Says who may show its pages in a frame.
    """
    sent = headers_of(study)

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in sent.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, send_with)

    return wrapped


def headers_of(study: Study) -> dict[str, str]:
    """Return the headers of a study's pages: no scripts, no foreign content, no frames but those it allows."""
    ancestors = " ".join(study.embed) or "'none'"
    policy = (
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
        f"frame-ancestors {ancestors}"
    )
    return {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
        **({} if study.embed else {"X-Frame-Options": "DENY"}),
    }
