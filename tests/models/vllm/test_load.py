"""Models that an engine of vLLM runs, beside the same in transformers; the engine is a stand-in."""

import json
import os
import shutil
import sys

import numpy as np
import pytest
from transformers import T5Config, T5ForConditionalGeneration

from models.vllm.fake_vllm import vllm as vllm
from probsense.core.errors import ModelError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.transformers.writing import Draw
from probsense.models.vllm.engine import write
from probsense.models.vllm.load import load, quiet
from support.models.answers import answers, logprobs

TEMPLATE = "{% for m in messages %}<|begin|>[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[answer]"
SCORES = [
    ScoreRequest(prefix, options, suffix)
    for prefix in ("The garden is as", "The garden is", "A crow", "The garden is as wet as")
    for options in ((" wet", " dry and cold", " so"), (" a long way off",))
    for suffix in ("", ", and the sky")
]
LABELS = [
    LabelRequest(prompt, (("yes", ("yes", "Yes")), ("no", ("no",))))
    for prompt in ("The garden is wet:", "The garden", "Say yes, no or maybe:")
]


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch):
    """Give back the variables that loading sets, and begin without them."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("VLLM_")}
    monkeypatch.setattr(os, "environ", own)


@pytest.fixture
def served(vllm, saved_model):
    """A saved model in the stand-in's engine."""
    return lambda *names, **options: load(str(saved_model(*names)), **options)


@pytest.mark.parametrize(("architecture", "kind"), [("gpt2", "gpt2"), ("llama", "llama2")])
def test_options_are_those_of_transformers(served, loaded, architecture, kind):
    ours, theirs = served(architecture, kind), loaded(architecture, kind)
    expected = logprobs(answers(theirs.score(SCORES)))
    assert logprobs(answers(ours.score(SCORES))) == pytest.approx(expected, abs=1e-5)
    assert [*ours.findings] == [*theirs.findings]
    assert (ours.details["weights"], ours.details["dtype"]) == (theirs.details["weights"], "float32")
    assert ours.usage.naive == theirs.usage.naive
    assert ours.usage.tokens < ours.usage.naive
    assert logprobs(answers(ours.score(SCORES))) == pytest.approx(expected, abs=1e-5)


def test_longer_options_are_dictated_once_for_each_prefix(served):
    model = served()
    request = ScoreRequest("The garden", (" is wet", " is wet and cold", "s", " is wet"))
    texts = [e.ids[e.option :].tolist() for group in model.split([request]) for e in group]
    assert texts[1][: len(texts[0])] == texts[0]
    answers(model.score([request, request]))
    engine = model.runner.network.engine
    ((ids, asked, _),) = engine.asked
    assert asked.extra_args["dictated"] == texts[1]
    assert asked.logprob_token_ids == [texts[1][0], texts[2][0]]
    assert model.usage.tokens == len(ids) + len(texts[1]) - 1


@pytest.mark.parametrize(("limit", "least"), [(2, 2.0), (128, 2.0), (128, 0.0)])
def test_labels_are_those_of_transformers(served, loaded, monkeypatch, limit, least):
    monkeypatch.setattr("probsense.models.vllm.engine.MOST_TOKENS", limit)
    monkeypatch.setattr("probsense.models.next_token.label_mass.LEAST", least)
    ours, theirs = (answers(of("gpt2", "llama3").labels(LABELS)) for of in (served, loaded))
    for one, other in zip(ours, theirs, strict=True):
        assert one.mass == pytest.approx(other.mass, abs=1e-6)
        assert one.other == pytest.approx(other.other, abs=1e-6)
        assert (one.source, one.note) == (other.source, other.note)
        assert ("read also after" in one.note) == (least == 0)
        if limit > len(other.others):  # Else the engine does not name enough words.
            assert [word for word, _ in one.others] == [word for word, _ in other.others]
            assert [p for _, p in one.others] == pytest.approx([p for _, p in other.others], abs=1e-6)


