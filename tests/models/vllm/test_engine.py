"""What is asked of an engine, and which of its rows are read."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.vllm.fake_vllm import Engine, SamplingParams
from probsense.core.errors import ModelError
from probsense.models.next_token.reading import Runner
from probsense.models.vllm import engine as asking
from probsense.models.vllm.engine import Network, Question, Questions, in_parts, no_rows

VOCABULARY = 3


def predict(ids):
    """Log-probabilities that depend on the whole text before."""
    seeds = [zlib.crc32(bytes(ids[: n + 1])) for n in range(len(ids))]
    logits = np.array([np.random.default_rng(seed).normal(size=VOCABULARY) for seed in seeds])
    return np.asarray(logits - np.log(np.exp(logits).sum(-1, keepdims=True)))


def runner(engine):
    return Runner(Network(engine, SamplingParams, frozenset()), VOCABULARY, 95, 1, no_rows)


def array(*ids):
    return np.array(ids, np.int32)


def answers(engine, asked):
    questions = Questions()
    questions.asked = asked
    return [known for _, known in sorted(questions.answers(runner(engine)).items())]


@st.composite
def some_questions(draw):
    prompts = draw(
        st.lists(st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=12), min_size=1, max_size=8)
    )
    questions = []
    for ids in prompts:
        tokens = draw(st.lists(st.integers(0, VOCABULARY - 1), unique=True, max_size=VOCABULARY))
        text = draw(st.lists(st.integers(0, VOCABULARY - 1), max_size=4)) if tokens else []
        questions.append(Question(array(*ids), tokens, 0 if tokens else 2, (*tokens[: bool(text)], *text)))
    return questions


@given(questions=some_questions(), block=st.integers(1, 5), twice=st.booleans())
def test_answers_are_those_without_a_cache(questions, block, twice):
    engine = Engine(predict, block=block)
    for _ in range(1 + twice):
        for question, known in zip(questions, answers(engine, questions), strict=True):
            rows = predict([*question.ids.tolist(), *question.text])[len(question.ids) - 1 :]
            assert len(known) == (len(question.text) or 1)
            assert len(known[0]) >= question.top
            for step, row, said in zip(known, rows, question.text or [rows[0].argmax()], strict=False):
                assert step.keys() >= {*question.tokens, said}
                assert all(value == row[token] for token, value in step.items())


def test_prompts_that_begin_alike_come_together_the_shorter_first():
    prompts = [array(2, 1, 0), array(256), array(2), array(0, 2)]
    assert [*in_parts(prompts)] == [[3, 2, 0, 1]]


def test_parts_have_a_limit(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 5)
    prompts = [array(*range(n)) for n in (3, 2, 1, 9)]
    assert [*in_parts(prompts)] == [[2, 1], [0], [3]]
    assert [*in_parts([])] == []


def test_more_next_tokens_than_one_request_may_name():
    questions = Questions()
    places = [questions.text(array(5), (token % 300,)) for token in range(400)]
    assert places == [token % 300 // 128 for token in range(400)]
    assert [len(question.tokens) for question in questions.asked] == [128, 128, 44]


def test_texts_that_begin_alike_are_one_question():
    questions = Questions()
    texts = [(1, 2, 0), (1, 2, 3), (2, 2, 1), (1, 4), (1,), (2,)]
    assert [questions.text(array(5), text) for text in texts] == [0, 0, 1, 0, 0, 0]
    asked = [(question.tokens, question.text) for question in questions.asked]
    assert asked == [([1, 3, 4, 2], (1, 2, 0)), ([2], (2, 2, 1))]


class Broken:
    """An engine that fails, or leaves something out."""

    def __init__(self, outputs):
        self.outputs = outputs

    def generate(self, *_, **__):
        if isinstance(self.outputs, Exception):
            raise self.outputs
        return self.outputs


@pytest.fixture
def output():
    return iter(
        Engine(predict).generate(
            [{"prompt_token_ids": [1, 2]}], [SamplingParams(1, 0.0, logprobs=1)], use_tqdm=False
        )
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("CUDA out of memory. Tried to\nallocate 2 GiB"), "max_model_len"),
        (ValueError("what\n\nand more"), "vLLM failed: what$"),
    ],
)
def test_an_engine_that_fails_gives_one_line(error, said):
    with pytest.raises(ModelError, match=said) as caught:
        answers(Broken(error), [Question(array(1, 2), [0])])
    assert "\n" not in str(caught.value)


def test_answers_that_lack_what_was_asked_for_are_refused(output):
    one = next(output)
    lacking = next(token for token in range(VOCABULARY) if token not in one.outputs[0].logprobs[0])
    with pytest.raises(ModelError, match=f"token {lacking}, which was asked for"):
        answers(Broken([one]), [Question(array(1, 2), [lacking])])
    with pytest.raises(ModelError, match="dictated"):
        answers(Broken([one]), [Question(array(1, 2), [lacking], text=(lacking, 0))])


def test_answers_left_from_an_interrupted_call_are_dropped(output):
    one = next(output)
    best = one.outputs[0].token_ids[0]
    (known,) = answers(Broken([None, one]), [Question(array(1, 2), [best])])
    assert best in known[0]
