"""Options that tasks, models and readers declare, on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from probsense.cli.declared_options import (
    Named,
    Owner,
    Owners,
    UsageError,
    metavar,
    named,
    read_pieces,
    take,
    taking,
)
from probsense.cli.task_verbs import positional
from probsense.core.errors import InputError
from probsense.core.options import REQUIRED, Option

TAKES = {"--model": 1, "-m": 1, "--limit": 1, "--max-cost": 1, "--json": 0, "-q": 0}


def option(name: str, kind: Any = str, help: str = "", default: Any = None, **changed: Any) -> Option:
    given = {"many": False, "commas": False, "choices": (), "positional": False, **changed}
    return Option(name, kind, default=default, help=help, **given)


def owner(name: str, *options: Option) -> Owner:
    return Owner(name, {each.name: each for each in options})


RACE = owner(
    "race",
    option("data", Path, "Where it is run."),
    option("rule", help="Who wins."),
    option("laps", int),
    option("pace", float),
    option("sizes", int, many=True, commas=True),
    option("prompt", many=True),
    option("files", Path, many=True),
    option("wet", bool, default=False),
    option("fair", bool, default=True),
    option("no_wind", bool, default=False),
    option("max_time", int),
)
CHESS = owner(
    "chess",
    option("data", Path, "Games."),
    option("rule", help="Who wins."),
    option("openings", many=True, commas=True),
    option("fair", bool, "Whether sides change.", default=True),
)


def given_to(words: str, *owners: Owner) -> dict[str, dict[str, Any]]:
    given, rest = take(words.split(), owners, TAKES)
    assert rest == []
    return given


# take: values


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("", {}),
        ("--race.laps 3", {"laps": 3}),
        ("--race.laps=3", {"laps": 3}),
        ("--pace 0.5", {"pace": 0.5}),
        ("--rule=", {"rule": ""}),
        ("--rule=--laps", {"rule": "--laps"}),
        ("--max-time 5", {"max_time": 5}),
        ("--race.max_time 5", {"max_time": 5}),
        ("--rule=a_b", {"rule": "a_b"}),
        ("--sizes 3,4", {"sizes": [3, 4]}),
        ("--sizes 3 --sizes 4,5", {"sizes": [3, 4, 5]}),
        ("--prompt a,b --race.prompt c", {"prompt": ["a,b", "c"]}),
        ("--wet", {"wet": True}),
        ("--race.wet", {"wet": True}),
        ("--wet=false", {"wet": False}),
        ("--fair", {"fair": True}),
        ("--no-fair", {"fair": False}),
        ("--no_fair", {"fair": False}),
        ("--race.no-fair", {"fair": False}),
        ("--fair=false", {"fair": False}),
        ("--no-wind", {"no_wind": True}),
        ("--data x", {"data": Path("x")}),
        ("--files a", {"files": [Path("a")]}),
        ("--files a b c --laps 3", {"files": [Path("a"), Path("b"), Path("c")], "laps": 3}),
        ("--files a --files b c", {"files": [Path("a"), Path("b"), Path("c")]}),
        ("--files=a,b", {"files": [Path("a,b")]}),
    ],
)
def test_a_flag_gives_its_value(words: str, values: Mapping[str, object]) -> None:
    assert given_to(words, RACE) == {"race": values}


def test_one_flag_that_means_one_thing_is_given_to_all_who_take_it() -> None:
    assert given_to("--rule speed", RACE, CHESS) == {"race": {"rule": "speed"}, "chess": {"rule": "speed"}}


def test_the_long_form_means_one_of_them() -> None:
    found = given_to("--chess.rule mate --race.data x --chess.data y --race.no-fair", RACE, CHESS)
    assert found == {"race": {"data": Path("x"), "fair": False}, "chess": {"rule": "mate", "data": Path("y")}}


@pytest.mark.parametrize(
    ("words", "forms"),
    [
        ("--data x", "--race.data or --chess.data"),
        ("--data=x", "--race.data or --chess.data"),
        ("--fair", "--race.fair or --chess.fair"),
        ("--no-fair", "--race.no-fair or --chess.no-fair"),
    ],
)
def test_a_flag_that_means_different_things_is_refused(words: str, forms: str) -> None:
    flag = words.split()[0].partition("=")[0]
    with pytest.raises(InputError) as caught:
        take(words.split(), [RACE, CHESS], TAKES)
    assert str(caught.value) == f"{flag} means different things to race and chess (expected {forms})"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--laps", r"--laps has no value \(expected a whole number\)"),
        ("--race.laps", r"--race.laps has no value"),
        ("--data --laps 3", r"--data has no value \(expected a path\)"),
        ("--data --laps=3", r"--data has no value"),
        ("--data --max_time 3", r"--data has no value"),
        ("--files --json", r"--files has no value"),
        ("--rule -m x", r"--rule has no value"),
        ("--limit", r"--limit has no value"),
        ("-m --laps 3", r"-m has no value"),
        ("--laps three", r"--laps 'three' \(expected a whole number\)"),
        ("--wet=perhaps", r"--wet 'perhaps' \(expected true or false\)"),
    ],
)
def test_a_missing_or_wrong_value_is_named(words: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        take(words.split(), [RACE], TAKES)


# take: what is left


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        ("race --laps 3 x", "race x"),
        ("--model --odd race", "--model --odd race"),
        ("--model=--laps --laps 3", "--model=--laps"),
        ("--model=a --wet", "--model=a"),
        ("--max_cost 3 --json --laps 2", "--max-cost 3 --json"),
        ("--max_cost=3_0", "--max-cost=3_0"),
        ("--json --wet x", "--json x"),
        ("-o --laps 3", "-o"),
        ("--files a b -- c", "-- c"),
    ],
)
def test_what_nobody_declares_is_left_in_its_order(words: str, rest: str) -> None:
    assert take(words.split(), [RACE], TAKES)[1] == rest.split()


def test_a_common_flag_is_nobodys() -> None:
    own = owner("race", option("limit", int))
    assert take(["--limit", "3"], [own], TAKES)[0] == {"race": {}}
    assert take(["--race.limit", "3"], [own], TAKES)[0] == {"race": {"limit": 3}}


WORD = st.one_of(st.text(max_size=6), st.sampled_from(["--", "-q", "--data", "--a_b=c_d", "--x.y", "a.b"]))


@given(st.lists(WORD))
def test_behind_two_hyphens_all_words_are_left(words: list[str]) -> None:
    assert take(["--", *words], [RACE], TAKES) == ({"race": {}}, ["--", *words])


TEXT = st.text(min_size=1).filter(lambda text: not text.startswith("-"))


@given(
    st.lists(st.tuples(st.sampled_from(["laps", "max_time"]), st.integers())),
    TEXT,
    TEXT,
    st.lists(TEXT),
    st.booleans(),
)
def test_whatever_is_given_comes_out(
    numbers: list[tuple[str, int]], rule: str, prompt: str, rest: list[str], equals: bool
) -> None:
    words = ["--rule", rule, f"--prompt={prompt}"]
    for name, value in numbers:
        words += [f"--{name}={value}"] if equals else [f"--{name}", str(value)]
    found, left = take([*words, *rest], [RACE, CHESS], {})
    assert found == {
        "race": {**dict(numbers), "rule": rule, "prompt": [prompt]},
        "chess": {"rule": rule},
    }
    assert left == rest


# named


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("race chess", Named(["race", "chess"], [])),
        ("race --model hf:x chess", Named(["race", "chess"], ["hf:x"])),
        ("race -m hf:x --limit 5", Named(["race"], ["hf:x"])),
        ("--model=hf:x=y race", Named(["race"], ["hf:x=y"])),
        ("--json race -q", Named(["race"], [])),
        ("--max_cost 3 race", Named(["race"], [])),
        ("--rule fast race", Named(["fast", "race"], [])),
        ("race --model", Named(["race"], [])),
        ("--model a --model b", Named([], ["a", "b"])),
    ],
)
def test_what_is_named_is_known_before_the_options_are(words: str, expected: Named) -> None:
    assert named(words.split(), TAKES) == expected


def test_a_known_option_takes_its_value_out_of_what_is_named() -> None:
    assert named(["--rule", "fast", "race"], {**TAKES, "--rule": 1}) == Named(["race"], [])


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("race --model hf:x chess", "race"),
        ("--limit 3 --json race", "race"),
        ("--rule fast race", "race"),
        ("--rule=fast race", "race"),
        ("--rule fast", None),
        ("--json", None),
    ],
)
def test_the_first_word_that_is_no_value_is_known_for_sure(words: str, first: str | None) -> None:
    assert named(words.split(), TAKES).first == first


# unknown


VOTES = owner("votes", option("questions"))


@pytest.mark.parametrize(
    ("flag", "known", "more"),
    [
        ("--lapse", "--laps --json", "; did you mean '--laps'?"),
        ("--zzz", "--laps", ""),
        ("--fill", "--rule -q --", ""),  # the hyphens do not make flags alike
    ],
)
def test_a_flag_of_nobody_says_what_to_write(flag: str, known: str, more: str) -> None:
    with pytest.raises(InputError) as caught:
        take([flag], [], dict.fromkeys(known.split(), 0), lambda: [RACE])
    assert str(caught.value) == f"no such option: {flag}{more}"


@pytest.mark.parametrize(
    ("flag", "known", "whose"),
    [
        ("--openings", "--laps", "chess, not named here"),
        ("--rule", "--laps", "race and chess, not named here"),
        ("--race.laps", "", "race, not named here"),
        ("--no-fair", "", "race and chess, not named here"),
        ("--questions", "--laps", "votes, not named here"),
    ],
)
def test_an_option_of_somebody_else_is_said_to_be_theirs(flag: str, known: str, whose: str) -> None:
    with pytest.raises(InputError) as caught:
        take([flag], [], dict.fromkeys(known.split(), 0), lambda: [RACE, CHESS, VOTES])
    assert str(caught.value) == f"{flag} is an option of {whose}"


# positional


DIG = owner(
    "dig",
    option("data", Path, default=REQUIRED, positional=True),
    option("depth", int, positional=True, default=2),
    option("spade", Path, default=REQUIRED),
    option("soft", bool, default=False),
)


def test_arguments_are_the_options_that_stand_first() -> None:
    spade = {"spade": Path("s")}
    assert positional(DIG, ["here"], spade, "analyse dig") == {**spade, "data": Path("here")}
    assert positional(DIG, ["here", "7"], spade, "analyse dig") == {**spade, "data": Path("here"), "depth": 7}
    flag = {**spade, "data": Path("there")}
    assert positional(DIG, ["7"], flag, "analyse dig") == {**flag, "depth": 7}


@pytest.mark.parametrize(
    ("words", "given_values", "message"),
    [
        ([], {"spade": Path("s")}, "analyse dig needs DATA"),
        (["here"], {}, "analyse dig needs --spade"),
        (["here", "2", "more"], {"spade": Path("s")}, "analyse dig takes no 'more'"),
    ],
)
def test_a_wrong_number_of_arguments_shows_how_it_is_called(
    words: Sequence[str], given_values: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        positional(DIG, words, given_values, "analyse dig")
    assert str(caught.value) == f"{message} (expected probsense analyse dig DATA DEPTH --spade <path>)"


def test_an_argument_of_a_wrong_kind_is_refused() -> None:
    with pytest.raises(InputError, match="--depth 'deep'"):
        positional(DIG, ["here", "deep"], {"spade": Path("s")}, "analyse dig")


# help


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        (RACE.options["wet"], ""),
        (RACE.options["laps"], "<int>"),
        (RACE.options["data"], "<path>"),
        (RACE.options["sizes"], "<int>,…"),
        (RACE.options["prompt"], "<str>"),
        (RACE.options["files"], "<path>…"),
        (option("rule", choices=("a", "b")), "a|b"),
        (option("lane", int, choices=(1, 2), many=True, commas=True), "1|2,…"),
    ],
)
def test_the_help_names_the_values(declared: Option, shown: str) -> None:
    assert metavar(declared) == shown


# a command


SEEN: list[object] = []


GAMES = Owners(
    lambda named: [game for game in (RACE, CHESS) if game.name in named.words], lambda: [RACE, CHESS]
)


def play(
    context: typer.Context,
    games: Annotated[list[str], typer.Argument()],
    limit: Annotated[int, typer.Option("--limit")] = 0,
    note: Annotated[str, typer.Option("--note")] = "",
) -> None:
    """Play."""
    SEEN.append((games, limit, context.obj, *([note] if note else [])))


@pytest.fixture
def app() -> typer.Typer:
    SEEN.clear()
    made = typer.Typer()
    made.command(cls=taking(GAMES))(play)
    return made


def called(app: typer.Typer, words: str) -> object:
    CliRunner().invoke(app, words.split(), catch_exceptions=False, standalone_mode=False)
    return SEEN[0]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("race --laps 3 --limit 5 --no-fair", (["race"], 5, {"race": {"laps": 3, "fair": False}})),
        # A value names nobody, and that of a common option may look like a flag.
        ("race --rule chess --data chess", (["race"], 0, {"race": {"rule": "chess", "data": Path("chess")}})),
        ("race --note --odd", (["race"], 0, {"race": {}}, "--odd")),
        ("race -- --laps 3", (["race", "--laps", "3"], 0, {"race": {}})),
    ],
)
def test_a_command_gets_the_options_of_those_it_names(app: typer.Typer, words: str, found: object) -> None:
    assert called(app, words) == found


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("race --openings x", "--openings is an option of chess, not named here"),
        ("race --limt 5", "did you mean '--limit'"),
    ],
)
def test_a_command_refuses_what_nobody_takes(app: typer.Typer, words: str, message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        called(app, words)
    assert SEEN == []


def test_the_help_shows_the_options_of_those_that_are_named(app: typer.Typer) -> None:
    def shown(words: str) -> str:
        return " ".join(
            CliRunner().invoke(app, [*words.split(), "--help"], env={"COLUMNS": "200"}).output.split()
        )

    both = shown("race chess")
    assert "--race.data <path> Where it is run." in both
    assert "--chess.data <path> Games." in both
    assert "--race.fair/--race.no-fair" in both
    alone = shown("race")
    assert "--data <path> Where it is run." in alone
    assert "--wet" in alone
    assert "--no-wet" not in alone
    assert "--laps" not in shown("")


@pytest.mark.parametrize(
    ("default", "shown"),
    [
        (0, "[default: 0]"),
        (0.0, "[default: 0.0]"),
        ((3, 4), "[default: 3,4]"),
        ("a", "[default: a]"),
    ],
)
def test_the_help_shows_defaults(default: object, shown: str) -> None:
    assert shown in help_of(option("laps", int, default=default))


@pytest.mark.parametrize("default", [None, True, False, "", (), REQUIRED])
def test_the_help_shows_no_default_that_says_nothing(default: object) -> None:
    assert "default" not in help_of(option("laps", default=default))


def test_the_help_has_room_for_words_beside_many_choices() -> None:
    names = ("consensus", "consensus_corrected", "percentile", "group_r")
    told = help_of(option("measure_of_everybody", choices=names, help="What to find."), 80)
    assert "What to find." in told
    assert all(name in told for name in names)


def help_of(declared: Option, columns: int = 200) -> str:
    made = typer.Typer()
    made.command(cls=taking(Owners(lambda named: [owner("race", declared)], list)))(lambda: None)
    return CliRunner().invoke(made, ["--help"], env={"COLUMNS": str(columns)}).output


# several values of one option


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("run t --humans a b -m x", "run t --humans a --humans b -m x"),
        ("--humans a --json --humans b c", "--humans a --json --humans b --humans c"),
        ("--humans", "--humans"),
        ("--humans --json x", "--humans --json x"),
        ("--prompt a b", "--prompt a b"),
        ("", ""),
    ],
)
def test_the_flag_stands_before_every_value(words: str, expected: str) -> None:
    pieces = read_pieces(words.split(), {"--humans": 9, "--json": 0})
    assert [word for piece in pieces for word in piece.words] == expected.split()
