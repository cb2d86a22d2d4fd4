"""The pages over HTTP: all that a request needs to know is in the file of answers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from msgspec import structs
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from probsense.core.errors import ProbSenseError
from probsense.studies.collect.forms import received
from probsense.studies.collect.pages import render
from probsense.studies.collect.pages.participant import (
    Answers,
    Page,
    first_open,
    is_over,
    is_screened_out,
    moved_up,
    pages_of,
)
from probsense.studies.collect.participants import (
    ID_LENGTH,
    TOKEN,
    Person,
    assign,
    derived_token,
    new_token,
    same,
    signature,
    stored_id,
)
from probsense.studies.collect.server.requests import Pace, read_form, to, up, with_headers
from probsense.studies.collect.server.research import Research
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study import Study

Clock = Callable[[], int]

_LOG: Final = logging.getLogger(__name__)
COOKIE: Final = "browser"
"""How the name of the cookie begins; the rest is the study's own, since a browser keeps one jar for all ports."""
_SHOW_FAULTS: Final = "missing"
_YEAR: Final = 365 * 24 * 3600


def milliseconds() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def build_app(
    study: Study, storage: Storage, clock: Clock = milliseconds, *, secure: bool = False
) -> ASGIApp:
    """Make the application that serves a study.

    Parameters
    ----------
    study : Study
    storage : Storage
        Which has begun with the study.
    clock : callable
        The time in milliseconds since 1970.
    secure : bool
        Whether all addresses begin with https, also where no proxy says so.
    """
    site = Site(study, storage, clock, secure)
    app = Starlette(
        routes=[
            Route("/", site.arrive, methods=["GET"]),
            Route("/start", site.start, methods=["POST"]),
            Route("/style.css", site.style, methods=["GET"]),
            Route("/p/{token}/{page}", site.show, methods=["GET"]),
            Route("/p/{token}/{page}", site.submit, methods=["POST"]),
            *Research(study, storage, clock).routes(),
        ],
        exception_handlers={
            HTTPException: site.failed,
            ProbSenseError: site.not_stored,
            Exception: site.failed,
        },
    )
    app.router.redirect_slashes = False
    return with_headers(app, study)


@dataclass(frozen=True, slots=True)
class Visit:
    """A participant, with all that decides which page comes."""

    person: Person
    pages: list[Page]
    answers: Answers

    @property
    def open(self) -> int:
        """The index of the first page without its answer."""
        return first_open(self.pages, self.answers)

    @property
    def current(self) -> str:
        """The name of the page on which the participant goes on."""
        return self.pages[self.open].name if self.person.end is None else "end"

    def index(self, name: str) -> int | None:
        """Return the index of a page that the participant may see; None if there is none of that name, or not yet."""
        names = [page.name for page in self.pages[: self.open + 1]]
        return names.index(name) if name in names else None


