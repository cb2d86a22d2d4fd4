"""What ``data check`` says of frames."""

from __future__ import annotations

from pathlib import Path

from probsense.tasks.frames.check import check_data
from probsense.tasks.frames.questions.read import PACKAGED


def test_a_table_is_told_with_its_first_frames(tmp_path: Path) -> None:
    path = tmp_path / "frames.csv"
    answers = "".join(f"Who?,cook {n},{9 - n}\n" for n in range(7))
    path.write_text(f"question,answer,count\n{answers}Where?,here,2\nWhere?,,1\nWhen?,now,1\nWhy?,so,1\n")
    found = check_data(path)
    assert str(found) == "\n".join(
        (
            "4 frames with 46 answers of people, 10 different; 0 frames without answers, 0 with clusters",
            "read as a row for each answer with its count (CSV separated by commas)",
            "left out: rows without an answer (1)",
            "",
            "── Who? ──",
            "Who?",
            "cook 0 (9), cook 1 (8), cook 2 (7), cook 3 (6), cook 4 (5), 2 more",
            "",
            "── Where? ──",
            "Where?",
            "here (2)",
            "",
            "── When? ──",
            "When?",
            "now (1)",
            "",
            f"go on with: probsense run frames --model builtin:tiny --data {path}",
        )
    )
    assert found.to_json()["frames"] == 4


def test_lines_are_told_with_frames_that_nobody_answered(tmp_path: Path) -> None:
    path = tmp_path / "frames.jsonl"
    path.write_text('{"id": "kite", "context": "A kite is torn.", "question": "By what?"}\n')
    found = check_data(path)
    assert (found.read, found.counts["without_answers"]) == ("JSON lines", 1)
    assert found.shown == [("kite", "A kite is torn. By what?\nno answers of people")]
    assert found.notes == ["frames without answers of people are asked, and compared with nothing"]
    assert check_data(PACKAGED).notes == ["nobody gave the answers to 36 frames, as the file says"]
