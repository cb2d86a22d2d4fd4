"""Examines in which prompt format a model answers with labels, by control questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from probsense.core.errors import ProbSenseError
from probsense.core.records import LabelRequest
from probsense.models.base import FORMAT, Finding, Formatted, Model, ask
from probsense.models.prompts.control import KIND_NAMES, Kind, Seen, choose, control_questions, seen

MayAsk = Callable[[Model, Sequence[LabelRequest]], bool]
"""Tells whether a model may be asked some requests."""


def examine_formats(model: Model, kind: Kind, may_ask: MayAsk = lambda *_: True) -> Finding | None:
    """Ask the control questions in the usual format, and in all others only where it does not pass.

    Parameters
    ----------
    model : Model
        As it is usually asked questions.
    kind : Kind
        Of the labels.
    may_ask : callable
        Tells whether there is money for some more requests.

    Returns
    -------
    Finding or None
        Its data have the format that was "chosen", whether that "moved" from the usual one, the figures by "formats",
        and the number of "questions". None for a model whose format is settled, and where the examination could not
        come to its end.
    """
    if not isinstance(model, Formatted) or model.settled or model.capabilities.labels is None:
        return None
    usual, requests = model.prompt_format, [control.request for control in control_questions(kind)]
    tried: dict[str, Seen] = {}
    for name in _formats(model):
        asked = model if name == usual else model.in_prompt_format(name)
        if asked.capabilities.labels is None:
            continue
        if not may_ask(asked, requests):
            return None
        try:
            tried[name] = seen(kind, ask(asked.labels, requests))
        except ProbSenseError:
            if name == usual:
                return None
        if tried[usual].passes:
            break
    return _outcome(usual, choose(usual, tried), tried, kind, len(requests))


def _formats(model: Formatted) -> Iterator[str]:
    """Yield the usual format, then the others that can be had; a server may have to be examined for these."""
    yield model.prompt_format
    for name, why_not in model.prompt_formats().items():
        if name != model.prompt_format and not why_not:
            yield name


def _outcome(usual: str, chosen: str, tried: Mapping[str, Seen], kind: Kind, each: int) -> Finding:
    own, best, moved = tried[usual], tried[chosen], chosen != usual
    data: dict[str, Any] = {
        "kind": kind,
        "chosen": chosen,
        "moved": moved,
        "formats": {name: one.to_json() for name, one in tried.items()},
        "questions": each * len(tried),
    }
    how = f", chosen by {data['questions']} control questions" if moved else ", as no other one passes either"
    said = (
        f"prompt format {chosen}{'' if own.passes else how}: {KIND_NAMES[kind]} have at least"
        f" {100 * best.mass:.1f} % of the probability of the first word"
        + (f" ({100 * own.mass:.1f} % in the usual format, {usual})" if moved else "")
        + f", and answers that were given away {100 * best.agreement:.1f} % of that"
        + (f" ({100 * own.agreement:.1f} %)" if moved else "")
    )
    return Finding(FORMAT, own.passes or None, said, data)
