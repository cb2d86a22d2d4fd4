"""Words of a user that must be one of some."""

from __future__ import annotations

from collections.abc import Collection

from probsense.errors import InputError, did_you_mean


def check_name(noun: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that there is none of.

    Parameters
    ----------
    noun : str
        What it names.
    name : str
    known : collection of str

    Raises
    ------
    InputError
        With the nearest of the known names.
    """
    if name not in known:
        raise InputError(
            f"no such {noun}: {name!r}{did_you_mean(name, known)}", expected=f"one of {', '.join(known)}"
        )
