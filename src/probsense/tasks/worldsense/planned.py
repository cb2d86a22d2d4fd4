"""Plans WorldSense studies: how many tuples give an interval of a width, or show a difference between models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

import numpy as np
import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_SETTINGS
from probsense.core.errors import InputError
from probsense.tasks.base import Answered
from probsense.tasks.shared.planning import (
    Answering,
    Hits,
    HitsStudy,
    Planned,
    Setting,
    complete,
    least_alike,
    pilot_answering,
)
from probsense.tasks.worldsense.charts.words import WORDS
from probsense.tasks.worldsense.generate.design import USUAL_SIZES, Design, cells
from probsense.tasks.worldsense.generate.meaning import load_checked
from probsense.tasks.worldsense.generate.problems import TRAINING, named_problems
from probsense.tasks.worldsense.measures.accuracy import over_skins, stratified
from probsense.tasks.worldsense.measures.cells import cell_means
from probsense.tasks.worldsense.measures.item_scores import run_item_scores, trial_scores

MOST: Final = 5_000
USUAL: Final = Answering(accuracy=0.7, alike=-0.3, shared=0.45, uneven=0.07)
"""The assumptions where nothing is known: about what the published results of three models show."""

_MISS: Final = {
    "TRUE": "FALSE",
    "FALSE": "TRUE",
    "POSSIBLE": "IMPOSSIBLE",
    "IMPOSSIBLE": "POSSIBLE",
    **{"1": "3", "2": "3", "3": "1"},
}
"""A wrong answer for each right one."""


def plan(
    *,
    accuracy: float | None = None,
    alike: float | None = None,
    shared: float | None = None,
    uneven: float | None = None,
    over: Literal["questions", "skins"] = "questions",
    sizes: Sequence[int] = USUAL_SIZES,
    problems: Sequence[str] = ("standard",),
    skins: str = "test",
    pilot: Sequence[Answered] = (),
) -> Planned:
    """Plan a study with WorldSense.

    Parameters
    ----------
    accuracy : float, optional
        Accuracy that is expected; by default that of the pilot, or .7.
    alike : float, optional
        Correlation of a model's answers to two questions of a tuple, given their problem and size; by default that of
        the pilot, or -.3: models lean towards one answer, and siblings have different ones.
    shared : float, optional
        Correlation of two models' answers to one question; by default that of two pilots, or .45.
    uneven : float, optional
        Standard deviation of the accuracy between skins; by default that of the pilot, or .07.
    over : {"questions", "skins"}
        What the interval speaks for: other questions in the same skins, or in other skins, too. Comparisons of models
        speak for other skins wherever there are ten or more.
    sizes : sequence of int
        Numbers of entities, 3 to 12.
    problems : sequence of str
        Problems: names such as Infer.normal, or standard (six), or all (with extrema and parallel).
    skins : str
        Skins to tell the questions in: test, many (about a hundred), parallel or a YAML file.
    pilot : sequence of Answered
        Runs of the task.
    """
    told, notes = pilot_answering([run_item_scores(run) for run in pilot])
    usual = {"accuracy": USUAL.accuracy, "alike": USUAL.alike, "shared": USUAL.shared, "uneven": USUAL.uneven}
    given = {"accuracy": accuracy, "alike": alike, "shared": shared, "uneven": uneven}
    known = {name: value for name, value in given.items() if value is not None}
    assumed = {**usual, **told, **known}
    least = least_alike(assumed["accuracy"], 3)
    if "alike" in known and assumed["alike"] < least:
        raise InputError(
            f"answers alike by {assumed['alike']:g} at an accuracy of {assumed['accuracy']:g}",
            expected=f"at least {math.ceil(least * 1000) / 1000:g}",
        )
    assumed["alike"] = max(assumed["alike"], least)
    design = Design(sizes=tuple(sizes), problems=named_problems(problems), skins=load_checked(skins).skins)
    rows = cells(design)
    count = len({cell.skin.name for cell in rows})
    if over == "skins" and count < ENOUGH:
        raise InputError(
            f"{count} skins", expected=f"at least {ENOUGH} to speak for others, or --over questions"
        )
    strata = len({(cell.problem, cell.size) for cell in rows})

    @cache
    def frame(size: int) -> pl.DataFrame:
        return _trials(design, size)

    @cache
    def layout(size: int) -> pl.DataFrame:
        return complete(trial_scores(frame(size).with_columns(resp="gold")).items)

    def measure(items: pl.DataFrame, hits: Hits) -> list[Estimate]:
        return _measured(frame(items["cluster"].n_unique()), hits, over)

    study = HitsStudy("tuple", 2 * strata, MOST, Answering(**assumed), layout, measure)
    return Planned(
        WORDS.title,
        WORDS.measures["accuracy"],
        assumed["accuracy"],
        {**assumed, "over": over, "problems": [*design.problems], "sizes": [*sizes], "skins": skins},
        [Setting({}, study)],
        notes,
    )


def _trials(design: Design, size: int) -> pl.DataFrame:
    """Lay out trials: problems and sizes have equally many tuples, and these take turns through the skins."""
    skins: dict[tuple[str, int], list[str]] = {}
    for cell in cells(design):
        own = skins.setdefault((cell.problem, cell.size), [])
        if cell.skin.name not in own:
            own.append(cell.skin.name)
    rng, rows = np.random.default_rng(0), []
    turns = {stratum: list[str]() for stratum in skins}
    for number in range(size):
        stratum = [*skins][number % len(skins)]
        if not turns[stratum]:
            turns[stratum] = rng.permutation(skins[stratum]).tolist()
        skin, answers = turns[stratum].pop(), TRAINING[stratum[0]].answers
        rows += [(f"{number}", *stratum, skin, len(answers), gold) for gold in answers]
    columns = ("tuple_id", "problem", "size", "skin", "expected_len", "gold")
    found = pl.DataFrame(rows, schema=columns, orient="row")
    return found.with_columns(
        key=pl.int_range(pl.len()), model=pl.lit("model"), prompting=pl.lit("simulated")
    )


def _measured(frame: pl.DataFrame, hits: Hits, over: str) -> list[Estimate]:
    """Measure studies as a run is measured: each is a model of one table."""
    studies, trials = hits.shape
    told = frame.drop("skin") if over == "questions" else frame
    gold = frame["gold"]
    answers = pl.concat([told] * studies).with_columns(
        model=pl.Series(np.repeat(np.arange(studies).astype(str), trials)),
        resp=pl.when(pl.Series(hits.ravel()))
        .then(pl.col("gold"))
        .otherwise(pl.col("gold").replace_strict(_MISS, return_dtype=gold.dtype)),
    )
    table = cell_means(answers).filter(pl.col("measure") == "accuracy")
    overall = [one for one in stratified(table) if "problem" not in one.by]
    if over == "skins":
        overall = over_skins(table, overall, "published", OVER_SETTINGS)
    return list(WORDS.bounded(overall))
