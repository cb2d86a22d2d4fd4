"""Tokens that nobody guesses, forms that nobody else can send, and ids that nobody reads back."""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from collections.abc import Sequence
from typing import Final

from probsense.studies.collect.fields import without_controls

TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32}")
"""The form of a token: 192 random bits."""
ID_LENGTH: Final = 200


def new_token() -> str:
    """Draw the secret of a participant."""
    return secrets.token_urlsafe(24)


def derived_token(key: bytes, *parts: str) -> str:
    """Make a token of a secret and what it is for; the token does not tell the secret."""
    return base64.urlsafe_b64encode(_signed(key, parts)[:24]).decode()


def signature(key: bytes, *parts: str) -> str:
    """Sign some texts: HMAC-SHA256 with the study's key, in hexadecimal digits."""
    return _signed(key, parts).hex()


def stored_id(one: str, key: bytes | None) -> str:
    """Return an id from an address as it is stored: cut to :data:`ID_LENGTH`, hashed with a key if one is given."""
    kept = without_controls(one).strip()[:ID_LENGTH]
    return signature(key, "id", kept) if key and kept else kept


def same(one: str, other: str) -> bool:
    """Compare two secrets in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode(), other.encode())


def _signed(key: bytes, parts: Sequence[str]) -> bytes:
    return hmac.digest(key, "\0".join(parts).encode(), "sha256")
