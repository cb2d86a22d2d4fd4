"""The reference lists what the program declares; tests/browser/test_docs_site.py looks for it in the built pages."""

import pytest
from commands import Commands
from words import Charts, Measures

from probsense.tasks.registry import task_names, words_named

MADE = None
"""A directive, of which writing the lines needs nothing."""


@pytest.mark.parametrize(
    "line",
    [
        "## probsense runs export",
        "| `--max-cost <float>` | ",
        "| `trust_remote_code=<bool>` | ",
        "### worldsense",
        "It also takes the [options of tasks](#options-of-tasks) and [of models](#options-of-models).",
    ],
)
def test_every_command_has_its_options(line):
    assert line in "\n".join(Commands.lines(MADE))


def test_every_measure_method_and_chart_has_a_row():
    measures, charts = ("\n".join(own.lines(MADE)) for own in (Measures, Charts))
    for task in task_names():
        words = words_named(task)
        assert f"### {words.title}" in measures
        assert all(f"| `{name}` | " in measures for name in (*words.measures, *words.methods))
        assert all(f"| `{task}` | `{name}` | " in charts for name in words.charts)
