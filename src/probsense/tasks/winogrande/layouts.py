"""Layouts of schemas: the columns by which a table of one kind is known, and the sentence with a blank in a row."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from string import Formatter
from typing import Final, NamedTuple

import polars as pl

from probsense.core.errors import InputError, brief, did_you_mean, plain
from probsense.core.files.table import NoColumnError, Table
from probsense.tasks.shared.tables.columns import nested

_DATA: Final = tomllib.loads(files(__package__).joinpath("layouts.toml").read_text("utf-8"))
_BEGINNING: Final = re.compile(r"(^|[.!?][\"”’]?)\s*$")
"""What stands before a blank that begins a sentence."""
_OPTIONS: Final = 'at least two texts, in one column as ["the door", "the key"]'


class Schema(NamedTuple):
    """A sentence with "_", its options as the table has them and as they fit the blank, and its cluster or ""."""

    sentence: str
    written: list[str]
    options: list[str]
    cluster: str


class Layout(NamedTuple):
    """The columns of schemas of one kind, in templates, where ``{NAME}`` is the text of a column.

    Attributes
    ----------
    sentence : str
    options : sequence of str
        There are two at least; one template alone is a column with a list of them.
    labels : Mapping of str to str
        Columns that may tell the right option, and from what they count: "0", "1", or "" if their values tell it.
    pronouns : sequence of str
        What the blank replaces, where the sentence has none.
    at : str
        Where the pronoun begins, from 0, for tables that say so.
    values : Mapping of str to Mapping
        Columns with some values only, and the text that each of these stands for.
    replaced : Mapping of str to str
        What comes in the place of other texts, in the sentence and in its options.
    article : str
        What an option becomes in a sentence, with "{}" for it.
    cluster : str
        What schemas that belong together have in common.
    """

    sentence: str
    options: Sequence[str]
    labels: Mapping[str, str]
    pronouns: Sequence[str] = ()
    at: str = ""
    values: Mapping[str, Mapping[str, str]] = {}
    replaced: Mapping[str, str] = {}
    article: str = "{}"
    cluster: str = ""

    @property
    def needed(self) -> list[str]:
        """The columns that every table of this layout has."""
        return _names(self.sentence, *self.options[:2], *self.pronouns, *self.replaced.values())

    def schemas(self, table: Table) -> Iterator[Schema]:
        """Read the schema of each row of a table without columns of lists.

        Raises
        ------
        InputError
            For an empty cell, a value that the layout does not know, a sentence without exactly one blank or pronoun,
            fewer than two options, and two that are the same.
        """
        for name in self.needed:
            table.texts(name)
        values = {name: table.words(name, known).replace(known) for name, known in self.values.items()}
        templates = (self.sentence, *self.options, *self.pronouns, *self.replaced.values(), self.at)
        named = [name for name in _names(*templates) if name in table.frame.columns]
        # Texts keep the white space around them.
        texts = table.frame.select(pl.col(named).cast(pl.String)).with_columns(**values).fill_null("")
        for number, cells in enumerate(texts.iter_rows(named=True)):
            row = defaultdict(str, cells)
            written = [option.format_map(row) for option in self.options]
            written = _listed(written[0]) if len(written) == 1 else written
            while written and not written[-1].strip():
                written.pop()
            if len(written) < 2 or not all(map(str.strip, written)):
                raise table.fault(number, f"the options are {brief(written)}", _OPTIONS)
            sentence, form = self._blanked(table, number, row)
            options = written
            if form:
                begins = bool(_BEGINNING.search(sentence.partition("_")[0]))
                fitted = [self._replaced(self.article.format(option), row) for option in written]
                options = [form.format(_cased(option, begins)) for option in fitted]
            if len(set(options)) < len(options):
                raise table.fault(number, "two options are the same", "different ones")
            yield Schema(sentence, written, options, self.cluster.format_map(row))

    def _replaced(self, text: str, row: Mapping[str, str]) -> str:
        for old, new in self.replaced.items():
            text = text.replace(old, new.format_map(row))
        return text

    def _blanked(self, table: Table, number: int, row: Mapping[str, str]) -> tuple[str, str]:
        """Make the sentence of a row, and the template of an option in its blank; "" if the table has the blank."""
        text = self._replaced(self.sentence.format_map(row), row)
        marks, at = [mark.format_map(row) for mark in self.pronouns], self.at.format_map(row)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, marks))})(?!\w)"
        if marks and "_" not in re.sub(pattern, "", text):  # Some marks have one of their own.
            found = [one for one in re.finditer(pattern, text) if at in ("", str(one.start()))]
            if len(found) != 1:
                said = f"{len(found)} times {brief(' or '.join(marks))} in the sentence"
                raise table.fault(number, said, 'exactly one, or "_" in its place')
            start, end = found[0].span()
            return f"{text[:start]}_{text[end:]}", _DATA["forms"].get(text[start:end].lower(), "{}")
        if text.count("_") != 1:
            raise table.fault(number, f'{text.count("_")} times "_" in the sentence', "exactly one")
        return text, "{}" if "_" in self.sentence else ""


LAYOUTS: Final = {name: Layout(**entry) for name, entry in _DATA["layouts"].items()}


def layout_of(table: Table) -> Layout:
    """Find the layout whose columns a table has.

    Raises
    ------
    InputError
        If it is that of none or of several, or has a column that is almost called like another one of the layout.
    """
    columns = table.frame.columns
    fitting = [name for name, one in LAYOUTS.items() if {*one.needed} <= {*columns}]
    if len(fitting) != 1:
        kinds = (f"{name} ({', '.join(one.needed)})" for name, one in LAYOUTS.items())
        found = f"has the columns of {' and of '.join(fitting) or 'no known schemas'}"
        kind = InputError if fitting else NoColumnError
        raise kind(found, path=table.path, expected=f"those of one kind: {'; '.join(kinds)}")
    layout = LAYOUTS[fitting[0]]
    known = [*layout.needed, *_names(*layout.options, layout.at), "qID", *layout.labels]
    absent = [name for name in known if name not in columns]
    for name in columns:
        if name not in known and (meant := did_you_mean(name, absent)):
            found = f"has a column {plain(name)}{meant}"
            raise InputError(found, path=table.path, expected="this or another name")
    return layout


def _names(*templates: str) -> list[str]:
    """List the columns that templates name."""
    parsed = (part for template in templates for part in Formatter().parse(template))
    return [*dict.fromkeys(name for _, name, _, _ in parsed if name)]


def _listed(cell: str) -> list[str]:
    """Read a list of texts; anything else is a text alone."""
    found = nested(cell)
    try:
        "".join(found or ()).encode()
    except (TypeError, ValueError):  # no texts, or half a character
        return [cell]
    return found if isinstance(found, list) else [cell]


def _cased(option: str, begins: bool) -> str:
    """Write an option with a capital where it begins a sentence, and articles within one with a small letter."""
    if begins:
        return option[:1].upper() + option[1:]
    return option[:1].lower() + option[1:] if option.partition(" ")[0] in _DATA["lower"] else option
