"""Checks that the sentences of a skin mean what they should, by the words in them alone.

A set is generated and read through the same templates, so no audit of its labels can tell that a sentence says the
opposite of what it should. This check knows nothing of the templates' purpose: it finds the words that compare, as in
any English text, and looks up where they point. All sentences must agree with the forward one. Words that the lexicon
does not know are left to a person.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from probsense.core.errors import InputError
from probsense.tasks.worldsense.text.english import LINES, NEGATION, english, list_axis, nameless
from probsense.tasks.worldsense.text.lexicon import StoryAxis, known, oriented
from probsense.tasks.worldsense.text.logic import ParseFailure
from probsense.tasks.worldsense.text.skins import PACKAGED, SENTENCES, OrderSkin, Skin, load_skins


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
    axis = _axis(skin.forward) if isinstance(skin, OrderSkin) else StoryAxis({})
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


def _is_right(field: str, template: str, axis: StoryAxis) -> bool | None:
    """Whether a template means what it should beside the forward one; None where that cannot be known."""
    if field == "list":
        return _lists(template, axis)
    wanted, args = SENTENCES[field]
    sentence, letters = nameless(template)
    said = english(sentence)
    if not said:
        return None
    relation, order = said.along(axis)
    if "foreign" in (wanted, relation):
        sure = wanted == relation and known(tuple(axis.orientation.items())) and known(said.senses)
        return False if relation == "before" else True if sure else None
    return relation == wanted and (relation in LINES or letters[order[0]] == args[0])


def _axis(forward: str) -> StoryAxis:
    """Find the axis on which the forward sentence puts {a} before {b}; an empty one if no word there compares."""
    sentence, letters = nameless(forward)
    said = english(sentence)
    return oriented(said.senses if said else (), 1 if letters[0] == "a" else -1)


def _lists(intro: str, axis: StoryAxis) -> bool | None:
    """Whether a list begins with the first; None where that cannot be known."""
    try:
        orientation = {} if NEGATION.search(intro) else list_axis(intro).orientation
    except ParseFailure:
        return None
    way = -1 if "reverse" in intro else 1
    shared = [sign * axis.orientation[one] for one, sign in orientation.items() if one in axis.orientation]
    return way in shared if shared else None
