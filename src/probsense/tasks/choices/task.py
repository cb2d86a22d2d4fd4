"""Choices as a task: questions with fixed answers, asked in several ways, and set beside people's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from probsense.analysis.distributions import option_views as views
from probsense.core.errors import InputError
from probsense.core.options import PEOPLE, RARE
from probsense.core.records import Item, Json, LabelRequest, Request, SampleRequest, ScoreRequest
from probsense.core.registry import later
from probsense.tasks.base import Answered, Answers, Method, PeopleAnswers, Size, Task
from probsense.tasks.choices.questions.question import (
    LETTERS,
    ReaderName,
    Stance,
    lettered_prompt,
    letters_of,
    open_prompt,
    several,
    stated_prompt,
    system,
)
from probsense.tasks.people_forms import PeopleForm, choice_question, gold_index
from probsense.tasks.results import Results
from probsense.tasks.shared.orders import Order, Turned

if TYPE_CHECKING:
    from probsense.analysis.comparison.scores import ItemScores
    from probsense.tasks.choices.questions.answers import Given
    from probsense.tasks.choices.questions.table import Questions

PACKAGED: Final = Path(str(files(__package__) / "examples.csv"))
"""Questions of the package, with made-up answers."""
MAX_TOKENS: Final = 24
"""Length of a text that names an option."""
SHOWN: Final = "shown"
"""The key of an item's data with the order in which its options are shown, if not in that of the file."""
STATED, EACH = 120, 12
"""Length of a text that states percentages: what may stand around them, and what an option adds."""


