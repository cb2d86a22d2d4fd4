"""Everything that answers amount to: estimates, the tables behind charts, and scores of single items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import filled, match, ratio
from probsense.analysis.agreement.statements import agreement_matrix
from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.distributions.label_mass import binary
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.quantiles import t_p_value
from probsense.analysis.inference.significance import adjust
from probsense.core.records import Item
from probsense.show.words import Words
from probsense.tasks.judgments.charts.individuals import individuals
from probsense.tasks.judgments.charts.panels import by_statement
from probsense.tasks.judgments.measures.coverage import (
    about_answers,
    coverage,
    judged,
    model_warnings,
    notes,
    own_estimates,
    silent_models,
    warnings,
)
from probsense.tasks.judgments.measures.distances import share_distances
from probsense.tasks.judgments.measures.estimates import Settings, estimate_table
from probsense.tasks.judgments.measures.features import feature_estimates
from probsense.tasks.judgments.measures.groups import group_estimates
from probsense.tasks.judgments.measures.individuals import against_majority, against_people
from probsense.tasks.judgments.measures.pq import group_curves
from probsense.tasks.judgments.measures.published import PUBLISHED, published
from probsense.tasks.judgments.people.demographics import Characteristics
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.judgments.questions.wordings import MASSES
from probsense.tasks.results import Note, Results
from probsense.tasks.shared.item_scores import known_items

MAJORITY = "most people"
RATERS = ("model", "name", "a", "b")
"""Columns of tables that name models."""


def tables(study: Study, estimates: Sequence[Estimate]) -> dict[str, pl.DataFrame]:
    """Make every table for which there is something to show.

    Parameters
    ----------
    study : Study
    estimates : sequence of Estimate
        What the same answers amount to.

    Returns
    -------
    dict of str to DataFrame
        "individuals" (score of each person, model and baseline), "statements" (commonsensicality of each to people and
        within each model), "features" (differences between sides), "differences" (between models, with p-values that
        are corrected for their number), "agreement" (between any two models, and with most people).
    """
    return {
        "individuals": individuals(study, estimates),
        "statements": by_statement(study, estimates) if study.persons else pl.DataFrame(),
        "features": estimate_table(estimates, "feature_difference", ["model", "feature"]),
        "differences": differences(estimates),
        "agreement": agreement(study),
    }


def differences(estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate differences between models: measure, model, versus, value, low, high, p, p_holm.

    The p-values are those of Student's t with one degree of freedom less than there are statements or people, whichever
    are fewer, as in the intervals. Holm's correction covers all pairs of models in one measure.
    """
    parts = []
    measures = dict.fromkeys(
        e.measure for e in estimates if e.measure.endswith("_difference") and "versus" in e.by
    )
    for measure in measures:
        frame = estimate_table(estimates, measure, ["model", "versus"])
        chosen = [e for e in estimates if e.measure == measure]
        freedom = [min(e.n, e.clusters) - 1 for e in chosen]
        p = t_p_value(ratio(frame["value"].to_numpy(), np.array([e.stderr for e in chosen])), freedom)
        parts.append(
            frame.select(
                pl.lit(measure.removesuffix("_difference")).alias("measure"),
                pl.all(),
                pl.Series("p", p),
                pl.Series("p_holm", adjust(p, "holm")),
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame()


def agreement(study: Study) -> pl.DataFrame:
    """Tabulate how often any two give the same answer, models and most people: question, a, b, share, kappa, n."""
    parts = []
    for question, answers in (("q1", study.answers.q1), ("q2", study.answers.q2)):
        names = study.models
        if question == "q1":
            names, answers = (*names, MAJORITY), np.vstack([answers, study.key])
        found = agreement_matrix(answers)
        a, b = np.triu_indices(len(names), 1)
        parts.append(
            pl.DataFrame(
                {
                    "question": [question] * len(a),
                    "a": [names[i] for i in a],
                    "b": [names[i] for i in b],
                    "share": found.share[a, b],
                    "kappa": found.kappa[a, b],
                    "n": found.n[a, b].astype(np.int64),
                },
                schema_overrides={"a": pl.String, "b": pl.String, "question": pl.String},
            )
        )
    return pl.concat(parts).filter(pl.col("n") > 0)


def study_results(
    study: Study,
    statements: pl.DataFrame | None,
    settings: Settings,
    words: Words,
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
    words : Words
        Those of the task.
    who : Characteristics or None
        Who the people are, if that is known.
    recorded : bool
        Whether answers are set against one another and published figures reproduced: there are pq curves, and the
        method "published" leaves out nothing.

    Returns
    -------
    Results
        What rests on the answers of silent models is left out. Estimates against people come first, then the models'
        own, then those by features and by group of people. There are no tables if nothing is known of people.
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
    found = words.bounded(found)
    shown = [e for e in found if about_answers(e, silent)]
    drawn = {**tables(study, shown), **shares.tables} if study.beside_people else {}
    if recorded:
        shown = [e for e in found if e.method.startswith(PUBLISHED) or about_answers(e, silent)]
    divisions = who.divided(study.persons) if who and study.persons else None
    curves = group_curves(study, settings, silent) if recorded else Results()
    groups, by_group = group_estimates(study, divisions, silent) if divisions else ([], pl.DataFrame())
    but = " (but not those by the method “published”)" if recorded else ""
    return Results(
        [*shown, *curves.estimates, *groups],
        [{"model": model, **judged(study, model), **coverage(study, model)} for model in study.models],
        [*notes(study), *curves.notes, *(divisions.notes if divisions else ())],
        tables=_without({**drawn, **curves.tables, "groups": by_group}, silent),
        withheld={model: why.short for model, why in silent.items()},
        warnings=[
            *(Note(why.said + but, model) for model, why in silent.items()),
            *warnings(study),
            *(Note.of(why, model) for model in study.models for why in model_warnings(study, model)),
        ],
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
    if study.beside_people:
        agreement = pl.Series("majority_agreement", majority_agreement(table, study), nan_to_null=True)
        scores = scores.insert_column(0, agreement)
    known = known_items(items, labels).with_columns(table["question"].alias("part"))
    silent = tuple(why.said for why in silent_models(study).values())
    people = people_right(items, table, study) if study.persons else None
    return ItemScores(known, scores.select("other_mass") if silent else scores, silent, people=people)


def people_right(items: Sequence[Item], table: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Tell what share of the people who answered each item answered as most do.

    Parameters
    ----------
    items : sequence of Item
    table : DataFrame
        One row for each item, with the columns statement_id and question.
    study : Study

    Returns
    -------
    DataFrame
        Columns item, n and majority_agreement; without the items for which that is unknown.
    """
    people, place = study.people, np.searchsorted(study.ids, table["statement_id"].to_numpy())
    key = filled(study.key)[people.statement]
    found = pl.DataFrame({"item": [item.id for item in items], "question": table["question"]})
    sides = []
    for question, asked, yes in (("q1", people.asked1, people.yes1), ("q2", people.asked2, people.yes2)):
        n, right = (people.by_statement(one)[place] for one in (asked, asked * match(yes, key)))
        side = found.with_columns(n=n.astype(np.int64), majority_agreement=ratio(right, n))
        known = ~np.isnan(study.key[place]) & (n > 0)
        sides.append(side.filter(pl.Series(known) & (pl.col("question") == question)).drop("question"))
    return pl.concat(sides)


def majority_agreement(table: pl.DataFrame, study: Study) -> NDArray[np.float64]:
    """Tell whether each answer is that of most people.

    Parameters
    ----------
    table : DataFrame
        Columns statement_id, question, p_yes, p_no and p_other.
    study : Study
        What people say of the same statements.

    Returns
    -------
    ndarray, shape (rows,)
        1 or 0; 0.5 for a tie; NaN if that is unknown, as it always is for the third question.
    """
    key = study.key[np.searchsorted(study.ids, table["statement_id"].to_numpy())]
    given = binary(table.select(MASSES).to_numpy(), study.policy, key, tie=0.5)
    asked = table["question"].is_in(["q1", "q2"]).to_numpy()
    return np.where(asked, match(given, key), np.nan)
