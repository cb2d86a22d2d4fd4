"""Draws the tuples of a design, with every gold label checked by the solver."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate import MATCHED
from probsense.tasks.worldsense.generate.design import Design, cells
from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.matched import matched_depths, matched_variants
from probsense.tasks.worldsense.generate.problems import TRAINING, Cell, Problem, Variant
from probsense.tasks.worldsense.questions.format import CONSIST, HIDDEN
from probsense.tasks.worldsense.text.form import form_id
from probsense.tasks.worldsense.text.logic import (
    Claim,
    Difficulty,
    decide,
    difficulty,
    of_tuple,
    possible_worlds,
)

ATTEMPTS = 1000
"""How often a tuple is drawn at most until all its questions are new to the set."""

_TRAINING_BLOCK = 4096


class DrawnTuple(NamedTuple):
    """One tuple: its cell, the names of its entities (a spare one last, where one is needed), its variants."""

    cell: Cell
    names: list[str]
    variants: list[Variant]


def draw_tuples(design: Design) -> Iterator[DrawnTuple]:
    """Draw the tuples of a design in shuffled order, every label checked, no question twice.

    A tuple with a question that the set has already is drawn again.

    Raises
    ------
    InputError
        If a cell holds more tuples than there are different ones.
    """
    kinds = cells(design)
    rng = np.random.default_rng(design.seed)
    order = rng.permutation(np.arange(len(kinds) * design.tuples, dtype=np.int32))
    draws = Draws(rng)
    seen = set[str]()
    for place in order:
        cell = kinds[place % len(kinds)]
        tried = (_draw(draws, cell, design.regime, seen) for _ in range(ATTEMPTS))
        drawn = next((new for new in tried if new), None)
        if drawn is None:
            raise InputError(
                f"too few different questions of {cell.problem} of size {cell.size} in skin {cell.skin.name}",
                expected="fewer tuples, larger sizes or skins with more names",
            )
        for variant in drawn.variants:
            _check(cell, TRAINING[cell.problem], variant)
        yield drawn


def _draw(draws: Draws, cell: Cell, regime: str, seen: set[str]) -> DrawnTuple | None:
    """Draw a tuple and add its questions to those seen; None if one of them was among these."""
    names = draws.sample(cell.skin.names, cell.size + TRAINING[cell.problem].spare_names)
    if regime == MATCHED and matched_depths(cell.problem, cell.size, cell.complexity):
        cell, variants = matched_variants(draws, cell, names)
    else:
        variants = TRAINING[cell.problem].build(draws, cell, names)
    texts = [variant.text for variant in variants]
    if not seen.isdisjoint(texts):
        return None
    seen.update(texts)
    return DrawnTuple(cell, names, variants)


def _check(cell: Cell, problem: Problem, variant: Variant) -> None:
    """Refuse a variant whose gold differs from that of the solver."""
    n, facts = cell.size + problem.spare_names, tuple(sorted(variant.facts))
    if problem.answers == CONSIST:
        answer = CONSIST[not possible_worlds(n, facts, False)]
    else:
        (decided,) = decide(n, facts, (variant.claim,), problem.lines)
        answer = dict(zip(("yes", "no", "undecided"), problem.answers, strict=False)).get(decided, decided)
    if answer != variant.gold:
        raise RuntimeError(
            f"a {cell.problem} tuple of skin {cell.skin.name} got gold {variant.gold}, not {answer}"
        )


def generate(design: Design) -> Iterator[list[dict[str, Any]]]:
    """Generate the tuples of a design in shuffled order, one at a time.

    Yields
    ------
    list of dict
        The trials of one tuple as records of the published format (specification 1.2), siblings adjacent.
    """
    for number, drawn in enumerate(draw_tuples(design)):
        cell, shared = drawn.cell, None
        if cell.depth is None:
            shared = of_tuple(difficulty(cell.problem, cell.size, v.facts, v.claim) for v in drawn.variants)
        yield [
            _record(drawn, variant, f"probsense-seed{design.seed}_{number}")
            | (shared or Difficulty(len(variant.facts), cell.depth))._asdict()
            for variant in drawn.variants
        ]


def _key(tuple_id: str, text: str) -> int:
    """Make a signed 64-bit key of a question, so that no other question of any set has it."""
    found = blake2b(f"{tuple_id}\n{text}".encode(), digest_size=8).digest()
    return int.from_bytes(found, "big", signed=True)


def _record(drawn: DrawnTuple, variant: Variant, tuple_id: str) -> dict[str, Any]:
    cell = drawn.cell
    return {
        "Key": _key(tuple_id, variant.text),
        "problemname": cell.problem,
        "tuple_ID": tuple_id,
        "text": variant.text,
        "expectedresp": list(TRAINING[cell.problem].answers),
        "span": variant.span,
        "descr": f"[{','.join(_repr(fact, cell.size) for fact in variant.facts)}]",
        "query": _repr(variant.claim, cell.size),
        "objects": drawn.names[: cell.size],
        "problemsize": cell.size,
        "skin": cell.skin.name,
        "qskin": cell.qskin,
        "complexity": f"Complexity_{cell.complexity}",
        "query_len": max(2, len(variant.claim.args)),
        "goldresp_obfusc": HIDDEN[variant.gold],
        "form": form_id(variant.facts, None if TRAINING[cell.problem].answers == CONSIST else variant.claim),
    }


@cache
def _repr(claim: Claim, size: int) -> str:
    relation, args = claim
    if relation in ("first", "last"):
        return repr((args[0], relation == "first"))
    numbers = tuple(-1 if i == size else i for i in args)
    return f"i{numbers}" if relation == "foreign" else repr(numbers)


def training_blocks(design: Design) -> Iterator[list[tuple[str, str]]]:
    """Yield shuffled blocks of (text, gold) pairs."""
    rng = np.random.default_rng([design.seed, 1])
    block: list[tuple[str, str]] = []
    for drawn in draw_tuples(design):
        block += [(variant.text, variant.gold) for variant in drawn.variants]
        if len(block) >= _TRAINING_BLOCK:
            rng.shuffle(block)
            yield block
            block = []
    rng.shuffle(block)
    yield block
