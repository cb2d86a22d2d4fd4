"""Names that a user must choose from a list."""

from __future__ import annotations

from collections.abc import Collection

from probsense.core.errors import InputError, did_you_mean


def check_name(noun: str, name: str, known: Collection[str]) -> None:
    """Refuse an unknown name.

    Parameters
    ----------
    noun : str
        The kind of thing that the name belongs to.
    name : str
    known : collection of str

    Raises
    ------
    InputError
        For an unknown name; the error proposes the nearest of the known names.
    """
    if name not in known:
        raise InputError(
            f"no such {noun}: {name!r}{did_you_mean(name, known)}", expected=f"one of {', '.join(known)}"
        )
