"""Everything that answers amount to: estimates, the tables behind charts, and scores of single items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from probsense.analysis.agreement.people import match, person_scores, raters
from probsense.analysis.arrays import filled, ratio
from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import Item
from probsense.tasks.judgments.measures.coverage import (
    about_answers,
    coverage,
    notes,
    own_estimates,
    silent_models,
    warnings,
)
from probsense.tasks.judgments.measures.distances import share_distances
from probsense.tasks.judgments.measures.estimates import BASELINE, PEOPLE, Settings, estimate_table, overall
from probsense.tasks.judgments.measures.groups import commonsensicality, feature_estimates, group_estimates
from probsense.tasks.judgments.measures.individuals import against_majority, against_people
from probsense.tasks.judgments.measures.pq import group_curves
from probsense.tasks.judgments.measures.published import PUBLISHED, published
from probsense.tasks.judgments.people.opinions import Characteristics
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.judgments.questions.wordings import MASSES
from probsense.tasks.judgments.words import WORDS
from probsense.tasks.results import Note, Results
from probsense.tasks.shared.items import known_items

RATERS = ("model", "name")
"""Columns of tables that name models."""


def individuals(study: Study, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate commonsensicality as individuals: kind ("person", "model", "baseline"), name, score, low, high."""
    scores = person_scores(study.people).commonsensicality.tolist() if study.persons else []
    rows: list[tuple[object, ...]] = [
        ("person", name, score, None, None) for name, score in zip(study.persons, scores, strict=True)
    ]
    for e in overall(estimates, "commonsensicality"):
        name = str(e.by["model"])
        if name != PEOPLE:
            kind = "baseline" if name.startswith(BASELINE) else "model"
            rows.append((kind, name.removeprefix(BASELINE), e.value, e.low, e.high))
    numbers = dict.fromkeys(("score", "low", "high"), pl.Float64)
    table = pl.DataFrame(rows, schema={"kind": pl.String, "name": pl.String, **numbers}, orient="row")
    return table.filter(pl.col("score").is_not_nan()).with_columns(pl.col("low", "high").fill_nan(None))


def by_statement(study: Study) -> pl.DataFrame:
    """Tabulate commonsensicality to people and in each model: model, statement_id, raters, people, value."""
    people, *models = commonsensicality(study)[1]
    about = {"statement_id": study.ids, "raters": raters(study.people).astype(np.int64), "people": people}
    found = [
        pl.DataFrame({"model": [name] * len(people), **about, "value": own})
        for name, own in zip(study.models, models, strict=True)
    ]
    return pl.concat(found).filter(pl.col("people").is_not_nan() & pl.col("value").is_not_nan())


def study_results(
    study: Study,
    statements: pl.DataFrame | None,
    settings: Settings,
    who: Characteristics | None,
    *,
    recorded: bool = False,
) -> Results:
    """Derive everything that the data allow.

    Parameters
    ----------
    study : Study
    statements : DataFrame or None
        The statements with their features, as from
        :func:`~probsense.tasks.judgments.questions.statements.read_statements`.
    settings : Settings
    who : Characteristics or None
        Who the people are, if that is known.
    recorded : bool
        Whether answers are set against one another and published figures reproduced: there are pq curves, and the
        method "published" leaves out nothing.

    Returns
    -------
    Results
        What rests on the answers of silent models is left out. Estimates against people come first, then the models'
        own, then those by features and by group of people. The tables behind charts are "individuals" (score of each
        person, model and baseline), "statements" (commonsensicality of each to people and within each model),
        "features" (differences between sides), those of :func:`share_distances` and :func:`group_curves`, and "groups";
        none if nothing is known of people.
    """
    silent = silent_models(study)
    found: list[Estimate] = []
    shares = Results()
    if study.persons:
        shares = share_distances(study, statements, settings.generator(6))
        found += [*against_people(study, settings), *published(study, settings), *shares.estimates]
    elif study.majority is not None:
        found += [*against_majority(study, settings), *published(study, settings)]
    found += own_estimates(study)
    if statements is not None:
        found += feature_estimates(study, statements, settings)
    found = WORDS.bounded(found)
    shown = [e for e in found if about_answers(e, silent)]
    drawn = {}
    if study.beside_people:
        drawn = {
            "individuals": individuals(study, shown),
            "statements": by_statement(study) if study.persons else pl.DataFrame(),
            "features": estimate_table(shown, "feature_difference", ["model", "feature"]),
            **shares.tables,
        }
    if recorded:
        shown = [e for e in found if e.method.startswith(PUBLISHED) or about_answers(e, silent)]
    divisions = who.divided(study.persons) if who and study.persons else None
    curves = group_curves(study, settings, silent) if recorded else Results()
    groups, by_group = group_estimates(study, divisions, silent) if divisions else ([], pl.DataFrame())
    answered = np.any([~np.isnan(mass[..., 0]) for mass in study.mass.values()], axis=0)
    but = " (but not those by the method “published”)" if recorded else ""
    return Results(
        [*shown, *curves.estimates, *groups],
        [
            {"model": model, "asked": len(study.ids), "answered": int(count), **coverage(study, model)}
            for model, count in zip(study.models, answered.sum(axis=1), strict=True)
        ],
        [*notes(study), *curves.notes, *(divisions.notes if divisions else ())],
        tables=_without({**drawn, **curves.tables, "groups": by_group}, silent),
        withheld={model: why.short for model, why in silent.items()},
        warnings=[*(Note(why.said + but, model) for model, why in silent.items()), *warnings(study)],
    )


