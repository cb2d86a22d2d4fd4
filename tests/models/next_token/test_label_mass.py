"""Label mass: the tokens that stand for labels, past opening marks, and labels that are spelled out."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import (
    OTHERS,
    Failure,
    LabelRequest,
    OptionScore,
    ScoreRequest,
    ScoreResponse,
    Thought,
    TokenLogprobs,
)
from probsense.models.next_token import label_mass
from probsense.models.next_token.label_mass import (
    NOTE,
    LabelReader,
    NextTokens,
    mass_past_openings,
    opening_tokens,
    score_requests,
    spelled_mass,
    spellings,
)
from probsense.models.next_token.reading import Need
from support.models.answers import answers, collect

YES_NO = (("yes", ("yes",)), ("no", ("no",)))
PROMPTS = [
    "Is it wet?",
    "Is a stone heavier than a feather?",
    "maybe",
    "Is it",
    "The kettle sings",
    "yes, no",
]


MARKS = ("“", "”", "«", "»", "„", "‘", "’", '"', "'", "`", "**")


def label_of(text):
    return "".join(c for c in text.lower() if c.isascii() and c.isalpha())


def expected(texts, after, ids, least):
    """Enumerate the next two tokens: the mass of each label, all other texts with theirs, and the marks read."""
    p = after(ids)
    marks = sorted((i for i, text in enumerate(texts) if text.strip() in MARKS), key=lambda i: -p[i])
    marks = [mark for k, mark in enumerate(marks) if p[marks[k:]].sum() >= least]
    said = [(texts[i], float(share)) for i, share in enumerate(p) if i not in marks]
    for i in marks:
        said += [(texts[i] + text, p[i] * q) for text, q in zip(texts, after([*ids, i]), strict=True)]
    mass = {name: sum(q for text, q in said if label_of(text) == name) for name, _ in YES_NO}
    return mass, [(text, q) for text, q in said if label_of(text) not in mass], marks


def check(found, mass, rest, tolerance=1e-12):
    assert found.mass == pytest.approx(mass, abs=tolerance)
    assert found.other == pytest.approx(sum(q for _, q in rest), abs=tolerance)
    most = sorted((q for _, q in rest), reverse=True)[:OTHERS]
    assert [q for _, q in found.others] == pytest.approx(most, abs=tolerance)
    assert {text for text, q in found.others if q > tolerance} <= {text for text, _ in rest}


@pytest.mark.parametrize("least", [0.0, 1.1])
def test_masses_of_a_network_are_those_of_all_pairs_of_tokens(loaded, monkeypatch, least):
    monkeypatch.setattr(label_mass, "LEAST", least)
    model = loaded("gpt2", "gpt2", dtype="float64")
    tokenizer = model.encoder.tokenizer
    texts = [tokenizer.decode([i]) for i in range(len(tokenizer))]

    def after(ids):
        with torch.inference_mode():
            return np.asarray(model.runner.network(torch.tensor([[*ids]])).logits[0, -1].softmax(-1))

    asked = [LabelRequest(prompt, YES_NO) for prompt in PROMPTS]
    for request, found in zip(asked, answers(model.labels(asked)), strict=True):
        mass, rest, marks = expected(texts, after, tokenizer(request.prompt)["input_ids"], least)
        check(found, mass, rest, 1e-9)
        assert all(repr(texts[mark]) in found.note for mark in marks)


# ------------------------------------------------------------------ made-up distributions


class Tokenizer:
    """A vocabulary of a few tokens, each of which is a text."""

    all_special_ids = (9,)
    vocabulary = ("yes", " Yes", '"Yes', "no", " NO", '"', ' "', " **", "I", "</s>", "maybe", "“", "(")

    def __len__(self):
        return len(self.vocabulary)

    def decode(self, ids, **_):
        return self.vocabulary[ids[0]]

    def convert_ids_to_tokens(self, token):
        return self.vocabulary[token]


BLANK = len(Tokenizer.vocabulary)


class BlankTokenizer(Tokenizer):
    vocabulary = (*Tokenizer.vocabulary, " ")


READER = LabelReader(BlankTokenizer(), BLANK + 1)


def made_up(ids, blank=0.0):
    """Probabilities that depend on the whole text before, few of them large; of the blank, another one."""
    rng = np.random.default_rng(zlib.crc32(bytes(ids)))
    p = rng.dirichlet(np.full(BLANK, 0.3)) * (1 - blank)
    return np.append(p, blank)


class Reader:
    """Reads made-up distributions in batches of any size and order, and counts the tokens of what it reads."""

    def __init__(self, seed, after):
        self.rng = np.random.default_rng(seed)
        self.after = after
        self.read: list[tuple[int, ...]] = []

    def __call__(self, needs, requests):
        order = self.rng.permutation(len(needs))
        ends = np.flatnonzero(self.rng.random(len(needs)) < 0.5)
        for part in np.split(order, ends):
            yield [(int(i), self.answer(needs[i], requests[i])) for i in part]

    def answer(self, need, request):
        assert need.first == len(need.ids) - 1
        self.read.append((*need.ids.tolist(),))
        p = self.after(self.read[-1])
        members = READER.members(request.labels)
        further = [i for i in np.argsort(-p) if i not in members.ids]
        others = [(READER.text(i), float(p[i])) for i in further[:OTHERS]]
        return NextTokens(int(p.argmax()), p[members.ids] @ members.belongs, tuple(others))


def masses(reader, prompts):
    needs = [Need(np.array(ids, np.int32), len(ids) - 1) for ids in prompts]
    asked = [LabelRequest("", YES_NO)] * len(needs)
    found = collect(mass_past_openings(reader, READER, needs, asked))
    assert found.keys() == {*range(len(needs))}
    return [found[i] for i in range(len(needs))]


TEXTS = [text or "" for text in BlankTokenizer.vocabulary]
some_prompts = st.lists(st.lists(st.integers(0, BLANK - 1), min_size=1, max_size=4), max_size=12)


@given(
    prompts=some_prompts,
    seed=st.integers(0, 9),
    pilot=st.integers(0, 5),
    least=st.sampled_from([0.0, 0.01, 0.2]),
)
def test_labels_after_marks_are_added_by_the_law_of_total_probability(prompts, seed, pilot, least):
    reader = Reader(seed, made_up)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_mass, "PILOT", pilot)
        patch.setattr(label_mass, "LEAST", least)
        for ids, found in zip(prompts, masses(reader, prompts), strict=True):
            mass, rest, _ = expected(TEXTS, made_up, ids, least)
            check(found, mass, rest)
            assert sum(found.mass.values()) + found.other == pytest.approx(1, abs=1e-12)


def test_white_space_that_comes_first_is_read_once_and_marks_behind_it():
    def after(ids):
        return made_up(ids, 0.0 if ids[-1] in READER.openings else 0.9 if ids[-1] == 0 else 0.0)

    reader = Reader(0, after)
    (found,) = masses(reader, [[3, 0]])
    mass, rest, marks = expected(TEXTS, after, [3, 0, BLANK], label_mass.LEAST)
    check(found, mass, rest)
    assert after([3, 0])[[*READER.openings]].sum() > label_mass.LEAST
    behind = {(3, 0, BLANK, mark) for mark in marks}
    assert reader.read[:2] == [(3, 0), (3, 0, BLANK)]
    assert {*reader.read[2:]} == behind
    said = " and ".join(repr(TEXTS[mark]) for mark in sorted(marks))
    assert found.note == (
        f"read after the white space token ' ', the most probable one; read also after {said}, which may open an answer"
    )


def test_opening_tokens_are_marks_alone_or_after_a_blank():
    texts = ['"', ' "', "\n“", '"Yes', '" ', '".', "**", " *", "***", "", " ", None, "a", "„", "»", "」", "`"]
    assert [texts[i] for i in opening_tokens(texts)] == ['"', ' "', "\n“", "**", "„", "»", "`"]


NOTHING = TokenLogprobs((), (), 0, 0)
FAILED = Failure("HTTP 503", 3)
THOUGHT = Thought("<think>", "It is warm.", "</think>")


def test_spellings_have_every_case_with_and_without_a_blank():
    assert spellings(["yes"]) == ("yes", " yes", "Yes", " Yes", "YES", " YES")
    assert spellings(["no", "nope"]) == spellings(["no"])


def scored(request, options):
    """The mass of labels after options, each given by its tokens and their probabilities."""
    pieces = [TokenLogprobs(tuple(map(math.log, p)), tuple(tokens), 1, 1) for tokens, p in options]
    response = ScoreResponse(tuple(OptionScore(piece, NOTHING) for piece in pieces))
    return answers(spelled_mass([[(0, response), (1, FAILED)]], [request] * 2))


def test_the_masses_are_sums_over_spellings_and_equal_tokens_count_once():
    request = LabelRequest("Is it?", YES_NO, item="7", system="You are old.", thought=THOUGHT)
    (asked,) = score_requests([request])
    assert (asked.prefix, asked.item) == ("Is it?", "7")
    assert (asked.system, asked.thought) == ("You are old.", THOUGHT)
    assert len(asked.options) == 12
    # In a chat the leading blank is dropped: "yes" and " yes" are the same tokens.
    found, other = scored(request, [([text.strip()], [0.01 * len(text.strip())]) for text in asked.options])
    assert other == FAILED
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


class FewTokens(Tokenizer):
    all_special_ids = ()
    vocabulary = (
        *("agree", " agree", " disagree", "dis", "yes", " Yes", "No", " no"),
        *("A", " a", "B", " B", "up", "down"),
    )


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
    reader = LabelReader(FewTokens(), len(FewTokens()))
    assert reader.reads((("yes", (yes,)), ("no", (no,)))) is whole


def test_a_label_whose_tokens_begin_another_one_has_what_is_left():
    labels = (("agree", ("agree",)), ("strongly", ("agree strongly",)), ("agreed", ("agreed",)))
    request = LabelRequest("Do you?", labels)
    (asked,) = score_requests([request])
    p = {"agree": [0.6], "agree strongly": [0.6, 2 / 3], "agreed": [0.1]}
    found, _ = scored(request, [(text.split(" "), p.get(text, [1e-12, 1e-12])) for text in asked.options])
    assert found.mass == pytest.approx({"agree": 0.2, "strongly": 0.4, "agreed": 0.1}, abs=1e-9)
    assert found.other == pytest.approx(0.3, abs=1e-9)


@pytest.mark.parametrize("kind", ["gpt2", "llama3", "llama2"])
def test_vocabulary_of_a_tokenizer(tokenizer_of, kind):
    tokenizer = tokenizer_of(kind)
    reader = LabelReader(tokenizer, len(tokenizer) + 3)
    assert not any(map(reader.is_blank, [*tokenizer.all_special_ids, len(tokenizer)]))
    members = reader.members(YES_NO[:1])
    yes = tokenizer("yes", add_special_tokens=False)["input_ids"][-1]
    spaced = tokenizer("The yes", add_special_tokens=False)["input_ids"][-1]
    assert {yes, spaced} <= {*members.ids[members.belongs[:, 0] == 1]}
    blanks = {tokenizer.convert_ids_to_tokens(i) for i in range(len(tokenizer)) if reader.is_blank(i)}
    assert blanks >= ({"▁", "\n"} if kind == "llama2" else {"Ġ", "Ċ", "ĉ"})
    assert not blanks & {"yes", "Ġyes", "▁yes", "</s>", "<|end|>"}
