"""Texts of many wordings, all of them our own: what is told, what is asked, and what follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from probsense.tasks.worldsense.questions.trials import folder_reader
from probsense.tasks.worldsense.text import skins
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion, ParseFailure, answer
from probsense.tasks.worldsense.text.reading import Reader, packaged_reader, solve_text
from probsense.tasks.worldsense.text.skin_files import dump_skins
from support.worldsense import COMPL_Q1, COMPL_Q2, CONSIST, INFER, MELONS, true_in, verdicts

# Ways to word stories and claims; the last ones are inverted questions.
STYLES = {
    name: SimpleNamespace(**{"subject": "", **fields})
    for name, fields in yaml.safe_load(Path(__file__).with_name("styles.yaml").read_text("utf-8")).items()
}


class World(NamedTuple):
    """A problem over entities 0, 1, ... in their true order, before it is worded."""

    style: SimpleNamespace
    names: tuple[str, ...]
    n: int
    facts: tuple[tuple[int, ...], ...]
    flips: tuple[bool, ...]
    claim: tuple[int, ...]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    style = STYLES[draw(st.sampled_from(sorted(STYLES)))]
    n = draw(st.integers(3, 4))
    names = tuple(draw(st.permutations(style.names)))
    facts = [(i, i + 1) for i in range(n - 1)]
    for i in range(n - 1):
        m = draw(st.integers(1, n - 2))
        if draw(st.integers(0, 3)) == 0 and i > 0 and m in (i, i + 1):
            facts[i] = (m, m - 1, m + 1)
    loose = draw(st.integers(0, n - 2))
    if n > 3 and loose > 0:
        facts[loose] = (loose - 1, loose + 1)
    size = draw(st.integers(2, 3))
    return World(
        style,
        names,
        n,
        tuple(draw(st.permutations(facts))),
        tuple(draw(st.lists(st.booleans(), min_size=n + 1, max_size=n + 1))),
        tuple(draw(st.permutations(range(n)))[:size]),
    )


def told(world: World, claim: tuple[int, ...], flip: bool, form: str = "") -> str:
    """Word a claim; the form "is_" inverts it to a question."""
    names = [world.names[i] for i in claim]
    if len(names) == 3:
        m, a, b = names
        a, b = (b, a) if flip else (a, b)
        return str(getattr(world.style, f"{form}between").format(m=m, a=a, b=b))
    a, b = names[::-1] if flip else names
    return str(getattr(world.style, form + ("converse" if flip else "forward")).format(a=a, b=b))


ENGLISH = Reader([])


def english(text: str, names: Sequence[str] = ("A1", "B1", "C1")) -> str:
    return answer(ENGLISH.read(text, names))


@given(worlds(), st.integers(0, 3), st.booleans())
def test_what_is_told_and_asked_in_any_style_is_understood(world, place, inverted):
    style, names, claim, flip = world.style, world.names, world.claim, world.flips[-1]
    scene = style.scene.format(n=world.n)

    def facts(claims: Sequence[tuple[int, ...]]) -> str:
        clauses = [told(world, fact, turned) for fact, turned in zip(claims, world.flips, strict=False)]
        return str(style.subject + skins.join(clauses))

    story, said = f"{scene}: {facts(world.facts)}.", style.subject + told(world, claim, flip)
    truths = verdicts(world.n, world.facts, claim)
    infer = "" if len(truths) > 1 else "TRUE" if True in truths else "FALSE"
    assert english(INFER.format(story=story, claim=said), names) == infer
    more = facts([*world.facts[:place], claim, *world.facts[place:]])
    possible = "POSSIBLE" if True in truths else "IMPOSSIBLE"
    assert english(CONSIST.format(scene=scene, facts=more), names) == possible
    items = "\n".join(f"  - {name}" for name in names[: world.n])
    intro = style.listed
    if intro.startswith("In order from longest"):
        intro = intro.replace("longest", "loudest").replace("shortest", "quietest")
    listed = INFER.format(story=f"{scene}. {intro}:\n{items}\n", claim=said)
    assert english(listed, names) == str(true_in(tuple(range(world.n)), claim)).upper()
    for asked in (claim, (*claim[:-1], world.n)):  # The last names a thing that the story does not mention.
        form, subject = ("is_", "") if inverted else ("", style.subject)
        if len(asked) == 2:
            other = told(world, asked[::-1], not flip, form)
        else:
            m, a, b = (names[i] for i in asked)
            other = getattr(style, f"{form}outside").format(m=m, a=a, b=b)
        alternatives = {"one": subject + told(world, asked, flip, form), "other": subject + other}
        question = ENGLISH.read(
            (COMPL_Q1 if inverted else COMPL_Q2).format(story=story, **alternatives), names
        )
        unmentioned = world.n in asked
        found = verdicts(world.n + unmentioned, world.facts, asked)
        assert answer(question) == ("3" if len(found) > 1 else "1" if True in found else "2")
        assert len(question.names) == question.size + unmentioned


COOKS = "{n} cooks compare knives: Ann is older than Bo and Cy is younger than Bo."
SILL = "{n} vases: the jug is to the left of the urn and the urn is to the left of the pot."
ROW = "{n} vases: the jug is in front of the urn and the pot is behind the urn."
SHELVES = "{n} vases: the jug is above the urn and the pot is below the urn."
TENANTS = "{n} tenants: Ivo lives above Uma and Jan lives below Uma."
LESSONS = "{n} lessons: Mia takes law before art and law after music."
PIER = "{n} boats: At the pier the Gull arrived before the Tern and the Auk arrived after the Tern."
BOATS = "{n} boats: the Gull is faster than the Tern and the Auk is slower than the Tern."
THINGS = (
    *("Ann", "Bo", "Cy", "jug", "urn", "pot", "Ivo", "Uma", "Jan"),
    *("law", "art", "music", "Gull", "Tern", "Auk"),
)
EXTREMES = [
    (COOKS, "Ann is the oldest of the cooks", "Ann", "first"),
    (COOKS, "Cy is the youngest", "Cy", "last"),
    (SILL, "the pot is the rightmost vase on the sill", "pot", "last"),
    (ROW, "the jug is in front of all other vases", "jug", "first"),
    (ROW, "the pot is at the back", "pot", "last"),
    (SHELVES, "the jug is on top of all other vases", "jug", "first"),
    (TENANTS, "Jan lives on the lowest floor of the tower", "Jan", "last"),
    (LESSONS, "Mia takes art last", "art", "last"),
    (PIER, "At the pier the Gull arrived first", "Gull", "first"),
    (BOATS, "the Gull is the winner of the race", "Gull", "first"),
]


@pytest.mark.parametrize(("text", "claim", "name", "relation"), EXTREMES)
def test_extremes(text, claim, name, relation):
    question = ENGLISH.read(INFER.format(story=text.format(n=3), claim=claim), THINGS)
    (found,) = question.claims
    assert found.relation == relation
    assert question.names[found.args[0]] == name
    assert answer(question) == "TRUE"


LINES = {
    "statement": ("{a} is {r} to {b}", ("line A", "line B", "line C", "line D")),
    "verb": ("{a} runs {r} to {b}", ("Oak Street", "5th Avenue", "Mill Lane ", "the Strand")),
    "both": ("{a} and {b} are {r}", ("the Old Dyke", "Kings Canal ", "the Eel Canal", "Moat")),
}


@pytest.mark.parametrize("form", LINES)
def test_lines(form):
    template, names = LINES[form]
    words = ("parallel", "perpendicular")
    for turns in product((0, 1), repeat=3):
        facts = [template.format(a=names[i], b=names[i + 1], r=words[turns[i]]) for i in (2, 0, 1)]
        text = f"A plan shows 4 things: {skins.join(facts)}."
        for turned, word in enumerate(words):
            claim = template.format(a=names[0], b=names[3], r=word)
            question = ENGLISH.read(INFER.format(story=text, claim=claim), names)
            assert question.facts[0].relation in words
            assert answer(question) == ("TRUE" if turned == sum(turns) % 2 else "FALSE")


def test_antonyms_may_share_words():
    """A story in one word of a pair, a claim in a word of another pair with the same converse."""
    for told, word in (
        ("shorter", "longer"),
        ("shorter", "taller"),
        ("older", "younger"),
        ("older", "newer"),
    ):
        story = f"3 tapes: A1 is {told} than B1 and B1 is {told} than C1."
        assert english(INFER.format(story=story, claim=f"C1 is {word} than A1")) == "TRUE"
        assert english(INFER.format(story=story, claim=f"A1 is {word} than C1")) == "FALSE"


def test_names_that_hold_an_and():
    story = "3 inns: Hare is older than Crow and Hare and Owl is younger than Crow and Hare."
    text = INFER.format(story=story, claim="Owl is between Crow and Hare and Hare")
    question = ENGLISH.read(text, ("Hare", "Owl", "Crow and Hare"))
    assert question.names == ("Hare", "Crow and Hare", "Owl")
    assert question.claims == (Claim("between", (2, 1, 0)),)


def test_names_are_in_order_of_appearance():
    question = ENGLISH.read(infer(CATS, "Mo is older than Tom"), ("Ina", "Mo", "Tom"))
    assert question == ParsedQuestion(
        kind="infer",
        names=("Tom", "Ina", "Mo"),
        facts=(Claim("before", (0, 1)), Claim("before", (1, 2))),
        claims=(Claim("before", (2, 0)),),
        size=3,
    )


def infer(story: str, claim: str = "Tom is older than Mo") -> str:
    return INFER.format(story=story, claim=claim)


CATS = "3 cats: Tom is older than Ina and Mo is younger than Ina."
FAILURES = [
    ("What is the capital of Peru?", "no question"),
    (infer("Two cats sleep."), "no facts"),
    (infer(CATS.replace("3", "4")), "4 entities, the story of 3"),
    (infer(CATS.replace("younger", "heavier")), "mix dimensions"),
    (infer(CATS.replace("Ina.", "Mo.")), "stands twice"),
    (infer(CATS, "Tom likes Mo"), "no relation is found in 'Tom likes Mo'"),
    (infer(CATS, "Tom is between Mo"), "no relation"),
    (infer(CATS, "Tom is not older than Mo"), "no relation"),
    (infer("3 cats: Tom is older than Ina, Mo."), "no relation"),
    (infer("3 cats: Tom is older than Ina and Uno is younger than Ina."), "no relation"),
    (infer("3 cats: Tom is older than Uno and Uno is younger than Ina."), "no relation"),
    (infer("2 cats. Here are some:\n- Tom\n- Mo\n"), "in which order"),
    (infer("2 cats. In order from oldest to youngest:\n- Tom\n- Tom\n"), "different entities"),
    (infer("2 cats. In order from oldest to youngest:\n- Tom\n- Uno\n"), "different entities"),
]


@pytest.mark.parametrize(("text", "message"), FAILURES)
def test_what_is_not_understood_is_said(text, message):
    with pytest.raises(ParseFailure, match=message):
        packaged_reader().read(text, ("Tom", "Ina", "Mo"))
    with pytest.raises(ParseFailure, match="named neither by its record"):
        solve_text(text)


# Questions that turn their sentence round, and slips of the pen


WALKS = (
    "Gus took a walk to 3 places: Gus went to the old mill before the inn and to the Red Gate after the inn."
)
CHATS = (
    "At tea Rita spoke to 3 people: "
    "Rita spoke to her uncle before speaking to her boss and to the Mayor after speaking to her boss."
)
TRIPS = "Last May, Ned toured 3 sights: Ned toured Loch Ness before the Old Pier and Castle Hill after the Old Pier."
QUEUE = "3 carts queue: the hay cart is in front of the milk cart and the log cart is behind the milk cart."
CLASSES = "Ida has 3 classes: Ida takes yoga before chess and fencing after chess."
AGES = "3 cooks compare: Ann is older than Bo and Cy is younger than Bo."
ALL = (
    *("the old mill", "the inn", "the Red Gate", "the zoo", "her uncle", "her boss", "the Mayor", "her aunt"),
    *("Loch Ness", "the Old Pier", "Castle Hill", "the hay cart", "the milk cart", "the log cart"),
    *("yoga", "chess", "fencing", "Ann", "Bo", "Cy"),
)
ASKED = [
    (WALKS, "Did he go at the old mill [after|before] the Red Gate", "2"),
    (WALKS, "[did he go to|Did Gus go at] the old mill [before|after] the Red Gate", "1"),
    (WALKS, "Did he go [at|to] the zoo [after|before] the Red Gate", "3"),
    (TRIPS, "Did Ned tour Loch Ness [after|before] Castle Hill", "2"),
    (TRIPS, "Was Loch Ness toured [after|before] Castle Hill", "2"),
    (CHATS, "Did she speak to her boss [|OUTSIDE ]between speaking to her uncle[ and|] the Mayor", "1"),
    (CHATS, "Did Rita speak to her uncle [in|OUTSIDE] between speaking to her boss[| and] the Mayor", "2"),
    (CHATS, "Did Rita speak to her uncle [in|OUTSIDE] between speaking to her boss[ and|] her aunt", "3"),
    (QUEUE, "Is the hay cart [in front|behind] of the log cart", "1"),
    (QUEUE, "Is the hay cart [behind|in front] of the log cart", "2"),
    (CLASSES, "does yoga last [less|more] than chess", "3"),
    (AGES, "Is Bo's age [between that of|outside of the age interval between] Ann and Cy", "1"),
]


@pytest.mark.parametrize(("story", "sides", "expected"), ASKED)
def test_questions_that_turn_their_sentence_round(story, sides, expected):
    """Of two words in brackets, each alternative has one."""
    sides = sides.replace("OUTSIDE", "outside of the interval")
    one, other = (re.sub(r"\[(.*?)\|(.*?)\]", chosen, sides) for chosen in (r"\1", r"\2"))
    question = ENGLISH.read(COMPL_Q1.format(story=story, one=one, other=other), ALL)
    assert answer(question) == expected
    assert (len(question.names) > 3 or question.claims[0].relation == "foreign") == (expected == "3")


ANNS = "Rita spoke to 3 people: Rita spoke to Mary Ann after Ann Lee and Rita spoke to {name} before Ann Lee."


@pytest.mark.parametrize(
    ("name", "first", "last", "expected"),
    [("Ann", "Ann Lee", "Ann", "1"), ("Joan", "Ann Lee", "Ann", "3"), ("Joan", "Joan", "Lee Ann Lee", "3")],
)
def test_names_inside_names(name, first, last, expected):
    one, other = (f"Rita spoke to {first} {relation} {last}" for relation in ("after", "before"))
    text = COMPL_Q1.format(story=ANNS.format(name=name), one=one, other=other)
    assert english(text, ("Ann", "Mary Ann", "Ann Lee", "Joan", "Lee Ann Lee")) == expected


# Our own skins


ODD = replace(MELONS, forward="{a} outdoes {b}", converse="{a} yields to {b}", first="{a} beats the others")
"""A skin with words that no lexicon knows."""
TOLD = skins.story(ODD, 3, ["the grey melon outdoes the odd melon", "the odd melon outdoes the tiny melon"])
LIST = "3 melons lie on a cart. From the lightest:\n- the grey melon\n- the odd melon\n- the tiny melon"


def asked_of_melons(story: str, claim: str, converse: str = "") -> str:
    frame = skins.COMPL["directQ2"] if converse else skins.INFER["directQ2"]
    return frame.format(story=story, claim=claim, converse=converse)


BEATS, SWEET = "the grey melon beats the others", "the grey melon is sweeter than the tiny melon"
NEW = "the grey melon {} the green melon"
OUTSIDE = "the striped melon is in weight outside the range between the green melon and the grey melon"
BY_SKIN = {
    "a list": (asked_of_melons(skins.list_story(ODD, ODD.names[:3]), OUTSIDE), "TRUE"),
    "a foreign claim": (asked_of_melons(TOLD, SWEET, SWEET.replace("sweeter", "sourer")), "3"),
    "a thing that no fact names": (
        asked_of_melons(TOLD, NEW.format("outdoes"), NEW.format("yields to")),
        "3",
    ),
    "another sentence": (asked_of_melons(TOLD.replace("odd melon outdoes", "odd melon hides"), BEATS), None),
    "another number": (asked_of_melons(TOLD.replace("3 melons", "4 melons"), BEATS), None),
    "another list": (asked_of_melons(LIST, BEATS), None),
}


@pytest.mark.parametrize("case", BY_SKIN)
def test_a_skin_of_the_folder_is_read_by_its_sentences_alone(case, tmp_path):
    (tmp_path / "skins.yaml").write_text(dump_skins([ODD]), encoding="utf-8")
    text, expected = BY_SKIN[case]
    if expected:
        assert answer(folder_reader(tmp_path).read(text)) == expected
    else:
        with pytest.raises(ParseFailure, match=r"no relation is found|4 entities|no such list"):
            folder_reader(tmp_path).read(text)
    with pytest.raises(ParseFailure, match="named neither"):
        solve_text(text)
    assert folder_reader(tmp_path / "none") is packaged_reader()
