"""How a command that measures ends: a table, what was found, what voids it, and what to do next."""

from __future__ import annotations

import shlex

from tests.cli.conftest import Probsense


def steps(err: str) -> dict[str, list[str]]:
    """Read the commands by what they give."""
    lines = err.partition("Next:\n")[2].splitlines()
    return {
        gives: shlex.split(command)
        for gives, command in (line.strip().split("  probsense ") for line in lines)
    }


def test_one_model_ends_with_three_steps_that_work(probsense: Probsense) -> None:
    words = ("run", "winogrande", "--model", "random:1", "--limit", 10, "-q", "--store", "a b.db")
    done = probsense(*words)
    assert done.code == 0
    assert done.err.startswith("Next:")
    found = {gives.strip(): command for gives, command in steps(done.err).items()}
    assert found["a page with charts and every question"] == ["report", "--store", "a b.db"]
    another = found["another model beside it"]
    assert another[-2:] == ["--model", "hf:NAME"]
    assert "random:1" not in another
    (rest,) = [gives for gives in found if gives.endswith("note")]
    assert found[rest] == [*map(str, words), "--full"]
    full = probsense(*found[rest])
    assert full.code == 0
    assert "Next:" not in full.err
    assert "Coverage" in full.out


def test_two_models_are_to_be_compared_and_the_command_works(probsense: Probsense) -> None:
    done = probsense("run", "winogrande", "-m", "random:1", "--model=random:2", "--limit", 10, "-q")
    found = {gives.strip(): command for gives, command in steps(done.err).items()}
    assert found["which model is better"] == ["compare", "probsense.db", "--task", "winogrande"]
    assert probsense(*found["which model is better"]).code == 0
