"""WorldSense as a task: chooses trials, asks a model, and measures its answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from probsense.comparison.scores import ItemScores
from probsense.errors import InputError
from probsense.prob import options as views
from probsense.records import (
    Item,
    Json,
    LabelRequest,
    LabelResponse,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.show.words import Words
from probsense.tasks.base import Answered, Answers, Measured, Method
from probsense.tasks.limit import check_limit
from probsense.tasks.worldsense import measures
from probsense.tasks.worldsense.analyse import analyse
from probsense.tasks.worldsense.corrections import corrections
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.generate import MATCHED, Design
from probsense.tasks.worldsense.generate import generate as generate_trials
from probsense.tasks.worldsense.item_scores import ResultsReader, run_item_scores
from probsense.tasks.worldsense.problems import named_problems
from probsense.tasks.worldsense.replies import ask_again, read_reply
from probsense.tasks.worldsense.results import write_results
from probsense.tasks.worldsense.skin_meaning import load_checked
from probsense.tasks.worldsense.skins_only import skins_only_notes
from probsense.tasks.worldsense.trials import deobfuscate, read_trials
from probsense.tasks.worldsense.twins import Twinned, pairs, with_twins
from probsense.tasks.worldsense.verbs import audit, generate
from probsense.tasks.worldsense.words import WORDS

COLUMNS = {
    "id": pl.String,
    "tuple_id": pl.String,
    "problem": pl.String,
    "size": pl.Int64,
    "skin": pl.String,
    "qskin": pl.String,
    "complexity": pl.String,
    "expected_len": pl.Int64,
    "gold": pl.String,
    "corrected": pl.String,
    "resp": pl.String,
    "p_gold": pl.Float64,
    "margin": pl.Float64,
    "other": pl.Float64,
    "twin": pl.String,
}
"""Columns of a run's table: the question, the answer given ("" for none), the probability of the published gold
among the allowed answers (null where texts were sampled), the score by which the best option leads (null unless
options were scored), the probability of everything but the allowed answers (null unless labels were asked for), and the
answer to the trial's twin ("" for none, null where it was not asked)."""


_FRESH = ((3, 4, 5), ("standard",), 1, "test", MATCHED)
"""The defaults of the options that describe a fresh set."""


