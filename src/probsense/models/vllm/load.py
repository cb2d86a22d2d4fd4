"""Loads language models into vLLM, from a folder or the hub: ``vllm:FOLDER``, ``vllm:OWNER/NAME``."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from probsense.core.errors import ModelError, one_line
from probsense.core.records import Json
from probsense.core.registry import install
from probsense.models.next_token.alignment import encoder
from probsense.models.next_token.model import LanguageModel, local_model
from probsense.models.next_token.reading import Runner
from probsense.models.prompts.thinking import own_sampling
from probsense.models.transformers.files import locate
from probsense.models.transformers.load import check as check
from probsense.models.transformers.load import versions
from probsense.models.vllm.engine import MOST_TOKENS, Network, failure, no_rows, read_mass, score, write

CPU_CACHE = 2**32
"""Bytes for the keys and values of prompts on a CPU, where neither an option nor vLLM's own variable says otherwise."""
CPU_BLOCK = 32
"""Tokens in a block of the cache on a CPU, the fewest that vLLM takes there; its default of 128 shares little."""


def load(
    argument: str,
    *,
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto",
    revision: str | None = None,
    max_model_len: int | None = None,
    gpu_memory_utilization: float | None = None,
    tensor_parallel_size: int = 1,
    truncate: Literal["left"] | None = None,
    system_prompt: str | None = None,
    prompt_format: str | None = None,
    beginning: str | None = None,
    trust_remote_code: bool = False,
) -> LanguageModel:
    """Load a causal language model into vLLM, in this process; its weights must be safetensors.

    Parameters
    ----------
    argument : str
        A folder as ``save_pretrained`` writes it, or a name on the hub.
    dtype : str
        Type of the weights: float32, float16, bfloat16, or auto, which is float32 on a CPU and as stored elsewhere.
    revision : str, optional
        Branch, tag or commit on the hub.
    max_model_len : int, optional
        The longest text in tokens, by default the longest that the model takes; a shorter one needs less memory.
    gpu_memory_utilization : float, optional
        Share of the accelerator's memory for the weights and the cache, above 0 and at most 1; by default vLLM's own.
    tensor_parallel_size : int
        Accelerators over which every layer is spread.
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
        For an unknown dtype, a number out of its range, a folder without a model, options that exclude each other.
    ModelError
        Without vLLM, or if the model cannot be had or loaded, or is not causal.
    """
    name = f"vllm:{argument}"
    folder, identity = locate(argument, revision)
    with quiet(processes=tensor_parallel_size > 1):
        library, platform = _library(name)
        import transformers

        auto: Any = transformers  # Typed in parts only.
        try:
            tokenizer = auto.AutoTokenizer.from_pretrained(folder, trust_remote_code=trust_remote_code)
            config = auto.AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code)
        except Exception as error:  # A broken file may raise any error inside a library.
            raise ModelError(f"{folder}: cannot be loaded: {one_line(error)}") from None
        if config.is_encoder_decoder:
            raise ModelError(f"{folder}: an encoder–decoder model, which vllm: does not run; hf: does")
        text = config.get_text_config()
        stored = str(getattr(text, "dtype", None) or "auto").removeprefix("torch.")
        chosen = dtype if dtype != "auto" else "float32" if platform.is_cpu() else stored
        try:
            engine = library.LLM(
                model=str(folder),
                dtype=chosen,
                max_model_len=max_model_len,
                tensor_parallel_size=tensor_parallel_size,
                trust_remote_code=trust_remote_code,
                enable_prefix_caching=True,
                max_logprobs=MOST_TOKENS,
                logits_processors=["probsense.models.vllm.dictated:Dictated"],
                generation_config="vllm",  # No other stored generation setting may touch the answers.
                use_tqdm_on_load=False,
                seed=0,
                **_memory(platform, gpu_memory_utilization),
            )
        except Exception as error:  # Its libraries raise what they like.
            raise ModelError(f"{folder}: vLLM cannot load it: {failure(error)}") from None
    settings = engine.llm_engine.vllm_config
    numeric: dict[str, Json] = {
        "backend": "vllm",
        **identity,
        "dtype": str(settings.model_config.dtype).removeprefix("torch."),
        "device": str(platform.device_type),
        "tensor_parallel_size": tensor_parallel_size,
        "scorer": "vllm.dictated",
        "max_model_len": settings.model_config.max_model_len,
        "trust_remote_code": trust_remote_code,
        "versions": {"vllm": str(library.__version__), **versions()},
    }
    runner = Runner(
        Network(engine, library.SamplingParams, _ends(folder, config, tokenizer)),
        text.vocab_size,
        settings.model_config.max_model_len - 1,  # An engine always writes a token.
        settings.scheduler_config.max_num_batched_tokens,
        no_rows,
        truncate is not None,
    )
    found = local_model(
        name,
        numeric,
        runner,
        encoder(tokenizer, beginning),
        lambda: write,
        system_prompt=system_prompt,
        prompt_format=prompt_format,
        sampling=own_sampling(folder),
    )
    return replace(found, score_tokens=score, read_mass=read_mass)


