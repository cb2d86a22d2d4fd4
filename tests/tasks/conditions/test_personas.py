"""Personas: how far groups of them differ, beside the same groups of people, by hand and in a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import probsense as ps
from probsense.analysis.agreement.groups import bands, groups_of
from probsense.tasks.conditions.crossed import under
from probsense.tasks.conditions.facets import Level
from probsense.tasks.conditions.measures import Seen
from probsense.tasks.conditions.personas import PeopleInGroups, persona_results
from probsense.tasks.registry import load_task
from probsense.tasks.results import Results
from support.habit import Habit

Floats = NDArray[np.float64]


def asked(p: Floats, groups: Sequence[Mapping[str, str]], texts: float = math.inf) -> list[Seen]:
    """Return questions to which personas say yes with some probability (personas × questions), a row a condition."""
    levels = [{"persona": Level(f"No {k}", groups=own)} for k, own in enumerate(groups)]
    each = [()] * len(p), levels * (len(p) // len(levels)), None, 0.0, [texts] * len(p)
    return [Seen(f"c{i}", np.stack([yes, 1 - yes], axis=1), *each) for i, yes in enumerate(p.T)]


def people(answers: Floats, **groups: Any) -> PeopleInGroups:
    """Return the answers of people (people × questions), who are in groups."""
    person, question = np.indices(answers.shape).reshape(2, -1)
    return PeopleInGroups(question, person, answers.ravel(), groups, [])


def sizes(found: Results) -> dict[tuple[str, str], float]:
    """Find the differences between groups by model and comparison."""
    sizes = (e for e in found.estimates if e.measure == "contrast_size")
    return {(str(e.by["model"]), str(e.by["people"])): e.value for e in sizes}


def test_groups_of_personas_stand_beside_the_same_groups_of_people():
    """All women say yes to two of three questions, and all men to the second."""
    p = np.array([[0.9, 0.7, 0.5]] * 2 + [[0.3, 0.5, 0.5]] * 2)
    seen = asked(p, [{"gender": name} for name in ("Woman", "Woman", "man", "man")])
    genders = groups_of(["woman"] * 5 + ["man"] * 5)
    answers = np.array([[1.0, 1, 0]] * 5 + [[0.0, 1, 0]] * 5)
    against = "gender: man against woman"
    by_hand = {("m", against): math.sqrt((0.36 + 0.04) / 3), ("people", against): math.sqrt(1 / 3)}
    found = persona_results(seen, people(answers, gender=genders), {"model": "m"})
    assert sizes(found) == pytest.approx(by_hand)


@pytest.mark.parametrize("times", [1, 2])
def test_without_people_the_model_alone_is_measured_and_few_texts_have_noise(times):
    """Two texts a condition: the variance of a share of ½ is ¼ for each persona, and is no difference of groups."""
    p = np.where(np.arange(8) % 2, [[0.5], [1.0]], [[1.0], [0.5]])
    seen = asked(np.tile(p, (times, 1)), [{"home": "a"}, {"home": "b"}], texts=2)
    found = persona_results(seen, None, {"model": "m"})
    # On every question, less the variance of a mean over conditions.
    assert sizes(found) == pytest.approx({("m", "home: a against b"): math.sqrt(0.5**2 - 0.25 / times)})


def test_what_does_not_match_is_said():
    answers, genders = np.tile([1.0, 0.0, 1.0, 0.0], (12, 1)), groups_of(["woman", "man"] * 6)
    cast = [{"gender": name, "country": "X"} for name in ("woman", "man", "robot")]
    for kind, said in ((cast, "no group of people is gender: robot"), (cast[:1], "fewer than two groups by")):
        found = persona_results(asked(np.ones((len(kind), 4)), kind), people(answers, gender=genders), {})
        warned = " ".join(found.warnings)
        assert said in warned
        assert "people have no two groups by “country”, so the personas' are not compared" in warned
        assert ("fewer than 5 personas of a group: gender: man (1)" in warned) == (kind is cast)


def test_numbers_of_personas_are_in_bands_of_people():
    answers = (np.random.default_rng(2).random((80, 8)) < 0.5).astype(float)
    ages = people(answers, age=bands(np.arange(20.0, 100.0)))
    cast = [{"age": age} for age in ("21", "39", "44", "200")]
    found = persona_results(asked(np.full((4, 8), 0.5), cast), ages, {"model": "m"})
    assert {group for _, group in sizes(found)} == {"age: 20–39 against 40–59"}
    assert "no group of people is age: 200" in found.warnings


def agreement(request: Any) -> float:
    return 0.8 if request.system == "You are Ann." else 0.2


def written(request: Any) -> list[str]:
    yes = round(request.n * agreement(request))
    return ["Yes."] * yes + ["No."] * (request.n - yes)


ACTOR = Habit(agreement, written, part=1.0, name="actor:")
FILES = {
    "data": "statement\nA.\nB.\nC.\n",
    "humans": "person,statement,q1,q2\n"
    + "".join(f"{k},{of}.,{k % 2},1\n" for k in range(10) for of in "ABC"),
    "demographics": "person,gender\n" + "".join(f"{k},{('man', 'woman')[k % 2]}\n" for k in range(10)),
    "personas": "persona,description,gender,n\nAnn,You are Ann.,woman,3\nBob,You are Bob.,man,1\n",
}


@pytest.mark.parametrize(("method", "noise"), [("labels", 0), ("sample", 0.16 / 4)])
def test_the_population_answers_by_weights_beside_the_same_groups_of_people(tmp_path, method, noise):
    """Ann stands for three people, Bob for one; five texts are counted by what they say, and weigh as much."""
    paths = {name: tmp_path / f"{name}.csv" for name in FILES}
    for name, path in paths.items():
        path.write_text(FILES[name])
    personas, humans = paths.pop("personas"), [paths.pop("humans")]
    plain = load_task("judgments", **paths, humans=humans, questions=["q1", "q2"], trials=5)
    task = under(plain, f"persona={personas}")
    run = ps.evaluate(task, ACTOR, method=method, store=None, quiet=True)
    assert run.table()["p_yes"].to_list() == pytest.approx([0.65] * 6)
    assert task.item_scores(run.answered).scores["yes_mass"].to_list() == pytest.approx([0.65] * 6)
    own, against = math.sqrt(0.6**2 - 2 * noise), "gender: man against woman"
    first, second = ({"actor:": own, "people": apart} for apart in (1, 0))
    each = [(f"{question}, {against}", found) for question, found in (("q1", first), ("q2", second))]
    assert sizes(run.results) == pytest.approx(
        {(who, on): size for on, found in each for who, size in found.items()}
    )
