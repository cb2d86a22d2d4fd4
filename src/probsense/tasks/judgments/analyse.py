"""The analysis of recorded ratings: what models said, set against what people said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from probsense.agreement.statements import MINIMUM_RATERS, raters
from probsense.errors import InputError
from probsense.records import Json
from probsense.stats.estimate import Estimate
from probsense.tasks.analysis import Analysis
from probsense.tasks.judgments import common
from probsense.tasks.judgments.align import Judged, align
from probsense.tasks.judgments.charts import tables
from probsense.tasks.judgments.demographics import group_figures, read_demographics
from probsense.tasks.judgments.features import feature_figures
from probsense.tasks.judgments.measures import Settings, against_majority, against_people, own_figures
from probsense.tasks.judgments.people import read_majority, read_people
from probsense.tasks.judgments.published import published
from probsense.tasks.judgments.questions import QUESTIONS
from probsense.tasks.judgments.ratings import read_ratings
from probsense.tasks.judgments.sizes import read_sizes, size_figures
from probsense.tasks.judgments.statements import read_statements

FEW = 30
"""With fewer people or statements than this, the reader is warned."""


@dataclass(frozen=True, slots=True)
class Against:
    """What people said: single people's ratings, or what most say, or nothing."""

    people: pl.DataFrame | None = None
    majority: pl.DataFrame | None = None

    def statements(self) -> list[int] | None:
        """The ids of the statements that they judged; None without anything that they said."""
        frame = self.people if self.people is not None else self.majority
        return None if frame is None else frame["statement_id"].unique().to_list()


def read_against(
    humans: Sequence[Path], majority: Path | None, statements: pl.DataFrame | None = None
) -> Against:
    """Read what people said; where both are given, single people's ratings count.

    Parameters
    ----------
    humans : sequence of Path
        One long table or two wide ones.
    majority : Path, optional
        A table with what most people say.
    statements : DataFrame, optional
        In which to find statements that are named by their text.
    """
    if humans:
        return Against(people=read_people(humans, statements))
    return Against() if majority is None else Against(majority=read_majority(majority, statements))


def check_against(humans: Sequence[Path | str], majority: Path | str | None) -> None:
    """Refuse to be given both single people's ratings and a majority of somebody else's making."""
    if humans and majority is not None:
        raise InputError("single people's ratings and a majority", expected="one of them")


def analyse(
    ratings: Sequence[Path],
    *,
    humans: Sequence[Path] = (),
    majority: Path | None = None,
    statements: Path | None = None,
    demographics: Path | None = None,
    sizes: Path | None = None,
    settings: Settings | None = None,
) -> Analysis:
    """Analyse recorded ratings of models.

    Parameters
    ----------
    ratings : sequence of Path
        Tables, or folders of raw results.
    humans : sequence of Path
        Ratings of single people: one long table or two wide ones.
    majority : Path, optional
        What most people say, where single people's ratings are not at hand.
    statements : Path, optional
        The statements with their features.
    demographics : Path, optional
        Who people are.
    sizes : Path, optional
        How large the models are.
    settings : Settings, optional

    Returns
    -------
    Analysis

    Raises
    ------
    InputError
        For a file that is not what it should be; for neither or both of people's ratings and a majority; for a
        model, statement and question that two files have; if models and people judged no statement in common.
    """
    settings = settings or Settings()
    check_against(humans, majority)
    if not humans and majority is None:
        raise InputError(
            "nothing to set the models against", expected="people's ratings, or at least their majority"
        )
    if demographics is not None and not humans:
        raise InputError(
            "characteristics of people without their ratings", expected="single people's ratings"
        )
    texts = None if statements is None else read_statements(statements)
    found = _joined([(path, read_ratings(path, texts)) for path in ratings])
    against = read_against(humans, majority, texts)
    judged = align(found, against.people, against.majority, policy=settings.policy, compat=settings.compat)
    shared = common.common_sense(judged, settings)
    estimates = [*figures(judged, texts, settings), *common.estimates(shared)]
    drawn = {**tables(judged, estimates), **common.tables(shared)}
    remarks = [*notes(judged), *shared.notes]
    if demographics is not None:
        divisions = read_demographics(demographics, judged.persons)
        found_by_group, drawn["groups"] = group_figures(judged, divisions)
        estimates += found_by_group
        remarks += divisions.notes
    if sizes is not None:
        estimates += size_figures(estimates, read_sizes(sizes))
    return Analysis(
        task="judgments",
        run={
            "ratings": [str(path) for path in ratings],
            "humans": [str(path) for path in humans],
            "majority": None if majority is None else str(majority),
            "statements": None if statements is None else str(statements),
            "demographics": None if demographics is None else str(demographics),
            "sizes": None if sizes is None else str(sizes),
            "other": settings.policy,
            "draws": settings.draws,
            "seed": settings.seed,
            "compat": settings.compat,
        },
        estimates=estimates,
        coverage=[{"model": model, **coverage(judged, model)} for model in judged.models],
        notes=[
            *remarks,
            *(f"{model}: {note}" for model in judged.models for note in model_notes(judged, model)),
        ],
        tables=drawn,
    )


