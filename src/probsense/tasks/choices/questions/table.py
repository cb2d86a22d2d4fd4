"""Makes questions of a table of people's answers, whatever its shape, and of the choices of an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Final, TypeAlias

import polars as pl

from probsense.core.files import Place
from probsense.core.files.place import LARGEST
from probsense.core.files.table import NoColumnError, Table
from probsense.tasks.choices.questions.question import (
    Fault,
    Question,
    checked_question,
    normalised,
    option_index,
)
from probsense.tasks.people_forms import CHOSEN, STUDY, Choice, exported_choices
from probsense.tasks.shared.tables.answers import read_answers, row_groups
from probsense.tasks.shared.tables.columns import EXPECTED, AnswerTable
from probsense.tasks.shared.tables.numbers import read_shares, shares_of_one
from probsense.tasks.shared.understood import Read

ABOUT: Final = ("text", "context", "gold", "cluster")
"""Columns that say the same in all rows of a question."""
KNOWN: Final = (*ABOUT, "order", "people")


Questions: TypeAlias = Read[list[Question]]
"""Questions as they were read."""


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
        said = f"choices of an export ({', '.join(table.how)})"
        return Read(read_collected(table.path), said, usual=True)
    table.refuse_other_case(*KNOWN, expected=EXPECTED)
    answers = read_answers(table, columns, about=KNOWN)
    questions, scaled = _questions(answers)
    said = "; ".join(filter(None, (answers.said, scaled)))
    return Read(questions, said, answers.dropped, answers.usual and not scaled)


def _questions(answers: AnswerTable) -> tuple[list[Question], str]:
    """Make the questions of a table, and say how its numbers were understood."""
    table, columns = answers.table, answers.columns
    keys = _keys(table, columns)
    option = table.texts(columns["answer"])
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
        options = [*texts.values()]
        chosen: dict[str, list[int]] = {}
        for row in rows:
            if (who := persons[row]) is not None:
                chosen.setdefault(who, []).append(row)
        given = dict.fromkeys(texts, 0.0)
        for own in chosen.values():
            for row in own:
                given[names[row]] += numbers[row] / len(own)
        raters: Sequence[tuple[str, int]] = ()
        if "person" in columns and all(len(own) == 1 for own in chosen.values()):
            raters = [(who, [*texts].index(names[row])) for who, (row,) in chosen.items()]
        made = checked_question(
            *(fault, key[0], about.get("text", key[0]), options, [*given.values()]),
            next((people[row] for row in rows if people[row] is not None), None),
            shares="share" in columns,
            group=key[1],
            context=about.get("context", ""),
            gold=option_index(about.get("gold"), options, fault),
            cluster=about.get("cluster", key[0]),
            order=_scale([order[places[name]] for name in texts if name in places], options, fault),
            raters=() if "weight" in columns else (*raters,),
        )
        found.append(_weighted(made, [numbers[own[0]] for own in chosen.values()], "weight" in columns))
    return found, said


def _weighted(made: Question, weights: Sequence[float], weighted: bool) -> Question:
    """Count weighted people as Kish's effective number of them, (Σw)² / Σw².

    It stands in section 11.7 of Survey Sampling (Kish 1965).
    """
    if not weighted or made.people is None:
        return made
    each = made.people / sum(one**2 for one in weights)
    return replace(made, counts=tuple(one * each for one in made.counts), people=made.people * each)


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
        question = own[0].question
        counts = Counter(one.option for one in own)
        found.append(
            checked_question(
                *(place.fault, name, place.word(question.text, f"the text of {name}"), question.options),
                [counts[option] for option in range(len(question.options))],
                gold=question.right,
                cluster=place.text(question.data.get("cluster", name), f"the cluster of {name}"),
                data=f"block {block}" if several else "",
                raters=tuple((one.person, one.option) for one in own),
            )
        )
    return found
