"""Judgments as a task: statements, the questions about each, and the mass of yes and no in the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import polars as pl

from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.distributions.label_mass import text_class
from probsense.core.errors import InputError
from probsense.core.options import PEOPLE, RARE
from probsense.core.records import Item, Json, LabelRequest, LabelResponse, Request
from probsense.show.words import Words
from probsense.tasks.base import Answered, Answers, Method, PeopleAnswers, Size, Task, recorded
from probsense.tasks.judgments.collected import FORM
from probsense.tasks.judgments.measures.coverage import (
    about_answers,
    coverage,
    model_warnings,
    notes,
    silent_models,
    warnings,
    withheld,
)
from probsense.tasks.judgments.measures.estimates import Policy, Settings
from probsense.tasks.judgments.measures.results import all_results, run_item_scores
from probsense.tasks.judgments.people.answers import (
    Majority,
    Ratings,
    answers_by_statement,
    check_opinions,
    read_opinions,
)
from probsense.tasks.judgments.people.check import check_data
from probsense.tasks.judgments.people.study import Study, align, check_common
from probsense.tasks.judgments.personas.descriptions import (
    as_personas,
    personas_of,
    population_table,
    read_personas,
)
from probsense.tasks.judgments.personas.results import check_personas, persona_results
from probsense.tasks.judgments.questions.answers import (
    COLUMNS,
    OtherWords,
    Row,
    first_tokens,
    first_word_estimates,
    first_word_notes,
    first_words,
    read_mass,
    read_texts,
    texts_of,
    texts_request,
)
from probsense.tasks.judgments.questions.ratings import write_ratings
from probsense.tasks.judgments.questions.statements import MOST_SAY, PACKAGED, read_statements
from probsense.tasks.judgments.questions.turned import TURN, named_order, turned_wording
from probsense.tasks.judgments.questions.wordings import PUBLISHED, Wording, check_questions, read_wording
from probsense.tasks.judgments.questions.yes_no import Reading, people_facts
from probsense.tasks.judgments.recorded import analyse
from probsense.tasks.judgments.vary.measures import prompt_results
from probsense.tasks.judgments.vary.variants import (
    VARIANT,
    Kind,
    by_variant,
    check_vary,
    first_items,
    first_rows,
    joined_scores,
    variants_of,
)
from probsense.tasks.judgments.words import WORDS
from probsense.tasks.people_forms import PeopleForm
from probsense.tasks.results import Note, Results, voiding
from probsense.tasks.shared.limit import check_limit, draw_clusters
from probsense.tasks.shared.orders import Order, Turned
from probsense.tasks.shared.row_table import row_table


class Judgments(Task):
    """What a model says of statements of everyday common sense, and where that puts it among people.

    The questions and the measures are those of Nguyen, Watts & Whiting 2026 (PNAS Nexus 5(3) pgag029).

    Parameters
    ----------
    data : Path or str, optional
        Table of statements: a column statement and, if you like, statement_id, features of 0 and 1, categories, and
        most (agree, disagree or divided: what most people say). A run without it asks the statements of the package.
    questions : sequence of str, optional
        Questions about each statement: q1 (do you agree?), q2 (would most people?), q3 (is it common sense?); without
        it, all that the wording has.
    wording : Path or str, optional
        YAML file with the questions in words of your own; without it, the published wording. With vary, a file of
        ways to ask.
    vary : sequence of str, optional
        Ask each question in several ways, and tell how much of the answers is the prompt's: in other words (wording),
        with statement and question, and yes and no, in either order (order), for other answers than yes and no
        (labels).
    variants : int, optional
        The most ways to ask, with vary; where there are more, a balanced part of them is asked. Without it, 40.
    trials : int
        Texts for each question (method sample).
    other : Policy
        What becomes of answers that are neither yes nor no: split evenly, drop, count as wrong, or separate as
        refusals.
    humans : sequence of Path or str
        As for :func:`probsense.tasks.judgments.recorded.analyse`.
    majority : Path or str, optional
        What most people say (statement_id, majority), for when single people's ratings are not at hand; without it,
        the column most of the statements.
    labels : sequence of str
        As for :func:`probsense.tasks.judgments.recorded.analyse`.
    columns : sequence of str
        As for :func:`probsense.tasks.judgments.recorded.analyse`.
    persona : Path or str, optional
        Ask as each persona of a table (persona, description, if need be weight, and columns of groups), and tell how
        far the simulated population's answers differ as people's do.
    demographics : Path or str, optional
        Who people are (person, and a column for each characteristic); gives results by group of people.
    limit : int, optional
        The largest number of questions; those about one statement stay together.
    seed : int
        Seeds everything that is drawn at random.
    """

    name: ClassVar[str] = "judgments"
    asks_people: ClassVar[PeopleForm] = FORM
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("labels", "sample")
    words: ClassVar[Words] = WORDS
    profile_options: ClassVar[Mapping[Size, Mapping[str, Any]]] = {
        "quick": {"questions": ["q1", "q2"], "limit": 48},  # The score needs no other question.
        "standard": {},
        "full": {},
    }
    analyse = staticmethod(analyse)
    check_data = staticmethod(check_data)

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        questions: Sequence[Literal["q1", "q2", "q3"]] | None = None,
        wording: Annotated[Path | str | None, RARE] = None,
        vary: Sequence[Kind] | None = None,
        variants: Annotated[int | None, RARE] = None,
        trials: int = 25,
        other: Policy = "split",
        humans: Annotated[Sequence[Path | str], PEOPLE] = (),
        majority: Annotated[Path | str | None, PEOPLE] = None,
        labels: Annotated[Sequence[str], PEOPLE] = (),
        columns: Annotated[Sequence[str], RARE] = (),
        persona: Annotated[Path | str | None, PEOPLE] = None,
        demographics: Annotated[Path | str | None, RARE] = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        options = people_facts(recorded(locals()))
        check_vary(vary, variants)
        file = None if wording is None else Path(wording)
        self._variants = variants_of(vary, file, variants) if vary else None
        self._wording: Wording = (
            self._variants.first if self._variants else PUBLISHED if file is None else read_wording(file)
        )
        self._questions = tuple(self._wording.questions if questions is None else questions)
        check_questions(self._questions, self._wording)
        self.options: Mapping[str, Json] = {**options, "questions": [*self._questions]}
        check_limit(limit)
        self._reading = Reading.of(labels, columns)
        check_opinions(humans, majority, self._reading)
        check_personas(persona, humans, demographics)
        if persona is not None and vary:
            raise InputError("--persona with --vary", expected="one of them, in a run of its own")
        self._persona = None if persona is None else Path(persona)
        self._demographics = None if demographics is None else Path(demographics)
        self._settings = Settings(policy=other, seed=seed)
        self._file = None if data is None else Path(data)
        self._humans = [Path(path) for path in humans]
        self._majority = None if majority is None else Path(majority)
        self._files = bool(self._humans) or self._majority is not None
        if trials < 1:
            raise InputError(f"{trials} trials", expected="at least 1")
        self._trials, self._limit, self._seed = trials, limit, seed

    def items(self) -> Sequence[Item]:
        """Return an item for each statement, question and persona; those about one statement share a cluster."""
        return self._items

    @cached_property
    def _items(self) -> Sequence[Item]:
        items = [
            Item(
                id=f"{statement['statement_id']}-{question}",
                cluster=str(statement["statement_id"]),
                gold="",
                data={**statement, "question": question},
            )
            for statement in self._statements.select("statement_id", "statement").iter_rows(named=True)
            for question in self._questions
        ]
        if self._persona is not None:
            items = as_personas(items, read_personas(self._persona))
        if self._variants:
            items = [one for item in items for one in self._variants.of(item)]
        drawn = draw_clusters(items, self._limit, self._seed)
        if self._opinions is not None and self._files:
            check_common([item.data["statement_id"] for item in drawn], self._opinions.statements())
        return drawn

    @cached_property
    def _opinions(self) -> Ratings | Majority | None:
        return read_opinions(self._humans, self._majority, self._statements, self._reading)

    @cached_property
    def _statements(self) -> pl.DataFrame:
        return read_statements(self._file or PACKAGED)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return a request for the mass of both labels, or for texts."""
        if method == "labels":
            wording = self._worded(item)
            prompt = wording.prompt(item.data["question"], item.data["statement"])
            return [LabelRequest(prompt, wording.labels, item=item.id, system=_described(item))]
        prompt = self._worded(item).prompt(item.data["question"], item.data["statement"])
        return [texts_request(prompt, item.id, self._trials, self._seed, _described(item))]

    def _worded(self, item: Item) -> Wording:
        """Return the wording in which an item asks."""
        wording = self._variants.by_name[item.data[VARIANT]].wording if self._variants else self._wording
        return turned_wording(wording, item.data[TURN]) if TURN in item.data else wording

    def listed(self, item: Item) -> Sequence[str]:
        """Return yes and no."""
        return ("yes", "no")

    def turned(self, item: Item, turn: Order) -> Turned:
        """Let the question name yes and no in another order."""
        turned = turned_wording(self._worded(item), turn)
        return Turned(
            replace(item, data={**item.data, TURN: turn}), named_order(turned, item.data["question"])
        )

    def answer_in(self, item: Item, text: str) -> str:
        """Return yes or no, or "" for anything else."""
        labels = self._worded(item).labels
        found = text_class(text, labels)
        return found if found in dict(labels) else ""

    def people(self, item: Item) -> PeopleAnswers | None:
        """Return what people said of the statement: to the same question, or what most of them say."""
        told = self._answers_by_statement.get(item.data["statement_id"])
        return None if told is None else told.get(item.data["question"])

    @cached_property
    def _answers_by_statement(self) -> Mapping[int, Mapping[str, PeopleAnswers]]:
        return (
            {}
            if self._opinions is None
            else answers_by_statement(self._opinions, illustrative=not self._files)
        )

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure the model by itself and, if people are known, as an individual among them and as a population.

        The table has one row for each item, with :data:`~probsense.tasks.judgments.questions.answers.COLUMNS`; with
        a column ``model`` it is a table of ratings that ``analyse`` reads. With personas it has a column
        ``persona``, and the model is measured as the population of all personas.
        """
        asked, model = self._table(items, method, answers), str(by["model"])
        table = first_rows(asked)
        if table.is_empty():
            missing = "no answer in the first variant, on which results other than those of prompts rest"
            return Results([], [{"asked": asked.height}], table=asked, warnings=[missing])
        study, personas = self._study(table, model, items), personas_of(items)
        silent = silent_models(study)
        found = all_results(study, self._statements, self._settings)
        added = prompts = Results()
        if personas and not silent:
            added = persona_results(table, personas, study, self._demographics)
        if self._variants:
            prompts = prompt_results(asked, self._variants, self._across(asked), model, self._settings)
        # Recorded results keep the method "published", to be reproduced; in a run, it rests on as little.
        estimates = [e for e in (*found.estimates, *added.estimates) if about_answers(e, silent)]
        instead = first_word_estimates(self._said(first_items(items), method, answers), {"model": model})
        own, untested = [*(self._opinions.notes if self._opinions else ())], list[Note]()
        if not self._file:
            own.append("ProbSense's own example statements were asked; --data FILE asks yours")
        if study.majority is not None and not self._files:
            most = f"what most people say is the column “{MOST_SAY}” of the statements"
            if self._file:
                own.append(most)
            else:
                untested.append(voiding(f"{most}: an expectation, which nobody has tested by asking people"))
        read = [
            f"{count:,} of {asked.height:,} answers: {note}"
            for note, count in Counter(
                one for note in asked["note"] for one in (note or "").split("; ")
            ).items()
            if note
        ]
        return Results(
            [
                replace(estimate, by={**by, **estimate.by})
                for estimate in [*estimates, *instead, *prompts.estimates]
            ],
            [{"asked": asked.height, "statements": len(study.ids), **coverage(study, model)}],
            [
                *first_word_notes(instead),
                *own,
                *read,
                *notes(study),
                *added.notes,
                *found.notes,
                *prompts.notes,
            ],
            asked,
            {**found.tables, **added.tables, **prompts.tables},
            withheld(study),
            [
                *prompts.warnings,
                *silent.values(),
                *added.warnings,
                *untested,
                *warnings(study),
                *model_warnings(study, model),
            ],
        )

    def _study(self, table: pl.DataFrame, model: str, items: Sequence[Item]) -> Study:
        """Set the model's answers beside what people said of the statements that it was asked about."""
        if personas := personas_of(items):
            table = population_table(table, personas)
        return self._align(table.with_columns(model=pl.lit(model)))

    def _align(self, ratings: pl.DataFrame) -> Study:
        theirs = None if self._opinions is None else self._opinions.about(ratings["statement_id"].unique())
        if theirs is not None and not self._files and theirs.frame.is_empty():
            theirs = None
        return align(ratings, theirs, policy=self._settings.policy)

    def _across(self, asked: pl.DataFrame) -> Study:
        """Set the answers to every variant beside what people said, as if each were a model."""
        return self._align(asked.rename({VARIANT: "model"}))

    def _table(self, items: Sequence[Item], method: Method, answers: Answers) -> pl.DataFrame:
        rows = (
            (
                item.id,
                item.data["statement_id"],
                item.data["question"],
                *self._read(item, self.requests(item, method, answers), method, answers),
            )
            for item in items
        )
        table = row_table(rows, COLUMNS)
        if personas_of(items):
            return table.with_columns(persona=pl.Series([item.data["persona"] for item in items]))
        return table if self._variants is None else self._variants.beside(table, items)

    def _read(self, item: Item, requests: Sequence[Request], method: Method, answers: Answers) -> Row:
        """Read the answers to the requests about one item."""
        if method == "labels":
            return read_mass(answers[requests[0]])
        return read_texts(texts_of(requests, answers), self._worded(item).labels)

    def _said(self, items: Sequence[Item], method: Method, answers: Answers) -> dict[str, list[OtherWords]]:
        """Collect what each answer begins with instead of yes or no, by question."""
        found: dict[str, list[OtherWords]] = {question: [] for question in self._questions}
        for item in items:
            requests = self.requests(item, method, answers)
            found[item.data["question"]].append(self._instead(item, requests, answers))
        return found

    def _instead(self, item: Item, requests: Sequence[Request], answers: Answers) -> OtherWords:
        """Collect what the answers to the requests about one item begin with instead of yes or no."""
        match answers[requests[0]]:
            case LabelResponse() as response:
                return first_tokens(response)
            case _:
                return first_words(texts_of(requests, answers), self._worded(item).labels)

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the answers as a table of ratings for ``analyse``, if somebody asked for files."""
        table = answered.results.table
        if folder is None or table is None:
            return []
        return [write_ratings(folder, answered.model, first_rows(table))]

    def item_scores(self, answered: Answered) -> ItemScores:
        """Score items by the mass of yes and of other answers and, if people are known, by agreement with most."""
        table = answered.results.table
        if table is None:
            raise InputError("recorded results have no single items", expected="the answers of a run")
        found = joined_scores(
            run_item_scores(items, rows, self._study(rows, answered.model, items))
            for items, rows in by_variant(answered.items, table)
        )
        # The people of the examples are made up.
        return found if self._files else found._replace(people=None)


def _described(item: Item) -> str:
    """Return the description of the persona as whom an item is asked; "" without one."""
    return str(item.data.get("description", ""))
