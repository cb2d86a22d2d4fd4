"""A study as frozen data: what is asked of whom, in which words, and what happens at its ends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from probsense.core.files.typed import Number, Record, Text, Unfit, Word, matching
from probsense.core.records import canonical_json, digest
from probsense.studies.collect.forms import Field, FieldKind
from probsense.tasks.people_forms import PeopleQuestion

Order: TypeAlias = Literal["random", "fixed"]
EndName: TypeAlias = Literal["completion", "screened_out", "full", "declined", "paused"]

ENDS: Final[tuple[EndName, ...]] = ("completion", "screened_out", "full", "declined", "paused")
"""The ends of a study for which a study may have words, a code or an address of its own."""

MOST: Final = 10**6
"""The largest count and the longest time that a study may name."""
_Minutes = Annotated[float, Meta(ge=0, le=MOST, description="minutes, 0 or more")]
_RESERVED: Final = ("person", "participant", "form", "go")
"""Columns that an export has, and fields that the pages themselves send."""

_Name = Annotated[
    str,
    matching(
        rf"(?!({'|'.join(_RESERVED)})\Z)[A-Za-z_][A-Za-z0-9_]{{0,39}}",
        f"letters, digits and _, and none of {', '.join(_RESERVED)}",
    ),
]


_Language = Annotated[
    str, matching(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", "a language tag, such as en or de-AT")
]
_Parameter = Annotated[
    str,
    matching(
        r"(?!(token|form|consent)\Z)[A-Za-z0-9_.-]{0,60}",
        "the name of a parameter of the address, such as PROLIFIC_PID",
    ),
]
_Address = Annotated[str, matching(r"(https?://[^\s/?#\[\]]\S*)?", "an address that begins with https://")]
_Origin = Annotated[
    str,
    matching(r"https?://[^\s/?#;,'\"\[\]\x80-\U0010ffff]+", "an origin, such as https://platform.example"),
]

_CHANGEABLE: Final = ("time_limit", "abandon_after", *ENDS, "embed", "failed_checks", "flags")


@dataclass(frozen=True)
class Block:
    """Questions of one kind.

    Attributes
    ----------
    kind : str
        That of a :class:`~probsense.tasks.people_forms.PeopleForm`.
    questions : tuple of PeopleQuestion
    per_person, per_item : int
        How many of the questions a person gets, and how many people each of them.
    asked : Mapping of str to str
        Where people judge: the questions q1 and q2 (or one of both), and their wording.
    answers : int
        Where they write: the largest number of answers of a person.
    """

    kind: str
    questions: tuple[PeopleQuestion, ...]
    per_person: int
    per_item: int
    asked: Mapping[str, str] = field(default_factory=dict)
    answers: int = 1

    @cached_property
    def by_id(self) -> Mapping[str, PeopleQuestion]:
        """The questions by their ids."""
        return {question.id: question for question in self.questions}


CHECK: Final = "check"
"""The block in the key of an attention check."""
ATTENTION: Final = Block(CHECK, (), 1, 1)


class Check(Record, frozen=True):
    """An attention check: a question whose answer everybody knows who reads it."""

    text: Word
    options: Annotated[tuple[Text, ...], Meta(min_length=2)]
    expected: str

    def __post_init__(self) -> None:
        if self.options.count(self.expected) != 1:
            raise Unfit("one of the options", "expected")


class Demographic(Record, frozen=True):
    """What is asked of the participants themselves.

    Attributes
    ----------
    name, label : str
        The name of its column, and the question.
    kind : {"choice", "number", "text"}
    options, screen_out : tuple of str
        Of a choice; the latter end the study for those who choose them.
    required : bool
    low, high : float, optional
        The bounds of a number.
    """

    name: _Name
    label: Word
    kind: FieldKind
    options: tuple[Text, ...] = ()
    screen_out: tuple[str, ...] = ()
    required: bool = False
    low: Number | None = None
    high: Number | None = None

    def __post_init__(self) -> None:
        is_choice, options = self.kind == "choice", self.words
        if (options and not is_choice) or ((self.low, self.high) != (None, None) and self.kind != "number"):
            raise Unfit("a choice where there are options, and a number where there is low or high", "kind")
        if is_choice and len(options) < 2:
            raise Unfit("a list of options, at least 2", "options")
        if len({*options}) < len(options) or not all(options):
            raise Unfit("different options, none of them empty", "options")
        for number, option in enumerate(self.screen_out):
            if option not in options:
                raise Unfit("some of the options", "screen_out", number)

    @property
    def words(self) -> list[str]:
        """The options as pages show them."""
        return [" ".join(option.split()) for option in self.options]

    @property
    def field(self) -> Field:
        """The field of the page."""
        options = tuple((option, option) for option in self.words)
        needed = self.required or bool(self.screen_out)
        return Field(self.name, self.label.strip(), self.kind, options, needed, self.low, self.high)


class Ending(Record, frozen=True):
    """What a page at an end of the study shows: words, a code, a link; "" for none."""

    text: Text = ""
    code: Text = ""
    address: _Address = ""


class Ids(Record, frozen=True):
    """The names of the address's parameters; "" for none.

    Attributes
    ----------
    participant : str
        Tells people apart.
    study : str
    session : str
        A secret of the platform and the participant: who knows it may go on without the cookie.
    """

    participant: _Parameter = ""
    study: _Parameter = ""
    session: _Parameter = ""

    def __post_init__(self) -> None:
        named = [name for name in (self.participant, self.study, self.session) if name]
        if len({*named}) < len(named):
            raise Unfit("different parameters")
        if self.session and not self.participant:
            raise Unfit("the parameter that tells people apart", "participant")


class Thresholds(Record, frozen=True):
    """From where on a person's answers are flagged; 0 for never.

    Attributes
    ----------
    seconds : float
        A person whose median time for an item is shorter is too fast.
    copied : int
        The number of items to which two people gave the same open answers, if they did so throughout.
    """

    seconds: Annotated[float, Meta(ge=0, le=MOST)] = 2.0
    copied: Annotated[int, Meta(ge=0, le=MOST)] = 3


class Settings(Record, frozen=True, kw_only=True):
    """What a study is, beside its questions.

    Attributes
    ----------
    title, consent, instructions : str
        The last two are paragraphs; consent is asked for in any case.
    language : str
        A language tag, such as "en".
    failed_checks : int
        The number of failed checks that screens a person out; 0 for never.
    order : {"random", "fixed"}
        Of the questions within each block.
    seed : int
    time_limit : float
        Minutes from the consent to the end; 0 for no limit.
    abandon_after : float
        Minutes without activity after which a person's places go to others.
    ids : Ids
    hash_ids : bool
        Whether ids from the address are stored as salted hashes only.
    embed : tuple of str
        Origins whose pages may show the study in a frame.
    flags : Thresholds
    demographics : tuple of Demographic
    checks : tuple of Check
    completion, screened_out, full, declined, paused : Ending
        Those of :data:`ENDS`.
    """

    title: Word
    consent: Word
    instructions: Word
    language: _Language = "en"
    failed_checks: int = 0
    order: Order = "random"
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    time_limit: _Minutes = 0.0
    abandon_after: _Minutes = 30.0
    ids: Ids = Ids()
    hash_ids: bool = False
    embed: tuple[_Origin, ...] = ()
    flags: Thresholds = Thresholds()
    demographics: tuple[Demographic, ...] = ()
    checks: tuple[Check, ...] = ()
    completion: Ending = Ending()
    screened_out: Ending = Ending()
    full: Ending = Ending()
    declined: Ending = Ending()
    paused: Ending = Ending()

    def __post_init__(self) -> None:
        if not 0 <= self.failed_checks <= len(self.checks):
            raise Unfit(f"a whole number up to that of the checks, {len(self.checks)}", "failed_checks")


class Study(Settings, frozen=True, kw_only=True):
    """A study.

    Attributes
    ----------
    words : Mapping of str to str
        The words of all pages.
    blocks : tuple of Block
    """

    words: Mapping[str, str]
    blocks: tuple[Block, ...]

    @property
    def about(self) -> tuple[Field, ...]:
        """The fields of the page about the participants themselves."""
        return tuple(one.field for one in self.demographics)

    def to_json(self) -> dict[str, Any]:
        """Return the study as a JSON document."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    @property
    def identity(self) -> str:
        """The content key of all that gives an answer its meaning.

        How many people are wanted, the limits of time, codes and addresses at the ends, and the thresholds of flags
        may change while a study runs.
        """
        return digest(_meaning(self.to_json()))

    def departures(self, other: Mapping[str, Any]) -> list[str]:
        """Name what another study, as JSON, has otherwise and what gives an answer its meaning, by keys of the file."""
        own, others = _meaning(json.loads(canonical_json(self.to_json()))), _meaning(other)
        changed = [name for name in own if own[name] != others.get(name)]
        return ["items" if name == "blocks" else name for name in changed]

    def item(self, key: str) -> tuple[Block, PeopleQuestion]:
        """Return the block and the question of a key: ``BLOCK/ID``, or ``check/N`` for an attention check."""
        number, _, name = key.partition("/")
        if number == CHECK:
            check = self.checks[int(name)]
            text, right = check.text.strip(), check.options.index(check.expected)
            return ATTENTION, PeopleQuestion(text, text, check.options, right)
        block = self.blocks[int(number)]
        return block, block.by_id[name]


def _meaning(document: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out of a study what may change while it runs."""
    kept = {name: value for name, value in document.items() if name not in _CHANGEABLE}
    blocks = [
        {name: value for name, value in block.items() if name != "per_item"} for block in document["blocks"]
    ]
    return {**kept, "blocks": blocks}


def study_from_json(document: Mapping[str, Any]) -> Study:
    """Make the study that :meth:`Study.to_json` wrote, from JSON of any writer."""
    return msgspec.convert(document, Study)
