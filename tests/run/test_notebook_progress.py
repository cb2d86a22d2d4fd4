"""Progress in a notebook: one bar that changes in place, in a real kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (make setup installs it)")
pytest.importorskip("ipykernel", reason="ipykernel is not installed (make setup installs it)")


def test_a_cell_has_one_bar_that_ends_full(tmp_path: Path) -> None:
    import nbformat

    code = """
import probsense as ps
from probsense.run.progress import show_progress
with show_progress("quiz, <model>", quiet=False) as tell:
    for done in range(20_001):
        tell(done, 20_000)
"""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    sent: list[Any] = []
    client = nbclient.NotebookClient(
        book, kernel_name="python3", timeout=120, resources={"metadata": {"path": tmp_path}}
    )
    original = client.process_message
    client.process_message = lambda message, *rest: (
        sent.append(message["msg_type"]),
        original(message, *rest),
    )[1]
    client.execute()
    (output,) = book.cells[0].outputs
    assert output.output_type == "display_data"
    assert output.data["text/plain"].startswith("quiz, <model>: 20,000 of 20,000 items, ")
    assert '<progress value="20000" max="20000"' in output.data["text/html"]
    assert "quiz, &lt;model&gt;" in output.data["text/html"]
    assert 2 <= sent.count("update_display_data") <= 30
