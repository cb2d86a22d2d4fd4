"""Parts of all questions: whatever the seeds, no two parts share one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate.design import REGIMES, Design, Part, read_part
from probsense.tasks.worldsense.generate.generator import training_blocks
from probsense.tasks.worldsense.generate.problems import TRAINING
from probsense.tasks.worldsense.generate.skins import load_skins
from probsense.tasks.worldsense.verbs import generate

SKIN = load_skins("train")[:1]
FEW = (replace(SKIN[0], names=SKIN[0].names[:5]),)
ORDERS = tuple(name for name, problem in TRAINING.items() if not problem.lines)
WORDS = st.text(min_size=1, max_size=8)


@given(st.integers(1, 50), st.sampled_from(ORDERS), WORDS, st.lists(WORDS, min_size=3, max_size=8), st.data())
def test_names_in_any_order_are_in_exactly_one_part(
    parts: int, problem: str, skin: str, names: list[str], data: st.DataObject
) -> None:
    holding = [n for n in range(1, parts + 1) if Part(n, parts).holds(problem, skin, names)]
    assert len(holding) == 1
    assert Part(holding[0], parts).holds(problem, skin, data.draw(st.permutations(names)))


def test_parts_are_about_equally_large() -> None:
    groups = list(combinations(SKIN[0].names, 3))
    sizes = [sum(Part(n, 4).holds("Infer.normal", "jars", group) for group in groups) for n in (1, 2, 3, 4)]
    assert sum(sizes) == len(groups)
    assert chisquare(sizes).pvalue > 0.001


@pytest.mark.parametrize("regime", REGIMES)
def test_three_seeds_and_three_parts_share_no_question_between_parts(regime: str) -> None:
    """With so few names that seeds of the same part share many questions, also across problems and spare names."""
    part_of: dict[str, set[int]] = defaultdict(set)
    times: dict[str, int] = defaultdict(int)
    for seed in (1, 2, 3):
        for number in (1, 2, 3):
            design = Design(seed, (3,), ORDERS, 10, FEW, regime, part=Part(number, 3))
            for block in training_blocks(design):
                for text, _ in block:
                    part_of[text].add(number)
                    times[text] += 1
    assert {len(parts) for parts in part_of.values()} == {1}
    assert max(times.values()) > 1
    assert set.union(*part_of.values()) == {1, 2, 3}


def test_the_only_part_is_drawn_as_before() -> None:
    assert Design().part == Part(1, 1) == read_part("1/1")
    assert Part().holds("Infer.normal", "any", [])


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_a_part_is_read_as_it_is_written(number: int, parts: int) -> None:
    part = Part(min(number, parts), parts)
    assert read_part(str(part)) == part


@pytest.mark.parametrize(
    "text", ["", "2", "0/3", "4/3", "1/0", "-1/3", "1/3/5", " 1/3", "1/x", "1/9999999", "٢/٣"]
)
def test_what_is_no_part_is_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no part .*expected NUMBER/PARTS, such as 2/10"):
        generate(tmp_path, part=text)
    assert not list(tmp_path.iterdir())


def test_a_part_without_the_names_that_a_cell_needs_is_an_error() -> None:
    skin = FEW[0]  # Its five names are one set, which is in one part only.
    empty = next(n for n in (1, 2) if not Part(n, 2).holds("Infer.normal", skin.name, skin.names))
    design = Design(0, (5,), ("Infer.normal",), 1, FEW, part=Part(empty, 2))
    with pytest.raises(InputError, match=rf"in part {empty}/2 .*expected .*fewer parts"):
        next(training_blocks(design))
