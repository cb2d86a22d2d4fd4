"""Draws the normal problems from all forms that can be matched: what a story shows says nothing about the answer.

Of Infer and Consist, siblings share a story. True and false claims have the same distribution of stories, and the same
of what a responder sees who counts, and never joins two facts (:func:`views.whole`). Of Compl, siblings have
stories of their own, in which the open claim looks like one of the decided ones. Facts are told in any order, so what
is named first or last tells nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Final

from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.forms.pools import Facts, apart, depths, paired
from probsense.tasks.worldsense.generate.problems import (
    Cell,
    Inserted,
    Variant,
    compl_variants,
    consist_variants,
    infer_variants,
)
from probsense.tasks.worldsense.generate.wording import Told, arrange, word
from probsense.tasks.worldsense.text.form import form_id

VARIED: Final = ("Infer.normal", "Consist.normal", "Compl.normal")


def varied_depths(problem: str, n: int, complexity: int) -> tuple[int, ...]:
    """List the depths of inference that can be drawn so that siblings match; none where they cannot."""
    return depths(problem, n, complexity) if problem in VARIED else ()


def count_forms(problem: str, n: int) -> int:
    """Count the forms of a problem and size that there are; 0 where they were not chosen to be matched."""
    if problem not in VARIED:
        return 0
    if problem == "Compl.normal":
        sides = [side for own in apart(n) for side in (own.true, own.false)]
        asked = {question for side in sides for group in (*side.decided, *side.opened) for question in group}
        return len({form_id(*question) for question in asked})
    told = {
        (question.facts, claim)
        for kind in range(3)
        for question in paired(n, kind)
        for claim in (question.claim, *question.denials)
    }
    if problem == "Infer.normal":
        return len({form_id(*question) for question in told})
    return len({form_id((*facts, claim), None) for facts, claim in told})


def varied_variants(draws: Draws, cell: Cell, names: Sequence[str]) -> tuple[Cell, list[Variant]]:
    """Draw a tuple of a cell for which there are :func:`varied_depths`; say its complexity and depth in the cell."""
    if cell.problem == "Compl.normal":
        return _compl(draws, cell, names)
    facts, claim, denials, depth = draws.choice(paired(cell.size, cell.complexity, cell.depth))
    denial = draws.choice(denials)
    told = _tell(draws, facts)
    if cell.problem == "Infer.normal":
        variants = infer_variants(cell, names, told, (claim, denial), draws.coin())
    else:
        inserted = Inserted(claim, denial, draws.below(len(facts) + 1), draws.coin())
        variants = consist_variants(cell, names, told, inserted)
    return cell._replace(depth=depth), variants


def _compl(draws: Draws, cell: Cell, names: Sequence[str]) -> tuple[Cell, list[Variant]]:
    own = apart(cell.size, cell.depth)[draws.weighted(_shares(cell.size, cell.depth))]
    true, false = draws.weighted(own.true.weights), draws.weighted(own.false.weights)
    opened = own.true.opened[true] if draws.coin() else own.false.opened[false]
    asked = [
        (_tell(draws, facts), claim, draws.coin())
        for facts, claim in map(draws.choice, (opened, own.false.decided[false], own.true.decided[true]))
    ]
    return cell._replace(complexity=own.complexity, depth=own.depth), compl_variants(cell, names, asked)


@cache
def _shares(n: int, depth: int | None) -> list[float]:
    return list(accumulate(own.true.weights[-1] + own.false.weights[-1] for own in apart(n, depth)))


def _tell(draws: Draws, facts: Facts) -> Told:
    told = arrange(draws, facts)
    return Told(told, word(draws, told))
