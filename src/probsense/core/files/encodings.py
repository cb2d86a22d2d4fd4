"""Decodes the text of tables, which programs write in UTF-8, in UTF-16 or in Latin-1."""

from __future__ import annotations

import codecs
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError
from probsense.core.files.read import decode

LATIN: Final = "windows-1252"
"""Latin-1 with the quotation marks and dashes that Windows adds where Latin-1 has control characters."""
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


def decoded(path: Path, data: bytes) -> tuple[str, str]:
    """Decode the text of a table: UTF-8 with or without a byte-order mark, UTF-16 with one, else Latin-1.

    A line on stderr says when a file is taken for Latin-1, since nothing in the file itself says so.

    Parameters
    ----------
    path : Path
        Names the file in errors.
    data : bytes

    Returns
    -------
    (str, str)
        The text without a mark, and the name of its encoding.

    Raises
    ------
    InputError
        For bytes that are text in none of the three.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16"), "UTF-16"
        except UnicodeDecodeError:
            raise InputError("not UTF-16 text, though its mark says so", path=path, expected="text") from None
    try:
        return decode(path, data, "text"), "UTF-8"
    except InputError:
        text = _latin(data)
        if text is None:
            raise
        accent = re.search("[^\x00-\x7f]", text)
        assert accent is not None, "bytes that are no UTF-8 are no ASCII either"
        line = len(f"{text[: accent.start()]}.".splitlines())
        _say(f"{path}, line {line}: not UTF-8 text; the file is read as Latin-1", path.absolute())
        return text, "Latin-1"


def _latin(data: bytes) -> str | None:
    """Decode Latin-1; None where control characters show that the bytes are no text."""
    try:
        text = data.decode(LATIN)
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


@cache
def _say(line: str, file: Path) -> None:
    """Print a line about a file once, however often it is read."""
    print(line, file=sys.stderr)
