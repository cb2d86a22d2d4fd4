"""The questions that are asked about a statement: in the published wording, or in words of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from probsense.errors import InputError, did_you_mean
from probsense.files import Place, read_yaml

QUESTIONS: Final = ("q1", "q2", "q3")
"""Do you agree? Would most people agree? Is it common sense?"""

STATEMENT: Final = "{statement}"


@dataclass(frozen=True, slots=True)
class Wording:
    """How the questions are put, and which words answer them.

    Attributes
    ----------
    questions : Mapping of str to str
        By name (of :data:`QUESTIONS`) a text in which the statement stands at ``{statement}``.
    yes, no : tuple of str
        The words that count as either answer, in any case.
    """

    questions: Mapping[str, str]
    yes: tuple[str, ...] = ("yes",)
    no: tuple[str, ...] = ("no",)

    @property
    def labels(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The two answers as a label request has them."""
        return ("yes", self.yes), ("no", self.no)

    def prompt(self, question: str, statement: str) -> str:
        """A question about a statement."""
        return self.questions[question].replace(STATEMENT, statement)


def _published(question: str) -> str:
    return f'Consider the statement, "{STATEMENT}" {question} Start your answer with a "yes" or "no".'


PUBLISHED: Final = Wording(
    {
        "q1": _published("Do you agree with this statement?"),
        "q2": _published("Do you think most people would agree with this statement?"),
        "q3": _published("Do you think this statement is common sense?"),
    }
)
"""As in the published runs (the judgments specification, section 1)."""

_EXPECTED: Final = f"q1, q2 or q3, each a text with {STATEMENT}; if need be yes and no, lists of words"


_BARE: Final = {True: "yes", False: "no"}


def read_wording(path: Path) -> Wording:
    """Read a wording: a YAML (or JSON) mapping with q1, q2, q3, as many of them as there are, and yes and no.

    Raises
    ------
    InputError
        For a file that cannot be read or is no such mapping.
    """
    place = Place(path)
    document = read_yaml(path)
    if isinstance(document, dict):
        # YAML takes bare yes and no for truth values.
        bare = {_BARE[key]: value for key, value in document.items() if isinstance(key, bool)}
        document = bare | {key: value for key, value in document.items() if not isinstance(key, bool)}
    found = place.record(document, needed=(), optional=(*QUESTIONS, *_BARE.values()), expected=_EXPECTED)
    questions: dict[str, str] = {name: place.word(found[name], name) for name in QUESTIONS if name in found}
    if not questions:
        raise place.fault("no question", _EXPECTED)
    for name, text in questions.items():
        if STATEMENT not in text:
            raise place.wrong(text, name, f"a text with {STATEMENT}")
    yes, no = (_words(place, name, found.get(name, [name])) for name in ("yes", "no"))
    return Wording(questions, yes, no)


def _words(place: Place, name: str, value: Any) -> tuple[str, ...]:
    words = place.entries(value, name, least=1, of="words, in quotes")
    here = place.inside(name)
    return tuple(here.word(word, number) for number, word in enumerate(words))


def check_questions(names: Sequence[str], wording: Wording) -> None:
    """Refuse names of questions that the wording does not have, none at all, and one that stands twice."""
    for name in names:
        if name not in wording.questions:
            raise InputError(
                f"no such question: {name!r}{did_you_mean(name, wording.questions)}",
                expected=f"some of {', '.join(wording.questions)}",
            )
    if not names or len(set(names)) < len(names):
        raise InputError(f"the questions {', '.join(names) or '(none)'}", expected="each at most once")
