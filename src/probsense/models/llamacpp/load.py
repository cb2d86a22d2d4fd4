"""Loads a model in the format of llama.cpp, ``gguf:FILE``, and tries whether its sequences may stand side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from probsense.core.errors import InputError, ModelError
from probsense.core.files import file_hash
from probsense.core.records import Json
from probsense.core.registry import install
from probsense.models.llamacpp.network import Network, check_file
from probsense.models.llamacpp.sequences import read, write
from probsense.models.llamacpp.tokens import FileTokenizer
from probsense.models.next_token.alignment import Ids, encoder
from probsense.models.next_token.model import LanguageModel, local_model
from probsense.models.next_token.reading import Runner
from probsense.models.next_token.trial import (
    ROUNDING_ELSE,
    Verdict,
    branching_sequences,
    compare,
    kept_verdict,
    logprobs,
    warn,
)

if TYPE_CHECKING:
    from torch import Tensor


BATCH = 512
"""Tokens in a pass. More of them would look at each other for nothing: they are of different branches."""


def check(argument: str, **options: Any) -> None:
    """Refuse what is no GGUF file before anything is loaded."""
    if not argument:
        raise InputError("gguf: names no file", expected="gguf:FILE")
    check_file(Path(argument).expanduser())


def load(
    argument: str,
    *,
    context: int | None = None,
    threads: int | None = None,
    batch_tokens: int = BATCH,
    truncate: Literal["left"] | None = None,
    system_prompt: str | None = None,
    prompt_format: str | None = None,
    beginning: str | None = None,
) -> LanguageModel:
    """Load a language model from a GGUF file, and compute it by llama.cpp.

    Parameters
    ----------
    argument : str
        The file.
    context : int, optional
        Size of the context window in tokens; by default as in training, but at most 4,096. Memory grows with it.
    threads : int, optional
        Threads of the computation; by default as many as PyTorch uses.
    batch_tokens : int
        Tokens in a pass; results do not depend on it beyond rounding.
    truncate : {"left"}, optional
        Drop the beginning (left) of texts that are longer than the model takes, and count them; by default they are
        refused.
    system_prompt, prompt_format, beginning
        As for :func:`probsense.models.transformers.load.load`.

    Raises
    ------
    InputError
        For a file that is not there or of another format, options out of range or at odds.
    ModelError
        Without llama-cpp-python, PyTorch and transformers, or if the model cannot be loaded.
    """
    try:
        import torch
        import transformers
    except ImportError:
        raise ModelError(f"gguf: needs torch and transformers: {install('gguf')}") from None
    check(argument)
    for name, value, least in (
        ("context", context, 2),
        ("threads", threads, 1),
        ("batch_tokens", batch_tokens, 2),
    ):
        if value is not None and value < least:
            raise InputError(f"{name} {value}", expected=f"at least {least}")
    path = Path(argument).expanduser()
    network = Network(path, context, batch_tokens, threads or torch.get_num_threads())
    numeric: dict[str, Json] = {
        "backend": "gguf",
        "weights": file_hash(path),
        "tokenizer": None,  # The file's own.
        "context": network.context,
        "cache": network.cache,
        "versions": {"llama.cpp": network.version, "transformers": transformers.__version__},
    }
    guard(network, {**numeric, "batch_tokens": network.batch_tokens})
    runner = Runner(network, network.vocabulary, network.context, batch_tokens, read, truncate is not None)
    return local_model(
        f"gguf:{argument}",
        {**numeric, "apart": network.apart, "scorer": "gguf.read"},
        runner,
        encoder(FileTokenizer(network), beginning),
        lambda: write,
        system_prompt=system_prompt,
        prompt_format=prompt_format,
    )


NOISE = 0.05
"""The largest mean divergence of distributions, in nats, that counts as noise of 16 bits or less. A quantised model of
135 M parameters has 0.001; one token that is read wrongly makes 0.8."""
FEW = 7
"""Tokens of small groups, in which the trial carries paths from one to the next."""


def guard(network: Network, identity: Mapping[str, Json]) -> None:
    """Let a network compute each sequence by itself, with a warning, if others in memory would change its numbers.

    Parameters
    ----------
    network : Network
    identity : mapping
        All that the numbers depend on, under which the verdict is kept.
    """
    cannot = Verdict(False, "its memory cannot branch")
    found = cannot if network.apart else kept_verdict(identity, lambda: trial(network))
    network.apart = not found.passed
    if network.apart:
        warn(network.path.name, found)


def trial(network: Network) -> Verdict:
    """Compare a dozen branching sequences side by side with each by itself.

    Float32 has to agree up to rounding. Quantised weights go with quantised activations, where rounding in another
    order may tip a value over to the next step; so all distributions together have to be near. In either case no
    branch may notice a change in another: the order of all sums is then the same.
    """
    sequences = branching_sequences(network.vocabulary)

    def together(sequences: Sequence[Ids], tokens: int = network.batch_tokens) -> list[Tensor]:
        return logprobs(Runner(network, network.vocabulary, network.context, tokens, read), sequences)

    try:
        network.apart = True
        alone = together(sequences)
        network.apart = False
        noise = 0.0 if network.cache == "float32" else NOISE
        return compare([together, partial(together, tokens=FEW)], sequences, alone, ROUNDING_ELSE, noise)
    except ModelError as error:
        return Verdict(False, f"a pass over several sequences fails: {error}")
