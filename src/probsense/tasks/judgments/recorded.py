"""The analysis of recorded ratings: models beside people, and what the size of models adds to their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from probsense.analysis.agreement.bootstrap import DRAWS
from probsense.analysis.comparison.regression import size_effect
from probsense.analysis.inference.correlations import fisher_interval, spearman
from probsense.analysis.inference.estimate import LEVEL, Estimate
from probsense.core.errors import InputError, check_name
from probsense.core.files.tables import read_table
from probsense.tasks.base import Analysis, recorded
from probsense.tasks.judgments.measures.coverage import about_answers
from probsense.tasks.judgments.measures.estimates import Policy, Settings, overall
from probsense.tasks.judgments.measures.published import ALL_MODELS, PUBLISHED
from probsense.tasks.judgments.measures.results import study_results
from probsense.tasks.judgments.people.opinions import PeopleFiles
from probsense.tasks.judgments.people.study import align
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.questions.statements import read_statements
from probsense.tasks.judgments.questions.yes_no import Reading, people_facts
from probsense.tasks.judgments.words import WORDS

SIZE_MEASURES = ("commonsensicality", "group_r")
FEWEST_SIZED = 5
"""An effect of size is estimated from at least this number of models."""
_EXPECTED = "the columns model, parameters (a number, in any unit) and family"


def analyse(
    *,
    ratings: Sequence[Path | str],
    humans: Sequence[Path | str] = (),
    majority: Path | str | None = None,
    labels: Sequence[str] = (),
    columns: Sequence[str] = (),
    data: Path | str | None = None,
    demographics: Path | str | None = None,
    sizes: Path | str | None = None,
    method: Literal["both", "default", "published"] = "both",
    other: Policy = "split",
    draws: int = DRAWS,
    seed: int = 0,
    compat: bool = False,
) -> Analysis:
    """Analyse recorded ratings of models beside what people said.

    Parameters
    ----------
    ratings : sequence of Path or str
        Models' answers: tables (model, statement_id, question, p_yes, p_no, p_other), wide ones (a row for each
        statement, and columns such as MODEL_q1 of 0 and 1), or folders of raw results.
    humans, labels, columns
        As for :class:`probsense.tasks.judgments.task.Judgments`.
    majority : Path or str, optional
        What most people say (statement_id, majority), if you have no ratings of single people; without it, the column
        most of the statements.
    data : Path or str, optional
        Table of statements: a column statement and, if you like, statement_id, features of 0 and 1, categories, and
        most (agree, disagree or divided: what most people say). A run without it asks the statements of the package.
    demographics : Path or str, optional
        Who people are (person, and a column for each characteristic); gives results by group of people.
    sizes : Path or str, optional
        How large models are (model, parameters, family); gives the effect of size.
    method : {"both", "default", "published"}
        Which estimates: those of the published calculation, ours, or both.
    other : Policy
        How answers count that are neither yes nor no: split evenly, drop, wrong, or separate as refusals.
    draws : int
        Draws of the bootstrap that makes the intervals, at least 2.
    seed : int
        Seeds everything that is drawn at random.
    compat : bool
        Repeat the faults of the published calculation in the method "published".

    Returns
    -------
    Analysis
        Its coverage is a row for each model.

    Raises
    ------
    InputError
        For a file that is not what it should be; for neither or both of people's ratings and a majority; for a
        model, statement and question that two files have; if models and people judged hardly any statement in common;
        for an unknown method.
    """
    facts = people_facts(recorded(locals()))
    check_name("method", method, ("both", "default", "published"))
    settings = Settings(draws, seed)
    files = PeopleFiles(humans, majority, Reading.of(labels, columns), demographics)
    statements = None if data is None else read_statements(Path(data))
    opinions = files.read(statements)
    if opinions.frame.is_empty():
        raise InputError(
            "no answers of people to compare the models with",
            expected="people's ratings (--humans FILE), or at least their majority (--majority FILE)",
        )
    read = [(path, read_ratings(path, statements)) for path in map(Path, ratings)]
    study = align(_joined([(path, one.frame) for path, one in read]), opinions, policy=other, compat=compat)
    found = study_results(study, statements, settings, opinions.who, recorded=True)
    estimates = [*found.estimates]
    if sizes is not None:
        shown = [e for e in estimates if about_answers(e, found.withheld)]
        estimates += size_estimates(shown, study.models, read_sizes(Path(sizes)))
    how = [note for path, one in read for note in one.notes(path)]
    notes = [*how, *opinions.notes, *found.notes]
    found = replace(found, estimates=estimates, notes=notes).finished(WORDS)
    if method != "both":
        kept = [e for e in found.estimates if e.method.startswith(PUBLISHED) == (method == PUBLISHED)]
        found = replace(found, estimates=kept)
    return Analysis("judgments", "Judgments: models and people", facts, found, WORDS)


def _joined(parts: Sequence[tuple[Path, pl.DataFrame]]) -> pl.DataFrame:
    """Join all ratings; each model, statement and question comes once."""
    if not parts:
        raise InputError("no ratings of models", expected="tables, or folders of raw results")
    key = ["model", "statement_id", "question"]
    found = pl.concat([frame.with_columns(path=pl.lit(str(path))) for path, frame in parts])
    again = found.filter(~pl.struct(key).is_first_distinct()).select(*key, "path")
    for model, statement, question, path in again.head(1).iter_rows():
        said = f"{model}, statement {statement}, {question} again"
        raise InputError(said, path=Path(path), expected="each in one file only")
    return found.drop("path")


def read_sizes(path: Path) -> pl.DataFrame:
    """Read a table with the columns model, parameters and family, each model once.

    Raises
    ------
    InputError
        For a file that cannot be read, a column that is missing, a number that is none or not above 0, a model that
        stands twice.
    """
    table = read_table(path)
    table.columns("model", "parameters", "family", expected=_EXPECTED)
    parameters = table.numbers("parameters")
    fine = ((parameters > 0) & parameters.is_finite()).fill_null(False)
    table.refuse(~fine, "parameters", "a number above 0")
    model, family = (table.texts(name).alias(name) for name in ("model", "family"))
    table.refuse_repeated(model.to_frame())
    return pl.DataFrame([model, parameters.alias("parameters"), family])


def size_estimates(
    estimates: Sequence[Estimate], models: Sequence[str], sizes: pl.DataFrame
) -> list[Estimate]:
    """Estimate what ten times the parameters add to scores (mixed model), and the rank correlation with size.

    The interval of the rank correlation is that of Fieller, Hartley & Pearson (1957, Biometrika 44): artanh of
    Spearman's ρ has the variance 1.06/(n − 3).

    Parameters
    ----------
    estimates : sequence of Estimate
        A score that fewer than :data:`FEWEST_SIZED` models with a size have is left out.
    models : sequence of str
        All models, with a score or without.
    sizes : DataFrame
        As from :func:`read_sizes`.

    Raises
    ------
    InputError
        If there are fewer than :data:`FEWEST_SIZED` models with a size, or all are of one size or family.
    """
    known = {name: (size, family) for name, size, family in sizes.iter_rows()}
    sized = sum(model in known for model in models)
    if sized < FEWEST_SIZED:
        raise InputError(f"{sized} models with a size", expected=f"at least {FEWEST_SIZED}")
    found = []
    for measure in SIZE_MEASURES:
        scored = [e for e in overall(estimates, measure) if e.by["model"] in known]
        if len(scored) < FEWEST_SIZED:
            continue
        parameters, families = zip(*(known[str(e.by["model"])] for e in scored), strict=True)
        values = np.array([e.value for e in scored])
        by = {"model": ALL_MODELS, "of": measure}
        n = len(scored)
        slope = size_effect(values, np.array(parameters), families)
        ends = slope.stderr, slope.low, slope.high
        found.append(Estimate("size_effect", by, slope.slope, *ends, LEVEL, n, slope.families, "mixed model"))
        rank = spearman(values, np.array(parameters)).value
        low, high = fisher_interval(rank, n, variance=1.06)
        found.append(Estimate("size_spearman", by, rank, math.nan, low, high, LEVEL, n, n, "ranks"))
    return found
