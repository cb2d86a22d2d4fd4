"""What a task is to the rest of ProbSense: questions, the requests they need, and what the answers amount to.

A task is one class in one folder, and its entry point in the group ``probsense.tasks`` is all that names it. The class
satisfies :class:`Task`. What else it brings is up to it: each further protocol of this module is a thing that the
commands and pages offer for every task that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from probsense.core.records import Item, Json, PromptForm, Request, Response
from probsense.show.words import Words, plain_words
from probsense.tasks.results import Results

if TYPE_CHECKING:
    from probsense.analysis.comparison.scores import ItemScores, ScoresReader

Method: TypeAlias = Literal["options", "labels", "sample", "stated"]
"""How an item is asked: by option scores, by label mass, by sampled text, or by a text that states the distribution."""

Answers: TypeAlias = "Mapping[Request, Response]"
"""Responses by the request that they answer."""


class Task(Protocol):
    """An instrument with its options fixed: pure data in, pure data out.

    The signature of its constructor declares its options: each parameter is a keyword of ``evaluate`` and a flag of the
    command, with the type, the default and the words of the docstring that stand there. ``limit`` and ``seed`` are
    common to all tasks. Its prompts are questions, unless it says otherwise by :class:`Prompting`.
    """

    @property
    def name(self) -> str:
        """The name under which users call it."""

    @property
    def version(self) -> int:
        """A number that is raised whenever questions or measures change."""

    @property
    def options(self) -> Mapping[str, Json]:
        """What was asked for, as the run records it: enough to make the same items again."""

    @property
    def methods(self) -> Sequence[Method]:
        """The ways in which it can ask, best first."""

    def items(self) -> Sequence[Item]:
        """Return its questions, in order."""

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return all requests that the item needs, as far as the answers so far allow to say.

        It is called again after each round of answers, and is done when it names no request without an answer. In a
        large run, ``answers`` has those of a part of the items only; those of its own requests say what an item asks.
        """

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


@runtime_checkable
class Prompting(Protocol):
    """A task that says whether its prompts are texts to continue or questions to answer.

    A model with a chat template gets questions through the template, unless the user chose. It gets texts to continue
    as they are: an option there is the next piece of the text, not the beginning of an answer to it.
    """

    @property
    def prompt_form(self) -> PromptForm:
        """The form of all its prompts."""


def form_of(task: object) -> PromptForm:
    """Return the form of a task's prompts: questions, if it says nothing."""
    return task.prompt_form if isinstance(task, Prompting) else "question"


@runtime_checkable
class Following(Protocol):
    """A task that asks in a way that follows from the model, unless the user chose."""

    def for_model(self, method: str | None, *, chat: bool) -> Task:
        """Return the task as it asks such a model; its options record what was left open as what it became.

        Parameters
        ----------
        method : str, optional
            How the model is to be asked, if the user said it.
        chat : bool
            Whether the model takes questions as a chat.
        """


@runtime_checkable
class Growing(Protocol):
    """A task that asks on about an item until it knows enough."""

    def suffices(self, item: Item, method: Method, answers: Answers) -> bool:
        """Whether the answers so far make a row, though more were wanted."""

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """Return every request about the item that may come."""


@runtime_checkable
class Worded(Protocol):
    """A task with words of its own: titles and meanings of measures, groups, charts."""

    words: ClassVar[Words]


@runtime_checkable
class SortsTexts(Protocol):
    """A task for which different texts may be one answer; of any other, each text is an answer of its own."""

    def answer_in(self, item: Item, text: str) -> str:
        """Return the answer that a text gives, by its name; "" if it gives none that counts."""


@runtime_checkable
class JoinsAnswers(Protocol):
    """A task for which all answers to an item together are one distribution; of any other, it is the first answer."""

    def joined(
        self, item: Item, method: Method, answers: Answers
    ) -> tuple[tuple[tuple[str, float], ...], float] | None:
        """Return the distribution, by the names of the answers, and the probability of everything else.

        They sum to 1. None says that the first answer is the distribution, as it was asked.
        """


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


@runtime_checkable
class KnowsPeople(Protocol):
    """A task that knows how people answered its items."""

    def people(self, item: Item) -> PeopleAnswers | None:
        """Return their answers to an item, under the names that answers of models have; None if it knows of none."""


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
    return Answered(model, method, items, answers, results.finished(words_of(task, task.name), model))


@runtime_checkable
class WritesResults(Protocol):
    """A task that writes the answers of a run to files, for its own ``analyse`` or for other programs."""

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the files.

        Parameters
        ----------
        folder : Path or None
            Where the user wants them; None if nobody asked for files, and only what the task always writes is written.
        answered : Answered
        """


@runtime_checkable
class ScoresItems(Protocol):
    """A task that knows what each item of a run is worth in a comparison; all others are compared by their tables."""

    def item_scores(self, answered: Answered) -> ItemScores:
        """Return the items with what is known of them, and a column of scores for each measure."""


@runtime_checkable
class ScoresChoices(Protocol):
    """A task that knows what it is worth if people choose an option of an item.

    It is called with an item for each choice, so an item may come often, and with the index of each chosen option as
    they stand in the item's data. It returns a row for each choice, in this order; scores are null where a choice
    cannot count.
    """

    choice_scores: ClassVar[Callable[[Sequence[Item], Sequence[int]], ItemScores]]


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


@runtime_checkable
class Analyses(Protocol):
    """A task that reads recorded results; the signature of ``analyse`` declares the options of the command."""

    analyse: ClassVar[Callable[..., Analysis]]


@runtime_checkable
class ChecksData(Protocol):
    """A task that says what it understood of a file of questions or people's answers: ``probsense data check FILE``.

    The signature of ``check_data`` declares the options of the command. What it returns is printed: ``to_json()`` with
    ``--json``, else ``str()``.
    """

    check_data: ClassVar[Callable[..., object]]


@runtime_checkable
class ReadsScores(Protocol):
    """A task with a file format of results that ``compare`` can read."""

    reads_scores: ClassVar[Callable[..., ScoresReader]]


@runtime_checkable
class HasVerbs(Protocol):
    """A task with commands of its own: ``probsense VERB TASK``.

    The signature of each function declares the options of the command; one called ``progress`` gets a callable of
    (done, total). What it returns is printed: ``to_json()`` with ``--json``, else ``str()``.
    """

    verbs: ClassVar[Mapping[str, Callable[..., object]]]


Size: TypeAlias = Literal["quick", "standard", "full"]
"""How much a profile asks."""


@runtime_checkable
class Profiled(Protocol):
    """A task that says what a profile of each size asks; all others are asked with their defaults.

    A small language model on two cores should take minutes for all tasks at size quick, and an hour at size standard.
    """

    profile_options: ClassVar[Mapping[Size, Mapping[str, Any]]]
    """Options of the task at each size."""


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


def words_of(task: object, name: str) -> Words:
    """Return the words of a task, or plain ones under its name if it brings none."""
    return task.words if isinstance(task, Worded) else plain_words(name)
