"""The family and the size of networks of transformers."""

from __future__ import annotations

from typing import Any

from probsense.models.findings import Finding, architecture


def network_architecture(network: Any) -> Finding:
    """Describe a network that is loaded."""
    return architecture(_family(network.config), network.num_parameters())


def config_architecture(config: Any, *, trust_remote_code: bool) -> Finding:
    """Describe the causal network of a configuration, which another library computes; no weight takes memory."""
    import torch
    import transformers

    kind: Any = transformers.AutoModelForCausalLM  # Typed in parts only.
    try:
        with torch.device("meta"):
            number = kind.from_config(config, trust_remote_code=trust_remote_code).num_parameters()
    except Exception:  # The other library may know networks that transformers does not.
        number = None
    return architecture(_family(config), number)


def _family(config: Any) -> str:
    """Name the type of a network, without saying that it reads texts only: "gemma3" for "gemma3_text"."""
    return str(config.model_type).removesuffix("_text")
