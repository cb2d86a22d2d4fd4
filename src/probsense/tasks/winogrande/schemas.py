"""Schemas from a table: sentences with a blank, the options for it, and the right one of these.

A layout says by which columns a table of one kind is known, and how they give the sentence of a row.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Final, NamedTuple

import polars as pl

from probsense.core.errors import InputError, brief, did_you_mean, plain
from probsense.core.files.table import NoColumnError
from probsense.core.files.tables import Table, read_table
from probsense.core.records import Item
from probsense.show.text import counted
from probsense.tasks.shared.options import OPTION_WORDS
from probsense.tasks.shared.tables.columns import nested
from probsense.tasks.shared.understood import Understood, items_understood, run_command

WORDS: Final = replace(OPTION_WORDS, title="Winogrande")
"""The words of the task."""
PACKAGED = Path(str(files(__package__) / "schemas.jsonl"))
"""Thirty twin pairs that come with the package."""

_DATA: Final = tomllib.loads(files(__package__).joinpath("layouts.toml").read_text("utf-8"))
_BEGINNING: Final = re.compile(r"(^|[.!?][\"”’]?)\s*$")
"""What stands before a blank that begins a sentence."""
_OPTIONS: Final = 'at least two texts, in one column as ["the door", "the key"]'
_TWIN = re.compile(r"(.+)-[12]")
_UNKNOWN: Final = "-1"
"""The label of published schemas whose answer is kept secret."""
_NONE: Final = "none"


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

    def schemas(self, table: Table) -> Iterator[tuple[str, list[str], list[str], str]]:
        """Read the schema of each row of a table without columns of lists.

        Yields
        ------
        (str, list of str, list of str, str)
            The sentence with "_", its options as the table has them and as they fit the blank, and its cluster or "".

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
            yield sentence, written, options, self.cluster.format_map(row)

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


def split(sentence: str) -> tuple[str, str, str]:
    """Split a sentence at its blank: a space before the blank belongs to the options.

    Parameters
    ----------
    sentence : str
        Holds "_" once.

    Returns
    -------
    (str, str, str)
        The prefix, the space before each option or nothing, and the suffix.
    """
    before, _, suffix = sentence.partition("_")
    prefix = before.removesuffix(" ")
    return prefix, before[len(prefix) :], suffix


def check_data(file: Path) -> Understood:
    """Read a table of schemas, and say what was understood.

    Parameters
    ----------
    file : Path
        A table of schemas.
    """
    table = read_table(Path(file))
    items, layout = _items(table), layout_of(table)
    return items_understood(
        items,
        f"{counted(len(items), 'schema')}, {sum(bool(one.gold) for one in items):,} with a right option",
        f"schemas in the columns of {next(name for name, one in LAYOUTS.items() if one is layout)}",
        "sentence",
        run_command("winogrande", data=file, rule="sum"),
    )


def read_schemas(path: Path) -> list[Item]:
    """Read schemas; twins (ids that end in -1 and -2) share a cluster.

    Parameters
    ----------
    path : Path
        A table with the columns of one of the :data:`~probsense.tasks.winogrande.schemas.LAYOUTS` and, optionally,
        ``qID``; without it, rows have numbers for ids. The right option is given by its number or its text; nothing
        or -1 stands where nobody knows it.

    Returns
    -------
    list of Item
        Their data are the sentence and the options; their gold is the index of the right option, from 0, as text.

    Raises
    ------
    InputError
        For a file that :func:`~probsense.core.files.tables.read_table` refuses, other columns, a sentence without
        exactly one blank, an option that is empty or stands twice, an answer that is no option, numbers that may count
        from 0 or from 1, and an id that stands twice.
    """
    return _items(read_table(path))


def _items(table: Table) -> list[Item]:
    """Make an item of each row of a table."""
    layout = layout_of(table)
    sentences, written, options, clusters = zip(*layout.schemas(table), strict=True)
    numbers = pl.Series("qID", range(1, len(sentences) + 1)).cast(pl.String)
    ids = table.texts("qID") if "qID" in table.frame.columns else numbers
    table.refuse_repeated(ids.to_frame())
    golds = _golds(table, layout.labels, written)
    found = []
    for name, sentence, own, cluster, gold in zip(ids, sentences, options, clusters, golds, strict=True):
        twin = _TWIN.fullmatch(name)
        data = {"sentence": sentence, "options": own}
        found.append(Item(name, twin[1] if twin else cluster or name, gold, data))
    return found


def _golds(table: Table, columns: Mapping[str, str], options: Sequence[Sequence[str]]) -> list[str]:
    """Read the right options, as indices from 0; "" where nobody knows it.

    A column whose layout does not say from what it counts has to leave no doubt: all readings that fit every row agree.
    """
    column = next((name for name in columns if name in table.frame.columns), None)
    if column is None:
        return [""] * len(options)
    labels = table.values(column).replace(_UNKNOWN, "").fill_null("").to_list()
    fixed = columns[column]
    readings = [
        [_place(label, own, start) for label, own in zip(labels, options, strict=True)]
        for start in (*(fixed or "01"), "")
    ]
    fitting = [golds for golds in readings if _NONE not in golds]
    if not fitting:
        row = max(golds.index(_NONE) for golds in readings)
        expected = f"the text of an option, or its number from {fixed or '0 or from 1 in all rows'} on"
        raise table.fault(row, f"{column} is {brief(labels[row])}", expected)
    if not fixed and any(golds != fitting[0] for golds in fitting):
        row = next(row for row, label in enumerate(labels) if label)
        found = f"{column} is {brief(labels[row])}, and in all rows may count from 0 or from 1"
        raise table.fault(row, found, "the text of the option, or a column answer, which counts from 1")
    return fitting[0]


def _place(label: str, options: Sequence[str], start: str) -> str:
    """Find the index of the option that a label names by its number from ``start`` on, or by its text without one."""
    names = [str(int(start) + place) if start else text.strip() for place, text in enumerate(options)]
    return str(names.index(label)) if label in names else _NONE if label else ""
