"""Tiny random networks of many families, made from their configurations."""

import pytest
import torch
import transformers

VOCABULARY = 64
SHAPE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 128,
    "initializer_range": 0.25,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
MHA = SHAPE | {"num_key_value_heads": 4}
OWN_HEADS = {key: value for key, value in MHA.items() if key != "head_dim"}
GPT = {
    "vocab_size": VOCABULARY,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 128,
    "initializer_range": 0.25,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
BARE = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
SMALL_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
LATENT = {
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 8,
    "v_head_dim": 12,
}
ROUTED = {
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
}
LINEAR = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
LAYERS = {"vocab_size": VOCABULARY, "num_layers": 2, "max_position_embeddings": 128}
MULTIPLIERS = {"logits_scaling": 3.0, "residual_multiplier": 0.5, "embedding_multiplier": 2.0}
SLIDING = {"sliding_window": 6, "layer_types": ["sliding_attention", "full_attention"]}

TRIE = {
    "gpt2": ("GPT2", GPT),
    "gpt_neox": ("GPTNeoX", MHA),
    "gpt_bigcode": ("GPTBigCode", GPT),
    "opt": ("OPT", MHA | {"ffn_dim": 48, "word_embed_proj_dim": 32}),
    "opt, projected": ("OPT", MHA | {"ffn_dim": 48, "word_embed_proj_dim": 16}),
    "llama": ("Llama", SHAPE),
    "mistral": ("Mistral", SHAPE | {"sliding_window": None}),
    "mistral, window": ("Mistral", SHAPE | {"sliding_window": 6}),
    "qwen2": ("Qwen2", SHAPE),
    "qwen2, window": ("Qwen2", SHAPE | SLIDING | {"use_sliding_window": True}),
    "qwen3": ("Qwen3", SHAPE),
    "qwen3_moe": ("Qwen3Moe", SHAPE | SMALL_EXPERTS),
    "gemma": ("Gemma", SHAPE),
    "gemma2": ("Gemma2", SHAPE | SLIDING | {"query_pre_attn_scalar": 8}),
    "gemma3": ("Gemma3", SHAPE | SLIDING | {"query_pre_attn_scalar": 8}),
    "phi": ("Phi", MHA),
    "phi3": ("Phi3", SHAPE),
    "phi3, window": ("Phi3", SHAPE | {"sliding_window": 6}),
    "stablelm": ("StableLm", SHAPE),
    "olmo2": ("Olmo2", SHAPE),
    "olmo3": ("Olmo3", SHAPE | SLIDING),
    "cohere": ("Cohere", SHAPE | {"logit_scale": 0.3}),
    "cohere2": ("Cohere2", SHAPE | SLIDING | {"logit_scale": 0.3}),
    "granite": ("Granite", SHAPE | MULTIPLIERS),
    "starcoder2": ("Starcoder2", SHAPE | {"sliding_window": 6}),
    "smollm3": ("SmolLM3", SHAPE),
    "glm4": ("Glm4", SHAPE),
    "exaone4": ("Exaone4", SHAPE | SLIDING),
    "persimmon": ("Persimmon", MHA),
    "nemotron": ("Nemotron", SHAPE),
    "biogpt": ("BioGpt", MHA),
    "gpt_oss": ("GptOss", SHAPE | SLIDING | EXPERTS),
    "mixtral": ("Mixtral", SHAPE | EXPERTS),
    "deepseek_v3": ("DeepseekV3", OWN_HEADS | LATENT | ROUTED | {"moe_intermediate_size": 16}),
}
"""Families that can be fed trees: class prefix and configuration."""

PLAIN = {
    "bloom": ("Bloom", {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "mpt": (
        "Mpt",
        {"vocab_size": VOCABULARY, "d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 128},
    ),
    "falcon, alibi": ("Falcon", OWN_HEADS | {"alibi": True, "new_decoder_architecture": False}),
    "falcon, rotary": ("Falcon", OWN_HEADS | {"alibi": False}),
    "gptj": ("GPTJ", GPT | {"rotary_dim": 4}),
    "codegen": ("CodeGen", GPT | {"rotary_dim": 4}),
    "gpt_neo": (
        "GPTNeo",
        LAYERS
        | {"hidden_size": 32, "num_heads": 4, "attention_types": [[["global", "local"], 1]], "window_size": 6}
        | {"initializer_range": 0.25, "bos_token_id": 1, "eos_token_id": 2},
    ),
    "xglm": ("XGLM", LAYERS | {"d_model": 32, "ffn_dim": 48, "attention_heads": 4}),
    "mamba": ("Mamba", BARE | {"state_size": 8}),
    "rwkv": ("Rwkv", BARE | {"attention_hidden_size": 32}),
    "recurrent_gemma": (
        "RecurrentGemma",
        SHAPE | {"lru_width": 32, "num_hidden_layers": 3, "attention_window_size": 16},
    ),
    "qwen3_next": (
        "Qwen3Next",
        SHAPE | SMALL_EXPERTS | LINEAR | {"num_hidden_layers": 4, "shared_expert_intermediate_size": 16},
    ),
}
"""Families that cannot: positions by index, states that run along the sequence, attention of their own."""

LLAMA_CPP = {
    "gpt_neox": "gptneox",
    "gpt_bigcode": "starcoder",
    "mistral": "llama",
    "qwen3_moe": "qwen3moe",
    "phi": "phi2",
    "olmo3": "olmo2",
    "cohere": "command-r",
    "gpt_oss": "gpt-oss",
    "mixtral": "llama",
    "deepseek_v3": "deepseek2",
    "qwen3_next": "qwen3next",
}
"""What llama.cpp calls families to which it gives other names; others have their own, if it knows them."""


USUAL = {"llama", "gemma2", "gpt_oss", "deepseek_v3", "bloom", "mamba"}
"""Those that `make test` tries: shared keys; windows and capped logits; sinks; values shorter than keys; positions
that no number tells; a state that runs along the sequence."""


def cases(families):
    """The families as cases of a test: but for the usual ones, they are slow."""
    return [
        family if family in USUAL else pytest.param(family, marks=pytest.mark.slow) for family in families
    ]


def network(family, dtype):
    """A network of a family in evaluation mode, the same every time."""
    prefix, settings = (TRIE | PLAIN)[family]
    torch.manual_seed(1)
    name = {"Gemma3": "Gemma3TextConfig"}.get(prefix, f"{prefix}Config")
    made = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(**settings))
    return made.to(getattr(torch, dtype)).eval()


def distributions(runner, needs):
    """Log-probabilities at the wanted positions of each need, as the runner reads them."""
    found = [{} for _ in needs]

    def consume(rows):
        logprobs = rows.logits.log_softmax(-1)
        for need, position, row in zip(rows.need, rows.position, rows.row, strict=True):
            assert int(position) not in found[need]
            found[need][int(position)] = logprobs[int(row)]

    done = [i for batch in runner.read(runner, needs, consume) for i in batch]
    assert sorted(done) == list(range(len(needs)))
    return [torch.stack([rows[p] for p in sorted(rows)]) for rows in found]


def alone(network, need):
    """The same by one plain forward pass."""
    with torch.inference_mode():
        logits = network(torch.tensor([need.ids.tolist()]), use_cache=False).logits[0, need.first :]
    return logits.log_softmax(-1)
