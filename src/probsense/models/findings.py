"""The results of examining a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from probsense.core.records import Json


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    name : str
        A few words for the check.
    ok : bool or None
        Whether the model passed; None where the finding is for information only.
    detail : str
        The observation, as a sentence.
    data : Mapping[str, Json]
        The figures behind the sentence.
    """

    name: str
    ok: bool | None
    detail: str
    data: Mapping[str, Json] = field(default_factory=dict)


PROMPTS: Final = "prompts"
"""The name of the finding that says what stands around prompts, where there is a choice."""

ARCHITECTURE: Final = "architecture"
"""The name of the finding that says of which family a network is, and how many parameters it has."""


@runtime_checkable
class Examined(Protocol):
    """A model that was examined while it was loaded."""

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings of that examination."""


def findings_of(model: object) -> Sequence[Finding]:
    """Return the findings of a model; none if it was not examined."""
    return model.findings if isinstance(model, Examined) else ()


def architecture(family: str, parameters: int | None) -> Finding:
    """Say what is known of a network; neither changes an answer, so a fingerprint knows nothing of it.

    Parameters
    ----------
    family : str
        The name of its architecture, such as "llama".
    parameters : int or None
        Their number, each counted once; None if it is not known.
    """
    size = "" if parameters is None else f", {parameters:,} parameters"
    return Finding(ARCHITECTURE, None, family + size, {"family": family, "parameters": parameters})


def prompts_notes(findings: Sequence[Finding]) -> list[str]:
    """Note what stood around the prompts, where there was a choice."""
    return [found.detail for found in findings if found.name == PROMPTS]
