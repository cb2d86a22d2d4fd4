"""How often intervals of cultural consensus hold the truth in sparse studies: competence, people's scores, group r.

    python benchmarks/studies/interval_coverage/culture.py [--studies N] [--world NAME] [--out FILE]

Every study is drawn from a world whose true values are known. It stays in ``--out``, as with ``pooled.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from counting import Floats, Rng, held
from made_people import DESIGNS, MANY, RIGHT, Design, among_people, count
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.condorcet import chance_of_yes, condorcet_draws
from probsense.analysis.agreement.pooled.crossed import pooled_shares
from probsense.analysis.agreement.pooled.model import first_answers
from probsense.analysis.agreement.populations import population_scores
from probsense.tasks.judgments.measures.consensus import consensus
from probsense.tasks.judgments.measures.pooled import model_estimates

EVERYBODY = 1500
"""People whose mean is everybody's."""


class Statements(NamedTuple):
    """What is true of statements: location (logit of the usual share), key and difficulty; shapes (statements,)."""

    location: Floats
    key: NDArray[np.bool_]
    difficulty: Floats

    def some(self, which: NDArray[np.int64]) -> Statements:
        """Select statements."""
        return Statements(*(part[which] for part in self))


class Persons(NamedTuple):
    """What is true of people: ability, guessing and leaning, and awareness; shapes (people,)."""

    ability: Floats
    guessing: Floats
    awareness: Floats


class World(NamedTuple):
    """How people answer.

    Attributes
    ----------
    first, second : callable
        Probability of yes to either question, shape (people, statements); the second one takes the majority.
    keyed : bool
        Whether there is a key that people know or do not know.
    """

    first: Callable[[Persons, Statements], Floats]
    second: Callable[[Persons, Statements, NDArray[np.bool_]], Floats]
    keyed: bool


def _keyed(persons: Persons, statements: Statements) -> Floats:
    return chance_of_yes(
        statements.key, statements.difficulty, persons.ability[:, None], persons.guessing[:, None]
    )


def _crossed(persons: Persons, statements: Statements) -> Floats:
    return np.asarray(expit(statements.location + persons.guessing[:, None]))


def _able(persons: Persons, statements: Statements) -> Floats:
    return np.asarray(expit(statements.location * np.exp(0.6 * (persons.ability[:, None] - 0.8))))


def _aware(persons: Persons, statements: Statements, most: NDArray[np.bool_]) -> Floats:
    right = expit(persons.awareness[:, None] - 0.5 * statements.difficulty)
    return np.where(most, right, 1 - right)


def _crossed_too(persons: Persons, statements: Statements, _: NDArray[np.bool_]) -> Floats:
    location = 1.3 * statements.location + 0.4 * statements.difficulty
    return np.asarray(expit(location + 0.5 * (persons.awareness[:, None] - 1.2)))


WORLDS: Mapping[str, World] = {
    "a key, known or guessed": World(_keyed, _aware, True),
    "shares and leanings (crossed logistic)": World(_crossed, _crossed_too, False),
    "people differ in how closely they follow most people": World(_able, _crossed_too, False),
}


def statements(rng: Rng, n: int) -> Statements:
    """Draw statements."""
    return Statements(0.6 + 1.2 * rng.normal(size=n), rng.random(n) < 0.6, rng.normal(size=n))


def persons(rng: Rng, n: int) -> Persons:
    """Draw people."""
    return Persons(
        0.8 + 0.8 * rng.normal(size=n), 0.3 + 0.6 * rng.normal(size=n), 1.2 + 0.7 * rng.normal(size=n)
    )


class Truth(NamedTuple):
    """Everybody's shares of yes to both questions; consensus, awareness, common sense and competence of people."""

    shares: tuple[Floats, Floats]
    consensus: Floats
    awareness: Floats
    commonsensicality: Floats
    competence: Floats


def truth(world: World, about: Statements, share: Floats, who: Persons) -> Truth:
    """Compute what is true of people on statements, of which everybody's share of yes is given."""
    most = share > 0.5
    first, second = world.first(who, about), world.second(who, about, most)
    consensus, awareness = (np.where(most, yes, 1 - yes).mean(axis=1) for yes in (first, second))
    knows = expit(who.ability[:, None] - about.difficulty).mean(axis=1)
    return Truth(
        (first.mean(axis=0), second.mean(axis=0)), consensus, awareness, np.sqrt(consensus * awareness), knows
    )


def everybody(world: World, about: Statements) -> Truth:
    """Compute what is true of everybody."""
    who = persons(np.random.default_rng(0), EVERYBODY)
    return truth(world, about, world.first(who, about).mean(axis=0), who)


def probabilities(rng: Rng, share: Floats) -> Floats:
    """Draw a model's probability of yes, which goes with everybody's share."""
    noise = 0.7 * rng.normal(size=len(share))
    return np.asarray(expit(0.1 + 0.7 * logit(np.clip(share, 1e-6, 1 - 1e-6)) + noise))


