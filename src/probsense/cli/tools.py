"""Defines the commands beside tasks: ``score``, ``doctor``, ``data`` and ``interop``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from probsense.cli.options import MaybeFile, as_command, only_stdout
from probsense.cli.pairs import ModelOptions, load, options_of_one
from probsense.cli.printing import print_json, print_tables
from probsense.core.errors import InputError

if TYPE_CHECKING:
    from probsense.runs.score import Distribution

ALL = "all"


def score(
    texts: list[str] | None = None,
    *,
    model: str,
    suffix: str = "",
    neutral: str | None = None,
    rule: str = "sum",
    temperature: float = 1.0,
    input: Path | None = None,
    out: MaybeFile = None,
    model_options: ModelOptions = None,
    json: bool = False,
    quiet: bool = False,
) -> None:
    """Score options after a prefix: compute a probability for each from the log-probability of every token.

    Parameters
    ----------
    texts : [PREFIX OPTION…]
        The text before the options, and each option with its leading blank if it needs one.
    suffix
        Text after each option.
    neutral
        Neutral prefix, for the rule pmi.
    rule
        sum, token, char, byte, mean_prob, partial, full or pmi; or all, for all of them at once.
    temperature
        Temperature: probabilities are softmax(score / temperature).
    input : FILE
        File of many prefixes with their options: JSON lines, a JSON list or CSV.
    out : FILE
        File for the results of --input: .csv or .jsonl; "-" is standard output, for CSV.
    """
    from probsense.analysis.distributions.option_views import RULES
    from probsense.core.records import ScoreRequest
    from probsense.models.base import findings_of, in_form, prompts_notes
    from probsense.runs.ask.progress import show_progress, show_waiting
    from probsense.runs.score import (
        as_csv,
        check_out,
        check_requests,
        notes,
        read_requests,
        score_many,
        write_distributions,
    )

    if (input is None) == (not texts):
        raise InputError(
            "nothing to score, or two things at once", expected="a prefix with options, or --input FILE"
        )
    if input is not None and suffix:
        raise InputError("--suffix goes with a prefix", expected="--input alone")
    if out is not None and input is None:
        raise InputError("--out goes with --input", expected="no --out")
    if out is not None:
        only_stdout(out, "json" if json else None)
        check_out(out)
    prefix, *options = texts or [""]
    requests = read_requests(input) if input else [ScoreRequest(prefix, tuple(options), suffix)]
    views = RULES if rule == ALL else (rule,)
    rule = "sum" if rule == ALL else rule
    check_requests(requests, rule=rule, temperature=temperature, neutral=neutral)
    loaded = load(model, options_of_one(model, model_options), quiet=quiet)
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
    from probsense.results.tables import distribution_table, views_table

    print_tables([views_table(found) if views[1:] else distribution_table(found)])


def doctor(
    model: str,
    *,
    model_options: ModelOptions = None,
    method: str | None = None,
    json: bool = False,
) -> None:
    """Examine a model on known strings before you trust its results; the exit code is 1 if something is wrong.

    Parameters
    ----------
    model : MODEL
        SCHEME:ARGUMENT, as for run.
    method
        Check that the model can answer this method: options, labels or sample.
    """
    from probsense.models.doctor import check_method, examine
    from probsense.runs.ask.progress import show_waiting

    check_method(method)
    loaded = load(model, options_of_one(model, model_options))
    with show_waiting(f"examining {loaded.name}", quiet=False):
        findings = examine(loaded, method)
    if json:
        from dataclasses import asdict

        print_json(
            {
                "schema": 1,
                "model": loaded.name,
                "details": dict(loaded.details),
                "capabilities": asdict(loaded.capabilities),
                "findings": [asdict(finding) for finding in findings],
            }
        )
    else:
        from rich.console import Console

        from probsense.results.tables import findings_text

        print(findings_text(findings, Console().width))
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)


def models(
    scheme: str | None = None,
) -> None:
    """List the kinds of models, or the options of one, which -M KEY=VALUE gives.

    Parameters
    ----------
    scheme : SCHEME
        A kind of model, such as hf, for its options.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from probsense.models.registry import model_options, model_schemes, model_title

    table = Table.grid(padding=(0, 2))
    table.add_column(max_width=32)
    table.add_column()
    if scheme is None:
        for name in model_schemes():
            table.add_row(Text(f"{name}:", style="bold"), model_title(name))
    else:
        for option in model_options(scheme.rstrip(":")).values():
            said = f" (by default {option.shown_default})" if option.shown_default else ""
            table.add_row(Text(f"{option.name}={option.metavar}", style="bold"), Text(option.help + said))
    Console().print(table)


data = typer.Typer(help="List and download published data sets, and check your own.", no_args_is_help=True)


@data.command("list")
@as_command
def list_data(*, json: bool = False) -> None:
    """List the published data sets with their parts and licences, and say which parts are on this machine."""
    from probsense.core.datasets.catalogue import CATALOGUE
    from probsense.core.datasets.download import data_home, missing

    parts = [
        {
            "name": f"{data_set.name}/{part.name}",
            "title": part.title,
            "licence": data_set.licence,
            "files": len(part.files),
            "missing": len(missing(f"{data_set.name}/{part.name}")),
        }
        for data_set in CATALOGUE.values()
        for part in data_set.parts
    ]
    if json:
        print_json({"schema": 1, "folder": str(data_home()), "data": parts})
        return
    for data_set in CATALOGUE.values():
        print(f"{data_set.name}: {data_set.title}")
        print(
            f"  {data_set.attribution}; licence {data_set.licence} ({data_set.licence_url}); {data_set.home}"
        )
    for part in parts:
        state = "here" if not part["missing"] else f"{part['missing']} of {part['files']} files not here"
        print(f"  {part['name']}: {part['title']} ({state})")
    print(f"folder: {data_home()}")


@data.command("get")
@as_command
def get_data(
    name: str,
    *,
    force: bool = False,
    offline: bool = False,
    quiet: bool = False,
) -> None:
    """Download a published data set, check it against its checksums, and print its folder.

    Parameters
    ----------
    name
        A data set (NAME), or a part of one (NAME/PART), as 'data list' shows them.
    force
        Download again, even if the files are here.
    offline
        Do not use the network.
    """
    from probsense.core.datasets import download
    from probsense.core.datasets.catalogue import find

    def say(line: str) -> None:
        if not quiet:
            print(line, file=sys.stderr)

    data_set, _ = find(name)
    say(f"{data_set.title}: {data_set.attribution}; licence {data_set.licence} ({data_set.licence_url})")
    print(download.get(name, force=force, offline=offline, note=say))


interop = typer.Typer(help="Use ProbSense inside other programs.", no_args_is_help=True)


@interop.callback()
def _root() -> None:
    pass


@interop.command("lm-eval-tasks")
@as_command
def lm_eval_tasks() -> None:
    """Print the folder of our tasks for lm-evaluation-harness: lm_eval run --include_path FOLDER."""
    from probsense.interop.lm_eval import FOLDER

    print(FOLDER)
