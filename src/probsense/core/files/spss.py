"""Reads data files of SPSS: values by their labels, and what was asked by the labels of the columns."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from probsense.core.errors import InputError
from probsense.core.extras import install
from probsense.core.files.read import read_bytes


def read_sav(path: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """Read a ``.sav`` file.

    Parameters
    ----------
    path : Path
        Plain, ``.bz2`` or ``.gz``.

    Returns
    -------
    DataFrame
        All columns are strings: the label of a value that has one, and else the value. What SPSS takes for missing, as
        its system or the user says, is null.
    dict of str to str
        The labels of the columns that have one.

    Raises
    ------
    InputError
        If the package that reads such files is missing, or cannot read the file.
    """
    if find_spec("pyreadstat") is None:
        raise InputError("SPSS needs another package", path=path, expected=f"{install('tables')}, or CSV")
    import pyreadstat

    data = read_bytes(path)
    with TemporaryDirectory() as folder:  # The package reads files by their paths alone.
        plain = Path(folder) / "table.sav"
        plain.write_bytes(data)
        try:
            columns, about = pyreadstat.read_sav(str(plain), output_format="dict")
        except Exception:  # whatever a broken file raises in the package
            raise InputError("not an SPSS file, or a broken one", path=path) from None
    labels = about.variable_value_labels
    frame = pl.DataFrame(
        [
            pl.Series(name, [_text(value, labels.get(name, {})) for value in column], pl.String)
            for name, column in columns.items()
        ]
    )
    return frame, {name: text.strip() for name, text in about.column_names_to_labels.items() if text}


def _text(value: Any, labels: dict[Any, str]) -> str | None:
    if value is None or value != value:
        return None
    if value in labels:
        return labels[value]
    return str(int(value) if isinstance(value, float) and value.is_integer() else value) or None
