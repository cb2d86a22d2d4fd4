"""The questions about a statement, and the ways to ask them: the package's, or those of a file of the user's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Meta

from probsense.core.errors import InputError, check_name
from probsense.core.files import Place, read_yaml
from probsense.core.files.typed import Word, matching, read_as
from probsense.tasks.shared.orders import Order, listed_order, turned

QUESTIONS: Final = ("q1", "q2", "q3")
"""Do you agree? Would most people agree? Is it common sense?"""
MASSES: Final = ("p_yes", "p_no", "p_other")
"""Columns of tables: the probability of yes, of no and of anything else."""
PACKAGED: Final = Path(str(files(__package__) / "ways.yaml"))
"""The ways to ask that come with the package."""
LABELS: Final = ("yes", "no")
ORDERS: Final = ("yes first", "no first")
STATEMENT, ANSWER = "{statement}", "{answer}"
TURN: Final = "turn"
"""The key of an item's data with the order in which its question names yes and no, if not in that of the wording."""
_EXPECTED: Final = f"q1, q2 or q3, each a text with {STATEMENT}, and optionally yes and no, lists of words"

_Words: TypeAlias = Annotated[
    tuple[Word, ...], Meta(min_length=1, description="a list of words, in quotes, at least one")
]


def _with(*marks: str) -> Meta:
    """Bound a text to those that have all marks."""
    ahead = "".join(f"(?=.*{re.escape(mark)})" for mark in marks)
    return matching(rf"(?s:{ahead})[^\ud800-\udfff]*", f"a text with {' and '.join(marks)}")


_Question: TypeAlias = Literal["q1", "q2", "q3"]
_Position: TypeAlias = Literal["statement first", "question first"]
_Name: TypeAlias = Annotated[str, matching(r"[\w-]+", "letters, digits, - and _")]
_TEXTS: Final = Meta(min_length=1, description="some of q1, q2, q3")
_POSITIONS: Final = Meta(min_length=1, description="“statement first”, “question first” or both")
_NAMED: Final = Meta(min_length=1, description="at least one, by a name of letters, digits, - and _")
_Own: TypeAlias = Annotated[dict[_Question, Annotated[str, _with(STATEMENT)]], _TEXTS]
_Asking: TypeAlias = Annotated[dict[_Question, Annotated[str, _with(STATEMENT, ANSWER)]], _TEXTS]
_Wordings: TypeAlias = Annotated[dict[_Name, Annotated[dict[_Position, _Asking], _POSITIONS]], _NAMED]
_Labels: TypeAlias = Annotated[dict[_Name, Any], _NAMED]


