"""WorldSense as a task: chooses trials, asks a model, and measures its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from probsense.analysis.distributions import option_views as views
from probsense.core.errors import InputError
from probsense.core.options import RARE, FileOr
from probsense.core.records import Item, Json
from probsense.core.registry import later
from probsense.tasks.base import Answered, Answers, Method, Size, Task, check_limit, recorded
from probsense.tasks.people_forms import PeopleForm, PeopleQuestion, whole
from probsense.tasks.results import Results
from probsense.tasks.worldsense.generate import MATCHED, USUAL_SIZES
from probsense.tasks.worldsense.text.skins import PACKAGED

if TYPE_CHECKING:
    from probsense.tasks.worldsense.twins import Twinned


def _people_question(item: Item) -> PeopleQuestion:
    """Show people the answers that a question expects, in their order."""
    options = tuple(item.data["expected"])
    right = options.index(item.gold)
    return PeopleQuestion(item.id, item.data["text"].strip(), options, right, whole("worldsense", item))


FORM: Final = PeopleForm("worldsense", "choose", _people_question, shuffled=False)
"""How people are asked."""


_FRESH: Final = ("sizes", "problems", "tuples", "skins", "regime", "depths")
"""The options that describe a fresh set."""


class WorldSense(Task):
    """Grounded-reasoning questions over small invented worlds.

    Parameters
    ----------
    data : Path or str, optional
        Folder of a test set in the published format; without it, a fresh set is generated.
    sizes : sequence of int
        Numbers of entities of the fresh set, 3 to 12.
    problems : sequence of str
        Problems of the fresh set: names such as Infer.normal, or standard (six), or all (with extrema and parallel).
    tuples : int
        Tuples a cell of the fresh set (problem x size x skin x wording x complexity).
    skins : str
        Skins of the fresh set: test, many (about a hundred), train, parallel or a YAML file.
    regime : str
        How the fresh set draws normal problems: matched, so that counting does not answer them; or published.
    depths : sequence of int
        Depths of inference of the fresh set's normal problems, each a cell of its own: the least number of told facts
        from which the answer follows; by default whatever is drawn.
    twins : bool
        Ask each trial of an existing set twice, as it stands and with other names, to see whether the model knows its
        text.
    seed : int
        Seeds the fresh set, the choice that ``limit`` makes, and the names of twins.
    limit : int, optional
        The largest number of trials: whole tuples, balanced over problems and cells. Twins do not count.
    rule : str
        Score that picks the answer: sum, token, char, byte or mean_prob of the option; partial or full if text follows
        the option; pmi with a neutral prefix.
    """

    name: ClassVar[str] = "worldsense"
    asks_people: ClassVar[PeopleForm] = FORM
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options", "labels", "sample")
    words = later("probsense.tasks.worldsense.words:WORDS")
    analyse = later("probsense.tasks.worldsense.verbs:analyse")
    reads_scores = later("probsense.tasks.worldsense.verbs:ResultsReader")
    choice_scores = later("probsense.tasks.worldsense.measures.scores:choice_scores")
    item_scores = later("probsense.tasks.worldsense.measures.scores:run_item_scores")
    requests = later("probsense.tasks.worldsense.asking:requests_of")
    most_requests = later("probsense.tasks.worldsense.asking:most_requests_of")
    answer_in = later("probsense.tasks.worldsense.asking:answer_in")
    turned = later("probsense.tasks.worldsense.asking:turned_item")
    verbs: ClassVar[Mapping[str, Callable[..., object]]] = later("probsense.tasks.worldsense.verbs:VERBS")
    profile_options: ClassVar[Mapping[Size, Mapping[str, Any]]] = {
        "quick": {"sizes": [4], "limit": 72},
        "standard": {"tuples": 5},
        "full": {"tuples": 10},
    }

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        sizes: Sequence[int] = USUAL_SIZES,
        problems: Sequence[str] = ("standard",),
        tuples: int = 1,
        skins: Annotated[str, FileOr([*PACKAGED, "parallel"])] = "test",
        regime: Annotated[str, RARE] = MATCHED,
        depths: Sequence[int] = (),
        twins: bool = False,
        seed: int = 0,
        limit: int | None = None,
        rule: Annotated[str, RARE] = "sum",
    ) -> None:
        given = recorded(locals())
        fresh: dict[str, Any] = {name: given[name] for name in _FRESH}
        from probsense.tasks.worldsense.generate.sets import Design, named_design

        if rule not in views.TEXT_RULES:
            raise InputError(f"no rule {rule!r}", expected=f"one of {', '.join(views.TEXT_RULES)}")
        check_limit(limit)
        self.rule = rule
        self._data = None if data is None else Path(data)
        self._limit, self._seed, self._twins = limit, seed, twins
        self._design = Design()
        self._remarks: tuple[str, ...] = ()
        if data is None:
            if twins:
                raise InputError("twins without a set", expected="data: the folder whose trials have twins")
            self._design, self._remarks = named_design(**fresh, seed=seed)
            fresh["problems"] = [*self._design.problems]
        elif fresh != recorded({name: signature(type(self)).parameters[name].default for name in fresh}):
            raise InputError(
                f"{', '.join(fresh)} describe fresh questions, and data names an existing set",
                expected="one of them",
            )
        left_out = {*(fresh if data else ()), *(() if twins else ("twins",))}
        self.options: Mapping[str, Json] = {
            name: one for name, one in {**given, **fresh}.items() if name not in left_out
        }

    def listed(self, item: Item) -> Sequence[str]:
        """Return the allowed answers."""
        return tuple(item.data["expected"])

    def items(self) -> Sequence[Item]:
        """Return the trials, each followed by its twin if it is to have one, where siblings share a cluster."""
        return self._chosen if self._twinned is None else self._twinned.items

    @property
    def questions(self) -> Sequence[Item]:
        """The items; a limit counts no twins."""
        return self.items()

    @cached_property
    def _chosen(self) -> Sequence[Item]:
        from probsense.tasks.worldsense.asking import balanced, generated_items, read_items

        items = [*(read_items(self._data) if self._data else generated_items(self._design))]
        return balanced(items, self._limit, self._seed, by_depth=bool(self._design.depths))

    @cached_property
    def _twinned(self) -> Twinned | None:
        from probsense.tasks.worldsense.twins import with_twins

        return with_twins(self._chosen, self._data, self._seed) if self._twins and self._data else None

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Results:
        """Measure accuracy and bias by every method, overall, by problem, and by problem and size.

        The table has one row per trial, with :data:`~probsense.tasks.worldsense.asking.COLUMNS`. If a label is wrong,
        there are also estimates against corrected labels.
        """
        import polars as pl

        from probsense.tasks.worldsense.asking import answer_table
        from probsense.tasks.worldsense.measures import shortcuts
        from probsense.tasks.worldsense.measures.accuracy import estimates
        from probsense.tasks.worldsense.words import figure_notes, run_results

        table = answer_table(items, method, answers, self.rule)
        frame = table.rename({"id": "key"}).with_columns(
            model=pl.lit(by["model"]), prompting=pl.lit(by["prompting"])
        )
        if not table["corrected"].count():
            frame = frame.drop("corrected")
        cells = table.select("problem", "size").unique(maintain_order=True).rows()
        ceilings = (
            shortcuts.folder_ceilings(self._data) if self._data else shortcuts.design_ceilings(self._design)
        )
        found = estimates(frame, ceilings)
        notes = [
            *self._remarks,
            *(self._twinned.notes if self._twinned else ()),
            *shortcuts.ceiling_notes(ceilings, cells),
            *figure_notes(found),
        ]
        return run_results(table, found, notes)

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the answers in the published format."""
        from probsense.tasks.worldsense.questions.results import write_results

        table = answered.results.table
        if folder is None or table is None:
            return []
        answers = zip(map(int, table["id"]), table["resp"], strict=True)
        return [write_results(folder / "results", answered.method, answered.model, answers)]
