"""A network of llama.cpp: its file, its context, and passes over tokens that belong to several sequences."""

from __future__ import annotations

import ctypes
import weakref
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError, ModelError, one_line
from probsense.core.files import open_bytes
from probsense.core.registry import install
from probsense.models.next_token.alignment import Ids, common_prefix

MAGIC = b"GGUF"
SEQUENCES = 128
"""Sequences in memory at once; one of them keeps the path to the next branch."""
FLOAT32 = "0"
"""The name of a file of plain float32 numbers, as `general.file_type` says it."""


def check_file(path: Path) -> None:
    """Refuse what is no GGUF file.

    Raises
    ------
    InputError
        If there is no such file, or another one.
    """
    with open_bytes(path) as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise InputError("not a GGUF file", path=path, expected=f"a file that begins with {MAGIC!r}")


class Network:
    """A network, and the memory of the tokens that it has read.

    The memory holds keys and values of tokens, each for all the sequences to which it belongs. A token attends to
    those before it in its sequence, and to no others.

    Parameters
    ----------
    path : Path
    context : int or None
        Tokens in memory; by default those of the training, 4,096 at most.
    batch_tokens : int
        Tokens in a pass.
    threads : int

    Attributes
    ----------
    path : Path
    version : str
        Of llama-cpp-python, which pins one of llama.cpp.
    vocabulary : int
        Logits in a row.
    context : int
        Tokens in memory, over all sequences.
    batch_tokens : int
    ends : frozenset of int
        The tokens that end a text.
    apart : bool
        Whether to compute each sequence by itself, because numbers would differ in company.
    cache : str
        The type of keys and values: float32 where the weights are, else float16.

    Raises
    ------
    ModelError
        If it cannot be loaded.
    """

    def __init__(self, path: Path, context: int | None, batch_tokens: int, threads: int) -> None:
        known = self._library = library()
        self.path, self.version = path, metadata.version("llama-cpp-python")
        errors.clear()
        model = known.llama_model_load_from_file(str(path).encode(), known.llama_model_default_params())
        if not model:
            raise ModelError(f"{path}: cannot be loaded: {_reason()}")
        self._finalizers = [weakref.finalize(self, known.llama_model_free, model)]
        self.model = model
        self.vocab = known.llama_model_get_vocab(model)
        self.vocabulary = int(known.llama_vocab_n_tokens(self.vocab))
        if known.llama_model_has_encoder(model) or not known.llama_model_has_decoder(model):
            raise ModelError(
                f"{path}: not a causal language model; hf: loads encoder–decoders from safetensors"
            )
        trained = int(known.llama_model_n_ctx_train(model))
        self.apart = bool(known.llama_model_is_recurrent(model) or known.llama_model_is_hybrid(model))
        self.cache = "float32" if self.metadata("general.file_type") == FLOAT32 else "float16"
        self.context = context or min(trained, 4096)
        self.batch_tokens = min(batch_tokens, self.context)
        self.ends = frozenset(i for i in range(self.vocabulary) if known.llama_vocab_is_eog(self.vocab, i))
        self._keeper = 0 if self.apart else min(SEQUENCES, self.batch_tokens) - 1
        settings = known.llama_context_default_params()
        settings.n_ctx = self.context
        settings.n_batch = settings.n_ubatch = self.batch_tokens
        settings.n_seq_max = self._keeper + 1
        settings.n_threads = settings.n_threads_batch = threads
        # Its fast attention rounds to 16 bits, whatever the type of the cache.
        settings.type_k, settings.flash_attn_type = (
            (known.GGML_TYPE_F32, known.LLAMA_FLASH_ATTN_TYPE_DISABLED)
            if self.cache == "float32"
            else (known.GGML_TYPE_F16, known.LLAMA_FLASH_ATTN_TYPE_AUTO)
        )
        settings.type_v = settings.type_k
        settings.kv_unified = settings.swa_full = True
        self._context = known.llama_init_from_model(model, settings)
        if not self._context:
            raise ModelError(f"{path}: no memory for {self.context} tokens of context: {_reason()}")
        # Finalizers run in the reverse order: the context goes before its model.
        self._finalizers.append(weakref.finalize(self, known.llama_free, self._context))
        self._memory = known.llama_get_memory(self._context)
        self._sequences = np.arange(self._keeper + 1, dtype=np.int32)
        self._kept: Ids = np.empty(0, np.int32)

    def metadata(self, key: str) -> str | None:
        """Return an entry of the file's metadata as text; None if it has none of that name."""
        size = self._library.llama_model_meta_val_str(self.model, key.encode(), None, 0)
        if size < 0:
            return None
        buffer = ctypes.create_string_buffer(size + 1)
        self._library.llama_model_meta_val_str(self.model, key.encode(), buffer, size + 1)
        return buffer.value.decode(errors="replace")

    @property
    def branches(self) -> int:
        """The number of sequences that a pass may have."""
        return 1 if self.apart else self._keeper

    def clear(self) -> None:
        """Forget all tokens."""
        self._library.llama_memory_clear(self._memory, False)
        self._kept = np.empty(0, np.int32)

    def begin(self, path: Ids, shares: NDArray[np.int64]) -> int:
        """Let some sequences begin with parts of a path; compute what is not in memory any more.

        Parameters
        ----------
        path : ndarray of int
            Tokens.
        shares : ndarray of int, shape (sequences,)
            How many tokens of the path each sequence begins with.

        Returns
        -------
        int
            The tokens that had to be computed: none, if the path is what :meth:`keep` kept.
        """
        known, memory, keeper = self._library, self._memory, self._keeper
        if self.apart:
            self.clear()
            self._compute(path, 0)
            return len(path)
        shared = common_prefix(self._kept, path)
        known.llama_memory_seq_rm(memory, keeper, shared, -1)
        if shared < len(path):
            self._compute(path[shared:], shared, keeper)
        self._kept = path
        for sequence, share in enumerate(shares.tolist()):
            if share:
                known.llama_memory_seq_cp(memory, keeper, sequence, 0, share)
        return len(path) - shared

    def _compute(self, tokens: Ids, position: int, sequence: int = 0) -> None:
        for start in range(0, len(tokens), self.batch_tokens):
            part = tokens[start : start + self.batch_tokens]
            low = np.full(len(part), sequence)
            places = position + start + np.arange(len(part))
            self.feed(part, places, low, low + 1, np.zeros(len(part), np.bool_))

    def feed(
        self,
        tokens: NDArray[Any],
        positions: NDArray[np.int64],
        low: NDArray[np.int64],
        high: NDArray[np.int64],
        wanted: NDArray[np.bool_],
    ) -> NDArray[np.float32]:
        """Read tokens in one pass, and return the logits after some of them.

        Parameters
        ----------
        tokens, positions : ndarray of int, shape (n,)
        low, high : ndarray of int, shape (n,)
            The sequences of each token are ``low`` to ``high - 1``.
        wanted : ndarray of bool, shape (n,)
            The tokens whose next token is asked for.

        Returns
        -------
        ndarray, shape (wanted, vocabulary)
            It lies in the library's memory, and holds until the next pass.

        Raises
        ------
        ModelError
            If the library refuses the pass.
        """
        known = self._library
        token, position, count = (
            np.ascontiguousarray(values, np.int32) for values in (tokens, positions, high - low)
        )
        # The sequences of a token are numbers in a row, so each list of them begins within one list of all.
        lists = (self._sequences.ctypes.data + low * self._sequences.itemsize).astype(np.uintp)
        asked = wanted.astype(np.int8)
        batch = known.llama_batch(
            n_tokens=len(token),
            token=_pointer(token, ctypes.c_int32),
            pos=_pointer(position, ctypes.c_int32),
            n_seq_id=_pointer(count, ctypes.c_int32),
            seq_id=_pointer(lists, ctypes.POINTER(ctypes.c_int32)),
            logits=_pointer(asked, ctypes.c_int8),
        )
        errors.clear()
        status = known.llama_decode(self._context, batch)
        if status:
            self.clear()
            raise ModelError(f"llama.cpp cannot compute {len(token)} tokens (status {status}): {_reason()}")
        if not wanted.any():
            return np.empty((0, self.vocabulary), np.float32)
        return np.ctypeslib.as_array(
            known.llama_get_logits(self._context), (int(wanted.sum()), self.vocabulary)
        )

    def keep(self, sequence: int, path: Ids) -> None:
        """Forget all tokens but those of a path with which a sequence begins."""
        known, memory, keeper = self._library, self._memory, self._keeper
        if self.apart:
            return
        known.llama_memory_seq_rm(memory, keeper, -1, -1)
        if len(path):
            known.llama_memory_seq_cp(memory, sequence, keeper, 0, len(path))
        for other in range(keeper):
            known.llama_memory_seq_rm(memory, other, -1, -1)
        self._kept = path


