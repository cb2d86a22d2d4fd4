"""Measures how often intervals of WorldSense cover the truth, over questions, over skins, and over skins and forms.

    python benchmarks/studies/interval_coverage/forms.py [--replications N]

A simulated model answers fresh sets of the normal problems. It is right with a probability of its own in each skin and
for each form, which is normal around its accuracy (cut off at 0 and 1), and it may lean towards TRUE, POSSIBLE, 1 and
2. The truth is the mean over all skins and forms that there could be. It prints a table behind docs/statistics.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from counting import Rng
from probsense.analysis.inference.means import crossed_error, over_settings, settings_error, stratified_mean
from probsense.tasks.worldsense.generate import MATCHED, PUBLISHED
from probsense.tasks.worldsense.generate.sets import Design, generate
from probsense.tasks.worldsense.questions.format import FIRM, GOLDS

REPLICATIONS = 1000
PROBLEMS = ("Infer.normal", "Consist.normal", "Compl.normal")
DRAWN = 1_000_000


class Study(NamedTuple):
    """A set and a model.

    Attributes
    ----------
    regime : str
    sizes : tuple of int
    tuples : int
        Tuples a cell.
    accuracy : float
    skins, forms : float
        Standard deviations of the probability of a right answer.
    lean : float
        By how much that is higher for some right answers, and lower for the others.
    """

    regime: str
    sizes: tuple[int, ...]
    tuples: int
    accuracy: float
    skins: float
    forms: float
    lean: float = 0.0

    def truth(self) -> float:
        """Compute the mean accuracy over all skins and forms."""
        rng = np.random.default_rng(9)
        ease = self.skins * rng.normal(size=DRAWN) + self.forms * rng.normal(size=DRAWN)
        leaning = self.lean * np.where(rng.random(DRAWN) < 0.5, 1, -1)
        return float(np.clip(self.accuracy + ease + leaning, 0, 1).mean())

    def held(self, seed: int, truth: float) -> tuple[float, ...]:
        """Ask the model once, and tell which of its intervals hold the truth, and how wide they are."""
        rows = [
            (
                number,
                f"{r['problemname']} {r['problemsize']}",
                r["skin"],
                r["form"],
                GOLDS[r["goldresp_obfusc"]],
            )
            for number, records in enumerate(
                generate(Design(seed, self.sizes, PROBLEMS, self.tuples, regime=self.regime))
            )
            for r in records
        ]
        table = pl.DataFrame(
            rows, schema=("tuple", "stratum", "skin", "form", "gold"), orient="row"
        ).with_columns(weight=pl.when(pl.col("gold").is_in(["1", "2"])).then(0.25).otherwise(0.5))
        rng = np.random.default_rng([seed, 1])
        chance = (
            self.accuracy
            + self.skins * _effect(rng, table["skin"])
            + self.forms * _effect(rng, table["form"])
            + self.lean * np.where(table["gold"].is_in(FIRM), 1, -1)
        )
        table = table.with_columns(right=pl.Series(rng.random(table.height) < chance).cast(pl.Float64))
        scored = pl.col("right") * pl.col("weight")
        tuples = table.group_by("tuple", maintain_order=True).agg(pl.col("stratum").first(), scored.sum())
        questions = stratified_mean("", {}, tuples["right"], tuples["tuple"], tuples["stratum"])
        cells = table.group_by("stratum", "skin", "form", "gold").agg(
            (scored.sum() / pl.col("weight").sum()).alias("right"), pl.col("weight").sum()
        )
        shares = dict.fromkeys(cells["stratum"].unique(), 1.0)
        told = cells["right"], cells["weight"], cells["stratum"], cells["skin"]
        codes = cells["form"].rank("dense").cast(pl.Int64)
        skins = over_settings(questions, settings_error(*told, shares))
        forms = over_settings(questions, crossed_error(*told, codes, shares, cells["gold"]))
        intervals = questions, skins, forms
        return tuple(
            number
            for found in intervals
            for number in (found.low <= truth <= found.high, (found.high - found.low) / 2)
        )


def _effect(rng: Rng, names: pl.Series) -> np.ndarray:
    place = names.rank("dense").to_numpy().astype(np.intp) - 1
    return np.asarray(rng.normal(size=int(place.max()) + 1)[place])


STUDIES: Mapping[str, Study] = {
    "`matched`, forms' sd .2": Study(MATCHED, (4, 5, 6), 1, 0.6, 0.0, 0.2),
    "`matched`, skins' sd .05, forms' sd .2": Study(MATCHED, (4, 5, 6), 1, 0.6, 0.05, 0.2),
    "`matched`, size 4, skins' sd .05, forms' sd .2": Study(MATCHED, (4,), 3, 0.6, 0.05, 0.2),
    "`matched`, neither differ": Study(MATCHED, (4, 5), 1, 0.6, 0.0, 0.0),
    "`matched`, forms' sd .2, leans by .3": Study(MATCHED, (4, 5, 6), 1, 0.6, 0.0, 0.2, 0.3),
    "`published`, sizes 4 and 5, skins' sd .05, forms' sd .2": Study(PUBLISHED, (4, 5), 1, 0.6, 0.05, 0.2),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    count = parser.parse_args().replications
    print("| set and model | over questions | ± points | over skins | ± points | over forms | ± points |")
    print("|---|---|---|---|---|---|---|")
    for name, study in STUDIES.items():
        truth = study.truth()
        held = np.mean([study.held(seed, truth) for seed in range(count)], axis=0)
        print(f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in held)} |", flush=True)


if __name__ == "__main__":
    main()
