"""How well components of variance of statements × prompts are estimated where they are known: bias and intervals.

    python benchmarks/studies/interval_coverage/components.py [--studies N]

Statements answer in log odds under 4 wordings × 2 places of the statement × 2 orders of the answers × 5 pairs of
labels, all combinations or a balanced half. The levels of the prompt are the same in all studies; statements, and what
each has of its own under a level, are drawn anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counting import Floats, Rng
from probsense.analysis.inference.variance_components import (
    level_effects,
    variance_components,
    variance_shares,
)

SIZES: Final = {"wording": 4, "position": 2, "answers": 2, "labels": 5}
STATEMENT, TOGETHER, REST = 2.25, 0.09, 0.36
MAIN: Final = {"wording": 0.25, "position": 0.09, "answers": 0.0025, "labels": 1.0}
CROSSED: Final = {"wording": 0.25, "position": 0.16, "answers": 0.04, "labels": 0.64}
SHAPES: Final[Mapping[str, Callable[..., Floats]]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy tails (t, 6)": lambda rng, shape: rng.standard_t(6, size=shape) / np.sqrt(1.5),
}
"""How effects are drawn, with mean 0 and variance 1."""


class Design(NamedTuple):
    """How many statements and prompts there are, and how effects are drawn."""

    statements: int
    prompts: int
    shape: str

    @property
    def facets(self) -> dict[str, NDArray[np.int64]]:
        """The level of each prompt by facet."""
        rows = [*product(*map(range, SIZES.values()))]
        # In a half, the three first places have an even sum, so that any two facets are balanced.
        kept = rows if self.prompts == len(rows) else [row for row in rows if sum(row[:3]) % 2 == 0]
        return dict(zip(SIZES, np.array(kept).T, strict=True))


DESIGNS: Final = tuple(
    Design(statements, prompts, shape)
    for shape in SHAPES
    for statements, prompts in ((30, 40), (48, 40), (48, 80), (200, 40))
)


PARTS: Final = np.array([STATEMENT, *MAIN.values(), TOGETHER, *CROSSED.values(), REST])
TRUTH: Final = PARTS / PARTS.sum()
"""The true shares of the components."""


def study(design: Design, rng: Rng) -> Floats:
    """Draw the log odds of yes of every statement under every prompt."""
    draw, facets = SHAPES[design.shape], design.facets
    levels = np.random.default_rng(1)
    found = np.sqrt(STATEMENT) * draw(rng, (design.statements, 1)) + _rest(
        levels.normal(size=(1, design.prompts)), facets, TOGETHER
    )
    for facet, level in facets.items():
        alike = levels.normal(size=SIZES[facet])
        alike -= alike.mean()
        own = draw(rng, (design.statements, SIZES[facet]))
        own -= own.mean(axis=1, keepdims=True)
        found = found + (np.sqrt(MAIN[facet] / (alike**2).mean()) * alike)[level]
        found = found + np.sqrt(CROSSED[facet] * SIZES[facet] / (SIZES[facet] - 1)) * own[:, level]
    rest = _without(draw(rng, (design.statements, design.prompts)), facets)
    freedom = design.prompts - 1 - sum(size - 1 for size in SIZES.values())
    return np.asarray(found + np.sqrt(REST * design.prompts / freedom) * rest)


def _without(values: Floats, facets: Mapping[str, NDArray[np.int64]]) -> Floats:
    """Take the mean and the effects of single facets out."""
    effects = sum(level_effects(values, level)[:, level] for level in facets.values())
    return np.asarray(values - values.mean(axis=1, keepdims=True) - effects)


def _rest(values: Floats, facets: Mapping[str, NDArray[np.int64]], variance: float) -> Floats:
    """Make what facets do together, with a variance."""
    rest = _without(values, facets)
    return np.asarray(rest * np.sqrt(variance / (rest**2).mean()))


def outcome(design: Design, studies: int) -> tuple[Floats, Floats]:
    """Return the bias of each share, as a share of the truth, and how often its interval holds the truth."""
    found = []
    for number in range(studies):
        values = study(design, np.random.default_rng([number, design.statements]))
        one = variance_shares(variance_components(values, design.facets))
        found.append((one.value / TRUTH - 1, (one.low <= TRUTH) & (one.high >= TRUTH)))
    bias, held = (np.mean(each, axis=0) for each in zip(*found, strict=True))
    return bias, held


def row(design: Design, studies: int) -> str:
    """Write a row of the table: ranges over the components of a kind."""
    bias, held = outcome(design, studies)
    count = len(SIZES)
    kinds = ([0], [*range(1, count + 2)], [*range(count + 2, 2 * count + 3)])
    # A facet that hardly does anything has no relative bias.
    most = 100 * np.abs(np.delete(bias, 3)).max()
    cells = [f"{design.shape}, {design.statements} × {design.prompts}", f"{most:.1f} %"]
    return f"| {' | '.join([*cells, *(_range(held[places]) for places in kinds)])} |"


def _range(held: Floats) -> str:
    low, high = (f"{100 * end:.1f}" for end in (held.min(), held.max()))
    return f"{low} %" if low == high else f"{low} to {high} %"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=1000)
    wish = parser.parse_args()
    print("| effects, statements × prompts | bias | statement | prompt | both |\n|---|---:|---:|---:|---:|")
    for design in DESIGNS:
        print(row(design, wish.studies), flush=True)


if __name__ == "__main__":
    main()
