"""What a page of the documentation tells a reader to type, and what it says will come out.

A block in ``bash`` or ``python`` is a snippet; a block of ``text`` right after it is its output, in which "…" is
anything, and on a line of its own any lines. A block whose language is followed by a name is a file of that name; one
below ``examples/`` is in the repository, and the block shows passages of it.
"""

from __future__ import annotations

import contextlib
import glob
import io
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from markdown_it import MarkdownIt

from probsense import cli


@dataclass(frozen=True)
class Snippet:
    """A block of a page: its language, the name of the file that it is ("" for none), its text, its first line, and
    what it prints, with the lines where that stands (None: not told)."""

    language: str
    file: str
    text: str
    line: int
    output: str | None = None
    place: tuple[int, int] = (0, 0)


def snippets(page: Path) -> list[Snippet]:
    """The blocks of a page that are not the output of another, in order."""
    found = []
    before = None
    for token in MarkdownIt().enable("table").parse(page.read_text()):
        if token.type == "fence":
            language, _, name = token.info.partition(" ")
            start, end = token.map or (0, 0)
            if language == "text" and before is not None and found[-1].language in ("bash", "python"):
                last = found.pop()
                found.append(
                    Snippet(last.language, "", last.text, last.line, token.content, (start + 1, end - 1))
                )
                before = None
                continue
            found.append(Snippet(language, name, token.content, start + 1))
            before = token
        else:
            before = None
    return found


def pictures(page: Path) -> list[str]:
    """The pictures of a page that its commands draw, as files in docs/pictures."""
    return re.findall(r"\]\((?:docs/)?pictures/([\w.-]+\.svg)\)", page.read_text())


def commands(text: str) -> list[str]:
    """The commands of a bash block, without comments and line ends."""
    lines = text.replace("\\\n", " ").splitlines()
    return [
        part
        for line in lines
        if (bare := line.split(" #")[0].strip()) and not bare.startswith("#")
        for part in bare.split(" && ")
    ]


FEW = {"worldsense": ("--limit", "60"), "frames": ("--limit", "4", "--answers", "5")}
"""Options, by task, for where nobody looks at the figures."""


def run_command(command: str, *, few: bool = False) -> str:
    """Run a ``probsense`` command in this process and the current folder, and return its standard output.

    Patterns are written out and ``> FILE`` is followed as in a shell. With ``few``, models are asked few questions.
    """
    quoted = shlex.split(command, posix=False)
    words = [
        one
        for word in quoted
        for bare in shlex.split(word)
        for one in (sorted(glob.glob(bare)) if re.search(r"[*?]", bare) and word == bare else [bare])
    ]
    program, *words = words
    assert program == "probsense", f"no way to run {program!r}"
    file = ""
    if ">" in words:
        *words, _, file = words
    if few and words[0] == "run":
        words += FEW.get(words[1], ())
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = _call(words)
    assert code == 0, f"exit code {code}: {stderr.getvalue()}"
    if not file:
        return stdout.getvalue()
    Path(file).write_text(stdout.getvalue())
    return ""


def _call(words: list[str]) -> Any:
    with mock.patch.object(sys, "argv", ["probsense", *words]):
        try:
            cli.main()
        except SystemExit as stopped:
            return stopped.code or 0
    return 0


def run_python(text: str, names: dict[str, object], place: str) -> str:
    """Execute a Python block among the names of the earlier ones of its page, and return what it prints."""
    stdout = io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(text, place, "exec"), names)
    return stdout.getvalue()
