"""A linear layer of oneDNN is the linear layer of PyTorch, and a trial tells which of the two is faster."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from probsense.models.next_token.trial import Verdict
from probsense.models.transformers import products
from probsense.models.transformers.products import (
    PackedLinear,
    processor,
    try_product,
)
from support.models import kernel


@given(
    shape=st.lists(st.integers(0, 5), max_size=2),
    sizes=st.tuples(st.integers(1, 70), st.integers(1, 70)),
    biased=st.booleans(),
    pack=st.booleans(),
    turned=st.booleans(),
)
def test_it_multiplies(shape, sizes, biased, pack, turned):
    inputs, outputs = sizes
    rng = np.random.default_rng(sum(sizes))
    weight, bias, states = (rng.normal(size=s) for s in ((outputs, inputs), outputs, (*shape, inputs)))
    given = torch.tensor(weight, dtype=torch.float32)
    layer = PackedLinear(
        given.t().contiguous().t() if turned else given,
        torch.tensor(bias, dtype=torch.float32) if biased else None,
        pack=pack,
    )
    with torch.inference_mode():
        found = layer(torch.tensor(states, dtype=torch.float32))
    expected = states @ weight.T + (bias if biased else 0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("own", [True, False])
def test_products_in_bfloat16_take_and_give_float32(own, monkeypatch):
    if not own:
        kernel.stand_in(monkeypatch)
    elif (reason := try_product(6, 8, torch.bfloat16).reason).startswith("oneDNN fails"):
        pytest.skip(reason)
    weight, states = torch.randn(6, 8).bfloat16(), torch.randn(3, 8)
    with torch.inference_mode():
        found = PackedLinear(weight, None, pack=True)(states)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, states @ weight.float().t(), rtol=0.02, atol=0.02)


def test_a_trial_allows_what_is_as_fast(monkeypatch):
    def seconds(*turn):
        taken = itertools.chain([9.0, 9.0], itertools.cycle(turn))
        monkeypatch.setattr(products, "timeit", lambda _way, number: next(taken))

    for ours in (0.5, 1.0, 1.09):
        seconds(1.0, ours)
        assert try_product(48, 32, torch.float32).passed
    seconds(1.0, 1.2)
    assert try_product(48, 32, torch.float32).reason == "PyTorch's own product is faster"


def test_a_trial_ends_soon(monkeypatch):
    # Nobody waits for a product of ten thousand by ten thousand numbers with hundreds of rows.
    kernel.stand_in(monkeypatch)
    rows = []
    right = PackedLinear.forward
    monkeypatch.setattr(
        PackedLinear, "forward", lambda self, states: rows.append(len(states)) or right(self, states)
    )
    for inputs in (32, 2**20):
        try_product(64, inputs, torch.float32)
    assert {*rows} == {products.ROWS, 16}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_trial_refuses_other_numbers_and_errors(dtype, monkeypatch):
    monkeypatch.setattr(products, "timeit", lambda _way, number: 1.0)
    kernel.stand_in(monkeypatch)
    assert try_product(48, 32, dtype).passed
    kernel.stand_in(monkeypatch, factor=1.2)
    assert try_product(48, 32, dtype) == Verdict(False, "oneDNN gives other numbers")
    kernel.stand_in(monkeypatch, refused=[dtype])
    reason = "oneDNN fails: bf16 path needs another processor"
    assert try_product(48, 32, dtype) == Verdict(False, reason)


def test_a_processor_is_known_by_what_it_can_do(tmp_path, monkeypatch):
    lines = (
        "processor : 0\nvendor_id : Maker\nmodel : 17\ncpu MHz : {}\nflags : fma avx2{}\n\nprocessor : 1\n"
    )
    file = tmp_path / "cpuinfo"
    monkeypatch.setattr(products, "CPU_INFO", file)

    def seen(speed, more):
        file.write_text(lines.format(speed, more))
        return processor()

    assert seen(2000, "")[1:] == ["Maker", "17", "fma avx2"]
    assert seen(2000, "") == seen(3000, "") != seen(2000, " avx512f")
    file.unlink()
    assert len(processor()) == 1
