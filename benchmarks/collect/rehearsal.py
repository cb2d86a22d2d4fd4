"""Rehearses a study by program, as people would take part: over HTTP, by what the pages say alone."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from pathlib import Path
from random import Random
from threading import Thread
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, OpenerDirector, ProxyHandler, build_opener

from probsense.core.errors import ProbSenseError
from probsense.studies.collect.forms import Field, FieldKind
from probsense.studies.collect.server.serve import prepared
from probsense.studies.collect.study import Study

AT_ONCE: Final = 64
"""The largest number of people who take part at the same time."""
TRIES: Final = 3
"""How often a page may ask for another answer."""
_SECONDS: Final = 60.0
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Simulated:
    """Made-up people: each question has shares of its own for its options, and people differ by chance.

    Who is told in the question to choose an option does so, as in an attention check.
    """

    seed: int

    def weigh(self, prompt: str, options: Sequence[str]) -> list[float]:
        """Draw the shares of the options, which depend on the words of the page alone."""
        question = prompt.rsplit("\n", 1)[-1]
        named = [float(re.search(rf"\b{re.escape(one)}\b", question) is not None) for one in options]
        if sum(named) == 1:
            return named
        return [Random(f"{self.seed}/{prompt}/{option}").expovariate(1) for option in options]


def fill(study: Study, address: str, mind: Simulated, people: int, seed: int) -> list[str]:
    """Let people take part in a study that is served.

    Parameters
    ----------
    study : Study
        Names the parameters of ids; everything else is on the pages.
    address : str
        For participants.
    mind : Simulated
    people : int
    seed : int

    Returns
    -------
    list of str
        The heading of the last page that each person saw.

    Raises
    ------
    ProbSenseError
        For a page that cannot be answered.
    """
    names = [name for name in (study.ids.participant, study.ids.study, study.ids.session) if name]

    def take_part(number: int) -> str:
        ids = urlencode(dict.fromkeys(names, f"pilot-{number}"))
        visitor = _Visitor(mind, Random(f"{seed}/{number}"))
        return visitor.take_part(f"{address}?{ids}" if ids else address)

    with ThreadPoolExecutor(min(people, AT_ONCE)) as pool:
        return list(pool.map(take_part, range(1, people + 1)))


@contextlib.contextmanager
def serving(study: Study, db: Path) -> Iterator[str]:
    """Serve the pages of a study in a thread, at any free port of this machine.

    Yields
    ------
    str
        The address for participants.
    """
    with prepared(study, db, "127.0.0.1", 0, "", "") as (run, stop, participants, _):
        thread = Thread(target=run)
        thread.start()
        try:
            yield participants
        finally:
            stop()
            thread.join()


class _Visitor:
    """One person in a browser of their own."""

    def __init__(self, mind: Simulated, chance: Random) -> None:
        self._mind, self._chance = mind, chance
        # Not through a proxy of the environment, since the server is this machine.
        self._browser: OpenerDirector = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))

    def take_part(self, address: str) -> str:
        """Go from the first page to the last, and return its heading."""
        where, page = self._ask(address)
        tried: dict[str, int] = {}
        while page.action:
            tried[page.action] = tried.get(page.action, 0) + 1
            if tried[page.action] > TRIES:
                wrong = "; ".join(page.faults.values()) or "it comes again and again"
                raise ProbSenseError(f"the page {page.heading!r} takes no answer: {wrong}")
            values = {**page.given, **dict(self._answers(page))}
            where, page = self._ask(urljoin(where, page.action), {**page.hidden, **values})
        return page.heading

    def _answers(self, page: Read) -> Iterator[tuple[str, str]]:
        """Answer every field that has no answer, or a wrong one."""
        texts = 0
        for own in page.fields:
            if own.name in page.given and own.name not in page.faults:
                continue
            prompt = f"{page.text}\n{own.label}".strip()
            texts += own.kind == "text"
            match own.kind:
                case "choice":
                    yield own.name, self._choose(prompt, own)
                case "number":
                    yield own.name, self._number(page.faults.get(own.name, ""))
                case "text" if own.name in page.faults or texts == 1 or self._chance.random() < 0.5:
                    yield own.name, self._word(prompt)

    def _choose(self, prompt: str, own: Field) -> str:
        values, words = zip(*own.options, strict=True)
        return str(self._chance.choices(values, self._mind.weigh(prompt, words))[0])

    def _word(self, prompt: str) -> str:
        words: list[str] = _WORD.findall(prompt) or ["something"]
        return self._chance.choice(words)

    def _number(self, fault: str) -> str:
        """Give a number, of the size that the page asks for where it does."""
        bounds = sorted(map(float, _NUMBER.findall(fault))) or [20, 70]
        return str(round(self._chance.uniform(bounds[0], bounds[-1])))

    def _ask(self, address: str, form: Mapping[str, str] | None = None) -> tuple[str, Read]:
        """Ask for a page, once more if the server asks for patience."""
        body = urlencode(form).encode() if form is not None else None
        while True:
            try:
                with self._browser.open(address, body, _SECONDS) as response:
                    return response.url, read_page(response.read().decode())
            except HTTPError as error:
                error.close()
                if error.code != 429:
                    raise ProbSenseError(f"{address}: the server answers {error.code}") from None
                time.sleep(1)
            except OSError as error:
                raise ProbSenseError(f"{address}: {error}") from None


_VOID: Final = frozenset(("meta", "link", "input", "br"))


@dataclass(slots=True)
class Read:
    """A page as it is read.

    Attributes
    ----------
    heading, text : str
        The text is the statement, question or situation; "" for none.
    fields : list of Field
        In the order of the page; ``needed`` and bounds are not known.
    faults : dict of str to str
        What the page says is wrong, by the name of the field.
    given : dict of str to str
        What the page shows as answered, by the name of the field.
    action : str
        Where the form goes; "" for no form.
    hidden : dict of str to str
        What the form sends along, its first button among it.
    """

    heading: str = ""
    text: str = ""
    fields: list[Field] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    action: str = ""
    hidden: dict[str, str] = field(default_factory=dict)


def read_page(html: str) -> Read:
    """Read a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


