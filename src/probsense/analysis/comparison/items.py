"""Tells which items tell models apart: difficulty, discrimination, information, and a short form of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from probsense.analysis.comparison.differential import Differential, Member, differential, find_groups
from probsense.analysis.comparison.item_response import LEAST, Floats, fit_items
from probsense.analysis.comparison.scores import Scores, named
from probsense.analysis.comparison.short_form import (
    SUSPECT,
    ShortForm,
    known_or_none,
    share_right,
    short_form,
)
from probsense.analysis.inference.correlations import fisher_interval, spearman
from probsense.core.errors import InputError, did_you_mean
from probsense.core.options import checked_seed
from probsense.core.records import Json
from probsense.core.shown import Shown

REACHED = 20
"""Splits of models into groups below which no p can reach 0.05."""
FALSE = 0.05
"""Expected share of false ones among the items that are counted as differing between groups."""
PEOPLE = "people"
"""The column with the share of people who were right."""
FEW = 0.7
"""Reliability of the abilities below which a note says so."""


@dataclass(frozen=True, eq=False, repr=False)
class Items(Shown):
    """Hold what the answers of several models tell of items.

    Attributes
    ----------
    task, measure : str
    models : list of dict
        Name, source, number of answers, share right, and ability with its standard error where it was fitted.
    frame : DataFrame
        What :meth:`table` returns.
    suspects : int
        How many items are candidates for wrong labels; they stand first.
    turned : float or None
        The estimated share of items that behave like items with a turned label; None where that is not known.
    short : ShortForm or None
    groups : Differential or None
        How items differ between two groups of models.
    notes : list of str
    """

    task: str
    measure: str
    models: list[dict[str, Json]]
    frame: pl.DataFrame
    suspects: int
    turned: float | None
    short: ShortForm | None
    groups: Differential | None
    notes: list[str]

    @property
    def fitted(self) -> bool:
        """Whether there were enough models for a two-parameter logistic."""
        return "discrimination" in self.frame.columns

    def table(self) -> pl.DataFrame:
        """Return a row for each item: candidates for wrong labels first, then the most informative.

        Returns
        -------
        DataFrame
            ``item``, ``right`` (share of models), ``models`` (how many answered), then ``difficulty``,
            ``discrimination`` (each with ``_stderr``; the latter with the 95 % interval ``_low`` to ``_high``),
            ``negative`` (probability that the discrimination is negative), ``information`` and ``short_form``, as
            :class:`~probsense.analysis.comparison.item_response.ItemFit` explains them; of fewer than four models
            ``rest_correlation`` instead. Of groups of models ``difference`` and ``difference_stderr``,
            ``difference_p`` and ``difference_p_bh``, as
            :class:`~probsense.analysis.comparison.differential.Differential` explains them. Where people answered,
            ``people`` (share of them who were right) and ``people_n`` (how many answered). Last ``cluster``, ``gold``
            and ``text``.
        """
        return self.frame

    def findings(self) -> list[str]:
        """Say in sentences how many labels may be wrong, and how many items keep the ranking."""
        found = []
        if self.fitted:
            share = (
                ""
                if self.turned is None
                else f"; {100 * self.turned:.1f} % behave like items with a turned label"
            )
            found.append(
                f"{self.suspects:,} of {self.frame.height:,} items have a discrimination that is probably"
                f" negative{share}."
            )
        if self.short is not None:
            lost, whole = self.short.loss, self.short.whole
            found.append(
                f"A short form of {lost.items:,} items ranks the models as other items do with a correlation of"
                f" {lost.rank_correlation:.3f}, where half of all items has {whole.rank_correlation:.3f}; abilities"
                f" have an error of {lost.error:.2f}, and {whole.error:.2f} by half of all items."
            )
        if self.groups is not None:
            first, second = self.groups.groups
            differing = int((self.groups.item_p_bh <= FALSE).sum())
            found.append(
                f"Between {first} and {second}, given ability, items differ by a standard deviation of"
                f" {self.groups.spread:.2f} [{self.groups.low:.2f}, {self.groups.high:.2f}] log-odds;"
                f" {100 * self.groups.p:.3g} % of {self.groups.splits:,} splits of these models differ as much."
                f" {differing:,} {'item differs' if differing == 1 else 'items differ'} at a false discovery rate of"
                f" {100 * FALSE:.0f} %."
            )
        return found

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``items --json`` prints."""
        rows: list[Json] = [*self.frame.fill_nan(None).to_dicts()]
        return {
            "schema": 1,
            "task": self.task,
            "measure": self.measure,
            "models": list(self.models),
            "suspects": self.suspects,
            "turned": self.turned,
            "short_form": None if self.short is None else self.short.to_json(),
            **({} if self.groups is None else {"groups": self.groups.to_json()}),
            "notes": list(self.notes),
            "items": rows,
        }


