"""What an examination of a model found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from probsense.records import Json


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    name : str
        What was checked, in a few words.
    ok : bool or None
        Whether it is as it must be; None where it is no matter of right and wrong, only good to know.
    detail : str
        What was seen, as a sentence.
    data : Mapping[str, Json]
        The figures behind the sentence.
    """

    name: str
    ok: bool | None
    detail: str
    data: Mapping[str, Json] = field(default_factory=dict)


@runtime_checkable
class Examined(Protocol):
    """A model that was examined when it was loaded."""

    @property
    def findings(self) -> Sequence[Finding]:
        """What the examination found."""
