"""Winogrande and other Winograd schemas as a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import polars as pl

from probsense.errors import InputError
from probsense.prob import options as views
from probsense.records import Item, Json, Request, ScoreRequest
from probsense.stats.estimate import Estimate
from probsense.tasks.base import Answers, Method
from probsense.tasks.limit import check_limit, draw_clusters
from probsense.tasks.option_requests import option_answers, option_requests
from probsense.tasks.option_table import option_coverage, option_estimates, option_notes, option_table
from probsense.tasks.winogrande.schemas import PACKAGED, read_schemas, split


class Winogrande:
    """Which option fits the blank of a sentence.

    One request a schema gives option, full and partial scoring (Trinh & Le 2018, arXiv 1806.02847) at once.

    Parameters
    ----------
    file : Path or str, optional
        Schemas in the published format; without one, those of the package are asked.
    rule : str
        Which view of the scores picks the answer: "partial", the probability of what follows the blank, "full", or
        a view of the option alone.
    neutral : str, optional
        What stands before the option for the view "pmi", in place of the sentence; "" for nothing at all.
    limit : int, optional
        At most so many schemas; twins stay together.
    seed : int
        Of the choice that ``limit`` makes, and of the bootstrap.
    """

    name: ClassVar[str] = "winogrande"
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options",)

    def __init__(
        self,
        file: Path | str | None = None,
        *,
        rule: str = "partial",
        neutral: str | None = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        views.check_rule(rule, suffix=True, neutral=neutral is not None)
        check_limit(limit)
        self.rule = rule
        self._file = None if file is None else Path(file)
        self._neutral, self._limit, self._seed = neutral, limit, seed
        self.options: Mapping[str, Json] = {
            "file": None if file is None else str(file),
            "rule": rule,
            "neutral": neutral,
            "limit": limit,
            "seed": seed,
        }

    def items(self) -> Sequence[Item]:
        """The schemas; twins share a cluster."""
        return self._items

    @cached_property
    def _items(self) -> Sequence[Item]:
        path = self._file or PACKAGED
        items = draw_clusters(list(read_schemas(path)), self._limit, self._seed)
        bare = [item.id for item in items if not split(item.data["sentence"]).suffix]
        if bare and self.rule in views.SUFFIX_RULES:
            raise InputError(
                f"nothing follows the blank of {bare[0]!r}, so there is nothing for the rule {self.rule!r}",
                path=path,
                expected="a rule of the option alone, such as sum",
            )
        return items

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """One request a schema, and one after the neutral prefix where there is one."""
        prefix, join, suffix = split(item.data["sentence"])
        options = tuple(join + option for option in item.data["options"])
        return option_requests(ScoreRequest(prefix, options, suffix, item=item.id), self._neutral)

    def table(self, items: Sequence[Item], method: Method, answers: Answers) -> pl.DataFrame:
        """One row per schema, with the columns of an option table."""
        return option_table(
            items, lambda item: option_answers(self.requests(item, method, answers), answers), self.rule
        )

    def summary(self, table: pl.DataFrame, by: Mapping[str, Json]) -> list[Estimate]:
        """Accuracy under every view, and how good the probabilities are."""
        return option_estimates(table, by, self.rule, seed=self._seed)

    def coverage(self, table: pl.DataFrame) -> dict[str, Json]:
        """How many schemas were asked and have an answer."""
        return {**option_coverage(table), "clusters": table["cluster"].n_unique()}

    def notes(self, table: pl.DataFrame) -> list[str]:
        """What every option task tells, and whose schemas were asked where no file was named."""
        own = ["the schemas of the package were asked, no file was named"] if self._file is None else []
        return own + option_notes(table)
