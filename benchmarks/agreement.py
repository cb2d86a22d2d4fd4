"""Measures how many times faster agreement is computed than by loops over people and draws that follow its definition.

    python benchmarks/agreement.py [--models M] [--sample N] [--repeats R]

Loops are written with pandas, as the published computation is, and with numpy alone. They run on a part of the
persons or draws, which all cost the same, and their time is scaled up. Before that, their results are compared. The
ratios compare CPU time in one process, best of the repeats.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from probsense.analysis.agreement.bootstrap import ModelAnswers, two_way_bootstrap
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.scores import majority
from probsense.analysis.agreement.splithalf import DRAWS, SEED, published_split_half
from probsense.analysis.agreement.statements import (
    published_majority,
    published_person_scores,
    published_statement_scores,
    scores_in_place_of_persons,
)
from probsense.analysis.agreement.subgroups import contrast_replicates
from probsense.analysis.inference.resampling import times_drawn

STATEMENTS, PEOPLE, EACH = 4407, 2046, 50
"""The published numbers: statements, people, and statements that each of them rated."""

Floats = NDArray[np.float64]


class Made(NamedTuple):
    """Made-up answers: as answers, as wide tables (statements × people), and of models."""

    people: People
    q1: Floats
    q2: Floats
    answers: ModelAnswers
    features: NDArray[np.bool_]


def make(models: int) -> Made:
    """Make statements on which people lean one way or the other, and models that know it more or less."""
    rng = np.random.default_rng(1)
    leaning = rng.normal(0.7, 1.5, STATEMENTS)
    statement = np.concatenate([rng.choice(STATEMENTS, EACH, replace=False) for _ in range(PEOPLE)])
    person = np.repeat(np.arange(PEOPLE), EACH)
    q1, q2 = (
        (rng.random(len(statement)) < 1 / (1 + np.exp(-leaning[statement]))).astype(np.float64)
        for _ in range(2)
    )
    wide = np.full((2, STATEMENTS, PEOPLE), np.nan)
    wide[0, statement, person], wide[1, statement, person] = q1, q2
    p1, p2 = 1 / (1 + np.exp(-leaning - rng.normal(0, 2, (2, models, STATEMENTS))))
    answers = ModelAnswers(majority(p1), majority(p2), p1, p2)
    features = rng.random((6, STATEMENTS)) < 0.5
    return Made(People(statement, person, q1, q2, STATEMENTS, PEOPLE), *wide, answers, features)


def persons_pandas(made: Made, sample: int) -> Floats:
    """Compute the scores of some persons."""
    q1, q2 = pd.DataFrame(made.q1), pd.DataFrame(made.q2)
    key = (q1.mean(axis=1) >= 0.5).astype(float)
    found = []
    for person in range(sample):
        first, second = q1[person].dropna(), q2[person].dropna()
        found.append(((first == key[first.index]).mean() * (second == key[second.index]).mean()) ** 0.5)
    return np.array(found)


def persons_numpy(made: Made, sample: int) -> Floats:
    key = (np.nanmean(made.q1, axis=1) >= 0.5).astype(float)
    found = []
    for person in range(sample):
        first, second = made.q1[:, person], made.q2[:, person]
        asked1, asked2 = ~np.isnan(first), ~np.isnan(second)
        found.append(((first == key)[asked1].mean() * (second == key)[asked2].mean()) ** 0.5)
    return np.array(found)


def wins_pandas(made: Made, sample: int) -> Floats:
    """Compare each model with each of some persons, shape (models, sample): whether the model wins."""
    q1 = pd.DataFrame(made.q1)
    key = pd.Series(published_majority(made.people))
    own = published_person_scores(made.people).commonsensicality
    found = np.zeros((len(made.answers.q1), sample))
    for m, (first, second) in enumerate(zip(made.answers.q1, made.answers.q2, strict=True)):
        first_, second_ = pd.Series(first), pd.Series(second)
        for person in range(sample):
            rated = q1[person].dropna().index
            consensus = (first_.loc[rated] == key.loc[rated]).mean()
            awareness = (second_.loc[rated] == key.loc[rated]).mean()
            found[m, person] = (consensus * awareness) ** 0.5 > own[person]
    return found


def wins_numpy(made: Made, sample: int) -> Floats:
    key = published_majority(made.people)
    own = published_person_scores(made.people).commonsensicality
    found = np.zeros((len(made.answers.q1), sample))
    for m, (first, second) in enumerate(zip(made.answers.q1, made.answers.q2, strict=True)):
        for person in range(sample):
            rated = ~np.isnan(made.q1[:, person])
            consensus = (first[rated] == key[rated]).mean()
            awareness = (second[rated] == key[rated]).mean()
            found[m, person] = (consensus * awareness) ** 0.5 > own[person]
    return found


def halves_pandas(made: Made, sample: int) -> Floats:
    """Correlate the halves of some splits."""
    q1, q2 = pd.DataFrame(made.q1), pd.DataFrame(made.q2)
    return _halves(sample, lambda half: (q1[half].mean(axis=1).to_numpy(), q2[half].mean(axis=1).to_numpy()))


def halves_numpy(made: Made, sample: int) -> Floats:
    def means(half: NDArray[np.int64]) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore", divide="ignore"):
            first, second = made.q1[:, half], made.q2[:, half]
            return (
                np.nansum(first, axis=1) / (~np.isnan(first)).sum(axis=1),
                np.nansum(second, axis=1) / (~np.isnan(second)).sum(axis=1),
            )

    return _halves(sample, means)


def _halves(sample: int, means: Callable[[NDArray[np.int64]], tuple[Floats, Floats]]) -> Floats:
    rng = np.random.RandomState(SEED)
    found = []
    for _ in range(sample):
        one = rng.choice(PEOPLE, PEOPLE // 2, replace=False)
        scores = []
        for half in (one, np.setdiff1d(np.arange(PEOPLE), one)):
            p, q = (np.where(np.isnan(mean), 0.5, mean) for mean in means(half))
            scores.append((2 * abs(p - 0.5) * np.where(p >= 0.5, q, 1 - q)) ** 0.5)
        found.append(np.corrcoef(*scores)[0, 1])
    return np.array(found)


def features_pandas(made: Made, sample: int) -> Floats:
    """Compute differences between the sides of all features in some draws, shape (sample, vectors, features)."""
    table = pd.DataFrame(_vectors(made).T)
    found = []
    for times in times_drawn(np.random.default_rng(3), STATEMENTS, sample):
        drawn = np.repeat(np.arange(STATEMENTS), times.astype(int))
        rows = table.iloc[drawn]
        found.append([rows[side[drawn]].mean() - rows[~side[drawn]].mean() for side in made.features])
    return np.array(found).transpose(0, 2, 1)


def features_numpy(made: Made, sample: int) -> Floats:
    vectors = _vectors(made)
    found = np.zeros((sample, len(vectors), len(made.features)))
    for d, times in enumerate(times_drawn(np.random.default_rng(3), STATEMENTS, sample)):
        drawn = np.repeat(np.arange(STATEMENTS), times.astype(int))
        for v, vector in enumerate(vectors):
            for f, side in enumerate(made.features):
                inside = side[drawn]
                found[d, v, f] = vector[drawn][inside].mean() - vector[drawn][~inside].mean()
    return found


def _vectors(made: Made) -> Floats:
    """Score the statements: people's commonsensicality, and that of models as if they were one another."""
    human = published_statement_scores(made.people).commonsensicality
    return np.concatenate([human[None], made.answers.p1])


