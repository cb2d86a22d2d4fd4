"""llama.cpp in this process gives the numbers of the same model in transformers, and computes each token once."""

import shutil

import numpy as np
import pytest

from engines.llamacpp.asking import STORY, TRUTH, ask
from probsense.core.errors import InputError, ModelError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought
from probsense.models.llamacpp import load as guard
from probsense.models.llamacpp.load import load
from probsense.models.llamacpp.network import Network
from probsense.models.registry import fingerprint

TOLERANCE = 1e-4
"""Nats between the two libraries, both in float32."""

THOUGHT = Thought("<think>\n", "Bo is tall.\n", "</think>\n\n")
SCORES = [
    *(
        ScoreRequest(STORY.format(name), (" TRUE", " FALSE", " neither of them"))
        for name in ("Bo", "Ann", "Cy")
    ),
    ScoreRequest("The sky is", (" blue", " yellow-pink", " 42"), " today, and tomorrow."),
    ScoreRequest("", ("Tom stands", "A rose is a rose"), "."),
    ScoreRequest("No blank bef", ("ore", "all")),
    ScoreRequest("crème ", ("brûlée", "🙂", "世界"), " 👍🏽"),
    ScoreRequest("Lines\n\n", ("one\n", "  two"), "\tthree"),
    ScoreRequest("The sky is", (" blue", " wide"), ".", thought=THOUGHT),
    ScoreRequest("long " * 40, ("end", "tail " * 30)),
]
LABELS = [LabelRequest(STORY.format(name), TRUTH) for name in ("Bo", "Ann", "Cy", "Bo")]
LABELS += [LabelRequest(STORY.format("Bo"), TRUTH, thought=THOUGHT)]


def sampling(prompt, seed=0, temperature=1.0, n=5):
    return SampleRequest(
        prompt, n=n, max_tokens=6, temperature=temperature, top_p=0.95, stop=("\n",), seed=seed
    )


def agree(found, expected):
    for one, other in zip(found, expected, strict=True):
        for a, b in zip(one.options, other.options, strict=True):
            assert a.straddles == b.straddles
            for x, y in ((a.option, b.option), (a.suffix, b.suffix)):
                assert (x.tokens, x.chars, x.bytes) == (y.tokens, y.chars, y.bytes)
                np.testing.assert_allclose(x.logprobs, y.logprobs, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("batch_tokens", [2, 7, 512])
def test_options(batch_tokens, gguf_file, known):
    model = load(str(gguf_file), batch_tokens=batch_tokens)
    agree(ask(model.score, *SCORES), ask(known.score, *SCORES))
    assert [*model.findings] == [*known.findings]


def used(model, verb, requests):
    before = model.usage
    ask(getattr(model, verb), *requests)
    return model.usage.since(before)


@pytest.mark.parametrize(("verb", "requests"), [("score", SCORES), ("labels", LABELS)])
def test_every_distinct_prefix_is_computed_once(verb, requests, tiny, gguf_file, known):
    expected = used(known, verb, requests)
    for model in (tiny, load(str(gguf_file), batch_tokens=7)):
        found = used(model, verb, requests)
        assert (found.tokens, found.naive) == (expected.tokens, expected.naive)


def test_labels(tiny, known):
    spelled = LabelRequest(STORY.format("Bo"), (("one", ("utterly impossible",)), ("two", ("quite",))))
    for found, expected in zip(
        ask(tiny.labels, *LABELS, spelled), ask(known.labels, *LABELS, spelled), strict=True
    ):
        assert found.note == expected.note
        assert found.mass == pytest.approx(expected.mass, abs=TOLERANCE)
        assert [text for text, _ in found.others] == [text for text, _ in expected.others]


def test_texts_of_a_seed_are_the_same_in_whatever_company(gguf_file, tiny, known):
    requests = [
        *(sampling("The sky is", seed, n=9) for seed in range(3)),
        sampling("The sky", 1),
        sampling("", 2),
        sampling("Tom stands", temperature=0.0),
    ]
    expected = ask(known.sample, *requests)
    few = load(str(gguf_file), batch_tokens=4)
    for model in (tiny, few):
        assert ask(model.sample, *requests) == expected
    assert ask(few.sample, requests[3]) == expected[3:4]


def test_one_by_one_where_company_would_change_the_numbers(gguf_file, known, monkeypatch, caplog):
    feed = Network.feed

    def disturbed(self, tokens, positions, low, high, wanted):
        rows = feed(self, tokens, positions, low, high, wanted)
        if len(rows) and high.max() > 1:
            rows[:, 5] += 3.0
        return rows

    monkeypatch.setattr(Network, "feed", disturbed)
    monkeypatch.setattr(guard, "kept_verdict", lambda _identity, decide: decide())
    model = load(str(gguf_file))
    assert "computed again for every option, since branches side by side give other numbers" in caplog.text
    assert model.details["apart"]
    agree(ask(model.score, *SCORES), ask(known.score, *SCORES))
    assert used(model, "score", SCORES).tokens > used(known, "score", SCORES).tokens
    asked = [sampling("The sky is", n=3), sampling("The", 1, n=2)]
    assert ask(model.sample, *asked) == ask(known.sample, *asked)


def test_the_fingerprint_is_that_of_the_file(gguf_file, tiny, tmp_path):
    copied = tmp_path / "other-name.gguf"
    shutil.copy(gguf_file, copied)
    assert fingerprint(load(str(copied))) == fingerprint(tiny)
    assert tiny.details["versions"].keys() >= {"llama.cpp"}
    changed = bytearray(copied.read_bytes())
    changed[-1] ^= 1
    copied.write_bytes(changed)
    assert fingerprint(load(str(copied))) != fingerprint(tiny)


def test_files_that_cannot_be_loaded(gguf_file, tmp_path, capfd):
    half = tmp_path / "half.gguf"
    half.write_bytes(gguf_file.read_bytes()[: 3 * 2**20])
    with pytest.raises(ModelError, match=r"half\.gguf: cannot be loaded: error .*not within the file"):
        load(str(half))
    (tmp_path / "other").write_bytes(b"PK\x03\x04 something")
    for name, said in (("other", "not a GGUF file"), ("none", "no such file"), ("", "it is a folder")):
        with pytest.raises(InputError, match=said):
            load(str(tmp_path / name))
    with pytest.raises(InputError, match="names no file"):
        load("")
    assert capfd.readouterr() == ("", "")
