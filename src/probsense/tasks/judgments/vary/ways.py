"""Ways to ask the questions, for runs that vary them: the file with all of them, the package's or the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
)

PACKAGED: Final = Path(str(files(__package__) / "ways.yaml"))
"""The ways to ask that come with the package."""
POSITIONS: Final = ("statement first", "question first")
ORDERS: Final = ("yes first", "no first")
ANSWER: Final = "{answer}"


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
    path : Path
        The file that they come from.
    questions : Mapping of str to Mapping of str to Mapping of str to str
        By wording and by :data:`POSITIONS`, the questions; every wording has the same positions and questions.
    labels : Mapping of str to LabelWords
        By name; all have the same :data:`ORDERS`.
    """

    path: Path
    questions: Mapping[str, Mapping[str, Mapping[str, str]]]
    labels: Mapping[str, LabelWords]

    @property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The levels of each facet: wording, position, answers (which is named first) and labels."""
        return {
            "wording": tuple(self.questions),
            "position": tuple(next(iter(self.questions.values()))),
            "answers": tuple(next(iter(self.labels.values())).orders),
            "labels": tuple(self.labels),
        }

    def wording(self, levels: Mapping[str, str]) -> Wording:
        """Put one way to ask together, of a level of each facet."""
        words = self.labels[levels["labels"]]
        asked = words.orders[levels["answers"]]
        texts = self.questions[levels["wording"]][levels["position"]]
        return Wording(
            {name: text.replace(ANSWER, asked) for name, text in texts.items()}, words.yes, words.no
        )


def read_ways(path: Path) -> Ways:
    """Read ways to ask: a YAML (or JSON) mapping of wording and labels, each a mapping of names to ways.

    Raises
    ------
    InputError
        For a file that cannot be read, or is no such mapping; for wordings that differ in their positions or
        questions, and labels that differ in their orders; for words that stand for both answers; for a name that comes
        twice.
    """
    place = Place(path)
    found = place.record(read_yaml(path), needed=("wording", "labels"))
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
    for name in labels:
        if name in wordings:
            raise place.fault(f"labels.{name} is a wording, too", "each name once")
    return Ways(path, wordings, labels)


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
