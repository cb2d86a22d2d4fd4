"""Composes skins: frames of sentences, words of orders, and names of things, each written once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

MOST_FOREIGN = 2
"""How many pairs of foreign predicates a composed skin has at most."""

_WORD = re.compile(r"<([a-z ]+)>")


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
