"""Parts of all questions there are: two parts share no question, whatever the seeds of their sets."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

from probsense.core.errors import InputError

_LARGEST = 10**6
_WRITTEN = re.compile(r"([0-9]{1,7})/([0-9]{1,7})", re.ASCII)


class Part(NamedTuple):
    """Part ``number`` (from 1) of ``parts``; a hash of what a tuple is about says in which part its questions are."""

    number: int = 1
    parts: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"

    def holds(self, problem: str, skin: str, names: Sequence[str]) -> bool:
        """Tell whether the questions of a tuple are in this part.

        Parameters
        ----------
        problem : str
            Only the kind of its question counts (Infer, Consist or Compl), since problems of a kind can share a text.
        skin : str
            The name of the skin.
        names : sequence of str
            Names of all things in the story, in any order. Every question of the tuple holds the story, so two equal
            questions are in the same part.
        """
        if self == WHOLE:
            return True
        about = json.dumps([problem.partition(".")[0], skin, *sorted(names)])
        return int.from_bytes(blake2b(about.encode(), digest_size=8).digest()) % self.parts == self.number - 1


WHOLE: Final = Part()
"""All questions there are."""


def read_part(text: str) -> Part:
    """Read a part as users write it, such as ``2/10``.

    Raises
    ------
    InputError
        For any other text, and for a part that there is not.
    """
    written = _WRITTEN.fullmatch(text)
    part = Part(*map(int, written.groups())) if written else Part(0)
    if not 1 <= part.number <= part.parts <= _LARGEST:
        raise InputError(f"no part {text!r}", expected="NUMBER/PARTS, such as 2/10")
    return part
