"""Tests of how coverage is put into words."""

from __future__ import annotations

from probsense.results.coverage import coverage_words, covered, incomplete
from probsense.show.tables import Table

WHOLE = {"model": "a", "prompting": "labels", "asked": 1000, "answered": 1000, "failed": 0}
PART = {
    "model": "b",
    "prompting": "sample",
    "asked": 1000,
    "answered": 999,
    "failed": 1,
    "failed_requests": "HTTP 503 (1)",
}
NO_RUN = {"model": "c", "asked": 10, "answered": 9}


def test_one_phrase_where_it_is_the_same_for_all() -> None:
    assert coverage_words([]) == coverage_words([NO_RUN]) == ""
    assert coverage_words([WHOLE, {**WHOLE, "model": "c"}, NO_RUN]) == "all 1,000 items answered"
    fewer = [{**WHOLE, "model": f"m{n}", "asked": n, "answered": n} for n in (1200, 60, 60)]
    assert coverage_words([WHOLE, *fewer]) == "all 60, 1,000 or 1,200 items answered"
    assert coverage_words(fewer) == "all 60 or 1,200 items answered"
    assert coverage_words([PART]) == "999 of 1,000 items answered (99.9 %)"
    both = "a, asked by labels: all 1,000 items answered; b, asked by sample: " + coverage_words([PART])
    assert coverage_words([WHOLE, PART]) == both


def test_what_is_not_whole_is_never_rounded_to_it() -> None:
    assert coverage_words([{**PART, "asked": 10**6, "answered": 10**6 - 1}]).endswith("(99.9 %)")


def test_what_is_not_whole_is_said() -> None:
    assert incomplete([WHOLE, NO_RUN]) == []
    (said,) = incomplete([WHOLE, PART])
    assert said.startswith("Incomplete: b, asked by sample: 999 of 1,000 items answered (99.9 %). ")
    assert "HTTP 503 (1)" in said


def test_titles_tell_coverage() -> None:
    table = Table("Accuracy", ("Model",), (("a",),))
    assert [each.title for each in covered([table], "all")] == ["Accuracy; all"]
    assert covered([table], "") == [table]
