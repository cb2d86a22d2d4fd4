"""Aligns the results of several models: the same items, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from probsense.analysis.arrays import Floats, Ints
from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.bounded import proportion_estimate
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import (
    ENOUGH,
    OVER_FORMS,
    crossed_error,
    mean_estimate,
    over_settings,
    settings_error,
    stratified_mean,
)
from probsense.analysis.inference.raters import RatersError, over_raters, raters_error
from probsense.core.errors import InputError, brief, check_fit
from probsense.core.records import Json


class _Cells(NamedTuple):
    """The items of a stratum that have something in common.

    Attributes
    ----------
    place : ndarray of int, shape (items,)
        The cell of each item.
    within : ndarray, shape (items,)
        The weight of each.
    weight : ndarray, shape (cells,)
        The weight of each cell.
    stratum : ndarray of int, shape (cells,)
    drawn : DataFrame
        What they have in common, a row for each cell.
    """

    place: Ints
    within: Floats
    weight: Floats
    stratum: Ints
    drawn: pl.DataFrame

    def means(self, values: Floats) -> Floats:
        """Average values over the items of each cell; 0 where these have no weight."""
        sums = np.bincount(self.place, values * self.within)
        return np.divide(sums, self.weight, out=np.zeros_like(sums), where=self.weight > 0)


@dataclass(frozen=True, eq=False)
class Aligned:
    """Hold the scores of several models on the same items by one measure.

    Attributes
    ----------
    measure : str
    models : tuple of str
    items : DataFrame
        Columns of :data:`~probsense.analysis.comparison.scores.ITEMS` but "label".
    values : ndarray, shape (models, items)
    labels : tuple of Series
        Answers of each model.
    left_out : tuple of int
        Number of items of each model that are not compared.
    ratings : Mapping of int to DataFrame
        For people among the models, by their position: what each of them answered, columns "item", "rater" and "score".
    """

    measure: str
    models: tuple[str, ...]
    items: pl.DataFrame
    values: Floats
    labels: tuple[pl.Series, ...]
    left_out: tuple[int, ...]
    ratings: Mapping[int, pl.DataFrame] = field(default_factory=dict)

    def parts(self) -> Iterator[tuple[str, Aligned]]:
        """Yield each part of the task by its name; nothing if there is only one part."""
        names = self.items["part"].drop_nulls().unique(maintain_order=True).to_list()
        yield from ((name, self._only(self.items["part"] == name)) for name in names if len(names) > 1)

    def _only(self, chosen: pl.Series) -> Aligned:
        chosen = chosen.fill_null(False)
        return replace(
            self,
            items=self.items.filter(chosen),
            values=self.values[:, chosen.to_numpy()],
            labels=tuple(label.filter(chosen) for label in self.labels),
        )

    @cached_property
    def clusters(self) -> Ints:
        """Number the cluster of each item, shape (items,)."""
        return self._numbered("cluster")

    @cached_property
    def units(self) -> Ints:
        """Number the unit on which each item's error rests, shape (items,): its setting, or else its cluster."""
        return self._numbered("setting") if self.over_settings else self.clusters

    @cached_property
    def strata(self) -> Ints:
        """Number the stratum of each item, shape (items,), in the order of their names."""
        return self._numbered("stratum")

    def _numbered(self, column: str) -> Ints:
        """Number the values of a column in their order, from 1; 0 where there is none."""
        return self.items[column].rank("dense").fill_null(0).to_numpy().astype(np.int64)

    @cached_property
    def over_settings(self) -> bool:
        """Tell whether errors are over settings: items are stratified, there are enough settings, and more than one in
        every stratum.
        """
        return self._stratified and not self.single and self._many("setting")

    @cached_property
    def over_forms(self) -> bool:
        """Tell whether errors are over settings and forms: there are enough forms, too, and more than one in every
        stratum.
        """
        return self.over_settings and self._many("form")

    def _many(self, drawn: str) -> bool:
        """Tell whether a column has enough different values, more than one in every stratum, and none unknown."""
        values = self.items[drawn]
        if values.null_count() or values.n_unique() < ENOUGH:
            return False
        counts = self.items.select("stratum", drawn).unique().group_by("stratum").len()
        return counts.filter(pl.col("len") == 1).is_empty()

    @cached_property
    def weights(self) -> Floats:
        """Compute the weight of each item in a mean, shape (items,), 1 on average.

        Items count by their weight within a stratum; strata count equally within a part, and parts count equally.
        Without strata, items count by their weight alone.
        """
        found = self._within
        if self._stratified:
            shares = np.array([share for _, share in sorted(self._shares.items())])
            found = found * (shares / np.bincount(self.strata)[1:])[self.strata - 1]
        return np.asarray(found / found.mean())

    @cached_property
    def _stratified(self) -> bool:
        return self.items["stratum"].null_count() == 0

    @cached_property
    def _within(self) -> Floats:
        """Compute the weights of items, 1 on average in every stratum."""
        given = self.items["weight"].to_numpy()
        return np.asarray(given / (self._stratum_means(given) if self._stratified else given.mean()))

    @cached_property
    def _shares(self) -> dict[int, float]:
        """Compute the weight of each stratum, by its number: within a part, strata count equally."""
        pairs = self.items.select(pl.col("part").cast(pl.String), stratum=pl.lit(self.strata)).unique()
        shares = pairs.with_columns(share=1 / pl.len().over("part"))
        return dict(shares.select("stratum", "share").iter_rows())

    def _stratum_means(self, values: Floats) -> Floats:
        """Compute for each item the mean of its stratum, shape (items,)."""
        sums, counts = np.bincount(self.strata, values)[1:], np.bincount(self.strata)[1:]
        return np.asarray((sums / counts)[self.strata - 1])

    @cached_property
    def single(self) -> bool:
        """Tell whether a stratum has a single cluster, so that the variance within it is unknown."""
        if not self._stratified:
            return False
        numbered = pl.DataFrame({"stratum": self.strata, "cluster": self.clusters})
        own = pl.col("cluster")
        several = numbered.group_by("stratum").agg(own.min() < own.max())
        return several.height > 1 and not several["cluster"].all()

    def mean(
        self, measure: str, by: Mapping[str, Json], values: Floats, models: Sequence[int] = ()
    ) -> Estimate:
        """Average over items, and where people are among the models, over people
        (:mod:`probsense.analysis.inference.raters`).

        Parameters
        ----------
        measure, by
            As in :class:`~probsense.analysis.inference.estimate.Estimate`.
        values : ndarray, shape (items,)
            Scores of one model, or the differences of two.
        models : sequence of int
            The models that the values are of.
        """
        found = self._over_items(measure, by, values)
        people = [self._raters_error(self.ratings[i]) for i in models if i in self.ratings]
        return over_raters(found, people) if people else found

    def _raters_error(self, rated: pl.DataFrame) -> RatersError:
        known = self.items.select("item", cluster=pl.lit(self.clusters), weight=pl.lit(self.weights))
        each = rated.join(known, on="item")
        return raters_error(
            *(each[name].to_numpy() for name in ("score", "rater", "item", "cluster", "weight"))
        )

    def _over_items(self, measure: str, by: Mapping[str, Json], values: Floats) -> Estimate:
        """Average over items, with the error of clusters and, if there are strata, within strata.

        With enough settings, the interval is over these, too, and with enough forms over both
        (:mod:`probsense.analysis.inference.means`). If a stratum has a single cluster, its own error is unknown. All
        clusters then count as drawn from one population, which makes the error too large rather than too small.

        Parameters
        ----------
        measure, by
            As in :class:`~probsense.analysis.inference.estimate.Estimate`.
        values : ndarray, shape (items,)
        """
        if self._stratified and not self.single:
            weights = {str(stratum): share for stratum, share in self._shares.items()}
            # A weighted mean and its error are those of deviations times weights (the linearisation of a ratio).
            centre = self._stratum_means(values * self._within)
            linear = centre + self._within * (values - centre)
            found = stratified_mean(measure, by, linear, self.clusters, self.strata, weights=weights)
            if self.over_settings:
                cells = self._in_settings
                error = settings_error(
                    cells.means(values), cells.weight, cells.stratum, cells.drawn["setting"], weights
                )
                found = over_settings(found, error)
            if self.over_forms:
                cells, drawn = self._in_forms, self._in_forms.drawn
                told = (cells.means(values), cells.weight, cells.stratum, drawn["setting"])
                # Forms with different right answers are of fixed kinds, as a stratum has so many of each.
                error = crossed_error(
                    *told, drawn["form"].rank("dense"), weights, drawn["gold"].fill_null("")
                )
                found = over_settings(found, error, OVER_FORMS)
            return found
        return mean_estimate(measure, by, self.linear(values), self.clusters)

    @cached_property
    def _in_settings(self) -> _Cells:
        return self._cells("setting")

    @cached_property
    def _in_forms(self) -> _Cells:
        return self._cells("setting", "form", "gold")

    def _cells(self, *drawn: str) -> _Cells:
        """Divide the items of each stratum by columns."""
        code = self.strata
        for name in drawn:
            rank = self._numbered(name)
            code = code * (int(rank.max()) + 1) + rank
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        columns = self.items.select(pl.col(drawn).gather(first).cast(pl.String))
        weight = np.asarray(np.bincount(place, self._within), dtype=np.float64)
        return _Cells(place, self._within, weight, self.strata[first], columns)

    def linear(self, values: Floats) -> Floats:
        """Return values whose plain mean is the weighted mean, and whose spread is that of the weighted mean."""
        centre = float(values @ self.weights) / len(values)
        return np.asarray(centre + self.weights * (values - centre))

    def level(self, i: int) -> Estimate:
        """Estimate the mean of one model, as a proportion if all scores are 0 or 1 with equal weights."""
        by = {"model": self.models[i]}
        if i in self.ratings:
            return self.mean(self.measure, by, self.values[i], [i])
        if not self.over_settings and is_binary(self.values[i]) and (self.weights == 1).all():
            return proportion_estimate(self.measure, by, self.values[i], self.clusters)
        return self.mean(self.measure, by, self.values[i])


