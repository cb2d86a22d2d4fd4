"""Measures how often intervals of the difference between a set of WorldSense and its twins hold the truth.

A simulated model is right on the texts that it knows by heart, and on all others with a probability that varies between
skins. It answers a trial and its twin alike with some probability, because both ask the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from counting import SKINS_DRAWN, Both, Floats, Rng
from probsense.tasks.worldsense.measures.accuracy import over_drawn, stratified
from probsense.tasks.worldsense.measures.scores import cell_means, form_means
from probsense.tasks.worldsense.questions.format import PROBLEMS
from probsense.tasks.worldsense.words import WORDS

STANDARD = (
    "Infer.trivial",
    "Infer.normal",
    "Consist.trivial",
    "Consist.normal",
    "Compl.trivial",
    "Compl.normal",
)
SIZES = (3, 4, 5)


@dataclass(frozen=True)
class Model:
    """What a model knows of a set, and how well it does without.

    Attributes
    ----------
    known : float
        Share of the tuples whose texts it knows by heart.
    accuracy, spread : float
        Mean and standard deviation over skins of the probability of a right answer to any other text.
    alike : float
        How often a trial and its twin, both unknown, get the same answer.
    skins, tuples : int
        Numbers of skins, and of tuples of each problem and size.
    """

    known: float = 0.0
    accuracy: float = 0.7
    spread: float = 0.0
    alike: float = 0.0
    skins: int = 18
    tuples: int = 18

    def truth(self) -> float:
        """Compute the mean difference over all skins."""
        return self.known * (1 - float(self._accuracies(np.random.default_rng(9), SKINS_DRAWN).mean()))

    def _accuracies(self, rng: Rng, count: int) -> Floats:
        return np.clip(self.accuracy + self.spread * rng.normal(size=count), 0, 1)

    def answers(self, rng: Rng) -> pl.DataFrame:
        """Ask the model once: the table that :mod:`probsense.tasks.worldsense.measures.scores` describes."""
        cells = [(problem, size) for problem in STANDARD for size in SIZES for _ in range(self.tuples)]
        golds = [(number, *cell, gold) for number, cell in enumerate(cells) for gold in PROBLEMS[cell[0]]]
        number = np.array([row[0] for row in golds])
        skin = np.concatenate(
            [np.resize(rng.permutation(self.skins), self.tuples) for _ in range(len(cells) // self.tuples)]
        )[number]
        chance = self._accuracies(rng, self.skins)[skin]
        first, second = rng.random((2, len(golds))) < chance
        second = np.where(rng.random(len(golds)) < self.alike, first, second)
        first |= (rng.random(len(cells)) < self.known)[number]
        frame = pl.DataFrame(golds, schema=["tuple_id", "problem", "size", "gold"], orient="row")
        given = [
            pl.when(pl.Series(right)).then("gold").otherwise(pl.lit("")).alias(name)
            for name, right in (("resp", first), ("twin", second))
        ]
        return frame.with_columns(
            *given,
            tuple_id=pl.col("tuple_id").cast(pl.String),
            expected_len=pl.len().over("tuple_id").cast(pl.Int64),
            skin=pl.Series(skin.astype(str)),
            depth=pl.lit(None, pl.Int64),
            form=pl.lit(None, pl.String),
            model=pl.lit("m"),
            prompting=pl.lit("p"),
        )

    def draw(self, rng: Rng) -> Both:
        """Estimate the difference overall, over questions, and over questions and skins."""
        answers = self.answers(rng)
        paired = [
            one
            for one in stratified(cell_means(answers), "twins")
            if one.measure == "twin_difference" and "problem" not in one.by
        ]
        return Both(*WORDS.bounded([*paired, *over_drawn(form_means(answers), paired, "twins")]))


MODELS = {
    "knows every text by heart": Model(known=1.0),
    "knows every text by heart, skins' sd .1": Model(known=1.0, spread=0.1),
    "knows a tenth of the tuples": Model(known=0.1),
    "knows a tenth of the tuples, answers half alike": Model(known=0.1, alike=0.5),
    "knows no text": Model(),
    "knows no text, skins' sd .1": Model(spread=0.1),
    "knows no text, skins' sd .1, answers half alike": Model(spread=0.1, alike=0.5),
    "knows no text, 6 tuples a cell": Model(tuples=6),
}
