"""Reads what a browser sent, and leads it on by addresses that hold behind any prefix."""

from __future__ import annotations

from asyncio import timeout
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from probsense.studies.collect.limits import BODY, SLOWEST


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
