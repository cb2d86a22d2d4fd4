"""Makes questions of a table of people's answers, whatever its shape, and of the choices of an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import polars as pl

from probsense.core.errors import brief, plain
from probsense.core.files import Place
from probsense.core.files.table import NoColumnError, Table
from probsense.tasks.choices.questions.question import (
    Fault,
    Question,
    checked_options,
    checked_shares,
    gold_index,
    normalised,
)
from probsense.tasks.people_forms import CHOSEN, STUDY, Choice, exported_choices
from probsense.tasks.shared.tables.answers import read_answers, row_groups
from probsense.tasks.shared.tables.columns import EXPECTED, AnswerTable
from probsense.tasks.shared.tables.numbers import read_shares, shares_of_one

ABOUT: Final = ("text", "context", "gold", "cluster")
"""Columns that say the same in all rows of a question."""
KNOWN: Final = (*ABOUT, "order", "people")


class Questions(NamedTuple):
    """The questions of a table or of several, how these were read, and what of them counts for nothing."""

    questions: list[Question]
    said: str
    dropped: Sequence[str] = ()
    usual: bool = True

    def notes(self) -> list[str]:
        """Say what a run must tell of how tables were read."""
        return [
            *([] if self.usual else [f"read as {self.said}"]),
            *(f"left out: {one}" for one in self.dropped),
        ]


def questions_of_table(table: Table, columns: Sequence[str] = ()) -> Questions:
    """Make the questions of a table.

    Parameters
    ----------
    table : Table
        Of any shape that :func:`~probsense.tasks.shared.tables.answers.read_answers` knows, in which a question
        may have a text, a context, a right option (``gold``), a cluster, the number of people (``people``, beside
        shares), and its options places on a scale (``order``). A person with several options of a question counts once,
        in parts. ``choices.csv`` of ``probsense collect export`` is read, too.
    columns : sequence of str
        What the user says of columns, each as "role=name".

    Raises
    ------
    InputError
        For whatever is wrong in it; the error names the line.
    """
    if {*CHOSEN} <= {*table.frame.columns}:
        return Questions(read_collected(table.path), f"choices of an export ({', '.join(table.how)})")
    table.refuse_other_case(*KNOWN, expected=EXPECTED)
    answers = read_answers(table, columns, about=KNOWN)
    questions, scaled = _questions(answers)
    said = "; ".join(filter(None, (answers.said, scaled)))
    return Questions(questions, said, answers.dropped, answers.usual and not scaled)


def _questions(answers: AnswerTable) -> tuple[list[Question], str]:
    """Make the questions of a table, and say how its numbers were understood."""
    table, columns = answers.table, answers.columns
    keys, option, people = _keys(table, columns), table.texts(columns["answer"]), _people(table)
    order = _order(table)
    numbers, persons, said = _numbers(answers, keys, option)
    found = []
    for key, rows, about in row_groups(table, keys, ABOUT):
        fault: Fault = partial(table.fault, rows[0])
        places, chosen = _entered(table, rows, option, persons)
        texts = {normalised(one): one for one in answers.options.get(key[0], ())}
        texts |= {name: option[row] for name, row in places.items()}
        options = checked_options([*texts.values()], fault)
        given = dict.fromkeys(texts, 0.0)
        for own in chosen.values():
            for row in own:
                given[normalised(option[row])] += float(numbers[row]) / len(own)
        asked = {number for row in rows if (number := people[row]) is not None}
        if len(asked) > 1:
            both = " and ".join(f"{one:.0f}" for one in sorted(asked))
            raise fault(f"people is {both} in one question", "one number")
        many = asked.pop() if asked else None
        counts, total = (_shares if "share" in columns else _counts)([*given.values()], many, key[0], fault)
        gold = about.get("gold")
        made = Question(
            key[0],
            about.get("text", key[0]),
            options,
            counts,
            total,
            key[1],
            about.get("context", ""),
            None if gold is None else gold_index(gold, options, fault),
            about.get("cluster", key[0]),
            _scale([order[row] for row in places.values()], options, fault),
        )
        if persons is not None:
            made = _of_people(made, [*texts], chosen, option, numbers, columns)
        found.append(made)
    return found, said


_Amounts: TypeAlias = tuple[tuple[float, ...], float | None]
"""How many people chose each option, or their shares, and how many answered; None where only shares are known."""


def _counts(given: Sequence[float], people: float | None, name: str, fault: Fault) -> _Amounts:
    total = float(sum(given))
    if not total:
        raise fault(f"nobody answered question {brief(name)}", "a count above 0")
    if people is not None and abs(people - total) > 1e-9:
        raise fault(f"people is {people:g}, and the counts sum to {total:g}", "the same")
    return tuple(map(float, given)), total


def _shares(given: Sequence[float], people: float | None, name: str, fault: Fault) -> _Amounts:
    shares = checked_shares(given, fault)
    return shares if people is None else tuple(one * people for one in shares), people


def _numbers(
    answers: AnswerTable, keys: Sequence[tuple[str, str]], option: pl.Series
) -> tuple[pl.Series, list[str | None] | None, str]:
    """Return how much each row counts, who gave its answer (None if rows are options), and how that was understood."""
    table, columns = answers.table, answers.columns
    person, weight = (columns.get(role) for role in ("person", "weight"))
    persons = table.values(person).to_list() if person else None
    if name := columns.get("share"):
        questions = pl.Series(keys).list.join("\0")
        numbers, scaled = shares_of_one(table, name, read_shares(table, name), questions)
    elif name := columns.get("count"):
        numbers, scaled = table.whole_numbers(name), ""
    if name:
        if person:
            table.refuse(numbers != 1, name, "1, because each row is a person's answer")
        return numbers, persons, scaled
    if persons is None:
        if len({*zip(keys, option, strict=True)}) == len(keys):
            raise NoColumnError("has no column count", path=table.path, expected=EXPECTED)
        persons = [str(row) for row in range(len(keys))]  # Who gave an answer is not known.
    weights, said = pl.ones(len(keys), eager=True), []
    if weight:
        weights = table.numbers(weight)
        table.refuse(~(weights.is_finite() & (weights >= 0)).fill_null(False), weight, "a number from 0")
        said = ["people by their weights, as Kish's effective number of them"]
    if not all(answers.options.get(question) for question, _ in keys):
        said.append("options in the order in which they appear")
    return weights, persons, "; ".join(said)


def _keys(table: Table, columns: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the question and the group of each row."""
    questions = table.texts(columns["question"]).to_list()
    if "group" not in columns:
        return [(question, "") for question in questions]
    return [*zip(questions, table.values(columns["group"]).fill_null("").to_list(), strict=True)]


