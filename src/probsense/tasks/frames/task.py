"""Frames as a task: events with an open slot, what a model puts there, and how that compares with people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, get_args

from probsense.analysis.distributions.option_views import check_temperature
from probsense.core.errors import InputError, check_name
from probsense.core.options import PEOPLE, RARE
from probsense.core.records import Item, Json, PromptForm, Request, SampleRequest, ScoreRequest, continued
from probsense.core.registry import later
from probsense.tasks.base import Answered, Answers, Method, PeopleAnswers, Size, Task, recorded
from probsense.tasks.frames.questions.prompts import STYLES, Shot, StyleName, clean
from probsense.tasks.results import Note, Results

if TYPE_CHECKING:
    from probsense.analysis.comparison.scores import ItemScores
    from probsense.tasks.frames.questions.frames import Frame
    from probsense.tasks.shared.understood import Read

MAX_TOKENS: Final = 24
"""The length of a sampled answer: twice what the longest answer that counts takes."""

SHOTS: Final = 10
PUBLISHED_SHOTS: Final = 1
"""Examples before a question, if nobody says how many: in general, and where the style is given as published."""


class Frames(Task):
    """What fills the open slot of an everyday event, asked of a model as often as of people.

    Parameters
    ----------
    data : Path or str, optional
        File of frames: JSON lines in the package's layout or the published one, or a table (question, answer, count);
        without it, the frames of the package are asked.
    answers : int
        Texts that are sampled for each frame.
    shots : int, optional
        Examples before the question: frames of the package with their most frequent answer; by default 10, and 1 where
        the style is given as published.
    style : {"auto", "published", "chat"}
        How a frame is put: published ([Q]: … [A]:), or chat (an instruction, with the examples as earlier turns). Auto
        is chat where texts are sampled from a model with a chat template or behind a chat endpoint, else published.
    temperature : float
        Temperature of the sampled texts.
    top_p : float
        Nucleus sampling: draw only from the most probable tokens that together have this probability.
    similarity : str
        How to tell which answers mean the same: cosine (of the embeddings), chars, wordnet, wup, exact, substring or
        subsequence; several: cosine with people's clusters, and without them a mean over cosine, question and answer
        together, and chars; or auto: several with minilm or st:MODEL, and cosine elsewhere.
    embeddings : str
        Vectors of answers: minilm (all-MiniLM-L6-v2), chars (built in, knows spelling only), st:MODEL
        (sentence-transformers), or auto: minilm where the extra embed is installed, chars elsewhere and by the method
        published.
    columns : str or sequence of str
        What a column of a table is, such as questions=Q*, answer=said or none=age, where its name does not say so.
    limit : int, optional
        The largest number of frames.
    seed : int
        Seeds the choice that ``limit`` makes, the examples, the texts, and the draws behind the intervals.
    """

    name: ClassVar[str] = "frames"
    asks_people = later("probsense.tasks.frames.questions.frames:FORM")
    version: ClassVar[int] = 2
    methods: ClassVar[Sequence[Method]] = ("sample", "options")
    words = later("probsense.tasks.frames.words:WORDS")
    analyse = later("probsense.tasks.frames.recorded:analyse")
    check_data = later("probsense.tasks.frames.recorded:check_data")
    profile_options: ClassVar[Mapping[Size, Mapping[str, Any]]] = {
        "quick": {"limit": 8, "answers": 8},
        "standard": {"answers": 100},
        "full": {"answers": 300},
    }

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        answers: int = 100,
        shots: int | None = None,
        style: Annotated[StyleName, RARE] = "auto",
        temperature: float = 1.0,
        top_p: Annotated[float, RARE] = 0.9,
        similarity: str = "auto",
        embeddings: str = "auto",
        columns: Annotated[str | Sequence[str], PEOPLE] = (),
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        options = recorded(locals(), without=() if columns else ("columns",))
        from probsense.analysis.open_answers.questions import ComparisonSettings
        from probsense.tasks.frames.measures.comparison import Choice

        self._choice = choice = Choice.of(similarity, embeddings, ComparisonSettings(seed=seed))
        if shots is None:
            shots = PUBLISHED_SHOTS if style == "published" else SHOTS
        options |= {"embeddings": choice.embeddings, "similarity": choice.similarity, "shots": shots}
        self.options: Mapping[str, Json] = options
        if answers < 1:
            raise InputError(f"{answers} answers", expected="at least 1")
        if shots < 0:
            raise InputError(f"{shots} examples", expected="0 or more")
        if temperature:
            check_temperature(temperature)
        if not 0 < top_p <= 1:
            raise InputError(f"top-p {top_p:g}", expected="a number above 0, at most 1")
        check_name("style", style, get_args(StyleName))
        self._file, self._columns = None if data is None else Path(data), columns
        self._style = STYLES["published" if style == "auto" else style]
        self._answers, self._shots = answers, shots
        self._temperature, self._top_p = temperature, top_p
        self._seed = seed

    @property
    def prompt_form(self) -> PromptForm:
        """Return that of its style: the published line is a text to continue, the instruction a question."""
        return self._style.form

    def for_model(self, method: str | None, *, chat: bool) -> Frames:
        """Return the task in a style that fits the model, unless the user chose one.

        A conversation suits texts that a chat model writes. Options are scored in the published form, where an answer
        ends with its line.
        """
        if self.options["style"] != "auto":
            return self
        options: dict[str, Any] = {**self.options}
        return Frames(**options | {"style": "chat" if chat and method != "options" else "published"})

    def items(self) -> Sequence[Item]:
        """Return the frames, in the order of their file; each is a cluster of its own."""
        return [
            Item(one.id, one.id, "", {"context": one.context, "slot": one.slot, "question": one.question})
            for one in self._frames.values()
        ]

    @cached_property
    def _frames(self) -> Mapping[str, Frame]:
        return {frame.id: frame for frame in self._read.found}

    @cached_property
    def _read(self) -> Read[list[Frame]]:
        from probsense.tasks.frames.questions.read import PACKAGED, frames_of

        return frames_of(self._file or PACKAGED, self._columns)

    @cached_property
    def _examples(self) -> Sequence[Shot]:
        """The frames of the package with what most people answered, in drawn order."""
        import numpy as np

        from probsense.tasks.frames.questions.read import PACKAGED, read_frames

        known = read_frames(PACKAGED) if self._shots else []
        if self._shots >= len(known) > 0:
            raise InputError(f"{self._shots} examples", expected=f"at most {len(known) - 1}")
        order = np.random.default_rng([self._seed, 5]).permutation(len(known))
        return [(known[i], max(raw := known[i].people.raw, key=raw.__getitem__)) for i in order]

    def _shown(self, frame: Frame) -> list[Shot]:
        """Choose the examples that stand before a frame, which is none of them."""
        others = (shot for shot in self._examples if shot[0].text != frame.text)
        return list(islice(others, self._shots))

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Return one request an item: for as many texts as are wanted, or for the scores of all answers of people."""
        from probsense.tasks.frames.measures import exact

        frame = self._frames[item.id]
        turns, prompt = self._style.ask(frame, self._shown(frame))
        text = continued(turns, prompt)
        if method == "options":
            known = exact.strings(frame.people)
            if not known:
                raise InputError(
                    f"frame {frame.id!r} has no answers of people to score", expected="--method sample"
                )
            options = tuple(f" {answer}" for answer in known)
            return [ScoreRequest(text, options, exact.END, item=item.id)]
        if self._style.form == "completion":
            turns, prompt = (), text
        return [
            SampleRequest(
                prompt,
                n=self._answers,
                max_tokens=MAX_TOKENS,
                temperature=self._temperature,
                top_p=self._top_p,
                stop=self._style.stop,
                seed=self._seed,
                turns=turns,
                item=item.id,
            )
        ]

    def answer_in(self, item: Item, text: str) -> str:
        """Return the answer without what stands around it."""
        return clean(text)

    def people(self, item: Item) -> PeopleAnswers | None:
        """Count people's answers; those to the frames of the package were made up."""
        counts: Counter[str] = Counter()
        question = self._frames[item.id].people
        for answer, count in question.raw.items():
            counts[clean(answer)] += count
        return PeopleAnswers.of(counts, illustrative=question.illustrative)

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure how the answers compare with people's, if there are any, and what they are like by themselves.

        The table has one row per frame: see :data:`~probsense.tasks.frames.measures.results.COLUMNS`.
        """
        import numpy as np

        from probsense.tasks.frames.measures import results
        from probsense.tasks.frames.measures.comparison import sampled_outcome
        from probsense.tasks.frames.measures.exact import scored_outcome

        responses = [answers[self.requests(item, method, answers)[0]] for item in items]
        table = results.answer_table(items, self._frames, responses)
        people = [self._frames[item.id].people for item in items]
        if method == "options":
            masses = [np.array(own) for own in table["log_masses"].to_list()]
            draws = self._choice.settings.draws
            outcome = scored_outcome(people, masses, by, draws=draws, seed=self._seed)
        else:
            counts = results.given_answers(table)
            ranked = {name: [*own] for name, own in counts.items()}
            outcome = sampled_outcome(people, counts, ranked, self._choice, by)
        coverage: dict[str, Json] = {
            "asked": table.height,
            "compared_with_people": 0,
            **results.lengths(table),
        }
        own = ["ProbSense's own example frames were asked; --data FILE asks yours"]
        warnings = [*results.length_warnings(table, MAX_TOKENS), *outcome.warnings]
        notes = self._read.notes(self._file) if self._file else own
        return results.measured(replace(outcome, warnings=warnings), coverage, notes, people, table)

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the sampled answers and how often each was given, for ``analyse``; nothing if answers were scored."""
        from probsense.tasks.frames.measures.results import given_answers
        from probsense.tasks.frames.questions.predictions import write_answers

        table = answered.results.table
        if folder is None or table is None:
            return []
        counts = given_answers(table)
        return [write_answers(folder, answered.model, counts)] if counts else []

    def item_scores(self, answered: Answered) -> ItemScores:
        """Score frames by every measure that was estimated for single frames; NaN where one has no estimate.

        Raises
        ------
        InputError
            If the answers of people have too little probability for a comparison.
        """
        import polars as pl

        from probsense.analysis.comparison.scores import ItemScores
        from probsense.tasks.frames.measures.exact import LISTED_MASS
        from probsense.tasks.shared.items import known_items

        measures = {estimate.measure for estimate in answered.results.estimates}
        if measures == {LISTED_MASS}:
            raise InputError(Note.of(answered.results.warnings[0], answered.model))
        single = [estimate for estimate in answered.results.estimates if "frame" in estimate.by]
        values = {(estimate.measure, estimate.by["frame"]): estimate.value for estimate in single}
        items = answered.items
        names = dict.fromkeys(estimate.measure for estimate in single)
        scores = {name: [values.get((name, item.id), math.nan) for item in items] for name in names}
        return ItemScores(known_items(items, [None] * len(items)), pl.DataFrame(scores))
