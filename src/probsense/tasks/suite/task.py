"""Suites as a task: chooses contexts, asks a model, and measures its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from probsense.analysis.distributions import option_views as views
from probsense.core.errors import InputError
from probsense.core.options import RARE
from probsense.core.records import Item, Json, PromptForm, Request, ScoreRequest
from probsense.core.registry import later
from probsense.tasks.base import Answered, Answers, Method, Task, recorded
from probsense.tasks.people_forms import PeopleForm, choice_question, gold_index
from probsense.tasks.results import Results

if TYPE_CHECKING:
    import polars as pl

    from probsense.analysis.comparison.scores import ItemScores

EXAMPLES = Path(str(files(__package__) / "examples"))
"""The folder of the suite that is asked where the user names no prompt."""
_EXAMPLE: Final = "ProbSense's own example suite was asked; --prompt and --test ask yours"


class Suite(Task):
    """Which query follows each context: prompts and tests of the user's own, in ProbSem's format.

    Every context is scored with every query; the text fed is the prompt file, the non-empty ones of pretext, context
    and posttext, and the query, joined by line breaks. Of a pair of sentences, each is scored by itself.

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
    pairs : Path or str, optional
        A table of pairs of sentences (columns sentence_good and sentence_bad, or good and bad), in place of prompts and
        tests. Columns field, linguistics_term and UID give parts of the results.
    columns : sequence of str
        Other names of these columns, such as good=grammatical,bad=ungrammatical,UID=phenomenon.
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
    check_data = later("probsense.tasks.suite.pairs:check_data")
    words = later("probsense.tasks.suite.words:WORDS")
    right = staticmethod(gold_index)
    reads_scores = later("probsense.tasks.suite.probsem:ProbSemReader")

    def __init__(
        self,
        prompt: str | Sequence[str] | None = None,
        test: str | Sequence[str] | None = None,
        *,
        input_dir: Path | str = "inputs",
        output_dir: Annotated[Path | str, RARE] = "outputs",
        pairs: Path | str | None = None,
        columns: Annotated[Sequence[str], RARE] = (),
        norm: Annotated[bool, RARE] = False,
        temp: Annotated[float, RARE] = 1.0,
        rule: str | None = None,
        neutral: Annotated[str | None, RARE] = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        self._prompts, self._tests = _names(prompt), _names(test)
        prompt, test = self._prompts or None, self._tests or None
        # Runs of prompts and tests keep the ids that they had before there were pairs.
        self.options: Mapping[str, Json] = recorded(
            locals(), without=("output_dir", *(("pairs", "columns") if pairs is None else ()))
        )
        if norm and rule not in (None, "token"):
            raise InputError(f"norm means the rule 'token', and the rule is {rule!r}", expected="one of them")
        self.rule = rule or ("token" if norm else "sum")
        views.check_rule(self.rule, suffix=False, neutral=neutral is not None)
        views.check_temperature(temp)
        self.temperature = temp
        self._folder, self._output_dir = Path(input_dir), Path(output_dir)
        if self._prompts and not self._tests:
            from probsense.tasks.suite.probsem import tests_of

            tests = tests_of(self._folder, self._prompts[0])
            known = f"one of the tests {', '.join(tests)}" if tests else "the name of a test"
            raise InputError("a prompt without a test", expected=known)
        if self._tests and not self._prompts:
            raise InputError("a test without a prompt", expected="both or none of them")
        if pairs is not None and (self._prompts or neutral is not None):
            both = "pairs of sentences with a prompt or a neutral prefix"
            raise InputError(both, expected="the pairs alone")
        if columns and pairs is None:
            raise InputError("--columns without pairs of sentences", expected="--pairs beside it")
        self._pairs = None if pairs is None else Path(pairs)
        self._columns = columns
        self._neutral, self._seed = neutral, seed

    def items(self) -> Sequence[Item]:
        """Return the contexts, prompt by prompt and test by test, or the pairs; each is a cluster of its own."""
        if self._pairs:
            from probsense.tasks.suite.pairs import read_pairs

            return read_pairs(self._pairs, self._columns)
        from probsense.tasks.suite.probsem import read_suite, tests_of

        folder, prompts, tests = self._folder, self._prompts, self._tests
        if not prompts:
            folder, prompts = EXAMPLES, ("everyday",)
            tests = tuple(tests_of(folder, *prompts))
        return [item for prompt in prompts for test in tests for item in read_suite(folder, prompt, test)]

    @cached_property
    def questions(self) -> Sequence[Item]:
        """The items that are asked; a limit takes single pairs, of which those of one paradigm then share a cluster."""
        from probsense.tasks.suite.pairs import by_paradigm

        return by_paradigm(super().questions)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Make one request for a context, and one after the neutral prefix, which all contexts of a test share.

        The sentences of a pair come after nothing.
        """
        from probsense.tasks.shared.options import option_requests

        data = item.data
        prefix = f"{data['instructions']}\n{data['text']}\n" if "instructions" in data else ""
        neutral = f"{self._neutral}\n" if self._neutral else self._neutral
        return option_requests(ScoreRequest(prefix, tuple(data["options"]), item=item.id), neutral)

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure all items together and those of each suite, and of each part of pairs, if there are several.

        Within a single cluster, items count as independent.
        """
        import polars as pl

        from probsense.tasks.shared import options as shared
        from probsense.tasks.suite.pairs import PARTS

        table = shared.option_table(items, shared.scored_by(self, answers), self.rule, self.temperature)
        suites = [f"{item.data['prompt']} {item.data['test']}" for item in items]
        table = table.insert_column(1, pl.Series("suite", suites, pl.String))
        kept = [name for name in PARTS if any(name in item.data for item in items)]
        table = table.with_columns(
            pl.Series(name, [item.data[name] for item in items], pl.String) for name in kept
        )
        found = shared.option_estimates(table, by, self.rule, seed=self._seed)
        for column in ("suite", *kept):
            kind = "" if column == "suite" else f"{column.removeprefix('linguistics_')} "
            parts = table.drop_nulls(column).partition_by(column, as_dict=True)
            for (name,), part in parts.items() if len(parts) > 1 else ():
                if part["cluster"].n_unique() == 1:
                    part = part.with_columns(cluster="id")
                own = {**by, "problem": f"{kind}{name}"}
                found += shared.option_estimates(part, own, self.rule, seed=self._seed)
        example = [] if self._prompts or self._pairs else [_EXAMPLE]
        notes, shown = example + shared.option_notes(table), {}
        if not self._pairs:
            suite, model = pl.concat_str("prompt", "test", separator=" "), pl.lit(by["model"], pl.String)
            queries = self.distributions(items, answers).with_columns(suite=suite, model=model)
            shown["queries"] = queries.select("suite", "context", "text", "model", "query", "score")
        return Results(found, [shared.option_coverage(table)], notes, table, shown)

    def distributions(self, items: Sequence[Item], answers: Answers) -> pl.DataFrame:
        """Compute the distribution over the queries of each context: one row per context and query.

        Columns are prompt, test, context (the id), text (between the prompt and the query; of a pair, the good one),
        query, logp (its score: a sum of log-probabilities, or whatever the rule makes of them) and score (its
        probability).
        """
        import polars as pl

        from probsense.tasks.shared.options import scored_by

        scored = scored_by(self, answers)
        rows: list[tuple[object, ...]] = []
        for item in items:
            response, neutral = scored(item)
            logps = views.scores(response, self.rule, neutral)
            scores = views.distribution(response, self.rule, self.temperature, neutral)
            where = (item.data["prompt"], item.data["test"], item.id, item.data["text"])
            columns = zip(item.data["options"], logps.tolist(), scores.tolist(), strict=True)
            rows.extend((*where, *row) for row in columns)
        return pl.DataFrame(rows, schema=DISTRIBUTIONS, orient="row")

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
        from probsense.tasks.shared.items import choice_scores

        return _as_files_name(choice_scores(items, chosen))


DISTRIBUTIONS = {
    **dict.fromkeys(("prompt", "test", "context", "text", "query"), str),
    **dict.fromkeys(("logp", "score"), float),
}
"""Columns of :meth:`Suite.distributions`."""


def _as_files_name(found: ItemScores) -> ItemScores:
    import polars as pl

    item = pl.col("item").str.replace("/", "_")
    return found._replace(items=found.items.with_columns(item, part=item.str.replace("/[^/]*$", "")))


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if given is None else (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
