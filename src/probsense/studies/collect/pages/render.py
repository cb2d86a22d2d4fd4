"""Turns pages into HTML, without a line of script."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2

from probsense.studies.collect.forms import Field, Values, faults
from probsense.studies.collect.overview import Overview
from probsense.studies.collect.pages.participant import Page
from probsense.studies.collect.pages.words import fill
from probsense.studies.collect.study import ENDS, Ending, Study

CLOSES = ("completion", "screened_out", "full", "declined", "timed_out", "paused")
"""The ends after which there is nothing left to do here."""


def style() -> str:
    """Return the style sheet."""
    return (files("probsense.studies.collect.pages") / "templates" / "style.css").read_text()


def consent_page(study: Study, up: str, hidden: Mapping[str, str]) -> str:
    """Render the first page: what the study is about, and whether one takes part.

    Parameters
    ----------
    study : Study
    up : str
        The relative way to the root, such as "../../".
    hidden : Mapping of str to str
        What the form sends along.
    """
    return _render(study, "consent", study.words["consent_title"], up, text=study.consent, hidden=hidden)


def participant_page(
    study: Study,
    page: Page,
    up: str,
    *,
    values: Values,
    check: str,
    count: int,
    minutes_left: float | None,
    show_faults: bool,
) -> str:
    """Render a page of a participant.

    Parameters
    ----------
    study : Study
    page : Page
    up : str
    values : Mapping of str to str
        What the person answered so far.
    check : str
        The signature that the form sends along.
    count : int
        How many questions there are.
    minutes_left : float, optional
        Until the time is over.
    show_faults : bool
        Whether to tell what is missing.
    """
    words = study.words
    found = faults(page.fields, values) if show_faults else {}
    title = words["progress" if page.kind == "question" else f"{page.kind}_title"]
    left = ""
    if minutes_left is not None:
        minutes = math.floor(minutes_left)
        left = fill(words["time_left"], minutes=minutes) if minutes >= 1 else words["time_left_one"]
    fixed = {"about": words["about_text"], "finish": words["finish_text"]}
    return _render(
        study,
        page.kind,
        fill(title, number=page.name, count=count),
        up,
        text=fixed.get(page.kind, page.text),
        page=page,
        values=values,
        check=check,
        count=count,
        time_left=left,
        faults={field.name: _said(field, words) for field in page.fields if field.name in found},
    )


def end_page(study: Study, name: str, up: str) -> str:
    """Render a page on which the way ends.

    Parameters
    ----------
    study : Study
    name : str
        Such as "completion"; its words are NAME_title and NAME_text, unless the study's author has others.
    up : str
    """
    ending = getattr(study, name) if name in ENDS else Ending()
    text = ending.text or study.words[f"{name}_text"]
    title = study.words[f"{name}_title"]
    return _render(study, "end", title, up, text=text, ending=ending, closes=name in CLOSES)


def research_page(study: Study, found: Overview, up: str, *, now: int, paused: bool, check: str) -> str:
    """Render the researcher's page.

    Parameters
    ----------
    study : Study
    found : Overview
    up : str
    now : int
        Milliseconds since 1970.
    paused : bool
    check : str
        The signature that the form sends along.
    """
    return _template("research.html.jinja").render(
        study=study,
        found=found,
        up=up,
        left=_time_left(found),
        as_of=f"{datetime.fromtimestamp(now / 1000, UTC):%Y-%m-%d %H:%M:%S}",
        paused=paused,
        check=check,
    )


def paragraphs(text: str) -> list[str | list[str]]:
    """Split a text at its empty lines; lines that begin with "- " are the points of a list."""
    found: list[str | list[str]] = []
    for part in text.strip().split("\n\n"):
        lines = [line.strip() for line in part.splitlines() if line.strip()]
        plain = " ".join(line for line in lines if not line.startswith("- "))
        points = [line[2:] for line in lines if line.startswith("- ")]
        found += filter(None, (plain, points))
    return found


def _time_left(found: Overview) -> str:
    """Say how many people are still needed, and how long that takes at the recent pace."""
    if not found.needed:
        return "Every item has enough people."
    people = f"{found.needed:,} more {'people' if found.needed > 1 else 'person'} must finish, at least."
    if found.minutes_left is None:
        return f"{people} How long that takes shows once two people have finished."
    hours = found.minutes_left / 60
    took = f"{math.ceil(found.minutes_left):,} min" if hours < 1 else f"{hours:,.1f} h"
    return f"{people} At the recent pace, that takes {took}."


def _said(field: Field, words: Mapping[str, str]) -> str:
    """Say what is wrong with a field: that it is missing, or that it is no number within its bounds."""
    if field.kind != "number":
        return words["missing"]
    bounds = {"low": field.low, "high": field.high}
    known = {name: f"{value:g}" for name, value in bounds.items() if value is not None}
    named = {(): "number", ("low",): "number_from", ("high",): "number_to"}
    return fill(words[named.get((*known,), "number_between")], **known)


def _render(study: Study, kind: str, heading: str, up: str, *, text: str, **content: Any) -> str:
    fixed = {"study": study, "words": study.words, "kind": kind, "heading": heading, "up": up}
    fixed |= {"text": paragraphs(text), "faults": {}, "time_left": ""}
    return _template("page.html.jinja").render({**fixed, **content})


@cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("probsense.studies.collect.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
