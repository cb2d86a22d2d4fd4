"""Reads a network and its tokenizer into memory, and refuses networks that are no causal language models."""

from __future__ import annotations

from contextlib import nullcontext, redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING, Any

from probsense.core.errors import InputError, ModelError
from probsense.models.hf_activations import fuse_activations
from probsense.models.hf_files import Source
from probsense.models.hf_gguf import check_complete, check_packages, read_file, split_as_named
from probsense.models.reading import next_token_logits

if TYPE_CHECKING:
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
    source: Source, dtype: str, device: torch.device, spread: str | None, trust_remote_code: bool
) -> tuple[Any, Any]:
    """Read the network and the tokenizer of a folder, or of a GGUF file in it.

    Parameters
    ----------
    source : Source
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
    folder, named = source.folder, source.folder / (source.gguf or "")
    form: dict[str, Any] = {"gguf_file": source.gguf} if source.gguf else {}
    if source.gguf:
        check_packages(named)
    logging = library.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # The error stream belongs to the command's own progress.
    try:
        tokenizer = library.AutoTokenizer.from_pretrained(
            folder, trust_remote_code=trust_remote_code, **({} if source.has_tokenizer else form)
        )
        file = read_file(named) if source.gguf else None
        if file and not source.has_tokenizer:
            split_as_named(tokenizer, file, named.name)
        config = library.AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code, **form)
        kind = library.AutoModelForSeq2SeqLM if config.is_encoder_decoder else library.AutoModelForCausalLM
        with redirect_stderr(StringIO()) if source.gguf else nullcontext():  # The bar of its dequantiser.
            network, report = kind.from_pretrained(
                folder,
                dtype=dtype,
                trust_remote_code=trust_remote_code,
                output_loading_info=True,
                **(form or {"use_safetensors": True}),
                **({"device_map": spread} if spread else {}),
            )
        if not spread:
            network.to(device)
        network.eval()
        if file:
            check_complete(network, file)
        fuse_activations(network)
    except Exception as error:  # A broken file may raise any error inside a library: the user gets one line.
        raise ModelError(f"{named}: cannot be loaded: {one_line(error)}") from None
    finally:
        if shown:
            logging.enable_progress_bar()
    absent = sorted(report["missing_keys"]) + [str(entry[0]) for entry in report["mismatched_keys"]]
    if absent:
        raise ModelError(f"{named}: the weights lack {len(absent)} parameters, {absent[0]} among them")
    ends = network.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
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
    if not (one - other).abs().max().item() <= 1e-2 * max(1.0, one.abs().max().item()):
        raise ModelError("not a causal language model: its predictions depend on later tokens")


def one_line(error: BaseException) -> str:
    """Return an error as one line."""
    text = " ".join(str(error).split("\n\n")[0].split())
    return f"{text[:300]}" if text else type(error).__name__
