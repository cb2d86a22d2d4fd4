"""The notebook of the documentation runs from its first cell to its last, and is kept without outputs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

pytestmark = pytest.mark.slow
PATH = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def kept() -> Any:
    return nbformat.read(PATH, as_version=4)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("notebook")
    book = nbformat.read(PATH, as_version=4)
    client = nbclient.NotebookClient(
        book, kernel_name="python3", timeout=300, resources={"metadata": {"path": str(folder)}}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROBSENSE_CACHE", str(folder / "cache"))
        client.execute()  # an error in a cell is raised
    return book


def test_it_is_kept_without_outputs(kept: Any) -> None:
    nbformat.validate(kept)
    for cell in kept.cells:
        assert cell.cell_type != "code" or (cell.outputs, cell.execution_count) == ([], None)


def outputs(book: Any, start: str) -> list[Any]:
    """Return the outputs of the cell whose last line is so, or begins so if it is a call."""
    last = {cell.source.splitlines()[-1]: cell for cell in book.cells if cell.cell_type == "code"}
    (cell,) = [
        last[line] for line in last if line == start or (start.endswith("(") and line.startswith(start))
    ]
    return [one for one in cell.outputs if one.get("name") != "stderr"]


def test_every_result_is_shown_as_a_table_and_charts_as_pictures(executed: Any) -> None:
    for start, words in {
        "run": ["Accuracy in %", "Chance", "builtin:tiny"],
        "ps.list_runs()": ["Main estimate", "frames", "judgments", "suite", "winogrande", "worldsense"],
        "comparison": ["paired differences", "Difference"],
        "ps.score(": [" Tuesday", "log p"],
    }.items():
        shown = [
            one.data["text/html"] for one in outputs(executed, start) if one.output_type == "execute_result"
        ][-1]
        assert all(word in shown for word in words), start
    for start in ('ps.chart(runs[:2], "accuracy")', 'ps.chart(runs, "profile")'):
        (drawn,) = outputs(executed, start)
        assert len(drawn.data["image/png"]) > 10_000


def test_a_run_shows_one_bar_and_not_a_line_for_each_step(executed: Any) -> None:
    bars = [one for one in outputs(executed, "run") if one.output_type == "display_data"]
    assert len(bars) == 1
    assert "<progress" in bars[0].data["text/html"]


def test_nothing_is_loaded_from_the_network(executed: Any) -> None:
    for cell in executed.cells:
        for one in cell.get("outputs", ()):
            html = one.get("data", {}).get("text/html", "")
            assert not re.search(r"<script|src=|@import|url\(", html)
