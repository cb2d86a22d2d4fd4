"""Replaces the linear layers of a network by those of oneDNN, if its numbers stay the same."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from probsense.core.errors import InputError
from probsense.models.next_token.reading import next_token_logits
from probsense.models.next_token.verdict import kept_verdict, rounding
from probsense.models.transformers.products.packed import (
    PackedLinear,
    as_post_operation,
    is_there,
    processor,
    try_product,
)

ONEDNN: Final = "onednn"
"""The name of these products in fingerprints."""
TORCH: Final = "torch"
VARIABLE: Final = "PROBSENSE_PRODUCTS"
"""The environment variable that names the products, in place of a trial."""
DTYPES: Final = (torch.float32, torch.bfloat16)


def use_onednn(network: Any, vocabulary: int) -> bool:
    """Let a network on a CPU multiply by oneDNN, if this processor is faster so and the network's numbers stay.

    In float32, the numbers are the same up to the order of sums. In bfloat16, the products of layers alone are computed
    in it: their sums, norms, attention and the vocabulary head are in float32.

    Parameters
    ----------
    network : Any
        Changed in place. Packed weights take the place of the original ones, one layer at a time.
    vocabulary : int
        Number of token ids.

    Returns
    -------
    bool
        Whether oneDNN is used. If it is not, the network is as before.

    Raises
    ------
    InputError
        If the environment names other products than there are.
    """
    named = os.environ.get(VARIABLE) or None
    if named not in (None, ONEDNN, TORCH):
        raise InputError(f"{VARIABLE}={named}", expected=f"{ONEDNN} or {TORCH}")
    on_cpu = {parameter.device.type for parameter in network.parameters()} == {"cpu"}
    layers = [*_linear_layers(network)]
    mixed = network.dtype == torch.bfloat16
    possible = layers and on_cpu and network.dtype in DTYPES and is_there()
    if named == TORCH or not possible or (mixed and not _may_mix(network, layers)):
        return False
    faster = named == ONEDNN or _faster(network, layers)
    return faster and _replace(network, layers, vocabulary, mixed=mixed)


def _faster(network: Any, layers: Sequence[_Place]) -> bool:
    """Whether oneDNN is as fast as PyTorch for most of the network's weights; what a trial found is kept."""
    shapes = Counter(_matrix(layer.module).shape for layer in layers)
    outputs, inputs = max(shapes, key=lambda shape: shape.numel() * shapes[shape])
    verdict = kept_verdict(
        {
            "product": [outputs, inputs, str(network.dtype)],
            "processor": [*processor()],
            "torch": str(torch.__version__),
        },
        lambda: try_product(outputs, inputs, network.dtype),
    )
    return verdict.passed


@dataclass(frozen=True, slots=True)
class _Place:
    """A module that stands under a name in another one."""

    parent: nn.Module
    name: str
    module: nn.Module

    def put(self, module: nn.Module) -> None:
        setattr(self.parent, self.name, module)


def _places(network: nn.Module) -> list[_Place]:
    return [
        _Place(parent, name, child) for parent in network.modules() for name, child in parent.named_children()
    ]


def _linear_layers(network: nn.Module) -> Iterator[_Place]:
    return (place for place in _places(network) if type(place.module) in (nn.Linear, Conv1D))


def _matrix(layer: Any, weight: Tensor | None = None) -> Tensor:
    """Return the weights of a layer, or others in their place, as (outputs, inputs) or back: GPT-2 has them turned."""
    found: Tensor = layer.weight if weight is None else weight
    return found.t() if isinstance(layer, Conv1D) else found


def _may_mix(network: Any, layers: Sequence[_Place]) -> bool:
    """Whether float32 for what is no layer costs little memory, as it does not with experts of another form."""
    tables = sum(table.weight.numel() for table in network.modules() if isinstance(table, nn.Embedding))
    multiplied = sum(_matrix(layer.module).numel() for layer in layers)
    return not network.config.is_encoder_decoder and 2 * multiplied > network.num_parameters() - tables


def _replace(network: Any, layers: Sequence[_Place], vocabulary: int, *, mixed: bool) -> bool:
    """Replace the layers, and the activations after them; undo it if the network's numbers change, or it fails."""
    expected, followed = _watched(network, layers, vocabulary)
    head = network.get_output_embeddings()
    tables = {id(table.weight) for table in network.modules() if isinstance(table, nn.Embedding)}
    made: list[PackedLinear] = []
    fused = []
    try:
        for layer in layers:
            module: Any = layer.module
            # Rows of a table are looked up, and two copies would cost memory.
            whole = id(module.weight) in tables or (mixed and module is head)
            made.append(
                PackedLinear(_matrix(module) if not whole else module.weight, module.bias, pack=not whole)
            )
            module.weight = None
            layer.put(made[-1])
        for number, activation in followed:
            if (operation := as_post_operation(activation.module)) is not None:
                made[number].after = operation
                activation.put(nn.Identity())
                fused.append(activation)
        found = _logits(network, vocabulary)
        alike = float((found - expected).abs().max()) <= rounding(network) * float(expected.abs().max())
    except Exception:  # A network may do anything with its layers; a processor may lack products of a type.
        alike = False
    if alike:
        # A file whose weights were not converted stays in memory as long as one of them is a view of it.
        for parameter in network.parameters():
            parameter.data = parameter.data.to(torch.float32, copy=True)
        return True
    for layer, one in zip(layers, made, strict=False):
        whole = isinstance(one.weight, nn.Parameter)
        weight = one.weight if whole else _matrix(layer.module, one.weight.to_dense())
        layer.module.weight = weight if whole else nn.Parameter(weight, requires_grad=False)
        layer.put(layer.module)
    for activation in fused:
        activation.put(activation.module)
    return False


def _watched(
    network: Any, layers: Sequence[_Place], vocabulary: int
) -> tuple[Tensor, list[tuple[int, _Place]]]:
    """Run a network, and find the layers (by number) whose results go to an activation, where both run once."""
    results: list[tuple[int, Any]] = []
    given: list[tuple[_Place, Any]] = []

    def after(number: int) -> Callable[[Any, Any, Any], None]:
        return lambda _module, _arguments, result: results.append((number, result))

    def before(place: _Place) -> Callable[[Any, Any], None]:
        return lambda _module, arguments: given.append((place, arguments[0] if arguments else None))

    with ExitStack() as hooks:
        for number, layer in enumerate(layers):
            hooks.callback(layer.module.register_forward_hook(after(number)).remove)
        for place in _places(network):
            if not [*place.module.children()] and not [*place.module.parameters()]:
                hooks.callback(place.module.register_forward_pre_hook(before(place)).remove)
        logits = _logits(network, vocabulary)
    made = Counter(number for number, _ in results)
    taken = Counter(id(place.module) for place, _ in given)
    source = {id(result): number for number, result in results if made[number] == 1}
    return logits, [
        (source[id(states)], place)
        for place, states in given
        if id(states) in source and taken[id(place.module)] == 1
    ]


def _logits(network: Any, vocabulary: int) -> Tensor:
    """Compute the logits after each of a few tokens."""
    tokens = torch.from_numpy(np.random.default_rng(0).integers(0, vocabulary, (1, 8)))
    decoded = {"decoder_input_ids": tokens} if network.config.is_encoder_decoder else {}
    return next_token_logits(network, torch.arange(8), input_ids=tokens, **decoded)
