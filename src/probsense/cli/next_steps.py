"""Says what to do next, after a command that printed results."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from probsense.runs.run import Run

USUAL: Final = Path("probsense.db")
"""The store that commands take if none is named."""
ANOTHER: Final = "hf:NAME"
ARGUMENTS: Final = "arguments"
"""Under which key of its context a command keeps the words of its line."""


class Step(NamedTuple):
    """A command, and in a few words what it gives."""

    gives: str
    command: str


def print_steps(steps: Iterable[Step]) -> None:
    """Print the steps on stderr, one a line and none broken, so that each can be copied."""
    found = list(steps)
    width = max((len(step.gives) for step in found), default=0)
    if found:
        print(
            "Next:", *(f"  {one.gives:<{width}}  {one.command}" for one in found), sep="\n", file=sys.stderr
        )


def again(context: Any, *more: str, model: str | None = None) -> str:
    """Write the command that is running, with further words, and perhaps with one other model instead of its own."""
    words: list[str] = []
    given = iter(context.meta.get(ARGUMENTS, ()))
    for word in given:
        if model is not None and word in ("--model", "-m"):
            next(given, None)
        elif model is None or not word.startswith("--model="):
            words.append(word)
    asked = [] if model is None else ["--model", model]
    named, one = list[str](), context
    while one.parent is not None:
        named, one = [one.info_name, *named], one.parent
    return shlex.join(["probsense", *named, *words, *asked, *more])


def after_run(context: Any, runs: Sequence[Run], rest: str) -> list[Step]:
    """Propose a page, a comparison or another model to compare with, and the tables that were left out.

    Parameters
    ----------
    context : typer.Context
    runs : sequence of Run
    rest : str
        What ``--full`` prints beyond what was printed.
    """
    full = Step(rest, again(context, "--full"))
    store = runs[0].store
    if store is None or not store.is_file() or store.parent.name.startswith("probsense-"):
        return [full]
    where = [] if store == USUAL else ["--store", str(store)]
    page = Step("a page with charts and every question", shlex.join(["probsense", "report", *where]))
    compared = next((one.record.task for one in runs if _models(runs, one.record.task) > 1), None)
    if compared is not None:
        sources = shlex.join(["probsense", "compare", str(store), "--task", compared])
        return [page, Step("which model is better", sources), full]
    return [page, Step("another model beside it", again(context, model=ANOTHER)), full]


def _models(runs: Sequence[Run], task: str) -> int:
    return len({one.model for one in runs if one.record.task == task})


def after_analysis(context: Any, rest: str) -> list[Step]:
    """Propose a page, the charts, and the tables that were left out; ``rest`` is what ``--full`` prints beyond."""
    return [
        Step("a page with charts", again(context, "--report", "report.html")),
        Step("the charts as files", again(context, "--figures", "charts")),
        Step(rest, again(context, "--full")),
    ]
