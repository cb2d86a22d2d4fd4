"""The design of a set: its cells, and how many tuples each holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate import MATCHED, REGIMES, USUAL_SIZES
from probsense.tasks.worldsense.generate.matched import NORMAL, matched_depths
from probsense.tasks.worldsense.generate.problems import PROBLEMS, STANDARD, TRAINING, Cell, Problem
from probsense.tasks.worldsense.text.skin_files import load_skins
from probsense.tasks.worldsense.text.skins import QSKINS, ParallelSkin, Skin

SIZES = range(3, 13)


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
        (:mod:`matched`); or as the published ones.
    depths : tuple of int
        Depths of inference of the normal problems; all where empty. A depth that is given is a part of the cell.
    """

    seed: int = 0
    sizes: tuple[int, ...] = USUAL_SIZES
    problems: tuple[str, ...] = STANDARD
    tuples: int = 1
    skins: tuple[Skin, ...] = field(default_factory=lambda: load_skins("test"))
    regime: str = MATCHED
    depths: tuple[int, ...] = ()

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
        deep = [name for name in self.problems if name in NORMAL] or self.problems
        for name, size, depth in product(deep, self.sizes, self.depths):
            known = depths(self, name, size)
            if depth not in known:
                shown = (
                    f"one of {', '.join(map(str, known))}"
                    if known
                    else f"the regime {MATCHED}, {', '.join(NORMAL)}"
                )
                raise InputError(f"no {name} of size {size} and depth {depth}", expected=shown)


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
        for complexity in _complexities(design, name, size)
        for depth in (design.depths if name in NORMAL else ()) or (None,)
        if depth in (None, *_matched(design, name, size, complexity))
    ]


def _complexities(design: Design, problem: str, size: int) -> tuple[int, ...]:
    """List the complexities of a problem; those in which a size has too few forms are replaced by others."""
    own = TRAINING[problem].complexities
    rich = tuple(complexity for complexity in own if _matched(design, problem, size, complexity))
    return tuple(rich[i % len(rich)] for i in range(len(own))) if rich else own


def _matched(design: Design, problem: str, size: int, complexity: int) -> tuple[int, ...]:
    """List the depths that can be drawn so that siblings match; none in the published regime."""
    return matched_depths(problem, size, complexity) if design.regime == MATCHED else ()


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
    found = (_matched(design, problem, size, n) for n in _complexities(design, problem, size))
    return tuple(sorted({number for there in found for number in there}))


def count_trials(design: Design) -> int:
    """Count the trials that the design comes to."""
    return design.tuples * sum(len(TRAINING[cell.problem].answers) for cell in cells(design))
