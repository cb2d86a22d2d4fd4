"""The options of ``probsense run`` that belong to single tasks, and the tasks made with those that were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probsense.cli import frame_options, judgment_options
from probsense.cli.common import flag_of, is_given, parse_problems, parse_sizes
from probsense.errors import InputError

if TYPE_CHECKING:
    from probsense.tasks.base import Task

_WORLDSENSE, _SUITE, _WINOGRANDE = "worldsense", "suite (ProbSem)", "winogrande"

Rule = Annotated[
    str | None,
    typer.Option(
        "--rule",
        help="Score that picks an option: sum, token, char, byte, mean_prob; for winogrande partial (its default) or "
        "full, too; for suite and winogrande pmi, with --neutral.",
    ),
]
Neutral = Annotated[
    str | None,
    typer.Option(
        "--neutral",
        help="suite, winogrande: neutral prefix of the view pmi, such as 'Answer:'.",
        metavar="TEXT",
    ),
]
Testset = Annotated[
    Path | None,
    typer.Option("--testset", help="Folder in the published format.", rich_help_panel=_WORLDSENSE),
]
Generate = Annotated[
    bool,
    typer.Option(
        "--generate", help="Ask a fresh set (the default without --testset).", rich_help_panel=_WORLDSENSE
    ),
]
WriteResults = Annotated[
    Path | None,
    typer.Option(
        "--write-results",
        help="Write the answers: worldsense's to DIR/results/ in the published format, those of judgments and frames "
        "to a table in DIR.",
        metavar="DIR",
    ),
]
Prompt = Annotated[
    list[str] | None,
    typer.Option(
        "--prompt",
        help="Prompt NAME.txt; as often as wanted. Without it, an example is asked.",
        metavar="NAME",
        rich_help_panel=_SUITE,
    ),
]
Test = Annotated[
    list[str] | None,
    typer.Option(
        "--test",
        help="Test PROMPT_NAME.json (or .yaml); as often as wanted, asked with every prompt.",
        metavar="NAME",
        rich_help_panel=_SUITE,
    ),
]
InputDir = Annotated[
    Path,
    typer.Option("--input-dir", "--input_dir", help="Folder of prompts and tests.", rich_help_panel=_SUITE),
]
OutputDir = Annotated[
    Path,
    typer.Option(
        "--output-dir",
        "--output_dir",
        help="Folder that gets a CSV file of the distributions for each prompt and test.",
        rich_help_panel=_SUITE,
    ),
]
Norm = Annotated[
    bool,
    typer.Option("--norm", help="Log-probability per token, as --rule token.", rich_help_panel=_SUITE),
]
Temp = Annotated[
    float, typer.Option("--temp", help="Temperature of the distributions.", rich_help_panel=_SUITE)
]
File = Annotated[
    Path | None,
    typer.Option(
        "--file",
        help="Schemas in the published format (JSON lines). Without it, those of the package are asked.",
        rich_help_panel=_WINOGRANDE,
    ),
]

Questions = Annotated[
    str,
    typer.Option(
        "--questions",
        help="judgments: some of q1 (do you agree?), q2 (would most people?), q3 (is it common sense?). frames: file "
        "of frames (JSON lines), or of questions as published; without it, the frames of the package are asked.",
        metavar="NAME,…|FILE",
        rich_help_panel=f"{judgment_options.PANEL}, {frame_options.PANEL}",
    ),
]
WordingFile = Annotated[
    Path | None,
    typer.Option(
        "--wording",
        help="YAML file with the questions in words of your own.",
        metavar="FILE",
        rich_help_panel=judgment_options.PANEL,
    ),
]
Trials = Annotated[
    int,
    typer.Option(
        "--trials",
        help="Texts for each question, with --method sample.",
        rich_help_panel=judgment_options.PANEL,
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        "--precision",
        help="Ask for more texts, --trials at a time, until every 95 % interval is narrower than this, such as 0.2.",
        rich_help_panel=judgment_options.PANEL,
    ),
]
MaxSamples = Annotated[
    int | None,
    typer.Option(
        "--max-samples",
        help="The most texts for a question, with --precision; without it four times --trials.",
        rich_help_panel=judgment_options.PANEL,
    ),
]

_OF_THE_COMMAND = {
    "generate": ("worldsense",),
    "write_results": ("worldsense", "judgments", "frames"),
    "output_dir": ("suite",),
}
"""Options that belong to tasks by their sense, and are no options of the task as Python knows it."""

_OF_TASKS = (
    *("testset", "sizes", "problems", "tuples", "skins", "rule", "neutral"),
    *("prompt", "test", "input_dir", "norm", "temp", "file"),
    *("statements", "questions", "wording", "trials", "humans", "majority", "other"),
    *("answers", "shots", "style", "temperature", "top_p", "similarity", "embeddings"),
    *("precision", "max_samples"),
    *_OF_THE_COMMAND,
)

_MAKING = ("generate", "sizes", "problems", "tuples", "skins")

_PARSERS: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("worldsense", "sizes"): parse_sizes,
    ("worldsense", "problems"): parse_problems,
    ("judgments", "questions"): lambda text: tuple(part.strip() for part in text.split(",")),
}
"""What a task makes of the words of an option."""


def make_tasks(context: typer.Context, names: Sequence[str], *, limit: int | None, seed: int) -> list[Task]:
    """The tasks of a run, each with those of the given options that it takes; the rest are its own defaults.

    Parameters
    ----------
    context : typer.Context
        Knows which options stand on the command line.
    names : sequence of str
        Of the tasks.
    limit : int or None
    seed : int

    Raises
    ------
    InputError
        For an unknown task, an option that belongs to none of the tasks, and whatever a task refuses.
    """
    from probsense.tasks.registry import load_task, task_options

    given = {name: context.params[name] for name in _OF_TASKS if is_given(context, name)}
    takes = {name: task_options(name) for name in names}  # each once
    for option in given:
        if not any(_belongs(option, name, taken) for name, taken in takes.items()):
            raise InputError(
                f"{flag_of(option)} is an option of {_owners(option)}, which is not asked here",
                expected=f"options of {' or '.join(takes)}",
            )
    _refuse_clash(given)
    tasks = []
    for name, taken in takes.items():
        own = {
            key: _PARSERS.get((name, key), lambda x: x)(value)
            for key, value in given.items()
            if taken is None or key in taken
        }
        own |= {} if limit is None else {"limit": limit}
        own |= {"seed": seed} if taken is None or "seed" in taken else {}
        tasks.append(load_task(name, **own))
    return tasks


def _belongs(option: str, task: str, taken: Sequence[str] | None) -> bool:
    if option in _OF_THE_COMMAND:
        return task in _OF_THE_COMMAND[option]
    return taken is None or option in taken


def _owners(option: str) -> str:
    from probsense.tasks.registry import task_names, task_options

    return " and ".join(name for name in task_names() if _belongs(option, name, task_options(name)))


def _refuse_clash(given: Mapping[str, Any]) -> None:
    clash = [option for option in _MAKING if option in given]
    if "testset" in given and clash:
        raise InputError(
            f"{flag_of(clash[0])} generates a set, and --testset names one", expected="one of them"
        )
