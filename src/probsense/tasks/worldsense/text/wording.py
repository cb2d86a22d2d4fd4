"""How a story is told and how questions are worded.

A story has its facts in any order, each worded in one of two directions. The things of a story are numbered by an order
that fits its facts, from first to last. The frames of questions are the same for every skin.
"""

from __future__ import annotations

from collections.abc import Sequence

from probsense.tasks.worldsense.text.logic import Claim
from probsense.tasks.worldsense.text.skins import OrderSkin, Skin

QSKINS = ("directQ1", "directQ2")

INFER = {
    "directQ1": "{story}\nIs it TRUE or FALSE that {claim}?\nReply with one word only, TRUE or FALSE:",
    "directQ2": "{story}\nReply with one word only, TRUE or FALSE: can one say that {claim}?\n",
}
CONSIST = {
    "directQ1": "{scene}. Somebody says that {facts}. Could all of this be so at once? "
    "Reply with one word only, POSSIBLE or IMPOSSIBLE: ",
    "directQ2": "Think of this description. {scene}: {facts}.\n"
    "Reply with one word only, POSSIBLE if there is a way for all of it to hold, IMPOSSIBLE if there is none.\n",
}
COMPL = {
    "directQ1": "{story}\nWhich of the three is right: (1) {claim}, (2) {converse}, or (3) the text leaves it open?\n"
    "Reply with the number only:",
    "directQ2": "{story}\nReply with a number only: 1 if {claim}, 2 if {converse}, 3 if the text leaves it open.\n",
}


def scene(skin: Skin, n: int) -> str:
    """Open a story about n entities, without a final stop."""
    return skin.scene.format(n=n)


def story(skin: Skin, n: int, clauses: Sequence[str]) -> str:
    """Tell a story that states its facts."""
    return f"{scene(skin, n)}: {join(clauses)}."


def list_story(skin: OrderSkin, names: Sequence[str]) -> str:
    """Tell a story that lists the entities in their order."""
    items = "\n".join(f"- {name}" for name in names)
    return f"{scene(skin, len(names))}. {skin.list}:\n{items}"


def join(clauses: Sequence[str]) -> str:
    """Join clauses to one sentence with commas, and "and" before the last."""
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def clause(skin: Skin, claim: Claim, names: Sequence[str], flip: bool) -> str:
    """Word a claim.

    Parameters
    ----------
    skin : Skin
    claim : Claim
        before, between, outside, first or last; of lines, parallel or perpendicular.
    names : sequence of str
        Name of each entity that the claim numbers.
    flip : bool
        Word before(a, b) by the converse predicate ("b comes after a"), between or outside with its end points
        exchanged, and lines with each other.
    """
    relation, args = claim
    field: str = relation
    if relation == "before":
        field = "converse" if flip else "forward"
    if flip:
        args = (*args[:-2], *args[:-3:-1])
    letters = "mab" if len(args) == 3 else "ab"
    return str(getattr(skin, field)).format(
        **{letter: names[i] for letter, i in zip(letters, args, strict=False)}
    )
