"""Samples the posterior of cultural consensus: the key of a culture, how well people know it, and how they guess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pooled.chains import largest_r_hat
from probsense.analysis.agreement.pooled.model import Answers

DRAWS = 1000
CHAINS = 4
"""Chains of the sampler, which start at different places."""
_WORK = 2e7
"""With more answers times draws than this, there are fewer draws, but at least a tenth."""
R_HAT = 1.05
"""The largest R-hat of chains that have mixed."""
_APART = (2, 8)
"""Sweeps through all parameters for each draw: first, and in chains that follow those that have not mixed."""
ABILITY_SD, GUESSING_SD, KEY_SD = 2.0, 1.0, 1.5
"""Standard deviations of the normal priors of mean ability, mean guessing and the share of yes in the key, in log
odds."""
SPREAD = 1.0
"""The scale of the half-normal priors of the standard deviations of ability, guessing and difficulty."""
_ABILITIES, _GUESSES, _DIFFICULTIES = (-4.0, 6.0), (-3.2, 3.2), (-4.5, 4.5)
_STEP, _OF_ANSWERS = 0.4, 3.0
"""Points of a grid lie at most this far apart, and no farther than a share of the error of a unit with most answers."""
LEAST_SPREAD = 0.1
"""The smallest of these standard deviations, since a grid cannot show smaller ones."""
_MOVES, _UNUSED = 8, 0.5
"""Metropolis steps in a sweep, and how many sweeps come before the first that counts, for each that counts."""
_SHIFTS = -1.0, 3.0, 3
"""Three moves of all people in a sweep, of these sizes: logarithms to the base 2 of steps of a grid."""
_SCALES, _WITH_GUESSING = np.array([0.25, 1.0, 0.25, 0.05]), (-0.4, -1.4)
"""By how much they move abilities, guesses, the log odds of yes in the key and the log spread of difficulties, beside
what abilities and the key move with guesses."""
_NOTHING = 1e-300


class _Grid(NamedTuple):
    """Hold the points, in log odds, at which abilities, guessing and difficulties may lie."""

    ability: NDArray[np.float64]
    guessing: NDArray[np.float64]
    difficulty: NDArray[np.float64]


class Draws(NamedTuple):
    """Hold draws from the posterior.

    Attributes
    ----------
    ability, guessing : ndarray, shape (draws, people)
        Each person's ability, and the probability of yes when guessing, in log odds.
    state : ndarray of int, shape (draws, statements)
        The place of each statement among :attr:`states`.
    people : ndarray, shape (draws, 4)
        Mean and standard deviation of ability, and of guessing.
    statements : ndarray, shape (draws, 2)
        Log odds of yes in the key, and the standard deviation of difficulties.
    mass : ndarray, shape (statements, states)
        Probability of each key (no, yes) with each difficulty.
    difficulty : ndarray, shape (states / 2,)
        Difficulties of the grid, in log odds.
    r_hat : float
        The largest :func:`~probsense.analysis.agreement.pooled.chains.r_hat` of :attr:`people`, :attr:`statements`
        and the number of yes in the key.
    """

    ability: NDArray[np.float64]
    guessing: NDArray[np.float64]
    state: NDArray[np.int64]
    people: NDArray[np.float64]
    statements: NDArray[np.float64]
    mass: NDArray[np.float64]
    difficulty: NDArray[np.float64]
    r_hat: float

    @property
    def mixed(self) -> bool:
        """Whether the chains have mixed, so that the draws may be used."""
        return not self.r_hat > R_HAT

    @property
    def states(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return the key and the difficulty of each state."""
        return np.repeat([False, True], len(self.difficulty)), np.tile(self.difficulty, 2)

    @property
    def yes(self) -> NDArray[np.float64]:
        """Return the probability that the key is yes, shape (statements,)."""
        return np.asarray(self.mass[:, len(self.difficulty) :].sum(axis=1))


