"""Twins of trials: the same tuple told of other things, to see what a model owes to having read the set.

A twin has the facts, claims, positions, wording and gold of its trial, and names that come from the other tuples of the
same skin. The siblings of a tuple change their names alike. A twin counts only if the auditor reads it as it reads its
trial, but for the names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from probsense.core.records import Item
from probsense.tasks.worldsense.audit import readings_of, settled
from probsense.tasks.worldsense.generate.stories import Draws
from probsense.tasks.worldsense.questions import trials as sets
from probsense.tasks.worldsense.questions.trials import Trial, listed
from probsense.tasks.worldsense.text.logic import ParseFailure
from probsense.tasks.worldsense.text.reading import Reader

ATTEMPTS = 5
"""How many choices of names are tried for a tuple, until the auditor reads its twins as it should."""

TWIN_OF = "twin_of"
"""The key in the data of a twin's item under which the id of its trial stands."""

_STARTS = re.compile(r"(?:^|[.!?]\s+|\n)$")
"""What precedes the first word of a sentence."""


class Twinned(NamedTuple):
    """Trials, each followed by its twin.

    Attributes
    ----------
    items : list of Item
        A twin's data have the id of its trial as :data:`TWIN_OF`.
    notes : list of str
        How many trials are left out, since their tuple has no twins.
    """

    items: list[Item]
    notes: list[str]


def with_twins(items: Sequence[Item], folder: Path, seed: int) -> Twinned:
    """Make the twins of trials.

    Parameters
    ----------
    items : sequence of Item
        Trials of the folder, whole tuples.
    folder : Path
        A test set in the published format.
    seed : int
        The twins of a tuple follow from the seed and the tuple.
    """
    trials, reader = sets.load_trials(folder), sets.folder_reader(folder)
    pools = sets.names_by_skin(trials, ())
    asked = {str(trial.key): trial for trial in listed(trials, reader)}
    tuples: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        tuples[item.cluster].append(item)
    twins: dict[str, Item] = {}
    for name, members in tuples.items():
        draws = Draws(np.random.default_rng([seed, 4, crc32(name.encode())]))
        pool = pools[members[0].data["skin"]]
        texts = _renamed([asked[item.id] for item in members], pool, draws, reader)
        for item, text in zip(members, texts, strict=False):
            data = {**item.data, "text": text, TWIN_OF: item.id}
            twins[item.id] = replace(item, id=f"{item.id} twin", data=data)
    kept = [one for item in items if item.id in twins for one in (item, twins[item.id])]
    without = len(items) - len(twins)
    why = "the auditor does not understand them, or not with other names, or their skin has too few names"
    return Twinned(
        kept, [f"{without:,} trials are not asked, because they have no twins: {why}"] if without else []
    )


def _renamed(trials: Sequence[Trial], pool: Sequence[str], draws: Draws, reader: Reader) -> list[str]:
    """Give the siblings of a tuple other names; return no text if there are too few, or the auditor cannot follow."""
    objects, *others = {trial.record.objects for trial in trials}
    if others or not all(objects) or len({*objects}) < max(len(objects), 1):
        return []
    try:
        readings = [settled(trial.gold, readings_of(trial, reader)).question for trial in trials]
    except ParseFailure:
        return []
    texts, known, pattern = [trial.text for trial in trials], _spellings(pool), _pattern(tuple(pool))
    said = {known[match["name"]] for text in texts for match in pattern.finditer(text)}
    own = [*objects, *(name for name in pool if name in said.difference(objects))]
    fresh = [name for name in pool if name not in own]
    for _ in range(ATTEMPTS if len(fresh) >= len(own) else 0):
        names = dict(zip(own, draws.sample(fresh, len(own)), strict=True))
        found = [rename(text, names) for text in texts]
        wanted = [replace(own, names=tuple(names.get(name, name) for name in own.names)) for own in readings]
        with suppress(ParseFailure):
            if [*map(reader.read, found, (trial.names for trial in trials))] == wanted:
                return found
    return []


_AN = re.compile(
    r"(?!uni(?!n|m)|us[aeu]|ut[eio]|ura|eu|ewe|one\b|once\b)[aeiou]|hour|honest|honou?r|heir", re.IGNORECASE
)
"""What a word begins with that takes "an": a vowel as it is spoken."""


def rename(text: str, names: Mapping[str, str]) -> str:
    """Put other names into a text, all at once.

    A name counts where it stands as whole words, the longest first. One that begins with a capital because it begins a
    sentence is replaced by one with a capital, and "a" before a name becomes "an" where that must be.

    Parameters
    ----------
    text : str
    names : Mapping of str to str
        The new name for each.
    """
    known = _spellings(names)

    def other(match: re.Match[str]) -> str:
        old = match["name"]
        new = names[known[old]]
        if match["article"]:
            return f"{match['article'][0]}{'n' if _AN.match(new) else ''} {new}"
        starts = old not in names or _STARTS.search(match.string, 0, match.start())
        return _capital(new) if old[0].isupper() and starts else new

    return _pattern(tuple(names)).sub(other, text)


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]


def _spellings(names: Collection[str]) -> dict[str, str]:
    """Map what stands in a text to the name: each by itself, and with a capital at its beginning."""
    return {**{_capital(name): name for name in names}, **{name: name for name in names}}


@lru_cache(maxsize=1024)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Make a pattern that finds any of the names as whole words, with an "a" or "an" before it."""
    known = sorted(_spellings(names), key=len, reverse=True)
    either = "|".join(map(re.escape, known)) or "(?!)"  # Without names, nothing is found.
    return re.compile(rf"(?:\b(?P<article>[Aa]n?) )?(?<!\w)(?P<name>{either})(?!\w)")


def pairs(items: Sequence[Item]) -> Iterator[tuple[Item, Item | None]]:
    """Yield every trial with its twin, or with None if that is not among the items."""
    twins = {item.data[TWIN_OF]: item for item in items if TWIN_OF in item.data}
    return ((item, twins.get(item.id)) for item in items if TWIN_OF not in item.data)
