"""Computes what the answers of a model amount to, the same way for the answers of a run and for recorded ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.open_answers import evaluator
from probsense.analysis.open_answers.questions import Counts, Floats, Question
from probsense.core.records import Json
from probsense.tasks.frames.measures import comparison, exact
from probsense.tasks.frames.measures.comparison import Choice
from probsense.tasks.frames.measures.shares import Share, compared_shares, exact_shares, tables
from probsense.tasks.frames.words import WORDS
from probsense.tasks.results import MADE_UP, Results, voiding

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What the answers of one model amount to.

    Attributes
    ----------
    model : str
    estimates : sequence of Estimate
    shares : sequence of Share
        How people's answers and the model's are distributed over clusters.
    compared : int
        The number of frames whose answers were compared with people's.
    compared_by : list of str
        By what sampled answers were compared, in print.
    results : Results or None
        The comparison of sampled answers.
    warnings, notes : sequence of str
        What a reader should know, the warnings first.
    """

    model: str
    estimates: Sequence[Estimate]
    shares: Sequence[Share] = ()
    compared: int = 0
    compared_by: list[Json] = field(default_factory=list)
    results: evaluator.Results | None = None
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()


def sampled_outcome(
    questions: Sequence[Question],
    counts: Mapping[str, Counts],
    ranked: Mapping[str, Sequence[str]],
    choice: Choice,
    by: Mapping[str, Json],
) -> Outcome:
    """Compare answers that were given as texts with people's, and describe them by themselves.

    Parameters
    ----------
    questions : sequence of Question
        With people's answers, if there are any.
    counts, ranked : Mapping
        The model's answers by the id of the question: how often each was given, and the best first.
    choice : Choice
        How answers are compared.
    by : Mapping
        What all estimates have in their ``by``; "model" is the name of the model.
    """
    model = str(by["model"])
    own = {question.id: counts[question.id] for question in questions if question.id in counts}
    estimates = comparison.own_estimates(own, by)
    known = [question for question in questions if question.raw]
    if not known:
        return Outcome(model, estimates)
    choice = choice.narrowed(known)
    results, max_answers = comparison.compare(known, counts, ranked, choice)
    return Outcome(
        model,
        [*comparison.compared_estimates(results, max_answers, by), *estimates],
        compared_shares(model, known, results),
        len(results.questions),
        choice.means,
        results,
        [*choice.warnings, *comparison.skipped_warnings(results)],
        comparison.notes(results),
    )


def scored_outcome(
    questions: Sequence[Question],
    masses: Sequence[Floats],
    by: Mapping[str, Json],
    *,
    draws: int,
    seed: int,
) -> Outcome:
    """Set the probabilities that a model gives to people's answers against how often people gave them.

    Where people's answers have less than :data:`~probsense.tasks.frames.measures.exact.LEAST_MASS` on the average,
    what they have is the only estimate: how so little is divided among them says nothing of what the model would
    answer.

    Parameters
    ----------
    questions : sequence of Question
    masses : sequence of ndarray, shape (clusters,)
        The log-probability of each cluster of each question: see
        :func:`~probsense.tasks.frames.measures.exact.log_masses`.
    by : Mapping
        What all estimates have in their ``by``; "model" is the name of the model.
    draws, seed : int
        As for :func:`~probsense.tasks.frames.measures.exact.exact_estimates`.
    """
    model = str(by["model"])
    estimates = exact.exact_estimates(questions, masses, by, draws=draws, seed=seed)
    if warning := exact.mass_warning(masses):
        known = [found for found in estimates if found.measure == exact.LISTED_MASS]
        return Outcome(model, known, warnings=[voiding(warning)])
    return Outcome(model, estimates, exact_shares(model, questions, masses), len(questions))


def measured(
    found: Sequence[Outcome],
    coverage: Sequence[Mapping[str, Json]],
    notes: Sequence[str],
    table: pl.DataFrame | None = None,
    *,
    questions: Sequence[Question],
    warnings: Sequence[str],
) -> Results:
    """Put together what the answers of one model or several amount to, with the tables of their common charts.

    Parameters
    ----------
    found : sequence of Outcome
        One for each model.
    coverage, notes, table, warnings
        As of :class:`~probsense.tasks.base.Results`.
    questions : sequence of Question
        What was asked, with the answers that people gave, or that were made up.
    """
    estimates = WORDS.bounded(estimate for own in found for estimate in own.estimates)
    shares = [share for own in found for share in own.shares]
    compared = {own.model: own.results for own in found if own.results is not None}
    made_up = [question for question in questions if question.illustrative]
    illustrative = 0 < len(made_up) == len(questions)
    if made_up:
        which = "" if illustrative else f"{len(made_up):,} of {len(questions):,} frames: "
        warnings = [voiding(f"{which}{MADE_UP}"), *warnings]
    return Results(
        estimates,
        coverage,
        notes,
        table,
        tables(shares, compared, estimates),
        warnings=warnings,
        illustrative=illustrative,
    )
