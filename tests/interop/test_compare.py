"""Readers of results: those of tasks and those of entry points, their options, and which of them reads a file."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

import probsense as ps
from probsense.analysis.comparison.scores import Scores
from probsense.core import registry
from probsense.core.errors import InputError
from probsense.interop.compare import make_readers, read_sources, reader_types
from probsense.interop.lm_eval.reader import SamplesReader
from probsense.tasks.registry import task_names, words_named


class Lines:
    """Reads a line of 0 and 1 for each model.

    Parameters
    ----------
    upside_down : bool
        Count 0 as right.
    """

    kind: ClassVar[str] = "lines of 0 and 1"

    def __init__(self, *, upside_down: bool = False) -> None:
        self.right = "0" if upside_down else "1"

    def recognises(self, path: Path) -> bool:
        """Whether its name ends in .lines."""
        return path.suffix == ".lines"

    def read(self, path: Path) -> list[Scores]:
        """Read it."""
        found = []
        for number, line in enumerate(path.read_text().split()):
            names = [f"i{k}" for k in range(len(line))]
            items = pl.DataFrame({"item": names, "cluster": names})
            scores = pl.DataFrame({"accuracy": [float(sign == self.right) for sign in line]})
            found.append(Scores(f"m{number}", "", str(path), "lines", items, scores))
        return found


@pytest.fixture
def lines(monkeypatch, tmp_path):
    """Installs the reader beside the others, and writes a file for it."""
    mine, load = EntryPoint("lines", "lines", "probsense.readers"), EntryPoint.load
    monkeypatch.setattr(EntryPoint, "load", lambda entry: Lines if entry.name == "lines" else load(entry))
    monkeypatch.setattr(
        registry,
        "entry_points",
        lambda group: EntryPoints(
            [*entry_points(group=group), *([mine] if group == "probsense.readers" else [])]
        ),
    )
    path = tmp_path / "results.lines"
    path.write_text("1110110101\n0110000101\n")
    return path


def test_tasks_and_entry_points_have_readers():
    found = reader_types()
    assert {"worldsense", "suite", "lm-eval"} <= found.keys()
    assert found["lm-eval"] is SamplesReader
    kinds = [reader.kind for reader in make_readers({})]
    assert "samples of lm-evaluation-harness (samples_TASK_DATE.jsonl)" in kinds
    assert len(kinds) == len(set(kinds)) == len(found)


def test_a_reader_of_another_package_is_asked_with_its_options(lines):
    straight, reversed_ = (
        read_sources([lines], [], options={"upside_down": wish})[0] for wish in (False, True)
    )
    assert [one.name for one in straight] == ["m0", "m1"]
    assert [one.scores["accuracy"].sum() for one in straight] == [7, 4]
    assert [one.scores["accuracy"].sum() for one in reversed_] == [3, 6]
    found = ps.compare(lines, upside_down=True)
    assert found.differences[0].estimate.value == pytest.approx(-0.3)  # m0 less m1


def test_an_option_goes_to_the_readers_that_declare_it(lines, tmp_path):
    readers = make_readers({"upside_down": True, "input_dir": tmp_path})
    assert [reader.right for reader in readers if isinstance(reader, Lines)] == ["0"]
    with pytest.raises(InputError, match=r"the comparison takes no option 'upside'; did you mean"):
        make_readers({"upside": True})
    with pytest.raises(InputError, match=r"upside_down is 'yes' \(expected true or false\)"):
        make_readers({"upside_down": "yes"})


def test_what_nobody_recognises_is_refused_with_what_is_known(lines, tmp_path):
    unknown = tmp_path / "notes.txt"
    unknown.write_text("Notes.")
    folder = tmp_path / "empty"
    folder.mkdir()
    for source, said in (
        (unknown, "notes.txt: a file of no known results"),
        (folder, "empty: a folder without results"),
        ("0123abg", "no such file, and no run's name or id: '0123abg'"),
    ):
        with pytest.raises(InputError) as refused:
            read_sources([source], tmp_path / "none.db")
        assert said in str(refused.value)
        assert "(expected a run's name or id, a store, " in str(refused.value)
        assert "lines of 0 and 1" in str(refused.value)
    with pytest.raises(InputError, match=r"no such file, and no such run in .*none\.db"):
        read_sources(["0123abc"], tmp_path / "none.db")


@pytest.mark.parametrize("task", task_names())
def test_every_measure_of_every_task_ranks_as_its_words_say(task):
    measures = words_named(task).measures
    items = pl.DataFrame({"item": [*"abcdefgh"], "cluster": [*"abcdefgh"]})
    low, high = (
        Scores(name, "", name, task, items, pl.DataFrame(dict.fromkeys(measures, value)))
        for name, value in (("low", [0.1, 0.2] * 4), ("high", [0.8, 0.9] * 4))
    )
    for measure, style in measures.items():
        first = [one.model for one in ps.compare(low, high, measure=measure).ranking][:1]
        assert first == {"higher": ["high"], "lower": ["low"], "neither": []}[style.better], measure
