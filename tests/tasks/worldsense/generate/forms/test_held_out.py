"""Training sets, and test sets of the forms that were held out of them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit.labels import audit_folder
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.generate.files import changed_files
from probsense.tasks.worldsense.generate.forms import held_out as module
from probsense.tasks.worldsense.generate.forms.families import Split
from probsense.tasks.worldsense.measures.shortcuts import FIRM, Asked, score_answers, weight_of
from probsense.tasks.worldsense.measures.trees import features, grow
from probsense.tasks.worldsense.questions.format import GOLDS
from probsense.tasks.worldsense.questions.trials import load_trials
from probsense.tasks.worldsense.text.parse import parse_text
from probsense.tasks.worldsense.verbs import audit, generate
from support.worldsense import records_of

NORMAL = ("Infer.normal", "Consist.normal", "Compl.normal")


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lessons")
    found = generate(folder, seed=3, sizes=(4, 5), training=True, holdout_forms=0.3)
    assert (found.trials, found.held_out) == (1792, 960)
    assert "960 trials of forms that were held out are beside them" in str(found)
    return folder


def test_an_audit_recomputes_the_forms_of_both_files(lessons: Path) -> None:
    found = audit(lessons)
    assert found.to_json()["wrong"] == ()
    shared = found.to_json()["training"]
    assert (shared["questions"], shared["understood"], shared["shared"]) == (1792, 1792, 0)
    assert str(found).endswith("is in the set")
    assert {one.problem for one in audit_folder(lessons).forms} == {*NORMAL}


def test_the_manifest_counts_the_forms_of_both(lessons: Path) -> None:
    document = json.loads((lessons / "manifest.json").read_text())
    assert document["split"] == {"share": 0.3, "seed": 3, "held_out": False}
    held = document["held_out"]
    assert (held["trials"], held["shared"], held["problems"]) == (960, 0, [*NORMAL])
    trials = load_trials(lessons)
    for row in held["forms"]:
        own = trials.filter(problem=row["problem"], size=row["size"])["form"].unique().sort().to_list()
        if row["problem"] in NORMAL:
            digest = sha256("\n".join(own).encode()).hexdigest()
            assert row["held_out"] == {"forms": len(own), "sha256": digest}
        else:
            assert "held_out" not in row
        assert row["training"]["forms"] > 0
    assert (
        sum(row["training"]["forms"] for row in held["forms"])
        >= audit_folder(lessons, lessons).training.forms
    )
    assert [*document["files"]] == ["training.jsonl.bz2", "trials.jsonl.bz2", "skins.yaml"]
    assert changed_files(lessons) == ()


def test_a_test_set_in_other_skins_has_the_held_out_forms_alone(lessons: Path, tmp_path: Path) -> None:
    exam, other = tmp_path / "exam", tmp_path / "other"
    generate(exam, seed=3, sizes=(4, 5), skins="test", holdout_forms=0.3)
    assert audit_folder(exam, lessons).training.shared == 0
    generate(other, seed=4, sizes=(4, 5), skins="test", holdout_forms=0.3)
    found = audit_folder(other, lessons).training
    assert found.trials > found.shared > 0
    assert f"{found.shared} of the" in str(found)


def test_the_same_seed_gives_the_same_bytes(lessons: Path, tmp_path: Path) -> None:
    generate(tmp_path, seed=3, sizes=(4, 5), training=True, holdout_forms=0.3)
    for name in ("training.jsonl.bz2", "trials.jsonl.bz2", "manifest.json"):
        assert (tmp_path / name).read_bytes() == (lessons / name).read_bytes()


def test_a_form_in_both_sets_is_found_while_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "held_out_design", lambda lessons: lessons)
    monkeypatch.setattr("probsense.tasks.worldsense.verbs.held_out_design", lambda lessons: lessons)
    with pytest.raises(RuntimeError, match="forms are in both sets"):
        generate(tmp_path, sizes=(4,), training=True, holdout_forms=0.3)
    assert not (tmp_path / "manifest.json").exists()


def test_nothing_is_overwritten(lessons: Path) -> None:
    for training in (True, False):
        with pytest.raises(InputError, match="already there"):
            generate(lessons, sizes=(4,), training=training, holdout_forms=0.3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"holdout_forms": 0.0}, "a share of 0 of the forms"),
        ({"holdout_forms": 1.0}, "a share of 1 of the forms"),
        ({"holdout_forms": float("nan")}, "a share of nan"),
        ({"sizes": (3,)}, "too few forms of Infer.normal of size 3"),
        ({"sizes": (4,), "holdout_forms": 0.01}, "too few forms of Compl.normal of size 4"),
        ({"sizes": (4,), "holdout_forms": 0.99}, "too few forms of Infer.normal of size 4"),
        ({"complexities": (0,), "sizes": (5,)}, "size 5 and complexity 0"),
        ({"problems": ("Infer.trivial",)}, "no forms of Infer.trivial can be held out"),
        ({"regime": "published"}, "no forms can be held out in the regime published"),
        ({"telling": "ordered"}, "told ordered"),
        ({"depths": (3,), "sizes": (4,), "seed": 1}, "depth 3 among the forms that are held out"),
    ],
)
def test_what_cannot_be_held_out_is_refused(options: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        generate(tmp_path, **{"training": True, "holdout_forms": 0.2, **options})  # type: ignore[arg-type]
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("problem", "size"),
    [("Infer.normal", 4), *(pytest.param(name, 5, marks=pytest.mark.slow) for name in NORMAL)],
)
def test_trees_learn_nothing_of_what_is_held_out(problem: str, size: int) -> None:
    """Neither more than by guessing nor less: no side tells anything about the other."""
    sides = []
    for out, tuples in ((False, 12), (True, 6)):
        design = Design(2, (size,), (problem,), tuples, split=Split(0.2, 2, out))
        trials = [
            Asked(problem, size, r["tuple_ID"], GOLDS[r["goldresp_obfusc"]], parse_text(r["text"]))
            for r in records_of(design)
        ]
        sides.append((trials, [features(trial.question) for trial in trials]))
    width = max(len(row) for _, rows in sides for row in rows)
    shown = [np.array([[*row, *[0] * (width - len(row))] for row in rows]) for _, rows in sides]
    lessons, exam = (trials for trials, _ in sides)
    firm = np.array([trial.gold in FIRM for trial in lessons])
    tree = grow(shown[0], firm, np.array([weight_of(trial.gold) for trial in lessons]))
    assert score_answers(lessons, tree(shown[0])).value > 0.55
    assert score_answers(exam, tree(shown[1])).value == pytest.approx(0.5, abs=0.04)
