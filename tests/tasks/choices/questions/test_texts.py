"""Reading of texts: letters, words of options, and stated percentages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from probsense.tasks.choices.questions.answers import read_choice, read_stated

OPTIONS = ("Not at all", "Not", "A lot", "I do not know")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("A", 0),
        (" b.", 1),
        ("(C)", 2),
        ("**D**", 3),
        ("Answer: B", 1),
        ("The answer is C.", 2),
        ("B) because it is so", 1),
        ("C\n\nIt is a lot.", 2),
        ("C. A lot", 2),
        ("C. Not at all", None),  # the letter and the words are those of two options
        ("A. Not at all\nB. Not\nC. A lot", None),  # the list, repeated
        ("A\nB", None),
        ("A. Not at all\n\nThe answer is A.", 0),
        ("A. Not at all\nE. Other", 0),
        ("Not at all, I think", 0),
        ("not at  ALL", 0),
        ("Not", 1),
        ("I do not know.", 3),
        ("A dog barks", None),  # an article is no letter
        ("A, because it is so", 0),
        ("Nothing", None),
        ("E", None),
        ("", None),
    ],
)
def test_a_choice(text: str, chosen: int | None) -> None:
    assert read_choice(text, OPTIONS, (0, 1, 2, 3)) == chosen


def test_letters_follow_the_place_and_words_do_not() -> None:
    assert read_choice("A", OPTIONS, (3, 2, 1, 0)) == 3
    assert read_choice("A lot", OPTIONS, (3, 2, 1, 0)) == 2


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ('{"A": 60, "B": 40}', (0.6, 0.4)),
        ('{"B": 40, "A": 60}', (0.6, 0.4)),
        ("{'A': '60%', 'B': '40%'}", (0.6, 0.4)),
        ('Sure! {"A": 60, "B": 40} I hope this helps.', (0.6, 0.4)),
        ('```json\n{\n  "A": 60,\n  "B": 40\n}\n```', (0.6, 0.4)),
        ("A: 60%\nB: 40%", (0.6, 0.4)),
        ('{"Yes": 60, "No": 40}', (0.6, 0.4)),
        ('{"A": 0.6, "B": 0.4}', (0.6, 0.4)),
        ('{"A": 57, "B": 38}', (0.6, 0.4)),  # 95 in all
        ('{"A": 100, "B": 0}', (1.0, 0.0)),
        ('{"A": 60, "B": 46}', None),  # 106
        ('{"A": 60, "B": 34}', None),  # 94
        ('{"A": 60}', None),
        ('{"A": 60, "B": "forty"}', None),
        ('{"A": -10, "B": 110}', None),
        ('{"A": NaN, "B": 100}', None),
        ('{"A": 1, "B": 2}', None),
        ("A: 60, A: 20, B: 20", None),
        ("", None),
    ],
)
def test_stated_percentages(text: str, shares: tuple[float, ...] | None) -> None:
    found = read_stated(text, ("Yes", "No"))
    assert found is None if shares is None else found == pytest.approx(shares)


@pytest.mark.reference
@pytest.mark.parametrize("model", ["gpt-4", "llama3-70b"])
def test_recorded_statements_are_read_as_their_authors_read_them(reference_data: Path, model: str) -> None:
    with gzip.open(reference_data / f"choices/alignment/{model}.json.gz", "rt") as stream:
        blocks = json.load(stream)
    read = compared = 0
    for block in blocks:
        for one in block["questions"].values() if block["output"] == "express_distribution" else ():
            compared += 1
            shares = read_stated(one["response"][0], [*one["model"]])
            read += shares is not None
            # Zeros alone stand where the authors could not read a text that goes on after the braces.
            if shares is not None and (total := sum(one["model"].values())):
                assert shares == pytest.approx([value / total for value in one["model"].values()], abs=0.011)
    assert read / compared > 0.99


def test_a_pronoun_before_a_comma_is_no_letter() -> None:
    options = [
        f"the {word} one"
        for word in ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
    ]
    assert read_choice("I, for one, would pick something else.", options, range(9)) is None
    assert read_choice("I", options, range(9)) == read_choice("I.", options, range(9)) == 8
