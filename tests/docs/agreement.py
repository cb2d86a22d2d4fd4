"""Whether an output or a picture that a page shows is the one that comes out.

Text agrees to the letter. What a model computes differs in its last bits between processors and numbers of threads, so
a number of a model may be off by one unit of its last printed digit, a bar drawn from it by one step, and the lengths
of a picture by half a pixel.
"""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

from docs.snippets import Snippet
from probsense.results.tables import BAR, bar

MODELS = ("builtin:", "hf:")
"""How the names of models begin that compute; what all others say is the same everywhere."""
STEPS = 8 * BAR
"""The steps in which a bar gets longer."""
BARS = [bar(steps / STEPS) for steps in range(STEPS + 1)]
NUMBER = r"(?<![\w.,]) *-?\d+(?:,\d{3})*\.\d+(?![\w.]*\d)"
"""A number with decimals, and the blanks that align it. A number without any is a count."""
WHOLE = r"(?<![\w.,]) *-?\d+(?= \[-?\d+, -?\d+\])|(?<=\[)-?\d+(?=, -?\d+\])|(?<=, )-?\d+(?=\])"
"""A value that is rounded to a whole number, before its interval, and the ends of that."""
ROUNDED = re.compile(rf"(?P<number>{NUMBER}|{WHOLE})|{'|'.join(BARS)}")
GUESSER = re.compile(r"\W*(?:random\b|oracle:)")
"""How the row of a model begins that computes nothing."""


def of_model(snippet: Snippet) -> bool:
    """Whether a snippet or its output names a model that computes."""
    return any(name in snippet.text + (snippet.output or "") for name in MODELS)


def agrees(told: str, found: str, *, rounded: bool = False) -> bool:
    """Whether an output is the one that is told.

    "…" stands for anything, and on a line of its own for any lines; blanks at the ends of lines do not count. With
    ``rounded``, numbers with decimals may be off by one unit of the last digit, and bars by one step, but for those of
    guessers.
    """
    pattern = "".join(
        r"(?:.*\n)*?"
        if line.strip() == "…"
        else rf"{_pattern(line.rstrip(), rounded and not GUESSER.match(line))}\n"
        for line in told.strip("\n").splitlines()
    )
    bare = "".join(f"{line.rstrip()}\n" for line in found.strip("\n").splitlines())
    return re.fullmatch(pattern, bare) is not None


def _pattern(line: str, rounded: bool) -> str:
    """Write what may stand for a line."""
    made, end = "", 0
    for part in ROUNDED.finditer(line) if rounded else ():
        made += _text(line[end : part.start()]) + (_near(part[0]) if part["number"] else _alike(part[0]))
        end = part.end()
    return made + _text(line[end:])


def _text(told: str) -> str:
    return re.escape(told).replace("…", ".*")


def _near(told: str) -> str:
    """Write the numbers that are at most one unit of the last digit away, aligned with blanks as this one is."""
    value = Decimal(told.strip().replace(",", ""))
    unit = Decimal(1).scaleb(int(value.as_tuple().exponent))
    near = [f"{value + step * unit:{',' if ',' in told else ''}}" for step in (-1, 0, 1)]
    blanks = " +" if told.startswith(" ") else ""
    return f"{blanks}(?:{'|'.join(map(re.escape, near))})"


def _alike(told: str) -> str:
    """Write the bars that are at most one step longer or shorter."""
    place = BARS.index(told)
    return f"(?:{'|'.join(BARS[max(place - 1, 0) : place + 2])})"


def same_picture(told: str, found: str) -> bool:
    """Whether two pictures have the same text and shapes, and all lengths differ by no more than half a pixel."""
    number = r"-?\d+(?:\.\d+)?"
    lengths = [[float(one) for one in re.findall(number, each)] for each in (told, found)]
    return re.sub(number, "0", told) == re.sub(number, "0", found) and all(
        abs(a - b) <= 0.5 for a, b in zip(*lengths, strict=True)
    )


def shows(snippet: Snippet, root: Path) -> bool:
    """Whether a block has the text of the file that it is named after, or passages of it with "…" between them."""
    return agrees(f"…\n{snippet.text.rstrip()}\n…", (root / snippet.file).read_text())
