"""A network multiplies by oneDNN and gives its own numbers, or stays as it was; a trial tells which is faster."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional

from models.transformers import families
from probsense.core.errors import InputError
from probsense.core.records import ScoreRequest
from probsense.models.next_token.trial import Verdict, rounding
from probsense.models.transformers import products
from probsense.models.transformers.load import load
from probsense.models.transformers.products import (
    PackedLinear,
    processor,
    try_product,
    use_onednn,
)
from probsense.models.transformers.trial import probe
from support.models.answers import answers
from support.models.answers import logprobs as scored


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


IDS = torch.randint(0, families.VOCABULARY, (1, 24), generator=torch.Generator().manual_seed(1))
OWN_CLASS = {"falcon, alibi", "falcon, rotary"}
"""Their layers are of a class of their own, all but the head."""
AS_BEFORE = {"mamba"}
"""It reads the weights of its layers itself."""
NO_DOUBLE = {"qwen3_moe", "gpt_oss", "mixtral", "deepseek_v3", "qwen3_next", "xglm"}
"""They know no float64 or hold float32 inside: PyTorch's own products are the measure."""


@pytest.fixture(autouse=True)
def _faster_here(tmp_path, monkeypatch):
    """Whatever processor this is, and whatever this PyTorch can."""
    if not products.is_there():
        stand_in(monkeypatch)
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(products.VARIABLE, raising=False)
    monkeypatch.setattr(products, "try_product", lambda *_: Verdict(True))


def logprobs(network, ids=IDS):
    with torch.inference_mode():
        return network(ids, use_cache=False).logits.double().log_softmax(-1)


def state(network):
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def is_as_it_was(network, before):
    now = state(network)
    return now.keys() == before.keys() and all(torch.equal(now[name], before[name]) for name in before)


def packed(network):
    return [module for module in network.modules() if isinstance(module, PackedLinear)]


@pytest.mark.parametrize("family", [*families.cases(families.TRIE), *families.cases(families.PLAIN)])
def test_every_family_is_as_exact_as_before(family):
    network, stock = families.network(family, "float32"), families.network(family, "float32")
    exact = logprobs(stock if family in NO_DOUBLE else families.network(family, "float64"))
    used = use_onednn(network, families.VOCABULARY)
    assert used is (family not in AS_BEFORE)
    error, before = (float((logprobs(one) - exact).abs().max()) for one in (network, stock))
    assert error <= max(2 * before, 1e-4 if family in NO_DOUBLE else 1e-6)
    assert probe(network, families.VOCABULARY).passed is (family in families.TRIE)
    if used and family not in OWN_CLASS:
        assert not {"Linear", "Conv1D"} & {type(module).__name__ for module in network.modules()}


def test_no_weights_are_held_twice():
    network = families.network("llama", "float32")
    head = network.get_output_embeddings()
    head.weight = network.get_input_embeddings().weight
    assert use_onednn(network, families.VOCABULARY)
    # What is left are norms and the table that the head shares.
    assert {id(p) for p in network.parameters() if p.ndim > 1} == {id(network.get_input_embeddings().weight)}
    assert network.get_output_embeddings().weight is network.get_input_embeddings().weight
    assert [isinstance(layer.weight, nn.Parameter) for layer in packed(network)] == [False] * 14 + [True]


class Odd(nn.Module):
    """A network that does with its layers what an ordinary one does not."""

    def __init__(self, odd):
        super().__init__()
        self.config = type("Config", (), {"is_encoder_decoder": False})()
        self.table, self.head = nn.Embedding(16, 8), nn.Linear(8, 16)
        self.layer = nn.Linear(8, 8)
        self.act, self.odd, self.dtype = nn.ReLU(), odd, torch.float32

    def get_output_embeddings(self):
        return self.head

    def forward(self, input_ids, use_cache=False):
        states = self.odd(self.layer, self.act, self.table(input_ids))
        return type("Output", (), {"logits": self.head(states)})()


@pytest.mark.parametrize(
    ("odd", "used"),
    [
        (lambda layer, act, x: layer(act(layer(x))), True),
        (lambda layer, act, x: functional.linear(x, layer.weight), False),
        (lambda layer, act, x: x + layer.in_features, False),
    ],
)
def test_a_network_of_another_kind_stays_as_it_was(odd, used):
    torch.manual_seed(0)
    network, ids = Odd(odd), torch.arange(16)[None]
    before, weights, modules = logprobs(network, ids), state(network), [*network.modules()]
    assert use_onednn(network, 16) is used
    torch.testing.assert_close(logprobs(network, ids), before, rtol=0, atol=1e-5)
    assert used or ([*network.modules()] == modules and is_as_it_was(network, weights))


def test_gpt2_gets_its_turned_weights_back(monkeypatch):
    network = families.network("gpt2", "float32")
    before = state(network)
    right = PackedLinear.forward
    monkeypatch.setattr(PackedLinear, "forward", lambda self, states: right(self, states) + 1)
    assert not use_onednn(network, families.VOCABULARY)
    assert is_as_it_was(network, before)
    assert network.get_output_embeddings().weight is network.get_input_embeddings().weight


