"""Tables of other things than estimates: facts, distributions over options, findings of an examination."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.show.measure import ABSENT
from probsense.show.text import plain, shorten
from probsense.show.words import Table

if TYPE_CHECKING:
    from probsense.runs.score import Distribution


def records(title: str, rows: Sequence[Mapping[str, Json]]) -> Table:
    """Make a table with a row for each mapping; its keys are the columns, those of words first."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    words = {key for row in rows for key, value in row.items() if isinstance(value, str)}
    columns.sort(key=lambda key: key not in words)
    cells = {_human(key): [_count(row.get(key)) for row in rows] for key in columns}
    return Table.of(title, cells, heads=sum(key in words for key in columns))


def facts_tables(runs: Sequence[Mapping[str, Json]]) -> list[Table]:
    """Make a table of what all runs have in common, and one of what differs, with a column for each run."""
    spread = [dict(_spread(run)) for run in runs]
    keys = list(dict.fromkeys(key for run in spread for key in run))
    same = [key for key in keys if len({run.get(key) for run in spread}) == 1]
    other = [key for key in keys if key not in same]
    columns = ("What", *(f"Run {i + 1}" for i in range(len(runs))))
    rows = tuple((_human(key), *(run.get(key, ABSENT) for run in spread)) for key in other)
    tables = [
        Table(
            "In every run" if runs[1:] else "The run",
            ("What", "Value"),
            tuple((_human(k), spread[0][k]) for k in same),
        ),
        Table("Run by run", columns, rows),
    ]
    return [table for table in tables if table.rows]


def _spread(facts: Mapping[str, Json], before: str = "") -> Iterable[tuple[str, str]]:
    for key, value in facts.items():
        if isinstance(value, Mapping):
            yield from _spread(value, f"{before}{key} › ")
        else:
            yield f"{before}{key}", _text(value)


def _count(value: Json) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _human(key: str) -> str:
    words = plain(key).replace("_", " ")
    return words[:1].upper() + words[1:]


def _text(value: Json) -> str:
    match value:
        case None | "":
            return ABSENT
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case list():
            return ", ".join(_text(item) for item in value) or ABSENT
        case dict():
            return "; ".join(f"{plain(key)}: {_text(item)}" for key, item in value.items()) or ABSENT
        case _:
            return plain(value)


BAR = 10
"""Width of a bar for probability 1."""


def distribution_table(found: Distribution) -> Table:
    """List each option with its probability under the rule, a bar for it, its log-probability and number of tokens."""
    rule = found.rule
    scores = {} if rule == "sum" else {"Score": [f"{score:.4f}" for score in found.scores]}
    columns = {
        "p": [f"{100 * p:.2f} %" for p in found.probabilities],
        "": [bar(p) for p in found.probabilities],
        **scores,
        "log p": [f"{logprob:.3f}" for logprob in found.logprobs],
        "Tokens": [str(n or "–") for n in found.tokens],
    }
    return _of_options(found, f"rule {rule}", columns)


def views_table(found: Distribution) -> Table:
    """List the probability of each option, in per cent, under every view."""
    columns = {
        view: [f"{100 * p:.2f}" for p in probabilities] for view, probabilities in found.views().items()
    }
    return _of_options(found, "probability in % by view", columns)


def bar(share: float) -> str:
    """Draw a bar as long as a share of its width, to an eighth of a character; never empty for what is not nothing."""
    eighths = max(round(share * BAR * 8), int(share > 0))
    whole, rest = divmod(eighths, 8)
    drawn = "█" * whole + " ▏▎▍▌▋▊▉"[rest].strip()
    return drawn + "░" * (BAR - len(drawn))


def quoted(text: str) -> str:
    """Put a text in quotes, so that blanks at its ends and line breaks in it show."""
    return plain(json.dumps(text, ensure_ascii=False))


def _of_options(found: Distribution, what: str, columns: dict[str, list[str]]) -> Table:
    suffix = f" {shorten(quoted(found.request.suffix), 30)}" if found.request.suffix else ""
    title = (
        f"{shorten(quoted(found.request.prefix), 40)} …{suffix}: {what}, temperature {found.temperature:g}"
    )
    return Table.of(title, {"Option": [*map(quoted, found.options)], **columns})


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
