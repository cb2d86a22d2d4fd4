"""Reads files of skins, and checks that their sentences mean what they should, by the words in them alone.

A set is generated and read through the same templates, so no audit of its labels can tell that a sentence says the
opposite of what it should. This check knows nothing of the templates' purpose: it finds the words that compare, as in
any English text, and looks up where they point. All sentences must agree with the forward one. Words that the lexicon
does not know are left to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_yaml
from probsense.core.files.typed import read_as
from probsense.tasks.worldsense.text import english
from probsense.tasks.worldsense.text.logic import LINES, ParseFailure
from probsense.tasks.worldsense.text.skins import NAME, PACKAGED, SENTENCES, OrderSkin, ParallelSkin, Skin

COMPOSED = ("many",)
"""The packaged files that :func:`compose` makes skins of."""

MOST_FOREIGN = 2
"""How many pairs of foreign predicates a composed skin has at most."""

_WORD = re.compile(r"<([a-z ]+)>")


class _Kind(msgspec.Struct, frozen=True):
    kind: Literal["scalar", "spatial", "temporal", "parallel"]


def load_skins(source: str | Path) -> tuple[Skin, ...]:
    """Read a set of skins.

    Parameters
    ----------
    source : str or Path
        "test", "train" or "many" (the packaged sets), "parallel" (the parallel skins in all of them), or a YAML file:
        a list of skins.

    Raises
    ------
    InputError
        For a file that cannot be read, is no YAML list, or holds a faulty skin. The error names the file, the skin,
        the field and the expected value.
    """
    if source == "parallel":
        return tuple(s for name in PACKAGED for s in load_skins(name) if isinstance(s, ParallelSkin))
    if isinstance(source, str) and source in PACKAGED:
        return _packaged(source)
    path = Path(source)
    if not path.is_file():
        raise InputError(
            "no such skin file", path=path, expected=f"{', '.join(PACKAGED)}, parallel or a YAML file"
        )
    return parse_skins(read_yaml(path), path)


@cache
def _packaged(name: str) -> tuple[Skin, ...]:
    """Read a packaged set once: every run of the task needs it."""
    path = Path(str(files(__package__) / "skins" / f"{name}.yaml"))
    document = read_yaml(path)
    return parse_skins([*compose(document)] if name in COMPOSED else document, path)


def parse_skins(entries: Any, path: Path) -> tuple[Skin, ...]:
    """Check the parsed YAML of a skin file; ``path`` is for messages only."""
    place = Place(path)
    if not isinstance(entries, list) or not entries:
        raise place.fault("no list of skins", "a YAML list with one mapping a skin")
    skins: dict[str, Skin] = {}
    for number, entry in enumerate(entries, start=1):
        name = entry.get("name") if isinstance(entry, dict) else None
        known = f" ({name})" if isinstance(name, str) and re.fullmatch(NAME, name) else ""
        here = Place(path, part=f"skin {number}{known}")
        lines = read_as(_Kind, entry, here).kind == "parallel"
        skin: Skin = read_as(ParallelSkin, entry, here) if lines else read_as(OrderSkin, entry, here)
        if skins.setdefault(skin.name, skin) is not skin:
            raise place.fault(f"two skins are called {brief(skin.name)}")
    return tuple(skins.values())


def dump_skins(skins: Sequence[Skin]) -> str:
    """Write the skins as YAML text that :func:`load_skins` reads back."""
    import yaml

    return yaml.safe_dump(msgspec.to_builtins(skins), sort_keys=False, allow_unicode=True, width=110)


def compose(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell every kind of things in each of its orders, as entries of a skin file.

    Parameters
    ----------
    document : Mapping
        ``frames``: the sentences of a skin by the name of the frame, with <words> to be filled in; ``orders``: a frame
        and words by the name of the order; ``things``: names, words and orders by the plural of the things.

    Yields
    ------
    dict
        A skin, in the order of things. Its foreign predicates are those of the other scalar orders of its things.
    """
    frames, orders = document["frames"], document["orders"]
    for plural, things in document["things"].items():
        words = {"things": plural, "where": things["where"]}
        told = {
            order: {
                field: _filled(template, {**words, **orders[order]})
                for field, template in frames[orders[order]["frame"]].items()
            }
            for order in things["orders"]
        }
        for order, sentences in told.items():
            others = [one for name, one in told.items() if name != order and one["kind"] == "scalar"]
            yield {
                "name": f"{plural.replace(' ', '_')}.{order}",
                **sentences,
                "foreign": [[one["forward"], one["converse"]] for one in others[:MOST_FOREIGN]],
                "names": things["names"],
            }


