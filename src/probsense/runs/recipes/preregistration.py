"""Plans that are fixed before the data: what was planned, and what of a run was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_yaml
from probsense.core.records import Json, digest
from probsense.runs.store.store import ALL_ITEMS, RunRecord
from probsense.tasks.registry import task_type, words_named

if TYPE_CHECKING:
    from probsense.runs.run import Run

SCHEMA: Final = 1
NEEDED: Final = ("schema", "id", "task", "measures", "sample")
OPTIONAL: Final = ("hypotheses", "comparisons", "exclusions", "options", "power")
EXPECTED: Final = "a file of 'probsense plan TASK --out'"
EXCLUDED: Final = "Items whose requests fail after all tries; every result says how many these are."
"""What a run leaves out by itself."""


@dataclass(frozen=True, slots=True)
class Preregistration:
    """A plan that was fixed before the data.

    Attributes
    ----------
    content : Mapping
        What its file says: ``id``, which names the plan; ``task``; ``measures`` by their names in estimates; ``sample``
        with the number of ``items`` and the ``rationale``; ``options`` of the run; ``hypotheses``, ``comparisons`` and
        ``exclusions`` in words; ``power``, from which the size was found.
    """

    content: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Return the content key of the plan, on which comments and the order of keys have no bearing."""
        return digest(dict(self.content))

    def check_tasks(self, tasks: Collection[str]) -> None:
        """Refuse to ask other tasks than the planned one.

        Raises
        ------
        InputError
        """
        for task in tasks:
            if task != self.content["task"]:
                raise InputError(
                    f"the plan {self.content['id']} is for {self.content['task']}, and {task} is asked",
                    expected="a plan for each task",
                )

    def recorded(self, runs: Sequence[RunRecord], record: RunRecord) -> dict[str, Json]:
        """Return what a run records of its plan.

        Parameters
        ----------
        runs : sequence of RunRecord
            Those that the store had before this command.
        record : RunRecord
            The run.

        Returns
        -------
        dict
            ``id``, ``digest`` and ``content`` of the plan when it was first recorded; ``changed``, the keys of it that
            have changed since the first run of it; ``before``, the runs that asked the model this task without it.
        """
        mine = [run for run in runs if run.plan is not None and run.plan["id"] == self.content["id"]]
        same = [run for run in runs if (run.task, run.fingerprint) == (record.task, record.fingerprint)]
        changed, own = list[str](), next((run.plan for run in mine if run.id == record.id), None)
        if mine:
            first = cast("dict[str, Json]", cast("Mapping[str, Json]", mine[0].plan)["content"])
            changed = [key for key in {**first, **self.content} if first.get(key) != self.content.get(key)]
        if own is not None:
            known = cast("list[str]", own["changed"])
            return {**own, "changed": [*dict.fromkeys([*known, *changed])]}
        return {
            "id": self.content["id"],
            "digest": self.digest,
            "content": dict(self.content),
            "changed": [*changed],
            "before": [*dict.fromkeys(label for run in same for label in _before(run, mine))],
        }

    def lines(self) -> Iterator[str]:
        """Yield in plain words what the preregistration of a study is asked for, under the headings that OSF uses."""
        plan, words = self.content, words_named(self.content["task"])
        none = ["none is named"]
        measures = [words.measure(name) for name in plan["measures"]]
        given = (plan.get("options") or {}).items()
        options = [f"{name}: {'not given' if value is None else brief(value)}" for name, value in given]
        parts = {
            "Hypotheses": plan.get("hypotheses") or none,
            "Design": [
                f"Every model is asked the same items of {words.title}, and differences are paired by item."
            ],
            "Existing data": [
                "A run says whether the store had answers of its model to the task before the plan."
            ],
            "Sample size": [f"{plan['sample']['items']:,} items for each model"],
            "Rationale of the sample size": [plan["sample"].get("rationale") or none[0]],
            "Stopping rule": ["All planned items are asked. Nothing is measured before that."],
            "Measures": [f"{one.title}: {one.meaning}" if one.meaning else one.title for one in measures],
            "Comparisons": plan.get("comparisons") or none,
            "Inference criteria": [
                "95 % intervals; two-sided tests at the level of 5 %, adjusted for all pairs."
            ],
            "Exclusions": plan.get("exclusions") or none,
            "Exploratory": ["Every other measure, and every result that departs from the plan."],
            "Options": options or none,
        }
        yield f"Plan {plan['id']}, with the digest {self.digest}"
        for heading, said in parts.items():
            yield f"\n{heading}"
            yield from (f"  {one}" for one in said)


