"""Matrix products by oneDNN in place of PyTorch's own, where this processor is faster so and the numbers stay."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from platform import machine
from timeit import timeit
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.pytorch_utils import Conv1D

from probsense.core.errors import InputError, one_line
from probsense.models.next_token.reading import next_token_logits
from probsense.models.next_token.trial import ROUNDING, ROUNDING_ELSE, Verdict, kept_verdict, rounding

ONEDNN = "onednn"
"""The name of these products in fingerprints."""
TORCH = "torch"
VARIABLE = "PROBSENSE_PRODUCTS"
"""The environment variable that names the products, in place of a trial."""
DTYPES = (torch.float32, torch.bfloat16)

Layers: TypeAlias = list[tuple[str, Any]]
"""The linear layers of a network, with their names."""


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
    layers = [(name, one) for name, one in network.named_modules() if type(one) in (nn.Linear, Conv1D)]
    mixed = network.dtype == torch.bfloat16
    possible = layers and on_cpu and network.dtype in DTYPES and is_there()
    if named == TORCH or not possible or (mixed and not _may_mix(network, layers)):
        return False
    faster = named == ONEDNN or _faster(network, layers)
    return faster and _replace(network, layers, vocabulary, mixed=mixed)


def _faster(network: Any, layers: Layers) -> bool:
    """Whether oneDNN is as fast as PyTorch for most of the network's weights; what a trial found is kept."""
    shapes = Counter(_matrix(layer).shape for _, layer in layers)
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


def _matrix(layer: Any, weight: Tensor | None = None) -> Tensor:
    """Return the weights of a layer, or others in their place, as (outputs, inputs) or back: GPT-2 has them turned."""
    found: Tensor = layer.weight if weight is None else weight
    return found.t() if isinstance(layer, Conv1D) else found


def _may_mix(network: Any, layers: Layers) -> bool:
    """Whether float32 for what is no layer costs little memory, as it does not with experts of another form."""
    tables = sum(table.weight.numel() for table in network.modules() if isinstance(table, nn.Embedding))
    multiplied = sum(_matrix(layer).numel() for _, layer in layers)
    return not network.config.is_encoder_decoder and 2 * multiplied > network.num_parameters() - tables


def _replace(network: Any, layers: Layers, vocabulary: int, *, mixed: bool) -> bool:
    """Replace the layers; undo it if the network's numbers change, or it fails."""
    expected = _logits(network, vocabulary)
    head = network.get_output_embeddings()
    tables = {id(table.weight) for table in network.modules() if isinstance(table, nn.Embedding)}
    made: list[PackedLinear] = []
    try:
        for name, module in layers:
            # Rows of a table are looked up, and two copies would cost memory.
            whole = id(module.weight) in tables or (mixed and module is head)
            made.append(
                PackedLinear(_matrix(module) if not whole else module.weight, module.bias, pack=not whole)
            )
            module.weight = None
            network.set_submodule(name, made[-1])
        found = _logits(network, vocabulary)
        alike = float((found - expected).abs().max()) <= rounding(network) * float(expected.abs().max())
    except Exception:  # A network may do anything with its layers; a processor may lack products of a type.
        alike = False
    if alike:
        # A file whose weights were not converted stays in memory as long as one of them is a view of it.
        for parameter in network.parameters():
            parameter.data = parameter.data.to(torch.float32, copy=True)
        return True
    for (name, module), one in zip(layers, made, strict=False):
        whole = isinstance(one.weight, nn.Parameter)
        weight = one.weight if whole else _matrix(module, one.weight.to_dense())
        module.weight = weight if whole else nn.Parameter(weight, requires_grad=False)
        network.set_submodule(name, module)
    return False


def _logits(network: Any, vocabulary: int) -> Tensor:
    """Compute the logits after each of a few tokens."""
    tokens = torch.from_numpy(np.random.default_rng(0).integers(0, vocabulary, (1, 8)))
    decoded = {"decoder_input_ids": tokens} if network.config.is_encoder_decoder else {}
    return next_token_logits(network, torch.arange(8), input_ids=tokens, **decoded)


ROWS = 512
"""The number of rows for which weights are packed; any other number may be multiplied by them, too."""


class PackedLinear(nn.Module):
    """A linear layer as oneDNN computes it.

    Parameters
    ----------
    weight : Tensor, shape (outputs, inputs)
        Its type is that of the products; states of another type are converted, and the results converted back.
    bias : Tensor, shape (outputs,), or None
    pack : bool
        Whether to keep the weights in the order in which oneDNN reads them. Then they are no parameters of the network
        any more, since nothing else can read them.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, *, pack: bool) -> None:
        super().__init__()
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), ROWS) if pack else weight
        self.bias = None if bias is None else bias.detach().clone()

    def forward(self, states: Tensor) -> Tensor:
        """Multiply states, shape (..., inputs), and return shape (..., outputs)."""
        given = states.to(self.weight.dtype)
        found: Tensor = torch.ops.mkldnn._linear_pointwise(given, self.weight, self.bias, "none", [], None)
        return found.to(states.dtype)


def is_there() -> bool:
    """Tell whether this PyTorch has the operations, which are private to its compiler."""
    names = "_linear_pointwise", "_reorder_linear_weight"
    built = bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]
    return built and all(hasattr(torch.ops.mkldnn, name) for name in names)


MULTIPLICATIONS = 2**29
"""The size of a product in a trial, which then takes hundredths of a second."""
TURNS = 4
SLOWER = 1.1
"""How much slower than PyTorch's own product oneDNN may seem: near a tie, machines of one kind have to agree."""


def try_product(outputs: int, inputs: int, dtype: torch.dtype) -> Verdict:
    """Time oneDNN beside PyTorch's own product for weights of a shape, and compare their numbers."""
    rows = max(16, min(ROWS, MULTIPLICATIONS // (outputs * inputs)))
    rng = torch.Generator().manual_seed(0)
    states, weight = (torch.randn(count, inputs, generator=rng).to(dtype) for count in (rows, outputs))
    try:
        layer = PackedLinear(weight, None, pack=True)
        with torch.inference_mode():
            expected, found = functional.linear(states, weight).float(), layer(states).float()
            ways = (lambda: functional.linear(states, weight)), (lambda: layer(states))
            turns = [[timeit(way, number=1) for way in ways] for _ in range(TURNS)]
            theirs, ours = np.min(turns, axis=0)
    except Exception as error:  # A private operation may change in any way.
        return Verdict(False, f"oneDNN fails: {one_line(error)}")
    limit = ROUNDING.get(str(dtype), ROUNDING_ELSE) * float(expected.abs().max())
    if not float((found - expected).abs().max()) <= limit:
        return Verdict(False, "oneDNN gives other numbers")
    return Verdict(True) if ours <= SLOWER * theirs else Verdict(False, "PyTorch's own product is faster")


CPU_INFO = Path("/proc/cpuinfo")
TOLD = ("vendor_id", "cpu family", "model", "model name", "flags", "CPU implementer", "CPU part", "Features")


def processor() -> list[str]:
    """Describe the processor: its architecture and, where Linux says so, its maker, model and instructions."""
    try:
        first = CPU_INFO.read_text("utf-8").partition("\n\n")[0]
    except (OSError, UnicodeDecodeError):
        return [machine()]
    lines = [line.partition(":") for line in first.splitlines()]
    return [machine(), *(value.strip() for name, _, value in lines if name.strip() in TOLD)]
