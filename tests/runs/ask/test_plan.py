"""The choice of a method, of items by their ids, and of the items of a shard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.files import file_hash
from probsense.core.records import Item, PromptForm, Request, SampleRequest, ScoreRequest
from probsense.models.base import Capabilities
from probsense.runs.ask.forecast import forecast
from probsense.runs.ask.plan import Shard, chosen_items, listed_ids, plan, shard_items
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.reproduce import reproduce
from probsense.tasks.base import Answers, Method, Task
from probsense.tasks.frames.task import Frames
from probsense.tasks.registry import load_task
from support.run_fakes import Clerk, Quiz


@pytest.mark.parametrize(
    ("capabilities", "asked", "chosen"),
    [
        (Capabilities(score=True, labels="exact", sample=True), None, "options"),
        (Capabilities(labels="topk", sample=True), None, "labels"),
        (Capabilities(sample=True), None, "sample"),
        (Capabilities(score=True, sample=True), "sample", "sample"),
    ],
)
def test_the_best_method_or_the_wish(capabilities, asked, chosen):
    assert plan(Quiz(), Clerk(capabilities=capabilities), asked).method == chosen
    assert plan(Quiz(methods=("sample", "options")), Clerk()).method == "sample"  # the first of the task's


@pytest.mark.parametrize(
    ("capabilities", "asked", "message"),
    [
        (Capabilities(sample=True), "options", "cannot answer the method 'options'.*can answer sample"),
        (Capabilities(), None, "quiz asks by options, labels, sample, and clerk: can answer none of them"),
        (
            Capabilities(score=True),
            "option",
            "no such method of quiz: 'option'; did you mean 'options'.*one of options, labels",
        ),
    ],
)
def test_what_cannot_be(capabilities, asked, message):
    with pytest.raises(InputError, match=message):
        plan(Quiz(), Clerk(capabilities=capabilities), asked)


FRAMES = Frames(limit=2, answers=1)
"""A task that follows the model: in a chat it asks questions, unless options are scored."""


@dataclass
class Host(Clerk):
    """A model that asks questions as a chat, and remembers in which form it was asked for."""

    form: PromptForm = "question"

    @property
    def details(self) -> Mapping[str, Any]:
        return {"scheme": "host", "form": self.form}

    def for_form(self, form: PromptForm) -> Host:
        can = replace(self.capabilities, chat=form == "question")
        return Host(capabilities=can, form=form, asked=self.asked)


@pytest.mark.parametrize(
    ("model", "asked", "style", "form", "method"),
    [
        (Host(), None, "chat", "question", "sample"),
        (Host(), "options", "published", "completion", "options"),
        (Clerk(), None, "published", None, "sample"),
        (Clerk(capabilities=Capabilities(sample=True, chat=True)), None, "chat", None, "sample"),
    ],
)
def test_a_task_may_follow_the_model(model, asked, style, form, method):
    found = plan(FRAMES, model, asked)
    assert (found.task.options["style"], found.method) == (style, method)
    assert getattr(found.model, "form", None) == form
    again = plan(found.task, model, asked)
    assert (again.task, again.model) == (found.task, found.model)


def test_a_run_records_what_the_task_became(tmp_path):
    store = tmp_path / "s.db"
    run = evaluate(FRAMES, Host(), store=store, quiet=True)
    assert (run.record.options["style"], run.details["form"]) == ("chat", "question")
    assert load_run(run.id, store=store).summary() == run.summary()
    known = forecast(plan(FRAMES, Host()), store=store)
    assert (known.stored, known.wanted) == (run.asked, 0)
    assert forecast(plan(FRAMES, Host(), "options"), store=store).stored == 0


IDS = st.text(st.characters(categories=("L", "N", "P")), min_size=1).filter(lambda one: one[0] != "#")


@given(st.lists(IDS, min_size=1, unique=True))
def test_a_file_gives_the_ids_that_were_written(tmp_path_factory, ids):
    path = tmp_path_factory.mktemp("ids") / "ids.txt"
    path.write_text("# a comment\n\n" + "".join(f" {one} \n" for one in ids), encoding="utf-8")
    assert listed_ids(path) == listed_ids([*ids, *ids]) == sorted(ids)


def test_a_file_without_ids_is_refused(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("# nothing\n\n")
    with pytest.raises(InputError, match="no ids of items"):
        listed_ids(path)


def test_unknown_ids_and_a_limit_are_refused():
    task = load_task("winogrande")
    known = task.items()[0].id
    with pytest.raises(InputError, match="5 of 6 items are not in winogrande, such as 'a'"):
        chosen_items(task, [known, *"edcba"])
    with pytest.raises(InputError, match="a limit beside a list"):
        chosen_items(load_task("winogrande", limit=5), [known])


def test_a_run_of_listed_items_resumes_and_can_be_done_again(tmp_path):
    whole = load_task("winogrande").items()
    chosen = [whole[7], whole[2], whole[3]]
    path, store = tmp_path / "short.txt", tmp_path / "store.db"
    path.write_text("".join(f"{item.id}\n" for item in chosen))

    def ask(**options: object) -> ps.Run:
        return ps.evaluate("winogrande", "random:1", store=store, quiet=True, **options)

    everything, run = ask(), ask(items=path)
    assert [item.id for item in run.items] == [whole[2].id, whole[3].id, whole[7].id]
    assert (run.asked, run.id == everything.id) == (0, False)
    assert run.record.files == {str(path): file_hash(path)}
    assert run.record.options["all_items"] == len(whole)
    assert f"random:1: 3 of {len(whole)} items, as listed in {path}" in run.results.notes
    by_ids = ask(items=[item.id for item in chosen])
    assert f"random:1: 3 of {len(whole)} items, as listed by their ids" in by_ids.results.notes
    for one in (run, by_ids):
        [again] = reproduce(one, quiet=True)
        assert again.same
        assert again.differences == []
        assert again.run.id == one.id


@dataclass(frozen=True)
class Asking(Task):
    """A task of which only the requests matter: the gold answer of an item is its prompt."""

    name: str = "asking"

    def requests(self, item: Item, method: Method, answers: Answers) -> Sequence[Request]:
        if method == "sample":
            return [SampleRequest(item.gold, n=item.data["n"], max_tokens=1)]
        return [ScoreRequest(item.gold, ("a", "b"))]


def items_of(prompts: Sequence[str], clusters: Sequence[str] | None = None) -> list[Item]:
    clusters = clusters or [""] * len(prompts)
    return [
        Item(f"i{k}", cluster, prompt, {"n": 1})
        for k, (prompt, cluster) in enumerate(zip(prompts, clusters, strict=True))
    ]


def cut(items: Sequence[Item], of: int, method: Method = "options") -> list[list[Item]]:
    return [shard_items(Asking(), items, method, Shard(number, of)) for number in range(1, of + 1)]


@given(
    st.lists(st.tuples(st.text("ab ", max_size=6), st.sampled_from("wxyz")), max_size=30),
    st.integers(1, 12),
)
def test_each_item_is_in_one_part_with_all_of_its_cluster(pairs, of):
    items = items_of([prompt for prompt, _ in pairs], [cluster for _, cluster in pairs])
    parts = cut(items, of)
    assert Counter(item.id for part in parts for item in part) == Counter(item.id for item in items)
    homes = {}
    for number, part in enumerate(parts):
        assert [*map(items.index, part)] == sorted(map(items.index, part))
        for item in part:
            assert homes.setdefault(item.cluster, number) == number


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(1, 8))
def test_parts_are_as_equal_as_items_allow(numbers, of):
    items = [Item(f"i{k}", "", "", {"n": n}) for k, n in enumerate(numbers)]
    even = sum(numbers) / of
    for part in cut(items, of, "sample"):
        assert abs(sum(item.data["n"] for item in part) - even) <= max(numbers)


def test_what_begins_alike_lies_in_one_part():
    stories = [f"{letter * 200} {end}" for end in range(8) for letter in "dbca"]
    parts = cut(items_of(stories), 4)
    assert [{item.gold[0] for item in part} for part in parts] == [{"a"}, {"b"}, {"c"}, {"d"}]


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/5", "1 / 3", "1.0/3", ""])
def test_what_is_no_shard(text):
    with pytest.raises(InputError, match="as a shard"):
        Shard.parse(text)
