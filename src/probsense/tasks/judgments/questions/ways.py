"""Ways to ask the questions: the file with all of them, the package's or the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from probsense.analysis.distributions.label_mass import token_classes
from probsense.core.errors import InputError
from probsense.core.files import Place, read_yaml
from probsense.tasks.judgments.questions.wordings import (
    QUESTIONS,
    STATEMENT,
    Wording,
    answer_words,
    with_quoted_answers,
    wording_of,
)
from probsense.tasks.shared.orders import Order, listed_order, turned

PACKAGED: Final = Path(str(files(__package__) / "ways.yaml"))
"""The ways to ask that come with the package."""
POSITIONS: Final = ("statement first", "question first")
ORDERS: Final = ("yes first", "no first")
ANSWER: Final = "{answer}"
TURN: Final = "turn"
"""The key of an item's data with the order in which its question names yes and no, if not in that of the wording."""


@dataclass(frozen=True, slots=True)
class LabelWords:
    """Words that stand for yes and no, and what asks for them, by which of them it names first."""

    yes: tuple[str, ...]
    no: tuple[str, ...]
    orders: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways to ask.

    Attributes
    ----------
    questions : Mapping of str to Mapping of str to Mapping of str to str
        By wording and by :data:`POSITIONS`, the questions; every wording has the same positions and questions.
    labels : Mapping of str to LabelWords
        By name; all have the same :data:`ORDERS`.
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
        words, texts = self._chosen(levels)
        turn: Order = levels.get(TURN, (0, 1))
        orders = [*words.orders.values()] or [""]
        asked = orders[turn[0] if len(orders) > 1 else 0]
        found = {name: text.replace(ANSWER, asked) for name, text in texts.items()}
        if len(orders) == 1 and TURN in levels:
            found = {name: turned(text, (words.yes, words.no), turn) for name, text in found.items()}
        return Wording(found, words.yes, words.no)

    def _chosen(self, levels: Mapping[str, Any]) -> tuple[LabelWords, Mapping[str, str]]:
        words = self.labels[levels.get("labels", next(iter(self.labels)))]
        positions = self.questions[levels.get("wording", next(iter(self.questions)))]
        return words, positions[levels.get("position", next(iter(positions)))]

    def named_order(self, levels: Mapping[str, Any], question: str) -> Order:
        """Return whether a question names yes (0) or no (1) in each place.

        Raises
        ------
        InputError
            If it does not name both side by side.
        """
        words, _ = self._chosen(levels)
        if len(words.orders) > 1:
            first: Order = levels.get(TURN, (0, 1))
            return first
        wording = self.wording(levels)
        order = listed_order(wording.questions[question], (words.yes, words.no))
        if order is None:
            raise InputError(
                f"the wording of {question} names no order of {words.yes[0]} and {words.no[0]}",
                expected=f"“{words.yes[0]} or {words.no[0]}” in all questions, or no conditions of order",
            )
        return order


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
        one = wording_of(place, document)
        return Ways({"": {"": one.questions}}, {"": LabelWords(one.yes, one.no, {})})
    found = place.record(document, needed=("wording", "labels"))
    wordings = {
        name: _positions(place.inside("wording", name), value)
        for name, value in _named(place, found, "wording").items()
    }
    labels = {
        name: _label_words(place.inside("labels", name), value)
        for name, value in _named(place, found, "labels").items()
    }
    _check_alike(place, "wording", {name: [*one] for name, one in wordings.items()})
    asked = {f"{name}.{where}": [*qs] for name, one in wordings.items() for where, qs in one.items()}
    _check_alike(place, "wording", asked)
    _check_alike(place, "labels", {name: [*one.orders] for name, one in labels.items()})
    return Ways(wordings, labels)


def _named(place: Place, found: Mapping[str, Any], key: str) -> dict[str, Any]:
    named = place.mapping(found[key], key)
    if not named:
        raise place.wrong(named, key, "at least one")
    for name in named:
        if not name.replace("-", "").replace("_", "").isalnum():
            raise place.inside(key).fault(f"the name {name!r}", "letters, digits, - and _")
    return named


def _positions(place: Place, value: Any) -> dict[str, dict[str, str]]:
    found = place.record(value, needed=(), optional=POSITIONS)
    return {name: _questions(place.inside(name), found[name]) for name in _some_of(place, found, POSITIONS)}


def _questions(place: Place, value: Any) -> dict[str, str]:
    found = place.record(value, needed=(), optional=QUESTIONS)
    texts = {name: place.word(found[name], name) for name in _some_of(place, found, QUESTIONS)}
    for name, text in texts.items():
        if not (STATEMENT in text and ANSWER in text):
            raise place.wrong(text, name, f"a text with {STATEMENT} and {ANSWER}")
    return texts


def _label_words(place: Place, value: Any) -> LabelWords:
    document = with_quoted_answers(value)
    found = place.record(document, needed=("yes", "no"), optional=ORDERS)
    yes, no = (answer_words(place, name, found[name]) for name in ("yes", "no"))
    try:
        token_classes((), (("yes", yes), ("no", no)))
    except InputError as error:
        raise place.fault(f"{place.keys}: {error}", "words that tell yes from no") from None
    orders = {name: place.word(found[name], name) for name in _some_of(place, found, ORDERS)}
    return LabelWords(yes, no, orders)


def _some_of(place: Place, found: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    """Return the keys in their own order; there must be one."""
    some = [name for name in known if name in found]
    if not some:
        raise place.fault(f"{place.keys} has none of its keys", f"some of {', '.join(known)}")
    return some


def _check_alike(place: Place, key: str, found: Mapping[str, list[str]]) -> None:
    """Refuse ways that do not all have the same keys."""
    (first, expected), *others = found.items()
    for name, keys in others:
        if keys != expected:
            raise place.fault(
                f"{key}.{name} has {', '.join(keys)}", f"{', '.join(expected)}, as {key}.{first}"
            )
