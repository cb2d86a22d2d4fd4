"""Command lines whose options are declared by what they name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from probsense.cli.declared import Named, Owner, named, positional, take
from probsense.errors import InputError
from probsense.options import declared


def left(
    data: Path,
    *,
    rule: str = "sum",
    ratings: Sequence[Path] = (),
    sizes: Sequence[int] = (3,),
    chat: bool | None = None,
    norm: bool = False,
    heat: float = 1.0,
) -> None:
    """Declare options.

    Parameters
    ----------
    data : Path
        A folder.
    rule : str
        A rule.
    """


def right(data: Path | None = None, *, rule: str = "sum", kind: str = "") -> None:
    """Declare options, one with the same words, one with others.

    Parameters
    ----------
    data : Path, optional
        A file.
    rule : str
        A rule.
    """


LEFT, RIGHT = Owner("left", declared(left)), Owner("right", declared(right))
TAKES = {"--model": True, "-m": True, "--limit": True, "--json": False, "-q": False}


@pytest.mark.parametrize(
    ("line", "given", "rest"),
    [
        ("left --rule byte -m x", {"rule": "byte"}, "left -m x"),
        ("left --rule=byte", {"rule": "byte"}, "left"),
        ("--left.rule byte left", {"rule": "byte"}, "left"),
        ("left --rule a --rule b", {"rule": "b"}, "left"),
        ("--ratings a b left", {"ratings": [Path("a"), Path("b"), Path("left")]}, ""),
        ("--ratings a --ratings=b left", {"ratings": [Path("a"), Path("b")]}, "left"),
        ("--sizes 3,4 --sizes 5 left", {"sizes": [3, 4, 5]}, "left"),
        ("left --norm", {"norm": True}, "left"),
        ("left --chat", {"chat": True}, "left"),
        ("left --no-chat", {"chat": False}, "left"),
        ("left --left.no-chat", {"chat": False}, "left"),
        ("left --heat -1", {"heat": -1.0}, "left"),
        ("left --limit --rule -q", {}, "left --limit --rule -q"),
        ("left --unknown 3", {}, "left --unknown 3"),
    ],
)
def test_options_are_taken_and_the_rest_is_left(line: str, given: dict[str, Any], rest: str) -> None:
    taken = take(line.split(), [LEFT], TAKES)
    assert taken.given == {"left": given}
    assert taken.rest == rest.split()


def test_one_flag_of_two_owners_is_for_both_if_they_mean_the_same() -> None:
    taken = take(["--rule", "byte", "--right.rule", "char", "--kind", "k"], [LEFT, RIGHT], TAKES)
    assert taken.given == {"left": {"rule": "byte"}, "right": {"rule": "char", "kind": "k"}}


def test_one_flag_that_means_two_things_is_refused_and_the_long_form_works() -> None:
    with pytest.raises(InputError) as refused:
        take(["--data", "x"], [LEFT, RIGHT], TAKES)
    assert str(refused.value) == (
        "--data means different things to left and right (expected --left.data or --right.data)"
    )
    taken = take(["--left.data", "x", "--right.data", "y"], [LEFT, RIGHT], TAKES)
    assert taken.given == {"left": {"data": Path("x")}, "right": {"data": Path("y")}}
    assert take(["--data", "x"], [RIGHT], TAKES).given == {"right": {"data": Path("x")}}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--heat warm", "--heat 'warm'"),
        ("--heat", r"--heat has no value \(expected a number\)"),
        ("--rule --limit 3", "--rule has no value"),
        ("--rule --sizes 3", "--rule has no value"),
        ("--norm=yes", "--norm takes no value, and 'yes' was given"),
    ],
)
def test_wrong_values_are_refused(line: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        take(line.split(), [LEFT], TAKES)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("left -m hf:x right", Named(["left", "right"], "hf:x", "left")),
        ("--model=hf:x left", Named(["left"], "hf:x", "left")),
        ("--limit 3 --json left", Named(["left"], None, "left")),
        ("--heat 3 left", Named(["3", "left"], None, "left")),
        ("--heat=3 left", Named(["left"], None, "left")),
        ("--heat 3", Named(["3"], None, None)),
        ("-m", Named([], "", None)),
    ],
)
def test_what_a_line_names(line: str, expected: Named) -> None:
    assert named(line.split(), TAKES) == expected


def test_arguments_are_the_first_options() -> None:
    assert positional(LEFT, ["x"], {"rule": "r"}, "do left") == {"rule": "r", "data": Path("x")}
    assert positional(LEFT, [], {"data": Path("x")}, "do left") == {"data": Path("x")}
    assert positional(RIGHT, [], {}, "do right") == {}
    for words, given, said in (
        ([], {}, r"do left needs DATA \(expected probsense do left DATA\)"),
        (["x", "y"], {}, "do left takes no 'y'"),
        (["y"], {"data": Path("x")}, "do left takes no 'y'"),
    ):
        with pytest.raises(InputError, match=said):
            positional(LEFT, words, given, "do left")