def test_the_most_probable_text_is_that_of_transformers(served, loaded):
    theirs = loaded()
    plain = SampleRequest("The garden is", n=2, max_tokens=9)
    (whole,) = answers(theirs.sample([plain]))
    stop = whole.texts[0][4:6]
    requests = [plain, SampleRequest("The garden is", max_tokens=9, stop=(stop,))]
    ours = answers(served().sample(requests))
    assert ours == answers(theirs.sample(requests))
    assert ours[1].texts[0] == whole.texts[0][: whole.texts[0].index(stop)]


def test_texts_depend_on_their_own_request_alone(served):
    model = served()
    requests = [
        SampleRequest(prompt, n=4, max_tokens=6, temperature=1.0, top_p=0.9, seed=seed)
        for prompt in ("The garden is", "A crow")
        for seed in (1, 2)
    ]
    together = answers(model.sample(requests))
    assert [answers(model.sample([request]))[0] for request in requests] == together
    assert len({text for response in together for text in response.texts}) > 8


def test_a_text_ends_before_the_token_that_ends_it(served):
    runner = served().runner
    draw = Draw(np.array([5, 6, 7], np.int32), np.array([0.5]))
    how = SampleRequest("", max_tokens=8, temperature=1.0)

    def written():
        (((_, ids),),) = write(runner, [draw], how, lambda _: False)
        return ids

    whole = written()
    assert len(whole) == 8
    runner.network = runner.network._replace(ends=frozenset({whole[3]}))
    assert written() == whole[: whole.index(whole[3])]


def test_the_model_names_the_tokens_that_end_a_text(vllm, saved_model, tmp_path):
    folder = shutil.copytree(saved_model(), tmp_path / "model")
    assert load(str(folder)).runner.network.ends == {0}
    (folder / "generation_config.json").write_text('{"eos_token_id": [3, 5]}')
    assert load(str(folder)).runner.network.ends == {3, 5}
    (folder / "generation_config.json").unlink()
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"eos_token_id": None}))
    assert load(str(folder)).runner.network.ends == {load(str(folder)).encoder.tokenizer.eos_token_id}


def test_an_engine_starts_with_the_options(served):
    wishes = {"gpu_memory_utilization": 0.5, "tensor_parallel_size": 2}
    engine = served(**wishes).runner.network.engine
    assert engine.options.items() >= (wishes | {"trust_remote_code": False}).items()
    assert "kv_cache_memory_bytes" not in engine.options
    assert served().runner.network.engine.options["kv_cache_memory_bytes"] == 2**32


def test_without_vllm_it_says_what_to_install(saved_model, monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ModelError, match=r"needs vLLM: pip install .*\[vllm\]'"):
        load(str(saved_model()))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("To serve at least one request, 9 GiB KV cache memory is needed"), "max_model_len"),
        (NotImplementedError("Model architectures ['X'] are not supported"), r"cannot load it: .*\['X'\]"),
    ],
)
def test_a_model_that_cannot_be_loaded_gives_one_line(vllm, served, monkeypatch, error, said):
    def fail(**_):
        raise error

    monkeypatch.setattr(vllm, "LLM", fail)
    with pytest.raises(ModelError, match=said):
        served()


def test_an_encoder_decoder_is_refused(vllm, tmp_path, tokenizer_of):
    size = {"d_model": 8, "d_ff": 8, "num_layers": 1, "num_heads": 2, "d_kv": 4}
    T5ForConditionalGeneration(T5Config(vocab_size=512, **size)).save_pretrained(tmp_path)
    tokenizer_of("gpt2").save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="encoder–decoder"):
        load(str(tmp_path))


def test_what_an_engine_prints_is_not_shown(capfd):
    with quiet():
        os.write(1, b"noise\n")
        os.write(2, b"noise\n")
        print("still loading", file=sys.stderr)
    assert capfd.readouterr() == ("", "still loading\n")


@pytest.mark.parametrize("processes", [True, False])
def test_what_other_processes_print_before_a_failure_is_shown(capfd, processes):
    def start():
        with quiet(processes=processes):
            os.write(1, b"the reason\n")
            raise ModelError("no engine")

    with pytest.raises(ModelError, match="no engine"):
        start()
    assert capfd.readouterr() == ("", "the reason\n" * processes)
