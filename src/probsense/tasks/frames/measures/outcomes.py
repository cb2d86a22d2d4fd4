"""Computes what the answers of a model amount to, the same way for the answers of a run and for recorded ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from probsense.analysis.open_answers.questions import Counts, Floats, Question
from probsense.core.records import Json
from probsense.tasks.frames.measures import comparison, exact
from probsense.tasks.frames.measures.comparison import Choice
from probsense.tasks.frames.measures.shares import compared_shares, exact_shares, forest, unmatched
from probsense.tasks.frames.words import WORDS
from probsense.tasks.results import MADE_UP, Results, voiding


def sampled_outcome(
    questions: Sequence[Question],
    counts: Mapping[str, Counts],
    ranked: Mapping[str, Sequence[str]],
    choice: Choice,
    by: Mapping[str, Json],
) -> Results:
    """Compare answers that were given as texts with people's, and describe them by themselves.

    The coverage says how many frames were "compared", and by what ("compared_by"); there is none without people.

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
        return Results(estimates)
    choice = choice.narrowed(known)
    results, max_answers = comparison.compare(known, counts, ranked, choice)
    shares, strange = compared_shares(model, known, results), unmatched(model, results)
    return Results(
        [*comparison.compared_estimates(results, max_answers, by), *estimates],
        [{"compared": len(results.questions), "compared_by": choice.means}],
        comparison.notes(results),
        tables={"distributions": shares, "unmatched": strange},
        warnings=[*choice.warnings, *comparison.skipped_warnings(results)],
    )


def scored_outcome(
    questions: Sequence[Question],
    masses: Sequence[Floats],
    by: Mapping[str, Json],
    *,
    draws: int,
    seed: int,
) -> Results:
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
    estimates = exact.exact_estimates(questions, masses, by, draws=draws, seed=seed)
    if warning := exact.mass_warning(masses):
        known = [found for found in estimates if found.measure == exact.LISTED_MASS]
        return Results(known, warnings=[voiding(warning)])
    shares = exact_shares(str(by["model"]), questions, masses)
    return Results(estimates, [{"compared": len(questions)}], tables={"distributions": shares})


def measured(
    found: Sequence[Results],
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
    found : sequence of Results
        Those of each model.
    coverage, notes, table, warnings
        As of :class:`~probsense.tasks.base.Results`.
    questions : sequence of Question
        What was asked, with the answers that people gave, or that were made up.
    """
    estimates = WORDS.bounded(estimate for own in found for estimate in own.estimates)
    parts: dict[str, list[pl.DataFrame]]
    parts = {"distributions": [], "forest": [forest(estimates)], "unmatched": []}
    for own in found:
        for name, part in own.tables.items():
            parts[name].append(part)
    # Models share the rows of people.
    tables = {
        name: pl.concat(own).unique(keep="first", maintain_order=True) for name, own in parts.items() if own
    }
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
        {name: own for name, own in tables.items() if not own.is_empty()},
        warnings=warnings,
        illustrative=illustrative,
    )
