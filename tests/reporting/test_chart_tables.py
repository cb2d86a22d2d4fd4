"""Tables of charts as files: which of their columns may be empty is the business of the task that draws them."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from probsense import registry
from probsense.errors import InputError
from probsense.reporting.sources import find_chart
from probsense.show.chart import ChartKind
from probsense.show.theme import Spec
from probsense.show.words import Words


def draw(table: pl.DataFrame, width: int) -> Spec:
    """Draw nothing."""
    return {}


class Tides:
    """A task with a chart whose table has a number that may be unknown."""

    words: ClassVar[Words] = Words(
        title="Tides",
        charts={"tides": ChartKind("Tides", "", draw, ("place",), ("high", "spring"), unknown=("spring",))},
    )


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the task, and no other."""
    point = EntryPoint("tides", f"{__name__}:Tides", "probsense.tasks")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Tides)
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([point]))


def test_what_a_task_says_is_unknown_at_times_may_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "tides.csv"
    path.write_text("place,high,spring\nOstend,3.9,\nOban,2.9,3.8\n")
    assert find_chart("tides", [str(path)], tmp_path / "none.db").table["spring"].to_list() == [None, 3.8]


def test_any_other_column_must_be_full(tmp_path: Path) -> None:
    path = tmp_path / "tides.csv"
    path.write_text("place,high,spring\nOstend,,\n")
    with pytest.raises(InputError, match=r"tides\.csv, line 2: high is empty \(expected a number\)"):
        find_chart("tides", [str(path)], tmp_path / "none.db")
