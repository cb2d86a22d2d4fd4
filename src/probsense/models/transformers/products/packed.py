"""A linear layer as oneDNN computes it, with packed weights, and the trial of its speed on this processor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from platform import machine
from typing import Final, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from probsense.models.base import one_line
from probsense.models.next_token.verdict import ROUNDING, ROUNDING_ELSE, Verdict

PostOperation: TypeAlias = tuple[str, str | None]
"""What oneDNN does to each number of a product before it writes it: a name and, for some, an algorithm."""
NOTHING: Final[PostOperation] = "none", None
ACTIVATIONS: Final[tuple[PostOperation, ...]] = (
    ("gelu", "tanh"),
    ("gelu", "none"),
    ("swish", None),
    ("relu", None),
)
ROWS = 512
"""The number of rows for which weights are packed; any other number may be multiplied by them, too."""


class PackedLinear(nn.Module):
    """A linear layer, with the activation after it, as oneDNN computes them.

    Parameters
    ----------
    weight : Tensor, shape (outputs, inputs)
        Its type is that of the products; states of another type are converted, and the results converted back.
    bias : Tensor, shape (outputs,), or None
    pack : bool
        Whether to keep the weights in the order in which oneDNN reads them. Then they are no parameters of the network
        any more, since nothing else can read them.

    Attributes
    ----------
    after : PostOperation
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, *, pack: bool) -> None:
        super().__init__()
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), ROWS) if pack else weight
        self.bias = None if bias is None else bias.detach().clone()
        self.after = NOTHING

    def forward(self, states: Tensor) -> Tensor:
        """Multiply states, shape (..., inputs), and return shape (..., outputs)."""
        name, algorithm = self.after
        given = states.to(self.weight.dtype)
        found: Tensor = torch.ops.mkldnn._linear_pointwise(given, self.weight, self.bias, name, [], algorithm)
        return found.to(states.dtype)


def is_there() -> bool:
    """Tell whether this PyTorch has the operations, which are private to its compiler."""
    names = "_linear_pointwise", "_reorder_linear_weight"
    built = bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]
    return built and all(hasattr(torch.ops.mkldnn, name) for name in names)


def as_post_operation(activation: Callable[[Tensor], Tensor]) -> PostOperation | None:
    """Find the operation of oneDNN that gives the numbers of an activation; None if there is none."""
    states = torch.linspace(-12, 12, 2001)[:, None]
    layer = PackedLinear(torch.ones(1, 1), None, pack=False)
    with torch.inference_mode():
        expected = activation(states)
        for operation in ACTIVATIONS:
            layer.after = operation
            if float((layer(states) - expected).abs().max()) <= 1e-5:
                return operation
    return None


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
            theirs, ours = (min(seconds) for seconds in zip(*_in_turns(ways), strict=True))
    except Exception as error:  # A private operation may change in any way.
        return Verdict(False, f"oneDNN fails: {one_line(error)}")
    limit = ROUNDING.get(str(dtype), ROUNDING_ELSE) * float(expected.abs().max())
    if not float((found - expected).abs().max()) <= limit:
        return Verdict(False, "oneDNN gives other numbers")
    return Verdict(True) if ours <= SLOWER * theirs else Verdict(False, "PyTorch's own product is faster")


def _in_turns(ways: Sequence[Callable[[], Tensor]]) -> Iterator[list[float]]:
    """Time each way (seconds), as often as there are turns."""
    for _ in range(TURNS):
        taken = []
        for way in ways:
            started = time.perf_counter()
            way()
            taken.append(time.perf_counter() - started)
        yield taken


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
