"""Pooled answers of people in a run and in the analysis of recorded ratings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import probsense as ps
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled import condorcet
from probsense.analysis.agreement.pooled.condorcet import condorcet_draws
from probsense.analysis.agreement.pooled.crossed import pooled_shares
from probsense.analysis.agreement.pooled.culture import OneCulture, one_culture
from probsense.analysis.agreement.pooled.model import Shares
from probsense.analysis.agreement.pooled.nuts import Convergence
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.tasks.base import Analysis, Measured
from probsense.tasks.judgments.measures import results
from probsense.tasks.judgments.measures.coverage import SPARSE
from probsense.tasks.judgments.measures.estimates import Results
from probsense.tasks.judgments.recorded import analyse
from probsense.tasks.judgments.task import Judgments

NEW = {
    *("share_r", "person_spread", "statement_spread", "one_culture_p"),
    *("group_r_pooled", "reliability_pooled"),
    *("competence", "competence_percentile", "guesses_yes", "percentile_pooled", "key_certain"),
}


def analysed(study: Any, people: Path | None = None, **more: Any) -> Analysis:
    return analyse(
        ratings=[study.ratings], humans=[people or study.people], data=study.statements, draws=20, **more
    )


def pooled(estimates: Any) -> dict[tuple[str, str], Estimate]:
    return {(e.measure, e.by["model"]): e for e in estimates if e.method == "pooled"}


@pytest.fixture(scope="module")
def sparse(study: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four of twelve people judge each statement; nobody judges the last one."""
    people = pl.read_csv(study.people).with_columns(
        number=pl.col("person").str.slice(1).cast(pl.Int64),
        about=pl.col("statement").str.extract(r"(\d+)").cast(pl.Int64),
    )
    path = tmp_path_factory.mktemp("sparse") / "sparse.csv"
    people.filter((pl.col("number") + pl.col("about") // 3) % 3 == 0, pl.col("about") < 29).drop(
        "number", "about"
    ).write_csv(path)
    return path


@pytest.fixture(scope="module")
def found(study: Any, sparse: Path) -> Measured:
    """What pooled answers amount to, with as many draws as anybody gets."""
    return analysed(study, sparse, pooled="fast").measured


@pytest.fixture(scope="module")
def remembered() -> Callable[..., Shares]:
    """Everybody's shares as from :func:`pooled_shares`, estimated once from the same answers."""
    known: dict[tuple[bytes, ...], Shares] = {}

    def shares(people: People, *, second: bool = False) -> Shares:
        key = bytes(second), *(x.tobytes() for x in (people.statement, people.person, people.q1, people.q2))
        return known[key] if key in known else known.setdefault(key, pooled_shares(people, second=second))

    return shares


@pytest.fixture
def few_draws(remembered: Callable[..., Shares], monkeypatch: pytest.MonkeyPatch) -> None:
    """Few draws of the key, which count as mixed."""
    monkeypatch.setattr("probsense.tasks.judgments.measures.pooled.pooled_shares", remembered)
    monkeypatch.setattr(
        "probsense.tasks.judgments.measures.pooled.one_culture", partial(one_culture, draws=20)
    )
    monkeypatch.setattr(
        "probsense.tasks.judgments.measures.pooled.condorcet_draws", partial(condorcet_draws, draws=40)
    )
    monkeypatch.setattr(condorcet, "R_HAT", np.inf)


def test_pooling_adds_estimates_and_a_table_and_changes_nothing_else(
    study: Any, sparse: Path, found: Measured
) -> None:
    plain, more = analysed(study, sparse).measured, found
    new = pooled(more.estimates)
    assert [e.to_json() for e in more.estimates if e.method != "pooled"] == [
        e.to_json() for e in plain.estimates
    ]
    assert {measure for measure, _ in new} - NEW == {
        f"{name}_pooled" for name in ("consensus", "awareness", "commonsensicality")
    }
    assert {*more.tables} - {*plain.tables} == {"shares", "persons", "culture"}
    assert not pooled(plain.estimates)

    good, no = (new["consensus_pooled", model] for model in ("good", "always no"))
    assert good.value > 0.75 > no.value
    assert good.low < good.value < good.high
    assert new["share_r", "good"].value > 0.8
    assert ("share_r", "always no") not in new  # its probabilities do not vary
    people = new["consensus_pooled", "people"]
    assert people.value > 0.7
    assert people.low < people.value < people.high
    spread = new["statement_spread", "people"]
    assert 0 < spread.low < spread.value < spread.high


def test_the_table_has_every_statement_with_what_was_asked_and_what_everybody_says(found: Measured) -> None:
    table = found.tables["shares"]
    assert table.height == 30
    last = table.filter(pl.col("statement_id") == "29").row(0, named=True)
    assert last["raters"] == 0
    assert last["yes"] is None
    assert last["high"] - last["low"] == table.select((pl.col("high") - pl.col("low")).max()).item()
    rated = table.filter(pl.col("raters") > 0)
    inward = rated.filter((pl.col("yes") - 0.5).abs() > 0.4)
    assert ((inward["share"] - 0.5).abs() < (inward["yes"] - 0.5).abs()).all()
    assert rated.select(pl.corr("yes", "share")).item() > 0.95


@pytest.mark.usefixtures("few_draws")
def test_the_key_is_peoples_whatever_models_say(study: Any, sparse: Path, tmp_path: Path) -> None:
    turned = tmp_path / "turned.csv"
    pl.read_csv(study.ratings).with_columns(p_yes=pl.col("p_no"), p_no=pl.col("p_yes")).write_csv(turned)
    one, other = (
        analyse(ratings=[path], humans=[sparse], data=study.statements, draws=2, pooled="fast").measured
        for path in (study.ratings, turned)
    )
    assert one.tables["shares"].equals(other.tables["shares"])
    value = pooled(one.estimates)["consensus_pooled", "good"].value
    assert pooled(other.estimates)["consensus_pooled", "good"].value == pytest.approx(1 - value, abs=0.01)


def test_a_note_says_that_few_raters_can_be_pooled(study: Any, sparse: Path, found: Measured) -> None:
    assert SPARSE in analysed(study, sparse).measured.notes
    assert SPARSE not in found.notes
    assert SPARSE not in analysed(study).measured.notes  # twelve of twelve


def test_pooling_takes_single_peoples_ratings(study: Any, sparse: Path) -> None:
    task = Judgments(study.statements, humans=[sparse], pooled="fast")
    assert task.options["pooled"] == "fast"
    with pytest.raises(InputError, match="pooled without single people's ratings"):
        Judgments(study.statements, pooled="fast")
    with pytest.raises(InputError, match="pooled without single people's ratings"):
        analyse(ratings=[study.ratings], majority=study.majority, pooled="fast")


def test_without_first_answers_there_is_nothing_to_pool(study: Any, tmp_path: Path) -> None:
    path = tmp_path / "second.csv"
    pl.read_csv(study.people).drop("q1").write_csv(path)
    assert not pooled(analysed(study, path, pooled="fast").measured.estimates)


def test_published_results_alone_have_nothing_pooled(study: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Estimate("share_r", {"model": "good"}, 0.5, 0.1, 0.3, 0.7, 0.95, 30, 12, "pooled")
    monkeypatch.setattr(results, "pool", lambda *_: Results([own]))
    assert pooled(analysed(study, pooled="fast").measured.estimates) == {("share_r", "good"): own}
    published = analysed(study, method="published", pooled="fast").measured
    assert {e.method.split(",")[0] for e in published.estimates} == {"published"}


@pytest.mark.usefixtures("few_draws")
def test_peoples_cultures_are_a_note(study: Any, sparse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "probsense.tasks.judgments.measures.pooled.one_culture", lambda *_: OneCulture(1.7, 0.01, 99)
    )
    measured = analysed(study, sparse, pooled="fast").measured
    assert any("more than one culture" in note for note in measured.notes)
    assert pooled(measured.estimates)["one_culture_p", "people"].value == 0.01


@pytest.mark.usefixtures("few_draws")
def test_sampled_shares_come_with_how_the_chains_mixed(
    study: Any, sparse: Path, remembered: Callable[..., Shares], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def drawn(people: People, *, second: bool, seed: int) -> tuple[Shares, Convergence]:
        asked.append(second)
        return remembered(people, second=second), Convergence(4000, 0, 1.002, 900)

    monkeypatch.setattr("probsense.tasks.judgments.measures.pooled.sampled_shares", drawn)
    notes = analysed(study, sparse, pooled="nuts").measured.notes
    for question in ("q1", "q2"):
        said = f"by sampling, {question}: 4 chains, 4,000 draws, 0 divergent, R-hat at most 1.002"
        assert any(said in note for note in notes)
    assert asked == [False, True]


@pytest.mark.usefixtures("few_draws")
def test_chains_that_have_not_mixed_give_no_key(
    study: Any, sparse: Path, found: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (note,) = (note for note in found.notes if "R-hat" in note)
    assert "cultural consensus: 4 chains, 1,000 draws, R-hat at most 1.0" in note
    assert "left out" not in note
    monkeypatch.setattr(condorcet, "R_HAT", 1.0)
    left = analysed(study, sparse, pooled="fast").measured
    assert any("R-hat" in note and "are left out" in note for note in left.notes)
    assert {*found.tables} - {*left.tables} == {"culture"}
    assert "key" not in left.tables["shares"].columns
    columns = [{*own.tables["persons"].columns} for own in (found, left)]
    assert columns[0] - columns[1] == {"competence", "competence_low", "competence_high", "guesses_yes"}
    measures = [{one.measure for one in own.estimates} for own in (found, left)]
    assert measures[0] - measures[1] == {"competence", "competence_percentile", "guesses_yes", "key_certain"}
    assert {"consensus_pooled", "percentile_pooled", "one_culture_p", "person_spread"} <= measures[1]


def test_models_are_set_in_the_distribution_of_peoples_competence(found: Measured) -> None:
    new = pooled(found.estimates)
    good, no, people = (new["competence", name] for name in ("good", "always no", "people"))
    assert good.value > people.value > no.value
    assert new["competence_percentile", "good"].value > 0.6 > new["competence_percentile", "always no"].value
    assert new["guesses_yes", "always no"].value < 0.2
    assert new["percentile_pooled", "good"].value > new["percentile_pooled", "always no"].value
    assert ("group_r_pooled", "good") not in new  # it is as sure of all statements
    assert 0 < new["reliability_pooled", "people"].value < 1


def test_the_table_of_persons_has_everybody_who_answered(study: Any, sparse: Path, found: Measured) -> None:
    table = found.tables["persons"]
    theirs = pl.read_csv(sparse).filter(pl.col("q1").is_not_null()).group_by("person").len("answers")
    counted = table.select("person", "answers").join(theirs, on="person", suffix="_given")
    assert counted.height == table.height == theirs.height
    assert (counted["answers"] == counted["answers_given"]).all()
    for score in ("competence", "consensus", "awareness", "commonsensicality"):
        low, value, high = (table[name] for name in (f"{score}_low", score, f"{score}_high"))
        assert ((low >= 0) & (low < value) & (value < high) & (high <= 1)).all()
    chart = found.tables["culture"]
    people = chart.filter(pl.col("kind") == "person")
    assert people["name"].to_list() == table["person"].to_list()
    np.testing.assert_allclose(people["score"], table["competence"])
    competent = {model for measure, model in pooled(found.estimates) if measure == "competence"}
    assert set(chart.filter(pl.col("kind") == "model")["name"]) == competent - {"people"}


def test_the_key_and_the_difficulty_stand_beside_the_shares(found: Measured) -> None:
    table = found.tables["shares"]
    rated = table.filter(pl.col("raters") > 2)
    clear = rated.filter((pl.col("yes") - 0.5).abs() > 0.4)
    assert ((clear["key"] > 0.5) == (clear["yes"] > 0.5)).all()
    assert table["key"].is_between(0, 1).all()


@pytest.mark.usefixtures("few_draws")
def test_first_answers_alone_tell_competence_but_no_awareness(
    study: Any, sparse: Path, tmp_path: Path
) -> None:
    path = tmp_path / "first.csv"
    pl.read_csv(sparse).drop("q2").write_csv(path)
    measured = analysed(study, path, pooled="fast").measured
    new = pooled(measured.estimates)
    assert ("competence", "good") in new
    missing = {"group_r_pooled", "reliability_pooled", "percentile_pooled"}
    assert not missing & {measure for measure, _ in new}
    assert ("awareness_pooled", "people") not in new
    assert measured.tables["persons"]["awareness"].null_count() == measured.tables["persons"].height


@pytest.mark.usefixtures("few_draws")
def test_a_run_has_them_too(study: Any, sparse: Path) -> None:
    run = ps.evaluate("judgments", "random:1", data=study.statements, humans=[sparse], pooled="fast")
    found = pooled(run.summary())
    assert ("consensus_pooled", "random:1") in found
    assert -1 < found["group_r_pooled", "random:1"].low < found["group_r_pooled", "random:1"].high < 1
