"""What the columns of a table are: by what the user says, or else by their names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import Final, TypeAlias

import polars as pl

from probsense.core.errors import InputError, did_you_mean, plain
from probsense.core.files.table import COUNTS, Table, columns_named, some

Columns: TypeAlias = Mapping[str, tuple[str, ...]]
"""The columns of a table by role: those of :data:`SINGLE`, one each, and those of :data:`SEVERAL`."""

_NAMES: Final = tomllib.loads((files(__package__) / "columns.toml").read_text("utf-8"))
SINGLE: Final = (*_NAMES["roles"],)
"""What one column of a table may be; the names by which it is known stand in columns.toml."""
SEVERAL: Final = ("questions", "multiple", "options", "none")
"""What several columns may be: questions with one answer of a person in each cell, questions with several, options with
how many people chose each, and columns that count for nothing."""
SETTLED: Final = "--columns questions=NAME for each question (* stands for any text), or --columns none=NAME"


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
            raise InputError(
                f"--columns {word!r}{did_you_mean(role, known)}", expected=f"{'=NAME, '.join(known)}=NAME"
            )
        found[role] = (*found.get(role, ()), *_named(table, name))
    taken = [name for names in found.values() for name in names]
    if twice := [name for name in taken if taken.count(name) > 1]:
        raise InputError(f"--columns names {plain(twice[0])!r} twice", expected="one role for each column")
    for role in roles:
        names = found.get(role) or _by_name(table, role, taken)
        if len(names) > 1 and role == "person" and role not in found:
            names = names[:1]
        if len(names) > 1:
            expected = f"--columns {role}=… for the one that counts"
            raise InputError(
                f"the columns {some(names)} may all be the {role}", path=table.path, expected=expected
            )
        if names:
            found[role] = names
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
    known = _NAMES["roles"][role]
    own = [name for name in table.frame.columns if _bare(name) in known and name not in taken]
    return tuple(sorted(own, key=lambda name: known.index(_bare(name))))


def _bare(name: str) -> str:
    """Write a name without upper case, blanks and punctuation."""
    return re.sub(r"[\W_]", "", name.casefold())


def person_column(table: Table) -> str | None:
    """Find the column that names the person; None if there is none."""
    return next(iter(_by_name(table, "person", ())), None)


def without_trials(table: Table) -> tuple[Table, list[str]]:
    """Leave out the rows of a survey's export that are trials, spam or unfinished, and say so.

    The columns ``Status`` and ``Finished`` say so where ids that Qualtrics or Prolific gives stand beside them.
    """
    names = {_bare(name): name for name in table.frame.columns}
    if not {"responseid", "submissionid"} & names.keys():
        return table, []
    counts = pl.Series([True] * table.frame.height, dtype=pl.Boolean)
    for bare, values in _NAMES["not_counted"].items():
        if bare in names:
            counts &= ~table.values(names[bare]).fill_null("").str.to_lowercase().is_in(values)
    left = table.frame.height - int(counts.sum())
    if not left:
        return table, []
    if left == table.frame.height:
        raise InputError("holds no finished answers", path=table.path, expected="answers that count")
    kept = table.taken(table.frame.filter(counts), counts.arg_true().to_list())
    return kept, [f"trials and unfinished answers ({left:,} rows)"]


def question_columns(table: Table, columns: Columns) -> tuple[list[str], list[str]]:
    """Find the columns that are questions in a table with a row for each person, and say which are left out.

    Raises
    ------
    InputError
        For a table without any, and where a column may be a question or say who people are.
    """
    chosen = (*columns.get("questions", ()), *columns.get("multiple", ()))
    roles = {name for names in columns.values() for name in names}
    given = [name for name in table.frame.columns if table.frame[name].count()]
    others = [name for name in given if name not in roles]
    if chosen:
        return [*chosen], [*columns_named(others)]
    written = beside_answers(table)
    left, found = ([name for name in others if (name in written) == one] for one in (True, False))
    if doubtful := [
        name for name in found if _bare(name) in _NAMES["doubtful"]["names"] or COUNTS.search(name)
    ]:
        what = f"the column{'s' * (len(doubtful) > 1)} {some(doubtful)} may say who people are"
        raise InputError(what, path=table.path, expected=SETTLED)
    if not found:
        raise InputError("has no columns of questions", path=table.path, expected=SETTLED)
    return found, [*columns_named(left)]


def beside_answers(table: Table) -> list[str]:
    """List the columns that programs write beside people's answers."""
    known, endings = _NAMES["left_out"].values()
    form = any(_bare(name) == "recordid" for name in table.frame.columns)
    return [
        name
        for name in table.frame.columns
        if _bare(name) in known or (form and name.rpartition("_")[2] in endings)
    ]
