"""The measures of ProtoQA against what they are by definition, on small questions."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.protoqa import (
    MEASURES,
    Limits,
    board,
    by_similarity,
    measure,
    measures,
    published_by_similarity,
)
from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.analysis.open_answers.similarity import exact, substring
from probsense.core.errors import InputError

PETS = Question(
    "pets",
    "Name a pet.",
    {"dog": 5, "puppy": 1, "cat": 3, "goldfish": 2},
    (
        Cluster("pets.fish", 2, ("goldfish",)),
        Cluster("pets.dogs", 6, ("dog", "puppy")),
        Cluster("pets.cats", 3, ("cat",)),
    ),
)
UNLIMITED = Limits()


def exactly(question=PETS):
    return by_similarity(question, exact)


def score(ranked, limits=UNLIMITED, question=PETS):
    return measure(board(question, ranked, exactly(question)), ranked, limits)


def test_one_member_of_each_cluster_earns_all():
    ranked = ["puppy", "cat", "goldfish"]
    assert measures(board(PETS, ranked, exactly()), ranked) == dict.fromkeys(MEASURES, 1.0)


@pytest.mark.parametrize(
    ("ranked", "limits", "expected"),
    [
        (["Dog", "stone", "cat"], UNLIMITED, 9 / 11),  # Capitals do not matter.
        (["dog", "puppy", "stone", "cat"], UNLIMITED, 9 / 11),  # A cluster is matched once,
        (["dog", "puppy", "cat"], Limits(incorrect=1), 9 / 11),  # and its second answer is not incorrect.
        (["cat", "stone", "dog"], Limits(incorrect=1), 3 / 11),  # Nothing counts after what ends a list.
        (["stone", "cat", "chair", "dog"], Limits(answers=2, incorrect=1), 0.0),
        (["", "كلب", "x" * 10_000, "dog"], UNLIMITED, 6 / 11),
    ],
)
def test_scores_of_ranked_answers(ranked, limits, expected):
    """Limits cut the answers and those of the oracle; any answer is scored."""
    assert score(ranked, limits) == expected


def test_no_answer_earns_anything_where_none_can():
    question = Question("q", "?", {"Rome": 1}, (Cluster("q.0", 1, ("Rome",)),))
    found = board(question, ["Rome"], published_by_similarity(question, exact))
    assert measure(found, ["Rome"], UNLIMITED) == 0.0


def test_rounding_needs_more_than_half():
    question = Question("q", "?", {"ab": 1}, (Cluster("q.0", 1, ("ab",)),))
    soft = board(question, ["a", "abc"], by_similarity(question, substring, hard=False))
    hard = board(question, ["a", "abc"], by_similarity(question, substring))
    assert [measure(soft, [answer], UNLIMITED) for answer in ("a", "abc")] == [1 / 2, 2 / 3]
    assert [measure(hard, [answer], UNLIMITED) for answer in ("a", "abc")] == [0.0, 1.0]


def test_answers_and_clusters_are_compared_in_lower_case_and_cut():
    long = "an answer that goes on and on and on and never comes to its end"
    question = Question("q", "?", {}, (Cluster("q.0", 1, ("Rome",)), Cluster("q.1", 1, (long,))))
    ranked = [" ROME ", long + "!"]
    assert measure(board(question, ranked, exactly(question)), ranked, UNLIMITED) == 1.0
    released = board(question, ranked, published_by_similarity(question, substring, hard=False))
    # "ome" of "Rome", and 50 characters of the longer one; the oracle is cut as well.
    assert released.scores[released.row["rome"], 0] == 3 / 4
    assert released.scores[released.row[long[:50].strip()], 1] == len(long[:50].strip()) / len(long)


def test_weights_may_be_others():
    weighted = board(PETS, ["goldfish"], exactly(), [cluster.count + 1 for cluster in PETS.clusters])
    assert measure(weighted, ["goldfish"], UNLIMITED) == 3 / 14


def test_a_question_without_clusters_is_refused():
    with pytest.raises(InputError, match="'q' has no clusters"):
        exactly(Question("q", "?", {"x": 1}))


@given(st.data())
def test_the_matching_is_the_best_there_is(data):
    counts = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    question = Question("q", "?", {}, tuple(Cluster(str(k), n, (f"gold{k}",)) for k, n in enumerate(counts)))
    n = data.draw(st.integers(1, 4))
    table = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n * len(counts), max_size=n * len(counts))))
    table = table.reshape(n, len(counts))
    ranked = [f"answer{i}" for i in range(n)]

    # Members of clusters fit their own.
    rows = dict(zip(ranked, table, strict=True)) | {
        f"gold{k}": row for k, row in enumerate(np.eye(len(counts)))
    }
    rewards = np.pad(table * counts, ((0, len(counts)), (0, 0)))
    best = max(
        sum(rewards[row, k] for k, row in enumerate(rows))
        for rows in permutations(range(len(rewards)), len(counts))
    )
    found = board(question, ranked, lambda answers: np.array([rows[answer] for answer in answers]))
    assert measure(found, ranked, UNLIMITED) == pytest.approx(best / sum(counts), abs=1e-12)


@given(
    st.lists(st.sampled_from(["dog", "puppy", "cat", "goldfish", "stone", "chair"]), max_size=8),
    st.one_of(st.none(), st.integers(1, 5)),
    st.one_of(st.none(), st.integers(1, 5)),
)
def test_exact_measures_are_those_of_a_game_played_answer_by_answer(ranked, answers, incorrect):
    worth = {"dog": 6, "puppy": 6, "cat": 3, "goldfish": 2}
    earned, wrong = set(), 0
    for answer in ranked[:answers]:
        earned.add(worth.get(answer, 0))
        wrong += answer not in worth
        if wrong == incorrect:
            break
    best = sum(sorted({6, 3, 2}, reverse=True)[:answers])
    assert score(ranked, Limits(answers, incorrect)) == pytest.approx(sum(earned) / best)
