"""Defines the options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probsense.core.errors import InputError, did_you_mean
from probsense.core.options import checked_seed

FORMATS = ("md", "latex", "csv", "json")

MODEL_HELP = (
    "SCHEME:ARGUMENT, such as hf:NAME_OR_FOLDER, openai:MODEL, builtin:tiny, random:SEED or recorded:FILE."
)
ModelSpec = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help=f"{MODEL_HELP} After it, --help shows the options of the model.",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", help="Ask at most this many items of each task; dependent items stay together."),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        help="How to ask: options (or exact), labels, sample, or both (sample and exact); by default, the best that "
        "the model can answer.",
    ),
]
Store = Annotated[Path, typer.Option("--store", help="File that stores every answer.")]
Stores = Annotated[
    list[Path] | None,
    typer.Option(
        "--store",
        help="Store to find runs in by name or id; by default, probsense.db. May be repeated.",
        metavar="FILE",
    ),
]
OfTask = Annotated[
    str | None, typer.Option("--task", help="Take the runs of this task only.", metavar="TASK")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Print for a paper: tables with intervals as md or latex, or every estimate as csv or json.",
        metavar="|".join(FORMATS),
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        help="Seed of all random draws; the same seed gives identical bytes.",
        callback=checked_seed,
    ),
]


def choose_format(format: str | None, json: bool) -> str | None:
    """Choose the format by ``--format`` and ``--json``; None stands for tables in a terminal.

    Raises
    ------
    InputError
        For an unknown format, and for two of them.
    """
    if format not in (None, *FORMATS):
        raise InputError(f"--format {format!r}{did_you_mean(format, FORMATS)}", expected=", ".join(FORMATS))
    if json and format not in (None, "json"):
        raise InputError(f"--json and --format {format}", expected="one of them")
    return "json" if json else format


def stores_of(store: list[Path] | None) -> list[Path]:
    """Return the stores that were named, or the usual one."""
    return store or [Path("probsense.db")]