class _Reader(HTMLParser):
    """Collects the words of each element that matters, and notes them where the element ends."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Read()
        self._open: list[tuple[str, str, list[str]]] = []
        self._label, self._button = "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form and its controls; begin to collect words."""
        own = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.page.action = own["action"]
        elif tag == "input":
            self._input(own)
        elif tag == "select":
            self.page.fields.append(Field(own["name"], self._label, "choice"))
        elif tag == "option" and own["value"]:
            self._add_option(own["value"], chosen="selected" in own)
        elif tag == "button" and not self._button:
            self._button = True
            self.page.hidden[own["name"]] = own["value"]
        if tag not in _VOID:
            part, name = _part(tag, own)
            collected: list[str] = [] if part or not self._open else self._open[-1][2]
            self._open.append((part, name, collected))

    def handle_data(self, data: str) -> None:
        """Collect words."""
        if self._open:
            self._open[-1][2].append(data)

    def handle_endtag(self, tag: str) -> None:
        """Note the words of an element."""
        part, name, collected = self._open.pop()
        words = " ".join("".join(collected).split())
        match part:
            case "heading":
                self.page.heading = words
            case "text":
                self.page.text = words
            case "label":
                self._label = words
            case "fault":
                self.page.faults[name] = words
            case "option":
                last = self.page.fields[-1]
                self.page.fields[-1] = replace(
                    last, options=(*last.options[:-1], (last.options[-1][0], words))
                )

    def _input(self, own: Mapping[str, str]) -> None:
        name, value, kind = own["name"], own.get("value", ""), own["type"]
        if kind == "hidden":
            self.page.hidden[name] = value
        elif kind == "radio":
            if name not in [one.name for one in self.page.fields]:
                self.page.fields.append(Field(name, self._label, "choice"))
            self._add_option(value, chosen="checked" in own)
        else:
            as_field: FieldKind = "number" if own.get("class") == "number" else "text"
            self.page.fields.append(Field(name, self._label, as_field))
            if value:
                self.page.given[name] = value

    def _add_option(self, value: str, *, chosen: bool) -> None:
        last = self.page.fields[-1]
        self.page.fields[-1] = replace(last, options=(*last.options, (value, "")))
        if chosen:
            self.page.given[last.name] = value


def _part(tag: str, own: Mapping[str, str]) -> tuple[str, str]:
    """Tell what the words of an element are, and for which field; "" where they belong to what is around."""
    kind = own.get("class", "")
    if tag == "p" and kind == "fault":
        return "fault", own["id"].removeprefix("fault-")
    if kind in ("visually-hidden", "errors"):
        return "aside", ""
    if tag == "blockquote" or kind == "asked":
        return "text", ""
    if tag == "option":
        return ("option" if own["value"] else "aside"), ""
    if kind == "option":
        return "option", ""
    return {"h1": "heading", "legend": "label", "label": "label"}.get(tag, ""), ""
