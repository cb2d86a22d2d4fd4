"""The design of a set: its cells, how many tuples each holds, and the part of all questions they come from."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, NamedTuple

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate import wording
from probsense.tasks.worldsense.generate.forms.varied import VARIED, varied_depths
from probsense.tasks.worldsense.generate.problems import PROBLEMS, STANDARD, TRAINING, Cell, Problem
from probsense.tasks.worldsense.generate.skins import ParallelSkin, Skin, load_skins
from probsense.tasks.worldsense.generate.wording import MIXED, SHUFFLED, TELLINGS, WORDINGS, Manner

SIZES = range(3, 13)

COMPLEXITIES = range(3)
"""How many facts of a story are about three things: none, one, or more (all but one in the published regime)."""

MATCHED, PUBLISHED = REGIMES = ("matched", "published")
"""How normal problems are drawn; the first is the default."""

USUAL_SIZES: Final = (4, 5, 6)
"""Numbers of entities where the user chose none. Three are too few to match siblings: counting answers such stories."""

_LARGEST = 10**6
_WRITTEN = re.compile(r"([0-9]{1,7})/([0-9]{1,7})", re.ASCII)


class Part(NamedTuple):
    """Part ``number`` (from 1) of ``parts``; a hash of what a tuple is about says in which part its questions are."""

    number: int = 1
    parts: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"

    def holds(self, problem: str, skin: str, names: Sequence[str]) -> bool:
        """Tell whether the questions of a tuple are in this part.

        Parameters
        ----------
        problem : str
            Only the kind of its question counts (Infer, Consist or Compl), since problems of a kind can share a text.
        skin : str
            The name of the skin.
        names : sequence of str
            Names of all things in the story, in any order. Every question of the tuple holds the story, so two equal
            questions are in the same part.
        """
        if self == WHOLE:
            return True
        about = json.dumps([problem.partition(".")[0], skin, *sorted(names)])
        return int.from_bytes(blake2b(about.encode(), digest_size=8).digest()) % self.parts == self.number - 1


WHOLE: Final = Part()
"""All questions there are."""


def read_part(text: str) -> Part:
    """Read a part as users write it, such as ``2/10``.

    Raises
    ------
    InputError
        For any other text, and for a part that there is not.
    """
    written = _WRITTEN.fullmatch(text)
    part = Part(*map(int, written.groups())) if written else Part(0)
    if not 1 <= part.number <= part.parts <= _LARGEST:
        raise InputError(f"no part {text!r}", expected="NUMBER/PARTS, such as 2/10")
    return part


@dataclass(frozen=True)
class Design:
    """The plan of a set.

    Attributes
    ----------
    seed : int
        The same seed gives identical bytes.
    sizes : tuple of int
        Numbers of entities, 3 to 12.
    problems : tuple of str
        Names of problems.
    tuples : int
        Tuples in every cell (problem x size x skin x question wording x complexity).
    skins : tuple of Skin
    regime : {"matched", "published"}
        How normal problems are drawn: so that counting does not help, where there are forms that allow it
        (:mod:`forms.varied`); or as the published ones.
    depths : tuple of int
        Depths of inference of the normal problems; all where empty. A depth that is given is a part of the cell.
    complexities : tuple of int
        Those of the problems that come in several; where empty, all that have enough forms.
    distractors : int
        How many sentences of a story say nothing about the order.
    telling : {"shuffled", "ordered"}
    wording : {"mixed", "one"}
    part : Part
        Draws questions of this part only.
    """

    seed: int = 0
    sizes: tuple[int, ...] = USUAL_SIZES
    problems: tuple[str, ...] = STANDARD
    tuples: int = 1
    skins: tuple[Skin, ...] = field(default_factory=lambda: load_skins("test"))
    regime: str = MATCHED
    depths: tuple[int, ...] = ()
    complexities: tuple[int, ...] = ()
    distractors: int = 0
    telling: str = SHUFFLED
    wording: str = MIXED
    part: Part = WHOLE

    def __post_init__(self) -> None:
        for size in self.sizes:
            if size not in SIZES:
                raise InputError(f"no worlds of size {size}", expected=f"sizes {SIZES[0]} to {SIZES[-1]}")
        for name in self.problems:
            if name not in TRAINING:
                raise InputError(f"no problem {name!r}", expected=", ".join(PROBLEMS))
        for what, values in (("sizes", self.sizes), ("problems", self.problems)):
            if not values or len(set(values)) != len(values):
                raise InputError(f"{what} are empty or repeated: {', '.join(map(str, values))}")
        for what, numbers in (("depths", self.depths), ("complexities", self.complexities)):
            if len(set(numbers)) != len(numbers):
                raise InputError(f"{what} are repeated: {', '.join(map(str, numbers))}")
        for what, value, known in (
            ("regime", self.regime, REGIMES),
            ("telling", self.telling, TELLINGS),
            ("wording", self.wording, WORDINGS),
        ):
            if value not in known:
                raise InputError(f"no {what} {value!r}", expected=" or ".join(known))
        if self.tuples < 1:
            raise InputError(f"{self.tuples} tuples a cell", expected="at least 1")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed {self.seed}", expected="an integer from 0 to 2**63 - 1")
        for name, problem in ((name, TRAINING[name]) for name in self.problems):
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
        self._check_difficulty()

    def _check_difficulty(self) -> None:
        for complexity in self.complexities:
            if complexity not in COMPLEXITIES:
                raise InputError(f"no complexity {complexity}", expected="0, 1 or 2")
        pairs = min(self.sizes) * (min(self.sizes) - 1) // 2
        if not 0 <= self.distractors <= pairs:
            raise InputError(
                f"{self.distractors} distractors in a story of {min(self.sizes)} things",
                expected=f"0 to {pairs}, one for each pair",
            )
        if self.regime == PUBLISHED and (self.depths or self.manner != Manner()):
            raise InputError(
                "depths, distractors, telling and wording cannot be chosen in the published regime",
                expected=f"the regime {MATCHED}",
            )
        deep = [name for name in self.problems if name in VARIED]
        if self.depths and not deep:
            raise InputError(
                f"depths are chosen for {', '.join(self.problems)}", expected=f"one of {', '.join(VARIED)}"
            )
        for name in deep:
            for size in self.sizes:
                self._check_depths(name, size)

    def _check_depths(self, problem: str, size: int) -> None:
        for number in self.depths:
            if number not in depths(self, problem, size):
                known = ((n, depths(self, problem, n)) for n in self.sizes)
                raise InputError(
                    f"no {problem} of size {size} and depth {number}",
                    expected="; ".join(
                        f"size {n}: {', '.join(map(str, some)) or 'none'}" for n, some in known
                    ),
                )

    @property
    def manner(self) -> Manner:
        """How stories are told."""
        return Manner(self.telling, self.wording, self.distractors)


def skins_for(problem: Problem, skins: Sequence[Skin]) -> list[Skin]:
    """Return the skins that a problem can be told in."""
    return [skin for skin in skins if isinstance(skin, ParallelSkin) == problem.lines]


def cells(design: Design) -> list[Cell]:
    """List the cells of a design, in a fixed order."""
    return [
        Cell(name, size, skin, qskin, complexity, depth, TRAINING[name].told_in(design.manner))
        for name in design.problems
        for size in design.sizes
        for skin in skins_for(TRAINING[name], design.skins)
        for qskin in wording.QSKINS
        for complexity in _complexities(design, name, size)
        for depth in _chosen_depths(design, name, size, complexity)
    ]


def _complexities(design: Design, problem: str, size: int) -> tuple[int, ...]:
    """List the complexities chosen for a problem; one that comes in a single complexity has nothing to choose.

    Where none is chosen, those in which a size has too few forms are replaced by others.
    """
    own = TRAINING[problem].complexities
    if len(own) > 1 and design.complexities:
        return tuple(complexity for complexity in own if complexity in design.complexities)
    rich = tuple(complexity for complexity in own if _varied(design, problem, size, complexity))
    return tuple(rich[i % len(rich)] for i in range(len(own))) if rich else own


def _varied(design: Design, problem: str, size: int, complexity: int) -> tuple[int, ...]:
    """List the depths that can be drawn so that siblings match; none in the published regime."""
    if design.regime != MATCHED:
        return ()
    return varied_depths(problem, size, complexity, design.telling)


def _chosen_depths(design: Design, problem: str, size: int, complexity: int) -> Sequence[int | None]:
    if not design.depths or problem not in VARIED:
        return [None]
    there = _varied(design, problem, size, complexity)
    return [number for number in design.depths if number in there]


def depths(design: Design, problem: str, size: int) -> tuple[int, ...]:
    """List the depths of inference that a normal problem of a size can be drawn with.

    The depth of a tuple is the least number of told facts that decide every claim of it that is not open. A depth
    counts where one of the complexities of the design has it.

    Parameters
    ----------
    design : Design
        In the matched regime. Its complexities and manner of telling count; not its sizes, problems and depths.
    problem : str
        Infer.normal, Consist.normal or Compl.normal.
    size : int
    """
    found = (_varied(design, problem, size, n) for n in _complexities(design, problem, size))
    return tuple(sorted({number for there in found for number in there}))


def count_trials(design: Design) -> int:
    """Count the trials that the design comes to."""
    return design.tuples * sum(len(TRAINING[cell.problem].answers) for cell in cells(design))
