"""Skins made of invented words, so that a small model learns how stories hang together, not the words they use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from probsense.tasks.worldsense.generate.stories import Draws
from probsense.tasks.worldsense.text.skins import OrderSkin

Kind: TypeAlias = Literal["scalar", "spatial", "temporal"]

_ONSETS = [*"bcdfghjklmnprstvw", "br", "cl", "cr", "dr", "fl", "gr", "pl", "pr", "sh", "st", "th", "tr"]
_VOWELS = [*"aeiouaeiou", "ai", "ea", "ee", "oo", "ou"]
_CODAS = [*"nrlstdm", "ck", "nd", "st", "rt"]

PLAIN = [first + vowel + last for first in "BDFGHKLMNPRST" for vowel in "aeiou" for last in "lnrst"]
"""Names of one short syllable, common enough in the tokenizer's text to be single tokens."""

_VERBS = ["is", "stands", "comes", "goes", "stays", "waits", "was found", "is kept", "can be seen", "starts"]
_PLACES = [
    ("to the left of", "to the right of", "left", "right"),
    ("above", "below", "top", "bottom"),
    ("in front of", "behind", "front", "back"),
    ("to the north of", "to the south of", "north", "south"),
    ("to the east of", "to the west of", "east", "west"),
]


def syllable(draws: Draws) -> str:
    """Invent one syllable."""
    return draws.choice(_ONSETS) + draws.choice(_VOWELS) + draws.choice(_CODAS)


def word(draws: Draws, longest: int = 2) -> str:
    """Invent a word of one to ``longest`` syllables."""
    return "".join(syllable(draws) for _ in range(1 + draws.below(longest)))


def words(draws: Draws, count: int, longest: int = 2) -> list[str]:
    """Invent words, none of them part of another."""
    found: list[str] = []
    while len(found) < count:
        new = word(draws, longest)
        if len(new) > 2 and not any(new in old or old in new for old in found):
            found.append(new)
    return found


def names(draws: Draws, count: int, simple: bool) -> tuple[list[str], str]:
    """Invent names, bare syllables or in one of the usual patterns, and a word for their kind."""
    stems = words(draws, count + 1, 1 if simple else 2)
    kind = stems.pop()
    pattern = 0 if simple else draws.below(4)
    if pattern == 0:
        return [stem.capitalize() for stem in stems], kind + "s"
    if pattern == 1:
        return [f"the {stem}" for stem in stems], kind + "s"
    if pattern == 2:
        return [f"{kind.capitalize()} {stem.capitalize()}" for stem in stems], kind + "s"
    return [f"the {stem} {kind}" for stem in stems], kind + "s"


def invented_skin(draws: Draws, number: int, kinds: Sequence[Kind], simple: bool = False) -> OrderSkin:
    """Invent a skin of a random kind, with invented names (``simple``: of one syllable)."""
    while True:
        skin = _draw(draws, number, draws.choice(kinds), simple)
        if skin is not None:
            return skin


def _draw(draws: Draws, number: int, kind: Kind, simple: bool) -> OrderSkin | None:
    people, things = names(draws, 10, simple)
    verb = draws.choice(_VERBS) if draws.chance(0.3) else f"{draws.choice(['is ', 'was ', ''])}{word(draws)}s"
    other, another = words(draws, 2)
    if kind == "scalar":
        stem = word(draws)
        low, least = f"less {stem}", f"least {stem}"
        if draws.coin():
            low = f"{word(draws)}er"
            least = f"{low[:-1]}st"
        fields = {
            "list": f"From the {stem}est to the {least}, the {things} are",
            "forward": f"{{a}} is {stem}er than {{b}}",
            "converse": f"{{a}} is {low} than {{b}}",
            "between": f"{{m}} is in {stem}ness between {{a}} and {{b}}",
            "outside": f"{{m}} is in {stem}ness outside the range between {{a}} and {{b}}",
            "first": f"{{a}} is the {stem}est of all",
            "last": f"{{a}} is the least {stem} of all",
        }
    elif kind == "spatial":
        forward, converse, top, bottom = draws.choice(_PLACES)
        fields = {
            "list": f"From {top} to {bottom}, the {things} are",
            "forward": f"{{a}} {verb} {forward} {{b}}",
            "converse": f"{{a}} {verb} {converse} {{b}}",
            "between": f"{{m}} {verb} between {{a}} and {{b}}",
            "outside": f"{{m}} {verb} outside the {draws.choice(['space', 'stretch'])} between {{a}} and {{b}}",
            "first": f"{{a}} {verb} at the very {top}",
            "last": f"{{a}} {verb} at the very {bottom}",
        }
    else:
        fields = {
            "list": f"From the first to the last, the {things} are",
            "forward": f"{{a}} {verb} before {{b}}",
            "converse": f"{{a}} {verb} after {{b}}",
            "between": f"{{m}} {verb} between {{a}} and {{b}}",
            "outside": f"{{m}} {verb} outside the time between {{a}} and {{b}}",
            "first": f"{{a}} {verb} first",
            "last": f"{{a}} {verb} last",
        }
    foreign = draws.choice(
        (
            (f"{{a}} is {other}er than {{b}}", f"{{a}} is less {other} than {{b}}"),
            (f"{{a}} is {other}er than {{b}}", f"{{a}} is {another}er than {{b}}"),
            (f"{{a}} has more {other} than {{b}}", f"{{a}} has fewer {other} than {{b}}"),
            (f"{{a}} has a {other}er {another} than {{b}}", f"{{a}} has a less {other} {another} than {{b}}"),
        )
    )
    scene = draws.choice(
        (
            f"{{n}} {things} are here",
            f"There are {{n}} {things}",
            f"{{n}} {things} {word(draws)} in the {word(draws)}",
        )
    )
    try:
        return OrderSkin(
            name=f"invented.{number}",
            kind=kind,
            scene=scene,
            names=tuple(people),
            foreign=(foreign,),
            **fields,
        )
    except ValueError:  # A name happens to stand in a template: draw again.
        return None
