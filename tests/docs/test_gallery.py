"""The gallery has every chart that a task declares.

``PROBSENSE_UPDATE_DOCS=1 pytest tests/docs`` writes the page; the pictures follow, since its commands draw them.
"""

from __future__ import annotations

import os
from pathlib import Path

from probsense.tasks.registry import task_names, words_named
from support.documents.gallery import gallery, pictured

PAGE = Path(__file__).parents[2] / "docs" / "gallery.md"


def test_the_page_is_what_the_tasks_declare() -> None:
    if os.environ.get("PROBSENSE_UPDATE_DOCS"):
        PAGE.write_text(gallery())
    assert PAGE.read_text() == gallery()


def test_every_declared_chart_has_its_picture() -> None:
    for task in task_names():
        for name in words_named(task).charts:
            assert (PAGE.parent / "pictures" / pictured(task, name)).exists(), f"no picture of {task}.{name}"
