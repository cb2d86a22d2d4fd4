"""An endpoint under examination: it is asked, and what is found is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from probsense.analysis.distributions.label_mass import Labels
from probsense.core.errors import ModelError, did_you_mean
from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.models.next_token.label_mass import spellings
from probsense.models.openai.answers import clean, thought_of
from probsense.models.openai.client import Client
from probsense.models.openai.requests import PATHS, Abilities, Route
from probsense.models.openai.wire import Exhausted, Malformed, Refused
from probsense.models.prompts.thoughts import split

Choice: TypeAlias = Mapping[str, Any]
"""One of the choices of an answer."""

SHOWN = 100
"""How many names of models are kept."""


class Declined(Exception):  # noqa: N818 - what the server did
    """The server does not answer a request of one kind, but may answer others; the message has its words."""


@dataclass(slots=True)
class Endpoint:
    """A model at a server, and what is known of it.

    Attributes
    ----------
    client : Client
    model : str
        The name that requests give.
    extra_body : Mapping
        Further parameters for every body.
    only : {"chat", "completions"}, optional
        The only route to use.
    can : Abilities
        The requests that it can answer, by what is known so far.
    findings : list of Finding
        What was found so far.
    """

    client: Client
    model: str
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    only: str | None = None
    can: Abilities = field(default_factory=Abilities)
    findings: list[Finding] = field(default_factory=list)

    def note(
        self,
        name: str,
        ok: bool | None,
        detail: str,
        data: Mapping[str, Json] | None = None,
        **abilities: Any,
    ) -> None:
        """Add a finding, and the abilities that change by it."""
        self.findings.append(Finding(name, ok, detail, data or {}))
        self.can = replace(self.can, **abilities)

    async def ask(self, route: Route, prompt: str, **more: Json) -> list[Choice]:
        """Return the choices of an answer, at least one; each with the ``usage`` of the whole answer.

        Raises
        ------
        Refused, Exhausted
            As the client does.
        ModelError
            If the answer has no choices.
        """
        question: dict[str, Json] = (
            {"messages": [{"role": "user", "content": prompt}]} if route == "chat" else {"prompt": prompt}
        )
        answer = await self.client.post(
            PATHS[route], {**self.extra_body, "model": self.model, **question, **more}
        )
        choices = mappings(answer.get("choices"))
        if not choices:
            raise ModelError("the server answers, but not with choices: check --base-url and --route")
        return [{**one, "usage": answer.get("usage")} for one in choices]

    async def attempt(self, route: Route, prompt: str, **more: Json) -> list[Choice]:
        """Return the choices as :meth:`ask` does.

        Raises
        ------
        Declined
            If the server does not answer a request of this kind.
        """
        try:
            return await self.ask(route, prompt, **more)
        except Refused as error:
            if not of_this_kind(error):
                raise
            raise Declined(error.reason) from None
        except Exhausted as error:
            raise Declined(str(error)) from None

    async def list_models(self) -> None:
        """Check whether the server lists the model."""
        try:
            answer = await self.client.ask("models", None, lambda listed: listed)
        except Refused as error:
            if not of_this_kind(error):
                raise
            self.note("models", None, f"the server does not list its models: {error.reason}")
            return
        names = [clean(one["id"]) for one in mappings(answer.get("data")) if isinstance(one.get("id"), str)]
        known = self.model in names
        said = "listed" if known else f"not listed{did_you_mean(self.model, names)}"
        self.note("models", known or None, f"{self.model!r} is {said}", {"models": [*names[:SHOWN]]})


def of_this_kind(error: Refused) -> bool:
    """Whether the server may answer another kind of request, since the fault is neither the key nor the account."""
    return error.status in (400, 404, 405, 413, 422)


def mappings(value: object) -> list[Mapping[str, Any]]:
    """Return the JSON objects of a list; none where the value is no list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def text_of(choice: Choice) -> str:
    """Return the text of a choice, on either route; "" where it has none."""
    message = choice.get("message")
    text = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    return text if isinstance(text, str) else ""


def thinks(choice: Choice) -> bool:
    """Whether the model thought before it answered."""
    match choice:
        case {"usage": {"completion_tokens_details": {"reasoning_tokens": int(count)}}} if count:
            return True
    return thought_of(choice) is not None or split(text_of(choice)).thought is not None


class Written(NamedTuple):
    """A thought that a server wrote, and whether the model closed it."""

    text: str
    closed: bool


def chain_of(choice: Choice, start: str, mark: str) -> Written:
    """Read the thought at the beginning of a choice, which was to stop at its end.

    Parameters
    ----------
    choice : Mapping
    start, mark : str
        What opens the thought, which the model may have written itself, and what shows that it is over.
    """
    apart, text = thought_of(choice), text_of(choice)
    chat = "message" in choice
    thought = text if apart is None else apart
    if chat:
        thought = thought.lstrip().removeprefix(start.strip()).lstrip("\n")
    thought, found, _ = thought.partition(mark)
    reason = choice.get(
        "stop_reason", mark
    )  # of vLLM: the text at which it stopped, None for the end of a text
    closed = bool(found) or (apart is not None and bool(text.strip()))
    closed = closed or (choice.get("finish_reason") == "stop" and reason == mark)
    return Written(f"{thought.rstrip()}\n" if chat and closed else thought, closed)


def same_model(served: str, asked: str, first: str) -> bool:
    """Whether a name that came with an answer may be that of the model.

    Servers answer under the name of a snapshot ("gpt-4o-2024-08-06" for "gpt-4o"), of a file or of a deployment. So
    one name may be within the other, or the name is at least that of the first answer.

    Parameters
    ----------
    served : str
        The name with the answer.
    asked : str
        The name that was asked for.
    first : str
        The name with the first answer.
    """
    a, b = (name.lower().rstrip("/").rpartition("/")[2] for name in (served, asked))
    return served == first or (bool(a and b) and (a in b or b in a))


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
