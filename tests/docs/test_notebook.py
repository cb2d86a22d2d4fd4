"""The notebook of the documentation runs from its first cell to its last, and is kept without outputs."""

import re
from pathlib import Path

import nbclient
import nbformat
import pytest

pytestmark = pytest.mark.slow
PATH = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def test_it_is_kept_without_outputs():
    kept = nbformat.read(PATH, as_version=4)
    nbformat.validate(kept)
    for cell in kept.cells:
        assert cell.cell_type != "code" or (cell.outputs, cell.execution_count) == ([], None)


def test_every_result_is_shown_and_nothing_is_loaded_from_the_network(tmp_path, monkeypatch):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    book, where = nbformat.read(PATH, as_version=4), {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, kernel_name="python3", timeout=300, resources=where).execute()
    shown = {}
    for cell in (cell for cell in book.cells if cell.cell_type == "code"):
        data = [one.get("data", {}) for one in cell.outputs if one.output_type != "stream"]
        assert not re.search(r"<script|src=|@import|url\(", "".join(one.get("text/html", "") for one in data))
        shown[cell.source.splitlines()[-1]] = data[-1] if data else {}
    for start, words in {
        "run": ["Accuracy in %", "Chance", "builtin:tiny"],
        "ps.list_runs()": ["Main estimate", "frames", "judgments", "suite", "winogrande", "worldsense"],
        "comparison": ["paired differences", "Difference"],
        "ps.score(": [" Tuesday", "log p"],
    }.items():
        (table,) = (one for line, one in shown.items() if line == start or line.startswith(start + '"'))
        assert all(word in table["text/html"] for word in words), start
    for line in ('ps.chart(runs[:2], "accuracy")', 'ps.chart(runs, "profile")'):
        assert len(shown[line]["image/png"]) > 10_000
