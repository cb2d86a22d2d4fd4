"""The account that a record gives of its question."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.questions.description import Described, read_described
from probsense.tasks.worldsense.text import skins
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion, answer
from probsense.tasks.worldsense.text.reading import packaged_reader

CHAIN = "[(0, 1),(1, 2)]"
NAMES = ("Ann", "Bo", "Cy")
NOTHING = ParsedQuestion("infer", (), (), (), 0)


def read(problem: str, descr: str, query: str, names: tuple[str, ...] = NAMES) -> ParsedQuestion | None:
    return read_described(problem, Described(descr, query, names), NOTHING)


CLAIMS = [
    ("Infer.normal", "(0, 2)", (Claim("before", (0, 2)),)),
    ("Infer.trivial", "(1, 2, 0)", (Claim("between", (1, 0, 2)),)),
    ("Infer.extrema", "(2, False)", (Claim("last", (2,)),)),
    ("Infer.extrema", "(0, True)", (Claim("first", (0,)),)),
    ("Compl.normal", "(2, 0)", (Claim("before", (2, 0)), Claim("before", (0, 2)))),
    ("Compl.normal", "(2, 0, 1)", (Claim("between", (2, 0, 1)), Claim("outside", (2, 0, 1)))),
    ("Compl.trivial", "(-1, 1)", (Claim("before", (3, 1)), Claim("before", (1, 3)))),
    ("Compl.trivial", "i(0, 1)", (Claim("foreign", ()), Claim("foreign", ()))),
    ("Consist.normal", "(0, 2)", ()),
]


@pytest.mark.parametrize(("problem", "query", "claims"), CLAIMS)
def test_claims(problem, query, claims):
    question = read(problem, CHAIN, query)
    assert question
    assert question.facts == (Claim("before", (0, 1)), Claim("before", (1, 2)))
    assert question.claims == claims
    assert question.size == 3
    assert len(question.names) == 3 + ("-1" in query)
    assert question.stated == (problem != "Infer.trivial")


@pytest.mark.parametrize(
    ("descr", "query"),
    [
        ("", "(0, 1)"),
        ("[(0, 1), (1, 3)]", "(0, 1)"),
        ("[(0, 1), (1, 1)]", "(0, 1)"),
        ("[(0, 1), (1, -1)]", "(0, 1)"),
        ("[(0, 1), (True, 2)]", "(0, 1)"),
        ("[(0, 1), 2]", "(0, 1)"),
        (CHAIN, "(0, 3)"),
        (CHAIN, "(0, 0)"),
        (CHAIN, "(-2, 0)"),
        (CHAIN, "(0,)"),
        (CHAIN, "(0, 1, 2, 3)"),
        (CHAIN, "0,"),
        (CHAIN, "__import__('os')"),
        (CHAIN, "(" * 2000),
        (CHAIN, "\0"),
    ],
)
def test_other_forms_say_nothing(descr, query):
    assert read("Infer.normal", descr, query) is None
    assert read("Infer.extrema", descr, query) is None


MARKS = "()[]-,i 012T"


@given(st.sampled_from(sorted(PROBLEMS)), st.text(MARKS, max_size=12), st.text(MARKS, max_size=9))
@example("Infer.parallel", "[]", "")
def test_any_text_is_read_or_not(problem, descr, query):
    question = read(problem, descr, query)
    assert question is None or answer(question) in (*PROBLEMS[problem].answers, "")


# Lines: the record knows which are linked, the text knows how

LINES = ("line A", "line B", "line C", "line AB")
LINK = "[(0, 1),(1, 2),(2, 3)]"


def lines(descr: str, *turns: str) -> ParsedQuestion | None:
    facts = [f"{LINES[i]} is {turns[i]} to {LINES[i + 1]}" for i in (2, 0, 1)]
    text = f"4 lines: {skins.join(facts)}.\nIs the claim 'line AB is parallel to line A' TRUE or FALSE?"
    told = packaged_reader().read(text, LINES)
    return read_described("Infer.parallel", Described(descr, "(0, 1)", LINES), told)


def test_lines():
    for turns in product(("parallel", "perpendicular"), repeat=3):
        question = lines(LINK, *turns)
        assert question
        assert answer(question) == ("FALSE" if turns.count("perpendicular") % 2 else "TRUE")


@pytest.mark.parametrize("descr", ["[(0, 1),(1, 2),(1, 3)]", "[(0, 1),(1, 2)]", "[(0, 1, 2)]", "[]"])
def test_lines_of_another_chain_say_nothing(descr):
    assert lines(descr, "parallel", "parallel", "parallel") is None
