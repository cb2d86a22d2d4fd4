"""Every item of some runs with what was answered, as a page lets a reader look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from probsense.core.names import short_ids
from probsense.results.items.differing import Shares, difference
from probsense.results.items.tokens import token_texts
from probsense.runs.transcripts import Transcript, transcripts
from probsense.tasks.base import PeopleAnswers

if TYPE_CHECKING:
    from probsense.core.records import Item
    from probsense.runs import transcripts as transcript
    from probsense.runs.run import Run


MOST = 24
"""Options or different texts that are shown at most: the most probable ones."""
ITEMS: Final = 20_000
"""Items of a task that are looked at one by one, at most; a page has room for fewer."""
SHORT = 60
"""Characters of what a task knows of an item, beyond which it is not told."""


@dataclass(frozen=True, slots=True)
class ItemView:
    """What was asked, and what is known of it; two are equal if the same was asked.

    Attributes
    ----------
    id : str
    group : str
        Where it belongs.
    prompt : str
        Its words; as the first run put them, if runs differ.
    gold : str
        The right answer; "" where there is none.
    about : str
        What else is known.
    short : str
        The id in few characters: see :func:`~probsense.core.names.short_ids`.
    people : PeopleAnswers or None
        How people answered, if that is known.
    difference : float or None
        How much the runs differ: see :func:`~probsense.results.items.differing.difference`.
    """

    id: str
    group: str
    prompt: str
    gold: str
    about: str
    short: str = field(default="", compare=False)
    people: PeopleAnswers | None = field(default=None, compare=False)
    difference: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of an option and of what follows it, as readers know them, with their log-probabilities in nats."""

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
        The probability of each option or label, or how often each answer was given, as a share: at most :data:`MOST`.
    tokens : tuple of Tokens
        Tokens of each option, if options were scored.
    rest, outside, tied
        As in :class:`probsense.runs.transcripts.Reply`.
    prompt : str
        How the question was put, where the run put it in other words than the item has; else "".
    texts : tuple of (str, int)
        The different texts that were written, and how often each was, where they are not the answers themselves.
    failed : bool
        Whether the request failed, so that there is no answer.
    """

    given: str
    shares: tuple[tuple[str, float], ...]
    tokens: tuple[Tokens, ...] = ()
    rest: float | None = None
    outside: float | None = None
    tied: tuple[str, ...] = ()
    prompt: str = ""
    texts: tuple[tuple[str, int], ...] = ()
    failed: bool = False


FAILED: Final = Reply("", (), failed=True)


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
        For each run, for each question; None where the run did not ask it.
    methods : tuple of str
        How each run asked.
    task : str
        The name of the task.
    views : tuple of str
        By which view each run's shares follow from the tokens, and what that means; "" where there is no choice.
    left_out : int
        Number of items that were not looked at.
    """

    name: str
    runs: tuple[str, ...]
    asked: Sequence[ItemView]
    replies: Sequence[Sequence[Reply | None]]
    methods: tuple[str, ...] = ()
    task: str = ""
    views: tuple[str, ...] = ()
    left_out: int = 0

    def spread(self, share: float) -> ItemViews:
        """Keep a share of the items, at even distances."""
        places = _even(len(self.asked), int(len(self.asked) * share))
        return replace(
            self,
            asked=[self.asked[i] for i in places],
            replies=[[own[i] for i in places] for own in self.replies],
        )


def item_views(runs: Sequence[Run]) -> ItemViews:
    """Collect the items of runs of one task. The same question in several runs is one item, however each put it.

    Of more than :data:`ITEMS` different ids, that many are chosen, at even distances.
    """
    found: dict[Hashable, dict[int, Transcript]] = {}
    places, left_out = _chosen(runs)
    for i, run in enumerate(runs):
        for one in transcripts(run, places[i]):
            found.setdefault(_key(one), {})[i] = one
    firsts = [next(iter(own.items())) for own in found.values()]
    prompts = [one.prompt for _, one in firsts]
    short = short_ids([one.item.id for _, one in firsts])
    order = range(len(runs))
    return ItemViews(
        runs[0].words.title,
        tuple(f"{run.model}, asked by {run.method}" for run in runs),
        [
            replace(
                _view(one, runs[i]),
                short=short[k],
                difference=difference([_shares(own[i]) if i in own else None for i in order]),
            )
            for k, ((i, one), own) in enumerate(zip(firsts, found.values(), strict=True))
        ],
        [
            [
                _shown(own[i], prompt) if i in own else None
                for own, prompt in zip(found.values(), prompts, strict=True)
            ]
            for i in order
        ],
        tuple(run.method for run in runs),
        runs[0].record.task,
        tuple(_rule(run) for run in runs),
        left_out,
    )


