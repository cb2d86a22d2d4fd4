"""The exact tokens of sample questions: how they begin, and where prefix, option and suffix join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from probsense.core.records import Failure, OptionScore, PromptForm, ScoreRequest
from probsense.models.base import Model, in_form
from probsense.models.findings import Finding
from probsense.models.hf import HuggingFaceModel

SAMPLES = (
    ScoreRequest("The capital of France is", (" Paris",), ", and"),
    # The blank at the end of the prefix and the option are usually one token.
    ScoreRequest("Is a stone heavier than a feather? Answer: ", ("yes",)),
)
FORMS: tuple[PromptForm, ...] = ("completion", "question")
"""The form of each sample."""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token: its part, its text, and its id and log-probability (nats) where these are known."""

    part: str
    token: str
    id: int | None
    logprob: float | None


@dataclass(frozen=True, slots=True)
class SampleTokens:
    """The tokens of one text.

    Attributes
    ----------
    text : str
        Prefix, option and suffix, with a bar at each join.
    straddles : bool
        Whether a token spans a join; it belongs to the later part.
    rows : tuple of TokenRow
    """

    text: str
    straddles: bool
    rows: tuple[TokenRow, ...]


def sample_tokens(model: Model) -> list[SampleTokens]:
    """Show the tokens of sample texts as a model scores them; those of a prefix where the tokenizer is at hand."""
    shown = []
    for form, request in zip(FORMS, SAMPLES, strict=True):
        own = in_form(model, form)
        if not own.capabilities.score:
            continue
        ((_, response),) = (answer for batch in own.score([request]) for answer in batch)
        if not isinstance(response, Failure) and not response.options[0].option.only_sum:
            score, parts = response.options[0], (request.prefix, *request.options, request.suffix)
            text = "|".join(part for part in parts if part)
            shown.append(SampleTokens(text, score.straddles, tuple(_rows(own, request, score))))
    return shown


def _rows(model: Model, request: ScoreRequest, score: OptionScore) -> Iterator[TokenRow]:
    ids: Sequence[int | None] = [None] * (len(score.option.tokens) + len(score.suffix.tokens))
    if isinstance(model, HuggingFaceModel):
        ((aligned,),) = model.split([request])
        before = aligned.ids[: aligned.option].tolist()
        ids = aligned.ids[aligned.option :].tolist()
        for token, piece in zip(before, _pieces(model, before), strict=True):
            yield TokenRow("prefix", piece, token, None)
    scored = [
        (part, token, logprob)
        for part, texts in (("option", score.option), ("suffix", score.suffix))
        for token, logprob in zip(texts.tokens, texts.logprobs, strict=True)
    ]
    for (part, piece, logprob), token in zip(scored, ids, strict=True):
        yield TokenRow(part, piece, token, logprob)


def beginning(model: Model) -> list[Finding]:
    """Check how texts begin for a model whose tokenizer is at hand: with a beginning-of-sequence token, or two."""
    if not isinstance(model, HuggingFaceModel):
        return []
    ((aligned,),) = model.split([ScoreRequest("The", (" capital",))])
    ids, bos = aligned.ids.tolist(), model.encoder.tokenizer.bos_token_id
    first = _pieces(model, ids[:2])
    count = next((k for k, token in enumerate(ids) if token != bos), len(ids))
    if model.writer is not None:
        ok, seen = None, f"the decoder begins with {first[0]!r}"
    elif bos is None:
        ok, seen = None, f"the tokenizer has no such token; the first one is {first[0]!r}"
    elif count == 0:
        ok, seen = None, f"the tokenizer adds none; the first token is {first[0]!r}"
    else:
        ok, seen = count == 1, f"{count} {first[0]!r}" + (", where there should be one" if count > 1 else "")
    return [Finding("beginning of sequence", ok, seen, {"tokens": list(first), "count": count})]


def _pieces(model: HuggingFaceModel, ids: Sequence[int]) -> list[str]:
    return list(model.encoder.tokenizer.convert_ids_to_tokens(list(ids)))
