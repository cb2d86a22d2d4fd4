"""Tables made of rows, some at a time."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.tasks.shared import row_table as module
from probsense.tasks.shared.row_table import row_table

SCHEMA = {"name": pl.String, "value": pl.Float64}
ROWS = st.lists(
    st.tuples(st.none() | st.text(max_size=3), st.none() | st.floats(allow_nan=False)), max_size=9
)


@given(ROWS)
def test_the_parts_make_the_whole(rows: list[tuple[str | None, float | None]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", 2)
        found = row_table(iter(rows), SCHEMA)
    assert found.schema == SCHEMA
    assert found.rows() == rows


def test_rows_are_made_when_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 10)
    alive: list[int] = []
    most = 0

    class Name(str):
        def __init__(self, text: str) -> None:
            nonlocal most
            alive.append(1)
            most = max(most, len(alive))

        def __del__(self) -> None:
            alive.pop()

    assert row_table(((Name(str(i)), 1.0) for i in range(100)), SCHEMA).height == 100
    assert most <= 22
