"""Files of prefixes and of distributions."""

from __future__ import annotations

import bz2
import csv
import io
import json
from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.core.records import ScoreRequest
from probsense.models.small.random import RandomModel
from probsense.runs.score import as_csv, check_out, read_requests, score_many, write_distributions

REQUESTS = [
    ScoreRequest("The sky is", (" blue", " yellow-\npink"), ".", item="x"),
    ScoreRequest(' a "b",', (" c", " d", "é"), "", item="2"),
]
ENTRIES = [
    {"id": "x", "prefix": "The sky is", "options": [" blue", " yellow-\npink"], "suffix": "."},
    {"prefix": ' a "b",', "options": [" c", " d", "é"], "comment": 5},
]
CSV = (
    "id,prefix,option1,option2,option10,suffix,comment\r\n"
    'x,The sky is, blue," yellow-\npink",,.,\r\n'
    '2," a ""b"",", c, d,é,,5\r\n'
)


@pytest.mark.parametrize("name", ["in.jsonl", "in.json", "in.csv", "in.jsonl.bz2", "in.csv.bz2", "in"])
def test_every_format_reads_the_same(tmp_path: Path, name: str) -> None:
    texts = {
        ".csv": "\ufeff" + CSV,
        ".json": json.dumps(ENTRIES),
    }
    text = texts.get(Path(name.removesuffix(".bz2")).suffix, "\n\n".join(map(json.dumps, ENTRIES)))
    path = tmp_path / name
    path.write_bytes(bz2.compress(text.encode()) if name.endswith("bz2") else text.encode())
    found = read_requests(path)
    assert found == REQUESTS
    assert [request.item for request in found] == ["x", "2"]


BAD: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "no such file": ("", b"", ("no such file",)),
    "empty": ("a.jsonl", b"", ("nothing to score",)),
    "empty list": ("a.json", b"[]", ("nothing to score",)),
    "empty csv": ("a.csv", b"", ("line 1", "option1")),
    "header alone": ("a.csv", b"prefix,option1\n", ("nothing to score",)),
    "malformed line": ("a.jsonl", b'{"prefix": "a", "options": ["b"]}\n{"prefix"\n', ("line 2",)),
    "malformed json": ("a.json", b'[{"prefix": "a"', ("not valid JSON",)),
    "an object": ("a.json", b'{"prefix": "a"}', ("a list of",)),
    "a list of texts": ("a.json", b'["a"]', ("a list of",)),
    "not UTF-8": ("a.jsonl", b"\xff\xfe\x00", ("line 1", "UTF-8")),
    "csv not UTF-8": ("a.csv", b"prefix,option1\n\xff\0,\xff\n", ("UTF-8",)),
    "json not UTF-8": ("a.json", b"\xff\xfe", ("UTF-8",)),
    "binary csv": ("a.csv", b"\x89PNG\r\n\x1a\n\x00", ("a.csv",)),
    "no prefix": ("a.jsonl", b'{"options": ["b"]}', ("line 1", "'prefix'")),
    "no options": ("a.json", b'[{"prefix": "a"}]', ("entry 1", "'options'")),
    "options as text": ("a.jsonl", b'{"prefix": "a", "options": "b"}', ("line 1", "a list of texts")),
    "an option as number": (
        "a.jsonl",
        b'{"prefix": "a", "options": ["b", 2]}',
        ("line 1", "2 is not a text"),
    ),
    "suffix NaN": ("a.jsonl", b'{"prefix": "", "options": ["b"], "suffix": NaN}', ("line 1", "nan is no")),
    "id as list": ("a.jsonl", b'{"id": [], "prefix": "a", "options": ["b"]}', ("line 1", "id is []")),
    "id twice": (
        "a.jsonl",
        b'{"id": 5, "prefix": "a", "options": ["b"]}\n{"id": "5", "prefix": "", "options": ["b"]}',
        ("line 2", "id is '5' again, first on line 1"),
    ),
    "misspelt suffix": (
        "a.jsonl",
        b'{"prefix": "a", "options": ["b"], "sufix": "."}',
        ("line 1", "did you mean 'suffix'"),
    ),
    "csv without options": ("a.csv", b"prefix,suffix\na,b\n", ("line 1", "option1")),
    "csv with a column twice": (
        "a.csv",
        b"prefix,prefix,option1\na,b,c\n",
        ("line 1", "'prefix' stands twice"),
    ),
    "csv with a cell too many": ("a.csv", b"prefix,option1\na,b\na,b,c\n", ("line 3", "cells")),
    "csv with a cell too few": ("a.csv", b"prefix,option1\na\n", ("line 2", "cells")),
    "csv without an end of quotes": ("a.csv", b'prefix,option1\n"a,b\n', ("line 2",)),
    "csv with empty options": ("a.csv", b"prefix,option1\na,\n", ("line 2", "no options")),
}


@pytest.mark.parametrize("fault", BAD)
def test_faults_are_named_with_their_place(tmp_path: Path, fault: str) -> None:
    name, content, parts = BAD[fault]
    path = tmp_path / (name or "nothing.jsonl")
    if name:
        path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_requests(path)
    message = str(raised.value)
    assert len(message.splitlines()) == 1
    assert message.startswith(str(path))
    for part in parts:
        assert part in message


def test_rows_have_what_the_distributions_say(tmp_path: Path) -> None:
    found = score_many(RandomModel("random", 0), REQUESTS)
    rows = list(csv.DictReader(io.StringIO(as_csv(found, ("sum", "partial", "pmi")))))
    assert list(rows[0]) == ["id", "option", "logprob", "tokens", "p.sum", "p.partial"]
    assert [row["option"] for row in rows] == [*REQUESTS[0].options, *REQUESTS[1].options]
    assert [float(row["p.sum"]) for row in rows[:2]] == found[0].probabilities.tolist()
    assert [float(row["logprob"]) for row in rows[2:]] == found[1].logprobs.tolist()
    assert [bool(row["p.partial"]) for row in rows] == [True, True, False, False, False]


def test_files_are_written_in_the_format_of_their_ending(tmp_path: Path) -> None:
    found = score_many(RandomModel("random", 0), REQUESTS)
    write_distributions(tmp_path / "new" / "out.csv", found, ("sum",))
    assert (tmp_path / "new" / "out.csv").read_text(encoding="utf-8") == as_csv(found, ("sum",))
    write_distributions(tmp_path / "out.jsonl", found, ("sum",))
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [one.to_json() for one in found]
    with pytest.raises(InputError, match=r"\.csv or \.jsonl"):
        check_out(tmp_path / "out.txt")
