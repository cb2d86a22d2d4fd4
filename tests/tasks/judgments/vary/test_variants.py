"""Ways to ask: the packaged ones, files of one's own, and which combinations a run tries."""

from __future__ import annotations

import re
from itertools import combinations
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from probsense.analysis.distributions.label_mass import token_classes
from probsense.core.errors import InputError
from probsense.tasks.judgments.questions.wordings import PUBLISHED
from probsense.tasks.judgments.vary.variants import check_vary, crossing, variants_of
from probsense.tasks.judgments.vary.ways import PACKAGED, read_ways

WAYS = """\
wording:
  kurz:
    statement first: {q1: '„{statement}“ Stimmt das? {answer}'}
    question first: {q1: 'Stimmt das? „{statement}“ {answer}'}
labels:
  ja-nein: {yes: [ja], no: [nein], yes first: 'Ja oder nein?', no first: 'Nein oder ja?'}
  A-B: {yes: [A], no: [B], yes first: 'A für ja, B für nein?', no first: 'B für nein, A für ja?'}
"""


def test_the_first_variant_asks_the_published_questions() -> None:
    variants = variants_of(["wording", "order", "labels"], None, 80)
    assert len(variants.by_name) == variants.possible == 80
    first = variants.by_name[""]
    assert first.wording == PUBLISHED
    assert first.levels == {
        "wording": "published",
        "position": "statement first",
        "answers": "yes first",
        "labels": "yes-no",
    }


def test_each_variant_differs_in_what_its_name_says() -> None:
    variants = variants_of(["order", "labels"], None, None)
    assert [*variants.facets] == ["position", "answers", "labels"]
    assert len(variants.by_name) == 20
    turned = variants.by_name["question-first.no-first.B-A"].wording
    assert turned.prompt("q1", "Water is wet.") == (
        'Do you agree with the following statement? Consider the statement, "Water is wet." '
        'Start your answer with "A" for no or "B" for yes.'
    )
    assert turned.labels == (("yes", ("B",)), ("no", ("A",)))
    prompts = {one.wording.prompt("q2", "Water is wet.") for one in variants.by_name.values()}
    assert len(prompts) == 20


def test_all_packaged_ways_can_be_read_and_differ() -> None:
    ways = read_ways(PACKAGED)
    variants = variants_of(["wording", "order", "labels"], None, 80)
    for question in ("q1", "q2", "q3"):
        assert len({one.wording.prompt(question, "X.") for one in variants.by_name.values()}) == 80
    for words in ways.labels.values():
        labels = (("yes", words.yes), ("no", words.no))
        assert token_classes([*words.yes, *words.no], labels).tolist() == [0, 1]
        assert all(f'"{word}"' in text for text in words.orders.values() for word in (*words.yes, *words.no))


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "deutsch.yaml"
    path.write_text(WAYS)
    variants = variants_of(["order", "labels"], path, None)
    assert variants.facets == {
        "position": ("statement first", "question first"),
        "answers": ("yes first", "no first"),
        "labels": ("ja-nein", "A-B"),
    }
    assert variants.by_name["no-first"].wording.prompt("q1", "x") == "„x“ Stimmt das? Nein oder ja?"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (WAYS, "q1: '{statement}'", "unknown key q1"),
        ("labels:", "words:", "unknown key words"),
        (WAYS[WAYS.index("labels") :], "labels: {}", "labels is {}"),
        ("„{statement}“ S", "S", "expected a text with {statement} and {answer}"),
        ("Stimmt das? {answer}", "Stimmt das?", "expected a text with {statement} and {answer}"),
        ("statement first: {", "statement last: {", "unknown key wording.kurz['statement last']"),
        ("  kurz:", "  ganz kurz:", "the name 'ganz kurz'"),
        ("  A-B:", "  kurz:", "labels.kurz is a wording, too"),
        ("no: [B]", "no: [A]", "share the form 'a'"),
        ("yes: [ja], ", "", "labels['ja-nein'].yes is missing"),
        (
            WAYS[WAYS.index(", yes first: 'Ja") : WAYS.index("}\n  A-B")],
            "",
            "labels['ja-nein'] has none of its keys",
        ),
        (", no first: 'Nein oder ja?'", "", "labels.A-B has yes first, no first (expected yes first, as"),
        ("question first: {q1", "question first: {q2", "wording.kurz.question first has q2 (expected q1"),
    ],
)
def test_faulty_files_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "ways.yaml"
    assert old in WAYS
    path.write_text(WAYS.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_ways(path)
    assert str(caught.value).startswith(str(path))


def test_what_cannot_be_varied_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deutsch.yaml"
    path.write_text(WAYS)
    with pytest.raises(InputError, match="only one wording, which cannot be varied"):
        variants_of(["wording"], path, None)
    for vary in (["labels", "labels"], [], ["label"]):
        with pytest.raises(InputError, match=r"to vary .*some of wording, order, labels, each once"):
            check_vary(vary, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"at most 30 variants, of 80 \(expected at least 40"):
        variants_of(["wording", "order", "labels"], None, 30)


def test_more_combinations_than_wanted_become_a_balanced_half() -> None:
    variants = variants_of(["wording", "order", "labels"], None, None)
    assert len(variants.by_name) == 40
    levels = variants.levels
    # The order of the answers follows from the three others: with any two of them, it is balanced, too.
    for facets in combinations(levels, 3):
        kinds = np.unique(np.array([levels[facet] for facet in facets]), axis=1)
        assert kinds.shape[1] == prod(len(variants.facets[facet]) for facet in facets)


@given(st.lists(st.integers(2, 5), min_size=1, max_size=4), st.integers(1, 200))
def test_any_two_facets_are_balanced(sizes: list[int], most: int) -> None:
    try:
        found = crossing(sizes, most)
    except InputError:
        assume(False)
        raise
    assert len(found) <= most
    assert not found[0].any()
    assert len(np.unique(found, axis=0)) == len(found)
    assert len(found) == prod(sizes) or prod(sizes) > most
    for i, size in enumerate(sizes):
        counts = np.unique(found[:, i], return_counts=True)[1]
        assert len(counts) == size
        assert len(set(counts.tolist())) == 1
    for i, k in combinations(range(len(sizes)), 2):
        counts = np.unique(found[:, [i, k]], axis=0, return_counts=True)[1]
        assert len(counts) == sizes[i] * sizes[k]
        assert len(set(counts.tolist())) == 1
