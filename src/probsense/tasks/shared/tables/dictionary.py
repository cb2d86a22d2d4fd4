"""Data dictionaries of REDCap: what the codes of an export mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from probsense.core.files.table import Table

_FIELD, _ASKED, _CHOICES = _COLUMNS = (
    *("Variable / Field Name", "Field Label"),
    "Choices, Calculations, OR Slider Labels",
)
_TRUTH: Final = {"yesno": {"1": "Yes", "0": "No"}, "truefalse": {"1": "True", "0": "False"}}
"""What the kinds of fields mean that have no choices of their own."""


def is_dictionary(table: Table) -> bool:
    """Tell whether a table is a data dictionary."""
    return {*_COLUMNS} <= {*table.frame.columns}


def with_texts(table: Table, dictionary: Table) -> Table:
    """Write the texts of answers for their codes, with what was asked and the order of the answers.

    Parameters
    ----------
    table : Table
        An export with raw values.
    dictionary : Table
    """
    asked, labels, texts = dict(table.asked), dict(table.labels), []
    kinds = dictionary.values("Field Type") if "Field Type" in dictionary.frame.columns else [None] * 10**6
    fields = (dictionary.values(name) for name in _COLUMNS)
    for field, label, choices, kind in zip(*fields, kinds, strict=False):
        pairs = (one.partition(",") for one in (choices or "").split("|") if "," in one)
        known = {code.strip(): text.strip() for code, _, text in pairs} or _TRUTH.get(kind or "", {})
        if field not in table.frame.columns:
            continue
        if label:
            asked[field] = label
        if known:
            labels[field] = [*known.values()]
            texts.append(table.values(field).replace(known).alias(field))
    return replace(table, frame=table.frame.with_columns(texts), asked=asked, labels=labels)
