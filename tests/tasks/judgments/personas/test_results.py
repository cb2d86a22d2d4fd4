"""How far a simulated population differs as people do: by hand, by simulation, and in what a run says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.tasks.base import Answered
from probsense.tasks.judgments.task import Judgments
from probsense.tasks.judgments.words import WORDS
from probsense.tasks.results import Results

pytestmark = pytest.mark.usefixtures("short_bootstrap")

Floats = NDArray[np.float64]
Ask = Callable[..., Answered]
Acting = Callable[..., Any]


class Study(NamedTuple):
    """Where the files of a study are."""

    statements: Path
    personas: Path
    humans: Path
    demographics: Path

    def task(self, **options: Any) -> Judgments:
        given = {"persona": self.personas, "humans": [self.humans], "demographics": self.demographics}
        return Judgments(self.statements, **(given | options))


def study(
    folder: Path, answers: Floats, groups: Sequence[str], personas: Sequence[tuple[str, str, float]]
) -> Study:
    """Write people's answers (people × statements), each person's group, and personas (name, group, weight)."""
    folder.mkdir(exist_ok=True)
    found = Study(*(folder / f"{name}.csv" for name in Study._fields))
    people, count = answers.shape
    pl.DataFrame({"statement": [f"Statement {i:03d}." for i in range(count)]}).write_csv(found.statements)
    cast = pl.DataFrame(personas, schema=["persona", "gender", "weight"], orient="row")
    cast.with_columns(description=pl.format("You are {}.", "persona")).write_csv(found.personas)
    pl.DataFrame(
        [(i, f"P{p}", int(answers[p, i]), int(answers[p, i])) for p in range(people) for i in range(count)],
        schema=["statement_id", "person", "q1", "q2"],
        orient="row",
    ).write_csv(found.humans)
    pl.DataFrame({"person": [f"P{p}" for p in range(people)], "gender": groups}).write_csv(found.demographics)
    return found


def chances(p: Floats, names: Sequence[str]) -> dict[str, dict[str, float]]:
    return {
        f"You are {name}.": {f"Statement {i:03d}.": float(yes) for i, yes in enumerate(p[k])}
        for k, name in enumerate(names)
    }


def of(measured: Results, measure: str, model: str = "actor:", **by: str) -> Estimate:
    (found,) = (
        e
        for e in measured.estimates
        if e.measure == measure and {**e.by, "prompting": None} == {"model": model, "prompting": None, **by}
    )
    return found


GENDERS = ["woman"] * 5 + ["man"] * 5


def test_spread_and_differences_by_hand(tmp_path: Path, ask: Ask, acting: Acting) -> None:
    """Ten people and four personas on four statements."""
    yes = {"woman": (5, 4, 2, 0), "man": (1, 3, 2, 4)}
    answers = np.array([[float(k % 5 < yes[group][i]) for i in range(4)] for k, group in enumerate(GENDERS)])
    cast = [("Ann", "Woman", 1.0), ("Eve", "woman", 1.0), ("Bob", "man", 1.0), ("Jim", "man", 1.0)]
    p = np.array([[0.9, 0.7, 0.5, 0.1], [0.7, 0.7, 0.3, 0.3], [0.3, 0.5, 0.5, 0.9], [0.1, 0.7, 0.3, 0.7]])
    files = study(tmp_path, answers, GENDERS, cast)
    measured = ask(files.task(), acting(chances(p, [name for name, _, _ in cast]))).results

    share = answers.mean(axis=0)
    people = (share * (1 - share) * 10 / 9).mean()
    between, own = p.var(axis=0, ddof=1).mean(), (p * (1 - p)).mean()
    assert of(measured, "between_spread_ratio").value == pytest.approx(between / people)
    assert of(measured, "spread_ratio").value == pytest.approx((between + own) / people)
    assert of(measured, "pair_agreement").value == pytest.approx(1 - 2 * (between + own))
    assert of(measured, "own_agreement").value == pytest.approx(1 - 2 * own)
    assert of(measured, "pair_agreement", "people").value == pytest.approx(1 - 2 * people)

    against = "gender: man against woman"
    ours = p[2:].mean(axis=0) - p[:2].mean(axis=0)
    theirs = answers[5:].mean(axis=0) - answers[:5].mean(axis=0)
    noise = sum(g.mean(axis=0) * (1 - g.mean(axis=0)) / 4 for g in (answers[5:], answers[:5]))
    assert of(measured, "contrast_r", people=against).value == pytest.approx(np.corrcoef(ours, theirs)[0, 1])
    true = theirs.var(ddof=1) - noise.mean()
    slope = np.cov(ours, theirs)[0, 1] / true
    assert of(measured, "contrast_slope", people=against).value == pytest.approx(slope)
    ceiling = of(measured, "contrast_ceiling", "people", people=against)
    assert ceiling.value == pytest.approx(math.sqrt(true / theirs.var(ddof=1)))
    size = math.sqrt((theirs**2 - noise).mean())
    assert of(measured, "contrast_size", "people", people=against).value == pytest.approx(size)
    alone = p[2:].var(axis=0, ddof=1) / 2 + p[:2].var(axis=0, ddof=1) / 2
    own_size = math.sqrt((ours**2 - alone).mean())
    assert of(measured, "contrast_size", people=against).value == pytest.approx(own_size)
    women = of(measured, "subgroup_r", people="gender: woman")
    assert women.value == pytest.approx(np.corrcoef(p[:2].mean(axis=0), answers[:5].mean(axis=0))[0, 1])

    table = measured.tables["persona_groups"]
    first = table.filter(pl.col("statement_id") == 0).row(0, named=True)
    assert (first["people"], first["statement"]) == (against, "Statement 000.")
    assert first["difference"] == pytest.approx(0.2 - 1)
    assert first["personas"] == pytest.approx(0.2 - 0.8)
    assert first["value"] == pytest.approx(0.2)
    assert -1 <= first["people_low"] <= first["difference"] <= first["people_high"] <= 1
    # With a yes and a no more in each group: 2/7 and 6/7.
    spread = math.sqrt(2 / 7 * 5 / 7 / 7 + 6 / 7 * 1 / 7 / 7 + 0.02 / 2 + 0.02 / 2)
    z = (-0.6 - (2 / 7 - 6 / 7)) / spread
    assert first["p"] == pytest.approx(math.erfc(abs(z) / math.sqrt(2)))
    spread_row = measured.tables["persona_spread"].row(0, named=True)
    assert spread_row["between"] == pytest.approx(2 * p[:, 0].var(ddof=1))


def test_personas_as_individuals_by_hand(tmp_path: Path, ask: Ask, acting: Acting) -> None:
    answers = np.ones((6, 3))
    files = study(tmp_path, answers, ["a"] * 6, [("Ann", "a", 3.0), ("Bob", "b", 1.0)])
    p = np.array([[0.9, 0.8, 0.4], [0.5, 0.2, 0.1]])  # Two of three right; a tie and nothing right.
    measured = ask(files.task(demographics=None), acting(chances(p, ["Ann", "Bob"]))).results
    ann, bob = 2 / 3, 0.5 / 3
    for measure in ("persona_consensus", "persona_awareness", "persona_commonsensicality"):
        assert of(measured, measure).value == pytest.approx((3 * ann + bob) / 4)


def world(
    rng: np.random.Generator, people: int, share: Floats, apart: float
) -> tuple[Floats, list[str], Floats]:
    """The chances of women and men, in turns, around shares; who they are; and what they answered."""
    women = np.arange(people) % 2 == 0
    shift = rng.normal(0, apart, len(share))
    chance = np.clip(share + np.where(women[:, None], shift, -shift), 0.02, 0.98)
    answers = (rng.random((people, len(share))) < chance).astype(float)
    return chance, ["woman" if woman else "man" for woman in women], answers


def replayed(
    tmp_path: Path, ask: Ask, acting: Acting, *, seed: int, people: int = 120, statements: int = 150
) -> Results:
    """Personas who answer as a random half of people do, beside the other half."""
    rng = np.random.default_rng(seed)
    _, groups, answers = world(rng, people, rng.beta(1.5, 1.5, statements), 0.15)
    half = people // 2
    names = [f"No {k:03d}" for k in range(half)]
    cast = [(name, group, 1.0) for name, group in zip(names, groups[:half], strict=True)]
    files = study(tmp_path, answers[half:], groups[half:], cast)
    return ask(files.task(questions=["q1"]), acting(chances(answers[:half], names))).results


@pytest.mark.parametrize("seed", [0, 1])
def test_personas_drawn_from_people_are_as_people(
    tmp_path: Path, ask: Ask, acting: Acting, seed: int
) -> None:
    measured = replayed(tmp_path, ask, acting, seed=seed)
    for measure in ("spread_ratio", "between_spread_ratio", "entropy_ratio"):
        found = of(measured, measure)
        assert found.value == pytest.approx(1, abs=0.03), measure
        assert found.low < 1 < found.high, measure
    against = "gender: man against woman"
    ceiling = of(measured, "contrast_ceiling", "people", people=against)
    r = of(measured, "contrast_r", people=against)
    # Personas have the noise of as many people, so their ceiling counts twice.
    assert r.low < ceiling.value**2 < r.high
    slope = of(measured, "contrast_slope", people=against)
    assert slope.low < 1 < slope.high
    for group in ("gender: man", "gender: woman"):
        floor = of(measured, "subgroup_brier", "people", people=group)
        assert of(measured, "subgroup_brier", people=group).value < floor.value
    assert not [w for w in measured.warnings if "persona" in w]
    # Nothing tells personas from people: about one comparison of twenty is below 5 % before correction.
    assert (measured.tables["persona_groups"]["p_adjusted"] < 0.05).mean() < 0.02


def test_personas_of_the_other_group_go_the_wrong_way(tmp_path: Path, ask: Ask, acting: Acting) -> None:
    rng = np.random.default_rng(4)
    chance, groups, answers = world(rng, 60, rng.beta(2, 2, 60), 0.2)
    names = [f"No {k:03d}" for k in range(60)]
    other = {"man": "woman", "woman": "man"}
    cast = [(name, other[group], 1.0) for name, group in zip(names, groups, strict=True)]
    files = study(tmp_path, answers, groups, cast)
    measured = ask(files.task(questions=["q1"]), acting(chances(chance, names))).results
    assert of(measured, "contrast_r", people="gender: man against woman").high < -0.5
    worst = measured.tables["persona_groups"].row(0, named=True)
    assert worst["p_adjusted"] < 0.01
    assert worst["personas"] * worst["difference"] < 0


def test_the_order_of_personas_changes_nothing_and_twins_do_not_spread(
    tmp_path: Path, ask: Ask, acting: Acting
) -> None:
    rng = np.random.default_rng(7)
    answers = (rng.random((12, 10)) < 0.5).astype(float)
    groups = ["woman", "man"] * 6
    cast = [(f"No {k}", groups[k], 1.0 + k) for k in range(6)]
    p = rng.random((6, 10))
    actor = acting(chances(p, [name for name, _, _ in cast]))
    one = ask(study(tmp_path / "one", answers, groups, cast).task(), actor).results
    other = ask(study(tmp_path / "other", answers, groups, cast[::-1]).task(), actor).results
    assert len(one.estimates) == len(other.estimates)
    for a, b in zip(one.estimates, other.estimates, strict=True):
        assert (a.measure, a.by) == (b.measure, b.by)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), nan_ok=True)
    twins = ask(study(tmp_path / "twins", answers, groups, cast).task(), acting({}, otherwise=0.7)).results
    assert of(twins, "between_spread_ratio").value == pytest.approx(0, abs=1e-12)
    assert of(twins, "own_agreement").value == of(twins, "pair_agreement").value
    assert any(w.startswith("personas barely move the model") for w in twins.warnings)


def test_what_does_not_match_is_said(tmp_path: Path, ask: Ask, acting: Acting) -> None:
    answers = np.tile([1.0, 0.0, 1.0, 0.0], (12, 1))
    cast = [("Ann", "woman", 1.0), ("Bob", "man", 1.0), ("Kim", "robot", 1.0)]
    files = study(tmp_path, answers, ["woman", "man"] * 6, cast)
    personas = pl.read_csv(files.personas).with_columns(country=pl.Series(["X", "Y", "X"]))
    personas.write_csv(files.personas)
    found = " ".join(ask(files.task(), acting({})).results.warnings)
    assert "no group of people is gender: robot" in found
    assert "people have no two groups of 5 or more by “country”, so the personas' are not compared" in found
    assert "fewer than 5 personas of a group: gender: man (1)" in found
    files = study(tmp_path, answers, ["woman", "man"] * 6, cast[:1])
    found = " ".join(ask(files.task(), acting({})).results.warnings)
    assert "a single persona: nothing can be said of how far personas differ" in found
    assert "personas and people have fewer than two groups by “gender” in common" in found


def test_numbers_of_personas_are_in_bands_of_people(tmp_path: Path, ask: Ask, acting: Acting) -> None:
    rng = np.random.default_rng(2)
    answers = (rng.random((80, 8)) < 0.5).astype(float)
    cast = [(f"No {k}", "x", 1.0) for k in range(4)]
    files = study(tmp_path, answers, ["x"] * 80, cast)
    ages = pl.DataFrame({"person": [f"P{k}" for k in range(80)], "age": range(20, 100)})
    ages.write_csv(files.demographics)
    personas = pl.read_csv(files.personas).drop("gender").with_columns(age=pl.Series([21, 39, 44, 200]))
    personas.write_csv(files.personas)
    measured = ask(files.task(), acting({})).results
    names = {e.by["people"] for e in measured.estimates if e.measure == "subgroup_brier"}
    assert names == {"age: 20–39", "age: 40–59"}
    assert "no group of people is age: 200" in measured.warnings


def test_without_people_the_model_alone_is_measured(tmp_path: Path, ask: Ask, acting: Acting) -> None:
    cast = [("Ann", "woman", 1.0), ("Eve", "woman", 1.0), ("Bob", "man", 1.0), ("Jim", "man", 1.0)]
    p = np.array([[0.9, 0.7, 0.5], [0.9, 0.7, 0.5], [0.3, 0.5, 0.5], [0.3, 0.5, 0.5]])
    files = study(tmp_path, np.ones((5, 3)), ["a"] * 5, cast)
    task = Judgments(files.statements, persona=files.personas)
    measured = ask(task, acting(chances(p, [name for name, _, _ in cast]))).results
    size = of(measured, "contrast_size", people="gender: man against woman")
    assert size.value == pytest.approx(math.sqrt((0.36 + 0.04) / 3))
    assert of(measured, "own_agreement").value == pytest.approx(1 - 2 * (p * (1 - p)).mean())
    measures = {e.measure for e in measured.estimates}
    assert not measures & {"spread_ratio", "contrast_r", "persona_consensus"}
    assert not measured.tables


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"demographics": "d.csv"}, "characteristics of people without their ratings"),
        ({"demographics": "d.csv", "humans": ["h.csv"]}, "characteristics of people without personas"),
        ({"persona": "p.csv", "vary": ["order"]}, "--persona with --vary"),
    ],
)
def test_options_that_do_not_go_alone_or_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Judgments(**options)


@pytest.fixture
def pair(tmp_path: Path) -> Study:
    """Ann and Bob beside twelve people of one group, who agree with every other statement."""
    answers = np.tile([1.0, 0.0], (12, 3))
    return study(tmp_path, answers, ["a"] * 12, [("Ann", "a", 1.0), ("Bob", "b", 1.0)])


@pytest.mark.parametrize("trials", [1, 2, 20])
def test_the_noise_of_texts_is_no_spread_and_single_texts_are_warned_of(
    pair: Study, ask: Ask, acting: Acting, trials: int
) -> None:
    """Of 20 texts 14 say yes as every persona: the noise of 20 texts is taken off."""
    task = pair.task(demographics=None, trials=trials)
    measured = ask(task, acting({}, otherwise=0.7), "sample").results
    assert any(w.startswith("one text for a question") for w in measured.warnings) is (trials == 1)
    if trials == 20:
        assert of(measured, "pair_agreement").value == pytest.approx(1 - 2 * 0.7 * 0.3)
        assert of(measured, "own_agreement").value == pytest.approx(1 - 2 * 0.7 * 0.3 * 20 / 19)


def test_without_answers_to_q1_nothing_is_said_of_spread(pair: Study, ask: Ask, acting: Acting) -> None:
    measured = ask(pair.task(demographics=None, questions=["q2"]), acting({})).results
    assert "how far personas differ is measured by answers to q1, and there are none" in measured.notes
    assert "own_agreement" not in {e.measure for e in measured.estimates}
    assert not [w for w in measured.warnings if "persona" in w]


@pytest.mark.parametrize("width", [340, 900])
def test_both_charts_have_a_dot_for_each_statement(
    tmp_path: Path, ask: Ask, acting: Acting, width: int
) -> None:
    measured = replayed(tmp_path, ask, acting, seed=1, people=40, statements=12)
    for name, dots in (("persona_spread", 24), ("persona_groups", 12)):
        chart = WORDS.charts[name]
        table = measured.tables[name]
        spec = chart.draw(table, width)
        values = next(iter(spec["datasets"].values())) if "datasets" in spec else spec["data"]["values"]
        assert sum("tip" in one for one in values) == dots
        assert not any(isinstance(x, float) and math.isnan(x) for one in values for x in one.values())
