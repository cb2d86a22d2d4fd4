"""Examines a model on known strings before a run trusts it, through the verbs that every question uses."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from probsense.analysis.distributions.label_mass import YES_NO, text_class
from probsense.core.errors import InputError, ProbSenseError, check_name
from probsense.core.records import LabelRequest, LabelResponse, SampleRequest, ScoreRequest, ScoreResponse
from probsense.models.base import Batch, Finding, Model, ask, findings_of, in_form, prompts_notes
from probsense.models.next_token.model import LanguageModel
from probsense.models.prompts.control import KIND_NAMES, Kind, examine_formats
from probsense.show.text import listed_shares

R = TypeVar("R")

ROUNDING = 1e-3
"""The largest difference (of log-probabilities in nats, of masses) that counts as rounding."""
ANOTHER = 0.25
"""A larger difference than this cannot come from rounding, even in half precision."""
IMPROBABLE = 3.0
"""More nats a character than models of a language need for a plain sentence; about 1 is usual."""
DRAWS = 8

_CAPITAL = ScoreRequest("The capital of France is", (" Paris", " London", " Rome"), ".")
_SENTENCE = " on the mat, and the dog lay on the rug"
_LANGUAGE = ScoreRequest("The cat sat", (_SENTENCE, _SENTENCE[::-1]))
_HOT = "Is fire hot? Answer with one word, yes or no."
_COMPANY = (
    "The capital of France",
    "Is snow white? Answer with one word, yes or no.",
    "Two and two are",
    "A stone is heavier than a feather, and a feather is lighter than",
    "She opened the door and",
    "Is fire cold? Answer with one word, yes or no.",
    "The",
)
"""Requests that go along with another, to see whether they matter: their lengths differ, and some begin alike."""

_NO_ROOM = re.compile(r"\s*(<\W?\w+|\[\W?\w+\]|(assistant|model|user|system)\b)", re.IGNORECASE)
"""How an answer begins where the template leaves the turn open, or where the model thinks first."""


def examine(model: Model, method: str | None = None) -> list[Finding]:
    """Collect what loading found out about a model, then try each of its verbs on known strings.

    Parameters
    ----------
    model : Model
    method : {"options", "labels", "sample"}, optional
        The method that the model must be able to answer by; without one, any will do.

    Returns
    -------
    list of Finding
        One for each check; a verb that gives no answer is a finding, too.

    Raises
    ------
    InputError
        For an unknown method, and if the model has only recorded answers.
    """
    check_method(method)
    if model.capabilities.by_item:
        raise InputError(f"{model.name} has answers to recorded items only", expected="another model")
    findings = [*findings_of(model)]
    able = [name for name, (verb, _) in METHODS.items() if getattr(model.capabilities, verb)]
    for name in able:
        findings += _all_of(METHODS[name][1](model))
    continuing = in_form(model, "completion")
    if continuing is not model:
        notes = prompts_notes(findings_of(continuing))
        findings += [Finding("texts to continue", None, note) for note in notes]
        if continuing.capabilities.score and continuing.details != model.details:
            checked = _all_of(_options(continuing))
            findings += [replace(found, name=f"texts to continue: {found.name}") for found in checked]
    findings += beginning(model)
    for kind in KIND_NAMES if model.capabilities.labels else ():
        findings += _all_of(_formats(model, kind))
    can = f"the model can answer {', '.join(able) or 'nothing'}"
    return [
        *findings,
        Finding("methods", method in able if method else bool(able), can, {"methods": [*able]}),
    ]


def _formats(model: Model, kind: Kind) -> Iterator[Finding]:
    """Show the examination that a run makes before it asks for labels of a kind, with each format that was tried."""
    found = examine_formats(in_form(model, "question"), kind)
    if found is None:
        return
    figures: Any = found.data["formats"]
    for name, seen in figures.items() if len(figures) > 1 else ():
        mass, agreement = 100 * seen["mass"], 100 * seen["agreement"]
        detail = f"at least {mass:.1f} % on the labels, and {agreement:.1f} % of that on given answers"
        yield Finding(f"{KIND_NAMES[kind]}, {name}", None, detail, seen)
    yield replace(found, name=f"{KIND_NAMES[kind]}, {found.name}")


def check_method(method: str | None) -> None:
    """Refuse an unknown method."""
    if method is not None:
        check_name("method", method, METHODS)


def _all_of(checks: Iterator[Finding]) -> list[Finding]:
    """Return the findings; the last one may say that no answer came."""
    found: list[Finding] = []
    try:
        found.extend(checks)
    except ProbSenseError as error:
        found.append(Finding("an answer", False, str(error)))
    return found


def _options(model: Model) -> Iterator[Finding]:
    company = [ScoreRequest(text, (" and", " not a")) for text in _COMPANY]
    first = yield from _alike("options", _three_times(model.score, _CAPITAL, company), _nats, "nats")
    sums = [sum(score.option.logprobs) for score in first.options]
    fine = all(math.isfinite(x) and x <= ROUNDING for x in _nats(first))
    yield _at_most_one("options, probabilities", map(math.exp, sums), fine)
    forward, back = (sum(score.option.logprobs) for score in ask(model.score, [_LANGUAGE])[0].options)
    a_character = -forward / len(_SENTENCE)
    ok = forward > back and a_character <= IMPROBABLE
    seen = (
        f"a sentence has the log-probability {forward:.4g} ({a_character:.2g} nats a character),"
        f" read backwards {back:.4g}"
    )
    said = (
        seen if ok else f"{seen}: has the model learnt the language, and are these the sentence's own tokens?"
    )
    yield Finding("options, language", ok or None, said, {"logprobs": [_known(forward), _known(back)]})


def _labels(model: Model) -> Iterator[Finding]:
    company = [LabelRequest(text, YES_NO) for text in _COMPANY]
    answers = _three_times(model.labels, LabelRequest(_HOT, YES_NO), company)
    first = yield from _alike("labels", answers, _masses, "of mass")
    fine = all(math.isfinite(x) and x >= 0 for x in _masses(first))
    yield _at_most_one("labels, probabilities", _masses(first), fine)
    yield Finding("labels, read", None if first.note else True, first.note or "from the first token")
    said = f"{100 * (1 - first.other):.1f} % on yes and no"
    if first.other > 0.5 and first.others:
        shown = listed_shares((repr(text)[1:-1], p) for text, p in first.others)
        said = f"{said}; other first tokens: {shown}"
    yield Finding(
        "labels, mass",
        first.other <= 0.5 or None,
        said,
        {"mass": {name: _known(x) for name, x in first.mass.items()}, "other": _known(first.other)},
    )


def _texts(model: Model) -> Iterator[Finding]:
    likely = SampleRequest(_HOT, max_tokens=DRAWS)
    company = [SampleRequest(text, max_tokens=DRAWS) for text in _COMPANY]
    first, second, together = (answer.texts[0] for answer in _three_times(model.sample, likely, company))
    for name, text in (("texts, asked twice", second), ("texts, in a batch", together)):
        same = text == first
        seen = "the most probable one is the same" if same else f"{first!r}, then {text!r}"
        yield Finding(name, same or None, seen, {"texts": [first, text]})
    drawn = SampleRequest("Name an animal.", n=DRAWS, max_tokens=DRAWS, temperature=1.0)
    texts = ask(model.sample, [drawn])[0].texts
    distinct = len(set(texts))
    yield Finding(
        "texts, drawn",
        len(texts) == DRAWS and (distinct > 1 or None),
        f"{len(texts)} of {DRAWS} at temperature 1, {distinct} of them distinct"
        + (": are they drawn independently?" if distinct == 1 else ""),
        {"texts": list(texts)},
    )
    if model.capabilities.chat:
        yield _room(first)


def _room(text: str) -> Finding:
    """Check whether an answer can begin where the chat template ends."""
    name, data = "texts, room for the answer", {"text": text}
    if not text.strip():
        return Finding(name, False, "nothing is written after the chat template", data)
    if _NO_ROOM.match(text):
        return Finding(name, False, f"{text!r} comes after the chat template, not the answer", data)
    fits = text_class(text) != "other"
    return Finding(name, fits or None, f"asked for yes or no, it answers {text!r}", data)


METHODS: Final[dict[str, tuple[str, Callable[[Model], Iterator[Finding]]]]] = {
    "options": ("score", _options),
    "labels": ("labels", _labels),
    "sample": ("sample", _texts),
}
"""Each method, with the capability that it needs and what is checked of it."""


def _alike(
    name: str, answers: Iterable[R], figures: Callable[[R], Sequence[float]], unit: str
) -> Generator[Finding, None, R]:
    """Judge how far the second and the third answer to a question lie from the first one, and return that."""
    first, *others = answers
    for how, other in zip(("asked twice", "in a batch"), others, strict=True):
        distance = _distance(figures(first), figures(other))
        seen = "not even the same tokens"
        if math.isfinite(distance):
            seen = f"the same within {distance:.2g} {unit}" if distance else "exactly the same"
        ok = True if distance <= ROUNDING else None if distance <= ANOTHER else False
        yield Finding(f"{name}, {how}", ok, seen, {"largest_difference": _known(distance)})
    return first


def _at_most_one(name: str, probabilities: Iterable[float], fine: bool) -> Finding:
    if not fine:
        return Finding(name, False, "some are invalid: above 1, below 0, or not a number")
    total = math.fsum(probabilities)
    ok = total <= 1 + ROUNDING
    seen = f"those that exclude each other sum to {total:.6g}"
    return Finding(name, ok, seen if ok else f"{seen}, more than 1", {"sum": total})


def _known(x: float) -> float | None:
    """Return a finite number as it is, and None for the others, which JSON does not have."""
    return x if math.isfinite(x) else None


def _nats(response: ScoreResponse) -> list[float]:
    return [x for score in response.options for part in (score.option, score.suffix) for x in part.logprobs]


def _masses(response: LabelResponse) -> list[float]:
    return [*response.mass.values(), response.other]


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the largest difference; infinite where the lengths differ or a value is not a number."""
    if len(one) != len(other):
        return math.inf
    distances = [0.0 if a == b else abs(a - b) for a, b in zip(one, other, strict=True)]
    return math.inf if any(map(math.isnan, distances)) else max(distances, default=0.0)


