"""Checks that the sentences of a skin mean what they should, by the words in them alone.

A set is generated and read through the same templates, so no audit of its labels can tell that a sentence says the
opposite of what it should. This check knows nothing of the templates' purpose: it finds the words that compare, as in
any English text, and looks up where they point. All sentences must agree with the forward one. Words that the lexicon
does not know are left to a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from probsense.core.errors import InputError
from probsense.tasks.worldsense.generate import wording
from probsense.tasks.worldsense.generate.skins import PACKAGED, OrderSkin, ParallelSkin, Skin, load_skins
from probsense.tasks.worldsense.text.english import NAME, NEGATION, Sentence, english, list_axis
from probsense.tasks.worldsense.text.lexicon import Senses
from probsense.tasks.worldsense.text.logic import Claim, ParseFailure


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is known of the meaning of a skin's sentences.

    Attributes
    ----------
    skin : str
    faults : tuple of str
        Sentences that do not mean what they should.
    unchecked : tuple of str
        Fields of the skin that hold words which grammar or lexicon do not know.
    samples : tuple of str
        Questions with their answers, for a person to check those fields; none where all are checked.
    """

    skin: str
    faults: tuple[str, ...]
    unchecked: tuple[str, ...]
    samples: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.skin}  skin: {fault}" for fault in self.faults]
        if self.unchecked:
            fields = ", ".join(self.unchecked)
            lines.append(
                f"{self.skin}  skin: unchecked, because the lexicon lacks words of: {fields}. Are these answers right?"
            )
            lines += [f"\n{sample}" for sample in self.samples]
        return "\n".join(lines)


def check_meaning(skin: Skin) -> Meaning:
    """Check where the words of a skin's sentences point."""
    checks = _line_checks(skin) if isinstance(skin, ParallelSkin) else _order_checks(skin)
    faults: list[str] = []
    unchecked: dict[str, None] = {}
    for field, template, right in checks:
        if right is None:
            unchecked[field] = None
        elif not right:
            faults.append(f"{field} does not mean what it should beside the other sentences: {template!r}")
    return Meaning(skin.name, tuple(faults), tuple(unchecked), _samples(skin) if unchecked else ())


class CheckedSkins(NamedTuple):
    """Skins for a fresh set, and a remark on each of them with words that could not be checked."""

    skins: tuple[Skin, ...]
    remarks: tuple[str, ...]


def load_checked(source: str | Path) -> CheckedSkins:
    """Read a set of skins, and check a user's own.

    Raises
    ------
    InputError
        Also for a sentence that does not mean what it should.
    """
    skins = load_skins(source)
    if source == "parallel" or source in PACKAGED:
        return CheckedSkins(skins, ())
    remarks = []
    for meaning in map(check_meaning, skins):
        if meaning.faults:
            raise InputError(
                f"skin {meaning.skin}: {meaning.faults[0]}",
                path=Path(source),
                expected="sentences that agree with the forward one",
            )
        if meaning.unchecked:
            remarks.append(
                f"skin {meaning.skin} has words that cannot be checked, in {', '.join(meaning.unchecked)}"
                " (audit of a generated set prints questions to sign off)"
            )
    return CheckedSkins(skins, tuple(remarks))


def _order_checks(skin: OrderSkin) -> Iterator[tuple[str, str, bool | None]]:
    """Yield field, template, and whether it means what it should; None where that cannot be known."""
    axis = _pointing(skin.forward)
    yield "converse", skin.converse, _points(axis, _pointing(skin.converse), -1)
    yield "between", skin.between, _inside(skin.between)
    outside = _inside(skin.outside)
    yield "outside", skin.outside, None if outside is None else not outside
    yield "first", skin.first, _points(axis, _pointing(skin.first), 1)
    yield "last", skin.last, _points(axis, _pointing(skin.last), -1)
    yield "list", skin.list, _points(axis, _list_senses(skin.list), 1)
    for template in (template for pair in skin.foreign for template in pair):
        yield "foreign", template, _is_foreign(axis, _pointing(template))


