"""Makes an engine of vLLM write given tokens, in the process that runs the network; vLLM imports it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vllm.v1.sample.logits_processor import AdapterLogitsProcessor

DICTATED = "dictated"
"""The name under which a request's ``extra_args`` have the tokens that it is to write."""


class Dictated(AdapterLogitsProcessor):  # type: ignore[misc]  # vLLM may not be installed.
    """Lets the next token that is dictated win; log-probabilities are computed before."""

    def is_argmax_invariant(self) -> bool:
        """Say that this changes which token is the most probable one."""
        return False

    def new_req_logits_processor(self, params: Any) -> Callable[[list[int]], int] | None:
        """Return what names the next token of a request, given those that it has written."""
        tokens: list[int] | None = (params.extra_args or {}).get(DICTATED)
        return None if tokens is None else lambda written: tokens[len(written)]

    def apply(self, logits: Any) -> Any:
        """Raise the logit of the next token in the row of each request, shape (requests, vocabulary)."""
        if self.req_info:
            logits[[*self.req_info], [next_token() for next_token in self.req_info.values()]] = float("inf")
        return logits