def figures(judged: Judged, statements: pl.DataFrame | None, settings: Settings) -> list[Estimate]:
    """Every figure that the data allow: against people first, then the models' own, then by features."""
    found = []
    if judged.people is not None:
        found += against_people(judged, settings)
    elif judged.given is not None:
        found += against_majority(judged, settings)
    if judged.key is not None:
        found += published(judged, settings)
    found += own_figures(judged)
    if statements is not None:
        found += feature_figures(judged, statements, settings)
    return found


def coverage(judged: Judged, model: str) -> dict[str, Json]:
    """On how many statements a model has answers, how many of these people judged, and how many it refused."""
    i = judged.models.index(model)
    answered = {q: ~np.isnan(judged.mass[q][i, :, 0]) for q in QUESTIONS}
    found: dict[str, Json] = {f"answers_{q}": int(known.sum()) for q, known in answered.items()}
    found |= {f"refused_{q}": int(np.nansum(judged.refusals(q)[i])) for q in QUESTIONS if answered[q].any()}
    if judged.key is not None:
        both = ~np.isnan(judged.key) & answered["q1"] & answered["q2"]
        found["judged_by_people_too"] = int(both.sum())
    return found


def notes(judged: Judged) -> list[str]:
    """What a reader should know about the people, and about what could not be computed."""
    found = []
    if judged.people is None and judged.given is not None:
        found.append(
            "only the majority of people is known: percentile, win rate, correlation with people and its ceiling need"
            " the ratings of single people, and are left out"
        )
    if judged.people is not None:
        counts = raters(judged.people)
        few = int(((counts > 0) & (counts < MINIMUM_RATERS)).sum())
        people, rated = len(judged.persons), int((counts > 0).sum())
        if few:
            found.append(
                f"{few:,} statements were rated by fewer than {MINIMUM_RATERS} people and do not count"
                " (they do by the method “published”)"
            )
        if min(people, rated) < FEW:
            found.append(f"{people:,} people and {rated:,} statements: with so few, all figures are rough")
    unrated = 0 if judged.key is None else int(np.isnan(judged.key).sum())
    if unrated:
        found.append(f"{unrated:,} of {len(judged.ids):,} statements have no majority of people that counts")
    if judged.policy != "split":
        found.append(f"answers other than yes and no: “{judged.policy}” (by the method “published”: “split”)")
    return found


def model_notes(judged: Judged, model: str) -> list[str]:
    """What a reader should know about a model's answers."""
    i = judged.models.index(model)
    found, much = [], []
    for question in QUESTIONS:
        known = int((~np.isnan(judged.mass[question][i, :, 0])).sum())
        refused = int(np.nansum(judged.refusals(question)[i]))
        if question != "q3" and known < len(judged.ids):
            found.append(
                f"no answer to {question} on {len(judged.ids) - known:,} of {len(judged.ids):,} statements"
            )
        if refused > known / 10:
            much.append(f"{question} on {refused:,} of {known:,} statements")
    if much:
        found.append(
            f"something else than yes or no is the most probable answer to {', to '.join(much)};"
            " --other says what becomes of that"
        )
    return found


def _joined(parts: Sequence[tuple[Path, pl.DataFrame]]) -> pl.DataFrame:
    """All ratings, each of a model, statement and question once."""
    if not parts:
        raise InputError("no ratings of models", expected="tables, or folders of raw results")
    key = ["model", "statement_id", "question"]
    found = parts[0][1]
    for path, frame in parts[1:]:
        again = frame.join(found, on=key, how="semi")
        if not again.is_empty():
            model, statement, question = again.select(key).row(0)
            raise InputError(
                f"{model}, statement {statement}, {question} again",
                path=path,
                expected="each in one file only",
            )
        found = pl.concat([found, frame])
    return found


def with_by(estimates: Sequence[Estimate], by: Mapping[str, Json]) -> list[Estimate]:
    """The estimates, with what else they speak of."""
    return [replace(estimate, by={**by, **estimate.by}) for estimate in estimates]
