"""Folders of Parquet files in Hive's layout: the names of folders say whose rows the files hold.

A run lies in ``task=TASK/model=MODEL/run=ID``, in one file or several with the same columns.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import polars as pl

from probsense.core.errors import InputError

KEYS: Final = ("task", "model", "run")
"""What the names of the folders say, from the outermost to the innermost."""
ABOUT: Final = "probsense"
"""The key in the metadata of each file under which JSON tells of its run."""
GROUP: Final = 50_000
"""Rows of a row group."""


@dataclass(frozen=True)
class Partition:
    """Hold the folder of one run.

    Attributes
    ----------
    folder : Path
    task, model, run : str
        As the names of the folders say.
    """

    folder: Path
    task: str
    model: str
    run: str

    @cached_property
    def files(self) -> list[Path]:
        """Return the files, in order."""
        return sorted(self.folder.glob("*.parquet"))

    @cached_property
    def columns(self) -> pl.Schema:
        """Return the columns that all files have, with their types.

        Raises
        ------
        InputError
            For a file that is no Parquet file, and for files with different columns.
        """
        first, *others = ((path, _schema(path)) for path in self.files)
        for path, schema in others:
            if schema != first[1]:
                raise InputError(
                    "has other columns, or columns of other types",
                    path=path,
                    expected=f"those of {first[0].name}",
                )
        return first[1]

    @cached_property
    def about(self) -> Mapping[str, Any]:
        """Return what the first file tells of the run; empty where another program wrote it."""
        with _readable(self.files[0]):
            known = pl.read_parquet_metadata(self.files[0]).get(ABOUT, "{}")
        try:
            found = json.loads(known)
        except ValueError:
            found = {}
        return found if isinstance(found, dict) else {}

    def scan(self, *names: str, expected: str) -> pl.LazyFrame:
        """Read some columns lazily.

        Parameters
        ----------
        *names : str
            Columns that must be there.
        expected : str
            What an error says should be there.

        Raises
        ------
        InputError
            As :attr:`columns`, and for a missing column.
        """
        for name in names:
            if name not in self.columns:
                raise InputError(f"has no column {name}", path=self.files[0], expected=expected)
        return pl.scan_parquet(self.files).select(names)


def partitions(path: Path, task: str | None = None) -> list[Partition]:
    """List the runs in a folder that :func:`partition_folder` names, or in one of the folders in it.

    Parameters
    ----------
    path : Path
    task : str, optional
        List the runs of this task only.

    Returns
    -------
    list of Partition
        Sorted by their folders; empty for a folder without any.
    """
    found = []
    for folder in sorted({file.parent for file in path.rglob("*.parquet")} if path.is_dir() else ()):
        # A folder that was not finished begins with a dot.
        known = _keys(folder)
        if known is not None and task in (None, known["task"]):
            found.append(Partition(folder, **known))
    return found


def model_names(runs: Sequence[Partition]) -> list[str]:
    """Name the model of each run; several runs of one model are told apart by their own names."""
    times = Counter(run.model for run in runs)
    return [
        run.model if times[run.model] == 1 else f"{run.model} [{run.about.get('label', run.run)}]"
        for run in runs
    ]


def partition_folder(root: Path, task: str, model: str, run: str) -> Path:
    """Name the folder of a run; letters that a path cannot hold are percent-encoded, as Hive has it."""
    for key, value in zip(KEYS, (task, model, run), strict=True):
        root = root / f"{key}={quote(value, safe='')}"
    return root


@contextmanager
def writing_folder(folder: Path) -> Iterator[Path]:
    """Write a folder atomically: it appears whole when the block ends, and not at all if the block fails.

    An earlier folder of the name then makes way for it.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=folder) from None
    try:
        yield made
        made.chmod(0o755)
        if folder.exists():
            former = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
            folder.rename(former / "former")
            made.rename(folder)
            shutil.rmtree(former)
        else:
            made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _keys(folder: Path) -> dict[str, str] | None:
    """Read what the names of a folder and its parents say; None if they are no partition's."""
    names = folder.absolute().parts[-len(KEYS) :]
    known = dict(name.split("=", 1) for name in names if "=" in name)
    return {key: unquote(value) for key, value in known.items()} if (*known,) == KEYS else None


def _schema(path: Path) -> pl.Schema:
    with _readable(path):
        return pl.Schema(pl.read_parquet_schema(path))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise InputError("not a Parquet file, or a broken one", path=path) from None
