import functools
import json
import shutil

import huggingface_hub
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, BertConfig, BertLMHeadModel
from transformers.activations import NewGELUActivation

from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    LabelRequest,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    canonical_json,
)
from probsense.models.base import Model
from probsense.models.next_token.reading import next_token_logits
from probsense.models.transformers import attention as stream
from probsense.models.transformers import batches
from probsense.models.transformers.load import load
from support.models.answers import answers, logprobs

NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}hello"

OPTIONS = [
    ScoreRequest("The kettle sings and the", (" garden is wet", " rain", " boats float"), " after the rain."),
    ScoreRequest("Is a stone heavier?\nAnswer: ", ("yes", "no", "maybe not at all")),
    ScoreRequest("Pick one:\n", ("POSSIBLE", "IMPOSSIBLE"), "\n"),
    ScoreRequest("", ("yes", "🙂 and 👍🏽")),
    ScoreRequest("Is a stone heavier?\nAnswer: ", ("yes", "no")),
    ScoreRequest("nothing to choose from", ()),
    *(ScoreRequest("a feather " * n, (" and", "2 or 3"), "!") for n in range(1, 6)),
]
YES_NO = (("yes", ("yes",)), ("no", ("no",)))


@pytest.fixture(params=[("gpt2", "gpt2"), ("llama", "llama2")], ids=["gpt2", "llama"])
def either(request, loaded):
    return functools.partial(loaded, *request.param)


@pytest.fixture(params=[batches.read, stream.read], ids=["plain", "trie"])
def reader(request):
    return request.param


@pytest.fixture
def gpt2(loaded):
    return loaded()


def test_identical_sequences_share_a_pass_and_only_needed_rows_are_computed(gpt2, monkeypatch, reader):
    gpt2.runner.read = reader
    seen = []
    forward = gpt2.runner.network.forward

    @functools.wraps(forward)
    def watched(*args, **kwargs):
        output = forward(*args, **kwargs)
        seen.append((tuple(kwargs["input_ids"].shape), tuple(output.logits.shape)))
        return output

    monkeypatch.setattr(gpt2.runner.network, "forward", watched)
    list(gpt2.score([ScoreRequest("The garden is wet after the", (" rain", " stone", " kettle"))] * 3))
    ((fed, logits),) = seen
    assert fed[0] == 1
    assert logits[1] == 1
    assert gpt2.usage.tokens == fed[1]
    assert gpt2.usage.naive == 9 * fed[1]


def test_a_network_without_logits_to_keep_gives_the_same(gpt2):
    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = gpt2.runner.network

        def forward(self, input_ids, attention_mask, use_cache):
            return self.inner(input_ids=input_ids, attention_mask=attention_mask)

    inputs = {"input_ids": torch.tensor([[3, 4, 5, 6]]), "attention_mask": torch.ones(1, 4)}
    rows = torch.tensor([1, 3])
    expected = next_token_logits(gpt2.runner.network, rows, **inputs)
    torch.testing.assert_close(next_token_logits(Plain(), rows, **inputs), expected)


def test_fused_activations_change_nothing_but_speed(saved_model, loaded):
    stock = AutoModelForCausalLM.from_pretrained(saved_model(), dtype="float64").eval()
    ours = loaded(dtype="float64").runner.network
    assert sum(type(module) is NewGELUActivation for module in stock.modules()) == 2
    assert not any(type(module) is NewGELUActivation for module in ours.modules())
    ids = torch.arange(40)[None]
    with torch.inference_mode():
        torch.testing.assert_close(ours(ids).logits, stock(ids).logits, rtol=0, atol=1e-10)


def test_layers_are_spread(saved_model):
    folder = str(saved_model("llama", "llama2"))
    spread, alone = (load(folder, device=device, dtype="float64") for device in ("balanced", "auto"))
    assert answers(spread.score(OPTIONS)) == answers(alone.score(OPTIONS))


