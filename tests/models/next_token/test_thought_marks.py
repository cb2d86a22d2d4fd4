"""Special tokens that mark a thought stay in texts, and others do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

from probsense.core.records import SampleRequest
from probsense.models.next_token.reading import Runner
from probsense.models.next_token.texts import Draw, Settings, Written, sample, thought_marks


def made() -> Any:
    """A tokenizer of letters, with markers that are special tokens."""
    known = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate("abc")}, merges=[]))
    known.decoder = decoders.Fuse()
    names = ("<think>", "</think>", "<e>", "<|image|>")
    known.add_special_tokens([AddedToken(name, special=True) for name in names])
    return PreTrainedTokenizerFast(tokenizer_object=known, eos_token="<e>")


def test_marks_are_found_among_special_tokens() -> None:
    assert thought_marks(made()) == {3: "<think>", 4: "</think>"}


def test_marks_stay_in_texts() -> None:
    def write(_runner: Any, draws: Sequence[Draw], _how: Settings, _stopped: Any) -> Iterator[Written]:
        yield [(k, [3, 0, 1, 6, 4, 2, 5]) for k in range(len(draws))]

    runner: Runner = None  # type: ignore[assignment]
    (((_, answer),),) = sample(runner, write, made(), [[0]], [SampleRequest("a")])  # type: ignore[list-item]
    assert answer.texts == ("<think>ab</think>c",)
