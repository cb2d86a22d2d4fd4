"""Splits English texts into sentences and lists stop words, as the published WordNet similarity does."""

from __future__ import annotations

import re
from itertools import pairwise

_STOP_WORDS = """
    i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves
    he him his himself she she's her hers herself it it's its itself they them their theirs themselves
    what which who whom this that that'll these those am is are was were be been being have has had having
    do does did doing a an the and but if or because as until while of at by for with about against between
    into through during before after above below to from up down in out on off over under again further
    then once here there when where why how all any both each few more most other some such no nor not only
    own same so than too very s t can will just don don't should should've now d ll m o re ve y
    ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't
    isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't
    weren weren't won won't wouldn wouldn't
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""NLTK's 179 English stop words (Bird, Loper & Klein 2009), all lower case."""

_ABBREVIATED = """
    adm asst aug ave bldg blvd capt cie cmdr co col corp cpl ct dec dept dr etc feb fri ft gen gov hon inc
    jan jr lt ltd maj mar messrs mon mr mrs ms mt no nov oct ph prof rep rev sat sen sept sgt sr st sun
    thu tues vs wed
"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_OPENING = "\"'([{«“‘"
_CLOSING = "\"')]}»”’"


def sentences(text: str) -> list[str]:
    """Split a text into sentences.

    A word's final full stop ends a sentence, whatever the case of the next word, as in NLTK's Punkt. The full stop of
    an ellipsis, an abbreviation (one of a short list, or one with full stops inside it), an initial, or a number
    before a small letter does not. Question and exclamation marks before a space end a sentence.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str
        At least one.

    References
    ----------
    Kiss & Strunk (2006), Unsupervised Multilingual Sentence Boundary Detection. Computational Linguistics 32(4).
    A short list of abbreviations replaces their trained one, because its words matter only in the middle of an answer.
    """
    parts, start = [], 0
    for word, following in pairwise(re.finditer(r"\S+", text)):
        if _ends_sentence(word.group(), following.group()):
            parts.append(text[start : word.end()])
            start = following.start()
    return [*parts, text[start:]]


def _ends_sentence(word: str, following: str) -> bool:
    word = word.rstrip(_CLOSING)
    if not word.endswith("."):
        return word.endswith(("?", "!"))
    stem = word[:-1].lstrip(_OPENING).lower()
    if "." in stem or stem in _ABBREVIATIONS or (len(stem) == 1 and stem.isalpha()):
        return False
    return not (stem.isdecimal() and following[0].islower())
