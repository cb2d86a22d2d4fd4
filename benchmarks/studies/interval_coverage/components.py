"""How well components of variance of statements × prompts are estimated where they are known: bias and intervals.

    python benchmarks/studies/interval_coverage/components.py [--studies N]

Statements answer in log odds under 4 wordings × 2 places of the statement × 2 orders of the answers × 5 pairs of
labels, all combinations or a balanced half. The levels of the prompt are the same in all studies; statements, and what
each has of its own under a level, are drawn anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counting import Floats, Rng
from probsense.analysis.inference.variance_components import (
    Estimated,
    coefficients,
    level_effects,
    variance_components,
    variance_shares,
    variances,
)
from probsense.tasks.judgments.vary.variants import crossing

SIZES: Final = {"wording": 4, "position": 2, "answers": 2, "labels": 5}
RANDOM: Final = ("wording", "labels")
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
        return dict(zip(SIZES, crossing([*SIZES.values()], self.prompts).T, strict=True))


DESIGNS: Final = tuple(
    Design(statements, prompts, shape)
    for shape in SHAPES
    for statements, prompts in ((30, 40), (48, 40), (48, 80), (200, 40))
)


def truth(design: Design) -> dict[str, Floats]:
    """Return the true components, their shares, and coefficients."""
    parts = np.array([STATEMENT, *MAIN.values(), TOGETHER, *CROSSED.values(), REST])
    freedom = design.prompts - 1 - sum(size - 1 for size in SIZES.values())
    own, alike = (
        sum(each[facet] / (SIZES[facet] - 1) for facet in RANDOM) - both / freedom
        for each, both in ((CROSSED, REST), (MAIN, TOGETHER))
    )
    told, within = STATEMENT - own, STATEMENT + sum(CROSSED.values()) + REST
    one = [told / within, told / (parts.sum() + alike)]
    mean = [told / STATEMENT, told / (STATEMENT + alike)]
    return {"variance": parts, "share": parts / parts.sum(), "coefficient": np.array([*one, *mean])}


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


def estimated(design: Design, values: Floats) -> dict[str, Estimated]:
    """Estimate what :func:`truth` has."""
    parts = variance_components(values, design.facets)
    return {
        "variance": variances(parts),
        "share": variance_shares(parts),
        "coefficient": coefficients(values, design.facets, RANDOM),
    }


def outcome(design: Design, studies: int) -> dict[str, tuple[Floats, Floats]]:
    """Return the bias of each estimate, as a share of the truth, and how often its interval holds the truth."""
    known = truth(design)
    found: dict[str, list[tuple[Floats, NDArray[np.bool_]]]] = {name: [] for name in known}
    for number in range(studies):
        values = study(design, np.random.default_rng([number, design.statements]))
        for name, one in estimated(design, values).items():
            held = (one.low <= known[name]) & (known[name] <= one.high)
            found[name].append((one.value / known[name] - 1, held))
    return {
        name: (np.mean([bias for bias, _ in each], axis=0), np.mean([held for _, held in each], axis=0))
        for name, each in found.items()
    }


def row(design: Design, studies: int) -> str:
    """Write a row of the table: ranges over the components of a kind."""
    found = outcome(design, studies)
    count = len(SIZES)
    kinds = {"statement": [0], "prompt": [*range(1, count + 2)], "both": [*range(count + 2, 2 * count + 3)]}
    cells = [f"{design.shape}, {design.statements} × {design.prompts}"]
    bias = found["variance"][0]
    cells.append(
        f"{100 * np.abs(np.delete(bias, 3)).max():.1f} %"
    )  # a facet that hardly does anything has no relative bias
    for name in ("variance", "share"):
        cells += [_range(found[name][1][places]) for places in kinds.values()]
    cells.append(_range(found["coefficient"][1]))
    return f"| {' | '.join(cells)} |"


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
    kinds = "statement | prompt | both"
    shares = kinds.replace(" |", ": share |") + ": share"
    print(f"| effects, statements × prompts | bias | {kinds} | {shares} | coefficients |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for design in DESIGNS:
        print(row(design, wish.studies), flush=True)


if __name__ == "__main__":
    main()