def _without(found: Mapping[str, pl.DataFrame], silent: Collection[str]) -> dict[str, pl.DataFrame]:
    """Leave the rows of silent models out of the tables behind charts, and empty tables."""
    heard = {
        name: table.filter(True, *(~pl.col(c).is_in([*silent]) for c in RATERS if c in table.columns))
        for name, table in found.items()
    }
    return {name: table for name, table in heard.items() if not table.is_empty()}


def run_item_scores(items: Sequence[Item], table: pl.DataFrame, study: Study) -> ItemScores:
    """Score the items of a run.

    Parameters
    ----------
    items : sequence of Item
    table : DataFrame
        One row for each item: the table that :meth:`~probsense.tasks.judgments.task.Judgments.measure` makes.
    study : Study
        The same answers, of one model, or of the population of its personas.

    Returns
    -------
    ItemScores
        A part is a question. The measures are "yes_mass" and "other_mass", and before them "majority_agreement" if it
        is known what most people say. Of a model that says too little, "other_mass" alone can be compared.
    """
    most = table.select(pl.concat_list(MASSES).list.arg_max()).to_series().to_list()
    labels = [None if place is None else MASSES[place].removeprefix("p_") for place in most]
    scores = table.select(yes_mass="p_yes", other_mass="p_other")
    known = table.select("statement_id", "question").join(
        _agreement_by_item(study), on=["statement_id", "question"], how="left", maintain_order="left"
    )
    if study.beside_people:
        scores = scores.insert_column(0, known["majority_agreement"])
    people = None
    if study.persons:
        names = pl.Series("item", [item.id for item in items])
        people = known.select(names, "n", majority_agreement="people").drop_nulls()
    about = known_items(items, labels).with_columns(part=table["question"])
    silent = tuple(why.said for why in silent_models(study).values())
    return ItemScores(about, scores.select("other_mass") if silent else scores, silent, people=people)


def _agreement_by_item(study: Study) -> pl.DataFrame:
    """Tabulate agreement with most people: statement_id, question, majority_agreement, n, people.

    The first is that of the model: 1 or 0, or 0.5 for a tie; ``people`` is the share of n people. Each is null where
    it is unknown, as both always are for the third question.
    """
    people, key = study.people, study.key
    parts = []
    for question, answers, asked, yes in (
        ("q1", study.answers.q1, people.asked1, people.yes1),
        ("q2", study.answers.q2, people.asked2, people.yes2),
    ):
        right = people.by_statement(asked * match(yes, filled(key)[people.statement]))
        n = people.by_statement(asked)
        shares = {"majority_agreement": match(answers[0], key), "people": ratio(right, n) + 0 * key}
        about = {"statement_id": study.ids, "question": np.full(len(key), question), "n": n.astype(np.int64)}
        parts.append(pl.DataFrame(about | shares).fill_nan(None))
    return pl.concat(parts)
