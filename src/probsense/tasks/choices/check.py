"""Says what was understood of a file of questions, and shows some of them as a model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from probsense.core.records import Item, Json
from probsense.tasks.choices.asking.prompts import LETTERS, Stance, lettered_prompt, open_prompt, system
from probsense.tasks.choices.data.read import ReaderName, read_questions, several
from probsense.tasks.choices.items import item_of
from probsense.tasks.choices.measures.notes import people_notes, people_warnings
from probsense.tasks.shared.orders import orders_of

SHOWN: Final = 3


@dataclass(frozen=True)
class Understood:
    """What was understood of a file.

    Attributes
    ----------
    items : sequence of Item
    notes, warnings : sequence of str
        What a run would say of the people.
    shown : sequence of (str, str, str)
        Some questions, from all over the file: the id, what stands before the prompt, and the prompt.
    """

    items: Sequence[Item]
    notes: Sequence[str]
    warnings: Sequence[str]
    shown: Sequence[tuple[str, str, str]]

    def _counts(self) -> dict[str, Json]:
        options = [len(item.data["options"]) for item in self.items]
        return {
            "questions": len({(item.data["data"], item.cluster) for item in self.items}),
            "items": len(self.items),
            "options_least": min(options),
            "options_most": max(options),
            "groups": [*dict.fromkeys(item.data["group"] for item in self.items if item.data["group"])],
            "data": [*dict.fromkeys(item.data["data"] for item in self.items if item.data["data"])],
            "with_gold": sum(bool(item.gold) for item in self.items),
            "scales": sum(bool(item.data["order"]) for item in self.items),
            "with_raters": sum(bool(item.data["raters"]) for item in self.items),
        }

    def to_json(self) -> dict[str, Json]:
        """Return the counts, and the questions that are shown."""
        return {
            "schema": 1,
            **self._counts(),
            "notes": [*self.notes],
            "warnings": [*self.warnings],
            "shown": [
                {"item": name, "system": opening, "prompt": prompt} for name, opening, prompt in self.shown
            ],
        }

    def __str__(self) -> str:
        found = self._counts()
        least, most = found["options_least"], found["options_most"]
        groups = [str(one) for one in found["groups"]] if isinstance(found["groups"], list) else []
        said = [
            f"{found['items']:,} questions, {least if least == most else f'{least} to {most}'} options each",
            *(f"note: {note}" for note in self.notes),
            *(f"warning: {warning}" for warning in self.warnings),
        ]
        if groups:
            said.append(f"groups of people: {', '.join(groups[:8])}{' …' if len(groups) > 8 else ''}")
        told = {"a right option": "with_gold", "a scale": "scales", "known raters": "with_raters"}
        known = [f"{found[key]:,} with {name}" for name, key in told.items() if found[key]]
        if known:
            said.append(", ".join(known))
        for name, opening, prompt in self.shown:
            said += ["", f"── {name} ──", *([f"[{opening}]"] if opening else []), prompt]
        return "\n".join(said)


def check_data(
    data: Path,
    *,
    reader: ReaderName = "table",
    group: str | Sequence[str] = (),
    group_form: Stance = "as",
    drop: str | Sequence[str] = (),
) -> Understood:
    """Read a file of questions, and say what was understood.

    Parameters
    ----------
    data : Path
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    reader : {"table", "chaosnli", "pap", "lewidi", "alignment", "simbench"}
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    group : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    group_form : {"as", "about", "none"}
        Ask the model to answer as one of the group, ask it how the group would answer, or say nothing of the group.
    drop : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    """
    items = [item_of(one) for one in read_questions(Path(data), reader, groups=group, drop=drop)]
    places = dict.fromkeys([0, len(items) // 2, len(items) - 1][:SHOWN])
    shown = [
        (items[place].id, system(items[place], group_form), _prompt(items[place], group_form))
        for place in places
    ]
    return Understood(items, people_notes(items, drop=several(drop)), people_warnings(items), shown)


def _prompt(item: Item, stance: Stance) -> str:
    """Ask as a run does: by letters, or without where there are not enough of them."""
    count = len(item.data["options"])
    if count > len(LETTERS):
        return open_prompt(item, stance)
    return lettered_prompt(item, orders_of(count, 1)[0], stance)
