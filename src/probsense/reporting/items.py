"""Every item of some runs with what was answered, as a page lets a reader look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from probsense.prob.options import distribution
from probsense.records import (
    Item,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    continued,
)
from probsense.tasks.options import option_answers

if TYPE_CHECKING:
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


def _of_run(run: Run) -> Iterable[tuple[ItemView, Reply | None]]:
    table, column = run.measured.table, run.words.item_group
    rows = {}
    if table is not None:
        columns = [name for name in ("id", column, "resp", "gold") if name in table.columns]
        rows = {row["id"]: row for row in table.select(columns).iter_rows(named=True)}
    answered = {item.id for item in run.outcome.items}
    answers = run.outcome.answers
    for item in run.items:
        row = rows.get(item.id, {})
        requests = run.task.requests(item, run.method, answers)
        group = str(row.get(column, item.data.get(column, "")))
        # A task that chooses its questions by the answers knows the right answer only of what it asked.
        right = item.gold or str(row.get("gold") or "")
        gold = _option(right, item) if right.isdecimal() else right
        question = ItemView(item.id, group, _prompt(requests[0]), gold, _about(item, column))
        if item.id not in answered:
            yield question, None
        else:
            reply = _reply([answers[request] for request in requests], requests, run.task)
            yield question, _counted(reply, row.get("resp"), item)


def _prompt(request: Request) -> str:
    match request:
        case ScoreRequest(prefix=prefix, suffix=suffix):
            return f"{prefix} […]{suffix}" if suffix.strip() else prefix
        case SampleRequest(prompt, turns=turns):
            return continued(turns, prompt)
        case _:
            return request.prompt


def _option(gold: str, item: Item) -> str:
    """Name the right option if it is given by its number."""
    options: Sequence[str] = item.data.get("options", ())
    return str(options[int(gold)]).strip() if int(gold) < len(options) else gold


def _about(item: Item, column: str) -> str:
    known = {key: value for key, value in item.data.items() if key != column and isinstance(value, str | int)}
    return " · ".join(f"{key}: {value}" for key, value in known.items() if len(str(value)) <= SHORT)


def _counted(reply: Reply, resp: str | int | None, item: Item) -> Reply:
    """Put the answer that the task took from a reply into it, if the task says so."""
    if resp is None:
        return reply
    given = _option(str(resp), item) if isinstance(resp, int) else resp
    return Reply(given, reply.shares, reply.tokens)


def _reply(responses: Sequence[Response], requests: Sequence[Request], task: object) -> Reply:
    match requests[0], responses[0]:
        case ScoreRequest() as request, ScoreResponse() as response:
            _, neutral = option_answers(requests, dict(zip(requests, responses, strict=True)))
            # A task that compares options says by which view; one that does not takes them whole.
            rule = getattr(task, "rule", "full" if request.suffix else "sum")
            shares = distribution(response, rule, getattr(task, "temperature", 1.0), neutral).tolist()
            tokens = [
                Tokens(
                    score.option.tokens,
                    score.suffix.tokens,
                    (*score.option.logprobs, *score.suffix.logprobs),
                    score.straddles,
                )
                for score in response.options
            ]
            rows = _largest([*zip(map(str.strip, request.options), shares, tokens, strict=True)])
            known = not any(score.option.only_sum for score in response.options)
            shown = tuple(own for *_, own in rows) if known else ()
            return _most_probable([(name, share) for name, share, _ in rows], shown)
        case _, LabelResponse(mass=mass, other=other):
            best = max(mass, key=mass.__getitem__)
            return Reply(best, (*mass.items(), ("anything else", other)))
        case SampleRequest(), _:
            texts = [text for found in responses if isinstance(found, SampleResponse) for text in found.texts]
            counts = Counter(text.strip() for text in texts).most_common(MOST)
            return _most_probable([(text, count / len(texts)) for text, count in counts])
        case request, response:
            raise TypeError(f"{response!r} is no answer to {request!r}")


def _largest(rows: list[Any]) -> list[Any]:
    """Keep the rows with the largest shares if there are too many; otherwise all, in their order."""
    return sorted(rows, key=lambda row: -row[1])[:MOST] if len(rows) > MOST else rows


def _most_probable(shares: Sequence[tuple[str, float]], tokens: tuple[Tokens, ...] = ()) -> Reply:
    return Reply(max(shares, key=lambda pair: pair[1])[0], tuple(shares), tokens)
