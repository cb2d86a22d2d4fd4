"""Personas: descriptions of the ones as whom a model answers, and the questions that each of them gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from probsense.core.errors import InputError
from probsense.core.files.tables import read_table
from probsense.core.records import Item
from probsense.tasks.judgments.questions.wordings import MASSES

EXPECTED: Final = "the columns persona (a name) and description (a text), if need be weight or n, and groups"
WEIGHTS: Final = ("weight", "n")
RESERVED: Final = ("persona", "description", *WEIGHTS)
"""Columns that are no groups."""


@dataclass(frozen=True, slots=True)
class Persona:
    """One as whom a model answers.

    Attributes
    ----------
    name : str
    description : str
        The text that stands before each question.
    weight : float
        How many people it stands for, in any unit.
    groups : Mapping of str to str
        The groups to which it belongs, by column; a column without a value is left out.
    """

    name: str
    description: str
    weight: float
    groups: Mapping[str, str]


def read_personas(path: Path) -> tuple[Persona, ...]:
    """Read personas: a table with the columns ``persona`` and ``description``.

    A column ``weight`` or ``n`` tells how many people each persona stands for (without it, all count the same). All
    other columns are groups.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing column, an empty name or description (or NA, as R writes it), a name
        that stands twice, both columns of weights, a weight that is not above 0, a name of a column such as ``Weight``.
    """
    table = read_table(path)
    table.refuse_other_case(*RESERVED, expected=EXPECTED)
    table.columns("persona", "description", expected=EXPECTED)
    names, descriptions = table.texts("persona", "a name"), table.texts("description")
    table.refuse_repeated(names.alias("persona").to_frame())
    given = [name for name in WEIGHTS if name in table.frame.columns]
    if len(given) > 1:
        raise InputError("has the columns weight and n", path=path, expected="one of them")
    weights = [1.0] * len(names)
    if given:
        numbers = table.numbers(given[0])
        table.refuse(~((numbers > 0) & numbers.is_finite()).fill_null(False), given[0], "a number above 0")
        weights = numbers.to_list()
    columns = [name for name in table.frame.columns if name not in RESERVED]
    if "" in columns:
        raise InputError("a column without a name", path=path, expected=EXPECTED)
    rows = zip(*(table.values(name).to_list() for name in columns), strict=True) if columns else None
    groups = [dict(zip(columns, row, strict=True)) for row in rows] if rows else [{}] * len(names)
    return tuple(
        Persona(name, text, weight, {key: value for key, value in own.items() if value is not None})
        for name, text, weight, own in zip(names, descriptions, weights, groups, strict=True)
    )


def as_personas(items: Sequence[Item], personas: Sequence[Persona]) -> list[Item]:
    """Return each question once for each persona, whose name stands after an at sign in the id.

    Parameters
    ----------
    items : sequence of Item
        The questions, as they are without personas.
    personas : sequence of Persona
    """
    return [
        replace(
            item,
            id=f"{item.id}@{one.name}",
            data={
                **item.data,
                "persona": one.name,
                "description": one.description,
                "weight": one.weight,
                "groups": dict(one.groups),
            },
        )
        for item in items
        for one in personas
    ]


def personas_of(items: Sequence[Item]) -> tuple[Persona, ...]:
    """Return the personas as whom the items were asked, in the order of their names; none for plain items."""
    found: dict[str, Mapping[str, Any]] = {
        item.data["persona"]: item.data for item in items if "persona" in item.data
    }
    return tuple(
        Persona(name, found[name]["description"], found[name]["weight"], found[name]["groups"])
        for name in sorted(found)
    )


def population_table(table: pl.DataFrame, personas: Sequence[Persona]) -> pl.DataFrame:
    """Take the weighted mean of the personas' masses: what the simulated population answers to each question.

    Parameters
    ----------
    table : DataFrame
        The rows of a run, with a column ``persona``.
    personas : sequence of Persona

    Returns
    -------
    DataFrame
        statement_id, question, p_yes, p_no and p_other, a row for each question.
    """
    weights = pl.DataFrame({"persona": [p.name for p in personas], "weight": [p.weight for p in personas]})
    return (
        table.join(weights, on="persona", maintain_order="left")
        .group_by("statement_id", "question", maintain_order=True)
        .agg((pl.col(name) * pl.col("weight")).sum() / pl.col("weight").sum() for name in MASSES)
    )


def named_raters(table: pl.DataFrame, model: str) -> pl.DataFrame:
    """Name the rater of each row of a run: the model, and the persona as whom it answered."""
    if "persona" not in table.columns:
        return table.with_columns(model=pl.lit(model))
    return table.with_columns(model=pl.format("{} as {}", pl.lit(model), "persona"))