@dataclass(frozen=True, slots=True)
class Site:
    """The handlers of requests."""

    study: Study
    storage: Storage
    clock: Clock
    secure: bool
    pace: Pace = field(default_factory=Pace)

    async def arrive(self, request: Request) -> Response:
        """Show what the study is about, or go on where the participant stopped."""
        ids = self._ids(request.query_params)
        cookie = request.cookies.get(self._cookie, "")
        browser = cookie if TOKEN.fullmatch(cookie) else new_token()
        # Two tabs of a browser begin as one person, and people who share a browser as several.
        token = derived_token(self.storage.key, "token", browser, ids[0])
        if known := self.storage.find(token):
            return to(f"p/{token}/{self._visit(known).current}")
        if known := self.storage.find(ids[0], "participant"):
            return self._again(request, known, ids)
        if self.storage.paused:
            return self._end(request, "paused")
        if not assign(self.study, self.storage.loads(self.clock(), self.study.abandon_after), 0):
            return self._end(request, "full")
        hidden = {"token": token, "form": self._signed(token, "start")}
        given = {
            name: request.query_params[name][:ID_LENGTH]
            for name in structs.astuple(self.study.ids)
            if name and name in request.query_params
        }
        response = HTMLResponse(render.consent_page(self.study, up(request), given | hidden))
        response.set_cookie(
            self._cookie,
            browser,
            max_age=_YEAR,
            path=request.scope.get("root_path") or "/",
            httponly=True,
            samesite="lax",
            secure=self.secure or request.url.scheme == "https",
        )
        return response

    async def start(self, request: Request) -> Response:
        """Begin with a participant who agrees; store nothing about one who does not."""
        sent = await read_form(request)
        token = sent.get("token", "")
        if not TOKEN.fullmatch(token) or not same(sent.get("form", ""), self._signed(token, "start")):
            raise HTTPException(403)
        if sent.get("consent") != "yes":
            return self._end(request, "declined")
        ids = self._ids(sent)
        known = self.storage.find(token) or self.storage.find(ids[0], "participant")
        if self.storage.paused and not known:
            return self._end(request, "paused")
        draw = partial(assign, self.study)
        person = self.storage.start(token, ids, draw, self.clock(), self.study.abandon_after)
        await run_in_threadpool(self.storage.sync)
        if person is None:
            return self._end(request, "full")
        if person.token != token:
            return self._again(request, person, ids)
        return to(f"p/{token}/{self._visit(person).current}")

    async def show(self, request: Request) -> Response:
        """Show a page of a participant, or lead to the one that comes first."""
        visit, name = self._visitor(request), request.path_params["page"]
        if end := self._ended(visit.person):
            return self._end(request, end) if name == "end" else to("end")
        here = visit.index(name)
        if here is None:
            return to(visit.current)
        person, page = visit.person, visit.pages[here]
        now = self.clock()
        self.storage.note_shown(person, page.name, now)
        left = person.at / 60_000 + self.study.time_limit - now / 60_000 if self.study.time_limit else None
        return HTMLResponse(
            render.participant_page(
                self.study,
                page,
                up(request),
                values=visit.answers.get(page.name, {}),
                check=self._signed_page(person, page.name),
                count=len(person.keys),
                minutes_left=left,
                show_faults=_SHOW_FAULTS in request.query_params and visit.open == here,
            )
        )

    async def submit(self, request: Request) -> Response:
        """Store an answer, and lead to the next page, or back, once the answer is on the disk."""
        sent = await read_form(request)
        response = self._store(request, sent)
        await run_in_threadpool(self.storage.sync)
        return response

    def _store(self, request: Request, sent: Mapping[str, str]) -> Response:
        visit = self._visitor(request)
        person, name = visit.person, request.path_params["page"]
        if not same(sent.get("form", ""), self._signed_page(person, name)):
            raise HTTPException(403)
        if self._ended(person):
            return to("end")
        here = visit.index(name)
        if here is None:
            return to(visit.current)
        page, back = visit.pages[here], sent.get("go") == "back"
        if page.kind == "finish":
            if not back:
                self.storage.end(person.number, "completion", self.clock())
                return to("end")
            return to(visit.pages[here - 1].name)
        values = moved_up(page, received(page.fields, sent))
        if values or not back or name in visit.answers:
            self.storage.add_answer(person.number, name, values, self.clock())
        answers = self.storage.answers_of(person.number)
        if is_screened_out(self.study, person.keys, answers):
            self.storage.end(person.number, "screened_out", self.clock())
            return to("end")
        if back:
            return to(visit.pages[max(here - 1, 0)].name)
        now_open = first_open(visit.pages, answers)
        return to(f"{name}?{_SHOW_FAULTS}" if now_open == here else visit.pages[min(here + 1, now_open)].name)

    async def style(self, request: Request) -> Response:
        """Send the style sheet."""
        return Response(render.style(), media_type="text/css", headers={"Cache-Control": "max-age=3600"})

    async def failed(self, request: Request, error: Exception) -> Response:
        """Say that a request was refused."""
        code = error.status_code if isinstance(error, HTTPException) else 500
        name = {404: "not_found", 405: "not_found", 429: "too_fast"}.get(code, "refused")
        return self._end(request, name, code)

    async def not_stored(self, request: Request, error: Exception) -> Response:
        """Say that an answer could not be stored, as on a full disk, and tell the researcher why."""
        _LOG.error("%s", error)
        return self._end(request, "refused", 503)

    def _visitor(self, request: Request) -> Visit:
        """Find the participant of a request.

        Raises
        ------
        HTTPException
            If there is none, or if they ask for too many pages.
        """
        token = request.path_params["token"]
        person = self.storage.find(token) if TOKEN.fullmatch(token) else None
        if not person or not same(person.token, token):
            raise HTTPException(404)
        if not self.pace.allows(token, self.clock()):
            raise HTTPException(429)
        return self._visit(person)

    def _visit(self, person: Person) -> Visit:
        pages = pages_of(self.study, person.number, person.keys)
        return Visit(person, pages, self.storage.answers_of(person.number))

    def _ended(self, person: Person) -> str | None:
        """Return how a person's way ended; note it if it ends now."""
        if person.end is None and is_over(self.study, person.at, self.clock()):
            limit = person.at + round(self.study.time_limit * 60_000)
            self.storage.end(person.number, "timed_out", max(limit, person.seen))
            return "timed_out"
        return person.end

    def _again(self, request: Request, person: Person, ids: tuple[str, str, str]) -> Response:
        """Lead a known id to its pages, if the request has its secret, too; refuse it otherwise."""
        if not person.session or not same(person.session, ids[2]):
            return self._end(request, "already")
        return to(f"p/{person.token}/{self._visit(person).current}")

    def _ids(self, sent: Mapping[str, str]) -> tuple[str, str, str]:
        """Read the ids of participant, study and session; "" where there is none."""
        names = self.study.ids
        key = self.storage.key if self.study.hash_ids else None
        participant = stored_id(sent.get(names.participant, ""), key)
        session = stored_id(sent.get(names.session, ""), key)
        return participant, stored_id(sent.get(names.study, ""), None), session

    @property
    def _cookie(self) -> str:
        return f"{COOKIE}-{signature(self.storage.key, 'cookie')[:8]}"

    def _signed_page(self, person: Person, page: str) -> str:
        # The number, too: somebody who was forgotten and begins anew has other pages of the same names.
        return self._signed(person.token, f"{person.number}/{page}")

    def _signed(self, token: str, page: str) -> str:
        return signature(self.storage.key, "form", token, page)

    def _end(self, request: Request, name: str, status: int = 200) -> Response:
        return HTMLResponse(render.end_page(self.study, name, up(request)), status)
