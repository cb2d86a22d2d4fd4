"""The files that the pages name exist: tests and benchmarks behind a claim, and linked pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "probsense"
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_modules_that_a_page_names_exist(page):
    text = page.read_text()
    named = re.findall(r"`((?:tests|benchmarks|training|src|docs)/[\w./-]+|(?:\w+/)+\w+\.py)`", text)
    assert [name for name in named if not (ROOT / name).exists() and not any(SOURCE.rglob(name))] == []
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
    modules = [
        ROOT / "src" / one.replace(".", "/") for one in re.findall(r"`(probsense(?:\.[a-z_]+){2,})", text)
    ]
    assert [one for one in modules if not (one.exists() or one.with_suffix(".py").exists())] == []
