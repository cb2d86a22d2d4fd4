"""Reads what a run achieved on each item."""

from __future__ import annotations

from probsense.comparison.scores import Scores
from probsense.errors import InputError
from probsense.run.evaluate import Run
from probsense.tasks.base import ScoresItems
from probsense.tasks.item_scores import plain_scores


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
    task, answered = run.task, run.answered
    items, scores, notes, references = (
        task.item_scores(answered) if isinstance(task, ScoresItems) else plain_scores(answered)
    )
    scores = scores.select(name for name in scores.columns if scores[name].count())
    if not scores.width:
        raise InputError(f"the run {run.id} of {task.name} has no scores for single items")
    covered = run.covered
    if covered["failed"]:
        notes = (*notes, f"{covered['failed']:,} of {covered['asked']:,} items have no answer")
    return Scores(
        run.model, run.method, f"run {run.record.label}", task.name, items, scores, notes, references
    )
