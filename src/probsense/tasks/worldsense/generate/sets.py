"""Sets of questions: the design of a set, and its tuples, with every gold label checked by the solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate import MATCHED, REGIMES, USUAL_SIZES
from probsense.tasks.worldsense.generate.matched import NORMAL, matched_depths, matched_variants
from probsense.tasks.worldsense.generate.problems import (
    PROBLEMS,
    STANDARD,
    TRAINING,
    Cell,
    Problem,
    Variant,
    named_problems,
    text_of,
)
from probsense.tasks.worldsense.generate.stories import Draws
from probsense.tasks.worldsense.questions.format import CONSIST, HIDDEN
from probsense.tasks.worldsense.text import logic
from probsense.tasks.worldsense.text.form import form_id
from probsense.tasks.worldsense.text.logic import Claim
from probsense.tasks.worldsense.text.skin_files import load_checked, load_skins
from probsense.tasks.worldsense.text.skins import QSKINS, ParallelSkin, Skin

SIZES = range(3, 13)


@dataclass(frozen=True)
class Design:
    """The plan of a set.

    Attributes
    ----------
    seed : int
        The same seed gives identical bytes.
    sizes : sequence of int
        Numbers of entities, 3 to 12.
    problems : tuple of str
        Names of problems.
    tuples : int
        Tuples in every cell (problem x size x skin x question wording x complexity).
    skins : tuple of Skin
    regime : {"matched", "published"}
        How normal problems are drawn: so that counting does not help, where there are forms that allow it
        (:mod:`matched`); or as the published ones.
    depths : sequence of int
        Depths of inference of the normal problems; all where empty. A depth that is given is a part of the cell.
    """

    seed: int = 0
    sizes: Sequence[int] = USUAL_SIZES
    problems: tuple[str, ...] = STANDARD
    tuples: int = 1
    skins: tuple[Skin, ...] = field(default_factory=lambda: load_skins("test"))
    regime: str = MATCHED
    depths: Sequence[int] = ()

    def __post_init__(self) -> None:
        for size in self.sizes:
            if size not in SIZES:
                raise InputError(f"no worlds of size {size}", expected=f"sizes {SIZES[0]} to {SIZES[-1]}")
        for name in self.problems:
            if name not in TRAINING:
                raise InputError(f"no problem {name!r}", expected=", ".join(PROBLEMS))
        for what in ("sizes", "problems", "depths"):
            values = getattr(self, what)
            if len(set(values)) != len(values) or not (values or what == "depths"):
                raise InputError(f"{what} are empty or repeated: {', '.join(map(str, values))}")
        if self.regime not in REGIMES:
            raise InputError(f"no regime {self.regime!r}", expected=" or ".join(REGIMES))
        if self.tuples < 1:
            raise InputError(f"{self.tuples} tuples a cell", expected="at least 1")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed {self.seed}", expected="an integer from 0 to 2**63 - 1")
        for name in self.problems:
            problem = TRAINING[name]
            skins = skins_for(problem, self.skins)
            if not skins:
                kind = "of kind parallel" if problem.lines else "of kind scalar, spatial or temporal"
                raise InputError(f"no skin {kind} for {name}")
            needed = max(self.sizes) + problem.spare_names
            for skin in skins:
                if len(skin.names) < needed:
                    raise InputError(
                        f"skin {skin.name} has {len(skin.names)} names; {name} of size {max(self.sizes)} needs {needed}"
                    )
        deep = [name for name in self.problems if name in NORMAL] or self.problems
        for name, size, depth in product(deep, self.sizes, self.depths):
            known = depths(self, name, size)
            if depth not in known:
                fitting = ", ".join(map(str, known)) or f"the regime {MATCHED}, {', '.join(NORMAL)}"
                raise InputError(f"no {name} of size {size} and depth {depth}", expected=fitting)


def named_design(
    problems: Sequence[str], skins: str, *, training: bool = False, **further: Any
) -> tuple[Design, tuple[str, ...]]:
    """Make a design of the problems and skins that a user names.

    Parameters
    ----------
    problems : sequence of str
        As for :func:`named_problems`.
    skins : str
        As for :func:`load_skins`.
    training : bool
    **further
        What else a :class:`Design` has.

    Returns
    -------
    Design
    tuple of str
        Words in the user's own skins that could not be checked.
    """
    known, remarks = load_checked(skins)
    names = named_problems(problems, training=training)
    return Design(problems=names, skins=known, **further), remarks


def skins_for(problem: Problem, skins: Sequence[Skin]) -> list[Skin]:
    """Return the skins that a problem can be told in."""
    return [skin for skin in skins if isinstance(skin, ParallelSkin) == problem.lines]


def cells(design: Design) -> list[Cell]:
    """List the cells of a design, in a fixed order."""
    return [
        Cell(name, size, skin, qskin, complexity, depth)
        for name in design.problems
        for size in design.sizes
        for skin in skins_for(TRAINING[name], design.skins)
        for qskin in QSKINS
        for complexity, known in _kinds(design, name, size)
        for depth in (design.depths if name in NORMAL else ()) or (None,)
        if depth in (None, *known)
    ]


def _kinds(design: Design, problem: str, size: int) -> list[tuple[int, tuple[int, ...]]]:
    """List the complexities of a problem, and the depths that can be drawn of each so that siblings match.

    Complexities in which a size has too few forms are replaced by others. In the published regime, there are no depths.
    """
    own, matched = TRAINING[problem].complexities, design.regime == MATCHED
    found = [(number, matched_depths(problem, size, number) if matched else ()) for number in own]
    rich = [kind for kind in found if kind[1]] or found
    return [rich[place % len(rich)] for place in range(len(own))]


def depths(design: Design, problem: str, size: int) -> tuple[int, ...]:
    """List the depths of inference that a normal problem of a size can be drawn with.

    The depth of a tuple is the least number of told facts that decide every claim of it that is not open. A depth
    counts where one of the complexities has it.

    Parameters
    ----------
    design : Design
        In the matched regime.
    problem : str
        Infer.normal, Consist.normal or Compl.normal.
    size : int
    """
    return tuple(sorted({depth for _, known in _kinds(design, problem, size) for depth in known}))


def count_trials(design: Design) -> int:
    """Count the trials that the design comes to."""
    return design.tuples * sum(len(TRAINING[cell.problem].answers) for cell in cells(design))


ATTEMPTS = 1000
"""How often a tuple is drawn at most until all its questions are new to the set."""


class DrawnTuple(NamedTuple):
    """One tuple: its cell, the names of its entities (a spare one last, where one is needed), variants and texts."""

    cell: Cell
    names: list[str]
    variants: list[Variant]
    texts: list[str]


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
        drawn = next(filter(None, tried), None)
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
        cell, variants = matched_variants(draws, cell)
    else:
        variants = TRAINING[cell.problem].build(draws, cell)
    texts = [text_of(cell, names, variant) for variant in variants]
    if not seen.isdisjoint(texts):
        return None
    seen.update(texts)
    return DrawnTuple(cell, names, variants, texts)


def _check(cell: Cell, problem: Problem, variant: Variant) -> None:
    """Refuse a variant whose gold differs from that of the solver."""
    n, facts = cell.size + problem.spare_names, tuple(sorted(variant.facts))
    if problem.answers == CONSIST:
        answer = CONSIST[not logic.worlds(n, facts)]
    else:
        (decided,) = logic.decide(n, facts, (variant.claim,))
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
            shared = logic.of_tuple(
                logic.difficulty(cell.problem, cell.size, v.facts, v.claim) for v in drawn.variants
            )
        yield [
            _record(drawn, variant, text, f"probsense-seed{design.seed}_{number}")
            | (shared or logic.Difficulty(len(variant.facts), cell.depth))._asdict()
            for variant, text in zip(drawn.variants, drawn.texts, strict=True)
        ]


def _key(tuple_id: str, text: str) -> int:
    """Make a signed 64-bit key of a question, so that no other question of any set has it."""
    found = blake2b(f"{tuple_id}\n{text}".encode(), digest_size=8).digest()
    return int.from_bytes(found, "big", signed=True)


def _record(drawn: DrawnTuple, variant: Variant, text: str, tuple_id: str) -> dict[str, Any]:
    cell = drawn.cell
    return {
        "Key": _key(tuple_id, text),
        "problemname": cell.problem,
        "tuple_ID": tuple_id,
        "text": text,
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
