"""Every item of some runs with what was answered, as a page lets a reader look at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from probsense.records import Item
from probsense.run.transcripts import transcripts

if TYPE_CHECKING:
    from probsense.run import transcripts as transcript
    from probsense.run.evaluate import Run

MOST = 24
"""Options or different texts that are shown at most: the most probable ones."""
SHORT = 60
"""Characters of what a task knows of an item, beyond which it is not told."""


@dataclass(frozen=True, slots=True)
class ItemView:
    """What was asked: where it belongs, its words, the right answer ("" where there is none), what else is known."""

    id: str
    group: str
    prompt: str
    gold: str
    about: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of an option and of what follows it, with their log-probabilities in nats."""

    option: tuple[str, ...]
    suffix: tuple[str, ...]
    logprobs: tuple[float, ...]
    straddles: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """What was answered.

    Attributes
    ----------
    given : str
        The answer that counts; "" where it is none of those that were allowed.
    shares : tuple of (str, float)
        The probability of each option or label, or how often each text was written, as a share.
    tokens : tuple of Tokens
        Tokens of each option, if options were scored.
    """

    given: str
    shares: tuple[tuple[str, float], ...]
    tokens: tuple[Tokens, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemViews:
    """The items of one task, and what each run answered.

    Attributes
    ----------
    name : str
        The title of the task.
    runs : tuple of str
        Names of the runs.
    asked : sequence of ItemView
    replies : sequence of sequence of (Reply or None)
        For each run, for each question; None where it has no answer.
    """

    name: str
    runs: tuple[str, ...]
    asked: Sequence[ItemView]
    replies: Sequence[Sequence[Reply | None]]

    def spread(self, share: float) -> ItemViews:
        """Keep a share of the items, at even distances."""
        total = len(self.asked)
        count = int(total * share)
        places = [i * total // count for i in range(count)]
        return ItemViews(
            self.name,
            self.runs,
            [self.asked[i] for i in places],
            [[own[i] for i in places] for own in self.replies],
        )


def item_views(runs: Sequence[Run]) -> ItemViews:
    """Collect the items of runs of one task. What has the same words in several runs is one item."""
    found: dict[ItemView, dict[int, Reply | None]] = {}
    for i, run in enumerate(runs):
        for question, reply in _of_run(run):
            found.setdefault(question, {})[i] = reply
    return ItemViews(
        runs[0].words.title,
        tuple(f"{run.model}, asked by {run.method}" for run in runs),
        [*found],
        [[replies.get(i) for replies in found.values()] for i in range(len(runs))],
    )


def _of_run(run: Run) -> Iterator[tuple[ItemView, Reply | None]]:
    column = run.words.item_group
    for one in transcripts(run):
        group = str(one.row.get(column, one.item.data.get(column, "")))
        about = _about(one.item, column)
        yield (
            ItemView(one.item.id, group, one.prompt, one.gold, about),
            None if one.reply is None else _shown(one.reply),
        )


def _about(item: Item, column: str) -> str:
    known = {key: value for key, value in item.data.items() if key != column and isinstance(value, str | int)}
    return " · ".join(f"{key}: {value}" for key, value in known.items() if len(str(value)) <= SHORT)


def _shown(reply: transcript.Reply) -> Reply:
    """Keep the largest shares if there are too many; otherwise all, in their order."""
    tokens = [
        Tokens(
            score.option.tokens,
            score.suffix.tokens,
            (*score.option.logprobs, *score.suffix.logprobs),
            score.straddles,
        )
        for score in reply.scores
    ]
    rows = [*zip_longest(reply.shares, tokens)]
    if len(rows) > MOST:
        rows = sorted(rows, key=lambda row: -row[0][1])[:MOST]
    return Reply(reply.given, tuple(share for share, _ in rows), tuple(own for _, own in rows if own))
