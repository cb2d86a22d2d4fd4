"""The matched regime: many forms, and nothing that counting could learn from them, be it by heart."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from itertools import permutations

import pytest

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate.design import MATCHED_1, PUBLISHED, Design, cells, depths
from probsense.tasks.worldsense.generate.files import unmatched
from probsense.tasks.worldsense.generate.generator import draw_tuples, generate
from probsense.tasks.worldsense.generate.problems import Variant
from probsense.tasks.worldsense.generate.skins import load_skins
from probsense.tasks.worldsense.measures.difficulty import difficulty, of_tuple
from probsense.tasks.worldsense.measures.shortcuts import Asked
from probsense.tasks.worldsense.measures.trees import learned
from support.worldsense import questions_of, records_of

NORMAL = ("Infer.normal", "Consist.normal", "Compl.normal")
WANTED = {
    **{("Infer.normal", 4): 120, ("Infer.normal", 5): 400},
    **{("Consist.normal", 4): 70, ("Consist.normal", 5): 400},
    **{("Compl.normal", 4): 40, ("Compl.normal", 5): 160},
}


def plain_form(n: int, problem: str, variant: Variant) -> object:
    """The form by trying all names and both directions, with its own idea of a claim."""
    told = [fact.args for fact in variant.facts]
    asked = () if problem == "Consist.normal" else variant.claim.args

    def spelled(args: tuple[int, ...], names: tuple[int, ...], turned: bool) -> tuple[int, ...]:
        new = [names[thing] for thing in args]
        if len(new) == 2:
            return (*(reversed(new) if turned else new),)
        return (*new[:1], *sorted(new[1:]))

    return min(
        (sorted(spelled(fact, names, turned) for fact in told), spelled(asked, names, turned))
        for names in permutations(range(n))
        for turned in (False, True)
    )


def test_there_are_more_forms_than_in_the_published_sets() -> None:
    forms: dict[tuple[str, int], Counter[str]] = {cell: Counter() for cell in WANTED}
    plain: dict[str, object] = {}
    for drawn in draw_tuples(Design(91, (4, 5), NORMAL, 14)):
        problem, size = drawn.cell.problem, drawn.cell.size
        for variant in drawn.variants:
            text = json.dumps([problem == "Consist.normal", variant.facts, variant.claim])
            if text not in plain:
                plain[text] = plain_form(size, problem, variant)
            forms[problem, size][str(plain[text])] += 1
    for cell, wanted in WANTED.items():
        assert len(forms[cell]) >= wanted, cell
        assert max(forms[cell].values()) < 0.05 * forms[cell].total()


@pytest.fixture(scope="module")
def asked() -> dict[tuple[str, int], list[Asked]]:
    return by_cell(Design(5, (4, 5, 6), NORMAL, 5))


def by_cell(design: Design) -> dict[tuple[str, int], list[Asked]]:
    found: dict[tuple[str, int], list[Asked]] = {}
    for trial in questions_of(records_of(design)):
        found.setdefault((trial.problem, trial.size), []).append(trial)
    return found


def test_trees_learn_nothing_not_even_by_heart(asked: dict[tuple[str, int], list[Asked]]) -> None:
    """But of four things in several orders, of which there are too few stories; and the set says so."""
    (row,) = unmatched(Design(problems=NORMAL))
    assert (row.problem, row.size) == ("Compl.normal", 4)
    for cell, trials in asked.items():
        if cell != (row.problem, row.size):
            found = learned(trials)["tree, new tuples"]
            assert abs(found.value - 0.5) < 4 * found.stderr, (cell, found)
    assert learned(asked[row.problem, row.size])["tree, new tuples"].value > 0.9


@pytest.mark.parametrize("regime", [MATCHED_1, PUBLISHED])
def test_the_same_trees_learn_the_earlier_regimes_by_heart(regime: str) -> None:
    """Otherwise the test above would prove nothing."""
    for trials in by_cell(Design(5, (4,), NORMAL, 3, regime=regime)).values():
        assert learned(trials)["tree, new tuples"].value > 0.7


def test_depth_and_complexity_are_those_of_the_questions() -> None:
    for drawn in draw_tuples(Design(2, (4, 5, 7), NORMAL, skins=load_skins("test")[:6])):
        cell = drawn.cell
        found = of_tuple(difficulty(cell.problem, cell.size, v.facts, v.claim) for v in drawn.variants)
        assert found.depth == cell.depth
        for variant in drawn.variants:
            told = [f for f in variant.facts if cell.problem != "Consist.normal" or f != variant.claim]
            assert min(2, sum(len(fact.args) == 3 for fact in told)) == cell.complexity


def test_infer_and_consist_share_a_story_and_compl_does_not() -> None:
    for drawn in draw_tuples(Design(3, (5,), NORMAL, skins=load_skins("test")[:4])):
        one, other, *_ = (
            [f for f in v.facts if drawn.cell.problem != "Consist.normal" or f != v.claim]
            for v in drawn.variants
        )
        assert (one == other) == (
            drawn.cell.problem != "Compl.normal"
        ) or drawn.cell.problem == "Compl.normal"


def test_a_set_draws_as_ever() -> None:
    found = hashlib.sha256()
    design = Design(5, (3, 4, 5, 6), (*NORMAL, "Infer.extrema"), skins=load_skins("test")[:4], distractors=1)
    for records in generate(design):
        found.update(json.dumps([{k: v for k, v in one.items() if k != "Key"} for one in records]).encode())
    assert found.hexdigest() == "e09baf59a2df44ea5429d655c69dca2d1103a59288be79c18d28bf697f6ab76c"


def test_what_has_no_forms_of_its_own_is_drawn_as_before() -> None:
    skins = load_skins("test")[:3]
    for chosen in (
        {"sizes": (3,), "problems": NORMAL},
        {"sizes": (4,), "problems": ("Infer.normal", "Consist.normal"), "complexities": (0,)},
        {"sizes": (5,), "problems": NORMAL, "telling": "ordered"},
        {"sizes": (4,), "problems": ("Infer.trivial", "Infer.extrema")},
    ):
        one, other = (
            records_of(Design(4, skins=skins, **chosen, **regime))  # type: ignore[arg-type]
            for regime in ({}, {"regime": MATCHED_1})
        )
        assert one == other


def test_each_problem_and_size_has_as_many_tuples_whatever_its_complexities() -> None:
    found = Counter((cell.problem, cell.size) for cell in cells(Design(problems=NORMAL)))
    before = Counter((cell.problem, cell.size) for cell in cells(Design(problems=NORMAL, regime=MATCHED_1)))
    assert found == before
    kinds = {cell.complexity for cell in cells(Design(problems=("Infer.normal",), sizes=(4,)))}
    assert kinds == {2}


def test_depths_are_those_of_all_complexities() -> None:
    design = Design(problems=NORMAL)
    assert depths(design, "Infer.normal", 5) == (2, 3, 4)
    chosen = Design(1, (5,), NORMAL, depths=(2, 3), skins=load_skins("test")[:2])
    assert {r["depth"] for r in records_of(chosen)} == {2, 3}
    with pytest.raises(InputError, match=r"no Infer.normal of size 4 and depth 4 .*size 4: 2, 3"):
        Design(problems=("Infer.normal",), sizes=(4,), depths=(4,))
