"""Tables in every format, and checks of their columns."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.files.tables import read_table

CSV = 'id,word,n\n1, a ,5\n,,\n2,"b\nc",\n\n3,d,x\n'


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(CSV)
    return read_table(path)


def test_columns_of_a_table(table):
    assert table.texts("word").to_list() == ["a", "b\nc", "d"]
    assert table.words("word", ("d", "b\nc", "a")).to_list() == ["a", "b\nc", "d"]
    assert table.whole_numbers("id").to_list() == [1, 2, 3]
    assert table.column("nothing", "word", expected="a word") == "word"
    table.columns("id", "n", expected="all")
    table.refuse_repeated(table.frame.select("id"))


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (lambda t: t.numbers("n"), "line 7: n is 'x' (expected a number)"),
        (lambda t: t.texts("n"), "line 4: n is empty (expected some text)"),
        (lambda t: t.words("word", ("a", "d")), r"line 4: word is 'b\nc' (expected one of a, d)"),
        (lambda t: t.columns("id", "wrd", expected="all"), "has no column wrd; did you mean 'word'?"),
        (
            lambda t: t.refuse_repeated(pl.DataFrame({"key": [7, 8, 7]})),
            "line 7: key 7 again, first on line 2 (expected each once)",
        ),
    ],
)
def test_what_an_error_says(table, check, expected):
    with pytest.raises(InputError) as raised:
        check(table)
    assert expected in str(raised.value)


def test_rows_taken_from_a_table_have_their_lines_in_the_file(table):
    part = table.taken([2, 0], ["id"], n=["x", "7"]).taken([0], ["n"])
    with pytest.raises(InputError, match="line 7: n is 'x'"):
        part.numbers("n")


def test_columns_left_out_are_named_unless_they_may_be_weights(tmp_path):
    (tmp_path / "t.csv").write_text("id,word,weight,age\n1,a,2.5,30\n2,b,3,40\n")
    table = read_table(tmp_path / "t.csv")
    assert table.left_out(("id", "weight"), "") == ("the columns word, age",)
    for known, any_number, name in ((("id", "word"), False, "weight"), (("id", "weight"), True, "age")):
        with pytest.raises(InputError, match=rf"column {name} holds numbers that .* \(expected x\)"):
            table.left_out(known, "x", any_number=any_number)


def test_every_format_reads_the_same(tmp_path):
    rows = [{"a": "1", "b": "x"}, {"a": None, "b": "y"}, {"a": "3", "b": None}]
    frame = pl.DataFrame(rows)
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "t.jsonl").write_text(lines)
    (tmp_path / "t.ndjson.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "t.JSON").write_text('[{"a": 1, "b": "x"}, {"b": "y", "a": null}, {"a": "3"}, {}]')
    for path in tmp_path.iterdir():
        assert read_table(path).frame.equals(frame), path
    frame.write_parquet(tmp_path / "t.parquet.gz")
    with pytest.raises(InputError, match="cannot be read: Not a gzipped file"):
        read_table(tmp_path / "t.parquet.gz")
    (tmp_path / "t.json").write_text('[{"a": [1, 2]}, 7]')
    with pytest.raises(InputError, match=r"\[1\] is 7 \(expected an object\)"):
        read_table(tmp_path / "t.json")


@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson"])
def test_names_of_columns_have_no_white_space_around_them(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    getattr(pl.DataFrame({" id": ["1"], "word ": ["a"]}), f"write_{ending}")(path)
    assert read_table(path).frame.columns == ["id", "word"]
    getattr(pl.DataFrame({" id": ["1"], "id": ["2"]}), f"write_{ending}")(path)
    with pytest.raises(InputError, match="the column 'id' stands twice"):
        read_table(path)


@given(
    st.sampled_from([".csv", ".jsonl", ".parquet", ".csv.gz", ".txt"]),
    st.binary() | st.text().map(str.encode),
)
def test_any_bytes_are_a_table_or_one_line(fault_of, ending, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{ending}"
        path.write_bytes(data)
        fault_of(lambda: _read(path))


def _read(path):
    table = read_table(path)
    for name in table.frame.columns:
        table.numbers(name)
        table.texts(name)


@pytest.mark.parametrize(("text", "number"), [("1,204", 1204), ("12,345,678", 12345678), ("7", 7)])
def test_commas_between_thousands_are_read_in_whole_numbers(tmp_path, text, number):
    (tmp_path / "t.csv").write_text(f'n,m\n"{text}","0,452"\n')
    table = read_table(tmp_path / "t.csv")
    assert table.whole_numbers("n").to_list() == [number]
    with pytest.raises(InputError, match="line 2: m is '0,452'"):
        table.whole_numbers("m")


def test_na_is_a_missing_number_but_a_text_like_any_other(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,country\nNA,NA\n2,DE\n")
    found = read_table(path)
    assert found.numbers("n").to_list() == [None, 2.0]
    assert found.values("country").to_list() == found.texts("country").to_list() == ["NA", "DE"]


def test_cells_that_can_be_separated_in_two_ways_are_asked_about(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b,c\n1;2,3\n")
    with pytest.raises(InputError, match="line 1: cells can be separated by commas or by semicolons"):
        read_table(path)
    path.write_text('"a;b",c\n1;2,3\n')
    assert read_table(path).frame.rows() == [("1;2", "3")]
    path.write_text("a;b,c\n1,2\n")
    assert read_table(path).frame.columns == ["a;b", "c"]
    path = tmp_path / "t.tsv"
    path.write_text("a,b\tc\n1,2\t3\n")
    assert read_table(path).frame.rows() == [("1,2", "3")]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b'word,n\ra,\r\r,\r"b\rc",1\r', [2, 5]),
        (b'\xef\xbb\xbfword,n\r\r\na,\r\r\n"b\rc",1\r\r\n', [3, 5]),
    ],
)
def test_a_bare_carriage_return_ends_a_line(tmp_path, data, lines):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    assert read_table(path).frame.rows() == [("a", None), ("b\rc", "1")]
    assert read_table(path).lines == lines
    path.write_bytes(b"a,b\r1,2\r3\r")
    with pytest.raises(InputError, match=r"line 3: 1 cells \(expected 2, as many as columns\)"):
        read_table(path)


def test_a_name_in_another_case_is_refused(table):
    table.refuse_other_case("id", "words", expected="an id")
    with pytest.raises(InputError, match=r"t\.csv: has a column n; did you mean 'N'\? \(expected an N\)"):
        table.refuse_other_case("id", "N", expected="an N")


CELL = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(
    lambda text: text == text.strip()
)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=4), st.sampled_from(",;\t"), st.booleans())
def test_any_separator_and_encoding_gives_the_same_table(rows, separator, wide):
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(stream.getvalue().encode("utf-16" if wide else "utf-8-sig"))
        table = read_table(path)
        assert table.frame.rows() == rows
        assert table.lines == [*range(2, len(rows) + 2)]


@pytest.mark.parametrize(("separator", "called"), [(";", "semicolons"), ("\t", "tabs")])
def test_decimal_commas_are_numbers_only_where_no_comma_separates(tmp_path, separator, called):
    path = tmp_path / "t.csv"
    path.write_text(f"x{separator}text\n-1,5{separator}a,b\n,25{separator}1,5\n2,5e3{separator}c\n")
    table = read_table(path)
    assert table.how == (f"CSV separated by {called}",)
    assert table.numbers("x").to_list() == [-1.5, 0.25, 2500.0]
    assert table.texts("text").to_list() == ["a,b", "1,5", "c"]
    path.write_text('x,y\n"1,5",2\n')
    with pytest.raises(InputError, match=r"line 2: x is '1,5' \(expected a number\)"):
        read_table(path).numbers("x")


@pytest.mark.parametrize(("ending", "kind"), [(".sav", "SPSS"), (".xlsx", "XLSX")])
def test_a_missing_reader_is_named(tmp_path, monkeypatch, ending, kind):
    monkeypatch.setattr("probsense.core.files.tables.find_spec", lambda name: None)
    (tmp_path / f"t{ending}").touch()
    with pytest.raises(InputError, match=rf"{kind} needs another package .*pip install .*\[tables\]"):
        read_table(tmp_path / f"t{ending}")


QUALTRICS = (
    'ResponseId,Q1_1,Q1_2\nResponse ID,"Do you agree?\n- Cats purr.",Do you agree? - Dogs purr.\n'
    '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}"\nR_1,1,0\nR_2,x,1\n'
)


def test_the_rows_below_the_names_of_qualtrics_are_no_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(QUALTRICS)
    table = read_table(path)
    assert table.frame["ResponseId"].to_list() == ["R_1", "R_2"]
    assert table.asked["Q1_1"] == "Do you agree?\n- Cats purr."
    assert table.how == ("CSV separated by commas", "with the three header rows of Qualtrics")
    with pytest.raises(InputError, match="line 6: Q1_1 is 'x'"):
        table.numbers("Q1_1")
    header, asked, _, *rows = QUALTRICS.replace("agree?\n-", "agree? -").splitlines()
    path.write_text("\n".join([header, asked, *rows]))
    assert read_table(path).how[1] == "with the two header rows of Qualtrics"
    assert read_table(path).lines == [3, 4]
    path.write_text(QUALTRICS.replace('"{""ImportId"":""QID1_2""}"', "0").replace("Response ID", "The ID"))
    assert read_table(path).frame.height == 4


def workbook(path, **sheets):
    pytest.importorskip("fastexcel", reason="no reader of XLSX")
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="no writer of XLSX")
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for row, cells in enumerate(rows):
                sheet.write_row(row, 0, cells)
    return path


def test_a_sheet_gives_its_texts_and_says_if_there_are_others(tmp_path):
    data = [("person", "q1_0", "x"), ("ann", 1, 0.5), ("bob", 0, None)]
    table = read_table(workbook(tmp_path / "t.xlsx", data=data, notes=[]))
    assert table.frame.rows() == [("ann", "1", "0.5"), ("bob", "0", None)]
    assert table.how == ("XLSX, the sheet 'data' alone of 2",)


def test_two_header_rows_of_surveymonkey_are_one_in_every_kind(tmp_path):
    rows = [["Who", "Cold?", "Like?", ""], ["", "Response", "Red", "Blue"], ["1", "Yes", "", "Blue"]]
    with (tmp_path / "t.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    names = ["Who", "Cold?", "Like? [Red]", "Like? [Blue]"]
    table = read_table(tmp_path / "t.csv")
    assert table.frame.columns == names
    assert table.frame.rows() == [("1", "Yes", None, "Blue")]
    assert table.lines == [3]
    assert read_table(workbook(tmp_path / "t.xlsx", answers=rows)).frame.equals(table.frame)


def test_spss_gives_values_by_their_labels_and_questions_by_those_of_columns(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="no reader of SPSS")
    pandas = pytest.importorskip("pandas", reason="no writer of SPSS")
    path = tmp_path / "t.sav"
    frame = pandas.DataFrame({"person": ["ann", "bob", "cy"], "v1": [1.0, 2.0, None], "v2": [0.5, 1.0, 7.0]})
    pyreadstat.write_sav(
        frame,
        path,
        column_labels=["", "Do you agree? - Cats purr.", ""],
        variable_value_labels={"v1": {1: "ja", 2: "nein"}, "v2": {7: "refused"}},
        missing_ranges={"v2": [{"lo": 6, "hi": 9}]},
    )
    table = read_table(path)
    assert table.frame.rows() == [("ann", "ja", "0.5"), ("bob", "nein", "1"), ("cy", None, None)]
    assert table.asked == {"v1": "Do you agree? - Cats purr."}
    assert (table.labels["v1"], table.labels["v2"]) == (["ja", "nein"], [])
    path.write_bytes(path.read_bytes()[:90])
    with pytest.raises(InputError, match=r"t\.sav: not an SPSS file, or a broken one"):
        read_table(path)
