"""Recipes of runs: writes and reads them, asks once more what they tell, and says which figures came out the same."""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError, brief
from probsense.core.files import Place, file_hash, read_bytes, read_json
from probsense.core.files.typed import Number, Word, read_as
from probsense.core.records import Json
from probsense.models.base import Model, Thinks
from probsense.models.registry import load_model, model_options
from probsense.runs.ask.plan import Plan, plan, task_of
from probsense.runs.ask.thinking import Chains, Wish
from probsense.runs.evaluate import Terms, ask_plan
from probsense.runs.run import Run, results_digest
from probsense.runs.store.rows import DAMAGE, ITEMS, RunRecord

SCHEMA: Final = 1
EXPECTED: Final = "what 'probsense run --json' prints, a recipe, or a page of 'probsense report'"
FACTS: Final = (
    *("id", "version", "options", "method", "seed", "model", "details", "versions"),
    *("fingerprint", "files"),  # Documents of earlier versions do not tell these.
)
"""What a recipe tells of the record of a run, beside its task."""
FILE: Final = re.compile(r"recipe-[0-9a-f]{8,}\.json")
"""How the files with recipes are called that a page holds."""
_BLOCK: Final = re.compile(rb'id="packed">([\w+/=]+)<')
_LARGEST: Final = 2**28
"""Bytes that the block of a page may unpack to: a page may come from anybody."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a run asked, and what came out.

    Attributes
    ----------
    run : RunRecord
        What the run asked, of whom, with what: :data:`FACTS` and the task.
    estimates : sequence of Estimate
    """

    run: RunRecord
    estimates: Sequence[Estimate]

    @property
    def file(self) -> str:
        """The name of its file in a page."""
        return f"recipe-{self.run.id[:8]}.json"

    def to_json(self) -> dict[str, Json]:
        """Return the recipe as a JSON object, which :func:`recipes_in` reads; it has no time, so it lasts."""
        rows = [estimate.to_json() for estimate in self.estimates]
        return {
            "schema": SCHEMA,
            "task": self.run.task,
            "run": {name: getattr(self.run, name) for name in FACTS},
            "estimates": [*rows],
            "digest": results_digest(rows),
        }


class _Row(Struct):
    """An estimate as a document has it, as far as it is used here."""

    measure: Word
    method: Word
    by: dict[str, Any]
    value: Number | None
    stderr: Number | None
    low: Number | None
    high: Number | None
    level: Number | None
    n: int
    clusters: int


class _Document(Struct):
    """A document with a recipe; what else it may tell is left out."""

    task: Word
    run: dict[str, Any]
    estimates: tuple[_Row, ...]
    schema: int = SCHEMA
    digest: str | None = None

    def __post_init__(self) -> None:
        if self.schema > SCHEMA:
            known = f"this version of ProbSense reads schema {SCHEMA}"
            raise ValueError(f"a recipe of schema {self.schema}; {known}")


def recipe(run: Run) -> Recipe:
    """Return the recipe of a run: what it asked, of whom, with what, and what came out.

    Its ``to_json()`` is a document for ``probsense reproduce``.

    Parameters
    ----------
    run : Run

    Returns
    -------
    Recipe
    """
    run = run.original or run  # The name that the store has is the one that can be loaded.
    return _recipe(json.loads(json.dumps(run.to_json())), Place(Path(run.id)))


def recipes_in(path: Path | str) -> list[Recipe]:
    """Read the recipes of a file: a recipe, what ``probsense run --json`` printed, or a page.

    Raises
    ------
    InputError
        For a file that has none, that a newer version wrote, or whose estimates are not those that were measured.
    """
    place = Place(Path(path))
    found: list[Recipe] = []
    for document in _documents(place):
        for one in place.entries(document.get("runs", [document]), "runs", least=1):
            found.append(_recipe(place.mapping(one, "", EXPECTED), place))
    return found


def _documents(place: Place) -> Iterator[dict[str, Any]]:
    data = read_bytes(place.path)
    if not data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        yield place.mapping(read_json(place.path, expected=EXPECTED), "the document", EXPECTED)
        return
    block = _BLOCK.search(data)
    try:
        packed = base64.b64decode(block[1], validate=True) if block else b""
        text = zlib.decompressobj().decompress(packed, _LARGEST)
        files = json.loads(text)["files"] if text else {}
        known = [json.loads(text) for name, text in files.items() if FILE.fullmatch(name)]
    except (zlib.error, *DAMAGE):
        raise place.fault("a page whose data is damaged", EXPECTED) from None
    if not known:
        raise place.fault("a page without a recipe", EXPECTED)
    for one in known:
        yield place.mapping(one, "a recipe", EXPECTED)


