"""Leaderboards: models that were asked the same questions, their main estimates and groups, and where they differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from probsense.analysis.comparison.compare import rank_scores
from probsense.analysis.comparison.differences import Difference
from probsense.analysis.comparison.ranking import Ranked
from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.names import slugs
from probsense.core.records import digest
from probsense.results.items.differing import spread
from probsense.results.items.views import ItemView, Reply
from probsense.results.profile.rows import profile_entries
from probsense.results.site.reading import SiteRun
from probsense.runs.store.find import names_apart
from probsense.show.key_results import in_first_view, overall_estimates
from probsense.show.measure import PERCENT, Measure
from probsense.show.tables import PUBLISHED, grid, kinds
from probsense.show.words import Words
from probsense.tasks.registry import words_named

MOST_COLUMNS: Final = 8
"""Measures beside the main one that a leaderboard shows at most."""


@dataclass(frozen=True, eq=False)
class Column:
    """A measure of a leaderboard.

    Attributes
    ----------
    name : str
        The measure; after "1-", if it is shown as 1 less its value.
    style : Measure
    people : float
        Where people are, if that is the same for all questions; else NaN.
    """

    name: str
    style: Measure
    people: float = math.nan


@dataclass(frozen=True, eq=False)
class Row:
    """A run in a leaderboard.

    Attributes
    ----------
    run : SiteRun
    name : str
        The name of its model, with what tells the run from others of the leaderboard.
    values : Mapping of str to Estimate
        Its estimates by the name of the column; "" is the main one.
    place : Ranked or None
    """

    run: SiteRun
    name: str
    values: Mapping[str, Estimate]
    place: Ranked | None = None

    @property
    def main(self) -> Estimate | None:
        """The main estimate; None where there is none."""
        return self.values.get("")


@dataclass(frozen=True, eq=False)
class Board:
    """A leaderboard.

    Attributes
    ----------
    slug, task : str
    words : Words
    asked : str
        Key of the questions.
    items : int
    main : Column or None
        None where no run has an estimate.
    columns : sequence of Column
        The measures beside the main one.
    rows : sequence of Row
        The best first; runs without a main estimate last.
    compared : str
        Title of the measure by which rows are compared pair by pair; "" if they are not.
    differences : sequence of Difference
        Of every two models that are compared, under the names of their runs.
    notes : sequence of str
        What a reader should know.
    """

    slug: str
    task: str
    words: Words
    asked: str
    items: int
    main: Column | None
    columns: Sequence[Column]
    rows: Sequence[Row]
    compared: str = ""
    differences: Sequence[Difference] = ()
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def lower_is_better(self) -> bool:
        """Whether less of the main measure is better."""
        return self.main is not None and self.words.sign(self.main.name) < 0


def boards(runs: Iterable[SiteRun]) -> list[Board]:
    """Make a leaderboard for each task, set of questions and main measure, those of most models first within a task.

    Runs without a main estimate stand on the board of their questions that has most rows.
    """
    groups: dict[tuple[str, str, str], list[tuple[SiteRun, tuple[Column, Estimate] | None]]] = {}
    mains = [(run, _main(run)) for run in runs]
    for run, main in mains:
        if main is not None:
            groups.setdefault((run.record.task, run.asked, main[0].name), []).append((run, main))
    for run, main in mains:
        if main is None:
            own = [key for key in groups if key[:2] == (run.record.task, run.asked)]
            key = max(own, key=lambda key: len(groups[key]), default=(run.record.task, run.asked, ""))
            groups.setdefault(key, []).append((run, None))
    keys = [*groups]
    names = slugs((task, digest([task, asked, measure])) for task, asked, measure in keys)
    made = [_board(name, groups[key]) for name, key in zip(names, keys, strict=True)]
    tasks = [*dict.fromkeys(board.task for board in made)]
    return sorted(made, key=lambda board: (tasks.index(board.task), -len(board.rows)))


def _main(run: SiteRun) -> tuple[Column, Estimate] | None:
    """Find the main estimate of a run: its first entry in the profile, or else its first estimate.

    A task that withholds the estimates of its profile has none instead.
    """
    if run.contribution is None:
        return None
    part = run.contribution.part
    for entry in profile_entries([part]):
        # A share of 1 less the measure is better if it is more.
        name = f"1-{entry.row.measure}" if entry.row.flipped else entry.row.measure
        known = part.words.measure(entry.row.measure)
        title = entry.row.title[:1].upper() + entry.row.title[1:]
        style = Measure(
            title, entry.row.meaning, PERCENT, bounds=(0, 1) if entry.row.flipped else known.bounds
        )
        return Column(name, style, entry.row.people), entry.estimate
    if part.results.withheld:
        return None
    own = [e for e in part.results.estimates if not e.method.startswith(PUBLISHED)]
    return next(
        (
            (Column(measure, part.words.measure(measure)), estimate)
            for measure, method in kinds(own)[:1]
            if (estimate := _overall(own, measure, method, part.words)) is not None
        ),
        None,
    )


def _overall(estimates: Sequence[Estimate], measure: str, method: str, words: Words) -> Estimate | None:
    found = overall_estimates(grid(in_first_view(estimates), measure, method, words))
    return found[0][1] if found and not math.isnan(found[0][1].value) else None


def _board(slug: str, own: Sequence[tuple[SiteRun, tuple[Column, Estimate] | None]]) -> Board:
    first = own[0][0]
    mains = [main for _, main in own if main is not None]
    column = mains[0][0] if mains else None
    known = (run.contribution.part.words for run, _ in own if run.contribution)
    words = next(known, None) or words_named(first.record.task)
    names = _names([run for run, _ in own])
    rows = [
        Row(run, name, _values(run, main[1] if main else None))
        for (run, main), name in zip(own, names, strict=True)
    ]
    board = Board(
        slug, first.record.task, words, first.asked, first.items, column, _columns(rows, words, column), rows
    )
    return _sorted(_compared(board))


def _names(runs: Sequence[SiteRun]) -> list[str]:
    """Name each run of a leaderboard: by its model, and by its own name and the method where these tell it apart."""
    names = names_apart([replace(run.record, model=run.model) for run in runs])
    several = Counter(names)
    return [
        f"{name}, by {run.record.method}" if several[name] > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


def _values(run: SiteRun, main: Estimate | None) -> dict[str, Estimate]:
    """Collect the overall estimate of every measure, by the task's own first method.

    A run whose main estimate its task withholds has none of the others either: they rest on the same answers.
    """
    found = {} if main is None else {"": main}
    if run.contribution is None or (main is None and run.contribution.part.results.withheld):
        return found
    words = run.contribution.part.words
    own = [e for e in run.contribution.part.results.estimates if "versus" not in e.by]
    for measure, method in kinds(own):
        if measure not in found and not method.startswith(PUBLISHED):
            estimate = _overall(own, measure, method, words)
            if estimate is not None:
                found[measure] = estimate
    return found


def _columns(rows: Sequence[Row], words: Words, main: Column | None) -> list[Column]:
    """Choose the measures beside the main one: those that the words of the task name, where a run has them."""
    named = [
        *(row.measure for row in words.profile),
        *words.leading,
        *(measure for group in words.groups if not group.detail for measure in group.measures),
    ]
    shown = {main.name} if main else set()
    wanted = [name for name in dict.fromkeys(named) if name not in shown]
    return [Column(name, words.measure(name)) for name in wanted if any(name in row.values for row in rows)][
        :MOST_COLUMNS
    ]


def _compared(board: Board) -> Board:
    """Rank the rows that have scores of the same items, as ``probsense compare`` does."""
    known = [row for row in board.rows if row.main is not None and row.run.contribution]
    scored = [
        (row, row.run.contribution.scores)
        for row in known
        if row.run.contribution and row.run.contribution.scores
    ]
    if board.main is None or len(scored) < 2:
        return board
    measure = _measure(board.main, [scores for _, scores in scored], board.words)
    if not measure:
        return board
    same = _same_items([scores for _, scores in scored], measure)
    chosen = {
        row.run.record.id: replace(scores, name=row.run.record.id)
        for (row, scores), fits in zip(scored, same, strict=True)
        if fits
    }
    notes = _left_out(board, {*chosen})
    if len(chosen) < 2:
        return replace(board, notes=notes)
    try:
        differences, ranked = rank_scores(
            [chosen[key] for key in sorted(chosen)], measure, board.words.sign(measure)
        )
    except InputError as error:
        return replace(board, notes=[*notes, f"The models are not compared: {error}."])
    places = {one.model: one for one in ranked}
    return replace(
        board,
        rows=[replace(row, place=places.get(row.run.record.id)) for row in board.rows],
        compared=board.words.measure(measure).title if ranked else "",
        differences=differences,
        notes=notes,
    )


def _measure(main: Column, scores: Sequence[Scores], words: Words) -> str:
    """Choose the measure to compare by: the main one, or else the first that has a better direction and all have."""
    shared = [name for name in scores[0].measures if all(name in one.measures for one in scores)]
    own = main.name.removeprefix("1-")
    if own in shared:
        return own
    return next((name for name in shared if words.sign(name)), "")


def _same_items(scores: Sequence[Scores], measure: str) -> list[bool]:
    """Tell which scores are of the set of items, texts and right answers that most of them have."""
    columns = ("item", "text", "gold")
    keys = [digest(one.of(measure).select(pl.struct(columns).sort()).to_series().to_list()) for one in scores]
    ((most, _),) = Counter(keys).most_common(1)
    return [key == most for key in keys]


def _left_out(board: Board, compared: set[str]) -> list[str]:
    names = [row.name for row in board.rows if row.main is not None and row.run.record.id not in compared]
    if not names:
        return []
    return [f"Without a group, as the answered questions are not the same: {', '.join(names)}."]


def _sorted(board: Board) -> Board:
    """Put the best row first, by its main estimate and then by its rank."""
    sign = 1 if board.lower_is_better else -1

    def key(row: Row) -> tuple[float, float, str]:
        value = math.inf if row.main is None or math.isnan(row.main.value) else sign * row.main.value
        return (value, row.place.rank if row.place else math.inf, row.name)

    return replace(board, rows=sorted(board.rows, key=key))


SHOWN: Final = 20
"""Questions that a page shows."""

ALIKE: Final = 1e-9
"""The spread up to which distributions are the same, but for rounding."""


@dataclass(frozen=True, eq=False)
class Differing:
    """A question with the replies of models.

    Attributes
    ----------
    item : ItemView
    spread : float
        See :func:`spread`.
    replies : Mapping of str to Reply
        By the id of the run, in the order of the runs.
    """

    item: ItemView
    spread: float
    replies: Mapping[str, Reply]


def most_differing(runs: Sequence[SiteRun], limit: int = SHOWN) -> list[Differing]:
    """Find the questions with the largest spread of probabilities, the largest first.

    Parameters
    ----------
    runs : sequence of SiteRun
        Those of one leaderboard. What has the same words in several runs is one question.
    limit : int
        The largest number of questions; those that all models answer alike do not count.
    """
    found: dict[ItemView, dict[str, Reply]] = {}
    for run in runs:
        for item, reply in run.contribution.replies.items() if run.contribution else ():
            found.setdefault(item, {})[run.record.id] = reply
    several = [
        Differing(item, spread([*map(distribution, replies.values())]), replies)
        for item, replies in found.items()
        if len(replies) > 1
    ]
    differing = sorted(
        (one for one in several if one.spread > ALIKE), key=lambda one: (-one.spread, one.item.id)
    )
    return differing[:limit]


def distribution(reply: Reply) -> dict[str, float]:
    """Return the probability of each answer, and of none of them as the answer "" if it is known."""
    return dict(reply.shares) | ({"": reply.rest} if reply.rest else {})
