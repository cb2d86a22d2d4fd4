"""The page of a model on a site: every task that it was asked, how, and what came out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from probsense.results.page.parts import PagePart, page_part
from probsense.results.page.spans import cell_of, ends, row_span, scale_of
from probsense.results.part import Part
from probsense.results.site.boards import Board
from probsense.results.site.models import SiteModel
from probsense.results.site.pages import Frame, board_title
from probsense.results.site.reading import SiteRun
from probsense.show.charts import first_methods
from probsense.show.key_results import in_first_view
from probsense.show.measure import ABSENT, Measure, both_ends
from probsense.show.render import MISSING, can_draw
from probsense.show.tables import OVERALL, PUBLISHED, grid
from probsense.show.text import plain


@dataclass(frozen=True, eq=False)
class _Task:
    """A run on the page of its model."""

    run: SiteRun
    title: str
    anchor: str
    board: Board
    board_title: str
    part: PagePart | None = None
    spans: Sequence[Mapping[str, Any]] = ()


def model_page(frame: Frame, model: SiteModel, boards: Sequence[Board], *, charts: bool) -> str:
    """Render the profile of a model: every task that it was asked, and how."""
    order = [row.run.record.id for board in boards for row in board.rows]
    runs = sorted(model.runs, key=lambda run: order.index(run.record.id))
    tasks = [_task(run, model, boards, charts=charts) for run in runs]
    return frame.page(
        "model.html.jinja",
        "../",
        model=model.described,
        shown=model.title,
        name=model.name,
        link=model.description.link,
        warned=[
            {"name": task.title, "warnings": task.part.warnings}
            for task in tasks
            if task.part and task.part.warnings
        ],
        missing=MISSING if charts and not can_draw() else "",
        summary=[_summary(task) for task in tasks],
        tasks=tasks,
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
    return replace(where, part=part, spans=_by_part(run.contribution.part))


def _summary(task: _Task) -> dict[str, Any]:
    main = next(row.main for row in task.board.rows if row.run is task.run)
    column = task.board.main
    people = column.people if column else math.nan
    scale = scale_of(column.style if column else Measure(""), ends([main] if main else []))
    return {
        "task": task,
        "measure": column.style.heading if column and main else "",
        "cell": cell_of(main, scale.style),
        "span": row_span(scale, main, people),
        "chance": column.style.number(main.chance)
        if column and main and math.isfinite(main.chance)
        else ABSENT,
        "people": column.style.number(people) if column and math.isfinite(people) else ABSENT,
        "unfinished": task.run.contribution is None,
        "withheld": task.run.withheld,
        "coverage": task.run.coverage,
    }


def _by_part(part: Part) -> list[dict[str, Any]]:
    """Draw the measures that lead the page of a task by its parts."""
    words = part.words
    own = [e for e in in_first_view(part.results.estimates) if "versus" not in e.by]
    own = [e for e in own if not e.method.startswith(PUBLISHED) and not set(words.by_part) & set(e.by)]
    leading = [*dict.fromkeys((*(row.measure for row in words.profile), *words.leading))]
    first = first_methods(own)
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
                "span": row_span(scale, e),
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
