"""What a task is to the rest of ProbSense: questions, the requests they need, and what the answers amount to.

A task is one class, :class:`Task`, whose methods have defaults: only ``items`` must be written. It stands in a Python
file, which a command takes by its path, or in a package with an entry point in the group ``probsense.tasks``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeAlias

from probsense.core.errors import InputError
from probsense.core.options import signature_of
from probsense.core.records import Item, Json, LabelRequest, PromptForm, Request, Response, ScoreRequest
from probsense.tasks.people_forms import PeopleForm, choice_question
from probsense.tasks.shared import orders
from probsense.tasks.shared.orders import Order, Turned

if TYPE_CHECKING:
    from probsense.analysis.comparison.scores import ItemScores
    from probsense.show.words import Words
    from probsense.tasks.conditions.personas import PeopleInGroups
    from probsense.tasks.results import Results

Method: TypeAlias = Literal["options", "labels", "sample", "stated"]
"""How an item is asked: by option scores, by label mass, by sampled text, or by a text that states the distribution."""

Answers: TypeAlias = "Mapping[Request, Response]"
"""Responses by the request that they answer."""

Size: TypeAlias = Literal["quick", "standard", "full"]
"""How much a profile asks."""

USUAL: Final = "usual"
"""The name of the wording in which a question is asked without conditions."""

Joined: TypeAlias = "tuple[tuple[tuple[str, float], ...], float]"
"""A distribution by the names of answers, and the probability of everything else; they sum to 1."""


@dataclass(frozen=True, slots=True)
class PeopleAnswers:
    """What people answered to one item.

    Attributes
    ----------
    shares : tuple of (str, float)
        How many of them gave each answer, as a share, the most frequent first; () if only ``most`` is known.
    n : int or None
        How many answers these are.
    most : str
        What most of them answered, where the shares do not tell; "" if that is not known.
    illustrative : bool
        Whether the people were made up.
    """

    shares: tuple[tuple[str, float], ...] = ()
    n: int | None = None
    most: str = ""
    illustrative: bool = False

    @classmethod
    def of(cls, counts: Mapping[str, float], *, illustrative: bool = False) -> Self | None:
        """Make shares of how many people gave each answer; None if nobody gave any."""
        if not (total := sum(counts.values())):
            return None
        shares = sorted(((name, count / total) for name, count in counts.items()), key=lambda pair: -pair[1])
        return cls((*shares,), round(total), illustrative=illustrative)


@dataclass(frozen=True, eq=False)
class Answered:
    """A run as the files and comparisons of its task see it: who answered which items, and what that amounts to."""

    model: str
    method: Method
    items: Sequence[Item]
    answers: Answers
    results: Results


def answered_by(model: str, task: Task, method: Method, items: Sequence[Item], answers: Answers) -> Answered:
    """Measure the answers of one model, and finish the results.

    Parameters
    ----------
    model : str
        Its name, as the estimates show it.
    task : Task
    method : Method
    items : sequence of Item
        Those that were answered.
    answers : Mapping of Request to Response
    """
    results = task.measure(items, method, answers, {"model": model, "prompting": method})
    return Answered(model, method, items, answers, results.finished(words_of(task), model))


@dataclass(frozen=True, eq=False)
class Analysis:
    """Recorded results, measured.

    Attributes
    ----------
    task : str
    title : str
        Title of a page about them.
    facts : Mapping
        What was analysed, and how.
    results : Results
    words : Words
    """

    task: str
    title: str
    facts: Mapping[str, Json]
    results: Results
    words: Words

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``analyse --json`` prints."""
        return {
            "schema": 1,
            "task": self.task,
            "run": dict(self.facts),
            "estimates": [estimate.to_json() for estimate in self.results.estimates],
            "coverage": [dict(row) for row in self.results.coverage],
            "warnings": list(self.results.warnings),
            "notes": list(self.results.notes),
        }


