"""What a site keeps of a run: enough to make every page without asking the store again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError
from probsense.core.records import Json, digest
from probsense.results.comparisons import run_scores
from probsense.results.items.views import ItemView, Reply, item_views
from probsense.results.part import Part, parts_of_runs
from probsense.runs.recipes.recipe import recipe
from probsense.runs.run import Run
from probsense.show.words import Words
from probsense.tasks.registry import words_named
from probsense.tasks.results import Results, table_from_text, table_to_text


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
    recipe : str
        The text of the file with its recipe.
    """

    part: Part
    scores: Scores | None
    replies: Mapping[ItemView, Reply]
    recipe: str

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
        return cls(part, scores, answered, json.dumps(recipe(run).to_json(), ensure_ascii=False))

    def to_json(self) -> dict[str, Json]:
        """Return everything but the words, which belong to the task; :meth:`from_json` is the inverse."""
        return {
            "task": self.part.name,
            "results": replace(self.part.results, table=None).to_json(),
            "facts": [dict(facts) for facts in self.part.facts],
            "warnings": [*self.part.warnings],
            "planned": [*self.part.planned],
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
            "recipe": self.recipe,
        }

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Contribution:
        """Make a contribution of what :meth:`to_json` returned."""
        measured = Results.from_json(known["results"])
        task = known["task"]
        part = Part(
            task,
            _words(task).suited(illustrative=measured.illustrative),
            measured,
            known["facts"],
            known["warnings"],
            planned=known["planned"],
        )
        scores = None if known["scores"] is None else _scores_from_json(known["scores"])
        replies = {
            ItemView(**{name: one[name] for name in _ITEM}): Reply(
                one["given"], tuple((name, share) for name, share in one["shares"]), rest=one["rest"]
            )
            for one in known["replies"]
        }
        return cls(part, scores, replies, known["recipe"])


@cache
def _words(task: str) -> Words:
    """Look up the words of a task once: to find what is installed takes as long as to read a run from the cache."""
    return words_named(task)


def asked_key(items: Sequence[Any]) -> str:
    """Return a key of the questions of a run: equal for runs whose results compare."""
    return digest(sorted([item.id, item.cluster] for item in items))


_ITEM = ("id", "group", "prompt", "gold", "about")
"""What a site keeps of a question."""
_TEXTS = ("name", "detail", "source", "task")


def _scores_to_json(scores: Scores) -> dict[str, Json]:
    return {
        **{name: getattr(scores, name) for name in _TEXTS},
        "items": table_to_text(scores.items),
        "scores": table_to_text(scores.scores),
        "notes": [*scores.notes],
    }


def _scores_from_json(known: Mapping[str, Any]) -> Scores:
    return Scores(
        **{name: known[name] for name in _TEXTS},
        items=table_from_text(known["items"]),
        scores=table_from_text(known["scores"]),
        notes=tuple(known["notes"]),
    )
