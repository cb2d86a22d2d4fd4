"""Tables in the forms in which programs and people leave them: each gives the counts that one gets by hand."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.tasks.choices.questions.read import read_questions

TABLES = Path(__file__).parents[3] / "fuzz" / "corpus" / "tables"
"""Files as programs write them."""
CASES = {
    "long by person": ("answers.csv", "", {"Cold?": {"Yes": 2, "No": 1}, "Late?": {"No": 1, "Yes": 1}}),
    "Google Forms": (
        *("google_forms.csv", ""),
        {"Is it cold?": {"Yes": 2, "No": 1}, "Which do you like? [Snow]": {"A lot": 2, "A little": 1}},
    ),
    "Qualtrics": (
        *("qualtrics.csv", ""),
        {
            "Q1": {"Yes": 2, "No": 1},
            "Q2_1": {"Agree": 2, "Disagree": 1},
            "Q2_2": {"Disagree": 1, "Agree": 2},
            "Q3": {"Red": 1.5, "Blue": 1.5},
        },
    ),
    "SurveyMonkey": (
        *("surveymonkey.csv", ""),
        {"Is it cold?": {"Yes": 2, "No": 1}, "Which do you like?": {"Red": 1.5, "Green": 1, "Blue": 0.5}},
    ),
    "LimeSurvey": ("limesurvey.csv", "", {"G1Q1": {"Yes": 2, "No": 1}, "G1Q2[SQ001]": {"A2": 2, "A1": 1}}),
    "GlobalOpinionQA": (
        *("opinions.csv", ""),
        {
            "Cold?/Norway": {"Yes": 0.7, "No": 0.3},
            "Cold?/Spain": {"Yes": 0.25, "No": 0.75},
            "Late?/Norway": {"Yes": 0.5, "No": 0.5},
        },
    ),
    "jsPsych": ("jspsych.json", "", {"Q0": {"Yes": 2, "No": 1}, "Q1": {"No": 2, "Yes": 1}}),
    "hub": ("hub.jsonl", "", {"q": {"a": 0.75, "b": 0.25}, "r": {"a": 0.5, "b": 0.5}}),
    "a mapping in a cell": (
        *("x.jsonl", '{"question": "q", "options": {"Yes": 25, "No": 10}}\n'),
        {"q": {"Yes": 25, "No": 10}},
    ),
    "a list and weights": (
        *(
            "x.csv",
            "key,question,options,weights\n1,q,\"['a', 'b']\",\"[3, 9]\"\n2,r,\"['a', 'b']\",\"[4, 6]\"\n",
        ),
        {"q": {"a": 3, "b": 9}, "r": {"a": 4, "b": 6}},
    ),
    "percent signs": (
        "x.csv",
        "question,option,share\nq,a,45.2%\nq,b,54.8%\n",
        {"q": {"a": 0.452, "b": 0.548}},
    ),
    "shares of 100": (
        *("x.csv", "question,option,share\nq,a,45.2\nq,b,54.8\nr,a,0.5\nr,b,99.5\n"),
        {"q": {"a": 0.452, "b": 0.548}, "r": {"a": 0.005, "b": 0.995}},
    ),
    "decimal commas": (
        *("x.csv", "question;option;share\nq;a;45,2\nq;b;54,8\n"),
        {"q": {"a": 0.452, "b": 0.548}},
    ),
    "a column of percents for each option": (
        *("x.csv", "question,Yes,No\nq,45.2%,54.8%\nr,30%,70%\n"),
        {"q": {"Yes": 0.452, "No": 0.548}, "r": {"Yes": 0.3, "No": 0.7}},
    ),
    "a column of shares of 100 for each option": (
        *("x.csv", "question;Yes;No\nq;45,2;54,8\nr;30;70\n"),
        {"q": {"Yes": 0.452, "No": 0.548}, "r": {"Yes": 0.3, "No": 0.7}},
    ),
    "thousands": ("x.csv", 'question,option,count\nq,a,"1,204"\nq,b,796\n', {"q": {"a": 1204, "b": 796}}),
    "codes in their order": (
        *("x.csv", "person,Q1\na,10\nb,2\nc,2\n"),
        {"Q1": {"2": 2, "10": 1}},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_by_hand(tmp_path: Path, name: str) -> None:
    file, text, expected = CASES[name]
    path = tmp_path / file if text else TABLES / file
    if text:
        path.write_text(text, "utf-8")
    found = read_questions(path)
    assert {one.key: dict(zip(one.options, one.counts, strict=True)) for one in found.found} == {
        key: pytest.approx(own, abs=1e-12) for key, own in expected.items()
    }
    assert [one.options for one in found.found] == [(*own,) for own in expected.values()]


def test_columns_are_what_the_user_says(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("name,Q1,Q2,age,wt\na,Yes,Low,31,2\nb,No,High,44,1\nc,No,High,28,1\n")
    with pytest.raises(InputError, match="the columns age, wt may be no question"):
        read_questions(path, columns=["person=name"])
    found = read_questions(path, columns=["person=name", "questions=Q*", "weight=wt"])
    cold, size = found.found
    # Kish's effective number of people: (2 + 1 + 1)² / (4 + 1 + 1)
    assert (cold.options, cold.people) == (("Yes", "No"), pytest.approx(16 / 6, abs=1e-12))
    assert cold.counts == pytest.approx((16 / 12, 16 / 12), abs=1e-12)
    assert size.counts == cold.counts
    assert found.dropped == ["the column age"]
    path.write_text("person,Q\n" + "".join(f"p{n},{n % 9}\n" for n in range(10)))
    with pytest.raises(InputError, match=r"the column Q has 9 different answers .*questions=NAME"):
        read_questions(path)
    assert len(read_questions(path, columns=["questions=Q"]).found[0].options) == 9


def test_a_weight_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("name,Q1,Q2,age,wt\na,Yes,Low,31,2\nb,No,High,44,1\nc,No,High,28,1\n")
    assert read_questions(path, columns=["questions=Q1", "none=wt"]).found[0].raters == (
        ("1", 0),
        ("2", 1),
        ("3", 1),
    )


def test_several_answers_in_a_cell_are_proved_or_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('person,Q\na,"Agree, but not always"\nb,Agree\nc,"Red, Green"\nd,Red\ne,Green\n')
    (one,) = read_questions(path).found
    assert one.options == ("Agree, but not always", "Agree", "Red, Green", "Red", "Green")
    (one,) = read_questions(path, columns=["multiple=Q"]).found
    assert dict(zip(one.options, one.counts, strict=True)) == {
        **{"Agree": 1.5, "but not always": 0.5, "Red": 1.5, "Green": 1.5}
    }


def test_labels_of_spss_are_options_in_their_order(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    pyreadstat.write_sav(
        pandas.DataFrame({"person": ["a", "b", "c"], "q": [3.0, 1.0, 9.0]}),
        str(tmp_path / "x.sav"),
        column_labels={"q": "How cold is it?"},
        variable_value_labels={"q": {1.0: "not at all", 2.0: "a little", 3.0: "very", 9.0: "refused"}},
        missing_ranges={"q": [9]},
    )
    (one,) = read_questions(tmp_path / "x.sav").found
    assert (one.text, one.options, one.counts) == (
        *("How cold is it?", ("not at all", "a little", "very")),
        (1, 0, 1),
    )


def test_a_data_dictionary_gives_texts_to_codes(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("record_id,cold,survey_complete\n1,2,2\n2,1,2\n3,2,2\n")
    (tmp_path / "dictionary.csv").write_text(
        'Variable / Field Name,Field Type,Field Label,"Choices, Calculations, OR Slider Labels"\n'
        'record_id,text,Record,\ncold,radio,How cold is it?,"1, Not at all | 2, Very"\n'
    )
    found = read_questions(tmp_path)
    (one,) = found.found
    assert (one.id, one.text, one.options, one.counts) == (
        *("cold", "How cold is it?", ("Not at all", "Very")),
        (1, 2),
    )
    assert found.dropped == ["the column survey_complete"]


def test_parquet_of_the_hub_has_lists(tmp_path: Path) -> None:
    frame = pl.DataFrame({"question": ["q"], "choices": [["a", "b"]], "votes": [[3, 5]]})
    frame.write_parquet(tmp_path / "x.parquet")
    (one,) = read_questions(tmp_path / "x.parquet").found
    assert dict(zip(one.options, one.counts, strict=True)) == {"a": 3, "b": 5}


REFUSED = {
    "two lists of numbers": (
        '{"question": "q", "choices": ["a", "b"], "people": [0.5, 0.5], "model": [0.1, 0.9]}\n',
        r"the columns people, model hold numbers \(expected --columns count=NAME or --columns share=NAME\)",
    ),
    "percent or people": (
        '{"question": "q", "options": {"a": 25, "b": 75}}\n',
        "the numbers of options sum to 1 or 100 .*--columns share=NAME",
    ),
    "too few numbers": ('{"question": "q", "choices": ["a", "b"], "n": [3]}\n', "line 1: n has 1 numbers"),
    "a negative number": ('{"question": "q", "options": {"a": -2, "b": 5}}\n', "line 1: options has -2"),
    "no question": ('{"q": "q", "options": {"a": 2, "b": 5}}\n', "has no column question"),
    "an unknown role": ('{"question": "q", "options": {"a": 2, "b": 5}}\n', "did you mean 'question'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_be_read_in_two_ways_is_refused(tmp_path: Path, name: str) -> None:
    text, expected = REFUSED[name]
    (tmp_path / "x.jsonl").write_text(text)
    columns = ["questoin=q"] if name == "an unknown role" else []
    with pytest.raises(InputError, match=expected):
        read_questions(tmp_path / "x.jsonl", columns=columns)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("question,option,share\nq,a,45%\nq,b,55\n", "line 3: share is '55' .*a percent sign"),
        ("question,option,share\nq,a,45\nq,b,40\n", "line 2: share is '45'"),
        ("item,Yes,No\nIs it?,3,4\n", "has no column question"),
        ("Timestamp,Gender,Cold?\n1,f,Yes\n2,m,No\n", "the column Gender may be no question"),
        ("person,Q\n" + "".join(f"p{n},text {n}\n" for n in range(30)), "Q has 30 different answers"),
        ("person,Q\na,Yes\na,No\n", "line 3: person a again"),
        ("person,Q\n" + "".join(f"p{n},text {n}\n" for n in range(6)), "Q has 6 different answers"),
        ("id,text,label\n1,Snow.,a\n2,Rain.,b\n", "has no column question"),
        ("Timestamp,Cold?,count\n1,Yes,3\n2,No,4\n", "the column count may be no question"),
        ("question,option,count,weight\nq,a,1,2\n", "has the columns count and weight"),
        ("question,answer\nq,a\nq,b\n", "has no column count"),
    ],
)
def test_what_is_doubtful_names_what_settles_it(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError, match=expected):
        read_questions(tmp_path / "x.csv")