def _before(run: RunRecord, mine: Sequence[RunRecord]) -> list[str]:
    """Name a run that follows another plan or none, or the runs before one that follows this plan."""
    return cast("list[str]", run.plan["before"]) if run in mine and run.plan is not None else [run.label]


def read_plan(path: Path | str) -> Preregistration:
    """Read a plan from its file, which is YAML.

    Raises
    ------
    InputError
        For a file that is no plan, or one of a newer version.
    """
    place = Place(Path(path))
    found = place.mapping(read_yaml(place.path), "", EXPECTED)
    schema = place.whole(found.get("schema", SCHEMA), "schema", 1)
    if schema > SCHEMA:
        raise place.fault(
            f"a plan of schema {schema}; this version reads schema {SCHEMA}", "a newer ProbSense"
        )
    place.record(found, needed=NEEDED, optional=OPTIONAL)
    place.word(found["id"], "id")
    place.word(found["task"], "task")
    task_type(found["task"])
    place.texts(found["measures"], "measures", of="measures")
    for name in ("hypotheses", "comparisons", "exclusions"):
        place.texts(found.get(name) or [], name, least=0)
    sample = place.mapping(found["sample"], "sample")
    inside = place.inside("sample")
    inside.record(sample, needed=("items",), optional=("rationale",))
    inside.count(sample["items"], "items")
    inside.text(sample.get("rationale") or "", "rationale")
    place.mapping(found.get("options") or {}, "options")
    plan = Preregistration(found)
    try:
        assert plan.digest
    except (TypeError, ValueError, RecursionError):
        raise place.fault(
            "a value that JSON cannot hold, such as a date", "numbers, and texts in quotes"
        ) from None
    return plan


def departures(run: Run) -> list[str]:
    """Say what of a run was not as its plan says; nothing for a run without a plan."""
    plan = run.record.plan
    return [] if plan is None else [*_departures(run, plan, cast("dict[str, Any]", plan["content"]))]


def said_of_plan(run: Run) -> str:
    """Say in one line what of a run was planned, and what was not; "" for a run without a plan."""
    plan = run.record.plan
    if plan is None:
        return ""
    content, found = cast("dict[str, Any]", plan["content"]), departures(run)
    measures = ", ".join(run.words.measure(name).title for name in content["measures"])
    how = f"not as planned: {'; '.join(found)}" if found else "as planned"
    items = content["sample"]["items"]
    return f"Plan {plan['id']}: {how}. Planned: {measures}, {items:,} items; other measures are exploratory."


def _departures(run: Run, plan: Mapping[str, Json], content: Mapping[str, Any]) -> Iterator[str]:
    asked, wanted = len(run.items), content["sample"]["items"]
    # Dependent items stay together, so a limit may end within a cluster.
    largest = max(Counter(item.cluster for item in run.items).values(), default=1)
    if abs(asked - wanted) >= largest:
        yield f"{asked:,} items were asked, and {wanted:,} planned"
    record, planned = run.record, content.get("options") or {}
    own = {"method": record.method, "seed": record.seed, **record.options}
    for name in dict.fromkeys([*record.options, *planned]):
        if name in ("limit", ALL_ITEMS) or own.get(name) == planned.get(name):
            continue
        if name in planned:
            yield f"{name} is {brief(own.get(name))}, and {brief(planned[name])} was planned"
        else:
            yield f"{name} is {brief(own[name])}, and was not planned"
    measured = {estimate.measure for estimate in run.results.estimates}
    if lacking := [name for name in content["measures"] if name not in measured]:
        yield f"not measured: {', '.join(lacking)}"
    if changed := cast("list[str]", plan["changed"]):
        yield f"the plan was changed after its first run ({', '.join(changed)})"
    if before := cast("list[str]", plan["before"]):
        yield f"the model was asked before the plan was ({', '.join(before)})"
