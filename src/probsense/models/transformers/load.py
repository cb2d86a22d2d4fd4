"""Loads language models of Hugging Face, from a folder or the hub."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from probsense.core.errors import InputError, ModelError, one_line
from probsense.core.records import Json
from probsense.core.registry import install
from probsense.models.next_token.alignment import encoder
from probsense.models.next_token.model import LanguageModel, local_model
from probsense.models.next_token.reading import Runner, next_token_logits
from probsense.models.prompts.thinking import own_sampling
from probsense.models.transformers.files import find_here, locate

if TYPE_CHECKING:
    from pathlib import Path

    import torch


SPREAD = ("balanced", "sequential")
"""Ways in which the package accelerate spreads the layers of a network over all accelerators."""


def pick_device(name: str) -> torch.device:
    """Return the device of a name, where inputs go; "auto" and the ways to spread take cuda, else mps, else cpu.

    Raises
    ------
    InputError
        If this machine has no such device.
    """
    import torch

    if name in ("auto", *SPREAD):
        has_mps = torch.backends.mps.is_available()
        name = "cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"no such device: {name!r}: {one_line(error)}") from None
    return device


def read_model(
    folder: Path, dtype: str, device: torch.device, spread: str | None, trust_remote_code: bool
) -> tuple[Any, Any]:
    """Read the network and the tokenizer of a folder.

    Parameters
    ----------
    folder : Path
    dtype : str
        "auto" keeps the stored one.
    device : torch.device
    spread : str or None
        One of ``SPREAD``, to use more than this device.
    trust_remote_code : bool

    Raises
    ------
    ModelError
        If they cannot be loaded, or the weights lack parameters of the network.
    """
    import transformers

    library: Any = transformers  # Typed in parts only.
    logging = library.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # The error stream belongs to the command's own progress.
    try:
        tokenizer = library.AutoTokenizer.from_pretrained(folder, trust_remote_code=trust_remote_code)
        config = library.AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code)
        kind = library.AutoModelForSeq2SeqLM if config.is_encoder_decoder else library.AutoModelForCausalLM
        network, report = kind.from_pretrained(
            folder,
            dtype=dtype,
            trust_remote_code=trust_remote_code,
            output_loading_info=True,
            use_safetensors=True,
            **({"device_map": spread} if spread else {}),
        )
        if not spread:
            network.to(device)
        network.eval()
        fuse_activations(network)
    except Exception as error:  # A broken file may raise any error inside a library: the user gets one line.
        raise ModelError(f"{folder}: cannot be loaded: {one_line(error)}") from None
    finally:
        if shown:
            logging.enable_progress_bar()
    absent = sorted(report["missing_keys"]) + [str(entry[0]) for entry in report["mismatched_keys"]]
    if absent:
        raise ModelError(f"{folder}: the weights lack {len(absent)} parameters, {absent[0]} among them")
    ends = network.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    pad = tokenizer.pad_token_id or 0
    # No other stored generation setting (penalties, sampling) may touch the answers.
    network.generation_config = library.GenerationConfig(
        eos_token_id=ends,
        pad_token_id=pad,
        decoder_start_token_id=getattr(network.config, "decoder_start_token_id", None),
    )
    return network, tokenizer


def check_causal(network: Any, vocabulary: int) -> None:
    """Refuse a network whose predictions depend on later tokens (an encoder silently loads as a causal one).

    Raises
    ------
    ModelError
        If it is no causal language model.
    """
    import torch

    high = vocabulary - 1
    device = next(network.parameters()).device
    rows = torch.arange(1)
    one, other = (
        next_token_logits(network, rows, input_ids=torch.tensor([[1 % high, 2 % high, last]], device=device))
        for last in (0, high)
    )
    moved, largest = float((one - other).abs().max()), float(one.abs().max())
    if not moved <= 1e-2 * max(1.0, largest):
        raise ModelError("not a causal language model: its predictions depend on later tokens")


def fuse_activations(network: Any) -> None:
    """Replace GELU in its tanh form, x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), by PyTorch's own of that form.

    The library computes it in eight passes over memory, which takes a sixth of the time of GPT-2. The numbers
    are the same up to rounding.

    Parameters
    ----------
    network : Any
        Changed in place.
    """
    from torch import nn
    from transformers.activations import NewGELUActivation

    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if type(child) is NewGELUActivation:
                setattr(module, name, nn.GELU(approximate="tanh"))


Dtype: TypeAlias = Literal["auto", "float32", "float16", "bfloat16", "float64"]


def check(argument: str, **options: Any) -> None:
    """Refuse a model that is not on this machine, and not on the hub by its name, before anything is loaded."""
    find_here(argument, options.get("revision"))


def load(
    argument: str,
    *,
    dtype: Dtype = "auto",
    device: str = "auto",
    revision: str | None = None,
    batch_tokens: int | None = None,
    truncate: Literal["left"] | None = None,
    system_prompt: str | None = None,
    prompt_format: str | None = None,
    beginning: str | None = None,
    trust_remote_code: bool = False,
) -> LanguageModel:
    """Load a language model from safetensors.

    Parameters
    ----------
    argument : str
        A folder as ``save_pretrained`` writes it, or a name on the hub.
    dtype : str
        Type of the weights: float32, float16, bfloat16, float64, or auto, which is float32 on a CPU and as stored
        elsewhere. On a CPU that multiplies bfloat16, layers alone are in it, and all else is in float32.
    device : str
        Where the model runs: cpu, cuda, cuda:1, mps; auto takes cuda, else mps, else cpu; balanced or sequential
        spread the layers over all accelerators (which needs the package accelerate).
    revision : str, optional
        Branch, tag or commit on the hub.
    batch_tokens : int, optional
        Tokens in a batch; results do not depend on it beyond rounding.
    truncate : {"left"}, optional
        Drop the beginning (left) of texts that are longer than the model takes, and count them; by default they are
        refused.
    system_prompt : str, optional
        System prompt of the chat template.
    prompt_format : str, optional
        Format of prompts: chat, chat-answer, chat-brief, plain, question-answer, gemma, olmo, falcon or gpt-5. By
        default, questions go through the chat template, and texts to continue stay as they are; if labels then get
        too little probability, an examination chooses another format. published leaves it out.
    beginning : str, optional
        The token that stands before a text without a prefix, such as <|endoftext|>; by default the one with which the
        tokenizer begins sequences.
    trust_remote_code : bool
        Run code that comes with the model.

    Raises
    ------
    InputError
        For an unknown dtype or device, a folder without a model, options that exclude each other.
    ModelError
        Without PyTorch and transformers, or if the model cannot be had or loaded, or is neither causal nor an
        encoder–decoder.
    """
    try:
        from probsense.models.transformers.batches import start_decoder
        from probsense.models.transformers.products import ONEDNN, use_onednn
        from probsense.models.transformers.trial import SCORERS, choose_reader, choose_writer
    except ImportError:
        raise ModelError(f"a local model needs torch and transformers: {install('hf')}") from None
    if batch_tokens is not None and batch_tokens < 1:
        raise InputError(f"batch_tokens {batch_tokens}", expected="at least 1")
    place = pick_device(device)
    folder, identity = locate(argument, revision)
    if dtype == "auto" and place.type == "cpu":
        dtype = "float32"
    spread = device if device in SPREAD else None
    network, tokenizer = read_model(folder, dtype, place, spread, trust_remote_code)
    config = network.config.get_text_config()
    context = getattr(config, "max_position_embeddings", None)
    known = encoder(tokenizer, beginning)
    kind = str(network.dtype).removeprefix("torch.")
    # Whatever accelerate has put around the layers stays there.
    products: dict[str, Json] = (
        {"products": ONEDNN} if not spread and use_onednn(network, config.vocab_size) else {}
    )
    numeric: dict[str, Json] = {
        "backend": "hf",
        **identity,
        "dtype": kind,
        **products,
        "attention": getattr(network.config, "_attn_implementation", None),
        "trust_remote_code": trust_remote_code,
        "versions": versions(),
    }
    decodes = network.config.is_encoder_decoder
    if not decodes:
        check_causal(network, config.vocab_size)
    read, tokens = choose_reader(network, config.vocab_size, {**numeric, "device": place.type})
    runner = Runner(network, config.vocab_size, context, batch_tokens or tokens, read, truncate is not None)
    return local_model(
        f"hf:{argument}",
        {**numeric, "scorer": SCORERS[read]},
        runner,
        known,
        cache(lambda: choose_writer(network, config.vocab_size)),
        system_prompt=system_prompt,
        prompt_format=prompt_format,
        writes=start_decoder(known, network) if decodes else None,
        sampling=own_sampling(folder),
    )


def versions() -> dict[str, Json]:
    """Collect the versions of the libraries whose arithmetic or tokens a model's numbers depend on."""
    return {name: version(name) for name in ("torch", "transformers", "tokenizers")}
