"""Finds the items that tell models apart: how hard they are, and whether better models get them right more often.

The item–rest correlation finds turned labels. In simulations (``benchmarks/studies/items.py``; 5 % of 500 labels are
turned) it puts them first with an area under the ROC curve of 0.86 for 4 models, 0.93 for 8, 0.98 for 20 and 1.00 for
50. The probability of a negative discrimination in a two-parameter logistic had 0.03, 0.02, 0.01 and 0.00 more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from probsense.analysis.arrays import Floats, filled, mean_known, ratio
from probsense.analysis.comparison.scores import Scores, chosen_measures, named, shared_measures
from probsense.analysis.inference.correlations import fisher_interval, paired_correlations, spearman
from probsense.core.errors import InputError
from probsense.core.records import Json
from probsense.core.shown import Shown

PEOPLE = "people"
"""The column with the share of people who were right."""


@dataclass(frozen=True, eq=False, repr=False)
class Items(Shown):
    """Hold what the answers of several models tell of items.

    Attributes
    ----------
    task, measure : str
    models : list of dict
        Name, source, number of answers, and share right.
    frame : DataFrame
        What :meth:`table` returns.
    notes : list of str
    """

    task: str
    measure: str
    models: list[dict[str, Json]]
    frame: pl.DataFrame
    notes: list[str]

    def table(self) -> pl.DataFrame:
        """Return a row for each item, those that may have a wrong label first.

        Returns
        -------
        DataFrame
            ``item``, ``right`` (share of models), ``models`` (how many answered), ``rest_correlation`` (of right
            answers to it with the share of right answers to the other items, over models; the lowest stand first),
            where people answered ``people`` (share of them who were right) and ``people_n`` (how many), ``cluster``,
            ``gold`` and ``text``.
        """
        return self.frame

    def findings(self) -> list[str]:
        """Say in a sentence of how many items the label may be wrong."""
        known = self.frame["rest_correlation"].drop_nulls()
        if known.is_empty():
            return []
        negative = int((known < 0).sum())
        return [
            f"{negative:,} of {self.frame.height:,} items have a negative correlation with the other items: models that"
            " are better at the others get them wrong more often. Look at the labels of the lowest."
        ]

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``items --json`` prints."""
        rows: list[Json] = [*self.frame.to_dicts()]
        return {
            "schema": 1,
            "task": self.task,
            "measure": self.measure,
            "models": list(self.models),
            "notes": list(self.notes),
            "items": rows,
        }


def item_analysis(
    sources: Sequence[Scores], *, measure: str | None = None, sign: Callable[[str], int] = lambda measure: 1
) -> Items:
    """Analyse the items of a task by what models got right.

    Parameters
    ----------
    sources : sequence of Scores
        Of one task. People among them do not count as a model; how hard items are for them is compared, or for those
        whose answers the task of a model knows. Several runs of a model with the same right answers count once.
    measure : str, optional
        A measure that is 1 for a right answer and 0 for a wrong one; by default the first that all models have. Values
        of 0.5, which are ties, count as no answer.
    sign : callable
        Says of a measure whether higher values are better (1), lower ones (-1) or neither (0).

    Raises
    ------
    InputError
        If there are no models, the tasks differ, no measure says what is right, or an item has another text or right
        answer for another model.
    """
    people, models = ([one for one in sources if (one.ratings is None) == models] for models in (False, True))
    tasks = list(dict.fromkeys(source.task for source in sources))
    if not models or len(tasks) > 1:
        what = f"results of different tasks: {', '.join(tasks)}" if models else "no results of models"
        raise InputError(what, expected="results of models in one task; --task chooses one")
    full, models = [one.name for one in models], named(models)
    chosen = _right_or_wrong(models, measure, sign)
    known, right = _responses(models, chosen)
    kept, notes = _distinct(full, models, right)
    models, right = [models[place] for place in kept], right[kept]
    answered = ~np.isnan(right)
    table = known.with_columns(
        right=mean_known(right.T), models=answered.sum(axis=0), rest_correlation=rest_correlation(right)
    ).fill_nan(None)
    theirs = _people_right(models, people, chosen)
    if theirs is not None:
        table = table.join(theirs, on="item", how="left", maintain_order="left")
    columns = [
        "item",
        "right",
        "models",
        "rest_correlation",
        *([] if theirs is None else [PEOPLE, f"{PEOPLE}_n"]),
    ]
    table = table.select(*columns, "cluster", "gold", "text").sort(
        "rest_correlation", "right", nulls_last=True, maintain_order=True
    )
    about: list[dict[str, Json]] = [
        {
            "name": one.name,
            "source": one.source,
            "items": int(n),
            "right": None if np.isnan(mean) else float(mean),
        }
        for one, n, mean in zip(models, answered.sum(axis=1), mean_known(right), strict=True)
    ]
    notes += [f"{one.name}: {note}" for one in models for note in one.notes]
    if theirs is not None:
        notes += _beside_people(table.drop_nulls(PEOPLE))
    return Items(tasks[0], chosen, about, table, notes)


