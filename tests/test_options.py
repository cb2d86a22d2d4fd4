"""Options, read from signatures and docstrings: those of a small taker, and that all of ours are explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from probsense import registry
from probsense.errors import InputError, ProbSenseError
from probsense.models.hf import DTYPES
from probsense.models.hf_read import SPREAD
from probsense.models.openai.abilities import PATHS
from probsense.models.openai.bodies import ROOM
from probsense.models.prompt_formats import FORMATS
from probsense.models.registry import model_options, model_schemes
from probsense.options import REQUIRED, Option, check_options, declared, descriptions
from probsense.tasks.base import Analyses, HasVerbs, ReadsScores
from probsense.tasks.registry import task_names, task_options, task_type


def taker(
    data: Path | str,
    *,
    sizes: Sequence[int] = (3, 4),
    files: Sequence[Path] = (),
    names: str | Sequence[str] | None = None,
    side: Literal["left", "right"] = "left",
    heat: float = 1.0,
    quiet: bool = False,
    progress: Callable[[int], None] | None = None,
    **rest: Any,
) -> None:
    """Take options.

    Parameters
    ----------
    data : Path or str
        A folder, as ``save`` writes it; see
        :func:`~probsense.files.writing`.
    sizes, files : sequence
        Several of them.
    names : str or sequence of str, optional
        Names.
    side : {"left", "right"}
        A side.
    heat : float
    quiet : bool
        As for :func:`probsense.files.writing`.

    Returns
    -------
    None
        Nothing.
    """


def test_an_option_has_the_type_the_default_and_the_words_of_its_declaration() -> None:
    found = declared(taker, skip=("progress",))
    assert [*found] == ["data", "sizes", "files", "names", "side", "heat", "quiet"]
    words = "A folder, as save writes it; see probsense.files.writing."
    assert found["data"] == Option("data", Path, False, False, (), REQUIRED, words, True)
    assert found["sizes"] == Option("sizes", int, True, True, (), (3, 4), "Several of them.", False)
    assert found["files"] == Option("files", Path, True, False, (), (), "Several of them.", False)
    assert found["names"] == Option("names", str, True, False, (), None, "Names.", False)
    assert found["side"] == Option("side", str, False, False, ("left", "right"), "left", "A side.", False)
    assert (found["heat"].kind, found["heat"].help) == (float, "")
    assert (found["quiet"].kind, found["quiet"].flag) == (bool, "--quiet")


@dataclass
class Fields:
    """A taker whose constructor nobody wrote.

    Parameters
    ----------
    shape : str
        How it looks.
    """

    shape: Literal["round", "square"] = "round"


def test_the_types_of_inherited_fields_are_read_where_they_are_declared() -> None:
    scope: dict[str, Any] = {"Fields": Fields, "dataclass": dataclass, "__name__": "elsewhere"}
    exec("@dataclass\nclass More(Fields):\n    number: 'int' = 3\n", scope)
    found = declared(scope["More"])
    assert found["shape"].choices == ("round", "square")
    assert found["number"].kind is int


def test_types_that_cannot_be_read_are_the_fault_of_who_wrote_them() -> None:
    def wrong(size: Nowhere) -> None:  # type: ignore[name-defined] # noqa: F821
        pass

    with pytest.raises(ProbSenseError, match=r"the types of .*wrong cannot be read: .*'Nowhere'"):
        declared(wrong)


def test_other_words_are_taken_from_there() -> None:
    def other(timeout: float, path: Path) -> None:
        """Take the options of another function.

        Parameters
        ----------
        timeout : float
            As for :func:`probsense.models.openai.load.load`.
        path : Path
            As for :func:`probsense.files.writing`, which has more to say.
        """

    found = declared(other)
    assert found["timeout"].help == "Seconds for one try."
    assert found["path"].help == "As for probsense.files.writing, which has more to say."


def test_descriptions_end_where_the_section_does() -> None:
    assert descriptions("No section.") == {}
    doc = "Do.\n\nParameters\n----------\na, b : int\n    One\n    thing.\n*more : str\n\nRaises\n------\nX\n    No."
    assert descriptions(doc) == {"a": "One thing.", "b": "One thing.", "more": ""}


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("sizes", "3, 5", [3, 5]),
        ("files", "a,b", [Path("a,b")]),
        ("names", "a,b", ["a,b"]),
        ("side", "right", "right"),
        ("heat", "2", 2.0),
        ("data", "x/y", Path("x/y")),
    ],
)
def test_words_of_a_command_line_are_values(name: str, word: str, value: object) -> None:
    assert declared(taker)[name].parse(word) == value


@pytest.mark.parametrize(
    ("name", "word", "said"),
    [
        ("sizes", "3,x", r"--sizes 'x' \(expected a whole number, or several joined by commas\)"),
        ("heat", "warm", r"--heat 'warm' \(expected a number\)"),
        ("side", "rigth", r"--side 'rigth'; did you mean 'right'\? \(expected one of left, right\)"),
    ],
)
def test_words_that_are_no_values(name: str, word: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        declared(taker)[name].parse(word)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "the taker needs the option 'data'"),
        ({"data": 3}, r"data is 3 \(expected a path\)"),
        ({"data": "x", "sizes": [3, 4.5]}, r"sizes is 4.5 \(expected a whole number"),
        ({"data": "x", "sizes": [True]}, "sizes is True"),
        ({"data": "x", "heat": "2"}, r"heat is '2' \(expected a number\)"),
        ({"data": "x", "quiet": 1}, r"quiet is 1 \(expected true or false\)"),
        ({"data": "x", "side": "up"}, r"side is 'up' \(expected one of left, right\)"),
        ({"data": "x", "heet": 2}, r"the taker takes no option 'heet'; did you mean 'heat'\?"),
    ],
)
def test_values_are_checked(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_options("taker", declared(taker), given)


def test_good_values_pass() -> None:
    options = declared(taker)
    check_options("taker", options, {"data": "x", "sizes": (3,), "names": None, "heat": 2, "quiet": True})
    check_options("taker", options, {"data": Path("x"), "files": [Path("a"), "b"], "side": "left"})


MARKUP = ("`", ":func", ":data", ":class", "As for", "None", "probsense.")
"""What means something in Python alone."""


def takers() -> Iterator[tuple[str, dict[str, Option]]]:
    """Everything installed that declares options, by what users call it."""
    for name in task_names():
        yield name, task_options(name)
        task = task_type(name)
        if isinstance(task, Analyses):
            yield f"analyse {name}", declared(task.analyse)
        if isinstance(task, ReadsScores):
            yield f"compare {name}", declared(task.reads_scores)
        if isinstance(task, HasVerbs):
            for verb, function in task.verbs.items():
                yield f"{verb} {name}", declared(function)
    for scheme in model_schemes():
        yield f"{scheme}:", model_options(scheme)
    for name in registry.entries("probsense.readers"):
        yield name, declared(registry.find("probsense.readers", "reader", name))


def test_every_option_of_every_task_model_and_reader_is_explained() -> None:
    found = dict(takers())
    assert {"worldsense", "analyse worldsense", "compare suite", "generate worldsense", "hf:"} <= found.keys()
    assert {"oracle:", "random:", "recorded:", "builtin:", "openai:", "lm-eval"} <= found.keys()
    for taker, options in found.items():
        for option in options.values():
            where = f"{taker} {option.flag}: {option.help!r}"
            assert len(option.help) > 5, where
            assert option.help.endswith((".", "!")), where
            assert not [sign for sign in MARKUP if sign in option.help], where


def test_builtin_models_are_loaded_with_the_words_of_hf() -> None:
    hf, builtin = model_options("hf"), model_options("builtin")
    assert {"dtype", "device", "batch_tokens", "truncate"} == builtin.keys()
    assert all(builtin[name].help == hf[name].help for name in builtin)
    for scheme in ("random", "recorded", "oracle"):
        assert model_options(scheme) == {}


def test_what_can_be_chosen_is_named() -> None:
    hf, openai = model_options("hf"), model_options("openai")
    assert all(name in hf["dtype"].help for name in DTYPES)
    assert all(name in hf["device"].help for name in SPREAD)
    assert all(name in hf["prompt_format"].help for name in FORMATS)
    assert all(name in openai["route"].help for name in PATHS)
    assert all(name in openai["reasoning_effort"].help for name in ROOM)