def item_analysis(
    sources: Sequence[Scores],
    *,
    measure: str | None = None,
    sign: Callable[[str], int] = lambda measure: 1,
    limit: int | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
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
    limit : int, optional
        Number of items of the short form; by default the fewest that keep the ranking.
    seed : int
        Seed of the halves by which a short form is judged; nothing else is random.

    Raises
    ------
    InputError
        If there are no models, the tasks differ, no measure says what is right, an item has another text or right
        answer for another model, or groups are not two groups of models.
    """
    checked_seed(seed)
    if limit is not None and limit < 1:
        raise InputError(f"a short form of {limit} items", expected="1 or more")
    people, models = ([one for one in sources if (one.ratings is None) == models] for models in (False, True))
    tasks = list(dict.fromkeys(source.task for source in sources))
    if not models or len(tasks) > 1:
        what = f"results of different tasks: {', '.join(tasks)}" if models else "no results of models"
        raise InputError(what, expected="results of models in one task; --task chooses one")
    full, models = [one.name for one in models], named(models)
    chosen = _right_or_wrong(models, measure, sign)
    known, right = _responses(models, chosen)
    kept, notes = _distinct(full, models, right)
    full, models, right = [full[place] for place in kept], [models[place] for place in kept], right[kept]
    members = None
    if groups is not None:
        members = find_groups(
            [Member(one.name, name) for one, name in zip(models, full, strict=True)], groups
        )
    answered = ~np.isnan(right)
    share = share_right(right.T)
    frame = known.select("item", right=pl.lit(share), models=pl.lit(answered.sum(axis=0)))
    theirs = _people_right(models, people, chosen)
    if theirs is not None:
        known = known.join(theirs, on="item", how="left", maintain_order="left")
    rest = known.select(*([] if theirs is None else [PEOPLE, f"{PEOPLE}_n"]), "cluster", "gold", "text")
    about: list[dict[str, Json]] = [
        {"name": one.name, "source": one.source, "items": int(n), "right": known_or_none(float(mean))}
        for one, n, mean in zip(models, answered.sum(axis=1), share_right(right), strict=True)
    ]
    notes += [f"{one.name}: {note}" for one in models for note in one.notes]
    if len(models) < LEAST:
        correlation = _rest_correlation(right)
        table = frame.with_columns(rest_correlation=pl.lit(correlation)).hstack(rest).fill_nan(None)
        table = table.sort("rest_correlation", "right", nulls_last=True, maintain_order=True)
        notes.append(
            f"{len(models)} of the {LEAST} models that a two-parameter logistic needs: with fewer, discriminations are"
            " what is assumed of them. Shares right, and correlations with the other items, are of these models alone"
        )
        return Items(tasks[0], chosen, about, table, 0, None, None, None, notes)
    clusters = known["cluster"].rank("dense").to_numpy().astype(np.int64)
    fit = fit_items(right, clusters)
    population = fit.population
    for row, ability, variance in zip(about, population.ability, population.variance, strict=True):
        row |= {"ability": float(ability), "ability_stderr": float(np.sqrt(variance))}
    reliability = 1 - float(population.variance.mean())
    if reliability < FEW:
        notes.append(
            f"the abilities of these models have a reliability of {max(reliability, 0):.2f}: they hardly differ by"
            " these items, and discriminations say little"
        )
    short = short_form(right, clusters, known["item"].to_list(), fit, limit, np.random.default_rng(seed))
    if short is None:
        notes.append(
            "no short form: the items are too few, or none of their parts ranks the models as the others do"
        )
    table = frame.with_columns(
        pl.Series(name, getattr(fit, field))
        for name, field in (
            ("difficulty", "difficulty"),
            ("difficulty_stderr", "difficulty_stderr"),
            ("discrimination", "discrimination"),
            ("discrimination_stderr", "discrimination_stderr"),
            ("discrimination_low", "low"),
            ("discrimination_high", "high"),
            ("negative", "negative"),
            ("information", "information"),
        )
    ).with_columns(short_form=pl.col("item").is_in([] if short is None else short.ids))
    apart = None
    if members is not None:
        rng = np.random.default_rng([seed, 1])
        apart = differential(right, population, [one.name for one in models], members, rng)
        table = table.with_columns(
            difference=apart.difference,
            difference_stderr=apart.stderr,
            difference_p=apart.item_p,
            difference_p_bh=apart.item_p_bh,
        ).fill_nan(None)
        if apart.splits < REACHED:
            notes.append(
                f"{apart.splits} splits of so few models into groups: none could be as rare as 1 in {REACHED}"
            )
    table = table.hstack(rest)
    if theirs is not None:
        notes += _beside_people(table.drop_nulls(PEOPLE))
    suspect = pl.col("negative") > SUSPECT
    table = table.sort(
        ~suspect,
        pl.when(suspect).then(-pl.col("negative")).otherwise(-pl.col("information")),
        maintain_order=True,
    )
    suspects = int((fit.negative > SUSPECT).sum())
    turned = None if reliability < FEW else population.turned
    return Items(tasks[0], chosen, about, table, suspects, turned, short, apart, notes)


def _right_or_wrong(models: Sequence[Scores], wanted: str | None, sign: Callable[[str], int]) -> str:
    """Choose a measure that says of every item whether it is right."""
    shared = [name for name in models[0].measures if all(name in one.measures for one in models)]
    if wanted is not None and wanted not in shared:
        raise InputError(
            f"not all of the results have the measure {wanted!r}{did_you_mean(wanted, shared)}",
            expected=f"one of {', '.join(shared)}",
        )
    for name in shared if wanted is None else [wanted]:
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
        one.of(measure)
        .drop("text")
        .join(one.all_texts.collect(), on="item", how="left", maintain_order="left")
        .select(pl.col("item", "cluster", "gold", "text").cast(pl.String), "score", model=pl.lit(place))
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


def _rest_correlation(right: Floats) -> Floats:
    """Correlate each item with the share right of the other items over models; NaN where either does not vary."""
    known = ~np.isnan(right)
    given = np.where(known, right, 0.0)
    number = known.sum(axis=1, keepdims=True) - known
    rest = np.divide(
        given.sum(axis=1, keepdims=True) - given, number, out=np.full(right.shape, np.nan), where=number > 0
    )
    both = known & ~np.isnan(rest)
    count = np.maximum(both.sum(axis=0), 1)
    x, y = (np.where(both, one, 0.0) for one in (given, rest))
    x, y = (np.where(both, one - one.sum(axis=0) / count, 0.0) for one in (x, y))
    spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    unknown = np.full(right.shape[1], np.nan)
    return np.asarray(np.divide((x * y).sum(axis=0), spread, out=unknown, where=spread > 1e-12))


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
    r = spearman(table[PEOPLE].to_numpy(), table["difficulty"].to_numpy()).value
    if np.isnan(r):
        return []
    low, high = fisher_interval(r, table.height)
    return [
        f"people: over {table.height:,} items, Spearman's correlation of their share right with the models' difficulty"
        f" is {r:.2f} [{low:.2f}, {high:.2f}]; −1 says that the same items are hard for both"
    ]
