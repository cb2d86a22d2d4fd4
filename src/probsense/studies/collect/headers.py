"""Headers that keep pages private and free of foreign content."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from probsense.studies.collect.study import Study


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
