"""Words of a question: its options in the open, lettered, or to be given percentages."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Final, Literal, TypeAlias

from probsense.core.records import Item
from probsense.tasks.shared.orders import Order

Stance: TypeAlias = Literal["as", "about", "none"]
"""How a group comes into a question: the model answers as one of it, or about it, or hears nothing of it."""

LETTERS: Final = ascii_uppercase
ANSWER: Final = "Answer:"


def system(item: Item, stance: Stance) -> str:
    """Return what stands before the question: as whom the model answers; "" for nobody in particular."""
    group = item.data["group"]
    if not group or stance != "as":
        return ""
    return str(group) if _is_sentence(group) else f"Answer as a person of this group: {group}."


def _is_sentence(group: str) -> bool:
    """Whether a group is described in whole sentences, as SimBench does."""
    return group.rstrip().endswith((".", "!", "?"))


def _question(item: Item, stance: Stance) -> str:
    """Write the context and the question itself."""
    group, parts = item.data["group"], [item.data["context"], item.data["text"]]
    if group and stance == "about":
        whom = (
            f"this person answer? {group}"
            if _is_sentence(group)
            else f"people of this group answer: {group}?"
        )
        parts.append(f"How would {whom}")
    return "\n\n".join(part for part in parts if part)


def open_prompt(item: Item, stance: Stance) -> str:
    """Ask without a list of options; each of them is scored as the answer."""
    return f"{_question(item, stance)}\n{ANSWER}"


def _listed(item: Item, order: Order) -> str:
    options: Sequence[str] = item.data["options"]
    return "\n".join(f"{LETTERS[place]}. {options[one]}" for place, one in enumerate(order))


def lettered_prompt(item: Item, order: Order, stance: Stance) -> str:
    """Ask for the letter of one of the options, which stand in an order."""
    last = LETTERS[len(order) - 1]
    return (
        f"{_question(item, stance)}\n\n{_listed(item, order)}\n\n"
        f"Choose one option. Answer with its letter alone, from A to {last}.\n{ANSWER}"
    )


def letters_of(item: Item, order: Order) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name the letters by the options for which they stand, in the order of the places."""
    options: Sequence[str] = item.data["options"]
    return tuple((options[one], (LETTERS[place],)) for place, one in enumerate(order))


def stated_prompt(item: Item, stance: Stance) -> str:
    """Ask what percentage of people chooses each option."""
    count = len(item.data["options"])
    keys = ", ".join(f'"{letter}": …' for letter in LETTERS[:count])
    group = item.data["group"]
    whom = f"people of this group ({group})" if group and stance != "none" else "people"
    return (
        f"{_question(item, 'none')}\n\n{_listed(item, tuple(range(count)))}\n\n"
        f"What percentage of {whom} chooses each option? Answer with a JSON object alone, "
        f"{{{keys}}}, whose numbers sum to 100.\n{ANSWER}"
    )
