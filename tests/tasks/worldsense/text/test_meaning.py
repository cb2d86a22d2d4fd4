"""Skins whose sentences do not mean what they should are found out."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import probsense as ps
from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.task import WorldSense
from probsense.tasks.worldsense.text.skin_files import check_meaning, dump_skins, load_checked, load_skins
from probsense.tasks.worldsense.text.skins import PACKAGED, ParallelSkin
from probsense.tasks.worldsense.verbs import generate
from support.worldsense import MELONS

LYING = replace(MELONS, first=MELONS.last, last=MELONS.first)
(POLES,) = (skin for skin in load_skins("parallel")[:1] if isinstance(skin, ParallelSkin))


@pytest.mark.parametrize("source", PACKAGED)
def test_packaged_skins_have_no_fault(source):
    for skin in load_skins(source):
        meaning = check_meaning(skin)
        assert meaning.faults == ()
        assert set(meaning.unchecked) <= (set() if source == "many" else {"list", "foreign"})


SWAPPED = {"forward": MELONS.converse, "converse": MELONS.forward}
ACROSS = {"parallel": POLES.perpendicular, "perpendicular": POLES.parallel}
RED = ("{a} is less heavy than {b}", "{a} is redder than {b}")
FAULTS = {
    "list reversed": ({"list": "From the lightest to the heaviest, the melons are"}, ["list"]),
    "first and last swapped": ({"first": MELONS.last, "last": MELONS.first}, ["first", "last"]),
    "forward and converse swapped": (SWAPPED, ["list", "first", "last"]),
    "forward and converse alike": ({"converse": "{a} is more heavy than {b}"}, ["converse"]),
    "the same from the other end": ({"converse": "{b} is heavier than {a}"}, []),
    "outside says between": ({"outside": "{m} comes between {a} and {b}"}, ["outside"]),
    "between says outside": ({"between": "{m} comes outside the range between {a} and {b}"}, ["between"]),
    "lines swapped": (ACROSS, ["parallel", "perpendicular"]),
    "foreign on the dimension": ({"foreign": (RED,)}, ["foreign"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_meaning(fault):
    changes, fields = FAULTS[fault]
    meaning = check_meaning(replace(POLES if "parallel" in changes else MELONS, **changes))
    assert [said.split()[0] for said in meaning.faults] == fields


UNKNOWN = [
    ({"converse": "{a} is floofier than {b}"}, ("converse",)),
    ({"converse": "{a} is not heavier than {b}"}, ("converse",)),
    ({"forward": "{a} outweighs {b}"}, ("list", "converse", "first", "last", "foreign")),
    ({"forward": "heavier than {b} is {a}"}, ("list", "converse", "first", "last", "foreign")),
    ({"outside": "{m} ranks beyond {a} and {b}"}, ("outside",)),
    ({"outside": "{m} comes not outside the range between {a} and {b}"}, ("outside",)),
    ({"between": "{a} and {b} lie around {m}"}, ("between",)),
    ({"last": "{a} comes to nothing"}, ("last",)),
    ({"list": "The melons on the cart are"}, ("list",)),
    ({"foreign": (("{a} has more seeds than {b}", "{a} has fewer seeds than {b}"),)}, ("foreign",)),
]


@pytest.mark.parametrize(("changes", "fields"), UNKNOWN)
def test_unknown_words_are_left_to_a_person(changes, fields):
    meaning = check_meaning(replace(MELONS, **changes))
    assert meaning.unchecked == fields
    assert meaning.faults == ()


def test_own_skins_are_checked_before_a_set_is_drawn(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(dump_skins([MELONS]))
    assert load_checked(path) == ((MELONS,), ())
    path.write_text(dump_skins([replace(MELONS, converse="{a} is floofier than {b}")]))
    _, (remark,) = load_checked(path)
    assert "melons.weight has words that cannot be checked, in converse" in remark
    chosen = {"sizes": [3], "problems": ["Infer.normal"], "skins": str(path)}
    made = generate(tmp_path / "set", **chosen)
    assert (made.remarks, made.to_json()["remarks"], str(made).splitlines()[-1]) == (
        (remark,),
        (remark,),
        remark,
    )
    run = ps.evaluate("worldsense", "random", store=None, quiet=True, limit=40, **chosen)
    assert run.results.notes.count(f"random: {remark}") == 1


def test_skins_that_lie_are_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(dump_skins([MELONS, replace(LYING, name="lying")]))
    write_testset(tmp_path / "lies", Design(seed=1, sizes=(3,), skins=(LYING,)))
    for refused in (
        lambda: generate(tmp_path / "set", sizes=(3,), skins=str(path)),
        lambda: WorldSense(sizes=(3,), skins=str(path)),
        lambda: audit_folder(tmp_path / "lies"),
    ):
        with pytest.raises(
            InputError, match=r"(mine|skins)\.yaml: skin .*: first does not mean what it should"
        ):
            refused()
    assert not (tmp_path / "set").exists()
