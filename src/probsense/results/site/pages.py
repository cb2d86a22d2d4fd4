"""The pages of a site as HTML: pure functions from what is known to text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from probsense.core.records import Json, digest
from probsense.results.comparisons import group_letters
from probsense.results.page.packing import Packed
from probsense.results.page.render import Look
from probsense.results.page.spans import Scale, cell_of, ends, references, row_span, scale_of
from probsense.results.part import warnings_of_models
from probsense.results.site.boards import Board, Differing, Row, distribution
from probsense.results.site.models import CLASSES, UNKNOWN, SiteModel, model_of_run
from probsense.show.measure import ABSENT, Measure
from probsense.show.tables import kinds
from probsense.show.text import plain, shorten
from probsense.show.works import Work, bibtex

ANSWERS: Final = 6
"""Answers to a question that have a column in the table of all models; rarer ones stand in the list above it."""
NAMED: Final = 3
"""Models that a warning of a leaderboard names; the pages of the others have it, too."""
LONG: Final = 80
"""Characters of an answer that a table shows."""

SITE: Final = Look(
    ("probsense.results.site", "probsense.results.page"),
    ("page.css", "tables.css", "site.css"),
    ("tables.js", "site.js"),
)


NOTHING: Final = Packed("", (), ())
"""What pages of a site have packed in them."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What all pages of a site share: its title and its author."""

    title: str
    author: str = ""

    def page(self, template: str, root: str, **content: Any) -> str:
        """Render a page of the site, from which ``root`` leads to the first one."""
        return SITE.render(template, site=self, root=root, packed=NOTHING, absent=ABSENT, **content)


def index_page(
    frame: Frame,
    description: str,
    boards: Sequence[Board],
    models: Sequence[SiteModel],
    left_out: Sequence[str],
) -> str:
    """Render the first page: what this is, the leaderboards and the models."""
    runs = [run for model in models for run in model.runs]
    return frame.page(
        "index.html.jinja",
        "",
        description=description,
        boards=[
            {
                "slug": board.slug,
                "title": board_title(board, boards),
                "models": len({row.run.model for row in board.rows}),
                "questions": board.items,
                "measure": board.main.style.title if board.main else "",
                "best": _leaders(board, model_of_run(models)),
                "tied": sum(bool(row.place and 0 in row.place.groups) for row in board.rows) > 1,
            }
            for board in boards
        ],
        models=[
            {
                **model.described,
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
    by_run = model_of_run(models)
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
    return frame.page(
        "board.html.jinja",
        "../",
        board=board,
        title=board_title(board, boards),
        style=style,
        ticks=scale.ticks(),
        rows=rows,
        references=references(mains, scale, people),
        families=families,
        sizes=sizes,
        several_methods=len({row.run.record.method for row in board.rows}) > 1,
        warned=_warned(board, voiding=False),
        voiding=_warned(board, voiding=True),
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


def _warned(board: Board, *, voiding: bool) -> list[str]:
    """List the warnings about a leaderboard, or those alone that void a result."""
    parts = [(row.run.model, row.run.contribution.part) for row in board.rows if row.run.contribution]
    return warnings_of_models(parts, named=NAMED, voiding=voiding)


def _common(options: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Keep the options that are the same in all runs, and say something."""
    return {
        key: value
        for key, value in options[0].items()
        if value not in (None, [], "") and all(own.get(key) == value for own in options)
    }


def _board_row(row: Row, board: Board, model: SiteModel, scale: Scale, people: float) -> dict[str, Any]:
    place, run = row.place, row.run
    return {
        **model.described,
        "name": model.row_title(row),
        "anchor": run.record.id[:8],
        "groups": group_letters(place.groups) if place else "",
        "rank": f"{place.rank:g}" if place else "",
        "ranks": f"{place.low:.3g}–{place.high:.3g}" if place else "",
        "main": cell_of(row.main, scale.style),
        "span": row_span(scale, row.main, people),
        "cells": [cell_of(row.values.get(column.name), column.style) for column in board.columns],
        "method": run.record.method,
        "coverage": run.coverage,
        "covered": run.answered / run.items if run.items else 0,
        "unfinished": run.contribution is None,
        "withheld": run.withheld,
    }


def items_page(
    frame: Frame, board: Board, title: str, models: Sequence[SiteModel], found: Sequence[Differing]
) -> str:
    """Render the questions of a leaderboard on which models differ most."""
    by_run = model_of_run(models)
    names = {row.run.record.id: by_run[row.run.record.id].row_title(row) for row in board.rows}
    return frame.page(
        "differing.html.jinja",
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


def methods_page(frame: Frame, boards: Sequence[Board], cite: Work) -> str:
    """Render the page of methods and citations."""
    tasks = []
    for name in dict.fromkeys(board.task for board in boards):
        own = [board for board in boards if board.task == name]
        words, runs = own[0].words, [row.run for board in own for row in board.rows]
        estimates = [e for run in runs if run.contribution for e in run.contribution.part.results.estimates]
        pairs = kinds(estimates)
        measures = {words.measure(m).title: words.measure(m).meaning for m, _ in pairs}
        tasks.append(
            {
                "name": words.title,
                "slug": own[0].slug,
                "versions": sorted({run.record.version for run in runs}),
                "measures": {title: meaning for title, meaning in measures.items() if meaning},
                "methods": {method: words.method(method) for _, method in pairs if words.method(method)},
                "works": words.works,
                "bibtex": bibtex(words.works),
            }
        )
    packages: dict[str, set[str]] = {}
    for board in boards:
        for row in board.rows:
            for package, version in row.run.record.versions.items():
                packages.setdefault(package, set()).add(version)
    return frame.page(
        "methods.html.jinja",
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
    return frame.page("data.html.jinja", "", tables=tables)
