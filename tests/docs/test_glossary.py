"""The glossary says what the program says, and pages link to it where they use one of its words for the first time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from probsense.show.words import SIMPLE_RULES
from probsense.tasks.registry import task_names, words_named
from support.documents.snippets import prose

DOCS = Path(__file__).parents[2] / "docs"
GLOSSARY = DOCS / "glossary.md"
JUDGMENTS = words_named("judgments")

SAID = [
    ("Awareness", JUDGMENTS.measures["awareness"].meaning),
    ("Common sense score", JUDGMENTS.measures["commonsensicality"].meaning),
    ("Consensus", JUDGMENTS.measures["consensus"].meaning),
    *(
        (row.title.capitalize(), row.meaning)
        for task in task_names()
        for row in words_named(task).profile
        if row.title == "nearness"
    ),
    ("Noise ceiling", JUDGMENTS.measures["ceiling"].meaning),
    ("pq", JUDGMENTS.measures["pq_area"].meaning),
    ("Shortcut ceiling", words_named("worldsense").shortcut.meaning),
]
"""Terms, and what tables and pages say of them."""

LINKED = ("coverage", "lead", "matched", "nearness", "shortcut ceiling", "skin", "tuple", "twin", "view")
"""Words that a reader may meet on any page."""

PAGES = [
    page
    for page in sorted(DOCS.glob("*.md"))
    if page.stem not in ("design", "extending", "glossary", "lm-eval", "real-models", "why")
]
"""All but pages for people who know the words."""


def entries() -> dict[str, str]:
    """What the glossary says of each term, on one line."""
    parts = re.split(r"^## (.*)$", GLOSSARY.read_text(), flags=re.MULTILINE)[1:]
    return {term: " ".join(text.split()) for term, text in zip(parts[::2], parts[1::2], strict=True)}


def test_terms_are_in_order_and_each_is_defined_once() -> None:
    terms = [*entries()]
    assert terms == sorted(terms, key=str.lower)
    assert len(terms) == GLOSSARY.read_text().count("\n## ")


@pytest.mark.parametrize(("term", "said"), SAID)
def test_the_glossary_says_what_the_program_says(term: str, said: str) -> None:
    assert said.lower() in entries()[term].lower()


def test_it_says_what_any_shortcut_is() -> None:
    assert SIMPLE_RULES.meaning.replace("some rules", "some simple rules") in entries()[
        "Shortcut ceiling"
    ].replace("What", "what", 1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_first_use_of_a_word_links_to_it(page: Path) -> None:
    text, source = prose(page), page.read_text()
    for word in LINKED:
        if re.search(rf"(?<![\w-]){word}s?(?![\w-])", text):
            link = f"](glossary.md#{word.replace(' ', '-')})"
            assert link in source, f"{page.name} says “{word}” and does not link to {link[2:-1]}"
