"""What ``data check`` says of a file."""

from __future__ import annotations

import json
from pathlib import Path

from probsense.tasks.choices.check import check_data


def test_counts_and_three_questions_from_all_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    rows = "".join(
        f"q{n},How is {n}?,{option},{count},{place},good,{group}\n"
        for n in range(5)
        for group in ("old", "young")
        for place, (option, count) in enumerate((("good", 20), ("bad", 5)))
    )
    path.write_text(f"question,text,option,count,order,gold,group\n{rows}")
    found = check_data(path)
    told = found.to_json()
    assert (told["items"], told["questions"], told["groups"]) == (10, 5, ["old", "young"])
    assert (told["with_gold"], told["scales"], told["with_raters"]) == (10, 10, 0)
    assert [name for name, *_ in found.shown] == ["q0/old", "q2/young", "q4/young"]
    said = str(found)
    assert said.startswith(
        "10 questions, 2 options each\nread as a row for each answer with its count (CSV separated by commas)\n"
        "note: 25 people answered each question\n"
    )
    assert "warning: the questions make 5 independent groups" in said
    assert "[Answer as a person of this group: old.]\nHow is 0?\n\nA. good\nB. bad\n" in said
    old = check_data(path, group="old")
    assert old.counts["items"] == 5
    assert str(old).endswith(
        f"probsense run choices --model builtin:tiny --data {path} --group old --method options"
    )


def test_a_folder_and_a_published_format_are_told(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("question,option,count\nq,yes,3\nq,no,2\n")
    assert check_data(tmp_path).read == "a row for each answer with its count (CSV separated by commas)"
    (tmp_path / "wide.tsv").write_text("question\tYes\tNo\nIs it?\t1\t2\n")
    assert check_data(tmp_path).read == "3 tables"
    path = tmp_path / "a.jsonl"
    pair = {
        "uid": "1",
        "example": {"obs1": "A.", "obs2": "B.", "hyp1": "C.", "hyp2": "D."},
        "label_count": [3, 1],
    }
    path.write_text(json.dumps(pair))
    assert check_data(path, reader="chaosnli").read == "the format chaosnli"


def test_questions_with_more_options_than_letters_are_shown_without(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("question,option,count\n" + "".join(f"q,option {n},1\n" for n in range(30)))
    assert str(check_data(path)).split("\n\n")[-2].endswith("q\nAnswer:")
