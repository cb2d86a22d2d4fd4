"""Bootstraps and split halves: in every draw they are what the data would give if it came so often."""

import math

import numpy as np
import pytest

from analysis.agreement.counted import agreed, agreements, mean, most
from probsense.analysis.agreement import bootstrap
from probsense.analysis.agreement.models import population_scores
from probsense.analysis.agreement.people import raters, statement_scores
from probsense.analysis.inference.resampling import Replicates, times_drawn

DRAWS = 6


@pytest.fixture
def models(p, answers):
    known = (np.where(np.isnan(q), np.nan, one) for one, q in zip(p, answers, strict=True))
    return bootstrap.ModelAnswers(*answers, *known)


def drawn(people, seed):
    """The numbers of the persons and statements in each draw."""
    rng = np.random.default_rng(seed)
    sizes = people.people, people.statements
    return [rng.multinomial(n, np.full(n, 1 / n), size=DRAWS) for n in sizes]


def written_out(people, models, persons, times):
    """All figures of one draw, by loops over copies."""
    enough = raters(people) >= 3
    places, both = zip(people.statement, people.person, strict=True), zip(people.q1, people.q2, strict=True)
    asked = dict(zip(places, both, strict=True))

    def votes(s, question=0, without=None):
        return [
            asked[s, j][question]
            for j in range(people.people)
            for _ in range(persons[j])
            if j != without and (s, j) in asked and not math.isnan(asked[s, j][question])
        ]

    copies = [s for s in range(people.statements) for _ in range(times[s]) if enough[s] and votes(s)]
    found = {}
    within = []
    for s in copies:
        first = votes(s)
        consensus, n = abs(2 * np.mean(first) - 1), len(first)
        awareness = mean([agreed(y, most(first)) for y in votes(s, question=1)])
        squared = (n * consensus**2 - 1) / (n - 1) if n > 1 else math.nan
        within.append((consensus, awareness, math.sqrt(consensus * awareness), squared))
    columns = np.array(within).T
    names = "consensus", "awareness", "commonsensicality", "consensus_squared"
    found |= {f"people {name}": np.nanmean(column) for name, column in zip(names, columns, strict=True)}

    def score(q1, q2, keys):
        return mean(agreements(q1, keys)), mean(agreements(q2, keys))

    keys = [most(votes(s)) for s in copies]
    own = population_scores(models.p1, models.p2).commonsensicality
    scores, group_r = [], []
    for m in range(len(models.q1)):
        scores.append(score([models.q1[m, s] for s in copies], [models.q2[m, s] for s in copies], keys))
        pair = np.array([columns[2], [own[m, s] for s in copies]])
        pair = pair[:, ~np.isnan(pair).any(axis=0)]
        group_r.append(np.corrcoef(pair)[0, 1])
    found["consensus"], found["awareness"] = np.array(scores).T
    found["commonsensicality"] = np.sqrt(np.prod(scores, axis=1))
    found["group_r"] = np.array(group_r)

    persons_scores, wins, places = [], [], []
    for j in range(people.people):
        if not persons[j]:
            continue
        mine = [s for s in copies if (s, j) in asked]
        keys = [most(votes(s, without=j)) for s in mine]
        x, y = ([asked[s, j][k] for s in mine] for k in (0, 1))
        person = math.sqrt(np.prod(score(x, y, keys)))
        rates = []
        for m in range(len(models.q1)):
            q1 = [models.q1[m, s] if not math.isnan(a) else math.nan for s, a in zip(mine, x, strict=True)]
            q2 = [models.q2[m, s] if not math.isnan(a) else math.nan for s, a in zip(mine, y, strict=True)]
            rates.append(math.sqrt(np.prod(score(q1, q2, keys))))
        for _ in range(persons[j]):
            persons_scores.append(person)
            wins.append([beats(rate, person) for rate in rates])
            places.append([beats(s, person) for s in found["commonsensicality"]])
    found["people person_score"] = np.nanmean(persons_scores)
    found["win_rate"], found["percentile"] = np.nanmean(wins, axis=0), np.nanmean(places, axis=0)
    return found


def beats(x, y):
    return math.nan if math.isnan(x + y) else 0.5 if abs(x - y) < 1e-12 else float(x > y)


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_every_figure_is_that_of_copies_written_out(people, models):
    found = bootstrap.two_way_bootstrap(people, models, np.random.default_rng(2), draws=DRAWS)
    once = np.ones(people.people, int), np.ones(people.statements, int)
    for d, times in enumerate([*zip(*drawn(people, 2), strict=True), once]):
        for name, value in written_out(people, models, *times).items():
            kind, _, rest = name.rpartition(" ")
            replicates = found.people[rest] if kind else found.models[rest]
            own = replicates.draws[d] if d < DRAWS else replicates.value
            np.testing.assert_allclose(own, value, atol=1e-12, err_msg=name)


