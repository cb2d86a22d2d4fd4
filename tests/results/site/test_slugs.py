"""Slugs: safe, different, and the same whatever comes later."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from probsense.results.site.slugs import LONGEST, slug, slugs

names = st.lists(st.text(max_size=90), unique=True, max_size=30)


@given(st.text())
@example("../../etc/passwd")
@example("CON")
@example("")
@example("<script>alert(1)</script>")
@example("a" * (LONGEST + 1))
def test_a_slug_is_safe_in_every_file_system_and_address(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", slug(text))
    assert len(slug(text)) <= LONGEST


@given(names)
@example(["a b", "a-b", "A.B", "a/b"])
@example(["", "\x00", "💥"])
def test_no_two_texts_share_a_slug(texts: list[str]) -> None:
    found = slugs((text, text) for text in texts)
    assert len({one.lower() for one in found}) == len(texts)


@given(names, names)
def test_what_comes_later_changes_no_slug(first: list[str], later: list[str]) -> None:
    new = [text for text in later if text not in first]
    everything = slugs((text, text) for text in [*first, *new])
    assert everything[: len(first)] == slugs((text, text) for text in first)


def test_a_slug_reads_like_its_text() -> None:
    assert slug("hf:HuggingFaceTB/SmolLM2-135M-Instruct") == "hf-huggingfacetb-smollm2-135m-instruct"
    assert slug("Mialon, Grégoire") == "mialon-gregoire"
    assert [slug("COM1"), slug("con"), slug("contract"), slug("💥")] == ["com1-x", "con-x", "contract", "x"]
