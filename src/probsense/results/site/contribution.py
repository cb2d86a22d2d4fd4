"""What a site keeps of a run: enough to make every page without asking the store again."""

from __future__ import annotations

import io
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import Json, digest
from probsense.results.comparisons import run_scores
from probsense.results.items.views import ItemView, Reply, item_views
from probsense.results.part import Part, parts_of_runs
from probsense.runs.run import Run
from probsense.show.words import Words
from probsense.tasks.base import Measured
from probsense.tasks.registry import words_named

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Contribution:
    """What a finished run contributes to a site.

    Attributes
    ----------
    part : Part
        Everything that the report tells of it.
    scores : Scores or None
        What each item is worth in comparisons; None if the task has no scores for single items.
    replies : Mapping of ItemView to Reply
        The answer to each item that was answered; without tokens.
    """

    part: Part
    scores: Scores | None
    replies: Mapping[ItemView, Reply]

    @classmethod
    def of(cls, run: Run) -> Contribution:
        """Collect what a run contributes."""
        (part,) = parts_of_runs([run])
        try:
            scores = run_scores(run)
        except InputError:
            scores = None
        views = item_views([run])
        (replies,) = views.replies
        answered = {
            ItemView(*(getattr(view, name) for name in _ITEM)): Reply(
                reply.given, reply.shares, rest=reply.rest
            )
            for view, reply in zip(views.asked, replies, strict=True)
            if reply is not None and not reply.failed
        }
        return cls(part, scores, answered)

    def to_json(self) -> dict[str, Json]:
        """Return everything but the words, which belong to the task; :meth:`from_json` is the inverse."""
        measured = self.part.measured
        return {
            "task": self.part.name,
            "estimates": [one.to_json() for one in measured.estimates],
            "tables": {name: frame_text(table) for name, table in measured.tables.items()},
            "measured": {name: getattr(measured, name) for name in _PLAIN},
            "facts": [dict(facts) for facts in self.part.facts],
            "warnings": [*self.part.warnings],
            "scores": None if self.scores is None else _scores_to_json(self.scores),
            "replies": [
                {
                    **{name: getattr(view, name) for name in _ITEM},
                    "given": reply.given,
                    "shares": [list(share) for share in reply.shares],
                    "rest": reply.rest,
                }
                for view, reply in self.replies.items()
            ],
        }

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Contribution:
        """Make a contribution of what :meth:`to_json` returned."""
        measured = Measured(
            [Estimate.from_json(one) for one in known["estimates"]],
            tables={name: frame_of(text) for name, text in known["tables"].items()},
            **known["measured"],
        )
        task = known["task"]
        part = Part(
            task,
            _words(task).suited(illustrative=measured.illustrative),
            measured,
            known["facts"],
            known["warnings"],
        )
        scores = None if known["scores"] is None else _scores_from_json(known["scores"])
        replies = {
            ItemView(**{name: one[name] for name in _ITEM}): Reply(
                one["given"], tuple((name, share) for name, share in one["shares"]), rest=one["rest"]
            )
            for one in known["replies"]
        }
        return cls(part, scores, replies)


@cache
def _words(task: str) -> Words:
    """Look up the words of a task once: to find what is installed takes as long as to read a run from the cache."""
    return words_named(task)


def asked_key(items: Sequence[Any]) -> str:
    """Return a key of the questions of a run: equal for runs whose results compare."""
    return digest(sorted([item.id, item.cluster] for item in items))


_PLAIN = [one.name for one in fields(Measured) if one.name not in ("estimates", "table", "tables")]
"""What a run measured that is JSON as it is; the table of its items is not kept."""
_ITEM = ("id", "group", "prompt", "gold", "about")
"""What a site keeps of a question."""
_TEXTS = ("name", "detail", "source", "task")


def _scores_to_json(scores: Scores) -> dict[str, Json]:
    return {
        **{name: getattr(scores, name) for name in _TEXTS},
        "items": frame_text(scores.items),
        "scores": frame_text(scores.scores),
        "notes": [*scores.notes],
    }


def _scores_from_json(known: Mapping[str, Any]) -> Scores:
    return Scores(
        **{name: known[name] for name in _TEXTS},
        items=frame_of(known["items"]),
        scores=frame_of(known["scores"]),
        notes=tuple(known["notes"]),
    )


def frame_text(frame: pl.DataFrame) -> str:
    """Write a table as base 64 of Arrow's format of files; :func:`frame_of` is the inverse."""
    stream = io.BytesIO()
    frame.write_ipc(stream, compression="zstd")
    return b64encode(stream.getvalue()).decode()


def frame_of(text: str) -> pl.DataFrame:
    """Read a table that :func:`frame_text` wrote."""
    import polars as pl

    return pl.read_ipc(io.BytesIO(b64decode(text)))
