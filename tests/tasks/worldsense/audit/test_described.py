"""The account that a record gives of its question."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from probsense.tasks.worldsense.audit.described import Described, described, read_described
from probsense.tasks.worldsense.generate import wording
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion, answer
from support.worldsense import gold, records_of

CHAIN = "[(0, 1),(1, 2)]"
NAMES = ("Ann", "Bo", "Cy")


def read(problem: str, descr: str, query: str, names: tuple[str, ...] = NAMES) -> ParsedQuestion | None:
    return read_described(problem, "", Described(descr, query, names))


def test_generated_records_give_their_labels() -> None:
    for record in records_of(Design(seed=3, sizes=(3, 5), problems=tuple(PROBLEMS))):
        account = described(record)
        assert account
        question = read_described(record["problemname"], record["text"], account)
        assert question
        assert answer(question) == gold(record)


CLAIMS = [
    ("Infer.normal", "(0, 2)", (Claim("before", (0, 2)),)),
    ("Infer.trivial", "(1, 2, 0)", (Claim("between", (1, 2, 0)),)),
    ("Infer.extrema", "(2, False)", (Claim("last", (2,)),)),
    ("Infer.extrema", "(0, True)", (Claim("first", (0,)),)),
    ("Compl.normal", "(2, 0)", (Claim("before", (2, 0)), Claim("before", (0, 2)))),
    ("Compl.normal", "(2, 0, 1)", (Claim("between", (2, 0, 1)), Claim("outside", (2, 0, 1)))),
    ("Compl.trivial", "(-1, 1)", (Claim("before", (3, 1)), Claim("before", (1, 3)))),
    ("Compl.trivial", "i(0, 1)", (Claim("foreign", ()), Claim("foreign", ()))),
    ("Consist.normal", "(0, 2)", ()),
]


@pytest.mark.parametrize(("problem", "query", "claims"), CLAIMS)
def test_claims(problem: str, query: str, claims: tuple[Claim, ...]) -> None:
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
def test_other_forms_say_nothing(descr: str, query: str) -> None:
    assert read("Infer.normal", descr, query) is None
    assert read("Infer.extrema", descr, query) is None


MARKS = "()[]-,i 012T"


@given(st.sampled_from(sorted(PROBLEMS)), st.text(MARKS, max_size=12), st.text(MARKS, max_size=9))
@example("Infer.parallel", "[]", "")
def test_any_text_is_read_or_not(problem: str, descr: str, query: str) -> None:
    question = read(problem, descr, query)
    assert question is None or answer(question) in (*PROBLEMS[problem].answers, "")


@pytest.mark.parametrize(
    "change",
    [
        {"descr": None},
        {"descr": [[0, 1]]},
        {"query": 3},
        {"objects": "Ann"},
        {"objects": ["Ann", 2]},
        {"objects": []},
    ],
)
def test_records_without_a_description(change: dict[str, Any]) -> None:
    whole = {"descr": CHAIN, "query": "(0, 1)", "objects": ["Ann ", "Bo"]}
    assert described(whole) == Described(CHAIN, "(0, 1)", ("Ann", "Bo"))
    assert described(whole | change) is None


# Lines: the record knows which are linked, the text knows how

LINES = {
    "statement": ("{a} is {r} to {b}", ("line A", "line B", "line C", "line AB")),
    "verb": ("{a} runs {r} to {b}", ("Oak Street", "5th Avenue", "Mill Lane", "King's Road")),
    "both": ("the {a} and the {b} are {r}", ("Old Dyke", "Kings Canal", "Eel Canal", "Old Eel Canal")),
    "each other": ("{a} and {b} run {r} to each other", ("Ash Way", "St. Mary Way", "Elm", "Elm Way")),
}
LINK = "[(0, 1),(1, 2),(2, 3)]"


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("turns", list(product((False, True), repeat=4)))
def test_lines(form: str, turns: tuple[bool, ...]) -> None:
    template, names = LINES[form]
    words = ["perpendicular" if turn else "parallel" for turn in turns]
    facts = [template.format(a=names[i], b=names[i + 1], r=words[i]) for i in (2, 0, 1)]
    claim = template.format(a=names[3], b=names[0], r=words[3])
    text = f"Of 4 things, any two are parallel or perpendicular: {wording.join(facts)}.\nIs '{claim}' TRUE or FALSE?"
    question = read_described("Infer.parallel", text, Described(LINK, "(0, 1)", names))
    assert question
    assert question.claims == (Claim(words[3], (3, 0)),)  # type: ignore[arg-type]
    assert question.lines
    assert answer(question) == ("TRUE" if sum(turns[:3]) % 2 == turns[3] else "FALSE")


@pytest.mark.parametrize("descr", ["[(0, 1),(1, 2),(1, 3)]", "[(0, 1),(1, 2)]", "[]"])
def test_lines_of_another_chain_say_nothing(descr: str) -> None:
    template, names = LINES["statement"]
    told = wording.join([template.format(a=names[i], b=names[i + 1], r="parallel") for i in range(3)])
    text = f"4 lines: {told}.\nIs 'line A is parallel to line C' TRUE or FALSE?"
    assert read_described("Infer.parallel", text, Described(LINK, "(0, 1)", names))
    assert read_described("Infer.parallel", text, Described(descr, "(0, 1)", names)) is None
    turned = text.replace(" C'", " A'")
    assert read_described("Infer.parallel", turned, Described(LINK, "(0, 1)", names)) is None
