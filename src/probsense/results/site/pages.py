"""The pages of a site as HTML: pure functions from what is known to text."""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

import jinja2
from markupsafe import Markup

from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import Json, digest
from probsense.results.comparisons import group_letters
from probsense.results.page_parts import PagePart, Section, page_part
from probsense.results.part import Part, warnings_of_models
from probsense.results.site.boards import Board, Column, Row
from probsense.results.site.describing import CLASSES, UNKNOWN, Description
from probsense.results.site.differing import Differing, distribution
from probsense.results.site.reading import SiteRun
from probsense.results.site.spans import Scale, ends, scale_of, span
from probsense.show.groups import PUBLISHED
from probsense.show.key_results import in_first_view
from probsense.show.measure import Measure
from probsense.show.notation import both_ends
from probsense.show.render import MISSING, can_draw
from probsense.show.tables import ABSENT, OVERALL, Table, grid, kinds
from probsense.show.text import plain, shorten
from probsense.show.works import Work, bibtex

ANSWERS: Final = 6
"""Answers to a question that have a column in the table of all models; rarer ones stand in the list above it."""
NAMED: Final = 3
"""Models that a warning of a leaderboard names; the pages of the others have it, too."""
LONG: Final = 80
"""Characters of an answer that a table shows."""

_PIECES = (files("probsense.results") / "templates", files("probsense.results.site") / "templates")
_STYLES: Final = ("page.css", "tables.css", "site.css")
_SCRIPTS: Final = ("tables.js", "site.js")


@dataclass(frozen=True, eq=False)
class SiteModel:
    """A model of a site.

    Attributes
    ----------
    slug, name : str
    shown : str
        What pages call it: the label that the user gave, or the name.
    description : Description
    runs : sequence of SiteRun
    """

    slug: str
    name: str
    shown: str
    description: Description
    runs: Sequence[SiteRun]

    @property
    def title(self) -> str:
        """Return what pages call the model, in characters that print."""
        return plain(self.shown) or "without a name"

    def row_title(self, row: Row) -> str:
        """Name a run of the model in a leaderboard."""
        return self.title + plain(row.name.removeprefix(self.name))


@dataclass(frozen=True, eq=False)
class Frame:
    """What all pages of a site share: its title and its author."""

    title: str
    author: str = ""


def index_page(
    frame: Frame,
    description: str,
    boards: Sequence[Board],
    models: Sequence[SiteModel],
    left_out: Sequence[str],
) -> str:
    """Render the first page: what this is, the leaderboards and the models."""
    runs = [run for model in models for run in model.runs]
    return _render(
        "index.html.jinja",
        frame,
        "",
        description=description,
        boards=[
            {
                "slug": board.slug,
                "title": board_title(board, boards),
                "models": len({row.run.model for row in board.rows}),
                "questions": board.items,
                "measure": board.main.style.title if board.main else "",
                "best": _leaders(board, _by_run(models)),
                "tied": sum(bool(row.place and 0 in row.place.groups) for row in board.rows) > 1,
            }
            for board in boards
        ],
        models=[
            {
                **_described(model),
                "tasks": len({run.record.task for run in model.runs}),
                "runs": len(model.runs),
                "unfinished": sum(run.contribution is None for run in model.runs),
            }
            for model in sorted(models, key=lambda model: model.shown.lower())
        ],
        questions=sum({(b.task, b.asked): b.items for b in boards}.values()),
        tasks=len({board.task for board in boards}),
        answers=sum(run.answered for run in runs),
        latest=max(run.record.finished or run.record.started for run in runs)[:10],
        left_out=left_out,
    )


def _leaders(board: Board, models: Mapping[str, SiteModel]) -> str:
    """Name the models of the best group, or else the one with the best estimate."""
    first = [row for row in board.rows if row.place and 0 in row.place.groups] or [
        row for row in board.rows if row.main is not None
    ][:1]
    names = [models[row.run.record.id].row_title(row) for row in first]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def board_title(board: Board, boards: Sequence[Board]) -> str:
    """Name a leaderboard: by its task, and by what tells it from others of the task."""
    own = [one for one in boards if one.task == board.task]
    ways = [
        f"{board.items:,} {'question' if board.items == 1 else 'questions'}",
        board.main.style.title if board.main else "no estimate",
        f"set {board.asked[:6]}",
    ]
    told: list[str] = []
    for way, kind in zip(ways, (_count, _measured, _asked), strict=True):
        if len({kind(one) for one in own}) > 1:
            own = [one for one in own if kind(one) == kind(board)]
            told.append(way)
    return ", ".join([board.words.title, *told])