def chance_of_yes(
    key: NDArray[np.bool_],
    difficulty: NDArray[np.float64],
    ability: NDArray[np.float64],
    guessing: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Compute the probability of yes in the extended General Condorcet Model.

    Who knows the key gives it, with probability D = logistic(ability − difficulty); others guess yes with probability
    g: D·z + (1 − D)·g (Batchelder & Romney 1988, Psychometrika 53, 71–92; with difficulties, Oravecz, Anders &
    Batchelder 2015, Psychometrika 80, 341–364).

    Parameters
    ----------
    key, difficulty, ability, guessing : ndarray, of shapes that broadcast
        All but the key in log odds.
    """
    from scipy.special import expit

    return np.asarray(expit(difficulty - ability) * expit(guessing) + key * expit(ability - difficulty))


def condorcet_draws(answers: Answers, rng: np.random.Generator, *, draws: int = DRAWS) -> Draws:
    """Draw from the posterior of the extended General Condorcet Model of :func:`chance_of_yes`.

    Abilities and guessing of people and difficulties of statements are normally distributed in log odds; the mean
    difficulty is 0. All lie on grids, so that people, given the statements, are drawn at once and exactly, and so are
    statements, given the people (Gibbs sampling). Means and standard deviations are drawn with their people or
    statements summed out (partially collapsed: van Dyk & Park 2008, Journal of the American Statistical Association
    103, 790–796), by Metropolis steps of random size, and so are moves of all people together. Draws are moved by up to
    half a step of the grid.

    :data:`CHAINS` chains start at different keys and spreads. If they have not mixed, longer ones take their place.

    Parameters
    ----------
    answers : Answers
        A statement or person without an answer has the distribution of all.
    rng : numpy.random.Generator
    draws : int
        Of all chains. There are fewer, down to a tenth, where there are many answers.
    """
    draws = int(np.clip(_WORK / max(len(answers.yes), 1), draws / 10, draws))
    sampler = _Sampler(answers)
    found = _of_chains(sampler, rng, draws, _APART[0])
    return found if found.mixed else _of_chains(sampler, rng, draws, _APART[1])


def _of_chains(sampler: _Sampler, rng: np.random.Generator, draws: int, apart: int) -> Draws:
    """Take the same number of draws from each chain, ``apart`` sweeps apart."""
    sweeps = max(draws // CHAINS, 2) * apart
    chains = [_chain(sampler, own, sweeps) for own in rng.spawn(CHAINS)]
    person, state, of_people, of_statements = (
        np.concatenate([own[apart - 1 :: apart] for own in part])
        for part in zip(*(chain.drawn for chain in chains), strict=True)
    )
    mass = sum(chain.mass for chain in chains) / CHAINS
    grid = sampler.grid
    ability, guessing = np.unravel_index(person, (len(grid.ability), len(grid.guessing)))
    return Draws(
        _within(grid.ability, ability, rng),
        _within(grid.guessing, guessing, rng),
        state,
        of_people,
        of_statements,
        np.asarray(mass),
        grid.difficulty,
        largest_r_hat(np.stack([chain.traces(len(grid.difficulty)) for chain in chains])),
    )


class _Chain(NamedTuple):
    """Hold the sweeps of a chain: persons, statements, and what both are drawn from; and the mean mass of states."""

    drawn: tuple[NDArray[Any], ...]
    mass: NDArray[np.float64]

    def traces(self, difficulties: int) -> NDArray[np.float64]:
        """Return what should mix, shape (sweeps, quantities)."""
        _, state, of_people, of_statements = self.drawn
        yes = (state >= difficulties).sum(axis=1, keepdims=True)
        return np.concatenate([of_people, of_statements, yes], axis=1)


def _chain(sampler: _Sampler, rng: np.random.Generator, sweeps: int) -> _Chain:
    sampler.start(rng)
    for _ in range(int(_UNUSED * sweeps)):
        sampler.sweep()
    mass = np.zeros((sampler.answers.statements, sampler.states))
    found = []
    for _ in range(sweeps):
        mass += sampler.sweep()
        found.append((sampler.person, sampler.statement, sampler.of_people, sampler.of_statements))
    return _Chain(tuple(np.array(part) for part in zip(*found, strict=True)), mass / sweeps)


def _points(ends: tuple[float, float], most: float) -> NDArray[np.float64]:
    """Lay points between two ends, fine enough for a unit with a number of answers."""
    step = min(_STEP, _OF_ANSWERS / np.sqrt(max(most, 1.0)))
    return np.linspace(*ends, int(np.ceil((ends[1] - ends[0]) / step)) + 1)


def _log_chances(grid: _Grid) -> NDArray[np.float64]:
    """Compute the logarithm of the probability of no and of yes, shape (2, states, people).

    States are keys (no, yes) times difficulties; people are abilities times guesses.
    """
    key, difficulty = (x.ravel()[:, None] for x in np.meshgrid([0, 1], grid.difficulty, indexing="ij"))
    ability, guessing = (x.ravel() for x in np.meshgrid(grid.ability, grid.guessing, indexing="ij"))
    # No is yes with the other key and turned guesses.
    return np.log(
        np.stack(
            [
                chance_of_yes(key == 0, difficulty, ability, -guessing),
                chance_of_yes(key == 1, difficulty, ability, guessing),
            ]
        )
    )


class _Place(NamedTuple):
    """Hold where people are on the grid, and what people and statements are drawn from."""

    person: NDArray[np.int64]
    of_people: NDArray[np.float64]
    of_statements: NDArray[np.float64]


class _Sampler:
    """Hold the current places of people and statements on the grid, and of what they are drawn from."""

    rng: np.random.Generator

    def __init__(self, answers: Answers) -> None:
        from scipy.sparse import csr_array

        self.answers = answers
        most_of_person = np.bincount(answers.person, minlength=1).max()
        most_of_statement = np.bincount(answers.statement, minlength=1).max()
        self.grid = _Grid(
            _points(_ABILITIES, most_of_person),
            _points(_GUESSES, most_of_person),
            _points(_DIFFICULTIES, most_of_statement),
        )
        logs = _log_chances(self.grid).astype(np.float32)
        self.states, self.places = logs.shape[1:]
        self._of_person = logs.reshape(-1, self.places)
        self._of_statement = np.ascontiguousarray(logs.transpose(0, 2, 1)).reshape(-1, self.states)
        self._yes = answers.yes.astype(np.int64)
        cells = np.ones(len(self._yes), np.float32), (answers.statement, np.arange(len(self._yes)))
        self._by_statement = csr_array(cells, shape=(answers.statements, len(self._yes)))
        count = np.bincount(answers.statement, minlength=answers.statements)
        yes = np.bincount(answers.statement, answers.yes, answers.statements)
        self._share = (yes + 0.5) / (count + 1)

    def start(self, rng: np.random.Generator) -> None:
        """Start a chain: at keys that are drawn by the shares of yes, and at any usual means and spreads."""
        self.rng = rng
        middle = len(self.grid.difficulty) // 2
        self.statement = (rng.random(len(self._share)) < self._share) * len(self.grid.difficulty) + middle
        self.person = np.zeros(self.answers.people, np.int64)
        means, spreads = rng.normal(size=3), 0.7 * 2 ** rng.uniform(-1, 1, 3)
        self.of_people = np.array([1.0 + means[0], spreads[0], means[1] / 2, spreads[1]])
        self.of_statements = np.array([means[2] / 2, spreads[2]])

    def sweep(self) -> NDArray[np.float64]:
        """Draw everything once; return the probabilities of statements' states, shape (statements, states)."""
        self._draw_people()
        return self._draw_statements(self._shifted())

    def _draw_people(self) -> None:
        answers, grid = self.answers, self.grid
        cell = self._yes * self.states + self.statement[answers.statement]
        size = answers.people * 2 * self.states
        count = np.bincount(answers.person * (2 * self.states) + cell, minlength=size).astype(np.float32)
        likelihood = _likelihood(count.reshape(answers.people, -1) @ self._of_person)
        both = likelihood.reshape(answers.people, len(grid.ability), len(grid.guessing))

        def abilities(mean: float, sd: float) -> NDArray[np.float64]:
            return normal_mass(grid.ability, mean, sd)

        def guesses(mean: float, sd: float) -> NDArray[np.float64]:
            return normal_mass(grid.guessing, mean, sd)

        of_ability, of_guessing = self.of_people[:2], self.of_people[2:]
        by_ability = both @ guesses(*of_guessing).astype(np.float32)
        of_ability = self._moved(of_ability, by_ability, abilities, ABILITY_SD)
        by_guessing = np.matmul(abilities(*of_ability).astype(np.float32), both)
        of_guessing = self._moved(of_guessing, by_guessing, guesses, GUESSING_SD)
        guessing = guesses(*of_guessing)
        by_ability = both @ guessing.astype(np.float32)
        ability = _drawn(by_ability * abilities(*of_ability), self.rng)
        rest = both[np.arange(answers.people), ability] * guessing
        self.person = ability * len(grid.guessing) + _drawn(rest, self.rng)
        self.of_people = np.concatenate([of_ability, of_guessing])

    def _logs_of_statements(self, person: NDArray[np.int64]) -> NDArray[np.float32]:
        """Compute the log-likelihood of each state of each statement, given where people are."""
        answers = self.answers
        return np.asarray(
            self._by_statement @ self._of_statement[self._yes * self.places + person[answers.person]]
        )

    def _shifted(self) -> NDArray[np.float32]:
        """Move all people together, with statements summed out, and return the latter's log-likelihood.

        How people guess and which keys are yes depend on each other: most people may say yes because they know it, or
        because they guess so. Metropolis steps from one to the other move people's guesses, their abilities, the means
        of both, and what statements are drawn from, at once; some are small, and some reach across the grid.
        """
        shape = len(self.grid.ability), len(self.grid.guessing)
        here = _Place(self.person, self.of_people, self.of_statements)
        logs = self._logs_of_statements(here.person)
        value = self._log_density(logs, here)
        for size in 2 ** self.rng.uniform(*_SHIFTS):
            there = self._proposed(here, size, shape)
            if there is not None:
                of_there = self._logs_of_statements(there.person)
                proposed = self._log_density(of_there, there)
                if np.log(self.rng.random()) < proposed - value:
                    here, logs, value = there, of_there, proposed
        self.person, self.of_people, self.of_statements = here
        return logs

    def _proposed(self, here: _Place, size: float, shape: tuple[int, int]) -> _Place | None:
        """Propose another place, by some steps of the grid; None if a person would leave it."""
        ability, guessing, yes, spread = size * self.rng.normal(size=4) * _SCALES
        by = np.rint([ability + _WITH_GUESSING[0] * guessing, guessing]).astype(np.int64)
        to = [one + move for one, move in zip(np.unravel_index(here.person, shape), by, strict=True)]
        if any(one.min() < 0 or one.max() >= number for one, number in zip(to, shape, strict=True)):
            return None
        steps = np.array([at[1] - at[0] for at in self.grid[:2]])
        of_people = here.of_people.copy()
        of_people[::2] += by * steps
        of_statements = np.array(
            [
                here.of_statements[0] + (yes + _WITH_GUESSING[1] * guessing) * steps[1],
                here.of_statements[1] * np.exp(spread),
            ]
        )
        if of_statements[1] < LEAST_SPREAD:
            return None
        return _Place(np.ravel_multi_index(to, shape), of_people, of_statements)

    def _log_density(self, logs: NDArray[np.float32], at: _Place) -> float:
        """Compute the log-density of a place, with statements summed out, up to a constant."""
        yes, spread = at.of_statements
        likelihood = np.maximum(_likelihood(logs) @ state_mass(self.grid, yes, spread), _NOTHING)
        # The density of log σ is that of σ, times σ.
        prior = np.log(spread) - (spread / SPREAD) ** 2 / 2 - (yes / KEY_SD) ** 2 / 2
        shape = len(self.grid.ability), len(self.grid.guessing)
        for points, places, (mean, sd), mean_sd in zip(
            self.grid,
            np.unravel_index(at.person, shape),
            at.of_people.reshape(2, 2),
            (ABILITY_SD, GUESSING_SD),
            strict=False,
        ):
            mass = np.maximum(normal_mass(points, mean, sd), _NOTHING)
            prior += np.log(mass)[places].sum() - (mean / mean_sd) ** 2 / 2
        return float(logs.max(axis=1).sum() + np.log(likelihood).sum() + prior)

    def _draw_statements(self, logs: NDArray[np.float32]) -> NDArray[np.float64]:
        likelihood = _likelihood(logs)

        def mass(yes: float, spread: float) -> NDArray[np.float64]:
            return state_mass(self.grid, yes, spread)

        self.of_statements = self._moved(self.of_statements, likelihood, mass, KEY_SD)
        weight = likelihood * mass(*self.of_statements)
        self.statement = _drawn(weight, self.rng)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def _moved(
        self,
        at: NDArray[np.float64],
        likelihood: NDArray[np.float32],
        mass: Callable[[float, float], NDArray[np.float64]],
        mean_sd: float,
    ) -> NDArray[np.float64]:
        """Move a mean and a standard deviation by Metropolis steps, with their units summed out."""

        def log_density(mean: float, log_sd: float) -> float:
            sd = float(np.exp(log_sd))
            if sd < LEAST_SPREAD:
                return -np.inf
            # The density of log σ is that of σ, times σ.
            prior = log_sd - (sd / SPREAD) ** 2 / 2 - (mean / mean_sd) ** 2 / 2
            return prior + float(np.log(np.maximum(likelihood @ mass(mean, sd), _NOTHING)).sum())

        now = np.array([at[0], np.log(at[1])])
        value = log_density(*now)
        for size in 10 ** self.rng.uniform(-2, 0, _MOVES):
            to = now + size * self.rng.normal(size=2)
            proposed = log_density(*to)
            if np.log(self.rng.random()) < proposed - value:
                now, value = to, proposed
        return np.array([now[0], np.exp(now[1])])


def normal_mass(at: NDArray[np.float64], mean: float, sd: float) -> NDArray[np.float64]:
    """Return the probability of each point of a grid, by a normal distribution."""
    mass = np.exp(-(((at - mean) / sd) ** 2) / 2)
    return np.asarray(mass / max(mass.sum(), _NOTHING))


def state_mass(grid: _Grid, yes: float, spread: float) -> NDArray[np.float64]:
    """Return the probability of each key (no, yes) and difficulty, shape (states,)."""
    from scipy.special import expit

    return np.outer([expit(-yes), expit(yes)], normal_mass(grid.difficulty, 0.0, spread)).ravel()


def _likelihood(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def _drawn(weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a column for each row."""
    below = weight.cumsum(axis=1)
    place = rng.random(len(weight)) * below[:, -1]
    return np.asarray(np.minimum((below <= place[:, None]).sum(axis=1), weight.shape[1] - 1))


def _within(
    grid: NDArray[np.float64], place: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw within half a step of a point of the grid."""
    return np.asarray(grid[place] + (grid[1] - grid[0]) * (rng.random(place.shape) - 0.5))
