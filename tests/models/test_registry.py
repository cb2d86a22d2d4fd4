"""Tests of finding models by specification."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from probsense.core import registry
from probsense.core.errors import InputError
from probsense.models.registry import load_model, model_schemes, schemes_in
from probsense.models.small.random import RandomModel

DECLARED = {
    "random": "probsense.models.small.random:load",
    "recorded": "probsense.models.small.recorded:load",
}


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Two of the package's own models, whatever is installed."""
    points = EntryPoints(EntryPoint(name, value, "probsense.models") for name, value in DECLARED.items())
    monkeypatch.setattr(registry, "entry_points", lambda group: points)


def test_a_specification_is_scheme_colon_argument(tmp_path):
    assert model_schemes() == ["random", "recorded"]
    assert load_model("random:7") == RandomModel("random:7", 7)
    assert load_model("random") == RandomModel("random", 0)
    path = tmp_path / "with:colon.jsonl"
    path.write_text('{"id": "a", "response": "b"}\n')
    assert load_model(f"recorded:{path}").name == f"recorded:{path}"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("recorded", r"has no scheme; did you mean 'recorded:'\?.*random, recorded"),
        ("Org/Name", r"the model 'Org/Name' has no scheme; did you mean 'hf:Org/Name'\?"),
        ("ramdom:", r"no such kind of model: 'ramdom'; did you mean 'random'\?"),
    ],
)
def test_wrong_specifications(spec, message):
    with pytest.raises(InputError, match=message):
        load_model(spec)


def passing(argument: str, *, times: int = 1, **options: object) -> RandomModel:
    """Pass the options on."""
    assert load_model(argument, **options)
    return RandomModel(argument, times)


def test_a_loader_passes_options_to_the_model_that_its_argument_specifies(monkeypatch):
    points = EntryPoints(
        [
            EntryPoint("random", DECLARED["random"], "probsense.models"),
            EntryPoint("all", f"{__name__}:passing", "probsense.models"),
        ]
    )
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    assert schemes_in("all:all:random:3") == ["all", "all", "random"]
    assert schemes_in("random:3") == ["random"]
    assert schemes_in("nothing:random") == []
    assert load_model("all:random:3", times=4).seed == 4
    with pytest.raises(InputError, match=r"takes no option 'dtype'.*one of times"):
        load_model("all:random:3", dtype="x")
