"""What to cite, and how it is written in BibTeX and in print."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["article", "inproceedings", "software"]


@dataclass(frozen=True, slots=True)
class Work:
    """A paper or a program.

    Attributes
    ----------
    kind : {"article", "inproceedings", "software"}
    authors : tuple of str
        Each as "Family, Given", or one name alone.
    title : str
    year : int
    venue : str
        The journal or the conference; "" for none.
    doi, arxiv : str
        Without the address before it: "10.1093/…", "2311.15930"; "" for none.
    about : str
        What of a task it is the source of, if there are several: "CFC and ProbEval".
    """

    kind: Kind
    authors: tuple[str, ...]
    title: str
    year: int
    venue: str = ""
    doi: str = ""
    arxiv: str = ""
    about: str = ""

    @property
    def link(self) -> str:
        """Return the address of the work; "" if it is not known."""
        if self.doi:
            return f"https://doi.org/{self.doi}"
        return f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else ""

    @property
    def said(self) -> str:
        """Name the work in print: authors, year, title, venue."""
        names = [name.partition(",")[0] for name in self.authors]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return f"{who} ({self.year}). {self.title}{'' if self.title[-1] in '.?!' else '.'}" + (
            f" {self.venue}." if self.venue else ""
        )

    @property
    def key(self) -> str:
        """Make the key of its entry: first author, year, first long word of the title."""
        word = next((w for w in re.findall(r"\w+", self.title) if len(w) > 3), "work")
        text = f"{self.authors[0].partition(',')[0]}{self.year}{word}".lower()
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        return re.sub(r"[^a-z0-9]", "", plain)


def bibtex(works: Sequence[Work]) -> str:
    """Write entries of BibTeX, each work once."""
    return "\n".join(_entry(work) for work in dict.fromkeys(works))


def _entry(work: Work) -> str:
    where = {"article": "journal", "inproceedings": "booktitle", "software": "howpublished"}[work.kind]
    fields = {
        "author": " and ".join(_escaped(name) for name in work.authors),
        "title": f"{{{_escaped(work.title)}}}",
        "year": str(work.year),
        where: _escaped(work.venue),
        "doi": work.doi,
        "eprint": work.arxiv,
        "archiveprefix": "arXiv" if work.arxiv else "",
        "url": work.link,
    }
    kind = "misc" if work.kind == "software" else work.kind
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{work.key},", *lines, "}", ""])


def _escaped(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)