def test_the_ceiling_is_that_of_halves(people, models):
    found = bootstrap.two_way_bootstrap(people, models, np.random.default_rng(2), draws=2)
    again = np.random.default_rng(2)
    for n in (people.people, people.statements):
        times_drawn(again, n, 2)
    ceiling = found.people["ceiling"].value
    assert ceiling == bootstrap.noise_ceiling(bootstrap.split_half_bootstrap(people, again, draws=2).value)
    of_ceiling = found.models["group_r"].value / ceiling
    np.testing.assert_allclose(found.models["group_r_of_ceiling"].value, of_ceiling, atol=1e-12)


def scores(people, side):
    """Common sense of all statements, by the people of one side."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("probsense.analysis.agreement.people.MINIMUM_RATERS", 1)
        return statement_scores(people.where(side[people.person])).commonsensicality


def r(one, other, times=None):
    """The correlation over statements that both know, each as often as it is drawn."""
    known = (~np.isnan(one + other)).astype(int) * (1 if times is None else times)
    return float(np.corrcoef(np.repeat(one, known), np.repeat(other, known))[0, 1])


def loop(people, seed, draws):
    """As published."""
    answers = np.full((2, people.statements, people.people), np.nan)
    answers[:, people.statement, people.person] = people.q1, people.q2
    rng, found = np.random.RandomState(seed), []
    for _ in range(draws):
        one = rng.choice(people.people, people.people // 2, replace=False)
        halves = []
        for half in (one, np.setdiff1d(np.arange(people.people), one)):
            asked = (~np.isnan(answers[:, :, half])).sum(axis=2)
            p, q = np.where(asked, np.nansum(answers[:, :, half], axis=2) / np.maximum(asked, 1), 0.5)
            halves.append(np.sqrt(2 * np.abs(p - 0.5) * np.where(p >= 0.5, q, 1 - q)))
        found.append(np.corrcoef(*halves)[0, 1])
    return found


def test_published_splits_are_those_of_a_loop(people, monkeypatch):
    expected = loop(people, 100, 30)
    monkeypatch.setattr(bootstrap, "REPLICATE_CELLS", 7 * people.statements)
    np.testing.assert_allclose(bootstrap.published_split_half(people, draws=30), expected, atol=1e-12)


def test_the_bootstrap_draws_statements_that_enough_rated_and_keeps_the_halves(people, monkeypatch):
    monkeypatch.setattr("probsense.analysis.agreement.people.MINIMUM_RATERS", 4)
    found = bootstrap.split_half_bootstrap(people, np.random.default_rng(3), splits=5, draws=8)
    rng = np.random.default_rng(3)
    counted = ~np.isnan(statement_scores(people).consensus)
    halves = []
    for _ in range(5):
        one = np.isin(np.arange(people.people), rng.permutation(people.people)[: people.people // 2])
        halves.append((scores(people, one), scores(people, ~one)))
    n = people.statements
    times = rng.multinomial(n, np.full(n, 1 / n), size=8) * counted
    assert found.value == pytest.approx(
        np.mean([r(*pair, counted.astype(int)) for pair in halves]), abs=1e-12
    )
    expected = [np.mean([r(*pair, row) for pair in halves]) for row in times]
    assert found.draws == pytest.approx(expected, abs=1e-12)


def test_the_published_correlation_leaves_room_up_to_a_higher_ceiling():
    assert bootstrap.noise_ceiling(np.array(0.6)) == pytest.approx(math.sqrt(0.75), abs=1e-12)
    assert np.isnan(bootstrap.noise_ceiling(np.array([-0.1, 0.0]))).all()


def test_the_interval_of_the_ceiling_adds_the_chance_in_a_correlation():
    draws = np.array([0.7, 0.8, 0.9])
    found = bootstrap.ceiling_interval(Replicates(np.array(0.8), draws), 28)
    error = math.sqrt((0.1 / 0.36) ** 2 + 1 / 25)
    assert found.stderr == pytest.approx(0.36 * error, abs=1e-12)
    ends = [math.tanh(math.atanh(0.8) + sign * 1.959963984540054 * error) for sign in (-1, 1)]
    assert [float(found.low), float(found.high)] == pytest.approx(ends, abs=1e-12)
    for value, count in ((1.0, 28), (0.8, 3), (math.nan, 28)):
        unknown = bootstrap.ceiling_interval(Replicates(np.array(value), draws), count)
        assert np.isnan([unknown.stderr, unknown.low, unknown.high]).all()
        assert float(unknown.value) == pytest.approx(value, nan_ok=True)
