"""Defines ``collect``, which serves a study for people."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
import typer.core

from probsense.cli.options import JsonFlag, out_folder
from probsense.cli.printing import print_json
from probsense.core.errors import InputError

StudyFile = Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.yaml")]
Db = Annotated[Path, typer.Argument(help="The file of the answers.", metavar="DB")]


class Collect(typer.core.TyperGroup):
    """Serve where the first word is no command: ``collect STUDY.yaml`` is ``collect serve STUDY.yaml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``serve`` before words that begin with no command."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


collect = typer.Typer(
    cls=Collect,
    help="Collect people's answers: serve a study (collect STUDY.yaml), and export what people answered.",
    no_args_is_help=True,
)


@collect.command()
def serve(
    study: StudyFile,
    db: Annotated[
        Path | None,
        typer.Option("--db", help="File of the answers; by default beside the study file.", metavar="FILE"),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port to listen at; 0 for any free one.")] = 8000,
    root_path: Annotated[
        str,
        typer.Option(
            "--root-path",
            help="Where a reverse proxy shows the study: a prefix, or an address such as https://study.example/study.",
            metavar="/PATH",
        ),
    ] = "",
) -> None:
    """Serve a study until Ctrl-C: collect STUDY.yaml is enough. A study that was stopped goes on where it was."""
    from probsense.studies.collect.server.serve import serve as serve_study
    from probsense.studies.collect.study_file import read_study

    file = db or study.with_suffix(".db")
    found = read_study(study)

    def ready(participants: str, research: str) -> None:
        lines = (
            f"participants: {participants}",
            f"researcher: {research}",
            f"answers: {file}",
            "Ctrl-C stops",
        )
        print(*lines, sep="\n", flush=True)
        if prefix and not origin:
            print(
                "these addresses work at your web server: put its name for that of this machine",
                file=sys.stderr,
            )

    origin, prefix = _public(root_path)
    serve_study(found, file, host=host, port=port, root_path=prefix, origin=origin, ready=ready)
    print(f"stopped; the answers are in {file}", file=sys.stderr)


@collect.command()
def check(study: StudyFile, json: JsonFlag = False) -> None:
    """Check a study file, and say what it asks of how many people."""
    from probsense.studies.collect.answers.overview import outline
    from probsense.studies.collect.study_file import read_study

    found = outline(read_study(study))
    if json:
        print_json({"schema": 1, **found.to_json()})
    else:
        print(*found.lines(), sep="\n")


@collect.command()
def export(
    db: Db,
    out: Annotated[
        Path, typer.Option("--out", help="Folder to write into.", metavar="DIR", callback=out_folder)
    ],
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            help="Leave nobody out who is unfinished, screened_out or failed_checks. May be repeated.",
            metavar="REASON",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Write what people answered as files that the tasks read, with a codebook; a study may go on meanwhile."""
    from probsense.studies.collect.answers.export import export as export_answers
    from probsense.studies.collect.storage import Storage

    with closing(Storage.open_known(db)) as storage:
        done = export_answers(storage, out, keep or [])
    if json:
        print_json({"schema": 1, **done.to_json()})
        return
    print(*done.files, sep="\n")
    left_out = "".join(f", {count:,} {reason.replace('_', ' ')}" for reason, count in done.left_out.items())
    print(f"{done.kept:,} of {done.people:,} people{left_out}", file=sys.stderr)


@collect.command()
def forget(
    db: Db,
    participant: Annotated[
        str | None, typer.Argument(help="The id of the participant from the address.", metavar="[ID]")
    ] = None,
    person: Annotated[
        int | None, typer.Option("--person", help="The number of the person, instead of the id.", metavar="N")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: JsonFlag = False,
) -> None:
    """Remove a participant's answers and ids so that no trace is left in the file; ask first."""
    from probsense.studies.collect.participants import find
    from probsense.studies.collect.storage import Storage

    who = participant if person is None else person
    if who is None or None not in (participant, person):
        raise InputError("who is to be forgotten is not clear", expected="an id, or --person N")
    with closing(Storage.open_known(db)) as storage:
        number, what = find(storage, who)
        if not yes:
            if not sys.stdin.isatty():
                raise InputError(f"nobody can be asked whether to remove {what}", expected="--yes")
            typer.confirm(f"Remove {what} from {db}?", abort=True)
        done = storage.forget(number, time.time_ns() // 1_000_000)
    if json:
        print_json({"schema": 1, **done.to_json()})
        return
    print(f"removed: {what}; {done.places:,} places are free for others", file=sys.stderr)
    print("files that were exported before, and copies of the file, still hold the answers", file=sys.stderr)


@collect.command()
def words(
    language: Annotated[str, typer.Option("--language", help="A language that comes with ProbSense.")] = "en",
) -> None:
    """Print all words of the participant's pages, to be translated into a file of your own."""
    from probsense.studies.collect.pages.words import file_of

    print(file_of(language).read_text(encoding="utf-8"), end="")


def _public(root_path: str) -> tuple[str, str]:
    """Split where a reverse proxy shows a study into the origin and the prefix, "" where there is none."""
    parts = urlsplit(root_path)
    path = parts.path.strip("/")
    if parts.scheme not in ("http", "https", "") or bool(parts.scheme) != bool(parts.netloc):
        raise InputError(
            f"--root-path {root_path!r}", expected="/PATH, or an address such as https://HOST/PATH"
        )
    if parts.query or parts.fragment:
        raise InputError(f"--root-path {root_path!r}", expected="nothing after the path")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "", f"/{path}" if path else ""
