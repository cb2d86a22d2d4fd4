"""Adaptive series: the answers so far choose the size or depth of the next questions.

The method is that of :mod:`analysis.inference.staircase`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from probsense.analysis.inference.staircase import Observers, Replies, Tally, next_level
from probsense.core.digests import Digests
from probsense.core.errors import InputError
from probsense.core.records import Item, Request
from probsense.tasks.base import Answers, Method
from probsense.tasks.worldsense.generate.design import MATCHED, Design, cells, depths
from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.generator import DrawnTuple, draw_tuple, variant_form
from probsense.tasks.worldsense.generate.matched import DEEP
from probsense.tasks.worldsense.generate.problems import TRAINING, Cell
from probsense.tasks.worldsense.questions.asking import Asked, answer_to, most_requests_of, requests_of
from probsense.tasks.worldsense.questions.format import COMPL

Dial: TypeAlias = Literal["size", "depth"]

FRESH: Final = 50
"""How often a tuple is drawn at most until its forms are new to the series."""

AT_ONCE: Final = 4
"""Tuples that are asked before a level is chosen again; in simulations, thresholds are as exact as with one."""


class Series(NamedTuple):
    """Questions of one problem, whose size or depth is chosen by the answers.

    Attributes
    ----------
    problem : str
    dial : {"size", "depth"}
        What is chosen.
    cells : Mapping of int to sequence of Cell
        What can be asked at each level, ascending.
    tuples : int
        How many tuples are asked.
    regime : str
        How they are drawn.
    """

    problem: str
    dial: Dial
    cells: Mapping[int, Sequence[Cell]]
    tuples: int
    regime: str = MATCHED

    @property
    def name(self) -> str:
        """Name the series, as its items do."""
        return f"{self.problem} by {self.dial}"

    @property
    def levels(self) -> list[int]:
        """List the sizes or depths."""
        return list(self.cells)

    @property
    def trials(self) -> int:
        """Count the trials of the series."""
        return self.tuples * len(TRAINING[self.problem].answers)


class Trial(NamedTuple):
    """A trial that was chosen: where it comes from, what is asked, and the right answer."""

    level: int
    tuple_id: str
    cell: Cell
    asked: Asked
    gold: str


@dataclass
class Course:
    """A series under the answers of one model: the trials that were chosen so far, and what the answers add up to.

    Attributes
    ----------
    series : Series
    seed : sequence of int
    chosen : list of Trial
    entered : list of Replies
        Those to each tuple whose answers are all there, by their weights.
    skins : list of str
        The skin of each of these tuples.
    """

    series: Series
    seed: Sequence[int]
    chosen: list[Trial] = field(default_factory=list)
    entered: list[Replies] = field(default_factory=list)
    skins: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.observers = Observers.of(self.series.levels)
        self._draws = Draws(np.random.default_rng(self.seed))
        self._seen = Digests()
        self._forms: set[str] = set()
        self._queues: dict[int, list[Cell]] = {}

    @property
    def closed(self) -> int:
        """Count the trials whose answers are entered."""
        return len(self.entered) * len(TRAINING[self.series.problem].answers)

    @property
    def tally(self) -> Tally:
        """Add the answers up by their level."""
        return Tally.of(len(self.series.levels), self.entered)

    def advance(self, method: Method, answers: Answers, rule: str) -> None:
        """Choose further trials as far as the answers allow."""
        while not self.waiting(method, answers) and self.closed < self.series.trials:
            for _, trials in groupby(self.chosen[self.closed :], lambda trial: trial.tuple_id):
                self._enter(list(trials), method, answers, rule)
            if self.closed < self.series.trials:
                self.choose(self.series.levels[next_level(self.observers, self.tally)])

    def waiting(self, method: Method, answers: Answers) -> list[Request]:
        """Return the requests about trials that are not entered, if some lack their answer."""
        open_requests = [
            request
            for trial in self.chosen[self.closed :]
            for request in requests_of(trial.asked, method, answers)
        ]
        return open_requests if any(request not in answers for request in open_requests) else []

    def _enter(self, trials: Sequence[Trial], method: Method, answers: Answers, rule: str) -> None:
        """Enter the answers to a tuple."""
        right = wrong = 0.0
        for trial in trials:
            # As in measures.cell_means: 1 and 2 weigh half as much, and are one answer.
            weight = 0.5 if trial.gold in COMPL[:2] else 1.0
            resp = answer_to(trial.asked, method, answers, rule).resp
            if resp == trial.gold or {resp, trial.gold} <= {*COMPL[:2]}:
                right += weight
            else:
                wrong += weight
        level = self.series.levels.index(trials[0].level)
        self.entered.append(Replies(level, right, wrong))
        self.skins.append(trials[0].cell.skin.name)

    def choose(self, level: int) -> None:
        """Draw the next tuples at a level, each of another cell."""
        asked = len(self.chosen) // len(TRAINING[self.series.problem].answers)
        for number in range(asked, min(asked + AT_ONCE, self.series.tuples)):
            drawn = self._new(self._cell(level))
            tuple_id = f"{self.series.name}, tuple {number + 1}"
            for variant in drawn.variants:
                item = item_id(self.series, len(self.chosen))
                asked_now = Asked(item, variant.text, TRAINING[drawn.cell.problem].answers)
                self.chosen.append(Trial(level, tuple_id, drawn.cell, asked_now, variant.gold))

    def _new(self, cell: Cell) -> DrawnTuple:
        """Draw a tuple of forms that the series has not had, as far as there are such."""
        for _ in range(FRESH):
            drawn = draw_tuple(self._draws, cell, self.series.regime, self._seen)
            forms = {variant_form(cell, variant) for variant in drawn.variants}
            if not forms & self._forms:
                break
        self._forms |= forms
        return drawn

    def _cell(self, level: int) -> Cell:
        """Return the next cell of a level; all its cells take turns, in drawn order."""
        queue = self._queues.setdefault(level, [])
        if not queue:
            cells = self.series.cells[level]
            queue += self._draws.sample(cells, len(cells))
        return queue.pop()


def item_id(series: Series, number: int) -> str:
    """Name the item that stands for a trial of a series, whatever will be asked in it."""
    return f"{series.name}, {number + 1}"


def all_series(design: Design, chosen: Sequence[int] = (), limit: int | None = None) -> list[Series]:
    """Make two series for each problem: by size at its smallest depth, and by depth at the largest size.

    Parameters
    ----------
    design : Design
        Its tuples are those of a series. A dial with a single level has no series.
    chosen : sequence of int
        The depths among which answers choose; all there are where empty.
    limit : int, optional
        The largest number of trials of all series together.

    Raises
    ------
    InputError
        If no dial has two levels, or the limit has no room for a tuple of each series.
    """
    found: list[Series] = []
    how = design.tuples, design.regime
    for problem in design.problems:
        known = {n: _depths(design, problem, n, chosen) for n in sorted(design.sizes)}
        shared = set.intersection(*map(set, known.values()))
        if not shared:
            raise InputError(
                f"no depth that {problem} has in all sizes", expected="other sizes or complexities"
            )
        largest = max(known)
        levels: dict[Dial, dict[int, tuple[int, int]]] = {
            "size": {n: (n, min(shared)) for n in known},
            "depth": {depth: (largest, depth) for depth in sorted(known[largest])},
        }
        found += [
            Series(problem, dial, {x: _cells(design, problem, *at) for x, at in places.items()}, *how)
            for dial, places in levels.items()
            if len(places) > 1
        ]
    if not found:
        raise InputError(
            "one size and one depth, so nothing to choose", expected="two sizes or depths at least"
        )
    if limit is None:
        return found
    siblings = sum(len(TRAINING[series.problem].answers) for series in found)
    tuples = min(design.tuples, limit // siblings)
    if not tuples:
        raise InputError(f"a limit of {limit}", expected=f"room for a tuple of each series ({siblings})")
    return [series._replace(tuples=tuples) for series in found]


def check_problems(problems: Sequence[str]) -> None:
    """Refuse problems without a depth of inference.

    Raises
    ------
    InputError
    """
    for problem in problems:
        if problem not in DEEP:
            raise InputError(f"no adaptive series of {problem}", expected=", ".join(DEEP))


def _depths(design: Design, problem: str, size: int, chosen: Sequence[int]) -> list[int]:
    there = depths(design, problem, size)
    return [depth for depth in there if depth in chosen] if chosen else [*there]


def _cells(design: Design, problem: str, size: int, depth: int) -> list[Cell]:
    return cells(replace(design, problems=(problem,), sizes=(size,), depths=(depth,)))


class Adaptive:
    """Several series as the questions of a task: an item is a place in a series, and the answers say what stands there.

    Parameters
    ----------
    series : sequence of Series
    seed : int
    rule : str
        Score that picks the answer among options.
    """

    def __init__(self, series: Sequence[Series], seed: int, rule: str) -> None:
        self.series = series
        self.rule = rule
        self._seed = seed
        self._hardest: list[Course] = []
        self._last: tuple[Answers | None, Method, list[Course]] = (None, "options", [])

    def items(self) -> Sequence[Item]:
        """Return the places of all series."""
        return [
            Item(item_id(series, number), "", "", {"series": which, "number": number})
            for which, series in enumerate(self.series)
            for number in range(series.trials)
        ]

    def courses(self, method: Method, answers: Answers) -> list[Course]:
        """Return all series, as far as the answers allow to choose their trials.

        Answers only come in addition, so the courses of the same mapping go on where they were.
        """
        known, by, courses = self._last
        if known is not answers or by != method:
            courses = self._courses()
            self._last = (answers, method, courses)
        for course in courses:
            course.advance(method, answers, self.rule)
        return courses

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """Return the requests about the trial that stands in a place if every level is the hardest: none is longer."""
        if not self._hardest:
            self._hardest = self._courses()
            for course in self._hardest:
                while len(course.chosen) < course.series.trials:
                    course.choose(course.series.levels[-1])
        which, number = _place(item)
        return most_requests_of(self._hardest[which].chosen[number].asked, method)

    def _courses(self) -> list[Course]:
        return [Course(series, (self._seed, 4, which)) for which, series in enumerate(self.series)]

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return the request about the trial in a place or, while that is not chosen, those on which it depends."""
        which, number = _place(item)
        course = self.courses(method, answers)[which]
        if number < len(course.chosen):
            return requests_of(course.chosen[number].asked, method, answers)
        return course.waiting(method, answers)


def _place(item: Item) -> tuple[int, int]:
    """Return the number of an item's series, and that of its trial in the series."""
    return item.data["series"], item.data["number"]
