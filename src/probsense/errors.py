"""Errors that speak to the user: what was found, where, and what was expected."""

from __future__ import annotations

from pathlib import Path


class ProbSenseError(Exception):
    """Something failed for a reason the user can act on; the command prints it without a traceback."""

    exit_code = 1


class InputError(ProbSenseError):
    """Wrong use or bad input (exit code 2).

    Parameters
    ----------
    found : str
        What is wrong, as a phrase.
    path : Path or str, optional
        The file or folder it was found in.
    line : int, optional
        The line (from 1) it was found on.
    expected : str, optional
        What should have stood there instead.
    """

    exit_code = 2

    def __init__(
        self,
        found: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        expected: str | None = None,
    ) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(f"{where}{found}" + (f" (expected {expected})" if expected else ""))


class ModelError(ProbSenseError):
    """A model could not be loaded or could not answer."""
