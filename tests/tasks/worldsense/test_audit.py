"""The auditor finds what is wrong, and nothing else."""

from __future__ import annotations

import bz2
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from probsense.errors import InputError
from probsense.tasks.worldsense.audit import Audit, Trial, audit, audit_folder
from probsense.tasks.worldsense.corrections import corrections
from probsense.tasks.worldsense.generate import Design, generate
from probsense.tasks.worldsense.problems import PROBLEMS
from probsense.tasks.worldsense.skins import load_skins
from probsense.tasks.worldsense.trials import deobfuscate, obfuscate

STORY = "4 ferrets: Ada is older than Bix, Cleo is older than Bix and Cleo is younger than Dot."
QUESTION = " \n(1) {one}, (2) {other}, or (3) is it impossible to decide ?\nOnly respond with a number."
INFER = "\nIs the following sentence '{claim}' TRUE or FALSE ?\nOnly respond with one word."


def compl(one: str, other: str, story: str = STORY) -> str:
    return story + QUESTION.format(one=one, other=other)


def only(text: str, gold: str, problem: str = "Compl.normal") -> Audit:
    return audit([Trial(7, problem, text, gold)])


@pytest.fixture(scope="module")
def generated() -> list[dict[str, Any]]:
    """A small set with every problem, in every packaged skin."""
    skins = load_skins("test") + load_skins("train")
    design = Design(seed=11, sizes=(3, 4), problems=tuple(PROBLEMS), skins=skins)
    return [record for records in generate(design) for record in records]


def trial(record: dict[str, Any]) -> Trial:
    return Trial(record["Key"], record["problemname"], record["text"], deobfuscate(record["goldresp_obfusc"]))


def write(folder: Path, records: list[dict[str, Any]]) -> Path:
    with bz2.open(folder / "trials.jsonl.bz2", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records)
    return folder


def test_our_own_sets_are_right(generated: list[dict[str, Any]]) -> None:
    found = audit(map(trial, generated))
    assert found == Audit(len(generated), len(generated), (), (), ())
    assert len(generated) > 2000


def test_every_wrong_gold_is_found(generated: list[dict[str, Any]]) -> None:
    for record in generated[:600]:
        truth = trial(record)
        for gold in record["expectedresp"]:
            found = audit([truth._replace(gold=gold)])
            assert [finding.corrected for finding in found.wrong] == (
                [] if gold == truth.gold else [truth.gold]
            )


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_dropped_fact_is_noticed(generated: list[dict[str, Any]], data: st.DataObject) -> None:
    record = generated[data.draw(st.integers(0, len(generated) - 1))]
    text = record["text"]
    start = re.search(r"says that |: ", text)
    assume(record["problemname"] != "Infer.trivial")
    assert start
    facts = text[start.end() :]
    first = re.match(r"[^.\n]+?, " if ", " in facts.partition(".")[0] else r"[^.\n]+? and ", facts)
    assert first
    found = audit([trial(record)._replace(text=text[: start.end()] + facts[first.end() :])])
    assert found.wrong or found.unparsed or found.flawed


def test_a_swapped_predicate_is_noticed() -> None:
    text = STORY.replace("Cleo is older than Bix", "Cleo is younger than Bix") + INFER.format(
        claim="Dot is older than Bix"
    )
    assert only(STORY + INFER.format(claim="Dot is older than Bix"), "TRUE", "Infer.normal").wrong == ()
    assert [w.corrected for w in only(text, "TRUE", "Infer.normal").wrong] == [""]
    text = STORY + INFER.format(claim="Dot is younger than Bix")
    assert [w.corrected for w in only(text, "TRUE", "Infer.normal").wrong] == ["FALSE"]


