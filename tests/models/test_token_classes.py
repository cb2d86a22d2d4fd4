from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from probsense.errors import InputError, ModelError
from probsense.models.token_classes import blank_tokens, decoded_vocabulary, label_classes, letters

YES_NO = (("yes", ("yes",)), ("no", ("no",)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [(" Yes", "yes"), ("“YES.”", "yes"), ("n-o", "no"), ("nó", "n"), ("2 no", "no"), ("否", ""), ("", "")],
)
def test_only_ascii_letters_count(text: str, expected: str) -> None:
    assert letters(text) == expected


def test_classes_are_exact_matches() -> None:
    vocabulary = ["yes", " Yes", "YES!", "yesterday", "No", "n-o", "know", None, "", "はい"]
    assert label_classes(vocabulary, YES_NO).tolist() == [0, 0, 0, -1, 1, 1, -1, -1, -1, -1]


def test_a_label_may_have_several_surface_forms() -> None:
    found = label_classes(["yes", "yeah", "no", "y"], (("agree", ("yes", "Yeah", " y")), ("not", ("no",))))
    assert found.tolist() == [0, 0, 1, 0]


def test_digits_count_where_a_label_has_some() -> None:
    labels = (("1", ("1",)), ("2", ("2",)))
    assert label_classes(["1", " 2", "12", "(1)", "1a", "one", ""], labels).tolist() == [
        0,
        1,
        -1,
        0,
        -1,
        -1,
        -1,
    ]
    assert label_classes(["yes2", "no"], YES_NO).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((("agree", ("是",)),), "'是' of label 'agree' has no ASCII letter"),
        ((("a", ("Yes",)), ("b", ("yes!",))), "'a' and 'b' share the form 'yes'"),
    ],
)
def test_labels_that_cannot_be_told_are_refused(labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        label_classes(["yes"], labels)


def test_a_label_without_a_token_is_named() -> None:
    with pytest.raises(ModelError, match="stands for the label 'no'"):
        label_classes(["yes", "not"], YES_NO)


@pytest.mark.parametrize("kind", ["gpt2", "llama3", "llama2"])
def test_vocabulary_of_a_tokenizer(tokenizer_of: Callable[[str], Any], kind: str) -> None:
    tokenizer = tokenizer_of(kind)
    vocabulary = decoded_vocabulary(tokenizer)
    assert len(vocabulary) == len(tokenizer)
    assert [vocabulary[i] for i in tokenizer.all_special_ids] == [None] * len(tokenizer.all_special_ids)
    yes = tokenizer("yes", add_special_tokens=False)["input_ids"][-1]
    spaced = tokenizer("The yes", add_special_tokens=False)["input_ids"][-1]
    assert label_classes(vocabulary, (("yes", ("yes",)),))[[yes, spaced]].tolist() == [0, 0]
    blanks = {tokenizer.convert_ids_to_tokens(i) for i in blank_tokens(vocabulary)}
    assert blanks >= ({"▁", "\n"} if kind == "llama2" else {"Ġ", "Ċ", "ĉ"})
    assert not blanks & {"yes", "Ġyes", "▁yes", "</s>", "<|end|>"}
