"""Defines what shows finished runs, sets models against each other, and plans further runs from them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probsense.cli.options import (
    Format,
    JsonFlag,
    OfTask,
    PageFile,
    Seed,
    Stores,
    choose_format,
    only_stdout,
    out_file,
    stores_of,
)
from probsense.cli.pairs import FurtherOptions, read_pairs
from probsense.cli.printing import print_json, print_lines, print_notes, print_runs, print_tables

if TYPE_CHECKING:
    from probsense.analysis.comparison.compare import Comparison


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Runs by their names or the beginning of their ids, or stores for all their runs; by default, all "
            "runs of --store.",
            metavar="[RUN|STORE]…",
        ),
    ] = None,
    store: Stores = None,
    task: OfTask = None,
    out: PageFile = Path("report.html"),
    title: Annotated[
        str | None, typer.Option("--title", help="Title of the page; by default, its tasks.", metavar="TEXT")
    ] = None,
    author: Annotated[str, typer.Option("--author", help="Who answers for the page.", metavar="TEXT")] = "",
    date: Annotated[
        str | None,
        typer.Option("--date", help="Date of the page; by default, that of the newest run.", metavar="TEXT"),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Show the page in the browser.")] = False,
    json: JsonFlag = False,
    format: Format = None,
) -> None:
    """Write one self-contained page about runs of any models and tasks: profile, charts, tables, every question.

    With --format or --json, print the results instead.
    """
    from probsense.results.page.report import report as write_page
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.find import find_runs, told_apart
    from probsense.show.text import counted

    form = choose_format(format, json)
    only_stdout(out, form)
    with show_waiting("reading and measuring", quiet=False):
        found, left_out = find_runs(runs or [], stores_of(store), task)
        shown = found if form == "csv" else told_apart(found)
        for one in shown:
            one.results  # noqa: B018
    print_notes(left_out)
    if form is not None:
        print_runs(shown, form)
        return
    with show_waiting(f"writing {out}", quiet=False):
        write_page(out, *shown, title=title, author=author, date=date, open=open)
    print(f"the report of {counted(len(shown), 'run')} is in {out}", file=sys.stderr)


def figure(
    name: Annotated[
        str,
        typer.Argument(
            help="A measure (accuracy, …) or a chart of a task (calibration, …); TASK.NAME if several tasks have "
            "one of that name.",
            metavar="NAME",
        ),
    ],
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Runs by their names or the beginning of their ids, or stores.",
            metavar="SOURCE…",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help='File to write: .pdf, .svg or .png; "-" is standard output, for SVG.',
            metavar="FILE",
            callback=out_file,
        ),
    ],
    store: Annotated[Path, typer.Option("--store", help="Store to find runs in by name or id.")] = Path(
        "probsense.db"
    ),
    task: OfTask = None,
    width: Annotated[
        int, typer.Option("--width", min=240, max=2400, help="Width of the chart, in pixels of 1/72 inch.")
    ] = 720,
) -> None:
    """Draw one chart of a report to a file, on white."""
    from probsense.results.charts import write_chart

    write_chart(name if task is None else f"{task}.{name}", sources, out, store=store, width=width)
    print(f"written: {out}", file=sys.stderr)


def compare(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Runs by their names or the beginning of their ids, stores with runs of one task, or files and "
            "folders of results that a task or another program wrote.",
            metavar="RESULTS…",
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", help="Measures to compare; by default, the first that all have.", metavar="NAME…"
        ),
    ] = None,
    intersection: Annotated[
        bool,
        typer.Option(
            "--intersection", help="Compare only the items that all have, and say how many there are."
        ),
    ] = False,
    changed: Annotated[
        int,
        typer.Option("--changed", help="List this many of the items that changed most, for each pair."),
    ] = 5,
    further: FurtherOptions = None,
    store: Stores = None,
    task: OfTask = None,
    seed: Seed = 0,
    format: Format = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write to a file instead of stdout; Markdown, if --format does not say otherwise.",
            metavar="FILE",
            callback=out_file,
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compare models on the same items: paired differences with 95 % intervals and tests, ranks, changed items."""
    from probsense.core.files import writing
    from probsense.interop.compare import compare as compare_sources
    from probsense.results.comparisons import comparison_tables

    chosen = choose_format(format, json)
    only_stdout(out, "json" if json else None)
    found = compare_sources(
        *sources,
        measure=measure or (),
        intersection=intersection,
        changed=changed,
        seed=seed,
        store=stores_of(store),
        task=task,
        **of_readers(further),
    )
    if out is not None:
        with writing(out) as stream:
            stream.write(_written(found, chosen or "md").encode())
        print(f"written: {out}", file=sys.stderr)
    elif chosen is None:
        print_tables(comparison_tables(found))
    else:
        sys.stdout.write(_written(found, chosen))
    if chosen != "json":
        print_notes(found.notes)