def test_the_fault_of_the_published_generator() -> None:
    """A loose entity at the end of a range, incomparable to both others: not decided, though it was labelled so."""
    text = compl(
        "is Ada's age between that of Cleo and Dot", "is Ada outside of the age range between Cleo and Dot"
    )
    assert only(text, "3") == Audit(1, 1, (), (), ())
    (finding,) = only(text, "2").wrong
    assert (finding.key, finding.problem, finding.published, finding.corrected) == (
        7,
        "Compl.normal",
        "2",
        "3",
    )
    holds, fails = re.findall(r"the order ([A-Za-z> ]+)", finding.reason)
    for order, inside in ((holds.split(" > "), True), (fails.split(" > "), False)):
        place = {name: i for i, name in enumerate(order)}
        assert place["Ada"] < place["Bix"] > place["Cleo"] > place["Dot"]
        assert (place["Dot"] < place["Ada"] < place["Cleo"]) == inside


def infer(story: str, claim: str) -> str:
    return story + INFER.format(claim=claim)


def consist(facts: str) -> str:
    return f"3 cats. If I say '{facts}.', is it POSSIBLE or not?"


CHAIN = "A1 is older than B1 and B1 is older than C1"
CIRCLE = "A1 is older than B1, B1 is older than C1 and C1 is older than A1"
TWICE = "A1 is older than B1, B1 is older than C1 and A1 is older than C1"
LOOSE = "A1 is older than B1, A1 is older than C1 and A1 is older than C1"
ROADS = "3 roads: A1 is parallel to B1 and B1 is perpendicular to C1."
CATS = f"3 cats: {CHAIN}."
LAST = "A1 is older than C1"

REASONS = [
    (compl("is Dot older than Bix", "is Dot younger than Bix"), "3", "1", r"\(1\) holds in every world"),
    (compl("is Bix older than Dot", "is Bix younger than Dot"), "1", "2", r"\(2\) holds in every world"),
    (compl("is Bix heavier than Dot", "is Bix lighter than Dot"), "1", "3", "says nothing about"),
    (compl("is Ada older than Eli", "is Ada younger than Eli"), "1", "3", r"do not decide \(1\)"),
    (infer(STORY, "Ada is the youngest"), "TRUE", "FALSE", "the claim does not hold in every world"),
    (infer(STORY, "Ada is older than Cleo"), "TRUE", "", "do not decide the claim"),
    (infer(f"3 cats: {CIRCLE}.", LAST), "TRUE", "", "no answer is right"),
    (infer(CATS, LAST), "FALSE", "TRUE", "the only world that fits the facts: the order A1 > B1 > C1"),
    (
        infer(ROADS, "A1 is parallel to C1"),
        "TRUE",
        "FALSE",
        "not hold in the only world.*: A1 and B1 across C1",
    ),
    (consist(CIRCLE), "POSSIBLE", "IMPOSSIBLE", "contradict each other"),
    (consist(TWICE), "IMPOSSIBLE", "POSSIBLE", "all facts hold in the order A1 > B1 > C1"),
]


@pytest.mark.parametrize(("text", "published", "corrected", "reason"), REASONS)
def test_reasons(text: str, published: str, corrected: str, reason: str) -> None:
    (finding,) = only(text, published).wrong
    assert (finding.published, finding.corrected) == (published, corrected)
    assert re.search(reason, finding.reason)


FLAWS = [
    ("Infer.normal", infer(CATS, LAST), "TRUE", ""),
    ("Compl.normal", infer(CATS, LAST), "TRUE", "another kind"),
    ("Infer.normal", infer(CATS.replace("B1 and B1", "C1 and B1"), LAST), "TRUE", "more than one order"),
    ("Infer.normal", infer(f"3 cats: {TWICE}.", LAST), "TRUE", "3 facts are told about 3 entities"),
    ("Compl.trivial", compl("is A1 older than C1", "is A1 younger than B1", CATS), "1", "complement"),
    ("Compl.trivial", compl("is A1 older than D1", "is A1 heavier than D1", CATS), "3", "complement"),
    ("Compl.normal", compl("is A1 older than C1", "is A1 younger than C1", CATS), "1", "only one order"),
    ("Compl.normal", compl("is Ada older than Eli", "is Ada younger than Eli"), "3", "does not mention"),
    ("Consist.normal", consist(LOOSE), "POSSIBLE", "no fact can be left out"),
    ("Consist.normal", consist(TWICE), "POSSIBLE", ""),
]


