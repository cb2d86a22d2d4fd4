"""The files that the pages name exist: tests and benchmarks behind a claim, and linked pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_the_repository_exist(page):
    named = re.findall(r"`((?:tests|benchmarks|training|src|docs)/[\w./-]+)`", page.read_text())
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())
    paths = [*(ROOT / name for name in named), *(page.parent / link for link in links)]
    assert [path for path in paths if not path.exists()] == []
