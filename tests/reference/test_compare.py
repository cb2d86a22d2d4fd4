import json

import pytest

import probsense as ps

pytestmark = pytest.mark.reference


@pytest.mark.parametrize("name", [pytest.param("memorisation", marks=pytest.mark.slow), "ood-query"])
def test_published_results_differ_as_their_figures_do(reference_data, name, tmp_path, monkeypatch):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path))
    expected = json.loads((reference_data / "worldsense" / "expected" / f"{name}.json").read_text())
    found = ps.compare(reference_data / "worldsense" / name, measure=["accuracy", "bias"])
    for measure in ("accuracy", "bias"):
        whole = {row["modelname"]: row["mean"] for row in expected[f"{measure}_overall"]}
        parts = {(r["problemname"], r["modelname"]): r["mean"] for r in expected[f"{measure}_by_problem"]}
        for one in (*found.differences, *found.by_part):
            estimate = one.estimate
            if estimate.measure != f"{measure}_difference":
                continue
            known = parts if "part" in estimate.by else whole
            pair = [
                known[(estimate.by["part"], model) if "part" in estimate.by else model]
                for model in (estimate.by["model"], estimate.by["versus"])
            ]
            assert estimate.value == pytest.approx(pair[0] - pair[1], abs=1e-12)
            assert (estimate.method, estimate.settings) == ("over forms", 18)
    assert len(found.differences) == 2 * 3
    problems = {row["problemname"] for row in expected["accuracy_by_problem"]}
    assert len(found.by_part) == (2 * 3 * len(problems) if len(problems) > 1 else 0)
    if name == "memorisation":  # as docs/compare.md says
        said = {
            (one.estimate.by["model"], one.estimate.by["versus"]): (
                f"{100 * one.estimate.value:.1f} ± {50 * (one.estimate.high - one.estimate.low):.1f},"
                f" {100 * one.detectable:.1f}"
            )
            for one in found.differences
            if one.estimate.measure == "accuracy_difference"
        }
        assert [*said.values()] == ["-22.4 ± 5.3, 7.1", "0.1 ± 3.8, 5.2", "22.5 ± 4.7, 6.1"]
        assert found.differences[0].estimate.clusters == 5184
    # The model that learnt from a million such questions is above the others, beyond doubt.
    places = {one.model: one for one in found.ranking}
    assert places["Llama2-FT+1M"].high == 1
    assert places["Llama2-FT+1M"].groups == (0,)
