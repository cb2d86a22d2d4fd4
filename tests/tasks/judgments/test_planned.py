"""Plans of judgments: the crowd is what it should be, intervals hold, pilots tell the spreads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.agreement.statements import raters as raters_of
from probsense.core.errors import InputError
from probsense.studies.planning.plan import make_plan
from probsense.tasks.judgments.people.simulation import Population, assign, knowledge_for
from probsense.tasks.judgments.planned import USUAL, plan


@given(
    statements=st.integers(1, 40), raters=st.integers(1, 12), each=st.integers(1, 50), seed=st.integers(0, 99)
)
def test_everything_is_rated_equally_often(statements: int, raters: int, each: int, seed: int) -> None:
    """And nobody gets a statement twice, nor more than there may be."""
    statement, person = assign(statements, raters, each, np.random.default_rng(seed))
    assert (np.bincount(statement, minlength=statements) == raters).all()
    pairs = set(zip(statement.tolist(), person.tolist(), strict=True))
    assert len(pairs) == len(statement)
    assert np.bincount(person).max() <= each
    assert person.max() + 1 == -(-statements * raters // min(each, statements))


def test_crowd_is_what_it_should_be() -> None:
    """In a large study, shares, the model's consensus and its correlation with everybody are those of formulas."""
    crowd = Population(0.5, 1.3, 0.6)
    knowledge = knowledge_for(crowd.consensus, 0.8, "consensus")
    study = crowd.draw(4000, 60, 4000, np.array([knowledge, knowledge]), 0.0, np.random.default_rng(2))
    agree = (study.answers.q1 == study.key).mean(axis=1)
    assert agree == pytest.approx([0.8, 0.8], abs=0.025)
    yes = study.people.by_statement(study.people.yes1) / raters_of(study.people)
    assert yes.std() == pytest.approx(0.225, abs=0.02)
    r = np.corrcoef(yes, study.shares[0][0])[0, 1]
    assert r == pytest.approx(crowd.share_r(knowledge), abs=0.03)


def test_intervals_hold_the_truth() -> None:
    """Corrected scores are against the majority of everybody."""
    study = plan(measure="consensus_corrected", raters=[15], expected=0.8).settings[0].study
    ends = study.intervals(100, 80, np.random.default_rng(4))
    assert 0.9 < ((ends[:, 0] <= 0.8) & (ends[:, 1] >= 0.8)).mean() <= 1


def test_more_raters_make_corrected_scores_surer() -> None:
    """So much that a fifth fewer statements do, with five times as many raters."""
    studies = [one.study for one in plan(measure="consensus_corrected", raters=[6, 30]).settings]
    few, many = (np.diff(study.intervals(60, 20, np.random.default_rng(5))).mean() for study in studies)
    assert few > np.sqrt(1.2) * many
    assert studies[0].counts(100) == {"people": -(-100 * 6 // 50)}


@pytest.mark.slow
def test_more_raters_need_fewer_statements() -> None:
    """For the same width of a corrected score."""
    planned = plan(measure="consensus_corrected", raters=[6, 30])
    found = make_plan("judgments", planned, width=0.4, studies=100).found
    few, many = (one.for_width or 0 for one in found)
    assert few > 1.2 * many


def test_statements_can_be_fixed() -> None:
    """The plan is then of raters, who make the observed majority that of everybody."""
    made = make_plan("judgments", plan(statements=60, expected=0.75), difference=0.35, studies=50)
    assert made.found[0].unit == "rater"
    assert "Judgments: with 60 statements, " in str(made)
    assert 5 <= (made.found[0].for_difference or 0) <= 60


@pytest.mark.parametrize("measure", ["consensus", "consensus_pooled", "share_r"])
def test_every_measure_has_an_interval(measure: str) -> None:
    """Those of a run with people's ratings."""
    study = plan(measure=measure, raters=[8]).settings[0].study  # type: ignore[arg-type]
    ends = study.intervals(40, 2, np.random.default_rng(1))
    assert (ends[:, 0] < ends[:, 1]).all()


def test_pilot_tells_the_spreads(tmp_path: Path) -> None:
    """A file of people's ratings, drawn from a crowd, tells its spreads and its design."""
    crowd = Population(-0.4, 1.8, 0.9)
    study = crowd.draw(60, 8, 20, np.array([0.5]), 0.0, np.random.default_rng(8))
    people = study.people
    pl.DataFrame(
        {
            "statement_id": people.statement,
            "person": [f"p{i}" for i in people.person],
            "q1": people.q1.astype(int),
        }
    ).write_csv(tmp_path / "people.csv")
    planned = plan(humans=[tmp_path / "people.csv"], each=None, shared=0.2)
    assert planned.assumed["location"] == pytest.approx(-0.4, abs=0.5)
    assert planned.assumed["statement_spread"] == pytest.approx(1.8, rel=0.4)
    assert planned.assumed["person_spread"] == pytest.approx(0.9, rel=0.5)
    assert planned.settings[0].given == {"raters": 8}
    assert planned.assumed["each"] == 20
    assert plan().assumed["person_spread"] == USUAL.person_spread


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"expected": 0.3}, r"a consensus of 0.3 \(expected between 0.5\d\d, of a model that knows nothing"),
        ({"measure": "share_r", "expected": 1.0}, "a share r of 1"),
        ({"raters": [2]}, r"2 raters \(expected at least 3 and at most 300\)"),
        ({"raters": [4], "measure": "consensus_corrected"}, r"4 raters \(expected at least 5"),
        ({"statements": 100, "raters": [10]}, r"both statements and raters \(expected one of them"),
        ({"statements": 10}, r"10 statements \(expected at least 40 and at most 10,000\)"),
        ({"statements": 20_000}, r"20,000 statements \(expected at least 40 and at most 10,000"),
        ({"raters": [1000]}, "1,000 raters"),
        ({"location": float("nan")}, r"a location of nan \(expected from -10 to 10\)"),
        ({"location": 50.0}, "a location of 50"),
        ({"statement_spread": 0.0}, "a statement spread of 0"),
        ({"shared": 1.0}, "models that share 1"),
        ({"each": 0}, "0 statements each"),
    ],
)
def test_impossible_assumptions_are_refused(options: dict[str, object], message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        plan(**options)  # type: ignore[arg-type]


def test_share_r_has_no_difference() -> None:
    """No comparison of models tests it."""
    with pytest.raises(InputError, match=r"no comparison tests share_r \(expected a difference in --measure"):
        make_plan("judgments", plan(measure="share_r"), difference=0.1)
