"""Participants: who they are in the file of answers, the secrets that tell them apart, the ids they came
with, and which questions they get: those first that fewest people have."""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Final, Literal, TypeAlias

from probsense.studies.collect.forms import Values, without_controls
from probsense.studies.collect.study import CHECK, Study

End: TypeAlias = Literal["completion", "screened_out", "timed_out"]
"""How a participant's way ended."""
TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32}")
"""The form of a token: 192 random bits."""
ID_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class Person:
    """A participant.

    Attributes
    ----------
    number : int
        From 1, in the order of arrival.
    token : str
        The secret in the address of the participant's pages.
    participant, study, session : str
        The ids from the address, hashed if the study says so; "" for none.
    at, seen : int
        Milliseconds since 1970: of the consent, and of the last activity.
    keys : tuple of str
        Of questions and checks, in their order.
    end : End, optional
        How it ended.
    ended_at : int, optional
        Milliseconds since 1970.
    """

    number: int
    token: str
    participant: str
    study: str
    session: str
    at: int
    seen: int
    keys: tuple[str, ...]
    end: End | None
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class Given:
    """One version of an answer.

    Attributes
    ----------
    person : int
    page : str
        The name of the page.
    values : Mapping of str to str
    ms : int, optional
        Milliseconds since the page was first shown.
    """

    person: int
    page: str
    values: Values
    ms: int | None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Who was removed: the person's number, how many versions of answers there were, and how many places are free."""

    person: int
    answers: int
    places: int

    def to_json(self) -> dict[str, int]:
        """Return it as a JSON document."""
        return asdict(self)


def new_token() -> str:
    """Draw the secret of a participant."""
    return secrets.token_urlsafe(24)


def derived_token(key: bytes, *parts: str) -> str:
    """Make a token of a secret and what it is for; the token does not tell the secret."""
    return base64.urlsafe_b64encode(_signed(key, parts)[:24]).decode()


def signature(key: bytes, *parts: str) -> str:
    """Sign some texts: HMAC-SHA256 with the study's key, in hexadecimal digits."""
    return _signed(key, parts).hex()


def stored_id(one: str, key: bytes | None) -> str:
    """Return an id from an address as it is stored: cut to :data:`ID_LENGTH`, hashed with a key if one is given."""
    kept = without_controls(one).strip()[:ID_LENGTH]
    return signature(key, "id", kept) if key and kept else kept


def same(one: str, other: str) -> bool:
    """Compare two secrets in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode(), other.encode())


def _signed(key: bytes, parts: Sequence[str]) -> bytes:
    return hmac.digest(key, "\0".join(parts).encode(), "sha256")


def choose(loads: Sequence[int], most: int, wanted: int, chance: Random) -> list[int]:
    """Choose questions for one person.

    Always taking the questions that lack most people reaches the goal with the fewest people possible, which
    :func:`people_needed` counts.

    Parameters
    ----------
    loads : sequence of int
        How many people each question has, or is kept for.
    most : int
        The largest number of questions.
    wanted : int
        How many people each question is to have.
    chance : Random

    Returns
    -------
    list of int
        Indices, none of a question that has enough people; empty if all have.
    """
    lots = {i: chance.random() for i in range(len(loads))}
    open_ = sorted((i for i in lots if loads[i] < wanted), key=lambda i: (loads[i], lots[i]))
    return open_[:most]


def people_needed(lacks: Sequence[int], most: int) -> int:
    """Count the people that are needed at least.

    Parameters
    ----------
    lacks : sequence of int
        How many people each question of a block lacks.
    most : int
        The largest number of questions of a person.

    Returns
    -------
    int
        As many as the question lacks that lacks most, or as all places together need, whichever is more.
    """
    each = min(most, len(lacks))
    return max(max(lacks), -(-sum(lacks) // each))


def assign(study: Study, loads: Mapping[str, int], person: int) -> list[str]:
    """Assign questions and attention checks to a person, in the order in which they are asked.

    Parameters
    ----------
    study : Study
    loads : Mapping of str to int
        How many people have each question, by its key; 0 where it is not named.
    person : int
        The person's number, which decides all draws together with the study's seed.

    Returns
    -------
    list of str
        Keys of questions, and ``check/N`` for checks; empty if no question needs anybody.
    """
    chance = Random(f"{study.seed}/{person}")
    found: list[str] = []
    for number, block in enumerate(study.blocks):
        keys = [f"{number}/{question.id}" for question in block.questions]
        chosen = choose([loads.get(key, 0) for key in keys], block.per_person, block.per_item, chance)
        if study.order == "fixed":
            chosen.sort()
        else:
            chance.shuffle(chosen)
        found += [keys[i] for i in chosen]
    return _with_checks(found, len(study.checks), chance) if found else []


def shown_order(study: Study, person: int, key: str, count: int) -> list[int]:
    """Return the order in which a person sees the options of a choice, as indices."""
    order = list(range(count))
    if study.order == "random":
        Random(f"{study.seed}/{person}/{key}").shuffle(order)
    return order


def _with_checks(keys: list[str], checks: int, chance: Random) -> list[str]:
    """Put checks at drawn places, none of them first and no two at one place as far as there are places."""
    places = [*range(1, len(keys) + 1)]
    drawn = chance.sample(places, checks) if checks <= len(places) else chance.choices(places, k=checks)
    for number, place in sorted(enumerate(drawn), key=lambda entry: -entry[1]):
        keys.insert(place, f"{CHECK}/{number}")
    return keys
