"""Forms of training sets, from their texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit.labels import audit_folder
from probsense.tasks.worldsense.audit.taught import read_taught
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.generate.files import write_testset, write_training
from probsense.tasks.worldsense.questions.trials import load_trials

DESIGN = Design(5, (4,), ("Infer.trivial", "Consist.normal"))


def line(text: object) -> str:
    return json.dumps({"dialog_history": {"messages": [{"role": "user", "content": text}]}}) + "\n"


def test_a_training_set_of_the_same_design_has_the_same_forms(tmp_path: Path) -> None:
    test, training = tmp_path / "test", tmp_path / "training"
    write_testset(test, DESIGN)
    write_training(training, DESIGN)
    forms = {*load_trials(test)["form"]}
    assert read_taught(training).forms == forms
    found = audit_folder(test, training)
    assert found.training.shared == len(forms)
    assert found.training.trials == found.trials


def test_questions_that_are_not_understood_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(line("What?"))
    found = read_taught(file)
    assert (found.questions, found.understood, found.forms) == (1, 0, frozenset())
    assert "1 of them not understood" in str(found.shared(["a"])).replace("1 questions, ", "")


@pytest.mark.parametrize("text", [line(3), "{}\n", '{"dialog_history": {"messages": []}}\n', ""])
def test_what_is_no_training_set_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(text)
    with pytest.raises(InputError):
        read_taught(file)
