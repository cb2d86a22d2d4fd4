"""Questions under several conditions: what is asked, what the mean is, and how far conditions matter."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.records import LabelResponse, Request, ScoreRequest
from probsense.tasks.conditions.crossed import under
from probsense.tasks.conditions.measures import mean_of
from probsense.tasks.registry import load_task
from support.habit import Habit, sigmoid

SYSTEMS = {"none": "", "shout": "LOUD", "calm": "Be calm."}


class Fruits(ps.Task):
    """Which of two fruits is meant? The right one is the first in the alphabet."""

    def items(self) -> list[ps.Item]:
        asked = [{"prompt": f"a{i} or b{i}? It is", "options": [f"a{i}", f"b{i}"]} for i in range(12)]
        return [ps.Item(f"f{i}", f"c{i}", f"a{i}", data) for i, data in enumerate(asked)]


# Likes what stands first, with a log odds of 1, the right one with 0.5, and is surer when it hears LOUD.
PLACE = Habit(
    lambda one: sigmoid((1.0 if one.prefix.startswith("a") else -1.0) + 0.5 + 2.0 * (one.system == "LOUD")),
    lambda one: (one.system or "plain",) * one.n,
)


@pytest.fixture
def systems(tmp_path):
    path = tmp_path / "systems.yaml"
    path.write_text(json.dumps(SYSTEMS))
    return path


def found(run: ps.Run) -> dict[tuple[str, ...], float]:
    """The estimates of conditions, by measure and part."""
    return {
        (e.measure, *(str(v) for k, v in e.by.items() if k in ("level", "component", "place"))): e.value
        for e in run.results.estimates
        if e.measure.startswith(("condition_", "order_", "place_"))
    }


def test_orders_and_system_prompts_are_crossed_and_their_mean_counts(systems):
    task = under(Fruits(), f"order,system={systems}")
    assert under(task.plain, None) is task.plain
    item = task.questions[0]
    asked = [(one.prefix, one.options, one.system) for one in task.requests(item, "options", {})]
    texts = ("a0 or b0? It is", "b0 or a0? It is")
    assert asked == [(text, (" a0", " b0"), system) for system in SYSTEMS.values() for text in texts]

    run = ps.evaluate(Fruits(), PLACE, conditions=f"order,system={systems}", store=None, quiet=True)
    odds = [side + 0.5 + 2.0 * loud for loud in (False, True, False) for side in (1, -1)]
    p = np.array([*map(sigmoid, odds)])
    assert run.table()["p_gold"].to_list() == pytest.approx([p.mean()] * 12)
    known = found(run)
    assert known["condition_flips",] == pytest.approx(2 / 6)  # second place without LOUD: −0.5
    sides = p.reshape(3, 2)
    assert known["condition_effect", "system: shout"] == pytest.approx(sides[1].mean() - p.mean())
    # Both options' shares differ between the two orders.
    apart = sides[:, 0].mean() - sides[:, 1].mean()
    assert known["order_effect",] == pytest.approx(apart**2)
    assert known["place_pull", "1st"] == pytest.approx(apart / 2)
    # Nothing is the question's: all have the same answers. LOUD is worth 2 in log odds, an order 1.
    order, system = 1.0, np.var([0, 2, 0])
    for name, share in {"order": order, "system": system, "question": 0}.items():
        assert known["condition_share", name] == pytest.approx(share / (order + system), abs=1e-12)
    for one in run.transcripts():
        assert one.reply is not None
        assert dict(one.reply.shares)[f"a{one.item.id[1:]}"] == pytest.approx(p.mean())


def test_a_system_prompt_of_the_task_follows_that_of_the_condition(systems):
    class Own(Fruits):
        def requests(self, item: ps.Item, method: Any, answers: Any) -> list[Request]:
            return [ScoreRequest("?", ("a", "b"), item=item.id, system="Own.")]

    task = under(Own(), f"system={systems}")
    asked = task.requests(task.questions[0], "options", {})
    assert [one.system for one in asked] == ["Own.", "LOUD\n\nOwn.", "Be calm.\n\nOwn."]


def test_texts_of_all_system_prompts_are_put_together(systems):
    task = under(load_task("frames", limit=1, answers=3, embeddings="chars"), f"system={systems}")
    assert [*task.methods] == ["sample", "options"]
    run = ps.evaluate(task, PLACE, method="sample", store=None, quiet=True)
    assert run.results.coverage[0]["asked"] == 1
    assert [len(task.requests(item, "sample", {})) for item in task.questions] == [3]
    assert not found(run)


def test_a_stored_run_is_reproduced_and_measured_without_its_files(systems, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("question,option,count\nHot?,yes,3\nHot?,no,1\nCold?,yes,2\nCold?,no,2\n")
    given = {"data": data, "store": tmp_path / "a.db", "quiet": True}
    conditions = f"order,system={systems}"
    run = ps.evaluate("choices", "random:1", conditions=conditions, **given)
    assert run.record.options["conditions"] == conditions
    assert str(systems) in run.record.files
    same = ps.evaluate("choices", "random:1", conditions=conditions, **given)
    assert (same.id, same.asked) == (run.id, 0)
    other = ps.evaluate("choices", "random:1", conditions="none", **given)
    assert other.id != run.id
    assert other.reused == len(run.items)  # the plain questions were asked already
    (reproduced,) = ps.reproduce(run, quiet=True)
    assert reproduced.same
    for path in (data, systems):
        path.unlink()
    again = ps.load_run(run.id, store=tmp_path / "a.db")
    assert again.summary() == run.summary()
    assert [*again.transcripts()] == [*run.transcripts()]


def test_a_task_that_lists_no_answers_has_no_order():
    nowhere = "the prompt of item .* lists its answers nowhere"
    for task, said in (("frames", "item .* lists no answers"), ("winogrande", nowhere)):
        with pytest.raises(InputError, match=f"{task} under conditions of order: {said}"):
            under(load_task(task, limit=2), "order").questions  # noqa: B018


def test_masses_are_averaged_with_their_bounds():
    """Bounds are known where all conditions have them."""
    one = LabelResponse({"yes": 0.5, "no": 0.3}, 0.2, bounds={"yes": (0.4, 0.6)})
    two = LabelResponse({"yes": 0.1, "no": 0.9}, 0.0, bounds={"yes": (0.0, 0.4)})
    for answers, bounds in (
        ((one, two), {"yes": pytest.approx((0.2, 0.5))}),
        ((one, replace(two, bounds=None)), None),
    ):
        found = mean_of(answers, [1, 1], alike=False)
        assert (found.mass["yes"], found.bounds) == (pytest.approx(0.3), bounds)
