"""The roles of columns in a table, from the user or from their names; and the lists in their cells."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

import polars as pl

from probsense.core.errors import InputError, did_you_mean, plain
from probsense.core.files.table import Table, some

Columns: TypeAlias = Mapping[str, tuple[str, ...]]
"""The columns of a table by role: those of :data:`SINGLE`, one each, and those of :data:`SEVERAL`."""

NAMES: Final = tomllib.loads((files(__package__) / "columns.toml").read_text("utf-8"))
SINGLE: Final = (*NAMES["roles"],)
"""What one column of a table may be; the names by which it is known stand in columns.toml."""
SEVERAL: Final = ("questions", "multiple", "options", "none")
"""What several columns may be: questions with one answer of a person in each cell, questions with several, options with
how many people chose each, and columns that count for nothing."""
_PRINTED: Final = re.compile(r"^(?:defaultdict|OrderedDict|Counter)\((?:<class '\w+'>, )?(.*)\)$", re.DOTALL)
"""How Python prints mappings of other classes."""
_NAMED: Final = (
    "or a row for each person; --columns question=NAME, questions=NAME … say what columns of other names are"
)
EXPECTED: Final = (
    "the columns question, option and count (or share with people, or person), a column of counts for each option,"
    f" {_NAMED}"
)
OPEN: Final = (
    f"the columns question (or context and slot) and answer, and optionally count, cluster, id, {_NAMED}"
)


class AnswerTable(NamedTuple):
    """A table with a row for each answer, or for each option of a question.

    Attributes
    ----------
    table : Table
    columns : Mapping of str to str
        The column for each role that the table has: question, answer, person, count, share, weight, group.
    said : str
        How the table was read.
    dropped : sequence of str
        What of it counts for nothing.
    options : Mapping of str to sequence of str
        The options of a question, in their order, where the file lists them.
    usual : bool
        Whether the table has a usual form, so that a run need not tell how it was read.
    """

    table: Table
    columns: Mapping[str, str]
    said: str
    dropped: Sequence[str] = ()
    options: Mapping[str, Sequence[str]] = {}
    usual: bool = False


def columns_of(table: Table, given: str | Sequence[str] = (), *, roles: Collection[str] = SINGLE) -> Columns:
    """Find out what the columns of a table are.

    Parameters
    ----------
    table : Table
    given : str or sequence of str
        What the user says: "role=name", where an asterisk in the name stands for any text.
    roles : collection of str
        The roles that the reader knows, beside :data:`SEVERAL`.

    Raises
    ------
    InputError
        For an unknown role, a name that is no column, a column with two roles, and two columns for one role.
    """
    found: dict[str, tuple[str, ...]] = {}
    known = (*roles, *SEVERAL)
    for word in (given,) if isinstance(given, str) else given:
        role, _, name = (part.strip() for part in word.partition("="))
        if role not in known or not name:
            expected = f"{'=NAME, '.join(known)}=NAME"
            raise InputError(f"--columns {word!r}{did_you_mean(role, known)}", expected=expected)
        found[role] = (*found.get(role, ()), *_named(table, name))
    taken = [name for names in found.values() for name in names]
    if twice := [name for name in taken if taken.count(name) > 1]:
        raise InputError(f"--columns names {plain(twice[0])!r} twice", expected="one role for each column")
    for role in roles:
        names = found.get(role) or _by_name(table, role, taken)
        if len(names) > 1 and role == "person" and role not in found:
            names = names[:1]
        if len(names) > 1:
            several = f"the columns {some(names)} may all be the {role}"
            expected = f"--columns {role}=… for the one that counts"
            raise InputError(several, path=table.path, expected=expected)
        if names:
            found[role] = names
    if "option" in found:
        found["answer"] = found.pop("option")
    return found


def _named(table: Table, pattern: str) -> tuple[str, ...]:
    """Find the columns with a name, or with names of a pattern."""
    if pattern in table.frame.columns:
        return (pattern,)
    mask = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
    if "*" in pattern and (names := tuple(name for name in table.frame.columns if mask.fullmatch(name))):
        return names
    hint = did_you_mean(pattern, table.frame.columns)
    raise InputError(f"has no column {pattern}{hint}", path=table.path, expected="a column, after --columns")


def _by_name(table: Table, role: str, taken: Collection[str]) -> tuple[str, ...]:
    """Find the columns that are known by their names, in the order in which the names are known."""
    known = NAMES["roles"][role]
    own = [name for name in table.frame.columns if bare(name) in known and name not in taken]
    return tuple(sorted(own, key=lambda name: known.index(bare(name))))


def bare(name: str) -> str:
    """Write a name without upper case, blanks and punctuation."""
    return re.sub(r"[\W_]", "", name.casefold())


def person_column(table: Table) -> str | None:
    """Find the column that names the person; None if there is none."""
    return next(iter(_by_name(table, "person", ())), None)


def beside_answers(table: Table, *, proving: bool = False) -> list[str]:
    """List the columns that programs write beside people's answers, or only those that prove that rows are people."""
    written = NAMES["left_out"]
    known = {*written["names"], *([] if proving else written["common"])}
    form = any(bare(name) == "recordid" for name in table.frame.columns)
    return [
        name
        for name in table.frame.columns
        if bare(name) in known or (form and name.rpartition("_")[2] in written["endings"])
    ]


def single_columns(columns: Columns) -> dict[str, str]:
    """Return the column of each role that has one column."""
    return {role: names[0] for role, names in columns.items() if len(names) == 1}


def nested(cell: str) -> list[Any] | dict[Any, Any] | None:
    """Read a cell that holds a list or a mapping.

    The text is parsed as a literal, and never evaluated.

    Parameters
    ----------
    cell : str

    Returns
    -------
    list or dict or None
        None for any other text.
    """
    text = cell.strip()
    if printed := _PRINTED.match(text):
        text = printed[1]
    if text[:1] not in ("[", "{"):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, list | dict):
            return found
    return None


def nested_column(table: Table, name: str) -> list[Any]:
    """Read a column of lists or mappings; nothing if it holds anything else."""
    if table.frame[name].dtype != pl.String:
        return []
    cells = table.frame[name]
    found = [None if cell is None else nested(cell) for cell in cells]
    return found if found.count(None) == cells.null_count() < len(found) else []
