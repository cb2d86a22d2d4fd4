"""Options as they are read from a signature and a docstring, checked, and parsed from words."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.options import (
    REQUIRED,
    FileOr,
    check_options,
    declared,
    descriptions,
    paths_among,
)
from probsense.models.small import builtin
from probsense.models.transformers.load import load
from support.run_fakes import Quiz


class Race:
    """Measure who is fast.

    It has been run before.

    Parameters
    ----------
    track : Path or str
        Where it is run; see :mod:`probsense.tasks`
        and ``Path``.

        A second paragraph.
    laps, heats : int
        How many of them there are.
    pace : float
        As for :func:`tests.elsewhere.of`, more or less.
    *runners
        Who runs.

    Raises
    ------
    ValueError
        track : of another kind.
    """

    def __init__(
        self,
        track: Path | str,
        laps: int = 3,
        *,
        heats: Optional[int] = None,  # noqa: UP045
        pace: float = 1.5,
        wet: bool = False,
        surface: Literal["grass", "sand"] = "grass",
        lane: Literal[1, 2] | None = None,
        names: Sequence[str] = (),
        sizes: Sequence[int] | None = (3, 4),
        kinds: Sequence[Literal["sprint", "relay"]] = (),
        files: Sequence[Path] = (),
        prompt: str | Sequence[str] | None = None,
        shoes: object = None,
        **others: Any,
    ) -> None:
        pass


RACE = declared(Race)


@pytest.mark.parametrize(
    ("name", "kind", "many", "commas", "choices", "default"),
    [
        ("track", Path, False, False, (), REQUIRED),
        ("laps", int, False, False, (), 3),
        ("heats", int, False, False, (), None),
        ("pace", float, False, False, (), 1.5),
        ("wet", bool, False, False, (), False),
        ("surface", str, False, False, ("grass", "sand"), "grass"),
        ("lane", int, False, False, (1, 2), None),
        ("names", str, True, True, (), ()),
        ("sizes", int, True, True, (), (3, 4)),
        ("kinds", str, True, True, ("sprint", "relay"), ()),
        ("files", Path, True, False, (), ()),
        ("prompt", str, True, False, (), None),
        ("shoes", str, False, False, (), None),
    ],
)
def test_a_type_tells_the_kind_of_an_option(name, kind, many, commas, choices, default):
    found = RACE[name]
    own = (found.name, found.kind, found.many, found.commas, found.choices, found.default)
    assert own == (name, kind, many, commas, choices, default)


def test_every_parameter_but_the_others_is_an_option_in_its_place():
    assert [*RACE] == [
        *("track", "laps", "heats", "pace", "wet", "surface", "lane", "names", "sizes", "kinds", "files"),
        *("prompt", "shoes"),
    ]
    assert [name for name, found in RACE.items() if found.positional] == ["track", "laps"]
    assert declared(Race, skip=("track", "names")).keys() == RACE.keys() - {"track", "names"}


def test_the_docstring_has_the_words_without_markup_and_on_one_line():
    assert RACE["track"].help == "Where it is run; see probsense.tasks and Path. A second paragraph."
    assert RACE["laps"].help == RACE["heats"].help == "How many of them there are."
    assert RACE["pace"].help == "As for tests.elsewhere.of, more or less."
    assert RACE["wet"].help == ""
    found = descriptions(inspect.getdoc(Race) or "")
    assert [*found] == ["track", "laps", "heats", "pace", "runners"]
    assert found["runners"] == "Who runs."
    assert descriptions("Measure.\n\nReturns\n-------\nint\n    track : no\n") == {}


def test_words_are_taken_from_where_a_docstring_refers_to():
    found, referred = declared(builtin.load)["beginning"].help, declared(load)["beginning"].help
    assert found == referred
    assert found.startswith("The token that stands before")


@dataclass(frozen=True)
class LongQuiz(Quiz):
    """A quiz whose inherited fields have types that this module does not know."""

    rounds: float = 1.5


def test_a_dataclass_may_inherit_fields_whose_types_are_names_of_another_module():
    kinds = {name: found.kind for name, found in declared(LongQuiz).items()}
    assert (kinds["n"], kinds["twins"], kinds["methods"], kinds["rounds"]) == (int, bool, str, float)


def test_a_type_that_cannot_be_read_is_the_fault_of_who_wrote_it():
    def odd(size: NoSuchType) -> None:  # type: ignore[name-defined] # noqa: F821
        pass

    with pytest.raises(ProbSenseError, match=r"types of .*odd cannot be read: name 'NoSuchType'"):
        declared(odd)


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("laps", "12", 12),
        ("pace", "1e-3", 0.001),
        ("track", "a b,c", Path("a b,c")),
        ("lane", "2", 2),
        ("wet", "False", False),
        ("names", "a, b ,c", ["a", "b", "c"]),
        ("kinds", "relay,sprint", ["relay", "sprint"]),
        ("files", "a,b.csv", [Path("a,b.csv")]),
        ("prompt", " a, b ", [" a, b "]),
    ],
)
def test_words_become_values(name, word, value):
    parsed = RACE[name].parse(word)
    assert parsed == value
    assert type(parsed) is type(value) or isinstance(value, Path)
    check_options("race", RACE, {"track": "t", name: parsed})


@pytest.mark.parametrize(
    ("name", "word", "said"),
    [
        ("laps", "3.5", "'3.5' (expected a whole number)"),
        ("wet", "maybe", "'maybe' (expected true or false)"),
        ("surface", "gras", "'gras'; did you mean 'grass'? (expected one of grass, sand)"),
        ("sizes", "3,,4", "'' (expected a whole number, or several joined by commas)"),
        ("kinds", "relay,walk", "'walk' (expected one of sprint, relay)"),
    ],
)
def test_a_wrong_word_is_named_with_its_flag(name, word, said):
    with pytest.raises(InputError) as refused:
        RACE[name].parse(word)
    assert str(refused.value) == f"--{name} {said}"


def test_values_of_the_kind_are_taken():
    values = {"heats": None, "pace": 1, "track": "here", "sizes": (), "shoes": object()}
    check_options("race", RACE, values | {"prompt": ["one", "two"], "files": ["a", Path("b")]})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("laps", "3", "laps is '3' .expected a whole number"),
        ("laps", True, "laps is True"),
        ("wet", 1, "wet is 1 .expected true or false"),
        ("surface", "mud", "surface is 'mud' .expected one of grass, sand"),
        ("track", 7, "track is 7 .expected a path"),
        ("kinds", ["relay", "walk"], "kinds is 'walk'"),
        ("lap", 3, r"the race takes no option 'lap'; did you mean 'laps'\? .expected one of track, laps,"),
    ],
)
def test_other_values_are_refused_by_name(name, value, message):
    with pytest.raises(InputError, match=message):
        check_options("race", RACE, {"track": "t", name: value})


def test_a_missing_option_and_one_of_a_taker_of_none():
    with pytest.raises(InputError, match="the task 'race' needs the option 'track'"):
        check_options("task 'race'", RACE, {"laps": 3})
    none = {}
    check_options("walk", none, {})
    with pytest.raises(InputError, match=r"the walk takes no option 'laps' \(expected no options at all\)"):
        check_options("walk", none, {"laps": 3})


def test_paths_are_what_is_declared_as_one():
    def taker(data: Path | None, style: str, words: Annotated[str, FileOr(["few", "many"])]) -> None:
        raise NotImplementedError

    for words, kept in (("many", ["data"]), ("own.yaml", ["data", "words"])):
        given = {"data": "x.csv", "style": "published", "words": words, "other": "x"}
        assert [*paths_among(taker, given)] == kept
