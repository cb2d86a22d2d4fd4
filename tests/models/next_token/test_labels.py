"""Tokens that stand for labels, and labels for which none does."""

import math

import pytest

from probsense.core.records import (
    Failure,
    LabelRequest,
    OptionScore,
    ScoreRequest,
    ScoreResponse,
    Thought,
    TokenLogprobs,
)
from probsense.models.next_token.label_mass import (
    NOTE,
    LabelReader,
    blank_tokens,
    decoded_vocabulary,
    label_classes,
    score_requests,
    spelled_mass,
    spellings,
)

NOTHING = TokenLogprobs((), (), 0, 0)
YES_NO = (("yes", ("yes",)), ("no", ("no",)))
THOUGHT = Thought("<think>", "It is warm.", "</think>")


def test_spellings_have_every_case_with_and_without_a_blank():
    assert spellings(["yes"]) == ("yes", " yes", "Yes", " Yes", "YES", " YES")
    assert spellings(["no", "nope"]) == spellings(["no"])


def scored(*logprobs):
    return ScoreResponse(
        tuple(
            OptionScore(TokenLogprobs((p / 2, p / 2), (text[:1], text[1:]), len(text), len(text)), NOTHING)
            for text, p in logprobs
        )
    )


def test_the_masses_are_sums_over_spellings_and_equal_tokens_count_once():
    request = LabelRequest("Is it?", YES_NO, item="7", system="You are old.", thought=THOUGHT)
    (asked,) = score_requests([request])
    assert (asked.prefix, asked.item) == ("Is it?", "7")
    assert (asked.system, asked.thought) == ("You are old.", THOUGHT)
    assert len(asked.options) == 12
    # In a chat the leading blank is dropped: "yes" and " yes" are the same tokens.
    response = scored(*((text.strip(), math.log(0.01 * len(text.strip()))) for text in asked.options))
    failed = Failure("HTTP 503", 3)
    (((_, found), other),) = spelled_mass([[(0, response), (1, failed)]], [request] * 2)
    assert other == (1, failed)
    assert found.mass == pytest.approx({"yes": 0.09, "no": 0.06}, abs=1e-12)
    assert found.other == pytest.approx(0.85, abs=1e-12)
    assert (found.source, found.note) == ("exact", NOTE)


def test_a_model_without_a_token_for_a_label_spells_it(loaded):
    model = loaded()
    whole = LabelRequest("Is it wet?", YES_NO)
    spelled = LabelRequest("Is it wet?", (("agree", ("zustimmung",)), ("not", ("да",))))
    found = dict(pair for batch in model.labels([spelled, whole, spelled]) for pair in batch)
    assert found[0] == found[2]
    assert found[1].note == ""
    assert found[0].note == NOTE
    options = spellings(["zustimmung"])
    (scores,) = [r for b in model.score([ScoreRequest("Is it wet?", options)]) for _, r in b]
    expected = sum(math.exp(sum(option.option.logprobs)) for option in scores.options)
    assert found[0].mass["agree"] == pytest.approx(expected, rel=1e-9)
    assert sum(found[0].mass.values()) + found[0].other == pytest.approx(1, abs=1e-12)


class Tokenizer:
    all_special_ids = ()
    vocabulary = (
        *("agree", " agree", " disagree", "dis", "yes", " Yes", "No", " no"),
        *("A", " a", "B", " B", "up", "down"),
    )

    def __len__(self):
        return len(self.vocabulary)

    def decode(self, ids, **_):
        return self.vocabulary[ids[0]]


@pytest.mark.parametrize(
    ("yes", "no", "whole"),
    [
        ("yes", "no", True),
        ("A", "B", True),
        ("up", "down", True),
        ("agree", "disagree", False),
        ("yes", "down", False),
        ("yes", "x", False),
    ],
)
def test_labels_are_read_by_tokens_only_where_all_have_them(yes, no, whole):
    reader = LabelReader(Tokenizer(), len(Tokenizer()))
    assert reader.reads((("yes", (yes,)), ("no", (no,)))) is whole


def test_a_label_whose_tokens_begin_another_one_has_what_is_left():
    labels = (("agree", ("agree",)), ("strongly", ("agree strongly",)), ("agreed", ("agreed",)))
    request = LabelRequest("Do you?", labels)
    (asked,) = score_requests([request])
    p = {"agree": (0.6,), "agree strongly": (0.6, 2 / 3), "agreed": (0.1,)}
    options = tuple(
        OptionScore(TokenLogprobs(tuple(map(math.log, own)), tuple(text.split(" ")), 1, 1), NOTHING)
        for text in asked.options
        for own in [p.get(text, (1e-12,) * len(text.split(" ")))]
    )
    ((_, found),) = next(iter(spelled_mass([[(0, ScoreResponse(options))]], [request])))
    assert found.mass == pytest.approx({"agree": 0.2, "strongly": 0.4, "agreed": 0.1}, abs=1e-9)
    assert found.other == pytest.approx(0.3, abs=1e-9)


@pytest.mark.parametrize("kind", ["gpt2", "llama3", "llama2"])
def test_vocabulary_of_a_tokenizer(tokenizer_of, kind):
    tokenizer = tokenizer_of(kind)
    vocabulary = decoded_vocabulary(tokenizer)
    assert len(vocabulary) == len(tokenizer)
    assert [vocabulary[i] for i in tokenizer.all_special_ids] == [None] * len(tokenizer.all_special_ids)
    yes = tokenizer("yes", add_special_tokens=False)["input_ids"][-1]
    spaced = tokenizer("The yes", add_special_tokens=False)["input_ids"][-1]
    assert label_classes(vocabulary, YES_NO[:1])[[yes, spaced]].tolist() == [0, 0]
    blanks = {tokenizer.convert_ids_to_tokens(i) for i in blank_tokens(vocabulary)}
    assert blanks >= ({"▁", "\n"} if kind == "llama2" else {"Ġ", "Ċ", "ĉ"})
    assert not blanks & {"yes", "Ġyes", "▁yes", "</s>", "<|end|>"}
