"""Tokens that nobody guesses, forms that nobody else can send, and ids that nobody reads back."""

from __future__ import annotations

import hmac
import re
import secrets
from typing import Final

TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32}")
"""The form of a token: 192 random bits."""


def new_token() -> str:
    """Draw the secret of a participant."""
    return secrets.token_urlsafe(24)


def signature(key: bytes, *parts: str) -> str:
    """Sign some texts: HMAC-SHA256 with the study's key, in hexadecimal digits."""
    return hmac.new(key, "\0".join(parts).encode(), "sha256").hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two secrets in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode(), other.encode())