def _count(board: Board) -> int:
    return board.items


def _measured(board: Board) -> str:
    return board.main.name if board.main else ""


def _asked(board: Board) -> str:
    return board.asked


def board_page(
    frame: Frame, board: Board, boards: Sequence[Board], models: Sequence[SiteModel], differing: bool
) -> str:
    """Render a leaderboard."""
    by_run = _by_run(models)
    style = board.main.style if board.main else Measure("")
    mains = [row.main for row in board.rows if row.main is not None]
    scale = scale_of(style, ends(mains))
    people = board.main.people if board.main else math.nan
    rows = [_board_row(row, board, by_run[row.run.record.id], scale, people) for row in board.rows]
    families = sorted({row["family"] for row in rows}, key=lambda name: (name == UNKNOWN, name.lower()))
    sizes = [
        name
        for name in (*(name for _, name in CLASSES), UNKNOWN)
        if any(r["size_class"] == name for r in rows)
    ]
    return _render(
        "board.html.jinja",
        frame,
        "../",
        board=board,
        title=board_title(board, boards),
        style=style,
        ticks=scale.ticks(),
        rows=rows,
        references=_references(mains, scale, people),
        families=families,
        sizes=sizes,
        several_methods=len({row.run.record.method for row in board.rows}) > 1,
        warned=_warned(board),
        unlike=[
            {"slug": one.slug, "title": board_title(one, boards)}
            for one in boards
            if one.task == board.task and one is not board
        ],
        shortcut=board.words.shortcut if any(not math.isnan(e.shortcut_ceiling) for e in mains) else None,
        differing=differing,
        level=f"{mains[0].level * 100:g} %" if mains else "",
        options=_common([row.run.record.options for row in board.rows]),
    )


def _warned(board: Board) -> list[dict[str, Any]]:
    """Collect what must be said before the figures of a leaderboard; nothing if nothing must."""
    parts = [(row.run.model, row.run.contribution.part) for row in board.rows if row.run.contribution]
    found = warnings_of_models(parts, named=NAMED)
    return [{"warnings": found}] if found else []


