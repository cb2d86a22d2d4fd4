"""Items that are asked by their ids: the file, what is refused, and what the run keeps of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.files import file_hash
from probsense.runs.ask.selection import Selection, asked_of, selected
from probsense.runs.evaluate import load_run
from probsense.runs.recipes.reproduce import reproduce
from probsense.tasks.registry import load_task

IDS = st.text(st.characters(categories=("L", "N", "P")), min_size=1).filter(lambda one: one[0] != "#")


@given(st.lists(IDS, min_size=1, unique=True))
def test_a_file_gives_the_ids_that_were_written(
    tmp_path_factory: pytest.TempPathFactory, ids: list[str]
) -> None:
    path = tmp_path_factory.mktemp("ids") / "ids.txt"
    path.write_text("# a comment\n\n" + "".join(f" {one} \n" for one in ids), encoding="utf-8")
    assert Selection.of(path).ids == Selection.of(ids).ids == set(ids)


@pytest.mark.parametrize(
    ("text", "words"),
    [("# nothing\n\n", "no ids of items"), ("a\n#\nb\na\n", "line 4: the item 'a' once more")],
)
def test_files_that_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "ids.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        Selection.of(path)


def test_unknown_ids_and_a_limit_are_refused() -> None:
    task = load_task("winogrande")
    known = task.items()[0].id
    with pytest.raises(InputError, match="winogrande has no item 'a', 'b', 'c' and 2 more"):
        asked_of(task, Selection.of([known, *"edcba"]))
    with pytest.raises(InputError, match="a limit beside a list"):
        selected([known], 5)
    assert selected(None, 5) is None


def test_a_run_of_listed_items_resumes_and_can_be_done_again(tmp_path: Path) -> None:
    whole = load_task("winogrande").items()
    chosen = [whole[7], whole[2], whole[3]]
    path, store = tmp_path / "short.txt", tmp_path / "store.db"
    path.write_text("".join(f"{item.id}\n" for item in chosen))

    def ask(**options: object) -> ps.Run:
        return ps.evaluate("winogrande", "random:1", store=store, quiet=True, **options)  # type: ignore[arg-type]

    everything, run = ask(), ask(items=path)
    assert [item.id for item in run.items] == [whole[2].id, whole[3].id, whole[7].id]
    assert (run.asked, run.id == everything.id) == (0, False)
    assert run.record.files == {str(path): file_hash(path)}
    assert run.record.options["all_items"] == len(whole)
    assert f"random:1: 3 of {len(whole)} items, as listed in {path}" in run.results.notes
    assert ask(items=str(path)).id == run.id
    assert load_run(run.id, store=store).estimates().equals(run.estimates())
    by_ids = ask(items=[item.id for item in chosen])
    assert f"random:1: 3 of {len(whole)} items, as listed by their ids" in by_ids.results.notes
    for one in (run, by_ids):
        [again] = reproduce(one, quiet=True)
        assert (again.same, again.differences, again.run.id) == (True, [], one.id)
    assert everything.table().join(run.table(), on="id", how="semi").equals(run.table())
