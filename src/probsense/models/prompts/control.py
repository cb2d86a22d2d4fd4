"""Control questions: made-up questions that tell in which prompt format a model answers with labels.

They hold nothing of any task's data, and none has a right answer: some are open, and some give the answer away. So a
format is chosen by how much of the probability is on labels and by whether given answers are followed, never by a
score.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import product
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from probsense.analysis.distributions.label_mass import YES_NO, Clarity, Labels, clarity
from probsense.core.errors import ProbSenseError
from probsense.core.records import Json, LabelRequest, LabelResponse
from probsense.models.base import FORMAT, Finding, Formatted, Model, ask

Kind: TypeAlias = Literal["words", "letters"]
"""What labels are: words such as yes and no, or single letters or digits that stand for options."""
_DATA: Final = tomllib.loads(files(__package__).joinpath("control.toml").read_text("utf-8"))
KIND_NAMES: Final[Mapping[Kind, str]] = {kind: _DATA[kind]["named"] for kind in get_args(Kind)}
ENOUGH: Final = 0.5
"""Another format than the usual one needs this share of the probability on labels, in every style of question."""
FOLLOWS: Final = 0.51
"""A given answer needs more than half of the labels' probability, on the average: half is what no attention gets."""
CLEARLY: Final = 0.75
"""What it needs in another format, where the usual one lacks nothing but this."""

_LETTERS: Final[Labels] = (("A", ("A",)), ("B", ("B",)))


class Control(NamedTuple):
    """A control question.

    Attributes
    ----------
    style : int
        Questions of one style share their wording.
    request : LabelRequest
    given : str
        The label that the question gives as its answer; "" for an open question.
    """

    style: int
    request: LabelRequest
    given: str = ""


class Seen(NamedTuple):
    """How a model answered the control questions in one prompt format.

    Attributes
    ----------
    styles : tuple of Clarity
        How far the answers to open questions are labels, by the style of question.
    agreement : float
        Mean share of the given answer in the probability of all labels; 1/2 for answers that do not depend on it.
    policy : str
        What becomes of other answers, as
        :meth:`~probsense.analysis.distributions.label_mass.Clarity.too_little` takes it.
    """

    styles: tuple[Clarity, ...]
    agreement: float
    policy: str = "split"

    @property
    def mass(self) -> float:
        """The mean probability of the labels together, in the style that has least."""
        return min(one.mass for one in self.styles)

    @property
    def speaks(self) -> bool:
        """Whether a task would let results rest on such answers."""
        return not any(one.too_little(self.policy) for one in self.styles)

    @property
    def passes(self) -> bool:
        """Whether the usual format may stay: results can rest on such answers, and given answers are followed."""
        return self.speaks and self.agreement >= FOLLOWS

    def to_json(self) -> dict[str, Json]:
        """Return the two figures by which a format is chosen."""
        return {"mass": self.mass, "agreement": self.agreement}


def kind_of(labels: Labels) -> Kind:
    """Tell of which kind labels are."""
    words = [word for _, spelled in labels for word in spelled]
    return "letters" if all(len(word) == 1 and word.isalnum() for word in words) else "words"


def control_questions(kind: Kind) -> list[Control]:
    """Make the control questions for a kind of labels: open ones, and others with each label in turn given away."""
    labels = _LETTERS if kind == "letters" else YES_NO
    found = []
    for number, style in enumerate(_DATA[kind]["styles"]):
        asked: Callable[[str], str] = style["wording"].format
        for text in style["openly"]:
            found.append(Control(number, LabelRequest(asked(text), labels)))
        for text, (name, _) in product(style["given"], labels):
            told = f'Answer the following with "{name}". {asked(text)}'
            found.append(Control(number, LabelRequest(told, labels), name))
    return found


