"""Lists and mappings in the cells of a table, written as JSON or as Python prints them."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Final

_PRINTED: Final = re.compile(r"^(?:defaultdict|OrderedDict|Counter)\((?:<class '\w+'>, )?(.*)\)$", re.DOTALL)
"""How Python prints mappings of other classes."""


def nested(cell: str) -> list[Any] | dict[Any, Any] | None:
    """Read a cell that holds a list or a mapping.

    The text is parsed as a literal, and never evaluated.

    Parameters
    ----------
    cell : str

    Returns
    -------
    list or dict or None
        None for any other text.
    """
    text = cell.strip()
    if printed := _PRINTED.match(text):
        text = printed[1]
    if text[:1] not in ("[", "{"):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, list | dict):
            return found
    return None
