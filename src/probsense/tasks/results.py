"""The results of a task: one object, from its measures to every reader."""

from __future__ import annotations

import io
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self

from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import Json

if TYPE_CHECKING:
    import polars as pl

    from probsense.show.words import Words

MADE_UP: Final = "the answers of people are made up for illustration: nobody was asked"
"""What is said of data whose people there are not."""


class Note(str):
    """A sentence for the reader that knows which model it is about, and begins with its name.

    Attributes
    ----------
    text : str
        The sentence without the name.
    model : str
        "" if it is about all models, or about the one that is being measured.
    voids : bool
        Whether results mean nothing because of it, or are missing without a word elsewhere, or it tells how a table was
        understood: such a sentence is never folded. Why a model's results are withheld is said of the model, and need
        not be said again.
    """

    __slots__ = ("model", "text", "voids")
    text: str
    model: str
    voids: bool

    def __new__(cls, text: str, model: str = "", voids: bool = False) -> Self:
        """Make a note."""
        note = super().__new__(cls, f"{model}: {text}" if model else text)
        note.text, note.model, note.voids = text, model, voids
        return note

    @classmethod
    def of(cls, said: str, model: str = "") -> Self:
        """Return a sentence as a note; one that is about no model yet is about this one."""
        return cls(said.text, said.model or model, said.voids) if isinstance(said, Note) else cls(said, model)

    def to_json(self) -> list[Json]:
        """Return what :class:`Note` makes the note of again."""
        return [self.text, self.model, *([True] if self.voids else [])]


def voiding(text: str) -> Note:
    """Make a warning that voids a result, which is missing or means nothing."""
    return Note(text, voids=True)


def notes_on(model: str, texts: Iterable[str]) -> list[Note]:
    """Make notes about a model."""
    return [Note.of(text, model) for text in texts]


@dataclass(frozen=True, eq=False)
class Results:
    """What answers amount to.

    Attributes
    ----------
    estimates : sequence of Estimate
    coverage : sequence of Mapping
        A row for each model: how much was asked, and how much got an answer that counts.
    notes : sequence of str
        What else a reader of the estimates should know. Each is a :class:`Note` once the results are finished.
    table : DataFrame or None
        One row for each item that was answered, with the columns that the task documents; None for recorded results.
    tables : Mapping of str to DataFrame
        What charts are drawn from, by the name of the chart: tidy, one row for each mark.
    withheld : Mapping of str to str
        Why a model lacks estimates that would rest on answers which it did not give, by its name, as a phrase.
    warnings : sequence of str
        What changes how the estimates are to be read: that nobody was asked, that most answers were none of those that
        count, that intervals hold too seldom. They stand before any figure, and not among the notes.
    illustrative : bool
        Whether the people that the estimates compare with are made up, and nobody was asked.
    """

    estimates: Sequence[Estimate] = ()
    coverage: Sequence[Mapping[str, Json]] = ()
    notes: Sequence[str] = ()
    table: pl.DataFrame | None = None
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    withheld: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    illustrative: bool = False

    def finished(self, words: Words, model: str = "") -> Self:
        """Keep intervals within the bounds of their measures, and say where they rest on few clusters.

        This is the last step of every measurement, and stands here alone.

        Parameters
        ----------
        words : Words
            Those of the task.
        model : str
            The model that was asked, to whom all notes belong that name nobody.
        """
        from probsense.analysis.inference.means import few_clusters

        estimates = words.bounded(self.estimates)
        warnings = [*self.warnings, *few_clusters(estimates, alone=True)]
        notes = [*self.notes, *few_clusters(estimates, alone=False)]
        return replace(self, estimates=estimates).with_notes(warnings, notes, model)

    def with_notes(self, warnings: Sequence[str], notes: Sequence[str], model: str = "") -> Self:
        """Return the results with other warnings and notes; those that name no model get this one."""
        return replace(self, warnings=notes_on(model, warnings), notes=notes_on(model, notes))

    def renamed(self, old: str, new: str) -> Self:
        """Return the results of a model under another name."""

        import polars as pl

        def name(value: Any) -> Any:
            return new if value == old else value

        def row(found: Mapping[str, Any]) -> dict[str, Any]:
            return {key: name(value) for key, value in found.items()}

        def said(found: Sequence[str]) -> list[Note]:
            return [Note(note.text, name(note.model), note.voids) for note in map(Note.of, found)]

        return replace(
            self,
            estimates=[replace(estimate, by=row(estimate.by)) for estimate in self.estimates],
            coverage=[*map(row, self.coverage)],
            notes=said(self.notes),
            tables={
                chart: found.with_columns(pl.col(pl.String).replace(old, new))
                for chart, found in self.tables.items()
            },
            withheld={name(model): why for model, why in self.withheld.items()},
            warnings=said(self.warnings),
        )

    def to_json(self) -> dict[str, Json]:
        """Return everything as JSON; :meth:`from_json` is the inverse."""
        return {
            "estimates": [estimate.to_json() for estimate in self.estimates],
            "coverage": [dict(row) for row in self.coverage],
            "notes": [note.to_json() for note in map(Note.of, self.notes)],
            "table": None if self.table is None else table_to_text(self.table),
            "tables": {name: table_to_text(found) for name, found in self.tables.items()},
            "withheld": dict(self.withheld),
            "warnings": [note.to_json() for note in map(Note.of, self.warnings)],
            "illustrative": self.illustrative,
        }

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Self:
        """Make results of what :meth:`to_json` returned."""
        made = {
            "estimates": [Estimate.from_json(one) for one in known["estimates"]],
            "table": None if known["table"] is None else table_from_text(known["table"]),
            "tables": {name: table_from_text(text) for name, text in known["tables"].items()},
            **{kind: [Note(*note) for note in known[kind]] for kind in ("notes", "warnings")},
        }
        return cls(**{**known, **made})


def together(measured: Sequence[Results]) -> Results:
    """Join what the answers of several models to one task amount to.

    Tables of one name become one; a row, note or warning that several of them have is there once.
    """
    names = dict.fromkeys(name for each in measured for name in each.tables)
    return Results(
        [estimate for each in measured for estimate in each.estimates],
        [row for each in measured for row in each.coverage],
        [*dict.fromkeys(note for each in measured for note in each.notes)],
        tables={
            name: _joined([each.tables[name] for each in measured if name in each.tables]) for name in names
        },
        withheld={model: why for each in measured for model, why in each.withheld.items()},
        warnings=[*dict.fromkeys(warning for each in measured for warning in each.warnings)],
        illustrative=all(each.illustrative for each in measured),
    )


def _joined(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put the rows of tables together; a row that stands in several of them, as of people, is kept once.

    A row that stands in one table twice stays twice: each is a mark of its own.
    """
    import polars as pl

    filled = [table for table in tables if not table.is_empty()]
    if len(filled) < 2:
        return (filled or tables)[0]
    copy = pl.int_range(pl.len()).over(filled[0].columns).alias(_COPY)
    numbered = [table.with_columns(copy) for table in filled]
    return pl.concat(numbered).unique(maintain_order=True).drop(_COPY)


_COPY: Final = "number of the copy"


def table_to_text(table: pl.DataFrame) -> str:
    """Write a table as base 64 of Arrow's format of files; :func:`table_from_text` is the inverse."""
    stream = io.BytesIO()
    table.write_ipc(stream, compression="zstd")
    return b64encode(stream.getvalue()).decode()


def table_from_text(text: str) -> pl.DataFrame:
    """Read a table that :func:`table_to_text` wrote."""
    import polars as pl

    return pl.read_ipc(io.BytesIO(b64decode(text)))
