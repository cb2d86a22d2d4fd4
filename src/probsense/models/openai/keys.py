"""Keys: taken from the environment, sent to the server, and shown nowhere."""

from __future__ import annotations

import os

from probsense.errors import InputError

HIDDEN = "***"
SHORTEST = 12
"""Characters of the shortest key that is looked for in texts: local servers are given words such as EMPTY."""


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
        """What a request carries."""
        return {"Authorization": f"Bearer {self._secret}"}

    def hide(self, content: bytes) -> bytes:
        """What a server said, without the key, should it repeat it."""
        secret = self._secret.encode()
        return content.replace(secret, HIDDEN.encode()) if len(secret) >= SHORTEST else content


def key_from_environment(variable: str) -> Key | None:
    """The key that an environment variable holds; None where it holds none, as local servers need none.

    Raises
    ------
    InputError
        If it cannot be sent in a header. The message does not show it.
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
