"""Checks that the sentences of a skin mean what they should, by the words in them alone.

A set is generated and read through the same templates, so no audit of its labels can tell that a sentence says the
opposite of what it should. This check knows nothing of the templates' purpose: it finds the words that compare, as in
any English text, and looks up where they point. All sentences must agree with the forward one. Words that the lexicon
does not know are left to a person.
"""

from __future__ import annotations

from pathlib import Path
from string import Formatter
from typing import Final, NamedTuple

from probsense.core.errors import InputError
from probsense.tasks.worldsense.text.english import NAME, NEGATION, Sentence, english, list_axis
from probsense.tasks.worldsense.text.lexicon import Senses, known
from probsense.tasks.worldsense.text.logic import ParseFailure
from probsense.tasks.worldsense.text.skins import PACKAGED, OrderSkin, Skin, load_skins

_POINTING: Final = {"list": 1, "converse": -1, "first": 1, "last": -1}
"""Where the words of a template point, if those of the forward one point to the first."""
_RELATIONS: Final = ("between", "outside", "parallel", "perpendicular")
"""The templates that name their relation."""


class Meaning(NamedTuple):
    """What is known of the meaning of a skin's sentences.

    Attributes
    ----------
    faults : tuple of str
        Sentences that do not mean what they should.
    unchecked : tuple of str
        Fields of the skin that hold words which grammar or lexicon do not know.
    """

    faults: tuple[str, ...]
    unchecked: tuple[str, ...]


def check_meaning(skin: Skin) -> Meaning:
    """Check where the words of a skin's sentences point."""
    axis = _pointing(skin.forward) if isinstance(skin, OrderSkin) else ()
    others = [pair for pair in skin.templates() if pair[0] not in ("scene", "forward")]
    right = {(field, template): _is_right(field, template, axis) for field, template in others}
    wrong = "{} does not mean what it should beside the other sentences: {!r}"
    faults = tuple(wrong.format(*pair) for pair, fine in right.items() if fine is False)
    return Meaning(faults, tuple(dict.fromkeys(field for (field, _), fine in right.items() if fine is None)))


def load_checked(source: str | Path) -> tuple[tuple[Skin, ...], tuple[str, ...]]:
    """Read a set of skins, and check a user's own.

    Returns
    -------
    tuple of Skin
    tuple of str
        A remark on each skin with words that could not be checked.

    Raises
    ------
    InputError
        Also for a sentence that does not mean what it should.
    """
    skins = load_skins(source)
    if source == "parallel" or source in PACKAGED:
        return skins, ()
    remarks = []
    for skin in skins:
        faults, unchecked = check_meaning(skin)
        if faults:
            raise InputError(
                f"skin {skin.name}: {faults[0]}",
                path=Path(source),
                expected="sentences that agree with the forward one",
            )
        if unchecked:
            fields = ", ".join(unchecked)
            remarks.append(
                f"skin {skin.name} has words that cannot be checked, in {fields}: read a few questions"
            )
    return skins, tuple(remarks)


def _is_right(field: str, template: str, axis: Senses) -> bool | None:
    """Whether a template means what it should beside the forward one; None where that cannot be known."""
    if field in _RELATIONS:
        said, letters = _said(template)
        clear = said and said.relation in _RELATIONS and letters.find("m") < 1
        return said.relation == field if said and clear else None
    along, senses = dict(axis), _list_senses(template) if field == "list" else _pointing(template)
    shared = [along[dimension] * way for dimension, way in senses if dimension in along]
    if field != "foreign":
        return _POINTING[field] in shared if shared else None
    if shared:
        return False
    return True if axis and senses and known(axis) and known(senses) else None


def _said(template: str) -> tuple[Sentence | None, str]:
    """Read a template as English; the letters of its names come in the order in which it has them."""
    letters = "".join(field for _, field, _, _ in Formatter().parse(template) if field)
    return english(template.format(**dict.fromkeys(letters, NAME))), letters


def _pointing(template: str) -> Senses:
    """Find the dimensions of the word that compares, and in which direction it puts {a}; () where there is none."""
    said, letters = _said(template)
    senses = said.senses if said else ()
    return senses if letters[0] == "a" else tuple((dimension, -way) for dimension, way in senses)


def _list_senses(intro: str) -> Senses:
    """Find the dimensions in which a list is ordered, and the direction in which it begins."""
    try:
        orientation = {} if NEGATION.search(intro) else list_axis(intro).orientation
    except ParseFailure:
        return ()
    way = -1 if "reverse" in intro else 1
    return tuple((dimension, way * sign) for dimension, sign in orientation.items())