def _recipe(document: dict[str, Any], place: Place) -> Recipe:
    read = read_as(_Document, document, place)
    facts = {name: read.run[name] for name in FACTS if name in read.run}
    record = read_as(RunRecord, {**facts, "task": read.task}, place.inside("run"))
    # What only a newer version tells of an estimate is left out.
    known = {one.name for one in fields(Estimate)}
    rows = [{name: row[name] for name in row if name in known} for row in document["estimates"]]
    try:
        if read.digest not in (None, results_digest(document["estimates"])):
            raise place.fault("the estimates are not those of its digest: somebody changed them")
        Chains.of_run(record.options, record.details)
    except DAMAGE:
        raise place.fault("no results of a run", EXPECTED) from None
    return Recipe(record, [*map(Estimate.from_json, rows)])


Verdict: TypeAlias = Literal["equal", "rounding", "interval", "apart", "missing"]
VERDICTS: Final[Mapping[str, str]] = {
    "equal": "equal",
    "rounding": "equal but for rounding",
    "interval": "within the former interval",
    "apart": "outside of it",
    "missing": "in one of the two runs alone",
}
"""What is said of figures."""
ROUNDING: Final = 1e-4
"""How far, of 1 or of its size, a figure may move where processors add up float32 in another order."""
MANY: Final = 5
"""With more differences than these, their names say enough."""
TRUSTED: Final = ("base_url", "trust_remote_code")
"""Options of models that run code or get keys, so a user has to give them: a file of results may come from anybody."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One estimate of the former run and of the new one; either may be lacking."""

    before: Estimate | None
    after: Estimate | None

    @property
    def verdict(self) -> Verdict:
        """Tell whether value and ends of the interval are equal, equal but for rounding, or the value is within."""
        if self.before is None or self.after is None:
            return "missing"
        numbers = ("value", "low", "high")
        pairs = [(getattr(self.before, name), getattr(self.after, name)) for name in numbers]
        if all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in pairs):
            return "equal"
        if all(math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING) for a, b in pairs):
            return "rounding"
        return "interval" if self.before.low <= self.after.value <= self.before.high else "apart"

    def to_json(self) -> dict[str, Json]:
        """Return the figure as a JSON object."""
        before, after = (None if one is None else one.to_json() for one in (self.before, self.after))
        return {"verdict": self.verdict, "before": before, "after": after}


@dataclass(frozen=True)
class Reproduced:
    """Hold a run that was asked once more.

    Attributes
    ----------
    recipe : Recipe
    run : Run
        The new run.
    figures : sequence of Figure
    differences : sequence of str
        What was not as before: files, weights, versions.
    """

    recipe: Recipe
    run: Run
    figures: Sequence[Figure]
    differences: Sequence[str]

    @property
    def counts(self) -> dict[str, int]:
        """Count the figures by verdict."""
        found = Counter[str](figure.verdict for figure in self.figures)
        return {verdict: found[verdict] for verdict in VERDICTS}

    @property
    def moved(self) -> Sequence[Figure]:
        """The figures that are not equal, even but for rounding."""
        return [figure for figure in self.figures if figure.verdict not in ("equal", "rounding")]

    @property
    def same(self) -> bool:
        """Tell whether every figure is equal, but for rounding."""
        return not self.moved

    def __str__(self) -> str:
        counts = self.counts
        equal = f"{counts.pop('equal'):,} of {len(self.figures):,} figures are equal"
        others = [f"{count:,} {VERDICTS[kind]}" for kind, count in counts.items() if count]
        return f"{self.recipe.run.task}, {self.run.model}: {', '.join([equal, *others])}"

    def to_json(self) -> dict[str, Json]:
        """Return the object that ``reproduce --json`` prints."""
        return {
            "task": self.recipe.run.task,
            "model": self.run.model,
            "run": self.recipe.run.id,
            "same": self.same,
            "counts": {**self.counts},
            "differences": [*self.differences],
            "figures": [figure.to_json() for figure in self.figures],
        }


def reproduce(
    what: Run | Recipe | Path | str,
    model: str | Model | None = None,
    *,
    store: Path | str | None = None,
    quiet: bool = False,
    max_cost: float | None = None,
    **options: Any,
) -> list[Reproduced]:
    """Ask once more what runs asked, and compare all figures.

    The options of the model are those that its details tell, but for :data:`TRUSTED`.

    Parameters
    ----------
    what : Run or Recipe or Path or str
        A run, its recipe, or a file with what ``probsense run --json`` printed, a recipe, or a page of ``probsense
        report``.
    model : str or Model, optional
        Another one, or the same from another place; by default the one that the recipe names.
    store, quiet, max_cost
        As for :func:`~probsense.runs.evaluate.evaluate`; without a store, all is asked anew.
    **options
        Options of the model, in place of those of the run.

    Returns
    -------
    list of Reproduced
        One for each run.

    Raises
    ------
    InputError
        For a task, option or model that is not there any more, a task of a newer version, and for an option that a user
        has to give.
    """
    if isinstance(what, Run):
        what = recipe(what)
    found = []
    for known in [what] if isinstance(what, Recipe) else recipes_in(what):
        here = _found_here(known.run)
        run = ask_plan(_planned(here, model, options), Terms(here.seed, store, quiet, max_cost))
        after = recipe(run)
        found.append(Reproduced(known, run, [*_paired(known, after)], [*_differences(here, after.run)]))
    return found