def _library(name: str) -> tuple[Any, Any]:
    """Import vLLM, and find out what it runs on."""
    try:
        import vllm
        from vllm.platforms import current_platform
    except ImportError as error:
        if error.name and error.name.partition(".")[0] == "vllm":
            raise ModelError(f"{name} needs vLLM: {install('vllm')}") from None
        raise ModelError(f"{name}: vLLM does not start: {one_line(error)}") from None
    return vllm, current_platform


def _memory(platform: Any, share: float | None) -> dict[str, Any]:
    """Choose the size of the cache, and on a CPU what else differs there."""
    memory: dict[str, Any] = {} if share is None else {"gpu_memory_utilization": share}
    if not platform.is_cpu():
        return memory
    if share is None and not os.environ.get("VLLM_CPU_KVCACHE_SPACE"):
        memory = {"kv_cache_memory_bytes": CPU_CACHE}
    # To compile the layers takes longer than most runs on a CPU.
    return {"block_size": CPU_BLOCK, "enforce_eager": True, **memory}


def _ends(folder: Path, config: Any, tokenizer: Any) -> frozenset[int]:
    """Find the tokens that end a text: those that the model names, or else the tokenizer's."""
    import transformers

    try:
        generation = transformers.GenerationConfig.from_pretrained(folder)
    except OSError:
        generation = transformers.GenerationConfig.from_model_config(config)
    named = generation.eos_token_id
    named = tokenizer.eos_token_id if named is None else named
    return frozenset(() if named is None else named if isinstance(named, list) else [named])


SETTINGS = {
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_USE_V2_MODEL_RUNNER": "0",
}
"""Environment variables of vLLM as they are unless the user has set them.

It logs errors only, prints nothing on the output stream, and sends nothing to its makers. The engine runs in this
process and ends with it. It leaves the threads of the process where they are, and makes the same batches whenever it
is asked the same. Its second runner of networks takes no classes like :mod:`probsense.models.vllm.dictated`.
"""


@contextmanager
def quiet(*, processes: bool = False) -> Iterator[None]:
    """Write to a file what the engine and its libraries print; what ProbSense itself says on stderr is shown.

    Parameters
    ----------
    processes : bool
        Whether the block starts other processes. They keep the file as their output. They may alone know why the block
        failed; then what they printed is shown on stderr.
    """
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    disabled, kept = logging.root.manager.disable, (os.dup(1), os.dup(2))
    shown = os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    with (
        tempfile.TemporaryFile() as log,
        shown,
        redirect_stderr(shown),
        warnings.catch_warnings(action="ignore"),
    ):
        logging.disable(logging.WARNING)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        try:
            yield
        except Exception:
            if processes:
                log.seek(0)
                shown.write(log.read().decode(errors="replace"))
            raise
        finally:
            logging.disable(disabled)
            for place, copy in enumerate(kept, start=1):
                os.dup2(copy, place)
                os.close(copy)
