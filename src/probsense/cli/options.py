"""Makes options of typed signatures and docstrings, as tasks declare theirs. These are words that commands share.

Parameters
----------
model : -m SPEC
    SCHEME:ARGUMENT, such as hf:NAME_OR_FOLDER, openai:MODEL, builtin:tiny, random or recorded:FILE.
limit
    Ask at most this many items; dependent items stay together.
items : FILE
    Ask only the items that a file lists, one id a line.
conditions : FACET[,FACET…]
    Ask each question under several conditions, whose mean counts: order (of the answers), system=FILE.yaml (system
    prompts by name), persona=FILE.csv (a table of persona, description and, optionally, weight and groups), what the
    task can vary (wording, position, labels), or none.
most_conditions : N
    Ask each question under at most this many conditions: a part in which any two facets are balanced.
method : options|labels|sample|…
    How to ask: options (or exact), labels, sample, stated, or both (sample and exact); by default, the best that the
    model can answer.
dry_run
    Only say how much the run would take: requests, tokens, and what they would cost. A model that thinks first answers
    three questions for that, which the run need not ask again.
thinking : auto|off|on|both
    Let the model think before each answer: on, off, both, or auto, which is on only for models that always think. -M
    think_start=TEXT and -M think_end=TEXT give the markers of a thought where the chat template does not, -M
    thinking_sampling=top_k=20 how chains are drawn.
chains
    Chains of thought before each answer, which is the mean over them.
thinking_budget : N[,N…]
    The most tokens of a chain of thought; longer ones are cut and closed. Several numbers cut the same chains at
    each, to show how answers change with the budget.
max_cost
    Stop asking at this cost; needs prices: -M prices=FILE.
seed
    Seed of all random draws: the same seed gives the same results.
store : FILE
    File that stores every answer; "none" keeps nothing.
run : RUN
    Name of the run, or the beginning of its id.
sources : RESULTS…
    Runs by their names or the beginning of their ids, stores with runs of one task, or files and folders of results
    that a task or another program wrote.
task : TASK
    Take the runs of this task only.
report : FILE.html
    Also write a page, with every question and answer; "-" prints it on stdout, and no tables.
format : md|latex|csv
    Print for a paper: tables with intervals as md or latex, or every estimate as csv.
json
    Print one JSON document on stdout and nothing else.
full
    Print all tables, warnings and notes.
quiet : -q
    Show no progress.
yes : -y
    Do not ask.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, TypeVar, get_args, get_type_hints

import typer
from typer.models import ParameterInfo

from probsense.core.errors import InputError, did_you_mean
from probsense.core.options import ASKING, RARE, Option, checked_seed, described

C = TypeVar("C", bound=Callable[..., Any])
USUAL: Final = Path("probsense.db")
STORES: Final = [USUAL]
"""The store that commands take if none is named, and the stores."""
TEMPORARY: Final = "probsense-"
"""How the name of the folder of a store begins that is gone when the command ends."""
SHARED: Final = described(__doc__ or "")
FORMATS: Final = ("md", "latex", "csv")
PANELS: Final = {
    **dict.fromkeys(("conditions", "most_conditions", "method", "dry_run", "thinking", "chains"), ASKING),
    **dict.fromkeys(("thinking_budget", "write_results", "name", "shard"), RARE),
    "max_cost": ASKING,
}
"""What options are about; common ones have no panel."""


class CommandGroup(typer.Typer):
    """A group whose commands are functions as :func:`as_command` reads them."""

    def command(self, *names: Any, **settings: Any) -> Callable[[C], C]:
        """Return what registers a function as a command."""
        register = super().command(*names, **settings)
        return lambda function: register(as_command(function))


def as_command(function: C) -> C:
    """Make the parameters of a function arguments, those after its ``*`` options, with the words of its docstring.

    There, the metavar stands after the name, and a short flag before the metavar. A type may be annotated with what
    checks the value.
    """
    doc = inspect.getdoc(function) or ""
    hints = get_type_hints(function, include_extras=True)
    known = SHARED | described(doc)
    given = inspect.signature(function).parameters.values()
    made = [
        one.replace(annotation=_annotated(one, hints[one.name], *known.get(one.name, ()))) for one in given
    ]
    function.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in made}
    function.__doc__ = doc.partition("\n\nParameters\n")[0]
    return function


def _annotated(parameter: inspect.Parameter, hint: Any, value: str = "", words: str = "") -> Any:
    """Return the type of a parameter with what typer is to know of it; one without words, or with others, as it is."""
    kind, *more = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
    if not words or any(isinstance(one, ParameterInfo) for one in more):
        return hint
    short, _, metavar = value.partition(" ") if value.startswith("-") else ("", "", value)
    if parameter.kind is not parameter.KEYWORD_ONLY:
        return Annotated[kind, typer.Argument(help=words, metavar=metavar or None, show_default=False)]
    flags = [f"--{parameter.name.replace('_', '-')}", short]
    panel = PANELS.get(parameter.name)
    return Annotated[
        kind,
        typer.Option(
            *filter(None, flags),
            help=words,
            metavar=metavar or None,
            callback=next(iter(more), None),
            rich_help_panel=panel and panel.capitalize(),
        ),
    ]


def out_file(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written, before long work."""
    from probsense.core.files import check_writable

    if path is not None:
        check_writable(path)
    return path