@pytest.mark.parametrize(("problem", "text", "gold", "flaw"), FLAWS)
def test_flaws(problem: str, text: str, gold: str, flaw: str) -> None:
    found = only(text, gold, problem)
    assert found.wrong == found.unparsed == ()
    assert [remark.reason for remark in found.flawed if flaw in remark.reason] == [
        remark.reason for remark in found.flawed
    ]
    assert len(found.flawed) == bool(flaw)


def test_texts_that_are_not_understood_are_listed() -> None:
    found = audit(
        [
            Trial(1, "Infer.normal", "Who is there?", "TRUE"),
            Trial(2, "Infer.normal", infer(CATS, LAST), "TRUE"),
        ]
    )
    assert (found.trials, found.parsed, found.wrong) == (2, 1, ())
    ((key, problem, why),) = [(r.key, r.problem, r.reason) for r in found.unparsed]
    assert (key, problem, why) == (1, "Infer.normal", "no question is found")


def test_folder_and_its_json(tmp_path: Path, generated: list[dict[str, Any]]) -> None:
    records = [dict(record) for record in generated[:40]]
    records[5] |= {
        "goldresp": next(
            r for r in records[5]["expectedresp"] if obfuscate(r) != records[5]["goldresp_obfusc"]
        )
    }
    document = json.loads(json.dumps(audit_folder(write(tmp_path, records)).to_json()))
    assert (document["trials"], document["parsed"], document["unparsed"]) == (40, 40, [])
    (finding,) = document["wrong"]
    assert set(finding) == {"key", "problem", "published", "corrected", "reason"}
    assert finding["key"] == records[5]["Key"]
    assert finding["published"] == records[5]["goldresp"]
    assert obfuscate(finding["corrected"]) == records[5]["goldresp_obfusc"]


def test_corrections_are_kept(
    tmp_path: Path, generated: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    record = dict(generated[0])
    truth = deobfuscate(record.pop("goldresp_obfusc"))
    record["goldresp"] = next(r for r in record["expectedresp"] if r != truth)
    unsolved = dict(record) | {"Key": 1, "problemname": "Infer.normal", "goldresp": "TRUE"}
    unsolved["text"] = STORY + INFER.format(claim="Ada is older than Cleo")
    folder = write(tmp_path, [record, unsolved])
    assert corrections(folder).labels == {record["Key"]: truth}
    monkeypatch.setattr(
        "probsense.tasks.worldsense.corrections.audit_folder", lambda folder: pytest.fail("audited again")
    )
    assert corrections(folder).labels == {record["Key"]: truth}
    with pytest.raises(pytest.fail.Exception, match="audited again"):
        corrections(folder, cache=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Key": "7"}, "line 2: no trial"),
        ({"text": None}, "line 2: no trial"),
        ({"problemname": ["Infer.normal"]}, "line 2: no trial"),
        ({"problemname": "Infer.hard"}, "line 2: no trial"),
        ({"goldresp_obfusc": "Nobody"}, "line 2: no gold label"),
        ({"goldresp_obfusc": None}, "line 2: no gold label"),
        ({"goldresp": "4"}, "line 2: no gold label"),
        ({"goldresp": ["TRUE"]}, "line 2: no gold label"),
    ],
)
def test_records_that_are_no_trials(
    tmp_path: Path, generated: list[dict[str, Any]], change: dict[str, Any], message: str
) -> None:
    write(tmp_path, [generated[0], generated[1] | change])
    with pytest.raises(InputError, match=message):
        audit_folder(tmp_path)


def test_no_trials(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        audit_folder(tmp_path)
