"""Makes questions of a table of people's answers, whatever its shape, and of the choices of an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import polars as pl

from probsense.core.errors import brief
from probsense.core.files import Place
from probsense.core.files.place import LARGEST
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
    keys, option = _keys(table, columns), table.texts(columns["answer"])
    names = [*map(normalised, option)]
    numbers, persons, said = _numbers(answers, keys, names)
    people, order = _numbers_from(table, "people", 1), _numbers_from(table, "order")
    # One option has one spelling, and one place on a scale.
    row_groups(table, [(*key, name) for key, name in zip(keys, names, strict=True)], (option.name, "order"))
    found = []
    for key, rows, about in row_groups(table, keys, (*ABOUT, "people")):
        fault: Fault = partial(table.fault, rows[0])
        places = {names[row]: row for row in reversed(rows)}
        texts = {normalised(one): one for one in answers.options.get(key[0], ())}
        texts |= {name: option[row] for name, row in sorted(places.items(), key=itemgetter(1))}
        options = checked_options([*texts.values()], fault)
        chosen: dict[str, list[int]] = {}
        for row in rows:
            if (who := persons[row]) is not None:
                chosen.setdefault(who, []).append(row)
        given = dict.fromkeys(texts, 0.0)
        for own in chosen.values():
            for row in own:
                given[names[row]] += numbers[row] / len(own)
        many = next((people[row] for row in rows if people[row] is not None), None)
        counts, total = (_shares if "share" in columns else _counts)([*given.values()], many, key[0], fault)
        if total and "weight" in columns:
            # Kish's effective number of people, (Σw)² / Σw² (Kish 1965, Survey Sampling, section 11.7)
            part = total / sum(numbers[own[0]] ** 2 for own in chosen.values())
            counts, total = tuple(one * part for one in counts), total * part
        raters: tuple[tuple[str, int], ...] = ()
        if columns.keys() & {"person", "weight"} == {"person"} and all(
            len(own) == 1 for own in chosen.values()
        ):
            raters = tuple((who, [*texts].index(names[row])) for who, (row,) in chosen.items())
        gold = about.get("gold")
        found.append(
            Question(
                key[0],
                about.get("text", key[0]),
                options,
                counts,
                total,
                key[1],
                about.get("context", ""),
                None if gold is None else gold_index(gold, options, fault),
                about.get("cluster", key[0]),
                _scale([order[places[name]] for name in texts if name in places], options, fault),
                raters=raters,
            )
        )
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
    answers: AnswerTable, keys: Sequence[tuple[str, str]], names: Sequence[str]
) -> tuple[list[float], list[str | None], str]:
    """Return how much each row counts, who gave its answer (None for an option that nobody chose), and how that was
    understood; refuse an answer that stands there already. Without people, each row is that of somebody else.
    """
    table, columns = answers.table, answers.columns
    person, weight = (columns.get(role) for role in ("person", "weight"))
    each = [str(row) for row in range(len(keys))]
    persons: list[str | None] = table.values(person).to_list() if person else [*each]
    numbers, said = pl.ones(len(keys), eager=True), []
    name = columns.get("share") or columns.get("count")
    if name and "share" in columns:
        shares, scaled = shares_of_one(table, name, read_shares(table, name), pl.Series(keys).list.join("\0"))
        numbers, said = shares, [scaled]
    elif name:
        numbers = table.whole_numbers(name)
    elif weight:
        numbers, said = (
            _numbers_from(table, weight, 0),
            ["people by their weights, as Kish's effective number of them"],
        )
        table.refuse(numbers.is_null(), weight, "a number from 0")
    elif not person and len({*zip(keys, names, strict=True)}) == len(keys):
        raise NoColumnError("has no column count", path=table.path, expected=EXPECTED)
    if name and person:
        table.refuse(numbers != 1, name, "1, because each row is a person's answer")
    if name or person:
        # An option that nobody chose may stand there, once.
        who = {person: pl.Series(persons).fill_null("nobody")} if person else {}
        key = {role: [one[place] for one in keys] for place, role in enumerate(_KEY) if role in columns}
        table.refuse_repeated(pl.DataFrame({**key, **who, "option": names}))
    if not name and not all(answers.options.get(question) for question, _ in keys):
        said.append("options in the order in which they appear")
    return numbers.to_list(), persons, "; ".join(filter(None, said))


_KEY: Final = ("question", "group")


def _keys(table: Table, columns: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the question and the group of each row."""
    questions = table.texts(columns["question"]).to_list()
    if "group" not in columns:
        return [(question, "") for question in questions]
    return [*zip(questions, table.values(columns["group"]).fill_null("").to_list(), strict=True)]


def _numbers_from(table: Table, name: str, least: float = -LARGEST) -> pl.Series:
    """Read a column of numbers that the table may lack, null where there is none."""
    if name not in table.frame.columns:
        return pl.repeat(None, table.frame.height, dtype=pl.Float64, eager=True)
    numbers = table.whole_numbers(name, missing=True) if name == "people" else table.numbers(name)
    expected = "a number" if least < 0 else f"a number from {least:g}"
    table.refuse(~numbers.is_between(least, LARGEST).fill_null(True), name, expected)
    return numbers.cast(pl.Float64)


def _scale(order: Sequence[float | None], options: Sequence[str], fault: Fault) -> tuple[float, ...]:
    known = [value for value in order if value is not None]
    if known and len(known) < len(options):
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
