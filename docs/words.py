"""The directives ``{measures}`` and ``{charts}``: what every installed task measures and draws, from its own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pages import Page, code, escaped, table

from probsense.tasks.registry import task_names, words_named


class Measures(Page):
    """List the measures of each task, and its methods of estimation."""

    def names(self, cells: Sequence[str]) -> Iterable[str]:
        """List the name of a measure or method, and what tables call it."""
        if cells[0] in ("measure", "method"):
            return ()
        called = cells[1].partition(" (")[0].removesuffix(" in\N{NO-BREAK SPACE}%") if len(cells) > 2 else ""
        return (cells[0], called) if called.lower() not in ("", cells[0]) else (cells[0],)

    def lines(self) -> Iterator[str]:
        """Write a section for each task."""
        for name in task_names():
            words = words_named(name)
            yield from (f"### {words.title}", "")
            yield from table(
                ("measure", "called", "meaning"),
                [
                    (code(measure), escaped(own.heading), escaped(_sentence(own.meaning)))
                    for measure, own in words.measures.items()
                ],
            )
            yield from table(
                ("method", "what it does"),
                [(code(method), escaped(_sentence(meaning))) for method, meaning in words.methods.items()],
            )


class Charts(Page):
    """List the charts that each task adds to those of its measures."""

    def lines(self) -> Iterator[str]:
        """Write one table of all of them."""
        yield from table(
            ("task", "chart", "what it shows"),
            [
                (code(task), code(name), f"**{escaped(kind.title)}.** {escaped(kind.meaning)}")
                for task in task_names()
                for name, kind in words_named(task).charts.items()
            ],
        )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def setup(app: Any) -> dict[str, bool]:
    """Add the directives to Sphinx."""
    app.add_directive("measures", Measures)
    app.add_directive("charts", Charts)
    return {"parallel_read_safe": True}
