"""Reading files that are packed, and packed files that are broken; text, JSON and YAML that are none."""

import bz2
import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.files import read_bytes, read_json, read_jsonl, read_text, read_yaml

LINES = b'{"a": 1}\n\n{"a": 2}\n' * 50


@pytest.mark.parametrize(
    ("name", "pack"), [("x.jsonl", bytes), ("x.jsonl.gz", gzip.compress), ("x.jsonl.bz2", bz2.compress)]
)
def test_packed_files_read_as_plain_ones(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(LINES))
    assert read_bytes(tmp_path / name) == LINES
    assert [record["a"] for _, record in read_jsonl(tmp_path / name)] == [1, 2] * 50
    (tmp_path / name.upper()).write_bytes(pack(LINES))
    assert read_bytes(tmp_path / name.upper()) == LINES


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
@pytest.mark.parametrize("harm", [lambda whole: whole[:-8], lambda whole: whole[:12] + whole[24:]])
def test_a_broken_packed_file_is_one_error(tmp_path, suffix, pack, harm):
    path = tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(harm(pack(LINES)))
    with pytest.raises(InputError, match="cannot be read"):
        read_bytes(path)
    with pytest.raises(InputError):
        list(read_jsonl(path))


@pytest.mark.parametrize("read", [read_text, read_json, read_yaml, lambda path: list(read_jsonl(path))])
def test_files_that_are_none(tmp_path, read):
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be read: it is a folder"):
        read(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / ("x" * 300))
    (tmp_path / "x").write_bytes(b"{}\n\xff")
    with pytest.raises(InputError, match="x, line 2: not UTF-8 text"):
        read(tmp_path / "x")


def test_text_has_the_line_breaks_of_python(tmp_path):
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(tmp_path / "x") == "a\nb\nc\n"


def test_a_key_that_stands_twice(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"a": {"b": 2}, "b": 1}')
    assert read_json(path, keys_once=True) == {"a": {"b": 2}, "b": 1}
    path.write_text('\ufeff{"a": {"b": 1, "b": 2}}', encoding="utf-8")
    assert read_json(path) == {"a": {"b": 2}}
    with pytest.raises(InputError, match=r"x\.json: 'b' stands twice \(expected each key once\)"):
        read_json(path, keys_once=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"line 1: not valid JSON: .* \(expected a list\)"),
        ('{"a": 1}\n{}', "line 2: not valid JSON: Extra data .expected JSON lines only in a file named"),
        ("[" * 100_000, "not valid JSON: "),
        ("1" * 5000, "not valid JSON: "),
    ],
)
def test_what_is_no_json(tmp_path, content, message):
    (tmp_path / "x").write_text(content)
    with pytest.raises(InputError, match=message):
        read_json(tmp_path / "x", expected="a list")


@pytest.mark.parametrize(
    "content",
    ["!!int ''", "!!bool x", "!!timestamp x", "2001-13-45", "!!float ''", "? [a]\n: b", '"\\U00110000"'],
)
def test_values_that_yaml_cannot_make(tmp_path, content):
    (tmp_path / "x").write_text(content)
    with pytest.raises(InputError, match="YAML"):
        read_yaml(tmp_path / "x")


@given(
    st.binary()
    | st.text().map(str.encode)
    | st.text("[]{}:,-!&*?|>'\"#%@ \n\tab01.x<=~", max_size=30).map(str.encode)
)
def test_any_bytes_are_read_or_one_line(fault_of, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(data)
        fault_of(lambda: read_text(path))
        fault_of(lambda: read_json(path))
        fault_of(lambda: read_yaml(path))
        fault_of(lambda: list(read_jsonl(path)))


def test_brackets_of_yaml_are_nested_a_hundred_deep_at_most(tmp_path):
    (tmp_path / "x").write_text("a:\n  " + "[" * 100 + "1" + "]" * 100)
    found = read_yaml(tmp_path / "x")["a"]
    for _ in range(100):
        (found,) = found
    assert found == 1
    (tmp_path / "x").write_text("a:\n  " + "[" * 101)
    with pytest.raises(InputError, match="x, line 2: not valid YAML: brackets nested more than 100 deep"):
        read_yaml(tmp_path / "x")


def test_json_lines_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "x.jsonl"
    for blank in ("", "\n", " \n"):
        path.write_text(f'\ufeff{blank}{{"a": 1}}\n', encoding="utf-8")
        assert [record for _, record in read_jsonl(path)] == [{"a": 1}]
    path.write_text('{"a": 1}\n\ufeff{"a": 2}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 2: not valid JSON"):
        list(read_jsonl(path))
