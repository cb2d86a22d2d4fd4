"""Reads SimBench: questions of many studies, with the shares of people of a group (Hu et al. 2025)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from probsense.core.files.tables import Table, read_table
from probsense.tasks.choices.data.question import Fault, Question, checked_options, checked_shares
from probsense.tasks.shared.tables.columns import nested

TEXTS: Final = (
    *("input_template", "human_answer", "dataset_name"),
    *("group_prompt_template", "group_prompt_variable_map"),
)
EXPECTED: Final = f"the columns of SimBench: {', '.join(TEXTS)}, group_size"
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
    table = read_table(path)
    table.columns(*TEXTS[:2], expected=EXPECTED)
    known = [name for name in TEXTS if name in table.frame.columns]
    table.texts("input_template")
    table.texts("human_answer", "shares by option")
    cells = table.frame.select(table.values(name).alias(name) for name in known)
    sizes = table.numbers("group_size") if "group_size" in table.frame.columns else [None] * cells.height
    return [
        _question(table, row, one, size)
        for row, (one, size) in enumerate(zip(cells.iter_rows(named=True), sizes, strict=True))
    ]


def _question(table: Table, row: int, cells: Mapping[str, str | None], size: float | None) -> Question:
    fault: Fault = partial(table.fault, row)
    text, data = str(cells["input_template"]), cells.get("dataset_name") or ""
    shares = _shares(table, row, str(cells["human_answer"]))
    written = dict(_OPTION.findall(text))
    options = checked_options([written.get(label, label) for label in shares], fault)
    if size is not None and not 1 <= size < float("inf"):
        raise fault(f"group_size is {size:g}", "a number from 1")
    given = checked_shares([*shares.values()], fault)
    if {*shares} <= {*written}:
        text = _OPTIONS.sub("", _OPTION.sub("", text))
    return Question(
        str(row + 1),
        "\n".join(line.strip() for line in text.splitlines() if line.strip()),
        options,
        given if size is None else tuple(one * size for one in given),
        size,
        _group(table, row, cells),
        cluster=f"{data}/{row + 1}",
        data=data,
    )


def _shares(table: Table, row: int, cell: str) -> dict[str, float]:
    found = _mapping(table, row, "human_answer", cell)
    shares = {str(label): share for label, share in found.items() if share is not None}
    for label, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise table.fault(row, f"human_answer of {label} is {share!r}", "a share from 0 to 1")
    return shares


def _group(table: Table, row: int, cells: Mapping[str, str | None]) -> str:
    """Write whom the people belong to, in the words of the template."""
    found, cell = cells.get("group_prompt_template") or "", cells.get("group_prompt_variable_map")
    for name, value in (_mapping(table, row, "group_prompt_variable_map", cell) if cell else {}).items():
        found = found.replace("{" + str(name) + "}", str(value))
    if missing := re.search(r"\{\w+\}", found):
        expected = "a name of group_prompt_variable_map"
        raise table.fault(row, f"group_prompt_template has {missing[0]}", expected)
    return found.strip()


def _mapping(table: Table, row: int, name: str, cell: str) -> dict[str, Any]:
    """Read a mapping that is written as JSON or as Python writes it."""
    found = nested(cell)
    if not isinstance(found, dict):
        raise table.fault(row, f"{name} is {cell[:60]!r}", "a mapping")
    return found
