"""Charts for notebooks: those of ``probsense figure``."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.results.charts import charts_of, find_chart, kind_of_picture
from probsense.results.part import Part, parts_of_runs
from probsense.results.profile_rows import budget_chart
from probsense.runs import find as stored
from probsense.show.words import plain_words
from probsense.tasks.results import Results


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("charts") / "a.db"
    for task, limit in (("suite", 6), ("winogrande", 20)):
        for model in ("random", "random:1"):
            ps.evaluate(task, model, limit=limit, store=path, quiet=True)
    return path


@pytest.fixture(scope="module")
def runs(store):
    return [ps.load_run(run, store=store) for run in ps.list_runs(store)["run"]]


def drawn(chart: Any) -> dict[str, Any]:
    """Return the specification of a chart without the size that Altair's theme gives to charts that have none."""
    found = chart.to_dict()
    view = {key: value for key, value in found["config"]["view"].items() if not key.startswith("continuous")}
    return {**found, "config": {**found["config"], "view": view}}


def test_a_chart_is_the_one_that_the_command_draws(store, runs, monkeypatch):
    monkeypatch.setattr(stored, "load_run", cache(stored.load_run))  # each run is measured once
    names = ("winogrande.calibration", "profile")
    assert {*names} <= {
        "profile",
        *(f"{part.name}.{chart.name}" for part in parts_of_runs(runs) for chart in charts_of(part)),
    }
    for name in names:
        assert drawn(ps.chart(runs, name)) == find_chart(name, [str(store)], store).spec()
    assert drawn(ps.chart(ps.Profile(runs, []), "profile")) == drawn(ps.chart(runs, "profile"))


def test_a_comparison_has_charts_of_its_levels(runs):
    text = str(drawn(ps.chart(ps.compare(*runs[2:4], measure=("accuracy", "p_gold")), "p_gold")))
    assert "random:1" in text


def test_what_thinking_changes_is_a_line_by_budget():
    names = {f"m [{budget} tokens]": budget for budget in (128, 0, 16)}
    facts = [{"model": name, "thinking": {"budgets": [budget]}} for name, budget in names.items()]
    own = (0.5, 0.1, 0.4, 0.6, 0.95, 9, 9, "clustered", 0.5)
    found = Results([Estimate("accuracy", {"model": name}, *own) for name in names])
    part = Part("quiz", plain_words("quiz"), found, facts)
    *_, chart = charts_of(part)
    (values,) = chart.spec()["datasets"].values()
    assert values[0]["tip"] == "m, accuracy, 0: 50.0 % [40.0, 60.0]"
    assert [row["number"] for row in values] == [0, 16, 128]
    assert budget_chart(replace(part, facts=facts[:1])) is None


def test_an_unknown_name_lists_those_that_are_known(store, runs):
    with pytest.raises(InputError, match=r"no chart 'acuracy'.*'accuracy'.*profile, accuracy, .*calibration"):
        ps.chart(runs[2], "acuracy")
    with pytest.raises(InputError, match=r"expected suite.accuracy or winogrande"):
        ps.chart(runs, "accuracy")
    with pytest.raises(InputError, match="ends in no known format"):
        kind_of_picture(store.with_suffix(".gif"))
    with pytest.raises(InputError, match="no runs of frames"):
        find_chart("frames.accuracy", [str(store)], store)
    with pytest.raises(InputError, match=r"no results of suite \(expected of winogrande\)"):
        ps.chart(runs[2], "suite.accuracy")
