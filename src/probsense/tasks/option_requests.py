"""What every task that compares scored options asks: the options in their place, and after a neutral prefix."""

from __future__ import annotations

from collections.abc import Sequence

from probsense.records import Request, ScoreRequest, ScoreResponse
from probsense.tasks.base import Answers


def option_requests(request: ScoreRequest, neutral: str | None) -> Sequence[Request]:
    """The request, and the same options after a neutral prefix (None: without)."""
    if neutral is None:
        return [request]
    return [request, ScoreRequest(neutral, request.options, item=request.item)]


def option_answers(
    requests: Sequence[Request], answers: Answers
) -> tuple[ScoreResponse, ScoreResponse | None]:
    """The answers to :func:`option_requests`; None for the second where there is no neutral prefix."""
    found = [answers[request] for request in requests]
    scored = [response for response in found if isinstance(response, ScoreResponse)]
    return scored[0], scored[1] if len(scored) > 1 else None
