"""Weighs chains of thought against questions, from pilots whose models thought before their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from probsense.runs.ask.chains import AfterChains
from probsense.runs.run import Run
from probsense.show.measure import Measure
from probsense.show.tables import Table
from probsense.tasks.base import Answered, answered_by


class WithChains(NamedTuple):
    """The size of a study that gives the wanted interval with so many chains before each answer.

    Attributes
    ----------
    chains : int
    value : float
        Of the measure, as the pilot tells: it may itself change with the number of chains, since the most probable
        answer after eight of them is a vote.
    unit : str
        What sizes count, in the singular.
    size, questions : int
    """

    chains: int
    value: float
    unit: str
    size: int
    questions: int

    @property
    def cost(self) -> int:
        """All chains of the study, if it asks each question once."""
        return self.chains * self.questions


def numbers_of_chains(runs: Sequence[Run]) -> list[int]:
    """Return the numbers of chains that pilots can tell of: 1, 2, 4, … and all that each question has; or none."""
    most = min((number for run in runs if (number := _chains(run))), default=0)
    return [*(2**i for i in range((most - 1).bit_length())), most] if most > 1 else []


def why_not_weighed(runs: Sequence[Run], *, width: bool) -> str:
    """Say why chains are not weighed against questions, though a model of a pilot thought; "" if none did.

    Parameters
    ----------
    runs : sequence of Run
    width : bool
        Whether an interval is planned.
    """
    thought = [run for run in runs if isinstance(run.outcome.answers, AfterChains)]
    if not thought:
        return ""
    if not width:
        why = "that is done for an interval (--width)"
    elif not any(map(_chains, thought)):
        why = "each text of the pilot has a chain of its own, so that texts and chains are as many"
    elif not numbers_of_chains(runs):
        why = "the pilot has one before each answer, and --chains 2 or more would tell what fewer do"
    else:
        why = "no size gives the interval with any number of them"
    return f"chains of thought are not weighed against questions: {why}"


def with_chains(run: Run, number: int) -> Answered:
    """Measure a run with the first chains of each question alone.

    The chains of a question are independent, so these are what a run with fewer would have had.
    """
    view = run.outcome.answers
    if not isinstance(view, AfterChains) or not _chains(run):
        return run.answered
    fewer = AfterChains(replace(view.chains, number=number), view.answers)
    return answered_by(run.model, run.task, run.method, run.outcome.items, fewer)


def _chains(run: Run) -> int:
    """Return how many chains stand before each answer; 0 where texts have one each, or there are none."""
    view = run.outcome.answers
    return view.chains.number if isinstance(view, AfterChains) and run.method != "sample" else 0


def chains_table(found: Sequence[WithChains], measure: Measure) -> Table:
    """Show how many questions give the same interval with each number of chains, and what takes the fewest chains."""
    least = min(one.cost for one in found)
    unit = found[0].unit
    return Table(
        "The same interval with other numbers of chains; ← fewest chains in all",
        ("Chains", measure.title, f"{unit[:1].upper()}{unit[1:]}s", "Chains in all"),
        tuple(
            (
                f"{one.chains:,}{' ←' * (one.cost == least)}",
                f"{measure.number(one.value)}{measure.unit.suffix}",
                f"{one.size:,}",
                f"{one.cost:,}",
            )
            for one in found
        ),
    )