class Choices(Task):
    """What people chose among fixed answers, and how near a model's distribution comes to theirs.

    Parameters
    ----------
    data : Path or str, optional
        A table of questions with counts (question, text, option, count), a file of a published format with reader, or
        a folder of such files; without it, questions of the package with made-up answers are asked.
    reader : {"table", "chaosnli", "alignment", "simbench"}
        The format of the files: table is CSV, XLSX, SPSS, Parquet or JSON lines with known columns.
    group : str or sequence of str
        Groups of people whose answers to compare with, and to ask as; by default, every group.
    group_form : {"as", "about", "none"}
        Ask the model to answer as one of the group, ask it how the group would answer, or say nothing of the group.
    answers : int
        Texts for each question in each order of its options, with the method sample.
    drop : str or sequence of str
        Leave out these options, such as Refused, and the people who chose them.
    columns : str or sequence of str
        What a column is, such as questions=Q*, answer=vote or none=age, where its name does not say so.
    rule : str
        Score that gives the shares with the method options: sum, token, char, byte or mean_prob of the option; pmi with
        a neutral prefix.
    neutral : str, optional
        Neutral prefix of the rule pmi, such as "Answer:"; "" is nothing at all.
    limit : int, optional
        The largest number of questions; those of one cluster, and those to several groups, stay together.
    seed : int
        Seeds the choice that ``limit`` makes, the texts, and the random halves of the people.
    """

    name: ClassVar[str] = "choices"
    version: ClassVar[int] = 1
    words = later("probsense.tasks.choices.words:WORDS")
    asks_people: ClassVar[PeopleForm] = PeopleForm(
        "choices", "choose", choice_question("choices", "context", "text")
    )
    usual_conditions: ClassVar[str] = "order"
    mean_of_shares: ClassVar[bool] = True
    right = staticmethod(gold_index)
    choice_scores = later("probsense.tasks.shared.items:choice_scores")
    analyse = later("probsense.tasks.choices.recorded:analyse")
    check_data = later("probsense.tasks.choices.recorded:check_data")
    profile_options: ClassVar[Mapping[Size, Mapping[str, Any]]] = {
        "quick": {"conditions": "order,most=2"},
        "standard": {},
        "full": {},
    }

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        reader: Annotated[ReaderName, PEOPLE] = "table",
        group: Annotated[str | Sequence[str], PEOPLE] = (),
        group_form: Annotated[Stance, RARE] = "as",
        answers: int = 5,
        drop: Annotated[str | Sequence[str], PEOPLE] = (),
        columns: Annotated[str | Sequence[str], PEOPLE] = (),
        rule: Annotated[str, RARE] = "sum",
        neutral: Annotated[str | None, RARE] = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        views.check_rule(rule, suffix=False, neutral=neutral is not None)
        if answers < 1:
            raise InputError(f"{answers} answers", expected="at least 1")
        if data is None and reader != "table":
            raise InputError(f"--reader {reader} without --data", expected="a file for it to read")
        self.rule = rule
        self._file, self._reader = None if data is None else Path(data), reader
        self._group, self._stance, self._drop = several(group), group_form, several(drop)
        self._columns = several(columns)
        self._answers, self._neutral = answers, neutral
        self._seed = seed

    @property
    def methods(self) -> Sequence[Method]:
        """All ways; options alone where a question has more of them than there are letters."""
        if any(len(item.data["options"]) > len(LETTERS) for item in self.questions):
            return ("options",)
        return ("labels", "options", "sample", "stated")

    @cached_property
    def read(self) -> Questions:
        """The questions as they are read."""
        from probsense.tasks.choices.questions.read import read_questions

        path = self._file or PACKAGED
        return read_questions(path, self._reader, groups=self._group, drop=self._drop, columns=self._columns)

    def items(self) -> Sequence[Item]:
        """Return an item for each question and group of people; those of one question share a cluster."""
        from probsense.tasks.choices.questions.question import item_of

        found = self.read.found
        if self._reader == "alignment" and all(one.text == one.id and one.options[0] == "A" for one in found):
            raise InputError(
                "recorded answers, without the words of the options",
                path=self._file,
                expected="probsense analyse choices",
            )
        return [item_of(one) for one in found]

    def turned(self, item: Item, turn: Order) -> Turned:
        """Show the options in another order."""
        return Turned(replace(item, data={**item.data, SHOWN: turn}), turn)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return a request for all options, for a letter, for texts that name one, or for stated percentages."""
        from probsense.tasks.shared.options import option_requests

        stance, opening = self._stance, system(item, self._stance)
        match method:
            case "options":
                options = tuple(f" {option}" for option in item.data["options"])
                request = ScoreRequest(open_prompt(item, stance), options, item=item.id, system=opening)
                return option_requests(request, self._neutral)
            case "labels" | "sample":
                order = _shown(item)
                prompt = lettered_prompt(item, order, stance)
                if method == "labels":
                    return [LabelRequest(prompt, letters_of(item, order), item.id, opening)]
                texts = self._answers, MAX_TOKENS, 1.0  # the temperature
                return [SampleRequest(prompt, *texts, seed=self._seed, item=item.id, system=opening)]
            case "stated":
                length = STATED + EACH * len(item.data["options"])
                return [SampleRequest(stated_prompt(item, stance), max_tokens=length, item=item.id)]

    def _given(self, item: Item, method: Method, answers: Answers) -> Given:
        """Read the answers to an item."""
        from probsense.tasks.choices.questions.answers import lettered, scored, stated

        requests = self.requests(item, method, answers)
        if method == "options":
            return scored(requests, answers, self.rule)
        response = answers[requests[0]]
        return stated(item, response) if method == "stated" else lettered(item, response)

    def joined(
        self, item: Item, method: Method, answers: Answers
    ) -> tuple[tuple[tuple[str, float], ...], float] | None:
        """Return the distribution, as far as it is covered by answers that count."""
        if method == "options":
            return None
        found = self._given(item, method, answers)
        if found.covered == 0:
            return (), 1.0
        shares = zip(item.data["options"], (found.covered * found.shares).tolist(), strict=True)
        return (*shares,), 1.0 - found.covered

    def answer_in(self, item: Item, text: str) -> str:
        """Return the option that a text names; letters stand for the order in which the options are shown."""
        from probsense.tasks.choices.questions.answers import read_choice

        options = item.data["options"]
        chosen = read_choice(text, options, _shown(item))
        return "" if chosen is None else str(options[chosen])

    def people(self, item: Item) -> PeopleAnswers:
        """Return how many people chose each option; those of the questions of the package are made up."""
        counts, people = item.data["counts"], item.data["people"]
        total = sum(counts)
        n = None if people is None else round(people)
        given = zip(item.data["options"], counts, strict=True)
        shares = sorted(((option, count / total) for option, count in given), key=lambda pair: -pair[1])
        return PeopleAnswers((*shares,), n, illustrative=self._file is None)

    def item_scores(self, answered: Answered) -> ItemScores:
        """Score items by their distances from people."""
        from probsense.tasks.choices.measures.results import run_item_scores

        table = answered.results.table
        if table is None:
            raise InputError("recorded results have no single items", expected="the answers of a run")
        return run_item_scores(answered.items, table, tuple(answered.results.withheld.values()))

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Set the model's distributions beside people's, and both beside what other people would give."""
        from probsense.tasks.choices.measures.results import measured

        given = [self._given(item, method, answers) for item in items]
        file = self._file
        return measured(
            items,
            given,
            by,
            drop=self._drop,
            read=self.read.notes(file) if file and file.exists() else (),
            illustrative=self._file is None,
            seed=self._seed,
        )


def _shown(item: Item) -> Order:
    """Return the option in each place of the list."""
    order: Order = item.data.get(SHOWN) or tuple(range(len(item.data["options"])))
    return order