def _planned(known: RunRecord, model: str | Model | None, options: Mapping[str, Any]) -> Plan:
    """Plan what a run asked once more."""
    task = task_of(known.task, known.options)
    if known.version > task.version:
        raise InputError(
            f"a recipe of version {known.version} of {known.task}, and this is version {task.version}",
            expected="a newer ProbSense",
        )
    chains = Chains.of_run(known.options, known.details)
    loaded = _loaded(known, model, options)
    if chains is not None:
        if not isinstance(loaded, Thinks):
            raise InputError(f"{loaded.name} cannot think before its answers", expected=known.model)
        loaded = loaded.in_thinking(chains.manner)
    return plan(task, loaded, known.method, Wish("off"), known.options.get(ITEMS))._replace(chains=chains)


def _found_here(known: RunRecord) -> RunRecord:
    """Name the files of a run as they lie here: those of another machine may be in the working folder."""
    here = {}
    for word, found in known.files.items():
        own = Path(Path(word).name)
        if not Path(word).exists() and own.is_file() and file_hash(own) == found:
            here[word] = str(own)
    if not here:
        return known

    def named(value: Json) -> Json:
        if isinstance(value, list):
            return [*map(named, value)]
        return here.get(value, value) if isinstance(value, str) else value

    options = {name: named(value) for name, value in known.options.items()}
    files = {here.get(word, word): found for word, found in known.files.items()}
    return replace(known, id="", options=options, files=files)


def _loaded(known: RunRecord, model: str | Model | None, given: Mapping[str, Any]) -> Model:
    if not isinstance(model, str | None):
        return model
    # Where models of one name were told apart, the details keep what the user gave.
    spec = model or str(known.details.get("given as", known.model)).removesuffix(" (thinking)")
    takes = model_options(spec.partition(":")[0])
    own = {name: value for name, value in known.details.items() if name in takes and value is not None}
    for name in TRUSTED:
        if own.pop(name, None) and name not in given:
            said = f"the run used {name} {brief(known.details[name])}, which a file cannot choose"
            raise InputError(said, expected=f"--model {spec} and -M {name}=…, if you trust it")
    return load_model(spec, **{**own, **given})


def _paired(before: Recipe, after: Recipe) -> Iterator[Figure]:
    """Pair the estimates of the same thing; the model may have another name."""

    def keyed(one: Recipe) -> dict[str, Estimate]:
        found = {}
        for e in one.estimates:
            # The name tells whose figure it is where that is not the model, but people or a simple rule.
            name = e.by.get("model")
            by = {**e.by, "model": None if name == one.run.model else name}
            found[json.dumps([e.measure, e.method, by], sort_keys=True)] = e
        return found

    old, new = keyed(before), keyed(after)
    for key in dict.fromkeys([*old, *new]):
        yield Figure(old.get(key), new.get(key))


def _differences(before: RunRecord, after: RunRecord) -> Iterator[str]:
    """Say what was not as before."""
    if before.version != after.version:
        yield f"the task {before.task} had version {before.version}, and has {after.version}"
    for path, sha in before.files.items():
        now = after.files.get(path)
        if now != sha:
            yield f"{path} has other content" if now else f"{path} is not there"
    given = {"given as": None}
    for what, old, new in (
        ("model", _flat({**before.details, **given}), _flat({**after.details, **given})),
        ("options", before.options, after.options),
        ("version", before.versions, after.versions),
    ):
        changed = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
        if len(changed) > MANY:
            yield f"another {what}: {', '.join(changed)} differ"
            continue
        for name in changed:
            yield f"{what}: {name} was {_said(old.get(name))}, and is {_said(new.get(name))}"


def _flat(details: Mapping[str, Json]) -> dict[str, Json]:
    """Give what is inside a detail, such as versions of packages, a name of its own."""
    found: dict[str, Json] = {}
    for name, value in details.items():
        if isinstance(value, dict):
            found |= {f"{name} {key}": one for key, one in value.items()}
        else:
            found[name] = value
    return found


def _said(value: Json) -> str:
    return "not recorded" if value is None else brief(value)
