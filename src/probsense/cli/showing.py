"""Defines what shows finished runs, sets models against each other, and plans further runs from them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import probsense as ps
from probsense.cli.options import (
    STORES,
    USUAL,
    File,
    FurtherOptions,
    MaybeFile,
    Seed,
    Stores,
    choose_format,
    only_stdout,
    read_pairs,
)
from probsense.cli.printing import (
    as_paper,
    print_json,
    print_lines,
    print_notes,
    print_runs,
    print_tables,
    say,
)
from probsense.show.text import counted


def report(
    runs: list[str] | None = None,
    *,
    store: Stores = STORES,
    task: str | None = None,
    out: File = Path("report.html"),
    title: str | None = None,
    author: str = "",
    date: str | None = None,
    open: bool = False,
    json: bool = False,
    format: str | None = None,
) -> None:
    """Write one self-contained page about runs of any models and tasks: profile, charts, tables, every question.

    With --format or --json, print the results instead.

    Parameters
    ----------
    out : FILE.html
        File of the page; "-" is standard output.
    runs : [RUN|STORE]…
        Runs by their names or the beginning of their ids, or stores for all their runs; by default, all runs of
        --store.
    title : TEXT
        Title of the page; by default, its tasks.
    author : TEXT
        Author of the page.
    date : TEXT
        Date of the page; by default, that of the newest run.
    open
        Show the page in the browser.
    """
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.find import find_runs, told_apart

    form = choose_format(format, json)
    only_stdout(out, form)
    with show_waiting("reading and measuring", quiet=False):
        found, left_out = find_runs(runs or [], store, task)
        shown = found if form == "csv" else told_apart(found)
        for one in shown:
            one.results  # noqa: B018
    print_notes(left_out)
    if form is not None:
        print_runs(shown, form)
        return
    with show_waiting(f"writing {out}", quiet=False):
        ps.report(out, *shown, title=title, author=author, date=date, open=open)
    say(f"the report of {counted(len(shown), 'run')} is in {out}")


def figure(
    name: str,
    sources: list[str],
    *,
    out: File,
    store: Path = USUAL,
    task: str | None = None,
    width: Annotated[
        int, typer.Option("--width", min=240, max=2400, help="Width of the chart, in pixels of 1/72 inch.")
    ] = 720,
) -> None:
    """Draw one chart of a report to a file, on white.

    Parameters
    ----------
    sources : SOURCE…
        Runs by their names or the beginning of their ids, or stores.
    name : NAME
        A measure (accuracy, …) or a chart of a task (calibration, …); TASK.NAME if several tasks have one of
        that name.
    out : FILE
        File to write: .pdf, .svg or .png; "-" is standard output, for SVG.
    store
        Store to find runs in by name or id.
    """
    from probsense.results.charts import draw_chart, find_chart, kind_of_picture

    kind = kind_of_picture(out)
    draw_chart(find_chart(name if task is None else f"{task}.{name}", sources, store), kind, out, width)
    say(f"written: {out}")


def compare(
    sources: list[str],
    *,
    measure: list[str] | None = None,
    intersection: bool = False,
    changed: int = 5,
    further: FurtherOptions = None,
    store: Stores = STORES,
    task: str | None = None,
    seed: Seed = 0,
    format: str | None = None,
    json: bool = False,
) -> None:
    """Compare models on the same items: paired differences with 95 % intervals and tests, ranks, changed items.

    Parameters
    ----------
    measure : NAME…
        Measures to compare; by default, the first that all have.
    intersection
        Compare only the items that all have, and say how many there are.
    changed
        List this many of the items that changed most, for each pair.
    """
    from probsense.results.comparisons import comparison_tables
    from probsense.results.formats import as_csv
    from probsense.show.measure import ENDS

    form = choose_format(format, json)
    found = ps.compare(
        *sources,
        measure=measure or (),
        intersection=intersection,
        changed=changed,
        seed=seed,
        store=store,
        task=task,
        **of_readers(further),
    )
    if form == "json":
        print_json(found.to_json())
        return
    if form is None:
        print_tables(comparison_tables(found))
    elif form == "csv":
        sys.stdout.write(as_csv(found.rows()))
    else:
        sys.stdout.write(as_paper(comparison_tables(found, ENDS), form))
    print_notes(found.notes)


def items(
    sources: list[str],
    *,
    measure: str | None = None,
    further: FurtherOptions = None,
    store: Stores = STORES,
    task: str | None = None,
    out: MaybeFile = None,
    json: bool = False,
) -> None:
    """Find the items that tell models apart: those that better models get wrong may have a wrong label.

    Parameters
    ----------
    measure
        What says whether an answer is right; by default, the first measure that does.
    out : FILE.csv|parquet|jsonl
        File for all items; "-" is standard output, for CSV.
    """
    from probsense.results.comparisons import items_tables
    from probsense.results.formats import check_ending, write_frame

    alone = only_stdout(out, "json" if json else None)
    if out is not None:
        check_ending(out)
    found = ps.items(*sources, measure=measure, store=store, task=task, **of_readers(further))
    if out is not None:
        write_frame(out, found.table())
    if json:
        print_json(found.to_json())
        return
    if not alone:
        print_tables(items_tables(found))
        print_lines(found.findings())
    print_notes(found.notes)


def plan(
    sources: list[str] | None = None,
    *,
    width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    people: list[Path] | None = None,
    raters: int | None = None,
    measure: str | None = None,
    further: FurtherOptions = None,
    store: Stores = STORES,
    task: str | None = None,
    figure: MaybeFile = None,
    json: bool = False,
) -> None:
    """Plan a study from a pilot: how many items make an interval narrow enough, or a difference likely to be found.

    Parameters
    ----------
    sources : [RESULTS…|TASK]
        The pilot: results of one task, as for compare; or the name of a task, for which two small models stand in.
    width
        Wanted width of the 95 % interval from end to end; .05 of a share is 5 points.
    difference
        Plan instead for finding this true difference of two models.
    power
        Probability of finding the difference (t test, 5 %).
    people : FILE
        Answers of people, as an export of collect. May be repeated.
    raters
        Number of people who will answer; by default as many as in the pilot.
    measure
        Measure to plan for; by default, the first that all have.
    figure : FILE
        Draw the chart to a file: .pdf, .svg or .png.
    """
    from probsense.interop.plan import plan_table
    from probsense.results.charts import draw_chart, kind_of_picture

    alone = only_stdout(figure, "json" if json else None)
    kind = kind_of_picture(figure) if figure else ""
    found = ps.plan(
        *(sources or ()),
        width=width,
        difference=difference,
        power=power,
        people=people or (),
        raters=raters,
        measure=measure,
        store=store,
        task=task,
        **of_readers(further),
    )
    if figure is not None:
        draw_chart(found.chart(), kind, figure)
        say(f"written: {figure}")
    if json:
        print_json(found.to_json())
        return
    if not alone:
        print_tables([plan_table(found)])
        print_lines([found.sentence])
    print_notes(found.notes)


def of_readers(words: Sequence[str] | None) -> dict[str, Any]:
    """Read the options of readers of results."""
    from probsense.interop.compare import reader_options

    return read_pairs(words, reader_options(), "-O") if words else {}
