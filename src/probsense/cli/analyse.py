"""``probsense analyse``: figures of recorded results; no model needed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probsense.cli import frame_options, judgment_options
from probsense.cli.common import (
    Format,
    JsonFlag,
    Seed,
    check_task,
    choose_format,
    flag_of,
    is_given,
    print_figures,
    print_json,
    print_parts_as,
)
from probsense.errors import InputError

if TYPE_CHECKING:
    from probsense.tasks.analysis import Analysis

_WORLDSENSE = "worldsense"

_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "worldsense": ("folder", "audit", "cache", "figures"),
    "judgments": (
        *("ratings", "humans", "majority", "statements", "demographics", "sizes"),
        *("other", "draws", "seed", "compat", "figures"),
    ),
    "frames": (
        *("targets", "predictions", "method", "similarity", "embeddings"),
        *("clusters", "divergence", "answers", "seed", "figures"),
    ),
}
"""Which options each task takes."""


def analyse(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="worldsense, judgments or frames")],
    folder: Annotated[
        Path | None,
        typer.Argument(help="worldsense: a test set in the published layout, with its results/."),
    ] = None,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit/--no-audit",
            help="Recompute the gold labels too (method 'corrected').",
            rich_help_panel=_WORLDSENSE,
        ),
    ] = True,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache/--no-cache",
            help="Reuse what an earlier analysis parsed.",
            rich_help_panel=_WORLDSENSE,
        ),
    ] = True,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(
            "--ratings",
            help="Models' answers: tables (model, statement_id, question, p_yes, p_no, p_other) or folders of raw "
            "results.",
            metavar="FILE|DIR…",
            rich_help_panel=judgment_options.PANEL,
        ),
    ] = None,
    humans: judgment_options.Humans = None,
    majority: judgment_options.Majority = None,
    statements: judgment_options.Statements = None,
    demographics: Annotated[
        Path | None,
        typer.Option(
            "--demographics",
            help="Who people are (person, and a column for each characteristic): agreement by group.",
            metavar="FILE",
            rich_help_panel=judgment_options.PANEL,
        ),
    ] = None,
    sizes: Annotated[
        Path | None,
        typer.Option(
            "--sizes",
            help="How large models are (model, parameters, family): the effect of size.",
            metavar="FILE",
            rich_help_panel=judgment_options.PANEL,
        ),
    ] = None,
    other: judgment_options.Other = "split",
    draws: Annotated[
        int,
        typer.Option(
            "--draws", help="Draws of the bootstrap of intervals.", rich_help_panel=judgment_options.PANEL
        ),
    ] = 1000,
    seed: Seed = 0,
    compat: Annotated[
        bool,
        typer.Option(
            "--compat",
            help="Method 'published' with the faults with which figures were published.",
            rich_help_panel=judgment_options.PANEL,
        ),
    ] = False,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            help="Write each chart (SVG) and what it is drawn from (CSV) into a folder.",
            metavar="DIR",
            rich_help_panel=f"{_WORLDSENSE}, {judgment_options.PANEL}, {frame_options.PANEL}",
        ),
    ] = None,
    targets: frame_options.Targets = None,
    predictions: frame_options.Predictions = None,
    method: frame_options.Method = "default",
    similarity: frame_options.Similarity = None,
    embeddings: frame_options.Embeddings = "chars",
    clusters: frame_options.Clusters = "people",
    divergence: frame_options.Divergence = None,
    answers: frame_options.Compared = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the figures as a page, too.", metavar="FILE.html")
    ] = None,
    json: JsonFlag = False,
    format: Format = None,
) -> None:
    """Analyse recorded results in the published formats: tables with 95 % intervals, or their JSON."""
    from probsense.report.formats import Figures

    form = choose_format(format, json)
    check_task(task, having="recorded results", known=tuple(_OPTIONS))
    for owner, options in _OPTIONS.items():
        for option in options:
            if option not in _OPTIONS[task] and is_given(context, option):
                name = "a folder" if option == "folder" else flag_of(option)
                raise InputError(f"{name} belongs to {owner}", expected=f"options of {task}")
    given = {name: context.params[name] for name in _OPTIONS[task] if name != "figures"}
    made: dict[str, Callable[..., tuple[str, Analysis]]] = {
        "worldsense": _worldsense,
        "judgments": _judgments,
        "frames": _frames,
    }
    title, analysis = made[task](**given)
    if figures is not None:
        from probsense.report.analyses import write_figures

        for path in write_figures(figures, analysis):
            print(f"written: {path}", file=sys.stderr)
    if report is not None:
        from probsense.report.analyses import report_analysis

        report_analysis(report, title, analysis)
    if form == "json":
        print_json(analysis.to_json())
        return
    said = Figures(analysis.estimates, analysis.coverage, analysis.notes)
    if form is None:
        print_figures(*said)
    else:
        print_parts_as(form, {task: said})


def _worldsense(folder: Path | None, audit: bool, cache: bool) -> tuple[str, Analysis]:
    from dataclasses import replace

    from probsense.tasks.worldsense.analyse import analyse as analyse_folder
    from probsense.tasks.worldsense.corrections import corrections

    if folder is None:
        raise InputError("no folder", expected="a test set in the published layout")
    audited = corrections(folder, cache=cache) if audit else None
    analysis = analyse_folder(folder, corrected=audited.labels if audited else None, cache=cache)
    analysis = replace(analysis, notes=[*analysis.notes, *(audited.notes() if audited else ())])
    return f"WorldSense: {analysis.run['testset']}", analysis


def _judgments(
    ratings: list[Path] | None,
    humans: list[Path] | None,
    other: str,
    draws: int,
    seed: int,
    compat: bool,
    **files: Path | None,
) -> tuple[str, Analysis]:
    from probsense.tasks.judgments.analyse import analyse as analyse_ratings
    from probsense.tasks.judgments.measures import Settings

    settings = Settings(policy=other, draws=draws, seed=seed, compat=compat)
    analysis = analyse_ratings(ratings or [], humans=humans or (), settings=settings, **files)
    return "Judgments: models and people", analysis


def _frames(targets: Path | None, predictions: list[Path] | None, **choice: Any) -> tuple[str, Analysis]:
    from probsense.tasks.frames.analyse import analyse as analyse_answers
    from probsense.tasks.frames.analyse import make_choice

    if targets is None:
        raise InputError("no targets", expected="--targets FILE, questions with people's answers")
    analysis = analyse_answers(targets, predictions or [], choice=make_choice(**choice))
    return "Frames: models and people", analysis
