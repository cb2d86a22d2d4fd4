"""Suites as a task: which contexts, how a model is asked, and what its answers amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import polars as pl

from probsense.errors import InputError
from probsense.prob import options as views
from probsense.records import Item, Json, Request, ScoreRequest, ScoreResponse
from probsense.stats.estimate import Estimate
from probsense.tasks.base import Answers, Method
from probsense.tasks.limit import check_limit, draw_clusters
from probsense.tasks.option_requests import option_answers, option_requests
from probsense.tasks.option_table import option_coverage, option_estimates, option_notes, option_table
from probsense.tasks.suite.files import read_suite, tests_of

EXAMPLES = Path(str(files(__package__) / "examples"))
"""The folder of the suite that is asked where no prompt is named."""


class Suite:
    """Which query follows each context: prompts and tests of the user's own, in ProbSem's format.

    Every context is scored with every query; the text fed is the prompt file, the non-empty ones of pretext, context
    and posttext, and the query, joined by line breaks.

    Parameters
    ----------
    prompt, test : str or sequence of str, optional
        Names of prompts and tests: every prompt is asked with every test. Without a prompt, the example suite of the
        package is asked.
    input_dir : Path or str
        Folder of the files ``<prompt>.txt`` and ``<prompt>_<test>.json`` (or ``.yaml``, ``.yml``).
    norm : bool
        Score a query by its log-probability per token (the rule "token"), not by the sum.
    temp : float
        Temperature of the distribution over the queries, above 0.
    rule : str, optional
        Which view of the scores picks the answer; "sum" unless given, or "token" with ``norm``.
    neutral : str, optional
        What stands before the query for the view "pmi", in place of prompt and context; "" for nothing at all.
    limit : int, optional
        At most so many contexts.
    seed : int
        Of the choice that ``limit`` makes, and of the bootstrap.
    """

    name: ClassVar[str] = "suite"
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options",)

    def __init__(
        self,
        prompt: str | Sequence[str] | None = None,
        test: str | Sequence[str] | None = None,
        *,
        input_dir: Path | str = "inputs",
        norm: bool = False,
        temp: float = 1.0,
        rule: str | None = None,
        neutral: str | None = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        if norm and rule not in (None, "token"):
            raise InputError(f"norm means the rule 'token', and the rule is {rule!r}", expected="one of them")
        self.rule = rule or ("token" if norm else "sum")
        views.check_rule(self.rule, suffix=False, neutral=neutral is not None)
        views.check_temperature(temp)
        check_limit(limit)
        self.temperature = temp
        self._prompts, self._tests, self._folder = _names(prompt), _names(test), Path(input_dir)
        if self._prompts and not self._tests:
            raise InputError("a prompt without a test", expected=self._choice())
        if self._tests and not self._prompts:
            raise InputError("a test without a prompt", expected="both or none of them")
        self._neutral, self._limit, self._seed = neutral, limit, seed
        self.options: Mapping[str, Json] = {
            "prompt": [*self._prompts] or None,
            "test": [*self._tests] or None,
            "input_dir": str(input_dir),
            "norm": norm,
            "temp": temp,
            "rule": rule,
            "neutral": neutral,
            "limit": limit,
            "seed": seed,
        }

    def _choice(self) -> str:
        tests = tests_of(self._folder, self._prompts[0])
        return f"one of the tests {', '.join(tests)}" if tests else "the name of a test"

    def items(self) -> Sequence[Item]:
        """The contexts, prompt by prompt and test by test; each is a cluster of its own."""
        return self._items

    @cached_property
    def _items(self) -> Sequence[Item]:
        folder, prompts, tests = self._folder, self._prompts, self._tests
        if not prompts:
            folder, prompts = EXAMPLES, ("everyday",)
            tests = tuple(tests_of(folder, *prompts))
        items = [item for prompt in prompts for test in tests for item in read_suite(folder, prompt, test)]
        return draw_clusters(items, self._limit, self._seed)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """One request a context, and one after the neutral prefix, which is the same for all contexts of a test."""
        prefix = f"{item.data['instructions']}\n{item.data['text']}\n"
        neutral = f"{self._neutral}\n" if self._neutral else self._neutral
        return option_requests(ScoreRequest(prefix, tuple(item.data["options"]), item=item.id), neutral)

    def table(self, items: Sequence[Item], method: Method, answers: Answers) -> pl.DataFrame:
        """One row per context: its suite ("prompt test"), and the columns of an option table."""
        table = option_table(items, lambda item: self._answers(item, answers), self.rule, self.temperature)
        suites = pl.Series("suite", [_suite(item) for item in items], dtype=pl.String)
        return table.insert_column(1, suites)

    def distributions(self, items: Sequence[Item], answers: Answers) -> pl.DataFrame:
        """The distribution over the queries of each context: one row per context and query.

        Columns are prompt, test, text (what stands between the prompt and the query), query, logp (its score: a sum
        of log-probabilities, or whatever the rule makes of them) and score (its probability).
        """
        rows: list[tuple[object, ...]] = []
        for item in items:
            response, neutral = self._answers(item, answers)
            logps = views.scores(response, self.rule, neutral)
            scores = views.distribution(response, self.rule, self.temperature, neutral)
            where = (item.data["prompt"], item.data["test"], item.data["text"])
            columns = zip(item.data["options"], logps.tolist(), scores.tolist(), strict=True)
            rows.extend((*where, *row) for row in columns)
        return pl.DataFrame(rows, schema=DISTRIBUTIONS, orient="row")

    def _answers(self, item: Item, answers: Answers) -> tuple[ScoreResponse, ScoreResponse | None]:
        return option_answers(self.requests(item, "options", answers), answers)

    def summary(self, table: pl.DataFrame, by: Mapping[str, Json]) -> list[Estimate]:
        """The figures of all contexts together and, where there are several suites, of each."""
        found = option_estimates(table, by, self.rule, seed=self._seed)
        suites = table["suite"].unique(maintain_order=True).to_list()
        for suite in suites if len(suites) > 1 else ():
            part = table.filter(pl.col("suite") == suite)
            found += option_estimates(part, {**by, "problem": suite}, self.rule, seed=self._seed)
        return found

    def coverage(self, table: pl.DataFrame) -> dict[str, Json]:
        """How many contexts were asked and have an expected query."""
        return option_coverage(table)

    def notes(self, table: pl.DataFrame) -> list[str]:
        """What every option task tells, and that the example suite was asked where it was."""
        example = [] if self._prompts else ["the example suite of the package was asked, no prompt was named"]
        return example + option_notes(table)


DISTRIBUTIONS = {
    "prompt": pl.String,
    "test": pl.String,
    "text": pl.String,
    "query": pl.String,
    "logp": pl.Float64,
    "score": pl.Float64,
}
"""Columns of :meth:`Suite.distributions`."""


def _suite(item: Item) -> str:
    return f"{item.data['prompt']} {item.data['test']}"


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if given is None else (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
