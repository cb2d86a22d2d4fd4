"""``probsense plan --out``, ``plan show`` and ``run --plan``."""

from __future__ import annotations

import json
from pathlib import Path

from support.command import Probsense, assert_refused

PLAN = ("plan", "winogrande", "--width", 0.3, "--studies", 50, "-q", "--out")


def test_a_plan_is_written_shown_and_followed(probsense: Probsense, tmp_path: Path) -> None:
    path, page = tmp_path / "plan.yaml", tmp_path / "page.html"
    done = probsense(*PLAN, path)
    assert done.code == 0, done.err
    assert done.out.startswith("Winogrande: 37 schemas give an interval")
    shown = probsense("plan", "show", path).out
    assert "Sample size\n  37 items for each model\n" in shown
    assert "Accuracy: the share of questions answered rightly" in shown
    assert json.loads(probsense("plan", "show", path, "--json").out)["sample"]["items"] == 37
    ask = ("run", "winogrande", "-m", "random:1", "--plan", path, "-q")
    planned = "as planned. Planned: Accuracy, 37 items; other measures are exploratory."
    done = probsense(*ask, "--limit", 37, "--report", page)
    assert planned in done.out
    assert planned in page.read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert planned in probsense(*ask, "--limit", 37, "--full").out
    assert planned in probsense(*ask, "--limit", 37, "--format", "csv").err
    other = json.loads(probsense(*ask, "--limit", 12, "--json").out)
    assert other["run"]["plan"]["departures"][0] == "12 items were asked, and 37 planned"


def test_what_is_no_plan_is_refused(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("schema: 1\n")
    ask = ("run", "winogrande", "-m", "random:1", "-q", "--plan")
    assert_refused(probsense(*ask, path), "plan.yaml", "is missing")
    assert_refused(probsense(*ask, tmp_path / "nothing.yaml"), "no such file")
    assert_refused(probsense("plan", "show"), "show PLAN.yaml")
    assert_refused(probsense("plan", "winogrande", path), "one task, or show PLAN.yaml")
    probsense(*PLAN, path)
    assert_refused(
        probsense("run", "suite", "-m", "random:1", "--plan", path), "is for winogrande, and suite is asked"
    )
