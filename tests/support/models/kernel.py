"""Stands in for the matrix products of oneDNN, so that tests need no processor and no PyTorch that has them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


class Packed(Tensor):
    """A matrix of weights that only the stand-in can read."""

    matrix: Tensor

    def to_dense(self):
        return self.matrix


class Kernel:
    """The two operations as PyTorch itself computes them; they refuse some types, or give other numbers."""

    def __init__(self, refused=(), factor=1.0):
        self.refused, self.factor = refused, factor

    def _reorder_linear_weight(self, weight, _rows):
        if weight.dtype in self.refused:
            raise RuntimeError("bf16 path needs\nanother processor")
        packed = weight.flatten().as_subclass(Packed)
        packed.matrix = weight
        return packed

    def _linear_pointwise(self, states, weight, bias, *_after):
        found = functional.linear(states, getattr(weight, "matrix", weight), bias)
        return found * self.factor


def stand_in(patch, refused=(), factor=1.0):
    """Let the product find such operations in PyTorch."""
    patch.setattr(torch.ops, "mkldnn", Kernel(refused, factor))
    patch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
