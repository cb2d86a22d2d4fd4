"""Decides whether a model thinks before its answers, as the user wishes and the model allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, cast, get_args

from probsense.core.errors import InputError, did_you_mean
from probsense.models.base import REASONING, Model, Thinks, findings_of
from probsense.models.prompts.thinking import UNCHANGED, given_manner
from probsense.runs.ask.chains import Chains

ThinkingMode: TypeAlias = Literal["auto", "off", "on"]
BOTH: Final = "both"
"""Asks a model twice, without thinking and with it."""
CHAINS: Final = 8
"""Chains of thought before each answer."""
BUDGET: Final = 1024
"""The most tokens of a chain."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a user wishes about thinking.

    Attributes
    ----------
    mode : {"auto", "off", "on"}
        "auto" lets a model think that cannot help it.
    chains : int
    budgets : tuple of int
        As for :class:`~probsense.runs.ask.chains.Chains`.
    start, end : str or None
        What opens and closes a thought; None where the template tells.
    sampling : str
        Settings with which chains are drawn in place of the model's own, as
        :meth:`~probsense.models.prompts.thinking.Sampling.changed` reads them.

    Raises
    ------
    InputError
        For settings that make no sense.
    """

    mode: ThinkingMode = "auto"
    chains: int = CHAINS
    budgets: tuple[int, ...] = (BUDGET,)
    start: str | None = None
    end: str | None = None
    sampling: str = ""

    def __post_init__(self) -> None:
        UNCHANGED.changed(self.sampling)


AUTO: Final = Wish()


def wished(
    mode: str,
    chains: int = CHAINS,
    budget: str = str(BUDGET),
    think_start: str | None = None,
    think_end: str | None = None,
    thinking_sampling: str = "",
) -> list[Wish]:
    """Read what a user wishes about thinking; several wishes ask a model once for each.

    Parameters
    ----------
    mode : str
        As for :class:`Wish`, or "both" for off and on.
    chains : int
    budget : str
        The most tokens of a chain, or several numbers with commas between them, where the same chains are cut.
    think_start : str, optional
        What opens a thought, where the chat template does not tell.
    think_end : str, optional
        What closes a thought, where the chat template does not tell.
    thinking_sampling : str
        How chains are drawn, where not as the model comes: temperature, top_p, top_k and min_p.

    Raises
    ------
    InputError
        For budgets that are none, or for several of them if thinking is off.
    """
    words = [word.strip() for word in budget.split(",")]
    if not all(word.isascii() and word.isdigit() for word in words):
        raise InputError(
            f"a thinking budget of {budget!r}", expected="numbers of tokens, such as 256 or 0,64,256"
        )
    budgets = sorted({int(word) for word in words})
    further = (think_start, think_end, thinking_sampling)
    if len(budgets) == 1:
        modes = ("off", "on") if mode == BOTH else (mode,)
        return [Wish(cast("ThinkingMode", one), chains, (*budgets,), *further) for one in modes]
    if mode == "off":
        raise InputError("several thinking budgets with --thinking off", expected="one of the two")
    return [Wish("on", chains, tuple(budgets[: i + 1]), *further) for i in range(len(budgets))]


def let_think(model: Model, wish: Wish) -> tuple[Model, Chains | None]:
    """Return the model as it answers, and how it thinks first; None if it does not.

    Raises
    ------
    InputError
        For an unknown mode, a number that makes no sense, or a model that is to think and cannot.
    """
    modes = get_args(ThinkingMode)
    if wish.mode not in modes:
        said = f"thinking {wish.mode!r}{did_you_mean(wish.mode, modes)}"
        raise InputError(said, expected=f"one of {', '.join(modes)}")
    if wish.mode == "off":
        return model, None
    alone = any(found.name == REASONING for found in findings_of(model))
    given = wish.start is not None or wish.end is not None
    thinker = model if isinstance(model, Thinks) and model.capabilities.thought else None
    if alone and (wish.mode == "auto" or thinker is None or (thinker.manner is None and not given)):
        if wish.sampling or len(wish.budgets) > 1:
            what = "thinking_sampling" if wish.sampling else "several thinking budgets"
            raise InputError(f"{what}, though {model.name} thinks as its server has it")
        return model, None  # It thinks by itself, and its answers are counted.
    if thinker is None:
        if wish.mode == "auto":
            return model, None
        raise InputError(
            f"{model.name} cannot be asked after a thought that is given to it",
            expected="a model in this process (hf:, gguf: or vllm:), or a server whose model thinks by itself",
        )
    own = thinker.manner
    if given:
        manner = given_manner(wish.start, wish.end, UNCHANGED if own is None else own.sampling)
    elif own is None and wish.mode == "on":
        raise InputError(
            f"nothing in the template or the tokens of {model.name} tells how it thinks",
            expected="think_start and think_end, or no thinking",
        )
    elif own is None or (wish.mode == "auto" and own.verdict != "always"):
        return model, None
    else:
        manner = own
    if sum(map(bool, wish.budgets)) > 1 and thinker.capabilities.thought == "closed":
        raise InputError(
            f"{model.name} cannot go on with a thought that was cut, as several budgets need",
            expected="0 and one other budget, one --thinking-budget a run, or completions (--route completions)",
        )
    manner = replace(manner, sampling=manner.sampling.changed(wish.sampling))
    return thinker.in_thinking(manner), Chains(wish.chains, wish.budgets, manner)
