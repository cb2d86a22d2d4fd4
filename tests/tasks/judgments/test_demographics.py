"""Characteristics of people, in tables of all kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.errors import InputError
from probsense.tasks.judgments.demographics import read_demographics


def test_published_demographics_are_joined_by_the_number_of_the_response(tmp_path: Path) -> None:
    path = tmp_path / "demographics.csv"
    path.write_text("ResponseId,sex\n" + "".join(f"Response_{i},{'ab'[i > 5]}\n" for i in range(1, 11)))
    found = read_demographics(path, [str(i) for i in range(10)])
    assert found.groups["sex"].names == ("a", "b")
    assert found.groups["sex"].members[0].tolist() == [True] * 5 + [False] * 5
    assert "are taken for the people 0, 1" in found.notes[0]
    path.write_text("ResponseId,sex\nR_1,a\n")
    with pytest.raises(InputError, match="line 2: ResponseId is 'R_1'"):
        read_demographics(path, ["0"])
    path.write_text("person,age\n" + "".join(f"{i},{20 + i}\n" for i in range(40)))
    bands = read_demographics(path, [str(i) for i in range(40)]).groups["age"]
    assert bands.names == ("20–29", "30–39", "40–49", "50–59")