def wins_ours(made: Made, sample: int) -> Floats:
    key = published_majority(made.people)[made.people.statement]
    asked = made.people.asked1
    scores = scores_in_place_of_persons(made.people, *made.answers[:2], key, asked, asked).commonsensicality
    won = scores > published_person_scores(made.people).commonsensicality[:, None]
    return won[:sample].T.astype(np.float64)


def features_ours(made: Made, sample: int) -> Floats:
    rng = np.random.default_rng(3)
    return contrast_replicates(_vectors(made), made.features, ~made.features, rng).draws[:sample]


class Step(NamedTuple):
    """One computation in three ways.

    Attributes
    ----------
    whole, sample : int
        How many persons or draws there are, and how many of them the loops go through.
    pandas, numpy, ours : callable
        Each computes the results of the sample; ours always computes the whole.
    """

    whole: int
    sample: int
    pandas: Callable[[Made, int], Floats]
    numpy: Callable[[Made, int], Floats]
    ours: Callable[[Made, int], Floats]


def steps(sample: int) -> dict[str, Step]:
    """List all comparisons, with ``sample`` draws and ten times as many persons in the longer loops."""
    return {
        "persons' scores": Step(
            PEOPLE,
            PEOPLE,
            persons_pandas,
            persons_numpy,
            lambda made, n: published_person_scores(made.people).commonsensicality[:n],
        ),
        "win rates": Step(PEOPLE, 10 * sample, wins_pandas, wins_numpy, wins_ours),
        "split halves": Step(
            DRAWS, sample, halves_pandas, halves_numpy, lambda made, n: published_split_half(made.people)[:n]
        ),
        "feature bootstrap": Step(DRAWS, sample, features_pandas, features_numpy, features_ours),
    }


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least CPU seconds of some calls."""
    taken = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def main() -> None:
    """Print the table; fail if anything differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=35)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    made, same = make(options.models), True
    print(f"{options.models} models, {PEOPLE:,} people, {STATEMENTS:,} statements, {DRAWS:,} draws")
    for name, (whole, sample, *ways) in steps(options.sample).items():
        found = [way(made, sample) for way in ways]
        same &= all(np.allclose(one, found[-1], rtol=0, atol=1e-12) for one in found[:-1])
        *loops, ours = (seconds(partial(way, made, sample), options.repeats) for way in ways)
        pandas, plain = (loop * whole / sample for loop in loops)
        print(
            f"{name:20}{ours:8.3f} s   pandas {pandas:8.2f} s, {pandas / ours:7,.0f} x"
            f"   numpy {plain:8.2f} s, {plain / ours:7,.0f} x"
        )
    rng = np.random.default_rng(1)
    few = ModelAnswers(*(values[:22] for values in made.answers))
    taken = seconds(lambda: two_way_bootstrap(made.people, few, rng), 1)
    print(f"all intervals of {len(few.q1)} models by the two-way bootstrap: {taken:.1f} s")
    print(f"the same figures from all: {same}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
