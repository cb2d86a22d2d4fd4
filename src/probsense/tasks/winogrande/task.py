"""Winogrande and other Winograd schemas as a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Final

from probsense.analysis.distributions import option_views as views
from probsense.core.errors import InputError
from probsense.core.options import RARE
from probsense.core.records import Item, Json, PromptForm, Request, ScoreRequest
from probsense.core.registry import later
from probsense.tasks.base import Answers, Method, Task
from probsense.tasks.people_forms import PeopleForm, choice_question, gold_index
from probsense.tasks.results import Results

_OWN: Final = "ProbSense's own example schemas were asked; --data FILE asks yours"


class Winogrande(Task):
    """Which option fits the blank of a sentence.

    One request a schema gives option, full and partial scoring (Trinh & Le 2018, arXiv 1806.02847) at once.

    Parameters
    ----------
    data : Path or str, optional
        A table of schemas with the columns of WinoGrande, XWinograd, WSC273, DPR, COPA or WinoGender; without it, those
        of the package are asked.
    rule : str
        Score that picks the answer: sum, token, char, byte or mean_prob of the option; partial or full if text follows
        the option; pmi with a neutral prefix.
    neutral : str, optional
        Neutral prefix of the rule pmi, such as "Answer:"; "" is nothing at all.
    limit : int, optional
        The largest number of schemas; twins stay together.
    seed : int
        Seeds the choice that ``limit`` makes, and the bootstrap.
    """

    name: ClassVar[str] = "winogrande"
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options",)
    prompt_form: ClassVar[PromptForm] = "completion"
    check_data = later("probsense.tasks.winogrande.schemas:check_data")
    words = later("probsense.tasks.winogrande.schemas:WORDS")
    right = staticmethod(gold_index)
    choice_scores = later("probsense.tasks.shared.items:choice_scores")
    asks_people: ClassVar[PeopleForm] = PeopleForm(
        "choice", "choose", choice_question("winogrande", "sentence"), gap="_"
    )

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        rule: str = "partial",
        neutral: Annotated[str | None, RARE] = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        views.check_rule(rule, suffix=True, neutral=neutral is not None)
        self.rule = rule
        self._file = None if data is None else Path(data)
        self._neutral, self._seed = neutral, seed

    def items(self) -> Sequence[Item]:
        """Return the schemas; twins share a cluster."""
        from probsense.tasks.winogrande.schemas import PACKAGED, read_schemas, split

        path = self._file or PACKAGED
        items = [*read_schemas(path)]
        bare = [item.id for item in items if not split(item.data["sentence"])[2]]
        if bare and self.rule in views.SUFFIX_RULES:
            nothing = (
                f"nothing follows the blank of {bare[0]!r}, so there is nothing for the rule {self.rule!r}"
            )
            raise InputError(nothing, path=path, expected="a rule of the option alone, such as sum")
        return items

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Make one request a schema, and one after the neutral prefix if there is one."""
        from probsense.tasks.shared.options import option_requests
        from probsense.tasks.winogrande.schemas import split

        prefix, join, suffix = split(item.data["sentence"])
        options = tuple(join + option for option in item.data["options"])
        return option_requests(ScoreRequest(prefix, options, suffix, item=item.id), self._neutral)

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure accuracy under every view, and how good the probabilities are."""
        from probsense.tasks.shared import options as shared

        table = shared.option_table(items, shared.scored_by(self, answers), self.rule)
        own = [] if self._file else [_OWN]
        return Results(
            shared.option_estimates(table, by, self.rule, seed=self._seed),
            [{**shared.option_coverage(table), "clusters": table["cluster"].n_unique()}],
            own + shared.option_notes(table),
            table,
        )
