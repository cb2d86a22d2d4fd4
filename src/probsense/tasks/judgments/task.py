"""Judgments as a task: statements, the questions about each, and the mass of yes and no in the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from probsense.core.errors import InputError, check_name
from probsense.core.options import PEOPLE, RARE
from probsense.core.records import Item, Json, LabelRequest, Request, SampleRequest
from probsense.core.registry import later
from probsense.tasks.base import Answered, Answers, Method, PeopleAnswers, Size, Task, recorded
from probsense.tasks.judgments.collected import FORM
from probsense.tasks.judgments.questions.wordings import TURN, check_questions, packaged_ways, read_ways
from probsense.tasks.people_forms import PeopleForm
from probsense.tasks.results import Note, Results, voiding
from probsense.tasks.shared.orders import Order, Turned

if TYPE_CHECKING:
    import polars as pl

    from probsense.analysis.comparison.scores import ItemScores
    from probsense.tasks.conditions.personas import PeopleInGroups
    from probsense.tasks.judgments.people.opinions import Opinions
    from probsense.tasks.judgments.people.study import Study
    from probsense.tasks.judgments.questions.answers import Given


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
        YAML file with the questions in words of your own, or with several ways to ask them, of which conditions choose;
        without it, the published wording.
    trials : int
        Texts for each question (method sample).
    other : {"split", "drop", "wrong", "separate"}
        How answers count that are neither yes nor no: split evenly, drop, wrong, or separate as refusals.
    humans : sequence of Path or str
        People's ratings: one table (statement_id or statement, person, q1, q2), a wide one (a row for each person, and
        columns whose names begin or end with q1 and q2), or two wide ones as published.
    majority : Path or str, optional
        What most people say (statement_id, majority), if you have no ratings of single people; without it, the column
        most of the statements.
    labels : sequence of str
        Texts of people's answers, such as yes=ja|agree,no=nein,none=don't know; without it, 1 and 0, yes and no, true
        and false.
    columns : sequence of str
        Names of the columns of a wide table, with * for the statement, such as q1=*_agree,q2=*_most; without it, names
        begin or end with q1 and q2.
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
    words = later("probsense.tasks.judgments.words:WORDS")
    profile_options: ClassVar[Mapping[Size, Mapping[str, Any]]] = {
        "quick": {"questions": ["q1", "q2"], "limit": 48},  # The score needs no other question.
        "standard": {},
        "full": {},
    }
    analyse = later("probsense.tasks.judgments.recorded:analyse")
    check_data = later("probsense.tasks.judgments.check:check_data")

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        questions: Sequence[Literal["q1", "q2", "q3"]] | None = None,
        wording: Annotated[Path | str | None, RARE] = None,
        trials: int = 25,
        other: Literal["split", "drop", "wrong", "separate"] = "split",
        humans: Annotated[Sequence[Path | str], PEOPLE] = (),
        majority: Annotated[Path | str | None, PEOPLE] = None,
        labels: Annotated[Sequence[str], PEOPLE] = (),
        columns: Annotated[Sequence[str], RARE] = (),
        demographics: Annotated[Path | str | None, RARE] = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        given = recorded(locals())
        from probsense.analysis.distributions.label_mass import POLICIES
        from probsense.tasks.judgments.measures.estimates import Settings
        from probsense.tasks.judgments.people.opinions import PeopleFiles
        from probsense.tasks.judgments.questions.yes_no import Reading, people_facts

        options = people_facts(given)
        self._ways = packaged_ways() if wording is None else read_ways(Path(wording))
        usual = self._ways.wording({})
        self._questions = tuple(usual.questions if questions is None else questions)
        check_questions(self._questions, usual)
        self.options: Mapping[str, Json] = {**options, "questions": [*self._questions]}
        self._files = PeopleFiles(humans, majority, Reading.of(labels, columns), demographics)
        check_name("policy for other answers", other, POLICIES)
        self._settings, self._other = Settings(seed=seed), other
        self._file = None if data is None else Path(data)
        if trials < 1:
            raise InputError(f"{trials} trials", expected="at least 1")
        self._trials, self._seed = trials, seed

    def items(self) -> Sequence[Item]:
        """Return an item for each statement and question; those about one statement share a cluster."""
        from probsense.tasks.judgments.people.study import check_common

        items = [
            Item(
                id=f"{number}-{question}",
                cluster=str(number),
                gold="",
                data={"statement_id": number, "statement": text, "question": question},
            )
            for number, text in self._statements.select("statement_id", "statement").iter_rows()
            for question in self._questions
        ]
        if self._files.named:
            check_common(self._statements["statement_id"], self._opinions.frame["statement_id"])
        return items

    @cached_property
    def _opinions(self) -> Opinions:
        return self._files.read(self._statements)

    @cached_property
    def _statements(self) -> pl.DataFrame:
        from probsense.tasks.judgments.questions.statements import PACKAGED, read_statements

        return read_statements(self._file or PACKAGED)

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return a request for the mass of both labels, or for texts."""
        from probsense.tasks.judgments.questions.answers import MAX_TOKENS

        wording = self._ways.wording(item.data)
        prompt = wording.prompt(item.data["question"], item.data["statement"])
        if method == "labels":
            return [LabelRequest(prompt, wording.labels, item=item.id)]
        return [
            SampleRequest(prompt, self._trials, MAX_TOKENS, temperature=1.0, seed=self._seed, item=item.id)
        ]

    @property
    def facets(self) -> Mapping[str, Sequence[str]]:
        """The wordings, the positions of the statement, and the labels."""
        return self._ways.facets

    def varied(self, item: Item, levels: Mapping[str, str]) -> Item:
        """Let an item ask in another way."""
        return replace(item, data={**item.data, **levels})

    def listed(self, item: Item) -> Sequence[str]:
        """Return yes and no."""
        return ("yes", "no")

    def turned(self, item: Item, turn: Order) -> Turned:
        """Let the question name yes and no in another order."""
        asked = replace(item, data={**item.data, TURN: turn})
        return Turned(asked, self._ways.named_order(asked.data, item.data["question"]))

    def answer_in(self, item: Item, text: str) -> str:
        """Return yes or no, or "" for anything else."""
        from probsense.analysis.distributions.label_mass import text_class

        labels = self._ways.wording(item.data).labels
        found = text_class(text, labels)
        return found if found in dict(labels) else ""

    def people(self, item: Item) -> PeopleAnswers | None:
        """Return what people said of the statement: to the same question, or what most of them say."""
        return self._opinions.by_statement.get(item.data["statement_id"], {}).get(item.data["question"])

    def people_in_groups(self, items: Sequence[Item]) -> PeopleInGroups | None:
        """Return how single people answered the same questions, and their characteristics."""
        return self._opinions.in_groups(items)

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure the model alone and, where people are known, as an individual among them and as a population.

        The table has one row for each item, with :data:`~probsense.tasks.judgments.questions.answers.COLUMNS`; with
        a column ``model`` it is a table of ratings that ``analyse`` reads.
        """
        from probsense.tasks.judgments.measures.coverage import coverage
        from probsense.tasks.judgments.measures.results import study_results
        from probsense.tasks.judgments.questions import answers as read
        from probsense.tasks.judgments.questions.statements import MOST_SAY

        table, model = read.answer_table(self._given(items, method, answers)), str(by["model"])
        study = self._align(table, model)
        found = study_results(study, self._statements, self._settings, self._opinions.who)
        instead = read.first_word_estimates(self._given(items, method, answers), {"model": model})
        own, untested = [*self._opinions.notes], list[Note]()
        if not self._file:
            own.append("ProbSense's own example statements were asked; --data FILE asks yours")
        if study.majority is not None and not self._files.named:
            most = f"what most people say is the column “{MOST_SAY}” of the statements"
            if self._file:
                own.append(most)
            else:
                untested.append(voiding(f"{most}: an expectation, which nobody has tested by asking people"))
        noted = Counter(part for note in table["note"] for part in note.split("; ") if part)
        own += [f"{count:,} of {table.height:,} answers: {note}" for note, count in noted.items()]
        return replace(
            found,
            estimates=[replace(one, by={**by, **one.by}) for one in (*found.estimates, *instead)],
            coverage=[{"asked": table.height, "statements": len(study.ids), **coverage(study, model)}],
            notes=[*read.first_word_notes(instead), *own, *found.notes],
            table=table,
            warnings=[*found.warnings, *untested],
        )

    def _given(self, items: Sequence[Item], method: Method, answers: Answers) -> Iterator[Given]:
        for item in items:
            (request,) = self.requests(item, method, answers)
            answer: Any = answers[request]
            yield item, answer, self._ways.wording(item.data).labels

    def _align(self, table: pl.DataFrame, model: str) -> Study:
        import polars as pl

        from probsense.tasks.judgments.people.study import align

        theirs = self._opinions.about(table["statement_id"].unique())
        return align(table.with_columns(model=pl.lit(model)), theirs, policy=self._other)

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the answers as a table of ratings for ``analyse``, if somebody asked for files."""
        from probsense.tasks.judgments.questions.ratings import write_ratings

        table = answered.results.table
        if folder is None or table is None:
            return []
        return [write_ratings(folder, answered.model, table)]

    def item_scores(self, answered: Answered) -> ItemScores:
        """Score items by the mass of yes and of other answers and, if people are known, by agreement with most."""
        from probsense.tasks.judgments.measures.results import run_item_scores

        table = answered.results.table
        if table is None:
            raise InputError("recorded results have no single items", expected="the answers of a run")
        found = run_item_scores(answered.items, table, self._align(table, answered.model))
        # The people of the examples are made up.
        return found if self._files.named else found._replace(people=None)
