"""Yes and no in people's own words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.core.files.tables import read_table
from probsense.tasks.judgments.questions.yes_no import Reading, ratings_of

ONE = "each text once, and none empty"


@pytest.mark.parametrize(
    ("labels", "cells", "expected"),
    [
        ([], ["1", "no", "TRUE", "0,0", "", "NA"], [1, 0, 1, 0, None, None]),
        (["yes=ja|agree", "no=Nein"], ["Ja", "nein", "agree", ""], [1, 0, 1, None]),
        (["yes=1", "no=2", "none=-99|weiß nicht"], ["1.0", "2", "-99", "Weiß nicht"], [1, 0, None, None]),
        (["yes=NEIN", "no=ja"], ["nein", "ja"], [1, 0]),
        (
            ["yes=ja", "no=nein"],
            ["ja", "yes"],
            r"line 3: q1 is 'yes' \(expected one of ja, nein, as --labels says",
        ),
        ([], ["ja"], r"line 2: q1 is 'ja' .*--labels yes=TEXT,no=TEXT names others"),
    ],
)
def test_texts_are_ratings(
    tmp_path: Path, labels: Sequence[str], cells: Sequence[str], expected: list[int | None] | str
) -> None:
    path, reading = tmp_path / "t.csv", Reading.of(labels, ())
    path.write_text("q1;x\n" + "".join(f"{cell};1\n" for cell in cells))
    if isinstance(expected, list):
        assert ratings_of(read_table(path), "q1", reading).to_list() == expected
    else:
        with pytest.raises(InputError, match=expected):
            ratings_of(read_table(path), "q1", reading)


@pytest.mark.parametrize(
    ("labels", "columns", "message"),
    [
        (["ja"], [], r"--labels 'ja' \(expected yes=…, no=…, none=… joined by commas, each at most once\)"),
        (["yes=a", "yes=b"], [], "--labels 'yes=b'"),
        (["yes=a|b", "no=B"], [], rf"--labels no=B \(expected {ONE}\)"),
        (["yes=ja"], [], "--labels without yes or without no"),
        ([], ["q3=*"], r"--columns 'q3=\*' \(expected q1=…, q2=…"),
        ([], ["person=*"], r"--columns person=\* \(expected one \* where"),
    ],
)
def test_what_is_wrong_with_the_options_is_named(
    labels: Sequence[str], columns: Sequence[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Reading.of(labels, columns)
