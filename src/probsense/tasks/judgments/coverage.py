"""How much was asked and answered, and what a reader of the estimates should know."""

from __future__ import annotations

import numpy as np

from probsense.analysis.agreement.statements import MINIMUM_RATERS, raters
from probsense.core.records import Json
from probsense.tasks.judgments.corrected import corrected_notes
from probsense.tasks.judgments.judged import AgainstMajority, AmongPeople, BesidePeople, Judged
from probsense.tasks.judgments.pooled import is_sparse
from probsense.tasks.judgments.questions import QUESTIONS
from probsense.tasks.judgments.silence import Spoken, in_words, spoken

FEW = 30
"""With fewer people or statements than this, a warning says so."""
SPARSE = (
    "few people rated each statement: --pooled fast estimates what everybody says, with intervals that hold in such"
    " studies"
)
NEED = {
    "q1": "everything that sets models against people needs it, and is left out, but for distances from answers to q2",
    "q2": "people's awareness and common sense, percentile, win rate, correlation with people and its ceiling need it,"
    " and are left out",
}
"""What rests on people's answers to a question, by the question."""
MODELS_NEED = {
    "q1": "consensus, common sense and all that compares it with people need it, and are left out",
    "q2": "awareness, common sense and all that compares it with people need it, and are left out",
}
"""What rests on a model's answers to a question, by the question."""


def coverage(judged: Judged, model: str) -> dict[str, Json]:
    """Count the statements that a model answered, that people judged, too, and on which other words come first."""
    i = judged.models.index(model)
    answered = {q: ~np.isnan(judged.mass[q][i, :, 0]) for q in QUESTIONS}
    found: dict[str, Json] = {f"answers_{q}": int(known.sum()) for q, known in answered.items()}
    found |= {
        f"other_first_{q}": int(np.nansum(judged.other_first(q)[i])) for q in QUESTIONS if answered[q].any()
    }
    if isinstance(judged, BesidePeople):
        both = ~np.isnan(judged.key) & answered["q1"] & answered["q2"]
        found["judged_by_people_too"] = int(both.sum())
    return found


def warnings(judged: Judged) -> list[str]:
    """Warn that estimates rest on few people or statements."""
    if not isinstance(judged, AmongPeople):
        return []
    people, rated = len(judged.persons), int((raters(judged.people) > 0).sum())
    if not rated or min(people, rated) >= FEW:
        return []
    return [f"{people:,} people and {rated:,} statements: with so few, all estimates are rough"]


def notes(judged: Judged, *, pooled: bool = False) -> list[str]:
    """Note what a reader should know about the people, and about what could not be computed.

    Parameters
    ----------
    judged : Judged
    pooled : bool
        Whether people's answers are pooled.
    """
    found = []
    match judged:
        case AgainstMajority():
            found.append(
                "only the majority of people is known: percentile, win rate, correlation with people and its ceiling"
                " need the ratings of single people, and are left out"
            )
        case AmongPeople():
            found += [*_notes_on_people(judged), *corrected_notes(judged)]
            if is_sparse(judged) and not pooled:
                found.append(SPARSE)
    if isinstance(judged, BesidePeople) and (unrated := int(np.isnan(judged.key).sum())):
        found.append(f"{unrated:,} of {len(judged.ids):,} statements have no majority of people that counts")
    if judged.policy != "split":
        found.append(f"answers other than yes and no: “{judged.policy}” (by the method “published”: “split”)")
    return found


def _notes_on_people(judged: AmongPeople) -> list[str]:
    found = [f"nobody answered {question}: {NEED[question]}" for question in judged.unanswered]
    counts = raters(judged.people)
    few = int(((counts > 0) & (counts < MINIMUM_RATERS)).sum())
    if few:
        found.append(
            f"{few:,} statements were rated by fewer than {MINIMUM_RATERS} people and do not count"
            " (they do by the method “published”)"
        )
    return found


def model_warnings(judged: Judged, model: str) -> list[str]:
    """Warn of answers that a model did not give, and of those that are mostly other words."""
    i = judged.models.index(model)
    found: list[str] = []
    much: dict[str, Spoken] = {}
    for question in QUESTIONS:
        known = int((~np.isnan(judged.mass[question][i, :, 0])).sum())
        said = spoken(judged.mass[question][i])
        if question in MODELS_NEED and not known:
            found.append(f"no answer to {question}: {MODELS_NEED[question]}")
        elif question in MODELS_NEED and known < len(judged.ids):
            found.append(
                f"no answer to {question} on {len(judged.ids) - known:,} of {len(judged.ids):,} statements"
            )
        if said.other_first > known / 10 and not said.too_little(judged.policy):
            much[question] = said
    if much:
        found.append(f"{in_words(much)}; --other says what becomes of other answers")
    return found