def _chosen(runs: Sequence[Run]) -> tuple[list[Sequence[int]], int]:
    """Choose items of each run by their places, and count the different ids that are left out."""
    first = runs[0].items
    if all(_same_ids(first, run.items) for run in runs[1:]):
        count = min(len(first), ITEMS)
        return [_even(len(first), count)] * len(runs), len(first) - count
    ids = [*dict.fromkeys(item.id for run in runs for item in run.items)]
    chosen = {ids[place] for place in _even(len(ids), min(len(ids), ITEMS))}
    places = [[place for place, item in enumerate(run.items) if item.id in chosen] for run in runs]
    return [*places], len(ids) - len(chosen)


def _same_ids(one: Sequence[Item], other: Sequence[Item]) -> bool:
    return len(one) == len(other) and all(a.id == b.id for a, b in zip(one, other, strict=True))


def _even(total: int, count: int) -> Sequence[int]:
    """Choose ``count`` places among ``total``, at even distances."""
    return [i * total // count for i in range(count)]


def _rule(run: Run) -> str:
    rule = getattr(run.task, "rule", "") if run.method == "options" else ""
    meaning = run.words.values.get(("view", rule), "")
    return f"{rule}: {meaning}" if meaning else rule


def _view(one: Transcript, run: Run) -> ItemView:
    item, column, task = one.item, run.words.item_group, run.task
    group = str(one.row.get(column, item.data.get(column, "")))
    people = task.people(item)
    return ItemView(item.id, group, one.prompt, one.gold, _about(one, column), people=people)


def _key(one: Transcript) -> Hashable:
    """Tell questions apart by what the item says, where the prompt has it all, and else by the prompt."""
    return one.item.id, one.item.cluster, one.gold, _said(one) or one.prompt


def _about(one: Transcript, column: str) -> str:
    """Put in words what the task knows of an item, except what the question says anyway."""
    known = {
        key: str(value)
        for key, value in one.item.data.items()
        if key != column and isinstance(value, str | int) and value not in _said(one)
    }
    return " · ".join(f"{key}: {value}" for key, value in known.items() if len(value) <= SHORT)


def _said(one: Transcript) -> tuple[str, ...]:
    """Return the phrases of an item that its prompt has."""
    data = one.item.data.values()
    return tuple(value for value in data if isinstance(value, str) and " " in value and value in one.prompt)


def _shares(one: Transcript) -> Shares | None:
    return None if one.reply is None else Shares(dict(one.reply.shares), one.reply.rest)


def _shown(one: Transcript, prompt: str) -> Reply:
    """Keep the largest shares if there are too many; otherwise all, in their order."""
    reply = one.reply
    if reply is None:
        return FAILED
    rows = [*zip_longest(reply.shares, _tokens(reply))]
    if len(rows) > MOST:
        rows = sorted(rows, key=lambda row: -row[0][1])[:MOST]
    texts = Counter(text.strip() for text in reply.texts).most_common(MOST)
    shares = tuple(share for share, _ in rows)
    return Reply(
        reply.given,
        shares,
        tuple(own for _, own in rows if own),
        reply.rest,
        reply.outside,
        reply.tied,
        "" if one.prompt == prompt else one.prompt,
        () if {text for text, _ in texts} <= {name for name, _ in shares} else tuple(texts),
    )


def _tokens(reply: transcript.Reply) -> list[Tokens]:
    request = reply.request
    if request is None or any(score.option.only_sum for score in reply.scores):
        return []
    found = []
    for option, score in zip(request.options, reply.scores, strict=True):
        cut = len(score.option.tokens)
        texts = token_texts((*score.option.tokens, *score.suffix.tokens), option + request.suffix)
        logprobs = (*score.option.logprobs, *score.suffix.logprobs)
        found.append(Tokens(texts[:cut], texts[cut:], logprobs, score.straddles))
    return found
