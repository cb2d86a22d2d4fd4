"""The researcher's page over HTTP: how far the study is, pause, and export."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from msgspec import structs
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from probsense.studies.collect.answers import gather
from probsense.studies.collect.export import zipped
from probsense.studies.collect.overview import Overview, overview
from probsense.studies.collect.pages.render import research_page
from probsense.studies.collect.participants import TOKEN, derived_token, same, signature
from probsense.studies.collect.server.requests import headers_of, read_form, to, up
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study import Study


def research_token(storage: Storage) -> str:
    """Return the secret in the address of the researcher's page, which the key in the file of answers decides."""
    return derived_token(storage.key, "research")


@dataclass(frozen=True, slots=True)
class Research:
    """The handlers of the researcher's requests.

    The file of answers is read beside the server's own connection, in a thread, so that participants do not wait.
    """

    study: Study
    storage: Storage
    clock: Callable[[], int]

    def routes(self) -> list[Route]:
        """List the routes."""
        return [
            Route("/research/{token}/", self.show, methods=["GET"]),
            Route("/research/{token}/pause", self.pause, methods=["POST"]),
            Route("/research/{token}/answers.zip", self.download, methods=["GET"]),
        ]

    async def show(self, request: Request) -> Response:
        """Show how far the study is."""
        self._check(request)
        now = self.clock()
        found = await run_in_threadpool(self._overview, now)
        page = research_page(
            self.study, found, up(request), now=now, paused=self.storage.paused, check=self._signed()
        )
        return HTMLResponse(page, headers=headers_of(structs.replace(self.study, embed=())))

    async def pause(self, request: Request) -> Response:
        """Take in nobody new, or people again."""
        self._check(request)
        sent = await read_form(request)
        if not same(sent.get("form", ""), self._signed()) or sent.get("paused") not in ("yes", "no"):
            raise HTTPException(403)
        self.storage.pause(sent["paused"] == "yes", self.clock())
        await run_in_threadpool(self.storage.sync)
        return to("./")

    async def download(self, request: Request) -> Response:
        """Send the files of the export."""
        self._check(request)
        content = await run_in_threadpool(self._zipped)
        headers = {"Content-Disposition": 'attachment; filename="answers.zip"'}
        return Response(content, media_type="application/zip", headers=headers)

    def _check(self, request: Request) -> None:
        """Refuse a request without the secret as one for a page that is not there."""
        token = request.path_params["token"]
        if not TOKEN.fullmatch(token) or not same(token, research_token(self.storage)):
            raise HTTPException(404)

    def _signed(self) -> str:
        return signature(self.storage.key, "form", research_token(self.storage), "pause")

    def _overview(self, now: int) -> Overview:
        with closing(self.storage.again()) as storage:
            return overview(self.study, gather(storage), now)

    def _zipped(self) -> bytes:
        with closing(self.storage.again()) as storage:
            return zipped(storage)