def is_binary(values: Floats) -> bool:
    """Tell whether every value is 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def align(sources: Sequence[Scores], measure: str, *, intersection: bool = False) -> Aligned:
    """Align the results of several models.

    Parameters
    ----------
    sources : sequence of Scores
    measure : str
        Measure that all of them have.
    intersection : bool
        Whether to leave out items that some of them lack, instead of refusing them.

    Returns
    -------
    Aligned
        Items in the order of the first model, with its information on them.

    Raises
    ------
    InputError
        If the sets of items differ, no item is common, a score is infinite, or an item has another text or another
        right answer for another model.
    """
    tables = [source.of(measure) for source in sources]
    common = tables[0].select("item")
    for table in tables[1:]:
        if not common["item"].equals(table["item"]):
            common = common.join(table.select("item"), on="item", how="semi", maintain_order="left")
    left_out = tuple(table.height - common.height for table in tables)
    if common.is_empty() or (any(left_out) and not intersection):
        sizes = ", ".join(
            f"{table.height:,} of {source.name}" for source, table in zip(sources, tables, strict=True)
        )
        raise InputError(
            f"unlike items with a score by {measure}: {sizes}; {common.height:,} are common to all",
            expected="results on the same items, or --intersection to compare what is common"
            if common.height
            else "results on the same items",
        )
    check_fit(
        *(common.height, min(table.height for table in tables), max(table.height for table in tables)),
        what=f"items with a score by {measure}",
        of="of the largest of the results",
        expected="results on the same items",
    )
    found = [
        table
        if common["item"].equals(table["item"])
        else common.join(table, on="item", how="left", maintain_order="left")
        for table in tables
    ]
    for source, table in zip(sources, found, strict=True):
        _check(found[0], sources[0].name, table, source.name)
        if (endless := table["item"].filter(table["score"].is_infinite())).len():
            raise InputError(
                f"the {measure} of {source.name} on item {endless[0]!r} is infinite",
                expected="a finite score",
            )
    known = [pl.coalesce(pl.Series(table[name]) for table in found).alias(name) for name in ("gold", "text")]
    return Aligned(
        measure,
        tuple(source.name for source in sources),
        found[0].drop("label", "score").with_columns(known),
        np.array([table["score"].to_numpy() for table in found]),
        tuple(table["label"] for table in found),
        left_out,
        {i: rated for i, source in enumerate(sources) if (rated := source.rated(measure)) is not None},
    )


def _check(first: pl.DataFrame, name: str, other: pl.DataFrame, its: str) -> None:
    """Refuse an item that is not the same for both."""
    for column, what in (("gold", "right answer"), ("text", "text")):
        differs = (first[column] != other[column]).fill_null(False)
        if differs.any():
            row = int(differs.arg_max() or 0)
            own, theirs = (
                f"{brief(table[column][row])} for {of}" for table, of in ((first, name), (other, its))
            )
            found = f"item {first['item'][row]!r} has the {what} {own} and {theirs}"
            raise InputError(found, expected="results on the same items")
