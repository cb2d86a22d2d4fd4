"""Progress in a notebook: one bar that changes in place, in a real kernel."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import IPython.display
import nbclient
import nbformat
import pytest

from probsense.runs.ask.progress import show_progress


def test_one_bar_changes_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = list[dict[str, str]]()

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(data)

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert not shown
        assert display_id
        handle = Handle()
        handle.update(data, raw=raw)
        return handle

    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=None))
    monkeypatch.setattr(IPython.display, "display", display)
    with show_progress("quiz, <model>", quiet=False) as tell:
        for done in range(101):
            tell(done, 100)
    assert [data["text/html"].partition(" style")[0] for data in shown] == [
        f'<progress value="{done}" max="100"' for done in range(0, 101, 10)
    ]
    assert "quiz, &lt;model&gt;: 100 of 100 items" in shown[-1]["text/html"]
    assert shown[-1]["text/plain"].startswith("quiz, <model>: 100 of 100 items, ")


@pytest.mark.slow
def test_a_cell_has_one_bar_that_ends_full(tmp_path: Path) -> None:
    code = """
import probsense as ps
from probsense.runs.ask.progress import show_progress
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
