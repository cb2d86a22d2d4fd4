"""The forms in which people are asked: their fields, what is wrong with an answer, and the tasks that have them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

from probsense.core.errors import InputError
from probsense.tasks.people_forms import FormKind, PeopleForm
from probsense.tasks.registry import task_types

FieldKind: TypeAlias = Literal["choice", "number", "text"]
Values: TypeAlias = Mapping[str, str]
"""What a form holds, by the names of its fields; a field without an answer has none."""

LONGEST = 300
"""The largest number of characters of an answer."""
_NUMBER: Final = re.compile(r"[+-]?\d+([.,]\d+)?")
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
_JOINERS: Final = "\u200c\u200d"
"""Signs without a shape of their own that some scripts need between letters."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to answer.

    Attributes
    ----------
    name : str
        Unique in its form.
    label : str
        The question.
    kind : {"choice", "number", "text"}
    options : tuple of (str, str)
        The value and the words of each option of a choice.
    needed : bool
        Whether it must be answered.
    low, high : float, optional
        The bounds of a number.
    """

    name: str
    label: str
    kind: FieldKind
    options: tuple[tuple[str, str], ...] = ()
    needed: bool = True
    low: float | None = None
    high: float | None = None


def received(fields: tuple[Field, ...], sent: Mapping[str, str]) -> dict[str, str]:
    """Keep what was sent for some fields: an option that a choice has, or one line of text.

    The line has at most :data:`LONGEST` characters, none that is not seen, and composed letters (Unicode's form NFC),
    so that answers that look the same are the same. An empty field has no answer.
    """
    found = {}
    for field in fields:
        value = sent.get(field.name, "")
        kept = _option(field, value) if field.kind == "choice" else _line(value)
        if kept:
            found[field.name] = kept
    return found


def faults(fields: tuple[Field, ...], values: Values) -> dict[str, str]:
    """Tell what is wrong with each field: "missing", or "number" for no number within the bounds."""
    found = {field.name: _fault(field, values.get(field.name, "")) for field in fields}
    return {name: fault for name, fault in found.items() if fault}


def as_number(text: str) -> Decimal | None:
    """Read a number with a point or a comma; None if the text is none, or could be one with thousands set apart.

    "50,000" is fifty to some people and fifty thousand to others.
    """
    if not _NUMBER.fullmatch(text) or _THOUSANDS.fullmatch(text):
        return None
    return Decimal(text.replace(",", "."))


def _option(field: Field, value: str) -> str:
    return value if value in dict(field.options) else ""


def without_controls(text: str) -> str:
    """Drop the control characters of a text, line ends too."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cc")


def _line(text: str) -> str:
    seen = "".join(sign for sign in " ".join(text.split()) if sign in _JOINERS or _is_seen(sign))
    line = unicodedata.normalize("NFC", " ".join(seen.split()))[:LONGEST].strip()
    return line if line.strip(_JOINERS) else ""


def _is_seen(sign: str) -> bool:
    """Tell a sign from control characters, and from marks that nobody sees, such as those of direction."""
    return unicodedata.category(sign) not in ("Cc", "Cf")


def _fault(field: Field, value: str) -> str:
    if not value:
        return "missing" if field.needed else ""
    if field.kind == "number":
        number = as_number(value)
        low = -math.inf if field.low is None else field.low
        high = math.inf if field.high is None else field.high
        return "" if number is not None and low <= number <= high else "number"
    return ""


def task_forms() -> list[tuple[str, PeopleForm]]:
    """List the tasks that can be asked of people with their forms, those with the same form side by side."""
    found = [(name, form) for name, task in task_types(named=True).items() if (form := task.people_form())]
    order = get_args(FormKind)
    return sorted(found, key=lambda entry: (order.index(entry[1].form), entry[0]))


@cache
def form_of(kind: str) -> PeopleForm:
    """Return the form of a kind of blocks.

    Raises
    ------
    InputError
        If no task that is installed, or whose file the user has named, has it.
    """
    forms = [form for _, form in task_forms() if form.kind == kind]
    if not forms:
        raise InputError(
            f"no installed task asks people {kind!r}",
            expected="its package, or its file, named once: probsense run FILE.py",
        )
    return forms[0]
