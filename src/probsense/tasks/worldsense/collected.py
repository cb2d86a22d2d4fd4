"""WorldSense, asked of people: the answers that a question expects, in their order."""

from __future__ import annotations

from typing import Final

from probsense.core.records import Item
from probsense.tasks.people_forms import PeopleForm, PeopleQuestion, whole


def _question(item: Item) -> PeopleQuestion:
    options = tuple(item.data["expected"])
    right = options.index(item.gold)
    return PeopleQuestion(item.id, item.data["text"].strip(), options, right, whole("worldsense", item))


FORM: Final = PeopleForm("worldsense", "choose", _question, shuffled=False)
"""How people are asked."""
