"""Says what to do next, after a command that printed results."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from probsense.runs.run import Run

USUAL: Final = Path("probsense.db")
"""The store that commands take if none is named."""
TEMPORARY: Final = "probsense-"
"""How the name of the folder of a store begins that is gone when the command ends."""
ANOTHER: Final = "hf:NAME"


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


def again(*more: str, model: str | None = None) -> str:
    """Write the command that is running, with further words, and perhaps with one other model instead of its own."""
    words: list[str] = []
    given = iter(sys.argv[1:])
    for word in given:
        if model is not None and word in ("--model", "-m"):
            next(given, None)
        elif model is None or not word.startswith("--model="):
            words.append(word)
    asked = [] if model is None else ["--model", model]
    return shlex.join(["probsense", *words, *asked, *more])


def after_run(runs: Sequence[Run], rest: str) -> list[Step]:
    """Propose a page, a comparison or another model to compare with, and the tables that were left out.

    Parameters
    ----------
    runs : sequence of Run
    rest : str
        What ``--full`` prints beyond what was printed.
    """
    full = Step(rest, again("--full"))
    store = runs[0].store
    if store is None or not store.is_file() or store.parent.name.startswith(TEMPORARY):
        return [full]
    page = Step("a page with charts and every question", shlex.join(["probsense", "report", *_where(store)]))
    beside = _comparison(store, runs) or Step("another model beside it", again(model=ANOTHER))
    return [page, beside, full]


def after_profile(runs: Sequence[Run], page: Path) -> list[Step]:
    """Propose to read the page, to compare the models, and to see all tables of one task."""
    store, first = runs[0].store, runs[0].record
    if store is None or not store.is_file():
        return []
    compared = _comparison(store, runs)
    listed = Step("all runs, to look at one by one", shlex.join(["probsense", "runs", *_where(store)]))
    tables = shlex.join(["probsense", "report", first.id[:8], *_where(store), "--format", "md"])
    return [*([compared] if compared else []), listed, Step(f"every table of {first.task}", tables)]


def _where(store: Path) -> list[str]:
    return [] if store == USUAL else ["--store", str(store)]


def _comparison(store: Path, runs: Sequence[Run]) -> Step | None:
    """Propose to compare the models of the first task that several were asked; None if there is no such task."""
    for task in dict.fromkeys(one.record.task for one in runs):
        if _models(runs, task) > 1:
            return Step(
                "which model is better", shlex.join(["probsense", "compare", *_these(store, runs, task)])
            )
    return None


def _these(store: Path, runs: Sequence[Run], task: str) -> list[str]:
    """Name the runs of a task: by their store, or one by one where it has others, whose items may differ."""
    from probsense.runs.store.store import Store

    mine = {one.id: one.record.label for one in runs if one.record.task == task}
    with Store.open(store) as opened:
        others = any(one.task == task and one.id not in mine for one in opened.runs())
    return [*mine.values(), *_where(store)] if others else [str(store), "--task", task]


def _models(runs: Sequence[Run], task: str) -> int:
    return len({one.model for one in runs if one.record.task == task})


def after_analysis(rest: str) -> list[Step]:
    """Propose a page, the charts, and the tables that were left out; ``rest`` is what ``--full`` prints beyond."""
    given = {word.partition("=")[0] for word in sys.argv}
    steps = {
        "a page with charts": ("--report", "report.html"),
        "the charts as files": ("--figures", "charts"),
        rest: ("--full",),
    }
    return [Step(gives, again(*words)) for gives, words in steps.items() if words[0] not in given]
