"""Defines ``probsense interop``: what other programs need in order to find ours."""

from __future__ import annotations

import typer

app = typer.Typer(help="Use ProbSense inside other programs.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    pass


@app.command("lm-eval-tasks")
def lm_eval_tasks() -> None:
    """Print the folder of our tasks for lm-evaluation-harness: lm_eval run --include_path FOLDER."""
    from probsense.interop.lm_eval_tasks import FOLDER

    print(FOLDER)
