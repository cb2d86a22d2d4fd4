"""``recorded:PATH``: answers from a results file, found by the item that asks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probsense.core.errors import InputError, ModelError, brief
from probsense.core.files import Place, read_bytes, read_jsonl
from probsense.core.records import (
    Json,
    LabelRequest,
    LabelResponse,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Batch, Capabilities, Usage

EXPECTED = (
    '{"Key": number, "resp": text}, {"id": text, "response": text} or {"id": text, "response": [text, …]}'
)


def load(argument: str) -> RecordedModel:
    """Read a file of recorded answers.

    Parameters
    ----------
    argument : str
        Path of a JSON-lines file (plain, ``.bz2`` or ``.gz``); a line is ``{"Key": int, "resp": str}`` as
        WorldSense publishes them, or ``{"id": str, "response": str}``, or the same with a list of as many texts as
        will be asked for. More fields are allowed.

    Raises
    ------
    InputError
        For a missing file, a malformed line, two different answers to one item, a file without answers.
    """
    if not argument:
        raise InputError("recorded: names no file", expected="recorded:PATH")
    path = Path(argument)
    answers: dict[str, tuple[str, ...]] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        item, answer = _parse(place, record)
        if answers.setdefault(item, answer) != answer:
            raise place.fault(
                f"a second answer {_said(answer)} to item {brief(item)}, which has {_said(answers[item])}"
            )
    if not answers:
        raise InputError("holds no answers", path=path, expected=EXPECTED)
    return RecordedModel(f"recorded:{argument}", answers, hashlib.sha256(read_bytes(path)).hexdigest())


check = load  # it costs nothing to load it twice


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """Recorded answers; an item without one gets the empty text, which measures count as no answer."""

    name: str
    answers: Mapping[str, tuple[str, ...]]
    sha256: str
    capabilities: Capabilities = field(default=Capabilities(sample=True, by_item=True))
    usage: Usage = field(default_factory=Usage)

    @property
    def details(self) -> Mapping[str, Json]:
        """The content of the file, wherever it lies."""
        return {"scheme": "recorded", "sha256": self.sha256, "version": 1}

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Refuse to score options."""
        raise ModelError(f"{self.name} has texts, no probabilities")

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Refuse to read labels."""
        raise ModelError(f"{self.name} has texts, no probabilities")

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Yield the recorded texts of each request's item."""
        found = [self.answers.get(request.item, ("",) * request.n) for request in requests]
        for request, texts in zip(requests, found, strict=True):
            if request.n != len(texts):
                raise InputError(
                    f"{self.name} has {len(texts):,} texts for item {request.item}, {request.n:,} were asked for"
                )
        yield [(i, SampleResponse(texts)) for i, texts in enumerate(found)]


def _parse(place: Place, record: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Read the item id and the answers of one line."""
    if "Key" in record and "resp" in record:
        return str(place.whole(record["Key"], "Key")), (_text(place, record["resp"]),)
    if "id" in record and "response" in record:
        if not isinstance(record["id"], str):
            raise place.wrong(record["id"], "id", "text")
        given = record["response"]
        texts = given if isinstance(given, list) and given else [given]
        return record["id"], tuple(_text(place, text) for text in texts)
    raise place.fault(f"has the fields {', '.join(map(brief, record)) or '(none)'}", EXPECTED)


def _said(texts: tuple[str, ...]) -> str:
    """Show the one text, or all of them, shortened."""
    return brief(texts[0] if len(texts) == 1 else list(texts))


def _text(place: Place, value: object) -> str:
    """Return an answer as text: null is no answer, and a number is the text of that number."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # A table program writes a column of whole numbers with gaps this way.
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise place.wrong(value, "the answer", "text, a number or null")
