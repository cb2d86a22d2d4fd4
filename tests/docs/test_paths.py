"""The files that the pages name exist: tests and benchmarks behind a claim, and linked pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "probsense"
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_the_repository_exist(page):
    text = page.read_text()
    named = re.findall(r"`((?:tests|benchmarks|training|src|docs)/[\w./-]+|(?:\w+/)+\w+\.py)`", text)
    missing = [name for name in named if not (ROOT / name).exists() and not any(SOURCE.rglob(name))]
    for module in re.findall(r"`(probsense(?:\.[a-z_]+){2,})", text):
        path = ROOT / "src" / module.replace(".", "/")
        missing += [] if path.exists() or path.with_suffix(".py").exists() else [module]
    assert not missing, f"{page.name} names {missing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing, f"{page.name} links to {missing}"


def test_there_is_something_to_check():
    text = (ROOT / "docs" / "why.md").read_text()
    assert len(re.findall(r"`(?:tests|benchmarks)/", text)) > 10
