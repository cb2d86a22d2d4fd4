"""The options that ``run judgments`` and ``analyse judgments`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PANEL = "judgments"

Statements = Annotated[
    Path | None,
    typer.Option(
        "--statements",
        help="Table with a column 'statement' and, if need be, an id, features of 0 and 1, categories. "
        "When running, those of the package are asked without it.",
        metavar="FILE",
        rich_help_panel=PANEL,
    ),
]
Humans = Annotated[
    list[Path] | None,
    typer.Option(
        "--humans",
        help="People's ratings: one table (statement_id or statement, person, q1, q2), or two wide ones as published.",
        metavar="FILE…",
        rich_help_panel=PANEL,
    ),
]
Majority = Annotated[
    Path | None,
    typer.Option(
        "--majority",
        help="What most people say (statement_id, majority), where single people's ratings are not at hand.",
        metavar="FILE",
        rich_help_panel=PANEL,
    ),
]
Other = Annotated[
    str,
    typer.Option(
        "--other",
        help="What becomes of answers that are neither yes nor no: split, drop, wrong or separate.",
        rich_help_panel=PANEL,
    ),
]
