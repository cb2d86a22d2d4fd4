"""What answers amount to: shares, how far chance moves them, and what a text says."""

from __future__ import annotations

import gzip
import itertools
import json

import numpy as np
import pytest

from probsense.analysis.distributions.mixture import mean_labels, mean_options
from probsense.core.records import (
    Item,
    LabelResponse,
    OptionScore,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
)
from probsense.tasks.choices.questions.answers import (
    Given,
    lettered,
    read_choice,
    read_stated,
    scored,
    stated,
)
from probsense.tasks.conditions.measures import mean_of

ITEM = Item("q", "q", "", {"options": ["red", "green"]})


CHAINS = (0.9, 0.6, 0.2)
"""The probability of red after each chain of thought; all chains are equally frequent."""


def after_chains(red: tuple[float, ...]) -> Given:
    """Answer by letters after two chains in each of two orders."""
    each = [LabelResponse({"red": p, "green": 1 - p}, 0.0, "sampled") for p in red]
    return lettered(ITEM, mean_of([mean_labels(each[:2]), mean_labels(each[2:])], [1.0, 1.0], alike=True))


def options_after_chains(red: tuple[float, ...]) -> Given:
    """Answer by the options' texts after each of the chains."""

    def score(p: float) -> ScoreResponse:
        parts = [TokenLogprobs.of_sum("x", float(np.log(one))) for one in (p, 1 - p)]
        return ScoreResponse(tuple(OptionScore(one, TokenLogprobs.of_sum("", None)) for one in parts))

    request = ScoreRequest("", ("red", "green"))
    return scored([request], {request: mean_options([score(p) for p in red])}, "sum")


@pytest.mark.parametrize(("answered", "chains"), [(after_chains, 4), (options_after_chains, 2)])
def test_the_variance_of_shares_is_that_of_the_chains_within_orders(answered, chains):
    """Over all ways in which chains can be drawn, the variance that is told is the one that there is."""
    given = [answered(red) for red in itertools.product(CHAINS, repeat=chains)]
    shares = np.array([one.shares for one in given])
    assert shares.mean(axis=0)[0] == pytest.approx(np.mean(CHAINS), abs=1e-12)
    assert np.mean([one.variance for one in given]) == pytest.approx(shares.var(axis=0).sum(), abs=1e-12)
    assert shares.var(axis=0).sum() > 0.01
    for one in given:  # Texts count as many as would have this variance if they were a simple sample.
        if one.variance > 0 and np.isfinite(one.answers):
            assert (one.shares * (1 - one.shares)).sum() / (one.answers - 1) == pytest.approx(one.variance)


OPTIONS = ("Not at all", "Not", "A lot", "I do not know")


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        (["A", "A. Not at all\nE. Other", "Not at all, I think", "not at  ALL", "A, because it is so"], 0),
        (["A. Not at all\n\nThe answer is A."], 0),
        ([" b.", "Answer: B", "B) because it is so", "Not"], 1),
        (["(C)", "The answer is C.", "C\n\nIt is a lot.", "C. A lot"], 2),
        (["**D**", "I do not know."], 3),
        (["C. Not at all"], None),  # the letter and the words are those of two options
        (["A. Not at all\nB. Not\nC. A lot", "A\nB"], None),  # the list, repeated
        (["A dog barks", "Nothing", "E", ""], None),  # an article is no letter
    ],
)
def test_a_choice(texts, chosen):
    assert {read_choice(text, OPTIONS, (0, 1, 2, 3)) for text in texts} == {chosen}


def test_letters_follow_the_place_and_words_do_not():
    assert read_choice("A", OPTIONS, (3, 2, 1, 0)) == 3
    assert read_choice("A lot", OPTIONS, (3, 2, 1, 0)) == 2


HALF = (0.6, 0.4)


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        *((text, HALF) for text in ('{"B": 40, "A": 60}', "{'A': '60%', 'B': '40%'}", "A: 60%\nB: 40%")),
        *((text, HALF) for text in ('Sure! {"A": 60, "B": 40} Bye.', '```json\n{\n  "A": 60,\n  "B": 40\n}\n```')),
        *((text, HALF) for text in ('{"Yes": 60, "No": 40}', '{"A": 0.6, "B": 0.4}')),
        ('{"A": 57, "B": 38}', HALF),  # 95 in all
        ('{"A": 100, "B": 0}', (1.0, 0.0)),
        *((text, None) for text in ('{"A": 60, "B": 46}', '{"A": 60, "B": 34}', '{"A": 60}', "")),
        *((text, None) for text in ('{"A": 60, "B": "forty"}', '{"A": -10, "B": 110}', '{"A": NaN, "B": 100}')),
        *((text, None) for text in ('{"A": 1, "B": 2}', "A: 60, A: 20, B: 20")),
    ],
)  # fmt: skip
def test_stated_percentages(text, shares):
    found = read_stated(text, ("Yes", "No"))
    assert found is None if shares is None else found == pytest.approx(shares)


def test_texts_that_were_not_finished_are_no_answers():
    given = stated(ITEM, SampleResponse(('{"A": 60, "B": 40}', "No."), unfinished=2))
    assert (given.shares.tolist(), given.covered) == (pytest.approx([0.6, 0.4]), 0.25)


@pytest.mark.reference
@pytest.mark.parametrize("model", ["gpt-4", "llama3-70b"])
def test_recorded_statements_are_read_as_their_authors_read_them(reference_data, model):
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


def test_a_pronoun_before_a_comma_is_no_letter():
    options = [f"the {letter}" for letter in "pqrstuvwx"]
    assert read_choice("I, for one, would pick something else.", options, range(9)) is None
    assert read_choice("I", options, range(9)) == read_choice("I.", options, range(9)) == 8