def test_out_of_memory_halves_the_budget_and_goes_on(gpt2, monkeypatch, reader):
    expected = answers(gpt2.score(OPTIONS))
    gpt2.runner.read = reader
    forward = gpt2.runner.network.forward
    sizes = []

    @functools.wraps(forward)
    def short(*args, **kwargs):
        sizes.append(kwargs["input_ids"].numel())
        if sizes[-1] > 30:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(*args, **kwargs)

    monkeypatch.setattr(gpt2.runner.network, "forward", short)
    found = answers(gpt2.score(OPTIONS))
    assert sizes[0] > 30
    assert gpt2.runner.tokens < 31
    assert logprobs(found) == pytest.approx(logprobs(expected), abs=1e-4)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), ModelError),
        (RuntimeError("shapes do not fit"), RuntimeError),
    ],
)
def test_one_sequence_too_many_for_the_memory_is_an_error(gpt2, monkeypatch, reader, error, expected):
    def fails(*_, logits_to_keep=None, **__):
        raise error

    gpt2.runner.read = reader
    monkeypatch.setattr(gpt2.runner.network, "forward", fails)
    with pytest.raises(expected):
        list(gpt2.score(OPTIONS[:1]))


def test_a_text_longer_than_the_context_names_its_item(gpt2):
    fits = ScoreRequest("yes" * 95, ("yes",), item="q1")
    for ask, request in (
        (gpt2.score, ScoreRequest("yes" * 96, ("yesyes",), item="q1")),
        (gpt2.labels, LabelRequest("yes" * 97, YES_NO, item="q1")),
        (gpt2.sample, SampleRequest("yes" * 90, max_tokens=7, item="q1")),
    ):
        with pytest.raises(InputError, match=r"item q1 needs 9[79] tokens, and the model takes 96"):
            list(ask([request]))
    assert len(answers(gpt2.score([fits]))) == 1


def test_texts_are_cut_at_their_beginning_where_that_is_wanted(loaded):
    long, short = "a feather and " * 60, "Is it wet?"
    cutting = loaded("llama", "llama2", dtype="float64", truncate="left")
    requests = [ScoreRequest(text, (" yes", " no and 2 or 3"), "!") for text in (long, short)]
    found = answers(cutting.score(requests))
    assert cutting.usage.truncated == 1
    assert found[1] == answers(loaded("llama", "llama2", dtype="float64").score(requests[1:]))[0]
    whole = [cutting.encoder.tokenizer(long + o + "!")["input_ids"] for o in requests[0].options]
    excess = max(map(len, whole)) - 1 - 96
    for ids, score in zip(whole, found[0].options, strict=True):
        kept = [ids[0], *ids[1 + excess :]]  # the beginning-of-sequence token stays
        with torch.inference_mode():
            rows = cutting.runner.network(torch.tensor([kept])).logits[0].log_softmax(-1)
        mine = score.option.logprobs + score.suffix.logprobs
        last = range(len(kept) - len(mine), len(kept))
        assert mine == pytest.approx([float(rows[i - 1, kept[i]]) for i in last], abs=1e-10)
    list(cutting.labels([LabelRequest(long, YES_NO)]))
    list(cutting.sample([SampleRequest(long, max_tokens=4)]))
    assert cutting.usage.truncated == 3
    with pytest.raises(
        InputError, match="a request needs 99 tokens beside its prompt, and the model takes 96"
    ):
        list(cutting.score([ScoreRequest("Is it", (" yes" * 99,))]))


# ------------------------------------------------------------------ chat


def test_chat_settings_are_part_of_the_details(loaded):
    wishes = ({}, {"prompt_format": "plain"}, {"system_prompt": "Be brief."})
    details = [loaded("gpt2", "llama3", "hello", **wish).details for wish in wishes]
    assert len({canonical_json(dict(d)) for d in details}) == 3
    assert details[0]["chat"] is True
    assert details[1]["template"] is None
    assert details[1]["head"] == ["<|begin|>"]
    with pytest.raises(InputError, match="no chat template"):
        loaded(prompt_format="chat")
    with pytest.raises(InputError, match="system prompt needs a chat template"):
        loaded(system_prompt="Be brief.")
    with pytest.raises(ModelError, match="the chat template fails: no system"):
        loaded("gpt2", "llama3", NO_SYSTEM, system_prompt="Be brief.")


