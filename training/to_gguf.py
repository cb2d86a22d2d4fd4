"""Converts a Llama with a byte-level BPE tokenizer to GGUF, the format of llama.cpp, so that its server can serve it.

    python training/to_gguf.py src/probsense/models/small/tiny tiny.gguf

The folder is one that ``save_pretrained`` writes. The script needs the package ``gguf``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from tokenizers import Tokenizer

from probsense.core.errors import InputError, ProbSenseError

TYPES = {"float32": gguf.LlamaFileType.ALL_F32, "float16": gguf.LlamaFileType.MOSTLY_F16}

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
DIGITS = {"type": "Digits", "individual_digits": True}
PRE_TOKENIZERS = {
    "gpt-2": BYTES,
    "smollm": {"type": "Sequence", "pretokenizers": [DIGITS, BYTES]},
}
"""The splits of a text before its pieces merge: llama.cpp's name for each, and the form of the tokenizers library."""


def convert(folder: Path, out: Path, dtype: str = "float32") -> None:
    """Write a model as one GGUF file.

    Parameters
    ----------
    folder : Path
        Holds ``config.json``, ``model.safetensors`` and ``tokenizer.json``.
    out : Path
    dtype : {"float32", "float16"}
        The type of the matrices; vectors are always float32, as llama.cpp wants them.

    Raises
    ------
    InputError
        For anything else than a plain Llama with one of the known pre-tokenizers.
    """
    config, tokenizer = read(folder / "config.json"), read(folder / "tokenizer.json")
    writer = gguf.GGUFWriter(out, gguf.MODEL_ARCH_NAMES[gguf.MODEL_ARCH.LLAMA])
    write_shape(writer, config, folder)
    writer.add_file_type(TYPES[dtype])
    write_tokenizer(writer, config, tokenizer, folder)
    for name, tensor in tensors(folder / "model.safetensors", config):
        writer.add_tensor(name, tensor.astype(np.float32 if tensor.ndim == 1 else dtype))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read(path: Path) -> dict[str, Any]:
    """Read a JSON object."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", path=path, expected="JSON") from None
    if not isinstance(document, dict):
        raise InputError("no JSON object", path=path)
    return document


def write_shape(writer: gguf.GGUFWriter, config: dict[str, Any], folder: Path) -> None:
    """Write the sizes of the network, and the parameters of its rotary embedding."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = rope.get("rope_type", rope.get("type", "default"))
    plain = {"model_type": ("llama", config.get("model_type")), "rope_type": ("default", kind)}
    plain |= {
        "hidden_act": ("silu", config.get("hidden_act")),
        "mlp_bias": (False, config.get("mlp_bias", False)),
    }
    for name, (known, found) in plain.items():
        if found != known:
            raise InputError(f"{name} {found!r}", path=folder / "config.json", expected=repr(known))
    writer.add_name(folder.name)
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    width = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    writer.add_key_length(width)
    writer.add_value_length(width)
    writer.add_rope_dimension_count(width)
    writer.add_rope_freq_base(rope.get("rope_theta") or config["rope_theta"])


def write_tokenizer(
    writer: gguf.GGUFWriter, config: dict[str, Any], tokenizer: dict[str, Any], folder: Path
) -> None:
    """Write tokens, merges, the way in which texts are split before, and the special tokens."""
    path = folder / "tokenizer.json"
    model, split = tokenizer["model"], tokenizer["pre_tokenizer"]
    name = next((name for name, known in PRE_TOKENIZERS.items() if known == split), None)
    if model["type"] != "BPE" or tokenizer["normalizer"] is not None or name is None:
        raise InputError(
            "another tokenizer", path=path, expected=f"byte-level BPE, split as {', '.join(PRE_TOKENIZERS)}"
        )
    kinds = {added["id"]: added for added in tokenizer["added_tokens"]}
    texts = {i: text for text, i in model["vocab"].items()} | {i: one["content"] for i, one in kinds.items()}

    def kind(i: int) -> gguf.TokenType:
        if i in kinds:
            return gguf.TokenType.CONTROL if kinds[i]["special"] else gguf.TokenType.USER_DEFINED
        return gguf.TokenType.NORMAL if i in texts else gguf.TokenType.UNUSED

    ids = range(config["vocab_size"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(name)
    writer.add_token_list([texts.get(i, f"[unused {i}]") for i in ids])
    writer.add_token_types([kind(i) for i in ids])
    writer.add_token_merges([one if isinstance(one, str) else " ".join(one) for one in model["merges"]])
    begin, end = config["bos_token_id"], config["eos_token_id"]
    writer.add_bos_token_id(begin)
    # Without a token that ends a text llama.cpp takes its number 11 for one, whatever that is.
    writer.add_eos_token_id(begin if end is None else end)
    writer.add_add_bos_token(Tokenizer.from_file(str(path)).encode("").ids == [begin])
    writer.add_add_eos_token(False)


def tensors(path: Path, config: dict[str, Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield every tensor under its name in GGUF."""
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
    with safe_open(path, "np") as weights:
        for name in weights.keys():  # noqa: SIM118 - not a mapping
            known = names.get_name(name, (".weight", ".bias"))
            if known is None:
                raise InputError(f"the tensor {name}", path=path, expected="a plain Llama")
            tensor = weights.get_tensor(name)
            rotated = next((n for part, n in heads.items() if f".{part}." in name), None)
            yield known, tensor if rotated is None else interleaved(tensor, rotated)


def interleaved(tensor: NDArray[Any], heads: int) -> NDArray[Any]:
    """Order rows as llama.cpp rotates them: as neighbours, where transformers takes the halves of a head.

    Parameters
    ----------
    tensor : array, shape (heads * width, ...)
    heads : int
    """
    halves = tensor.reshape(heads, 2, -1, *tensor.shape[1:])
    return halves.swapaxes(1, 2).reshape(tensor.shape)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="as save_pretrained writes it")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--dtype", choices=TYPES, default="float32", help="of the matrices")
    given = parser.parse_args()
    try:
        convert(given.folder, given.out, given.dtype)
    except ProbSenseError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
