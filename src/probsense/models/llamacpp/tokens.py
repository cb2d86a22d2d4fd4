"""The tokenizer of a GGUF file, with as much of the face of a tokenizer of ``transformers`` as the models use."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from probsense.core.errors import ModelError
from probsense.models.llamacpp.network import Network, library

SENTENCE_PIECE = 1
"""llama.cpp's number for the kind of tokenizer that puts a blank before a text."""


@dataclass(frozen=True, eq=False)
class Encoding:
    """The tokens of a text, and the bytes for which each stands."""

    ids: list[int]
    text: str
    pieces: list[bytes]

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """The first character of each token, and the one behind its last.

        A token of some bytes of a character has the whole of it.
        """
        return offsets(self.text, self.pieces)


class FileTokenizer:
    """The tokenizer of a GGUF file, as llama.cpp reads it.

    Parameters
    ----------
    network : Network
    """

    is_fast = True
    post_processor = None

    def __init__(self, network: Network) -> None:
        self._network, self._library = network, library()
        known, vocab = self._library, network.vocab
        self.chat_template = network.metadata("tokenizer.chat_template")
        self.bos_token_id, self.eos_token_id = (
            None if token < 0 else int(token)
            for token in (known.llama_vocab_bos(vocab), known.llama_vocab_eos(vocab))
        )
        self.all_special_ids = {i for i in range(len(self)) if known.llama_vocab_is_control(vocab, i)}
        self._leading_blank = (
            known.llama_vocab_type(vocab) == SENTENCE_PIECE
            and network.metadata("tokenizer.ggml.add_space_prefix") != "false"
        )

    @property
    def backend_tokenizer(self) -> FileTokenizer:
        """The part that gives offsets: this tokenizer itself."""
        return self

    def __len__(self) -> int:
        return self._network.vocabulary

    def __call__(
        self, text: str | Sequence[str], *, add_special_tokens: bool = True, **_: Any
    ) -> Mapping[str, Any]:
        """Tokenise a text, or several, into ``input_ids``."""
        if isinstance(text, str):
            return {"input_ids": self._ids(text.encode(), special=add_special_tokens)}
        return {"input_ids": [self._ids(one.encode(), special=add_special_tokens) for one in text]}

    def encode_batch(self, texts: Iterable[str], *, add_special_tokens: bool) -> Iterator[Encoding]:
        """Yield the tokens of each text, with their characters."""
        for text in texts:
            ids = self._ids(text.encode(), special=add_special_tokens)
            yield Encoding(ids, text, [self._pieces[i] for i in ids])

    encode_batch_fast = encode_batch

    def convert_ids_to_tokens(self, ids: int | Sequence[int]) -> Any:
        """Return the names of tokens, as the file has them."""
        if isinstance(ids, int | np.integer):
            return self._library.llama_vocab_get_text(self._network.vocab, int(ids)).decode(errors="replace")
        return [self.convert_ids_to_tokens(i) for i in ids]

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = False, **_: Any) -> str:
        """Return the text of tokens, without the blank that this kind of tokenizer puts before a text."""
        shown = [i for i in ids if not (skip_special_tokens and i in self.all_special_ids)]
        text = b"".join(self._pieces[i] for i in shown).decode(errors="replace")
        return text.removeprefix(" ") if self._leading_blank else text

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tokenize: bool,
        add_generation_prompt: bool,
        **names: Any,
    ) -> str:
        """Render messages by the file's template, as ``transformers`` renders it."""
        from transformers.utils import chat_template_utils

        tokens = {"bos_token": self.bos_token_id, "eos_token": self.eos_token_id}
        texts = {name: "" if i is None else self.convert_ids_to_tokens(i) for name, i in tokens.items()}
        render: Any = chat_template_utils.render_jinja_template  # Typed as if it returned one text.
        (text,), _ = render(
            [list(messages)],
            chat_template=self.chat_template,
            add_generation_prompt=add_generation_prompt,
            **texts,
            **names,
        )
        return str(text)

    @cached_property
    def _pieces(self) -> list[bytes]:
        """The bytes for which each token stands; those of a special token spell its name."""
        known, vocab, pieces = self._library, self._network.vocab, []
        for i in range(len(self)):
            # Asked to write nothing, it says how much.
            size = -known.llama_token_to_piece(vocab, i, None, 0, 0, True)
            buffer = ctypes.create_string_buffer(size)
            known.llama_token_to_piece(vocab, i, buffer, size, 0, True)
            pieces.append(buffer.raw)
        return pieces

    def _ids(self, text: bytes, *, special: bool) -> list[int]:
        size = len(text) + 8
        while True:
            found = np.empty(size, np.int32)
            place = found.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
            count = self._library.llama_tokenize(
                self._network.vocab, text, len(text), place, size, special, True
            )
            if count >= 0:
                return [int(token) for token in found[:count]]
            size = -count


def offsets(text: str, pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """Find the characters for which the tokens of a text stand.

    A tokenizer may put a blank before the text (or after a special token), and may drop white space there.

    Parameters
    ----------
    text : str
    pieces : sequence of bytes
        The bytes of each token.

    Raises
    ------
    ModelError
        If the tokens spell another text.
    """
    data, at, spans = text.encode(), 0, []
    for piece in pieces:
        if data.startswith(piece, at):
            start, length = at, len(piece)
        elif piece.startswith(b" ") and data.startswith(piece[1:], at):
            start, length = at, len(piece) - 1
        else:
            start, length = len(data) - len(data[at:].lstrip()), len(piece)
            if not data.startswith(piece, start):
                raise _misspelt(text)
        at = start + length
        spans.append((start, at))
    if data[at:].strip():
        raise _misspelt(text)
    if len(data) == len(text):
        return spans
    # Of each byte, the number of characters that begin before or with it.
    begun = [0, *accumulate(byte & 0xC0 != 0x80 for byte in data)]
    return [(begun[a + 1] - 1, begun[z]) if a < z else (begun[a], begun[a]) for a, z in spans]


def _misspelt(text: str) -> ModelError:
    return ModelError(
        f"the file's tokens do not spell the text {text[:40]!r}; does llama.cpp know this tokenizer?"
    )
