"""The questions about a statement: in the published wording, or in words of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from probsense.core.errors import InputError, did_you_mean
from probsense.core.files import Place

QUESTIONS: Final = ("q1", "q2", "q3")
"""Do you agree? Would most people agree? Is it common sense?"""

MASSES: Final = ("p_yes", "p_no", "p_other")
"""Columns of tables: the probability of yes, of no and of anything else."""
STATEMENT: Final = "{statement}"
_EXPECTED: Final = f"q1, q2 or q3, each a text with {STATEMENT}; if need be yes and no, lists of words"
_BARE: Final = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of the questions, and the words that answer them.

    Attributes
    ----------
    questions : Mapping of str to str
        Maps a name of :data:`QUESTIONS` to a text in which the statement stands at ``{statement}``.
    yes, no : tuple of str
        The words that count as either answer, in any case.
    """

    questions: Mapping[str, str]
    yes: tuple[str, ...] = ("yes",)
    no: tuple[str, ...] = ("no",)

    @property
    def labels(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The two answers in the form of a label request."""
        return ("yes", self.yes), ("no", self.no)

    def prompt(self, question: str, statement: str) -> str:
        """Ask a question about a statement."""
        return self.questions[question].replace(STATEMENT, statement)


def wording_of(place: Place, document: Any) -> Wording:
    """Read a wording: a mapping of some of q1, q2 and q3 to texts, and of yes and no to words.

    Raises
    ------
    InputError
        For anything else.
    """
    found = place.record(
        with_quoted_answers(document), needed=(), optional=(*QUESTIONS, *_BARE.values()), expected=_EXPECTED
    )
    questions: dict[str, str] = {name: place.word(found[name], name) for name in QUESTIONS if name in found}
    if not questions:
        raise place.fault("no question", _EXPECTED)
    for name, text in questions.items():
        if STATEMENT not in text:
            raise place.wrong(text, name, f"a text with {STATEMENT}")
    yes, no = (answer_words(place, name, found.get(name, [name])) for name in ("yes", "no"))
    return Wording(questions, yes, no)


def with_quoted_answers(document: Any) -> Any:
    """Give a mapping the keys yes and no where YAML took these words, without quotes, for truth values."""
    if not isinstance(document, dict):
        return document
    bare = {_BARE[key]: value for key, value in document.items() if isinstance(key, bool)}
    return bare | {key: value for key, value in document.items() if not isinstance(key, bool)}


def answer_words(place: Place, name: str, value: Any) -> tuple[str, ...]:
    """Read the words that stand for an answer, at least one."""
    words = place.entries(value, name, least=1, of="words, in quotes")
    here = place.inside(name)
    return tuple(here.word(word, number) for number, word in enumerate(words))


def check_questions(names: Sequence[str], wording: Wording) -> None:
    """Refuse unknown names of questions, a repeated name, and an empty list."""
    for name in names:
        if name not in wording.questions:
            raise InputError(
                f"no such question: {name!r}{did_you_mean(name, wording.questions)}",
                expected=f"some of {', '.join(wording.questions)}",
            )
    if not names or len(set(names)) < len(names):
        raise InputError(f"the questions {', '.join(names) or '(none)'}", expected="each at most once")