@cache
def true_r(name: str) -> float:
    """Compute the correlation of a model's values of statements with everybody's over many statements."""
    rng = np.random.default_rng(1)
    world, about = WORLDS[name], statements(rng, MANY)
    parts = [
        everybody(world, about.some(part)).shares for part in np.array_split(np.arange(MANY), MANY // 500)
    ]
    shares = [np.concatenate(both) for both in zip(*parts, strict=True)]
    own = [probabilities(rng, share) for share in shares]
    both = (population_scores(*pair).commonsensicality for pair in (own, shares))
    return float(np.corrcoef(*both)[0, 1])


def outcome(name: str, design: Design, number: int) -> dict[str, list[float]]:
    """Draw one study: by what is estimated, how often the truth is held, the mean half-width, and the mean error."""
    rng = np.random.default_rng([number, *design, [*WORLDS].index(name)])
    world, about, who = WORLDS[name], statements(rng, design.statements), persons(rng, design.people)
    all_people = everybody(world, about)
    own = truth(world, about, all_people.shares[0], who)
    most = all_people.shares[0] > 0.5
    person, statement = design.ratings(rng)
    first, second = (
        (rng.random(len(person)) < chance[person, statement]).astype(np.float64)
        for chance in (world.first(who, about), world.second(who, about, most))
    )
    people = People(statement, person, first, second, design.statements, design.people)
    individual = [
        np.where(rng.random(design.statements) < RIGHT, most, ~most).astype(np.float64) for _ in range(2)
    ]
    population = [probabilities(rng, share) for share in all_people.shares]
    like_people = Persons(np.array([1.5]), np.array([0.0]), np.array([1.2]))
    answered = (rng.random(design.statements) < world.first(like_people, about)[0]).astype(np.float64)
    both = (np.stack([*pair, answered]) for pair in zip(individual, population, strict=True))
    judged = among_people(("individual", "population", "respondent"), people, *both)
    shares = pooled_shares(people)
    models = {
        (e.measure, e.by["model"]): e
        for e in model_estimates(judged, shares, pooled_shares(people, second=True))
    }
    draws = condorcet_draws(first_answers(people), rng)
    found = consensus(judged, shares, draws, models, rng)
    estimates = {**models, **{(e.measure, e.by["model"]): e for e in found.estimates}}
    theirs = found.persons
    places = theirs["person"].cast(int).to_numpy()
    holds: dict[str, list[float]] = {"chains that have mixed": [float(draws.mixed), 0.0, 0.0]}

    def hold(
        what: str, true: Floats | float, value: Floats | float, low: Floats | float, high: Floats | float
    ) -> None:
        width = np.mean(np.asarray(high) - np.asarray(low)) / 2
        holds[what] = [held(low, high, true), float(width), float(np.mean(np.asarray(value) - true))]

    def hold_estimate(what: str, true: float, measure: str, model: str) -> None:
        e = estimates[measure, model]
        hold(what, true, e.value, e.low, e.high)

    for score in ("consensus", "awareness", "commonsensicality", *(["competence"] if world.keyed else [])):
        columns = (theirs[column].to_numpy() for column in (score, f"{score}_low", f"{score}_high"))
        hold(f"person: {score}", getattr(own, score)[places], *columns)
        measure = score if score == "competence" else f"{score}_pooled"
        hold_estimate(f"everybody: {score}", float(getattr(all_people, score).mean()), measure, "people")
    below = float((all_people.commonsensicality < RIGHT).mean())
    hold_estimate("percentile", below, "percentile_pooled", "individual")
    hold_estimate("group r", true_r(name), "group_r_pooled", "population")
    if world.keyed:
        knows = float(expit(1.5 - about.difficulty).mean())
        hold_estimate("model: competence", knows, "competence", "respondent")
        less = float((all_people.competence < knows).mean())
        hold_estimate("competence percentile", less, "competence_percentile", "respondent")
        key, told = found.key, np.where(about.key, found.key, 1 - found.key)
        sure = np.maximum(key, 1 - key) >= 0.95
        holds["key, 95 % certain"] = [float(np.mean(told[sure] > 0.5)), float(sure.mean()), 0.0]
        holds["key"] = [
            float(np.mean(told > 0.5)),
            float(np.maximum(key, 1 - key).mean()),
            float(np.mean((1 - told) ** 2)),
        ]
    return holds


def table(lines: list[dict]) -> str:
    """Write how often the intervals of all studies hold the truth, and how many studies there are."""
    kinds = [*dict.fromkeys(what for line in lines for what in line["found"])]
    own = [
        (f"{name}: {design.people} × {design.statements}, {design.raters}", chosen)
        for name in WORLDS
        for design in DESIGNS
        if (chosen := [line for line in lines if line["world"] == name and line["design"] == [*design]])
    ]
    rows = [f"| | {' | '.join(title for title, _ in own)} |", f"|---|{'---:|' * len(own)}"]
    for what in kinds:
        cells = []
        for _, chosen in own:
            found = [line["found"][what] for line in chosen if what in line["found"]]
            share, width, error = np.nanmean(found, axis=0) if found else (np.nan,) * 3
            cells.append(f"{100 * share:.1f} % (±{100 * width:.1f}, {100 * error:+.1f})" if found else "")
        rows.append(f"| {what} | {' | '.join(cells)} |")
    rows.append(f"| studies | {' | '.join(str(len(chosen)) for _, chosen in own)} |")
    return "\n".join(rows)


def main() -> None:
    """Draw the studies and print the table."""
    count(outcome, WORLDS, DESIGNS, table, __doc__, Path("culture-coverage.jsonl"))


if __name__ == "__main__":
    main()
