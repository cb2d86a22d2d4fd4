"""Everything that the answers of models amount to, derived once for a run and for recorded ratings alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.chart_tables import tables
from probsense.tasks.judgments.distances import share_distances
from probsense.tasks.judgments.features import feature_estimates
from probsense.tasks.judgments.judged import AgainstMajority, AmongPeople, BesidePeople, Judged
from probsense.tasks.judgments.measures import PEOPLE, against_majority, against_people, own_estimates
from probsense.tasks.judgments.pooled import Pool, pool
from probsense.tasks.judgments.published import PUBLISHED, published
from probsense.tasks.judgments.settings import Settings
from probsense.tasks.judgments.silence import about_answers, silent_models
from probsense.tasks.judgments.words import WORDS


class Derived(NamedTuple):
    """Estimates, the tables that charts are drawn from, by the name of the chart, and notes on how they came about."""

    estimates: list[Estimate]
    tables: dict[str, pl.DataFrame]
    notes: list[str]


def derive(judged: Judged, statements: pl.DataFrame | None, settings: Settings) -> Derived:
    """Derive all estimates and tables that the data allow.

    Parameters
    ----------
    judged : Judged
    statements : DataFrame or None
        The statements with their features, as from
        :func:`~probsense.tasks.judgments.statements.read_statements`.
    settings : Settings

    Returns
    -------
    Derived
        What rests on the answers of silent models is left out, but for the method "published" among the estimates.
        Estimates against people come first, then the models' own, then those by features. There are no tables if
        nothing is known of people.
    """
    found: list[Estimate] = []
    pooled: Pool | None = None
    beside: dict[str, pl.DataFrame] = {}
    match judged:
        case AmongPeople():
            found += [*against_people(judged, settings), *published(judged, settings)]
            if settings.pooled is not None and (
                pooled := pool(judged, PEOPLE, settings.generator(7), settings.pooled)
            ):
                found += pooled.estimates
            distances, beside = share_distances(judged, statements)
            found += distances
        case AgainstMajority():
            found += [*against_majority(judged, settings), *published(judged, settings)]
    found += own_estimates(judged)
    if statements is not None:
        found += feature_estimates(judged, statements, settings)
    found = WORDS.bounded(found)
    silent = [*silent_models(judged)]
    shown = [e for e in found if about_answers(e, silent)]
    found = [e for e in found if e.method.startswith(PUBLISHED) or about_answers(e, silent)]
    drawn = _without({**tables(judged, shown), **beside}, silent) if isinstance(judged, BesidePeople) else {}
    if pooled is None:
        return Derived(found, drawn, [])
    return Derived(found, {**drawn, **_without(pooled.tables, silent)}, pooled.notes)


def _without(found: dict[str, pl.DataFrame], silent: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Leave the rows of silent models out of the tables behind charts."""
    named = {
        name: [c for c in ("model", "name", "a", "b") if c in table.columns] for name, table in found.items()
    }
    kept = {
        name: table.filter(~pl.any_horizontal(pl.col(*named[name]).is_in(silent))) if named[name] else table
        for name, table in found.items()
    }
    return {name: table for name, table in kept.items() if not table.is_empty()}