def _reason() -> str:
    """Return the first error of llama.cpp, without the name of the function that found it."""
    if not errors:
        return "llama.cpp does not say why"
    function, colon, reason = errors[0].partition(": ")
    return reason if colon and " " not in function else errors[0]


def _pointer(values: NDArray[Any], kind: Any) -> Any:
    return values.ctypes.data_as(ctypes.POINTER(kind))


ERROR = 4
"""The level of an error in llama.cpp's log."""

errors: list[str] = []
"""The errors that llama.cpp logged since somebody emptied the list."""


@cache
def library() -> Any:
    """Return llama-cpp-python's module of low-level functions, ready for use.

    Raises
    ------
    ModelError
        If the package is missing, or its compiled part does not load.
    """
    try:
        from llama_cpp import llama_cpp
    except ImportError:
        raise ModelError(f"gguf: needs llama-cpp-python: {install('gguf')}") from None
    except (OSError, RuntimeError) as error:
        raise ModelError(f"llama-cpp-python cannot be loaded: {one_line(error)}") from None
    known: Any = llama_cpp
    known.llama_log_set(_listener(), None)
    known.llama_backend_init()
    return known


@cache
def _listener() -> Any:
    """Return the function that llama.cpp calls with each line of its log; the cache keeps it alive."""
    from llama_cpp import llama_log_callback

    def listen(level: int, text: bytes, _data: ctypes.c_void_p) -> None:
        if level == ERROR:
            errors.append(" ".join(text.decode(errors="replace").split()))

    return llama_log_callback(listen)