def test_bfloat16_is_for_products_alone(monkeypatch):
    stand_in(monkeypatch)
    exact = families.network("llama", "float32")
    network, stock = families.network("llama", "bfloat16"), families.network("llama", "bfloat16")
    weights = {name: tensor.float() for name, tensor in stock.state_dict().items()}
    exact.load_state_dict(weights)
    assert use_onednn(network, families.VOCABULARY)
    *layers, head = packed(network)
    assert {layer.weight.dtype for layer in layers} == {torch.bfloat16}
    assert head.weight.dtype == torch.float32
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}
    assert rounding(network) == rounding(stock) > rounding(exact)
    error, before = (float((logprobs(one) - logprobs(exact)).abs().max()) for one in (network, stock))
    assert 1e-4 < error < before


def test_a_processor_may_refuse_bfloat16(monkeypatch):
    stand_in(monkeypatch, refused=[torch.bfloat16])
    network = families.network("llama", "bfloat16")
    before = state(network)
    assert not use_onednn(network, families.VOCABULARY)
    assert is_as_it_was(network, before)


OPTIONS = [ScoreRequest("It rains, so the garden is", (" wet", " dry"), " today.")]


def test_a_model_says_how_it_multiplies(saved_model, monkeypatch):
    folder = str(saved_model("gpt2"))
    ours = load(folder)
    assert ours.details["products"] == "onednn"
    for left in ("_linear_pointwise", "_reorder_linear_weight"):
        with monkeypatch.context() as patch:
            patch.setattr(torch.ops, "mkldnn", SimpleNamespace(**{left: None}))
            plain = load(folder)
        assert plain.details == {key: value for key, value in ours.details.items() if key != "products"}
        assert not packed(plain.runner.network)
    mine, theirs = (scored(answers(one.score(OPTIONS))) for one in (ours, plain))
    assert mine == pytest.approx(theirs, abs=1e-4)


def test_a_trial_decides_once_for_a_machine_unless_the_environment_does(saved_model, monkeypatch):
    trials, folder = [], str(saved_model("gpt2"))
    monkeypatch.setattr(
        products, "try_product", lambda *given: trials.append(given) or Verdict(False, "slow")
    )
    for _ in range(2):
        assert "products" not in load(folder).details
    assert len(trials) == 1
    monkeypatch.setattr(products, "processor", lambda: ["another"])
    load(folder)
    assert len(trials) == 2
    monkeypatch.setenv(products.VARIABLE, "onednn")
    assert load(folder).details["products"] == "onednn"
    assert not use_onednn(families.network("llama", "float64"), families.VOCABULARY)
    monkeypatch.setattr(products, "try_product", lambda *_: Verdict(True))
    monkeypatch.setenv(products.VARIABLE, "torch")
    assert "products" not in load(folder).details
    monkeypatch.setenv(products.VARIABLE, "mkl")
    with pytest.raises(InputError, match=r"PROBSENSE_PRODUCTS=mkl .expected onednn or torch"):
        load(folder)


@given(st.lists(st.integers(0, 5), max_size=2), st.integers(1, 70), st.integers(1, 70), st.booleans())
def test_it_multiplies(shape, inputs, outputs, pack):
    rng = np.random.default_rng(inputs)
    weight, bias, states = (rng.normal(size=s) for s in ((outputs, inputs), outputs, (*shape, inputs)))
    layer = PackedLinear(torch.tensor(weight).float(), torch.tensor(bias).float(), pack=pack)
    with torch.inference_mode():
        found = layer(torch.tensor(states).float())
    np.testing.assert_allclose(found.numpy(), states @ weight.T + bias, rtol=0, atol=1e-4)


def test_a_trial_allows_what_is_as_fast(monkeypatch):
    def seconds(*turn):
        taken = itertools.chain([9.0, 9.0], itertools.cycle(turn))
        monkeypatch.setattr(products, "timeit", lambda _way, number: next(taken))

    for ours in (0.5, 1.0, 1.09):
        seconds(1.0, ours)
        assert try_product(48, 32, torch.float32).passed
    seconds(1.0, 1.2)
    assert try_product(48, 32, torch.float32).reason == "PyTorch's own product is faster"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_trial_refuses_other_numbers_and_errors(dtype, monkeypatch):
    monkeypatch.setattr(products, "timeit", lambda _way, number: 1.0)
    stand_in(monkeypatch)
    assert try_product(48, 32, dtype).passed
    stand_in(monkeypatch, factor=1.2)
    assert try_product(48, 32, dtype) == Verdict(False, "oneDNN gives other numbers")
    stand_in(monkeypatch, refused=[dtype])
    reason = "oneDNN fails: bf16 path needs another processor"
    assert try_product(48, 32, dtype) == Verdict(False, reason)


def test_a_processor_is_known_by_what_it_can_do(tmp_path, monkeypatch):
    file = tmp_path / "cpuinfo"
    monkeypatch.setattr(products, "CPU_INFO", file)
    assert len(processor()) == 1
    file.write_text("vendor_id : Maker\nmodel : 17\ncpu MHz : 2000\nflags : fma avx2\n\nmodel : 18\n")
    assert processor()[1:] == ["Maker", "17", "fma avx2"]