def _right_or_wrong(models: Sequence[Scores], wanted: str | None, sign: Callable[[str], int]) -> str:
    """Choose a measure that says of every item whether it is right."""
    for name in shared_measures(models) if wanted is None else chosen_measures(models, [wanted]):
        values = [one.scores[name].cast(pl.Float64).drop_nulls().is_in([0.0, 0.5, 1.0]) for one in models]
        if sign(name) > 0 and all(len(own) and own.all() for own in values):
            return name
    what = "no measure that all results have" if wanted is None else f"{wanted!r}"
    raise InputError(
        f"{what} says of each item whether it is right", expected="a measure that is 0 or 1, such as accuracy"
    )


def _responses(models: Sequence[Scores], measure: str) -> tuple[pl.DataFrame, Floats]:
    """Put answers side by side: the items that any model answered, and a row of 1, 0 or NaN for each model."""
    rows = pl.concat(
        one.of(measure).select(
            pl.col("item", "cluster", "gold", "text").cast(pl.String), "score", model=pl.lit(place)
        )
        for place, one in enumerate(models)
    ).with_columns(pl.when(pl.col("score") != 0.5).then("score").alias("score"))
    known = rows.group_by("item", maintain_order=True).agg(
        *(pl.col(name).drop_nulls().first() for name in ("cluster", "gold", "text")),
        *(pl.col(name).drop_nulls().n_unique().alias(f"{name}s") for name in ("gold", "text")),
        answered=pl.col("score").count(),
    )
    for name, what in (("gold", "right answers"), ("text", "texts")):
        for item in known.filter(pl.col(f"{name}s") > 1)["item"].head(1):
            raise InputError(f"item {item!r} has different {what}", expected="results on the same items")
    known = known.filter(pl.col("answered") > 0).with_columns(pl.col("cluster").fill_null(pl.col("item")))
    if known.is_empty():
        raise InputError("no item has a right or a wrong answer", expected="answers that are no ties")
    placed = rows.drop_nulls("score").join(known.select("item").with_row_index("place"), on="item")
    right = np.full((len(models), known.height), np.nan)
    right[placed["model"].to_numpy(), placed["place"].to_numpy()] = placed["score"].to_numpy()
    return known, right


def _distinct(full: Sequence[str], models: Sequence[Scores], right: Floats) -> tuple[list[int], list[str]]:
    """Find the models that are not the same one once more, and say which are: alike answers would pass for evidence."""
    first: dict[tuple[str, bytes], int] = {}
    notes = []
    for place, (name, own) in enumerate(zip(full, np.nan_to_num(right, nan=-1.0), strict=True)):
        same = first.setdefault((name, own.tobytes()), place)
        if same != place:
            notes.append(f"{models[place].name} has the answers of {models[same].name}: they count once")
    return list(first.values()), notes


def rest_correlation(right: Floats) -> Floats:
    """Correlate each item with the share right of the other items over models; NaN where either does not vary.

    Parameters
    ----------
    right : ndarray, shape (models, items)
        1, 0, or NaN where a model has no answer.

    Returns
    -------
    ndarray, shape (items,)
    """
    known = ~np.isnan(right)
    given = filled(right)
    rest = ratio(given.sum(axis=1, keepdims=True) - given, known.sum(axis=1, keepdims=True) - known)
    (found,) = paired_correlations(right.T, rest.T, np.ones((1, len(right))))
    return np.asarray(found)


def _people_right(models: Sequence[Scores], people: Sequence[Scores], measure: str) -> pl.DataFrame | None:
    """Say what share of people was right: of those whose answers are given, or else of those that a task knows."""
    given = [rated for one in people if measure in one.measures and (rated := one.rated(measure)) is not None]
    if given:
        return pl.concat(given).group_by("item").agg(pl.col("score").mean().alias(PEOPLE), people_n=pl.len())
    known = (one.people for one in models if one.people is not None and measure in one.people.columns)
    found = next(known, None)
    return None if found is None else found.select("item", pl.col(measure).alias(PEOPLE), people_n="n")


def _beside_people(table: pl.DataFrame) -> list[str]:
    """Say whether items are hard for people that are hard for models."""
    r = spearman(table[PEOPLE].to_numpy(), table["right"].to_numpy()).value
    if np.isnan(r):
        return []
    low, high = fisher_interval(r, table.height)
    return [
        f"people: over {table.height:,} items, Spearman's correlation of their share right with the models' is {r:.2f}"
        f" [{low:.2f}, {high:.2f}]; 1 says that the same items are hard for both"
    ]