def seen(kind: Kind, answers: Sequence[LabelResponse]) -> Seen:
    """Sum up the answers to control questions.

    Parameters
    ----------
    kind : Kind
    answers : sequence of LabelResponse
        In the order of :func:`control_questions`.
    """
    masses: dict[int, list[list[float]]] = {}
    shares = []
    for control, answer in zip(control_questions(kind), answers, strict=True):
        total = sum(answer.mass.values())
        if control.given:
            shares.append(answer.mass[control.given] / total if total > 0 else 1 / len(answer.mass))
        else:
            masses.setdefault(control.style, []).append([*answer.mass.values(), answer.other])
    styles = tuple(clarity(np.array(own)) for own in masses.values())
    return Seen(styles, float(np.mean(shares)), _DATA[kind]["policy"])


def choose(usual: str, tried: Mapping[str, Seen]) -> str:
    """Choose a prompt format by the answers to control questions.

    The usual one stays unless a task would withhold results from such answers, or given answers are not followed, and
    another one passes clearly. Of several, it is the one in which given answers are most probable.

    Parameters
    ----------
    usual : str
    tried : Mapping of str to Seen
        By the name of the format; the usual one is among them.

    Returns
    -------
    str
    """
    own = tried[usual]
    if own.passes:
        return usual
    needed = CLEARLY if own.speaks else FOLLOWS
    passed = {
        name: one.mass * one.agreement
        for name, one in tried.items()
        if name != usual and one.mass >= ENOUGH and one.agreement >= needed
    }
    return max(passed, key=passed.__getitem__, default=usual)


MayAsk = Callable[[Model, Sequence[LabelRequest]], bool]
"""Tells whether a model may be asked some requests."""


def examine_formats(model: Model, kind: Kind, may_ask: MayAsk = lambda *_: True) -> Finding | None:
    """Ask the control questions in the usual format, and in all others only where it does not pass.

    Parameters
    ----------
    model : Model
        As it is usually asked questions.
    kind : Kind
        Of the labels.
    may_ask : callable
        Tells whether there is money for some more requests.

    Returns
    -------
    Finding or None
        Its data have the format that was "chosen", whether that "moved" from the usual one, the figures by "formats",
        and the number of "questions". None for a model whose format is settled, and where the examination could not
        come to its end.
    """
    if not isinstance(model, Formatted) or model.settled or model.capabilities.labels is None:
        return None
    usual, requests = model.prompt_format, [control.request for control in control_questions(kind)]
    tried: dict[str, Seen] = {}
    for name in _formats(model):
        asked = model if name == usual else model.in_prompt_format(name)
        if asked.capabilities.labels is None:
            continue
        if not may_ask(asked, requests):
            return None
        try:
            tried[name] = seen(kind, ask(asked.labels, requests))
        except ProbSenseError:
            if name == usual:
                return None
        if tried[usual].passes:
            break
    return _outcome(usual, choose(usual, tried), tried, kind, len(requests))


def _formats(model: Formatted) -> Iterator[str]:
    """Yield the usual format, then the others that can be had; a server may have to be examined for these."""
    yield model.prompt_format
    yield from model.prompt_formats()[1:]


def _outcome(usual: str, chosen: str, tried: Mapping[str, Seen], kind: Kind, each: int) -> Finding:
    own, best, moved = tried[usual], tried[chosen], chosen != usual
    data: dict[str, Any] = {
        "kind": kind,
        "chosen": chosen,
        "moved": moved,
        "formats": {name: one.to_json() for name, one in tried.items()},
        "questions": each * len(tried),
    }
    how = f", chosen by {data['questions']} control questions" if moved else ", as no other one passes either"
    said = (
        f"prompt format {chosen}{'' if own.passes else how}: {KIND_NAMES[kind]} have at least"
        f" {100 * best.mass:.1f} % of the probability of the first word"
        + (f" ({100 * own.mass:.1f} % in the usual format, {usual})" if moved else "")
        + f", and answers that were given away {100 * best.agreement:.1f} % of that"
        + (f" ({100 * own.agreement:.1f} %)" if moved else "")
    )
    return Finding(FORMAT, own.passes or None, said, data)