class Task:
    """An instrument with its options fixed: pure data in, pure data out.

    The signature of the constructor declares the options: each parameter is a keyword of ``evaluate`` and a flag of the
    command, with the type, the default and the words of the docstring that stand there. ``limit`` and ``seed`` are
    common to all tasks.

    Without methods of its own, a task asks the ``prompt`` of each item's data, or one of its ``wordings`` (other
    prompts by name, for conditions), with its ``options`` (texts that may follow) or ``labels`` (words that may, or a
    mapping of the names of answers to their words). It measures accuracy against ``gold``, the right option or label or
    "", and the distance from ``people``, how many of whom gave each answer; see :mod:`probsense.tasks.shared.plain`.

    Parameters
    ----------
    limit : int, optional
        The largest number of items; those of one cluster stay together.
    seed : int
        Seeds the choice that ``limit`` makes, and intervals that are drawn.

    Attributes
    ----------
    name : str
        The name under which users call it; by default that of the class, in small letters.
    conditions : Conditions or None
        Under which every question is asked; see :mod:`probsense.tasks.conditions`.
    file : Path or None
        The Python file that holds it, if a user named one.
    version : int
        A number that is raised whenever questions or measures change.
    options : Mapping
        What was asked for, as the run records it: enough to make the same items again.
    title : str
        What tables and pages call it, if it brings no words; by default its name.
    words : Words or None
        Titles and meanings of measures, groups, charts; by default those of options, labels and people.
    profile_options : Mapping
        What a profile of each size asks: a small language model on two cores should take minutes for all tasks at size
        quick, and an hour at size standard.
    usual_conditions : str
        Under which it asks if the user names none, such as "order".
    mean_of_shares : bool
        Whether all conditions count alike in the mean, whatever part of the probability the answers have in each.
    asks_people : PeopleForm or None
        How people are asked its questions; by default, to choose among the options.
    analyse, check_data, reads_scores : callable or None
        Reads recorded results; says what it understood of a file; makes a reader of a file format for ``compare``. The
        signatures declare the options of the commands.
    verbs : Mapping
        Commands of its own, ``probsense VERB TASK``. The signature of each function declares the options; one called
        ``progress`` gets a callable of (done, total). What it returns is printed: ``to_json()`` with ``--json``, else
        ``str()``.
    """

    name: ClassVar[str]
    conditions: Any = None
    file: ClassVar[Path | None] = None
    version: ClassVar[int] = 1
    title: ClassVar[str] = ""
    words: ClassVar[Words | None] = None
    profile_options: ClassVar[Mapping[Size, Mapping[str, Any]]] = {}
    usual_conditions: ClassVar[str] = ""
    mean_of_shares: ClassVar[bool] = False
    asks_people: ClassVar[PeopleForm | None] = None
    analyse: ClassVar[Callable[..., Analysis] | None] = None
    check_data: ClassVar[Callable[..., object] | None] = None
    reads_scores: ClassVar[Callable[..., Any] | None] = None
    verbs: ClassVar[Mapping[str, Callable[..., object]]] = {}
    options: Mapping[str, Json]

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Record the arguments, unless the class says by itself what its options are."""
        made = super().__new__(cls)
        if not hasattr(cls, "options"):
            bound = signature_of(cls).bind(*given, **named)
            bound.apply_defaults()
            object.__setattr__(made, "options", recorded(bound.arguments))  # of a frozen dataclass, too
        return made

    def __init_subclass__(cls, **further: Any) -> None:
        super().__init_subclass__(**further)
        if not hasattr(cls, "name"):
            cls.name = cls.__name__.lower()

    def __init__(self, *, limit: int | None = None, seed: int = 0) -> None:
        """Take the options that all tasks have."""

    @classmethod
    def brings(cls, name: str) -> bool:
        """Whether the class has something of its own under a name, in place of the default."""
        return inspect.getattr_static(cls, name) is not inspect.getattr_static(Task, name)

    @classmethod
    def people_form(cls) -> PeopleForm | None:
        """Return how people are asked its questions: to choose, unless it says otherwise; None for other requests."""
        if cls.asks_people or cls.brings("requests"):
            return cls.asks_people
        return PeopleForm(cls.name, "choose", choice_question(cls.name, "prompt", listed=orders.by_place))

    @property
    def methods(self) -> Sequence[Method]:
        """The ways in which it can ask, best first."""
        data = self.questions[0].data if self.questions else {}
        known: Sequence[Method] = ("options", "labels")
        return [method for method in known if method in data] or ["options"]

    @property
    def prompt_form(self) -> PromptForm:
        """Whether its prompts are texts to continue, or questions to answer.

        A model with a chat template gets questions through the template, unless the user chose. It gets texts to
        continue as they are: an option there is the next piece of the text, not the beginning of an answer to it.
        """
        return "question"

    def for_model(self, method: str | None, *, chat: bool) -> Task:
        """Return the task as it asks a model, where that follows from the model.

        Parameters
        ----------
        method : str, optional
            How the model is to be asked, if the user said it.
        chat : bool
            Whether the model takes questions as a chat.

        Returns
        -------
        Task
            Its options record what the user left open as what it became.
        """
        return self

    def items(self) -> Sequence[Item]:
        """Return all its questions, in order."""
        raise NotImplementedError

    @cached_property
    def questions(self) -> Sequence[Item]:
        """The items that are asked: as many as the option ``limit`` allows, in whole clusters."""
        from probsense.tasks.shared.items import draw_clusters

        limit: Any = self.options.get("limit")
        seed: Any = self.options.get("seed") or 0
        return draw_clusters([*map(orders.in_order, self.items())], limit, seed)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return all requests that the item needs, as far as the answers so far allow to say.

        It is called again after each round of answers, and is done when it names no request without an answer. In a
        large run, ``answers`` has those of a part of the items only; those of its own requests say what an item asks.
        """
        if "prompt" not in item.data:
            raise InputError(f"item {item.id!r} has no prompt", expected="the key prompt in its data")
        prompt, names = str(item.data["prompt"]), orders.names_of(item)
        join = "" if prompt[-1:].isspace() else " "
        if method == "options":
            return [ScoreRequest(prompt, tuple(join + name for name in names), item=item.id)]
        return [LabelRequest(prompt, tuple(zip(names, orders.answer_words(item), strict=True)), item=item.id)]

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """Return every request about the item that may come, for a task whose answers decide what is asked next."""
        return self.requests(item, method, {})

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Derive everything there is to say of the answers of one model, in one go.

        Parameters
        ----------
        items : sequence of Item
            Those that were answered.
        method : Method
        answers : Mapping of Request to Response
            May be read from a file, too: answers are found quickly in the order of the items.
        by : Mapping
            The model's name and the prompting; every estimate has them in its own ``by``.
        """
        from probsense.tasks.shared.plain import plain_results

        seed: Any = self.options.get("seed") or 0
        return plain_results(self, items, method, answers, by, seed)

    def answer_in(self, item: Item, text: str) -> str:
        """Return the answer that a text gives, by its name; "" if it gives none that counts."""
        return text.strip()

    def joined(self, item: Item, method: Method, answers: Answers) -> Joined | None:
        """Return the distribution of all answers to an item; None says that the first one is it, as it was asked."""
        return None

    def listed(self, item: Item) -> Sequence[str]:
        """Return the answers that an item lists, as its options or labels name them."""
        return orders.names_of(item)

    def right(self, item: Item) -> int | None:
        """Return the place of the right answer among those listed; None where none is right, or that is not known."""
        names = self.listed(item) if item.gold else ()
        return names.index(item.gold) if item.gold in names else None

    def turned(self, item: Item, turn: Order) -> Turned:
        """Return an item whose question lists its answers in another order.

        Parameters
        ----------
        item : Item
        turn : tuple of int
            For each place of the list, the place whose answer comes there.

        Raises
        ------
        InputError
            If the question lists its answers nowhere.
        """
        prompt, answers = str(item.data.get("prompt", "")), orders.answer_words(item)
        order = orders.listed_order(prompt, answers)
        if order is None:
            expected = " or ".join(orders.names_of(item))
            raise InputError(f"the prompt of item {item.id!r} lists its answers nowhere", expected=expected)
        data = {**item.data, "prompt": orders.turned(prompt, answers, turn)}
        return Turned(replace(item, data=data), orders.composed(order, turn))

    @property
    def facets(self) -> Mapping[str, Sequence[str]]:
        """The ways in which its own questions may vary, and the levels of each, the usual one first.

        By default the wordings of the questions, where items have ``wordings`` and the task no requests of its own.
        """
        own = [] if self.brings("requests") else self.questions[:1]
        wordings = [name for item in own for name in item.data.get("wordings", ())]
        return {"wording": [USUAL, *sorted(wordings)]} if wordings else {}

    def varied(self, item: Item, levels: Mapping[str, str]) -> Item:
        """Return an item that asks as the names of some levels say, by facet.

        Raises
        ------
        InputError
            If the item has no such wording.
        """
        wordings = {USUAL: item.data.get("prompt"), **item.data.get("wordings", {})}
        name = levels["wording"]
        if name not in wordings:
            known = f"one of {', '.join(wordings)}"
            raise InputError(f"item {item.id!r} has no wording {name!r}", expected=known)
        return replace(item, data={**item.data, "prompt": wordings[name]})

    def people_in_groups(self, items: Sequence[Item]) -> PeopleInGroups | None:
        """Return what single people answered to some items, and to which groups they belong; None if nobody knows."""
        return None

    def people(self, item: Item) -> PeopleAnswers | None:
        """Return how people answered an item, under the names that answers of models have; None if it knows of none."""
        return PeopleAnswers.of(item.data.get("people", {}))

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the answers of a run to files, for its own ``analyse`` or for other programs.

        Parameters
        ----------
        folder : Path or None
            Where the user wants them; None if nobody asked for files, and only what the task always writes is written.
        answered : Answered
        """
        return []

    def item_scores(self, answered: Answered) -> ItemScores:
        """Return the items with what is known of them, and a column of scores for each measure, for a comparison."""
        from probsense.tasks.shared.items import plain_scores

        return plain_scores(answered)

    @staticmethod
    def choice_scores(items: Sequence[Item], chosen: Sequence[int]) -> ItemScores:
        """Score what people chose; by default, whether it is the right answer.

        Parameters
        ----------
        items : sequence of Item
            One for each choice, so an item may come often.
        chosen : sequence of int
            The index of each chosen option, as they stand in the item's data.

        Returns
        -------
        ItemScores
            A row for each choice, in this order; scores are null where a choice cannot count.
        """
        from probsense.tasks.shared.items import choice_scores

        return choice_scores([*map(orders.by_place, items)], chosen)


def check_limit(limit: int | None) -> None:
    """Refuse a limit below 1."""
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit}", expected="at least 1")


def recorded(arguments: Mapping[str, Any], *, without: Collection[str] = ()) -> dict[str, Json]:
    """Turn the arguments of a task's constructor into the options that a run records.

    Parameters
    ----------
    arguments : Mapping of str to object
        The ``locals()`` at the beginning of the constructor.
    without : collection of str
        Arguments that change neither questions nor measures.
    """
    return {name: _plain(value) for name, value in arguments.items() if name not in ("self", *without)}


def _plain(value: Any) -> Json:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


def words_of(task: Task | type[Task]) -> Words:
    """Return the words of a task: its own, or those of options and people under its name."""
    if task.words:
        return task.words
    from probsense.tasks.shared.plain import PLAIN_WORDS

    return replace(PLAIN_WORDS, title=task.title or task.name.capitalize())
