"""Finds the grammar that understands a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from probsense.tasks.worldsense.generate.skins import PACKAGED, Skin, load_skins
from probsense.tasks.worldsense.questions.format import SKINS_FILE
from probsense.tasks.worldsense.text.grammar import English
from probsense.tasks.worldsense.text.logic import Grammar, ParsedQuestion, ParseFailure, Reading, answer
from probsense.tasks.worldsense.text.templates import Skins


@cache
def _packaged_skins() -> tuple[Skin, ...]:
    return tuple(skin for name in PACKAGED for skin in load_skins(name))


@cache
def packaged_grammars() -> tuple[Grammar, ...]:
    """Return the grammars of our own skins and, for all other texts, of English."""
    return Skins(_packaged_skins()), English()


def own_skins(folder: Path) -> tuple[Skin, ...]:
    """Return the skins in a test-set folder's ``skins.yaml``, if there is one, that are not the package's.

    Raises
    ------
    InputError
        For a faulty ``skins.yaml``.
    """
    own = folder / SKINS_FILE
    packaged = _packaged_skins()
    return tuple(skin for skin in load_skins(own) if skin not in packaged) if own.is_file() else ()


def folder_grammars(folder: Path) -> tuple[Grammar, ...]:
    """Return the grammars for the texts of a test-set folder: the package's, and that of its ``skins.yaml`` if any.

    Raises
    ------
    InputError
        For a faulty ``skins.yaml``.
    """
    own = own_skins(folder)
    return (Skins([*_packaged_skins(), *own]), English()) if own else packaged_grammars()


def parse_text(text: str, grammars: Sequence[Grammar] | None = None) -> ParsedQuestion:
    """Understand a question from its text alone.

    Parameters
    ----------
    text : str
        The whole prompt.
    grammars : sequence of Grammar, optional
        The first that knows the text decides; by default those of the package.

    Raises
    ------
    ParseFailure
        When no grammar understands the text.
    """
    for reading in text_readings(text, grammars):
        return reading.question
    raise ParseFailure("the text has no known form")


def text_readings(text: str, grammars: Sequence[Grammar] | None = None) -> Iterator[Reading]:
    """Yield the reading of every grammar that knows the text, in their order.

    Raises
    ------
    ParseFailure
        When a grammar knows the text, but cannot understand it.
    """
    for grammar in packaged_grammars() if grammars is None else grammars:
        question = grammar.parse(text)
        if question is not None:
            yield Reading(grammar.source, question, answer(question))


def solve_text(text: str) -> str:
    """Find the right answer to a question, from its text alone.

    Raises
    ------
    ParseFailure
        When the text cannot be understood.
    """
    return answer(parse_text(text))
