"""How often intervals of sparse studies hold the truth: pooled, corrected, and by drawing statements and people.

    python benchmarks/studies/interval_coverage/pooled.py [--studies N] [--world NAME] [--out FILE]

Every study is drawn from a world whose true values are known. Its intervals stand on one line of ``--out``; a study
that is there is not drawn again, so the command goes on where it was stopped. The table counts all lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from counting import Floats, Rng, held
from made_people import DESIGNS, MANY, RIGHT, Design, among_people, count
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.scores import correlation, majority, match, mean_known, ratio
from probsense.analysis.agreement.statements import MINIMUM_RATERS, raters, yes_share
from probsense.analysis.inference.resampling import Replicates, intervals, times_drawn
from probsense.tasks.judgments.measures.individuals import corrected_estimates
from probsense.tasks.judgments.measures.pooled import pool
from probsense.tasks.judgments.people.study import AmongPeople

DRAWS = 200
"""Draws of the bootstrap."""
WHAT = {
    "share": "share",
    "consensus": "agreement",
    "correlation": "correlation",
}


class World(NamedTuple):
    """How statements and people are drawn.

    Attributes
    ----------
    statements : callable
        Draws the locations of a number of statements, shape (cultures, statements), in log odds.
    person : callable
        Turns locations, shape (people, statements), into log odds of each person's yes.
    cultures : tuple of float
        Share of people of each culture.
    """

    statements: Callable[[Rng, int], Floats]
    person: Callable[[Rng, Floats], Floats]
    cultures: tuple[float, ...] = (1.0,)


def _normal(rng: Rng, n: int) -> Floats:
    return 0.6 + 1.2 * rng.normal(size=(1, n))


def _heavy(rng: Rng, n: int) -> Floats:
    return 0.6 + 0.8 * rng.standard_t(2.5, size=(1, n))


def _two(rng: Rng, n: int) -> Floats:
    first = _normal(rng, n)
    return np.concatenate([first, np.where(rng.random(n) < 0.3, -first, first)])


def _leaning(rng: Rng, location: Floats) -> Floats:
    return location + 0.6 * rng.normal(size=(len(location), 1))


def _able(rng: Rng, location: Floats) -> Floats:
    return location * np.exp(0.5 * rng.normal(size=(len(location), 1)))


def _few_contrary(rng: Rng, location: Floats) -> Floats:
    return location + np.where(rng.random((len(location), 1)) < 0.15, -1.5, 0.25)


WORLDS: Mapping[str, World] = {
    "as modelled": World(_normal, _leaning),
    "heavy tails of statements (t, 2.5)": World(_heavy, _leaning),
    "leanings in two lumps": World(_normal, _few_contrary),
    "people differ in how closely they follow most people": World(_normal, _able),
    "two cultures (70 and 30 % of people), opposed on 30 % of statements": World(_two, _leaning, (0.7, 0.3)),
}


def shares_of(world: World, location: Floats) -> Floats:
    """Compute everybody's share of yes of each statement, as the mean over many people."""
    rng = np.random.default_rng(0)
    many = 2000
    found = np.zeros(location.shape[1])
    for culture, size in zip(location, world.cultures, strict=True):
        for part in np.array_split(np.arange(len(culture)), len(culture) // 500 + 1):
            said = expit(world.person(rng, np.repeat(culture[None, part], many, axis=0)))
            found[part] += size * said.mean(axis=0)
    return found


def _probabilities(rng: Rng, share: Floats) -> Floats:
    """Draw the model's probability of yes, which goes with everybody's share."""
    return np.asarray(expit(0.2 + 0.6 * logit(np.clip(share, 1e-6, 1 - 1e-6)) + rng.normal(size=len(share))))


@cache
def true_correlation(world: str) -> float:
    """Compute the correlation over many statements."""
    rng = np.random.default_rng(1)
    share = shares_of(WORLDS[world], WORLDS[world].statements(rng, MANY))
    return float(np.corrcoef(share, _probabilities(rng, share))[0, 1])


def study(world: World, design: Design, rng: Rng) -> tuple[AmongPeople, Floats]:
    """Draw a study, and everybody's shares. One model answers as an individual, the other one as a population."""
    location = world.statements(rng, design.statements)
    share = shares_of(world, location)
    culture = rng.choice(len(location), size=design.people, p=world.cultures)
    chance = expit(world.person(rng, location[culture]))
    person, statement = design.ratings(rng)
    yes = (rng.random(len(person)) < chance[person, statement]).astype(np.float64)
    people = People(statement, person, yes, np.full(len(yes), np.nan), design.statements, design.people)
    right = rng.random(design.statements) < RIGHT
    said = np.where(right, share > 0.5, share <= 0.5).astype(np.float64)
    models = np.stack([said, _probabilities(rng, share)])
    return among_people(("individual", "population"), people, models), share


def bootstrap(judged: AmongPeople, rng: Rng) -> tuple[Replicates, Replicates, Replicates]:
    """Draw statements and people at once: shares, the model's agreement with the majority, and the correlation."""
    people, answers, x = judged.people, judged.answers.q1[0], judged.shares[0][1]
    yes, asked = people.matrix(people.yes1), people.matrix(people.asked1)
    counted = (raters(people) >= MINIMUM_RATERS).astype(np.float64)
    persons, statements = (times_drawn(rng, n, DRAWS) for n in (people.people, people.statements))
    drawn, own = ratio(persons @ yes, persons @ asked), yes_share(people)
    weight = statements * counted
    return (
        Replicates(own, drawn),
        Replicates(
            np.asarray(mean_known(match(answers, majority(own)), counted)),
            mean_known(match(answers, majority(drawn)), weight),
        ),
        Replicates(correlation(own, x, counted), correlation(drawn, x, weight)),
    )


def outcome(name: str, design: Design, number: int) -> dict[str, dict[str, list[float]]]:
    """Draw one study: by what is estimated and by the way, how often the truth is held, and the mean half-width."""
    rng = np.random.default_rng([number, *design, [*WORLDS].index(name)])
    judged, share = study(WORLDS[name], design, rng)
    pooled = pool(judged, rng)
    corrected = {(e.measure, e.by["model"]): e for e in corrected_estimates(judged, "true majority")}
    ours = {(e.measure, e.by["model"]): e for e in pooled.estimates}
    ends: dict[str, dict[str, tuple[Floats, Floats]]] = {what: {} for what in WHAT}
    ends["share"]["pooled"] = tuple(pooled.tables["shares"][end].to_numpy() for end in ("low", "high"))
    for way, found in (
        ("pooled", ours["consensus_pooled", "individual"]),
        ("corrected", corrected["consensus_corrected", "individual"]),
    ):
        ends["consensus"][way] = np.array([found.low]), np.array([found.high])
    found = ours["share_r", "population"]
    ends["correlation"]["pooled"] = np.array([found.low]), np.array([found.high])
    for what, replicates in zip(WHAT, bootstrap(judged, rng), strict=True):
        drawn = intervals(replicates)
        ends[what]["two-way bootstrap"] = np.atleast_1d(drawn.low), np.atleast_1d(drawn.high)
    truth = {"share": share, "consensus": RIGHT, "correlation": true_correlation(name)}
    return {
        what: {
            way: [held(low, high, truth[what]), float(np.mean(high - low) / 2)]
            for way, (low, high) in by_way.items()
        }
        for what, by_way in ends.items()
    }


COLUMNS = (
    ("share", "pooled"),
    ("share", "two-way bootstrap"),
    ("consensus", "pooled"),
    ("consensus", "corrected"),
    ("consensus", "two-way bootstrap"),
    ("correlation", "pooled"),
    ("correlation", "two-way bootstrap"),
)
"""What is estimated, and the way."""


def table(lines: list[dict]) -> str:
    """Write how often the intervals of all studies hold the truth, and how many studies there are."""
    titles = [f"{WHAT[what]}: {way}" for what, way in COLUMNS]
    rows = [f"| | {' | '.join(titles)} | studies |", f"|---|{'---:|' * (len(titles) + 1)}"]
    for name in WORLDS:
        for design in DESIGNS:
            own = [line["found"] for line in lines if line["world"] == name and line["design"] == [*design]]
            if own:
                shares = [np.mean([found[what][way][0] for found in own]) for what, way in COLUMNS]
                size = f"{design.people} × {design.statements}, {design.raters}"
                cells = " | ".join(f"{100 * share:.1f} %" for share in shares)
                rows.append(f"| {name}: {size} | {cells} | {len(own)} |")
    return "\n".join(rows)


def main() -> None:
    """Draw the studies and print the table."""
    count(outcome, WORLDS, DESIGNS, table, __doc__, Path("pooled-coverage.jsonl"))


if __name__ == "__main__":
    main()
