"""What an examination found, in words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from probsense.models.base import Finding
from probsense.models.doctor import SampleTokens
from probsense.show.tables import ABSENT, Table
from probsense.show.text import plain

MARKS = {True: "ok", None: "note", False: "FAIL"}


def findings_text(findings: Sequence[Finding], width: int) -> str:
    """Write a paragraph for each finding, in three columns: how it went, what was checked, what was seen.

    Parameters
    ----------
    findings : sequence of Finding
    width : int
        Characters in a line, at least; names and longer words are never cut.
    """
    names = max((len(finding.name) for finding in findings), default=0)
    indent = " " * (max(map(len, MARKS.values())) + names + 4)
    return "\n".join(
        textwrap.fill(
            plain(finding.detail),
            max(width, len(indent) + 20),
            initial_indent=f"{MARKS[finding.ok]:<4}  {finding.name:<{names}}  ",
            subsequent_indent=indent,
        )
        for finding in findings
    )


def tokens_table(tokens: SampleTokens) -> Table:
    """List the tokens of a text: part, token, id and log-probability."""
    title = f"Tokens of {plain(repr(tokens.text))}" + ("; one token spans a join" if tokens.straddles else "")
    return Table(
        title,
        ("Part", "Token", "Id", "log p"),
        tuple(
            (
                row.part,
                plain(repr(row.token)),
                ABSENT if row.id is None else str(row.id),
                ABSENT if row.logprob is None else f"{row.logprob:.4f}",
            )
            for row in tokens.rows
        ),
        heads=2,
    )
