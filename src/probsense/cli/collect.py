"""Defines ``collect``, which serves a study for people."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
import typer.core

from probsense.cli.options import CommandGroup, Folder, confirm_removal
from probsense.cli.printing import print_json, say
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


collect = CommandGroup(
    cls=Collect,
    help="Collect people's answers: serve a study (collect STUDY.yaml), and export what people answered.",
    no_args_is_help=True,
)


@collect.command()
def serve(
    study: StudyFile,
    *,
    db: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    root_path: str = "",
) -> None:
    """Serve a study until Ctrl-C: collect STUDY.yaml is enough. A study that was stopped goes on where it was.

    Parameters
    ----------
    db : FILE
        File of the answers; by default beside the study file.
    host
        Address to listen at.
    port
        Port to listen at; 0 for any free one.
    root_path : /PATH
        Where a reverse proxy shows the study: a prefix, or an address such as https://study.example/study.
    """
    from probsense.studies.collect.server.serve import prepared
    from probsense.studies.collect.study_file import read_study

    file = db or study.with_suffix(".db")
    found = read_study(study)
    origin, prefix = _public(root_path)
    with prepared(found, file, host, port, prefix, origin) as (run, _, people, research):
        lines = (f"participants: {people}", f"researcher: {research}", f"answers: {file}", "Ctrl-C stops")
        print(*lines, sep="\n", flush=True)
        if prefix and not origin:
            say("these addresses work at your web server: put its name for that of this machine")
        with suppress(KeyboardInterrupt):
            run()
    say(f"stopped; the answers are in {file}")


@collect.command()
def check(study: StudyFile, *, json: bool = False) -> None:
    """Check a study file, and say what it asks of how many people."""
    from probsense.studies.collect.overview import outline, outline_lines
    from probsense.studies.collect.study_file import read_study

    found = outline(read_study(study))
    if json:
        print_json({"schema": 1, **found})
    else:
        print(*outline_lines(found), sep="\n")


@collect.command()
def export(db: Db, *, out: Folder, keep: list[str] | None = None, json: bool = False) -> None:
    """Write what people answered as files that the tasks read, with a codebook; a study may go on meanwhile.

    Parameters
    ----------
    out : DIR
        Folder to write into.
    keep : REASON
        Keep people who are unfinished, screened_out or failed_checks. May be repeated.
    """
    from probsense.studies.collect.export import export as export_answers
    from probsense.studies.collect.storage import Storage

    with closing(Storage.open_known(db)) as storage:
        done = export_answers(storage, out, keep or [])
    if json:
        print_json({"schema": 1, **done.to_json()})
        return
    print(*done.files, sep="\n")
    left_out = "".join(f", {count:,} {reason.replace('_', ' ')}" for reason, count in done.left_out.items())
    say(f"{done.kept:,} of {done.people:,} people{left_out}")


@collect.command()
def forget(
    db: Db,
    participant: str | None = None,
    *,
    person: int | None = None,
    yes: bool = False,
    json: bool = False,
) -> None:
    """Remove a participant's answers and ids so that no trace is left in the file; ask first.

    Parameters
    ----------
    participant : [ID]
        The id of the participant from the address.
    person : N
        The number of the person, instead of the id.
    """
    from probsense.studies.collect.storage import Storage

    who = participant if person is None else person
    if who is None or None not in (participant, person):
        raise InputError("who is to be forgotten is not clear", expected="an id, or --person N")
    with closing(Storage.open_known(db)) as storage:
        number, what = storage.find_anybody(who)
        confirm_removal(what, db, yes=yes)
        done = storage.forget(number, time.time_ns() // 1_000_000)
    if json:
        print_json({"schema": 1, **done.to_json()})
        return
    say(f"removed: {what}; {done.places:,} places are free for others")
    say("files that were exported before, and copies of the file, still hold the answers")


@collect.command()
def words(*, language: str = "en") -> None:
    """Print all words of the participant's pages, to be translated into a file of your own.

    Parameters
    ----------
    language
        A language that comes with ProbSense.
    """
    from probsense.studies.collect.pages.words import file_of

    print(file_of(language).read_text(encoding="utf-8"), end="")


def _public(root_path: str) -> tuple[str, str]:
    """Split where a reverse proxy shows a study into the origin and the prefix, "" where there is none."""
    parts = urlsplit(root_path)
    path = parts.path.strip("/")
    known = parts.scheme in ("http", "https", "") and bool(parts.scheme) == bool(parts.netloc)
    if not known or parts.query or parts.fragment:
        raise InputError(
            f"--root-path {root_path!r}", expected="/PATH, or an address such as https://HOST/PATH"
        )
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "", f"/{path}" if path else ""