class Wording(NamedTuple):
    """The wording of the questions, and the words that answer them.

    Attributes
    ----------
    questions : Mapping of str to str
        Maps a name of :data:`QUESTIONS` to a text in which the statement stands at ``{statement}``.
    yes, no : tuple of str
        The words that count as either answer, in any case.
    """

    questions: Mapping[str, str]
    yes: tuple[str, ...]
    no: tuple[str, ...]

    @property
    def labels(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The two answers in the form of a label request."""
        return ("yes", self.yes), ("no", self.no)

    def prompt(self, question: str, statement: str) -> str:
        """Ask a question about a statement."""
        return self.questions[question].replace(STATEMENT, statement)


class LabelWords(NamedTuple):
    """Words that stand for yes and no, and what asks for them: with yes first and, optionally, with no first."""

    yes: tuple[str, ...]
    no: tuple[str, ...]
    asks: Sequence[str] = ()


class Ways(NamedTuple):
    """Ways to ask.

    Attributes
    ----------
    questions : Mapping of str to Mapping of str to Mapping of str to str
        By wording and position, the questions; every wording has the same positions and questions.
    labels : Mapping of str to LabelWords
        By name; all have as many of :data:`ORDERS`.
    """

    questions: Mapping[str, Mapping[str, Mapping[str, str]]]
    labels: Mapping[str, LabelWords]

    @property
    def facets(self) -> dict[str, Sequence[str]]:
        """The levels of each facet that has several: wording, position and labels."""
        found = {
            "wording": [*self.questions],
            "position": [*next(iter(self.questions.values()))],
            "labels": [*self.labels],
        }
        return {name: levels for name, levels in found.items() if len(levels) > 1}

    def wording(self, levels: Mapping[str, Any]) -> Wording:
        """Put one way to ask together: the first, but for some levels by facet, and a turn of yes and no."""
        positions = _level(self.questions, levels, "wording")
        words, texts = _level(self.labels, levels, "labels"), _level(positions, levels, "position")
        turn: Order = levels.get(TURN, (0, 1))
        several = len(words.asks) > 1
        asked = words.asks[turn[0]] if several else "".join(words.asks)
        found = {name: text.replace(ANSWER, asked) for name, text in texts.items()}
        if not several and TURN in levels:
            found = {name: turned(text, (words.yes, words.no), turn) for name, text in found.items()}
        return Wording(found, words.yes, words.no)

    def named_order(self, levels: Mapping[str, Any], question: str) -> Order:
        """Return whether a question names yes (0) or no (1) in each place.

        Raises
        ------
        InputError
            If it does not name both side by side.
        """
        if len(_level(self.labels, levels, "labels").asks) > 1:
            first: Order = levels.get(TURN, (0, 1))
            return first
        wording = self.wording(levels)
        order = listed_order(wording.questions[question], (wording.yes, wording.no))
        if order is None:
            yes, no = wording.yes[0], wording.no[0]
            raise InputError(
                f"the wording of {question} names no order of {yes} and {no}",
                expected=f"“{yes} or {no}” in all questions, or no conditions of order",
            )
        return order


def _level(known: Mapping[str, Any], levels: Mapping[str, Any], facet: str) -> Any:
    """Return what has the level of a facet, or the first level."""
    return known[levels.get(facet, next(iter(known)))]


@cache
def packaged_ways() -> Ways:
    """Read the ways to ask that come with the package; the first is the published one."""
    return read_ways(PACKAGED)


def read_ways(path: Path) -> Ways:
    """Read one way to ask, or several.

    Several are a YAML (or JSON) mapping of wording and labels, each a mapping of names to ways. One is a mapping of
    some of q1, q2 and q3 to texts, and of yes and no to words.

    Raises
    ------
    InputError
        For a file that cannot be read, or is no such mapping; for wordings that differ in their positions or
        questions, and labels that differ in their orders; for words that stand for both answers.
    """
    place, document = Place(path), read_yaml(path)
    if not (isinstance(document, dict) and {"wording", "labels"} & {*document}):
        found = place.record(_quoted(document), needed=(), optional=(*QUESTIONS, *LABELS), expected=_EXPECTED)
        own = {name: found[name] for name in QUESTIONS if name in found}
        texts: Any = read_as(_Own, own, place)
        return Ways({"": {"": texts}}, {"": _label_words(place, {"yes": ["yes"], "no": ["no"], **found})})
    found = place.record(document, needed=("wording", "labels"))
    wordings: dict[str, Any] = read_as(_Wordings, found["wording"], place.inside("wording"))
    labels = {}
    for name, value in read_as(_Labels, found["labels"], place.inside("labels")).items():
        inside = place.inside("labels", name)
        words = inside.record(_quoted(value), needed=(*LABELS, *ORDERS[:1]), optional=ORDERS[1:])
        asks = [inside.word(words[order], order) for order in ORDERS if order in words]
        labels[name] = _label_words(inside, words)._replace(asks=asks)
    asked = {(name, where): texts for name, one in wordings.items() for where, texts in one.items()}
    _check_alike(place, {f"wording.{name}": [*one] for name, one in wordings.items()})
    _check_alike(place, {f"wording.{name}.{where}": [*one] for (name, where), one in asked.items()})
    _check_alike(place, {f"labels.{name}": ORDERS[: len(one.asks)] for name, one in labels.items()})
    return Ways(wordings, labels)


def _label_words(place: Place, found: Mapping[str, Any]) -> LabelWords:
    """Read the words that stand for yes, and those for no."""
    yes, no = (read_as(_Words, found[name], place.inside(name)) for name in LABELS)
    from probsense.analysis.distributions.label_mass import token_classes

    try:
        token_classes((), (("yes", yes), ("no", no)))
    except InputError as error:
        raise place.fault(f"{place.keys or 'the file'}: {error}", "words that tell yes from no") from None
    return LabelWords(yes, no)


def _quoted(document: Any) -> Any:
    """Give a mapping the keys yes and no where YAML took these words, without quotes, for truth values."""
    if not isinstance(document, dict):
        return document
    return {
        {True: "yes", False: "no"}[key] if isinstance(key, bool) else key: document[key] for key in document
    }


def _check_alike(place: Place, found: Mapping[str, Sequence[str]]) -> None:
    """Refuse ways, by their places, that do not all have the same keys."""
    (first, expected), *others = found.items()
    for name, keys in others:
        if keys != expected:
            raise place.fault(f"{name} has {', '.join(keys)}", f"{', '.join(expected)}, as {first}")


def check_questions(names: Sequence[str], wording: Wording) -> None:
    """Refuse unknown names of questions, a repeated name, and an empty list."""
    for name in names:
        check_name("question", name, wording.questions)
    if not names or len(set(names)) < len(names):
        raise InputError(f"the questions {', '.join(names) or '(none)'}", expected="each at most once")
