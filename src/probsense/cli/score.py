"""Defines ``probsense score``: computes how probable each of some options is, without a task."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probsense.cli.common import JsonFlag, ModelSpec, Quiet, print_json
from probsense.cli.owners import load
from probsense.core.errors import InputError

if TYPE_CHECKING:
    from probsense.runs.distribution import Distribution

ALL = "all"


def score(
    context: typer.Context,
    model: ModelSpec,
    prefix: Annotated[
        str | None,
        typer.Option("--prefix", "-p", help="Text before the options; the model gets it as it is."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", help="An option, with its leading blank if it needs one."),
    ] = None,
    suffix: Annotated[str, typer.Option("--suffix", help="Text after each option.")] = "",
    neutral: Annotated[
        str | None, typer.Option("--neutral", help="Neutral prefix, for the rule pmi.")
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            help="sum, token, char, byte, mean_prob, partial, full or pmi; or all, for all of them at once.",
        ),
    ] = "sum",
    temperature: Annotated[
        float,
        typer.Option("--temperature", help="Temperature: probabilities are softmax(score / temperature)."),
    ] = 1.0,
    input: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="File of many prefixes with their options: JSON lines, a JSON list or CSV.",
            metavar="FILE",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File for the results of --input: .csv or .jsonl.", metavar="FILE"),
    ] = None,
    json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Score options after a prefix: compute a probability for each from the log-probability of every token."""
    from probsense.analysis.distributions.option_views import RULES
    from probsense.core.records import ScoreRequest
    from probsense.models.base import findings_of, in_form, prompts_notes
    from probsense.runs.ask.progress import show_progress, show_waiting
    from probsense.runs.distribution import notes
    from probsense.runs.score import check_requests, score_many
    from probsense.runs.score_files import as_csv, check_out, read_requests, write_distributions

    if (input is None) == (prefix is None):
        raise InputError(
            "nothing to score, or two things at once", expected="--prefix with --option, or --input FILE"
        )
    if input is not None and (option or suffix):
        raise InputError("--option and --suffix go with --prefix", expected="--input alone")
    if out is not None and input is None:
        raise InputError("--out goes with --input", expected="no --out")
    if out is not None:
        check_out(out)
    requests = read_requests(input) if input else [ScoreRequest(prefix or "", tuple(option or ()), suffix)]
    views = RULES if rule == ALL else (rule,)
    rule = "sum" if rule == ALL else rule
    check_requests(requests, rule=rule, temperature=temperature, neutral=neutral)
    loaded = load(model, context.obj, quiet=quiet)
    with show_waiting(f"getting {model} ready", quiet=quiet):
        loaded = in_form(loaded, "completion")
    with show_progress(
        f"score, {loaded.name}", quiet=quiet or input is None, used=lambda: loaded.usage
    ) as progress:
        found = score_many(
            loaded, requests, rule=rule, temperature=temperature, neutral=neutral, progress=progress
        )
    said = [*notes(found, views), *prompts_notes(findings_of(loaded))]
    if out is not None:
        write_distributions(out, found, views)
    if json:
        heading = {"schema": 1, "model": loaded.name, "neutral": neutral, "notes": said}
        objects = [one.to_json() for one in found]
        print_json(heading | ({"items": objects} if input else objects[0]))
        return
    if input is None:
        _print(found[0], views)
    elif out is None:
        sys.stdout.write(as_csv(found, views))
    for note in said:
        print(f"note: {note}", file=sys.stderr)


def _print(found: Distribution, views: Sequence[str]) -> None:
    from rich.console import Console

    from probsense.results.tables import distribution_table, views_table
    from probsense.show.tables import print_tables

    print_tables(Console(), [views_table(found) if views[1:] else distribution_table(found)])
