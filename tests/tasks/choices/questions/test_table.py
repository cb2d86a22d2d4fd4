"""Tables in the forms in which programs and people leave them: counts as one gets them by hand, and every fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.core.files.table import Table
from probsense.tasks.choices.questions.question import Question
from probsense.tasks.choices.questions.read import read_questions
from probsense.tasks.choices.questions.table import questions_of_table

TABLES = Path(__file__).parents[3] / "fuzz" / "corpus" / "tables"
"""Files as programs write them."""
LONG = """question,text,option,count,gold,cluster,context
q1,Is it cold?,Yes,7,Yes,c1,It snows.
q1,Is it cold?,No,3,Yes,c1,It snows.
q2,Is it late?,Yes,0,,,
q2,Is it late?,No,5,,,
"""
SHARE, WIDE = "question,option,share\n", "question,Yes,No\n"
COLD, LATE = {"Yes": 2, "No": 1}, {"No": 1, "Yes": 1}
FIFTHS = {"q": {"a": 0.452, "b": 0.548}}
BY_COLUMN = {"q": {"Yes": 0.452, "No": 0.548}, "r": {"Yes": 0.3, "No": 0.7}}
LISTS = "key,question,options,weights\n1,q,\"['a', 'b']\",\"[3, 9]\"\n2,r,\"['a', 'b']\",\"[4, 6]\"\n"
COUNTS = {
    "answers.csv": ("", {"Cold?": COLD, "Late?": LATE}),
    "google_forms.csv": ("", {"Is it cold?": COLD, "Which do you like? [Snow]": {"A lot": 2, "A little": 1}}),
    "qualtrics.csv": (
        "",
        {
            **{"Q1": COLD, "Q2_1": {"Agree": 2, "Disagree": 1}, "Q2_2": {"Disagree": 1, "Agree": 2}},
            "Q3": {"Red": 1.5, "Blue": 1.5},
        },
    ),
    "surveymonkey.csv": (
        *("", {"Is it cold?": COLD, "Which do you like?": {"Red": 1.5, "Green": 1, "Blue": 0.5}}),
    ),
    "limesurvey.csv": ("", {"G1Q1": COLD, "G1Q2[SQ001]": {"A2": 2, "A1": 1}}),
    "opinions.csv": (
        "",
        {
            **{"Cold?/Norway": {"Yes": 0.7, "No": 0.3}, "Cold?/Spain": {"Yes": 0.25, "No": 0.75}},
            "Late?/Norway": {"Yes": 0.5, "No": 0.5},
        },
    ),
    "jspsych.json": ("", {"Q0": COLD, "Q1": {"No": 2, "Yes": 1}}),
    "hub.jsonl": ("", {"q": {"a": 0.75, "b": 0.25}, "r": {"a": 0.5, "b": 0.5}}),
    "cells.jsonl": ('{"question": "q", "options": {"Yes": 25, "No": 10}}\n', {"q": {"Yes": 25, "No": 10}}),
    "lists.csv": (LISTS, {"q": {"a": 3, "b": 9}, "r": {"a": 4, "b": 6}}),
    "percents.csv": (SHARE + "q,a,45.2%\nq,b,54.8%\n", FIFTHS),
    "100.csv": (SHARE + "q,a,45.2\nq,b,54.8\nr,a,.5\nr,b,99.5\n", FIFTHS | {"r": {"a": 0.005, "b": 0.995}}),
    "commas.csv": ("question;option;share\nq;a;45,2\nq;b;54,8\n", FIFTHS),
    "percent_columns.csv": (WIDE + "q,45.2%,54.8%\nr,30%,70%\n", BY_COLUMN),
    "100_columns.csv": ("question;Yes;No\nq;45,2;54,8\nr;30;70\n", BY_COLUMN),
    "columns.csv": ("question,a,b,c\nq,7,3,0\nr,1,2,\n", {"q": {"a": 7, "b": 3, "c": 0}, "r": {"a": 1, "b": 2}}),
    "thousands.csv": ('question,option,count\nq,a,"1,204"\nq,b,796\n', {"q": {"a": 1204, "b": 796}}),
    "codes.csv": ("person,Q1\na,10\nb,2\nc,2\n", {"Q1": {"2": 2, "10": 1}}),
    "raters.csv": ("question,option,rater\nq,a,1\nq,b,2\nq,a,2\nq,c,\n", {"q": {"a": 1.5, "b": 0.5, "c": 0}}),
    "people.csv": ("question,option,share,people\nq,a,.3,50\nq,b,.7,50\n", {"q": {"a": 15, "b": 35}}),
    "rounded.csv": (SHARE + "r,a,.34\nr,b,.33\nr,c,.34\n", {"r": {"a": 34 / 101, "b": 33 / 101, "c": 34 / 101}}),
}  # fmt: skip


def write(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def read(folder: Path, text: str, *columns: str, name: str = "data.csv", **options: Any) -> list[Question]:
    return read_questions(write(folder, text, name), columns=columns, **options).found


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_by_hand(tmp_path, name):
    text, expected = COUNTS[name]
    found = read_questions(write(tmp_path, text, name) if text else TABLES / name).found
    assert {one.key: dict(zip(one.options, one.counts, strict=True)) for one in found} == {
        key: pytest.approx(own, abs=1e-12) for key, own in expected.items()
    }
    assert [one.options for one in found] == [(*own,) for own in expected.values()]


def test_what_a_long_table_says_of_its_questions(tmp_path):
    first, second = read(tmp_path, LONG)
    assert (first.id, first.text, first.people) == ("q1", "Is it cold?", 10.0)
    assert (first.gold, first.cluster, first.context) == (0, "c1", "It snows.")
    assert (second.gold, second.cluster, second.counts) == (None, "q2", (0.0, 5.0))
    assert [one.people for one in read(tmp_path, SHARE + "q,a,.3\nq,b,.7\n")] == [None]


def test_a_scale_and_groups(tmp_path):
    rows = (("young", "low,1,1"), ("young", "high,3,5"), ("old", "low,1,1"), ("old", "high,3,5"))
    text = "group,question,option,count,order\n" + "".join(f"{group},q,{row}\n" for group, row in rows)
    young, old = read(tmp_path, text)
    assert young.order == (1, 5)
    assert (young.key, old.key, young.cluster) == ("q/young", "q/old", "q")
    assert read(tmp_path, text, groups=["old"]) == [old]
    with pytest.raises(InputError, match=r"no group 'odl'; did you mean 'old'.*one of young, old"):
        read(tmp_path, text, groups=["odl"])


def test_an_option_can_be_dropped_with_who_chose_it(tmp_path):
    text = "question,option,count,gold\nq,Refused,3,b\nq,a,1,b\nq,b,2,b\nr,a,4,\nr,refused,1,\n"
    assert read(tmp_path, text)[0].options == ("Refused", "a", "b")
    (one,) = read(tmp_path, text, drop=["REFUSED"])  # r has one option left, and is none any more
    assert (one.options, one.counts, one.people, one.gold) == (("a", "b"), (1.0, 2.0), 3.0, 1)
    with pytest.raises(InputError, match="no option 'Refusd' to drop; did you mean 'Refused'"):
        read(tmp_path, text, drop=["Refusd"])


def test_columns_are_what_the_user_says(tmp_path):
    text = "name,Q1,Q2,age,wt\na,Yes,Low,31,2\nb,No,High,44,1\nc,No,High,28,1\n"
    columns = ["person=name", "questions=Q*", "weight=wt"]
    found = read_questions(write(tmp_path, text), columns=columns)
    cold, size = found.found
    # Kish's effective number of people: (2 + 1 + 1)² / (4 + 1 + 1)
    assert (cold.options, cold.people) == (("Yes", "No"), pytest.approx(16 / 6, abs=1e-12))
    assert cold.counts == size.counts == pytest.approx((16 / 12, 16 / 12), abs=1e-12)
    assert (found.dropped, cold.raters) == (["the column age"], ())
    (one,) = read(tmp_path, text, "questions=Q1", "none=wt")
    assert one.raters == (("1", 0), ("2", 1), ("3", 1))
    (one,) = read(tmp_path, "person,Q\n" + "".join(f"p{n},{n % 9}\n" for n in range(10)), "questions=Q")
    assert len(one.options) == 9


def test_several_answers_in_a_cell_are_proved_or_named(tmp_path):
    text = 'person,Q\na,"Agree, but not always"\nb,Agree\nc,"Red, Green"\nd,Red\ne,Green\n'
    (one,) = read(tmp_path, text)
    assert one.options == ("Agree, but not always", "Agree", "Red, Green", "Red", "Green")
    (one,) = read(tmp_path, text, "multiple=Q")
    counts = {"Agree": 1.5, "but not always": 0.5, "Red": 1.5, "Green": 1.5}
    assert dict(zip(one.options, one.counts, strict=True)) == counts


def test_labels_of_a_file_are_options_in_their_order(tmp_path):
    cells = pl.DataFrame({"person": ["a", "b", "c"], "q": ["very", "not at all", None]})
    labels = {"q": ["not at all", "a little", "very"]}
    table = Table(tmp_path / "x.sav", cells, asked={"q": "How cold is it?"}, labels=labels)
    (one,) = questions_of_table(table).found
    assert (one.text, one.counts) == ("How cold is it?", (1, 0, 1))
    assert one.options == ("not at all", "a little", "very")


def test_a_data_dictionary_gives_texts_to_codes(tmp_path):
    write(tmp_path, "record_id,cold,survey_complete\n1,2,2\n2,1,2\n3,2,2\n")
    names = 'Variable / Field Name,Field Type,Field Label,"Choices, Calculations, OR Slider Labels"\n'
    field = 'cold,radio,How cold is it?,"1, Not at all | 2, Very"\n'
    write(tmp_path, f"{names}record_id,text,Record,\n{field}", "dictionary.csv")
    found = read_questions(tmp_path)
    (one,) = found.found
    assert (one.text, one.options, one.counts) == ("How cold is it?", ("Not at all", "Very"), (1, 2))
    assert found.dropped == ["the column survey_complete"]


def test_parquet_of_the_hub_has_lists(tmp_path):
    frame = pl.DataFrame({"question": ["q"], "choices": [["a", "b"]], "votes": [[3, 5]]})
    frame.write_parquet(tmp_path / "x.parquet")
    (one,) = read_questions(tmp_path / "x.parquet").found
    assert dict(zip(one.options, one.counts, strict=True)) == {"a": 3, "b": 5}


def test_questions_of_several_files_know_the_name_of_theirs(tmp_path):
    """They may be in folders, as ``data get`` leaves them."""
    with pytest.raises(InputError, match="no data in this folder"):
        read_questions(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, LONG, f"{name}.csv")
    assert [one.key for one in read_questions(tmp_path).found] == ["one/q1", "one/q2", "two/q1", "two/q2"]
    write(tmp_path / "two", HEAD + "q1,a,1\nq1,b,2\n", "one.tsv")
    with pytest.raises(InputError, match="question 'one/q1' stands twice"):
        read_questions(tmp_path)


HEAD = "question,option,count\n"
RATERS, PEOPLE = "question,option,rater\n", "question,option,share,people\n"
ORDER = "question,option,count,order\n"
WRONG = [
    ("option,count\na,1\n", "has no column question"),
    ("question,count\nq,1\n", "has no column answer"),
    ("question,text\nq,t\n", "has no column answer"),
    ("question,text,option\nq,t,a\n", r"has no column count.*share with people, or person"),
    ("question,Text,option,count\nq,t,a,1\n", "has a column Text; did you mean 'text'"),
    ("question,option,count,share\nq,a,1,1\n", "the columns count and share"),
    (HEAD + "q,a,1\nq,b,-2\n", r"line 3: count is '-2' \(expected a whole number from 0"),
    (HEAD + ",a,1\nq,b,2\n", "line 2: question is empty"),
    (HEAD + "q,a,1\nq,,2\n", "line 3: option is empty"),
    (HEAD + "q,a,1\n", "line 2: a question with 1 option "),
    (HEAD + "q,Not at all,1\nq,b,1\nq,not  AT all,2\n", "line 4: question q, option not at all again, first"),
    (HEAD + "q,a,0\nq,b,0\n", "line 2: nobody answered question 'q'"),
    ("question,text,option,count\nq,One,a,1\nq,Two,b,1\n", "line 3: text is 'Two', but 'One' on line 2"),
    ("question,option,count,gold\nq,Yes,1,Yess\nq,No,1,Yess\n", "line 2: gold is 'Yess'; did you mean 'Yes'"),
    (ORDER + "q,a,1,\nq,b,1,2\n", "order is known of some options only"),
    (ORDER + "q,a,1,2\nq,b,1,2\n", "order is the same for two options"),
    (SHARE + "q,a,1.2\nq,b,.1\n", "line 2: share is '1.2'"),
    (SHARE + "q,a,.2\nq,b,.1\n", r"line 2: shares that sum to 0.3 \(expected 1"),
    (SHARE + "q,a,45%\nq,b,55\n", "line 3: share is '55' .*a percent sign"),
    (PEOPLE + "q,a,.2,0\nq,b,.8,0\n", "line 2: people is '0'"),
    ("question,option,count,people\nq,a,2,5\nq,b,8,5\n", "people is 5, and the counts sum to 10"),
    ("question,option,rater,count\nq,a,1,2\nq,b,2,1\n", "line 2: count is '2'"),
    (RATERS + "q,a,1\nq,b,2\nq,a,1\n", "line 4: question q, rater 1, option a again"),
    (RATERS + "q,a,\nq,b,2\nq,a,\n", "line 4: question q, rater nobody, option a again"),
    (RATERS + "q,Yes,1\nq,yes,2\nq,No,3\n", "line 3: option is 'yes', but 'Yes' on line 2"),
    ("question,option,rater,wt\nq,a,x,1.5\nq,b,y,.5\n", "the column wt holds numbers that would not count"),
    (WIDE + "q,1,2.5\n", "line 2: No is '2.5'"),
    (WIDE + "q,1,2\nq,3,4\n", "line 3: question q again, first on line 2"),
    ("question,Yes,YES\nq,1,2\n", "line 2: question q, option yes again, first on line 2"),
    ("Timestamp,Gender,Cold?\n1,f,Yes\n2,m,No\n", "the column Gender may be no question"),
    ("Timestamp,Q1,age,wt\na,Yes,31,2\nb,No,44,1\n", "the columns age, wt may be no question"),
    ("person,Q\n" + "".join(f"p{n},text {n}\n" for n in range(30)), "Q has 30 different answers"),
    ("person,Q\n" + "".join(f"p{n},text {n}\n" for n in range(6)), "Q has 6 different answers"),
    ("person,Q\na,Yes\na,No\n", "line 3: person a again"),
]
CELLS = [
    (
        '{"question": "q", "choices": ["a", "b"], "people": [0.5, 0.5], "model": [0.1, 0.9]}\n',
        r"the columns people, model hold numbers \(expected --columns count=NAME or --columns share=NAME\)",
    ),
    ('{"question": "q", "options": {"a": 25, "b": 75}}\n', "the numbers of options sum to 1 or 100"),
    ('{"question": "q", "choices": ["a", "b"], "n": [3]}\n', "line 1: n has 1 numbers"),
    ('{"question": "q", "options": {"a": -2, "b": 5}}\n', "line 1: options has -2"),
    ('{"q": "q", "options": {"a": 2, "b": 5}}\n', "has no column question"),
]


@pytest.mark.parametrize(("text", "message"), [*WRONG, *CELLS])
def test_what_is_wrong_or_doubtful_gets_one_error_with_its_place(tmp_path, text, message):
    path = write(tmp_path, text, "x.jsonl" if text.startswith("{") else "x.csv")
    with pytest.raises(InputError, match=message) as caught:
        read_questions(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("column", "cells", "why"),
    [
        ("survey_year", (2019, 2019, 2020), "is named like"),
        ("k", (15, 7, 12), "is the sum of the others"),
        ("k", (2019, 2019, 2020), "holds numbers like years"),
        ("k", (1, 2, 3), "counts the rows"),
        ("Unsure", (2, 0, 9), ""),
    ],
)
def test_a_column_is_an_option_where_nothing_speaks_against_it(column, cells, why, tmp_path):
    rows = zip(("Is it?,10,5", "Do you?,3,4", "Will you?,3,9"), cells, strict=True)
    path = write(tmp_path, f"question,Yes,No,{column}\n" + "".join(f"{row},{cell}\n" for row, cell in rows))
    others = ("options=Yes", "options=No")
    if why:
        named = f"the column {column} {why}.*--columns options=NAME for each option"
        with pytest.raises(InputError, match=named):
            read_questions(path)
        found = read_questions(path, columns=others)
        assert (found.found[0].counts, found.dropped) == ((10, 5), [f"the column {column}"])
    chosen = read_questions(path, columns=(*others, f"options={column}") if why else ())
    assert chosen.found[0].options == ("Yes", "No", column)


@pytest.mark.parametrize(
    ("columns", "reader", "message"),
    [
        (["options=Yess", "options=No"], "table", r"has no column Yess; did you mean 'Yes'\?"),
        (["questoin=q"], "table", "did you mean 'question'"),
        (["options=Yes"], "chaosnli", "--columns with --reader chaosnli"),
        ([], "chaosnl", r"no such reader: 'chaosnl'; did you mean 'chaosnli'"),
    ],
)
def test_names_that_are_none(tmp_path, columns, reader, message):
    with pytest.raises(InputError, match=message):
        read_questions(write(tmp_path, WIDE + "Is it?,1,2\n"), reader, columns=columns)
