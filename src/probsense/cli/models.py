"""Models on the command line: how their options are read, and the commands ``score``, ``models`` and ``doctor``."""

from __future__ import annotations

import sys
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

import probsense as ps
from probsense.cli.options import MaybeFile, only_stdout, read_pairs
from probsense.cli.printing import print_json, print_notes, print_tables
from probsense.core.errors import InputError
from probsense.core.options import Option, declared

if TYPE_CHECKING:
    from probsense.models.base import Model

THOUGHTS: Final = ("think_start", "think_end", "thinking_sampling")
"""Options about thoughts, which every model takes in a run."""
ALL: Final = "all"
"""What stands for all rules of scoring."""
ModelOptions = Annotated[
    list[str] | None,
    typer.Option(
        "-M",
        help="Option of the model, such as dtype=float32; may be repeated. 'probsense models SCHEME' lists them.",
        metavar="KEY=VALUE",
    ),
]


def options_of(
    specs: Sequence[str], words: Sequence[str] | None, *, thoughts: bool = False
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Read the options of models.

    Parameters
    ----------
    specs : sequence of str
        The specifications of the models; each gets the options that its schemes take.
    words : sequence of str or None
        As the command line gives them.
    thoughts : bool
        Whether :data:`THOUGHTS` are among them.

    Returns
    -------
    dict of str to dict
        Options by specification.
    dict
        Those about thoughts.

    Raises
    ------
    InputError
        For a specification that is none, and as :func:`read_pairs` does.
    """
    from probsense.models.registry import check_spec, model_options, schemes_in
    from probsense.runs.ask.thinking import wished

    takes: dict[str, dict[str, Option]] = {}
    for spec in dict.fromkeys(specs):
        schemes = schemes_in(spec)
        if not schemes:
            check_spec(spec, {})
        takes[spec] = {name: one for scheme in schemes for name, one in model_options(scheme).items()}
    further = {name: declared(wished)[name] for name in THOUGHTS if thoughts}
    given = read_pairs(words or (), ChainMap(further, *reversed(takes.values())), "-M")
    found = {spec: {name: given[name] for name in own if name in given} for spec, own in takes.items()}
    return found, {name: given[name] for name in further if name in given}


def load(spec: str, options: Mapping[str, Any], *, quiet: bool = False) -> Model:
    """Load a model; say so if it is slow."""
    from probsense.runs.ask.progress import show_waiting

    with show_waiting(f"getting {spec} ready", quiet=quiet):
        return ps.load_model(spec, **options)


def load_one(spec: str, words: Sequence[str] | None, *, quiet: bool = False) -> Model:
    """Load the one model of a command, with its options as the command line gives them."""
    return load(spec, options_of([spec], words)[0][spec], quiet=quiet)


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
        The text before the options ("" to score whole sentences), and each option with its leading blank if it needs
        one.
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
        File for the results: .csv or .jsonl; "-" is standard output, for CSV.
    """
    from probsense.analysis.distributions.option_views import RULES
    from probsense.models.base import findings_of, in_form, prompts_notes
    from probsense.results.formats import as_csv, check_ending, write_frame
    from probsense.results.tables import distribution_table, views_table
    from probsense.runs.ask.progress import show_progress
    from probsense.runs.score import check_requests, notes, options_table, read_requests

    if (input is None) == (not texts):
        raise InputError(
            "nothing to score, or two things at once", expected="a prefix with options, or --input FILE"
        )
    if input is not None and suffix:
        raise InputError("--suffix goes with a prefix", expected="--input alone")
    if out is not None:
        only_stdout(out, "json" if json else None)
        check_ending(out)
    prefix, *options = texts or [""]
    requests = read_requests(input) if input else [ps.ScoreRequest(prefix, tuple(options), suffix)]
    views = RULES if rule == ALL else (rule,)
    rule = "sum" if rule == ALL else rule
    check_requests(requests, rule=rule, temperature=temperature, neutral=neutral)
    loaded = in_form(load_one(model, model_options, quiet=quiet), "completion")
    with show_progress(
        f"score, {loaded.name}", quiet=quiet or input is None, used=lambda: loaded.usage
    ) as progress:
        found = ps.score_many(
            loaded, requests, rule=rule, temperature=temperature, neutral=neutral, progress=progress
        )
    said = [*notes(found, views), *prompts_notes(findings_of(loaded))]
    if out is not None:
        write_frame(out, options_table(found, views))
    if json:
        heading = {"schema": 1, "model": loaded.name, "neutral": neutral, "notes": said}
        objects = [one.to_json() for one in found]
        print_json(heading | ({"items": objects} if input else objects[0]))
        return
    if out is None and input is None:
        print_tables([views_table(found[0]) if views[1:] else distribution_table(found[0])])
    elif out is None:
        sys.stdout.write(as_csv(options_table(found, views).to_dicts()))
    print_notes(said)


def doctor(
    model: str, *, model_options: ModelOptions = None, method: str | None = None, json: bool = False
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
    loaded = load_one(model, model_options)
    with show_waiting(f"examining {loaded.name}", quiet=False):
        findings = examine(loaded, method)
    if json:
        document = {
            "schema": 1,
            "model": loaded.name,
            "details": dict(loaded.details),
            "capabilities": asdict(loaded.capabilities),
            "findings": [asdict(finding) for finding in findings],
        }
        print_json(document)
    else:
        from probsense.results.tables import findings_text

        print(findings_text(findings, Console().width))
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)


def models(scheme: str | None = None) -> None:
    """List the kinds of models, or the options of one, which -M KEY=VALUE gives.

    Parameters
    ----------
    scheme : SCHEME
        A kind of model, such as hf, for its options.
    """
    from rich.table import Table
    from rich.text import Text

    from probsense.models.registry import model_options, model_schemes, model_title

    table = Table.grid(padding=(0, 2))
    if scheme is None:
        for name in model_schemes():
            table.add_row(Text(f"{name}:", style="bold"), model_title(name))
    else:
        for option in model_options(scheme.rstrip(":")).values():
            said = f" (by default {option.shown_default})" if option.shown_default else ""
            table.add_row(Text(f"{option.name}={option.metavar}", style="bold"), Text(option.help + said))
    Console().print(table)
