"""How people are asked the questions of a task: what a page shows, and the files that their answers become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct

from probsense.core.errors import InputError
from probsense.core.files import Place, read_csv, read_json
from probsense.core.files.typed import Text, Unfit, Word, read_as
from probsense.core.records import Item, Json

FormKind: TypeAlias = Literal["judge", "write", "choose"]
"""What people do: say yes or no to questions about a text, write texts of their own, or choose an option."""

STUDY: Final = "study.json"
"""The file of an exported study."""
CHOSEN: Final = ("person", "block", "item", "answer")
"""The first columns of the file of all choices in an export, by which it is known."""
PERSON: Final = ("person", "Number of the person, in the order of arrival.")
MS: Final = ("ms", "Milliseconds from the first sight of the page to the answer that counts.")


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """What one page asks about.

    Attributes
    ----------
    id : str
        Unique in its block; that of the item in its file.
    text : str
        What stands on the page: paragraphs, separated by empty lines.
    options : tuple of str
        The options of a choice, in the order of the file.
    right : int, optional
        The index of the right option, where one is.
    data : Mapping
        What the export writes back about the item.
    """

    id: Word
    text: Text
    options: tuple[Text, ...] = ()
    right: Annotated[int, Meta(ge=0)] | None = None
    data: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.right is not None and self.right >= len(self.options):
            raise Unfit(f"the index of one of the {len(self.options)} options", "right")


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """What one person answered to one question: values by field, and the milliseconds that it took."""

    person: int
    question: PeopleQuestion
    values: Mapping[str, str]
    ms: int | None


@dataclass(frozen=True, slots=True)
class PeopleTable:
    """A table of an export: its rows, and what each of its columns means."""

    rows: Sequence[Mapping[str, Any]]
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PeopleForm:
    """How people are asked the questions of a task, and what becomes of their answers.

    Attributes
    ----------
    kind : str
        What a study calls its blocks of such questions.
    form : {"judge", "write", "choose"}
    question : callable
        Makes a question of an item.
    source : str
        The key of a block that names the questions: "data" for the file that is the option ``data`` of the task.
    parts : Mapping of str to str
        Where the source has keys of its own: the option of the task that each of them is.
    options : Mapping of str to object
        Further options of the task.
    shuffled : bool
        Whether each person sees the options in an order of their own.
    gap : str
        What stands for an open place in texts; "" for nothing.
    write : callable, optional
        Makes of questions and answers the files that the task reads, by name: tables (CSV) or texts. The choices of
        people are written for all tasks alike, for :meth:`~probsense.tasks.base.Task.choice_scores`.
    """

    kind: str
    form: FormKind
    question: Callable[[Item], PeopleQuestion]
    source: str = "data"
    parts: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    shuffled: bool = True
    gap: str = ""
    write: (
        Callable[[Sequence[PeopleQuestion], Sequence[PersonAnswer]], Mapping[str, PeopleTable | str]] | None
    ) = None


def choice_question(
    task: str, *texts: str, listed: Callable[[Item], Item] = lambda item: item
) -> Callable[[Item], PeopleQuestion]:
    """Make the function that turns an item of a task into a choice.

    Parameters
    ----------
    task : str
    *texts : str
        The keys of the item's data that make up the text.
    listed : callable
        Makes of the item one whose ``options`` are the options, and whose ``gold`` is the index of the right one, where
        one is.
    """

    def question(item: Item) -> PeopleQuestion:
        text = "\n\n".join(part for part in (item.data[name].strip() for name in texts) if part)
        own = listed(item)
        return PeopleQuestion(item.id, text, tuple(own.data["options"]), gold_index(own), whole(task, item))

    return question


def gold_index(item: Item) -> int | None:
    """Return the index of the right option, where ``gold`` is that; None for an item without one."""
    return int(item.gold) if item.gold else None


def whole(task: str, item: Item) -> dict[str, Json]:
    """Keep all of an item, so that its task can judge what people chose."""
    return {"task": task, "cluster": item.cluster, "gold": item.gold, "data": dict(item.data)}


class _Block(Struct, frozen=True):
    """A block of an exported study."""

    questions: list[PeopleQuestion]


class _Study(Struct, frozen=True):
    """An exported study, as far as its questions are concerned."""

    blocks: list[_Block]


class Choice(NamedTuple):
    """What a person chose: the number of the question's block, and the index of the option."""

    person: str
    block: str
    question: PeopleQuestion
    option: int


def exported_choices(path: Path) -> list[Choice]:
    """Read the choices that ``collect export`` wrote, beside its study, in the order of the study's questions.

    Raises
    ------
    InputError
        For other columns, a file without its study, an item that the study does not have, an answer that is no option
        of it, and a person who answered an item twice.
    """
    study, (columns, rows) = path.parent / STUDY, read_csv(path)
    if not {*CHOSEN} <= {*columns}:
        missing = f"no columns {', '.join(CHOSEN)}"
        raise InputError(missing, path=path, line=1, expected="choices of an export")
    if not study.is_file():
        raise InputError(f"no {STUDY} beside this file", path=path, expected="the folder of an export")
    blocks = read_as(_Study, read_json(study), Place(study)).blocks
    known = {(str(number), one.id): one for number, block in enumerate(blocks, 1) for one in block.questions}
    found: dict[tuple[str, str], list[Choice]] = {key: [] for key in known}
    seen: dict[str, Place] = {}
    for line, row in rows:
        place = Place(path, line)
        person, block, item, answer = (row[name] for name in CHOSEN)
        if (block, item) not in known:
            raise place.wrong(item, "item", f"an item of the block {block!r} of {STUDY}")
        place.once(f"{person} {block} {item}", "item", seen, "each item once for each person")
        question = known[block, item]
        if not answer.isdecimal() or int(answer) >= len(question.options):
            raise place.wrong(answer, "answer", f"the index of an option, 0 to {len(question.options) - 1}")
        found[block, item].append(Choice(person, block, question, int(answer)))
    return [choice for choices in found.values() for choice in choices]
