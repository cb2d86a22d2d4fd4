"""Suites as a task: chooses contexts, asks a model, and measures its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from probsense.analysis.distributions import option_views as views
from probsense.core.errors import InputError
from probsense.core.options import RARE
from probsense.core.records import Item, Json, PromptForm, Request, ScoreRequest, ScoreResponse
from probsense.core.registry import later
from probsense.tasks.base import Answered, Answers, Method, Task, recorded
from probsense.tasks.people_forms import PeopleForm, choice_question
from probsense.tasks.results import Results
from probsense.tasks.suite.files import read_suite, tests_of

if TYPE_CHECKING:
    import polars as pl

    from probsense.analysis.comparison.scores import ItemScores

EXAMPLES = Path(str(files(__package__) / "examples"))
"""The folder of the suite that is asked where the user names no prompt."""


class Suite(Task):
    """Which query follows each context: prompts and tests of the user's own, in ProbSem's format.

    Every context is scored with every query; the text fed is the prompt file, the non-empty ones of pretext, context
    and posttext, and the query, joined by line breaks.

    Parameters
    ----------
    prompt : str or sequence of str, optional
        Names of prompts, NAME.txt; without it, the example suite of the package is asked.
    test : str or sequence of str, optional
        Names of tests, PROMPT_TEST.json (or .yaml, .yml); every test is asked with every prompt.
    input_dir : Path or str
        Folder of prompts and tests.
    output_dir : Path or str
        Folder that gets a CSV file of the distributions for each prompt and test.
    norm : bool
        Score a query by its log-probability per token, as the rule token does.
    temp : float
        Temperature of the distributions, above 0.
    rule : str, optional
        Score that picks the answer: sum, token, char, byte or mean_prob of the option; partial or full if text follows
        the option; pmi with a neutral prefix.
    neutral : str, optional
        Neutral prefix of the rule pmi, such as "Answer:"; "" is nothing at all.
    limit : int, optional
        The largest number of contexts.
    seed : int
        Seeds the choice that ``limit`` makes, and the bootstrap.
    """

    name: ClassVar[str] = "suite"
    asks_people: ClassVar[PeopleForm] = PeopleForm(
        "choice",
        "choose",
        choice_question("suite", "instructions", "text"),
        source="suite",
        parts={"folder": "input_dir", "prompt": "prompt", "test": "test"},
        gap="_",
    )
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options",)
    prompt_form: ClassVar[PromptForm] = "completion"
    words = later("probsense.tasks.suite.words:WORDS")
    reads_scores = later("probsense.tasks.suite.probsem:ProbSemReader")

    def __init__(
        self,
        prompt: str | Sequence[str] | None = None,
        test: str | Sequence[str] | None = None,
        *,
        input_dir: Path | str = "inputs",
        output_dir: Annotated[Path | str, RARE] = "outputs",
        norm: Annotated[bool, RARE] = False,
        temp: Annotated[float, RARE] = 1.0,
        rule: str | None = None,
        neutral: Annotated[str | None, RARE] = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        options = recorded(locals(), without=("output_dir",))
        if norm and rule not in (None, "token"):
            raise InputError(f"norm means the rule 'token', and the rule is {rule!r}", expected="one of them")
        self.rule = rule or ("token" if norm else "sum")
        views.check_rule(self.rule, suffix=False, neutral=neutral is not None)
        views.check_temperature(temp)
        self.temperature = temp
        self._prompts, self._tests, self._folder = _names(prompt), _names(test), Path(input_dir)
        names: dict[str, Json] = {"prompt": [*self._prompts] or None, "test": [*self._tests] or None}
        self.options: Mapping[str, Json] = {**options, **names}
        if self._prompts and not self._tests:
            raise InputError("a prompt without a test", expected=self._choice())
        if self._tests and not self._prompts:
            raise InputError("a test without a prompt", expected="both or none of them")
        self._neutral, self._seed = neutral, seed
        self._output_dir = Path(output_dir)

    def _choice(self) -> str:
        tests = tests_of(self._folder, self._prompts[0])
        return f"one of the tests {', '.join(tests)}" if tests else "the name of a test"

    def items(self) -> Sequence[Item]:
        """Return the contexts, prompt by prompt and test by test; each is a cluster of its own."""
        folder, prompts, tests = self._folder, self._prompts, self._tests
        if not prompts:
            folder, prompts = EXAMPLES, ("everyday",)
            tests = tuple(tests_of(folder, *prompts))
        return [item for prompt in prompts for test in tests for item in read_suite(folder, prompt, test)]

    def right(self, item: Item) -> int | None:
        """Return the place of the right option."""
        return int(item.gold) if item.gold else None

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Make one request for a context, and one after the neutral prefix, which all contexts of a test share."""
        from probsense.tasks.shared.options import option_requests

        prefix = f"{item.data['instructions']}\n{item.data['text']}\n"
        neutral = f"{self._neutral}\n" if self._neutral else self._neutral
        return option_requests(ScoreRequest(prefix, tuple(item.data["options"]), item=item.id), neutral)

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure all contexts together and, if there are several suites, those of each."""
        import polars as pl

        from probsense.tasks.shared.options import (
            option_coverage,
            option_estimates,
            option_notes,
            option_table,
        )

        table = option_table(items, lambda item: self._answers(item, answers), self.rule, self.temperature)
        suites = pl.Series("suite", [_suite(item) for item in items], dtype=pl.String)
        table = table.insert_column(1, suites)
        found = option_estimates(table, by, self.rule, seed=self._seed)
        names = suites.unique(maintain_order=True).to_list()
        for name in names if len(names) > 1 else ():
            part = table.filter(pl.col("suite") == name)
            found += option_estimates(part, {**by, "problem": name}, self.rule, seed=self._seed)
        example = (
            []
            if self._prompts
            else ["ProbSense's own example suite was asked; --prompt and --test ask yours"]
        )
        notes = example + option_notes(table)
        shown = {"queries": self._queries(items, answers, by)}
        return Results(found, [option_coverage(table)], notes, table, shown)

    def _queries(self, items: Sequence[Item], answers: Answers, by: Mapping[str, Json]) -> pl.DataFrame:
        """Arrange the distributions for their chart."""
        import polars as pl

        rows = []
        for item in items:
            response, neutral = self._answers(item, answers)
            scores = views.distribution(response, self.rule, self.temperature, neutral)
            where = (_suite(item), item.id, item.data["text"], by["model"])
            rows += [(*where, *each) for each in zip(item.data["options"], scores.tolist(), strict=True)]
        return pl.DataFrame(rows, schema=_QUERIES, orient="row")

    def distributions(self, items: Sequence[Item], answers: Answers) -> pl.DataFrame:
        """Compute the distribution over the queries of each context: one row per context and query.

        Columns are prompt, test, text (between the prompt and the query), query, logp (its score: a sum of
        log-probabilities, or whatever the rule makes of them) and score (its probability).
        """
        import polars as pl

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
        from probsense.tasks.shared.options import option_answers

        return option_answers(self.requests(item, "options", answers), answers)

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write a CSV file of the distributions for each prompt and test, as ProbSem does after every run."""
        from probsense.tasks.suite.probsem import write_results

        distributions = self.distributions(answered.items, answered.answers)
        return write_results(folder or self._output_dir, answered.model, distributions)

    def item_scores(self, answered: Answered) -> ItemScores:
        """Score contexts, named as in the files of ProbSem; a part is a prompt with a test."""
        return _as_files_name(super().item_scores(answered))

    @staticmethod
    def choice_scores(items: Sequence[Item], chosen: Sequence[int]) -> ItemScores:
        """Score people's choices among the queries of contexts, which are named as in the files of ProbSem."""
        from probsense.tasks.shared.item_scores import choice_scores

        return _as_files_name(choice_scores(items, chosen))


_QUERIES = {**dict.fromkeys(("suite", "context", "text", "model", "query"), str), "score": float}

DISTRIBUTIONS = {**dict.fromkeys(("prompt", "test", "text", "query"), str), "logp": float, "score": float}
"""Columns of :meth:`Suite.distributions`."""


def _as_files_name(found: ItemScores) -> ItemScores:
    import polars as pl

    item = pl.col("item").str.replace("/", "_")
    return found._replace(items=found.items.with_columns(item, part=item.str.replace("/[^/]*$", "")))


def _suite(item: Item) -> str:
    return f"{item.data['prompt']} {item.data['test']}"


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if given is None else (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