def _three_times(
    verb: Callable[[Sequence[Any]], Iterator[Batch[R]]], request: Any, company: Sequence[Any]
) -> tuple[R, R, R]:
    """Answer a request alone, alone again, and in the midst of others."""
    crowd, middle = [*company], len(company) // 2
    crowd.insert(middle, request)
    return ask(verb, [request])[0], ask(verb, [request])[0], ask(verb, crowd)[middle]


def beginning(model: Model) -> list[Finding]:
    """Check how texts begin for a model whose tokenizer is at hand: with a beginning-of-sequence token, or two."""
    if not isinstance(model, LanguageModel):
        return []
    ((aligned,),) = model.split([ScoreRequest("The", (" capital",))])
    ids, bos = aligned.ids.tolist(), model.encoder.tokenizer.bos_token_id
    first = list(model.encoder.tokenizer.convert_ids_to_tokens(ids[:2]))
    count = next((k for k, token in enumerate(ids) if token != bos), len(ids))
    if model.writer is not None:
        ok, seen = None, f"the decoder begins with {first[0]!r}"
    elif count == 0:
        ok, seen = None, f"the tokenizer adds none; the first token is {first[0]!r}"
    else:
        ok, seen = count == 1, f"{count} {first[0]!r}" + (", where there should be one" if count > 1 else "")
    return [Finding("beginning of sequence", ok, seen, {"tokens": list(first), "count": count})]