def _order(table: Table) -> list[float | None]:
    if "order" not in table.frame.columns:
        return [None] * table.frame.height
    numbers = table.numbers("order")
    table.refuse(~numbers.is_finite().fill_null(True), "order", "a number")
    return numbers.to_list()


def _people(table: Table) -> list[float | None]:
    if "people" not in table.frame.columns:
        return [None] * table.frame.height
    numbers = table.whole_numbers("people", missing=True)
    table.refuse((numbers < 1).fill_null(False), "people", "a whole number from 1")
    return numbers.cast(pl.Float64).to_list()


def _entered(
    table: Table, rows: Sequence[int], option: pl.Series, persons: Sequence[str | None] | None
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Return the options of a question, normalised, with the row where each stands first, and the rows of each person;
    refuse an option that stands there already, and one that is spelt in two ways.

    Without people, the rows are those of one.
    """
    places: dict[str, int] = {}
    chosen: dict[str, list[int]] = {}
    seen: set[tuple[str, str]] = set()
    for row in rows:
        name = normalised(option[row])
        first = places.setdefault(name, row)
        if persons is None:
            if first != row:
                again = f"option {brief(option[row])} again, first {table.place(first)}"
                raise table.fault(row, again, "each once")
            chosen[name] = [row]
            continue
        if option[first] != option[row]:
            found = f"option {brief(option[row])} is spelt {brief(option[first])} {table.place(first)}"
            raise table.fault(row, found, "one spelling")
        person = persons[row]
        if person is None:
            continue
        if (person, name) in seen:
            again = f"person {plain(person)} with option {brief(option[row])} again"
            raise table.fault(row, again, "each once")
        seen.add((person, name))
        chosen.setdefault(person, []).append(row)
    return places, chosen


def _of_people(
    made: Question,
    names: Sequence[str],
    chosen: Mapping[str, Sequence[int]],
    option: pl.Series,
    weights: pl.Series,
    columns: Mapping[str, str],
) -> Question:
    """Count people rather than their weights, and remember who chose what.

    Weighted people count as Kish's effective number of them, (Σw)² / Σw² (Kish 1965, Survey Sampling, section 11.7).
    """
    if "weight" in columns:
        own = [float(weights[rows[0]]) for rows in chosen.values()]
        people = sum(own) ** 2 / sum(one**2 for one in own)
        return replace(made, counts=tuple(one * people / sum(own) for one in made.counts), people=people)
    if "person" not in columns or any(len(rows) > 1 for rows in chosen.values()):
        return made
    return replace(
        made, raters=tuple((who, names.index(normalised(option[row]))) for who, (row,) in chosen.items())
    )


def _scale(order: Sequence[float | None], options: Sequence[str], fault: Fault) -> tuple[float, ...]:
    known = [value for value in order if value is not None]
    if not known:
        return ()
    if len(known) < len(options):
        raise fault("order is known of some options only", "a number for each, or for none")
    if len({*known}) < len(known):
        raise fault("order is the same for two options", "different numbers")
    return tuple(known)


def read_collected(path: Path) -> list[Question]:
    """Read the choices of a study: the questions that somebody answered, with all options of each.

    Raises
    ------
    InputError
        As :func:`~probsense.tasks.people_forms.exported_choices`, and for a question that has no different options.
    """
    chosen: dict[tuple[str, str], list[Choice]] = {}
    for one in exported_choices(path):
        chosen.setdefault((one.block, one.question.id), []).append(one)
    several = len({block for block, _ in chosen}) > 1
    place = Place(path.parent / STUDY)
    found = []
    for (block, name), own in chosen.items():
        question, counts = own[0].question, Counter(one.option for one in own)
        found.append(
            Question(
                name,
                place.word(question.text, f"the text of {name}"),
                checked_options(question.options, place.fault),
                tuple(float(counts[option]) for option in range(len(question.options))),
                float(len(own)),
                gold=question.right,
                cluster=place.text(question.data.get("cluster", name), f"the cluster of {name}"),
                data=f"block {block}" if several else "",
                raters=tuple((one.person, one.option) for one in own),
            )
        )
    return found
