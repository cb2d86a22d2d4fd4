"""Defines the commands beside tasks: ``score``, ``doctor``, ``data`` and ``interop``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probsense.cli.options import JsonFlag, ModelSpec, Quiet, only_stdout, out_file
from probsense.cli.pairs import ModelOptions, load, options_of_one
from probsense.cli.printing import print_json, print_tables
from probsense.core.errors import InputError

if TYPE_CHECKING:
    from probsense.runs.distribution import Distribution

ALL = "all"


def score(
    model: ModelSpec,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PREFIX OPTION…]", help="What --prefix and --option take.", show_default=False
        ),
    ] = None,
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
        typer.Option(
            "--out",
            help='File for the results of --input: .csv or .jsonl; "-" is standard output, for CSV.',
            metavar="FILE",
            callback=out_file,
        ),
    ] = None,
    model_options: ModelOptions = None,
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

    if texts:
        for given, by_place, flag in ((prefix, texts[:1], "--prefix"), (option, texts[1:], "--option")):
            if given and by_place:
                raise InputError(f"{flag} beside the argument {by_place[0]!r}", expected="one of the two")
        prefix, option = texts[0], [*texts[1:], *(option or ())]
    if (input is None) == (prefix is None):
        raise InputError(
            "nothing to score, or two things at once", expected="a prefix with options, or --input FILE"
        )
    if input is not None and (option or suffix):
        raise InputError("--option and --suffix go with a prefix", expected="--input alone")
    if out is not None and input is None:
        raise InputError("--out goes with --input", expected="no --out")
    if out is not None:
        only_stdout(out, "json" if json else None)
        check_out(out)
    requests = read_requests(input) if input else [ScoreRequest(prefix or "", tuple(option or ()), suffix)]
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
    model: Annotated[
        str,
        typer.Argument(
            help="SCHEME:ARGUMENT, as for run.",
            metavar="MODEL",
        ),
    ],
    model_options: ModelOptions = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", help="Check that the model can answer this method: options, labels or sample."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Examine a model on known strings before you trust its results; the exit code is 1 if something is wrong."""
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
    scheme: Annotated[
        str | None, typer.Argument(help="A kind of model, such as hf, for its options.", metavar="SCHEME")
    ] = None,
) -> None:
    """List the kinds of models, or the options of one, which -M KEY=VALUE gives."""
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
def list_data(json: JsonFlag = False) -> None:
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
def get_data(
    name: Annotated[
        str,
        typer.Argument(help="A data set (NAME), or a part of one (NAME/PART), as 'data list' shows them."),
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Download again, even if the files are here.")
    ] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Do not use the network.")] = False,
    quiet: Quiet = False,
) -> None:
    """Download a published data set, check it against its checksums, and print its folder."""
    import sys

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
def lm_eval_tasks() -> None:
    """Print the folder of our tasks for lm-evaluation-harness: lm_eval run --include_path FOLDER."""
    from probsense.interop.lm_eval.tasks import FOLDER

    print(FOLDER)
