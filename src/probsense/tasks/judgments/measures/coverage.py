"""How much of what models say is yes or no, and what a reader of the estimates should know."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from probsense.analysis.agreement.models import population_scores
from probsense.analysis.agreement.people import MINIMUM_RATERS, majority, raters
from probsense.analysis.distributions.label_mass import Clarity, clarity, refused, split_other
from probsense.analysis.inference.bounded import proportion_estimate
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_of_known
from probsense.core.records import Json
from probsense.show.text import joined
from probsense.tasks.judgments.measures.estimates import SCORES
from probsense.tasks.judgments.measures.individuals import ENOUGH_RATERS, ENOUGH_STATEMENTS, is_covered
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.judgments.questions.wordings import QUESTIONS
from probsense.tasks.results import Note

ANSWERS = ("yes_mass", "other_mass", "other_rate", "first_word_mass")
"""Measures of the answers themselves, which hold whatever the answers are."""
RULE = "results that rest on yes and no are left out"
FEW = 30
"""With fewer people or statements than this, a warning says so."""
SPARSE, FEW_RATERS = 0.5, 30
"""People's answers are sparse if they fill less than this share of the cells, and statements have fewer raters."""
READ_CORRECTED = (
    "few people rated each statement: read the corrected scores, whose intervals hold in such studies"
)
NEED = {
    "q1": "everything that sets models against people needs it, and is left out, but for distances from answers to q2",
    "q2": "people's awareness and common sense, percentile, win rate, correlation with people and its ceiling need it,"
    " and are left out",
}
"""What rests on people's answers to a question, by the question."""
MODELS_NEED = {"q1": "consensus", "q2": "awareness"}
"""The score that rests on a model's answers to a question alone."""


class Silent(NamedTuple):
    """Why the results of a model are left out: a sentence for the reader, and a phrase that says it in short."""

    said: str
    short: str


def silent_models(study: Study) -> dict[str, Silent]:
    """Find the models that say too little, in answer to the first or second question, for what becomes of the rest."""
    found = {}
    for i, model in enumerate(study.models):
        said = {question: clarity(study.mass[question][i]) for question in ("q1", "q2")}
        little = {question: one for question, one in said.items() if one.too_little(study.policy)}
        if little:
            short = f"yes and no have only {_masses_in_words(little)} of the probability"
            found[model] = Silent(f"{_in_words(little)}; {RULE}", short)
    return found


def about_answers(estimate: Estimate, silent: Collection[str]) -> bool:
    """Whether an estimate does not rest on the answers of silent models."""
    named = {estimate.by.get("model"), estimate.by.get("versus")}
    return estimate.measure in ANSWERS or not named & set(silent)


def own_estimates(study: Study) -> list[Estimate]:
    """Estimate what models say, whatever people do.

    By question these are the mean mass of yes and of other answers, how often the answer is yes (a tie counts half)
    and how often "other" comes before both yes and no. For models as populations they are the means over
    statements of consensus, awareness and commonsensicality.
    """
    found = []
    for i, model in enumerate(study.models):
        for question in QUESTIONS:
            mass, by = study.mass[question][i], {"model": model, "question": question}
            found += mean_of_known("yes_mass", by, mass[:, 0])
            found += mean_of_known("other_mass", by, mass[:, 2])
            first = np.where(np.isnan(mass[:, 0]), np.nan, refused(mass))
            rates = {"yes_rate": majority(split_other(mass)[:, 0]), "other_rate": first}
            for name, hits in rates.items():
                found += mean_of_known(name, by, hits, make=proportion_estimate)
    scores = population_scores(*study.shares)
    for name in SCORES:
        for model, values in zip(study.models, getattr(scores, name), strict=True):
            found += mean_of_known(f"group_{name}", {"model": model}, values)
    return found


def coverage(study: Study, model: str) -> dict[str, Json]:
    """Count the statements that a model answered, that people judged, too, and on which other words come first."""
    i = study.models.index(model)
    said = {question: clarity(study.mass[question][i]) for question in QUESTIONS}
    found: dict[str, Json] = {f"answers_{question}": one.known for question, one in said.items()}
    found |= {f"other_first_{question}": one.other_first for question, one in said.items() if one.known}
    if study.beside_people:
        both = study.key + study.mass["q1"][i, :, 0] + study.mass["q2"][i, :, 0]
        found["judged_by_people_too"] = int((~np.isnan(both)).sum())
    return found


def notes(study: Study) -> list[str]:
    """Note what a reader should know about the people, and about what could not be computed."""
    found = []
    if study.majority is not None:
        found.append(
            "only the majority of people is known: percentile, win rate, correlation with people and its ceiling"
            " need the ratings of single people, and are left out"
        )
    if study.persons:
        counts = raters(study.people)
        rated = counts[counts > 0]
        found += [f"nobody answered {question}: {NEED[question]}" for question in study.unanswered]
        if few := int((rated < MINIMUM_RATERS).sum()):
            found.append(
                f"{few:,} statements were rated by fewer than {MINIMUM_RATERS} people and do not count"
                " (they do by the method “published”)"
            )
        if not is_covered(study):
            found.append(
                f"corrected scores have no interval: with fewer than {ENOUGH_STATEMENTS} statements or"
                f" {ENOUGH_RATERS} raters a statement, their coverage is unknown"
            )
        if len(rated) and rated.mean() < min(FEW_RATERS, SPARSE * len(study.persons)):
            found.append(READ_CORRECTED)
    if study.beside_people and (unrated := int(np.isnan(study.key).sum())):
        found.append(f"{unrated:,} of {len(study.ids):,} statements have no majority of people that counts")
    if study.policy != "split":
        found.append(f"answers other than yes and no: “{study.policy}” (by the method “published”: “split”)")
    return found


def warnings(study: Study) -> Iterator[Note]:
    """Warn of few people or statements, of answers that models did not give, and of other words in their place."""
    people, rated = len(study.persons), int((raters(study.people) > 0).sum())
    if rated and min(people, rated) < FEW:
        yield Note(f"{people:,} people and {rated:,} statements: with so few, all estimates are rough")
    asked = len(study.ids)
    for i, model in enumerate(study.models):
        said = {question: clarity(study.mass[question][i]) for question in QUESTIONS}
        for question, score in MODELS_NEED.items():
            missing = asked - said[question].known
            if missing == asked:
                need = f"{score}, common sense and all that compares it with people need it, and are left out"
                yield Note(f"no answer to {question}: {need}", model, voids=True)
            elif missing:
                yield Note(f"no answer to {question} on {missing:,} of {asked:,} statements", model)
        much = {
            question: one
            for question, one in said.items()
            if one.other_first > one.known / 10 and not one.too_little(study.policy)
        }
        if much:
            yield Note(f"{_in_words(much)}; --other says what becomes of other answers", model)


def _in_words(said: Mapping[str, Clarity]) -> str:
    """Say how far the answers to some questions are yes or no."""
    known = {one.known for one in said.values()}
    first = [
        f"{one.other_first:,}" + (f" of {one.known:,}" if len(known) > 1 else "") for one in said.values()
    ]
    of = f" of {known.pop():,}" if len(known) == 1 else ""
    return (
        f"yes and no have {_masses_in_words(said)} of the probability of the first word, and other words are more"
        f" probable than both on {joined(first)}{of} statements"
    )


def _masses_in_words(said: Mapping[str, Clarity]) -> str:
    return joined([f"{100 * one.mass:.1f} % ({question})" for question, one in said.items()])
