"""Plans WorldSense studies: how many tuples give an interval of a width, or show a difference between models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import cycle, islice
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import ENOUGH, OVER_FORMS, OVER_SETTINGS
from probsense.core.digests import Digests
from probsense.core.errors import InputError
from probsense.tasks.base import Answered
from probsense.tasks.shared.pilots import pilot_answering
from probsense.tasks.shared.planning import (
    Answering,
    Hits,
    HitsStudy,
    Planned,
    Setting,
    complete,
    least_alike,
)
from probsense.tasks.worldsense.charts.words import WORDS
from probsense.tasks.worldsense.generate.design import MATCHED, USUAL_SIZES, Design, cells
from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.forms.varied import count_forms
from probsense.tasks.worldsense.generate.generator import draw_tuple, variant_form
from probsense.tasks.worldsense.generate.meaning import load_checked
from probsense.tasks.worldsense.generate.problems import TRAINING, Cell, named_problems
from probsense.tasks.worldsense.measures.accuracy import over_forms, over_skins, stratified
from probsense.tasks.worldsense.measures.cells import cell_means, form_means
from probsense.tasks.worldsense.measures.item_scores import run_item_scores, trial_scores
from probsense.tasks.worldsense.questions.format import FORM

MOST: Final = 5_000
USUAL: Final = Answering(accuracy=0.7, alike=-0.3, shared=0.45, uneven=0.07, uneven_forms=0.1)
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
    uneven_forms: float | None = None,
    over: Literal["questions", "skins", "forms"] = "questions",
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
    uneven_forms : float, optional
        Standard deviation of the accuracy between forms; by default that of the pilot, or .1.
    over : {"questions", "skins", "forms"}
        What the interval speaks for: other questions in the same skins, or in other skins, too, or in other skins and
        of other forms. Comparisons of models speak for other skins and forms wherever there are ten or more of each.
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
    given = {
        "accuracy": accuracy,
        "alike": alike,
        "shared": shared,
        "uneven": uneven,
        "uneven_forms": uneven_forms,
    }
    usual = {name: getattr(USUAL, name) for name in given}
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
    if over != "questions" and count < ENOUGH:
        raise InputError(
            f"{count} skins", expected=f"at least {ENOUGH} to speak for others, or --over questions"
        )
    strata = [*dict.fromkeys((cell.problem, cell.size) for cell in rows)]
    drawn, kept = _draw(rows), list[list[Row]]()

    @cache
    def frame(size: int) -> pl.DataFrame:
        kept.extend(islice(drawn, max(size - len(kept), 0)))
        return _trials(kept[:size])

    @cache
    def layout(size: int) -> pl.DataFrame:
        return complete(trial_scores(frame(size).with_columns(resp="gold")).items)

    def measure(items: pl.DataFrame, hits: Hits) -> list[Estimate]:
        return _measured(frame(items["cluster"].n_unique()), hits, over)

    study = HitsStudy("tuple", 2 * len(strata), MOST, Answering(**assumed), layout, measure)
    return Planned(
        WORDS.title,
        WORDS.measures["accuracy"],
        assumed["accuracy"],
        {**assumed, "over": over, "problems": [*design.problems], "sizes": [*sizes], "skins": skins},
        [Setting({}, study)],
        [*notes, *_forms_notes(strata)],
    )


def _forms_notes(strata: Sequence[tuple[str, int]]) -> list[str]:
    """Say how many forms there are: no study has more."""
    known: dict[str, list[str]] = {}
    for problem, size in strata:
        if there := count_forms(problem, size):
            known.setdefault(problem, []).append(f"{there:,} (size {size})")
    told = "; ".join(f"{problem} {', '.join(counts)}" for problem, counts in known.items())
    return [f"there are so many forms and no more: {told}"] if told else []


Row: TypeAlias = tuple[str, str, int, str, str, int, str]
"""A trial: its tuple, problem, size, skin, form, the number of its siblings with itself, and its gold answer."""


def _draw(kinds: Sequence[Cell]) -> Iterator[list[Row]]:
    """Draw tuples without end: problems and sizes take turns, and in them skins."""
    strata: dict[tuple[str, int], dict[str, list[Cell]]] = {}
    for cell in kinds:
        strata.setdefault((cell.problem, cell.size), {}).setdefault(cell.skin.name, []).append(cell)
    rng, draws = np.random.default_rng(0), Draws(np.random.default_rng(1))
    turns = {stratum: list[str]() for stratum in strata}
    for number, stratum in enumerate(cycle(strata)):
        if not turns[stratum]:
            turns[stratum] = rng.permutation([*strata[stratum]]).tolist()
        skin = turns[stratum].pop()
        cell = draws.choice(strata[stratum][skin])
        answers = TRAINING[cell.problem].answers
        variants = draw_tuple(draws, cell, MATCHED, Digests()).variants
        yield [
            (f"{number}", *stratum, skin, variant_form(cell, variant), len(answers), variant.gold)
            for variant in sorted(variants, key=lambda variant: answers.index(variant.gold))
        ]


def _trials(tuples: Sequence[Sequence[Row]]) -> pl.DataFrame:
    """Lay out the trials of tuples."""
    columns = ("tuple_id", "problem", "size", "skin", FORM, "expected_len", "gold")
    rows = [row for rows in tuples for row in rows]
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        key=pl.int_range(pl.len()), model=pl.lit("model"), prompting=pl.lit("simulated")
    )


def _measured(frame: pl.DataFrame, hits: Hits, over: str) -> list[Estimate]:
    """Measure studies as a run is measured: each is a model of one table.

    Raises
    ------
    InputError
        If there are too few forms for intervals over these.
    """
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
    if over != "questions":
        overall = over_skins(table, overall, "published", OVER_SETTINGS)
    if over == "forms":
        forms = form_means(answers).filter(pl.col("measure") == "accuracy")
        overall = over_forms(forms, overall, "published", OVER_FORMS)
    if len(overall) < studies:
        raise InputError(
            f"{frame[FORM].n_unique()} forms of questions",
            expected=f"at least {ENOUGH}, and several of each problem and size, to speak for others",
        )
    return list(WORDS.bounded(overall))