# ------------------------------------------------------------------ sample


def test_the_most_probable_text_at_temperature_zero(either):
    model = either()
    tokenizer = model.encoder.tokenizer
    prompts = ["Is it wet?", "The kettle sings and the garden is", "yes"]
    found = answers(model.sample([SampleRequest(prompt, n=2, max_tokens=6) for prompt in prompts]))
    for prompt, response in zip(prompts, found, strict=True):
        ids = tokenizer(prompt)["input_ids"]
        start = len(ids)
        with torch.inference_mode():
            while len(ids) < start + 6 and ids[-1] != 0:
                ids = [*ids, int(model.runner.network(torch.tensor([ids])).logits[0, -1].argmax())]
        assert response.texts == (tokenizer.decode(ids[start:], skip_special_tokens=True),) * 2


def test_draws_are_the_same_whatever_they_are_batched_with(either):
    model = either(dtype="float64")
    requests = [
        SampleRequest(prompt, n=3, max_tokens=5, temperature=0.9, top_p=top_p, seed=seed)
        for prompt in ("Is it wet?", "The kettle sings and the garden is")
        for top_p in (1.0, 0.8)
        for seed in (0, 1)
    ]
    together = answers(model.sample(requests))
    alone = [answers(model.sample([request]))[0] for request in requests]
    model.runner.tokens = 30
    backwards = answers(model.sample(requests[::-1]))[::-1]
    assert together == alone == backwards
    assert len({response.texts for response in together}) == len(requests)
    assert len(set(together[0].texts)) > 1


def test_stop_strings_and_the_end_token_cut_the_text(gpt2, monkeypatch):
    whole = answers(gpt2.sample([SampleRequest("Is it wet?", max_tokens=12)]))[0].texts[0]
    assert len(whole) > 6
    stop = whole[4:6]
    (response,) = answers(gpt2.sample([SampleRequest("Is it wet?", max_tokens=12, stop=("zzz", stop))]))
    assert (response.texts, response.cut) == ((whole[: whole.find(stop)],), (False,))
    assert answers(gpt2.sample([SampleRequest("Is it wet?", n=2, max_tokens=12)]))[0].cut == (True, True)
    ids = torch.tensor([gpt2.encoder.tokenizer("Is it wet?")["input_ids"]])
    with torch.inference_mode():
        first = int(gpt2.runner.network(ids).logits[0, -1].argmax())
    monkeypatch.setattr(gpt2.runner.network.generation_config, "eos_token_id", [0, first])
    assert answers(gpt2.sample([SampleRequest("Is it wet?", max_tokens=12)]))[0] == SampleResponse(
        ("",), cut=(False,)
    )
    for impossible in ({"n": 0}, {"max_tokens": 0}, {"temperature": -1.0}, {"top_p": 0.0}, {"stop": ("",)}):
        with pytest.raises(InputError, match="expected"):
            list(gpt2.sample([SampleRequest("a", **impossible)]))


# ------------------------------------------------------------------ loading and identity


def test_identity_hangs_on_the_files_not_on_the_folder(saved_model, loaded, tmp_path):
    shutil.copytree(saved_model(), tmp_path / "copy")
    (tmp_path / "copy" / "README.md").write_text("words")
    model = load(str(tmp_path / "copy"), device="cpu")
    assert isinstance(model, Model)
    assert model.details == loaded().details
    assert set(model.details["versions"]) == {"torch", "transformers", "tokenizers"}
    assert str(tmp_path) not in canonical_json(dict(model.details))
    assert loaded(dtype="bfloat16").details["dtype"] == "bfloat16"


