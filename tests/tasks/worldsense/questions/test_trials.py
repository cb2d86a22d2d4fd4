from __future__ import annotations

import bz2
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.worldsense.questions.format import GOLDS, HIDDEN, PROBLEMS
from probsense.tasks.worldsense.questions.trials import SCHEMA, read_trials

Record = dict[str, Any]


def tuple_of(problem: str, number: int) -> list[Record]:
    """The trials of one tuple, as the published files have them; keys are as large as real ones."""
    whole = {"descr": "[(0, 1)]", "query": "(0, 1)", "objects": ["lamp", "cup"], "query_len": 2}
    whole |= {"skin": "Old/Young", "qskin": "directQ1", "complexity": "Complexity_0"}
    return [
        {
            **whole,
            "Key": (1 if number % 2 else -1) * (2**62 + 10 * number + place),
            "problemname": problem,
            "tuple_ID": f"set_{number}",
            "text": f'Question {number}, "wording" {place}: ü, \\ and\nnew line ',
            "expectedresp": list(PROBLEMS[problem]),
            "span": None if problem == "Infer.parallel" else 2,
            "problemsize": 3 + number % 3,
            "goldresp_obfusc": HIDDEN[gold],
        }
        for place, gold in enumerate(PROBLEMS[problem])
    ]


def example(problems: list[str] | None = None) -> list[Record]:
    return [r for i, problem in enumerate(problems or list(PROBLEMS)) for r in tuple_of(problem, i)]


def write(folder: Path, records: list[Record] | bytes, packed: bool = True) -> Path:
    body = (
        records if isinstance(records, bytes) else b"".join(json.dumps(r).encode() + b"\n" for r in records)
    )
    path = folder / ("trials.jsonl.bz2" if packed else "trials.jsonl")
    path.write_bytes(bz2.compress(body) if packed else body)
    return folder


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("plain_gold", [True, False])
def test_trials_are_read_as_they_stand(tmp_path, packed, plain_gold):
    records = example()
    golds = [g for problem in PROBLEMS for g in PROBLEMS[problem]]
    records[0]["Key"], records[1]["Key"] = -(2**63), 2**63 - 1
    if plain_gold:
        records = [{**r, "goldresp": GOLDS[r["goldresp_obfusc"]], "goldresp_obfusc": 0} for r in records]
    frame = read_trials(write(tmp_path, records, packed))
    fields = {"key": "Key", "problem": "problemname", "tuple_id": "tuple_ID", "span": "span", "text": "text"}
    for column, field in fields.items():
        assert frame[column].to_list() == [r[field] for r in records]
    assert frame["gold"].to_list() == golds
    assert dict(frame.schema) == dict(SCHEMA)
    assert {GOLDS[word]: word for word in GOLDS} == HIDDEN


def change(line: int, at: int = 0, **fields: Any) -> tuple[list[Record], int]:
    """Records of which the one of a line is another, or lacks fields; and the line that is at fault."""
    records = example()
    records[line - 1] |= fields
    return [{k: v for k, v in r.items() if v is not ...} for r in records], at or line


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (change(3, Key=...), "Key is missing"),
        (change(4, tuple_ID=...), "tuple_ID is missing"),
        (change(5, goldresp_obfusc=...), "goldresp_obfusc is nothing"),
        (change(4, descr=[[0, 1]]), "descr is [[0, 1]]"),
        (change(4, objects=["Ann", 2]), "objects[1] is 2"),
        (change(2, Key=2**63), "Key is 9223372036854775808"),
        (change(6, tuple_ID=12), "tuple_ID is 12"),
        (change(6, skin=None), "skin is nothing"),
        (change(7, problemsize="3"), "problemsize is '3'"),
        (change(7, span=1.5), "span is 1.5"),
        (change(7, depth="two"), "depth is 'two'"),
        (change(8, problemname="Infer.other"), "problemname is 'Infer.other'"),
        (change(8, goldresp_obfusc="Nobody"), "goldresp_obfusc is 'Nobody'"),
        (change(2, goldresp_obfusc=HIDDEN["POSSIBLE"]), "gold is 'POSSIBLE'"),
        (change(2, goldresp="YES"), "gold is 'YES'"),
        (change(2, expectedresp=["FALSE", "TRUE"]), "expectedresp is ['FALSE', 'TRUE']"),
        (change(2, Key=example()[0]["Key"]), "again, first on line 1"),
        (change(4, problemsize=9), "tuple 'set_1' has problemsize 9"),
        (change(2, 1, goldresp_obfusc=HIDDEN["TRUE"]), "tuple 'set_0', which starts here, has the golds"),
        (change(2, 1, tuple_ID="set_1"), "tuple 'set_0', which starts here, has the golds TRUE"),
        (change(11, 9, goldresp_obfusc=HIDDEN["1"]), "'set_4', which starts here, has the golds 1, 2, 1"),
        (change(2, tuple_ID="\ud800"), "tuple_ID is '\\ud800'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, changed, found):
    records, line = changed
    folder = write(tmp_path, records)
    with pytest.raises(InputError) as caught:
        read_trials(folder)
    message = str(caught.value)
    assert f"trials.jsonl.bz2, line {line}: " in message
    assert found in message
    assert "(expected " in message
    assert "\n" not in message


GOOD = b"".join(json.dumps(r).encode() + b"\n" for r in example())


@pytest.mark.parametrize(
    ("name", "body", "found"),
    [
        ("trials.jsonl", b"", "holds no trials"),
        ("trials.jsonl", b"\n\n", "holds no trials"),
        ("trials.jsonl", GOOD + b'{"Key": 1', "line 19: not valid JSON"),
        ("other.jsonl", GOOD, "no trials found"),
        ("trials.jsonl/nowhere", None, "no such folder"),
    ],
)
def test_files_that_are_no_trials(tmp_path, name, body, found):
    if body is not None:
        (tmp_path / name).write_bytes(body)
    with pytest.raises(InputError, match=found):
        read_trials(tmp_path if body is not None else tmp_path / name)


NUMBERS = (0, 1, -3, 2**63, 2**70, 1.0, 2.5)
TEXTS = ("", "1", "12", "true", "x", "TRUE", "Yoda", "Mark", "set_0", "Compl.normal")
LISTS = ([], [1, 2, 3], ["1", "2", "3"], ["TRUE", "FALSE"], ["TRUE", None])
ODD = st.sampled_from([..., None, True, *NUMBERS, *TEXTS, *LISTS, {}, {"a": [1]}])


@given(
    problems=st.lists(st.sampled_from(sorted(PROBLEMS)), min_size=1, max_size=4),
    field=st.sampled_from([*tuple_of("Infer.normal", 0)[0], "goldresp"]),
    place=st.integers(0, 100),
    value=ODD,
)
def test_any_value_is_read_or_refused(tmp_path, problems, field, place, value):
    records = example(problems)
    records[place % len(records)][field] = value
    folder = write(tmp_path, [{k: v for k, v in r.items() if v is not ...} for r in records], packed=False)
    with suppress(InputError):
        assert dict(read_trials(folder).schema) == dict(SCHEMA)
