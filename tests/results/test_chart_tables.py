"""Tables of charts as files: the task that a table is of says how to draw it and which columns may be empty."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from probsense.core import registry
from probsense.core.errors import InputError
from probsense.results.charts import find_chart
from probsense.show.chart import ChartKind
from probsense.show.theme import Spec
from probsense.show.words import Words

NO_STORE = Path("none.db")


def draw(table: pl.DataFrame, width: int) -> Spec:
    """Draw nothing."""
    return {}


def kind(title: str) -> ChartKind:
    """Make a kind of chart whose table has a number that may be unknown."""
    return ChartKind(title, "", draw, ("place",), ("high", "spring"), unknown=("spring",))


class Tides:
    """A task with a chart."""

    words: ClassVar[Words] = Words(title="Tides", charts={"tides": kind("Tides")})


class Floods:
    """A task that draws tides in its own way."""

    words: ClassVar[Words] = Words(title="Floods", charts={"tides": kind("High water")})


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install tasks, and no others."""

    def install(**tasks: type) -> None:
        monkeypatch.setattr(EntryPoint, "load", lambda self: tasks[self.name])
        points = EntryPoints(EntryPoint(name, "", "probsense.tasks") for name in tasks)
        monkeypatch.setattr(registry, "entry_points", lambda group: points)

    return install


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table with an unknown number."""
    path = tmp_path / "tides.csv"
    path.write_text("place,high,spring\nOstend,3.9,\nOban,2.9,3.8\n")
    return str(path)


def test_what_a_task_says_is_unknown_at_times_may_be_empty(install: Callable[..., None], table: str) -> None:
    install(tides=Tides)
    assert find_chart("tides", [table], NO_STORE).table["spring"].to_list() == [None, 3.8]


def test_any_other_column_must_be_full(install: Callable[..., None], table: str) -> None:
    install(tides=Tides)
    Path(table).write_text("place,high,spring\nOstend,,\n")
    with pytest.raises(InputError, match=r"tides\.csv, line 2: high is empty \(expected a number\)"):
        find_chart("tides", [table], NO_STORE)


def test_a_table_that_two_tasks_draw_in_the_same_way_needs_no_task(
    install: Callable[..., None], table: str
) -> None:
    install(tides=Tides, harbours=Tides)
    assert find_chart("tides", [table], NO_STORE).title == "Tides"


def test_a_table_that_two_tasks_draw_differently_needs_the_name_of_one(
    install: Callable[..., None], table: str
) -> None:
    install(floods=Floods, tides=Tides)
    message = "tides of floods and of tides (expected floods.tides or tides.tides)"
    with pytest.raises(InputError, match=re.escape(message)):
        find_chart("tides", [table], NO_STORE)
    assert find_chart("floods.tides", [table], NO_STORE).title == "High water"
    assert find_chart("tides.tides", [str(Path(table).parent)], NO_STORE).title == "Tides"
