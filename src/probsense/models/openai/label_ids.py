"""Finds the ids of tokens that spell labels, on servers that tokenise and give log-probabilities by id (vLLM)."""

from __future__ import annotations

from typing import Any

from probsense.analysis.distributions.labels import Labels
from probsense.models.next_token.labels import spellings
from probsense.models.openai.client import Client
from probsense.models.openai.faults import Malformed, Refused


async def find_label_ids(client: Client, model: str, labels: Labels) -> dict[int, int]:
    """Find the single tokens that stand for labels in their usual spellings.

    Parameters
    ----------
    client : Client
    model : str
    labels : sequence of (name, words)

    Returns
    -------
    dict of int to int
        Maps the id of a token to the index of its label. It is empty where the server does not tokenise, or where one
        of the labels has no token of its own: its mass would be 0 whatever the model thinks.
    """
    # The route stands beside the OpenAI-compatible ones, not among them.
    path = client.base_url.removesuffix("/v1") + "/tokenize"
    found: dict[int, int] = {}
    for index, (_, words) in enumerate(labels):
        for text in spellings(words):
            try:
                ids = await client.ask(
                    path, {"model": model, "prompt": text, "add_special_tokens": False}, _ids
                )
            except Refused:
                return {}
            if len(ids) == 1:
                found[ids[0]] = index
    return found if set(found.values()) == set(range(len(labels))) else {}


def _ids(answer: dict[str, Any]) -> list[int]:
    ids = answer.get("tokens")
    if not isinstance(ids, list) or not all(isinstance(i, int) for i in ids):
        raise Malformed("the server does not say which tokens a text has")
    return ids
