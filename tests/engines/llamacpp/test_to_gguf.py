"""The built-in model in the format of llama.cpp: the same tokens, the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from llama_cpp import Llama
from tokenizers import Tokenizer

from probsense.core.records import ScoreRequest
from probsense.models.base import Model
from probsense.models.small.builtin import HERE

TINY = HERE / "tiny"
TEXTS = (
    "Tom stands left of Ann, and Ann left of Bo.\n\nIs Tom left of Bo? Reply TRUE or FALSE: TRUE",
    "In 2031 there were 40,075 of them  (½ of 80,150).\t\t\nThey're n’t, it's I'll we'd!",
    "crème brûlée, naïve, 世界, 🙂 and 👍🏽 \u00a0\u200b x\r\n",
)


@pytest.fixture(scope="session")
def llama(gguf_file: Path) -> Any:
    """The converted model in this process, keys and values in float32."""
    return opened(gguf_file)


def opened(path: Path) -> Any:
    more = {"logits_all": True, "type_k": 0, "type_v": 0}
    return Llama(str(path), n_ctx=256, n_threads=1, verbose=False, **more)


def logprobs(llama: Any, text: str) -> tuple[list[int], list[float]]:
    """Ids of a text with its beginning, and the log-probability of each but the first."""
    ids = llama.tokenize(text.encode(), add_bos=True, special=True)
    llama.reset()
    llama.eval(ids)
    rows = llama.logits_to_logprobs(np.array(llama.scores[: len(ids)]))
    return ids, [float(rows[i, token]) for i, token in enumerate(ids[1:])]


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    return Tokenizer.from_file(str(TINY / "tokenizer.json"))


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text() | st.text("abc XYZ019 \n\t.,'’s<>é½٣世🙂"))
@example(text="<s> in the midst <s>")
@example(text=TEXTS[1])
def test_the_tokens_are_those_of_the_tokenizer(llama: Any, tokenizer: Any, text: str) -> None:
    found = llama.tokenize(text.encode("utf-8", "replace"), add_bos=True, special=True)
    assert found == tokenizer.encode(text.encode("utf-8", "replace").decode()).ids


@pytest.mark.parametrize("text", TEXTS)
def test_the_numbers_are_those_of_the_model(llama: Any, known: Model, text: str) -> None:
    ((_, response),) = next(iter(known.score([ScoreRequest("", (text,))])))
    expected = response.options[0].option.logprobs
    np.testing.assert_allclose(logprobs(llama, text)[1], expected, rtol=0, atol=5e-5)
