"""An endpoint under examination: it is asked, and what is found is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from probsense.core.errors import ModelError
from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.models.openai.answers import choices
from probsense.models.openai.client import Client
from probsense.models.openai.requests import PATHS, Abilities, Route
from probsense.models.openai.wire import Exhausted, Malformed, Refused


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

    async def ask(self, route: Route, prompt: str, **more: Json) -> dict[str, Any]:
        """Return an answer that has choices.

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
        try:
            choices(answer)
        except Malformed:
            raise ModelError("the server answers, but not with choices: check base_url") from None
        return answer

    async def attempt(self, route: Route, prompt: str, **more: Json) -> dict[str, Any]:
        """Return an answer as :meth:`ask` does.

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


def of_this_kind(error: Refused) -> bool:
    """Whether the server may answer another kind of request, since the fault is neither the key nor the account."""
    return error.status in (400, 404, 405, 413, 422)