def items(
    sources: Annotated[
        list[str],
        typer.Argument(help="Results of one task, as for compare.", metavar="RESULTS…"),
    ],
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure", help="What says whether an answer is right; by default, the first measure that does."
        ),
    ] = None,
    further: FurtherOptions = None,
    store: Stores = None,
    task: OfTask = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help='File for all items; "-" is standard output, for CSV.',
            metavar="FILE.csv|parquet|jsonl",
            callback=out_file,
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Tell which items tell models apart: those that better models get wrong may have a wrong label."""
    from probsense.interop.compare import items as analyse_items
    from probsense.results.formats import check_ending, write_frame

    alone = only_stdout(out, "json" if json else None)
    if out is not None:
        check_ending(out)
    found = analyse_items(
        *sources,
        measure=measure,
        store=stores_of(store),
        task=task,
        **of_readers(further),
    )
    if out is not None:
        write_frame(out, found.table())
    if json:
        print_json(found.to_json())
        return
    if not alone:
        from probsense.results.comparisons import items_tables

        print_tables(items_tables(found))
        print_lines(found.findings())
    print_notes(found.notes)


def plan(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="The pilot: results of one task, as for compare; or the name of a task, for two small models.",
            metavar="[RESULTS…|TASK]",
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            "--width", help="Wanted width of the 95 % interval from end to end; .05 of a share is 5 points."
        ),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option("--difference", help="True difference of two models that is to be found, instead."),
    ] = None,
    power: Annotated[
        float, typer.Option("--power", help="Probability of finding the difference (t test, 5 %).")
    ] = 0.8,
    people: Annotated[
        list[Path] | None,
        typer.Option(
            "--people", help="Answers of people, as an export of collect. May be repeated.", metavar="FILE"
        ),
    ] = None,
    raters: Annotated[
        int | None, typer.Option("--raters", help="How many people will answer, if not as many as did.")
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option("--measure", help="Measure to plan for; by default, the first that all have."),
    ] = None,
    further: FurtherOptions = None,
    store: Stores = None,
    task: OfTask = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            "--figure",
            help="Draw the chart to a file: .pdf, .svg or .png.",
            metavar="FILE",
            callback=out_file,
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Plan a study from a pilot: how many items make an interval narrow enough, or a difference likely to be found."""
    from probsense.interop.plan import plan as plan_study
    from probsense.interop.plan import plan_table
    from probsense.results.charts import draw_chart, kind_of_picture

    alone = only_stdout(figure, "json" if json else None)
    kind = "" if figure is None else kind_of_picture(figure)
    found = plan_study(
        *(sources or ()),
        width=width,
        difference=difference,
        power=power,
        people=people or (),
        raters=raters,
        measure=measure,
        store=stores_of(store),
        task=task,
        **of_readers(further),
    )
    if figure is not None:
        draw_chart(found.chart(), kind, figure)
        print(f"written: {figure}", file=sys.stderr)
    if json:
        print_json(found.to_json())
        return
    if not alone:
        print_tables([plan_table(found)])
        print_lines([found.sentence])
    print_notes(found.notes)


def of_readers(words: Sequence[str] | None) -> dict[str, Any]:
    """Read the options of readers of results."""
    from probsense.interop.sources import reader_options

    return read_pairs(words, reader_options(), "-O") if words else {}


def _written(found: Comparison, form: str) -> str:
    """Write a comparison in a format."""
    from probsense.results.comparisons import comparison_tables
    from probsense.results.formats import as_csv, as_latex, as_markdown
    from probsense.show.measure import ENDS

    if form == "json":
        return dumps(found.to_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    if form == "csv":
        return as_csv(found.rows())
    return {"md": as_markdown, "latex": as_latex}[form](comparison_tables(found, ENDS))