class WorldSense:
    """Grounded-reasoning questions over small invented worlds.

    Parameters
    ----------
    data : Path or str, optional
        Folder of a test set in the published format; without it, a fresh set is generated.
    sizes : sequence of int
        Numbers of entities of the fresh set, 3 to 8.
    problems : sequence of str
        Problems of the fresh set: names such as Infer.normal, or standard (six), or all (with extrema and parallel).
    tuples : int
        Tuples a cell of the fresh set (problem x size x skin x wording x complexity).
    skins : str
        Skins of the fresh set: test, many (about a hundred), train, parallel or a YAML file.
    regime : str
        How the fresh set draws normal problems: matched, so that counting does not answer them; or published.
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
    version: ClassVar[int] = 1
    methods: ClassVar[Sequence[Method]] = ("options", "labels", "sample")
    words: ClassVar[Words] = WORDS
    analyse = staticmethod(analyse)
    reads_scores: ClassVar[type[ResultsReader]] = ResultsReader
    verbs: ClassVar[Mapping[str, Callable[..., object]]] = {"generate": generate, "audit": audit}
    demo_models: ClassVar[Sequence[str]] = ("oracle:", "builtin:tiny", "random:")

    def __init__(
        self,
        data: Path | str | None = None,
        *,
        sizes: Sequence[int] = (3, 4, 5),
        problems: Sequence[str] = ("standard",),
        tuples: int = 1,
        skins: str = "test",
        regime: str = MATCHED,
        twins: bool = False,
        seed: int = 0,
        limit: int | None = None,
        rule: str = "sum",
    ) -> None:
        if rule not in views.TEXT_RULES:
            raise InputError(f"no rule {rule!r}", expected=f"one of {', '.join(views.TEXT_RULES)}")
        check_limit(limit)
        self.rule = rule
        self._data = None if data is None else Path(data)
        self._limit, self._seed, self._twins = limit, seed, twins
        self._design = None
        self._remarks: tuple[str, ...] = ()
        chosen: dict[str, Json] = {}
        if data is None:
            if twins:
                raise InputError("twins without a set", expected="data: the folder whose trials have twins")
            names = named_problems(problems)
            told, self._remarks = load_checked(skins)
            self._design = Design(seed, tuple(sizes), names, tuples, told, regime)
            chosen = {
                "sizes": [*sizes],
                "problems": [*names],
                "tuples": tuples,
                "skins": skins,
                "regime": regime,
            }
        elif (*map(tuple, (sizes, problems)), tuples, skins, regime) != _FRESH:
            raise InputError(
                "sizes, problems, tuples, skins and regime describe a fresh set, and data names an existing one",
                expected="one of them",
            )
        self.options: Mapping[str, Json] = {
            "data": None if data is None else str(data),
            **chosen,
            **({"twins": True} if twins else {}),
            "seed": seed,
            "limit": limit,
            "rule": rule,
        }

    def items(self) -> Sequence[Item]:
        """Yield the trials, each followed by its twin if it is to have one; siblings of a tuple share a cluster."""
        return self._chosen if self._twinned is None else self._twinned.items

    @cached_property
    def _chosen(self) -> Sequence[Item]:
        items = list(_read(self._data) if self._data else _generated(self._design or Design()))
        return items if self._limit is None else balanced(items, self._limit, self._seed)

    @cached_property
    def _twinned(self) -> Twinned | None:
        return with_twins(self._chosen, self._data, self._seed) if self._twins and self._data else None

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        """Make one request a trial, and a second one where the text of the first answer is no allowed answer."""
        text, allowed = item.data["text"], tuple(item.data["expected"])
        if method == "options":
            # A prompt may end in white space, and the answer then joins it as it is.
            join = "" if text[-1:].isspace() else " "
            return [ScoreRequest(text, tuple(join + answer for answer in allowed), item=item.id)]
        if method == "labels":
            return [LabelRequest(text, tuple((answer, (answer,)) for answer in allowed), item=item.id)]
        first = SampleRequest(text, item=item.id)
        reply = answers.get(first)
        if not isinstance(reply, SampleResponse) or read_reply(reply.texts[0], allowed):
            return [first]
        return [first, SampleRequest(ask_again(text, allowed), item=item.id)]

    def most_requests(self, item: Item, method: Method) -> Sequence[Request]:
        """Count the second request, too."""
        first = self.requests(item, method, {})
        if method != "sample":
            return first
        text, allowed = item.data["text"], tuple(item.data["expected"])
        return [*first, SampleRequest(ask_again(text, allowed), item=item.id)]

    def suffices(self, item: Item, method: Method, answers: Answers) -> bool:
        """Require the second answer where the first gives no allowed answer."""
        return False

    def measure(
        self, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
    ) -> Measured:
        """Measure accuracy and bias by every method, overall, by problem, and by problem and size.

        The table has one row per trial, with :data:`COLUMNS`. If a label is wrong, there are also estimates against
        corrected labels.
        """
        rows = []
        for item, twin in pairs(items):
            answer = self._answer(item, method, answers)
            data = item.data
            cell = (data[key] for key in ("problem", "size", "skin", "qskin", "complexity"))
            labels = (len(data["expected"]), item.gold, data.get("corrected"))
            again = None if twin is None else self._answer(twin, method, answers)[0]
            rows.append((item.id, item.cluster, *cell, *labels, *answer, again))
        table = pl.DataFrame(rows, schema=COLUMNS, orient="row")
        frame = table.rename({"id": "key"}).with_columns(
            model=pl.lit(by["model"]), prompting=pl.lit(by["prompting"])
        )
        if not table["corrected"].count():
            frame = frame.drop("corrected")
        notes = [*_notes(table), *self._remarks]
        if self._twinned is None:
            frame = frame.drop("twin")
        else:
            notes += self._twinned.notes()
        found = measures.estimates(frame)
        return Measured(found, [_coverage(table)], [*notes, *skins_only_notes(found)], table)

    def _answer(
        self, item: Item, method: Method, answers: Answers
    ) -> tuple[str, float | None, float | None, float | None]:
        allowed = tuple(item.data["expected"])
        requests = self.requests(item, method, answers)
        match answers[requests[-1]]:
            case ScoreResponse() as scored:
                probabilities = views.distribution(scored, self.rule)
                p_gold = float(probabilities[allowed.index(item.gold)])
                return allowed[views.best(scored, self.rule)], p_gold, views.margin(scored, self.rule), None
            case LabelResponse(mass=mass, other=other):
                total = sum(mass.values())
                best = max(allowed, key=lambda answer: mass[answer])
                return (best, mass[item.gold] / total, None, other) if total > 0 else ("", None, None, other)
            case SampleResponse(texts=texts):
                return read_reply(texts[0], allowed), None, None, None

    def write_results(self, folder: Path | None, answered: Answered) -> list[Path]:
        """Write the answers in the published format."""
        table = answered.measured.table
        if folder is None or table is None:
            return []
        answers = table.select(pl.col("id").cast(pl.Int64), "resp").iter_rows()
        return [write_results(folder / "results", answered.method, answered.model, answers)]

    def item_scores(self, answered: Answered) -> ItemScores:
        """Score trials by accuracy, strict accuracy and bias, weighted as in the estimates."""
        return run_item_scores(answered)


def _coverage(table: pl.DataFrame) -> dict[str, Json]:
    """Count the trials and twins asked, and those that got an allowed answer."""
    resp = pl.concat([table["resp"], table["twin"].drop_nulls()])
    return {
        "asked": resp.len(),
        "answered": resp.len(),
        "valid": int((resp != "").sum()),
        "tuples": table["tuple_id"].n_unique(),
    }


def _notes(table: pl.DataFrame) -> list[str]:
    """Note invalid answers, near-ties, and probability that goes elsewhere."""
    invalid = table.filter(pl.col("resp") == "").height
    tied = table.filter(pl.col("margin") < views.NEAR_TIE).height
    elsewhere = table.filter(pl.col("other") > 0.5).height
    broken = table.filter(pl.len().over("tuple_id") < pl.col("expected_len")).height
    twins = table["twin"].drop_nulls()
    found = []
    if invalid:
        found.append(f"{invalid:,} of {table.height:,} trials got none of the allowed answers")
    if lost := int((twins == "").sum()):
        found.append(f"{lost:,} of {twins.len():,} twins got none of the allowed answers")
    if tied:
        found.append(
            f"{tied:,} of {table.height:,} trials are near-ties (the first option counts as the answer)"
        )
    if elsewhere > table.height / 10:
        found.append(
            f"on {elsewhere:,} of {table.height:,} trials more than half of the probability goes to none of the "
            "allowed answers: the prompt or the chat template does not fit the model"
        )
    if broken:
        found.append(
            f"{broken:,} of {table.height:,} trials belong to tuples that are not complete, and count in no estimate"
        )
    return found


def _read(folder: Path) -> Iterator[Item]:
    trials = read_trials(folder, text=True)
    corrected = corrections(folder).labels
    for row in trials.iter_rows(named=True):
        data = {
            key: row[key] for key in ("text", "expected", "problem", "size", "skin", "qskin", "complexity")
        }
        if row["key"] in corrected:
            data["corrected"] = corrected[row["key"]]
        yield Item(str(row["key"]), row["tuple_id"], row["gold"], data)


def _generated(design: Design) -> Iterator[Item]:
    for records in generate_trials(design):
        for record in records:
            data = {
                "text": record["text"],
                "expected": record["expectedresp"],
                "problem": record["problemname"],
                "size": record["problemsize"],
                **{key: record[key] for key in ("skin", "qskin", "complexity")},
            }
            gold = deobfuscate(record["goldresp_obfusc"])
            yield Item(str(record["Key"]), record["tuple_ID"], gold, data)


def balanced(items: Iterable[Item], limit: int, seed: int) -> list[Item]:
    """Choose at most ``limit`` items: whole clusters, spread evenly over problems and their cells.

    Problems take turns, and within a problem its cells (size x skin x question wording x complexity) do; which
    cluster of a cell comes first is drawn. The items keep their order.

    Parameters
    ----------
    items : iterable of Item
    limit : int
        Number of items.
    seed : int

    Raises
    ------
    InputError
        If not even one cluster fits.
    """
    clusters: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        clusters[item.cluster].append(item)
    cells: dict[str, dict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for cluster, members in clusters.items():
        data = members[0].data
        cell = tuple(str(data[key]) for key in ("size", "skin", "qskin", "complexity"))
        cells[data["problem"]][cell].append(cluster)
    draws = Draws(np.random.default_rng([seed, 3]))
    queues = [_in_turn(list(by_cell.values()), draws) for by_cell in cells.values()]
    chosen: set[str] = set()
    left = limit
    while queues:
        for queue in list(queues):
            following = next(queue, None)
            if following is None:
                queues.remove(queue)
            elif len(clusters[following]) <= left:
                chosen.add(following)
                left -= len(clusters[following])
            else:
                queues.clear()
                break
    if not chosen:
        raise InputError(f"a limit of {limit}", expected="room for at least one whole tuple (3)")
    return [item for cluster in clusters if cluster in chosen for item in clusters[cluster]]


def _in_turn(cells: Sequence[Sequence[str]], draws: Draws) -> Iterator[str]:
    """Yield the clusters of all cells: one of each cell, in drawn order, then another of each, and so on."""
    shuffled = [draws.sample(cell, len(cell)) for cell in draws.sample(cells, len(cells))]
    for place in range(max(map(len, shuffled))):
        yield from (cell[place] for cell in shuffled if place < len(cell))
