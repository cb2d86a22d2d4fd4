"""Answers for models in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from probsense.core.records import Json, PromptForm, Request
from probsense.models.base import Batch, Capabilities, Model, Usage, in_form
from probsense.models.findings import Finding, findings_of
from probsense.models.registry import fingerprint, load_model

Verb: TypeAlias = Literal["score", "labels", "sample"]


class Asked(NamedTuple):
    """The model that a worker is to ask: its specification, its options, and the form of the prompts if it has one."""

    spec: str
    options: Mapping[str, Any]
    form: PromptForm | None = None


@dataclass(frozen=True)
class Description:
    """What a worker says of a model that it has loaded."""

    name: str
    details: Mapping[str, Json]
    capabilities: Capabilities
    findings: Sequence[Finding]


@dataclass(frozen=True)
class Done:
    """The answers to one part of the requests, with their positions in it.

    Attributes
    ----------
    part : int
        The number of the part.
    answers : list of (int, response or Failure)
    used : Usage
        What the answers used.
    fingerprint : str
        That of the model that gave them.
    """

    part: int
    answers: Batch[Any]
    used: Usage
    fingerprint: str


class Worker:
    """Load the model that is asked, and answer for it; the model that was asked before makes room for it."""

    def __init__(self) -> None:
        self._loaded: tuple[str, Model] | None = None

    def describe(self, asked: Asked) -> Description:
        """Load a model, and describe it."""
        model = self._model(asked)
        return Description(model.name, dict(model.details), model.capabilities, [*findings_of(model)])

    def answer(self, asked: Asked, verb: Verb, part: int, requests: Sequence[Request]) -> Done:
        """Answer one part of the requests, which are of one kind."""
        model = self._model(asked)
        before = model.usage
        answers = [pair for batch in getattr(model, verb)(requests) for pair in batch]
        return Done(part, answers, model.usage.since(before), fingerprint(model))

    def _model(self, asked: Asked) -> Model:
        if self._loaded is None or self._loaded[0] != asked.spec:
            self._loaded = None  # gives its memory back before the next model takes some
            self._loaded = asked.spec, load_model(asked.spec, **asked.options)
        loaded = self._loaded[1]
        return loaded if asked.form is None else in_form(loaded, asked.form)
