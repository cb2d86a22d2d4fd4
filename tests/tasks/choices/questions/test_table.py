"""Neutral tables: what is read, and one clear error for each way in which a table can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.tasks.choices.questions.read import read_questions

LONG = """question,text,option,count,gold,cluster,context
q1,Is it cold?,Yes,7,Yes,c1,It snows.
q1,Is it cold?,No,3,Yes,c1,It snows.
q2,Is it late?,Yes,0,,,
q2,Is it late?,No,5,,,
"""


def write(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_long_table_gives_questions_in_the_order_of_the_file(tmp_path: Path) -> None:
    first, second = read_questions(write(tmp_path, LONG)).found
    assert (first.id, first.text, first.options, first.counts, first.people) == (
        "q1",
        "Is it cold?",
        ("Yes", "No"),
        (7.0, 3.0),
        10.0,
    )
    assert (first.gold, first.cluster, first.context) == (0, "c1", "It snows.")
    assert (second.gold, second.cluster, second.counts) == (None, "q2", (0.0, 5.0))


def test_a_wide_table_has_a_column_for_each_option(tmp_path: Path) -> None:
    text = "question,text,Yes,No,Perhaps\nq1,Cold?,7,3,0\nq2,Late?,1,2,\n"
    first, second = read_questions(write(tmp_path, text)).found
    assert (first.options, first.counts) == (("Yes", "No", "Perhaps"), (7.0, 3.0, 0.0))
    assert (second.options, second.counts) == (("Yes", "No"), (1.0, 2.0))


def test_a_row_a_rater_splits_the_weight_of_who_chose_twice(tmp_path: Path) -> None:
    text = "question,option,rater\nq,a,1\nq,b,2\nq,a,2\nq,a,3\nq,c,\n"
    (one,) = read_questions(write(tmp_path, text)).found
    assert (one.options, one.counts, one.people) == (("a", "b", "c"), (2.5, 0.5, 0.0), 3.0)


def test_shares_are_counts_where_it_is_known_how_many_answered(tmp_path: Path) -> None:
    text = "question,option,share,people\nq,a,.3,50\nq,b,.7,50\nr,a,.34,\nr,b,.33,\nr,c,.34,\n"
    known, unknown = read_questions(write(tmp_path, text)).found
    assert known.counts == pytest.approx((15, 35))
    assert known.people == 50
    assert unknown.people is None
    assert sum(unknown.counts) == pytest.approx(1)


def test_a_scale_and_groups(tmp_path: Path) -> None:
    text = "question,option,count,order,group\n" + "".join(
        f"q,{option},{count},{order},{group}\n"
        for group in ("young", "old")
        for option, count, order in (("low", 1, 1), ("mid", 2, 2), ("high", 3, 5))
    )
    young, old = read_questions(write(tmp_path, text)).found
    assert young.order == (1, 2, 5)
    assert (young.key, old.key, young.cluster) == ("q/young", "q/old", "q")
    assert read_questions(tmp_path / "data.csv", groups=["old"]).found == [old]
    with pytest.raises(
        InputError, match=r"no group 'odl'; did you mean 'old'\? \(expected one of young, old\)"
    ):
        read_questions(tmp_path / "data.csv", groups=["odl"])


def test_an_option_can_be_dropped_with_who_chose_it(tmp_path: Path) -> None:
    text = "question,option,count,gold\nq,a,1,b\nq,b,2,b\nq,Refused,3,b\nr,a,4,\nr,refused,1,\n"
    path = write(tmp_path, text)
    assert read_questions(path).found[0].options == ("a", "b", "Refused")
    (one,) = read_questions(path, drop=["REFUSED"]).found  # r has one option left, and is none any more
    assert (one.options, one.counts, one.people, one.gold) == (("a", "b"), (1.0, 2.0), 3.0, 1)
    with pytest.raises(InputError, match="no option 'Refusd' to drop; did you mean 'Refused'"):
        read_questions(path, drop=["Refusd"])


HEAD = "question,option,count\n"
WRONG = {
    "no header": ("", "is empty"),
    "no rows": (HEAD, "holds no rows"),
    "no question": ("option,count\na,1\n", "has no column question"),
    "no option": ("question,count\nq,1\n", "has no column answer"),
    "no count": ("question,text,option\nq,t,a\n", r"has no column count.*share with people, or person"),
    "upper case": ("question,Text,option,count\nq,t,a,1\n", "has a column Text; did you mean 'text'"),
    "a column twice": ("question,option,count,count\nq,a,1,1\n", "the column 'count' stands twice"),
    "count and share": ("question,option,count,share\nq,a,1,1\n", "the columns count and share"),
    "negative": (HEAD + "q,a,1\nq,b,-2\n", r"line 3: count is '-2' \(expected a whole number from 0"),
    "a fraction": (HEAD + "q,a,1.5\nq,b,2\n", "line 2: count is '1.5'"),
    "too large": (HEAD + "q,a,1e300\nq,b,2\n", "line 2: count is '1e300'"),
    "empty question": (HEAD + ",a,1\nq,b,2\n", "line 2: question is empty"),
    "empty option": (HEAD + "q,a,1\nq,,2\n", "line 3: option is empty"),
    "one option": (HEAD + "q,a,1\n", "line 2: a question with 1 option "),
    "option twice": (HEAD + "q,a,1\nq,b,1\nq,a,2\n", "line 4: question q, option a again, first on line 2"),
    "option twice, read as one": (
        HEAD + "q,Not at all,1\nq,b,1\nq,not  AT all,2\n",
        "line 4: question q, option not at all again, first on line 2",
    ),
    "nobody": (HEAD + "q,a,0\nq,b,0\n", "line 2: nobody answered question 'q'"),
    "two texts": (
        "question,text,option,count\nq,One,a,1\nq,Two,b,1\n",
        "line 3: text is 'Two', but 'One' on line 2",
    ),
    "two clusters": ("question,cluster,option,count\nq,1,a,1\nq,2,b,1\n", "line 3: cluster is '2'"),
    "gold that is no option": (
        "question,option,count,gold\nq,Yes,1,Yess\nq,No,1,Yess\n",
        "line 2: gold is 'Yess'; did you mean 'Yes'",
    ),
    "order without a number": (
        "question,option,count,order\nq,a,1,first\nq,b,1,2\n",
        "line 2: order is 'first'",
    ),
    "order of some": (
        "question,option,count,order\nq,a,1,\nq,b,1,2\n",
        "order is known of some options only",
    ),
    "order twice": ("question,option,count,order\nq,a,1,2\nq,b,1,2\n", "order is the same for two options"),
    "share above 1": ("question,option,share\nq,a,1.2\nq,b,.1\n", "line 2: share is '1.2'"),
    "share below 0": ("question,option,share\nq,a,-.2\nq,b,.1\n", "line 2: share is '-.2'"),
    "shares of nobody": (
        "question,option,share\nq,a,.2\nq,b,.1\n",
        r"line 2: shares that sum to 0.3 \(expected 1",
    ),
    "people of 0": ("question,option,share,people\nq,a,.2,0\nq,b,.8,0\n", "line 2: people is '0'"),
    "people that differ": (
        "question,option,share,people\nq,a,.2,5\nq,b,.8,6\n",
        "line 3: people is '6', but '5' on line 2",
    ),
    "people that are others": (
        "question,option,count,people\nq,a,2,5\nq,b,8,5\n",
        "people is 5, and the counts sum to 10",
    ),
    "rater with a count": ("question,option,rater,count\nq,a,1,2\nq,b,2,1\n", "line 2: count is '2'"),
    "rater twice": (
        "question,option,rater\nq,a,1\nq,b,2\nq,a,1\n",
        "line 4: question q, rater 1, option a again",
    ),
    "option in two spellings": (
        "question,option,rater\nq,Yes,1\nq,yes,2\nq,No,3\n",
        "line 3: option is 'yes', but 'Yes' on line 2",
    ),
    "ragged": (HEAD + "q,a,1\nq,b\n", "line 3: 2 cells"),
    "an open quote": (HEAD + 'q,"a,1\n', "not valid CSV"),
    "wide without options": ("question,text\nq,t\n", "has no column answer"),
    "wide with a fraction": ("question,Yes,No\nq,1,2.5\n", "line 2: No is '2.5'"),
    "wide with a text": ("question,Yes,No\nq,1,two\n", "line 2: No is 'two'"),
    "wide with a question twice": (
        "question,Yes,No\nq,1,2\nq,3,4\n",
        "line 3: question q again, first on line 2",
    ),
    "wide with two options read as one": (
        "question,Yes,YES\nq,1,2\n",
        "line 2: question q, option yes again, first on line 2",
    ),
    "wide with one answer": ("question,Yes,No\nq,1,\n", "line 2: a question with 1 option "),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_table_gets_one_error_with_its_place(tmp_path: Path, name: str) -> None:
    text, expected = WRONG[name]
    with pytest.raises(InputError, match=expected) as caught:
        read_questions(write(tmp_path, text))
    assert str(tmp_path / "data.csv") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_not_there_gets_one_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no data in this folder"):
        read_questions(tmp_path)
    with pytest.raises(InputError, match=r"no such reader: 'chaosnl'; did you mean 'chaosnli'"):
        read_questions(tmp_path, "chaosnl")  # type: ignore[arg-type]


def test_the_same_question_in_two_files_is_told_apart_by_their_names(tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        write(tmp_path, LONG, name)
    assert [one.key for one in read_questions(tmp_path).found] == ["one/q1", "one/q2", "two/q1", "two/q2"]


def test_a_folder_of_folders_is_read_as_data_get_leaves_it(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, LONG, f"{name}.csv")
    assert [one.data for one in read_questions(tmp_path).found] == ["one", "one", "two", "two"]


@pytest.mark.parametrize(
    ("column", "cells", "why"),
    [
        ("n", (15, 7, 12), "is named like"),
        ("survey_year", (2019, 2019, 2020), "is named like"),
        ("k", (15, 7, 12), "is the sum of the others"),
        ("k", (2019, 2019, 2020), "holds numbers like years"),
        ("k", (1, 2, 3), "counts the rows"),
        ("k", (100, 100, 100), "is 100 in every row"),
        ("Unsure", (2, 0, 9), ""),
    ],
)
def test_a_column_is_an_option_where_nothing_speaks_against_it(
    column: str, cells: tuple[int, int, int], why: str, tmp_path: Path
) -> None:
    rows = zip(("Is it?,10,5", "Do you?,3,4", "Will you?,3,9"), cells, strict=True)
    path = write(tmp_path, f"question,Yes,No,{column}\n" + "".join(f"{row},{cell}\n" for row, cell in rows))
    if why:
        with pytest.raises(
            InputError, match=f"the column {column} {why}.*--columns 'options=Yes' --columns 'options=No'"
        ):
            read_questions(path)
        assert read_questions(path, columns=("options=Yes", "options=No")).found[0].counts == (10, 5)
        assert read_questions(path, columns=("options=Yes", "options=No")).dropped == [f"the column {column}"]
    assert read_questions(path, columns=("options=Yes", "options=No", f"options={column}")).found[
        0
    ].options == ("Yes", "No", column)


def test_options_are_columns_of_a_table(tmp_path: Path) -> None:
    path = write(tmp_path, "question,Yes,No\nIs it?,1,2\n")
    with pytest.raises(InputError, match=r"has no column Yess; did you mean 'Yes'\?"):
        read_questions(path, columns=("options=Yess", "options=No"))
    with pytest.raises(InputError, match="--columns with --reader chaosnli"):
        read_questions(path, "chaosnli", columns=("options=Yes", "options=No"))


def test_numbers_beside_answers_count_or_are_refused(tmp_path: Path) -> None:
    rows = "question,option,rater,{}\nIs it?,Yes,ann,{}\nIs it?,No,bob,{}\n"
    for name, cells in (("wt", ("1.5", "0.5")), ("k", ("12 %", "4"))):
        with pytest.raises(InputError, match=f"the column {name} holds numbers that would not count"):
            read_questions(write(tmp_path, rows.format(name, *cells)))
    path = write(tmp_path, rows.format("sure", "very", ""))
    assert read_questions(path).found[0].counts == (1, 1)
    assert read_questions(path).dropped == ["the column sure"]
