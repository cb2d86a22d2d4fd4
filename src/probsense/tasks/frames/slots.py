"""The questions about an event, one for each of its semantic roles, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SLOTS: Final[Mapping[str, str]] = {
    "arg0": "Who would do this?",
    "purpose": "Why would somebody do this?",
    "instrument": "What would be used to do this?",
    "time": "When would this be done?",
    "location": "Where would this be done?",
}
"""The question for frames that have no words of their own, by the part of the event that its description leaves open.

The names are those of PropBank (Palmer, Gildea & Kingsbury 2005, Computational Linguistics 31(1)).
"""
