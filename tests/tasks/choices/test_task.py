"""The task in runs: made models by every method, orders, groups, results, transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, LabelResponse, SampleRequest, SampleResponse
from probsense.models.base import Batch
from probsense.runs.run import Run
from probsense.tasks.choices.task import Choices
from probsense.tasks.results import MADE_UP
from support.habit import Habit

ROWS = "question,option,count,order,gold\n" + "".join(
    f"q{number},{option},{count},{place},{gold}\n"
    for number in range(12)
    for place, (option, count) in enumerate((("red", 10), ("green", 10), ("blue", 10)))
    for gold in ["red"]
)


@dataclass
class Made(Habit):
    """Gives masses to the answers for which letters stand, and writes down what it is asked."""

    labelled: Callable[[Sequence[str]], Sequence[float]] = lambda names: [1 / len(names)] * len(names)
    name: str = "made"
    prompts: list[tuple[str, str]] = field(default_factory=list)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        for place, request in enumerate(requests):
            self.prompts.append((request.system, request.prompt))
            names = [name for name, _ in request.labels]
            mass = dict(zip(names, self.labelled(names), strict=True))
            yield [(place, LabelResponse(mass, 1 - sum(mass.values())))]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        self.prompts += [(request.system, request.prompt) for request in requests]
        return super().sample(requests)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(ROWS)
    return path


def run(model: Made, data: Path | None, method: str, **options: Any) -> Run:
    asked = {"data": data, "method": method, **options}
    return ps.evaluate("choices", model, store=None, quiet=True, **asked)


def overall(found: Run, model: str = "made") -> dict[str, Estimate]:
    return {
        one.measure: one
        for one in found.results.estimates
        if one.by["model"] == model and set(one.by) == {"model", "prompting"}
    }


def test_the_place_alone_decides_but_not_after_balancing(data):
    biased = Made(labelled=lambda names: [0.7, 0.2, 0.1])
    balanced = overall(run(biased, data, "labels"))
    assert balanced["total_variation"].value == pytest.approx(0, abs=1e-12)
    assert balanced["order_effect"].value == pytest.approx(3 * np.var([0.7, 0.2, 0.1], ddof=1))
    assert balanced["covered"].value == pytest.approx(1)
    single = overall(run(biased, data, "labels", conditions="none"))
    assert single["total_variation"].value == pytest.approx(0.7 - 1 / 3)
    assert "order_effect" not in single


def test_a_model_that_heeds_the_options_has_no_order_effect(data):
    known = {"red": 0.5, "green": 0.3, "blue": 0.2}
    found = overall(run(Made(labelled=lambda names: [known[name] for name in names]), data, "labels"))
    assert found["order_effect"].value == pytest.approx(0, abs=1e-12)
    assert found["total_variation"].value == pytest.approx(1 / 6)
    assert found["accuracy"].value == 1
    # On the scale red, green, blue: |1/2 − 1/3| + |4/5 − 2/3| over two steps.
    assert found["wasserstein"].value == pytest.approx((1 / 6 + 2 / 15) / 2)


def test_a_scale_need_not_stand_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "scale.csv"
    options = ("high,0,3", "low,30,1", "middle,0,2")
    rows = "".join(f"q{number},{option}\n" for number in range(12) for option in options)
    path.write_text(f"question,option,count,order\n{rows}")
    high = Made(labelled=lambda names: [float(name == "high") for name in names])
    assert overall(run(high, path, "labels"))["wasserstein"].value == pytest.approx(1)  # end to end


def test_texts_are_read_as_letters_of_their_order_or_as_options(data):
    def wrote(request: SampleRequest) -> list[str]:
        first = request.prompt.split("A. ")[1].split("\n")[0]
        return ["Green.", "nonsense" if first == "blue" else "A"] * 2

    found = run(Made(texts=wrote), data, "sample", answers=4)
    # In each of three orders, two of four texts say green; the others name the first option, which is not read as blue.
    reply = next(iter(found.transcripts())).reply
    assert dict(reply.shares) == pytest.approx(
        {"red": 0.5 / 3 * 10 / 12, "green": (0.5 + 1 + 1) / 3 * 10 / 12, "blue": 0}
    )
    assert reply.given == "green"
    assert len(reply.texts) == 12


def test_stated_percentages_and_coverage(data):
    def wrote(request: SampleRequest) -> list[str]:
        readable = any(f"q{number}\n" in request.prompt for number in (1, 2))
        return ['{"A": 50, "B": 25, "C": 25}' if readable else "I cannot tell."]

    model = Made(texts=wrote)
    found = run(model, data, "stated")
    assert overall(found)["covered"].value == pytest.approx(1 / 6)
    assert overall(found)["total_variation"].n == 2
    assert "What percentage of people chooses each option?" in model.prompts[0][1]
    assert any("10 of 12 questions got no answer" in note for note in found.results.notes)
    assert found.results.warnings[0].text.startswith("only 16.7 % of the answers are options: what rests")


def test_nothing_rests_on_next_to_no_answers(data):
    found = run(Made(labelled=lambda names: [0.05, 0.0, 0.0]), data, "labels")
    results = found.results
    assert {e.measure for e in results.estimates if e.by["model"] == "made"} == {"covered"}
    assert results.withheld == {"made": "only 5.0 % of the answers are options; try the method options"}
    assert not results.tables
    assert found.task.item_scores(found.answered).scores.columns == ["covered"]


@pytest.mark.parametrize(
    ("method", "form", "system", "words"),
    [
        ("labels", "as", "Answer as a person of this group: young.", ""),
        ("labels", "about", "", "How would people of this group answer: young?"),
        ("labels", "none", "", ""),
        ("stated", "as", "", "What percentage of people of this group (young) chooses each option?"),
    ],
)
def test_groups_are_asked_as_or_about_and_have_their_own_key(tmp_path, method, form, system, words):
    path = tmp_path / "groups.csv"
    rows = ("a,9,old", "b,1,old", "a,1,young", "b,9,young")
    path.write_text("question,option,count,group\n" + "".join(f"q,{row}\n" for row in rows))
    model = Made()
    found = run(model, path, method, group=["young"], group_form=form)
    assert {opening for opening, _ in model.prompts} == {system}
    assert all(words in prompt and ("young" in prompt) == bool(words) for _, prompt in model.prompts)
    assert [item.id for item in found.items] == ["q/young"]
    assert found.task.people(found.items[0]).shares == (("b", 0.9), ("a", 0.1))
    both = run(Made(), path, method)
    assert {e.by["group"] for e in both.results.estimates if "group" in e.by} == {"old", "young"}


def test_the_answers_to_the_questions_of_the_package_are_made_up():
    found = run(Made(), None, "labels")
    assert (found.results.illustrative, found.results.warnings[0].text) == (True, MADE_UP)
    assert found.task.people(found.items[0]).illustrative


def test_more_options_than_letters_are_scored(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("question,option,count\n" + "".join(f"q,option {n},1\n" for n in range(27)))
    assert Choices(path).methods == ("options",)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"answers": 0}, "0 answers"),
        ({"rule": "partial"}, "compares suffixes"),
        ({"reader": "simbench"}, "--reader simbench without --data"),
    ],
)
def test_options_that_cannot_be_are_refused(options, expected):
    with pytest.raises(InputError, match=expected):
        Choices(**options)


def test_items_are_scored_by_distances_first(data):
    found = run(Made(labelled=lambda names: [0.5, 0.4, 0.1]), data, "labels")
    scores = found.task.item_scores(found.answered)
    assert scores.scores.columns[:2] == ["squared_distance_corrected", "total_variation"]
    assert scores.items["gold"].to_list() == ["red"] * 12
