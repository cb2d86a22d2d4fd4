"""One kernel for activation functions that the library computes step by step."""

from __future__ import annotations

from typing import Any


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
