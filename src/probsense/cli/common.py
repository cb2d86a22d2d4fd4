"""Options that several commands share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.errors import InputError, did_you_mean

FORMATS = ("md", "latex", "csv", "json")

ModelSpec = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help="SCHEME:ARGUMENT, such as hf:NAME_OR_FOLDER, openai:MODEL, builtin:tiny, random:SEED or recorded:FILE; "
        "with it, --help shows the options of the model.",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", help="Ask this many items of a task at most; dependent ones stay together."),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        help="options (or exact), labels, sample, or both (sample and exact); by default the best that the model has.",
    ),
]
Store = Annotated[Path, typer.Option("--store", help="File that keeps every answer.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Print for a paper: md or latex, tables with intervals; csv or json, every estimate.",
        metavar="|".join(FORMATS),
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of every draw; the same seed gives identical bytes.")]


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, indent=1)
    sys.stdout.write("\n")


def choose_format(format: str | None, json: bool) -> str | None:
    """Choose the format by ``--format`` and ``--json``; None is tables in a terminal.

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
