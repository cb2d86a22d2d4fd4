"""Keys, which come from the environment, go to the server, and appear nowhere else, should a server repeat them."""

from __future__ import annotations

import os
from typing import Any

from probsense.core.errors import InputError

HIDDEN = "***"
SHORTEST = 12
"""The length of the shortest key that is hidden in texts: local servers accept words such as EMPTY."""


class Key:
    """A secret that does not show itself; :meth:`header` alone gives it away."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return f"Key({HIDDEN})"

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be pickled")

    def header(self) -> dict[str, str]:
        """Return the header that a request carries."""
        return {"Authorization": f"Bearer {self._secret}"}

    def hide(self, answer: Any) -> Any:
        """Return a text or a decoded JSON document without the key."""
        if isinstance(answer, dict):
            return {self.hide(name): self.hide(value) for name, value in answer.items()}
        if isinstance(answer, list):
            return [*map(self.hide, answer)]
        hidden = isinstance(answer, str) and len(self._secret) >= SHORTEST
        return answer.replace(self._secret, HIDDEN) if hidden else answer


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
