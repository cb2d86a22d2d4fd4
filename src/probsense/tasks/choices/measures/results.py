"""Everything that a model's answers amount to: estimates, the table of items, notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from probsense.analysis.arrays import Floats
from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.human_choices.measures import entropy, model_entropy, people_entropy
from probsense.analysis.inference.bounded import proportion_estimate
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import FEW_CLUSTERS, mean_estimate
from probsense.core.records import Item, Json
from probsense.tasks.choices.measures import baselines
from probsense.tasks.choices.measures.baselines import PEOPLE
from probsense.tasks.choices.measures.estimates import NAMES, Functions, Study, padded
from probsense.tasks.choices.questions.answers import Given
from probsense.tasks.results import MADE_UP, Results, voiding
from probsense.tasks.shared.items import known_items

LEAST, SILENT = 0.5, 0.1
"""Below these shares of answers that are options, a warning says so, and no estimate rests on them."""
COLUMNS: Final = {
    **dict.fromkeys(("id", "cluster", "data", "group"), pl.String),
    "options": pl.Int64,
    **dict.fromkeys(("people", "people_entropy"), pl.Float64),
    **dict.fromkeys(("gold", "resp"), pl.Int64),
    "covered": pl.Float64,
}
"""Columns of a run's table: what was asked, beside how many people and how spread their answers; the index of the right
option (null for none), and of the most probable one (null where no answer counts), and how much of the answers are
options (null where they were scored). After them comes a column for each measure."""


def measured(
    items: Sequence[Item],
    given: Sequence[Given],
    by: Mapping[str, Json],
    *,
    drop: Sequence[str] = (),
    read: Sequence[str] = (),
    illustrative: bool = False,
    seed: int = 0,
) -> Results:
    """Measure one model's answers beside people's.

    Parameters
    ----------
    items : sequence of Item
    given : sequence of Given
        The answers to each.
    by : Mapping
        The model's name and how it was asked.
    drop : sequence of str
        Options that were left out.
    read : sequence of str
        How the table was read, and what of it counts for nothing.
    illustrative : bool
        Whether nobody was asked, and the answers of people are made up.
    seed : int
        Seeds the random halves of the people.

    Returns
    -------
    Results
        First people's own figures and those that need no model, then the model's.
    """
    study = Study.of(items)
    answered = np.array([one.answers or np.inf for one in given])  # where there is none, there are no shares
    variance = np.array([one.variance for one in given])
    pair = study.beside(padded(items, [one.shares for one in given]), answered, variance)
    own = study.distances
    entropies: Functions = {"entropy": lambda one: entropy(one.q), "entropy_corrected": model_entropy}
    rng = np.random.default_rng([seed, 6])
    curve, calibration = baselines.calibrated(study, pair, by)
    parts = np.array([one.covered for one in given])
    covered = float(parts.mean())  # NaN where options were scored
    too_little = covered < SILENT
    little = f"only {100 * covered:.1f} % of the answers are options"
    rests = "is left out" if too_little else "says little of the model"
    few = f"{little}: what rests on them {rests}; the method options or another prompt format may get more"
    table = _table(items, given, people_entropy(study.people)).with_columns(
        *(
            pl.Series(name, np.where(known, function(pair), np.nan), pl.Float64, nan_to_null=True)
            for name, function in own.items()
            for known in [study.ordered if name == "wasserstein" else True]
        ),
    )
    others = [*baselines.people_estimates(study, by), *baselines.baseline_estimates(study, by, rng)]
    found = [
        *study.estimates(pair, own, by),
        *baselines.score_estimates(study, pair, by, rng),
        *study.estimates(pair, entropies, by, parts=False),
        *calibration,
        *_gold_estimates(table, by),
    ]
    share = [] if np.isnan(covered) else [mean_estimate("covered", by, parts, study.clusters)]
    silent = table["resp"].null_count()
    coverage: dict[str, Json] = {"asked": len(items), "measured": len(items) - silent}
    notes = people_notes(items, drop=drop, read=read)
    if illustrative:
        notes.insert(0, "ProbSense's own example questions were asked; --data FILE asks yours")
    if silent:
        notes.append(
            f"{silent:,} of {len(items):,} questions got no answer that is an option, and count nowhere"
        )
    model = str(by["model"])
    tables = {"choice_shares": shares_table(items, given, model), "choice_calibration": curve}
    return Results(
        [*others, *([] if too_little else found), *share],
        [coverage],
        notes,
        table,
        {} if too_little else {name: one for name, one in tables.items() if not one.is_empty()},
        {model: f"{little}; try the method options"} if too_little else {},
        [
            *([voiding(MADE_UP)] if illustrative else []),
            *([few] if covered < LEAST else []),
            *people_warnings(items),
        ],
        illustrative=illustrative,
    )


def _table(items: Sequence[Item], given: Sequence[Given], spread: Floats) -> pl.DataFrame:
    rows = [
        (
            item.id,
            item.cluster,
            item.data["data"],
            item.data["group"],
            len(item.data["options"]),
            item.data["people"],
            float(own),
            int(item.gold) if item.gold else None,
            None if np.isnan(one.shares).any() else int(one.shares.argmax()),
            None if np.isnan(one.covered) else one.covered,
        )
        for item, one, own in zip(items, given, spread, strict=True)
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def shares_table(items: Sequence[Item], given: Sequence[Given], model: str) -> pl.DataFrame:
    """Arrange the shares of people and of a model for their chart: question, text, model, option, share."""
    rows = [
        (item.id, _words(item), who, option, share)
        for item, one in zip(items, given, strict=True)
        if not np.isnan(one.shares).any()
        for total in [sum(item.data["counts"])]
        for who, shares in (
            (PEOPLE, [count / total for count in item.data["counts"]]),
            (model, one.shares.tolist()),
        )
        for option, share in zip(item.data["options"], shares, strict=True)
    ]
    schema = {**dict.fromkeys(("question", "text", "model", "option"), pl.String), "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _gold_estimates(table: pl.DataFrame, by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the accuracy where some option is right."""
    judged = table.drop_nulls(["gold", "resp"])
    if judged.is_empty():
        return []
    chance = float(np.mean(1 / judged["options"].to_numpy()))
    right = judged["resp"] == judged["gold"]
    return [proportion_estimate("accuracy", by, right, judged["cluster"], chance=chance)]