def _filled(template: str, words: Mapping[str, str]) -> str:
    return _WORD.sub(lambda match: words[match[1]], template)


class Meaning(NamedTuple):
    """What is known of the meaning of a skin's sentences.

    Attributes
    ----------
    faults : tuple of str
        Sentences that do not mean what they should.
    unchecked : tuple of str
        Fields of the skin that hold words which grammar or lexicon do not know.
    """

    faults: tuple[str, ...]
    unchecked: tuple[str, ...]


def check_meaning(skin: Skin) -> Meaning:
    """Check where the words of a skin's sentences point."""
    axis = _axis(skin.forward) if isinstance(skin, OrderSkin) else {}
    others = [pair for pair in skin.templates() if pair[0] not in ("scene", "forward")]
    right = {(field, template): _is_right(field, template, axis) for field, template in others}
    wrong = "{} does not mean what it should beside the other sentences: {!r}"
    faults = tuple(wrong.format(*pair) for pair, fine in right.items() if fine is False)
    return Meaning(faults, tuple(dict.fromkeys(field for (field, _), fine in right.items() if fine is None)))


def load_checked(source: str | Path) -> tuple[tuple[Skin, ...], tuple[str, ...]]:
    """Read a set of skins, and check a user's own.

    Returns
    -------
    tuple of Skin
    tuple of str
        A remark on each skin with words that could not be checked.

    Raises
    ------
    InputError
        Also for a sentence that does not mean what it should.
    """
    skins, remarks = load_skins(source), []
    for skin in skins if source not in ("parallel", *PACKAGED) else ():
        faults, unchecked = check_meaning(skin)
        if faults:
            raise InputError(
                f"skin {skin.name}: {faults[0]}",
                path=Path(source),
                expected="sentences that agree with the forward one",
            )
        if unchecked:
            fields = ", ".join(unchecked)
            remarks.append(
                f"skin {skin.name} has words that cannot be checked, in {fields}: read a few questions"
            )
    return skins, tuple(remarks)


def _is_right(field: str, template: str, axis: english.Senses) -> bool | None:
    """Whether a template means what it should beside the forward one; None where that cannot be known."""
    if field == "list":
        return _lists(template, axis)
    wanted, args = SENTENCES[field]
    sentence, letters = english.nameless(template)
    said = english.read_sentence(sentence)
    if not said:
        return None
    relation, order = said.along(axis)
    if "foreign" in (wanted, relation):
        sure = wanted == relation and english.known(axis) and english.known(said.senses)
        return False if relation == "before" else True if sure else None
    return relation == wanted and (relation in LINES or letters[order[0]] == args[0])


def _axis(forward: str) -> english.Senses:
    """Find the axis on which the forward sentence puts {a} before {b}; an empty one if no word there compares."""
    sentence, letters = english.nameless(forward)
    said = english.read_sentence(sentence)
    return english.turned(said.senses, 1 if letters[0] == "a" else -1) if said else {}


def _lists(intro: str, axis: english.Senses) -> bool | None:
    """Whether a list begins with the first; None where that cannot be known."""
    try:
        listed = {} if english.NEGATION.search(intro) else english.list_axis(intro)
    except ParseFailure:
        return None
    way = -1 if "reverse" in intro else 1
    shared = [sign * axis[one] for one, sign in listed.items() if one in axis]
    return way in shared if shared else None
