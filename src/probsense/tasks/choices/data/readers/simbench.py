"""Reads SimBench: questions of many studies, with the shares of people of a group (Hu et al. 2025)."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from probsense.core.files.tables import Table, read_table
from probsense.tasks.choices.data.question import Fault, Question, checked_options, checked_shares

NEEDED: Final = ("input_template", "human_answer")
EXPECTED: Final = (
    "the columns of SimBench: input_template, group_prompt_template, group_prompt_variable_map, human_answer, "
    "group_size, dataset_name"
)
_OPTION: Final = re.compile(r"^\s*\(?([A-Z])(?:\)\s*[:.]?|[:.])\s+(.+?)\s*$", re.MULTILINE)
_OPTIONS: Final = re.compile(r"^\s*(answer )?(options|choices)\s*:?\s*$", re.IGNORECASE | re.MULTILINE)


def read_simbench(path: Path) -> list[Question]:
    """Read a table with a row for each question and group.

    The options are the lines of the question that begin with the letters of ``human_answer``; where a question has no
    such lines, the letters are the options.

    Raises
    ------
    InputError
        For a missing column, a template with an unknown name, shares that are none, and a size that is no number.
    """
    table = Table(path, _flat(path))
    table.columns(*NEEDED, expected=EXPECTED)
    columns = table.frame.columns
    texts = table.texts("input_template").to_list()
    answers = table.texts("human_answer", "shares by option").to_list()

    def column(name: str) -> list[str | None]:
        return table.values(name).to_list() if name in columns else [None] * len(texts)

    sizes = table.numbers("group_size").to_list() if "group_size" in columns else [None] * len(texts)
    templates, maps, data = map(
        column, ("group_prompt_template", "group_prompt_variable_map", "dataset_name")
    )
    return [
        _question(
            partial(table.fault, row),
            row,
            text,
            _shares(table, row, answers[row]),
            sizes[row],
            data[row],
            _group(table, row, templates[row], maps[row]),
        )
        for row, text in enumerate(texts)
    ]


def _flat(path: Path) -> Any:
    """Read the table; what is nested in Parquet becomes JSON, as it is in the other kinds."""
    import polars as pl

    frame = read_table(path).frame
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    return frame.with_columns(
        pl.Series(
            name, [None if one is None else json.dumps(one) for one in frame[name].to_list()], pl.String
        )
        for name in nested
    )


def _question(
    fault: Fault,
    row: int,
    text: str,
    shares: Mapping[str, float],
    size: float | None,
    data: str | None,
    group: str,
) -> Question:
    written = dict(_OPTION.findall(text))
    options = checked_options([written.get(label, label) for label in shares], fault)
    if size is not None and not 1 <= size < float("inf"):
        raise fault(f"group_size is {size:g}", "a number from 1")
    given = checked_shares([*shares.values()], fault)
    asked = text
    if {*shares} <= {*written}:
        asked = _OPTIONS.sub("", _OPTION.sub("", text))
    return Question(
        str(row + 1),
        "\n".join(line.strip() for line in asked.splitlines() if line.strip()),
        options,
        given if size is None else tuple(one * size for one in given),
        size,
        group,
        cluster=f"{data or ''}/{row + 1}",
        data=data or "",
    )


def _shares(table: Table, row: int, cell: str) -> dict[str, float]:
    found = _mapping(table, row, "human_answer", cell)
    shares = {str(label): share for label, share in found.items() if share is not None}
    for label, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise table.fault(row, f"human_answer of {label} is {share!r}", "a share from 0 to 1")
    return shares


def _group(table: Table, row: int, template: str | None, cell: str | None) -> str:
    """Write whom the people belong to, in the words of the template."""
    if template is None:
        return ""
    found = template
    for name, value in (_mapping(table, row, "group_prompt_variable_map", cell) if cell else {}).items():
        found = found.replace("{" + str(name) + "}", str(value))
    if missing := re.search(r"\{\w+\}", found):
        raise table.fault(
            row, f"group_prompt_template has {missing[0]}", "a name of group_prompt_variable_map"
        )
    return found.strip()


def _mapping(table: Table, row: int, name: str, cell: str) -> dict[str, Any]:
    """Read a mapping that is written as JSON or as Python writes it."""
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(cell)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    raise table.fault(row, f"{name} is {cell[:60]!r}", "a mapping")
