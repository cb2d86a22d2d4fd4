"""What follows a thought is what follows the whole text, written out; where it is remembered, it costs less."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought
from probsense.models.base import Thinks, in_form
from probsense.models.next_token.reading import Need, Runner
from probsense.models.next_token.texts import Draw, Settings
from probsense.models.registry import fingerprint
from probsense.models.transformers import writing
from probsense.models.transformers.prefix_tree import attention
from probsense.models.transformers.writing import Begun, begin
from probsense.models.transformers.writing_trial import choose_writer
from probsense.runs.ask.thinking import Wish, let_think
from probsense.runs.evaluate import evaluate
from support.models import families
from support.models.answers import answers, logprobs
from support.run_fakes import Quiz

LABELS = (("yes", ("yes", "Yes")), ("no", ("no", "No")))
LATENT = {"deepseek_v3"}
"""What they keep of a text is not what attention sees of it."""


def draws(lengths, max_tokens):
    """Two thoughts after each of some prompts that begin alike."""
    rng = np.random.default_rng(4)
    stem = rng.integers(3, families.VOCABULARY, 4, dtype=np.int32)
    prompts = [np.append(stem, rng.integers(3, families.VOCABULARY, n, dtype=np.int32)) for n in lengths]
    return [Draw(prompt, rng.random(max_tokens), thinks=True) for prompt in prompts for _ in range(2)]


def after(texts):
    """Sequences that follow each text from its end or from an earlier cut on, in several ways."""
    rng = np.random.default_rng(5)
    found = []
    for text in texts:
        for cut in (len(text), len(text) - 3, len(text) // 2, 2):
            end = rng.integers(3, families.VOCABULARY, 2, dtype=np.int32)
            options = rng.integers(3, families.VOCABULARY, (3, 2), dtype=np.int32)
            found += [Need(np.concatenate([text[:cut], end, option]), cut + 1) for option in options]
    return found


@pytest.mark.parametrize("family", families.cases(families.TRIE))
def test_every_family_reads_on_from_its_thoughts(family):
    network = families.network(family, "float32")
    writer = choose_writer(network, families.VOCABULARY, trees=True)
    if family in LATENT:
        assert writer is writing.write_together
        return
    asked, how = draws((9, 2), 14), Settings(14, 9.0, 1.0, ("x",))
    for tokens in (4096, 24):
        runner = Runner(network, families.VOCABULARY, None, tokens, attention.read)
        lengths = set()
        for batch in writer(runner, asked, how, stops):
            texts = [np.append(asked[i].prompt, np.array(ids, np.int32)) for i, ids in batch]
            # The last token of a text need not have been read; nor that which ends it.
            assert sorted(len(text.ids) for text in runner.remembered) == sorted(
                len(text) - (not (network_ended(ids, how)))
                for text, (_, ids) in zip(texts, batch, strict=True)
            )
            lengths |= {len(ids) for _, ids in batch}
            needs, before = after(texts), runner.usage
            for found, need in zip(families.distributions(runner, needs), needs, strict=True):
                assert float((found - families.alone(network, need)).abs().max()) <= 1e-4
            # The rest of each thought that was not read, what ends it, and each option.
            assert runner.usage.since(before).tokens <= len(needs) // 3 * (1 + 2 + 6)
            answers_after = [need.ids for need in needs if need.first >= 9]
            begun, before = begin(runner, answers_after), runner.usage
            for logits, ids in zip(begun.logits, answers_after, strict=True):
                whole = families.alone(network, Need(ids, len(ids) - 1))[0]
                assert float((logits.log_softmax(-1) - whole).abs().max()) <= 1e-4
        assert len(lengths) > 1
        assert runner.remembered == ()


def stops(ids):
    return sum(ids) % 8 == 5


def network_ended(ids, how):
    """Whether a token ended a text that is no part of it, so that all of the text was read."""
    return len(ids) < how.max_tokens and not (ids and stops(ids))


@pytest.mark.parametrize("family", ["mamba", "qwen3_next", "rwkv", "bloom"])
def test_others_remember_nothing(family):
    network = families.network(family, "float32")
    writer = choose_writer(network, families.VOCABULARY)
    runner = Runner(network, families.VOCABULARY, None, 4096, attention.read)
    for _ in writer(runner, draws((3,), 4), Settings(4, 1.0, 1.0, ()), lambda _: False):
        assert runner.remembered == ()


def test_states_that_give_other_numbers_are_not_used(monkeypatch):
    states = Begun.states

    def swapped(self, row, tokens):
        return [(keys.flip(2), values) for keys, values in states(self, row, tokens)]

    monkeypatch.setattr(Begun, "states", swapped)
    network = families.network("llama", "float32")
    assert choose_writer(network, families.VOCABULARY, trees=True) is writing.write_together


def test_nothing_is_remembered_where_memory_does_not_allow_it(monkeypatch):
    network = families.network("llama", "float32")
    writer = choose_writer(network, families.VOCABULARY, trees=True)
    runner = Runner(network, families.VOCABULARY, None, 4096, attention.read)
    asked, how = draws((9, 2), 14), Settings(14, 9.0, 1.0, ("x",))
    expected = [*writer(runner, asked, how, stops)]
    states, copied = Begun.states, 0

    def full(self, row, tokens):
        nonlocal copied
        copied += 1
        if copied > 2:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return states(self, row, tokens)

    monkeypatch.setattr(Begun, "states", full)
    found = []
    for batch in writer(runner, asked, how, stops):
        assert runner.remembered == ()
        found.append(batch)
    assert found == expected
    assert copied == 3


TEMPLATE = (
    "{% for m in messages %}<|begin|>[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)


@pytest.fixture(params=["gpt2", "llama"])
def thinker(request, loaded):
    """A model with as many heads of keys as of queries, and one with fewer."""
    return functools.partial(loaded, request.param, "llama3", TEMPLATE)


@pytest.fixture
def gpt2(loaded):
    return functools.partial(loaded, "gpt2", "llama3", TEMPLATE)


@pytest.mark.parametrize("stop", [("e",), ("</think>",)])
def test_answers_after_thoughts_in_memory_are_those_without(thinker, stop):
    """Thoughts are closed by the model, or cut at their budget, and at smaller ones."""
    model, _ = let_think(thinker(), Wish("on"))
    start = Thought("<think>\n")
    asked = [
        SampleRequest(question, max_tokens=20, temperature=1.0, seed=k, stop=stop, thought=start)
        for question in ("Is rain wet?", "Is it a stone? ")
        for k in range(4)
    ]
    slow_needs = []
    options = []
    fast = []
    used = 0
    for batch in model.sample(asked):
        assert model.remembers
        thoughts = [
            (asked[i].prompt, Thought(start.start, text[:cut], "</think>\n\n"))
            for i, answer in batch
            for text in answer.texts
            for cut in (None, len(text) // 2, 0)
        ]
        labels = [LabelRequest(prompt, LABELS, thought=thought) for prompt, thought in thoughts]
        scores = [
            ScoreRequest(prompt, ("wet", "dry too"), ".", thought=thought) for prompt, thought in thoughts
        ]
        before = model.usage
        fast += [*zip(answers(model.labels(labels)), answers(model.score(scores)), strict=True)]
        used += model.usage.since(before).tokens
        slow_needs += labels
        options += scores
    assert not model.remembers
    before = model.usage
    slow = zip(answers(model.labels(slow_needs)), answers(model.score(options)), strict=True)
    for (label, score), (plain, scored) in zip(fast, slow, strict=True):
        assert label.mass == pytest.approx(plain.mass, abs=1e-5)
        assert logprobs([score]) == pytest.approx(logprobs([scored]), abs=1e-4)
    assert used < 0.9 * model.usage.since(before).tokens


CLOSED = Thought("<think>\n", "It is wet.\n", "</think>\n\n")
WRITTEN = "<|begin|>[user] Is rain wet?\n[answer]<think>\nIt is wet.\n</think>\n\n"


def one(batches):
    (answer,) = answers(batches)
    return answer


def test_a_thought_stands_between_prompt_and_answer(gpt2):
    own = gpt2()
    model, _ = let_think(own, Wish("on"))
    # The prompt is the first text of these, and has no token in front that it does not write out itself.
    plain = replace(gpt2(chat=False), encoder=replace(own.encoder, head=()))
    assert one(model.labels([LabelRequest("Is rain wet?", LABELS, thought=CLOSED)])) == one(
        plain.labels([LabelRequest(WRITTEN, LABELS)])
    )
    options = ("wet", "dry")
    after = one(model.score([ScoreRequest("Is rain wet?", (" wet", " dry"), ".", thought=CLOSED)]))
    assert after == one(plain.score([ScoreRequest(WRITTEN, options, ".")]))
    text = one(model.sample([SampleRequest("Is rain wet?", max_tokens=5, thought=CLOSED)]))
    assert text.texts == one(plain.sample([SampleRequest(WRITTEN, max_tokens=5)])).texts
    assert text.sizes is None


def test_a_thought_goes_on_until_its_end_or_its_budget(gpt2):
    model, _ = let_think(gpt2(), Wish("on"))
    request = SampleRequest("Is rain wet?", max_tokens=6, thought=Thought("<think>\n"), stop=("</think>",))
    found = one(model.sample([request]))
    # It ends with its text or its budget, and lacks what closes a thought.
    assert found.cut == (True,)
    assert 0 < found.sizes[0] <= 6
    first = found.texts[0][:1]
    ended = one(model.sample([replace(request, stop=(first,))]))
    assert (ended.texts, ended.cut) == (("",), (False,))


def test_a_thinking_model_is_another_in_the_store(gpt2):
    model = gpt2()
    thinking, _ = let_think(model, Wish("on"))
    assert isinstance(model, Thinks)
    assert thinking.name == f"{model.name} (thinking)"
    assert fingerprint(thinking) != fingerprint(in_form(model, "question"))
    assert in_form(thinking, "completion") is thinking  # texts to continue are questions to it
    (finding,) = [found for found in model.findings if found.name == "thinking"]
    assert finding.detail.startswith("thinks unless its template is told otherwise")


@pytest.mark.parametrize("always", [False, True])
def test_by_default_only_those_think_that_cannot_help_it(loaded, always):
    opening = TEMPLATE.split("{% if enable_thinking")[0] + "<think>{% endif %}"
    model = loaded("gpt2", "llama3", opening if always else TEMPLATE)
    run = evaluate(Quiz(1), model, method="labels", store=None, quiet=True, chains=2, thinking_budget=3)
    assert run.model.endswith("(thinking)") is always
    assert run.asked == (4 if always else 1)
