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
    data = [one.get("data", {}) for cell in book.cells for one in cell.get("outputs", ())]
    pages = "".join(one.get("text/html", "") for one in data)
    assert not re.search(r"<script|src=|@import|url\(", pages)
    for word in ("Accuracy in %", "builtin:tiny", "Main estimate", "paired differences", " Tuesday"):
        assert word in pages
    assert sum(len(one.get("image/png", "")) > 10_000 for one in data) >= 2
