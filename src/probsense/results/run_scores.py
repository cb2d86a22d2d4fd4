"""Reads what a run achieved on each item."""

from __future__ import annotations

from probsense.analysis.comparison.scores import ItemScores, Scores
from probsense.core.errors import InputError
from probsense.runs.run import Run
from probsense.tasks.base import Answered, ScoresItems, Task
from probsense.tasks.shared.item_scores import plain_scores


def run_scores(run: Run) -> Scores:
    """Return the scores of a run: those that its task gives each item, or the numbers in its table.

    Parameters
    ----------
    run : Run

    Raises
    ------
    InputError
        If the run has no scores for single items.
    """
    covered = run.covered
    missing = (
        (f"{covered['failed']:,} of {covered['asked']:,} items have no answer",) if covered["failed"] else ()
    )
    return named_scores(
        run.task, run.answered, f"run {run.record.label}", nothing=f"the run {run.id}", notes=missing
    )


def named_scores(
    task: Task, answered: Answered, source: str, *, nothing: str, notes: tuple[str, ...] = ()
) -> Scores:
    """Return the scores of answers under the name of their model.

    Parameters
    ----------
    task : Task
    answered : Answered
    source : str
        Where the answers are from.
    nothing : str
        What an error says has no scores.
    notes : tuple of str
        What to note besides.

    Raises
    ------
    InputError
        If there are no scores for single items.
    """
    items, scores, own, references = item_scores(task, answered)
    scores = scores.select(name for name in scores.columns if scores[name].count())
    if not scores.width:
        raise InputError(f"{nothing} of {task.name} has no scores for single items")
    return Scores(
        answered.model, answered.method, source, task.name, items, scores, (*own, *notes), references
    )


def item_scores(task: Task, answered: Answered) -> ItemScores:
    """Score single items as their task does, or else by the numbers in its table.

    Raises
    ------
    InputError
        If the table has not one row for each item.
    """
    return task.item_scores(answered) if isinstance(task, ScoresItems) else plain_scores(answered)
