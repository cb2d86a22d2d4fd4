"""The published wording, and wordings of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.tasks.judgments.questions.ways import packaged_ways, read_ways
from probsense.tasks.judgments.questions.wordings import check_questions


def test_the_published_wording() -> None:
    published = packaged_ways().wording({})
    asked = "Do you agree with this statement?"
    assert published.prompt("q1", "Birds {fly}.") == (
        f'Consider the statement, "Birds {{fly}}." {asked} Start your answer with a "yes" or "no".'
    )
    assert "most people would agree" in published.prompt("q2", "x")
    assert "is common sense?" in published.prompt("q3", "x")
    assert published.labels == (("yes", ("yes",)), ("no", ("no",)))


def test_a_wording_in_another_language(tmp_path: Path) -> None:
    path = tmp_path / "german.yaml"
    path.write_text("q1: 'Stimmt es? {statement} Ja oder Nein?'\nyes: [ja, jawohl]\nno: [nein]\n")
    found = read_ways(path).wording({})
    assert list(found.questions) == ["q1"]
    assert found.prompt("q1", "Wasser ist nass.") == "Stimmt es? Wasser ist nass. Ja oder Nein?"
    assert found.labels == (("yes", ("ja", "jawohl")), ("no", ("nein",)))
    check_questions(["q1"], found)
    with pytest.raises(InputError, match="no such question: 'q2'"):
        check_questions(["q2"], found)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("- q1", r"the file is \['q1'\]"),
        ("q4: 'Is it so? {statement}'", "unknown key q4"),
        ("yes: ['yes']", "no question"),
        ("q1: 'Is it so?'", r"q1 is 'Is it so\?' \(expected a text with \{statement\}\)"),
        ("q1: 7", "q1 is 7"),
        ("q1: '{statement}'\nyes: ja", "yes is 'ja'"),
        ("q1: '{statement}'\nno: []", r"no is \[\]"),
        ("q1: '{statement}'\nno: [true]", r"no\[0\] is True \(expected text; in YAML, put it in quotes\)"),
        ("", "the file is nothing"),
    ],
)
def test_faulty_wordings_are_refused(tmp_path: Path, body: str, message: str) -> None:
    path = tmp_path / "wording.yaml"
    path.write_text(body)
    with pytest.raises(InputError, match=message) as caught:
        read_ways(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("names", [[], ["q1", "q1"]])
def test_no_question_or_one_twice_is_refused(names: list[str]) -> None:
    with pytest.raises(InputError, match="each at most once"):
        check_questions(names, packaged_ways().wording({}))
