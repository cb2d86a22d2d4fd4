"""Encoder–decoder models: T5's and BART's kind."""

from dataclasses import replace

import pytest
import torch
import transformers

from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.base import Usage
from probsense.models.transformers.load import load
from support.models.answers import answers

OPTIONS = [
    ScoreRequest("The kettle sings and the", (" garden is wet", " rain", " boats float"), " after the rain."),
    ScoreRequest("Is a stone heavier than a feather?", ("yes", "no", "maybe not at all")),
    ScoreRequest("Is a stone heavier than a feather?", ("no",), " not"),
    ScoreRequest("nothing to choose from", ()),
]
YES_NO = (("yes", ("yes",)), ("no", ("no",)))


@pytest.fixture(scope="session", params=["t5", "bart"])
def folder(request, tmp_path_factory, tokenizer_of):
    torch.manual_seed(3)
    tokenizer = tokenizer_of("llama2")
    common = {"vocab_size": len(tokenizer), "d_model": 32, "decoder_start_token_id": 0, "eos_token_id": 2}
    if request.param == "t5":
        shape = {"d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "initializer_factor": 2.0}
        made = transformers.T5ForConditionalGeneration(transformers.T5Config(**shape, **common))
    else:
        parts = {"layers": 2, "attention_heads": 4, "ffn_dim": 48}
        shape = {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in parts.items()}
        shape |= {"max_position_embeddings": 60, "init_std": 0.3}
        made = transformers.BartForConditionalGeneration(transformers.BartConfig(**shape, **common))
    path = tmp_path_factory.mktemp(request.param)
    made.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture(scope="session")
def whole(folder):
    return load(str(folder), dtype="float64", device="cpu")


@pytest.fixture
def model(whole):
    return replace(whole, runner=replace(whole.runner, usage=Usage()))


def distributions(model, prompt, written):
    """log p of the next token after the start and each token written, one text at a time."""
    source = model.encoder.tokenizer(prompt)["input_ids"]
    with torch.inference_mode():
        logits = model.runner.network(
            input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[0, *written]])
        ).logits
    return logits[0].log_softmax(-1)


@pytest.mark.parametrize("budget", [1, 60, 10_000])
def test_scores_are_those_of_one_at_a_time(model, budget):
    model.runner.tokens = budget
    tokenizer = model.encoder.tokenizer
    for request, response in zip(OPTIONS, answers(model.score(OPTIONS)), strict=True):
        assert len(response.options) == len(request.options)
        for option, score in zip(request.options, response.options, strict=True):
            ids = tokenizer(option + request.suffix, add_special_tokens=False)["input_ids"]
            rows = distributions(model, request.prefix, ids)
            mine = score.option.logprobs + score.suffix.logprobs
            assert mine == pytest.approx([float(rows[k, token]) for k, token in enumerate(ids)], abs=1e-9)
            assert bool(score.suffix.logprobs) == bool(request.suffix)


def test_the_encoder_reads_each_prompt_once(model):
    seen = []
    encoder = model.runner.network.get_encoder()
    hook = encoder.register_forward_hook(lambda _module, _args, output: seen.append(output[0].shape[0]))
    list(model.score(OPTIONS))
    hook.remove()
    assert sum(seen) == 2  # two different prompts with options
    assert 0 < model.usage.tokens < model.usage.naive


def test_label_mass_is_that_of_the_first_token_written(model):
    tokenizer = model.encoder.tokenizer
    prompts = ["Is it wet?", "Is a stone heavier than a feather?"]
    for prompt, response in zip(
        prompts, answers(model.labels([LabelRequest(p, YES_NO) for p in prompts])), strict=True
    ):
        p = distributions(model, prompt, [])[0].exp()
        if response.note:  # after a token of white space only
            p = distributions(model, prompt, [int(p.argmax())])[1].exp()
        texts = enumerate(map(tokenizer.decode, range(len(tokenizer))))
        same = [i for i, text in texts if text.strip(" \n:,.").lower() == "yes"]
        assert response.mass["yes"] == pytest.approx(float(p[same].sum()), abs=1e-9)
        assert sum(response.mass.values()) + response.other == pytest.approx(1)


def test_the_most_probable_text(model):
    prompts = ["Is it wet?", "The kettle sings and the garden is"]
    found = answers(model.sample([SampleRequest(prompt, max_tokens=5) for prompt in prompts]))
    for prompt, response in zip(prompts, found, strict=True):
        written = []
        while len(written) < 5 and written[-1:] != [2]:
            written.append(int(distributions(model, prompt, written)[-1].argmax()))
        assert response.texts == (model.encoder.tokenizer.decode(written, skip_special_tokens=True),)


def test_a_prompt_longer_than_the_context(model):
    if model.runner.context is None:
        pytest.skip("takes any length")
    with pytest.raises(InputError, match="item q1 needs"):
        list(model.labels([LabelRequest("yes " * 90, YES_NO, item="q1")]))
