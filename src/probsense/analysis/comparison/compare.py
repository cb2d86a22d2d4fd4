"""Compares several models: levels, paired differences, ranks and changes, with notes for the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from probsense.analysis.arrays import Floats
from probsense.analysis.comparison.aligned import Aligned, align
from probsense.analysis.comparison.differences import (
    COUNTS,
    TESTS,
    Change,
    Difference,
    Ranked,
    adjusted,
    differences,
    most_changed,
    ranking,
)
from probsense.analysis.comparison.scores import Scores, chosen_measures, named
from probsense.analysis.inference.estimate import Estimate, flat_frame, flat_rows
from probsense.analysis.inference.means import ENOUGH, FEW_CLUSTERS
from probsense.core.errors import InputError
from probsense.core.options import checked_seed
from probsense.core.records import Json
from probsense.core.shown import Shown

CHANGED = 5
TIEBREAK = "p_gold"
"""Measure that tells equal changes apart, if all models have it."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Hold the results of a comparison of models on the same items.

    A notebook shows levels and differences by the first measure, and what to call next.

    Attributes
    ----------
    task : str
    models : list of dict
        Name, source, number of items and number of items left out of each model.
    levels : list of Estimate
        Mean of each model by each measure.
    differences : list of Difference
        Differences of every two models by each measure, with p-values adjusted for all of these.
    by_part : list of Difference
        The same for every part of the task, if there are several, adjusted for all of these.
    ranking : list of Ranked
        Models by each measure, the best first.
    changes : list of Change
        Items on which every two models differ most by the first measure.
    notes : list of str
        Notes for the reader.
    aligned : tuple of Aligned
        Scores from which everything follows, one for each measure.
    """

    task: str
    models: list[dict[str, Json]]
    levels: list[Estimate]
    differences: list[Difference]
    by_part: list[Difference]
    ranking: list[Ranked]
    changes: list[Change]
    notes: list[str]
    aligned: tuple[Aligned, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the names of the measures."""
        return tuple(one.measure for one in self.aligned)

    def table(self) -> pl.DataFrame:
        """Return the scores as a table with a row for each measure, item and model, and the item's cluster, part,
        right answer and text.
        """
        return pl.concat(
            one.items.select(
                pl.lit(one.measure).alias("measure"),
                *("item", "cluster", "part", "gold", "text"),
                pl.lit(model).alias("model"),
                label.alias("label"),
                pl.Series("score", values),
            )
            for one in self.aligned
            for model, label, values in zip(one.models, one.labels, one.values, strict=True)
        )

    def rows(self) -> list[dict[str, Json]]:
        """Flatten every level, difference and difference of a part to a row, as ``compare --format csv`` writes it."""
        apart = [one.to_json() for one in (*self.differences, *self.by_part)]
        found = [*(one.to_json() for one in self.levels), *apart]
        return [{"task": self.task, **row} for row in flat_rows(found)]

    def estimates(self) -> pl.DataFrame:
        """Return a table with one row for each level, difference and difference of a part.

        Returns
        -------
        DataFrame
            The columns of :meth:`probsense.Run.estimates`, as far as a comparison has them; ``n`` is the number of
            items compared. The measure of a difference ends in ``_difference``: that of ``model`` less that of
            ``versus``, in the ``part`` that is named. Differences alone have ``p``, ``p_holm``, ``p_bh``,
            ``p_permutation``, ``p_mcnemar``, ``effect``, ``detectable``, ``higher``, ``lower`` and ``equal``, as
            :class:`~probsense.analysis.comparison.differences.Difference` explains them.
        """
        return flat_frame(self.rows(), TESTS, COUNTS)

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``compare --json`` prints."""
        return {
            "schema": 1,
            "task": self.task,
            "measures": list(self.measures),
            "models": list(self.models),
            "estimates": [one.to_json() for one in self.levels],
            "differences": [one.to_json() for one in self.differences],
            "by_part": [one.to_json() for one in self.by_part],
            "ranking": [one.to_json() for one in self.ranking],
            "changes": [one.to_json() for one in self.changes],
            "notes": list(self.notes),
        }


def compare_scores(
    sources: Sequence[Scores],
    *,
    measures: Sequence[str] = (),
    sign: Callable[[str], int] = lambda measure: 1,
    intersection: bool = False,
    changed: int = CHANGED,
    seed: int = 0,
) -> Comparison:
    """Compare models on the same items.

    Parameters
    ----------
    sources : sequence of Scores
        At least two sources of one task.
    measures : sequence of str
        Measures to compare by; by default the first measure of the first source that all have.
    sign : callable
        Says of a measure whether higher values are better (1), lower ones (-1) or neither (0).
    intersection : bool
        Whether to leave out items that some sources lack, instead of refusing them.
    changed : int
        Number of the items that changed most to list for every two models.
    seed : int
        Seed of the permutation tests.

    Raises
    ------
    InputError
        If there are fewer than two sources, the tasks differ, a measure is unknown, or
        :func:`~probsense.analysis.comparison.aligned.align` refuses the items.
    """
    if len(sources) < 2:
        what = "1 result" if len(sources) == 1 else f"{len(sources)} results"
        raise InputError(f"{what} to compare", expected="at least two")
    checked_seed(seed)
    if changed < 0:
        raise InputError(f"{changed} changed items", expected="0 or more")
    task = one_task(sources)
    sources = named(sources)
    aligned = tuple(
        align(sources, measure, intersection=intersection) for measure in chosen_measures(sources, measures)
    )
    pairs = list(combinations(range(len(sources)), 2))

    whole = adjusted([one for m, each in enumerate(aligned) for one in differences(each, [seed, m])])
    parts = adjusted(
        [
            one
            for m, each in enumerate(aligned)
            for number, (name, part) in enumerate(each.parts(), 1)
            for one in differences(part, [seed, m, number], name)
        ]
    )
    further = _tiebreak(sources, aligned[0])
    return Comparison(
        task=task,
        models=[
            {
                "name": source.name,
                "source": source.source,
                "items": source.items.height,
                "compared": aligned[0].items.height,
                "left_out": aligned[0].left_out[i],
            }
            for i, source in enumerate(sources)
        ],
        levels=[_level(source, one, i) for one in aligned for i, source in enumerate(sources)],
        differences=whole,
        by_part=parts,
        ranking=[
            place
            for m, one in enumerate(aligned)
            for place in ranking(one, whole[m * len(pairs) : (m + 1) * len(pairs)], sign(one.measure))
        ],
        changes=[change for i, k in pairs for change in most_changed(aligned[0], i, k, changed, further)],
        notes=[
            *_notes(aligned, whole, parts),
            *(f"{one.name}: {note}" for one in sources for note in one.notes),
        ],
        aligned=aligned,
    )


def _level(source: Scores, aligned: Aligned, i: int) -> Estimate:
    """Estimate the mean of one model, with what it is set against if that is known of these items."""
    known = source.references.get(aligned.measure)
    found = aligned.level(i)
    return found if known is None or any(aligned.left_out) else replace(found, **known._asdict())


def one_task(sources: Sequence[Scores]) -> str:
    """Return the task that all sources are of.

    Raises
    ------
    InputError
        If they are of several.
    """
    tasks = list(dict.fromkeys(source.task for source in sources))
    if len(tasks) > 1:
        raise InputError(
            f"results of different tasks: {', '.join(tasks)}",
            expected="results of one task; --task chooses one, and 'probsense runs' lists the runs",
        )
    return tasks[0]


def _tiebreak(sources: Sequence[Scores], aligned: Aligned) -> dict[int, Floats] | None:
    if not all(TIEBREAK in source.measures for source in sources):
        return None
    order = aligned.items.select("item")
    joined = [
        order.join(source.of(TIEBREAK), on="item", how="left", maintain_order="left") for source in sources
    ]
    return {i: one["score"].fill_null(np.nan).to_numpy() for i, one in enumerate(joined)}


def _notes(aligned: Sequence[Aligned], found: Sequence[Difference], parts: Sequence[Difference]) -> list[str]:
    notes = []
    for one in aligned:
        if any(one.left_out):
            without = ", ".join(
                f"{count:,} of {model}"
                for model, count in zip(one.models, one.left_out, strict=True)
                if count
            )
            notes.append(
                f"{one.measure}: {one.items.height:,} items are common to all and compared; left out are {without}"
            )
        if one.single:
            notes.append(
                f"{one.measure}: a cell has a single cluster, so all clusters count as drawn from one population, and"
                " intervals are too wide rather than too narrow"
            )
        if note := _settings_note(one):
            notes.append(f"{one.measure}: {note}")
    clusters = min(one.estimate.clusters for one in (*found, *parts))
    if clusters < FEW_CLUSTERS:
        notes.append(
            f"some estimates rest on {clusters} clusters alone: their intervals cover less than they say"
        )
    if any(one.estimate.stderr == 0 for one in found):
        notes.append(
            "every item differs by the same amount: the interval says nothing, the p-value is that of signs"
        )
    if any(one.p_mcnemar == one.p_mcnemar and one.estimate.clusters < one.estimate.n for one in found):
        notes.append(
            "McNemar's test takes items for independent and counts them alike, though some of these belong together"
        )
    return notes


def _settings_note(one: Aligned) -> str:
    """Say whether intervals and tests speak for other settings and forms; "" where items have none."""
    count = one.items["setting"].drop_nulls().n_unique()
    if one.over_forms:
        forms = one.items["form"].n_unique()
        return (
            "intervals and tests speak for other forms in other settings, too, as the items come in"
            f" {forms:,} forms and {count} settings"
        )
    if one.over_settings:
        return f"intervals and tests speak for other settings, too, as the items come in {count} of them"
    if not count:
        return ""
    why = (
        f"the items come in {count} of them, and at least {ENOUGH} are needed to speak for others"
        if count < ENOUGH
        else "a cell is too small to speak for others"
    )
    return f"intervals and tests speak for other items in the same settings only: {why}"
