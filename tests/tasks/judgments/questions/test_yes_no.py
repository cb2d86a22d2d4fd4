"""Yes and no in people's own words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.core.files.tables import Table, read_table
from probsense.tasks.judgments.questions.yes_no import Reading, ratings_of


def table(folder: Path, *cells: str) -> Table:
    path = folder / "t.csv"
    path.write_text("q1;x\n" + "".join(f"{cell};1\n" for cell in cells))
    return read_table(path)


@pytest.mark.parametrize(
    ("labels", "cells", "expected"),
    [
        ([], ["1", "no", "TRUE", "0,0", "", "NA"], [1, 0, 1, 0, None, None]),
        (["yes=ja|agree", "no=Nein"], ["Ja", "nein", "agree", ""], [1, 0, 1, None]),
        (["yes=1", "no=2", "none=-99|weiß nicht"], ["1.0", "2", "-99", "Weiß nicht"], [1, 0, None, None]),
        (["yes=NEIN", "no=ja"], ["nein", "ja"], [1, 0]),
    ],
)
def test_texts_are_ratings(
    tmp_path: Path, labels: Sequence[str], cells: Sequence[str], expected: list[int | None]
) -> None:
    assert ratings_of(table(tmp_path, *cells), "q1", Reading.of(labels, ())).to_list() == expected


def test_with_labels_only_they_count(tmp_path: Path) -> None:
    found = table(tmp_path, "ja", "yes")
    with pytest.raises(InputError, match=r"line 3: q1 is 'yes' \(expected one of ja, nein, as --labels says"):
        ratings_of(found, "q1", Reading.of(["yes=ja", "no=nein"], ()))
    with pytest.raises(InputError, match=r"line 2: q1 is 'ja' .*--labels yes=TEXT,no=TEXT names others"):
        ratings_of(found, "q1", Reading())


@pytest.mark.parametrize(
    ("labels", "columns", "message"),
    [
        (["ja"], [], r"--labels 'ja' \(expected yes=…, no=…, none=… joined by commas, each at most once\)"),
        (["oui=ja", "no=nein"], [], "--labels 'oui=ja'"),
        (["yes="], [], "--labels 'yes='"),
        (["yes=a", "yes=b"], [], "--labels 'yes=b'"),
        (["yes=a|b", "no=B"], [], r"--labels no=B \(expected each text once, and none empty\)"),
        (["yes=a||b", "no=c"], [], "each text once, and none empty"),
        (["yes=ja"], [], "--labels without yes or without no"),
        ([], ["q3=*"], r"--columns 'q3=\*' \(expected q1=…, q2=…"),
        ([], ["person=*"], r"--columns person=\* \(expected one \* where"),
        ([], ["q1=*_*"], r"--columns q1=\*_\*"),
    ],
)
def test_what_is_wrong_with_the_options_is_named(
    labels: Sequence[str], columns: Sequence[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Reading.of(labels, columns)
