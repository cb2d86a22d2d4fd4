"""Keys, which come from the environment, go to the server, and appear nowhere else."""

from __future__ import annotations

import os
from typing import TypeVar

from probsense.core.errors import InputError
from probsense.models.openai.secret import HIDDEN, Secret

SHORTEST = 12
"""The length of the shortest key that is hidden in texts: local servers accept words such as EMPTY."""

T = TypeVar("T")


class Key:
    """A secret that does not show itself; :meth:`header` alone gives it away."""

    __slots__ = ("_secret", "_sought")

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._sought = Secret(secret) if len(secret) >= SHORTEST else None

    def __repr__(self) -> str:
        return f"Key({HIDDEN})"

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be pickled")

    def header(self) -> dict[str, str]:
        """Return the header that a request carries."""
        return {"Authorization": f"Bearer {self._secret}"}

    def hide(self, answer: T) -> T:
        """Remove the key from the server's words, a text or decoded JSON, in case the server repeats it."""
        return answer if self._sought is None else self._sought.hide(answer)


def key_from_environment(variable: str) -> Key | None:
    """Return the key that an environment variable holds; None where it holds none, as local servers need none.

    Raises
    ------
    InputError
        If no header can carry the key. The message does not show it.
    """
    secret = os.environ.get(variable, "").strip()
    if not secret:
        return None
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise InputError(
            f"the environment variable {variable} holds no key",
            expected="printable ASCII characters without blanks",
        )
    return Key(secret)
