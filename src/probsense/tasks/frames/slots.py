"""What can be asked about an event: its semantic roles, each with its meaning and its question, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of an event that its description leaves open.

    Attributes
    ----------
    definition : str
        What fills it, as a phrase.
    question : str
        How it is asked for if a frame has no words of its own.
    """

    definition: str
    question: str


SLOTS: Final[Mapping[str, Slot]] = {
    "arg0": Slot("who or what does it", "Who would do this?"),
    "purpose": Slot("what it is done for", "Why would somebody do this?"),
    "instrument": Slot("what it is done with", "What would be used to do this?"),
    "time": Slot("when it is done", "When would this be done?"),
    "location": Slot("where it is done", "Where would this be done?"),
}
"""The slots by name, as PropBank calls them (Palmer, Gildea & Kingsbury 2005, Computational Linguistics 31(1))."""