def test_stored_generation_settings_do_not_touch_the_samples(saved_model, gpt2, tmp_path):
    shutil.copytree(saved_model(), tmp_path / "copy")
    (tmp_path / "copy" / "generation_config.json").write_text(
        json.dumps({"do_sample": True, "repetition_penalty": 3.0, "temperature": 9.0, "eos_token_id": 0})
    )
    ask = [SampleRequest("yes yes yes", max_tokens=12)]
    copied = load(str(tmp_path / "copy"), device="cpu")
    assert answers(copied.sample(ask)) == answers(gpt2.sample(ask))


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def torn(folder):
    (folder / "model.safetensors").unlink()
    content = '{"metadata": {}, "weight_map": {"a": "model-00001-of-00002.safetensors"}}'
    (folder / "model.safetensors.index.json").write_text(content)


def partial(folder):
    weights = load_file(folder / "model.safetensors")
    weights.pop("transformer.h.1.ln_1.weight")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


BROKEN = {
    "no configuration": (lambda f: (f / "config.json").unlink(), InputError, "has no config.json"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), InputError, "has no weights"),
    "pickled": (pickled, ModelError, "pickled weights only"),
    "no shard": (torn, ModelError, "model-00001-of-00002.safetensors"),
    "a weight less": (partial, ModelError, "transformer.h.1.ln_1.weight"),
    **{
        f"broken {name}": (lambda f, name=name: (f / name).write_text("{"), ModelError, "cannot be loaded")
        for name in ("model.safetensors", "config.json", "tokenizer.json")
    },
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_folder_that_is_no_model_gets_one_clear_line(saved_model, tmp_path, fault):
    change, kind, message = BROKEN[fault]
    folder = shutil.copytree(saved_model(), tmp_path / "model")
    change(folder)
    with pytest.raises(kind, match=message) as caught:
        load(str(folder), device="cpu")
    assert "\n" not in str(caught.value)


def test_places_without_a_model_get_one_clear_line(saved_model, tmp_path):
    for name in ("tiny.gguf", "tiny.bin"):
        (tmp_path / name).write_bytes(b"GGUF\x03")
    wishes = ({"device": "abacus"}, "no such device"), ({"batch_tokens": 0}, "batch_tokens 0")
    for options, message in (*wishes, ({"revision": "main"}, "a revision is for models on the hub")):
        with pytest.raises(InputError, match=message):
            load(str(saved_model()), **({"device": "cpu"} | options))
    for argument, message in (
        (tmp_path / "tiny.gguf", "a GGUF file .expected gguf:/.*/tiny.gguf"),
        (tmp_path / "tiny.bin", "/tiny.bin: not a folder"),
        (tmp_path, "has GGUF files only .expected gguf:/.*/tiny.gguf"),
        ("", "names no model"),
        ("nowhere/at/all", "no such folder"),
    ):
        with pytest.raises(InputError, match=message):
            load(str(argument), device="cpu")


def test_a_network_that_looks_ahead_is_refused(tokenizer_of, tmp_path):
    shape = {"vocab_size": len(tokenizer_of("wordpiece")), "hidden_size": 32, "intermediate_size": 32}
    small = BertConfig(**shape, num_hidden_layers=2, num_attention_heads=2, initializer_range=0.3)
    BertLMHeadModel(small).save_pretrained(tmp_path)
    tokenizer_of("wordpiece").save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="not a causal language model"):
        load(str(tmp_path), device="cpu")


def test_a_hub_model_is_known_by_its_commit(saved_model, tmp_path, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    cached = tmp_path / "models--someone--small"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text(commit)
    shutil.copytree(saved_model(), cached / "snapshots" / commit)
    offline = functools.partial(huggingface_hub.snapshot_download, cache_dir=tmp_path, local_files_only=True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", offline)
    model = load("someone/small", device="cpu")
    assert model.name == "hf:someone/small"
    own = {"repository": "someone/small", "revision": "main", "commit": commit}
    assert model.details.items() >= own.items()
    with pytest.raises(ModelError, match="the Hugging Face hub did not give it"):
        load("someone/other", device="cpu")