def run_item_scores(items: Sequence[Item], table: pl.DataFrame, withheld: Sequence[str] = ()) -> ItemScores:
    """Score the items of a run by every distance from people, the corrected one first, and by what is covered.

    Parameters
    ----------
    items : sequence of Item
    table : DataFrame
        That of :func:`measured`.
    withheld : sequence of str
        Why nothing can rest on the answers; then only what is covered is compared.
    """
    known = table.with_columns(accuracy=(pl.col("resp") == pl.col("gold")).cast(pl.Float64))
    names = [name for name in (*NAMES.values(), "accuracy", "covered") if name in known.columns]
    # Right options and what is covered may be known of no item; a distance may be, too, and is compared.
    scores = known.select(name for name in names if name in NAMES.values() or known[name].count())
    return ItemScores(
        known_items(items, table["resp"].to_list()).with_columns(text=pl.Series(map(_words, items))),
        scores.select("covered") if withheld else scores,
        tuple(withheld),
    )


def _words(item: Item) -> str:
    return f"{item.data['context']} {item.data['text']}".strip()


FEW: Final = 20
"""With fewer people a question, plug-in distances mislead."""


def people_warnings(items: Sequence[Item]) -> list[str]:
    """Warn where so few people answered that plug-in distances rank wrongly, and where nobody knows how many did."""
    found = []
    known = sorted(item.data["people"] for item in items if item.data["people"] is not None)
    few = [count for count in known if count < FEW]
    if few:
        found.append(
            f"{len(few):,} of {len(items):,} questions have fewer than {FEW} people, as few as {few[0]:g}: all "
            "distances but the corrected squared one are too large, more so where answers are spread, and other "
            "people may come out further away than equal shares; read the corrected squared distance"
        )
    if unknown := len(items) - len(known):
        found.append(
            f"it is not known how many people answered {unknown:,} of {len(items):,} questions: there is no noise "
            "floor and no correction for these; a column people would give both"
        )
    if 1 < (clusters := len({item.cluster for item in items})) < FEW_CLUSTERS:
        found.append(
            f"the questions make {clusters} independent groups: with fewer than {FEW_CLUSTERS}, intervals cover less "
            "than they say"
        )
    return found


def people_notes(items: Sequence[Item], *, drop: Sequence[str] = (), read: Sequence[str] = ()) -> list[str]:
    """Say how many people answered, how a table was read, and which options and columns were left out."""
    counts = [item.data["people"] for item in items if item.data["people"] is not None]
    found = []
    if counts:
        least, most = (f"{one:,.1f}".removesuffix(".0") for one in (min(counts), max(counts)))
        found.append(f"{least if least == most else f'{least} to {most}'} people answered each question")
    if drop:
        found.append(f"left out, with the people who chose it: {', '.join(drop)}")
    return [*found, *read]
