"""Trying the prompt formats of a model on a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.core.records import Failure, LabelRequest, LabelResponse
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.small.random import load as random
from probsense.runs.examine import OWN, examinable, examine_for


@dataclass(frozen=True)
class Choosy:
    """Gives yes or no a mass that depends on the prompt format alone; in "broken", it gives no answer."""

    format: str = "chat"
    name: str = "choosy:"
    capabilities: Capabilities = field(default=Capabilities(labels="exact"))
    details: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    @property
    def prompt_formats(self) -> Mapping[str, str]:
        return {"chat": "", "plain": "", "broken": "", "barred": "it is barred"}

    def in_prompt_format(self, name: str) -> Choosy:
        return replace(self, format=name)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        mass = {"chat": 0.04, "plain": 0.9}.get(self.format)
        for i, _ in enumerate(requests):
            if mass is None:
                yield [(i, Failure("HTTP 500", 6))]
            else:
                yield [(i, LabelResponse({"yes": mass, "no": 0.0}, 1 - mass, others=(("I", 1 - mass),)))]

    def score(self, requests: Any) -> Any:
        raise NotImplementedError

    sample = score


def test_every_format_is_tried_or_the_reason_is_said() -> None:
    findings, advice = examine_for(examinable("judgments"), Choosy())
    assert advice is not None
    assert advice.best == "plain"
    seen = {finding.name: (finding.ok, finding.detail) for finding in findings}
    assert [*seen] == [f"judgments, {name}" for name in ("chat", "plain", "broken", "barred")]
    assert seen["judgments, chat"][0] is None
    assert "other first words: “I” 96.0 %" in seen["judgments, chat"][1]
    assert seen["judgments, plain"][0] is True
    assert "HTTP 500" in seen["judgments, broken"][1]
    assert seen["judgments, barred"] == (None, "not tried: it is barred")


def test_a_model_without_a_choice_is_tried_as_it_is() -> None:
    findings, advice = examine_for(examinable("judgments"), random("1"))
    assert advice is not None
    assert (advice.best, [finding.name for finding in findings]) == (OWN, [f"judgments, {OWN}"])


def test_without_any_answer_there_is_no_advice() -> None:
    class Broken(Choosy):
        @property
        def prompt_formats(self) -> Mapping[str, str]:
            return {"broken": ""}

    findings, advice = examine_for(examinable("judgments"), Broken())
    assert advice is None
    assert len(findings) == 1


def test_a_task_without_an_examination_is_refused() -> None:
    with pytest.raises(InputError, match="suite brings no examination of its own"):
        examinable("suite")
    with pytest.raises(InputError, match="no such task"):
        examinable("judgements")