def out_folder(path: Path | None) -> Path | None:
    """Refuse a folder that cannot be one."""
    from probsense.core.files import check_folder

    if path is not None:
        check_folder(path)
    return path


def kept_store(context: typer.Context, path: Path) -> Path:
    """Return the file of a store; for the name "none" a temporary one, which is removed when the command ends."""
    if path != Path("none") or context.resilient_parsing:
        return path
    folder = TemporaryDirectory(prefix=TEMPORARY)
    context.call_on_close(folder.cleanup)
    print("--store none: no answer is kept, and the run cannot be resumed", file=sys.stderr)
    return Path(folder.name, "none.db")


Seed = Annotated[int, checked_seed]
File = Annotated[Path, out_file]
MaybeFile = Annotated[Path | None, out_file]
Folder = Annotated[Path, out_folder]
MaybeFolder = Annotated[Path | None, out_folder]
Store = Annotated[Path, kept_store]
Stores = Annotated[
    list[Path],
    typer.Option(
        "--store",
        help="Store to find runs in by name or id; by default, probsense.db. May be repeated.",
        metavar="FILE",
        show_default=False,
    ),
]


FurtherOptions = Annotated[
    list[str] | None,
    typer.Option(
        "-O",
        help="Option of the reader of the files, such as input_dir=FOLDER; may be repeated.",
        metavar="KEY=VALUE",
    ),
]


def read_pairs(words: Iterable[str], known: Mapping[str, Option], flag: str) -> dict[str, Any]:
    """Read options that are given as KEY=VALUE.

    Parameters
    ----------
    words : iterable of str
    known : Mapping of str to Option
    flag : str
        Stands before each of them, for errors.

    Raises
    ------
    InputError
        For a word that is no pair, an unknown key, a value of a wrong kind, and a second value where there is one.
    """
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        name = key.strip().replace("-", "_")
        if not equals:
            raise InputError(f"{flag} {word!r}", expected="KEY=VALUE")
        if name not in known:
            expected = f"one of {', '.join(known)}" if known else "no options at all"
            raise InputError(f"no such option: {flag} {name}{did_you_mean(name, known)}", expected=expected)
        option = known[name]
        if name in found and not option.many:
            raise InputError(f"{flag} {name} twice", expected="each once")
        one = option.parse(value, f"{flag} {name}")
        found[name] = [*found.get(name, []), *one] if option.many else one
    return found


def only_stdout(out: Path | None, form: str | None) -> bool:
    """Tell whether a file to write is standard output, which then gets nothing else.

    Raises
    ------
    InputError
        If ``--json`` or ``--format`` wants standard output, too.
    """
    from probsense.core.files import STDOUT

    if out == STDOUT and form is not None:
        raise InputError("two documents for standard output", expected="a file, or no --json and no --format")
    return out == STDOUT


def confirm_removal(what: str, path: Path, *, yes: bool) -> None:
    """Ask whether something is to be removed from a file, unless ``--yes`` says so."""
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"nobody can be asked whether to remove {what}", expected="--yes")
        typer.confirm(f"Remove {what} from {path}?", abort=True)


def choose_format(format: str | None, json: bool) -> str | None:
    """Choose the format by ``--format`` and ``--json``; None stands for tables in a terminal.

    Raises
    ------
    InputError
        For an unknown format, and for two of them.
    """
    if format not in (None, *FORMATS):
        raise InputError(f"--format {format!r}{did_you_mean(format, FORMATS)}", expected=", ".join(FORMATS))
    if json and format is not None:
        raise InputError(f"--json and --format {format}", expected="one of them")
    return "json" if json else format