def _line_checks(skin: ParallelSkin) -> Iterator[tuple[str, str, bool | None]]:
    for field, template in skin.templates():
        said, _ = _said(template)
        if field != "scene":
            known = said and said.relation in ("parallel", "perpendicular")
            yield field, template, said.relation == field if said and known else None


def _said(template: str) -> tuple[Sentence | None, str]:
    """Read a template as English; the letters of its names come in the order in which it has them."""
    letters = "".join(field for _, field, _, _ in Formatter().parse(template) if field)
    return english(template.format(**dict.fromkeys(letters, NAME))), letters


def _pointing(template: str) -> Senses:
    """Find the dimensions of the word that compares, and in which direction it puts {a}; () where there is none."""
    said, letters = _said(template)
    senses = said.senses if said else ()
    return senses if letters[0] == "a" else tuple((dimension, -way) for dimension, way in senses)


def _list_senses(intro: str) -> Senses:
    try:
        orientation = list_axis(intro).orientation
    except ParseFailure:
        return ()
    way = -1 if "reverse" in intro else 1
    return (
        ()
        if NEGATION.search(intro)
        else tuple((dimension, way * sign) for dimension, sign in orientation.items())
    )


def _points(axis: Senses, senses: Senses, way: int) -> bool | None:
    """Whether a word points this way on the axis; None where the two have no dimension in common."""
    along = dict(axis)
    shared = [along[dimension] * direction for dimension, direction in senses if dimension in along]
    return way in shared if shared else None


def _is_foreign(axis: Senses, senses: Senses) -> bool | None:
    """Whether a word is of another dimension than the axis; None where the lexicon does not know one of them."""
    if {dimension for dimension, _ in axis} & {dimension for dimension, _ in senses}:
        return False
    known = all(word and not word[0][0].startswith("?") for word in (axis, senses))
    return True if known else None


def _inside(template: str) -> bool | None:
    """Whether a sentence puts {m} between two others (or else outside); None where it is neither."""
    said, letters = _said(template)
    known = letters[0] == "m" and said and said.relation in ("between", "outside")
    return said.relation == "between" if said and known else None


def _samples(skin: Skin) -> tuple[str, ...]:
    """Word four questions (of lines: two) that hold every sentence of the skin, with their answers."""
    names = skin.names[:3]
    if isinstance(skin, ParallelSkin):
        links = (Claim("parallel", (0, 1)), Claim("perpendicular", (1, 2)))
        story = wording.story(skin, 3, [wording.clause(skin, link, names, False) for link in links])
        claims = [wording.clause(skin, link._replace(args=(0, 2)), names, False) for link in links]
        return tuple(
            _infer(story, claim, gold) for claim, gold in zip(claims, ("FALSE", "TRUE"), strict=True)
        )
    facts = [
        wording.clause(skin, Claim("before", pair), names, flip)
        for pair, flip in (((0, 1), False), ((1, 2), True))
    ]
    story = wording.story(skin, 3, facts)
    first, last = (wording.clause(skin, Claim(end, (0,)), names, False) for end in ("first", "last"))
    between, outside = (
        wording.clause(skin, Claim(relation, (1, 0, 2)), names, False) for relation in ("between", "outside")
    )
    one, other = (template.format(a=names[0], b=names[2]) for template in skin.foreign[0])
    return (
        _infer(wording.list_story(skin, names), first, "TRUE"),
        _infer(story, last, "FALSE"),
        _compl(story, between, outside, "1"),
        _compl(story, one, other, "3"),
    )


def _infer(story: str, claim: str, answer: str) -> str:
    return f"{wording.INFER['directQ1'].format(story=story, claim=claim)} {answer}"


def _compl(story: str, claim: str, converse: str, answer: str) -> str:
    return f"{wording.COMPL['directQ1'].format(story=story, claim=claim, converse=converse)} {answer}"