def _common(options: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Keep the options that are the same in all runs, and say something."""
    return {
        key: value
        for key, value in options[0].items()
        if value not in (None, [], "") and all(own.get(key) == value for own in options)
    }


def _board_row(row: Row, board: Board, model: SiteModel, scale: Scale, people: float) -> dict[str, Any]:
    main, place, run = row.main, row.place, row.run
    marks = (
        {} if main is None else {"chance": main.chance, "ceiling": main.shortcut_ceiling, "people": people}
    )
    return {
        **_described(model),
        "name": model.row_title(row),
        "anchor": run.record.id[:8],
        "groups": group_letters(place.groups) if place else "",
        "rank": f"{place.rank:g}" if place else "",
        "ranks": f"{place.low:.3g}–{place.high:.3g}" if place else "",
        "main": _cell(main, board.main),
        "span": span(scale, main, marks),
        "cells": [_cell(row.values.get(column.name), column) for column in board.columns],
        "method": run.record.method,
        "coverage": f"{run.answered:,} of {run.items:,}",
        "covered": run.answered / run.items if run.items else 0,
        "unfinished": run.contribution is None,
        "withheld": _withheld(run),
    }


def _withheld(run: SiteRun) -> str:
    """Say why a run has no main estimate, if its task says it."""
    return plain("; ".join(run.contribution.part.measured.withheld.values())) if run.contribution else ""


def _cell(estimate: Estimate | None, column: Column | None) -> dict[str, str]:
    """Write a value and its interval for a cell, and what it is sorted by."""
    if estimate is None or column is None or math.isnan(estimate.value):
        return {"value": "", "shown": ABSENT, "ends": ""}
    style = column.style
    known = math.isfinite(estimate.low) and math.isfinite(estimate.high)
    interval = f"[{style.number(estimate.low)}, {style.number(estimate.high)}]" if known else "[?, ?]"
    return {"value": f"{estimate.value:.6g}", "shown": style.number(estimate.value), "ends": interval}


def _references(mains: Sequence[Estimate], scale: Scale, people: float) -> list[dict[str, Any]]:
    """Make the rows of chance, shortcuts and people: each value, or from where to where it goes."""
    found = []
    for kind, title, values in (
        ("people", "People", [people]),
        ("ceiling", "Shortcut ceiling", [e.shortcut_ceiling for e in mains]),
        ("chance", "Chance", [e.chance for e in mains]),
    ):
        known = sorted({scale.style.number(v) for v in values if math.isfinite(v)}, key=float)
        if known:
            lines = {kind: next(v for v in values if math.isfinite(v))} if len(known) == 1 else {}
            shown = known[0] if len(known) == 1 else f"{known[0]} to {known[-1]}"
            found.append({"title": title, "shown": shown, "span": span(scale, None, lines)})
    return found


def items_page(
    frame: Frame, board: Board, title: str, models: Sequence[SiteModel], found: Sequence[Differing]
) -> str:
    """Render the questions of a leaderboard on which models differ most."""
    by_run = _by_run(models)
    names = {row.run.record.id: by_run[row.run.record.id].row_title(row) for row in board.rows}
    return _render(
        "differing.html.jinja",
        frame,
        "../",
        board=board,
        title=title,
        items=[_item(number, one, by_run, names) for number, one in enumerate(found, 1)],
    )


def _item(
    number: int, one: Differing, by_run: Mapping[str, SiteModel], names: Mapping[str, str]
) -> dict[str, Any]:
    known = {key: distribution(reply) for key, reply in one.replies.items()}
    mean: dict[str, float] = {}
    for own in known.values():
        for answer, share in own.items():
            mean[answer] = mean.get(answer, 0.0) + share / len(known)
    given = [reply.given for reply in one.replies.values()]
    order = sorted({*mean, *given}, key=lambda answer: (-given.count(answer), -mean.get(answer, 0.0), answer))
    shown = [answer for answer in order if answer in given or mean.get(answer, 0.0) >= 0.005][: 2 * ANSWERS]
    columns = [answer for answer in order if answer in mean][:ANSWERS]
    return {
        "number": number,
        "anchor": f"item-{digest([one.item.id, one.item.prompt])[:10]}",
        "id": plain(one.item.id),
        "group": plain(one.item.group),
        "prompt": "\n".join(map(plain, one.item.prompt.splitlines())),
        "preview": preview(one.item.prompt) or plain(one.item.id),
        "gold": plain(one.item.gold),
        "spread": f"{one.spread * 100:.0f}",
        "answers": [
            {
                "answer": _answer(answer),
                "right": answer == one.item.gold != "",
                "models": given.count(answer),
                "mean": mean.get(answer, 0.0),
            }
            for answer in shown
        ],
        "columns": [_answer(answer) for answer in columns],
        "rows": [
            {
                "slug": by_run[key].slug,
                "model": names[key],
                "given": _answer(reply.given),
                "right": None if not one.item.gold else reply.given == one.item.gold,
                "shares": [known[key].get(answer, 0.0) for answer in columns],
            }
            for key, reply in one.replies.items()
        ],
    }


def preview(prompt: str) -> str:
    """Choose the line of a prompt that tells most: the last one with a question mark, or else the last one."""
    lines = [" ".join(line.split()) for line in prompt.splitlines() if line.strip()]
    asking = [line for line in lines if "?" in line] or lines
    return shorten(plain(asking[-1]), LONG) if asking else ""


def _answer(text: str) -> str:
    return shorten(plain(" ".join(text.split())), LONG) or "none of the allowed answers"


@dataclass(frozen=True, eq=False)
class _Task:
    """A run on the page of its model."""

    run: SiteRun
    title: str
    anchor: str
    board: Board
    board_title: str
    part: PagePart | None = None
    figures: Sequence[Section] = ()
    facts: Sequence[Table] = ()
    spans: Sequence[Mapping[str, Any]] = ()


def model_page(frame: Frame, model: SiteModel, boards: Sequence[Board], *, charts: bool) -> str:
    """Render the profile of a model: every task that it was asked, and how."""
    order = [row.run.record.id for board in boards for row in board.rows]
    runs = sorted(model.runs, key=lambda run: order.index(run.record.id))
    tasks = [_task(run, model, boards, charts=charts) for run in runs]
    return _render(
        "model.html.jinja",
        frame,
        "../",
        model=_described(model),
        shown=model.title,
        name=model.name,
        link=model.description.link,
        warned=[
            {"anchor": f"run-{task.anchor}", "name": task.title, "warnings": task.part.warnings}
            for task in tasks
            if task.part and task.part.warnings
        ],
        missing=MISSING if charts and not can_draw() else "",
        summary=[_summary(task) for task in tasks],
        tasks=tasks,
        parts=[task.part for task in tasks],
    )


def _task(run: SiteRun, model: SiteModel, boards: Sequence[Board], *, charts: bool) -> _Task:
    board = next(b for b in boards if any(row.run is run for row in b.rows))
    several = sum(one.record.task == run.record.task for one in model.runs) > 1
    told = f", asked by {run.record.method}, {run.record.label}" if several else ""
    title = plain(board.words.title + told)
    where = _Task(run, title, run.record.id[:8], board, board_title(board, boards))
    if run.contribution is None:
        return where
    part = page_part(run.contribution.part, charts=charts)
    tables = [table for table in (part.coverage, *part.facts) if table.rows]
    return replace(
        where,
        part=part,
        figures=_figures(part, title),
        facts=[_titled(table, title) for table in tables],
        spans=_by_part(run.contribution.part),
    )


def _figures(part: PagePart, title: str) -> list[Section]:
    """List the sections of a task, with titles of tables that no other task of the page has."""
    return [
        replace(one, tables=[_titled(table, title) for table in one.tables])
        for one in part.sections
        if one.tables or (one.chart and one.chart.svg)
    ]


def _titled(table: Table, title: str) -> Table:
    return replace(table, title=f"{title}: {table.title}")


def _summary(task: _Task) -> dict[str, Any]:
    main = next(row.main for row in task.board.rows if row.run is task.run)
    column = task.board.main
    people = column.people if column else math.nan
    scale = scale_of(column.style if column else Measure(""), ends([main] if main else []))
    lines = (
        {} if main is None else {"chance": main.chance, "ceiling": main.shortcut_ceiling, "people": people}
    )
    return {
        "task": task,
        "measure": column.style.heading if column and main else "",
        "cell": _cell(main, column),
        "span": span(scale, main, lines),
        "chance": column.style.number(main.chance)
        if column and main and math.isfinite(main.chance)
        else ABSENT,
        "people": column.style.number(people) if column and math.isfinite(people) else ABSENT,
        "unfinished": task.run.contribution is None,
        "withheld": _withheld(task.run),
        "coverage": f"{task.run.answered:,} of {task.run.items:,}",
    }


def _by_part(part: Part) -> list[dict[str, Any]]:
    """Draw the measures that lead the page of a task by its parts."""
    words = part.words
    own = [e for e in in_first_view(part.measured.estimates) if "versus" not in e.by]
    own = [e for e in own if not e.method.startswith(PUBLISHED) and not set(words.by_part) & set(e.by)]
    leading = [*dict.fromkeys((*(row.measure for row in words.profile), *words.leading))]
    first: dict[str, str] = {}
    for measure, method in kinds(own):
        first.setdefault(measure, method)
    found = []
    for measure in leading:
        if measure not in first:
            continue
        arranged, style = grid(own, measure, first[measure], words), words.measure(measure)
        cells = [
            (name or OVERALL, arranged.cells[subject, name])
            for subject in arranged.subjects
            if words.is_model(subject[-1])
            for name in arranged.parts
            if (subject, name) in arranged.cells
        ]
        scale = scale_of(style, ends([e for _, e in cells]))
        rows = [
            {
                "name": plain(name),
                "shown": both_ends(e, style),
                "span": span(scale, e, {"chance": e.chance, "ceiling": e.shortcut_ceiling}),
            }
            for name, e in cells
        ]
        if len(rows) > 1:
            by = arranged.part.replace("_", " ")
            found.append(
                {
                    "title": f"{style.heading} by {by}",
                    "by": by.capitalize(),
                    "ticks": scale.ticks(),
                    "rows": rows,
                }
            )
    return found


def methods_page(frame: Frame, boards: Sequence[Board], cite: Work) -> str:
    """Render the page of methods and citations."""
    tasks = []
    for name in dict.fromkeys(board.task for board in boards):
        own = [board for board in boards if board.task == name]
        words, runs = own[0].words, [row.run for board in own for row in board.rows]
        estimates = [e for run in runs if run.contribution for e in run.contribution.part.measured.estimates]
        pairs = kinds(estimates)
        measures = {words.measure(m).title: words.measure(m).meaning for m, _ in pairs}
        tasks.append(
            {
                "name": words.title,
                "slug": own[0].slug,
                "versions": sorted({run.record.version for run in runs}),
                "measures": {title: meaning for title, meaning in measures.items() if meaning},
                "methods": {method: words.method(method) for _, method in pairs if words.method(method)},
                "notes": [],
                "works": words.works,
                "bibtex": bibtex(words.works),
            }
        )
    packages: dict[str, set[str]] = {}
    for board in boards:
        for row in board.rows:
            for package, version in row.run.record.versions.items():
                packages.setdefault(package, set()).add(version)
    return _render(
        "methods.html.jinja",
        frame,
        "",
        tasks=tasks,
        cite=cite,
        own_bibtex=bibtex([cite]),
        packages={name: ", ".join(sorted(found)) for name, found in sorted(packages.items())},
    )


def data_page(frame: Frame, tables: Sequence[tuple[str, str, str, Sequence[str]]]) -> str:
    """Render the page of files to download.

    Parameters
    ----------
    frame : Frame
    tables : sequence of (str, str, str, sequence of str)
        Stem, title and meaning of each table, and its columns.
    """
    return _render("data.html.jinja", frame, "", tables=tables)


def _by_run(models: Sequence[SiteModel]) -> dict[str, SiteModel]:
    return {run.record.id: model for model in models for run in model.runs}


def _described(model: SiteModel) -> dict[str, Any]:
    known = model.description
    return {
        "slug": model.slug,
        "shown": model.title,
        "raw": plain(model.name) if model.shown != model.name else "",
        "family": plain(known.family) or UNKNOWN,
        "size": known.size,
        "parameters": known.parameters or "",
        "size_class": known.size_class,
    }


@cache
def look() -> str:
    """Return a key of everything that all pages are made with: templates, styles and scripts."""
    texts = [
        one.read_text() for folder in _PIECES for one in sorted(folder.iterdir(), key=str) if one.is_file()
    ]
    return digest(texts)


def _render(template: str, frame: Frame, root: str, **content: Any) -> str:
    script = _joined(_SCRIPTS)
    return (
        _environment()
        .get_template(template)
        .render(
            {
                "site": frame,
                "root": root,
                "css": Markup(_joined(_STYLES)),
                "script": Markup(script),
                "script_hash": b64encode(sha256(script.encode()).digest()).decode(),
                "files": {},
                "overall": OVERALL,
                "absent": ABSENT,
                **content,
            }
        )
    )


@cache
def _joined(names: Sequence[str]) -> str:
    """Put styles or scripts together into one text."""
    return "\n".join(
        next((folder / name).read_text() for folder in _PIECES if (folder / name).is_file()) for name in names
    )


@cache
def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("probsense.results.site"), jinja2.PackageLoader("probsense.results")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["breakable"] = lambda text: Markup("<wbr>").join(re.split(r"(?<=[.:/_])(?=.)", text))
    return found
