import json

import pytest

from probsense.tasks.worldsense.verbs import analyse

pytestmark = pytest.mark.reference

SETS = [pytest.param("memorisation", marks=pytest.mark.slow), "ood-query"]
TABLES = {"overall": 2, "by_problem": 3, "by_problem_and_size": 4}


@pytest.mark.parametrize("name", SETS)
def test_published_figures_are_reproduced(reference_data, name):
    expected = json.loads((reference_data / "worldsense" / "expected" / f"{name}.json").read_text())
    analysis = analyse(reference_data / "worldsense" / name)
    found = {
        (e.measure, e.by["prompting"], e.by["model"], e.by.get("problem"), e.by.get("size")): e
        for e in analysis.results.estimates
        if e.method == "published"
    }
    for measure in ("accuracy", "bias"):
        for table in TABLES:
            for row in expected[f"{measure}_{table}"]:
                who = row["prompting"], row["modelname"], row.get("problemname"), row.get("problemsize")
                e = found.pop((measure, *who))
                assert e.value == pytest.approx(row["mean"], rel=0, abs=1e-12)
                assert e.stderr == pytest.approx(row["sem"], rel=0, abs=1e-12)
                assert (e.high - e.low) / 2 == pytest.approx(row["conf95"], rel=0, abs=1e-12)
                assert e.n == row["count"]
    assert not found
    assert analysis.results.notes == []
    assert analysis.facts["trials"] == expected["n_trials"]
    assert analysis.facts["tuples"] == sum(expected["n_tuples"].values())
    missing = {
        str(row["model"]): int(str(row["asked"])) - int(str(row["valid"]))
        for row in analysis.results.coverage
    }
    assert missing == expected["n_no_response"]
