"""The task: its options, its questions, and what it brings to the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import polars as pl

from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.distributions.option_views import distribution
from probsense.core.records import Item, Json, PromptForm, Request, ScoreRequest, ScoreResponse
from probsense.show.words import Words
from probsense.tasks.base import Answered, Answers, Measured, Method
from probsense.tasks.shared.limit import check_limit, draw_clusters
from probsense_heavier.measures import COLUMNS, item_scores, measured
from probsense_heavier.pairs import list_pairs, read_pairs
from probsense_heavier.results import ResultsReader, analyse, write_results
from probsense_heavier.words import WORDS


class Heavier:
    """Which of two things is heavier? Every pair is asked in both orders.

    Parameters
    ----------
    data : Path or str, optional
        A file of pairs, in JSON lines with the keys light, heavy and factor; by default the pairs of the package.
    ask : {"heavier", "lighter"}
        Which of the two things the question asks for.
    limit : int, optional
        The largest number of questions; the two orders of a pair stay together.
    seed : int
        Seeds the choice that ``limit`` makes.
    """

    name: ClassVar[str] = "heavier"
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options",)
    prompt_form: ClassVar[PromptForm] = "completion"

    # Everything from here to the constructor is optional: each line makes one more command or page know the task.
    words: ClassVar[Words] = WORDS
    analyse = staticmethod(analyse)
    reads_scores: ClassVar[type[ResultsReader]] = ResultsReader
    verbs: ClassVar[Mapping[str, Callable[..., object]]] = {"pairs": list_pairs}

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        ask: Literal["heavier", "lighter"] = "heavier",
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        check_limit(limit)
        self._data, self._ask, self._limit, self._seed = data, ask, limit, seed
        # What a stored run needs to make the same questions again.
        self.options: Mapping[str, Json] = {
            "data": None if data is None else str(data),
            "ask": ask,
            "limit": limit,
            "seed": seed,
        }

    def items(self) -> Sequence[Item]:
        """Return the questions; the two orders of a pair are a cluster."""
        return self._items

    @cached_property
    def _items(self) -> Sequence[Item]:
        items = []
        for pair in read_pairs(self._data):
            gold = pair.heavy if self._ask == "heavier" else pair.light
            for first, second in ((pair.heavy, pair.light), (pair.light, pair.heavy)):
                data = {
                    "text": f"Which is {self._ask}, {first} or {second}? It is",
                    "options": [first, second],
                    "position": "first" if first == gold else "second",
                    "factor": pair.factor,
                }
                items.append(Item(f"{first} or {second}", f"{pair.light} and {pair.heavy}", gold, data))
        return draw_clusters(items, self._limit, self._seed)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Ask how probable each of the two things is as the answer."""
        options = tuple(f" {option}" for option in item.data["options"])
        return [ScoreRequest(item.data["text"], options, item=item.id)]

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Measured:
        """Take the more probable thing for the answer."""
        rows = []
        for item in items:
            (request,) = self.requests(item, method, answers)
            response = answers[request]
            assert isinstance(response, ScoreResponse)
            shares = dict(zip(item.data["options"], distribution(response).tolist(), strict=True))
            rows.append(
                {
                    **by,
                    "id": item.id,
                    "cluster": item.cluster,
                    "factor": item.data["factor"],
                    "position": item.data["position"],
                    "gold": item.gold,
                    "resp": max(shares, key=shares.__getitem__),
                    "p_gold": shares[item.gold],
                }
            )
        return measured(pl.DataFrame(rows, schema=COLUMNS))

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the answers to a file that ``analyse`` and ``compare`` read."""
        table = answered.measured.table
        return [] if folder is None or table is None else [write_results(folder, answered.model, table)]

    def item_scores(self, answered: Answered) -> ItemScores:
        """Score each question for ``compare``."""
        assert answered.measured.table is not None
        return item_scores(answered.measured.table)
