"""A question with its options and how many people chose each, the item that it becomes, and the words that ask it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final, Literal, TypeAlias

import msgspec

from probsense.core.errors import InputError, brief, did_you_mean
from probsense.core.records import Item
from probsense.tasks.shared.orders import Order

Fault: TypeAlias = Callable[[str, str | None], InputError]
"""Makes an error about the place of a question, from what was found there and what was expected."""

ReaderName: TypeAlias = Literal["table", "chaosnli", "alignment", "simbench"]
"""The formats of files: a table of any shape, or a published one."""


@dataclass(frozen=True, slots=True)
class Question:
    """What people were asked, and how many of them chose each option.

    Attributes
    ----------
    id : str
    text : str
    options : tuple of str
        In the order of the file.
    counts : tuple of float, shape (options,)
        How many people chose each, split where one of them chose several; their shares if ``people`` is None.
    people : float or None
        How many answered; None if only their shares are known.
    group : str
        Whom the people belong to; "" for all.
    context : str
        What is read before the question.
    gold : int or None
        The index of the right option, where one is.
    cluster : str
        Questions of one cluster are dependent.
    order : tuple of float, shape (options,)
        Where each option stands on a scale; () if the options form none.
    data : str
        The data set within several; "" for one.
    raters : tuple of (str, int)
        Who chose which option, by its index; () if nobody knows, or somebody chose several.
    """

    id: str
    text: str
    options: tuple[str, ...]
    counts: tuple[float, ...]
    people: float | None
    group: str = ""
    context: str = ""
    gold: int | None = None
    cluster: str = ""
    order: tuple[float, ...] = ()
    data: str = ""
    raters: tuple[tuple[str, int], ...] = ()

    @property
    def key(self) -> str:
        """The name under which it is asked: that of the question, with its data set and its group."""
        return "/".join(part for part in (self.data, self.id, self.group) if part)


def item_of(question: Question) -> Item:
    """Make an item of a question; it holds everything that asking and measuring need."""
    known = msgspec.json.decode(msgspec.json.encode(question))
    gold = "" if question.gold is None else str(question.gold)
    data = {name: known[name] for name in known if name not in ("id", "gold", "cluster")}
    return Item(question.key, question.cluster, gold, data)


def several(given: str | Collection[str]) -> tuple[str, ...]:
    """Return one text or several as several."""
    return (given,) if isinstance(given, str) else tuple(given)


def normalised(text: str) -> str:
    """Return a text as options are compared: compatible forms of characters, lower case, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def checked_question(
    fault: Fault,
    name: str,
    text: str,
    options: Sequence[str],
    given: Sequence[float],
    people: float | None = None,
    *,
    shares: bool = False,
    **about: Any,
) -> Question:
    """Make a question of what a file says.

    Parameters
    ----------
    fault : callable
    name, text : str
    options : sequence of str
    given : sequence of float
        How many people chose each option, or their shares.
    people : float, optional
        How many answered, if that is known.
    shares : bool
        Whether shares are given.
    **about
        Further attributes of :class:`Question`; its cluster is by default its name.

    Raises
    ------
    InputError
        For fewer than two options, an empty one, and two that are read as one; for other than a number for each;
        for shares that sum to something else than rounding explains, and counts of nobody, or of others than said.
    """
    from probsense.tasks.shared.tables.numbers import sums_to

    if len(options) < 2:
        raise fault(f"a question with {len(options)} option{'s' * (len(options) != 1)}", "at least two")
    if len(given) != len(options):
        raise fault(f"{len(given)} numbers of {len(options)} options", "one for each")
    seen: dict[str, str] = {}
    for option in options:
        if not option.strip():
            raise fault("an option is empty", "some text")
        first = seen.setdefault(normalised(option), option)
        if first is not option:
            raise fault(f"the options {brief(first)} and {brief(option)} are the same", "different ones")
    total = float(sum(given))
    if shares and not sums_to([total], 1):
        raise fault(f"shares that sum to {total:g}", "1")
    if not total:
        raise fault(f"nobody answered question {brief(name)}", "a count above 0")
    if not shares and people is not None and abs(people - total) > 1e-9:
        raise fault(f"people is {people:g}, and the counts sum to {total:g}", "the same")
    counts = tuple(one / total * (people or 1.0) if shares else float(one) for one in given)
    known = {"cluster": name, **about}
    return Question(name, text, (*options,), counts, people if shares else total, **known)


def option_index(gold: str | None, options: Sequence[str], fault: Fault) -> int | None:
    """Find the right option by its text; None without one."""
    if gold is None:
        return None
    known = [normalised(option) for option in options]
    if normalised(gold) not in known:
        raise fault(
            f"gold is {brief(gold)}{did_you_mean(gold, options)}", "one of the options of the question"
        )
    return known.index(normalised(gold))


Stance: TypeAlias = Literal["as", "about", "none"]
"""How a group comes into a question: the model answers as one of it, or about it, or hears nothing of it."""

LETTERS: Final = ascii_uppercase
ANSWER: Final = "Answer:"


def system(item: Item, stance: Stance) -> str:
    """Return what stands before the question: as whom the model answers; "" for nobody in particular."""
    group = item.data["group"]
    if not group or stance != "as":
        return ""
    return str(group) if _is_sentence(group) else f"Answer as a person of this group: {group}."


def _is_sentence(group: str) -> bool:
    """Whether a group is described in whole sentences, as SimBench does."""
    return group.rstrip().endswith((".", "!", "?"))


def _question(item: Item, stance: Stance) -> str:
    """Write the context and the question itself."""
    group, parts = item.data["group"], [item.data["context"], item.data["text"]]
    if group and stance == "about":
        whom = (
            f"this person answer? {group}"
            if _is_sentence(group)
            else f"people of this group answer: {group}?"
        )
        parts.append(f"How would {whom}")
    return "\n\n".join(part for part in parts if part)


def open_prompt(item: Item, stance: Stance) -> str:
    """Ask without a list of options; each of them is scored as the answer."""
    return f"{_question(item, stance)}\n{ANSWER}"


def _listed(item: Item, order: Order) -> str:
    options: Sequence[str] = item.data["options"]
    return "\n".join(f"{LETTERS[place]}. {options[one]}" for place, one in enumerate(order))


def lettered_prompt(item: Item, order: Order, stance: Stance) -> str:
    """Ask for the letter of one of the options, which stand in an order."""
    last = LETTERS[len(order) - 1]
    return (
        f"{_question(item, stance)}\n\n{_listed(item, order)}\n\n"
        f"Choose one option. Answer with its letter alone, from A to {last}.\n{ANSWER}"
    )


def letters_of(item: Item, order: Order) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name the letters by the options for which they stand, in the order of the places."""
    options: Sequence[str] = item.data["options"]
    return tuple((options[one], (LETTERS[place],)) for place, one in enumerate(order))


def stated_prompt(item: Item, stance: Stance) -> str:
    """Ask what percentage of people chooses each option."""
    count = len(item.data["options"])
    keys = ", ".join(f'"{letter}": …' for letter in LETTERS[:count])
    group = item.data["group"]
    whom = f"people of this group ({group})" if group and stance != "none" else "people"
    return (
        f"{_question(item, 'none')}\n\n{_listed(item, tuple(range(count)))}\n\n"
        f"What percentage of {whom} chooses each option? Answer with a JSON object alone, "
        f"{{{keys}}}, whose numbers sum to 100.\n{ANSWER}"
    )
