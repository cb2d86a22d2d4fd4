"""Files for papers and other programs: tables in Markdown and LaTeX, estimates as CSV, items in any format."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from probsense.analysis.inference.estimate import flat_rows
from probsense.core.errors import InputError
from probsense.core.files import STDOUT, writing
from probsense.core.records import Json
from probsense.results.part import Part, covered, parts_of_runs
from probsense.show.measure import ENDS
from probsense.show.tables import brief_tables, transpose
from probsense.show.words import Table

if TYPE_CHECKING:
    import polars as pl

    from probsense.runs.run import Run


def paper_tables(part: Part) -> list[Table]:
    """Make the tables that a terminal shows, with both ends of every interval and the coverage in their titles."""
    return covered(part, brief_tables(part.results.estimates, part.words, ENDS))


def estimate_rows(parts: Sequence[Part]) -> list[dict[str, Json]]:
    """Flatten every estimate to a row: its task, measure and method, what it describes, and its numbers."""
    found = [(part.name, estimate) for part in parts for estimate in part.results.estimates]
    flat = flat_rows([estimate.to_json() for _, estimate in found])
    return [{"task": name, **row} for (name, _), row in zip(found, flat, strict=True)]


def run_rows(runs: Sequence[Run]) -> list[dict[str, Json]]:
    """Flatten every estimate of runs to a row as :func:`estimate_rows` does, with the id and the name of its run."""
    return [
        {"run": run.id, "run_name": run.record.name, **row}
        for run in runs
        for row in estimate_rows(parts_of_runs([run]))
    ]


def as_csv(rows: Sequence[Mapping[str, Json]]) -> str:
    """Write rows as CSV (RFC 4180, but for line ends); what is unknown, and a key that a row lacks, are empty cells.

    Parameters
    ----------
    rows : sequence of mapping
        Keys make the columns, in the order in which they come; lists and mappings are written as JSON.
    """
    columns = list(dict.fromkeys(key for row in rows for key in row))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_field(row.get(column)) for column in columns] for row in rows)
    return stream.getvalue()


def _field(value: Json) -> Json:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict | bool) else value


def as_markdown(tables: Iterable[Table]) -> str:
    """Write tables in the Markdown of GitHub, each under its title in bold type."""
    return "\n".join(_markdown(narrow(table)) for table in tables if table.rows)


def _markdown(table: Table) -> str:
    marks = [":---" if i < table.heads else "---:" for i in range(len(table.columns))]
    rows = [
        map(_escaped_markdown, table.columns),
        marks,
        *(map(_escaped_markdown, row) for row in table.rows),
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"**{_escaped_markdown(table.title)}**", "", *lines, ""])


def _escaped_markdown(text: str) -> str:
    """Escape what ends a cell or means something to Markdown; an underscore within a word means nothing."""
    text = re.sub(r"([\\`*|~]|(?<![^\W_])_|_(?![^\W_])|(?<=\])[(\[])", r"\\\1", text)
    return re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", re.sub(r"&(?=#?\w+;)", "&amp;", text))


def as_latex(tables: Iterable[Table]) -> str:
    """Write tables in LaTeX with the rules of the package booktabs, each with its title for a caption."""
    return "\n".join(
        ["% needs \\usepackage{booktabs}", *(_latex(narrow(table)) for table in tables if table.rows)]
    )


def _latex(table: Table) -> str:
    marks = "l" * table.heads + "r" * (len(table.columns) - table.heads)
    head, *rows = (" & ".join(map(_escaped_latex, row)) + r" \\" for row in (table.columns, *table.rows))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escaped_latex(table.title)}}}",
        rf"\begin{{tabular}}{{{marks}}}",
        r"\toprule",
        head,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "√": r"$\surd$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "→": r"$\rightarrow$",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
}


def _escaped_latex(text: str) -> str:
    escaped = "".join(_LATEX.get(char, char) for char in text)
    escaped = re.sub(r"(?<![\w)-])-(?=\d)", "$-$", escaped)  # a sign, not a hyphen
    return re.sub(r"^\[", "{[}", escaped)  # else it would be taken for an argument of the \\\\ before it


def narrow(table: Table) -> Table:
    """Turn a table round if it then has fewer columns, and only if all its columns of numbers are of one kind."""
    shapes = (table, transpose(table)) if table.across else (table,)
    return min(shapes, key=lambda shape: len(shape.columns))


KINDS: Final = (".csv", ".parquet", ".jsonl")


def items_table(runs: Sequence[Run]) -> pl.DataFrame:
    """Put the tables of runs together, a row for each item that was answered; see :meth:`Run.table`.

    Parameters
    ----------
    runs : sequence of Run

    Returns
    -------
    DataFrame
        The columns ``run``, ``model`` and ``method``, then those of all the tables; null where a run lacks one.
    """
    import polars as pl

    tables = [
        run.table().select(
            pl.lit(run.id).alias("run"),
            pl.lit(run.model).alias("model"),
            pl.lit(run.method).alias("method"),
            pl.all(),
        )
        for run in runs
    ]
    return pl.concat(tables, how="diagonal_relaxed")


def export_runs(path: Path, runs: Sequence[Run]) -> None:
    """Write the table of the items of runs, as :func:`write_frame` does."""
    write_frame(path, items_table(runs))


def write_frame(path: Path, table: pl.DataFrame) -> None:
    """Write a table, whole or not at all.

    Parameters
    ----------
    path : Path
        Its ending is the format, which :func:`check_ending` knows: .csv (lists are JSON), .parquet or .jsonl; "-" is
        standard output, for .csv.
    table : DataFrame
    """
    with writing(path) as stream:
        if path.suffix == ".csv" or path == STDOUT:
            stream.write(as_csv(table.to_dicts()).encode())
        elif path.suffix == ".jsonl":
            table.write_ndjson(stream)
        else:
            table.write_parquet(stream)


def check_ending(path: Path) -> None:
    """Refuse a file whose ending is no format of :func:`write_frame`."""
    if path.suffix not in KINDS and path != STDOUT:
        expected = f"{', '.join(KINDS)}, or no ending for a folder of Parquet files"
        raise InputError(f"{path.name} ends in no known format", expected=expected)
