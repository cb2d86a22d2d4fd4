"""Defines the options that several commands share."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from probsense.cli.next_steps import TEMPORARY
from probsense.core.errors import InputError, did_you_mean
from probsense.core.options import ASKING, RARE, checked_seed

ASKING_PANEL, RARE_PANEL = (group.capitalize() for group in (ASKING, RARE))
"""The panels of options that are about these; common options have none."""
FORMATS = ("md", "latex", "csv")

_asking, _rare = (partial(typer.Option, rich_help_panel=panel) for panel in (ASKING_PANEL, RARE_PANEL))
MODEL_HELP = (
    "SCHEME:ARGUMENT, such as hf:NAME_OR_FOLDER, openai:MODEL, builtin:tiny, random or recorded:FILE."
)
ModelSpec = Annotated[str, typer.Option("--model", "-m", help=MODEL_HELP, metavar="SPEC")]
Limit = Annotated[
    int | None,
    typer.Option("--limit", help="Ask at most this many items; dependent items stay together."),
]
ItemsFile = Annotated[
    Path | None,
    typer.Option(
        "--items",
        help="Ask only the items that a file lists; an id in each line.",
        metavar="FILE",
    ),
]
Conditions = Annotated[
    str | None,
    _asking(
        "--conditions",
        help="Ask each question under several conditions, whose mean counts: order (of the answers), "
        "system=FILE.yaml (system prompts by name), persona=FILE.csv (a table of persona, description and, if need "
        "be, weight and groups), what the task can vary (wording, position, labels), or none.",
        metavar="FACET[,FACET…]",
    ),
]
MostConditions = Annotated[
    int | None,
    _asking(
        "--most-conditions",
        help="Ask each question under at most this many conditions: a part in which any two facets are balanced.",
        metavar="N",
    ),
]
Method = Annotated[
    str | None,
    _asking(
        "--method",
        help="How to ask: options (or exact), labels, sample, stated, or both (sample and exact); by default, the "
        "best that the model can answer.",
        metavar="options|labels|sample|…",
    ),
]


Thinking = Annotated[
    str,
    _asking(
        "--thinking",
        help="Let the model think before each answer: on, off, both, or auto, which lets those think that cannot help "
        "it. -M think_start=TEXT and -M think_end=TEXT give the markers of a thought where the chat template does not, "
        "-M thinking_sampling=top_k=20 how chains are drawn.",
        metavar="auto|off|on|both",
    ),
]
NumberOfChains = Annotated[
    int,
    _asking(
        "--chains", help="Chains of thought before each answer; this is the mean over what follows them."
    ),
]
ThinkingBudget = Annotated[
    str,
    _rare(
        "--thinking-budget",
        help="The most tokens of a chain; a longer one is cut, and closed. Several numbers cut the same chains at each "
        "of them: how answers change with the budget.",
        metavar="N[,N…]",
    ),
]
MaxCost = Annotated[
    float | None, _asking("--max-cost", help="Stop asking at this cost; the model needs a table of prices.")
]
Full = Annotated[bool, typer.Option("--full", help="Print all tables, warnings and notes.")]


def out_file(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written, before long work; the callback of options that name a file to write."""
    from probsense.core.files import check_writable

    if path is not None:
        check_writable(path)
    return path


def out_folder(path: Path | None) -> Path | None:
    """Refuse a folder that cannot be one; the callback of options that name a folder to write to."""
    from probsense.core.files import check_folder

    if path is not None:
        check_folder(path)
    return path


PageFile = Annotated[
    Path,
    typer.Option(
        "--out", help='File of the page; "-" is standard output.', metavar="FILE.html", callback=out_file
    ),
]


def only_stdout(out: Path | None, form: str | None) -> bool:
    """Tell whether a file to write is standard output, which then gets nothing else.

    Raises
    ------
    InputError
        If ``--json`` or ``--format`` wants standard output, too.
    """
    from probsense.core.files import STDOUT

    if out == STDOUT and form is not None:
        raise InputError("two documents for standard output", expected="a file, or no --json and no --format")
    return out == STDOUT


def kept_store(context: typer.Context, path: Path) -> Path:
    """Return the file of a store; for the name "none" a temporary one, which is removed when the command ends."""
    if path != Path("none") or context.resilient_parsing:
        return path
    folder = TemporaryDirectory(prefix=TEMPORARY)
    context.call_on_close(folder.cleanup)
    print("--store none: no answer is kept, and the run cannot be resumed", file=sys.stderr)
    return Path(folder.name, "none.db")


Store = Annotated[
    Path,
    typer.Option(
        "--store",
        help='File that stores every answer; "none" keeps nothing.',
        callback=kept_store,
        metavar="FILE",
    ),
]
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
        help="Print for a paper: tables with intervals as md or latex, or every estimate as csv.",
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
    if json and format is not None:
        raise InputError(f"--json and --format {format}", expected="one of them")
    return "json" if json else format


def stores_of(store: list[Path] | None) -> list[Path]:
    """Return the stores that were named, or the usual one."""
    return store or [Path("probsense.db")]
